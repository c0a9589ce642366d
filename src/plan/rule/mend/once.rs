//! A query of WITH that several places read, and that gives something else each time, is computed once.
//!
//! DataFusion plans such a query anew for each place: `WITH x AS (SELECT random() AS r) SELECT a.r = b.r FROM x a, x b` is
//! false. Where what is planned twice is volatile, a [`OnceNode`] goes above each copy, and all of these share what the
//! first of them to run gives. Everything else stays as it is: conditions reach the tables below a copy, and of a query
//! that gives the same each time nobody sees how often it runs.
//!
//! What is shared is shared by one run of the statement, of which the context tells.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use arrow::array::RecordBatch;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DFSchemaRef, DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, SubqueryAlias, UserDefinedLogicalNode, UserDefinedLogicalNodeCore,
};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties, execute_stream,
};
use futures::{StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::error::Error;
use crate::operator::one_input;

/// The queries of WITH that a statement reads more than once, by their names.
#[derive(Debug, Default)]
pub struct ReadTwice {
    /// Those whose names are theirs alone.
    pub lone: BTreeSet<String>,
    /// The names of several queries each: which of these was read nobody can tell from a plan.
    pub several: BTreeSet<String>,
}

/// The plan with what the volatile ones of these queries give shared by all that read them.
///
/// # Errors
/// `NotSupported` where it is not known which query is read twice.
pub fn shared(plan: LogicalPlan, names: &ReadTwice) -> Result<LogicalPlan> {
    if let Some((query, _)) = volatile_copies(&plan, &names.several)?.first() {
        return Err(Error::unsupported(format!(
            "several queries of WITH are called `{query}`, and one that is read twice gives something else each time: \
             give them different names"
        ))
        .into());
    }
    let names = &names.lone;
    let copies = volatile_copies(&plan, names)?;
    if copies.is_empty() {
        return Ok(plan);
    }
    let shared: Vec<(Arc<LogicalPlan>, Arc<Shared>)> = copies
        .into_iter()
        .map(|(_, query)| (query, Arc::default()))
        .collect();
    let above = |node: LogicalPlan| {
        let found = query_of(&node, names);
        let found = found.and_then(|query| shared.iter().find(|(known, _)| known == query));
        let (LogicalPlan::SubqueryAlias(named), Some((_, shared))) = (&node, found) else {
            return Ok(Transformed::no(node));
        };
        let once = OnceNode {
            name: named.alias.table().to_owned(),
            input: named.input.as_ref().clone(),
            shared: Arc::clone(shared),
        };
        let once = LogicalPlan::Extension(Extension {
            node: Arc::new(once),
        });
        let named = SubqueryAlias::try_new(Arc::new(once), named.alias.clone())?;
        Ok(Transformed::yes(LogicalPlan::SubqueryAlias(named)))
    };
    Ok(plan.transform_down_with_subqueries(above)?.data)
}

/// The volatile ones of these queries that stand more than once in a plan, with their names.
fn volatile_copies(
    plan: &LogicalPlan,
    names: &BTreeSet<String>,
) -> Result<Vec<(String, Arc<LogicalPlan>)>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut volatile: Vec<(String, Arc<LogicalPlan>, usize)> = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::SubqueryAlias(named) = node
            && let Some(query) = query_of(node, names)
            && is_volatile(query)?
        {
            match volatile.iter_mut().find(|(_, known, _)| known == query) {
                Some((.., times)) => *times += 1,
                None => {
                    let name = named.alias.table().to_owned();
                    volatile.push((name, Arc::clone(query), 1));
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let copied = volatile.into_iter().filter(|(.., times)| *times > 1);
    Ok(copied.map(|(name, query, _)| (name, query)).collect())
}

/// The query of WITH that a node is, if it is one of these.
fn query_of<'p>(node: &'p LogicalPlan, names: &BTreeSet<String>) -> Option<&'p Arc<LogicalPlan>> {
    match node {
        LogicalPlan::SubqueryAlias(named) if names.contains(named.alias.table()) => {
            Some(&named.input)
        }
        _ => None,
    }
}

/// Whether a plan may give something else each time.
pub fn is_volatile(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            found = found || expr.is_volatile();
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(if found {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    Ok(found)
}

/// What is above each copy.
#[derive(Debug, Clone)]
pub struct OnceNode {
    name: String,
    input: LogicalPlan,
    shared: Arc<Shared>,
}

impl OnceNode {
    /// The operator of a node, if it is one of these.
    pub fn physical(
        node: &dyn UserDefinedLogicalNode,
        input: &Arc<dyn ExecutionPlan>,
    ) -> Option<Arc<dyn ExecutionPlan>> {
        let node = node.as_any().downcast_ref::<Self>()?;
        let once = OnceExec::new(
            node.name.clone(),
            Arc::clone(input),
            Arc::clone(&node.shared),
        );
        Some(Arc::new(once))
    }
}

impl PartialEq for OnceNode {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) && self.input == other.input
    }
}

impl Eq for OnceNode {}

impl Hash for OnceNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.input.hash(state);
    }
}

