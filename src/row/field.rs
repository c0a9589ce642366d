//! The bytes of one value by themselves, outside of any row.

use arrow::array::ArrayRef;

use super::check::checked;
use super::format::{Shape, Slot, header_length};
use super::values::{StoredColumn, encode_values};
use crate::error::{Error, Result};
use crate::schema::{Column, StoredField};

/// The field that a row has for the only value of `value`, which is of the column's type; `None` for NULL.
///
/// # Errors
/// `InvalidInput` for a value that the column cannot hold.
pub fn stored_field(column: &Column, value: &ArrayRef) -> Result<Option<StoredField>> {
    let alone = StoredColumn {
        position: 0,
        id: 0,
        sql_type: column.sql_type.clone(),
    };
    let nullable = Column {
        nullable: true,
        ..column.clone()
    };
    let value = checked(&nullable, value).map_err(|error| error.error)?;
    let values = encode_values(&[alone], &[value], 1)?;
    let lost = || Error::internal("a value that is lost while it is encoded");
    let bytes = values.get(0).ok_or_else(lost)?;
    let header = bytes.get(..header_length(bytes)?).ok_or_else(lost)?;
    let shape = Shape::parse(header)?;
    let field = match shape.slot(0) {
        Slot::Absent | Slot::Null => return Ok(None),
        Slot::Fixed { offset, width } => bytes.get(offset..offset + width),
        Slot::Variable(number) => shape.variable(bytes, number),
    };
    let field = field.ok_or_else(lost)?;
    Ok(Some(StoredField(field.to_vec())))
}
