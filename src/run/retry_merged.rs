//! A statement whose joins do not fit into memory is planned once more, with joins of sorted sides.
//!
//! What a hash table will take is known when it is made. So a plan with joins that could be merged
//! ([`merge_joins`]) stands below a node that looks at how it begins: if the memory limit is reached before it has given
//! anything, it is dropped with all that it holds, and the statement is planned and run anew, at the same moment of the
//! store, with `halite.joins = 'merge'`. A plan that changes rows gives nothing before it has made its change, which is
//! made whole or not at all.
//!
//! What is merged goes in batches of a few rows: of each file that a sort has written some are in memory that nobody has
//! asked for.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result as PlanResult};
use datafusion::execution::session_state::SessionState;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
    execute_stream,
};
use datafusion::prelude::SessionConfig;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;

use super::context::Context;
use super::memory::is_exhausted;
use super::physical::{Stage, physical_session};
use crate::error::{Error, Result};
use crate::plan::rule::memory::merge_joins;
use crate::settings::{HaliteOptions, Joins};

impl Context {
    /// The physical plan of a statement that is to be run, and the session that it is for.
    pub(crate) async fn runnable(
        &self,
        state: SessionState,
        plan: LogicalPlan,
    ) -> Result<(SessionState, Arc<dyn ExecutionPlan>)> {
        let state = physical_session(state, &plan)?;
        self.runnable_of(state, plan, Stage::Written).await
    }

    /// The same from a plan at this stage.
    pub(crate) async fn runnable_of<S>(
        &self,
        state: S,
        plan: LogicalPlan,
        stage: Stage,
    ) -> Result<(S, Arc<dyn ExecutionPlan>)>
    where
        S: std::borrow::Borrow<SessionState> + Send + Sync + 'static,
    {
        let (state, physical, plan) = self.physical_of(state, plan, stage).await?;
        let joins = HaliteOptions::of(state.borrow().config_options()).joins;
        let again = joins == Joins::Auto && merge_joins::is_possible(&physical);
        if !again && !merge_joins::is_merged(&physical) {
            return Ok((state, physical));
        }
        let again = again.then(|| Again {
            context: self.clone(),
            session: state.borrow().clone(),
            plan,
            stage,
        });
        Ok((state, Arc::new(RetryWithMergeJoins::new(physical, again))))
    }
}

/// What a statement is planned from once more.
#[derive(Clone)]
struct Again {
    context: Context,
    session: SessionState,
    plan: LogicalPlan,
    stage: Stage,
}

impl Again {
    async fn physical(self) -> Result<Arc<dyn ExecutionPlan>> {
        let mut session = self.session;
        let rows = merged_rows(session.config());
        *session.config_mut() = session.config().clone().with_batch_size(rows);
        let options = session.config_mut().options_mut();
        let options = options.extensions.get_mut::<HaliteOptions>();
        let options = options.ok_or_else(|| Error::internal("a session without settings"))?;
        options.joins = Joins::Merge;
        let planned = self.context.physical_of(session, self.plan, self.stage);
        Ok(planned.await?.1)
    }
}

/// Most rows of a batch where sorted rows are merged.
const MERGED_ROWS: usize = 1024;

fn merged_rows(config: &SessionConfig) -> usize {
    config.batch_size().min(MERGED_ROWS)
}

/// What a plan with merges is executed in.
fn in_small_batches(context: &TaskContext) -> Arc<TaskContext> {
    let config = context.session_config();
    Arc::new(TaskContext::new(
        context.task_id(),
        context.session_id(),
        config.clone().with_batch_size(merged_rows(config)),
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        context.runtime_env(),
    ))
}

/// The rows of a plan, or of another one where the first takes too much memory. It has no inputs that others could hold.
struct RetryWithMergeJoins {
    first: Mutex<Option<Arc<dyn ExecutionPlan>>>,
    again: Option<Again>,
    properties: Arc<PlanProperties>,
}

impl RetryWithMergeJoins {
    fn new(first: Arc<dyn ExecutionPlan>, again: Option<Again>) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(first.schema()),
            Partitioning::UnknownPartitioning(1),
            first.pipeline_behavior(),
            first.boundedness(),
        );
        Self {
            first: Mutex::new(Some(first)),
            again,
            properties: Arc::new(properties),
        }
    }
}

/// The rows of `first`; if there is not enough memory before there is one, of what is planned instead.
async fn rows(
    first: Arc<dyn ExecutionPlan>,
    again: Option<Again>,
    context: Arc<TaskContext>,
) -> PlanResult<impl Stream<Item = PlanResult<arrow::array::RecordBatch>> + Send> {
    let begins_in = if merge_joins::is_merged(&first) {
        in_small_batches(&context)
    } else {
        Arc::clone(&context)
    };
    let mut rows = execute_stream(Arc::clone(&first), begins_in)?;
    let begun = rows.next().await;
    let is_over = matches!(&begun, Some(Err(error)) if is_exhausted(error));
    let Some(again) = again.filter(|_| is_over) else {
        return Ok(stream::iter(begun).chain(rows).left_stream());
    };
    drop(rows);
    if let Some(meter) = &again.context.meter {
        meter.let_go(&first);
    }
    // With the hash tables that are whole.
    drop(first);
    let merged = again.physical().await?;
    Ok(execute_stream(merged, in_small_batches(&context))?.right_stream())
}

impl fmt::Debug for RetryWithMergeJoins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.name()).finish_non_exhaustive()
    }
}

impl DisplayAs for RetryWithMergeJoins {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ExecutionPlan for RetryWithMergeJoins {
    fn name(&self) -> &'static str {
        "RetryWithMergeJoins"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> PlanResult<TreeNodeRecursion>,
    ) -> PlanResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    #[allow(deprecated)]
    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> PlanResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        _partition: usize,
        context: Arc<TaskContext>,
    ) -> PlanResult<SendableRecordBatchStream> {
        let first = self.first.lock().take();
        let first =
            first.ok_or_else(|| DataFusionError::from(Error::internal("a plan is run twice")))?;
        let rows = stream::once(rows(first, self.again.clone(), context)).try_flatten();
        let schema = self.schema();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

#[cfg(test)]
#[path = "retry_merged_tests.rs"]
mod tests;
