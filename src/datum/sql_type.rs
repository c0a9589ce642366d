//! The SQL types of columns and key parts.

use std::fmt;

use chrono::{DateTime, NaiveDate, TimeDelta};
use serde::{Deserialize, Serialize};

use super::Datum;

/// The unit that a TIMESTAMP counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// `TIMESTAMP(0)`.
    Second,
    /// `TIMESTAMP(3)`.
    Millisecond,
    /// `TIMESTAMP(6)`.
    Microsecond,
    /// `TIMESTAMP(9)`, and plain `TIMESTAMP`.
    Nanosecond,
}

impl Precision {
    /// Digits after the second's decimal point: 0, 3, 6, 9.
    pub fn digits(self) -> u32 {
        match self {
            Self::Second => 0,
            Self::Millisecond => 3,
            Self::Microsecond => 6,
            Self::Nanosecond => 9,
        }
    }

    /// Nanoseconds in one unit.
    pub fn nanoseconds(self) -> i64 {
        10_i64.pow(9 - self.digits())
    }
}

/// The type of a column or of a key part's value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlType {
    /// BOOLEAN.
    Boolean,
    /// TINYINT: 8 bits.
    TinyInt,
    /// SMALLINT: 16 bits.
    SmallInt,
    /// INT: 32 bits.
    Integer,
    /// BIGINT: 64 bits.
    BigInt,
    /// TINYINT UNSIGNED: 8 bits without a sign.
    UnsignedTinyInt,
    /// SMALLINT UNSIGNED: 16 bits without a sign.
    UnsignedSmallInt,
    /// INT UNSIGNED: 32 bits without a sign.
    UnsignedInteger,
    /// BIGINT UNSIGNED: 64 bits without a sign.
    UnsignedBigInt,
    /// REAL: 32 bit floating point.
    Real,
    /// DOUBLE: 64 bit floating point.
    Double,
    /// DECIMAL(precision, scale), precision 1 … 38, scale 0 … precision.
    Decimal {
        /// Decimal digits in all.
        precision: u8,
        /// Decimal digits after the point.
        scale: i8,
    },
    /// TEXT, of any length.
    Text,
    /// VARCHAR(n): at most n characters.
    Varchar(u32),
    /// CHAR(n): at most n bytes of UTF-8, none of them `00`.
    Char(u32),
    /// BYTEA.
    Bytea,
    /// DATE: days.
    Date,
    /// TIMESTAMP [WITH TIME ZONE]; with time zone: an instant in UTC.
    Timestamp {
        /// The unit counted.
        precision: Precision,
        /// WITH TIME ZONE.
        utc: bool,
    },
    /// TIME of a day, in nanoseconds; in values only, as all that follow but UUID.
    Time,
    /// INTERVAL: months, days and nanoseconds.
    Interval,
    /// UUID: 16 bytes in keys and values, else a text in its canonical form.
    Uuid,
    /// JSON: a text that is JSON.
    Json,
    /// A LIST of values of one type, each of which may be NULL.
    List(Box<SqlType>),
    /// STRUCT: values under names, each of which may be NULL.
    Struct(Vec<(String, SqlType)>),
    /// MAP: values, which may be NULL, under keys, which may not.
    Map(Box<(SqlType, SqlType)>),
}

impl SqlType {
    /// Digits after the decimal point; 0 for all but decimals.
    pub fn scale(&self) -> i8 {
        match self {
            Self::Decimal { scale, .. } => *scale,
            _ => 0,
        }
    }

