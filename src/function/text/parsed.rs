//! `parse_uuid(text)`, which a cast to UUID is: the canonical form of a text that is checked. `try_parse_uuid` and
//! `try_parse_json` make NULL of what is no UUID, and no JSON.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err, plan_err};

use crate::datum::{canonical_uuid, json_fault};
use crate::function::declared::{Declaration, arguments};

pub(super) static PARSE_UUID: Declaration = Declaration {
    name: "parse_uuid",
    compute: |given| {
        parsed(given, |text| match canonical_uuid(text) {
            Some(uuid) => Ok(Some(uuid)),
            None => exec_err!("'{}' is no UUID", text.escape_debug()),
        })
    },
    ..OF_TEXT
};

pub(super) static TRY_PARSE_UUID: Declaration = Declaration {
    name: "try_parse_uuid",
    compute: |given| parsed(given, |text| Ok(canonical_uuid(text))),
    ..OF_TEXT
};

pub(super) static TRY_PARSE_JSON: Declaration = Declaration {
    name: "try_parse_json",
    compute: |given| {
        parsed(given, |text| {
            let is_json = json_fault(text).is_none();
            Ok(is_json.then(|| text.to_owned()))
        })
    },
    ..OF_TEXT
};

/// What all of them have in common.
const OF_TEXT: Declaration = Declaration {
    name: "",
    aliases: &[],
    coerce: only_text,
    result: |_| Ok(DataType::Utf8),
    compute: |_| plan_err!("a function without a name"),
};

fn only_text(types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [_] => Ok(vec![DataType::Utf8]),
        others => plan_err!("one text is parsed, not {}", others.len()),
    }
}

fn parsed(given: &[ArrayRef], parse: impl Fn(&str) -> Result<Option<String>>) -> Result<ArrayRef> {
    let [texts] = arguments(given)?;
    let texts = texts.as_string::<i32>().iter();
    let parsed = texts.map(|text| text.map_or(Ok(None), &parse));
    Ok(Arc::new(parsed.collect::<Result<StringArray>>()?))
}
