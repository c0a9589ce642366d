//! Arms that are optimized away, beside what DataFusion makes of them.

use datafusion::prelude::SessionContext;

use crate::session::testing::{mended, plain, rows, try_rows};

async fn filled(session: SessionContext) -> SessionContext {
    let made = session.sql("CREATE TABLE t AS VALUES (1), (2)").await;
    made.unwrap().collect().await.unwrap();
    session
}

const DISTINCT: &str =
    "SELECT column1 AS x FROM t WHERE 1 = 2 UNION SELECT DISTINCT column1 AS y FROM t";
const ALL: &str = "SELECT column1 AS x FROM t WHERE 1 = 2 UNION ALL SELECT column1 + 1 AS y FROM t";

#[tokio::test]
async fn the_first_arm_names_the_columns_though_it_has_no_rows() {
    let session = filled(mended()).await;
    assert_eq!(rows(&session, DISTINCT).await, ["1", "2"]);
    let frame = session.sql(ALL).await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    assert_eq!(plan.schema().field(0).name(), "x");
    assert_eq!(
        rows(&session, &format!("SELECT x FROM ({ALL}) u")).await,
        ["2", "3"]
    );
}

/// Fails as soon as DataFusion keeps the names: then the rule can go.
#[tokio::test]
async fn canary() {
    let session = filled(plain()).await;
    let error = try_rows(&session, DISTINCT).await.unwrap_err();
    assert!(error.contains('x'), "{error}");
}
