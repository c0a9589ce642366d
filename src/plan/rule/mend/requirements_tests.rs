//! Totals over a page and limits, with the rule and with DataFusion's.

use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::fault::{self, Fault};
use crate::plan::rule::install;
use crate::session::Database;
use crate::session::testing::{rows, try_rows};

const TOTAL: &str = "SELECT f, count(*) OVER () AS total, count(*) OVER (PARTITION BY f) AS n FROM t ORDER BY f LIMIT 1";

async fn session(is_mended: bool) -> SessionContext {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    for sql in [
        "CREATE TABLE t (id INT, f INT, PRIMARY KEY (id))",
        "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
    ] {
        connection.execute(sql, Vec::new()).await.unwrap();
    }
    let config = SessionConfig::new().with_target_partitions(4);
    let builder = SessionStateBuilder::new_with_default_features().with_config(config);
    let mut builder = if is_mended {
        install(builder)
    } else {
        fault::with(Fault::MendLeftOut("requirements"), || install(builder))
    };
    // Rows are dealt out, few as they are.
    if let Some(config) = builder.config() {
        let execution = &mut config.options_mut().execution;
        execution.use_row_number_estimates_to_optimize_partitioning = false;
    }
    let session = SessionContext::new_with_state(builder.build());
    let provider = database.table_provider("t").unwrap();
    session.register_table("t", provider).unwrap();
    session
}

/// The plan of a query, a line for each operator.
async fn shown(session: &SessionContext, sql: &str) -> String {
    let frame = session.sql(sql).await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    displayable(plan.as_ref()).indent(false).to_string()
}

#[tokio::test]
async fn a_total_is_of_all_rows() {
    assert_eq!(rows(&session(true).await, TOTAL).await, ["1|3|1"]);
}

/// A sort that is needed has its limit again.
#[tokio::test]
async fn a_sort_that_is_left_takes_the_first_rows_alone() {
    let session = session(true).await;
    for sql in [
        "SELECT * FROM t ORDER BY f LIMIT 2",
        "SELECT f + 1 AS g FROM t ORDER BY f DESC LIMIT 2",
        "SELECT f, count(*) FROM t GROUP BY f ORDER BY count(*) LIMIT 2",
        "SELECT * FROM t ORDER BY f LIMIT 2 OFFSET 1",
    ] {
        let plan = shown(&session, sql).await;
        assert!(plan.contains("TopK(fetch="), "{sql}\n{plan}");
    }
}

/// The rows of what is left of a union are dealt out between the sort and its limit.
#[tokio::test]
async fn a_limit_is_of_all_partitions() {
    let sql = "SELECT a.f AS x, b.y FROM t a CROSS JOIN (SELECT CAST(f AS DOUBLE) AS y FROM t WHERE FALSE) b
               UNION ALL SELECT id AS x, f AS y FROM t ORDER BY x LIMIT 1";
    assert_eq!(rows(&session(true).await, sql).await, ["1|1.0"]);
}

/// A few of the groups, which come in the order of a window.
const ANY_GROUPS: &str =
    "SELECT DISTINCT f, row_number() OVER (PARTITION BY f ORDER BY id) AS n FROM t LIMIT 2";

#[tokio::test]
async fn any_groups_may_come_in_an_order() {
    assert_eq!(rows(&session(true).await, ANY_GROUPS).await.len(), 2);
}

/// The first rows of a union whose arms say where they are from, the first arm being the last in the order.
const TAGGED: &str = "SELECT 'b' AS tag, id FROM t UNION ALL SELECT 'a' AS tag, id + 5 AS id FROM t ORDER BY tag, id LIMIT 1";

#[tokio::test]
async fn the_first_rows_are_of_the_first_tag() {
    let session = session(true).await;
    for (sql, expected) in [
        (TAGGED, "a|6"),
        (
            "SELECT 1 AS tag, id FROM t UNION ALL SELECT 2 AS tag, id + 5 AS id FROM t ORDER BY tag DESC, id LIMIT 1",
            "2|6",
        ),
        (
            "SELECT min(id) + 8 AS x, 1 AS y FROM t UNION ALL SELECT 7 AS x, id + 1 AS y FROM t ORDER BY x, y LIMIT 1",
            "7|2",
        ),
        (
            "SELECT id, 'b' AS tag, f FROM t UNION ALL SELECT 1 AS id, 'a' AS tag, f + 5 AS f FROM t ORDER BY id, tag, f LIMIT 1",
            "1|a|6",
        ),
        (
            "SELECT tag, id + 1 FROM (SELECT 'b' AS tag, id FROM t UNION ALL SELECT 'a' AS tag, id + 5 AS id FROM t) u ORDER BY tag, id LIMIT 1 OFFSET 1",
            "a|8",
        ),
    ] {
        assert_eq!(rows(&session, sql).await, [expected], "{sql}");
    }
}

/// Fails as soon as DataFusion leaves such limits where they are: then DataFusion's rule can come back. Which of the sorts
/// of [`TAGGED`] ends the other is a matter of time; that they go by fewer keys than their merge is not.
#[tokio::test]
async fn canary() {
    let plain = session(false).await;
    assert_eq!(rows(&plain, TOTAL).await, ["1|1|1"]);
    let plan = shown(&plain, TAGGED).await;
    assert!(
        plan.contains("SortPreservingMergeExec: [tag@0 ASC NULLS LAST, id@1 ASC NULLS LAST]"),
        "{plan}"
    );
    assert!(
        plan.contains("SortExec: TopK(fetch=1), expr=[id@1 ASC NULLS LAST]"),
        "{plan}"
    );
    let error = try_rows(&plain, ANY_GROUPS).await.unwrap_err();
    assert!(error.contains("Ordering direction required"), "{error}");
}
