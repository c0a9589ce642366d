//! Plan rules of Halite's sessions.
//!
//! The layers below answer some predicates wrongly, for every table: they round constants, compare rows as structs,
//! and lose a NULL of a list. A provider cannot mend that, because it sees the filter too late. These rules write
//! predicates so that nothing is left to get wrong; `pipeline` says where each stands, and `golden` shows what it does:
//!
//! | rule | what it does |
//! |---|---|
//! | `session_zone` | what clocks show of instants is what those of the session show |
//! | `numbers` | a DECIMAL that becomes one value with a REAL or DOUBLE is a DOUBLE; subqueries know the types that their references have |
//! | `comparisons` | rows written out as SQL's terms; numbers of two kinds compared by value |
//! | `clocks` | `CAST(ts AS TIME)` is not taken for an order of `ts` |
//! | `repeated` | a key that rows are sorted by is named once |
//! | `meant` | casts mean what SQL says: texts are read, DECIMALs rounded, times read on the clocks of their zone |
//! | `constants` | constants in the column's own unit, on the right; lists without NULL |
//! | `intervals` | BETWEEN, IN, IS DISTINCT FROM and ORDER BY of intervals go by their lengths |
//! | `float_keys` | zeros and NaNs that a query makes are compared by value in joins |
//! | `join_keys` | a key that a join computes is told from a column of its name |
//! | `set_names` | what grouping sets are of keeps its name |
//! | `left_out` | what FILTER leaves out is not computed |
//! | `nearest` | a DECIMAL is cast to the nearest REAL or DOUBLE |
//! | `overflow` | integers out of range are an error |
//! | `lists` | lists that were hidden from each other are shown again |
//! | `union_names` | all arms of a UNION have the names of the first |
//! | `extremes` | `min` and `max` of REAL and DOUBLE go by value |
//! | `above_groups` | conjuncts without columns stay above aggregates |
//! | `dependencies` | keys of an order or a grouping, DISTINCT and joins stay, though one column is said to determine another |
//! | `own_statistics` | aggregates are answered by the statistics of their own rows alone |
//! | `null_safe` | NULL equals NULL in the keys that say so alone |
//! | `projections` | a list of SELECT that is written like the one below it is computed |
//! | `distinct_names` | filters are not pushed by name where two columns have one |
//! | `embedded` | the columns that a filter hands on are chosen above it |
//! | `equal_windows` | a window that is written twice is computed once |
//! | `frames` | frames of windows over whatever can be sorted; offsets that are none are refused |
//! | `regexes` | patterns that look for a backslash stay regular expressions |
//! | `kept_types` | a value keeps its type |
//! | `claims` | operators claim no order and no constants that are not proven |
//! | `requirements` | no sort, and no limit of one, is moved |
//! | `key_order` | the order of the key, for what is proven to keep it |
//! | `bounds` | functions that build texts and lists are bounded |
//! | `held` | what operators hold without asking for memory is counted; errors name their files |
//! | `merge_joins` | joins whose hash table does not fit are of sorted sides |
//! | `unasked` | a join does not wait for a partition that nobody asks for |
//! | `lost_order` | rows are sorted again where an order is not known any more |
//! | `stoppable` | what computes for long asks whether it is still wanted |
//!
//! Some do something else. On the physical plan, last, `first_rows` tells scans of which groups of rows the first are all
//! that is needed, `farthest` which single row is, and `grouped_sides` which side of a join tells the other its keys;
//! `value_rows`, before the simplifier, makes the rows of long VALUES; `long_rows`, before type coercion, joins long lists
//! of rows. [`once`](mend::once) is no rule: it shares what a volatile query of WITH gives, when the query is planned.
//!
//! What is mended at the parse (`IS DISTINCT FROM`, numbers with an exponent) is in
//! [`sql::dialect`](crate::sql::dialect).

pub mod cast;
pub mod compare;
pub(crate) mod expr;
pub mod memory;
pub mod mend;
pub(crate) mod opaque;
mod pipeline;
pub(crate) mod rewriting;
pub mod scan;

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::execution::config::SessionConfig;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan, ScalarUDF};
use datafusion::optimizer::OptimizerRule;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

use self::memory::account_exec;
use self::mend::{claims, distinct_names};
use crate::function::{
    DateBin, DatePart, DateTrunc, ExactAverage, ExactSum, ExtractPlanner, ordered_aggregates,
    shifts, to_timestamps,
};

