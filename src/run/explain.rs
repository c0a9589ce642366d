//! EXPLAIN without VERBOSE, in its usual form.
//!
//! DataFusion writes the plan down after each of its rules, some sixty times, and shows two of these texts. A plan may be
//! long, as one with a list of 100,000 values is. So the plan is made here as for a query that is run, and written down
//! where it is shown. What is wrong with the query is an error, as it is where the query is run.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::display::{PlanType, StringifiedPlan, ToStringifiedPlan};
use datafusion::common::format::ExplainFormat;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{Explain, LogicalPlan};
use datafusion::physical_plan::explain::ExplainExec;
use datafusion::physical_plan::{ExecutionPlan, displayable};

use crate::plan::bind::scanned::called_as_written;

/// The physical plan of a statement.
///
/// # Errors
/// What planning finds wrong.
pub(crate) async fn physical_plan(
    session: &SessionState,
    plan: &LogicalPlan,
) -> Result<Arc<dyn ExecutionPlan>> {
    match plan {
        LogicalPlan::Explain(explain) if is_usual(explain) => explained(session, explain).await,
        plan => session.create_physical_plan(plan).await,
    }
}

/// The physical plan of a query whose scans are explained.
///
/// # Errors
/// As [`physical_plan`].
pub(crate) async fn plan_of_scans(
    session: &SessionState,
    plan: &LogicalPlan,
) -> Result<Arc<dyn ExecutionPlan>> {
    let optimized = called_as_written(session.optimize(plan)?)?;
    let planner = session.query_planner();
    planner.create_physical_plan(&optimized, session).await
}

fn is_usual(explain: &Explain) -> bool {
    !explain.verbose && matches!(explain.explain_format, ExplainFormat::Indent)
}

async fn explained(session: &SessionState, explain: &Explain) -> Result<Arc<dyn ExecutionPlan>> {
    let shown = &session.config_options().explain;
    let optimized = session.optimize(&explain.plan)?;
    let mut texts = Vec::with_capacity(2);
    if !shown.physical_plan_only {
        texts.push(optimized.to_stringified(PlanType::FinalLogicalPlan));
    }
    if !shown.logical_plan_only {
        let planner = session.query_planner();
        let physical = planner.create_physical_plan(&optimized, session).await?;
        let text = displayable(physical.as_ref())
            .set_show_statistics(explain.show_statistics.unwrap_or(shown.show_statistics))
            .set_show_schema(shown.show_schema)
            .indent(false)
            .to_string();
        texts.push(StringifiedPlan::new(PlanType::FinalPhysicalPlan, text));
    }
    let schema = Arc::clone(explain.schema.inner());
    Ok(Arc::new(ExplainExec::new(schema, texts, false)))
}

#[cfg(test)]
mod tests {
    use crate::session::testing::rows_of;
    use crate::session::{Connection, Database};

    async fn connection() -> Connection {
        let connection = Database::in_memory().unwrap().connect();
        let sql = "CREATE TABLE t (a INT, PRIMARY KEY (a))";
        connection.execute(sql, ()).await.unwrap();
        connection
    }

    async fn refused(connection: &Connection, sql: &str) -> String {
        let given = connection.query(sql, ()).await;
        given.expect_err(sql).message().to_owned()
    }

    #[tokio::test]
    async fn what_is_wrong_with_the_query_is_an_error() {
        let connection = connection().await;
        let query = "SELECT CAST('x' AS INT) + a FROM t";
        let explained = refused(&connection, &format!("EXPLAIN {query}")).await;
        assert_eq!(explained, refused(&connection, query).await);
        assert!(explained.contains("'x'"), "{explained}");
    }

    #[tokio::test]
    async fn settings_say_which_plans_are_shown() {
        let connection = connection().await;
        let shown = async || {
            let rows = rows_of(&connection, "EXPLAIN SELECT a FROM t WHERE a = 1").await;
            let kinds = rows.iter().filter_map(|row| row.split('|').next());
            kinds.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(shown().await, ["logical_plan", "physical_plan"]);
        for (only, kind) in [
            ("logical_plan_only", "logical_plan"),
            ("physical_plan_only", "physical_plan"),
        ] {
            let set = |value| format!("SET datafusion.explain.{only} = {value}");
            connection.execute(&set(true), ()).await.unwrap();
            assert_eq!(shown().await, [kind]);
            connection.execute(&set(false), ()).await.unwrap();
        }
    }
}
