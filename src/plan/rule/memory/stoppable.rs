//! Statements that can be ended, whatever their operators compute.
//!
//! Whoever does not wait for a statement any more drops its stream, and tells its [`Stop`]. That is heard where a task
//! gives control back; but DataFusion's operators compute for long in between: a join without equality goes through all
//! pairs of a batch and all rows of the other side before it has a batch to give, and what is above a cross join takes
//! batch after batch of it without a break. So
//!
//! * what reads, what computes and what makes many rows of a few asks before each batch, and the last of these gives
//!   control back from time to time;
//! * conditions of joins ask before each batch of pairs, and expressions over texts and lists are computed a few rows at a
//!   time where they are slow ([`Piecewise`]), and ask in between.
//!
//! The nodes that do so are as the ones inside of them to whoever looks at a plan.

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, Statistics};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, LikeExpr};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::make_cooperative;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, HashJoinExecBuilder, NestedLoopJoinExec,
    NestedLoopJoinExecBuilder, SortMergeJoinExec,
};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildStats, DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements,
    PlanProperties, StatisticsArgs,
};
use futures::{Stream, StreamExt};

use super::pieces::{Piecewise, piece};
use crate::function::{Stop, most_bytes, while_running};
use crate::plan::rule::rewriting::PlanRule;

/// The rule. It stands behind all others: no rule sees what it puts in.
pub(crate) const ASK_WHETHER_WANTED: PlanRule = PlanRule {
    name: "stoppable",
    rewrite: |plan, config| {
        let most_bytes = most_bytes(config);
        plan.transform_up(|plan| asking(plan, most_bytes)).data()
    },
};

type Plan = Arc<dyn ExecutionPlan>;

fn asking(plan: Plan, most_bytes: u64) -> Result<Transformed<Plan>> {
    let gives_way = makes_many_rows(&plan);
    if !gives_way && !plan.children().is_empty() && !computes(&plan) {
        return Ok(Transformed::no(plan));
    }
    let properties = Arc::clone(plan.properties());
    let pieces = Pieces { most_bytes };
    Ok(Transformed::yes(Arc::new(StoppableExec {
        inner: of_short_lists(pieces.of_node(plan)?)?,
        properties,
        gives_way,
        cuts_lists: false,
    })))
}

/// Whether a node computes, or hands on what others have computed ahead of it.
fn computes(plan: &Plan) -> bool {
    plan.is::<ProjectionExec>()
        || plan.is::<FilterExec>()
        || plan.is::<AggregateExec>()
        || plan.is::<SortExec>()
        || plan.is::<WindowAggExec>()
        || plan.is::<BoundedWindowAggExec>()
        || plan.is::<RepartitionExec>()
        || plan.is::<CoalescePartitionsExec>()
        || plan.is::<SortPreservingMergeExec>()
}

/// Whether a node may make many batches of one.
fn makes_many_rows(plan: &Plan) -> bool {
    plan.is::<NestedLoopJoinExec>()
        || plan.is::<CrossJoinExec>()
        || plan.is::<HashJoinExec>()
        || plan.is::<SortMergeJoinExec>()
        || plan.is::<UnnestExec>()
}

/// A node that unnests lists takes a few rows at a time where their lists are long.
fn of_short_lists(plan: Plan) -> Result<Plan> {
    if !plan.is::<UnnestExec>() {
        return Ok(plan);
    }
    let inputs = plan.children().into_iter().map(|input| {
        let input: Plan = Arc::new(StoppableExec {
            inner: Arc::clone(input),
            properties: Arc::clone(input.properties()),
            gives_way: false,
            cuts_lists: true,
        });
        input
    });
    let inputs = inputs.collect();
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    plan.replace_children(inputs, options)
}

/// Puts what nodes compute in pieces.
struct Pieces {
    /// What the values of a batch may take.
    most_bytes: u64,
}

