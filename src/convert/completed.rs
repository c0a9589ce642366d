//! Texts that become values may be written as others write them: `'2024-01-01 10:00'` for a TIMESTAMP, as COPY reads it,
//! `'1.5e3'` for a DECIMAL, `'1 day 04:05:06'` for an INTERVAL, as PostgreSQL prints it. Arrow reads none of these; so such a
//! text is written as Arrow has it before it is cast.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::Result;

use super::function::Conversion;
use crate::datum::{with_seconds, with_units, without_exponent};

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Completion {
    /// `2024-01-01 10:00` as a TIMESTAMP.
    Stamp,
    /// `1.5e3` as a DECIMAL.
    Decimal,
    /// `1 day 04:05:06` as an INTERVAL.
    Interval,
}

impl Completion {
    /// That of texts that become values of a type.
    pub fn of(target: &DataType) -> Option<Self> {
        match target {
            DataType::Timestamp(..) => Some(Self::Stamp),
            DataType::Interval(_) => Some(Self::Interval),
            target => target.is_decimal().then_some(Self::Decimal),
        }
    }

    /// The text as Arrow has it; `None` where it is so, or is no such value.
    pub fn completed(self, text: &str) -> Option<String> {
        match self {
            Self::Stamp => with_seconds(text),
            Self::Decimal => without_exponent(text),
            Self::Interval => with_units(text),
        }
    }
}

impl Conversion for Completion {
    fn name(&self) -> &str {
        match self {
            Self::Stamp => "with_seconds",
            Self::Decimal => "without_exponent",
            Self::Interval => "with_units",
        }
    }

    fn target(&self) -> DataType {
        DataType::Utf8
    }

    fn convert(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        let texts = cast(texts, &DataType::Utf8)?;
        let array = texts.as_string::<i32>();
        let is_other = |text: &str| self.completed(text).is_some();
        if !array.iter().flatten().any(is_other) {
            return Ok(texts);
        }
        let completed = array.iter().map(|text| {
            let text = text?;
            Some(self.completed(text).unwrap_or_else(|| text.to_owned()))
        });
        Ok(Arc::new(completed.collect::<StringArray>()))
    }
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{rows_of, with};

    #[tokio::test]
    async fn numbers_and_intervals_are_read_as_others_write_them() {
        let connection = with(&[
            "CREATE TABLE t (id INT PRIMARY KEY, n TEXT, i TEXT)",
            "INSERT INTO t VALUES (1, '1e3', '1 day 04:05:06'), (2, '-1.5E-1', '-00:00:01.5'), (3, '7.25', '2 hours'), (4, NULL, NULL)",
        ])
        .await;
        for (sql, expected) in [
            (
                "SELECT '1e3'::DECIMAL(10,2), CAST('-2.5e-1' AS DEC(15, 4)), TRY_CAST('e3' AS DECIMAL(10,2))",
                vec!["1000.00|-0.2500|NULL"],
            ),
            (
                "SELECT n::DECIMAL(10,2) FROM t ORDER BY id",
                vec!["1000.00", "-0.15", "7.25", "NULL"],
            ),
            (
                "SELECT INTERVAL '1 day 04:05:06' = INTERVAL '28 hours 5 mins 6 secs', '-1 days +02:03:04'::INTERVAL,
                    TIMESTAMP '2024-01-01' + '1 day 04:05:06', INTERVAL '04:05:06.5'",
                vec![
                    "true|-1 days 2 hours 3 mins 4.000000000 secs|2024-01-02T04:05:06|4 hours 5 mins 6.500000000 secs",
                ],
            ),
            (
                "SELECT TIMESTAMP '2024-01-01' + i::INTERVAL FROM t ORDER BY id",
                vec![
                    "2024-01-02T04:05:06",
                    "2023-12-31T23:59:58.500",
                    "2024-01-01T02:00:00",
                    "NULL",
                ],
            ),
        ] {
            assert_eq!(rows_of(&connection, sql).await, expected, "{sql}");
        }
    }
}
