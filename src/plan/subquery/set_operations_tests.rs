//! EXCEPT and INTERSECT, with ALL and without.

use crate::session::Database;
use crate::session::testing::texts;

/// Operations, and what they give: counted by hand.
const COUNTED: &[(&str, &str)] = &[
    ("SELECT a FROM l EXCEPT ALL SELECT a FROM r", "1 1 2"),
    ("SELECT a FROM r EXCEPT ALL SELECT a FROM l", "3 3"),
    (
        "SELECT a FROM l INTERSECT ALL SELECT a FROM r",
        "1 NULL NULL",
    ),
    ("SELECT DISTINCT a FROM l EXCEPT ALL SELECT a FROM r", "2"),
    (
        "SELECT DISTINCT a FROM l INTERSECT ALL SELECT a FROM r",
        "1 NULL",
    ),
    // A star stands for columns, and a name for two.
    (
        "SELECT * EXCLUDE (id) FROM l EXCEPT ALL SELECT * EXCLUDE (id) FROM r",
        "1|x 1|x 2|y",
    ),
    (
        "SELECT a, a FROM l EXCEPT ALL SELECT a, a FROM r",
        "1|1 1|1 2|2",
    ),
    (
        "SELECT a, -a AS a FROM l INTERSECT ALL SELECT a, -a FROM r",
        "1|-1 NULL|NULL NULL|NULL",
    ),
    (
        "SELECT l.a, r.a FROM l JOIN r USING (a) EXCEPT ALL SELECT 1, 1",
        "1|1 1|1",
    ),
    // Of types that are known when they are planned again.
    (
        "SELECT CASE WHEN false THEN n ELSE 2.5e0 END FROM (SELECT rank() OVER (ORDER BY CAST(a AS TEXT)::BYTEA) AS n FROM l) \
         EXCEPT ALL SELECT 1 FROM r",
        "2.5 2.5 2.5 2.5 2.5 2.5",
    ),
    (
        "SELECT coalesce(d, TIMESTAMP(9) '1970-03-01 00:00:00') FROM (SELECT DATE '0001-01-01' AS d) \
         INTERSECT ALL SELECT DATE '0001-01-01'",
        "0001-01-01T00:00:00",
    ),
    // In each other, and in subqueries.
    (
        "SELECT a, a FROM l EXCEPT ALL (SELECT a, a FROM r EXCEPT ALL SELECT NULL, NULL)",
        "1|1 1|1 2|2 NULL|NULL",
    ),
    (
        "SELECT a, a FROM l EXCEPT ALL SELECT 1, 1 INTERSECT ALL SELECT a, a FROM r",
        "1|1 1|1 2|2 NULL|NULL NULL|NULL",
    ),
    (
        "SELECT count(*) FROM (SELECT a FROM l EXCEPT ALL SELECT a FROM r EXCEPT ALL VALUES (2)) t",
        "2",
    ),
    (
        "SELECT id FROM l WHERE a IN (SELECT a FROM l EXCEPT ALL SELECT a FROM r EXCEPT ALL SELECT 1)",
        "1 2 3 6",
    ),
    // With ALL and without, in each other.
    (
        "(SELECT a FROM l EXCEPT ALL SELECT 2) EXCEPT SELECT 5",
        "1 NULL",
    ),
    (
        "(SELECT a FROM l EXCEPT SELECT 2) EXCEPT ALL SELECT 1",
        "NULL",
    ),
    (
        "SELECT a FROM l EXCEPT ALL (SELECT a FROM l INTERSECT SELECT a FROM r)",
        "1 1 2 NULL",
    ),
    (
        "(SELECT a FROM l INTERSECT ALL SELECT a FROM r) INTERSECT SELECT a FROM l",
        "1 NULL",
    ),
    // The type is that of a UNION.
    (
        "SELECT a FROM l EXCEPT ALL SELECT 2.5",
        "1.0 1.0 1.0 2.0 NULL NULL",
    ),
    ("SELECT a FROM l INTERSECT SELECT 1e0", "1.0"),
    ("SELECT 1.5 EXCEPT SELECT 1e0", "1.5"),
    ("SELECT 0.1 INTERSECT ALL SELECT 1e-1", "0.1"),
    (
        "SELECT coalesce(x, 0.0) FROM (VALUES (1e-20)) v (x) EXCEPT ALL SELECT 0.5",
        "1e-20",
    ),
    (
        "SELECT x FROM (VALUES (9007199254740993), (9007199254740992)) v (x) EXCEPT ALL SELECT 9007199254740992e0",
        "9007199254740992.0",
    ),
    (
        "SELECT y + 1 FROM (SELECT a AS y FROM l INTERSECT SELECT 2.5 - 0.5) q",
        "3.0",
    ),
    (
        "SELECT id FROM l WHERE EXISTS (SELECT l.a EXCEPT SELECT 1.5) AND a IN (SELECT 1 EXCEPT ALL SELECT 2.5)",
        "1 2 3",
    ),
    (
        "SELECT DATE '2024-01-01' EXCEPT SELECT TIMESTAMP(3) '3024-01-01'",
        "2024-01-01T00:00:00",
    ),
    (
        "FROM l |> SELECT a |> EXCEPT DISTINCT (SELECT a FROM r)",
        "2",
    ),
];

/// Rows are counted by hand: 1 is there three times on the left and once on the right, NULL twice and twice.
#[tokio::test]
async fn equal_rows_are_counted() {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE l (id INT, a INT, b TEXT, PRIMARY KEY (id))",
        "CREATE TABLE r (id INT, a BIGINT, b TEXT, PRIMARY KEY (id))",
        "INSERT INTO l VALUES (1, 1, 'x'), (2, 1, 'x'), (3, 1, 'x'), (4, NULL, NULL), (5, NULL, NULL), (6, 2, 'y')",
        "INSERT INTO r VALUES (1, 1, 'x'), (2, NULL, NULL), (3, NULL, NULL), (4, 3, 'z'), (5, 3, 'z')",
    ] {
        connection.execute(sql, ()).await.unwrap();
    }
    for (sql, expected) in COUNTED {
        let batches = connection.query(sql, ()).await;
        let mut rows = texts(&batches.unwrap_or_else(|error| panic!("{sql}\n{error}")));
        rows.sort();
        assert_eq!(rows.join(" "), *expected, "{sql}");
    }
    let wrong = connection.query("SELECT a FROM l EXCEPT ALL SELECT a, b FROM r", ());
    let error = wrong.await.unwrap_err().to_string();
    assert!(error.contains("number of columns"), "{error}");
}
