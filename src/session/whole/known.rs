//! Wrong answers that are known and not mended yet, each to be taken out when its mend is in.
//!
//! A kind is told by its error.

use super::answer::Difference;

/// A kind of wrong answer, or of an error where there is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
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
    /// The column of a subquery beside OR that names columns from outside is named twice, and refused.
    RepeatedNames,
    /// A column of USING named where another table has one of its name: it is ambiguous, and drawn all the same.
    MergedAmbiguous,
    /// An order by an aggregate that the query does not give, beside a window over another.
    OrderByAggregate,
}

/// What is to be mended. A kind that a full run does not find is mended, and to be taken out.
pub(super) const LIST: &[Known] = &[
    Known::AggregateOrderTwice,
    Known::Nullability,
    Known::LostOrder,
    Known::TwoOrders,
    Known::TwoTypes,
    Known::InsideScalar,
    Known::RepeatedNames,
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
        Known::RepeatedNames,
        "Projections require unique expression names",
    ),
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
