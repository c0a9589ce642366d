//! What a constant is worth, without rounding to any type.
//!
//! A time is a count of nanoseconds in 128 bits and a number an integer of 256 bits with a power of ten, both wide enough
//! for whatever SQL can write.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::ScalarValue;

use crate::datum::{Precision, nearest_number};

/// A constant's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exact {
    /// NULL of any type.
    Null,
    /// `unscaled × 10^-scale`.
    Number {
        /// The digits.
        unscaled: i256,
        /// How many of them are behind the point; may be negative.
        scale: i32,
    },
    /// Nanoseconds since 1970; an instant when `zoned`, wall-clock time otherwise.
    Time {
        /// Since 1970-01-01 00:00:00, of UTC when `zoned`.
        nanos: i128,
        /// Whether the time is an instant.
        zoned: bool,
    },
    /// A DOUBLE.
    Double(f64),
    /// A REAL.
    Single(f32),
}

impl Exact {
    /// The value of a scalar; `None` when it is no number and no time.
    pub fn of(value: &ScalarValue) -> Option<Self> {
        use ScalarValue as S;
        if value.is_null() {
            return Some(Self::Null);
        }
        let time = |n: i64, unit: TimeUnit, zone: &Option<Arc<str>>| Self::Time {
            nanos: i128::from(n) * i128::from(Precision::from(unit).nanoseconds()),
            zoned: zone.is_some(),
        };
        Some(match value {
            S::Int8(Some(n)) => Self::integer(*n),
            S::Int16(Some(n)) => Self::integer(*n),
            S::Int32(Some(n)) => Self::integer(*n),
            S::Int64(Some(n)) => Self::integer(*n),
            S::UInt8(Some(n)) => Self::integer(*n),
            S::UInt16(Some(n)) => Self::integer(*n),
            S::UInt32(Some(n)) => Self::integer(*n),
            S::UInt64(Some(n)) => Self::integer(*n),
            S::Decimal32(Some(n), _, scale) => Self::decimal(i256::from(*n), *scale),
            S::Decimal64(Some(n), _, scale) => Self::decimal(i256::from(*n), *scale),
            S::Decimal128(Some(n), _, scale) => Self::decimal(i256::from_i128(*n), *scale),
            S::Decimal256(Some(n), _, scale) => Self::decimal(*n, *scale),
            S::Float32(Some(x)) => Self::Single(*x),
            S::Float64(Some(x)) => Self::Double(*x),
            S::Date32(Some(days)) => time(i64::from(*days) * 86_400, TimeUnit::Second, &None),
            S::Date64(Some(n)) => time(*n, TimeUnit::Millisecond, &None),
            S::TimestampSecond(Some(n), zone) => time(*n, TimeUnit::Second, zone),
            S::TimestampMillisecond(Some(n), zone) => time(*n, TimeUnit::Millisecond, zone),
            S::TimestampMicrosecond(Some(n), zone) => time(*n, TimeUnit::Microsecond, zone),
            S::TimestampNanosecond(Some(n), zone) => time(*n, TimeUnit::Nanosecond, zone),
            _ => return None,
        })
    }

    fn integer(n: impl Into<i128>) -> Self {
        Self::Number {
            unscaled: i256::from_i128(n.into()),
            scale: 0,
        }
    }

    fn decimal(unscaled: i256, scale: i8) -> Self {
        Self::Number {
            unscaled,
            scale: scale.into(),
        }
    }

    /// The number as the nearest one of a floating-point type; `None` when it is not exact or that is infinite.
    pub fn nearest(self, target: &DataType) -> Option<Self> {
        let Self::Number { unscaled, scale } = self else {
            return None;
        };
        match target {
            DataType::Float64 => nearest_number(unscaled, scale)
                .filter(|x: &f64| x.is_finite())
                .map(Self::Double),
            DataType::Float32 => nearest_number(unscaled, scale)
                .filter(|x: &f32| x.is_finite())
                .map(Self::Single),
            _ => None,
        }
    }
}
