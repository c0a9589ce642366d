//! JSON in texts: `doc -> 'a'`, `doc ->> 'a'`, `json_extract(doc, '$.a[0]')` and the others, by the names of PostgreSQL,
//! SQLite and DuckDB.
//!
//! A document is a text. What is taken out of it is written as it was there: nothing is rounded, put in another order, or
//! spaced otherwise. What is no JSON is an error that says where; what is not in a document is NULL.

mod path;
mod write;

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int64Array, ListBuilder, StringArray, StringBuilder,
};
use arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::Expr;

use self::path::{Step, braced, follow, steps};
use crate::datum::{Json, JsonKind, MalformedJson};
use crate::function::declared::{Declaration, arguments, call};

pub(super) use self::write::rows_as_json;

/// The most of a document that an error shows.
const SHOWN: usize = 40;

/// Those that are declared.
pub(super) static DECLARATIONS: &[&Declaration] = &[
    &JSON,
    &JSON_VALID,
    &JSON_EXTRACT,
    &JSON_EXTRACT_STRING,
    &JSON_AT,
    &JSON_AT_TEXT,
    &JSON_EXTRACT_PATH,
    &JSON_EXTRACT_PATH_TEXT,
    &JSON_EXISTS,
    &JSON_ARRAY_LENGTH,
    &JSON_KEYS,
    &JSON_TYPEOF,
    &JSON_TYPE,
    &write::TO_JSON,
    &write::JSON_ARRAY,
    &write::JSON_OBJECT,
];

static JSON: Declaration = Declaration {
    name: "json",
    aliases: &[],
    coerce: |types| one_document("json", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        let [documents] = arguments(given)?;
        let checked = documents.as_string::<i32>().iter();
        let checked = checked.map(|text| text.map(|text| read(text).map(|_| text)).transpose());
        Ok(Arc::new(checked.collect::<Result<StringArray>>()?))
    },
};

static JSON_VALID: Declaration = Declaration {
    name: "json_valid",
    aliases: &[],
    coerce: |types| one_document("json_valid", types),
    result: |_| Ok(DataType::Boolean),
    compute: |given| {
        let [documents] = arguments(given)?;
        let valid = documents.as_string::<i32>().iter();
        let valid = valid.map(|text| text.map(|text| Json::of(text).is_ok()));
        Ok(Arc::new(valid.collect::<BooleanArray>()))
    },
};

