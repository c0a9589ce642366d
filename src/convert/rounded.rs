//! Values on their way to a coarser type: to the nearest, and what a cast would change that it should not.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Float32Array, Float64Array, ListArray, MapArray, StructArray,
};
use arrow::compute::kernels::cmp::distinct;
use arrow::compute::{cast, cast_with_options};
use arrow::datatypes::{
    DataType, Date32Type, Field, FieldRef, Fields, Float32Type, Float64Type, TimeUnit,
};
use datafusion::common::Result;

use super::SAFE;
use super::bytes::is_text;
use super::shown::text_at;
use crate::datum::{canonical_array, first_between, in_coarser_unit, nearest};

/// Values on their way into others that are coarser, rounded as other databases round what is assigned; a cast would cut
/// their digits off. Into whole numbers a DECIMAL's half goes away from zero, a DOUBLE's half to the even number. A DECIMAL
/// becomes the nearest REAL or DOUBLE, a stamp the nearest of its [coarser unit](in_coarser_unit). What lists, structs and
/// maps hold becomes what it would become by itself; everything else stays as it is.
pub fn rounded(values: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if let Some(nearest) = nearest(values, to) {
        return Ok(nearest);
    }
    if let DataType::Timestamp(unit, _) = to
        && let Some(stamps) = in_coarser_unit(values, *unit)
    {
        return Ok(stamps);
    }
    if values.data_type().is_nested() {
        return rounded_inside(values, to);
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

/// As [`rounded`], of what lists, structs and maps hold.
fn rounded_inside(values: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    Ok(match (values.data_type(), to) {
        (DataType::List(held), DataType::List(to)) => {
            let list = values.as_list::<i32>();
            let items = rounded(list.values(), to.data_type())?;
            let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
            Arc::new(ListArray::try_new(
                of_type(held, &items),
                offsets,
                items,
                nulls,
            )?)
        }
        (DataType::Struct(_), DataType::Struct(to)) => {
            Arc::new(rounded_members(values.as_struct(), to)?)
        }
        (DataType::Map(held, sorted), DataType::Map(to, _)) => {
            let map = values.as_map();
            let DataType::Struct(to) = to.data_type() else {
                return Ok(Arc::clone(values));
            };
            let entries = rounded_entries(map.entries(), to)?;
            let held = held
                .as_ref()
                .clone()
                .with_data_type(entries.data_type().clone());
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            Arc::new(MapArray::try_new(
                Arc::new(held),
                offsets,
                entries,
                nulls,
                *sorted,
            )?)
        }
        _ => Arc::clone(values),
    })
}

/// The members of a struct are those of the type by their names, the entries of a map by their places.
fn rounded_members(values: &StructArray, to: &Fields) -> Result<StructArray> {
    rounded_fields(values, |_, name| to.find(name).map(|(_, field)| field))
}

fn rounded_entries(values: &StructArray, to: &Fields) -> Result<StructArray> {
    rounded_fields(values, |place, _| to.get(place))
}

fn rounded_fields<'a>(
    values: &StructArray,
    target: impl Fn(usize, &str) -> Option<&'a FieldRef>,
) -> Result<StructArray> {
    let members = values.fields().iter().zip(values.columns()).enumerate();
    let members = members.map(|(place, (held, member))| {
        let member = match target(place, held.name()) {
            Some(to) => rounded(member, to.data_type())?,
            None => Arc::clone(member),
        };
        Ok((of_type(held, &member), member))
    });
    let (fields, members): (Vec<_>, Vec<_>) =
        members.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let nulls = values.nulls().cloned();
    let length = values.len();
    Ok(StructArray::try_new_with_length(
        fields.into(),
        members,
        nulls,
        length,
    )?)
}

fn of_type(field: &Field, values: &ArrayRef) -> FieldRef {
    Arc::new(field.clone().with_data_type(values.data_type().clone()))
}

/// The first value that the assignment to a column changed: two of them could be one there.
///
/// A REAL and a DOUBLE are the nearest ones of what is written in digits, of a DECIMAL and a text; that is no change.
pub fn first_changed(values: &ArrayRef, converted: &ArrayRef) -> Result<Option<usize>> {
    let from = values.data_type();
    match converted.data_type() {
        DataType::Decimal128(_, scale) if is_text(from) => Ok(first_finer(values, *scale)),
        DataType::Timestamp(unit, _) => Ok(first_between(values, *unit)),
        DataType::Date32 => first_within_a_day(values, converted),
        to if is_text(from) || (from.is_decimal() && to.is_floating()) => Ok(None),
        to if from.is_numeric() && to.is_numeric() => {
            let back = match nearest(converted, from) {
                Some(back) => back,
                None => cast_with_options(converted, from, &SAFE)?,
            };
            let changed = distinct(&canonical_array(&back), &canonical_array(values))?;
            Ok(changed.iter().position(|changed| changed == Some(true)))
        }
        _ => Ok(None),
    }
}

/// The first text of a number with more digits behind its point than these.
fn first_finer(texts: &ArrayRef, scale: i8) -> Option<usize> {
    let places = |row| places(text_at(texts, row).trim());
    (0..texts.len()).find(|row| texts.is_valid(*row) && places(*row) > i64::from(scale))
}

/// How many digits a number has behind its point, zeros at its end left out; fewer than none where zeros are in front of
/// it.
fn places(number: &str) -> i64 {
    let (digits, exponent) = match number.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse().unwrap_or(0)),
        None => (number, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let places = match fraction {
        "" => whole.trim_end_matches('0').len() as i64 - whole.len() as i64,
        fraction => fraction.len() as i64,
    };
    if whole.trim_start_matches(['+', '-', '0']).is_empty() && fraction.is_empty() {
        i64::MIN
    } else {
        places - exponent
    }
}

/// The first stamp, or text of one, that is not the beginning of the day that it became.
fn first_within_a_day(values: &ArrayRef, days: &ArrayRef) -> Result<Option<usize>> {
    let shown = match values.data_type() {
        // Its clocks, without the zone.
        DataType::Timestamp(unit, _) => cast(values, &DataType::Timestamp(*unit, None))?,
        // Finer ones are out of range sooner.
        text if is_text(text) => {
            let to = DataType::Timestamp(TimeUnit::Microsecond, None);
            cast_with_options(values, &to, &SAFE)?
        }
        _ => return Ok(None),
    };
    let midnights = cast_with_options(days, shown.data_type(), &SAFE)?;
    let changed = distinct(&shown, &midnights)?;
    let days = days.as_primitive::<Date32Type>();
    let is_within =
        |row: &usize| shown.is_valid(*row) && days.is_valid(*row) && changed.value(*row);
    Ok((0..shown.len()).find(is_within))
}

/// The first value that became infinite and is not: too great for a REAL or a DOUBLE.
pub fn too_great(values: &ArrayRef, converted: &ArrayRef) -> Option<usize> {
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
pub fn first_lost(values: &ArrayRef, to: &DataType) -> Option<usize> {
    let kept = cast_with_options(values, to, &SAFE).ok()?;
    (0..values.len()).find(|row| kept.is_null(*row) && !values.is_null(*row))
}
