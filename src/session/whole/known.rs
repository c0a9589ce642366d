//! Wrong answers that are known and not mended yet, each to be taken out when its mend is in.
//!
//! A kind is told by its error.

use super::answer::Difference;

/// A kind of wrong answer, or of an error where there is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    /// An order by an aggregate that the query does not give, beside a window over another.
    OrderByAggregate,
    /// Rows of two windows in almost one order, partitioned by both, as INTERSECT ALL numbers them.
    OrderOfPartitions,
    /// A DATE that IN looks for among TIMESTAMPs of an aggregate, or the other way round: both become nanoseconds.
    DateAsNanoseconds,
}

/// What is to be mended. A kind that a full run does not find is mended, and to be taken out.
pub(super) const LIST: &[Known] = &[];

/// The errors of kinds that are told by them.
const ERRORS: &[(Known, &str)] = &[
    (
        Known::OrderByAggregate,
        "PhysicalExpr Column references column",
    ),
    (
        Known::OrderOfPartitions,
        "Expects PARTITION BY expression to be ordered",
    ),
    (
        Known::DateAsNanoseconds,
        "converted value exceeds the representable i64 range",
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
