//! A text means one thing, whether it is cast, inserted, or read from a file: random texts, three ways.
//!
//! Files are strict: they refuse what has to be rounded, and forms that are no others' (`1e1` for a DECIMAL). What they
//! read the others read as the same value; what both INSERT and CAST read is the same value as well, but where the type is
//! coarser than the text: INSERT goes to the nearest, a CAST of a stamp cuts. `HALITE_MEANINGS` says how many texts of a type.

use std::collections::BTreeMap;

use arrow::array::ArrayRef;

use super::text::field_reader;
use crate::datum::{Readable, SqlType, datum_at};
use crate::row::testing::types;
use crate::seed::{number, seed};
use crate::session::Connection;
use crate::session::testing::with;

/// Texts of values.
const VALUES: &[&str] = &[
    "0",
    "7",
    "-7",
    "+7",
    "007",
    "200",
    "-40000",
    "3000000000",
    "12.5",
    "-0.05",
    ".5",
    "5.",
    "1e3",
    "1.5E-2",
    "1e40",
    "-0",
    "0.30000000000000004",
    "123456789012345678901234567890",
    "inf",
    "-Infinity",
    "NaN",
    "true",
    "F",
    "t",
    "2024-02-29",
    "2023-02-29",
    "0001-01-01",
    "9999-12-31",
    "12024-02-29",
    "2024-02-29 10:00",
    "2024-02-29T23:59:59.123456",
    "1999-12-31 23:59:59.5+02:00",
    "1999-12-31T23:59:59Z",
    "1677-01-01 00:00:00",
    "23:59:59.5",
    "24:00:00",
    "1 day 2 hours",
    "-3 mons",
    "04:05:06",
    "\\x00ff",
    "\\x0",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "{\"a\": 1}",
    "[1, 2]",
    "[1.5]",
    "null",
    "ab",
    "",
];

/// What stands around them.
const PIECES: &[&str] = &[
    " ", "0", "1", "-", "+", ".", ":", "T", "Z", "e2", "ü", "x", "\"", "[", "}",
];

/// What a text is as a value of a type, as people read it; `None` where it is refused.
type Read = Option<String>;

fn shown(array: &ArrayRef, sql_type: &SqlType) -> Read {
    let datum = datum_at(array, 0, sql_type).expect("a value");
    datum.map(|datum| Readable(&datum, sql_type).to_string())
}

/// A column looks at the length of what its reader gives.
fn of_file(text: &str, sql_type: &SqlType) -> Read {
    if let SqlType::Varchar(length) | SqlType::Char(length) = sql_type
        && text.chars().count() > *length as usize
    {
        return None;
    }
    let mut reader = field_reader(sql_type);
    reader.push(text).ok()?;
    shown(&reader.finish(), sql_type)
}

/// None of the texts has a quote.
fn literal(text: &str) -> String {
    format!("'{text}'")
}

async fn of_query(connection: &Connection, sql: &str, sql_type: &SqlType) -> Read {
    let batches = connection.query(sql, ()).await.ok()?;
    let batch = batches.iter().find(|batch| batch.num_rows() > 0)?;
    shown(batch.column(0), sql_type)
}

async fn of_insert(connection: &Connection, table: &str, text: &str, sql_type: &SqlType) -> Read {
    let insert = format!(
        "INSERT OR REPLACE INTO {table} VALUES (1, {})",
        literal(text)
    );
    connection.execute(&insert, ()).await.ok()?;
    let select = format!("SELECT v FROM {table} WHERE id = 1");
    of_query(connection, &select, sql_type).await
}

fn drawn(rng: &mut fastrand::Rng) -> String {
    let value = VALUES[rng.usize(0..VALUES.len())];
    let piece = PIECES[rng.usize(0..PIECES.len())];
    match rng.u8(0..8) {
        0 => format!("{value}{piece}"),
        1 => format!("{piece}{value}"),
        _ => value.to_owned(),
    }
}

/// Whether a text begins with a year of four digits: casts read few others.
fn has_plain_year(text: &str) -> bool {
    let (year, rest) = text.split_at_checked(4).unwrap_or((text, ""));
    year.bytes().all(|digit| digit.is_ascii_digit()) && rest.starts_with('-')
}

/// Which two of the ways differ, if two do that should not.
fn difference(
    sql_type: &SqlType,
    text: &str,
    [file, cast, column, inserted]: [&Read; 4],
) -> Option<&'static str> {
    let both_differ = |one: &Read, other: &Read| one.is_some() && other.is_some() && one != other;
    let has_cast = match sql_type {
        SqlType::Char(_) => false,
        SqlType::Date | SqlType::Timestamp { .. } => has_plain_year(text),
        _ => true,
    };
    // A cast to VARCHAR(3) keeps the first letters, a stamp the digits that it has.
    let cuts = matches!(sql_type, SqlType::Varchar(_) | SqlType::Timestamp { .. });
    if cast != column {
        Some("CAST of a constant and of a column")
    } else if file.is_some() && has_cast && file != cast {
        Some("a file and CAST")
    } else if file.is_some() && file != inserted {
        Some("a file and INSERT")
    } else if !cuts && both_differ(cast, inserted) {
        Some("CAST and INSERT")
    } else {
        None
    }
}

#[tokio::test]
async fn a_text_means_one_thing() {
    let mut rng = fastrand::Rng::with_seed(seed());
    let cases = number("HALITE_MEANINGS").unwrap_or(100);
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut read, connection) = (0, with(&[]).await);
    for (place, sql_type) in types().into_iter().enumerate() {
        let table = format!("t{place}");
        let create = format!("CREATE TABLE {table} (id INT PRIMARY KEY, v {sql_type})");
        connection.execute(&create, ()).await.expect("a table");
        for _ in 0..cases {
            let text = drawn(&mut rng);
            let given = literal(&text);
            let constant = format!("SELECT CAST({given} AS {sql_type})");
            let column = format!("SELECT CAST(x AS {sql_type}) FROM (VALUES ({given})) v (x)");
            let file = of_file(&text, &sql_type);
            let cast = of_query(&connection, &constant, &sql_type).await;
            let column = of_query(&connection, &column, &sql_type).await;
            let inserted = of_insert(&connection, &table, &text, &sql_type).await;
            read += u64::from(file.is_some() && inserted.is_some());
            if let Some(law) = difference(&sql_type, &text, [&file, &cast, &column, &inserted]) {
                let told = format!(
                    "{sql_type} {text:?}: file {file:?}, CAST {cast:?} and {column:?}, INSERT {inserted:?}"
                );
                wrong.entry(law).or_default().push(told);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(read > 3 * cases, "only {read} texts were read");
}
