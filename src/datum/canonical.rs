//! One zero and one NaN: in stored values, in constants, and in what is computed where it is compared.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
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

/// As [`canonical_double`], for each value of an array of REAL or DOUBLE; the same array if each already is canonical.
pub fn canonical_array(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Float64 => each::<Float64Type>(array, canonical_double, f64::to_bits),
        DataType::Float32 => {
            each::<Float32Type>(array, canonical_real, |value| value.to_bits().into())
        }
        _ => Arc::clone(array),
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
