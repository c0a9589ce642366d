//! Dates and timestamps as text, read strictly.

use chrono::{FixedOffset, NaiveTime};

use crate::datum::{Precision, SqlType, TimeFormat};

/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;
/// Seconds in a day.
const DAY: i64 = 86_400;

/// A date that is written in a format, as SQL writes it.
pub(super) fn date_as_written(
    text: &str,
    format: &TimeFormat,
    shown: &str,
) -> Result<String, String> {
    let read = format.read(text);
    let read = read.ok_or_else(|| format!("is not a DATE written as {shown}"))?;
    if read.local.time() == NaiveTime::MIN && read.offset.is_none() {
        Ok(read.local.date().to_string())
    } else {
        Err("has a time of day, DATE has none".to_owned())
    }
}

/// A timestamp that is written in a format, as SQL writes it; one without a time is midnight.
pub(super) fn timestamp_as_written(
    text: &str,
    format: &TimeFormat,
    shown: &str,
) -> Result<String, String> {
    let wrong = || format!("is not a TIMESTAMP written as {shown}");
    let read = format.read(text).ok_or_else(wrong)?;
    let local = read.local.format("%Y-%m-%d %H:%M:%S%.f");
    let Some(offset) = read.offset else {
        return Ok(local.to_string());
    };
    let zone = FixedOffset::east_opt(offset).ok_or_else(wrong)?;
    Ok(format!("{local}{zone}"))
}

/// The days since 1970-01-01 of `2024-01-31`; years beyond 9999 and before 0 with a sign.
pub(super) fn date(text: &str) -> Result<i32, String> {
    let days = calendar_day(text).ok_or_else(|| "is not a DATE such as 2024-01-31".to_owned())?;
    i32::try_from(days).map_err(|_| "is out of the range of DATE".to_owned())
}

/// The count of `2024-01-31 05:06:07.89` in the unit of the type; `T` or a space in the middle, seconds and fraction
/// may be left out, or all of the time. `Z` and offsets such as `+01:00` are for TIMESTAMP WITH TIME ZONE; a stamp
/// without one is there taken as UTC.
pub(super) fn timestamp(text: &str, precision: Precision, utc: bool) -> Result<i64, String> {
    let sql_type = SqlType::Timestamp { precision, utc };
    let stamp =
        parse(text).ok_or_else(|| format!("is not a {sql_type} such as {}", example(utc)))?;
    if stamp.zoned && !utc {
        return Err(format!("has a time zone, {sql_type} has none"));
    }
    let unit = i128::from(precision.nanoseconds());
    if stamp.nanoseconds.rem_euclid(unit) != 0 {
        return Err(format!("is finer than {sql_type}"));
    }
    i64::try_from(stamp.nanoseconds.div_euclid(unit))
        .map_err(|_| format!("is out of the range of {sql_type}"))
}

fn example(utc: bool) -> &'static str {
    if utc {
        "2024-01-31T05:06:07Z"
    } else {
        "2024-01-31 05:06:07"
    }
}

struct Stamp {
    nanoseconds: i128,
    zoned: bool,
}

fn parse(text: &str) -> Option<Stamp> {
    let (date, time) = text
        .split_once(['T', ' '])
        .map_or((text, None), |(date, time)| (date, Some(time)));
    let days = calendar_day(date)?;
    let Some(time) = time else {
        return Some(Stamp {
            nanoseconds: i128::from(days) * i128::from(DAY) * SECOND,
            zoned: false,
        });
    };
    let (clock, zone) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let offset = if zone.is_empty() { 0 } else { offset(zone)? };
    let (clock, fraction) = clock
        .split_once('.')
        .map_or((clock, None), |(clock, fraction)| (clock, Some(fraction)));
    let (seconds, has_seconds) = clock_seconds(clock)?;
    if fraction.is_some() && !has_seconds {
        return None;
    }
    let fraction = fraction.map_or(Some(0), nanoseconds)?;
    let seconds = i128::from(days) * i128::from(DAY) + i128::from(seconds - offset);
    Some(Stamp {
        nanoseconds: seconds * SECOND + i128::from(fraction),
        zoned: !zone.is_empty(),
    })
}

/// `05:06:07` or `05:06` in seconds, and whether seconds were given.
fn clock_seconds(text: &str) -> Option<(i64, bool)> {
    let mut fields = text.split(':');
    let hours = two_digits(fields.next()?, 23)?;
    let minutes = two_digits(fields.next()?, 59)?;
    let seconds = fields.next().map(|seconds| two_digits(seconds, 59));
    if fields.next().is_some() {
        return None;
    }
    match seconds {
        None => Some((hours * 3600 + minutes * 60, false)),
        Some(seconds) => Some((hours * 3600 + minutes * 60 + seconds?, true)),
    }
}

/// `Z`, `+01`, `+01:00` or `+0100` in seconds.
fn offset(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.len() {
        2 => (digits, "00"),
        5 => digits.split_once(':')?,
        _ => digits.split_at_checked(2)?,
    };
    Some(sign * (two_digits(hours, 23)? * 3600 + two_digits(minutes, 59)? * 60))
}

/// The digits behind the point in nanoseconds; those beyond the ninth must be zeros.
fn nanoseconds(digits: &str) -> Option<i64> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let (kept, rest) = digits.split_at(digits.len().min(9));
    if rest.bytes().any(|digit| digit != b'0') {
        return None;
    }
    format!("{kept:0<9}").parse().ok()
}

fn two_digits(text: &str, greatest: i64) -> Option<i64> {
    let plain = text.len() == 2 && text.bytes().all(|digit| digit.is_ascii_digit());
    let number: i64 = if plain {
        text.parse().ok()?
    } else {
        return None;
    };
    (number <= greatest).then_some(number)
}

