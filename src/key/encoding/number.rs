//! What fields of numbers share.

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};

use super::column::FieldWriter;
use super::{downcast, no_field, too_short};
use crate::datum::Datum;
use crate::error::Result;
use crate::key::domain::Cut;
use crate::key::row_error::RowError;

/// The place of a cut among whole numbers of which `least … greatest` have fields.
pub(super) fn position_among(
    cut: &Cut,
    number: impl Fn(&Datum) -> Option<i128>,
    (least, greatest): (i128, i128),
    push: impl Fn(i128, &mut Vec<u8>),
) -> Result<Option<Vec<u8>>> {
    let wanted = |value: &Datum| number(value).ok_or_else(|| no_field(value, "whole number"));
    let first = match cut {
        Cut::Start => return Ok(Some(Vec::new())),
        Cut::End => return Ok(None),
        Cut::Below(value) => wanted(value)?,
        Cut::Above(value) => wanted(value)?.saturating_add(1),
    };
    if first > greatest {
        return Ok(None);
    }
    let mut field = Vec::new();
    if first > least {
        push(first, &mut field);
    }
    Ok(Some(field))
}

/// The low `width` bytes of `number`, big-endian, sign bit flipped.
pub(super) fn push_flipped(number: i128, width: usize, into: &mut Vec<u8>) {
    let flipped = number ^ (1 << (8 * width - 1));
    let bytes = flipped.to_be_bytes();
    into.extend(bytes.iter().skip(bytes.len() - width));
}

/// The number whose `width` bytes stand at the front, big-endian, sign bit flipped.
pub(super) fn read_flipped(bytes: &[u8], width: usize) -> Result<i128> {
    let field = bytes
        .get(..width)
        .ok_or_else(|| too_short(bytes.len(), width))?;
    let unsigned = field
        .iter()
        .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let flipped = unsigned ^ (1 << (8 * width - 1));
    // Moved to the top and back, the sign bit fills what is above the field.
    let unused = 128 - 8 * width;
    Ok((flipped << unused).cast_signed() >> unused)
}

/// Writes each value that is not NULL as the bytes that `field` makes of it.
#[inline]
pub(super) fn write<T: ArrowPrimitiveType, const WIDTH: usize>(
    values: &ArrayRef,
    writer: &mut FieldWriter<'_>,
    field: impl Fn(T::Native) -> [u8; WIDTH],
) -> Result<(), RowError> {
    let array: &PrimitiveArray<T> = downcast(values)?;
    match array.nulls() {
        None => {
            for (row, value) in array.values().iter().enumerate() {
                writer.put(row, field(*value));
            }
        }
        Some(nulls) => {
            for (row, value) in array.values().iter().enumerate() {
                if nulls.is_valid(row) {
                    writer.put(row, field(*value));
                }
            }
        }
    }
    Ok(())
}

/// The first bytes, each `XOR mask`.
#[inline]
pub(super) fn masked<const WIDTH: usize>(bytes: &[u8], mask: u8) -> Option<[u8; WIDTH]> {
    bytes
        .first_chunk()
        .map(|field| field.map(|byte| byte ^ mask))
}
