//! Runs of statements that DataFusion plans.

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{LogicalPlan, Statement as PlannedStatement};
use datafusion::physical_plan::execute_stream;

use super::batch_size;
use super::context::Context;
use super::describe::describe;
use super::outcome::{self, Outcome, Wanted, count};
use super::planned::task;
use crate::error::{Error, Result};
use crate::plan::bind::scanned::reads_own_tables;
use crate::plan::change::{ChangeNode, gives_rows};
use crate::sql::written::Written;
use crate::write::is_outdated;

impl Context {
    /// A statement that DataFusion plans.
    pub(crate) async fn run_planned(&self, parsed: &Written, wanted: Wanted) -> Result<Outcome> {
        loop {
            let (state, plan) = self.planned(parsed).await?;
            if let Some(outcome) = self.run_while_current(state, plan, wanted).await? {
                return Ok(outcome);
            }
        }
    }

    /// As [`Context::run_wanted`]; `None` where nothing was changed, for the table was altered after it was planned, and
    /// it may be planned again. What a table of the program gave once it need not give again.
    pub(super) async fn run_while_current(
        &self,
        state: SessionState,
        plan: LogicalPlan,
        wanted: Wanted,
    ) -> Result<Option<Outcome>> {
        let may_run_twice = reads_own_tables(&plan);
        match self.run_wanted(state, plan, wanted).await {
            Err(error) if may_run_twice && is_outdated(&error) => Ok(None),
            given => given.map(Some),
        }
    }

    pub(crate) async fn run_wanted(
        &self,
        state: SessionState,
        plan: LogicalPlan,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let mut state = state;
        batch_size::fit(&mut state, &plan)?;
        // What EXECUTE gives is known once it is resolved.
        let executes = matches!(plan, LogicalPlan::Statement(PlannedStatement::Execute(_)));
        wanted.check(executes || gives_rows(&plan))?;
        if let Some((verb, gives_rows)) =
            ChangeNode::of(&plan).map(|it| (it.verb(), it.gives_rows()))
        {
            let (state, physical) = self.runnable(state, plan).await?;
            let changed = outcome::of_change(&state, physical, verb, gives_rows).await?;
            return outcome::wanted_of(verb, changed, wanted).await;
        }
        match plan {
            LogicalPlan::Statement(PlannedStatement::Execute(execute)) => {
                Box::pin(self.execute_named(&state, execute, wanted)).await
            }
            LogicalPlan::Statement(PlannedStatement::Deallocate(deallocate)) => {
                self.deallocate(&deallocate.name)
            }
            LogicalPlan::Statement(planned) => self.run_setting(planned).await,
            LogicalPlan::Ddl(ddl) => Err(Error::unsupported(format!(
                "{} is not implemented",
                ddl.name()
            ))),
            LogicalPlan::Dml(insert) => {
                let (state, physical) = self.runnable(state, LogicalPlan::Dml(insert)).await?;
                let rows = count(&state, physical).await?;
                let verb = "INSERT";
                Ok(Outcome::Affected { verb, rows })
            }
            LogicalPlan::DescribeTable(described) => describe(&described.schema),
            plan => {
                let is_own = reads_own_tables(&plan);
                let (state, physical) = self.runnable(state, plan).await?;
                let context = if is_own {
                    task(&state, state.config().clone())
                } else {
                    state.task_ctx()
                };
                self.sessions.spare(self.session(), state);
                Ok(Outcome::Rows(execute_stream(physical, context)?))
            }
        }
    }
}
