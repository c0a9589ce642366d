//! Functions of dates, times and intervals.

mod age;
mod beside_dates;
mod calendar;
mod date_bin;
mod date_part;
mod date_trunc;
mod difference;
mod elapsed;
mod format;
mod interval;
mod make_timestamp;
mod moment;
mod pattern;
mod ranked;
mod strftime;
mod to_date;
mod to_timestamp;

use datafusion::logical_expr::{Expr, ScalarUDF};

use super::declared::{Declaration, call, is};

pub use self::date_bin::DateBin;
pub use self::date_part::{DatePart, ExtractPlanner};
pub use self::date_trunc::DateTrunc;
pub(super) use self::interval::divided_intervals;
pub(super) use self::ranked::{RANKS_OF_INTERVALS, intervals_of_ranks, ranks_of_intervals};
pub use self::to_date::format_of;
pub use self::to_timestamp::to_timestamps;

/// Those that are declared. What stands for an operator has no name that a query may write, and is not among them.
pub(super) static DECLARATIONS: &[&Declaration] = &[
    &strftime::STRFTIME,
    &pattern::TO_CHAR,
    &difference::DATE_DIFF,
    &difference::DATE_SUB,
    &age::AGE,
    &make_timestamp::MAKE_TIMESTAMP,
];

/// `i * n` of an interval and a number.
pub fn interval_times(interval: Expr, factor: Expr) -> Expr {
    call(&interval::TIMES, vec![interval, factor])
}

/// Whether a function is that product.
pub fn is_interval_times(function: &ScalarUDF) -> bool {
    is(function, &interval::TIMES)
}

/// `i / n` of an interval and a number.
pub fn interval_divided(interval: Expr, divisor: Expr) -> Expr {
    call(&interval::DIVIDED, vec![interval, divisor])
}

/// The difference of two times, as an interval.
pub fn interval_between(later: Expr, earlier: Expr) -> Expr {
    call(&elapsed::BETWEEN, vec![later, earlier])
}

/// Whether a function is that difference.
pub fn is_interval_between(function: &ScalarUDF) -> bool {
    is(function, &elapsed::BETWEEN)
}

/// A TIMESTAMP of nanoseconds as one of microseconds, or an error where it has more digits.
pub fn in_microseconds(stamp: Expr) -> Expr {
    call(&beside_dates::IN_MICROSECONDS, vec![stamp])
}

/// A TIMESTAMP as one of seconds that compares with a DATE, as a TIMESTAMP of seconds, as it does.
pub fn beside_days(stamp: Expr) -> Expr {
    call(&beside_dates::BESIDE_DAYS, vec![stamp])
}

/// How long an interval is: a number.
pub fn interval_length(interval: Expr) -> Expr {
    call(&elapsed::LENGTH, vec![interval])
}

/// An integer for an interval, of the same order.
pub fn interval_rank(interval: Expr) -> Expr {
    call(&ranked::RANK, vec![interval])
}

/// The interval that such an integer stands for.
pub fn interval_of_rank(rank: Expr) -> Expr {
    call(&ranked::OF_RANK, vec![rank])
}

#[cfg(test)]
mod times_tests;
