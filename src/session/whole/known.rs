//! Wrong answers that are known and not mended yet, each to be taken out when its mend is in.
//!
//! A wrong answer is of a known kind if the same query is right where only that kind's cause is taken away: the
//! [`Remedy`]. A kind without a remedy is told by the query or by the error, or is not drawn.

use super::answer::Difference;
use super::case::Case;
use super::query::Query;

/// A kind of wrong answer, or of an error where there is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    /// A constant that an outer join, or a grouping set, has NULL for is not sorted by.
    PaddedConstant,
    /// A constant of grouping sets is taken for constant in every group, and groups of several partitions do not meet.
    ConstantGroup,
    /// Sort-merge joins, which are off by default, with filters of their own or below a limit.
    MergeJoin,
    /// An aggregate whose ORDER BY names an expression twice, once simplified.
    AggregateOrderTwice,
    /// A value is NULL for one planner and never for the other.
    Nullability,
    /// The planner loses track of an order that it made itself.
    LostOrder,
    /// Aggregates of one query that want different orders.
    TwoOrders,
    /// Values of one column with two types.
    TwoTypes,
    /// NOT IN inside of a scalar subquery is not made right before it is planned.
    InsideScalar,
    /// A column of USING named where another table has one of its name: it is ambiguous, and drawn all the same.
    MergedAmbiguous,
    /// An order by an aggregate that the query does not give, beside a window over another.
    OrderByAggregate,
}

/// What is to be mended. A kind that a full run does not find is mended, and to be taken out.
pub(super) const LIST: &[Known] = &[
    Known::PaddedConstant,
    Known::ConstantGroup,
    Known::MergeJoin,
    Known::AggregateOrderTwice,
    Known::Nullability,
    Known::LostOrder,
    Known::TwoOrders,
    Known::TwoTypes,
    Known::InsideScalar,
    Known::MergedAmbiguous,
    Known::OrderByAggregate,
];

/// The errors of kinds that are told by them.
const ERRORS: &[(Known, &str)] = &[
    (
        Known::AggregateOrderTwice,
        "column types must match schema types",
    ),
    (
        Known::Nullability,
        "Physical input schema should be the same",
    ),
    (
        Known::Nullability,
        "is declared as non-nullable but contains null values",
    ),
    (Known::LostOrder, "does not satisfy order requirements"),
    (Known::TwoOrders, "Conflicting ordering requirements"),
    (Known::InsideScalar, "null_aware anti join only supports"),
    (Known::TwoTypes, "Invalid comparison operation"),
    (Known::TwoTypes, "Uncomparable values"),
    (
        Known::MergedAmbiguous,
        "Ambiguous reference to unqualified field",
    ),
    (
        Known::OrderByAggregate,
        "PhysicalExpr Column references column",
    ),
];

/// Whether a difference is of a kind, by what is seen of it.
pub(super) fn told(difference: &Difference) -> Option<Known> {
    let kind = match difference {
        Difference::Error(error) => {
            let mut errors = ERRORS.iter();
            let told = errors.find(|(_, words)| error.contains(words));
            told.map(|(kind, _)| *kind)
        }
        _ => None,
    };
    kind.filter(|kind| LIST.contains(kind))
}

/// What takes the cause of a kind away: another case, if the kind is possible in this one.
pub(super) type Remedy = fn(&Case) -> Option<Case>;

impl Known {
    pub fn remedy(self) -> Option<Remedy> {
        match self {
            Self::PaddedConstant => Some(without_order),
            Self::ConstantGroup => Some(in_one_partition),
            Self::MergeJoin => Some(with_hash_joins),
            _ => None,
        }
    }
}

/// A query with an outer join or grouping sets, without its order.
fn without_order(case: &Case) -> Option<Case> {
    let mut case = case.clone();
    let has_padding = has_sets(&case.query) || has_outer_join(&case.query);
    if !has_padding || case.query.order.is_empty() {
        return None;
    }
    (case.query.order, case.query.limit, case.query.offset) = (Vec::new(), None, 0);
    Some(case)
}

/// A query with grouping sets, in one partition.
fn in_one_partition(case: &Case) -> Option<Case> {
    let mut case = case.clone();
    case.settings.partitions = 1;
    has_sets(&case.query).then_some(case)
}

fn with_hash_joins(case: &Case) -> Option<Case> {
    let mut case = case.clone();
    let is_merged = !case.settings.hash_join;
    case.settings.hash_join = true;
    is_merged.then_some(case)
}

fn has_outer_join(query: &Query) -> bool {
    is_anywhere(query, &["kind: Left", "kind: Right", "kind: Full"])
}

fn has_sets(query: &Query) -> bool {
    is_anywhere(query, &["kind: Rollup", "kind: Cube", "kind: Sets"])
}

/// Whether one of these stands anywhere in the tree.
fn is_anywhere(query: &Query, nodes: &[&str]) -> bool {
    let text = format!("{query:?}");
    nodes.iter().any(|node| text.contains(node))
}
