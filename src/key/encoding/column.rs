//! Where the fields of a column stand: in a buffer to be written, in keys to be read.

use std::sync::Arc;

use arrow::array::{ArrayRef, ArrowPrimitiveType, BinaryArray, PrimitiveArray, StringArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use super::bytes::utf8;
use crate::error::{Error, Result};
use crate::key::row_error::RowError;

/// Writes fields, each at its row's offset.
#[derive(Debug)]
pub struct FieldWriter<'a> {
    bytes: &'a mut [u8],
    offsets: &'a mut [usize],
    /// What every byte is XORed with: `FF` for a descending part.
    mask: u8,
}

impl<'a> FieldWriter<'a> {
    /// Fields begin at `offsets` in `bytes`; the offsets move behind what is written.
    pub fn new(bytes: &'a mut [u8], offsets: &'a mut [usize]) -> Self {
        Self {
            bytes,
            offsets,
            mask: 0,
        }
    }

    /// From now on writes the complement of every byte, or not.
    pub fn complement(&mut self, complement: bool) {
        self.mask = if complement { 0xff } else { 0 };
    }

    /// Writes bytes of a row.
    #[inline]
    pub fn put<const WIDTH: usize>(&mut self, row: usize, field: [u8; WIDTH]) {
        let masked = field.map(|byte| byte ^ self.mask);
        if let Some(slot) = self.advance(row, WIDTH) {
            slot.copy_from_slice(&masked);
        }
    }

    /// Writes bytes of a row.
    #[inline]
    pub fn put_slice(&mut self, row: usize, field: &[u8]) {
        let mask = self.mask;
        if let Some(slot) = self.advance(row, field.len()) {
            slot.copy_from_slice(field);
            if mask != 0 {
                slot.iter_mut().for_each(|byte| *byte = !*byte);
            }
        }
    }

    /// The next bytes of a row. There are as many as were counted; whether all were used is asked at the end.
    #[inline]
    fn advance(&mut self, row: usize, length: usize) -> Option<&mut [u8]> {
        let offset = self.offsets.get_mut(row)?;
        let start = *offset;
        *offset += length;
        self.bytes.get_mut(start..start + length)
    }
}

/// Where the field of a part begins in keys, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldOffset {
    /// From the start of every key.
    FromStart(usize),
    /// Back from the end of every key.
    FromEnd(usize),
    /// From the start of each key, one for each.
    Each(Vec<u32>),
}

/// Reads the fields of one part from keys.
#[derive(Debug)]
pub struct FieldReader<'a> {
    keys: &'a [&'a [u8]],
    offset: FieldOffset,
    /// What every byte is XORed with: `FF` for a descending part.
    mask: u8,
    /// The markers of a value and of NULL, for a part that can be NULL.
    markers: Option<(u8, u8)>,
}

impl<'a> FieldReader<'a> {
    /// The fields at `offset`, behind a marker if the part has some.
    pub fn new(
        keys: &'a [&'a [u8]],
        offset: FieldOffset,
        descending: bool,
        markers: Option<(u8, u8)>,
    ) -> Self {
        Self {
            keys,
            offset,
            mask: if descending { 0xff } else { 0 },
            markers,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.keys.len()
    }

    /// `FF` where the bytes of fields are complements, else `00`.
    pub fn mask(&self) -> u8 {
        self.mask
    }

    /// The bytes from the field of a row on to the end of its key; `None` for NULL.
    ///
    /// # Errors
    /// `Corrupt` where the key ends before, or no marker stands where there must be one.
    #[inline]
    pub fn field(&self, row: usize) -> Result<Option<&'a [u8]>, RowError> {
        let key = self.keys.get(row).copied().unwrap_or_default();
        let start = match &self.offset {
            FieldOffset::FromStart(start) => Some(*start),
            FieldOffset::FromEnd(before) => key.len().checked_sub(*before),
            FieldOffset::Each(starts) => starts.get(row).map(|start| *start as usize),
        };
        let Some(bytes) = start.and_then(|start| key.get(start..)) else {
            return Err(RowError::at(
                row,
                Error::corrupt("a row key that ends early"),
            ));
        };
        let Some((value, null)) = self.markers else {
            return Ok(Some(bytes));
        };
        match bytes.split_first() {
            Some((marker, field)) if *marker == value => Ok(Some(field)),
            Some((marker, _)) if *marker == null => Ok(None),
            _ => Err(RowError::at(
                row,
                Error::corrupt("a row key without the marker of NULL"),
            )),
        }
    }

    /// A column of numbers, each read from the front of a field by `read`.
    ///
    /// # Errors
    /// `Corrupt` with the row where `read` finds no field.
    pub fn numbers<T: ArrowPrimitiveType>(
        &self,
        read: impl Fn(&[u8]) -> Option<T::Native>,
    ) -> Result<PrimitiveArray<T>, RowError> {
        let mut values = Vec::with_capacity(self.rows());
        let mut valid = Vec::new();
        for row in 0..self.rows() {
            let field = self.field(row)?;
            if self.markers.is_some() {
                valid.push(field.is_some());
            }
            values.push(match field {
                Some(bytes) => read(bytes)
                    .ok_or_else(|| RowError::at(row, Error::corrupt("no field in a row key")))?,
                None => T::Native::default(),
            });
        }
        let nulls = self.markers.map(|_| NullBuffer::from(valid));
        Ok(PrimitiveArray::new(ScalarBuffer::from(values), nulls))
    }

    /// A column of TEXT or BYTEA, each value appended by `read` from the front of a field.
    ///
    /// # Errors
    /// `Corrupt` with the row where `read` finds no field, or what it finds must be UTF-8 and is not.
    pub fn strings(
        &self,
        text: bool,
        read: impl Fn(&[u8], &mut Vec<u8>) -> Result<()>,
    ) -> Result<ArrayRef, RowError> {
        let mut values = Vec::new();
        let mut ends = Vec::with_capacity(self.rows() + 1);
        ends.push(0_i32);
        let mut valid = Vec::new();
        for row in 0..self.rows() {
            let field = self.field(row)?;
            if self.markers.is_some() {
                valid.push(field.is_some());
            }
            if let Some(bytes) = field {
                read(bytes, &mut values).map_err(|error| RowError::at(row, error))?;
            }
            let end = i32::try_from(values.len());
            ends.push(
                end.map_err(|_| Error::internal("more than 2 GiB of text in one batch of rows"))?,
            );
        }
        let nulls = self.markers.map(|_| NullBuffer::from(valid));
        finish_strings(text, ends, values, nulls)
    }
}

/// An array of texts or bytes; the end of each is the start of the next.
fn finish_strings(
    text: bool,
    ends: Vec<i32>,
    values: Vec<u8>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, RowError> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    let values = Buffer::from(values);
    let internal = |error| Error::internal("an array of decoded fields").with_source(error);
    if !text {
        return Ok(Arc::new(
            BinaryArray::try_new(offsets, values, nulls).map_err(internal)?,
        ));
    }
    match StringArray::try_new(offsets.clone(), values.clone(), nulls) {
        Ok(array) => Ok(Arc::new(array)),
        Err(error) => {
            // All were looked at together; now find the one that is wrong.
            for (row, bounds) in offsets.windows(2).enumerate() {
                if let [start, end] = bounds {
                    let bytes = values
                        .get(*start as usize..*end as usize)
                        .unwrap_or_default();
                    utf8(bytes.to_vec()).map_err(|error| RowError::at(row, error))?;
                }
            }
            Err(internal(error).into())
        }
    }
}