impl Pieces {
    fn of_node(&self, plan: Plan) -> Result<Plan> {
        if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>()
            && let Some(filter) = join.filter()
        {
            let filter = Some(self.of_join(filter));
            let join = NestedLoopJoinExecBuilder::from(join).with_filter(filter);
            return Ok(Arc::new(join.build()?));
        }
        if let Some(join) = plan.downcast_ref::<HashJoinExec>()
            && let Some(filter) = join.filter()
        {
            let filter = Some(self.of_join(filter));
            return HashJoinExecBuilder::from(join)
                .with_filter(filter)
                .build_exec();
        }
        if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>()
            && let Some(filter) = join.filter()
        {
            return Ok(Arc::new(SortMergeJoinExec::try_new(
                Arc::clone(join.left()),
                Arc::clone(join.right()),
                join.on().to_vec(),
                Some(self.of_join(filter)),
                join.join_type(),
                join.sort_options().to_vec(),
                join.null_equality(),
            )?));
        }
        if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
            return self.of_projection(projection, &plan);
        }
        if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
            return self.of_aggregate(aggregate, &plan);
        }
        match plan.downcast_ref::<FilterExec>() {
            Some(filter) => self.of_filter(filter, &plan),
            None => Ok(plan),
        }
    }

    fn of_join(&self, filter: &JoinFilter) -> JoinFilter {
        let condition = Arc::clone(filter.expression());
        let condition = Piecewise::over(condition, self.most_bytes);
        let columns = filter.column_indices().to_vec();
        JoinFilter::new(condition, columns, Arc::clone(filter.schema()))
    }

    fn of_projection(&self, projection: &ProjectionExec, plan: &Plan) -> Result<Plan> {
        let input = projection.input();
        let schema = input.schema();
        let mut is_any = false;
        let mut expressions = Vec::with_capacity(projection.expr().len());
        for ProjectionExpr { expr, alias } in projection.expr() {
            let expr = self.of_slow(expr, &schema)?;
            is_any |= expr.transformed;
            let (expr, alias) = (expr.data, alias.clone());
            expressions.push(ProjectionExpr { expr, alias });
        }
        if !is_any {
            return Ok(Arc::clone(plan));
        }
        let (input, schema) = (Arc::clone(input), plan.schema());
        let projected =
            ProjectionExec::try_new_with_schema_metadata(expressions, input, schema.as_ref())?;
        Ok(Arc::new(projected))
    }

    fn of_filter(&self, filter: &FilterExec, plan: &Plan) -> Result<Plan> {
        let condition = self.of_slow(filter.predicate(), &filter.input().schema())?;
        if !condition.transformed {
            return Ok(Arc::clone(plan));
        }
        let filter = FilterExecBuilder::from(filter).with_predicate(condition.data);
        Ok(Arc::new(filter.build()?))
    }

    /// What an aggregate takes of rows.
    fn of_aggregate(&self, aggregate: &AggregateExec, plan: &Plan) -> Result<Plan> {
        // What is told of its arguments again is no longer reversed.
        let is_reversed = aggregate.aggr_expr().iter().any(|it| it.is_reversed());
        if is_reversed || aggregate.mode().input_mode() != AggregateInputMode::Raw {
            return Ok(Arc::clone(plan));
        }
        let schema = aggregate.input().schema();
        let mut is_any = false;
        let mut expressions = Vec::with_capacity(aggregate.aggr_expr().len());
        for expression in aggregate.aggr_expr() {
            let mut arguments = expression.expressions();
            let mut is_slow = false;
            for argument in &mut arguments {
                let found = self.of_slow(argument, &schema)?;
                is_slow |= found.transformed;
                *argument = found.data;
            }
            let orders = expression.order_bys().iter();
            let orders = orders.map(|order| Arc::clone(&order.expr)).collect();
            let changed = if is_slow {
                expression.with_new_expressions(arguments, orders)
            } else {
                None
            };
            is_any |= changed.is_some();
            expressions.push(changed.map_or_else(|| Arc::clone(expression), Arc::new));
        }
        if is_any {
            Ok(Arc::new(aggregate.with_new_aggr_exprs(expressions)))
        } else {
            Ok(Arc::clone(plan))
        }
    }

    /// The expression with those of its parts in pieces that may take long for a row.
    fn of_slow(
        &self,
        expression: &Arc<dyn PhysicalExpr>,
        schema: &SchemaRef,
    ) -> Result<Transformed<Arc<dyn PhysicalExpr>>> {
        Arc::clone(expression).transform_down(|part| {
            Ok(if may_be_slow(&part, schema)? {
                let pieces = Piecewise::over(part, self.most_bytes);
                Transformed::new(pieces, true, TreeNodeRecursion::Jump)
            } else {
                Transformed::no(part)
            })
        })
    }
}

/// Whether it is computed of texts, or of lists and the like, which may be long, or makes such.
fn may_be_slow(expression: &Arc<dyn PhysicalExpr>, schema: &SchemaRef) -> Result<bool> {
    let is_pattern = expression.is::<LikeExpr>()
        || expression
            .downcast_ref::<BinaryExpr>()
            .is_some_and(|binary| is_regular_expression(binary.op()));
    let is_call = expression.is::<ScalarFunctionExpr>() && !expression.is_volatile_node();
    if !is_pattern && !is_call {
        return Ok(false);
    }
    let is_long = |part: &Arc<dyn PhysicalExpr>| Ok(may_be_long(&part.data_type(schema)?));
    if is_long(expression)? {
        return Ok(true);
    }
    let mut parts = expression.children().into_iter().map(is_long);
    parts.try_fold(false, |found, is_long: Result<bool>| Ok(found | is_long?))
}

