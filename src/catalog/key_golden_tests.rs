//! Golden scripts of row keys: `src/key/golden/*.txt`.
//!
//! A script is blocks between blank lines. A block begins with `CREATE TABLE …;`, behind which the warnings about its
//! key stand, or it is rows of the last table, one a line; behind `---` stands each row's key, decoded and in hex, or
//! why it has none. `HALITE_REWRITE=1` writes the files anew.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::compute::cast;
use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::catalog::ddl::define_table;
use crate::datum::{Datum, SqlType, datum_at};
use crate::golden::assert_golden;
use crate::key::RowKey;
use crate::key::testing::unhex;
use crate::keyrange::hex;

fn row_key(sql: &str) -> RowKey {
    match Parser::parse_sql(&GenericDialect {}, sql).expect(sql).pop() {
        Some(Statement::CreateTable(statement)) => define_table(&statement, 1)
            .and_then(|table| table.row_key())
            .expect(sql),
        _ => panic!("not a CREATE TABLE: {sql}"),
    }
}

/// Fields between commas; what stands in quotes is not cut.
fn fields(line: &str) -> Vec<String> {
    let mut quoted = false;
    let mut fields = vec![String::new()];
    for character in line.chars() {
        quoted ^= character == '\'';
        match fields.last_mut() {
            Some(_) if character == ',' && !quoted => fields.push(String::new()),
            Some(field) => field.push(character),
            None => unreachable!(),
        }
    }
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

/// A value as SQL writes it; in text `\0` is a zero byte and `\u{…}` a character.
fn parse(field: &str, sql_type: &SqlType) -> Option<Datum> {
    if field == "NULL" {
        return None;
    }
    let text = field
        .trim_matches('\'')
        .replace("\\0", "\0")
        .replace("\\u{10ffff}", "\u{10ffff}");
    Some(match sql_type {
        SqlType::Bytea => Datum::Bytes(unhex(text.trim_start_matches("\\x"))),
        _ if sql_type.is_text() => Datum::Text(text),
        _ => {
            let array: ArrayRef = Arc::new(StringArray::from(vec![text]));
            let array = cast(&array, &sql_type.arrow()).expect(field);
            let parsed = datum_at(&array, 0, sql_type).unwrap();
            parsed.unwrap_or_else(|| panic!("{field} is no {sql_type}"))
        }
    })
}

fn show(key: &RowKey, line: &str) -> String {
    let fields = fields(line);
    assert_eq!(fields.len(), key.columns().len(), "{line}");
    let row: Vec<Option<Datum>> = fields
        .iter()
        .zip(key.columns())
        .map(|(field, column)| parse(field, &column.sql_type))
        .collect();
    match key.encode(&row) {
        Ok(encoded) => {
            restore(key, &row, &encoded);
            format!("{}\n  {}\n", key.format(&encoded).unwrap(), hex(&encoded))
        }
        Err(error) => format!("{:?}: {error}\n", error.kind()),
    }
}

/// Every column that a part gives back comes back.
fn restore(key: &RowKey, row: &[Option<Datum>], encoded: &[u8]) {
    let values = key.decode(encoded).unwrap();
    for (part, value) in key.parts().iter().zip(values) {
        if let Some(column) = part.restores() {
            assert_eq!(
                value.and_then(|value| part.transform().inverse(&value)),
                row[column]
            );
        }
    }
}

fn run_script(script: &str) -> String {
    let mut current = None;
    let mut output = String::new();
    for block in script
        .split("\n\n")
        .filter(|block| !block.trim().is_empty())
    {
        let input = block.split("\n---").next().unwrap_or_default().trim();
        let shown: String = if input.starts_with("CREATE TABLE") {
            let key = current.insert(row_key(input.trim_end_matches(';')));
            let line = |warning: &crate::key::Warning| {
                format!(
                    "{}: {}\n  {}\n",
                    warning.warning, warning.part, warning.reason
                )
            };
            key.warnings().iter().map(line).collect()
        } else {
            let key = current.as_ref().expect("a row before any table");
            input.lines().map(|line| show(key, line)).collect()
        };
        writeln!(output, "{input}\n---\n{shown}").unwrap();
    }
    output
}

#[test]
fn golden_scripts() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/key/golden");
    let files = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut count = 0;
    for path in files {
        let script = std::fs::read_to_string(&path).unwrap();
        assert_golden(&path, &run_script(&script));
        count += 1;
    }
    assert!(count >= 3, "{count} scripts");
}
