//! Row keys and key ranges, without a query's result.

use super::arguments::{quoted, table};
use super::explore::find_table;
use super::{Command, Offer, failed, show_texts};
use crate::error::{Error, Result};
use crate::key::{RowKey, identifier};
use crate::keyrange::hex;
use crate::schema::Table;
use crate::session::Database;
use crate::shell::state::{Answer, Shell};

pub(super) struct Keys;

impl Command for Keys {
    fn name(&self) -> &'static str {
        ".keys"
    }

    fn usage(&self) -> &'static str {
        "TABLE [(COLUMN, …)] VALUES (VALUE, …)"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Tables, Offer::Sql]
    }

    fn doc(&self) -> &'static str {
        "shows the row key of a row, given whole or by the key's columns"
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
        let encoded = shell.runtime.block_on(encode(declared, &sources, rest));
        let rows = encoded.and_then(|key| describe(&row_key, &key));
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
async fn encode(mut table: Table, sources: &[usize], values: &str) -> Result<Vec<u8>> {
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
    let keys = format!("SELECT row_key FROM keys({})", quoted(&table.name));
    let row = scratch.query_row(&keys, Vec::new()).await?;
    let row = row.ok_or_else(|| Error::internal("a row was stored without a key"))?;
    Ok(row.get::<&[u8]>(0)?.to_vec())
}

/// Parts, their values and their bytes; in the last row, all of the key.
fn describe(row_key: &RowKey, key: &[u8]) -> Result<[Vec<String>; 3]> {
    let (mut parts, mut values, mut hexes) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = key;
    for part in row_key.parts() {
        let (value, length) = part.decode(rest)?;
        let (bytes, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        parts.push(part.expression().to_string());
        values.push(part.format(value.as_ref()));
        hexes.push(hex(bytes));
        rest = behind;
    }
    parts.push("row key".to_owned());
    values.push(row_key.format(key)?);
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
        shell.script(&format!("EXPLAIN KEYS {argument}"), None)
    }
}
