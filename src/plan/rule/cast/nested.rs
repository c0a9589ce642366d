//! A text that becomes a LIST, STRUCT or MAP: `'[1, 2]'::INT[]` and `'{"a": 1}'::MAP(TEXT, INT)` are JSON, which is read as
//! INSERT reads it into such a column.
//!
//! DataFusion makes a list of the one text, or refuses the cast. This rule puts the function `ReadNested` in the place
//! of such casts, where [`bytes`](super::bytes) does that for BYTEA, and for the same reasons. It does so as well for casts
//! of other values to types with members that not every text is a value of, `UUID[]` or `STRUCT<a VARCHAR(2)>`, which
//! Arrow's types do not tell from TEXT. So the name of a cast's field, which means nothing else, spells such a type.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, new_empty_array, new_null_array};
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Field};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, ExprSchemable, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TryCast, Volatility,
};

use super::bytes::is_text;
use crate::catalog::stored_type;
use crate::datum::SqlType;
use crate::error::Error;
use crate::plan::rule::rewriting::ExprRule;
use crate::row::as_stored;
use crate::write::copy::values_of_texts;

/// At most so many characters of a value are shown in an error.
const SHOWN_CHARACTERS: usize = 60;

/// The rule. See the [module](self).
pub(crate) const READ_NESTED: ExprRule = ExprRule {
    name: "halite_read_nested",
    concerns: |expr| NestedCast::of(expr).is_some(),
    rewrite: read_nested,
};

/// The field of a cast to a type with members that not every text is a value of; `None` for every other type.
pub fn checked_field(sql_type: &SqlType) -> Option<Field> {
    if !sql_type.is_nested() || !is_checked(sql_type) {
        return None;
    }
    let name = serde_json::to_string(sql_type).ok()?;
    Some(Field::new(name, sql_type.arrow(), true))
}

fn is_checked(sql_type: &SqlType) -> bool {
    let is_bounded = matches!(sql_type, SqlType::Varchar(_) | SqlType::Char(_));
    let is_special = matches!(sql_type, SqlType::Uuid | SqlType::Json);
    is_bounded || is_special || sql_type.members().into_iter().any(is_checked)
}

/// A cast to a LIST, STRUCT or MAP.
struct NestedCast<'a> {
    value: &'a Expr,
    field: &'a Field,
    /// NULL is given for what cannot be read.
    lenient: bool,
}

impl<'a> NestedCast<'a> {
    fn of(expr: &'a Expr) -> Option<Self> {
        let (value, field, lenient) = match expr {
            Expr::Cast(Cast { expr, field }) => (expr, field, false),
            Expr::TryCast(TryCast { expr, field }) => (expr, field, true),
            _ => return None,
        };
        field.data_type().is_nested().then_some(Self {
            value,
            field,
            lenient,
        })
    }

    /// The type that the field spells.
    fn spelt(&self) -> Option<SqlType> {
        match self.field.name().as_str() {
            "" => None,
            name => serde_json::from_str(name).ok(),
        }
    }

    /// What reads values of this type; `None` for those that a cast may take as they are.
    fn reader(&self, from: &DataType) -> Option<ReadNested> {
        let sql_type = match self.spelt() {
            Some(spelt) => spelt,
            None if is_text(from) => stored_type(self.field.data_type()).ok()?,
            None => return None,
        };
        Some(ReadNested {
            sql_type,
            to: self.field.data_type().clone(),
            lenient: self.lenient,
            signature: Signature::any(1, Volatility::Immutable),
        })
    }
}

fn read_nested(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Some(nested) = NestedCast::of(&expr) else {
        return Ok(Transformed::no(expr));
    };
    let Some(reader) = nested.reader(&nested.value.get_type(schema)?) else {
        return Ok(Transformed::no(expr));
    };
    if let Expr::Literal(value, _) = nested.value {
        let value = reader.read(&value.to_array()?)?;
        let value = ScalarValue::try_from_array(&value, 0)?;
        return Ok(Transformed::yes(Expr::Literal(value, None)));
    }
    let call = ScalarUDF::new_from_impl(reader).call(vec![nested.value.clone()]);
    Ok(Transformed::yes(call))
}

/// The cast.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ReadNested {
    sql_type: SqlType,
    /// The type of the cast, which has the session's time zone, say.
    to: DataType,
    lenient: bool,
    signature: Signature,
}

impl ReadNested {
    fn read(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let read = if self.lenient {
            self.those_that_are(values)?
        } else {
            self.all(values)?
        };
        Ok(cast(&read, &self.to)?)
    }

    /// # Errors
    /// The first value that is none of the type.
    fn all(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let read = if is_text(values.data_type()) {
            let texts = cast(values, &DataType::Utf8)?;
            let given = |row| texts.is_valid(row);
            values_of_texts(&self.sql_type, texts.as_string(), given).map_err(|row| {
                self.wrong(
                    values,
                    row,
                    "it is no JSON of such values, as [1, 2] or {\"a\": 1}",
                )
            })?
        } else {
            let given = ColumnarValue::Array(Arc::clone(values));
            let cast = given.cast_to(&self.sql_type.arrow(), None)?;
            cast.into_array(values.len())?
        };
        let stored = as_stored(&read, &self.sql_type).map_err(|refused| match refused.row {
            Some(row) => self.wrong(values, row, refused.error.message()),
            None => refused.error,
        });
        Ok(stored?)
    }

    /// The values, NULL for those that are none of the type.
    fn those_that_are(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let arrow = self.sql_type.arrow();
        let read = (0..values.len()).map(|row| {
            let read = self.all(&values.slice(row, 1));
            read.unwrap_or_else(|_| new_null_array(&arrow, 1))
        });
        let read: Vec<ArrayRef> = read.collect();
        let read: Vec<&dyn Array> = read.iter().map(AsRef::as_ref).collect();
        if read.is_empty() {
            Ok(new_empty_array(&arrow))
        } else {
            Ok(concat(&read)?)
        }
    }

    fn wrong(&self, values: &ArrayRef, row: usize, reason: &str) -> Error {
        let options = FormatOptions::new();
        let text = match ArrayFormatter::try_new(values, &options) {
            Ok(formatter) => formatter.value(row).to_string(),
            Err(error) => error.to_string(),
        };
        let mut letters = text.chars();
        let kept: String = letters.by_ref().take(SHOWN_CHARACTERS).collect();
        let more = if letters.next().is_some() { "…" } else { "" };
        let sql_type = &self.sql_type;
        Error::invalid(format!(
            "'{kept}{more}' cannot be read as {sql_type}: {reason}"
        ))
    }
}

impl ScalarUDFImpl for ReadNested {
    fn name(&self) -> &str {
        "read_nested"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(self.to.clone())
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.as_slice() {
            [ColumnarValue::Array(values)] => self.read(values).map(ColumnarValue::Array),
            [ColumnarValue::Scalar(value)] => {
                let read = self.read(&value.to_array()?)?;
                ScalarValue::try_from_array(&read, 0).map(ColumnarValue::Scalar)
            }
            _ => Err(Error::internal("a cast has one argument").into()),
        }
    }
}

#[cfg(test)]
#[path = "nested_tests.rs"]
mod tests;
