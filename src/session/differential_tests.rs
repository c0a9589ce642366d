//! Random predicates over hostile values, held against an oracle that computes by value.
//!
//! The oracle knows nothing of the rules: numbers are integers with a power of ten, times nanoseconds in 128 bits,
//! logic has three values. Every predicate is asked both for its truth value on each row and for the rows it keeps.
//! `HALITE_SEED` replays a run, `HALITE_CASES` sets its length.

use std::cmp::Ordering;
use std::sync::Arc;

use chrono::DateTime;
use datafusion::arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int16Array, Int32Array, Int64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use fastrand::Rng;

use super::testing::{mended, rows};

/// Cases unless `HALITE_CASES` says otherwise.
const CASES: usize = 500;

/// A value, or a constant by value.
#[derive(Debug, Clone, PartialEq)]
enum Value {
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
enum Kind {
    Number,
    Double,
    Date,
    /// A timestamp; `true` with a time zone.
    Time(bool),
    Text,
}

struct Column {
    name: &'static str,
    kind: Kind,
    values: Vec<Value>,
}

/// A constant: its value, and how it is written.
#[derive(Debug, Clone)]
struct Constant {
    value: Value,
    sql: String,
}

#[derive(Debug, Clone)]
enum Predicate {
    /// Column, operator, constant, and whether the constant stands on the left.
    Compare(usize, &'static str, Constant, bool),
    Between(usize, bool, Constant, Constant),
    In(usize, bool, Vec<Constant>),
    /// Columns, operator, constants.
    Row(Vec<usize>, &'static str, Vec<Constant>),
    RowIn(Vec<usize>, bool, Vec<Vec<Constant>>),
    IsNull(Box<Predicate>, bool),
    Not(Box<Predicate>),
    And(Vec<Predicate>),
    Or(Vec<Predicate>),
}

const OPERATORS: [&str; 8] = [
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "IS DISTINCT FROM",
    "IS NOT DISTINCT FROM",
];

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
fn table(random: &mut Rng) -> (RecordBatch, Vec<Column>) {
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

/// Draws constants and predicates.
struct Draw<'a> {
    random: Rng,
    columns: &'a [Column],
}

impl Draw<'_> {
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.usize(..of.len())]
    }

    /// A constant for a column: NULL, one of its values, or one beside it, in some way of writing it.
    fn constant(&mut self, column: usize) -> Constant {
        let column = &self.columns[column];
        let value = column.values[self.random.usize(..column.values.len())].clone();
        match value {
            _ if self.random.u8(..12) == 0 => null(),
            Value::Null => null(),
            Value::Number(digits, scale) => self.number(digits, scale),
            Value::Double(x) => self.double(x),
            Value::Time(nanos) => self.time(nanos, column.kind),
            Value::Text(text) => constant(Value::Text(text.clone()), format!("'{text}'")),
        }
    }

    fn number(&mut self, digits: i128, scale: u32) -> Constant {
        if self.random.u8(..6) == 0 {
            let text = format!("{}e{}", digits, -(scale as i32));
            return constant(Value::Double(text.parse().expect("double")), text);
        }
        let (beside, finer) = (self.one(&[-1, 0, 0, 0, 1, 5]), self.one(&[0, 0, 1, 3]));
        let (digits, scale) = match self.random.u8(..10) {
            0 => (digits * 1000 + beside, scale),
            _ => (digits * 10_i128.pow(finer) + beside, scale + finer),
        };
        let text = decimal_text(digits, scale);
        constant(Value::Number(digits, scale), text)
    }

    fn double(&mut self, x: f64) -> Constant {
        match self.random.u8(..5) {
            _ if !x.is_finite() => constant(Value::Double(x), format!("CAST('{x}' AS DOUBLE)")),
            0 => constant(Value::Double(0.0), "-0e0".to_string()),
            1 => constant(Value::Double(0.1), "0.1".to_string()),
            2 => constant(Value::Double(1.0), "1".to_string()),
            3 => constant(Value::Double(-1.5), "-1.50".to_string()),
            _ => constant(Value::Double(x), format!("{x:e}")),
        }
    }