/// A rule of the logical optimizer.
type LogicalRule = Arc<dyn OptimizerRule + Send + Sync>;

/// A rule of the physical optimizer.
type PhysicalRule = Arc<dyn PhysicalOptimizerRule + Send + Sync>;

/// Puts a mend into a session.
type Install = fn(&mut SessionStateBuilder);

/// What the mends of the layers below put into a session beside rules, by their names in
/// `docs/datafusion.md`.
const SETTINGS_AND_FUNCTIONS: &[(&str, Install)] = &[
    ("sql_parser.parse_float_as_decimal", |session| {
        options(session).sql_parser.parse_float_as_decimal = true;
    }),
    (
        "execution.skip_physical_aggregate_schema_check",
        |session| {
            let execution = &mut options(session).execution;
            execution.skip_physical_aggregate_schema_check = true;
        },
    ),
    ("optimizer.enable_window_limits", |session| {
        options(session).optimizer.enable_window_limits = false;
    }),
    ("optimizer.enable_topk_aggregation", |session| {
        options(session).optimizer.enable_topk_aggregation = false;
    }),
    (
        "optimizer.enable_aggregate_dynamic_filter_pushdown",
        |session| {
            let optimizer = &mut options(session).optimizer;
            optimizer.enable_aggregate_dynamic_filter_pushdown = false;
        },
    ),
    ("overflow", |session| {
        let aggregates = session.aggregate_functions().get_or_insert_default();
        aggregates.push(Arc::new(AggregateUDF::new_from_impl(ExactSum::default())));
    }),
    ("average", |session| {
        let aggregates = session.aggregate_functions().get_or_insert_default();
        aggregates.push(Arc::new(AggregateUDF::new_from_impl(
            ExactAverage::default(),
        )));
    }),
    ("date_part", |session| {
        let functions = session.scalar_functions().get_or_insert_default();
        functions.push(Arc::new(ScalarUDF::new_from_impl(DatePart::default())));
        let planners = session.expr_planners().get_or_insert_default();
        planners.insert(0, Arc::new(ExtractPlanner::default()));
    }),
    ("date_trunc", |session| {
        let functions = session.scalar_functions().get_or_insert_default();
        functions.push(Arc::new(ScalarUDF::new_from_impl(DateTrunc::default())));
    }),
    ("date_bin", |session| {
        let functions = session.scalar_functions().get_or_insert_default();
        functions.push(Arc::new(ScalarUDF::new_from_impl(DateBin::default())));
    }),
    ("to_timestamp", |session| {
        let mended = to_timestamps(options(session));
        let functions = session.scalar_functions().get_or_insert_default();
        functions.extend(mended.into_iter().map(Arc::new));
    }),
    ("shift", |session| {
        let functions = session.window_functions().get_or_insert_default();
        functions.extend(shifts().into_iter().map(Arc::new));
    }),
    ("ordered", |session| {
        let aggregates = session.aggregate_functions().get_or_insert_default();
        aggregates.extend(ordered_aggregates().map(Arc::new));
    }),
];

/// As many keys as a scan lists ranges at most.
const KEYS_OF_A_JOIN: usize = crate::span::BUDGET;
const BYTES_OF_KEYS_OF_A_JOIN: usize = 1 << 20;

/// Gives a session Halite's lists of rules (`pipeline`), and what they and the engine need of functions and configuration:
///
/// * `sql_parser.map_string_types_to_utf8view` off: TEXT is Utf8, as it is stored;
/// * `catalog.information_schema`: `SHOW TABLES` and `DESCRIBE`;
/// * `execution.time_zone`, unless it is set: UTC, so that TIMESTAMP WITH TIME ZONE is an instant;
/// * `optimizer.hash_join_inlist_pushdown_max_…`: a join tells the scan of its larger side so many keys one by one, which
///   are looked up there, and of more the least and the greatest.
///
/// Functions and configuration that the builder has already are kept, so call it last.
pub fn install(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let options = options(&mut builder);
    options.sql_parser.map_string_types_to_utf8view = false;
    options.catalog.information_schema = true;
    options
        .optimizer
        .hash_join_inlist_pushdown_max_distinct_values = KEYS_OF_A_JOIN;
    options.optimizer.hash_join_inlist_pushdown_max_size = BYTES_OF_KEYS_OF_A_JOIN;
    // Few rows are not dealt out over threads, which costs more than what is done with them.
    options
        .execution
        .use_row_number_estimates_to_optimize_partitioning = true;
    let zone = &mut options.execution.time_zone;
    zone.get_or_insert_with(|| "+00:00".to_string());
    let installs = SETTINGS_AND_FUNCTIONS.iter();
    #[cfg(test)]
    let installs = installs.filter(|(mend, _)| !pipeline::is_left_out(mend));
    installs.for_each(|(_, install)| install(&mut builder));
    builder
        .with_analyzer_rules(pipeline::analyzer_rules())
        .with_optimizer_rules(pipeline::optimizer_rules())
        .with_physical_optimizer_rules(pipeline::physical_rules())
}