/// `[±]YYYY-MM-DD` in days since 1970-01-01, in the proleptic Gregorian calendar.
fn calendar_day(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut fields = rest.split('-');
    let (year, month, day) = (fields.next()?, fields.next()?, fields.next()?);
    let plain = (4..=7).contains(&year.len()) && year.bytes().all(|digit| digit.is_ascii_digit());
    if !plain || fields.next().is_some() {
        return None;
    }
    let year = sign * year.parse::<i64>().ok()?;
    let (month, day) = (two_digits(month, 12)?, two_digits(day, 31)?);
    let last = last_day(year, month)?;
    (1..=last)
        .contains(&day)
        .then(|| days_before(year, month) + day - 1)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn last_day(year: i64, month: i64) -> Option<i64> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(28 + i64::from(is_leap(year))),
        _ => None,
    }
}

/// The days from 1970-01-01 to the first of the month.
fn days_before(year: i64, month: i64) -> i64 {
    // Years are counted from March, so that a leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let months = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 153 days in five months from March on; 719,468 days from 0000-03-01 to 1970-01-01.
    year * 365 + leap_days + (153 * months + 2) / 5 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::{Datum, Readable};

    #[test]
    fn dates() {
        let good = [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2024-03-01", 19_783),
            ("0000-01-01", -719_528),
            ("-0001-12-31", -719_529),
            ("+10000-01-01", 2_932_897),
        ];
        for (text, days) in good {
            assert_eq!(date(text), Ok(days), "{text}");
        }
        let bad = [
            "",
            "2024",
            "2024-1-1",
            "2024-13-01",
            "2024-00-10",
            "2023-02-29",
            "1900-02-29",
            "2024-04-31",
            "2024-01-00",
            " 2024-01-01",
            "2024-01-01 ",
            "2024/01/01",
            "24-01-01",
            "2024-01-01T00:00:00",
            "٢٠٢٤-01-01",
            "+-2024-01-01",
        ];
        for text in bad {
            assert_eq!(
                date(text),
                Err("is not a DATE such as 2024-01-31".to_owned()),
                "{text}"
            );
        }
        assert_eq!(
            date("9999999-01-01"),
            Err("is out of the range of DATE".to_owned())
        );
    }

    /// Every day around the changes of the calendar is the one that the printer of dates prints.
    #[test]
    fn dates_are_read_as_they_are_shown() {
        for start in [-800_000, -719_600, -1_000, 10_900, 47_400, 2_932_800] {
            for days in start..start + 800 {
                let shown = Readable(&Datum::Date(days), &SqlType::Date).to_string();
                assert_eq!(date(&shown), Ok(days), "{shown}");
            }
        }
    }

    #[test]
    fn stamps() {
        use Precision::{Microsecond, Millisecond, Nanosecond, Second};
        let good = [
            ("1970-01-01T00:00:01", Second, false, 1),
            ("1970-01-01 00:00:01.5", Millisecond, false, 1_500),
            ("1969-12-31 23:59:59.999999", Microsecond, false, -1),
            ("1970-01-01 00:00:00.000000001", Nanosecond, false, 1),
            ("1970-01-01 00:00:00.1000000000", Millisecond, false, 100),
            ("1970-01-02", Second, false, 86_400),
            ("1970-01-01 01:02", Second, false, 3_720),
            ("1970-01-01T00:00:00Z", Second, true, 0),
            ("1970-01-01 00:00:00", Second, true, 0),
            ("1970-01-01T01:00:00+01:00", Second, true, 0),
            ("1970-01-01T00:00:00-0530", Second, true, 19_800),
            ("1970-01-01T00:00:00+02", Second, true, -7_200),
            (
                "3001-01-01 00:00:00",
                Millisecond,
                false,
                32_535_216_000_000,
            ),
            (
                "+200000-01-01 00:00:00.000001",
                Microsecond,
                false,
                6_249_223_180_800_000_001,
            ),
        ];
        for (text, precision, utc, count) in good {
            assert_eq!(timestamp(text, precision, utc), Ok(count), "{text}");
        }
        let bad = [
            (
                "1970-01-01T00:00:00Z",
                "has a time zone, TIMESTAMP(3) has none",
            ),
            ("1970-01-01 00:00:00.0005", "is finer than TIMESTAMP(3)"),
            (
                "1970-01-01 24:00:00",
                "is not a TIMESTAMP(3) such as 2024-01-31 05:06:07",
            ),
            ("1970-01-01 00:60:00", "is not a"),
            ("1970-01-01 00:00:60", "is not a"),
            ("1970-01-01 00:00.5", "is not a"),
            ("1970-01-01 00:00:00.", "is not a"),
            ("1970-01-01 00:00:00.0000000001", "is not a"),
            ("1970-01-01 0:0:0", "is not a"),
            ("1970-01-01 00", "is not a"),
            ("1970-01-01T", "is not a"),
            ("1970-01-01 00:00:00 ", "is not a"),
            ("1970-01-01 00:00:00+1", "is not a"),
            ("1970-01-01 00:00:00+ü1", "is not a"),
            ("1970-01-01 00:00:00Zulu", "is not a"),
            ("today", "is not a"),
        ];
        for (text, reason) in bad {
            let error = timestamp(text, Millisecond, false).unwrap_err();
            assert!(error.starts_with(reason), "{text}: {error}");
        }
        let late = timestamp("2262-04-11 23:47:16.854775808", Nanosecond, false).unwrap_err();
        assert_eq!(late, "is out of the range of TIMESTAMP(9)");
        assert_eq!(
            timestamp("2262-04-11 23:47:16.854775807", Nanosecond, false),
            Ok(i64::MAX)
        );
    }
}