    fn time(&mut self, nanos: i128, kind: Kind) -> Constant {
        let unit = self.one(&[
            1,
            500,
            1_000,
            500_000,
            1_000_000,
            500_000_000,
            1_000_000_000,
            43_200_000_000_000,
            86_400_000_000_000,
        ]);
        let nanos = nanos + unit * self.one(&[-1, 0, 0, 0, 1]);
        let first = -62_135_596_800 * 1_000_000_000;
        let last = 253_402_300_799 * 1_000_000_000;
        let nanos = nanos.clamp(first, last);
        let day = 86_400_000_000_000;
        let midnight = nanos.div_euclid(day) * day;
        match (self.random.u8(..4), kind) {
            (0, _) => constant(
                Value::Time(midnight),
                format!("DATE '{}'", &time_text(midnight)[..10]),
            ),
            (1, Kind::Date) => constant(
                Value::Time(midnight),
                format!("'{}'", &time_text(midnight)[..10]),
            ),
            (2, Kind::Time(true)) => {
                let shifted = (nanos + 5_400_000_000_000).min(last);
                constant(
                    Value::Time(shifted - 5_400_000_000_000),
                    format!("'{}+01:30'", time_text(shifted)),
                )
            }
            (_, Kind::Time(_)) if self.random.bool() => {
                constant(Value::Time(nanos), format!("'{}'", time_text(nanos)))
            }
            _ => constant(
                Value::Time(nanos),
                format!("TIMESTAMP '{}'", time_text(nanos)),
            ),
        }
    }

    fn leaf(&mut self) -> Predicate {
        let column = self.random.usize(..self.columns.len());
        let negated = self.random.bool();
        match self.random.u8(..10) {
            0 => Predicate::Between(
                column,
                negated,
                self.constant(column),
                self.constant(column),
            ),
            1..=3 => {
                let count = self.random.usize(1..7);
                Predicate::In(
                    column,
                    negated,
                    (0..count).map(|_| self.constant(column)).collect(),
                )
            }
            4 => {
                let columns = self.some_columns();
                let constants = columns
                    .iter()
                    .map(|column| self.constant(*column))
                    .collect();
                Predicate::Row(columns, self.one(&OPERATORS), constants)
            }
            5 => {
                let columns = self.some_columns();
                let rows = (0..self.random.usize(1..5))
                    .map(|_| {
                        columns
                            .iter()
                            .map(|column| self.constant(*column))
                            .collect()
                    })
                    .collect();
                Predicate::RowIn(columns, negated, rows)
            }
            _ => Predicate::Compare(
                column,
                self.one(&OPERATORS),
                self.constant(column),
                self.random.bool(),
            ),
        }
    }

    fn some_columns(&mut self) -> Vec<usize> {
        let count = self.random.usize(2..4);
        (0..count)
            .map(|_| self.random.usize(..self.columns.len()))
            .collect()
    }

    /// A predicate over few columns, so that its leaves meet.
    fn predicate(&mut self, depth: usize) -> Predicate {
        if depth == 0 {
            return self.leaf();
        }
        let several = |draw: &mut Self| {
            let count = draw.random.usize(2..4);
            (0..count).map(|_| draw.predicate(depth - 1)).collect()
        };
        match self.random.u8(..8) {
            0 => Predicate::Not(Box::new(self.predicate(depth - 1))),
            1 => Predicate::IsNull(Box::new(self.predicate(depth - 1)), self.random.bool()),
            2..=4 => Predicate::And(several(self)),
            _ => Predicate::Or(several(self)),
        }
    }
}

fn constant(value: Value, sql: String) -> Constant {
    Constant { value, sql }
}

fn null() -> Constant {
    constant(Value::Null, "NULL".to_string())
}

fn decimal_text(digits: i128, scale: u32) -> String {
    let sign = if digits < 0 { "-" } else { "" };
    let text = format!(
        "{:0>width$}",
        digits.unsigned_abs(),
        width = scale as usize + 1
    );
    let (whole, fraction) = text.split_at(text.len() - scale as usize);
    if scale == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

fn time_text(nanos: i128) -> String {
    let second = 1_000_000_000;
    let seconds = i64::try_from(nanos.div_euclid(second)).expect("seconds");
    let fraction = nanos.rem_euclid(second);
    let time = DateTime::from_timestamp(seconds, 0)
        .expect("time")
        .format("%Y-%m-%d %H:%M:%S");
    if fraction == 0 {
        time.to_string()
    } else {
        format!("{time}.{fraction:09}")
    }
}

/// How two values stand to each other; nothing when one of them is NULL.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    use Value::{Double, Null, Number, Text, Time};
    let total = |a: f64, b: f64| {
        a.partial_cmp(&b)
            .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    };
    let double = |digits: i128, scale: u32| digits as f64 / 10_f64.powi(scale as i32);
    Some(match (left, right) {
        (Null, _) | (_, Null) => return None,
        (Number(a, scale), Number(b, other)) => {
            let most = *scale.max(other);
            (a * 10_i128.pow(most - scale)).cmp(&(b * 10_i128.pow(most - other)))
        }
        (Number(a, scale), Double(b)) => total(double(*a, *scale), *b),
        (Double(a), Double(b)) => total(*a, *b),
        (Time(a), Time(b)) => a.cmp(b),
        (Text(a), Text(b)) => a.cmp(b),
        (left, right) => panic!("{left:?} and {right:?}"),
    })
}

