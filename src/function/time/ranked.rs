//! Intervals as integers of the same order, and back: by their lengths, those of one length by their months and days.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Decimal256Array, IntervalMonthDayNanoArray};
use arrow::datatypes::{
    DataType, Decimal256Type, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit, i256,
};
use datafusion::common::plan_err;

use super::elapsed::length_of;
use crate::function::declared::{Declaration, arguments};

/// An interval's integer.
pub(super) static RANK: Declaration = Declaration {
    name: "interval_rank",
    aliases: &[],
    coerce: |types| match types {
        [_] => Ok(vec![DataType::Interval(IntervalUnit::MonthDayNano)]),
        _ => plan_err!("an interval is wanted"),
    },
    result: |_| Ok(RANKS_OF_INTERVALS),
    compute: |given| {
        let [intervals] = arguments(given)?;
        Ok(ranks_of_intervals(intervals))
    },
};

/// The interval of an integer.
pub(super) static OF_RANK: Declaration = Declaration {
    name: "interval_of_rank",
    aliases: &[],
    coerce: |types| match types {
        [_] => Ok(vec![RANKS_OF_INTERVALS]),
        _ => plan_err!("the rank of an interval is wanted"),
    },
    result: |_| Ok(DataType::Interval(IntervalUnit::MonthDayNano)),
    compute: |given| {
        let [ranks] = arguments(given)?;
        Ok(intervals_of_ranks(ranks))
    },
};

/// A length has less than 90 bits, months and days have 64.
pub(in crate::function) const RANKS_OF_INTERVALS: DataType = DataType::Decimal256(76, 0);

pub(in crate::function) fn ranks_of_intervals(intervals: &ArrayRef) -> ArrayRef {
    let intervals = intervals.as_primitive::<IntervalMonthDayNanoType>();
    let ranks: Decimal256Array = intervals.unary(rank_of);
    Arc::new(ranks.with_data_type(RANKS_OF_INTERVALS))
}

pub(in crate::function) fn intervals_of_ranks(ranks: &ArrayRef) -> ArrayRef {
    let ranks = ranks.as_primitive::<Decimal256Type>();
    let intervals = ranks.iter().map(|rank| rank.and_then(interval_of));
    Arc::new(intervals.collect::<IntervalMonthDayNanoArray>())
}

/// The length in nanoseconds in front of the months and the days.
fn rank_of(interval: IntervalMonthDayNano) -> i256 {
    let months = i128::from(turned(interval.months as u32));
    let days = i128::from(turned(interval.days as u32));
    (i256::from_i128(length_of(interval)) << 64) | i256::from_i128((months << 32) | days)
}

/// `None` for what is no rank.
fn interval_of(rank: i256) -> Option<IntervalMonthDayNano> {
    let (length, parts) = (i256::to_i128(rank >> 64)?, rank.as_i128());
    let months = turned((parts >> 32) as u32) as i32;
    let days = turned(parts as u32) as i32;
    let without = length_of(IntervalMonthDayNano::new(months, days, 0));
    let nanoseconds = i64::try_from(length - without).ok()?;
    Some(IntervalMonthDayNano::new(months, days, nanoseconds))
}

/// The bits of a number such that they are ordered as unsigned ones; and back.
fn turned(bits: u32) -> u32 {
    bits ^ (1 << 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_ordered_as_lengths_are_and_give_their_intervals_back() {
        let mut intervals = Vec::new();
        for months in [i32::MIN, -1, 0, 1, i32::MAX] {
            for days in [i32::MIN, -30, -1, 0, 1, 30, 31, i32::MAX] {
                for nanoseconds in [i64::MIN, -1, 0, 1, 86_400_000_000_000, i64::MAX] {
                    intervals.push(IntervalMonthDayNano::new(months, days, nanoseconds));
                }
            }
        }
        for interval in &intervals {
            assert_eq!(interval_of(rank_of(*interval)), Some(*interval));
        }
        intervals.sort_by_key(|interval| rank_of(*interval));
        assert!(intervals.is_sorted_by_key(|interval| {
            (length_of(*interval), interval.months, interval.days)
        }));
    }
}
