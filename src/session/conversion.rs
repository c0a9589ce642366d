//! Values on their way to a column's type: what a cast would make of them that it should not, and how errors show them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float32Array, Float64Array};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::Result;

use crate::datum::nearest;

/// At most so many characters of a value are shown in an error.
const SHOWN_CHARACTERS: usize = 60;

/// Numbers on their way into others. Into whole ones they are rounded as other databases round what is assigned: a
/// DECIMAL's half away from zero, a DOUBLE's half to the even number; a cast would cut the digits off. A DECIMAL becomes
/// the nearest REAL or DOUBLE. Everything else as it is.
pub(super) fn rounded(values: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if let Some(nearest) = nearest(values, to) {
        return Ok(nearest);
    }
    if !to.is_integer() {
        return Ok(Arc::clone(values));
    }
    // Digits that go make room for the one that rounding may add.
    let without_digits = match values.data_type() {
        DataType::Decimal32(precision, 1..) => DataType::Decimal32(*precision, 0),
        DataType::Decimal64(precision, 1..) => DataType::Decimal64(*precision, 0),
        DataType::Decimal128(precision, 1..) => DataType::Decimal128(*precision, 0),
        DataType::Decimal256(precision, 1..) => DataType::Decimal256(*precision, 0),
        DataType::Float32 => {
            let values = values.as_primitive::<Float32Type>();
            let whole: Float32Array = values.unary(f32::round_ties_even);
            return Ok(Arc::new(whole));
        }
        DataType::Float64 => {
            let values = values.as_primitive::<Float64Type>();
            let whole: Float64Array = values.unary(f64::round_ties_even);
            return Ok(Arc::new(whole));
        }
        _ => return Ok(Arc::clone(values)),
    };
    Ok(cast(values, &without_digits)?)
}

/// The first value that became infinite and is not: too great for a REAL or a DOUBLE.
pub(super) fn too_great(values: &ArrayRef, converted: &ArrayRef) -> Option<usize> {
    let is_infinite: Box<dyn Fn(usize) -> bool> = match converted.data_type() {
        DataType::Float32 => {
            let converted = converted.as_primitive::<Float32Type>();
            Box::new(|row| converted.is_valid(row) && converted.value(row).is_infinite())
        }
        DataType::Float64 => {
            let converted = converted.as_primitive::<Float64Type>();
            Box::new(|row| converted.is_valid(row) && converted.value(row).is_infinite())
        }
        _ => return None,
    };
    // Infinity is written with letters, whoever writes it.
    let says_so = |row| text_at(values, row).to_lowercase().contains("inf");
    (0..converted.len()).find(|row| is_infinite(*row) && !says_so(*row))
}

/// The first value that the type has nothing for.
pub(super) fn first_lost(values: &ArrayRef, to: &DataType) -> Option<usize> {
    let options = CastOptions {
        safe: true,
        format_options: FormatOptions::new(),
    };
    let kept = cast_with_options(values, to, &options).ok()?;
    (0..values.len()).find(|row| kept.is_null(*row) && !values.is_null(*row))
}

pub(super) fn text_at(values: &ArrayRef, row: usize) -> String {
    let options = FormatOptions::new();
    match ArrayFormatter::try_new(values, &options) {
        Ok(formatter) => formatter.value(row).to_string(),
        Err(error) => error.to_string(),
    }
}

/// The value as errors show it: text in quotes, and cut where it is long.
pub(super) fn shown(values: &ArrayRef, row: usize) -> String {
    let text = text_at(values, row);
    let mut letters = text.chars();
    let kept: String = letters.by_ref().take(SHOWN_CHARACTERS).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    match values.data_type().is_numeric() || *values.data_type() == DataType::Boolean {
        true => format!("{kept}{more}"),
        false => format!("'{}{more}'", kept.escape_debug()),
    }
}
