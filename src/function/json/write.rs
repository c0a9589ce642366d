//! Values of SQL as JSON: `to_json(x)`, `json_object('a', 1)`, `json_array(1, 'b')`.
//!
//! Numbers and truth values are what they are in JSON, so are lists, structs and maps; NULL is null, and everything else a
//! text, as it is shown.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::{Result, exec_err, plan_err};

use crate::function::declared::{Declaration, arguments};

pub(super) static TO_JSON: Declaration = Declaration {
    name: "to_json",
    aliases: &["to_jsonb"],
    coerce: |types| match types {
        [value] => Ok(vec![value.clone()]),
        _ => plan_err!("to_json takes one value"),
    },
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        let [values] = arguments(given)?;
        rows(values.len(), |row, text| write(values, row, text))
    },
};

pub(super) static JSON_ARRAY: Declaration = Declaration {
    name: "json_array",
    aliases: &["json_build_array", "jsonb_build_array"],
    coerce: |types| Ok(types.to_vec()),
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        rows(length(given), |row, text| {
            let values = given.iter().map(|values| (None, values, row));
            members(text, ('[', ']'), values)
        })
    },
};

pub(super) static JSON_OBJECT: Declaration = Declaration {
    name: "json_object",
    aliases: &["json_build_object", "jsonb_build_object"],
    coerce: |types| match types.len() % 2 {
        0 => Ok(types
            .iter()
            .enumerate()
            .map(|(place, given)| match place % 2 {
                0 => DataType::Utf8,
                _ => given.clone(),
            })
            .collect()),
        _ => plan_err!("json_object takes a value for each name: json_object('a', 1, 'b', 2)"),
    },
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        rows(length(given), |row, text| {
            let mut pairs = Vec::with_capacity(given.len() / 2);
            for pair in given.chunks_exact(2) {
                let [names, values] = arguments(pair)?;
                if names.is_null(row) {
                    return exec_err!("json_object is given NULL for a name");
                }
                let name = names.as_string::<i32>().value(row).to_owned();
                pairs.push((Some(name), values, row));
            }
            members(text, ('{', '}'), pairs.into_iter())
        })
    },
};

/// Each row of a batch as an object.
///
/// # Errors
/// Those of showing a value.
pub(in crate::function) fn rows_as_json(batch: &RecordBatch) -> Result<ArrayRef> {
    rows(batch.num_rows(), |row, text| {
        let fields = batch.schema_ref().fields().iter().zip(batch.columns());
        let fields = fields.map(|(field, column)| (Some(field.name().clone()), column, row));
        members(text, ('{', '}'), fields)
    })
}

/// How many rows there are; one where there is nothing to count.
fn length(given: &[ArrayRef]) -> usize {
    given.first().map_or(1, |values| values.len())
}

fn rows(count: usize, write: impl Fn(usize, &mut String) -> Result<()>) -> Result<ArrayRef> {
    let texts = (0..count).map(|row| {
        let mut text = String::new();
        write(row, &mut text)?;
        Ok(Some(text))
    });
    Ok(Arc::new(texts.collect::<Result<StringArray>>()?))
}

/// Values between brackets, each behind its name if it has one.
fn members<'a>(
    text: &mut String,
    (open, close): (char, char),
    values: impl Iterator<Item = (Option<String>, &'a ArrayRef, usize)>,
) -> Result<()> {
    text.push(open);
    for (place, (name, values, row)) in values.enumerate() {
        if place > 0 {
            text.push(',');
        }
        if let Some(name) = name {
            quote(&name, text);
            text.push(':');
        }
        write(values, row, text)?;
    }
    text.push(close);
    Ok(())
}

/// The value of a row.
fn write(values: &ArrayRef, row: usize, text: &mut String) -> Result<()> {
    if values.is_null(row) || *values.data_type() == DataType::Null {
        text.push_str("null");
        return Ok(());
    }
    match values.data_type() {
        DataType::List(_) => {
            let items = values.as_list::<i32>().value(row);
            let items = (0..items.len()).map(|item| (None, &items, item));
            members(text, ('[', ']'), items)
        }
        DataType::Struct(fields) => {
            let columns = values.as_struct().columns();
            let fields = fields.iter().zip(columns);
            let fields = fields.map(|(field, column)| (Some(field.name().clone()), column, row));
            members(text, ('{', '}'), fields)
        }
        DataType::Map(..) => {
            let entries = values.as_map().value(row);
            let [names, values] = arguments(entries.columns())?;
            let names = ArrayFormatter::try_new(names, &FormatOptions::default())?;
            let entries = 0..entries.len();
            let entries = entries.map(|at| (Some(names.value(at).to_string()), values, at));
            members(text, ('{', '}'), entries)
        }
        data_type => {
            let shown = ArrayFormatter::try_new(values, &FormatOptions::default())?;
            let shown = shown.value(row).to_string();
            let is_finite = || shown.parse::<f64>().is_ok_and(f64::is_finite);
            match data_type {
                DataType::Boolean => text.push_str(&shown),
                data_type if data_type.is_numeric() && is_finite() => text.push_str(&shown),
                _ => quote(&shown, text),
            }
            Ok(())
        }
    }
}

/// A text in quotes.
fn quote(said: &str, text: &mut String) {
    text.push('"');
    for letter in said.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            letter if letter < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => text.push(letter),
        }
    }
    text.push('"');
}
