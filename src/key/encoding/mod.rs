//! How the value of a key part becomes bytes; the table stands in the documentation of [`crate::key`].
//!
//! An [`Encoding`] writes and reads the ascending field of one value that is not NULL. Direction and NULL marker are
//! the part's business ([`crate::key::KeyPart`]).

mod boolean;
mod bucket;
mod bytes;
pub mod column;
mod decimal;
mod digits;
mod double;
mod escaped;
mod hex;
mod integer;
mod natural;
mod number;
mod padded;
mod raw;
mod real;

use std::fmt::Debug;

use arrow::array::{Array, ArrayRef};

use self::column::{FieldReader, FieldWriter};
use crate::datum::{Datum, SqlType, datum_at, to_array};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;

pub use self::boolean::Boolean;
pub use self::bucket::BucketNumber;
pub use self::decimal::Decimal;
pub use self::digits::Digits;
pub use self::double::Double;
pub use self::escaped::Escaped;
pub use self::hex::Hex;
pub use self::integer::Integer;
pub use self::natural::Natural;
pub use self::padded::Padded;
pub use self::raw::Raw;
pub use self::real::Real;

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

    /// The length of the field at the front of `bytes`, each of which is its complement.
    ///
    /// # Errors
    /// `Corrupt` where no field stands there.
    fn descending_length(&self, bytes: &[u8]) -> Result<usize> {
        match self.width() {
            Some(_) => self.length(bytes),
            None => self.length(&bytes.iter().map(|byte| !byte).collect::<Vec<u8>>()),
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

    /// Adds the length of each value's field to its row's; NULL adds nothing.
    ///
    /// # Errors
    /// `InvalidInput` with the row whose value has no field.
    fn column_lengths(
        &self,
        values: &ArrayRef,
        sql_type: &SqlType,
        lengths: &mut [usize],
    ) -> Result<(), RowError> {
        if let Some(width) = self.width() {
            for (row, length) in lengths.iter_mut().enumerate() {
                *length += if values.is_valid(row) { width } else { 0 };
            }
            return Ok(());
        }
        let mut field = Vec::new();
        for (row, length) in lengths.iter_mut().enumerate() {
            if let Some(value) = datum_at(values, row, sql_type)? {
                field.clear();
                self.encode(&value, &mut field)
                    .map_err(|error| RowError::at(row, error))?;
                *length += field.len();
            }
        }
        Ok(())
    }

    /// Writes the field of each value that is not NULL.
    ///
    /// # Errors
    /// `InvalidInput` with the row whose value has no field.
    fn write_column(
        &self,
        values: &ArrayRef,
        sql_type: &SqlType,
        writer: &mut FieldWriter<'_>,
    ) -> Result<(), RowError> {
        let mut field = Vec::new();
        for row in 0..values.len() {
            if let Some(value) = datum_at(values, row, sql_type)? {
                field.clear();
                self.encode(&value, &mut field)
                    .map_err(|error| RowError::at(row, error))?;
                writer.put_slice(row, &field);
            }
        }
        Ok(())
    }

    /// The values of fields as a column of `sql_type`.
    ///
    /// # Errors
    /// `Corrupt` with the row where no field stands.
    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mut values = Vec::with_capacity(reader.rows());
        let mut ascending = Vec::new();
        for row in 0..reader.rows() {
            let Some(bytes) = reader.field(row)? else {
                values.push(None);
                continue;
            };
            let bytes = if reader.mask() == 0 {
                bytes
            } else {
                ascending.clear();
                ascending.extend(bytes.iter().map(|byte| !byte));
                &ascending
            };
            let (value, _) = self
                .decode(bytes)
                .map_err(|error| RowError::at(row, error))?;
            values.push(Some(value));
        }
        Ok(to_array(&values, sql_type)?)
    }
}

/// The encoding of a plain column of `sql_type`; `None` for a type that cannot be a key.
pub fn of_type(sql_type: &SqlType) -> Option<Box<dyn Encoding>> {
    Some(match sql_type {
        SqlType::Boolean => Box::new(Boolean),
        SqlType::TinyInt => Box::new(Integer::new(1, sql_type)),
        SqlType::UnsignedTinyInt => Box::new(Natural::new(1)),
        SqlType::UnsignedSmallInt => Box::new(Natural::new(2)),
        SqlType::UnsignedInteger => Box::new(Natural::new(4)),
        SqlType::UnsignedBigInt => Box::new(Natural::new(8)),
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
        SqlType::Real => Box::new(Real),
        SqlType::Uuid => Box::new(Hex::uuid()),
        SqlType::Time
        | SqlType::Interval
        | SqlType::Json
        | SqlType::List(_)
        | SqlType::Struct(_)
        | SqlType::Map(_) => return None,
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

/// The array as one of Arrow's type `T`.
fn downcast<T: Array + 'static>(values: &ArrayRef) -> Result<&T> {
    values.as_any().downcast_ref().ok_or_else(|| {
        Error::internal(format!(
            "a column of {} for another type",
            values.data_type()
        ))
    })
}

#[cfg(test)]
#[path = "encoding_tests.rs"]
mod tests;
