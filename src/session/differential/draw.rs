//! Random predicates over columns, and constants in every way of writing them.

use chrono::DateTime;
use fastrand::Rng;

use super::predicate::{Constant, Predicate};
use super::values::{Column, Kind, Value};

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

/// Draws constants and predicates.
pub(super) struct Draw<'a> {
    pub(super) random: Rng,
    pub(super) columns: &'a [Column],
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
    pub(super) fn predicate(&mut self, depth: usize) -> Predicate {
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