fn is_regular_expression(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::RegexMatch
            | Operator::RegexIMatch
            | Operator::RegexNotMatch
            | Operator::RegexNotIMatch
    )
}

fn may_be_long(data_type: &DataType) -> bool {
    data_type.is_nested()
        || data_type.is_string()
        || data_type.is_binary()
        || matches!(data_type, DataType::Dictionary(..))
}

/// A node that asks before each batch whether its statement is wanted. To whoever looks at the plan it is the one inside.
#[derive(Debug)]
struct StoppableExec {
    inner: Plan,
    /// Those of the node as it was planned: what it computes in pieces does not look like what is above asks for.
    properties: Arc<PlanProperties>,
    /// Whether each batch counts as work after which others have their turn.
    gives_way: bool,
    /// Whether batches with long lists are handed on a few rows at a time.
    cuts_lists: bool,
}

impl StoppableExec {
    fn around(&self, inner: Plan) -> Plan {
        Arc::new(Self {
            inner,
            properties: Arc::clone(&self.properties),
            gives_way: self.gives_way,
            cuts_lists: self.cuts_lists,
        })
    }
}

impl DisplayAs for StoppableExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_as(format, f)
    }
}

impl ExecutionPlan for StoppableExec {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(self.inner.as_ref())
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn dynamic_expressions_produced(&self) -> Vec<Arc<dyn PhysicalExpr>> {
        self.inner.dynamic_expressions_produced()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.inner.input_distribution_requirements()
    }

    fn required_input_ordering(
        &self,
    ) -> Vec<Option<datafusion::physical_expr::OrderingRequirements>> {
        self.inner.required_input_ordering()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.inner.maintains_input_order()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        self.inner.benefits_from_input_partitioning()
    }

    fn children(&self) -> Vec<&Plan> {
        self.inner.children()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(visit)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Plan>,
        options: ReplaceChildrenOptions,
    ) -> Result<Plan> {
        let inner = Arc::clone(&self.inner).replace_children(children, options)?;
        Ok(self.around(inner))
    }

    #[allow(deprecated)]
    fn with_new_children(self: Arc<Self>, children: Vec<Plan>) -> Result<Plan> {
        let inner = Arc::clone(&self.inner).with_new_children(children)?;
        Ok(self.around(inner))
    }

    fn reset_state(self: Arc<Self>) -> Result<Plan> {
        let inner = Arc::clone(&self.inner).reset_state()?;
        Ok(self.around(inner))
    }

    fn with_new_state(&self, state: Arc<dyn Any + Send + Sync>) -> Option<Plan> {
        let inner = self.inner.with_new_state(state)?;
        Some(self.around(inner))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let stop = context.session_config().get_extension::<Stop>();
        let batches = self.inner.execute(partition, context)?;
        let Some(stop) = stop else {
            return Ok(batches);
        };
        let batches: SendableRecordBatchStream = if self.gives_way {
            make_cooperative(batches)
        } else {
            batches
        };
        Ok(Box::pin(Stoppable {
            batches,
            stop,
            has_failed: false,
            cuts_lists: self.cuts_lists,
            rest: None,
        }))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.inner.metrics()
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.inner.child_stats_requests(partition)
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.inner.statistics_from_inputs(inputs, args)
    }

    fn fetch(&self) -> Option<usize> {
        self.inner.fetch()
    }
}

/// Batches, until nobody wants them.
struct Stoppable {
    batches: SendableRecordBatchStream,
    stop: Arc<Stop>,
    has_failed: bool,
    cuts_lists: bool,
    /// What is left of a batch that was cut.
    rest: Option<RecordBatch>,
}

impl Stoppable {
    /// The rows of a batch, or its first ones, if their lists are long.
    fn cut(&mut self, batch: RecordBatch) -> Result<RecordBatch> {
        let (all, rows) = (batch.num_rows(), rows_with_elements(&batch, MOST_ELEMENTS));
        if rows < all {
            self.rest = Some(batch.slice(rows, all - rows));
        }
        piece(&batch, 0, rows.min(all))
    }
}

/// So many elements of lists are unnested at once.
const MOST_ELEMENTS: usize = 64 << 10;

