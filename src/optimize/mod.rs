//! Plan rules of Halite's sessions.
//!
//! The layers below answer some predicates wrongly, for every table: they round constants, compare rows as structs,
//! and lose a NULL of a list. A provider cannot mend that, because it sees the filter too late. These rules run first
//! and write predicates so that nothing is left to get wrong:
//!
//! | rule | where | what it does |
//! |---|---|---|
//! | [`numbers`] | before type coercion | a DECIMAL that becomes one value with a REAL or DOUBLE is a DOUBLE |
//! | [`comparisons`] | before type coercion | rows written out as SQL's terms; numbers of two kinds compared by value |
//! | [`clocks`] | before type coercion | `CAST(ts AS TIME)` is not taken for an order of `ts` |
//! | [`repeated`] | before type coercion | a key that rows are sorted by is named once |
//! | [`bytes`] | before the simplifier | a text that becomes a BYTEA is read: `'\x00ff'` is two bytes |
//! | [`constants`] | before the simplifier | constants in the column's own unit, on the right; lists without NULL |
//! | [`nearest`] | before the simplifier | a DECIMAL is cast to the nearest REAL or DOUBLE |
//! | [`overflow`] | before the simplifier | integers out of range are an error |
//! | `lists` | behind the optimizer | lists that were hidden from each other are shown again |
//! | [`union_names`] | behind type coercion | all arms of a UNION have the names of the first |
//! | [`above_groups`] | around the rule that pushes filters | conditions without columns stay above aggregates |
//! | [`distinct_names`] | on the physical plan | filters are not pushed by name where two columns have one |
//! | [`regexes`] | before the simplifier | patterns that look for a backslash stay regular expressions |
//! | [`limits`] | around the rule that puts sorts in place | a limit stays above windows that need all rows |
//! | [`key_order`] | on the physical plan | the order of the key, for what is proven to keep it |
//!
//! What is mended at the parse (`IS DISTINCT FROM`, numbers with an exponent) is in
//! [`session::dialect`](crate::session::dialect).

use std::any::Any;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::execution::config::SessionConfig;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan};
use datafusion::optimizer::{Analyzer, Optimizer};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_optimizer::pushdown_sort::PushdownSort;

use crate::function::ExactSum;

pub mod above_groups;
mod brackets;
pub mod bytes;
mod chains;
pub mod clocks;
mod compare;
pub mod comparisons;
pub mod constants;
pub mod distinct_names;
mod domain;
mod exact;
mod floats;
pub mod key_order;
pub mod limits;
mod lists;
mod lossy;
pub mod nearest;
pub mod numbers;
pub mod overflow;
pub mod regexes;
pub mod repeated;
mod rule;
mod tuples;
pub mod union_names;

