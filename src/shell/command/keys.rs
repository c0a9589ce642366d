//! Row keys and key ranges, without a query's result.

use std::sync::Arc;

use super::arguments::table;
use super::explore::find_table;
use super::key_of_values::{Encoded, encode};
use super::{Command, Offer, failed, show_texts};
use crate::datum::identifier;
use crate::error::{Error, Result};
use crate::key::RowKey;
use crate::keyrange::{hex, prefix_successor};
use crate::shell::state::{Answer, Shell};

pub(super) struct Keys;

impl Command for Keys {
    fn name(&self) -> &'static str {
        ".keys"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &[".key"]
    }

    fn usage(&self) -> &'static str {
        "TABLE [(COLUMN, …)] VALUES (VALUE, …) or TABLE x'KEY'"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Tables, Offer::Sql]
    }

    fn doc(&self) -> &'static str {
        "the key of values, in the key's order, or what a key says"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let Some((name, rest)) = table(argument).filter(|(_, rest)| !rest.is_empty()) else {
            return failed(shell, &format!("say .keys {}", self.usage()));
        };
        let found = find_table(shell, &name, |table| Arc::clone(table.bound()));
        let table = match found {
            Ok(found) => found,
            Err(wrong) => return failed(shell, &wrong),
        };
        let key = match bytes(rest) {
            Some(key) => key.map(Encoded::Key),
            None => shell.runtime.block_on(encode(&table, rest)),
        };
        let rows = match key {
            Ok(Encoded::Key(key)) => describe(table.row_key(), &key),
            Ok(Encoded::Scattered(condition)) => {
                let name = identifier(&name);
                let ranges = format!("EXPLAIN KEYS SELECT * FROM {name} WHERE {condition}");
                return shell.statement_of_command(&ranges);
            }
            Err(error) => Err(error),
        };
        match rows {
            Ok([parts, values, hexes]) => {
                show_texts(shell, &[("part", parts), ("value", values), ("hex", hexes)])
            }
            Err(error) => failed(shell, error.message()),
        }
    }
}

/// The key that is written as bytes: `x'00ff'`, or `\x00ff` as results have it. `None` where no bytes are written.
fn bytes(written: &str) -> Option<Result<Vec<u8>>> {
    let quoted = written.strip_prefix(['x', 'X']);
    let quoted = quoted.and_then(|rest| rest.trim_start().strip_prefix('\'')?.strip_suffix('\''));
    let digits = quoted.or_else(|| written.strip_prefix("\\x"))?;
    let wrong = || Error::invalid(format!("{digits} are no hexadecimal digits of bytes"));
    let byte = |at: usize| {
        let pair = digits.get(at..at + 2)?;
        let is_hex = pair.bytes().all(|digit| digit.is_ascii_hexdigit());
        u8::from_str_radix(pair, 16).ok().filter(|_| is_hex)
    };
    let bytes = (0..digits.len()).step_by(2).map(byte);
    Some(bytes.collect::<Option<Vec<u8>>>().ok_or_else(wrong))
}

/// Parts, their values and their bytes, as far as the key has them. Behind them all of it, or, of the beginning of a key,
/// the range of the keys that begin so.
fn describe(row_key: &RowKey, key: &[u8]) -> Result<[Vec<String>; 3]> {
    let (mut parts, mut values, mut hexes) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = key;
    let mut readable = String::new();
    let mut is_whole = true;
    let wrong = |why: &str| {
        let key = hex(key);
        Error::invalid(format!("x'{key}' is no key of this table: {why}"))
    };
    for part in row_key.parts() {
        if rest.is_empty() {
            is_whole = false;
            break;
        }
        let (value, length) = part.decode(rest).map_err(|error| wrong(error.message()))?;
        let (bytes, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        parts.push(part.expression().to_string());
        readable.push_str(&format!("/{}", part.format(value.as_ref())));
        values.push(part.format(value.as_ref()));
        hexes.push(hex(bytes));
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(wrong(&format!("it has {} bytes too many", rest.len())));
    }
    let stop = prefix_successor(key).map(|stop| hex(&stop));
    let ends = if is_whole {
        vec![("row key", readable, hex(key))]
    } else {
        vec![
            ("start", format!("{readable}/*"), hex(key)),
            ("stop", format!("{readable}/*"), stop.unwrap_or_default()),
        ]
    };
    for (end, value, hex) in ends {
        parts.push(end.to_owned());
        values.push(value);
        hexes.push(hex);
    }
    Ok([parts, values, hexes])
}

pub(super) struct Ranges;

impl Command for Ranges {
    fn name(&self) -> &'static str {
        ".ranges"
    }

    fn usage(&self) -> &'static str {
        "SELECT …"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Sql]
    }

    fn doc(&self) -> &'static str {
        "shows the key ranges that a query reads, as EXPLAIN KEYS does"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        // The bytes of ranges that are told in one row are those of none.
        let each = if shell.settings.shows_bytes {
            "VERBOSE "
        } else {
            ""
        };
        shell.statement_of_command(&format!("EXPLAIN KEYS {each}{argument}"))
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
