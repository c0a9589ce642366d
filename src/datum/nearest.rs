//! DECIMAL as the nearest REAL or DOUBLE. Arrow rounds twice, once to a double and once when it divides by the power of
//! ten, and so misses one number in ten by its last digit.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float32Array, Float64Array, PrimitiveArray};
use arrow::datatypes::{
    DataType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
};

/// Integers up to this, and powers of ten up to 10²², are doubles; what is divided of them is rounded once.
const EXACT: i64 = 1 << 53;

/// `unscaled × 10^-scale` as the nearest number of a floating-point type; infinite where it is too great.
pub fn nearest_number<F: FromStr>(unscaled: impl Display, scale: i32) -> Option<F> {
    format!("{unscaled}e{}", -scale).parse().ok()
}

/// The nearest numbers of a floating-point type; `None` where `values` are no DECIMAL, or `target` is of another kind.
/// What is too great becomes infinite.
pub fn nearest(values: &dyn Array, target: &DataType) -> Option<ArrayRef> {
    match values.data_type() {
        DataType::Decimal32(_, scale) => {
            of_decimals(values.as_primitive::<Decimal32Type>(), *scale, target)
        }
        DataType::Decimal64(_, scale) => {
            of_decimals(values.as_primitive::<Decimal64Type>(), *scale, target)
        }
        DataType::Decimal128(_, scale) => {
            of_decimals(values.as_primitive::<Decimal128Type>(), *scale, target)
        }
        DataType::Decimal256(_, scale) => {
            of_decimals(values.as_primitive::<Decimal256Type>(), *scale, target)
        }
        _ => None,
    }
}

fn of_decimals<T: DecimalType>(
    values: &PrimitiveArray<T>,
    scale: i8,
    target: &DataType,
) -> Option<ArrayRef>
where
    T::Native: Display,
{
    let places = i32::from(scale);
    // Every unscaled value is a number.
    let double = |value: T::Native| nearest_number(value, places).unwrap_or(f64::NAN);
    let single = |value: T::Native| nearest_number(value, places).unwrap_or(f32::NAN);
    match target {
        DataType::Float64 => {
            let power = (0..=22)
                .contains(&scale)
                .then(|| 10f64.powi(i32::from(scale)));
            let quick = |value: T::Native| Some(small(&value)? as f64 / power?);
            let nearest: Float64Array =
                values.unary(|value| quick(value).unwrap_or_else(|| double(value)));
            Some(Arc::new(nearest))
        }
        DataType::Float32 => {
            let nearest: Float32Array = values.unary(single);
            Some(Arc::new(nearest))
        }
        _ => None,
    }
}

/// The value as a double that is exact; `None` where it may not be.
fn small<N: arrow::datatypes::ArrowNativeType>(value: &N) -> Option<i64> {
    let small = value.to_i64()?;
    (-EXACT..=EXACT).contains(&small).then_some(small)
}

#[cfg(test)]
mod tests {
    use arrow::array::Decimal128Array;

    use super::*;

    fn doubles(values: Vec<i128>, precision: u8, scale: i8) -> Vec<f64> {
        let decimals = Decimal128Array::from(values)
            .with_precision_and_scale(precision, scale)
            .unwrap();
        let nearest = nearest(&decimals, &DataType::Float64).unwrap();
        nearest
            .as_primitive::<arrow::datatypes::Float64Type>()
            .values()
            .to_vec()
    }

    #[test]
    fn the_shortest_spelling_of_a_double_is_that_double() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..100_000 {
            let double = random.f64() * 10f64.powi(random.i32(-3..6));
            let text = double.to_string();
            let (whole, digits) = text.split_once('.').unwrap_or((&text, ""));
            let unscaled: i128 = format!("{whole}{digits}").parse().unwrap();
            let scale = i8::try_from(digits.len()).unwrap();
            assert_eq!(doubles(vec![unscaled], 38, scale), [double], "{text}");
        }
    }

    #[test]
    fn what_arrow_misses_is_met() {
        assert_eq!(
            doubles(vec![9_204_938_554_384_977], 16, 15),
            [9.204938554384977]
        );
        assert_eq!(
            doubles(vec![19_999_999_999_999_998], 17, 16),
            [1.9999999999999998]
        );
        assert_eq!(doubles(vec![-5, 0], 3, -2), [-500.0, 0.0]);
    }
}
