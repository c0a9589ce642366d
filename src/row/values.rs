//! The values of many rows, written a column at a time.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, IntervalMonthDayNanoType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use super::families::bundle;
use super::format::{EndWidth, FIXED_HEADER, FORMAT, NULL, SHORT_DECIMAL_DIGITS, Storage};
use super::nested;
use super::single::{interval_bytes, short_decimal};
use crate::datum::{Precision, SqlType, UUID_BYTES, bytes_of_uuid};
use crate::error::{Error, Result};

/// A column that values hold.
#[derive(Debug, Clone)]
pub(super) struct StoredColumn {
    /// Its position in the table.
    pub(super) position: usize,
    /// Its id.
    pub(super) id: usize,
    /// Its type.
    pub(super) sql_type: SqlType,
}

/// Values one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    bytes: Vec<u8>,
    /// One more than there are values; the value at `i` ends where the next one starts.
    starts: Vec<usize>,
}

impl Values {
    /// The value of the row at `index`.
    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        self.bytes
            .get(*self.starts.get(index)?..*self.starts.get(index + 1)?)
    }

    /// The values of rows whose columns are kept in families, each given for all rows.
    ///
    /// # Errors
    /// `NotSupported` for a row of 4 GiB and more.
    pub(super) fn bundled(families: &[Self], rows: usize) -> Result<Self> {
        let mut bundled = Self::default();
        bundled.starts.push(0);
        for row in 0..rows {
            bundle(
                families.iter().map(|values| values.get(row)),
                &mut bundled.bytes,
            )?;
            bundled.starts.push(bundled.bytes.len());
        }
        Ok(bundled)
    }

    /// The bytes of all values, one behind the other, and where each ends.
    pub(super) fn into_bytes(self) -> (Vec<u8>, impl Iterator<Item = usize>) {
        (self.bytes, self.starts.into_iter().skip(1))
    }
}

/// The values of rows; `columns` are in the order of their ids, `arrays` are theirs and have `rows` rows each.
///
/// # Errors
/// `InvalidInput` where the fields of a row have more than 4 GiB; `Internal` where an array has another type.
pub(super) fn encode_values(
    columns: &[StoredColumn],
    arrays: &[ArrayRef],
    rows: usize,
) -> Result<Values> {
    let header = base_header(columns);
    let mut plan = Plan::new(rows);
    let flat = columns
        .iter()
        .zip(arrays)
        .map(|(column, array)| flat(column, array));
    let flat = flat.collect::<Result<Vec<_>>>()?;
    for (column, array) in &flat {
        plan.measure(column, array)?;
    }
    let mut values = plan.start(&header)?;
    for (column, array) in &flat {
        plan.write(column, array, &mut values.bytes)?;
    }
    Ok(values)
}

/// A column as it is written: of a nested one the fields, as bytes.
fn flat(column: &StoredColumn, array: &ArrayRef) -> Result<(StoredColumn, ArrayRef)> {
    if !column.sql_type.is_nested() {
        return Ok((column.clone(), ArrayRef::clone(array)));
    }
    let fields = nested::encode(array, &column.sql_type).map_err(|error| error.error)?;
    let column = StoredColumn {
        sql_type: SqlType::Bytea,
        ..column.clone()
    };
    Ok((column, fields))
}

/// The header of a row without NULLs and with short ends.
fn base_header(columns: &[StoredColumn]) -> Vec<u8> {
    let count = columns.last().map_or(0, |column| column.id + 1);
    // Ids are less than COLUMN_ID_LIMIT, which a definition's validation sees to.
    let [low, high] = u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
    let mut header = vec![FORMAT, EndWidth::One.flags(), low, high];
    header.resize(FIXED_HEADER + count.div_ceil(2), 0);
    for column in columns {
        set_code(&mut header, column.id, Storage::of(&column.sql_type).code());
    }
    header
}

/// Writes the code of the column with this id.
fn set_code(value: &mut [u8], id: usize, code: u8) {
    if let Some(byte) = value.get_mut(FIXED_HEADER + id / 2) {
        *byte = match id % 2 {
            0 => *byte & 0xf0 | code,
            _ => *byte & 0x0f | code << 4,
        };
    }
}

/// How much room one row takes, and later where its next field goes.
#[derive(Debug, Clone, Copy, Default)]
struct RowPlan {
    /// Bytes of fixed fields; then the offset of the next one.
    fixed: usize,
    /// Fields of variable length; then the offset of the next end.
    ends: usize,
    /// Bytes of fields of variable length; then the offset of the next one.
    data: usize,
    /// Where the row's first field of variable length starts.
    data_start: usize,
    /// Where the value starts.
    start: usize,
    /// Bytes of an end, as flags.
    end_flags: u8,
}

struct Plan {
    rows: Vec<RowPlan>,
}

impl Plan {
    fn new(rows: usize) -> Self {
        Self {
            rows: vec![RowPlan::default(); rows],
        }
    }

