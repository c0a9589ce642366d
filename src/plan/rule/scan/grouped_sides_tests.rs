//! What is read for the newest row of each group, in all its spellings.

use crate::plan::rule::scan::first_rows::tests::{GROUPS, ROWS, assert_read, connection};
use crate::session::testing::{read, rows_of};

/// Groups of `a` and `b`.
const BOTH: usize = GROUPS * 16;

#[tokio::test]
async fn the_newest_row_of_each_group_is_about_a_key_for_each() {
    // One for each group, one to find its end, and one for each row that is joined.
    let most = 3 * BOTH + GROUPS;
    assert_read(
        "a, b, ts",
        &[
            ("SELECT t.v FROM t JOIN (SELECT a, b, max(ts) AS ts FROM t GROUP BY 1, 2) l USING (a, b, ts)", most),
            ("SELECT t.v FROM (SELECT a, b, max(ts) AS ts FROM t GROUP BY 1, 2) l JOIN t USING (a, b, ts)", most),
            (
                "SELECT t.a, t.b, t.v FROM t JOIN (SELECT a, b, max(ts) AS ts FROM t GROUP BY 1, 2) l USING (a, b, ts)
                 ORDER BY t.a, t.b LIMIT 3",
                most,
            ),
            (
                "SELECT t.a, t.b, t.v FROM t JOIN (SELECT a, b, max(ts) AS ts FROM t GROUP BY 1, 2) l USING (a, b, ts)
                 ORDER BY t.v, t.a, t.b",
                most,
            ),
            ("SELECT count(*) FROM t WHERE (a, b, ts) IN (SELECT a, b, max(ts) FROM t GROUP BY 1, 2)", most),
            ("SELECT v FROM t WHERE (a, b, ts) IN (SELECT a, b, max(ts) FROM t GROUP BY 1, 2)", most),
            (
                "SELECT a, b, v FROM t WHERE (a, b, ts) IN (SELECT a, b, max(ts) FROM t GROUP BY 1, 2)
                 ORDER BY a, b LIMIT 5",
                most,
            ),
            ("SELECT count(*) FROM (SELECT DISTINCT ON (a, b) v FROM t ORDER BY a, b, ts DESC) s", most),
            (
                "SELECT count(*) FROM (SELECT v, row_number() OVER (PARTITION BY a, b ORDER BY ts DESC) AS n FROM t) s
                 WHERE n = 1",
                most,
            ),
            ("SELECT count(*) FROM (SELECT a, b, max(ts) FROM t GROUP BY 1, 2) s", most),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_a_list_asks_for_each_is_about_a_key_for_each() {
    let most = 6 * GROUPS;
    assert_read(
        "a, b, ts",
        &[
            (
                "SELECT q.a, l.v FROM (SELECT DISTINCT a FROM t) q,
                 LATERAL (SELECT v FROM t s WHERE s.a = q.a AND s.b = 'b1' ORDER BY ts DESC LIMIT 1) l",
                most,
            ),
            (
                "SELECT q.a, l.v FROM (SELECT DISTINCT a FROM t) q,
                 LATERAL (SELECT v FROM t s WHERE s.a = q.a ORDER BY b, ts LIMIT 2) l",
                most + 2 * GROUPS,
            ),
            (
                "SELECT count(*) FROM (SELECT DISTINCT a FROM t) q,
                 LATERAL (SELECT v FROM t s WHERE s.a = q.a AND s.b = 'b1' ORDER BY ts DESC LIMIT 1) l",
                most,
            ),
            (
                "SELECT q.a, (SELECT v FROM t s WHERE s.a = q.a AND s.b = 'b1' ORDER BY ts DESC LIMIT 1) AS v
                 FROM (SELECT DISTINCT a FROM t) q",
                most + GROUPS,
            ),
        ],
    )
    .await;
}

/// Rows of one side are left out for what they join with, for a condition, for what they are ordered by.
#[tokio::test]
async fn no_row_is_passed_over_that_is_asked_for() {
    let all = 5 * ROWS;
    assert_read(
        "a, b, ts",
        &[
            (
                "SELECT q.a, l.v FROM (SELECT DISTINCT a FROM t) q,
                 LATERAL (SELECT v FROM t s WHERE s.a = q.a AND s.v > q.a * 6 ORDER BY b, ts LIMIT 1) l",
                all,
            ),
            (
                "SELECT a, b, n FROM (SELECT t.a, t.b, row_number() OVER (PARTITION BY t.a ORDER BY w.x, t.b, t.ts) AS n
                 FROM t JOIN (VALUES (1, 3), (1, 2), (2, 1)) w (a, x) ON w.a = t.a) s WHERE n < 3",
                all,
            ),
            (
                "SELECT a, b, n FROM (SELECT t.a, t.b, row_number() OVER (PARTITION BY w.x ORDER BY t.a, t.b, t.ts) AS n
                 FROM t JOIN (VALUES (1, 3), (1, 2), (2, 3)) w (a, x) ON w.a = t.a) s WHERE n < 3",
                all,
            ),
            (
                "SELECT t.a, max(t.ts) FROM t JOIN (VALUES (1, 'b2'), (1, 'b3'), (2, 'b4')) w (a, b)
                 ON w.a = t.a AND w.b <> t.b GROUP BY t.a",
                all,
            ),
            (
                "SELECT t.a, max(t.ts), min(w.x) FROM t JOIN (VALUES (1, 3), (1, 2), (2, 3)) w (a, x) ON w.a = t.a
                 GROUP BY t.a",
                all,
            ),
            ("SELECT a, max(ts) FROM t WHERE v IN (SELECT v FROM t WHERE n < 40) GROUP BY a", all),
            ("SELECT a, max(ts) FROM t WHERE a IN (SELECT v FROM t WHERE n < 40) GROUP BY a", all),
            (
                "SELECT t.a, count(l.ts) FROM t LEFT JOIN (SELECT a, b, max(ts) AS ts FROM t GROUP BY 1, 2) l USING (a, b, ts)
                 GROUP BY t.a",
                all,
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_intersection_is_narrowed_with_nulls_in_it() {
    let connection = connection("a, b, ts").await;
    let small = "CREATE TABLE s (a INT, b TEXT, n INT NULL, PRIMARY KEY (a, b));
         INSERT INTO s SELECT DISTINCT a, b, CASE WHEN b = 'b1' THEN NULL ELSE 7 END FROM t WHERE a = 3;";
    connection.execute_script(small).await.unwrap();
    let all = connection.database().connect();
    all.execute("SET halite.pushdown = false", ())
        .await
        .unwrap();
    for sql in [
        "SELECT a, b, n FROM t INTERSECT SELECT a, b, n FROM s",
        "SELECT a, b, n FROM s INTERSECT SELECT a, b, n FROM t",
        "SELECT a, b, n FROM t INTERSECT ALL SELECT a, b, n FROM s",
        "SELECT a, b, CASE WHEN v > 9 THEN v END FROM t INTERSECT SELECT a, b, n FROM s",
        "SELECT a, b, n FROM t EXCEPT SELECT a, b, n FROM s",
        "SELECT n FROM s INTERSECT SELECT NULL",
    ] {
        let (rows, keys) = read(&connection, sql).await;
        let (expected, _) = read(&all, sql).await;
        assert_eq!(rows, expected, "{sql}");
        let is_narrowed =
            sql.starts_with("SELECT a, b, n FROM") && sql.contains(" INTERSECT SELECT a");
        assert!(!is_narrowed || keys < ROWS / 6, "{sql} reads {keys}");
    }
    let nulls = rows_of(&connection, "SELECT n FROM s INTERSECT SELECT NULL").await;
    assert_eq!(nulls, ["NULL"]);
}
