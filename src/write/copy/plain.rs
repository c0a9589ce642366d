//! Texts that are values by themselves, without anybody's word for it.
//!
//! A column that somebody has declared is read as it was declared: `007` is 7 where an INT is wanted. Where the rows of a file are
//! all that is known, a text is a number only if the number says all that the text does. `007` and `+49170` are codes, for their
//! zeros and signs are no part of a number; of 9007199254740993 a DOUBLE has not the last digit; `t` is no BOOLEAN.
//! The same rule looks at the first rows and reads the others, so that what does not fit is an error and never cut.

use arrow::array::ArrayRef;

use crate::convert::text::{FieldReader, Spelling, spelt_reader};
use crate::datum::SqlType;

/// The most digits of a number of which each DOUBLE has all.
const DOUBLE_DIGITS: usize = 15;

/// Reads such texts alone.
pub(super) struct PlainReader {
    sql_type: SqlType,
    reader: Box<dyn FieldReader>,
    /// Whether dates are written in a format, and timestamps in none: a date of another format is no timestamp.
    has_dates: bool,
    /// What stands in front of the fraction of a number, and between its thousands.
    point: char,
    between: Option<char>,
}

impl PlainReader {
    pub(super) fn new(sql_type: &SqlType, spelling: &Spelling) -> Self {
        Self {
            sql_type: sql_type.clone(),
            reader: spelt_reader(sql_type, spelling),
            has_dates: spelling.date.is_some() && spelling.timestamp.is_none(),
            point: spelling.decimal.unwrap_or('.'),
            between: spelling.thousands,
        }
    }

    /// What the number of a text would not have of it.
    fn check(&self, text: &str) -> Result<(), String> {
        match &self.sql_type {
            SqlType::Boolean => {
                let mut words = ["true", "false"].iter();
                if words.any(|word| word.eq_ignore_ascii_case(text)) {
                    Ok(())
                } else {
                    Err("is not a BOOLEAN: true or false".to_owned())
                }
            }
            SqlType::Timestamp { .. } if self.has_dates && !text.contains(':') => {
                Err("has no time of day".to_owned())
            }
            SqlType::BigInt => self.check_number(text),
            SqlType::Double => {
                self.check_number(text)?;
                self.check_digits(text)
            }
            SqlType::Decimal { .. } => {
                self.check_number(text)?;
                if text.contains(self.point) {
                    Err(format!("is no whole number, {}", self.sql_type))
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }

    fn check_number(&self, text: &str) -> Result<(), String> {
        #[cfg(test)]
        if crate::fault::active(crate::fault::Fault::LeadingZeroLost) {
            return Ok(());
        }
        if text.starts_with('+') {
            return Err("begins with a +, which a number would lose".to_owned());
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        if digits.starts_with('0') && is_digit(digits.as_bytes().get(1).copied()) {
            Err("begins with a zero, which a number would lose".to_owned())
        } else {
            Ok(())
        }
    }

    /// Whether a DOUBLE has every digit of a whole number.
    fn check_digits(&self, text: &str) -> Result<(), String> {
        let text = match self.between {
            Some(between) => text.replace(between, ""),
            None => text.to_owned(),
        };
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole || digits.trim_end_matches('0').len() <= DOUBLE_DIGITS {
            return Ok(());
        }
        let double: Option<f64> = digits.parse().ok();
        // As the number is, or as programs write it.
        let has_all =
            |double: f64| format!("{double:.0}") == digits || double.to_string() == digits;
        if double.is_some_and(has_all) {
            Ok(())
        } else {
            Err("has more digits than a DOUBLE".to_owned())
        }
    }
}

impl FieldReader for PlainReader {
    fn push(&mut self, text: &str) -> Result<(), String> {
        #[cfg(test)]
        let text = match text.split_once('.') {
            Some((whole, _)) if crate::fault::active(crate::fault::Fault::LateValueCut) => whole,
            _ => text,
        };
        // Of two things that are wrong the type is said first: `01x` is no number at all.
        match self.check(text) {
            Ok(()) => self.reader.push(text),
            Err(problem) => {
                let mut trial = spelt_reader(&self.sql_type, &Spelling::default());
                trial.push(text).and(Err(problem))
            }
        }
    }

    fn push_null(&mut self) {
        self.reader.push_null();
    }

    fn finish(&mut self) -> ArrayRef {
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::Precision;

    fn is_plain(sql_type: &SqlType, text: &str) -> bool {
        PlainReader::new(sql_type, &Spelling::default())
            .push(text)
            .is_ok()
    }

    #[test]
    fn a_number_says_all_that_its_text_says() {
        let whole = SqlType::Decimal {
            precision: 38,
            scale: 0,
        };
        for (text, is_integer, is_decimal, is_double) in [
            ("0", true, true, true),
            ("-7", true, true, true),
            ("007", false, false, false),
            ("-07", false, false, false),
            ("00.5", false, false, false),
            ("0.5", false, false, true),
            ("+7", false, false, false),
            ("7.0", false, false, true),
            ("1e3", false, false, true),
            ("NaN", false, false, true),
            ("9223372036854775807", true, true, false),
            ("9223372036854775808", false, true, true),
            ("9223372036854775809", false, true, false),
            ("100000000000000000000000", false, true, true),
            ("1_000", false, false, false),
            (" 1", false, false, false),
            ("", false, false, false),
        ] {
            assert_eq!(
                is_plain(&SqlType::BigInt, text),
                is_integer,
                "BIGINT {text}"
            );
            assert_eq!(is_plain(&whole, text), is_decimal, "DECIMAL {text}");
            assert_eq!(is_plain(&SqlType::Double, text), is_double, "DOUBLE {text}");
        }
    }

    #[test]
    fn a_date_of_another_format_is_no_timestamp() {
        let stamp = SqlType::Timestamp {
            precision: Precision::Nanosecond,
            utc: false,
        };
        let spelling = Spelling {
            date: Some("%d.%m.%Y".to_owned()),
            ..Spelling::default()
        };
        let mut reader = PlainReader::new(&stamp, &spelling);
        assert!(reader.push("2024-01-31").is_err());
        assert!(reader.push("2024-01-31 10:00").is_ok());
        assert!(is_plain(&stamp, "2024-01-31"));
    }

    #[test]
    fn what_is_wrong_is_said_of_the_type_first() {
        let mut reader = PlainReader::new(&SqlType::BigInt, &Spelling::default());
        assert_eq!(reader.push("01x").unwrap_err(), "is not of type BIGINT");
        assert!(
            reader
                .push("01")
                .unwrap_err()
                .contains("begins with a zero")
        );
    }
}
