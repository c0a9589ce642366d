//! Single values, wherever they stand: what they may be, and bytes that are not simply theirs.

use arrow::datatypes::IntervalMonthDayNano;

use crate::datum::{SqlType, canonical_uuid, json_fault};

/// Why a text cannot be a value of a type.
pub(super) fn value_fault(sql_type: &SqlType, text: &str) -> Option<String> {
    match sql_type {
        SqlType::Varchar(length) if is_longer(text, *length) => {
            Some(format!("it has more than {length} characters"))
        }
        SqlType::Char(length) if text.len() > *length as usize || text.contains('\0') => Some(
            format!("at most {length} bytes of UTF-8 are possible, none of them 00"),
        ),
        SqlType::Json => json_fault(text).map(|fault| format!("it is no JSON: {fault}")),
        SqlType::Uuid if canonical_uuid(text).is_none() => Some("it is no UUID".to_owned()),
        _ => None,
    }
}

/// Whether so many nanoseconds behind midnight are a time of the day.
pub(super) fn is_day_time(nanoseconds: i64) -> bool {
    (0..86_400_000_000_000).contains(&nanoseconds)
}

/// A text has at least a quarter as many characters as bytes and at most as many.
fn is_longer(text: &str, characters: u32) -> bool {
    text.len() > characters as usize && text.chars().nth(characters as usize).is_some()
}

/// Months, days and nanoseconds.
pub(super) fn interval_bytes(value: IntervalMonthDayNano) -> [u8; 16] {
    let mut bytes = [0; 16];
    let (months, rest) = bytes.split_at_mut(4);
    let (days, nanoseconds) = rest.split_at_mut(4);
    months.copy_from_slice(&value.months.to_le_bytes());
    days.copy_from_slice(&value.days.to_le_bytes());
    nanoseconds.copy_from_slice(&value.nanoseconds.to_le_bytes());
    bytes
}

/// What [`interval_bytes`] wrote.
pub(super) fn interval_of(bytes: [u8; 16]) -> IntervalMonthDayNano {
    let number = i128::from_le_bytes(bytes);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the parts of a number are taken out of it"
    )]
    IntervalMonthDayNano {
        months: number as i32,
        days: (number >> 32) as i32,
        nanoseconds: (number >> 64) as i64,
    }
}

/// The low half of an unscaled value of at most 18 digits, which fits into it.
pub(super) fn short_decimal(value: i128) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = value.to_le_bytes();
    [a, b, c, d, e, f, g, h]
}
