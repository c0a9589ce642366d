//! `keyspace('shop')`: the rows of all tables of a key space, in the order of their keys.
//!
//! What all of its row keys begin with, encoded alike, are columns, and what a query asks of them becomes key ranges: one
//! range has a customer with all that is kept of it. Behind these come `table_name`, `key` as people read it, `row` as
//! JSON, and the bytes of `row_key`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::Expr;

use super::KeysTable;
use crate::datum::SqlType;
use crate::error::Error;
use crate::function::SharedLookup;
use crate::function::json::rows_as_json;
use crate::key::RowKey;
use crate::keyrange::hex;
use crate::row::{Entries, ReadRows, RowReader, Rows};
use crate::schema::BoundTable;
use crate::store::Chunk;

/// The column of the keys' bytes.
const WHOLE: &str = "row_key";

/// What is shown of a row between the columns of its key's beginning and its `row_key`.
const SHOWN: [&str; 3] = ["table_name", "key", "row"];

/// The table function.
pub(in crate::function) struct KeySpaces {
    lookup: SharedLookup,
}

impl KeySpaces {
    pub(in crate::function) fn new(lookup: SharedLookup) -> Self {
        Self { lookup }
    }
}

impl std::fmt::Debug for KeySpaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("keyspace")
    }
}

impl TableFunctionImpl for KeySpaces {
    fn call_with_args(&self, arguments: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(ScalarValue::Utf8(Some(name)), _)] = arguments.exprs() else {
            return plan_err!("keyspace takes the name of a key space, as in keyspace('shop')");
        };
        let (tables, store) = (self.lookup)(name)?;
        let rows = SharedRows::new(name, tables)?;
        Ok(Arc::new(KeysTable {
            table: Arc::clone(rows.shown.table()),
            reader: Some(Arc::new(rows)),
            store,
        }))
    }
}

/// Who reads the rows of several tables.
#[derive(Debug)]
struct SharedRows {
    /// The key space as a table.
    shown: RowReader,
    tables: Vec<(Arc<BoundTable>, RowReader)>,
}

impl SharedRows {
    fn new(name: &str, tables: Vec<Arc<BoundTable>>) -> Result<Self, Error> {
        let first = tables.first();
        let first = first.ok_or_else(|| Error::internal("a key space without tables"))?;
        let common = common_parts(&tables, first.row_key());
        let mut names: Vec<String> = SHOWN.iter().map(|name| (*name).to_owned()).collect();
        names.push(WHOLE.to_owned());
        for part in first.row_key().parts().iter().take(common) {
            let mut name = part.expression().to_string();
            while names.contains(&name) {
                name.push('_');
            }
            names.push(name);
        }
        let names = names.get(SHOWN.len() + 1..).unwrap_or_default();
        let fields = first.row_key().of_first_fields(names);
        let values = SHOWN.map(|name| (name, SqlType::Text));
        let shown = first.of_keys(name, fields, &values, WHOLE);
        let tables = tables.iter().map(|table| {
            let reader = RowReader::new(Arc::clone(table));
            (Arc::clone(table), reader)
        });
        Ok(Self {
            tables: tables.collect(),
            shown: RowReader::new(shown),
        })
    }

    /// For each row the place of its table.
    fn tables_of(&self, rows: &Chunk) -> Result<Vec<usize>, Error> {
        let place_of = |key: &[u8]| {
            let mut tables = self.tables.iter();
            let place = tables.position(|(table, _)| table.row_key().is_own(key));
            place.ok_or_else(|| {
                Error::corrupt(format!(
                    "key space '{}': the row x'{}' is of none of its tables",
                    self.shown.table().name(),
                    hex(key)
                ))
            })
        };
        rows.keys().map(place_of).collect()
    }

