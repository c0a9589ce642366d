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
//! | [`constants`] | before the simplifier | constants in the column's own unit, on the right; lists without NULL |
//! | [`distinct_names`] | on the physical plan | filters are not pushed by name where two columns have one |
//! | [`sort_below`] | on the physical plan | a sort by what a projection computes is asked of the scan below it |
//! | [`regexes`] | before the simplifier | patterns that look for a backslash stay regular expressions |
//! | [`in_order`] | on the physical plan | a scan whose rows are wanted in order reads its pieces one after the other |
//!
//! What is mended at the parse (`IS DISTINCT FROM`, numbers with an exponent) is in
//! [`session::dialect`](crate::session::dialect).

use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::execution::config::SessionConfig;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::{Analyzer, Optimizer};
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;

mod brackets;
mod chains;
pub mod clocks;
mod compare;
pub mod comparisons;
pub mod constants;
pub mod distinct_names;
mod domain;
mod exact;
mod floats;
pub mod in_order;
mod lists;
mod lossy;
pub mod numbers;
pub mod regexes;
pub mod repeated;
pub mod sort_below;
mod tuples;

/// Where the key gives the order, DataFusion puts a buffer of this size over each partition and fills it whatever the
/// reader takes: by default 1 GiB each, which is the whole table in memory. A few batches keep the merge busy.
const SORT_BUFFER_BYTES: usize = 4 << 20;

/// Puts Halite's rules in front of DataFusion's, and sets what they and the engine need of the configuration.
///
/// Rules and configuration that the builder has already are kept, so call it last:
///
/// * `sql_parser.parse_float_as_decimal`: `1.5`, and an integer beyond 64 bits, is an exact DECIMAL;
/// * `sql_parser.map_string_types_to_utf8view` off: TEXT is Utf8, as it is stored;
/// * `catalog.information_schema`: `SHOW TABLES` and `DESCRIBE`;
/// * `execution.sort_pushdown_buffer_capacity`: how far a scan in key order may run ahead of the merge of its
///   partitions;
/// * `execution.time_zone`, unless it is set: UTC, so that TIMESTAMP WITH TIME ZONE is an instant.
pub fn install(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let config = builder.config().get_or_insert_with(SessionConfig::new);
    let options = config.options_mut();
    options.sql_parser.parse_float_as_decimal = true;
    options.sql_parser.map_string_types_to_utf8view = false;
    options.catalog.information_schema = true;
    options.execution.sort_pushdown_buffer_capacity = SORT_BUFFER_BYTES;
    options
        .execution
        .time_zone
        .get_or_insert_with(|| "+00:00".to_string());
    let analyzer = builder.analyzer().get_or_insert_with(Analyzer::new);
    analyzer
        .rules
        .insert(0, Arc::new(comparisons::WriteOutComparisons));
    analyzer.rules.insert(0, Arc::new(numbers::MeetAsDoubles));
    analyzer.rules.insert(0, Arc::new(clocks::HideClocks));
    analyzer
        .rules
        .insert(0, Arc::new(repeated::DropRepeatedKeys));
    let optimizer = builder.optimizer().get_or_insert_with(Optimizer::new);
    optimizer
        .rules
        .insert(0, Arc::new(regexes::KeepBackslashes));
    optimizer
        .rules
        .insert(0, Arc::new(constants::CompareByValue));
    optimizer
        .rules
        .insert(0, Arc::new(comparisons::WriteOutComparisons));
    let physical = builder
        .physical_optimizers()
        .get_or_insert_with(PhysicalOptimizer::new);
    let rules = &mut physical.rules;
    distinct_names::WithDistinctNames::wrap(rules);
    let sort = rules.iter().position(|rule| rule.name() == SORT_PUSHDOWN);
    let place = sort.unwrap_or(rules.len());
    rules.insert(place, Arc::new(sort_below::SortBelowProjection));
    let behind = sort.map_or(rules.len(), |position| position + 2);
    rules.insert(behind, Arc::new(in_order::ReadInOrder));
    builder
}

/// DataFusion's rule that takes sorts away where a scan has their order.
const SORT_PUSHDOWN: &str = "PushdownSort";

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