static JSON_EXTRACT: Declaration = Declaration {
    name: "json_extract",
    aliases: &["json_extract_json"],
    coerce: |types| document_and_path("json_extract", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| texts(&found(given, steps)?, |json| Some(json.text.into())),
};

static JSON_EXTRACT_STRING: Declaration = Declaration {
    name: "json_extract_string",
    aliases: &["json_value"],
    coerce: |types| document_and_path("json_extract_string", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| texts(&found(given, steps)?, Json::as_text),
};

/// `doc #> '{a,b}'`.
static JSON_AT: Declaration = Declaration {
    name: "json_at",
    aliases: &[],
    coerce: |types| document_and_path("json_at", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| texts(&found(given, braced)?, |json| Some(json.text.into())),
};

/// `doc #>> '{a,b}'`.
static JSON_AT_TEXT: Declaration = Declaration {
    name: "json_at_text",
    aliases: &[],
    coerce: |types| document_and_path("json_at_text", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| texts(&found(given, braced)?, Json::as_text),
};

static JSON_EXTRACT_PATH: Declaration = Declaration {
    name: "json_extract_path",
    aliases: &["jsonb_extract_path", "json_get", "json_get_json"],
    coerce: |types| document_and_names("json_extract_path", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| texts(&found_by_names(given)?, |json| Some(json.text.into())),
};

static JSON_EXTRACT_PATH_TEXT: Declaration = Declaration {
    name: "json_extract_path_text",
    aliases: &["jsonb_extract_path_text", "json_as_text", "json_get_str"],
    coerce: |types| document_and_names("json_extract_path_text", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| texts(&found_by_names(given)?, Json::as_text),
};

static JSON_EXISTS: Declaration = Declaration {
    name: "json_exists",
    aliases: &[],
    coerce: |types| document_and_path("json_exists", types),
    result: |_| Ok(DataType::Boolean),
    compute: |given| {
        let [documents, _] = arguments(given)?;
        let found = found(given, steps)?;
        let exists = found.iter().enumerate();
        let exists = exists.map(|(row, json)| documents.is_valid(row).then_some(json.is_some()));
        Ok(Arc::new(exists.collect::<BooleanArray>()))
    },
};

/// How many values a list has; 0 of what is no list, as in DuckDB.
static JSON_ARRAY_LENGTH: Declaration = Declaration {
    name: "json_array_length",
    aliases: &["jsonb_array_length"],
    coerce: |types| document_and_perhaps_path("json_array_length", types),
    result: |_| Ok(DataType::Int64),
    compute: |given| {
        let lengths = found_or_whole(given)?.into_iter().map(|json| {
            let items = json.map(|json| json.items().unwrap_or_default().len());
            items.map(|length| i64::try_from(length).unwrap_or(i64::MAX))
        });
        Ok(Arc::new(lengths.collect::<Int64Array>()))
    },
};

/// The names of an object's members; NULL of what is none.
static JSON_KEYS: Declaration = Declaration {
    name: "json_keys",
    aliases: &["json_object_keys", "jsonb_object_keys"],
    coerce: |types| document_and_perhaps_path("json_keys", types),
    result: |_| Ok(DataType::List(text_item())),
    compute: |given| {
        let mut lists = ListBuilder::new(StringBuilder::new()).with_field(text_item());
        for json in found_or_whole(given)? {
            let members = json.and_then(Json::members);
            let is_valid = members.is_some();
            for (name, _) in members.unwrap_or_default() {
                lists.values().append_value(name);
            }
            lists.append(is_valid);
        }
        Ok(Arc::new(lists.finish()))
    },
};

/// What a value is, in PostgreSQL's words.
static JSON_TYPEOF: Declaration = Declaration {
    name: "json_typeof",
    aliases: &["jsonb_typeof"],
    coerce: |types| document_and_perhaps_path("json_typeof", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        let kinds = found_or_whole(given)?.into_iter();
        let kinds = kinds.map(|json| {
            json.map(|json| match json.kind {
                JsonKind::Null => "null",
                JsonKind::Boolean => "boolean",
                JsonKind::Number => "number",
                JsonKind::Text => "string",
                JsonKind::List => "array",
                JsonKind::Object => "object",
            })
        });
        Ok(Arc::new(kinds.collect::<StringArray>()))
    },
};

/// What a value is, in DuckDB's words.
static JSON_TYPE: Declaration = Declaration {
    name: "json_type",
    aliases: &[],
    coerce: |types| document_and_perhaps_path("json_type", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        let kinds = found_or_whole(given)?.into_iter();
        let kinds = kinds.map(|json| {
            json.map(|json| match json.kind {
                JsonKind::Null => "NULL",
                JsonKind::Boolean => "BOOLEAN",
                JsonKind::Number if json.text.contains(['.', 'e', 'E']) => "DOUBLE",
                JsonKind::Number if json.text.starts_with('-') => "BIGINT",
                JsonKind::Number => "UBIGINT",
                JsonKind::Text => "VARCHAR",
                JsonKind::List => "ARRAY",
                JsonKind::Object => "OBJECT",
            })
        });
        Ok(Arc::new(kinds.collect::<StringArray>()))
    },
};

/// A list of texts as DataFusion has it.
fn text_item() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::Utf8, true))
}

/// The type that a document is read as; JSON is kept as text.
fn document(function: &str, given: &DataType) -> Result<DataType> {
    match given {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
            Ok(DataType::Utf8)
        }
        DataType::Dictionary(_, value) => document(function, value),
        other => plan_err!("{function} takes a document of JSON, a TEXT, and not {other}"),
    }
}

/// The type that the name of a member, or the number of a place, is read as.
fn step_type(given: &DataType) -> DataType {
    if given.is_integer() {
        DataType::Int64
    } else {
        DataType::Utf8
    }
}

fn one_document(function: &str, types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [given] => Ok(vec![document(function, given)?]),
        _ => plan_err!("{function} takes a document of JSON alone"),
    }
}

fn document_and_path(function: &str, types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [given, path] => Ok(vec![document(function, given)?, step_type(path)]),
        _ => plan_err!("{function} takes a document of JSON and a path: {function}(doc, '$.name')"),
    }
}

fn document_and_perhaps_path(function: &str, types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [_] => one_document(function, types),
        _ => document_and_path(function, types),
    }
}

