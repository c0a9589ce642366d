//! Comparisons with constants, by value.
//!
//! A constant has a place among the values of a column's type even where it is none of them: 1.5 lies between the
//! integers 1 and 2, a stamp of the year 3001 after every TIMESTAMP(9). [`place`] finds the cuts just before and just
//! after it; between them lies the one equal value, or nothing.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;

use crate::datum::{Datum, SqlType};
use crate::key::{Cut, Domain};

/// Where a constant stands among the values of a type: `before == after` if none is equal to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    before: Cut,
    after: Cut,
}

impl Place {
    fn at(value: Datum) -> Self {
        Self {
            before: Cut::Below(value.clone()),
            after: Cut::Above(value),
        }
    }

    fn gap(cut: Cut) -> Self {
        Self {
            before: cut.clone(),
            after: cut,
        }
    }

    /// The value of a discrete type whose count is `floor`, if `exact`, else the gap above it.
    fn counted(sql_type: &SqlType, floor: i128, exact: bool) -> Option<Self> {
        let (least, greatest) = sql_type.limits()?;
        if floor < least.as_integer()? {
            return Some(Self::gap(Cut::Start));
        }
        if floor > greatest.as_integer()? {
            return Some(Self::gap(Cut::End));
        }
        let value = sql_type.datum_of_integer(floor)?;
        Some(if exact {
            Self::at(value)
        } else {
            Self::gap(Cut::Above(value))
        })
    }

    /// The values for which `value operator constant` is TRUE.
    pub(super) fn compare(self, operator: Operator, sql_type: &SqlType) -> Option<Domain> {
        let between = |start, end| Domain::between(sql_type, start, end);
        Some(match operator {
            Operator::Eq | Operator::IsNotDistinctFrom => between(self.before, self.after),
            Operator::NotEq => between(self.before, self.after)
                .complement()
                .with_null(false),
            Operator::IsDistinctFrom => between(self.before, self.after).complement(),
            Operator::Lt => between(Cut::Start, self.before),
            Operator::LtEq => between(Cut::Start, self.after),
            Operator::Gt => between(self.after, Cut::End),
            Operator::GtEq => between(self.before, Cut::End),
            _ => return None,
        })
    }
}

/// The place of a constant that is not NULL among the values of `sql_type`; `None` where they do not compare by value.
pub(super) fn place(constant: &ScalarValue, sql_type: &SqlType) -> Option<Place> {
    match sql_type {
        SqlType::Boolean => match constant {
            ScalarValue::Boolean(Some(value)) => Some(Place::at(Datum::Boolean(*value))),
            _ => None,
        },
        SqlType::SmallInt | SqlType::Integer | SqlType::BigInt | SqlType::Decimal { .. } => {
            place_number(constant, sql_type)
        }
        SqlType::Real | SqlType::Double => match constant {
            ScalarValue::Float64(Some(value)) => Some(Place::at(Datum::double(*value))),
            ScalarValue::Float32(Some(value)) => Some(Place::at(Datum::double(f64::from(*value)))),
            whole => exact_double(integer(whole)?).map(Place::at),
        },
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) => {
            text(constant).map(|text| Place::at(Datum::Text(text.to_owned())))
        }
        SqlType::Bytea => bytes(constant).map(|bytes| Place::at(Datum::Bytes(bytes.to_vec()))),
        SqlType::Date => place_time(constant, sql_type, NANOSECONDS_PER_DAY, false),
        SqlType::Timestamp { precision, utc } => {
            place_time(constant, sql_type, precision.nanoseconds().into(), *utc)
        }
    }
}

/// A whole number as a DOUBLE, if that is the same number whichever way it is cast.
fn exact_double(value: i64) -> Option<Datum> {
    #[expect(clippy::cast_precision_loss, reason = "below 2^53 there is none")]
    (value.unsigned_abs() <= 1 << 53).then(|| Datum::double(value as f64))
}

