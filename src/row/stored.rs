//! The columns that values hold, decoded one at a time.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::builder::NullBufferBuilder;
use arrow::array::{ArrayRef, BinaryArray, BooleanArray, PrimitiveArray, StringArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, IntervalMonthDayNanoType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use super::failure::Failure;
use super::format::{SHORT_DECIMAL_DIGITS, Shape, Slot, Storage, header_length};
use super::nested;
use super::single::{interval_of, is_day_time};
use crate::datum::{Precision, SqlType, UUID_BYTES};
use crate::error::Error;
use crate::schema::Column;

/// Where the columns of each row lie.
#[derive(Debug)]
pub(super) struct Located<'a> {
    shapes: Vec<Shape>,
    pub(super) rows: Vec<Row<'a>>,
}

/// The value of one row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// Its index in the chunk.
    index: usize,
    value: &'a [u8],
    /// The index of its shape.
    shape: usize,
}

/// Finds the shape of each value and checks the value's length against it; `None` stands for one that was not read.
pub(super) fn locate<'a>(
    values: impl ExactSizeIterator<Item = Option<&'a [u8]>>,
) -> Result<Located<'a>, Failure> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    let mut rows = Vec::with_capacity(values.len());
    let mut newest: Option<(&[u8], usize)> = None;
    for (index, value) in values.enumerate() {
        let value = value
            .ok_or_else(|| Failure::internal("a column is wanted of a family that was not read"))?;
        let damaged = |error: Error| Failure::Row(index, error.to_string());
        let (header, shape) = match newest.filter(|(header, _)| value.starts_with(header)) {
            Some(newest) => newest,
            None => {
                // Most chunks have one header, which is looked up nowhere.
                known.extend(newest);
                let header = header_length(value).map_err(damaged)?;
                let header = value
                    .get(..header)
                    .ok_or_else(|| Failure::Row(index, "its value ends early".to_owned()))?;
                let shape = match known.get(header) {
                    Some(shape) => *shape,
                    None => {
                        shapes.push(Shape::parse(header).map_err(damaged)?);
                        shapes.len() - 1
                    }
                };
                (header, shape)
            }
        };
        newest = Some((header, shape));
        if !shapes.get(shape).is_some_and(|shape| shape.fits(value)) {
            return Err(Failure::Row(
                index,
                format!(
                    "its value of {} bytes is too short or too long",
                    value.len()
                ),
            ));
        }
        rows.push(Row {
            index,
            value,
            shape,
        });
    }
    Ok(Located { shapes, rows })
}

impl<'a> Located<'a> {
    pub(super) fn select(&self, selection: &[u32]) -> Result<Vec<Row<'a>>, Failure> {
        let rows = selection
            .iter()
            .map(|index| self.rows.get(*index as usize).copied());
        rows.collect::<Option<_>>()
            .ok_or_else(|| Failure::internal("a selected row that is not there"))
    }

    /// The column of `rows`, which are some of these.
    pub(super) fn decode(&self, column: &Column, rows: &[Row<'a>]) -> Result<ArrayRef, Failure> {
        let slots = self.slots(column, rows)?;
        let shapes = &self.shapes;
        Stored {
            column,
            shapes,
            slots,
            rows,
        }
        .decode()
    }

    /// Where the column lies in the values of each shape that `rows` have.
    fn slots(&self, column: &Column, rows: &[Row<'_>]) -> Result<Vec<Slot>, Failure> {
        let slots: Vec<Slot> = self
            .shapes
            .iter()
            .map(|shape| shape.slot(column.id as usize))
            .collect();
        let wrong = |slot: &Slot| wrong_slot(*slot, column);
        if slots.iter().any(|slot| wrong(slot).is_some()) {
            for row in rows {
                if let Some(reason) = slots.get(row.shape).and_then(wrong) {
                    return Err(Failure::column(row.index, column, reason));
                }
            }
        }
        Ok(slots)
    }
}

/// What speaks against finding the column in this place.
fn wrong_slot(slot: Slot, column: &Column) -> Option<&'static str> {
    match (slot, Storage::of(&column.sql_type)) {
        (Slot::Absent | Slot::Null, _) if column.nullable => None,
        (Slot::Absent, _) if column.missing.is_some() => None,
        (Slot::Absent, _) => Some("is NOT NULL and the row does not have it"),
        (Slot::Null, _) => Some("is NOT NULL and the row has NULL"),
        (Slot::Fixed { width, .. }, Storage::Fixed(expected)) if width == expected => None,
        (Slot::Variable(_), Storage::Variable) => None,
        (Slot::Fixed { .. } | Slot::Variable(_), _) => {
            Some("is stored with the length of another type")
        }
    }
}

/// What is wrong with a DECIMAL.
const TOO_LONG: &str = "has too many digits";

/// One stored column of some rows.
struct Stored<'a> {
    column: &'a Column,
    shapes: &'a [Shape],
    /// Where the column lies, by shape.
    slots: Vec<Slot>,
    rows: &'a [Row<'a>],
}

