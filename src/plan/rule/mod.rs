//! Plan rules of Halite's sessions.
//!
//! The layers below answer some predicates wrongly, for every table: they round constants, compare rows as structs,
//! and lose a NULL of a list. A provider cannot mend that, because it sees the filter too late. These rules run first
//! and write predicates so that nothing is left to get wrong:
//!
//! | rule | where | what it does |
//! |---|---|---|
//! | `session_zone` | before all others | what clocks show of instants is what those of the session show |
//! | [`numbers`] | before type coercion, and behind it | a DECIMAL that becomes one value with a REAL or DOUBLE is a DOUBLE; subqueries know the types that their references have |
//! | [`comparisons`] | before type coercion | rows written out as SQL's terms; numbers of two kinds compared by value |
//! | [`clocks`] | before type coercion | `CAST(ts AS TIME)` is not taken for an order of `ts` |
//! | [`repeated`] | before type coercion, and behind all rules | a key that rows are sorted by is named once |
//! | [`zones`] | before the simplifier | times are read on the clocks of a zone, also those that are shown twice or never |
//! | [`rounded`] | before the simplifier | a DECIMAL that is cast to an integer is rounded |
//! | [`texts`] | before the simplifier | a text that becomes a TIMESTAMP may leave out its seconds, one that becomes a DECIMAL have an exponent |
//! | [`bytes`] | before the simplifier | a text that becomes a BYTEA is read: `'\x00ff'` is two bytes |
//! | [`nested`] | before the simplifier | a text that becomes a LIST, STRUCT or MAP is read as JSON |
//! | [`constants`] | before the simplifier | constants in the column's own unit, on the right; lists without NULL |
//! | `intervals` | before the simplifier | BETWEEN, IN, IS DISTINCT FROM and ORDER BY of intervals go by their lengths |
//! | `float_keys` | behind the optimizer | zeros and NaNs that a query makes are compared by value in joins |
//! | `join_keys` | behind the optimizer | a key that a join computes is told from a column of its name |
//! | `set_names` | before type coercion | what grouping sets are of keeps its name |
//! | `left_out` | before type coercion | what FILTER leaves out is not computed |
//! | [`nearest`] | before the simplifier | a DECIMAL is cast to the nearest REAL or DOUBLE |
//! | [`overflow`] | before the simplifier | integers out of range are an error |
//! | `lists` | behind the optimizer | lists that were hidden from each other are shown again |
//! | [`union_names`] | behind type coercion | all arms of a UNION have the names of the first |
//! | `extremes` | behind type coercion | `min` and `max` of REAL and DOUBLE go by value |
//! | [`above_groups`] | around the rule that pushes filters | conjuncts without columns stay above aggregates |
//! | [`dependencies`] | around the rules that drop keys of an order or a grouping, DISTINCT and joins | what determines what is not relied upon |
//! | [`own_statistics`] | around the rule that answers aggregates by statistics | they are those of its own rows |
//! | [`null_safe`] | around the rules that find keys of joins and reorder joins | NULL equals NULL in the keys that say so alone |
//! | [`projections`] | around the rule that merges lists of SELECT | a list that is written like the one below it is computed |
//! | [`distinct_names`] | on the physical plan | filters are not pushed by name where two columns have one |
//! | [`embedded`] | on the physical plan, before projections are pushed down | the columns that a filter hands on are chosen above it |
//! | [`equal_windows`] | behind the simplifier | a window that is written twice is computed once |
//! | `frames` | before type coercion | frames of windows over whatever can be sorted; offsets that are none are refused |
//! | [`few_groups`] | on the physical plan, behind the rule that limits groups, and behind all | a few groups are the first of all |
//! | [`regexes`] | before the simplifier | patterns that look for a backslash stay regular expressions |
//! | [`kept_types`] | before the simplifier, and around the rule that counts DISTINCT in steps | a value keeps its type |
//! | [`claims`] | on the physical plan, first | operators claim no order and no constants that are not proven |
//! | [`requirements`] | in place of the rule that puts sorts in place | no sort, and no limit of one, is moved |
//! | [`key_order`] | on the physical plan | the order of the key, for what is proven to keep it |
//! | [`bounds`] | in front of the optimizer, and behind it | functions that build texts and lists are bounded |
//! | `held` | on the physical plan, last | what operators hold without asking for memory is counted; errors name their files |
//! | [`merge_joins`] | on the physical plan, before what is needed is put in place | joins whose hash table does not fit are of sorted sides |
//! | `unasked` | on the physical plan, behind the rules that push filters | a join does not wait for a partition that nobody asks for |
//! | [`lost_order`] | before the physical plan is checked | rows are sorted again where an order is not known any more |
//! | `stoppable` | on the physical plan, behind all | what computes for long asks whether it is still wanted |
//!
//! Some do something else. On the physical plan, last, [`first_rows`] tells scans of which groups of rows the first are all
//! that is needed, `farthest` which single row is, and `grouped_sides` which side of a join tells the other its keys;
//! [`value_rows`], before the simplifier, makes the rows of long VALUES; `long_rows`, before type coercion, joins long lists
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
pub(crate) mod rewriting;
pub mod scan;