fn document_and_names(function: &str, types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [given, names @ ..] if !names.is_empty() => {
            let names = names.iter().map(|name| Ok(step_type(name)));
            std::iter::once(document(function, given))
                .chain(names)
                .collect()
        }
        _ => plan_err!("{function} takes a document of JSON and names: {function}(doc, 'a', 'b')"),
    }
}

fn read(text: &str) -> Result<Json<'_>> {
    match Json::of(text) {
        Ok(json) => Ok(json),
        Err(MalformedJson(place)) => {
            let shown: String = text.chars().take(SHOWN).collect();
            let more = if shown.len() < text.len() { "…" } else { "" };
            exec_err!(
                "'{shown}{more}' is no JSON: byte {} does not belong there",
                place + 1
            )
        }
    }
}

/// What the paths of the second argument lead to in the documents of the first.
fn found<'a>(
    given: &'a [ArrayRef],
    steps: fn(&str) -> Result<Vec<Step>>,
) -> Result<Vec<Option<Json<'a>>>> {
    let [documents, paths] = arguments(given)?;
    let documents = documents.as_string::<i32>().iter();
    let mut found = Vec::with_capacity(documents.len());
    if let Some(places) = paths.as_primitive_opt::<Int64Type>() {
        for (document, place) in documents.zip(places) {
            let steps = place.map(|place| vec![Step::Place(place)]);
            found.push(follow_in(document, steps.as_deref())?);
        }
        return Ok(found);
    }
    let mut known: Option<(&str, Vec<Step>)> = None;
    for (document, path) in documents.zip(paths.as_string::<i32>()) {
        let Some(path) = path else {
            found.push(None);
            continue;
        };
        if known.as_ref().is_none_or(|(of, _)| *of != path) {
            known = Some((path, steps(path)?));
        }
        let steps = known.as_ref().map(|(_, steps)| steps.as_slice());
        found.push(follow_in(document, steps)?);
    }
    Ok(found)
}

/// What names and places, an argument each, lead to in the documents of the first.
fn found_by_names(given: &[ArrayRef]) -> Result<Vec<Option<Json<'_>>>> {
    let Some((documents, names)) = given.split_first() else {
        return exec_err!("a document of JSON is not given");
    };
    let step = |names: &ArrayRef, row: usize| {
        if names.is_null(row) {
            return None;
        }
        Some(match names.as_primitive_opt::<Int64Type>() {
            Some(places) => Step::Place(places.value(row)),
            None => Step::Either(names.as_string::<i32>().value(row).to_owned()),
        })
    };
    let rows = documents.as_string::<i32>().iter().enumerate();
    rows.map(|(row, document)| {
        let steps: Option<Vec<Step>> = names.iter().map(|names| step(names, row)).collect();
        follow_in(document, steps.as_deref())
    })
    .collect()
}

/// What the path leads to, or the document where there is none.
fn found_or_whole(given: &[ArrayRef]) -> Result<Vec<Option<Json<'_>>>> {
    match given {
        [documents] => documents
            .as_string::<i32>()
            .iter()
            .map(|text| text.map(read).transpose())
            .collect(),
        _ => found(given, steps),
    }
}

fn follow_in<'a>(document: Option<&'a str>, steps: Option<&[Step]>) -> Result<Option<Json<'a>>> {
    let (Some(document), Some(steps)) = (document, steps) else {
        return Ok(None);
    };
    Ok(follow(read(document)?, steps))
}

fn texts<'a>(
    found: &[Option<Json<'a>>],
    text: impl Fn(Json<'a>) -> Option<Cow<'a, str>>,
) -> Result<ArrayRef> {
    let texts = found.iter().map(|json| json.and_then(&text));
    Ok(Arc::new(texts.collect::<StringArray>()))
}

/// `doc -> step` where `as_text` is false, and `doc ->> step`.
pub fn json_arrow(document: Expr, step: Expr, as_text: bool) -> Expr {
    let declaration = if as_text {
        &JSON_EXTRACT_STRING
    } else {
        &JSON_EXTRACT
    };
    call(declaration, vec![document, step])
}

/// `doc #> path` where `as_text` is false, and `doc #>> path`.
pub fn json_hash_arrow(document: Expr, path: Expr, as_text: bool) -> Expr {
    let declaration = if as_text { &JSON_AT_TEXT } else { &JSON_AT };
    call(declaration, vec![document, path])
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