impl PartialOrd for OnceNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for OnceNode {
    fn name(&self) -> &str {
        "Once"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        self.input.schema()
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Once: {}", self.name)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        let [input] = <[LogicalPlan; 1]>::try_from(inputs)
            .map_err(|inputs| Error::internal(format!("{} inputs of one query", inputs.len())))?;
        Ok(Self {
            input,
            ..self.clone()
        })
    }
}

/// What the copies of one query share.
#[derive(Debug, Default)]
struct Shared(Mutex<Vec<Run>>);

/// What a run of the statement has given.
#[derive(Debug)]
struct Run {
    context: Weak<TaskContext>,
    rows: Arc<OnceCell<Rows>>,
}

/// Rows, and the memory that they take.
#[derive(Debug)]
struct Rows {
    batches: Vec<RecordBatch>,
    _memory: MemoryReservation,
}

impl Shared {
    /// The rows of the run that has this context.
    fn of_run(&self, context: &Arc<TaskContext>) -> Arc<OnceCell<Rows>> {
        let mut runs = self.0.lock();
        runs.retain(|run| run.context.strong_count() > 0);
        let is_of_run = |run: &&Run| std::ptr::eq(run.context.as_ptr(), Arc::as_ptr(context));
        if let Some(run) = runs.iter().find(is_of_run) {
            return Arc::clone(&run.rows);
        }
        let rows = Arc::new(OnceCell::new());
        runs.push(Run {
            context: Arc::downgrade(context),
            rows: Arc::clone(&rows),
        });
        rows
    }
}

/// The operator.
#[derive(Debug)]
struct OnceExec {
    name: String,
    input: Arc<dyn ExecutionPlan>,
    shared: Arc<Shared>,
    properties: Arc<PlanProperties>,
}

impl OnceExec {
    fn new(name: String, input: Arc<dyn ExecutionPlan>, shared: Arc<Shared>) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Self {
            name,
            input,
            shared,
            properties: Arc::new(properties),
        }
    }
}

async fn rows_of(
    name: String,
    input: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
) -> Result<Rows> {
    let consumer = MemoryConsumer::new(format!("the query `{name}` of WITH, which is read twice,"));
    let memory = consumer.register(context.memory_pool());
    let mut given = execute_stream(input, context)?;
    let mut batches = Vec::new();
    while let Some(batch) = given.next().await {
        let batch = batch?;
        memory.try_grow(batch.get_array_memory_size())?;
        batches.push(batch);
    }
    Ok(Rows {
        batches,
        _memory: memory,
    })
}

impl DisplayAs for OnceExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OnceExec: {}", self.name)
    }
}

impl ExecutionPlan for OnceExec {
    fn name(&self) -> &'static str {
        "OnceExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(input, |node, input| Ok(Arc::new(Self::new(
        node.name.clone(),
        input,
        Arc::clone(&node.shared)
    ))));

    fn execute(
        &self,
        _partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.shared.of_run(&context);
        let (name, input) = (self.name.clone(), Arc::clone(&self.input));
        let given = async move {
            rows.get_or_try_init(|| rows_of(name, input, context))
                .await?;
            let mut next = 0..;
            let batches =
                std::iter::from_fn(move || rows.get()?.batches.get(next.next()?).cloned().map(Ok));
            Ok::<_, DataFusionError>(stream::iter(batches))
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.input.schema(),
            stream::once(given).try_flatten(),
        )))
    }
}

#[cfg(test)]
#[path = "once_tests.rs"]
mod tests;
