//! One zero and one NaN: in stored values, in constants, and in what is computed where it is compared.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, FixedSizeListArray, GenericListArray, MapArray,
    OffsetSizeTrait, PrimitiveArray, StructArray,
};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::ScalarValue;

/// −0.0 as 0.0, every NaN as the positive quiet one, all else as it is.
pub fn canonical_double(value: f64) -> f64 {
    if value.is_nan() {
        f64::NAN.copysign(1.0)
    } else {
        value + 0.0
    }
}

/// As [`canonical_double`], for REAL.
pub fn canonical_real(value: f32) -> f32 {
    if value.is_nan() {
        f32::NAN.copysign(1.0)
    } else {
        value + 0.0
    }
}

/// As [`canonical_double`], for a REAL or DOUBLE; every other value as it is.
pub fn canonical_scalar(value: ScalarValue) -> ScalarValue {
    match value {
        ScalarValue::Float64(value) => ScalarValue::Float64(value.map(canonical_double)),
        ScalarValue::Float32(value) => ScalarValue::Float32(value.map(canonical_real)),
        other => other,
    }
}

/// As [`canonical_double`], for each REAL or DOUBLE of an array, also in lists, structs and maps; the same array if each
/// already is canonical.
pub fn canonical_array(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Float64 => each::<Float64Type>(array, canonical_double, f64::to_bits),
        DataType::Float32 => {
            each::<Float32Type>(array, canonical_real, |value| value.to_bits().into())
        }
        DataType::List(_) => of_list::<i32>(array),
        DataType::LargeList(_) => of_list::<i64>(array),
        DataType::FixedSizeList(item, size) => {
            let list = array.as_fixed_size_list();
            inside(array, &[Arc::clone(list.values())], |values| {
                let values = values.into_iter().next()?;
                let nulls = list.nulls().cloned();
                let list = FixedSizeListArray::try_new(Arc::clone(item), *size, values, nulls);
                Some(Arc::new(list.ok()?))
            })
        }
        DataType::Struct(members) => {
            let of = array.as_struct();
            inside(array, of.columns(), |columns| {
                let (members, nulls) = (members.clone(), of.nulls().cloned());
                Some(Arc::new(
                    StructArray::try_new(members, columns, nulls).ok()?,
                ))
            })
        }
        DataType::Map(entries, is_sorted) => {
            let map = array.as_map();
            inside(array, map.entries().columns(), |sides| {
                let fields = map.entries().fields().clone();
                let sides = StructArray::try_new(fields, sides, None).ok()?;
                let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
                let map = MapArray::try_new(Arc::clone(entries), offsets, sides, nulls, *is_sorted);
                Some(Arc::new(map.ok()?))
            })
        }
        _ => Arc::clone(array),
    }
}

fn of_list<Offset: OffsetSizeTrait>(array: &ArrayRef) -> ArrayRef {
    let list = array.as_list::<Offset>();
    inside(array, &[Arc::clone(list.values())], |values| {
        let item = match list.data_type() {
            DataType::List(item) | DataType::LargeList(item) => Arc::clone(item),
            _ => return None,
        };
        let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
        let values = values.into_iter().next()?;
        let list = GenericListArray::<Offset>::try_new(item, offsets, values, nulls);
        Some(Arc::new(list.ok()?))
    })
}

/// The array with other arrays in it, where these are not canonical. It always can be made of arrays of the same types and
/// lengths.
fn inside(
    array: &ArrayRef,
    parts: &[ArrayRef],
    made_of: impl FnOnce(Vec<ArrayRef>) -> Option<ArrayRef>,
) -> ArrayRef {
    let canonical: Vec<ArrayRef> = parts.iter().map(canonical_array).collect();
    let mut both = parts.iter().zip(&canonical);
    if both.all(|(part, canonical)| Arc::ptr_eq(part, canonical)) {
        Arc::clone(array)
    } else {
        made_of(canonical).unwrap_or_else(|| Arc::clone(array))
    }
}

fn each<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    to: fn(T::Native) -> T::Native,
    bits: fn(T::Native) -> u64,
) -> ArrayRef {
    let values = array.as_primitive::<T>();
    let is_canonical = |value: &T::Native| bits(to(*value)) == bits(*value);
    if values.values().iter().all(is_canonical) {
        return Arc::clone(array);
    }
    let canonical: PrimitiveArray<T> = values.unary(to);
    Arc::new(canonical)
}