impl<'a> Stored<'a> {
    fn decode(&self) -> Result<ArrayRef, Failure> {
        match &self.column.sql_type {
            SqlType::Boolean => self.booleans(),
            SqlType::TinyInt => self.numbers::<Int8Type, 1>(i8::from_le_bytes),
            SqlType::SmallInt => self.numbers::<Int16Type, 2>(i16::from_le_bytes),
            SqlType::UnsignedTinyInt => self.numbers::<UInt8Type, 1>(u8::from_le_bytes),
            SqlType::UnsignedSmallInt => self.numbers::<UInt16Type, 2>(u16::from_le_bytes),
            SqlType::UnsignedInteger => self.numbers::<UInt32Type, 4>(u32::from_le_bytes),
            SqlType::UnsignedBigInt => self.numbers::<UInt64Type, 8>(u64::from_le_bytes),
            SqlType::Time => self.checked_numbers::<Time64NanosecondType, 8>(
                i64::from_le_bytes,
                |time| is_day_time(*time),
                "is beyond the day",
            ),
            SqlType::Interval => self.numbers::<IntervalMonthDayNanoType, 16>(interval_of),
            SqlType::Uuid => self.uuids(),
            SqlType::List(_) | SqlType::Struct(_) | SqlType::Map(_) => self.nested(),
            SqlType::Integer => self.numbers::<Int32Type, 4>(i32::from_le_bytes),
            SqlType::BigInt => self.numbers::<Int64Type, 8>(i64::from_le_bytes),
            SqlType::Real => self.numbers::<Float32Type, 4>(f32::from_le_bytes),
            SqlType::Double => self.numbers::<Float64Type, 8>(f64::from_le_bytes),
            SqlType::Date => self.numbers::<Date32Type, 4>(i32::from_le_bytes),
            SqlType::Timestamp { precision, .. } => match precision {
                Precision::Second => self.numbers::<TimestampSecondType, 8>(i64::from_le_bytes),
                Precision::Millisecond => {
                    self.numbers::<TimestampMillisecondType, 8>(i64::from_le_bytes)
                }
                Precision::Microsecond => {
                    self.numbers::<TimestampMicrosecondType, 8>(i64::from_le_bytes)
                }
                Precision::Nanosecond => {
                    self.numbers::<TimestampNanosecondType, 8>(i64::from_le_bytes)
                }
            },
            SqlType::Decimal { precision, .. } => self.decimals(*precision),
            SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Json => {
                let (offsets, data, nulls) = self.variable()?;
                StringArray::try_new(offsets, data, nulls)
                    .map(|array| Arc::new(array) as ArrayRef)
                    .map_err(|_| self.not_text())
            }
            SqlType::Bytea => {
                let (offsets, data, nulls) = self.variable()?;
                BinaryArray::try_new(offsets, data, nulls)
                    .map(|array| Arc::new(array) as ArrayRef)
                    .map_err(|error| {
                        Failure::Whole(Error::internal("decoded bytes").with_source(error))
                    })
            }
        }
    }

