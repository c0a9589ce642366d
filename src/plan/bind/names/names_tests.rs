//! Names of columns as the library and the files show them; what statements print is in `tests/scripts/names.sql`.

use arrow::array::RecordBatch;
use datafusion::prelude::SessionContext;

use crate::session::testing::{plain, plain_rows, texts};
use crate::session::{Connection, Database, Row};
use crate::sql::marks::UNSEEN;

const TABLES: &[&str] = &[
    "CREATE TABLE t (id INT, b INT, PRIMARY KEY (id))",
    "INSERT INTO t VALUES (1, 10), (2, 20)",
    "CREATE TABLE u (id INT, c INT, PRIMARY KEY (id))",
    "INSERT INTO u VALUES (1, 100), (3, 300)",
];

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in TABLES {
        connection.execute(sql, ()).await.unwrap();
    }
    connection
}

fn names(batches: &[RecordBatch]) -> Vec<String> {
    let schema = batches[0].schema();
    let fields = schema.fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

#[tokio::test]
async fn names_keep_their_letters_where_the_setting_says_so() {
    let connection = connection().await;
    let off = "SET datafusion.sql_parser.enable_ident_normalization = false";
    connection.execute(off, ()).await.unwrap();
    let sql = "SELECT id AS Big FROM t EXCEPT ALL SELECT id AS Big FROM u";
    let batches = connection.query(sql, ()).await.unwrap();
    assert_eq!(
        (names(&batches), texts(&batches)),
        (vec!["Big".to_owned()], vec!["2".to_owned()])
    );
    // `b` is the column, and `B` nothing.
    let row = connection.query_row("SELECT id + 1 AS B, b * 2, B * 2 FROM t WHERE id = 1", ());
    let row = row.await.unwrap().unwrap();
    assert_eq!(row.to::<(i64, i64, i64)>().unwrap(), (2, 20, 4));
}

#[tokio::test]
async fn batches_carry_the_names_as_written() {
    let connection = connection().await;
    let sql = "SELECT id, b AS id, max(b) OVER (), id FROM t ORDER BY t.id LIMIT 1";
    let batches = connection.query(sql, ()).await.unwrap();
    let expected = ["id", "id", "max(b) OVER ()", "id"];
    assert_eq!(names(&batches), expected);
    assert_eq!(texts(&batches), ["1|10|20|1"]);
    let frame = connection.sql(sql).await.unwrap();
    let batches = frame.collect().await.unwrap();
    assert_eq!(
        (names(&batches), texts(&batches)),
        (
            expected.map(str::to_owned).to_vec(),
            vec!["1|10|20|1".to_owned()]
        )
    );
}

#[tokio::test]
async fn columns_of_one_name_are_read_by_their_places() {
    let connection = connection().await;
    let sql = "SELECT id, b AS id, b FROM t WHERE id = $1";
    let read = |row: Row| {
        assert_eq!(row.to::<(i32, i32, i32)>().unwrap(), (2, 20, 20));
        assert_eq!(row.get::<i32>(1).unwrap(), 20);
        assert_eq!(row.get::<i32>("b").unwrap(), 20);
        let error = row.get::<i32>("id").unwrap_err();
        assert!(error.message().contains("several columns `id`"), "{error}");
    };
    read(connection.query_row(sql, [2]).await.unwrap().unwrap());
    let prepared = connection.prepare(sql).await.unwrap();
    read(prepared.query_row([2]).unwrap().unwrap());
    let prepared = connection
        .prepare("SELECT id, id FROM t WHERE id = ?")
        .await
        .unwrap();
    let row = prepared.query_row([2]).unwrap().unwrap();
    assert_eq!(row.to::<(i32, i32)>().unwrap(), (2, 2));
}

#[tokio::test]
async fn files_that_need_names_number_them() {
    let connection = connection().await;
    let directory = tempfile::tempdir().unwrap();
    for (file, expected) in [
        ("t.csv", "id,id,b\n1,1,10\n2,2,20\n"),
        (
            "t.jsonl",
            "{\"id\":1,\"id_2\":1,\"b\":10}\n{\"id\":2,\"id_2\":2,\"b\":20}\n",
        ),
    ] {
        let path = directory.path().join(file);
        let sql = format!(
            "COPY (SELECT id, id, b FROM t ORDER BY id) TO '{}' (HEADER)",
            path.display()
        );
        let sql = if file.ends_with("csv") {
            sql
        } else {
            sql.replace(" (HEADER)", "")
        };
        connection.execute(&sql, ()).await.unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }
    let path = directory.path().join("t.parquet");
    let sql = format!("COPY (SELECT id, id FROM t) TO '{}'", path.display());
    connection.execute(&sql, ()).await.unwrap();
    let sql = format!("SELECT * FROM '{}' ORDER BY 1", path.display());
    let batches = connection.query(&sql, ()).await.unwrap();
    assert_eq!(names(&batches), ["id", "id_2"]);
    assert_eq!(texts(&batches), ["1|1", "2|2"]);
}

/// The mark that tells columns of one name apart is nobody's business.
#[tokio::test]
async fn what_explains_a_query_shows_no_marks() {
    let connection = connection().await;
    for explain in [
        "EXPLAIN",
        "EXPLAIN ANALYZE",
        "EXPLAIN FORMAT TREE",
        "DESCRIBE",
    ] {
        for query in [
            "SELECT id, b AS id, max(b) OVER () AS id FROM t",
            "SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a",
        ] {
            let sql = format!("{explain} {query}");
            let shown = texts(&connection.query(&sql, ()).await.expect(explain)).join("\n");
            let is_shown = shown.contains("id") || shown.contains("a|");
            assert!(is_shown && !shown.contains(UNSEEN), "{shown}");
        }
    }
}

/// A plain session over tables of the same rows.
async fn without_mends() -> SessionContext {
    let session = plain();
    for sql in TABLES {
        session.sql(sql).await.unwrap().collect().await.unwrap();
    }
    session
}

/// What DataFusion refuses. Where one of these is answered after an upgrade, its mend can go.
#[tokio::test]
async fn canary() {
    let session = without_mends().await;
    for (sql, error) in [
        (
            "SELECT id, id FROM t",
            "Projections require unique expression names",
        ),
        (
            "SELECT CAST(b AS BIGINT), b FROM t",
            "Projections require unique expression names",
        ),
        ("SELECT -id AS b, b FROM t", "ambiguous"),
        (
            "SELECT max(b) AS x, max(CAST(b AS BIGINT)) AS y FROM t",
            "duplicate unqualified field name",
        ),
        (
            "SELECT id FROM t WHERE b IN (SELECT DISTINCT c AS x FROM u) OR id = 1",
            "rule 'decorrelate_predicate_subquery' failed",
        ),
        ("SELECT -id AS b FROM t ORDER BY t.b", "ambiguous"),
        (
            "SELECT DISTINCT t.id, u.id FROM t JOIN u USING (id)",
            "rule 'replace_distinct_aggregate' failed",
        ),
        (
            "SELECT t.id AS x FROM t JOIN u USING (id) WHERE id > 1",
            "Ambiguous reference",
        ),
        (
            "SELECT b, 1 FROM t GROUP BY b ORDER BY 2",
            "Column in ORDER BY must be in GROUP BY",
        ),
    ] {
        let refused = plain_rows(&session, sql).await.unwrap_err();
        assert!(refused.contains(error), "{sql}: {refused}");
    }
}

/// What DataFusion answers wrongly: the column of USING is taken from the table that the alphabet has first.
#[tokio::test]
async fn canary_of_the_merged_column() {
    let session = without_mends().await;
    let sql = "SELECT * FROM u LEFT JOIN t USING (id)";
    let wrong = plain_rows(&session, sql).await.unwrap();
    assert_eq!(wrong, ["100|1|10", "300|NULL|NULL"]);
    let right = connection().await.query(sql, ()).await.unwrap();
    let mut right = texts(&right);
    right.sort();
    assert_eq!(right, ["1|100|10", "3|300|NULL"]);
}

/// Joins of `t`, `u` and `w`, and what they give: worked out by hand.
const SHARED: &[(&str, &str)] = &[
    (
        "SELECT id, b, c FROM t FULL JOIN u USING (id)",
        "1|10|100 2|20|NULL 3|NULL|300",
    ),
    (
        "SELECT * FROM t FULL JOIN u USING (id)",
        "1|10|100 2|20|NULL 3|NULL|300",
    ),
    (
        "SELECT * FROM t NATURAL FULL JOIN u",
        "1|10|100 2|20|NULL 3|NULL|300",
    ),
    (
        "SELECT * FROM t NATURAL RIGHT JOIN u",
        "1|10|100 3|NULL|300",
    ),
    (
        "SELECT * FROM u RIGHT JOIN t USING (id)",
        "1|100|10 2|NULL|20",
    ),
    (
        "SELECT t.id, u.id, id FROM t FULL JOIN u USING (id) WHERE id > 1",
        "2|NULL|2 NULL|3|3",
    ),
    (
        "SELECT id FROM t FULL JOIN u USING (id) ORDER BY u.id DESC NULLS LAST LIMIT 1",
        "3",
    ),
    (
        "SELECT id AS id, id + 1 FROM t FULL JOIN u USING (id) ORDER BY u.id DESC NULLS LAST, id",
        "1|2 2|3 3|4",
    ),
    (
        "SELECT * FROM t FULL JOIN u USING (id) ORDER BY u.id, t.id, id",
        "1|10|100 2|20|NULL 3|NULL|300",
    ),
    (
        "SELECT x.id FROM (SELECT id FROM t NATURAL RIGHT JOIN u ORDER BY t.id DESC LIMIT 1) x",
        "3",
    ),
    (
        "SELECT id, count(*) FROM t JOIN u USING (id) GROUP BY ROLLUP (t.id, id) ORDER BY 2, 1",
        "1|1 1|1 NULL|1",
    ),
    (
        "SELECT id, count(*) FROM t GROUP BY CUBE (id, t.id) ORDER BY 2, 1",
        "1|1 1|1 1|1 2|1 2|1 2|1 NULL|2",
    ),
    (
        "SELECT id, b, count(*) FROM t GROUP BY ROLLUP ((id, b), b) ORDER BY 3, 1, 2",
        "1|10|1 1|10|1 2|20|1 2|20|1 NULL|NULL|2",
    ),
    (
        "SELECT id, count(*) FROM t FULL JOIN u USING (id) GROUP BY id HAVING id < 3 ORDER BY id",
        "1|1 2|1",
    ),
    (
        "SELECT max(id), count(t.id) FROM t FULL OUTER JOIN u USING (id)",
        "3|2",
    ),
    (
        "SELECT * FROM t FULL JOIN u USING (id) FULL JOIN w USING (id)",
        "1|10|100|NULL 2|20|NULL|NULL 3|NULL|300|3000 4|NULL|NULL|4000",
    ),
    (
        "SELECT id, d FROM t RIGHT JOIN u USING (id) LEFT JOIN w USING (id)",
        "1|NULL 3|3000",
    ),
    (
        "SELECT id, d FROM t FULL JOIN u USING (id) JOIN w USING (id)",
        "3|3000",
    ),
    (
        "SELECT id, d FROM t JOIN u USING (id) FULL JOIN w USING (id)",
        "1|NULL 3|3000 4|4000",
    ),
    (
        "SELECT * FROM (t FULL JOIN u USING (id)) LEFT JOIN w USING (id)",
        "1|10|100|NULL 2|20|NULL|NULL 3|NULL|300|3000",
    ),
    (
        "SELECT q.id FROM (SELECT * FROM t FULL JOIN u USING (id)) AS q JOIN u ON u.id = q.id",
        "1 3",
    ),
    (
        "SELECT id + 1 AS n FROM t FULL JOIN u USING (id) ORDER BY n DESC LIMIT 1",
        "4",
    ),
    ("SELECT DISTINCT id FROM t FULL JOIN u USING (id)", "1 2 3"),
    (
        "SELECT u.* EXCLUDE (c), id FROM t RIGHT JOIN u USING (id)",
        "1|1 3|3",
    ),
    (
        "WITH v AS (SELECT id, c FROM u) SELECT id, c FROM t FULL JOIN v USING (id)",
        "1|100 2|NULL 3|300",
    ),
    (
        "SELECT id FROM t WHERE id IN (SELECT id FROM u FULL JOIN w USING (id))",
        "1",
    ),
];

/// The column that RIGHT and FULL JOIN share is that of the side which a row has.
#[tokio::test]
async fn what_outer_joins_share_is_of_the_side_that_is_there() {
    let connection = connection().await;
    for sql in [
        "CREATE TABLE w (id INT, d INT, PRIMARY KEY (id))",
        "INSERT INTO w VALUES (3, 3000), (4, 4000)",
    ] {
        connection.execute(sql, ()).await.unwrap();
    }
    for (sql, expected) in SHARED {
        let found = connection.query(sql, ()).await;
        let mut rows = texts(&found.unwrap_or_else(|error| panic!("{sql}\n{error}")));
        rows.sort();
        assert_eq!(rows.join(" "), *expected, "{sql}");
    }
    let sql = "SELECT * FROM t FULL JOIN u USING (id)";
    let batches = connection.query(sql, ()).await.unwrap();
    assert_eq!(names(&batches), ["id", "b", "c"]);
    for (sql, words) in [
        (
            "SELECT * FROM t NATURAL FULL JOIN (SELECT 1 AS z) AS v",
            "no column in common",
        ),
        (
            "SELECT 1 FROM t FULL JOIN (SELECT 1 AS id) USING (id)",
            "write ON",
        ),
    ] {
        let error = connection.query(sql, ()).await.unwrap_err().to_string();
        assert!(error.contains(words), "{sql}: {error}");
    }
}

/// What DataFusion answers wrongly: a column without a table is taken for an alias, and an alias for it.
#[tokio::test]
async fn canary_of_columns_without_a_table() {
    let (session, connection) = (without_mends().await, connection().await);
    for (sql, wrong, right) in [
        (
            "SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a LIMIT 1",
            "1|-1",
            "2|-2",
        ),
        (
            "(SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t)) ORDER BY a LIMIT 1",
            "1|-1",
            "2|-2",
        ),
        (
            "SELECT id AS a FROM t |> SELECT a AS b, -a AS a |> ORDER BY a |> LIMIT 1",
            "1|-1",
            "2|-2",
        ),
        (
            "SELECT -a AS a FROM (SELECT id AS a FROM t) GROUP BY a HAVING a > 1",
            "",
            "-2",
        ),
        (
            "SELECT b % 2 AS a FROM (SELECT id AS a, b + 0 AS b FROM t) GROUP BY b HAVING max(a) > 1",
            "",
            "0",
        ),
        (
            "SELECT -a AS a FROM (SELECT id AS a FROM t) QUALIFY row_number() OVER (ORDER BY a) = 1",
            "-2",
            "-1",
        ),
        (
            "SELECT -a AS a FROM (SELECT id AS a FROM t) GROUP BY a HAVING a > 1 EXCEPT SELECT 0",
            "",
            "-2",
        ),
    ] {
        let found = plain_rows(&session, sql).await.unwrap();
        assert_eq!(found.join(" "), wrong, "{sql}");
        let found = connection.query(sql, ()).await.unwrap();
        assert_eq!(texts(&found).join(" "), right, "{sql}");
    }
}
