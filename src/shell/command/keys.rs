//! Row keys and key ranges, without a query's result.

use super::arguments::table;
use super::explore::find_table;
use super::{Command, Offer, failed, show_texts};
use crate::datum::datum_at;
use crate::error::{Error, Result};
use crate::key::{RowKey, identifier};
use crate::keyrange::hex;
use crate::schema::{Table, quoted};
use crate::session::{Connection, Database};
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
        "shows a row's key, or what a key says, whole or the beginning"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let Some((name, rest)) = table(argument).filter(|(_, rest)| !rest.is_empty()) else {
            return failed(shell, &format!("say .keys {}", self.usage()));
        };
        let found = find_table(shell, &name, |table| {
            let bound = table.bound();
            let sources = bound.key_sources().to_vec();
            (
                bound.table().clone(),
                bound.row_key().as_ref().clone(),
                sources,
            )
        });
        let (declared, row_key, sources) = match found {
            Ok(found) => found,
            Err(wrong) => return failed(shell, &wrong),
        };
        let key = match bytes(rest) {
            Some(key) => key,
            None => {
                let encoded = encode(declared, &row_key, &sources, rest);
                shell.runtime.block_on(encoded)
            }
        };
        let rows = key.and_then(|key| describe(&row_key, &key));
        match rows {
            Ok([parts, values, hexes]) => {
                show_texts(shell, &[("part", parts), ("value", values), ("hex", hexes)])
            }
            Err(error) => failed(shell, error.message()),
        }
    }
}

/// The row key of the one row of `VALUES (…)`. A table of the same key in memory takes the row: so the key is the one
/// that INSERT would store.
async fn encode(
    mut table: Table,
    row_key: &RowKey,
    sources: &[usize],
    values: &str,
) -> Result<Vec<u8>> {
    // What is not in the key need not be given.
    for (position, column) in table.columns.iter_mut().enumerate() {
        column.nullable |= !sources.contains(&position);
    }
    let scratch = Database::in_memory()?.connect();
    scratch
        .execute(&table.create_statement(), Vec::new())
        .await?;
    let name = identifier(&table.name);
    let whole = format!("INSERT INTO {name} {values}");
    let of_key = sources
        .iter()
        .filter_map(|source| table.columns.get(*source));
    let of_key: Vec<String> = of_key
        .map(|column| identifier(&column.name).into_owned())
        .collect();
    let short = format!("INSERT INTO {name} ({}) {values}", of_key.join(", "));
    let inserted = match scratch.execute(&whole, Vec::new()).await {
        // As many values as the key has columns: they are these columns' values.
        Err(error) => scratch
            .execute(&short, Vec::new())
            .await
            .map_err(|_| error)?,
        Ok(rows) => rows,
    };
    if inserted != 1 {
        return Err(Error::invalid("give the values of one row"));
    }
    if !row_key.dictionaries().is_empty() {
        return encode_with_ids(&scratch, &table, row_key).await;
    }
    let keys = format!("SELECT row_key FROM keys({})", quoted(&table.name));
    let row = scratch.query_row(&keys, Vec::new()).await?;
    let row = row.ok_or_else(|| Error::internal("a row was stored without a key"))?;
    Ok(row.get::<&[u8]>(0)?.to_vec())
}

/// The same where it has ids of a dictionary, which are those of the table itself.
async fn encode_with_ids(scratch: &Connection, table: &Table, row_key: &RowKey) -> Result<Vec<u8>> {
    let rows = format!("SELECT * FROM {}", identifier(&table.name));
    let rows = scratch.query(&rows, Vec::new()).await?;
    let row = rows.iter().find(|batch| batch.num_rows() > 0);
    let row = row.ok_or_else(|| Error::internal("a row that was stored is not there"))?;
    let columns = table.columns.iter().zip(row.columns());
    let values = columns.map(|(column, array)| datum_at(array, 0, &column.sql_type));
    row_key.encode(&values.collect::<Result<Vec<_>>>()?)
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

/// Parts, their values and their bytes, as far as the key has them; in the last row, all of it.
fn describe(row_key: &RowKey, key: &[u8]) -> Result<[Vec<String>; 3]> {
    let (mut parts, mut values, mut hexes) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = key;
    let mut readable = String::new();
    for part in row_key.parts() {
        if rest.is_empty() {
            readable.push_str("/*");
            break;
        }
        let (value, length) = part.decode(rest)?;
        let (bytes, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        parts.push(part.expression().to_string());
        readable.push_str(&format!("/{}", part.format(value.as_ref())));
        values.push(part.format(value.as_ref()));
        hexes.push(hex(bytes));
        rest = behind;
    }
    if !rest.is_empty() {
        let (key, more) = (hex(key), rest.len());
        let wrong = format!("x'{key}' is no key of this table: it has {more} bytes too many");
        return Err(Error::invalid(wrong));
    }
    parts.push("row key".to_owned());
    values.push(readable);
    hexes.push(hex(key));
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
        shell.script_of_command(&format!("EXPLAIN KEYS {argument}"))
    }
}
