//! What is right: the query planned without any optimizer rule, over tables in memory that declare nothing.
//!
//! Halite's analysis stays, and of the logical rules those that write out what no plan can carry out as it is: DISTINCT,
//! ANY and ALL, and subqueries. On the physical plan nothing is decided: whatever an operator asks of its input is made
//! right below it, one partition and a sort, even where it is there already, and no operator claims anything of its rows
//! ([`Plainly`]).

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::datasource::MemTable;
use datafusion::execution::config::SessionConfig;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::decorrelate_predicate_subquery::DecorrelatePredicateSubquery;
use datafusion::optimizer::replace_distinct_aggregate::ReplaceDistinctWithAggregate;
use datafusion::optimizer::rewrite_set_comparison::RewriteSetComparison;
use datafusion::optimizer::scalar_subquery_to_join::ScalarSubqueryToJoin;
use datafusion::physical_expr::LexOrdering;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};
use datafusion::prelude::SessionContext;

use super::super::testing::plan;
use super::answer::Right;
use super::data::Data;
use super::query::Query;
use super::render::oracle_sql;
use super::truths::{LawTable, Truths};
use crate::plan::bind::operators::Operators;
use crate::plan::bind::parameters::bound;
use crate::plan::rule::cast::meant::{MeanCasts, READ_ON_CLOCKS, ROUNDED_DECIMALS};
use crate::plan::rule::cast::nearest::CAST_TO_NEAREST;
use crate::plan::rule::install;
use crate::plan::rule::mend::claims::unclaimed;
use crate::plan::rule::mend::dependencies::KEEP_DISTINCT;

/// Answers queries.
pub(super) struct Oracle {
    context: SessionContext,
}

/// Why a query is not compared.
#[derive(Debug, Clone)]
pub(super) enum Unanswered {
    /// A condition, or a value, is an error on a row.
    Error(String),
    /// An integer is out of bounds.
    Overflow(String),
}

impl Oracle {
    pub fn new() -> Self {
        let mut config = SessionConfig::new().with_target_partitions(1);
        // What planners may think of NULLs is no answer.
        let options = config.options_mut();
        options.execution.skip_physical_aggregate_schema_check = true;
        let mut builder = SessionStateBuilder::new()
            .with_default_features()
            .with_config(config);
        // What an operator is no plan decides either.
        let planners = builder.expr_planners().get_or_insert_default();
        planners.insert(0, Arc::new(Operators));
        let rules: Vec<Arc<dyn OptimizerRule + Send + Sync>> = vec![
            // What a cast gives no plan decides.
            Arc::new(MeanCasts(vec![&ROUNDED_DECIMALS, &READ_ON_CLOCKS])),
            Arc::new(CAST_TO_NEAREST),
            Arc::new(RewriteSetComparison::new()),
            KEEP_DISTINCT.over(Arc::new(ReplaceDistinctWithAggregate::new())),
            Arc::new(DecorrelatePredicateSubquery::new()),
            Arc::new(ScalarSubqueryToJoin::new()),
        ];
        let state = install(builder)
            .with_optimizer_rules(rules)
            .with_physical_optimizer_rules(vec![Arc::new(Plainly)])
            .build();
        Self {
            context: SessionContext::new_with_state(state),
        }
    }

    /// The right answer to a query.
    pub async fn answer(
        &self,
        data: &Data,
        known: &[LawTable],
        query: &Query,
    ) -> std::result::Result<Right, Unanswered> {
        let mut truths = Truths::new(known);
        let sql = oracle_sql(query, &data.tables, &mut truths);
        if truths.failed {
            return Err(Unanswered::Error("a condition is an error".to_owned()));
        }
        let run = async {
            self.register(data, &truths).map_err(|e| e.to_string())?;
            let plan = plan(&self.context, &sql).await?;
            let plan = bound::planned_for_cases(plan).map_err(|error| error.to_string())?;
            let frame = self.context.execute_logical_plan(plan).await;
            let frame = frame.map_err(|error| error.strip_backtrace())?;
            let schema = Arc::new(frame.schema().as_arrow().clone());
            let batches = frame.collect().await;
            let batches = batches.map_err(|error| error.strip_backtrace())?;
            let schema = batches.first().map_or(schema, |batch| batch.schema());
            Right::new(&schema, &batches, query)
        };
        run.await.map_err(|error: String| {
            // A sum, a difference or a product is no BIGINT. A week that begins before its type does need not be computed to
            // know that it is not that of a constant.
            if error.contains("out of range") && !error.contains("date_trunc") {
                Unanswered::Overflow(error)
            } else {
                Unanswered::Error(format!("{error}\n{sql}"))
            }
        })
    }

    fn register(&self, data: &Data, truths: &Truths<'_>) -> Result<()> {
        for (number, table) in data.tables.iter().enumerate() {
            let batch = truths.batch(number, &table.batch());
            let provider = MemTable::try_new(batch.schema(), vec![vec![batch]])?;
            self.context.deregister_table(&table.name)?;
            self.context
                .register_table(&table.name, Arc::new(provider))?;
        }
        Ok(())
    }
}

/// Gives every operator what it asks for, and nothing else.
#[derive(Debug)]
struct Plainly;

impl PhysicalOptimizerRule for Plainly {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            if node.is::<UnionExec>() || node.is::<CoalescePartitionsExec>() {
                return Ok(Transformed::no(node));
            }
            let orders = node.required_input_ordering();
            let children = node.children().into_iter().zip(orders);
            let children = children.map(|(child, order)| {
                let child: Arc<dyn ExecutionPlan> =
                    match child.output_partitioning().partition_count() {
                        1 => Arc::clone(child),
                        _ => Arc::new(CoalescePartitionsExec::new(Arc::clone(child))),
                    };
                // A sort leaves rows as they are that claim to be sorted.
                let child = unclaimed(child)?;
                Ok(match order {
                    None => child,
                    Some(order) => {
                        let order = LexOrdering::from(order.into_single());
                        Arc::new(SortExec::new(order, child))
                    }
                })
            });
            let children = children.collect::<Result<_>>()?;
            Ok(Transformed::yes(replace_children_if_necessary(
                node, children,
            )?))
        })
        .data()
    }

    fn name(&self) -> &str {
        "Plainly"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
