//! Statements that are planned once, for many runs: prepared ones, those with a name, and texts that come again.
//!
//! For the values of a run the first of these ways is gone that they leave open:
//!
//! | way | which statements | what is done for each run |
//! |---|---|---|
//! | [`Context::direct`] | a query that reads a few keys or a short range of one table | it is read, on the thread that asks |
//! | [`Context::change_directly`] | a change of the row under one key | it is made, on the thread that asks |
//! | [`Planned::kept`] | a query of one table, run before | the scan of the kept physical plan is made |
//! | [`Planned::optimized`] | a query whose values mean nothing to the optimizer | the physical plan is made |
//! | [`Planned::with_values`] | any other whose types are known before its values | it is optimized |
//! | [`Context::run_written`] | any | it is planned, with its values in its text |

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::execution::session_state::SessionState;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};

use super::context::Context;
use super::outcome::{self, Gives, Outcome, Wanted};
use super::physical::Stage;
use super::planned::{Planned, Repeated, task};
use super::planning_thread::{Effort, apart};
use super::{batch_size, named};
use crate::error::Result;
use crate::plan::bind::parameters::constants;
use crate::scan::Opened;
use crate::sql::stack::{Depth, stack_for};
use crate::sql::written::Written;

impl Repeated {
    /// Plans a statement, on a stack that is deep enough for it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) async fn plan(context: &Context, parsed: Written, depth: Depth) -> Result<Self> {
        let planned = context.plan_once(&parsed).await?;
        Ok(Self::new(parsed, depth, planned))
    }

    /// What was planned, if it is for the tables and settings that there are.
    pub(crate) fn current(&self, context: &Context) -> Option<Arc<Planned>> {
        let planned = self.newest();
        context.is_current(&planned).then_some(planned)
    }

    /// The plan for the tables and settings that there are, made again where it was for others.
    ///
    /// # Errors
    /// What is wrong with the statement by now.
    pub(crate) async fn renewed(&self, context: &Context) -> Result<Arc<Planned>> {
        if let Some(current) = self.current(context) {
            return Ok(current);
        }
        let planned = stack_for(self.depth, context.plan_once(&self.parsed)).await?;
        Ok(self.renew(planned))
    }

    /// Runs it with parameters that are bound, from a plan of it or, where that is outdated by now, a newer one.
    ///
    /// # Errors
    /// What the statement did wrong.
    pub(crate) async fn run(
        &self,
        context: &Context,
        mut planned: Arc<Planned>,
        params: &[ScalarValue],
        wanted: Wanted,
    ) -> Result<Outcome> {
        let run = async {
            loop {
                let run = context.run_again(&planned, &self.parsed, params, wanted);
                if let Some(outcome) = run.await? {
                    return Ok(outcome);
                }
                planned = self.renewed(context).await?;
            }
        };
        stack_for(self.depth, run).await
    }
}

impl Context {
    /// Plans a statement with open parameters, to be run many times.
    pub(crate) async fn plan_once(&self, parsed: &Written) -> Result<Planned> {
        let version = self.catalogs().version();
        let session = self.sessions.kept(self.session());
        let parameters = constants::count_of(parsed);
        let by_values = |session| {
            let gives = Gives::of_statement(&parsed.sql);
            Planned::by_values(version, session, gives, parameters)
        };
        let (state, plan) = match self.planned(parsed).await {
            Ok(planned) => planned,
            Err(error) if parameters > 0 && error.hangs_on_values() => {
                return Ok(by_values(session));
            }
            Err(error) => return Err(error),
        };
        self.sessions.spare(self.session(), state);
        if constants::are_typed_by_others(parsed) {
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
    async fn run_again(
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
        let parsed = constants::with_values(parsed, params)?;
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
