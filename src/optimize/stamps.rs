//! A text that becomes a TIMESTAMP may leave out its seconds: `'2024-01-01 10:00'`, as COPY reads it.
//!
//! Arrow reads a day or a time with seconds, and nothing between. This rule gives such a text its seconds before it is
//! cast: a constant at once, so that key ranges are found for it, the values of a column by a function around it. It runs
//! behind type coercion, which casts what is compared with a TIMESTAMP, and before constants are computed.

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
use super::rule::ExprRule;
use crate::error::Error;

/// The rule. See the [module](self).
pub(super) const READ_MINUTES: ExprRule = ExprRule {
    name: "halite_read_minutes",
    concerns: |expr| source_of(expr).is_some_and(|source| !is_done(source)),
    rewrite: read_minutes,
};

/// What is cast to a TIMESTAMP.
fn source_of(expr: &Expr) -> Option<&Expr> {
    let (source, field) = match expr {
        Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field }) => (expr, field),
        _ => return None,
    };
    matches!(field.data_type(), DataType::Timestamp(..)).then_some(source.as_ref())
}

/// Whether a text needs nothing, or has what it needs.
fn is_done(source: &Expr) -> bool {
    match source {
        Expr::Literal(value, _) => {
            let text = value.try_as_str().flatten();
            text.is_none_or(|text| with_seconds(text).is_none())
        }
        Expr::ScalarFunction(call) => call.func.inner().downcast_ref::<WithSeconds>().is_some(),
        _ => false,
    }
}

fn read_minutes(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let (Expr::Cast(Cast { expr: source, .. }) | Expr::TryCast(TryCast { expr: source, .. })) =
        &mut expr
    else {
        return Ok(Transformed::no(expr));
    };
    if is_done(source) {
        return Ok(Transformed::no(expr));
    }
    if let Expr::Literal(value, _) = &mut **source {
        let text = value.try_as_str().flatten().and_then(with_seconds);
        let Some(text) = text else {
            return Ok(Transformed::no(expr));
        };
        *value = ScalarValue::from(text);
        return Ok(Transformed::yes(expr));
    }
    if !is_text(&source.get_type(schema)?) {
        return Ok(Transformed::no(expr));
    }
    let function = ScalarUDF::new_from_impl(WithSeconds {
        signature: Signature::any(1, Volatility::Immutable),
    });
    let text = std::mem::take(&mut **source);
    **source = function.call(vec![text]);
    Ok(Transformed::yes(expr))
}

/// Where the seconds are missing: behind `2024-01-01 10:00`.
const MINUTES: &str = "0000-00-00 00:00";

/// The text with its seconds; `None` where it has them, or is no time.
fn with_seconds(text: &str) -> Option<String> {
    let (minutes, zone) = text.split_at_checked(MINUTES.len())?;
    let is_like = |(found, wanted): (char, char)| match wanted {
        '0' => found.is_ascii_digit(),
        ' ' => matches!(found, ' ' | 'T' | 't'),
        wanted => found == wanted,
    };
    let is_time = minutes.chars().count() == MINUTES.len()
        && minutes.chars().zip(MINUTES.chars()).all(is_like)
        && !zone.starts_with(|next: char| next == ':' || next == '.' || next.is_ascii_digit());
    is_time.then(|| format!("{minutes}:00{zone}"))
}

/// Texts, those that are times without seconds with them.
#[derive(Debug, PartialEq, Eq, Hash)]
struct WithSeconds {
    signature: Signature,
}

impl WithSeconds {
    fn all(texts: &ArrayRef) -> Result<ArrayRef> {
        let texts = cast(texts, &DataType::Utf8)?;
        let array = texts.as_string::<i32>();
        if !array
            .iter()
            .flatten()
            .any(|text| with_seconds(text).is_some())
        {
            return Ok(texts);
        }
        let completed = array
            .iter()
            .map(|text| text.map(|text| with_seconds(text).unwrap_or_else(|| text.to_owned())));
        Ok(Arc::new(completed.collect::<StringArray>()))
    }
}

impl ScalarUDFImpl for WithSeconds {
    fn name(&self) -> &str {
        "with_seconds"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.as_slice() {
            [ColumnarValue::Array(texts)] => Ok(ColumnarValue::Array(Self::all(texts)?)),
            [ColumnarValue::Scalar(text)] => {
                let text = Self::all(&text.to_array()?)?;
                ScalarValue::try_from_array(&text, 0).map(ColumnarValue::Scalar)
            }
            _ => Err(Error::internal("a cast has one argument").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_added_where_they_are_missing() {
        for (text, expected) in [
            ("2024-01-01 10:00", Some("2024-01-01 10:00:00")),
            ("2024-01-01T10:00", Some("2024-01-01T10:00:00")),
            ("2024-01-01 10:00Z", Some("2024-01-01 10:00:00Z")),
            ("2024-01-01 10:00+02:00", Some("2024-01-01 10:00:00+02:00")),
            (
                "2024-01-01 10:00 Europe/Berlin",
                Some("2024-01-01 10:00:00 Europe/Berlin"),
            ),
            ("2024-01-01 10:00:30", None),
            ("2024-01-01 10:000", None),
            ("2024-01-01", None),
            ("2024-01-01 10", None),
            ("a text of some length", None),
            ("2024-01-01 1\u{e9}:00", None),
            ("", None),
        ] {
            assert_eq!(with_seconds(text).as_deref(), expected, "{text}");
        }
    }
}
