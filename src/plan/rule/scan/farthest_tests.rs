//! What is read for the extreme of a column that stands behind others in the key.

use crate::plan::rule::scan::first_rows::tests::{
    GROUPS, ROWS, assert_read, assert_read_in, connection,
};
use crate::session::testing::read;

#[tokio::test]
async fn the_extreme_of_a_column_behind_others_reads_what_the_first_in_its_order_does() {
    // The scan asks what is wanted behind 1,024 entries, behind twice as many more, and twice as many again; it reads ahead
    // of the sort, whose answer may come one time late. Where rows are dealt out to several sorts, it may come too late.
    let in_one = 15 * 1024 + 6 * GROUPS;
    for (partitions, most) in [(1, in_one), (2, ROWS), (4, ROWS)] {
        let queries = [
            ("SELECT max(ts) FROM t", most),
            ("SELECT max(ts) FROM t WHERE v < 40", most),
        ];
        assert_read_in(&[partitions], "a, ts", &queries).await;
    }
    let most = ROWS;
    assert_read(
        "a, b, ts",
        &[
            ("SELECT max(ts) FROM t", most),
            ("SELECT max(b) FROM t", most),
            ("SELECT max(ts) FROM t WHERE v < 40", most),
            (
                "SELECT max(x) FROM (SELECT ts AS x, v FROM t WHERE b <> 'b3') s",
                most,
            ),
            ("SELECT min(ts) AS m FROM t WHERE a > 2", most),
        ],
    )
    .await;
    let connection = connection("a, b, ts").await;
    connection
        .execute("SET datafusion.execution.target_partitions = 1", ())
        .await
        .unwrap();
    let (_, sorted) = read(&connection, "SELECT ts FROM t ORDER BY ts DESC LIMIT 1").await;
    let (_, greatest) = read(&connection, "SELECT max(ts) FROM t").await;
    // Equal, where neither is told late.
    assert!(
        greatest <= 4 * sorted && greatest < ROWS,
        "{greatest} keys, {sorted} in order"
    );
}

#[tokio::test]
async fn an_extreme_is_that_of_all_rows() {
    assert_read(
        "a, n, ts",
        &[
            ("SELECT max(n), min(n) FROM t", ROWS),
            ("SELECT max(n) FROM t", ROWS),
            ("SELECT min(n) FROM t", ROWS),
            ("SELECT max(n) FROM t WHERE n IS NULL", ROWS),
            ("SELECT max(n) FROM t WHERE v > 1000", ROWS),
            ("SELECT max(ts), count(*) FROM t", ROWS),
            ("SELECT max(ts) FILTER (WHERE v = 1) FROM t", ROWS),
            ("SELECT a, max(n) FROM t GROUP BY a", ROWS),
            (
                "SELECT (SELECT max(ts) FROM t WHERE n < 9) AS m, max(n) FROM t",
                2 * ROWS,
            ),
            ("SELECT max(DISTINCT n) FROM t", ROWS),
            (
                "SELECT max(m) FROM (SELECT max(n) AS m FROM t GROUP BY a) s",
                ROWS,
            ),
            ("SELECT max(ts) FROM (SELECT ts FROM t LIMIT 100) s", ROWS),
        ],
    )
    .await;
    assert_read(
        "a, d, ts",
        &[
            ("SELECT max(d) FROM t", ROWS),
            ("SELECT max(ts) FROM t", ROWS),
        ],
    )
    .await;
    assert_read("salt(4), a, ts", &[("SELECT max(ts) FROM t", ROWS)]).await;
}
