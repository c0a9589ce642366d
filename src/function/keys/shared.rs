//! `keyspace('shop')`: the rows of all tables of a key space, in the order of their keys.
//!
//! What all of its row keys begin with, encoded alike, are columns, and what a query asks of them becomes key ranges: one
//! range has a customer with all that is kept of it. Behind these come `table_name`, `key` as people read it, `row` as
//! JSON, and the bytes of `row_key`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::exec::{KeysExec, Shown};
use super::parts::decoded;
use super::wanted::beginning;
use crate::datum::to_array;
use crate::error::Error;
use crate::function::SharedLookup;
use crate::function::json::rows_as_json;
use crate::key::RowKey;
use crate::keyrange::hex;
use crate::row::RowReader;
use crate::schema::BoundTable;
use crate::settings::HaliteOptions;
use crate::store::{Chunk, Store};

/// The columns behind those of the keys' beginning.
const BEHIND: [(&str, DataType); 4] = [
    ("table_name", DataType::Utf8),
    ("key", DataType::Utf8),
    ("row", DataType::Utf8),
    ("row_key", DataType::Binary),
];

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
        Ok(Arc::new(KeySpaceTable::new(name, tables, store)?))
    }
}

/// The rows of a key space as a table.
#[derive(Debug)]
struct KeySpaceTable {
    rows: Arc<SharedRows>,
    store: Arc<dyn Store>,
    /// What all keys begin with.
    fields: Arc<RowKey>,
    schema: SchemaRef,
}

impl KeySpaceTable {
    fn new(name: &str, tables: Vec<Arc<BoundTable>>, store: Arc<dyn Store>) -> Result<Self, Error> {
        let rows = SharedRows::new(name, tables)?;
        let first = rows.first.row_key();
        let mut names: Vec<String> = BEHIND.iter().map(|(name, _)| (*name).to_owned()).collect();
        let parts = first.parts().iter().take(rows.common);
        for (place, part) in parts.enumerate() {
            let mut name = part.expression().to_string();
            while names.contains(&name) {
                name.push('_');
            }
            names.insert(place, name);
        }
        let fields = first.of_first_fields(names.get(..rows.common).unwrap_or_default());
        let common = fields.columns().iter();
        let common =
            common.map(|column| Field::new(&column.name, column.sql_type.arrow(), column.nullable));
        let behind = BEHIND.iter();
        let behind = behind.map(|(name, data_type)| Field::new(*name, data_type.clone(), false));
        let schema = Schema::new(common.chain(behind).collect::<Vec<_>>());
        Ok(Self {
            rows: Arc::new(rows),
            store,
            fields: Arc::new(fields),
            schema: Arc::new(schema),
        })
    }
}

#[async_trait]
impl TableProvider for KeySpaceTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    /// Filters say what need not be read, and are evaluated again above.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let answer = |filter: &&Expr| {
            if filter.is_volatile() {
                TableProviderFilterPushDown::Unsupported
            } else {
                TableProviderFilterPushDown::Inexact
            }
        };
        Ok(filters.iter().map(answer).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = HaliteOptions::of(state.config_options());
        let filters = if options.pushdown { filters } else { &[] };
        let wanted = beginning(&self.fields, filters, options.span_budget)?;
        let all = || (0..self.schema.fields().len()).collect();
        let exec = KeysExec::new(
            Arc::clone(&self.rows) as Arc<dyn Shown>,
            Arc::clone(&self.store),
            wanted,
            self.schema.as_ref(),
            projection.cloned().unwrap_or_else(all),
            limit,
        )?;
        Ok(Arc::new(exec))
    }
}

/// The rows of several tables.
#[derive(Debug)]
struct SharedRows {
    name: String,
    first: Arc<BoundTable>,
    tables: Vec<(Arc<BoundTable>, RowReader)>,
    /// With how many parts that are encoded alike all keys begin.
    common: usize,
}

impl SharedRows {
    fn new(name: &str, tables: Vec<Arc<BoundTable>>) -> Result<Self, Error> {
        let first = tables.first().cloned();
        let first = first.ok_or_else(|| Error::internal("a key space without tables"))?;
        let key = first.row_key();
        let constant = key.parts().iter().position(|part| part.is_constant());
        let others = tables.iter().skip(1).map(|other| {
            let pairs = key.parts().iter().zip(other.row_key().parts());
            pairs
                .take_while(|(own, others)| own.is_encoded_as(others))
                .count()
        });
        let common = others.min().or(constant).unwrap_or_default();
        let tables = tables.into_iter().map(|table| {
            let reader = RowReader::new(Arc::clone(&table));
            (table, reader)
        });
        Ok(Self {
            name: name.to_owned(),
            tables: tables.collect(),
            common,
            first,
        })
    }

    /// For each row the place of its table.
    fn tables_of(&self, chunk: &Chunk) -> Result<Vec<usize>, Error> {
        let place_of = |key: &[u8]| {
            let mut tables = self.tables.iter();
            let place = tables.position(|(table, _)| table.row_key().is_own(key));
            place.ok_or_else(|| {
                Error::corrupt(format!(
                    "key space '{}': the row x'{}' is of none of its tables",
                    self.name,
                    hex(key)
                ))
            })
        };
        chunk.keys().map(place_of).collect()
    }

    /// The rows as JSON.
    fn as_json(&self, chunk: &Chunk, places: &[usize]) -> Result<ArrayRef, Error> {
        let mut texts: HashMap<usize, ArrayRef> = HashMap::new();
        for (place, (table, reader)) in self.tables.iter().enumerate() {
            let mut own = Chunk::new();
            let rows = chunk.iter().zip(places).filter(|(_, at)| **at == place);
            rows.for_each(|((key, value), _)| own.push(key, value));
            if own.is_empty() {
                continue;
            }
            let columns: Vec<usize> = (0..table.columns().len()).collect();
            let rows = reader.read(&own, &columns, None)?;
            texts.insert(place, rows_as_json(&rows)?);
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

impl Shown for SharedRows {
    fn name(&self) -> &str {
        &self.name
    }

    fn table(&self) -> &Arc<BoundTable> {
        &self.first
    }

    fn columns(&self, chunk: &Chunk, projection: &[usize]) -> Result<Vec<ArrayRef>, Error> {
        let parts = self.first.row_key().parts();
        let parts = parts.get(..self.common).unwrap_or_default();
        let of_key: Vec<usize> = projection
            .iter()
            .copied()
            .filter(|position| *position < self.common)
            .collect();
        let decoded = decoded(parts, chunk, &of_key)?;
        let places = self.tables_of(chunk)?;
        let table_of = |place: &usize| self.tables.get(*place).map(|(table, _)| table);
        let column = |position: &usize| -> Result<ArrayRef, Error> {
            if let (Some(part), Some(values)) = (parts.get(*position), decoded.get(*position)) {
                return to_array(values, part.transform().value_type());
            }
            let behind = position.checked_sub(self.common);
            let behind = behind.and_then(|place| BEHIND.get(place));
            Ok(match behind.map(|(name, _)| *name) {
                Some("table_name") => {
                    let names = places.iter().map(|place| Some(table_of(place)?.name()));
                    Arc::new(names.collect::<StringArray>())
                }
                Some("key") => {
                    let keys = chunk.keys().zip(&places);
                    let keys =
                        keys.map(|(key, place)| Some(table_of(place)?.row_key().readable(key)));
                    Arc::new(keys.collect::<StringArray>())
                }
                Some("row") => self.as_json(chunk, &places)?,
                _ => Arc::new(BinaryArray::from_iter_values(chunk.keys())),
            })
        };
        projection.iter().map(column).collect()
    }
}
