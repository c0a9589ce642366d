//! Orders that DataFusion loses, beside what it says of them.

use crate::session::testing::{mended, plain, rows, try_rows};

const SETUP: [&str; 2] = [
    "CREATE TABLE t (id INT, f DECIMAL(10,2))",
    "INSERT INTO t VALUES (1, 1.5), (2, NULL), (5, 5.25), (7, 1.5)",
];

const LOST: &str = "SELECT y.one AS a, x.id AS b FROM t x JOIN (SELECT f, 1 AS one FROM t) y ON x.f = y.f ORDER BY a";

#[tokio::test]
async fn a_column_that_is_a_constant_is_sorted_by() {
    let session = mended();
    for sql in SETUP {
        rows(&session, sql).await;
    }
    for partitions in [1, 2, 4] {
        rows(
            &session,
            &format!("SET datafusion.execution.target_partitions = {partitions}"),
        )
        .await;
        assert_eq!(
            rows(&session, LOST).await,
            ["1|1", "1|1", "1|5", "1|7", "1|7"]
        );
        let page = try_rows(&session, &format!("{LOST}, b DESC LIMIT 3")).await;
        assert_eq!(page, Ok(["1|7", "1|7", "1|5"].map(String::from).to_vec()));
    }
}

/// Columns of a union that are sorted by and are one in an arm, or constant.
const UNIONS: [&str; 2] = [
    "SELECT f AS x, f AS y FROM t UNION ALL SELECT -1.00 AS x, CAST(1 AS DECIMAL(10, 2)) AS y FROM t ORDER BY y DESC",
    "SELECT id AS x, id AS y FROM t UNION ALL SELECT CAST(f AS INT) AS x, CAST(f AS INT) AS y FROM t ORDER BY y",
];

#[tokio::test]
async fn a_column_that_two_names_are_given_to_is_sorted_by() {
    let session = mended();
    for sql in SETUP {
        rows(&session, sql).await;
    }
    for partitions in [1, 2, 4] {
        let set = format!("SET datafusion.execution.target_partitions = {partitions}");
        rows(&session, &set).await;
        for (sql, first) in UNIONS.into_iter().zip(["NULL|NULL", "1|1"]) {
            let answer = try_rows(&session, sql).await.expect(sql);
            assert_eq!((answer.len(), answer[0].as_str()), (8, first), "{sql}");
        }
    }
}

/// Fails as soon as DataFusion keeps track of it: then the rule can go.
#[tokio::test]
async fn canary() {
    let session = plain();
    for sql in SETUP {
        rows(&session, sql).await;
    }
    rows(&session, "SET datafusion.execution.target_partitions = 1").await;
    let mut refused = Vec::new();
    for sql in UNIONS {
        refused.extend(try_rows(&session, sql).await.err());
    }
    let lost = refused
        .iter()
        .filter(|error| error.contains("does not satisfy order requirements"));
    assert!(lost.count() > 0, "{refused:?}");
}