    /// Whether values are texts outside of what is stored: TEXT, VARCHAR, CHAR, UUID, JSON.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            Self::Text | Self::Varchar(_) | Self::Char(_) | Self::Uuid | Self::Json
        )
    }

    /// Whether values are whole numbers, with a sign or without.
    pub fn is_integer(&self) -> bool {
        self.is_short_integer() || matches!(self, Self::UnsignedBigInt)
    }

    /// Whether values are whole numbers that 64 bits with a sign hold: all but BIGINT UNSIGNED.
    pub fn is_short_integer(&self) -> bool {
        matches!(
            self,
            Self::TinyInt
                | Self::SmallInt
                | Self::Integer
                | Self::BigInt
                | Self::UnsignedTinyInt
                | Self::UnsignedSmallInt
                | Self::UnsignedInteger
        )
    }

    /// Whether values hold others: LIST, STRUCT, MAP.
    pub fn is_nested(&self) -> bool {
        matches!(self, Self::List(_) | Self::Struct(_) | Self::Map(_))
    }

    /// The types that a nested type is made of.
    pub fn members(&self) -> Vec<&Self> {
        match self {
            Self::List(element) => vec![element],
            Self::Struct(fields) => fields.iter().map(|(_, sql_type)| sql_type).collect(),
            Self::Map(entry) => vec![&entry.0, &entry.1],
            _ => Vec::new(),
        }
    }

    /// Whether every value but the greatest has a next one, so that closed bounds and counts make sense.
    pub fn is_discrete(&self) -> bool {
        self.limits().is_some()
    }

    /// The least and the greatest value of a discrete type.
    pub fn limits(&self) -> Option<(Datum, Datum)> {
        let integers = |low: i64, high: i64| Some((Datum::Integer(low), Datum::Integer(high)));
        match self {
            Self::Boolean => Some((Datum::Boolean(false), Datum::Boolean(true))),
            Self::TinyInt => integers(i8::MIN.into(), i8::MAX.into()),
            Self::UnsignedTinyInt => integers(0, u8::MAX.into()),
            Self::UnsignedSmallInt => integers(0, u16::MAX.into()),
            Self::UnsignedInteger => integers(0, u32::MAX.into()),
            Self::UnsignedBigInt => Some((Datum::Unsigned(0), Datum::Unsigned(u64::MAX))),
            Self::SmallInt => integers(i16::MIN.into(), i16::MAX.into()),
            Self::Integer => integers(i32::MIN.into(), i32::MAX.into()),
            Self::BigInt => integers(i64::MIN, i64::MAX),
            Self::Decimal { precision, .. } => {
                let most = 10_i128.pow(u32::from(*precision).min(38)) - 1;
                Some((Datum::Decimal(-most), Datum::Decimal(most)))
            }
            Self::Date => Some((Datum::Date(i32::MIN), Datum::Date(i32::MAX))),
            Self::Timestamp { .. } => {
                Some((Datum::Timestamp(i64::MIN), Datum::Timestamp(i64::MAX)))
            }
            _ => None,
        }
    }

    /// The datum of a discrete type that counts `value`, or `None` where the type does not reach so far.
    pub fn datum_of_integer(&self, value: i128) -> Option<Datum> {
        let (low, high) = self.limits()?;
        if value < low.as_integer()? || value > high.as_integer()? {
            return None;
        }
        match self {
            Self::Boolean => Some(Datum::Boolean(value == 1)),
            Self::UnsignedBigInt => u64::try_from(value).ok().map(Datum::Unsigned),
            short if short.is_short_integer() => i64::try_from(value).ok().map(Datum::Integer),
            Self::Decimal { .. } => Some(Datum::Decimal(value)),
            Self::Date => i32::try_from(value).ok().map(Datum::Date),
            Self::Timestamp { .. } => i64::try_from(value).ok().map(Datum::Timestamp),
            _ => None,
        }
    }

    /// The next greater value of a discrete type; `None` after the greatest and for all other types.
    pub fn successor(&self, value: &Datum) -> Option<Datum> {
        self.datum_of_integer(value.as_integer()?.checked_add(1)?)
    }

    /// The next smaller value of a discrete type; `None` before the least and for all other types.
    pub fn predecessor(&self, value: &Datum) -> Option<Datum> {
        self.datum_of_integer(value.as_integer()?.checked_sub(1)?)
    }

    /// Whether a column of this type may be a plain part of a row key.
    pub fn can_be_key(&self) -> bool {
        !self.is_nested() && !matches!(self, Self::Time | Self::Interval | Self::Json)
    }
}

