//! Row keys a column at a time: from Arrow arrays to one buffer of keys and back.
//!
//! To encode, every part computes its values as an array; then the lengths of all fields are added up, and each part
//! writes its fields at their places in one buffer. To decode, a part's field is found at a place that is the same in
//! every key, counted from the start or from the end, where the parts before or behind it are of fixed width; only
//! otherwise are keys walked, once for all columns. What comes out is what [`RowKey::encode`] and
//! [`RowKey::decode`] say row by row.

use arrow::array::{Array, ArrayRef, AsArray};

use super::definition::SortOrder;
use super::encoding::column::{FieldOffset, FieldReader, FieldWriter};
use super::layout::{ROW_KEY_BYTES, RowKey, too_long};
use super::part::{KeyPart, VALUE_MARKER};
use super::row_error::RowError;
use crate::datum::{Datum, SqlType, datum_at};
use crate::error::{Error, Result};

/// The row keys of some rows, one after the other in one buffer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyBuffer {
    bytes: Vec<u8>,
    /// Where each key ends.
    ends: Vec<usize>,
}

impl KeyBuffer {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The key of a row.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let end = *self.ends.get(row)?;
        self.bytes.get(self.start(row)..end)
    }

    /// The keys in the order of rows.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|row| self.get(row))
    }

    /// The bytes of all keys, one behind the other, and where each ends.
    pub fn into_bytes(self) -> (Vec<u8>, Vec<usize>) {
        (self.bytes, self.ends)
    }

    fn start(&self, row: usize) -> usize {
        match row.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or_default(),
            None => 0,
        }
    }
}

impl RowKey {
    /// The row keys of `rows` rows, given by the table's columns in their order. A column that no part is computed
    /// from may be left out.
    ///
    /// # Errors
    /// `InvalidInput` with the row where a part has no value for it, or its key is too long.
    pub fn encode_columns(
        &self,
        columns: &[Option<ArrayRef>],
        rows: usize,
    ) -> Result<KeyBuffer, RowError> {
        let mut arrays = Vec::with_capacity(self.parts().len());
        for part in self.parts() {
            arrays.push(part.column(columns, rows)?);
        }
        let mut lengths = vec![0; rows];
        for (part, array) in self.parts().iter().zip(&arrays) {
            part.add_lengths(array, &mut lengths)?;
        }
        let ends = ends_of(&lengths)?;
        let mut keys = KeyBuffer {
            bytes: vec![0; ends.last().copied().unwrap_or_default()],
            ends,
        };
        let mut offsets: Vec<usize> = (0..rows).map(|row| keys.start(row)).collect();
        for (part, array) in self.parts().iter().zip(&arrays) {
            part.write(array, &mut offsets, &mut keys.bytes)?;
        }
        if offsets != keys.ends {
            return Err(Error::internal("fields of another length than was counted").into());
        }
        debug_assert!(
            self.comes_back(&keys, &arrays),
            "what is encoded must decode"
        );
        Ok(keys)
    }

    /// Sees to it that the texts of these columns have ids in the dictionaries of the key: what comes before rows with
    /// them are encoded. It waits for the disk where one has none.
    ///
    /// # Errors
    /// Those of [`Dictionary::learn`](super::Dictionary::learn).
    pub fn learn(&self, columns: &[Option<ArrayRef>]) -> Result<()> {
        for (position, dictionary) in self.dictionaries() {
            let source = self.part(*position)?.sources().first();
            let column = source.and_then(|source| columns.get(*source)?.as_ref());
            if let Some(texts) = column.and_then(|column| column.as_string_opt::<i32>()) {
                dictionary.learn(texts.iter().flatten())?;
            }
        }
        Ok(())
    }

    /// The values of the parts at `wanted`, each as a column of its part's type.
    ///
    /// # Errors
    /// `Corrupt` with the row where a key is none of this layout.
    pub fn decode_columns(
        &self,
        keys: &[&[u8]],
        wanted: &[usize],
    ) -> Result<Vec<ArrayRef>, RowError> {
        let offsets = self.field_offsets(keys, wanted)?;
        let mut columns = Vec::with_capacity(wanted.len());
        for (position, offset) in wanted.iter().zip(offsets) {
            columns.push(self.part(*position)?.read(keys, offset)?);
        }
        Ok(columns)
    }

    /// The table's columns at `wanted`, each of which a part must give back.
    ///
    /// # Errors
    /// `Corrupt` with the row where a key is none of this layout; `Internal` where no part gives a column back.
    pub fn restore_columns(
        &self,
        keys: &[&[u8]],
        wanted: &[usize],
    ) -> Result<Vec<ArrayRef>, RowError> {
        let mut parts = Vec::with_capacity(wanted.len());
        for column in wanted {
            let part = self.restoring_part(*column);
            parts.push(
                part.ok_or_else(|| Error::internal(format!("no part gives column {column} back")))?,
            );
        }
        let values = self.decode_columns(keys, &parts)?;
        let columns = wanted
            .iter()
            .zip(parts)
            .zip(values)
            .map(|((column, part), values)| {
                let column = self.columns().get(*column);
                let column = column.ok_or_else(|| Error::internal("a column that is not there"))?;
                let transform = self.part(part)?.transform();
                transform.restore_column(&values, &column.sql_type)
            });
        columns.collect()
    }

