//! Columns of hostile values.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int16Array, Int32Array, Int64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray,
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

fn numbers(values: &[Option<i128>], scale: u32) -> Vec<Value> {
    let number = |n: &Option<i128>| n.map_or(Value::Null, |n| Value::Number(n, scale));
    values.iter().map(number).collect()
}

fn instants(values: &[Option<i128>], unit: i128) -> Vec<Value> {
    let time = |n: &Option<i128>| n.map_or(Value::Null, |n| Value::Time(n * unit));
    values.iter().map(time).collect()
}

/// Every column with its hostile values, filled up to as many rows as the longest has.
#[expect(clippy::too_many_lines, reason = "one table of columns")]
pub(super) fn table(random: &mut Rng) -> (RecordBatch, Vec<Column>) {
    const ROWS: usize = 24;
    let mut fill = |values: Vec<Option<i128>>| -> Vec<Option<i128>> {
        let mut filled: Vec<_> = (0..ROWS).map(|row| values[row % values.len()]).collect();
        random.shuffle(&mut filled);
        filled
    };
    let (i16s, i32s) = (
        fill(integers(i16::MIN.into(), i16::MAX.into())),
        fill(integers(i32::MIN.into(), i32::MAX.into())),
    );
    let (i64s, u64s) = (
        fill(integers(i64::MIN.into(), i64::MAX.into())),
        fill(integers(0, u64::MAX.into())),
    );
    let decimals = fill(integers(-9_999_999_999, 9_999_999_999));
    let wide = fill(integers(-(10_i128.pow(28)), 10_i128.pow(28)));
    let days = fill(times(86_400_000_000_000, true));
    let (s0, s3) = (
        fill(times(1_000_000_000, true)),
        fill(times(1_000_000, true)),
    );
    let (s6, s9) = (fill(times(1_000, true)), fill(times(1, true)));
    let z3 = fill(times(1_000_000, false));
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
    let doubles: Vec<Option<f64>> = (0..ROWS)
        .map(|_| doubles[random.usize(..doubles.len())])
        .collect();
    let texts = [None, Some(""), Some("a"), Some("b"), Some("c")];
    let texts: Vec<Option<&str>> = (0..ROWS)
        .map(|_| texts[random.usize(..texts.len())])
        .collect();
    let decimal = |values: &[Option<i128>], precision, scale| -> ArrayRef {
        let array = Decimal128Array::from_iter(values.iter().copied());
        Arc::new(
            array
                .with_precision_and_scale(precision, scale)
                .expect("decimal"),
        )
    };
    let arrays: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..ROWS as i64))),
        (
            "i16",
            Arc::new(Int16Array::from_iter(
                i16s.iter().map(|n| n.map(|n| n as i16)),
            )),
        ),
        (
            "i32",
            Arc::new(Int32Array::from_iter(
                i32s.iter().map(|n| n.map(|n| n as i32)),
            )),
        ),
        ("i64", Arc::new(Int64Array::from_iter(as_i64(&i64s)))),
        (
            "u64",
            Arc::new(UInt64Array::from_iter(
                u64s.iter().map(|n| n.map(|n| n as u64)),
            )),
        ),
        ("p2", decimal(&decimals, 10, 2)),
        ("p9", decimal(&wide, 29, 9)),
        (
            "d",
            Arc::new(Float64Array::from_iter(doubles.iter().copied())),
        ),
        (
            "day",
            Arc::new(Date32Array::from_iter(
                days.iter().map(|n| n.map(|n| n as i32)),
            )),
        ),
        ("s0", Arc::new(TimestampSecondArray::from_iter(as_i64(&s0)))),
        (
            "s3",
            Arc::new(TimestampMillisecondArray::from_iter(as_i64(&s3))),
        ),
        (
            "s6",
            Arc::new(TimestampMicrosecondArray::from_iter(as_i64(&s6))),
        ),
        (
            "s9",
            Arc::new(TimestampNanosecondArray::from_iter(as_i64(&s9))),
        ),
        (
            "z3",
            Arc::new(TimestampMillisecondArray::from_iter(as_i64(&z3)).with_timezone("+00:00")),
        ),
        ("n", Arc::new(StringArray::from_iter(texts.iter().copied()))),
    ];
    let column = |name, kind, values| Column { name, kind, values };
    let double = |x: &Option<f64>| x.map_or(Value::Null, Value::Double);
    let text = |x: &Option<&str>| x.map_or(Value::Null, |text| Value::Text(text.to_string()));
    let columns = vec![
        column("i16", Kind::Number, numbers(&i16s, 0)),
        column("i32", Kind::Number, numbers(&i32s, 0)),
        column("i64", Kind::Number, numbers(&i64s, 0)),
        column("u64", Kind::Number, numbers(&u64s, 0)),
        column("p2", Kind::Number, numbers(&decimals, 2)),
        column("p9", Kind::Number, numbers(&wide, 9)),
        column("d", Kind::Double, doubles.iter().map(double).collect()),
        column("day", Kind::Date, instants(&days, 86_400_000_000_000)),
        column("s0", Kind::Time(false), instants(&s0, 1_000_000_000)),
        column("s3", Kind::Time(false), instants(&s3, 1_000_000)),
        column("s6", Kind::Time(false), instants(&s6, 1_000)),
        column("s9", Kind::Time(false), instants(&s9, 1)),
        column("z3", Kind::Time(true), instants(&z3, 1_000_000)),
        column("n", Kind::Text, texts.iter().map(text).collect()),
    ];
    (RecordBatch::try_from_iter(arrays).expect("batch"), columns)
}
