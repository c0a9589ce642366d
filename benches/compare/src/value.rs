//! Values that a workload puts into its SQL: as parameters, or written out in the words of each side.

use chrono::DateTime;
use datafusion::common::ScalarValue;

/// A value in the place of `$1`, `$2`, …
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(i64),
    /// Milliseconds since 1970.
    Stamp(i64),
    /// A list of time stamps, which stands in parentheses; it is always written out.
    Stamps(Vec<i64>),
    /// A list of numbers, as well.
    Numbers(Vec<i64>),
}

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// As Halite, DuckDB and DataFusion read them.
    Standard,
    /// As SQLite does, which has time stamps as numbers.
    Sqlite,
}

impl Value {
    fn literal(&self, dialect: Dialect) -> String {
        match self {
            Self::Text(text) => format!("'{text}'"),
            Self::Number(number) => number.to_string(),
            Self::Stamp(stamp) => stamp_literal(*stamp, dialect),
            Self::Stamps(stamps) => list(stamps.iter().map(|stamp| stamp_literal(*stamp, dialect))),
            Self::Numbers(numbers) => list(numbers.iter().map(i64::to_string)),
        }
    }

    /// The value as a parameter of Halite and of DataFusion.
    pub fn scalar(&self) -> ScalarValue {
        match self {
            Self::Text(text) => ScalarValue::from(text.as_str()),
            Self::Number(number) => ScalarValue::from(*number),
            Self::Stamp(stamp) => ScalarValue::TimestampMillisecond(Some(*stamp), None),
            // Lists are written out; as a parameter one is nothing that a query accepts.
            Self::Stamps(_) | Self::Numbers(_) => ScalarValue::Null,
        }
    }
}

fn stamp_literal(stamp: i64, dialect: Dialect) -> String {
    match dialect {
        Dialect::Sqlite => stamp.to_string(),
        Dialect::Standard => {
            let time = DateTime::from_timestamp_millis(stamp).unwrap_or_default();
            format!("TIMESTAMP '{}'", time.format("%Y-%m-%d %H:%M:%S%.3f"))
        }
    }
}

fn list(literals: impl Iterator<Item = String>) -> String {
    format!("({})", literals.collect::<Vec<_>>().join(", "))
}

/// SQL with its values written out.
pub fn written_out(sql: &str, values: &[Value], dialect: Dialect) -> String {
    // `$1` is the beginning of `$10`.
    let last_first = values.iter().enumerate().rev();
    last_first.fold(sql.to_owned(), |sql, (before, value)| {
        sql.replace(&format!("${}", before + 1), &value.literal(dialect))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_the_words_of_each_side() {
        let values = [
            Value::Text("a".to_owned()),
            Value::Stamp(1_704_067_200_500),
            Value::Numbers(vec![1, 2]),
            Value::Stamps(vec![0]),
        ];
        let sql = "h = $1 AND t = $2 AND u IN $3 AND t IN $4";
        assert_eq!(
            written_out(sql, &values, Dialect::Sqlite),
            "h = 'a' AND t = 1704067200500 AND u IN (1, 2) AND t IN (0)"
        );
        let many: Vec<Value> = (0..12).map(|number| Value::Stamp(number * 7)).collect();
        assert_eq!(written_out("$1, $12", &many, Dialect::Sqlite), "0, 77");
        assert_eq!(
            written_out(sql, &values, Dialect::Standard),
            "h = 'a' AND t = TIMESTAMP '2024-01-01 00:00:00.500' AND u IN (1, 2) AND t IN (TIMESTAMP \
             '1970-01-01 00:00:00.000')"
        );
    }
}
