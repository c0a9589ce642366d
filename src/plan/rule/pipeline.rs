//! The rules of a session, each in its place: those of the analyzer, of the optimizer, and of the physical optimizer.
//!
//! A rule is DataFusion's or Halite's, or Halite's around one of DataFusion's. What is Halite's belongs to a mend, by its name
//! in `docs/datafusion.md`, or to none; a rule of DataFusion's that is off is a mend, too. DataFusion's own lists are compared with these: a rule that an upgrade adds, takes
//! away or moves is seen by a test, and has its place found by somebody.

use std::sync::Arc;

use datafusion::optimizer::analyzer::resolve_grouping_function::ResolveGroupingFunction;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;
use datafusion::optimizer::common_subexpr_eliminate::CommonSubexprEliminate;
use datafusion::optimizer::decorrelate_lateral_join::DecorrelateLateralJoin;
use datafusion::optimizer::decorrelate_predicate_subquery::DecorrelatePredicateSubquery;
use datafusion::optimizer::eliminate_cross_join::EliminateCrossJoin;
use datafusion::optimizer::eliminate_duplicated_expr::EliminateDuplicatedExpr;
use datafusion::optimizer::eliminate_filter::EliminateFilter;
use datafusion::optimizer::eliminate_group_by_constant::EliminateGroupByConstant;
use datafusion::optimizer::eliminate_join::EliminateJoin;
use datafusion::optimizer::eliminate_limit::EliminateLimit;
use datafusion::optimizer::eliminate_outer_join::EliminateOuterJoin;
use datafusion::optimizer::extract_equijoin_predicate::ExtractEquijoinPredicate;
use datafusion::optimizer::extract_leaf_expressions::{
    ExtractLeafExpressions, PushDownLeafProjections,
};
use datafusion::optimizer::filter_null_join_keys::FilterNullJoinKeys;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::optimizer::optimize_unions::OptimizeUnions;
use datafusion::optimizer::propagate_empty_relation::PropagateEmptyRelation;
use datafusion::optimizer::push_down_filter::PushDownFilter;
use datafusion::optimizer::push_down_limit::PushDownLimit;
use datafusion::optimizer::replace_distinct_aggregate::ReplaceDistinctWithAggregate;
use datafusion::optimizer::rewrite_set_comparison::RewriteSetComparison;
use datafusion::optimizer::scalar_subquery_to_join::ScalarSubqueryToJoin;
use datafusion::optimizer::simplify_expressions::SimplifyExpressions;
use datafusion::optimizer::single_distinct_to_groupby::SingleDistinctToGroupBy;
use datafusion::optimizer::unions_to_filter::UnionsToFilter;
use datafusion::optimizer::{AnalyzerRule, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::aggregate_statistics::AggregateStatistics;
use datafusion::physical_optimizer::combine_partial_final_agg::CombinePartialFinalAggregate;
use datafusion::physical_optimizer::ensure_coop::EnsureCooperative;
use datafusion::physical_optimizer::ensure_requirements::EnsureRequirements;
use datafusion::physical_optimizer::filter_pushdown::FilterPushdown;
use datafusion::physical_optimizer::hash_join_buffering::HashJoinBuffering;
use datafusion::physical_optimizer::join_selection::JoinSelection;
use datafusion::physical_optimizer::limit_pushdown::LimitPushdown;
use datafusion::physical_optimizer::limit_pushdown_past_window::LimitPushPastWindows;
use datafusion::physical_optimizer::limited_distinct_aggregation::LimitedDistinctAggregation;
use datafusion::physical_optimizer::output_requirements::OutputRequirements;
use datafusion::physical_optimizer::projection_pushdown::ProjectionPushdown;
use datafusion::physical_optimizer::pushdown_sort::PushdownSort;
use datafusion::physical_optimizer::sanity_checker::SanityCheckPlan;
use datafusion::physical_optimizer::topk_aggregation::TopKAggregation;
use datafusion::physical_optimizer::topk_repartition::TopKRepartition;
use datafusion::physical_optimizer::update_aggr_exprs::OptimizeAggregateOrder;
use datafusion::physical_optimizer::window_topn::WindowTopN;

use super::cast::meant::{MEANINGS, MeanCasts};
use super::cast::{clocks, kept_types, nearest, session_zone};
use super::compare::{
    comparisons, constants, extremes, float_keys, intervals, join_keys, left_out, lists,
    lost_operators, null_safe, numbers, overflow, regexes,
};
use super::memory::{account, bounds, merge_joins, stoppable};
use super::mend::{
    claims, dependencies, distinct_names, embedded, equal_windows, frames, lost_order,
    own_statistics, projections, repeated, requirements, set_names, unasked, union_names,
};
use super::rewriting::Around;
use super::scan::{
    above_groups, farthest, first_rows, grouped_sides, key_order, long_rows, value_rows,
};
#[cfg(test)]
use crate::fault::{self, Fault};

type Analyzing = Arc<dyn AnalyzerRule + Send + Sync>;
type Logical = Arc<dyn OptimizerRule + Send + Sync>;
type Physical = Arc<dyn PhysicalOptimizerRule + Send + Sync>;

/// Whose a rule is.
#[derive(PartialEq)]
enum Of {
    DataFusion,
    /// DataFusion's, and switched off: that is this mend.
    Off(&'static str),
    Halite,
    /// Halite's, and of this mend.
    Mend(&'static str),
    /// Halite's, with a part for each of these mends, which leaves out what is left out by itself.
    Mends(Vec<&'static str>),
}

/// What becomes of a rule with another around it, or in its place.
type Wrap<Rule> = Box<dyn Fn(Rule) -> Rule>;

/// A place of a list: a rule, and what stands around it.
struct Step<Rule> {
    rule: Rule,
    of: Of,
    /// What stands around the rule or in its place, from the inside out, each with the mend that it is of.
    around: Vec<(&'static str, Wrap<Rule>)>,
}

impl<Rule> Step<Rule> {
    fn new(of: Of, rule: Rule) -> Self {
        Self {
            rule,
            of,
            around: Vec::new(),
        }
    }
}

/// A rule of DataFusion's.
fn theirs<Rule>(rule: Rule) -> Step<Rule> {
    Step::new(Of::DataFusion, rule)
}

/// A rule of DataFusion's that is wrong, and not needed.
fn off<Rule>(mend: &'static str, rule: Rule) -> Step<Rule> {
    Step::new(Of::Off(mend), rule)
}

/// A rule of Halite's that is of a mend.
fn mends<Rule>(mend: &'static str, rule: Rule) -> Step<Rule> {
    Step::new(Of::Mend(mend), rule)
}

/// A rule of Halite's that mends nothing.
fn always<Rule>(rule: Rule) -> Step<Rule> {
    Step::new(Of::Halite, rule)
}

fn analyzing(rule: impl AnalyzerRule + Send + Sync + 'static) -> Analyzing {
    Arc::new(rule)
}

fn logical(rule: impl OptimizerRule + Send + Sync + 'static) -> Logical {
    Arc::new(rule)
}

fn physical(rule: impl PhysicalOptimizerRule + Send + Sync + 'static) -> Physical {
    Arc::new(rule)
}

impl<Rule> Step<Rule> {
    /// The rule with this around it, or in its place.
    fn inside(mut self, mend: &'static str, around: impl Fn(Rule) -> Rule + 'static) -> Self {
        self.around.push((mend, Box::new(around)));
        self
    }

    /// The rule with all that stands around it; `None` for one that is off, and for a mend that is left out.
    fn made(self) -> Option<Rule> {
        let is_off = match self.of {
            Of::DataFusion | Of::Halite | Of::Mends(_) => false,
            Of::Off(mend) => !is_left_out(mend),
            Of::Mend(mend) => is_left_out(mend),
        };
        if is_off {
            return None;
        }
        let around = self.around.into_iter();
        let around = around.filter(|(mend, _)| !is_left_out(mend));
        Some(around.fold(self.rule, |rule, (_, around)| around(rule)))
    }
}

impl Step<Logical> {
    /// The rule with one of Halite's around it.
    fn in_hands_of(self, mend: &'static str, around: Around) -> Self {
        self.inside(mend, move |rule| around.over(rule))
    }
}

#[cfg(not(test))]
fn is_left_out(_mend: &'static str) -> bool {
    false
}

/// Whether a test looks for what goes wrong without a mend.
#[cfg(test)]
pub(super) fn is_left_out(mend: &'static str) -> bool {
    fault::active(Fault::MendLeftOut(mend))
}

fn analyzer_steps() -> Vec<Step<Analyzing>> {
    vec![
        // `grouping(e)` is looked for among the keys as both are written: before anything is rewritten.
        theirs(analyzing(ResolveGroupingFunction::new())),
        // Before the comparisons of rows are written out.
        always(analyzing(long_rows::JOIN_LONG_LISTS)),
        mends("session_zone", analyzing(session_zone::GoBySession)),
        mends("repeated", analyzing(repeated::DROP_REPEATED_KEYS)),
        mends("clocks", analyzing(clocks::HIDE_CLOCKS)),
        mends("numbers", analyzing(numbers::MeetAsDoubles)),
        // Before a text beside an interval has a type, and before BETWEEN is written as two comparisons.
        mends("intervals", analyzing(intervals::COMPARE_LENGTHS)),
        mends("intervals", analyzing(intervals::SORT_BY_LENGTHS)),
        mends("comparisons", analyzing(comparisons::WRITE_OUT_COMPARISONS)),
        mends("left_out", analyzing(left_out::COMPUTE_WHAT_IS_LEFT)),
        mends("frames", analyzing(frames::MEAN_FRAMES)),
        mends("set_names", analyzing(set_names::NAME_MEMBERS)),
        theirs(analyzing(TypeCoercion::new())),
        mends("average", analyzing(lost_operators::PUT_OPERATORS_BACK)),
        mends("extremes", analyzing(extremes::GO_BY_VALUE)),
        mends("union_names", analyzing(union_names::NAME_ARMS_ALIKE)),
        mends("numbers", analyzing(numbers::ReferToCoerced)),
    ]
}

fn optimizer_steps() -> Vec<Step<Logical>> {
    let mut steps = read_constants();
    steps.extend(rewrite());
    steps.extend([
        mends("join_keys", logical(join_keys::NAME_KEYS)),
        mends("constants", logical(lists::SHOW_LISTS)),
        mends("constants", logical(float_keys::COMPARE_BY_VALUE)),
        mends("repeated", logical(repeated::DROP_REPEATED_KEYS)),
        always(logical(bounds::BOUND_FUNCTIONS)),
    ]);
    steps
}

/// What stands before the first rule of DataFusion's that computes something.
fn read_constants() -> Vec<Step<Logical>> {
    vec![
        always(logical(bounds::BOUND_FUNCTIONS)),
        casts(),
        mends("intervals", logical(intervals::COMPARE_LENGTHS)),
        mends("comparisons", logical(comparisons::WRITE_OUT_COMPARISONS)),
        mends("constants", logical(constants::CompareByValue)),
        mends("kept_types", logical(kept_types::KeepProducts)),
        mends("nearest", logical(nearest::CAST_TO_NEAREST)),
        mends("overflow", logical(overflow::CHECK_ARITHMETIC)),
        mends("regexes", logical(regexes::KEEP_BACKSLASHES)),
        always(logical(value_rows::MakeRows)),
    ]
}

/// What casts mean.
fn casts() -> Step<Logical> {
    let mends = MEANINGS.iter().filter_map(|meaning| meaning.mend);
    let is_there = |mend: Option<&'static str>| mend.is_none_or(|mend| !is_left_out(mend));
    let meanings = MEANINGS.iter().filter(|meaning| is_there(meaning.mend));
    let rule = logical(MeanCasts(meanings.collect()));
    Step::new(Of::Mends(mends.collect()), rule)
}

/// DataFusion's own, with what stands around them.
fn rewrite() -> Vec<Step<Logical>> {
    vec![
        theirs(logical(RewriteSetComparison::new())),
        theirs(logical(OptimizeUnions::new())),
        theirs(logical(UnionsToFilter::new())),
        theirs(logical(SimplifyExpressions::new())),
        theirs(logical(ReplaceDistinctWithAggregate::new()))
            .in_hands_of("dependencies", dependencies::KEEP_DISTINCT),
        off("dependencies", logical(EliminateJoin::new())),
        theirs(logical(DecorrelatePredicateSubquery::new())),
        theirs(logical(ScalarSubqueryToJoin::new())),
        theirs(logical(DecorrelateLateralJoin::new())),
        theirs(logical(ExtractEquijoinPredicate::new()))
            .in_hands_of("null_safe", null_safe::KEEP_NULLS_APART),
        off("dependencies", logical(EliminateDuplicatedExpr::new())),
        theirs(logical(EliminateFilter::new())),
        theirs(logical(EliminateCrossJoin::new()))
            .in_hands_of("null_safe", null_safe::KEEP_FROM_REORDERING),
        theirs(logical(EliminateLimit::new())),
        theirs(logical(PropagateEmptyRelation::new())),
        theirs(logical(FilterNullJoinKeys::default())),
        theirs(logical(EliminateOuterJoin::new())),
        // Filters cannot be pushed below limits.
        theirs(logical(PushDownLimit::new())),
        theirs(logical(PushDownFilter::new()))
            .in_hands_of("above_groups", above_groups::KEEP_ABOVE_GROUPS),
        theirs(logical(SingleDistinctToGroupBy::new()))
            .in_hands_of("kept_types", kept_types::KEEP_TYPES),
        theirs(logical(EliminateGroupByConstant::new())),
        mends("equal_windows", logical(equal_windows::NAME_EQUAL_WINDOWS)),
        theirs(logical(CommonSubexprEliminate::new())),
        theirs(logical(ExtractLeafExpressions::new())),
        theirs(logical(PushDownLeafProjections::new())),
        theirs(logical(OptimizeProjections::new()))
            .in_hands_of("projections", projections::TELL_PROJECTIONS_APART)
            .in_hands_of("dependencies", dependencies::KEEP_GROUPS),
    ]
}

fn physical_steps() -> Vec<Step<Physical>> {
    let mut steps = choose_operators();
    steps.extend(choose_order());
    steps.extend([
        mends("unasked", physical(unasked::TELL_NOTHING)),
        always(physical(account::COUNT_WHAT_IS_HELD)),
        // No rule sees what it puts in.
        always(physical(stoppable::ASK_WHETHER_WANTED)),
    ]);
    steps
}

/// Up to where each operator has the rows that it requires.
fn choose_operators() -> Vec<Step<Physical>> {
    vec![
        mends("claims", physical(claims::CLAIM_WHAT_IS_PROVEN)),
        theirs(physical(OutputRequirements::new_add_mode())),
        theirs(physical(AggregateStatistics::new()))
            .inside("own_statistics", own_statistics::around),
        theirs(physical(JoinSelection::new())),
        always(physical(grouped_sides::BUILD_OF_GROUPS)),
        theirs(physical(LimitedDistinctAggregation::new())),
        theirs(physical(FilterPushdown::new())).inside("distinct_names", distinct_names::around),
        theirs(physical(WindowTopN::new())),
        // Before what joins require is put in place.
        always(physical(merge_joins::MERGE_JOINS)),
        theirs(physical(EnsureRequirements::new())).inside("requirements", |_| {
            physical(requirements::LEAVE_SORTS_IN_PLACE)
        }),
    ]
}

/// Behind that: limits, orders, and what scans are told.
fn choose_order() -> Vec<Step<Physical>> {
    vec![
        theirs(physical(CombinePartialFinalAggregate::new())),
        theirs(physical(OptimizeAggregateOrder::new())),
        mends("embedded", physical(embedded::CHOOSE_ABOVE_FILTERS)),
        theirs(physical(ProjectionPushdown::new())),
        theirs(physical(OutputRequirements::new_remove_mode())),
        theirs(physical(TopKAggregation::new())),
        theirs(physical(LimitPushPastWindows::new())),
        theirs(physical(HashJoinBuffering::new())),
        theirs(physical(LimitPushdown::new())),
        theirs(physical(TopKRepartition::new())),
        mends("embedded", physical(embedded::CHOOSE_ABOVE_FILTERS)),
        theirs(physical(ProjectionPushdown::new())),
        mends("key_order", physical(key_order::GIVE_KEY_ORDER)),
        theirs(physical(PushdownSort::new())),
        // Before sorts tell scans what they need, and behind what takes sorts away.
        always(physical(farthest::KEEP_THE_FARTHEST)),
        theirs(physical(EnsureCooperative::new())),
        theirs(physical(FilterPushdown::new_post_optimization()))
            .inside("distinct_names", distinct_names::around),
        always(physical(first_rows::READ_FIRST_ROWS)),
        mends("lost_order", physical(lost_order::RESTORE_INPUTS)),
        theirs(physical(SanityCheckPlan::new())),
    ]
}

fn made<Rule>(steps: Vec<Step<Rule>>) -> Vec<Rule> {
    steps.into_iter().filter_map(Step::made).collect()
}

/// The rules of the analyzer, in order.
pub(super) fn analyzer_rules() -> Vec<Analyzing> {
    made(analyzer_steps())
}

/// The rules of the optimizer, in order.
pub(super) fn optimizer_rules() -> Vec<Logical> {
    made(optimizer_steps())
}

/// The rules of the physical optimizer, in order.
pub(super) fn physical_rules() -> Vec<Physical> {
    made(physical_steps())
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
pub(super) mod tests;
