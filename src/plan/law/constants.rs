//! Constants for a case's conditions: values of its rows in every spelling, their neighbours, and what lies outside or
//! between the values of a type.

use super::condition::Constant;
use super::random::Random;
use super::values::{PRECISIONS, hostile, per_second};
use crate::datum::{Datum, Precision, SqlType};

const SECONDS_PER_DAY: i64 = 86_400;

/// A constant to compare values of `sql_type` with: mostly one of `values`, or close to one.
pub(crate) fn constant(sql_type: &SqlType, values: &[Datum], random: &mut Random) -> Constant {
    if random.percent(4) {
        return Constant::Null;
    }
    if random.percent(6) {
        return outside(sql_type, random);
    }
    let known = !values.is_empty() && random.percent(90);
    let value = if known {
        random.pick(values).clone()
    } else {
        random.pick(&hostile(sql_type)).clone()
    };
    match random.between(0, 99) {
        0..70 => spelt(&value, sql_type, random),
        70..85 => spelt(&neighbour(&value, sql_type, random), sql_type, random),
        _ => between_values(&value, sql_type, random),
    }
}

/// The constant equal to `value`, in one of the ways to write it.
pub(crate) fn spelt(value: &Datum, sql_type: &SqlType, random: &mut Random) -> Constant {
    match value {
        Datum::Boolean(value) => Constant::Boolean(*value),
        Datum::Integer(value) => spelt_integer((*value).into(), random),
        Datum::Unsigned(value) => spelt_integer((*value).into(), random),
        Datum::Double(value) => spelt_double(*value, random),
        Datum::Decimal(unscaled) => spelt_decimal(*unscaled, sql_type.scale(), random),
        Datum::Text(text) => Constant::Text(text.clone()),
        Datum::Bytes(bytes) => Constant::Bytes(bytes.clone()),
        Datum::Date(days) => spelt_date(*days, random),
        Datum::Timestamp(count) => spelt_timestamp(*count, sql_type, random),
    }
}

