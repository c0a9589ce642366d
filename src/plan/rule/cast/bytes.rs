//! A text that becomes a BYTEA: `'\x00ff'` is two bytes, as `COPY` reads it and as results show it.
//!
//! DataFusion's cast gives the bytes of the text itself, six of them. This rule puts the function `BytesOfText` in the
//! place of every cast of a text to BYTEA: those that are written and those that type coercion has made, for
//! `b = '\x00ff'` and for a CASE; so it runs behind type coercion, and before constants are computed. A constant is read
//! there and then, so that key ranges are found for it. A text that does not begin with `\x` stands for its own bytes.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryArray, BinaryBuilder};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, ExprSchemable, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TryCast, Volatility,
};

use crate::datum::bytes_of_text;
use crate::error::Error;
use crate::plan::rule::rewriting::ExprRule;

/// What is wrong with a text that begins with `\x` and is no BYTEA.
pub const NO_BYTES: &str = "\\x is followed by two hexadecimal digits for each byte";

/// The rule. See the [module](self).
pub(crate) const READ_BYTES: ExprRule = ExprRule {
    name: "halite_read_bytes",
    concerns: |expr| cast_to_bytes(expr).is_some(),
    rewrite: read_bytes,
};

/// What a cast makes a BYTEA of, the type that it wants, and whether it gives NULL for what it cannot read.
fn cast_to_bytes(expr: &Expr) -> Option<(&Expr, &DataType, bool)> {
    let (inner, field, lenient) = match expr {
        Expr::Cast(Cast { expr, field }) => (expr, field, false),
        Expr::TryCast(TryCast { expr, field }) => (expr, field, true),
        _ => return None,
    };
    let to = field.data_type();
    let is_bytes = matches!(
        to,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView
    );
    is_bytes.then_some((inner.as_ref(), to, lenient))
}

fn read_bytes(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Some((inner, to, lenient)) = cast_to_bytes(&expr) else {
        return Ok(Transformed::no(expr));
    };
    if !is_text(&inner.get_type(schema)?) {
        return Ok(Transformed::no(expr));
    }
    let function = BytesOfText::new(to.clone(), lenient);
    if let Expr::Literal(value, _) = inner {
        let value = function.read(&value.to_array()?)?;
        let value = ScalarValue::try_from_array(&value, 0)?;
        return Ok(Transformed::yes(Expr::Literal(value, None)));
    }
    let call = ScalarUDF::new_from_impl(function).call(vec![inner.clone()]);
    Ok(Transformed::yes(call))
}

/// Whether values of the type are texts.
pub fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

/// The bytes that texts stand for, where [`is_text`]; NULL for those that stand for none, with the first of their rows.
///
/// # Errors
/// Those of Arrow.
pub fn bytes_of_texts(texts: &ArrayRef) -> Result<(BinaryArray, Option<usize>)> {
    let texts = cast(texts, &DataType::LargeUtf8)?;
    let mut bytes = BinaryBuilder::new();
    let mut wrong = None;
    for (row, text) in texts.as_string::<i64>().iter().enumerate() {
        let read = text.map(bytes_of_text);
        if read == Some(None) {
            wrong = wrong.or(Some(row));
        }
        bytes.append_option(read.flatten());
    }
    Ok((bytes.finish(), wrong))
}

/// The cast of a text to BYTEA.
#[derive(Debug, PartialEq, Eq, Hash)]
struct BytesOfText {
    to: DataType,
    /// NULL is given for what cannot be read.
    lenient: bool,
    signature: Signature,
}

impl BytesOfText {
    fn new(to: DataType, lenient: bool) -> Self {
        Self {
            to,
            lenient,
            signature: Signature::any(1, Volatility::Immutable),
        }
    }

    fn read(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        let (bytes, wrong) = bytes_of_texts(texts)?;
        if let Some(row) = wrong.filter(|_| !self.lenient) {
            let text = ScalarValue::try_from_array(texts, row)?;
            return Err(
                Error::invalid(format!("'{text}' cannot be read as BYTEA: {NO_BYTES}")).into(),
            );
        }
        Ok(cast(&(Arc::new(bytes) as ArrayRef), &self.to)?)
    }
}

impl ScalarUDFImpl for BytesOfText {
    fn name(&self) -> &str {
        "bytea"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(self.to.clone())
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.as_slice() {
            [ColumnarValue::Array(texts)] => Ok(ColumnarValue::Array(self.read(texts)?)),
            [ColumnarValue::Scalar(text)] => {
                let bytes = self.read(&text.to_array()?)?;
                ScalarValue::try_from_array(&bytes, 0).map(ColumnarValue::Scalar)
            }
            _ => Err(Error::internal("a cast has one argument").into()),
        }
    }
}
