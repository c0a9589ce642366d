//! Columns of hostile values.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Date32Array, Decimal128Array, Float64Array, Int16Array, Int32Array,
    Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use fastrand::Rng;

/// A value, or a constant by value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    /// `digits × 10^-scale`.
    Number(i128, u32),
    Double(f64),
    /// Nanoseconds since 1970.
    Time(i128),
    Text(String),
}

/// What a column holds, which decides its constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number,
    Double,
    Date,
    /// A timestamp; `true` with a time zone.
    Time(bool),
    Text,
}

pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) values: Vec<Value>,
}

/// Hostile whole numbers of a type, with NULL.
fn integers(min: i128, max: i128) -> Vec<Option<i128>> {
    let inside = [
        -9007199254740993,
        -100,
        -1,
        0,
        1,
        2,
        99,
        100,
        101,
        9007199254740992,
        9007199254740993,
    ];
    let inside = inside.into_iter().filter(|n| *n > min && *n < max);
    let ends = [min, min + 1, max - 1, max];
    [None]
        .into_iter()
        .chain(ends.into_iter().chain(inside).map(Some))
        .collect()
}

/// Hostile counts of a unit of so many nanoseconds, with NULL.
fn times(unit: i128, ends: bool) -> Vec<Option<i128>> {
    let day = 86_400_000_000_000;
    let seconds = [
        -62_135_596_800,
        -2_000_000_000,
        -1,
        0,
        1,
        86_399,
        1_704_067_200,
        9_223_372_037,
        32_535_216_000,
    ];
    let mut counts: Vec<_> = seconds
        .into_iter()
        .map(|second: i128| (second * 1_000_000_000).div_euclid(unit))
        .flat_map(|n| [n, n + 1])
        .filter(|n| unit > 1 || i64::try_from(*n).is_ok())
        .collect();
    if ends && unit < day {
        counts.extend([i64::MIN, i64::MAX].map(i128::from));
    }
    [None]
        .into_iter()
        .chain(counts.into_iter().map(Some))
        .collect()
}

fn as_i64(values: &[Option<i128>]) -> impl Iterator<Item = Option<i64>> {
    values
        .iter()
        .map(|value| value.and_then(|n| i64::try_from(n).ok()))
}

/// Rows of each column: as many as the longest list of hostile values has.
const ROWS: usize = 24;

/// Values in any order, repeated until there is one for each row.
fn filled(random: &mut Rng, values: &[Option<i128>]) -> Vec<Option<i128>> {
    let mut filled: Vec<_> = (0..ROWS).map(|row| values[row % values.len()]).collect();
    random.shuffle(&mut filled);
    filled
}

/// A column, and its values as the table holds them.
type Made = (Column, ArrayRef);

fn made(name: &'static str, kind: Kind, values: Vec<Value>, array: impl Array + 'static) -> Made {
    let column = Column { name, kind, values };
    (column, Arc::new(array))
}

fn number(
    name: &'static str,
    digits: &[Option<i128>],
    scale: u32,
    array: impl Array + 'static,
) -> Made {
    let value = |n: &Option<i128>| n.map_or(Value::Null, |n| Value::Number(n, scale));
    let values = digits.iter().map(value).collect();
    made(name, Kind::Number, values, array)
}

/// A column of counts of a unit of so many nanoseconds.
fn instant(
    name: &'static str,
    kind: Kind,
    (counts, unit): (&[Option<i128>], i128),
    array: impl Array + 'static,
) -> Made {
    let value = |n: &Option<i128>| n.map_or(Value::Null, |n| Value::Time(n * unit));
    let values = counts.iter().map(value).collect();
    made(name, kind, values, array)
}

