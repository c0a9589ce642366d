//! Texts that become values may be written as others write them: `'2024-01-01 10:00'` for a TIMESTAMP, as COPY reads it,
//! `'1.5e3'` for a DECIMAL, `'1 day 04:05:06'` for an INTERVAL, as PostgreSQL prints it.
//!
//! Arrow reads none of these. This rule writes such a text as Arrow has it before it is cast: a constant at once, so that
//! key ranges are found for it, the values of a column by a function around it. It runs behind type coercion, which casts
//! what is compared with a TIMESTAMP, and before constants are computed.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, ExprSchemable, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TryCast, Volatility,
};

use super::bytes::is_text;
use crate::datum::{with_seconds, with_units, without_exponent};
use crate::error::Error;
use crate::plan::rule::rewriting::ExprRule;

/// The rule. See the [module](self).
pub(crate) const READ_TEXTS: ExprRule = ExprRule {
    name: "halite_read_texts",
    concerns: |expr| cast_of(expr).is_some_and(|(source, reading)| !reading.is_done(source)),
    rewrite: read_texts,
};

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reading {
    Stamp,
    Decimal,
    Interval,
}

impl Reading {
    fn of(target: &DataType) -> Option<Self> {
        match target {
            DataType::Timestamp(..) => Some(Self::Stamp),
            DataType::Interval(_) => Some(Self::Interval),
            target => target.is_decimal().then_some(Self::Decimal),
        }
    }

    /// The text as Arrow has it; `None` where it is so, or is no such value.
    fn completed(self, text: &str) -> Option<String> {
        match self {
            Self::Stamp => with_seconds(text),
            Self::Decimal => without_exponent(text),
            Self::Interval => with_units(text),
        }
    }

    /// Whether a text needs nothing, or has what it needs.
    fn is_done(self, source: &Expr) -> bool {
        match source {
            Expr::Literal(value, _) => {
                let text = value.try_as_str().flatten();
                text.is_none_or(|text| self.completed(text).is_none())
            }
            Expr::ScalarFunction(call) => call.func.inner().downcast_ref::<Completed>().is_some(),
            _ => false,
        }
    }
}

/// What is cast to a type whose texts are completed.
fn cast_of(expr: &Expr) -> Option<(&Expr, Reading)> {
    let (source, field) = match expr {
        Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field }) => (expr, field),
        _ => return None,
    };
    Some((source.as_ref(), Reading::of(field.data_type())?))
}

fn read_texts(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Some((source, reading)) = cast_of(&expr) else {
        return Ok(Transformed::no(expr));
    };
    if reading.is_done(source) {
        return Ok(Transformed::no(expr));
    }
    let is_literal = matches!(source, Expr::Literal(..));
    if !is_literal && !is_text(&source.get_type(schema)?) {
        return Ok(Transformed::no(expr));
    }
    let (Expr::Cast(Cast { expr: source, .. }) | Expr::TryCast(TryCast { expr: source, .. })) =
        &mut expr
    else {
        return Ok(Transformed::no(expr));
    };
    if let Expr::Literal(value, _) = &mut **source {
        let text = value.try_as_str().flatten();
        let Some(text) = text.and_then(|text| reading.completed(text)) else {
            return Ok(Transformed::no(expr));
        };
        *value = ScalarValue::from(text);
        return Ok(Transformed::yes(expr));
    }
    let function = ScalarUDF::new_from_impl(Completed {
        reading,
        signature: Signature::any(1, Volatility::Immutable),
    });
    let text = std::mem::take(&mut **source);
    **source = function.call(vec![text]);
    Ok(Transformed::yes(expr))
}

/// Texts, each as Arrow has it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Completed {
    reading: Reading,
    signature: Signature,
}

impl Completed {
    fn all(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        let texts = cast(texts, &DataType::Utf8)?;
        let array = texts.as_string::<i32>();
        let is_other = |text: &str| self.reading.completed(text).is_some();
        if !array.iter().flatten().any(is_other) {
            return Ok(texts);
        }
        let completed = array.iter().map(|text| {
            let text = text?;
            Some(
                self.reading
                    .completed(text)
                    .unwrap_or_else(|| text.to_owned()),
            )
        });
        Ok(Arc::new(completed.collect::<StringArray>()))
    }
}

impl ScalarUDFImpl for Completed {
    fn name(&self) -> &str {
        match self.reading {
            Reading::Stamp => "with_seconds",
            Reading::Decimal => "without_exponent",
            Reading::Interval => "with_units",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.as_slice() {
            [ColumnarValue::Array(texts)] => Ok(ColumnarValue::Array(self.all(texts)?)),
            [ColumnarValue::Scalar(text)] => {
                let text = self.all(&text.to_array()?)?;
                ScalarValue::try_from_array(&text, 0).map(ColumnarValue::Scalar)
            }
            _ => Err(Error::internal("a cast has one argument").into()),
        }
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