    /// What is shown of rows, which are of the tables at these places.
    fn values(&self, name: &str, rows: &Chunk, places: &[usize]) -> Result<ArrayRef, Error> {
        let table_of = |place: &usize| self.tables.get(*place).map(|(table, _)| table);
        Ok(match name {
            "table_name" => {
                let names = places.iter().map(|place| Some(table_of(place)?.name()));
                Arc::new(names.collect::<StringArray>())
            }
            "key" => {
                let keys = rows.keys().zip(places);
                let keys = keys.map(|(key, place)| Some(table_of(place)?.row_key().readable(key)));
                Arc::new(keys.collect::<StringArray>())
            }
            _ => self.as_json(rows, places)?,
        })
    }

    /// The rows as JSON.
    fn as_json(&self, rows: &Chunk, places: &[usize]) -> Result<ArrayRef, Error> {
        let mut texts: HashMap<usize, ArrayRef> = HashMap::new();
        for (place, (table, reader)) in self.tables.iter().enumerate() {
            let mut own = Chunk::new();
            let of_table = rows.iter().zip(places).filter(|(_, at)| **at == place);
            of_table.for_each(|((key, value), _)| own.push(key, value));
            if own.is_empty() {
                continue;
            }
            let columns: Vec<usize> = (0..table.columns().len()).collect();
            let own = reader.read(&own, &columns, None)?;
            texts.insert(place, rows_as_json(&own)?);
        }
        let mut next: HashMap<usize, usize> = HashMap::new();
        let in_order = places.iter().map(|place| {
            let next = next.entry(*place).or_default();
            *next += 1;
            let texts = texts.get(place)?.as_string_opt::<i32>()?;
            (*next <= texts.len()).then(|| texts.value(*next - 1))
        });
        Ok(Arc::new(in_order.collect::<StringArray>()))
    }
}

/// With how many parts that are encoded alike all keys begin.
fn common_parts(tables: &[Arc<BoundTable>], key: &RowKey) -> usize {
    let constant = key.parts().iter().position(|part| part.is_constant());
    let others = tables.iter().skip(1).map(|other| {
        let pairs = key.parts().iter().zip(other.row_key().parts());
        let alike = pairs.take_while(|(own, others)| own.is_encoded_as(others));
        alike.count()
    });
    others.min().or(constant).unwrap_or_default()
}

impl ReadRows for SharedRows {
    fn open_rows<'a>(&'a self, chunk: &'a Chunk) -> Box<dyn Rows + 'a> {
        Box::new(OpenRows {
            rows: self,
            keys: self.shown.open(chunk),
            chunk,
        })
    }
}

/// Rows of several tables.
struct OpenRows<'a> {
    rows: &'a SharedRows,
    /// The columns that their keys have.
    keys: Entries<'a>,
    chunk: &'a Chunk,
}

impl Rows for OpenRows<'_> {
    fn table(&self) -> &Arc<BoundTable> {
        self.rows.shown.table()
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn key(&self, row: usize) -> Cow<'_, [u8]> {
        self.keys.key(row)
    }

    fn columns(
        &mut self,
        columns: &[usize],
        selection: Option<&[u32]>,
    ) -> Result<Vec<ArrayRef>, Error> {
        let table = self.rows.shown.table();
        let of_keys = columns.iter().filter(|column| !table.is_stored(**column));
        let of_keys: Vec<usize> = of_keys.copied().collect();
        let mut of_keys = self.keys.columns(&of_keys, selection)?.into_iter();
        let selected = selection.map(|selection| selected(self.chunk, selection));
        let chunk = selected.as_ref().unwrap_or(self.chunk);
        let places = if columns.iter().any(|column| table.is_stored(*column)) {
            self.rows.tables_of(chunk)?
        } else {
            Vec::new()
        };
        let column = |position: &usize| {
            if table.is_stored(*position) {
                let name = &table.column(*position)?.name;
                self.rows.values(name, chunk, &places)
            } else {
                let next = of_keys.next();
                next.ok_or_else(|| Error::internal("a column of keys that is not there"))
            }
        };
        columns.iter().map(column).collect()
    }
}

fn selected(chunk: &Chunk, selection: &[u32]) -> Chunk {
    let mut selected = Chunk::new();
    let rows = selection.iter().filter_map(|row| chunk.get(*row as usize));
    rows.for_each(|(key, value)| selected.push(key, value));
    selected
}