/// The place of a DOUBLE among the values of BIGINT as DataFusion compares them: the column is cast to DOUBLE, which
/// rounds. The cast is monotone, so the place is found by halving.
pub(super) fn place_through_double(constant: f64) -> Option<Place> {
    let target = Datum::double(constant);
    #[expect(
        clippy::cast_precision_loss,
        reason = "the rounding of the cast is what is asked about"
    )]
    let as_double = |value: i64| Datum::double(value as f64);
    let first_from = |reached: &dyn Fn(&Datum) -> bool| -> Option<i128> {
        let (mut low, mut high) = (i128::from(i64::MIN), i128::from(i64::MAX) + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if reached(&as_double(i64::try_from(middle).ok()?)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    };
    let cut = |count: i128| {
        i64::try_from(count).map_or(Cut::End, |value| Cut::Below(Datum::Integer(value)))
    };
    Some(Place {
        before: cut(first_from(&|value| *value >= target)?),
        after: cut(first_from(&|value| *value > target)?),
    })
}

/// The characters of a text constant.
pub(super) fn text(constant: &ScalarValue) -> Option<&str> {
    match constant {
        ScalarValue::Utf8(Some(text))
        | ScalarValue::LargeUtf8(Some(text))
        | ScalarValue::Utf8View(Some(text)) => Some(text),
        ScalarValue::Dictionary(_, inner) => text(inner),
        _ => None,
    }
}

fn bytes(constant: &ScalarValue) -> Option<&[u8]> {
    match constant {
        ScalarValue::Binary(Some(bytes))
        | ScalarValue::LargeBinary(Some(bytes))
        | ScalarValue::BinaryView(Some(bytes))
        | ScalarValue::FixedSizeBinary(_, Some(bytes)) => Some(bytes),
        _ => None,
    }
}

/// A whole number of any width, as the caller's argument of a function.
pub(super) fn integer(constant: &ScalarValue) -> Option<i64> {
    match unscaled(constant)? {
        (value, 0) => i64::try_from(value).ok(),
        _ => None,
    }
}

/// A number without rounding: unscaled value and scale.
fn unscaled(constant: &ScalarValue) -> Option<(i128, i8)> {
    Some(match constant {
        ScalarValue::Int8(Some(value)) => (i128::from(*value), 0),
        ScalarValue::Int16(Some(value)) => (i128::from(*value), 0),
        ScalarValue::Int32(Some(value)) => (i128::from(*value), 0),
        ScalarValue::Int64(Some(value)) => (i128::from(*value), 0),
        ScalarValue::UInt8(Some(value)) => (i128::from(*value), 0),
        ScalarValue::UInt16(Some(value)) => (i128::from(*value), 0),
        ScalarValue::UInt32(Some(value)) => (i128::from(*value), 0),
        ScalarValue::UInt64(Some(value)) => (i128::from(*value), 0),
        ScalarValue::Decimal32(Some(value), _, scale) => (i128::from(*value), *scale),
        ScalarValue::Decimal64(Some(value), _, scale) => (i128::from(*value), *scale),
        ScalarValue::Decimal128(Some(value), _, scale) => (*value, *scale),
        ScalarValue::Decimal256(Some(value), _, scale) => (value.to_i128()?, *scale),
        _ => return None,
    })
}

fn place_number(constant: &ScalarValue, sql_type: &SqlType) -> Option<Place> {
    if let ScalarValue::Float64(Some(value)) = constant {
        return place_double(*value, sql_type);
    }
    if let ScalarValue::Float32(Some(value)) = constant {
        return place_double(f64::from(*value), sql_type);
    }
    let (value, scale) = unscaled(constant)?;
    let shift = i32::from(sql_type.scale()) - i32::from(scale);
    let power = 10_i128.checked_pow(shift.unsigned_abs())?;
    if shift >= 0 {
        return match value.checked_mul(power) {
            Some(count) => Place::counted(sql_type, count, true),
            // Too great for 128 bits is greater than any value of a type.
            None => Some(Place::gap(if value < 0 { Cut::Start } else { Cut::End })),
        };
    }
    Place::counted(
        sql_type,
        value.div_euclid(power),
        value.rem_euclid(power) == 0,
    )
}

/// A DOUBLE among whole numbers, by value; decimals with a fraction are left to DataFusion's cast.
fn place_double(value: f64, sql_type: &SqlType) -> Option<Place> {
    if !sql_type.is_integer() {
        return None;
    }
    if value.is_nan() || value >= 2_f64.powi(100) {
        return Some(Place::gap(Cut::End));
    }
    if value <= -(2_f64.powi(100)) {
        return Some(Place::gap(Cut::Start));
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number below 2^100"
    )]
    let floor = value.floor() as i128;
    Place::counted(sql_type, floor, value.fract() == 0.0)
}

const NANOSECONDS_PER_DAY: i128 = 86_400_000_000_000;

/// A date or timestamp constant among values that count `unit` nanoseconds.
fn place_time(constant: &ScalarValue, sql_type: &SqlType, unit: i128, utc: bool) -> Option<Place> {
    let nanoseconds = match constant {
        ScalarValue::Date32(Some(days)) => i128::from(*days) * NANOSECONDS_PER_DAY,
        ScalarValue::Date64(Some(milliseconds)) => i128::from(*milliseconds) * 1_000_000,
        ScalarValue::TimestampSecond(Some(count), zone) => {
            stamp(*count, 1_000_000_000, zone.as_deref(), utc)?
        }
        ScalarValue::TimestampMillisecond(Some(count), zone) => {
            stamp(*count, 1_000_000, zone.as_deref(), utc)?
        }
        ScalarValue::TimestampMicrosecond(Some(count), zone) => {
            stamp(*count, 1_000, zone.as_deref(), utc)?
        }
        ScalarValue::TimestampNanosecond(Some(count), zone) => {
            stamp(*count, 1, zone.as_deref(), utc)?
        }
        _ => return None,
    };
    Place::counted(
        sql_type,
        nanoseconds.div_euclid(unit),
        nanoseconds.rem_euclid(unit) == 0,
    )
}

/// The nanoseconds of a stamp; `None` where one side is local time and the other an instant outside UTC.
fn stamp(count: i64, unit: i128, zone: Option<&str>, utc: bool) -> Option<i128> {
    (zone.is_some() == utc || zone.is_none_or(is_utc)).then(|| i128::from(count) * unit)
}

/// Whether a zone of Arrow's is UTC.
pub(super) fn is_utc(zone: &str) -> bool {
    matches!(
        zone,
        "UTC" | "Utc" | "utc" | "Z" | "+00:00" | "+00" | "-00:00" | "+0000" | "Etc/UTC"
    )
}