fn compare(left: &Value, op: &str, right: &Value) -> Option<bool> {
    let order = order(left, right);
    let distinct = match order {
        Some(order) => order.is_ne(),
        None => left != right,
    };
    match op {
        "IS DISTINCT FROM" => Some(distinct),
        "IS NOT DISTINCT FROM" => Some(!distinct),
        "=" => order.map(Ordering::is_eq),
        "<>" => order.map(Ordering::is_ne),
        "<" => order.map(Ordering::is_lt),
        "<=" => order.map(Ordering::is_le),
        ">" => order.map(Ordering::is_gt),
        ">=" => order.map(Ordering::is_ge),
        op => panic!("{op}"),
    }
}

#[expect(clippy::manual_try_fold, reason = "None is unknown here, and no end")]
fn all(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    truths.fold(Some(true), |all, truth| match (all, truth) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (None, _) | (_, None) => None,
        _ => Some(true),
    })
}

fn not(truth: Option<bool>) -> Option<bool> {
    truth.map(|truth| !truth)
}

fn any(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    not(all(truths.map(not)))
}

impl Predicate {
    fn truth(&self, columns: &[Column], row: usize) -> Option<bool> {
        let value = |column: &usize| &columns[*column].values[row];
        let negate_if = |negated: bool, truth| if negated { not(truth) } else { truth };
        match self {
            Self::Compare(column, op, constant, _) => compare(value(column), op, &constant.value),
            Self::Between(column, negated, low, high) => {
                let bounds = [
                    compare(value(column), ">=", &low.value),
                    compare(value(column), "<=", &high.value),
                ];
                negate_if(*negated, all(bounds.into_iter()))
            }
            Self::In(column, negated, constants) => {
                let equal = constants
                    .iter()
                    .map(|constant| compare(value(column), "=", &constant.value));
                negate_if(*negated, any(equal))
            }
            Self::Row(columns, op, constants) => {
                let values: Vec<_> = columns.iter().map(value).collect();
                rows_compare(&values, op, constants)
            }
            Self::RowIn(columns, negated, rows) => {
                let values: Vec<_> = columns.iter().map(value).collect();
                negate_if(
                    *negated,
                    any(rows.iter().map(|row| rows_compare(&values, "=", row))),
                )
            }
            Self::IsNull(inner, negated) => Some(inner.truth(columns, row).is_none() != *negated),
            Self::Not(inner) => not(inner.truth(columns, row)),
            Self::And(terms) => all(terms.iter().map(|term| term.truth(columns, row))),
            Self::Or(terms) => any(terms.iter().map(|term| term.truth(columns, row))),
        }
    }