/// The constant equal to `value`, of the type that SQL has for it.
pub(crate) fn own(value: &Datum, sql_type: &SqlType) -> Constant {
    match value {
        Datum::Boolean(value) => Constant::Boolean(*value),
        Datum::Integer(value) => Constant::Integer((*value).into()),
        Datum::Unsigned(value) => Constant::Integer((*value).into()),
        Datum::Double(value) => Constant::Double(*value),
        Datum::Decimal(unscaled) => Constant::Decimal {
            unscaled: *unscaled,
            scale: sql_type.scale(),
        },
        Datum::Text(text) => Constant::Text(text.clone()),
        Datum::Bytes(bytes) => Constant::Bytes(bytes.clone()),
        Datum::Date(days) => Constant::Date(*days),
        Datum::Timestamp(count) => {
            let (precision, utc) = stamp(sql_type);
            Constant::Timestamp {
                count: *count,
                precision,
                utc,
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "only where it is exact")]
fn spelt_integer(value: i128, random: &mut Random) -> Constant {
    match random.between(0, 9) {
        0 => Constant::Decimal {
            unscaled: value * 10,
            scale: 1,
        },
        1 if value.unsigned_abs() <= 1 << 53 => Constant::Double(value as f64),
        _ => Constant::Integer(value),
    }
}

fn spelt_double(value: f64, random: &mut Random) -> Constant {
    let quarters = value * 4.0;
    let short = quarters.fract() == 0.0 && quarters.abs() < 1e6;
    match random.between(0, 9) {
        0 if value == 0.0 => Constant::Double(-0.0),
        0 if value.is_nan() => Constant::Double(-f64::NAN),
        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
        1 if short => Constant::Decimal {
            unscaled: (quarters * 25.0) as i128,
            scale: 2,
        },
        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
        2 if short && value.fract() == 0.0 => Constant::Integer(value as i128),
        _ => Constant::Double(value),
    }
}

fn spelt_decimal(unscaled: i128, scale: i8, random: &mut Random) -> Constant {
    let power = 10_i128.pow(u32::try_from(scale).expect("a scale"));
    if unscaled % power == 0 && random.percent(40) {
        return Constant::Integer(unscaled / power);
    }
    match unscaled.checked_mul(10) {
        Some(longer) if random.percent(10) => Constant::Decimal {
            unscaled: longer,
            scale: scale + 1,
        },
        _ => Constant::Decimal { unscaled, scale },
    }
}

fn spelt_date(days: i32, random: &mut Random) -> Constant {
    let precision = *random.pick(&PRECISIONS);
    let midnight = i64::from(days)
        .checked_mul(SECONDS_PER_DAY)
        .and_then(|seconds| seconds.checked_mul(per_second(precision)));
    match midnight {
        Some(count) if random.percent(15) => Constant::Timestamp {
            count,
            precision,
            utc: false,
        },
        _ => Constant::Date(days),
    }
}

fn spelt_timestamp(count: i64, sql_type: &SqlType, random: &mut Random) -> Constant {
    let (precision, utc) = stamp(sql_type);
    let own = Constant::Timestamp {
        count,
        precision,
        utc,
    };
    let day = SECONDS_PER_DAY * per_second(precision);
    if count % day == 0 && !utc && random.percent(20) {
        return i32::try_from(count / day).map_or(own, Constant::Date);
    }
    let other = *random.pick(&PRECISIONS);
    let nanoseconds = i128::from(count) * i128::from(precision.nanoseconds());
    let unit = i128::from(other.nanoseconds());
    match i64::try_from(nanoseconds / unit) {
        Ok(count) if nanoseconds % unit == 0 && random.percent(40) => Constant::Timestamp {
            count,
            precision: other,
            utc,
        },
        _ => own,
    }
}

fn stamp(sql_type: &SqlType) -> (Precision, bool) {
    match sql_type {
        SqlType::Timestamp { precision, utc } => (*precision, *utc),
        other => unreachable!("{other} is no timestamp"),
    }
}

/// The next or previous value of the type, or one that shares a prefix.
fn neighbour(value: &Datum, sql_type: &SqlType, random: &mut Random) -> Datum {
    let up = random.percent(50);
    let discrete = if up {
        sql_type.successor(value)
    } else {
        sql_type.predecessor(value)
    };
    if let Some(next) = discrete {
        return next;
    }
    match value {
        Datum::Double(value) if value.is_finite() => Datum::double(if up {
            value.next_up()
        } else {
            value.next_down()
        }),
        Datum::Text(text) => {
            let mut text = text.clone();
            if up {
                text.push(*random.pick(&['\0', 'a', '\u{ff}', '\u{10ffff}']));
            } else {
                text.pop();
            }
            Datum::Text(text)
        }
        Datum::Bytes(bytes) => {
            let mut bytes = bytes.clone();
            if up {
                bytes.push(*random.pick(&[0x00, 0x01, 0x61, 0xff]));
            } else {
                bytes.pop();
            }
            Datum::Bytes(bytes)
        }
        other => other.clone(),
    }
}

/// A constant finer than the type, next to `value`; where there is none, `value`.
fn between_values(value: &Datum, sql_type: &SqlType, random: &mut Random) -> Constant {
    let fraction = *random.pick(&[1_i128, 5, 9]);
    match value {
        Datum::Integer(_) | Datum::Unsigned(_) => Constant::Decimal {
            unscaled: value.as_integer().expect("a whole number") * 10 + fraction,
            scale: 1,
        },
        Datum::Decimal(unscaled) => match unscaled.checked_mul(10) {
            Some(longer) => Constant::Decimal {
                unscaled: longer + fraction,
                scale: sql_type.scale() + 1,
            },
            None => spelt(value, sql_type, random),
        },
        Datum::Date(days) => {
            let second = random.integer(1, SECONDS_PER_DAY - 1);
            Constant::Timestamp {
                count: i64::from(*days) * SECONDS_PER_DAY + second,
                precision: Precision::Second,
                utc: false,
            }
        }
        Datum::Timestamp(count) => finer_timestamp(*count, sql_type, random),
        Datum::Text(text) => Constant::Text(format!("{text}{}", random.pick(&["\0", "aaaaaa"]))),
        other => spelt(other, sql_type, random),
    }
}

fn finer_timestamp(count: i64, sql_type: &SqlType, random: &mut Random) -> Constant {
    let (precision, utc) = stamp(sql_type);
    let finer: Vec<Precision> = PRECISIONS
        .into_iter()
        .filter(|other| *other > precision)
        .collect();
    if !finer.is_empty() {
        let finer = *random.pick(&finer);
        let factor = precision.nanoseconds() / finer.nanoseconds();
        let inside = *random.pick(&[1, factor / 2, factor - 1]);
        let exact = count
            .checked_mul(factor)
            .and_then(|c| c.checked_add(inside));
        if let Some(count) = exact {
            return Constant::Timestamp {
                count,
                precision: finer,
                utc,
            };
        }
    }
    Constant::Timestamp {
        count,
        precision,
        utc,
    }
}

/// A constant that no column of the type can hold.
fn outside(sql_type: &SqlType, random: &mut Random) -> Constant {
    let sign = *random.pick(&[-1_i128, 1]);
    match sql_type {
        one if one.is_integer() => {
            let beyond = [
                40_000,
                4_294_967_296,
                i128::from(i64::MAX) + 1,
                i128::from(u64::MAX) + 1,
            ];
            Constant::Integer(sign * random.pick(&beyond) - i128::from(sign < 0))
        }
        SqlType::Decimal { precision, scale } => {
            let most = 10_i128.pow(u32::from(*precision).min(37));
            Constant::Decimal {
                unscaled: sign * most,
                scale: (*scale - 1).max(0),
            }
        }
        SqlType::Timestamp { precision, utc } => {
            let coarser: Vec<Precision> = PRECISIONS
                .into_iter()
                .filter(|other| other < precision)
                .collect();
            let precision = *coarser.first().unwrap_or(precision);
            let year_3001 = 32_535_216_000 * per_second(precision).min(1_000_000);
            Constant::Timestamp {
                count: year_3001 * i64::try_from(sign).expect("a sign"),
                precision,
                utc: *utc,
            }
        }
        SqlType::Uuid => {
            let texts = [
                "",
                "0",
                "ABCDEF00-1234-5678-9ABC-DEF012345678",
                "7f000000-",
                "g",
                "7f000000_",
            ];
            Constant::Text((*random.pick(&texts)).to_owned())
        }
        SqlType::Char(_) | SqlType::Varchar(_) => {
            Constant::Text((*random.pick(&["abcdefgh", "a\0", "ab\0cdefg", "zzzzzzzz"])).to_owned())
        }
        other => {
            let value = random.pick(&hostile(other)).clone();
            spelt(&value, other, random)
        }
    }
}
