//! `decode_key('t', key)`: a row key of a table for people, as `EXPLAIN KEYS` writes bounds: `/3/web-1/2024-01-01`.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::Lookup;
use crate::error::Error;
use crate::key::RowKey;
use crate::keyrange::hex;

/// The function.
pub(super) struct DecodeKey {
    lookup: Lookup,
    signature: Signature,
}

impl DecodeKey {
    pub(super) fn new(lookup: Lookup) -> Self {
        // The table may be made anew with another key.
        let signature = Signature::any(2, Volatility::Stable);
        Self { lookup, signature }
    }
}

impl std::fmt::Debug for DecodeKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("decode_key")
    }
}

impl PartialEq for DecodeKey {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.lookup), Arc::as_ptr(&other.lookup))
    }
}

impl Eq for DecodeKey {}

impl Hash for DecodeKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl ScalarUDFImpl for DecodeKey {
    fn name(&self) -> &str {
        "decode_key"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [
                _,
                DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::Null,
            ]
            | [_, DataType::FixedSizeBinary(_)] => Ok(DataType::Utf8),
            _ => plan_err!(
                "decode_key takes a table's name and a key, as in decode_key('cpu', x'00ff')"
            ),
        }
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [ColumnarValue::Scalar(name), keys] = arguments.args.as_slice() else {
            return plan_err!("decode_key takes the name of a table, and not a column of names");
        };
        let Some(Some(name)) = name.try_as_str() else {
            return plan_err!(
                "decode_key takes the name of a table, as in decode_key('cpu', x'00ff')"
            );
        };
        let (table, _) = (self.lookup)(name)?;
        let is_scalar = matches!(keys, ColumnarValue::Scalar(_));
        let keys = cast(&keys.to_array(arguments.number_rows)?, &DataType::Binary)?;
        let keys = keys.as_binary::<i32>();
        let texts = keys.iter().map(|key| {
            let text = key.map(|key| readable(name, table.row_key(), key));
            text.transpose()
        });
        let texts = texts.collect::<Result<StringArray, Error>>()?;
        Ok(if is_scalar && !texts.is_empty() {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&texts, 0)?)
        } else {
            ColumnarValue::Array(Arc::new(texts))
        })
    }
}

/// A key, or the beginning of one as far as it has whole parts, with `*` for what is missing.
fn readable(table: &str, row_key: &RowKey, key: &[u8]) -> Result<String, Error> {
    let wrong = |why: &str| {
        let key = hex(key);
        Error::invalid(format!("x'{key}' is no key of table `{table}`: {why}"))
    };
    let (mut text, mut rest) = (String::new(), key);
    for part in row_key.parts() {
        if rest.is_empty() {
            return Ok(text + "/*");
        }
        let (value, length) = part.decode(rest).map_err(|error| wrong(error.message()))?;
        text.push('/');
        text.push_str(&part.format(value.as_ref()));
        rest = rest.get(length..).unwrap_or_default();
    }
    match rest.len() {
        0 => Ok(text),
        more => Err(wrong(&format!("it has {more} bytes too many"))),
    }
}
