//! The calendar without an end: months of days in 128 bits, beyond the years that chrono knows.

use chrono::{Datelike, Months, NaiveDate, TimeDelta};

/// Nanoseconds of a day.
pub(super) const DAY: i128 = 86_400_000_000_000;

/// Days in 400 years, after which the calendar repeats itself.
const CYCLE: i128 = 146_097;
const MONTHS_OF_CYCLE: i128 = 4_800;

/// The month of a day since 1970-01-01, counted from January 1970, and the day of that month, counted from 0.
pub(super) fn month_of(day: i128) -> Option<(i128, u32)> {
    let cycle = day.div_euclid(CYCLE);
    let within = TimeDelta::try_days(i64::try_from(day.rem_euclid(CYCLE)).ok()?)?;
    let date = NaiveDate::default().checked_add_signed(within)?;
    let month = (i128::from(date.year()) - 1970) * 12 + i128::from(date.month0());
    Some((cycle * MONTHS_OF_CYCLE + month, date.day0()))
}

/// The day since 1970-01-01 that is so many days behind the first of a month, and its last day where it has not so many.
pub(super) fn day_of(month: i128, day: u32) -> Option<i128> {
    let cycle = month.div_euclid(MONTHS_OF_CYCLE);
    let within = u32::try_from(month.rem_euclid(MONTHS_OF_CYCLE)).ok()?;
    let first = NaiveDate::default().checked_add_months(Months::new(within))?;
    let last = first
        .checked_add_months(Months::new(1))?
        .checked_sub_signed(TimeDelta::days(1))?;
    let day = day.min(last.day0());
    let since = first.signed_duration_since(NaiveDate::default());
    Some(cycle * CYCLE + i128::from(since.num_days()) + i128::from(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_months_and_months_days() {
        for (days, month, day) in [
            (0, 0, 0),
            (-1, -1, 30),
            (59, 2, 0),
            // 0000-02-29, and 9999-12-31.
            (-719_469, -23_639, 28),
            (2_932_896, 96_359, 30),
        ] {
            assert_eq!(month_of(days), Some((month, day)), "{days}");
            assert_eq!(day_of(month, day), Some(days), "{days}");
        }
        // The last of April where the 31st is asked for.
        assert_eq!(day_of(3, 30), Some(119));
        for day in [i128::from(i32::MIN), i128::from(i32::MAX), 1 << 80] {
            let (month, of_month) = month_of(day).unwrap();
            assert_eq!(day_of(month, of_month), Some(day));
        }
    }
}
