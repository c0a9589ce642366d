//! Numbers and intervals as texts that Arrow does not read, written so that it does.

/// The greatest exponent that is written out: no DECIMAL has so many digits.
const MOST_ZEROS: i64 = 200;

/// `1.5e3` as `1500`; `None` of a text without an exponent, and of one that is no number.
pub fn without_exponent(text: &str) -> Option<String> {
    let text = text.trim();
    let (number, exponent) = text.split_once(['e', 'E'])?;
    let exponent: i64 = exponent.parse().ok()?;
    let (sign, number) = match number.strip_prefix('-') {
        Some(number) => ("-", number),
        None => ("", number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number || exponent.abs() > MOST_ZEROS {
        return None;
    }
    // Digits in front of the point.
    let point = i64::try_from(whole.len()).ok()? + exponent;
    let length = i64::try_from(digits.len()).ok()?;
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    Some(match usize::try_from(point) {
        Ok(point) if point < digits.len() && point > 0 => {
            let (whole, fraction) = digits.split_at(point);
            format!("{sign}{whole}.{fraction}")
        }
        Ok(point) if point > 0 => format!("{sign}{digits}{}", zeros(point as i64 - length)),
        _ => format!("{sign}0.{}{digits}", zeros(-point)),
    })
}

/// `1 day 04:05:06` as `1 day 4 hours 5 mins 6 secs`, as PostgreSQL prints intervals; `None` of a text without a time of a
/// clock.
pub fn with_units(text: &str) -> Option<String> {
    let mut is_clock = false;
    let words = text.split_whitespace().map(|word| match units_of(word) {
        Some(units) => {
            is_clock = true;
            units
        }
        None => word.to_owned(),
    });
    let words = words.collect::<Vec<_>>().join(" ");
    is_clock.then_some(words)
}

/// `-04:05:06.5` as hours, minutes and seconds, each with its sign.
fn units_of(clock: &str) -> Option<String> {
    let (sign, clock) = match clock.strip_prefix('-') {
        Some(clock) => ("-", clock),
        None => ("", clock.strip_prefix('+').unwrap_or(clock)),
    };
    let mut fields = clock.split(':');
    let (hours, minutes) = (fields.next()?, fields.next()?);
    let seconds = fields.next().unwrap_or("0");
    let is_whole = |field: &str| !field.is_empty() && field.bytes().all(|it| it.is_ascii_digit());
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let is_short = |field: &str| field.len() <= 2;
    let is_time = [hours, minutes, whole, fraction].into_iter().all(is_whole)
        && is_short(minutes)
        && is_short(whole)
        && fields.next().is_none();
    is_time.then(|| format!("{sign}{hours} hours {sign}{minutes} mins {sign}{seconds} secs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_written_out() {
        for (text, expected) in [
            ("1e3", Some("1000")),
            ("-1.5E-2", Some("-0.015")),
            ("+12.34e1", Some("123.4")),
            ("12.34e-2", Some("0.1234")),
            ("1e0", Some("1")),
            (".5e1", Some("5")),
            ("5.e1", Some("50")),
            ("0.05e2", Some("005")),
            ("1.5e+1", Some("15")),
            ("1500", None),
            ("1e", None),
            ("e3", None),
            ("1e3x", None),
            ("1x3", None),
            ("1e999999999", None),
            ("one", None),
        ] {
            assert_eq!(without_exponent(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn times_of_a_clock_have_units() {
        for (text, expected) in [
            ("1 day 04:05:06", Some("1 day 04 hours 05 mins 06 secs")),
            (
                "-1 days +02:03:04.5",
                Some("-1 days 02 hours 03 mins 04.5 secs"),
            ),
            ("-00:00:01", Some("-00 hours -00 mins -01 secs")),
            ("100:20", Some("100 hours 20 mins 0 secs")),
            ("1 day 4 hours", None),
            ("1:2:3:4", None),
            ("1:123", None),
            ("a:b", None),
            ("", None),
        ] {
            assert_eq!(with_units(text).as_deref(), expected, "{text}");
        }
    }
}