    fn part(&self, position: usize) -> Result<&KeyPart> {
        self.parts()
            .get(position)
            .ok_or_else(|| Error::internal(format!("there is no key part {position}")))
    }

    /// Where the fields of the parts at `wanted` stand.
    fn field_offsets(
        &self,
        keys: &[&[u8]],
        wanted: &[usize],
    ) -> Result<Vec<FieldOffset>, RowError> {
        let fixed: Vec<Option<usize>> = self.parts().iter().map(KeyPart::fixed_length).collect();
        let walked = wanted
            .iter()
            .filter(|position| self.fixed_offset(&fixed, **position).is_none());
        let mut starts = FieldStarts::new(self, keys, walked.copied().max())?;
        check_ends(self, &fixed, keys)?;
        let offset = |position: &usize| {
            let fixed = self.fixed_offset(&fixed, *position);
            fixed.unwrap_or_else(|| starts.take(*position))
        };
        Ok(wanted.iter().map(offset).collect())
    }

    /// As [`fixed_offset`]; where keys go on, nothing is counted from their ends.
    fn fixed_offset(&self, fixed: &[Option<usize>], position: usize) -> Option<FieldOffset> {
        let is_from_end = |offset: &FieldOffset| matches!(offset, FieldOffset::FromEnd(_));
        fixed_offset(fixed, position).filter(|offset| !(self.goes_on() && is_from_end(offset)))
    }

    fn comes_back(&self, keys: &KeyBuffer, arrays: &[ArrayRef]) -> bool {
        let slices: Vec<&[u8]> = keys.iter().collect();
        let wanted: Vec<usize> = (0..arrays.len()).collect();
        self.decode_columns(&slices, &wanted).is_ok_and(|decoded| {
            // Floating point values are made canonical on the way.
            let same = |(decoded, array): (&ArrayRef, &ArrayRef)| {
                array.data_type().is_floating() || decoded.as_ref() == array.as_ref()
            };
            decoded.len() == arrays.len() && decoded.iter().zip(arrays).all(same)
        })
    }
}

/// The ends of keys of these lengths, one after the other.
fn ends_of(lengths: &[usize]) -> Result<Vec<usize>, RowError> {
    let mut ends = Vec::with_capacity(lengths.len());
    let mut end = 0_usize;
    for (row, length) in lengths.iter().enumerate() {
        if *length > ROW_KEY_BYTES {
            return Err(RowError::at(row, too_long(*length)));
        }
        end += length;
        ends.push(end);
    }
    Ok(ends)
}

/// Where the field of a part stands in every key, if the parts on one side of it are of fixed length.
fn fixed_offset(fixed: &[Option<usize>], position: usize) -> Option<FieldOffset> {
    let before: Option<usize> = fixed.iter().take(position).copied().sum();
    if let Some(start) = before {
        return Some(FieldOffset::FromStart(start));
    }
    // Counted from the end, the part itself must be of fixed length too.
    let behind: Option<usize> = fixed.iter().skip(position).copied().sum();
    behind.map(FieldOffset::FromEnd)
}

/// A key of parts that are all of fixed length must be as long as they are; any other must hold those that are.
fn check_ends(key: &RowKey, fixed: &[Option<usize>], keys: &[&[u8]]) -> Result<(), RowError> {
    let least: usize = fixed.iter().flatten().sum();
    let exact = fixed.iter().all(Option::is_some) && !key.goes_on();
    let wrong = keys
        .iter()
        .position(|bytes| bytes.len() < least || (exact && bytes.len() > least));
    match wrong.and_then(|row| Some((row, keys.get(row)?))) {
        None => Ok(()),
        Some((row, bytes)) => {
            let error = key.decode(bytes).err();
            Err(RowError::at(
                row,
                error.unwrap_or_else(|| Error::internal("a key of a wrong length that decodes")),
            ))
        }
    }
}

/// Where the fields of some parts stand in each key.
struct FieldStarts {
    /// By part, as far as keys were walked.
    starts: Vec<Vec<u32>>,
}