    fn sql(&self, columns: &[Column]) -> String {
        let name = |column: &usize| columns[*column].name;
        let list = |constants: &[Constant]| {
            constants
                .iter()
                .map(|constant| constant.sql.clone())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let names = |columns: &[usize]| columns.iter().map(name).collect::<Vec<_>>().join(", ");
        let not = |negated: &bool| if *negated { "NOT " } else { "" };
        let joined = |terms: &[Self], by: &str| {
            terms
                .iter()
                .map(|term| format!("({})", term.sql(columns)))
                .collect::<Vec<_>>()
                .join(by)
        };
        match self {
            Self::Compare(column, op, constant, true) => {
                format!("{} {} {}", constant.sql, swapped(op), name(column))
            }
            Self::Compare(column, op, constant, false) => {
                format!("{} {op} {}", name(column), constant.sql)
            }
            Self::Between(column, negated, low, high) => format!(
                "{} {}BETWEEN {} AND {}",
                name(column),
                not(negated),
                low.sql,
                high.sql
            ),
            Self::In(column, negated, constants) => {
                format!("{} {}IN ({})", name(column), not(negated), list(constants))
            }
            Self::Row(columns, op, constants) => {
                format!("({}) {op} ({})", names(columns), list(constants))
            }
            Self::RowIn(columns, negated, rows) => {
                let rows: Vec<_> = rows.iter().map(|row| format!("({})", list(row))).collect();
                format!(
                    "({}) {}IN ({})",
                    names(columns),
                    not(negated),
                    rows.join(", ")
                )
            }
            Self::IsNull(inner, negated) => {
                format!("({}) IS {}NULL", inner.sql(columns), not(negated))
            }
            Self::Not(inner) => format!("NOT ({})", inner.sql(columns)),
            Self::And(terms) => joined(terms, " AND "),
            Self::Or(terms) => joined(terms, " OR "),
        }
    }

    /// Smaller predicates, to find the smallest that fails.
    fn parts(&self) -> Vec<Self> {
        match self {
            Self::Not(inner) | Self::IsNull(inner, _) => vec![(**inner).clone()],
            Self::And(terms) | Self::Or(terms) => terms.clone(),
            Self::In(column, negated, constants) if constants.len() > 1 => {
                let without = |skip: usize| {
                    constants
                        .iter()
                        .enumerate()
                        .filter(|(at, _)| *at != skip)
                        .map(|(_, constant)| constant.clone())
                        .collect()
                };
                (0..constants.len())
                    .map(|skip| Self::In(*column, *negated, without(skip)))
                    .collect()
            }
            _ => vec![],
        }
    }
}

fn swapped(op: &'static str) -> &'static str {
    match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        op => op,
    }
}

fn rows_compare(values: &[&Value], op: &str, constants: &[Constant]) -> Option<bool> {
    let pairs = || {
        values
            .iter()
            .zip(constants)
            .map(|(value, constant)| (*value, &constant.value))
    };
    match op {
        "=" | "IS NOT DISTINCT FROM" => all(pairs().map(|(a, b)| compare(a, op, b))),
        "<>" | "IS DISTINCT FROM" => any(pairs().map(|(a, b)| compare(a, op, b))),
        op => {
            let strict = &op[..1];
            let last = values.len() - 1;
            any((0..=last).map(|at| {
                let equal = pairs().take(at).map(|(a, b)| compare(a, "=", b));
                let decided = pairs()
                    .nth(at)
                    .map(|(a, b)| compare(a, if at == last { op } else { strict }, b));
                all(equal.chain(decided))
            }))
        }
    }
}

fn shown(truth: Option<bool>) -> String {
    truth.map_or("NULL".to_string(), |truth| truth.to_string())
}

/// What is wrong with the answers to a predicate.
async fn wrong(
    session: &SessionContext,
    predicate: &Predicate,
    columns: &[Column],
) -> Option<String> {
    let sql = predicate.sql(columns);
    let truths: Vec<_> = (0..columns[0].values.len())
        .map(|row| predicate.truth(columns, row))
        .collect();
    let mut expected: Vec<_> = truths
        .iter()
        .enumerate()
        .map(|(row, truth)| format!("{row}|{}", shown(*truth)))
        .collect();
    expected.sort();
    let seen = rows(session, &format!("SELECT id, {sql} FROM t")).await;
    if let Some((expected, seen)) = expected
        .iter()
        .zip(&seen)
        .find(|(expected, seen)| expected != seen)
    {
        let row: usize = expected.split('|').next()?.parse().ok()?;
        let values: Vec<_> = columns
            .iter()
            .map(|column| format!("{}={:?}", column.name, column.values[row]))
            .collect();
        return Some(format!(
            "SELECT {sql}\n expected {expected}, seen {seen}\n {}",
            values.join(" ")
        ));
    }
    let mut expected: Vec<_> = truths
        .iter()
        .enumerate()
        .filter(|(_, truth)| **truth == Some(true))
        .map(|(row, _)| row.to_string())
        .collect();
    expected.sort();
    let seen = rows(session, &format!("SELECT id FROM t WHERE {sql}")).await;
    (expected != seen).then(|| format!("WHERE {sql}\n expected {expected:?}\n seen {seen:?}"))
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[tokio::test]
async fn predicates_answer_by_value() {
    let seed = number_from("HALITE_SEED").unwrap_or_else(|| fastrand::u64(..));
    let cases = number_from("HALITE_CASES").map_or(CASES, |cases| cases as usize);
    println!("HALITE_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    let (batch, columns) = table(&mut random);
    let session = mended();
    let provider = MemTable::try_new(batch.schema(), vec![vec![batch]]).expect("table");
    session
        .register_table("t", Arc::new(provider))
        .expect("register");
    for case in 0..cases {
        // Half of the predicates are about one or two columns, so that lists and bounds meet.
        let few: Vec<Column> = (0..random.usize(1..3))
            .map(|_| &columns[random.usize(..columns.len())])
            .map(|column| Column {
                name: column.name,
                kind: column.kind,
                values: column.values.clone(),
            })
            .collect();
        let of = if random.bool() { &columns } else { &few };
        let depth = random.usize(..3);
        let mut draw = Draw {
            random: random.fork(),
            columns: of,
        };
        let mut predicate = draw.predicate(depth);
        let Some(mut failure) = wrong(&session, &predicate, of).await else {
            continue;
        };
        'smaller: loop {
            for part in predicate.parts() {
                if let Some(smaller) = wrong(&session, &part, of).await {
                    (predicate, failure) = (part, smaller);
                    continue 'smaller;
                }
            }
            panic!("case {case}, HALITE_SEED={seed}\n{failure}");
        }
    }
}
