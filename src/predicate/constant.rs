//! Comparisons with constants, by value: the values of a type for which one is TRUE.
//!
//! A constant has a place among the values of a type even where it is none of them: 1.5 lies between the integers 1 and
//! 2, a stamp of the year 3001 after every TIMESTAMP(9) (`super::fixed_point`). Between the cuts just before and just
//! after it lie the values equal to it, or nothing.

use arrow::datatypes::{DataType, i256};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;

use super::exact::Exact;
use super::fixed_point::View;
use crate::datum::{Clocks, Datum, SqlType};
use crate::key::{Cut, Domain};

/// The values for which what casts show of them, compared with a constant that is not NULL, gives TRUE; `None` where the
/// two do not compare by value.
pub(super) fn compare_shown(
    view: &View,
    operator: Operator,
    constant: &ScalarValue,
    sql_type: &SqlType,
) -> Option<Domain> {
    let place = view.place(&beside(view, constant)?)?;
    let [before, after] = [place.not_below, place.above].map(|n| before_nth(n, sql_type));
    compare_at(before, after, operator, sql_type)
}

/// As [`compare_shown`], of a type whose values are not evenly spaced.
pub(super) fn compare(
    operator: Operator,
    constant: &ScalarValue,
    sql_type: &SqlType,
) -> Option<Domain> {
    let value = datum(constant, sql_type)?;
    let (before, after) = (Cut::Below(value.clone()), Cut::Above(value));
    compare_at(before, after, operator, sql_type)
}

/// What a constant is worth beside a value. A condition that nobody has brought to one type may compare an instant with a
/// time that has no zone: that is one of UTC.
fn beside(view: &View, constant: &ScalarValue) -> Option<Exact> {
    let is_utc = match constant.data_type() {
        DataType::Timestamp(_, Some(zone)) => Clocks::always_ahead(&zone) == Some(0),
        _ => true,
    };
    Some(match Exact::of(constant)? {
        Exact::Time { nanos, .. } if is_utc => Exact::Time {
            nanos,
            zoned: view.is_instant(),
        },
        exact => exact,
    })
}

/// The cut before the `n`-th value; behind the last one it is the end.
fn before_nth(n: i256, sql_type: &SqlType) -> Cut {
    let value = n.to_i128().and_then(|n| sql_type.datum_of_integer(n));
    value.map_or(Cut::End, Cut::Below)
}

/// The values for which `value operator constant` is TRUE, for a constant between two cuts.
fn compare_at(before: Cut, after: Cut, operator: Operator, sql_type: &SqlType) -> Option<Domain> {
    let between = |start, end| Domain::between(sql_type, start, end);
    Some(match operator {
        Operator::Eq | Operator::IsNotDistinctFrom => between(before, after),
        Operator::NotEq => between(before, after).complement().with_null(false),
        Operator::IsDistinctFrom => between(before, after).complement(),
        Operator::Lt => between(Cut::Start, before),
        Operator::LtEq => between(Cut::Start, after),
        Operator::Gt => between(after, Cut::End),
        Operator::GtEq => between(before, Cut::End),
        _ => return None,
    })
}

/// The constant as a value of a type whose values are not evenly spaced.
fn datum(constant: &ScalarValue, sql_type: &SqlType) -> Option<Datum> {
    match sql_type {
        SqlType::Boolean => match constant {
            ScalarValue::Boolean(value) => value.map(Datum::Boolean),
            _ => None,
        },
        SqlType::Real | SqlType::Double => match Exact::of(constant)? {
            Exact::Double(value) => Some(Datum::double(value)),
            Exact::Single(value) => Some(Datum::double(value.into())),
            _ => exact_float(integer(constant)?, sql_type),
        },
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Uuid => {
            text(constant).map(|text| Datum::Text(text.to_owned()))
        }
        SqlType::Bytea => bytes(constant).map(|bytes| Datum::Bytes(bytes.to_vec())),
        _ => None,
    }
}

/// A whole number as a REAL or DOUBLE, if that is the same number whichever way it is cast.
fn exact_float(value: i64, sql_type: &SqlType) -> Option<Datum> {
    let digits = match sql_type {
        SqlType::Real => f32::MANTISSA_DIGITS,
        _ => f64::MANTISSA_DIGITS,
    };
    #[expect(clippy::cast_precision_loss, reason = "below 2^53 there is none")]
    (value.unsigned_abs() <= 1 << digits).then(|| Datum::double(value as f64))
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
    match Exact::of(constant)? {
        Exact::Number { unscaled, scale: 0 } => i64::try_from(unscaled.to_i128()?).ok(),
        _ => None,
    }
}
