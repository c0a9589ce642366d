//! The physical plan of a statement.

use std::borrow::Borrow;
use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;

use super::context::Context;
use super::explain;
use super::outcome::refuse_hidden_changes;
use super::planning_thread::{Effort, apart};
use crate::error::Result;
use crate::plan::bind::names;
use crate::plan::change::ChangeNode;

/// How far a plan has come.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    /// It is as the statement was written.
    Written,
    /// The optimizer is done with it.
    Optimized,
    /// It is as the statement was written, and its scans are to be explained.
    Explained,
}

impl Context {
    /// The physical plan, and the session that it is for. What runs it asks for [`Context::runnable`].
    ///
    /// # Errors
    /// `NotSupported` for a change inside another statement, and what the optimizer finds wrong.
    pub(crate) async fn physical(
        &self,
        state: SessionState,
        plan: LogicalPlan,
        stage: Stage,
    ) -> Result<(SessionState, Arc<dyn ExecutionPlan>)> {
        let state = physical_session(state, &plan)?;
        let (state, physical, _) = self.physical_of(state, plan, stage).await?;
        Ok((state, physical))
    }

    /// The same from a plan at this stage, which is given back.
    pub(super) async fn physical_of<S: Borrow<SessionState> + Send + Sync + 'static>(
        &self,
        state: S,
        plan: LogicalPlan,
        stage: Stage,
    ) -> Result<(S, Arc<dyn ExecutionPlan>, LogicalPlan)> {
        let effort = Effort::of_plan(&plan);
        let (state, physical, plan) = apart(effort, async move {
            let session: &SessionState = state.borrow();
            let physical = match stage {
                Stage::Written => explain::physical_plan(session, &plan).await?,
                Stage::Explained => explain::plan_of_scans(session, &plan).await?,
                Stage::Optimized => {
                    let planner = session.query_planner();
                    planner.create_physical_plan(&plan, session).await?
                }
            };
            Ok((state, names::explained(physical)?, plan))
        })
        .await?;
        if let Some(meter) = &self.meter {
            meter.watch(&physical);
        }
        Ok((state, physical, plan))
    }
}

/// The session in which a plan is made physical.
///
/// # Errors
/// `NotSupported` for a change inside another statement.
pub(super) fn physical_session(
    mut state: SessionState,
    plan: &LogicalPlan,
) -> Result<SessionState> {
    refuse_hidden_changes(plan)?;
    if ChangeNode::is_ordered_in(plan)? {
        let optimizer = &mut state.config_mut().options_mut().optimizer;
        optimizer.enable_round_robin_repartition = false;
    }
    Ok(state)
}