/// Puts Halite's rules in front of DataFusion's, and sets what they and the engine need of the configuration.
///
/// Rules and configuration that the builder has already are kept, so call it last:
///
/// * `sql_parser.parse_float_as_decimal`: `1.5`, and an integer beyond 64 bits, is an exact DECIMAL;
/// * `sql_parser.map_string_types_to_utf8view` off: TEXT is Utf8, as it is stored;
/// * `catalog.information_schema`: `SHOW TABLES` and `DESCRIBE`;
/// * `execution.skip_physical_aggregate_schema_check`: DataFusion compares what two of its parts say of NULLs, and fails;
/// * `optimizer.enable_window_limits` off: DataFusion puts a limit below windows that need all rows;
/// * `optimizer.enable_aggregate_dynamic_filter_pushdown` off: what cannot be a new minimum is kept from the other
///   aggregates, too;
/// * `execution.time_zone`, unless it is set: UTC, so that TIMESTAMP WITH TIME ZONE is an instant.
pub fn install(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let config = builder.config().get_or_insert_with(SessionConfig::new);
    let options = config.options_mut();
    options.sql_parser.parse_float_as_decimal = true;
    options.sql_parser.map_string_types_to_utf8view = false;
    options.catalog.information_schema = true;
    options.execution.skip_physical_aggregate_schema_check = true;
    options.optimizer.enable_window_limits = false;
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    options
        .execution
        .time_zone
        .get_or_insert_with(|| "+00:00".to_string());
    let analyzer = builder.analyzer().get_or_insert_with(Analyzer::new);
    let rules = &mut analyzer.rules;
    rules.insert(0, Arc::new(comparisons::WRITE_OUT_COMPARISONS));
    rules.insert(0, Arc::new(numbers::MeetAsDoubles));
    rules.insert(0, Arc::new(clocks::HIDE_CLOCKS));
    rules.insert(0, Arc::new(repeated::DropRepeatedKeys));
    rules.push(Arc::new(union_names::NAME_ARMS_ALIKE));
    let optimizer = builder.optimizer().get_or_insert_with(Optimizer::new);
    let rules = &mut optimizer.rules;
    above_groups::KeepAboveGroups::wrap(rules);
    rules.insert(0, Arc::new(regexes::KEEP_BACKSLASHES));
    rules.insert(0, Arc::new(overflow::CHECK_ARITHMETIC));
    rules.insert(0, Arc::new(nearest::CAST_TO_NEAREST));
    rules.insert(0, Arc::new(constants::CompareByValue));
    rules.insert(0, Arc::new(comparisons::WRITE_OUT_COMPARISONS));
    rules.insert(0, Arc::new(bytes::READ_BYTES));
    rules.push(Arc::new(lists::SHOW_LISTS));
    let aggregates = builder.aggregate_functions().get_or_insert_default();
    aggregates.push(Arc::new(AggregateUDF::new_from_impl(ExactSum::default())));
    let physical = builder
        .physical_optimizers()
        .get_or_insert_with(PhysicalOptimizer::new);
    let rules = &mut physical.rules;
    distinct_names::WithDistinctNames::wrap(rules);
    limits::WithLimitsApart::wrap(rules);
    let is_pushdown = |rule: &Arc<dyn PhysicalOptimizerRule + Send + Sync>| {
        (rule.as_ref() as &dyn Any).is::<PushdownSort>()
    };
    let place = rules.iter().position(is_pushdown).unwrap_or(rules.len());
    rules.insert(place, Arc::new(key_order::GiveKeyOrder));
    builder
}

/// Whether an expression of the node, or one inside of it, is of a kind.
fn has_any(plan: &LogicalPlan, is_of_kind: impl Fn(&Expr) -> bool) -> Result<bool> {
    let mut found = false;
    plan.apply_expressions(|expr| {
        found = found || expr.exists(|expr| Ok(is_of_kind(expr)))?;
        Ok(if found {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    Ok(found)
}

/// The node with its expressions rewritten, each under the name that it had.
fn map_named(
    plan: LogicalPlan,
    mut rewrite: impl FnMut(Expr) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let names = NamePreserver::new(&plan);
    let mut named = |expr: Expr| {
        let name = names.save(&expr);
        Ok(rewrite(expr)?.update_data(|expr| name.restore(expr)))
    };
    plan.map_expressions(|expr| match expr {
        // A grouping set has no name; what it groups by has.
        Expr::GroupingSet(_) => expr.map_children(&mut named),
        expr => named(expr),
    })
}

/// The columns that the expressions of a node may name, with their types.
fn input_schema(plan: &LogicalPlan) -> Result<DFSchema> {
    match plan {
        // What a scan filters by need not be among what it projects.
        LogicalPlan::TableScan(scan) => {
            DFSchema::try_from_qualified_schema(scan.table_name.clone(), &scan.source.schema())
        }
        plan => Ok(merge_schema(&plan.inputs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules that are wrapped or stood before are looked for: by type, and where that cannot be by name. One that an
    /// upgrade has renamed is missed here.
    #[test]
    fn what_is_wrapped_is_there() {
        let mut builder = install(SessionStateBuilder::new_with_default_features());
        let logical = format!("{:?}", builder.optimizer());
        assert_eq!(logical.matches("KeepAboveGroups").count(), 1, "{logical}");
        let physical = builder.physical_optimizers().take().unwrap_or_default();
        let names: Vec<String> = physical
            .rules
            .iter()
            .map(|rule| format!("{rule:?}"))
            .collect();
        for (wrapper, count) in [("WithDistinctNames", 2), ("WithLimitsApart", 1)] {
            let wrapped = names.iter().filter(|name| name.starts_with(wrapper));
            assert_eq!(wrapped.count(), count, "{names:?}");
        }
        let order = names.iter().position(|name| name == "GiveKeyOrder");
        let sorts = names.iter().position(|name| name == "PushdownSort");
        assert_eq!(order.map(|place| place + 1), sorts, "{names:?}");
    }
}
