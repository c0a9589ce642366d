//! How the value of a key part becomes bytes; the table stands in the documentation of [`crate::key`].
//!
//! An [`Encoding`] writes and reads the ascending field of one value that is not NULL. Direction and NULL marker are
//! the part's business ([`crate::key::KeyPart`]).

mod bytes;
mod number;

use std::fmt::Debug;

use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Cut;

pub use self::bytes::{Digits, Escaped, Hex, Padded, Raw};
pub use self::number::{Boolean, Bucket, Decimal, Double, Integer};

/// One way to write values as bytes that are ordered as the values are.
///
/// The law: for values `a`, `b` of one type, `a < b` if and only if `encode(a) < encode(b)`, and no field is a proper
/// prefix of another.
pub trait Encoding: Debug + Send + Sync {
    /// Bytes of every field, if all are equally long.
    fn width(&self) -> Option<usize>;

    /// Appends the field of `value`.
    ///
    /// # Errors
    /// `InvalidInput` where the value has no field, such as a CHAR that holds `00`.
    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()>;

    /// Reads one field from the front of `bytes`: the value and the field's length.
    ///
    /// # Errors
    /// `Corrupt` where no field stands there.
    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)>;

    /// The length of the field at the front of `bytes`.
    ///
    /// # Errors
    /// `Corrupt` where no field stands there.
    fn length(&self, bytes: &[u8]) -> Result<usize> {
        match self.width() {
            Some(width) if bytes.len() >= width => Ok(width),
            Some(width) => Err(too_short(bytes.len(), width)),
            None => self.decode(bytes).map(|(_, length)| length),
        }
    }

    /// Bytes that every field after `cut` reaches and no field before it does, whatever follows the field; `None` past
    /// the last field.
    ///
    /// The value of a cut need not have a field of its own: a text too long for its CHAR still has its place.
    ///
    /// # Errors
    /// `InvalidInput` where the value is not of the encoding's type.
    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        match cut {
            Cut::Start => Ok(Some(Vec::new())),
            Cut::End => Ok(None),
            Cut::Below(value) => {
                let mut field = Vec::new();
                self.encode(value, &mut field)?;
                Ok(Some(field))
            }
            Cut::Above(value) => {
                let mut field = Vec::new();
                self.encode(value, &mut field)?;
                Ok(crate::keyrange::prefix_successor(&field))
            }
        }
    }
}

/// The encoding of a plain column of `sql_type`; `None` for a type that cannot be a key.
pub fn of_type(sql_type: &SqlType) -> Option<Box<dyn Encoding>> {
    Some(match sql_type {
        SqlType::Boolean => Box::new(Boolean),
        SqlType::SmallInt => Box::new(Integer::new(2, sql_type)),
        SqlType::Integer => Box::new(Integer::new(4, sql_type)),
        SqlType::BigInt => Box::new(Integer::new(8, sql_type)),
        SqlType::Date => Box::new(Integer::new(4, sql_type)),
        SqlType::Timestamp { .. } => Box::new(Integer::new(8, sql_type)),
        SqlType::Double => Box::new(Double),
        SqlType::Decimal { precision, .. } => Box::new(Decimal::new(*precision)),
        SqlType::Text | SqlType::Varchar(_) => Box::new(Escaped::text()),
        SqlType::Bytea => Box::new(Escaped::bytes()),
        SqlType::Char(length) => Box::new(Padded::new(*length)),
        SqlType::Real => return None,
    })
}

/// `value` has no field where `expected` is stored.
fn no_field(value: &Datum, expected: &str) -> Error {
    Error::invalid(format!("{value:?} is no {expected}"))
}

/// The bytes end inside a field.
fn too_short(found: usize, width: usize) -> Error {
    Error::corrupt(format!("{found} bytes where a field has {width}"))
}

#[cfg(test)]
#[path = "encoding_tests.rs"]
mod tests;