fn number_columns(random: &mut Rng) -> Vec<Made> {
    let mut fill = |min, max| filled(random, &integers(min, max));
    let i16s = fill(i16::MIN.into(), i16::MAX.into());
    let i32s = fill(i32::MIN.into(), i32::MAX.into());
    let i64s = fill(i64::MIN.into(), i64::MAX.into());
    let u64s = fill(0, u64::MAX.into());
    let p2s = fill(-9_999_999_999, 9_999_999_999);
    let p9s = fill(-(10_i128.pow(28)), 10_i128.pow(28));
    let (i16_array, i32_array): (Int16Array, Int32Array) = (
        i16s.iter().map(|n| n.map(|n| n as i16)).collect(),
        i32s.iter().map(|n| n.map(|n| n as i32)).collect(),
    );
    let u64_array: UInt64Array = u64s.iter().map(|n| n.map(|n| n as u64)).collect();
    let decimal = |digits: &[Option<i128>], precision, scale| {
        let array = Decimal128Array::from_iter(digits.iter().copied());
        let array = array.with_precision_and_scale(precision, scale);
        array.expect("decimal")
    };
    vec![
        number("i16", &i16s, 0, i16_array),
        number("i32", &i32s, 0, i32_array),
        number("i64", &i64s, 0, Int64Array::from_iter(as_i64(&i64s))),
        number("u64", &u64s, 0, u64_array),
        number("p2", &p2s, 2, decimal(&p2s, 10, 2)),
        number("p9", &p9s, 9, decimal(&p9s, 29, 9)),
    ]
}

fn time_columns(random: &mut Rng) -> Vec<Made> {
    const DAY: i128 = 86_400_000_000_000;
    let mut fill = |unit, ends| filled(random, &times(unit, ends));
    let days = fill(DAY, true);
    let s0s = fill(1_000_000_000, true);
    let s3s = fill(1_000_000, true);
    let s6s = fill(1_000, true);
    let s9s = fill(1, true);
    let z3s = fill(1_000_000, false);
    let day_array: Date32Array = days.iter().map(|n| n.map(|n| n as i32)).collect();
    let s0_array = TimestampSecondArray::from_iter(as_i64(&s0s));
    let s3_array = TimestampMillisecondArray::from_iter(as_i64(&s3s));
    let s6_array = TimestampMicrosecondArray::from_iter(as_i64(&s6s));
    let s9_array = TimestampNanosecondArray::from_iter(as_i64(&s9s));
    let z3_array = TimestampMillisecondArray::from_iter(as_i64(&z3s)).with_timezone("+00:00");
    let (plain, zoned) = (Kind::Time(false), Kind::Time(true));
    vec![
        instant("day", Kind::Date, (&days, DAY), day_array),
        instant("s0", plain, (&s0s, 1_000_000_000), s0_array),
        instant("s3", plain, (&s3s, 1_000_000), s3_array),
        instant("s6", plain, (&s6s, 1_000), s6_array),
        instant("s9", plain, (&s9s, 1), s9_array),
        instant("z3", zoned, (&z3s, 1_000_000), z3_array),
    ]
}

fn double_column(random: &mut Rng) -> Made {
    let doubles = [
        None,
        Some(0.0),
        Some(0.1),
        Some(-1.5),
        Some(1e300),
        Some(f64::NAN),
        Some(f64::INFINITY),
        Some(9007199254740992.0),
    ];
    let drawn: Vec<Option<f64>> = (0..ROWS)
        .map(|_| doubles[random.usize(..doubles.len())])
        .collect();
    let value = |x: &Option<f64>| x.map_or(Value::Null, Value::Double);
    let values = drawn.iter().map(value).collect();
    made("d", Kind::Double, values, Float64Array::from(drawn))
}

fn text_column(random: &mut Rng) -> Made {
    let texts = [None, Some(""), Some("a"), Some("b"), Some("c")];
    let drawn: Vec<Option<&str>> = (0..ROWS)
        .map(|_| texts[random.usize(..texts.len())])
        .collect();
    let value = |x: &Option<&str>| x.map_or(Value::Null, |text| Value::Text(text.to_string()));
    let values = drawn.iter().map(value).collect();
    made("n", Kind::Text, values, StringArray::from(drawn))
}

/// A table of hostile values, with a number for each row as `id`, and what is known of its other columns.
pub(super) fn table(random: &mut Rng) -> (RecordBatch, Vec<Column>) {
    let mut all = number_columns(random);
    all.extend(time_columns(random));
    all.push(double_column(random));
    all.push(text_column(random));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let mut arrays = vec![("id", ids)];
    arrays.extend(
        all.iter()
            .map(|(column, array)| (column.name, Arc::clone(array))),
    );
    let columns = all.into_iter().map(|(column, _)| column).collect();
    (RecordBatch::try_from_iter(arrays).expect("batch"), columns)
}
