//! A typed SQL value as it appears in a row key.
//!
//! A [`Datum`] is never NULL: where NULL is possible, `Option<Datum>` says so. Its meaning needs a [`SqlType`]: a
//! decimal is held unscaled, a timestamp counts the unit of its type. Two data of one type are ordered as their
//! encodings in an ascending key are: numbers by value (NaN greatest), text and bytes bytewise, `false` before `true`.
//!
//! Floating point values are canonical: [`Datum::double`] turns −0.0 into 0.0 and every NaN into the positive quiet one.

mod arrow;
mod bytes;
mod canonical;
mod clocks;
mod coarser;
mod identifier;
mod json;
mod nearest;
mod sql_type;
mod texts;
mod time_format;
mod type_names;
mod type_words;
mod words;
mod written;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

pub use self::arrow::{datum_at, to_array};
pub use self::bytes::{bytes_of_hex, bytes_of_text};
pub use self::canonical::{canonical_array, canonical_double, canonical_real, canonical_scalar};
pub use self::clocks::{Clocks, with_seconds};
pub use self::coarser::{CutTexts, first_between, in_coarser_unit};
pub use self::identifier::identifier;
pub use self::json::{Json, JsonKind, JsonMember, MalformedJson};
pub use self::nearest::{nearest, nearest_number};
pub use self::sql_type::{Precision, SqlType};
pub use self::texts::{UUID_BYTES, bytes_of_uuid, canonical_uuid, json_fault, text_of_uuid};
pub use self::time_format::{TimeFormat, WrittenTime};
pub use self::type_names::{is_bytes, type_name, upper_type_name};
pub use self::words::plain;
pub use self::written::{with_units, without_exponent};

/// A value that is not NULL.
#[derive(Debug, Clone)]
pub enum Datum {
    /// BOOLEAN.
    Boolean(bool),
    /// TINYINT, SMALLINT, INT, BIGINT, and all that are UNSIGNED but BIGINT.
    Integer(i64),
    /// BIGINT UNSIGNED.
    Unsigned(u64),
    /// REAL and DOUBLE, canonical; make it with [`Datum::double`].
    Double(f64),
    /// DECIMAL(p, s): the value times 10ˢ.
    Decimal(i128),
    /// TEXT, VARCHAR(n), CHAR(n), UUID; a CHAR without its padding, a UUID in its canonical form.
    Text(String),
    /// BYTEA.
    Bytes(Vec<u8>),
    /// DATE: days since 1970-01-01.
    Date(i32),
    /// TIMESTAMP: units of the type's precision since 1970-01-01 00:00:00.
    Timestamp(i64),
}

impl Datum {
    /// A canonical floating point value.
    pub fn double(value: f64) -> Self {
        Self::Double(canonical_double(value))
    }

    /// The integer, date or timestamp count, or the unscaled decimal; `None` for all others.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) | Self::Timestamp(value) => Some(i128::from(*value)),
            Self::Date(value) => Some(i128::from(*value)),
            Self::Unsigned(value) => Some(i128::from(*value)),
            Self::Decimal(value) => Some(*value),
            Self::Boolean(value) => Some(i128::from(*value)),
            Self::Double(_) | Self::Text(_) | Self::Bytes(_) => None,
        }
    }

    /// The characters of a text; `None` for all others.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Boolean(_) => 0,
            Self::Integer(_) => 1,
            Self::Double(_) => 2,
            Self::Decimal(_) => 3,
            Self::Text(_) => 4,
            Self::Bytes(_) => 5,
            Self::Date(_) => 6,
            Self::Timestamp(_) => 7,
            Self::Unsigned(_) => 8,
        }
    }
}

impl Ord for Datum {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) | (Self::Timestamp(a), Self::Timestamp(b)) => {
                a.cmp(b)
            }
            (Self::Unsigned(a), Self::Unsigned(b)) => a.cmp(b),
            (Self::Double(a), Self::Double(b)) => a.total_cmp(b),
            (Self::Decimal(a), Self::Decimal(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            // Values of different types do not meet; the order between them is arbitrary but total.
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Datum {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Datum {}

impl Hash for Datum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Self::Boolean(value) => value.hash(state),
            Self::Integer(value) | Self::Timestamp(value) => value.hash(state),
            Self::Double(value) => value.to_bits().hash(state),
            Self::Decimal(value) => value.hash(state),
            Self::Text(value) => value.hash(state),
            Self::Bytes(value) => value.hash(state),
            Self::Date(value) => value.hash(state),
            Self::Unsigned(value) => value.hash(state),
        }
    }
}

/// A datum with its type, to be shown to a person.
#[derive(Debug, Clone, Copy)]
pub struct Readable<'a>(pub &'a Datum, pub &'a SqlType);

impl fmt::Display for Readable<'_> {
    /// The value as SQL prints it: no quotes, bytes as `\x` and hex digits, a decimal with its point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Datum::Boolean(value) => write!(f, "{value}"),
            Datum::Integer(value) => write!(f, "{value}"),
            Datum::Unsigned(value) => write!(f, "{value}"),
            Datum::Double(value) => write!(f, "{value:?}"),
            Datum::Decimal(value) => f.write_str(&sql_type::format_decimal(*value, self.1.scale())),
            Datum::Text(value) => f.write_str(value),
            Datum::Bytes(value) => write!(f, "\\x{}", crate::keyrange::hex(value)),
            Datum::Date(days) => f.write_str(&sql_type::format_date(*days)),
            Datum::Timestamp(count) => f.write_str(&sql_type::format_timestamp(*count, self.1)),
        }
    }
}

#[cfg(test)]
#[path = "datum_tests.rs"]
mod tests;