use std::any::Any;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::execution::config::SessionConfig;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan, ScalarUDF};
use datafusion::optimizer::{Analyzer, AnalyzerRule, Optimizer, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::ExecutionPlan;

use self::cast::{bytes, clocks, kept_types, nearest, nested, rounded, session_zone, texts, zones};
use self::compare::{
    comparisons, constants, extremes, float_keys, intervals, join_keys, left_out, lists,
    lost_operators, null_safe, numbers, overflow, regexes,
};
use self::memory::{account, account_exec, bounds, merge_joins, stoppable};
use self::mend::{
    claims, dependencies, distinct_names, embedded, equal_windows, frames, lost_order,
    own_statistics, projections, repeated, requirements, set_names, unasked, union_names,
};
use self::scan::{
    above_groups, farthest, few_groups, first_rows, grouped_sides, key_order, long_rows, value_rows,
};
#[cfg(test)]
use crate::fault;
#[cfg(test)]
use crate::fault::Fault;
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

/// The mends of the layers below, by their names in `docs/datafusion.md`. Rules that stand in front run in this order.
const MENDS: &[(&str, Install)] = &[
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
    (
        "optimizer.enable_aggregate_dynamic_filter_pushdown",
        |session| {
            let optimizer = &mut options(session).optimizer;
            optimizer.enable_aggregate_dynamic_filter_pushdown = false;
        },
    ),
    ("session_zone", |session| {
        analyze_first(session, session_zone::GoBySession);
    }),
    ("repeated", |session| {
        analyze_first(session, repeated::DROP_REPEATED_KEYS);
        optimizer_rules(session).push(Arc::new(repeated::DROP_REPEATED_KEYS));
    }),
    ("clocks", |session| {
        analyze_first(session, clocks::HIDE_CLOCKS);
    }),
    ("numbers", |session| {
        analyze_first(session, numbers::MeetAsDoubles);
        let analyzer = session.analyzer().get_or_insert_with(Analyzer::new);
        analyzer.rules.push(Arc::new(numbers::ReferToCoerced));
    }),
    ("union_names", |session| {
        let analyzer = session.analyzer().get_or_insert_with(Analyzer::new);
        analyzer.rules.push(Arc::new(union_names::NAME_ARMS_ALIKE));
    }),
    ("extremes", |session| {
        let analyzer = session.analyzer().get_or_insert_with(Analyzer::new);
        analyzer.rules.push(Arc::new(extremes::GO_BY_VALUE));
    }),
    // Before a text beside an interval has a type, and before BETWEEN is written as two comparisons.
    ("intervals", |session| {
        analyze_first(session, intervals::SORT_BY_LENGTHS);
        analyze_first(session, intervals::COMPARE_LENGTHS);
        optimize_first(session, intervals::COMPARE_LENGTHS);
    }),
    ("zones", |session| {
        optimize_first(session, zones::READ_CLOCKS);
    }),
    ("bytes", |session| {
        optimize_first(session, bytes::READ_BYTES);
    }),
    ("nested", |session| {
        optimize_first(session, nested::READ_NESTED);
    }),
    ("comparisons", |session| {
        analyze_first(session, comparisons::WRITE_OUT_COMPARISONS);
        optimize_first(session, comparisons::WRITE_OUT_COMPARISONS);
    }),
    ("constants", |session| {
        optimize_first(session, constants::CompareByValue);
        optimizer_rules(session).push(Arc::new(lists::SHOW_LISTS));
        optimizer_rules(session).push(Arc::new(float_keys::COMPARE_BY_VALUE));
    }),
    ("kept_types", |session| {
        optimize_first(session, kept_types::KeepProducts);
        kept_types::KEEP_TYPES.wrap(optimizer_rules(session));
    }),
    ("set_names", |session| {
        set_names::insert(session.analyzer().get_or_insert_with(Analyzer::new));
    }),
    ("nearest", |session| {
        optimize_first(session, nearest::CAST_TO_NEAREST);
    }),
    ("overflow", |session| {
        optimize_first(session, overflow::CHECK_ARITHMETIC);
        let aggregates = session.aggregate_functions().get_or_insert_default();
        aggregates.push(Arc::new(AggregateUDF::new_from_impl(ExactSum::default())));
    }),
    ("join_keys", |session| {
        optimizer_rules(session).push(Arc::new(join_keys::NAME_KEYS));
    }),
    ("regexes", |session| {
        optimize_first(session, regexes::KEEP_BACKSLASHES);
    }),
    ("equal_windows", |session| {
        equal_windows::insert(optimizer_rules(session));
    }),
    ("above_groups", |session| {
        above_groups::KEEP_ABOVE_GROUPS.wrap(optimizer_rules(session));
    }),
    ("dependencies", |session| {
        dependencies::KEEP_KEYS.wrap(optimizer_rules(session));
        dependencies::KEEP_DISTINCT.wrap(optimizer_rules(session));
        dependencies::KEEP_JOINS.wrap(optimizer_rules(session));
        dependencies::KEEP_GROUPS.wrap(optimizer_rules(session));
    }),
    ("null_safe", |session| {
        null_safe::KEEP_NULLS_APART.wrap(optimizer_rules(session));
        null_safe::KEEP_FROM_REORDERING.wrap(optimizer_rules(session));
    }),
    ("projections", |session| {
        projections::TELL_PROJECTIONS_APART.wrap(optimizer_rules(session));
    }),
    ("claims", |session| {
        physical_rules(session).insert(0, Arc::new(claims::CLAIM_WHAT_IS_PROVEN));
    }),
    ("distinct_names", |session| {
        distinct_names::WithDistinctNames::wrap(physical_rules(session));
    }),
    ("embedded", |session| {
        embedded::insert(physical_rules(session));
    }),
    ("unasked", |session| {
        physical_rules(session).push(Arc::new(unasked::TELL_NOTHING));
    }),
    ("own_statistics", |session| {
        own_statistics::wrap(physical_rules(session));
    }),
    ("requirements", |session| {
        requirements::replace(physical_rules(session));
    }),
    ("key_order", |session| {
        key_order::insert(physical_rules(session));
    }),
    ("lost_order", |session| {
        lost_order::insert(physical_rules(session));
    }),
    ("few_groups", |session| {
        few_groups::insert(physical_rules(session));
    }),
    ("average", |session| {
        let aggregates = session.aggregate_functions().get_or_insert_default();
        aggregates.push(Arc::new(AggregateUDF::new_from_impl(
            ExactAverage::default(),
        )));
        let analyzer = session.analyzer().get_or_insert_with(Analyzer::new);
        analyzer
            .rules
            .push(Arc::new(lost_operators::PUT_OPERATORS_BACK));
    }),
    ("left_out", |session| {
        analyze_first(session, left_out::COMPUTE_WHAT_IS_LEFT);
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
    ("frames", |session| {
        analyze_first(session, frames::MEAN_FRAMES);
    }),
    ("ordered", |session| {
        let aggregates = session.aggregate_functions().get_or_insert_default();
        aggregates.extend(ordered_aggregates().map(Arc::new));
    }),
];

/// As many keys as a scan lists ranges at most.
const KEYS_OF_A_JOIN: usize = crate::span::BUDGET;
const BYTES_OF_KEYS_OF_A_JOIN: usize = 1 << 20;

/// Puts Halite's rules in front of DataFusion's, around and behind them, and sets what they and the engine need of the
/// configuration: all `MENDS`, and
///
/// * `sql_parser.map_string_types_to_utf8view` off: TEXT is Utf8, as it is stored;
/// * `catalog.information_schema`: `SHOW TABLES` and `DESCRIBE`;
/// * `execution.time_zone`, unless it is set: UTC, so that TIMESTAMP WITH TIME ZONE is an instant;
/// * `optimizer.hash_join_inlist_pushdown_max_…`: a join tells the scan of its larger side so many keys one by one, which
///   are looked up there, and of more the least and the greatest.
///
/// Rules and configuration that the builder has already are kept, so call it last.
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
    // While DataFusion's rule is there that it stands in front of.
    merge_joins::insert(physical_rules(&mut builder));
    let mends = MENDS.iter();
    #[cfg(test)]
    let mends = mends.filter(|(name, _)| !fault::active(Fault::MendLeftOut(name)));
    first_rows::insert(physical_rules(&mut builder));
    farthest::insert(physical_rules(&mut builder));
    grouped_sides::insert(physical_rules(&mut builder));
    // Whatever is put in front goes before what was put there earlier.
    optimize_first(&mut builder, value_rows::MakeRows);
    for (_, install) in mends.rev() {
        install(&mut builder);
    }
    optimize_first(&mut builder, rounded::ROUND_DECIMALS);
    optimize_first(&mut builder, texts::READ_TEXTS);
    // Before the comparisons of rows are written out.
    analyze_first(&mut builder, long_rows::JOIN_LONG_LISTS);
    optimize_first(&mut builder, bounds::BOUND_FUNCTIONS);
    optimizer_rules(&mut builder).push(Arc::new(bounds::BOUND_FUNCTIONS));
    physical_rules(&mut builder).push(Arc::new(account::COUNT_WHAT_IS_HELD));
    physical_rules(&mut builder).push(Arc::new(stoppable::ASK_WHETHER_WANTED));
    builder
}

fn options(session: &mut SessionStateBuilder) -> &mut ConfigOptions {
    let config = session.config().get_or_insert_with(SessionConfig::new);
    config.options_mut()
}

fn analyze_first(
    session: &mut SessionStateBuilder,
    rule: impl AnalyzerRule + Send + Sync + 'static,
) {
    let analyzer = session.analyzer().get_or_insert_with(Analyzer::new);
    analyzer.rules.insert(0, Arc::new(rule));
}

fn optimize_first(
    session: &mut SessionStateBuilder,
    rule: impl OptimizerRule + Send + Sync + 'static,
) {
    optimizer_rules(session).insert(0, Arc::new(rule));
}

fn optimizer_rules(session: &mut SessionStateBuilder) -> &mut Vec<LogicalRule> {
    &mut session.optimizer().get_or_insert_with(Optimizer::new).rules
}

fn physical_rules(session: &mut SessionStateBuilder) -> &mut Vec<PhysicalRule> {
    let physical = session.physical_optimizers();
    &mut physical.get_or_insert_with(PhysicalOptimizer::new).rules
}

/// Whether a node of Halite's hands on the rows of its input, and keeps nothing of what it was run for.
pub fn hands_rows_on(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<claims::ProvenExec>()
        || node.is::<distinct_names::Fence>()
        || node.is::<account_exec::WatchedExec>()
}

/// Puts a rule before DataFusion's rule of type `Known`; behind all where a session has none.
fn insert_before<Known: 'static>(
    rules: &mut Vec<PhysicalRule>,
    rule: impl PhysicalOptimizerRule + Send + Sync + 'static,
) {
    let place = rules.iter().position(is_of_type::<Known>);
    rules.insert(place.unwrap_or(rules.len()), Arc::new(rule));
}

/// Whether a rule is DataFusion's rule of type `Known`.
fn is_of_type<Known: 'static>(rule: &PhysicalRule) -> bool {
    (rule.as_ref() as &dyn Any).is::<Known>()
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
mod tests {
    use super::*;

    /// Rules that are wrapped, replaced or stood before are looked for: by type, and where that cannot be by name. One
    /// that an upgrade has renamed is missed here.
    #[test]
    fn what_is_wrapped_is_there() {
        let mut builder = install(SessionStateBuilder::new_with_default_features());
        let logical = format!("{:?}", builder.optimizer());
        for rule in [
            "keep_above_groups(",
            "keep_keys(",
            "keep_distinct(",
            "keep_joins(",
            "keep_types(",
            "keep_nulls_apart(",
            "keep_from_reordering(",
            "halite_name_equal_windows, CommonSubexprEliminate",
            "tell_projections_apart(OptimizeProjections",
        ] {
            assert_eq!(logical.matches(rule).count(), 1, "{logical}");
        }
        let physical = builder.physical_optimizers().take().unwrap_or_default();
        let rules = physical.rules.iter();
        let names: Vec<String> = rules.map(|rule| format!("{rule:?}")).collect();
        for (rule, count) in [
            ("WithDistinctNames", 2),
            ("LeaveSortsInPlace", 1),
            ("EnsureRequirements", 0),
        ] {
            let found = names.iter().filter(|name| name.starts_with(rule));
            assert_eq!(found.count(), count, "{names:?}");
        }
        let order = names.iter().position(|name| name == "GiveKeyOrder");
        let sorts = names
            .iter()
            .position(|name| name.starts_with("PushdownSort"));
        assert_eq!(order.map(|place| place + 1), sorts, "{names:?}");
        let again = names
            .iter()
            .position(|name| name == "halite_restore_inputs");
        let check = names.iter().position(|name| name == "SanityCheckPlan");
        assert_eq!(again.map(|place| place + 1), check, "{names:?}");
    }

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
        for (name, _) in MENDS {
            let count = firsts.iter().filter(|first| is_named(first, name)).count();
            assert_eq!(count, 1, "rows of {name}");
        }
        for first in firsts {
            let is_mend = MENDS.iter().any(|(name, _)| is_named(first, name));
            assert!(is_mend, "{first} is no mend");
        }
    }
}
