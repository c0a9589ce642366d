//! `regexp_extract(s, p, g)`, `regexp_extract_all(s, p, g)` and `regexp_split_to_array(s, p)`, as in DuckDB.
//!
//! The pattern is found anywhere in the text. Group 0 is all that it matches, and is meant where none is named.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListBuilder, StringArray, StringBuilder};
use arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::common::{Result, exec_datafusion_err, plan_err};
use regex::{Captures, Regex};

use crate::function::declared::Declaration;

/// The first match, and an empty text where there is none.
pub(super) static REGEXP_EXTRACT: Declaration = Declaration {
    name: "regexp_extract",
    aliases: &[],
    coerce: |types| coerced("regexp_extract", types, 3),
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        let mut texts = StringBuilder::new();
        each(given, |found| {
            let Some(Found { text, regex, group }) = found else {
                texts.append_null();
                return;
            };
            let first = regex.captures(text);
            texts.append_value(first.map_or("", |first| part(&first, group)));
        })?;
        Ok(Arc::new(texts.finish()))
    },
};

pub(super) static REGEXP_EXTRACT_ALL: Declaration = Declaration {
    name: "regexp_extract_all",
    aliases: &[],
    coerce: |types| coerced("regexp_extract_all", types, 3),
    result: |_| Ok(DataType::List(text_item())),
    compute: |given| {
        lists(given, |found, list| {
            for one in found.regex.captures_iter(found.text) {
                list.append_value(part(&one, found.group));
            }
        })
    },
};

pub(super) static REGEXP_SPLIT: Declaration = Declaration {
    name: "regexp_split_to_array",
    aliases: &["string_split_regex", "str_split_regex"],
    coerce: |types| coerced("regexp_split_to_array", types, 2),
    result: |_| Ok(DataType::List(text_item())),
    compute: |given| {
        lists(given, |found, list| {
            for part in found.regex.split(found.text) {
                list.append_value(part);
            }
        })
    },
};

/// What is looked for in the text of a row.
struct Found<'a> {
    text: &'a str,
    regex: &'a Regex,
    group: usize,
}

fn text_item() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::Utf8, true))
}

fn coerced(function: &str, types: &[DataType], most: usize) -> Result<Vec<DataType>> {
    match types {
        [_, _] => Ok(vec![DataType::Utf8; 2]),
        [_, _, _] if most == 3 => Ok(vec![DataType::Utf8, DataType::Utf8, DataType::Int64]),
        _ if most == 3 => {
            plan_err!("{function} takes a text, a pattern, and the number of a group")
        }
        _ => plan_err!("{function} takes a text and a pattern"),
    }
}

fn part<'a>(captures: &Captures<'a>, group: usize) -> &'a str {
    captures.get(group).map_or("", |part| part.as_str())
}

fn lists(
    given: &[ArrayRef],
    mut fill: impl FnMut(Found<'_>, &mut StringBuilder),
) -> Result<ArrayRef> {
    let mut lists = ListBuilder::new(StringBuilder::new()).with_field(text_item());
    each(given, |found| {
        let is_valid = found.is_some();
        if let Some(found) = found {
            fill(found, lists.values());
        }
        lists.append(is_valid);
    })?;
    Ok(Arc::new(lists.finish()))
}

/// Each row, `None` where an argument is NULL. A pattern that comes again is not compiled again.
fn each(given: &[ArrayRef], mut with: impl FnMut(Option<Found<'_>>)) -> Result<()> {
    let [texts, patterns, groups @ ..] = given else {
        return plan_err!("a text and a pattern are not given");
    };
    let groups = groups
        .first()
        .map(|groups| groups.as_primitive::<Int64Type>());
    let patterns: &StringArray = patterns.as_string::<i32>();
    let mut known: Option<(&str, Regex)> = None;
    for (row, both) in texts.as_string::<i32>().iter().zip(patterns).enumerate() {
        let (Some(text), Some(pattern)) = both else {
            with(None);
            continue;
        };
        if known.as_ref().is_none_or(|(of, _)| *of != pattern) {
            let compiled = Regex::new(pattern).map_err(|error| {
                exec_datafusion_err!("'{pattern}' is no regular expression: {error}")
            })?;
            known = Some((pattern, compiled));
        }
        let group = match groups {
            None => Some(0),
            Some(groups) if groups.is_null(row) => None,
            Some(groups) => Some(usize::try_from(groups.value(row)).map_err(|_| {
                exec_datafusion_err!("{} is the number of no group", groups.value(row))
            })?),
        };
        let found = known.as_ref().zip(group);
        with(found.map(|((_, regex), group)| Found { text, regex, group }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::function::tests::check;

    /// What DuckDB gives.
    #[tokio::test]
    async fn parts_of_texts_are_found() {
        check(&[
            (
                r"regexp_extract('tel: 030-1234', '(\d+)-(\d+)')",
                "030-1234",
            ),
            (r"regexp_extract('tel: 030-1234', '(\d+)-(\d+)', 2)", "1234"),
            ("regexp_extract('abc', 'x(.)', 1)", ""),
            ("regexp_extract('abc', 'b', 3)", ""),
            ("regexp_extract(NULL, 'b')", "NULL"),
            ("regexp_extract('abc', 'b', NULL)", "NULL"),
            (
                "regexp_extract('abc', '(')",
                "error: '(' is no regular expression",
            ),
            (
                "regexp_extract('abc', 'b', -1)",
                "error: -1 is the number of no group",
            ),
            ("regexp_extract_all('a1b22', '[0-9]+')", "[1, 22]"),
            ("regexp_extract_all('a1b22', '([a-z])([0-9])', 1)", "[a, b]"),
            ("regexp_split_to_array('a1b22c', '[0-9]+')", "[a, b, c]"),
            (
                "regexp_extract(x, '[a-z]+') FROM (VALUES ('1ab'), (NULL), ('c2')) AS t (x)",
                "ab\nNULL\nc",
            ),
        ])
        .await;
    }
}
