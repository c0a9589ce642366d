//! Statements that are planned once, for many runs, and these runs.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::execution::session_state::SessionState;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};

use super::context::Context;
use super::outcome::{self, Gives, Outcome, Wanted};
use super::physical::Stage;
use super::planned::{Planned, task};
use super::planning_thread::{Effort, apart};
use super::{batch_size, named};
use crate::error::Result;
use crate::plan::bind::written_values;
use crate::scan::Opened;
use crate::sql::written::Written;

impl Context {
    /// Plans a statement with open parameters, to be run many times.
    pub(crate) async fn plan_once(&self, parsed: &Written) -> Result<Planned> {
        let version = self.catalogs().version();
        let session = self.sessions.kept(self.session());
        let parameters = written_values::count_of(parsed);
        let by_values = |session| {
            let gives = Gives::of_statement(&parsed.sql);
            Planned::by_values(version, session, gives, parameters)
        };
        let (state, plan) = match self.planned(parsed).await {
            Ok(planned) => planned,
            Err(error) if parameters > 0 && written_values::may_mend(&error) => {
                return Ok(by_values(session));
            }
            Err(error) => return Err(error),
        };
        self.sessions.spare(self.session(), state);
        if written_values::are_typed_by_others(parsed) {
            return Ok(by_values(session));
        }
        let plan = named::inside(plan);
        let effort = Effort::of_plan(&plan);
        let planned = async move { Planned::new(version, session, plan, parameters) };
        apart(effort, planned).await
    }

    /// Whether it is the plan for the tables and the settings that there are now.
    pub(crate) fn is_current(&self, planned: &Planned) -> bool {
        planned.is_current(self.catalogs(), self.session())
    }

    /// The rows of such a statement for parameters that are bound, if they need no plan.
    pub(crate) fn direct(
        &self,
        planned: &Planned,
        params: &[ScalarValue],
    ) -> Result<Option<Opened>> {
        let counters = self.meter.as_ref().map(|meter| meter.counters());
        planned.direct(self.catalogs(), self.session(), params, counters)
    }

    /// Runs such a statement with parameters that are bound, from its plan; `None` where the tables or the settings are
    /// others by now.
    pub(crate) async fn run_again(
        &self,
        planned: &Planned,
        parsed: &Written,
        params: &[ScalarValue],
        wanted: Wanted,
    ) -> Result<Option<Outcome>> {
        if let Some(outcome) = self.run_optimized(planned, params).await? {
            return Ok(Some(outcome));
        }
        if let Some(outcome) = self.change_directly(planned, params).await? {
            let outcome = match planned.gives {
                Gives::Changed(verb) => outcome::wanted_of(verb, outcome, wanted).await?,
                _ => outcome,
            };
            return Ok(Some(outcome));
        }
        let state = self.statement_state()?;
        // The snapshot is one of the tables of the plan.
        if !self.is_current(planned) {
            return Ok(None);
        }
        match planned.with_values(params)? {
            Some(plan) => self.run_while_current(state, plan, wanted).await,
            None => self.run_written(parsed, params, wanted).await.map(Some),
        }
    }

    /// Runs a statement that is planned for the values of its parameters.
    ///
    /// # Errors
    /// What is wrong with the statement for these values.
    pub(crate) async fn run_written(
        &self,
        parsed: &Written,
        params: &[ScalarValue],
        wanted: Wanted,
    ) -> Result<Outcome> {
        let parsed = written_values::with_values(parsed, params)?;
        self.run_planned(&parsed, wanted).await
    }

    /// The same from its optimized plan; `None` where there is none for these parameters, too.
    pub(crate) async fn run_optimized(
        &self,
        planned: &Planned,
        params: &[ScalarValue],
    ) -> Result<Option<Outcome>> {
        if let Some(session) = planned.session()
            && let Some(physical) = planned.kept(params)?
        {
            if let Some(meter) = &self.meter {
                meter.watch(&physical);
            }
            return self.run_physical(planned, session, physical);
        }
        let Some(plan) = planned.optimized(params)? else {
            return Ok(None);
        };
        if let Some(session) = planned.session()
            && batch_size::is_fitting(&plan)?
        {
            let session = Arc::clone(session);
            let (session, physical) = self.runnable_of(session, plan, Stage::Optimized).await?;
            planned.keep(&physical, params)?;
            return self.run_physical(planned, &session, physical);
        }
        let mut state = self.statement_state()?;
        if !self.is_current(planned) {
            return Ok(None);
        }
        batch_size::fit(&mut state, &plan)?;
        let (state, physical) = self.runnable_of(state, plan, Stage::Optimized).await?;
        let rows = execute_stream(physical, state.task_ctx())?;
        Ok(Some(Outcome::Rows(rows)))
    }

    /// Runs such a plan; `None` where the tables or the settings are others by now.
    fn run_physical(
        &self,
        planned: &Planned,
        session: &SessionState,
        physical: Arc<dyn ExecutionPlan>,
    ) -> Result<Option<Outcome>> {
        let mut config = session.config().clone();
        self.begin_statement(&mut config)?;
        // The snapshot is one of the tables of the plan.
        if !self.is_current(planned) {
            return Ok(None);
        }
        let rows = execute_stream(physical, task(session, config))?;
        Ok(Some(Outcome::Rows(rows)))
    }
}