    /// Adds the room that a column takes.
    fn measure(&mut self, column: &StoredColumn, array: &ArrayRef) -> Result<()> {
        match Storage::of(&column.sql_type) {
            Storage::Fixed(width) => {
                for (row, plan) in self.rows.iter_mut().enumerate() {
                    plan.fixed += if array.is_null(row) { 0 } else { width };
                }
            }
            Storage::Variable => {
                let offsets = variable_offsets(column, array)?;
                for (row, (plan, ends)) in self.rows.iter_mut().zip(offsets.windows(2)).enumerate()
                {
                    if let ([start, end], false) = (ends, array.is_null(row)) {
                        plan.ends += 1;
                        plan.data += usize::try_from(end - start).unwrap_or(0);
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes room for all values and turns lengths into offsets.
    fn start(&mut self, header: &[u8]) -> Result<Values> {
        let mut starts = Vec::with_capacity(self.rows.len() + 1);
        let mut next = 0;
        for plan in &mut self.rows {
            let width = EndWidth::for_length(plan.data).ok_or_else(|| {
                Error::invalid(format!("a row of {} bytes; 4 GiB are possible", plan.data))
            })?;
            starts.push(next);
            let (fixed, ends, data) = (plan.fixed, plan.ends, plan.data);
            plan.start = next;
            plan.fixed = next + header.len();
            plan.ends = plan.fixed + fixed;
            plan.data = plan.ends + ends * width.bytes();
            plan.data_start = plan.data;
            plan.end_flags = width.flags();
            next = plan.data + data;
        }
        starts.push(next);
        let mut bytes = vec![0; next];
        for plan in &self.rows {
            if let Some(place) = bytes.get_mut(plan.start..plan.start + header.len()) {
                place.copy_from_slice(header);
                place
                    .iter_mut()
                    .skip(1)
                    .take(1)
                    .for_each(|flags| *flags = plan.end_flags);
            }
        }
        Ok(Values { bytes, starts })
    }

    /// Writes a column into every row.
    fn write(&mut self, column: &StoredColumn, array: &ArrayRef, bytes: &mut [u8]) -> Result<()> {
        if array.null_count() > 0 {
            for (row, plan) in self.rows.iter().enumerate() {
                if let (true, Some(value)) = (array.is_null(row), bytes.get_mut(plan.start..)) {
                    set_code(value, column.id, NULL);
                }
            }
        }
        let written = match &column.sql_type {
            SqlType::Boolean => array.as_boolean_opt().map(|values| {
                self.put_fixed(array, bytes, |row| [u8::from(values.value(row))]);
            }),
            SqlType::TinyInt => self.put_numbers::<Int8Type, 1>(array, bytes, i8::to_le_bytes),
            SqlType::SmallInt => self.put_numbers::<Int16Type, 2>(array, bytes, i16::to_le_bytes),
            SqlType::UnsignedTinyInt => {
                self.put_numbers::<UInt8Type, 1>(array, bytes, u8::to_le_bytes)
            }
            SqlType::UnsignedSmallInt => {
                self.put_numbers::<UInt16Type, 2>(array, bytes, u16::to_le_bytes)
            }
            SqlType::UnsignedInteger => {
                self.put_numbers::<UInt32Type, 4>(array, bytes, u32::to_le_bytes)
            }
            SqlType::UnsignedBigInt => {
                self.put_numbers::<UInt64Type, 8>(array, bytes, u64::to_le_bytes)
            }
            SqlType::Time => {
                self.put_numbers::<Time64NanosecondType, 8>(array, bytes, i64::to_le_bytes)
            }
            SqlType::Interval => {
                self.put_numbers::<IntervalMonthDayNanoType, 16>(array, bytes, interval_bytes)
            }
            SqlType::Uuid => return self.put_uuids(column, array, bytes),
            SqlType::Integer => self.put_numbers::<Int32Type, 4>(array, bytes, i32::to_le_bytes),
            SqlType::BigInt => self.put_numbers::<Int64Type, 8>(array, bytes, i64::to_le_bytes),
            SqlType::Real => self.put_numbers::<Float32Type, 4>(array, bytes, f32::to_le_bytes),
            SqlType::Double => self.put_numbers::<Float64Type, 8>(array, bytes, f64::to_le_bytes),
            SqlType::Date => self.put_numbers::<Date32Type, 4>(array, bytes, i32::to_le_bytes),
            SqlType::Decimal { precision, .. } if *precision <= SHORT_DECIMAL_DIGITS => {
                self.put_numbers::<Decimal128Type, 8>(array, bytes, short_decimal)
            }
            SqlType::Decimal { .. } => {
                self.put_numbers::<Decimal128Type, 16>(array, bytes, i128::to_le_bytes)
            }
            SqlType::Timestamp { precision, .. } => self.put_stamps(array, *precision, bytes),
            SqlType::Text
            | SqlType::Varchar(_)
            | SqlType::Char(_)
            | SqlType::Bytea
            | SqlType::Json => {
                return self.put_variable(column, array, bytes);
            }
            SqlType::List(_) | SqlType::Struct(_) | SqlType::Map(_) => {
                return Err(Error::internal("a nested column that is not flat yet"));
            }
        };
        written.ok_or_else(|| wrong_type(column, array))
    }

    fn put_stamps(
        &mut self,
        array: &ArrayRef,
        precision: Precision,
        bytes: &mut [u8],
    ) -> Option<()> {
        match precision {
            Precision::Second => {
                self.put_numbers::<TimestampSecondType, 8>(array, bytes, i64::to_le_bytes)
            }
            Precision::Millisecond => {
                self.put_numbers::<TimestampMillisecondType, 8>(array, bytes, i64::to_le_bytes)
            }
            Precision::Microsecond => {
                self.put_numbers::<TimestampMicrosecondType, 8>(array, bytes, i64::to_le_bytes)
            }
            Precision::Nanosecond => {
                self.put_numbers::<TimestampNanosecondType, 8>(array, bytes, i64::to_le_bytes)
            }
        }
    }

    /// `None` where the array has another type.
    fn put_numbers<T: ArrowPrimitiveType, const WIDTH: usize>(
        &mut self,
        array: &ArrayRef,
        bytes: &mut [u8],
        field: fn(T::Native) -> [u8; WIDTH],
    ) -> Option<()> {
        let values = array.as_primitive_opt::<T>()?;
        self.put_fixed(array, bytes, |row| field(values.value(row)));
        Some(())
    }

    fn put_fixed<const WIDTH: usize>(
        &mut self,
        array: &ArrayRef,
        bytes: &mut [u8],
        field: impl Fn(usize) -> [u8; WIDTH],
    ) {
        for (row, plan) in self.rows.iter_mut().enumerate() {
            if array.is_null(row) {
                continue;
            }
            if let Some(place) = bytes.get_mut(plan.fixed..plan.fixed + WIDTH) {
                place.copy_from_slice(&field(row));
            }
            plan.fixed += WIDTH;
        }
    }

    fn put_uuids(
        &mut self,
        column: &StoredColumn,
        array: &ArrayRef,
        bytes: &mut [u8],
    ) -> Result<()> {
        let texts = array
            .as_string_opt::<i32>()
            .ok_or_else(|| wrong_type(column, array))?;
        let field = |text: Option<&str>| match text {
            None => Ok([0; UUID_BYTES]),
            Some(text) => {
                bytes_of_uuid(text).ok_or_else(|| Error::internal("a text in place of a UUID"))
            }
        };
        let fields = texts.iter().map(field).collect::<Result<Vec<_>>>()?;
        self.put_fixed(array, bytes, |row| {
            fields.get(row).copied().unwrap_or_default()
        });
        Ok(())
    }

    fn put_variable(
        &mut self,
        column: &StoredColumn,
        array: &ArrayRef,
        bytes: &mut [u8],
    ) -> Result<()> {
        let data = variable_data(column, array)?;
        let offsets = variable_offsets(column, array)?;
        for (row, (plan, ends)) in self.rows.iter_mut().zip(offsets.windows(2)).enumerate() {
            let ([start, end], false) = (ends, array.is_null(row)) else {
                continue;
            };
            let field = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
            let field = field
                .and_then(|(start, end)| data.get(start..end))
                .unwrap_or_default();
            if let Some(place) = bytes.get_mut(plan.data..plan.data + field.len()) {
                place.copy_from_slice(field);
            }
            plan.data += field.len();
            plan.put_end(bytes);
        }
        Ok(())
    }
}

impl RowPlan {
    /// Writes where the newest field of variable length ends.
    fn put_end(&mut self, bytes: &mut [u8]) {
        let width = 1 << self.end_flags;
        let end = (self.data - self.data_start).to_le_bytes();
        if let (Some(place), Some(end)) = (
            bytes.get_mut(self.ends..self.ends + width),
            end.get(..width),
        ) {
            place.copy_from_slice(end);
        }
        self.ends += width;
    }
}

/// The bytes of all values of a text or binary array, to which [`variable_offsets`] belong.
fn variable_data<'a>(column: &StoredColumn, array: &'a ArrayRef) -> Result<&'a [u8]> {
    let data = match column.sql_type {
        SqlType::Bytea => array
            .as_binary_opt::<i32>()
            .map(|values| values.value_data()),
        _ => array
            .as_string_opt::<i32>()
            .map(|values| values.value_data()),
    };
    data.ok_or_else(|| wrong_type(column, array))
}

fn variable_offsets<'a>(column: &StoredColumn, array: &'a ArrayRef) -> Result<&'a [i32]> {
    let offsets = match column.sql_type {
        SqlType::Bytea => array
            .as_binary_opt::<i32>()
            .map(|values| values.value_offsets()),
        _ => array
            .as_string_opt::<i32>()
            .map(|values| values.value_offsets()),
    };
    offsets.ok_or_else(|| wrong_type(column, array))
}

fn wrong_type(column: &StoredColumn, array: &ArrayRef) -> Error {
    Error::internal(format!(
        "a column of type {} is given as {}",
        column.sql_type,
        array.data_type()
    ))
}