/// How many rows, from the first on and one at least, have no more elements than this in any of their lists.
fn rows_with_elements(batch: &RecordBatch, most: usize) -> usize {
    let lengths = batch.columns().iter().filter_map(|column| {
        let is_list = matches!(column.data_type(), DataType::List(_));
        is_list.then(|| column.as_list::<i32>())
    });
    let rows = lengths.map(|lists| {
        let mut elements = 0;
        let fits = (0..lists.len()).take_while(|row| {
            elements += usize::try_from(lists.value_length(*row)).unwrap_or_default();
            elements <= most
        });
        fits.count().max(1)
    });
    rows.min().unwrap_or(usize::MAX)
}

impl Stream for Stoppable {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Err(error) = self.stop.check() {
            // Whoever goes on behind an error is at the end.
            let has_failed = std::mem::replace(&mut self.has_failed, true);
            return Poll::Ready((!has_failed).then_some(Err(error)));
        }
        if let Some(rest) = self.rest.take() {
            return Poll::Ready(Some(self.cut(rest)));
        }
        let Self { batches, stop, .. } = &mut *self;
        let polled = while_running(stop, || batches.poll_next_unpin(context));
        if self.cuts_lists {
            polled.map(|next| next.map(|batch| batch.and_then(|batch| self.cut(batch))))
        } else {
            polled
        }
    }
}

impl RecordBatchStream for Stoppable {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{rows_of, run};
    use crate::session::{Connection, Database};

    fn connection() -> Connection {
        Database::in_memory().unwrap().connect()
    }

    #[tokio::test]
    async fn nobody_sees_the_nodes_that_ask() {
        let connection = connection();
        let sql = "EXPLAIN SELECT count(DISTINCT md5(CAST(a.value AS TEXT))) \
            FROM generate_series(1, 3) a, generate_series(1, 3) b WHERE a.value * b.value > 2";
        let plan = rows_of(&connection, sql).await.join("\n");
        assert!(plan.contains("NestedLoopJoinExec"), "{plan}");
        assert!(
            !plan.contains("Stoppable") && !plan.contains("Piecewise"),
            "{plan}"
        );
    }

    /// What a condition fixes, a window above relies upon.
    #[tokio::test]
    async fn what_is_known_of_rows_stays_known() {
        let connection = connection();
        let table = "CREATE TABLE t (id INT, b TEXT, PRIMARY KEY (id))";
        run(&connection, table).await.unwrap();
        let sql = "SELECT count(*) OVER (PARTITION BY nullif(l.b, '')) FROM t l RIGHT JOIN t r ON FALSE \
            GROUP BY nullif(l.b, '') HAVING nullif(l.b, '') IN ('x')";
        assert_eq!(rows_of(&connection, sql).await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn long_lists_are_unnested_whole() {
        let sql = "SELECT count(*) AS n, sum(e) AS s FROM \
            (SELECT unnest(range(0, value * 1000)) AS e FROM generate_series(0, 150)) q";
        let elements = (0..=150).flat_map(|n| 0..n * 1000_i64);
        let (count, sum) = elements.fold((0, 0), |(n, s), e| (n + 1, s + e));
        assert_eq!(
            rows_of(&connection(), sql).await,
            [format!("{count}|{sum}")]
        );
    }

    #[tokio::test]
    async fn what_is_computed_in_pieces_is_whole() {
        let sql = "SELECT count(DISTINCT m), sum(length(replace(m, 'a', 'aa')) - length(m)), count(*) \
            FROM (SELECT md5(CAST(value AS TEXT)) AS m FROM generate_series(1, 20000)) q \
            WHERE m LIKE '%a%' AND m ~ '[0-9]'";
        let rows = rows_of(&connection(), sql).await;
        let values: Vec<&str> = rows[0].split('|').collect();
        let [distinct, letters, count] = values[..] else {
            panic!("{rows:?}");
        };
        assert_eq!(distinct, count);
        // Each of 32 letters is an `a` once in sixteen times.
        let letters: f64 = letters.parse().unwrap();
        assert!((letters / 20000.0 - 2.0).abs() < 0.1, "{letters}");
    }

    #[tokio::test]
    async fn a_recursion_is_reset_with_them() {
        let sql = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + a.value FROM r \
            JOIN generate_series(1, 2) a ON a.value <= r.n WHERE r.n < 20) SELECT count(*), max(n) FROM r";
        let mut rows = vec![1];
        let mut next = 0;
        while next < rows.len() {
            let n = rows[next];
            next += 1;
            if n < 20 {
                rows.extend((1..=2).filter(|a| *a <= n).map(|a| n + a));
            }
        }
        let expected = format!("{}|{}", rows.len(), rows.iter().max().unwrap());
        assert_eq!(rows_of(&connection(), sql).await, [expected]);
    }
}
