//! A text that becomes a BYTEA: `'\x00ff'` is two bytes, as files have it and as results show it. DataFusion's cast gives the
//! bytes of the text itself, six of them. A text that does not begin with `\x` stands for its own bytes.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryArray, BinaryBuilder};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};

use super::function::Conversion;
use crate::datum::bytes_of_text;
use crate::error::Error;

/// What is wrong with a text that begins with `\x` and is no BYTEA.
pub const NO_BYTES: &str = "\\x is followed by two hexadecimal digits for each byte";

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

/// The cast of a text to a type of bytes.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct BytesOfTexts {
    /// The type.
    pub target: DataType,
    /// Whether NULL is given for what cannot be read.
    pub is_lenient: bool,
}

impl Conversion for BytesOfTexts {
    fn name(&self) -> &str {
        "bytea"
    }

    fn target(&self) -> DataType {
        self.target.clone()
    }

    fn convert(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        let (bytes, wrong) = bytes_of_texts(texts)?;
        if let Some(row) = wrong.filter(|_| !self.is_lenient) {
            let text = ScalarValue::try_from_array(texts, row)?;
            return Err(
                Error::invalid(format!("'{text}' cannot be read as BYTEA: {NO_BYTES}")).into(),
            );
        }
        Ok(cast(&(Arc::new(bytes) as ArrayRef), &self.target)?)
    }
}