impl FieldStarts {
    /// Walks all keys up to the part at `last`; no key if there is none.
    fn new(key: &RowKey, keys: &[&[u8]], last: Option<usize>) -> Result<Self, RowError> {
        let Some(last) = last else {
            return Ok(Self { starts: Vec::new() });
        };
        let mut starts = vec![Vec::with_capacity(keys.len()); last + 1];
        for (row, bytes) in keys.iter().enumerate() {
            let mut offset = 0;
            for (position, (part, starts)) in key.parts().iter().zip(&mut starts).enumerate() {
                starts
                    .push(u32::try_from(offset).map_err(|_| RowError::at(row, too_long(offset)))?);
                if position < last {
                    let rest = bytes.get(offset..).unwrap_or_default();
                    offset += part
                        .length(rest)
                        .map_err(|error| RowError::at(row, part.context(error)))?;
                }
            }
        }
        Ok(Self { starts })
    }

    fn take(&mut self, position: usize) -> FieldOffset {
        FieldOffset::Each(self.starts.get(position).cloned().unwrap_or_default())
    }
}

impl KeyPart {
    /// The part's values for columns of the table.
    fn column(&self, columns: &[Option<ArrayRef>], rows: usize) -> Result<ArrayRef, RowError> {
        let mut sources: Vec<(ArrayRef, SqlType)> = Vec::with_capacity(self.sources().len());
        for (source, column) in self.sources().iter().zip(self.columns()) {
            let array = columns.get(*source).cloned().flatten();
            let array = array.filter(|array| {
                array.len() == rows && *array.data_type() == column.sql_type.arrow()
            });
            let missing = || {
                Error::internal(format!(
                    "column `{}` is not given as {}",
                    column.name, column.sql_type
                ))
            };
            sources.push((array.ok_or_else(missing)?, column.sql_type.clone()));
        }
        let applied = self.transform().apply_columns(&sources, rows);
        let values = applied.map_err(|failure| RowError {
            error: self.context(failure.error),
            row: failure.row,
        })?;
        self.check_nulls(&values, &sources)?;
        Ok(values)
    }

    /// NULL must be allowed, and come from NULL.
    fn check_nulls(
        &self,
        values: &ArrayRef,
        sources: &[(ArrayRef, SqlType)],
    ) -> Result<(), RowError> {
        let Some(nulls) = values.nulls().filter(|nulls| nulls.null_count() > 0) else {
            return Ok(());
        };
        for row in (0..values.len()).filter(|row| nulls.is_null(*row)) {
            if sources.iter().all(|(source, _)| source.is_valid(row)) {
                let data: Result<Vec<Option<Datum>>> = sources
                    .iter()
                    .map(|(source, sql_type)| datum_at(source, row, sql_type))
                    .collect();
                return Err(RowError::at(row, self.no_value(&data?)));
            }
            if !self.nullable() {
                return Err(RowError::at(row, self.must_not_be_null()));
            }
        }
        Ok(())
    }

    /// The length of every field, marker included, if all are equally long.
    fn fixed_length(&self) -> Option<usize> {
        self.transform()
            .encoding()
            .width()
            .filter(|_| !self.nullable())
    }

    /// Adds the lengths of the fields of some values.
    fn add_lengths(&self, values: &ArrayRef, lengths: &mut [usize]) -> Result<(), RowError> {
        if self.nullable() {
            lengths.iter_mut().for_each(|length| *length += 1);
        }
        let transform = self.transform();
        let added = transform
            .encoding()
            .column_lengths(values, transform.value_type(), lengths);
        added.map_err(|failure| self.in_row(failure))
    }

    /// Writes the fields of some values, each at its row's offset, which moves behind it.
    fn write(
        &self,
        values: &ArrayRef,
        offsets: &mut [usize],
        bytes: &mut [u8],
    ) -> Result<(), RowError> {
        let mut writer = FieldWriter::new(bytes, offsets);
        if self.nullable() {
            let null = self.nulls().marker();
            for row in 0..values.len() {
                writer.put(
                    row,
                    [if values.is_null(row) {
                        null
                    } else {
                        VALUE_MARKER
                    }],
                );
            }
        }
        writer.complement(self.direction() == SortOrder::Descending);
        let transform = self.transform();
        let written =
            transform
                .encoding()
                .write_column(values, transform.value_type(), &mut writer);
        written.map_err(|failure| self.in_row(failure))
    }

    /// The values of the fields at `offset`.
    fn read(&self, keys: &[&[u8]], offset: FieldOffset) -> Result<ArrayRef, RowError> {
        let transform = self.transform();
        let markers = self
            .nullable()
            .then(|| (VALUE_MARKER, self.nulls().marker()));
        let reader = FieldReader::new(
            keys,
            offset,
            self.direction() == SortOrder::Descending,
            markers,
        );
        let read = transform
            .encoding()
            .read_column(&reader, transform.value_type());
        read.map_err(|failure| self.in_row(failure))
    }

    fn in_row(&self, failure: RowError) -> RowError {
        RowError {
            row: failure.row,
            error: self.context(failure.error),
        }
    }
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
