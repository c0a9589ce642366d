//! Halite's own SQL functions, written a second time, from what is published of them, for the oracle.
//!
//! They share nothing with the transforms of [`crate::key`], so that a hash that always collides is seen.

use std::sync::{Arc, OnceLock};

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, Int32Array, Int64Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Float64Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use datafusion::common::{DataFusionError, Result, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use twox_hash::XxHash3_64;

/// `hash(c, …)`: xxh3 as 8 bytes.
pub(super) fn hash() -> Arc<ScalarUDF> {
    static FUNCTION: OnceLock<Arc<ScalarUDF>> = OnceLock::new();
    shared(&FUNCTION, Kind::Hash)
}

/// `bucket(n, c, …)`: that hash modulo n.
pub(super) fn bucket() -> Arc<ScalarUDF> {
    static FUNCTION: OnceLock<Arc<ScalarUDF>> = OnceLock::new();
    shared(&FUNCTION, Kind::Bucket)
}

/// `reverse_digits(c)`: decimal digits, zero-padded to the type's width, reversed.
pub(super) fn reverse_digits() -> Arc<ScalarUDF> {
    static FUNCTION: OnceLock<Arc<ScalarUDF>> = OnceLock::new();
    shared(&FUNCTION, Kind::ReverseDigits)
}

/// `factor * c + summand`, a whole number of a type with these limits, or an error.
pub(super) fn sum() -> Arc<ScalarUDF> {
    static FUNCTION: OnceLock<Arc<ScalarUDF>> = OnceLock::new();
    shared(&FUNCTION, Kind::Sum)
}

fn shared(cell: &'static OnceLock<Arc<ScalarUDF>>, kind: Kind) -> Arc<ScalarUDF> {
    Arc::clone(cell.get_or_init(|| Arc::new(ScalarUDF::from(Own::new(kind)))))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Hash,
    Bucket,
    ReverseDigits,
    Sum,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Own {
    kind: Kind,
    signature: Signature,
}

impl Own {
    fn new(kind: Kind) -> Self {
        let signature = Signature::variadic_any(Volatility::Immutable);
        Self { kind, signature }
    }
}

impl ScalarUDFImpl for Own {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Hash => "hash",
            Kind::Bucket => "bucket",
            Kind::ReverseDigits => "reverse_digits",
            Kind::Sum => "sum_of",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.kind {
            Kind::Hash => DataType::Binary,
            Kind::Bucket => DataType::Int32,
            Kind::ReverseDigits => DataType::Utf8,
            Kind::Sum => DataType::Int64,
        })
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = arguments.number_rows;
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let result: ArrayRef = match self.kind {
            Kind::Hash => {
                let digests = (0..rows).map(|row| digest(&arrays, row));
                let digests = digests.map(|digest| digest.map(u64::to_be_bytes));
                Arc::new(BinaryArray::from_iter_values(
                    digests.collect::<Result<Vec<_>>>()?,
                ))
            }
            Kind::Bucket => {
                let (count, sources) = arrays.split_first().expect("a number of buckets");
                let count = cast(count, &DataType::Int64)?;
                let count = count.as_primitive::<Int64Type>();
                let bucket = |row: usize| {
                    let buckets = u64::try_from(count.value(row)).expect("buckets");
                    digest(sources, row).map(|digest| {
                        i32::try_from(digest % buckets).expect("at most 65,536 buckets")
                    })
                };
                let buckets = (0..rows).map(bucket).collect::<Result<Vec<i32>>>()?;
                Arc::new(Int32Array::from(buckets))
            }
            Kind::ReverseDigits => {
                let digits = (0..rows).map(|row| digits(&arrays[0], row));
                Arc::new(digits.collect::<Result<StringArray>>()?)
            }
            Kind::Sum => {
                let sums = (0..rows).map(|row| sum_of(&arrays, row));
                Arc::new(sums.collect::<Result<Int64Array>>()?)
            }
        };
        Ok(ColumnarValue::Array(result))
    }
}

fn digits(array: &ArrayRef, row: usize) -> Result<Option<String>> {
    let width = match array.data_type() {
        DataType::Int16 => 5,
        DataType::Int32 => 10,
        DataType::Int64 => 19,
        other => return exec_err!("reverse_digits of {other}"),
    };
    let values = cast(array, &DataType::Int64)?;
    if values.is_null(row) {
        return Ok(None);
    }
    let value = values.as_primitive::<Int64Type>().value(row);
    if value < 0 {
        return exec_err!("reverse_digits of {value}");
    }
    let padded = format!("{value:0width$}");
    Ok(Some(padded.chars().rev().collect()))
}

