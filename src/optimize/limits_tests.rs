//! Totals over a page, with the wrapper and without it.

use std::any::Any;
use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::ensure_requirements::EnsureRequirements;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::WithLimitsApart;
use crate::optimize::install;
use crate::session::Database;
use crate::session::testing::rows;

const TOTAL: &str = "SELECT f, count(*) OVER () AS total, count(*) OVER (PARTITION BY f) AS n FROM t ORDER BY f LIMIT 1";

async fn session(is_wrapped: bool) -> SessionContext {
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
    let mut builder = install(builder);
    let physical = builder.physical_optimizers().as_mut().unwrap();
    let is_wrapper = |rule: &Arc<dyn PhysicalOptimizerRule + Send + Sync>| {
        (rule.as_ref() as &dyn Any).is::<WithLimitsApart>()
    };
    let wrapper = physical
        .rules
        .iter_mut()
        .find(|rule| is_wrapper(rule))
        .unwrap();
    if !is_wrapped {
        *wrapper = Arc::new(EnsureRequirements::new());
    }
    let session = SessionContext::new_with_state(builder.build());
    let provider = database.table_provider("t").unwrap();
    session.register_table("t", provider).unwrap();
    session
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
        let frame = session.sql(sql).await.unwrap();
        let plan = frame.create_physical_plan().await.unwrap();
        let shown = displayable(plan.as_ref()).indent(false).to_string();
        assert!(shown.contains("TopK(fetch="), "{sql}\n{shown}");
    }
}

/// The rows of what is left of a union are dealt out between the sort and its limit.
#[tokio::test]
async fn a_limit_is_of_all_partitions() {
    let sql = "SELECT a.f AS x, b.y FROM t a CROSS JOIN (SELECT CAST(f AS DOUBLE) AS y FROM t WHERE FALSE) b
               UNION ALL SELECT id AS x, f AS y FROM t ORDER BY x LIMIT 1";
    assert_eq!(rows(&session(true).await, sql).await, ["1|1.0"]);
}

/// Fails as soon as DataFusion leaves such limits where they are: then the wrapper can go.
#[tokio::test]
async fn canary() {
    assert_eq!(rows(&session(false).await, TOTAL).await, ["1|1|1"]);
}