fn options(session: &mut SessionStateBuilder) -> &mut ConfigOptions {
    let config = session.config().get_or_insert_with(SessionConfig::new);
    config.options_mut()
}

/// Whether a node of Halite's hands on the rows of its input, and keeps nothing of what it was run for.
pub fn hands_rows_on(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<claims::ProvenExec>()
        || node.is::<distinct_names::Fence>()
        || node.is::<account_exec::WatchedExec>()
}

/// Whether an expression of the node, or one inside of it, is of a kind.
fn has_any(plan: &LogicalPlan, is_of_kind: impl Fn(&Expr) -> bool) -> Result<bool> {
    let mut found = false;
    plan.apply_expressions(|expr| {
        found = has(expr, &is_of_kind)?;
        Ok(if found {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    Ok(found)
}

/// As [`TreeNode::exists`], in a hundredth of the time for a long list: every rule looks at every node.
fn has(expr: &Expr, is_of_kind: &impl Fn(&Expr) -> bool) -> Result<bool> {
    if is_of_kind(expr) {
        return Ok(true);
    }
    let mut found = false;
    match expr {
        Expr::Column(_) | Expr::Literal(..) => {}
        Expr::InList(list) => {
            found = has(&list.expr, is_of_kind)?;
            let mut values = list.list.iter();
            while !found && let Some(value) = values.next() {
                found = has(value, is_of_kind)?;
            }
        }
        _ => {
            expr.apply_children(|child| {
                found = has(child, is_of_kind)?;
                Ok(if found {
                    TreeNodeRecursion::Stop
                } else {
                    TreeNodeRecursion::Continue
                })
            })?;
        }
    }
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
mod golden_tests;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// DataFusion does not agree with itself about what can be NULL.
    #[tokio::test]
    async fn what_can_be_null_is_not_held_against_it() {
        use crate::session::testing::{mended, rows};
        let halite = mended();
        for sql in [
            "CREATE TABLE b (id INT, g BOOLEAN)",
            "INSERT INTO b VALUES (1, true), (2, false), (3, NULL)",
        ] {
            rows(&halite, sql).await;
        }
        for (sql, expected) in [
            (
                "SELECT DISTINCT g IS TRUE AS x FROM b",
                vec!["false", "true"],
            ),
            (
                "SELECT count(*) FILTER (WHERE g IS TRUE) AS a, sum(id) FILTER (WHERE g IS TRUE AND id > 0) AS c FROM b",
                vec!["1|1"],
            ),
        ] {
            assert_eq!(rows(&halite, sql).await, expected, "{sql}");
        }
    }

    #[test]
    fn every_mend_has_its_row_in_the_document() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/datafusion.md");
        let text = std::fs::read_to_string(path).unwrap();
        let (text, _) = text.split_once("## Statements").unwrap();
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let firsts: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
        let is_named = |first: &str, name: &str| first.contains(&format!("`{name}`"));
        let others = SETTINGS_AND_FUNCTIONS.iter().map(|(name, _)| *name);
        let mends: BTreeSet<&str> = pipeline::tests::mends_of_rules()
            .into_iter()
            .chain(others)
            .collect();
        for name in &mends {
            let count = firsts.iter().filter(|first| is_named(first, name)).count();
            assert_eq!(count, 1, "rows of {name}");
        }
        for first in firsts {
            let is_mend = mends.iter().any(|name| is_named(first, name));
            assert!(is_mend, "{first} is no mend");
        }
    }
}