    /// Hands the field of each row that is not NULL to `take`, and to NULL rows `None`.
    fn fixed<const WIDTH: usize>(
        &self,
        mut take: impl FnMut(usize, Option<[u8; WIDTH]>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for row in self.rows {
            let field = match self.slots.get(row.shape) {
                Some(Slot::Fixed { offset, .. }) => {
                    let rest = row.value.get(*offset..);
                    Some(
                        *rest
                            .and_then(<[u8]>::first_chunk::<WIDTH>)
                            .ok_or_else(|| self.ends_early(row.index))?,
                    )
                }
                Some(Slot::Absent) => match self.missing() {
                    Some(missing) => Some(
                        *missing
                            .first_chunk::<WIDTH>()
                            .ok_or_else(|| self.ends_early(row.index))?,
                    ),
                    None => None,
                },
                _ => None,
            };
            take(row.index, field)?;
        }
        Ok(())
    }

    fn numbers<T: ArrowPrimitiveType, const WIDTH: usize>(
        &self,
        from: fn([u8; WIDTH]) -> T::Native,
    ) -> Result<ArrayRef, Failure> {
        self.checked_numbers::<T, WIDTH>(from, |_| true, "")
    }

    fn decimals(&self, precision: u8) -> Result<ArrayRef, Failure> {
        let greatest = 10_i128.pow(u32::from(precision).min(38)) - 1;
        let possible = |value: &i128| (-greatest..=greatest).contains(value);
        if precision <= SHORT_DECIMAL_DIGITS {
            self.checked_numbers::<Decimal128Type, 8>(
                |field| i64::from_le_bytes(field).into(),
                possible,
                TOO_LONG,
            )
        } else {
            self.checked_numbers::<Decimal128Type, 16>(i128::from_le_bytes, possible, TOO_LONG)
        }
    }

    fn checked_numbers<T: ArrowPrimitiveType, const WIDTH: usize>(
        &self,
        from: fn([u8; WIDTH]) -> T::Native,
        possible: impl Fn(&T::Native) -> bool,
        otherwise: &str,
    ) -> Result<ArrayRef, Failure> {
        let mut values: Vec<T::Native> = Vec::with_capacity(self.rows.len());
        let mut nulls = NullBufferBuilder::new(self.rows.len());
        self.fixed::<WIDTH>(|row, field| {
            nulls.append(field.is_some());
            let value = field.map(from).unwrap_or_default();
            if !possible(&value) {
                return Err(Failure::column(row, self.column, otherwise));
            }
            values.push(value);
            Ok(())
        })?;
        let array = PrimitiveArray::<T>::new(ScalarBuffer::from(values), nulls.finish());
        Ok(Arc::new(array.with_data_type(self.column.sql_type.arrow())))
    }

    fn booleans(&self) -> Result<ArrayRef, Failure> {
        let mut values = Vec::with_capacity(self.rows.len());
        self.fixed::<1>(|row, field| {
            values.push(match field {
                None => None,
                Some([0]) => Some(false),
                Some([1]) => Some(true),
                Some([other]) => {
                    return Err(Failure::column(
                        row,
                        self.column,
                        &format!("has the byte {other:02x}"),
                    ));
                }
            });
            Ok(())
        })?;
        Ok(Arc::new(BooleanArray::from(values)))
    }

    fn uuids(&self) -> Result<ArrayRef, Failure> {
        let mut fields = Vec::with_capacity(self.rows.len());
        self.fixed::<UUID_BYTES>(|_, field| {
            fields.push(field);
            Ok(())
        })?;
        let fields: Vec<Option<&[u8]>> = fields
            .iter()
            .map(|field| field.as_ref().map(<[u8; UUID_BYTES]>::as_slice))
            .collect();
        nested::uuids(&fields).ok_or_else(|| Failure::internal("UUIDs of another length"))
    }

    /// Values that hold others.
    fn nested(&self) -> Result<ArrayRef, Failure> {
        let fields = self.rows.iter().map(|row| self.variable_field(row));
        let fields: Vec<Option<&[u8]>> = fields.collect::<Result<_, _>>()?;
        let sql_type = &self.column.sql_type;
        if let Some(values) = nested::decode(&fields, sql_type) {
            return Ok(values);
        }
        // All were looked at together; now the one that is wrong is looked for.
        let mut rows = self.rows.iter().zip(&fields);
        let wrong = rows.find(|(_, field)| nested::decode(&[**field], sql_type).is_none());
        match wrong {
            Some((row, _)) => Err(Failure::column(row.index, self.column, "cannot be read")),
            None => Err(Failure::Whole(Error::unsupported(format!(
                "column `{}`: too many values in one batch",
                self.column.name
            )))),
        }
    }

    /// Offsets, bytes and NULLs of a column of variable length.
    fn variable(&self) -> Result<(OffsetBuffer<i32>, Buffer, Option<NullBuffer>), Failure> {
        let mut data: Vec<u8> = Vec::new();
        let mut offsets: Vec<i32> = Vec::with_capacity(self.rows.len() + 1);
        let mut nulls = NullBufferBuilder::new(self.rows.len());
        offsets.push(0);
        for row in self.rows {
            let field = self.variable_field(row)?;
            nulls.append(field.is_some());
            data.extend_from_slice(field.unwrap_or_default());
            offsets.push(i32::try_from(data.len()).map_err(|_| {
                Error::unsupported(format!(
                    "column `{}`: 2 GiB and more in one batch",
                    self.column.name
                ))
            })?);
        }
        Ok((
            OffsetBuffer::new(ScalarBuffer::from(offsets)),
            Buffer::from_vec(data),
            nulls.finish(),
        ))
    }

    fn variable_field(&self, row: &Row<'a>) -> Result<Option<&'a [u8]>, Failure> {
        match (self.slots.get(row.shape), self.shapes.get(row.shape)) {
            (Some(Slot::Variable(number)), Some(shape)) => {
                let field = shape.variable(row.value, *number);
                field.map(Some).ok_or_else(|| self.ends_early(row.index))
            }
            (Some(Slot::Absent), _) => Ok(self.missing()),
            _ => Ok(None),
        }
    }

    /// What rows have that are older than the column.
    fn missing(&self) -> Option<&'a [u8]> {
        let missing = self.column.missing.as_ref();
        missing.map(|field| field.0.as_slice())
    }

    fn ends_early(&self, row: usize) -> Failure {
        Failure::column(row, self.column, "does not lie inside the value")
    }

    /// Names the first row whose bytes are not UTF-8.
    fn not_text(&self) -> Failure {
        let broken = self.rows.iter().find(|row| {
            let field = self.variable_field(row).ok().flatten();
            field.is_some_and(|field| std::str::from_utf8(field).is_err())
        });
        match broken {
            Some(row) => Failure::column(row.index, self.column, "is not UTF-8"),
            None => Failure::internal("text that is not UTF-8"),
        }
    }
}