impl fmt::Display for SqlType {
    /// The type as `CREATE TABLE` spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::TinyInt => f.write_str("TINYINT"),
            Self::UnsignedTinyInt => f.write_str("TINYINT UNSIGNED"),
            Self::UnsignedSmallInt => f.write_str("SMALLINT UNSIGNED"),
            Self::UnsignedInteger => f.write_str("INT UNSIGNED"),
            Self::UnsignedBigInt => f.write_str("BIGINT UNSIGNED"),
            Self::SmallInt => f.write_str("SMALLINT"),
            Self::Integer => f.write_str("INT"),
            Self::BigInt => f.write_str("BIGINT"),
            Self::Real => f.write_str("REAL"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            Self::Text => f.write_str("TEXT"),
            Self::Varchar(length) => write!(f, "VARCHAR({length})"),
            Self::Char(length) => write!(f, "CHAR({length})"),
            Self::Bytea => f.write_str("BYTEA"),
            Self::Date => f.write_str("DATE"),
            Self::Timestamp { precision, utc } => {
                write!(f, "TIMESTAMP({})", precision.digits())?;
                f.write_str(if *utc { " WITH TIME ZONE" } else { "" })
            }
            Self::Time => f.write_str("TIME"),
            Self::Interval => f.write_str("INTERVAL"),
            Self::Uuid => f.write_str("UUID"),
            Self::Json => f.write_str("JSON"),
            Self::List(element) => write!(f, "{element}[]"),
            Self::Struct(fields) => {
                f.write_str("STRUCT<")?;
                for (position, (name, sql_type)) in fields.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}{} {sql_type}", quoted(name))?;
                }
                f.write_str(">")
            }
            Self::Map(entry) => write!(f, "MAP({}, {})", entry.0, entry.1),
        }
    }
}

/// The name of a member of a STRUCT, in quotes unless it is plain.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if is_plain {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// `12345` of scale 2 as `123.45`.
pub(super) fn format_decimal(unscaled: i128, scale: i8) -> String {
    let places = usize::try_from(scale).unwrap_or(0);
    if places == 0 {
        return unscaled.to_string();
    }
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if unscaled < 0 { "-" } else { "" };
    format!("{sign}{whole}.{fraction}")
}

/// A date as `2024-01-31`, or its day number where the calendar ends.
pub(super) fn format_date(days: i32) -> String {
    NaiveDate::default()
        .checked_add_signed(TimeDelta::days(days.into()))
        .map_or_else(|| format!("day {days}"), |date| date.to_string())
}

/// A timestamp as `2024-01-31T05:06:07.890`, with `Z` behind an instant, or its count where the calendar ends.
pub(super) fn format_timestamp(count: i64, sql_type: &SqlType) -> String {
    let SqlType::Timestamp { precision, utc } = sql_type else {
        return count.to_string();
    };
    let per_second = 1_000_000_000 / precision.nanoseconds();
    let fraction = count.rem_euclid(per_second) * precision.nanoseconds();
    let stamp = u32::try_from(fraction).ok().and_then(|nanoseconds| {
        DateTime::from_timestamp(count.div_euclid(per_second), nanoseconds)
    });
    let Some(stamp) = stamp else {
        return format!("count {count}");
    };
    let whole = stamp.format("%Y-%m-%dT%H:%M:%S");
    let zone = if *utc { "Z" } else { "" };
    match precision.digits() as usize {
        0 => format!("{whole}{zone}"),
        digits => {
            let fraction = format!("{fraction:09}");
            format!(
                "{whole}.{}{zone}",
                fraction.get(..digits).unwrap_or(&fraction)
            )
        }
    }
}