/// The value, a factor, a summand and the limits of the sum.
fn sum_of(arrays: &[ArrayRef], row: usize) -> Result<Option<i64>> {
    let mut numbers = Vec::with_capacity(arrays.len());
    for array in arrays {
        let values = cast(array, &DataType::Int64)?;
        if values.is_null(row) {
            return Ok(None);
        }
        numbers.push(i128::from(values.as_primitive::<Int64Type>().value(row)));
    }
    let [value, factor, summand, least, most] = numbers.as_slice() else {
        return exec_err!("a sum of {} arguments", numbers.len());
    };
    let sum = value * factor + summand;
    match i64::try_from(sum) {
        Ok(small) if (least..=most).contains(&&sum) => Ok(Some(small)),
        _ => exec_err!("{sum} is out of range"),
    }
}

/// The hash of one row of sources.
fn digest(sources: &[ArrayRef], row: usize) -> Result<u64> {
    let mut input = Vec::new();
    for source in sources {
        let (tag, bytes) = hashed(source.as_ref(), row)?;
        if sources.len() > 1 || tag == NULL_TAG {
            input.push(tag);
        }
        if sources.len() > 1 {
            let length = u32::try_from(bytes.len()).expect("short");
            input.extend(length.to_be_bytes());
        }
        input.extend(bytes);
    }
    Ok(XxHash3_64::oneshot(&input))
}

const NULL_TAG: u8 = 0xff;

/// The tag and the bytes of one value, after §2.1, "What is hashed".
fn hashed(array: &dyn Array, row: usize) -> Result<(u8, Vec<u8>)> {
    if array.is_null(row) {
        return Ok((NULL_TAG, Vec::new()));
    }
    let counted = |value: i64| value.to_be_bytes().to_vec();
    Ok(match array.data_type() {
        DataType::Boolean => (3, vec![u8::from(array.as_boolean().value(row))]),
        DataType::Int16 | DataType::Int32 | DataType::Int64 => {
            let values = cast(&array.slice(row, 1), &DataType::Int64)?;
            (1, counted(values.as_primitive::<Int64Type>().value(0)))
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            (8, counted(i64::from(days)))
        }
        DataType::Timestamp(unit, _) => (9, counted(microseconds(array, row, *unit)?)),
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(row);
            (4, value.to_bits().to_be_bytes().to_vec())
        }
        DataType::Decimal128(_, scale) => {
            let unscaled = array.as_primitive::<Decimal128Type>().value(row);
            (5, shortest_decimal(unscaled, *scale))
        }
        DataType::Utf8 => (6, array.as_string::<i32>().value(row).as_bytes().to_vec()),
        DataType::Binary => (7, array.as_binary::<i32>().value(row).to_vec()),
        other => return exec_err!("hash of {other}"),
    })
}

/// A stamp in microseconds, by floor; one whose microseconds do not fit cannot be hashed.
fn microseconds(array: &dyn Array, row: usize, unit: TimeUnit) -> Result<i64> {
    let (count, per_unit) = match unit {
        TimeUnit::Second => (
            array.as_primitive::<TimestampSecondType>().value(row),
            1_000_000,
        ),
        TimeUnit::Millisecond => (
            array.as_primitive::<TimestampMillisecondType>().value(row),
            1_000,
        ),
        TimeUnit::Microsecond => (
            array.as_primitive::<TimestampMicrosecondType>().value(row),
            1,
        ),
        TimeUnit::Nanosecond => {
            let count = array.as_primitive::<TimestampNanosecondType>().value(row);
            return Ok(count.div_euclid(1_000));
        }
    };
    count
        .checked_mul(per_unit)
        .ok_or_else(|| DataFusionError::Execution(format!("hash of {count} at {unit:?}")))
}

/// A decimal without trailing zeros: its scale, then its digits as a number.
fn shortest_decimal(unscaled: i128, scale: i8) -> Vec<u8> {
    let mut shortest = (unscaled, scale);
    while shortest.1 > 0 && shortest.0 % 10 == 0 {
        shortest = (shortest.0 / 10, shortest.1 - 1);
    }
    let scale = u8::try_from(shortest.1).expect("scales are not negative");
    [&[scale][..], &shortest.0.to_be_bytes()].concat()
}
