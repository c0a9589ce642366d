//! `information_schema`: what the database has, in SQL's words and types.
//!
//! `tables`, `columns`, `views`, `sequences`, `schemata`, `table_constraints`, `check_constraints` and `key_column_usage` are
//! Halite's own: with the types of `CREATE TABLE` and without anything of the engine. Those of settings and functions are DataFusion's.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::information_schema::InformationSchemaProvider;
use datafusion::catalog::{MemoryCatalogProviderList, SchemaProvider, TableProvider};
use datafusion::common::Result as PlanResult;
use datafusion::datasource::MemTable;

use crate::catalog::visible::Catalogs;
use crate::catalog::{CATALOG_NAME, Catalog, Guests, SCHEMA_NAME, ViewPlanner};
use crate::datum::{SqlType, upper_type_name};
use crate::error::{Error, Result};
use crate::plan::bind::views::Views;
use crate::schema::{BoundTable, Column};

/// The schema of what is temporary.
const TEMPORARY: &str = "temp";

/// The names of Halite's own.
const OWN: [&str; 8] = [
    "check_constraints",
    "columns",
    "key_column_usage",
    "schemata",
    "sequences",
    "table_constraints",
    "tables",
    "views",
];

/// The schema of a connection.
#[derive(Debug)]
pub(crate) struct Information {
    catalogs: Catalogs,
    guests: Guests,
    views: Arc<Views>,
    engine: InformationSchemaProvider,
}

/// A value of a row.
enum Cell {
    Text(Option<String>),
    Number(Option<i64>),
}

fn text(value: impl Into<String>) -> Cell {
    Cell::Text(Some(value.into()))
}

fn yes(is_so: bool) -> Cell {
    text(if is_so { "YES" } else { "NO" })
}

/// Rows under headings; each heading says whether its values are numbers.
struct Rows {
    headings: &'static [(&'static str, DataType)],
    rows: Vec<Vec<Cell>>,
}

impl Information {
    pub(crate) fn new(catalogs: Catalogs, guests: Guests, views: Arc<Views>) -> Self {
        Self {
            catalogs,
            guests,
            views,
            engine: InformationSchemaProvider::new(Arc::new(MemoryCatalogProviderList::new())),
        }
    }

    /// The catalogs with the names of their schemas.
    fn schemas(&self) -> impl Iterator<Item = (&'static str, &Arc<Catalog>)> {
        let temporary = self.catalogs.temporary().get();
        std::iter::once((SCHEMA_NAME, self.catalogs.database()))
            .chain(temporary.map(|catalog| (TEMPORARY, catalog)))
    }

    /// What each table of a kind begins with.
    fn place(schema: &str, name: &str) -> Vec<Cell> {
        vec![text(CATALOG_NAME), text(schema), text(name)]
    }

    fn tables(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("table_catalog", DataType::Utf8),
            ("table_schema", DataType::Utf8),
            ("table_name", DataType::Utf8),
            ("table_type", DataType::Utf8),
            ("table_comment", DataType::Utf8),
        ];
        let mut rows = Vec::new();
        for (schema, catalog) in self.schemas() {
            let of_table = match schema {
                TEMPORARY => "LOCAL TEMPORARY",
                _ => "BASE TABLE",
            };
            let tables = catalog.names().into_iter().map(|name| (name, of_table));
            let views = catalog.view_names().into_iter().map(|name| (name, "VIEW"));
            for (name, kind) in tables.chain(views) {
                let mut row = Self::place(schema, &name);
                let table = catalog.table(&name);
                let comment = match &table {
                    Some(table) => table.bound().table().comment.clone(),
                    None => catalog.view(&name).and_then(|view| view.comment.clone()),
                };
                row.extend([text(kind), Cell::Text(comment)]);
                rows.push(row);
            }
        }
        for name in self.guests.names() {
            let mut row = Self::place(SCHEMA_NAME, &name);
            row.extend([text("FOREIGN"), Cell::Text(None)]);
            rows.push(row);
        }
        Rows {
            headings: HEADINGS,
            rows,
        }
    }

    async fn columns(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("table_catalog", DataType::Utf8),
            ("table_schema", DataType::Utf8),
            ("table_name", DataType::Utf8),
            ("column_name", DataType::Utf8),
            ("ordinal_position", DataType::Int64),
            ("column_default", DataType::Utf8),
            ("is_nullable", DataType::Utf8),
            ("data_type", DataType::Utf8),
            ("character_maximum_length", DataType::Int64),
            ("numeric_precision", DataType::Int64),
            ("numeric_scale", DataType::Int64),
            ("datetime_precision", DataType::Int64),
            ("is_identity", DataType::Utf8),
            ("identity_generation", DataType::Utf8),
            ("is_generated", DataType::Utf8),
            ("generation_expression", DataType::Utf8),
            ("column_comment", DataType::Utf8),
        ];
        let mut rows = Vec::new();
        for (schema, catalog) in self.schemas() {
            for name in catalog.names() {
                if let Some(table) = catalog.table(&name) {
                    rows.extend(columns_of_table(schema, table.bound()));
                }
            }
            for name in catalog.view_names() {
                let Some(view) = catalog.view(&name) else {
                    continue;
                };
                // Of a view that cannot be planned any more the names are known, and no types.
                let planned = self.views.plan(&view).await.ok().map(|it| it.schema());
                rows.extend(view.columns.iter().zip(1..).map(|(column, at)| {
                    let planned = planned.as_ref();
                    let field = planned.and_then(|it| it.field_with_name(&column.name).ok());
                    let kind = field.map(|field| upper_type_name(field.data_type()));
                    let is_nullable = field.is_none_or(|field| field.is_nullable());
                    column_row(schema, &name, (&column.name, at), None, is_nullable, kind)
                }));
            }
        }
        for name in self.guests.names() {
            if let Some(guest) = self.guests.get(&name) {
                rows.extend(columns_of_guest(&name, &guest.schema()));
            }
        }
        Rows {
            headings: HEADINGS,
            rows,
        }
    }

    fn view_rows(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("table_catalog", DataType::Utf8),
            ("table_schema", DataType::Utf8),
            ("table_name", DataType::Utf8),
            ("view_definition", DataType::Utf8),
            ("check_option", DataType::Utf8),
            ("is_updatable", DataType::Utf8),
        ];
        let mut rows = Vec::new();
        for (schema, catalog) in self.schemas() {
            for name in catalog.view_names() {
                if let Some(view) = catalog.view(&name) {
                    let mut row = Self::place(schema, &name);
                    row.extend([text(&view.query), text("NONE"), yes(false)]);
                    rows.push(row);
                }
            }
        }
        Rows {
            headings: HEADINGS,
            rows,
        }
    }

    fn sequences(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("sequence_catalog", DataType::Utf8),
            ("sequence_schema", DataType::Utf8),
            ("sequence_name", DataType::Utf8),
            ("data_type", DataType::Utf8),
            ("start_value", DataType::Int64),
            ("minimum_value", DataType::Int64),
            ("maximum_value", DataType::Int64),
            ("increment", DataType::Int64),
            ("cycle_option", DataType::Utf8),
            ("sequence_comment", DataType::Utf8),
        ];
        let mut rows = Vec::new();
        for (schema, catalog) in self.schemas() {
            for name in catalog.sequence_names() {
                let Some(sequence) = catalog.sequence(&name) else {
                    continue;
                };
                let of = sequence.definition();
                let mut row = Self::place(schema, &name);
                row.push(text("BIGINT"));
                let numbers = [of.start, of.minimum, of.maximum, of.increment];
                row.extend(numbers.map(|number| Cell::Number(Some(number))));
                row.extend([yes(false), Cell::Text(of.comment.clone())]);
                rows.push(row);
            }
        }
        Rows {
            headings: HEADINGS,
            rows,
        }
    }

    fn schemata(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("catalog_name", DataType::Utf8),
            ("schema_name", DataType::Utf8),
        ];
        let names = self.schemas().map(|(schema, _)| schema);
        let names = names.chain(["information_schema"]);
        Rows {
            headings: HEADINGS,
            rows: names
                .map(|name| vec![text(CATALOG_NAME), text(name)])
                .collect(),
        }
    }

    fn constraints(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("constraint_catalog", DataType::Utf8),
            ("constraint_schema", DataType::Utf8),
            ("constraint_name", DataType::Utf8),
            ("table_catalog", DataType::Utf8),
            ("table_schema", DataType::Utf8),
            ("table_name", DataType::Utf8),
            ("constraint_type", DataType::Utf8),
        ];
        let rows = self.each_table(|schema, table| {
            let keys = primary_key(table).map(|name| (name, "PRIMARY KEY"));
            let checks = table.table().checks.iter();
            let checks = checks.map(|check| (check.name.clone(), "CHECK"));
            let rows = keys.into_iter().chain(checks).map(|(name, kind)| {
                let mut row = Self::place(schema, &name);
                row.extend(Self::place(schema, table.name()));
                row.push(text(kind));
                row
            });
            rows.collect()
        });
        Rows {
            headings: HEADINGS,
            rows,
        }
    }

    fn checks(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("constraint_catalog", DataType::Utf8),
            ("constraint_schema", DataType::Utf8),
            ("constraint_name", DataType::Utf8),
            ("check_clause", DataType::Utf8),
        ];
        let rows = self.each_table(|schema, table| {
            let checks = table.table().checks.iter().map(|check| {
                let mut row = Self::place(schema, &check.name);
                row.push(text(&check.expression));
                row
            });
            checks.collect()
        });
        Rows {
            headings: HEADINGS,
            rows,
        }
    }

    /// The columns that the parts of the row key are computed from, each once.
    fn key_columns(&self) -> Rows {
        const HEADINGS: &[(&str, DataType)] = &[
            ("constraint_catalog", DataType::Utf8),
            ("constraint_schema", DataType::Utf8),
            ("constraint_name", DataType::Utf8),
            ("table_catalog", DataType::Utf8),
            ("table_schema", DataType::Utf8),
            ("table_name", DataType::Utf8),
            ("column_name", DataType::Utf8),
            ("ordinal_position", DataType::Int64),
        ];
        let rows = self.each_table(|schema, table| {
            let Some(name) = primary_key(table) else {
                return Vec::new();
            };
            let parts = table.table().key.iter();
            let mut columns: Vec<&str> = Vec::new();
            for column in parts.flat_map(|part| part.expression.columns()) {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
            let rows = columns.into_iter().zip(1..).map(|(column, at)| {
                let mut row = Self::place(schema, &name);
                row.extend(Self::place(schema, table.name()));
                row.extend([text(column), Cell::Number(Some(at))]);
                row
            });
            rows.collect()
        });
        Rows {
            headings: HEADINGS,
            rows,
        }
    }

    fn each_table(&self, rows: impl Fn(&str, &BoundTable) -> Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
        let mut found = Vec::new();
        for (schema, catalog) in self.schemas() {
            let names = catalog.names().into_iter();
            for table in names.filter_map(|name| catalog.table(&name)) {
                found.extend(rows(schema, table.bound()));
            }
        }
        found
    }
}

/// The name of the primary key, of a table that is declared with one.
fn primary_key(table: &BoundTable) -> Option<String> {
    let is_declared = table.row_id().is_none();
    is_declared.then(|| format!("{}_pkey", table.name()))
}

fn columns_of_table(schema: &str, table: &BoundTable) -> Vec<Vec<Cell>> {
    let columns = table.columns().iter().zip(1..);
    let rows = columns.map(|(column, at)| {
        let default = column.default_text();
        let kind = Some(column.sql_type.to_string());
        let place = (column.name.as_str(), at);
        let mut row = column_row(schema, table.name(), place, default, column.nullable, kind);
        row.truncate(row.len() - SIZES - KINDS);
        row.extend(sizes(&column.sql_type));
        row.extend(kinds(column));
        row
    });
    rows.collect()
}

/// How many columns of `columns` say what computes a column, and what is said of it.
const KINDS: usize = 5;

/// Whether the column numbers rows, is computed, and what is said of it.
fn kinds(column: &Column) -> [Cell; KINDS] {
    let identity = column.identity.as_ref();
    let generation = identity.map(|identity| {
        if identity.always {
            "ALWAYS".to_owned()
        } else {
            "BY DEFAULT".to_owned()
        }
    });
    let is_generated = if column.generated.is_some() {
        "ALWAYS"
    } else {
        "NEVER"
    };
    [
        yes(identity.is_some()),
        Cell::Text(generation),
        text(is_generated),
        Cell::Text(column.generated.clone()),
        Cell::Text(column.comment.clone()),
    ]
}

fn columns_of_guest(name: &str, schema: &SchemaRef) -> Vec<Vec<Cell>> {
    let fields = schema.fields().iter().zip(1..);
    let rows = fields.map(|(field, at)| {
        let kind = Some(upper_type_name(field.data_type()));
        let place = (field.name().as_str(), at);
        column_row(SCHEMA_NAME, name, place, None, field.is_nullable(), kind)
    });
    rows.collect()
}

/// How many columns of `columns` say how large values may be.
const SIZES: usize = 4;

fn column_row(
    schema: &str,
    table: &str,
    (name, at): (&str, i64),
    default: Option<String>,
    is_nullable: bool,
    kind: Option<String>,
) -> Vec<Cell> {
    let mut row = Information::place(schema, table);
    row.extend([text(name), Cell::Number(Some(at)), Cell::Text(default)]);
    row.extend([yes(is_nullable), Cell::Text(kind)]);
    row.extend((0..SIZES).map(|_| Cell::Number(None)));
    let nothing = || Cell::Text(None);
    row.extend([yes(false), nothing(), text("NEVER"), nothing(), nothing()]);
    row
}

/// The length, the digits and those behind the point, and the digits of a second.
fn sizes(sql_type: &SqlType) -> [Cell; SIZES] {
    let (length, precision, scale, seconds) = match sql_type {
        SqlType::Varchar(length) | SqlType::Char(length) => {
            (Some(i64::from(*length)), None, None, None)
        }
        SqlType::Decimal { precision, scale } => {
            let (precision, scale) = (i64::from(*precision), i64::from(*scale));
            (None, Some(precision), Some(scale), None)
        }
        SqlType::TinyInt | SqlType::UnsignedTinyInt => (None, Some(8), Some(0), None),
        SqlType::SmallInt | SqlType::UnsignedSmallInt => (None, Some(16), Some(0), None),
        SqlType::Integer | SqlType::UnsignedInteger => (None, Some(32), Some(0), None),
        SqlType::BigInt | SqlType::UnsignedBigInt => (None, Some(64), Some(0), None),
        SqlType::Time => (None, None, None, Some(9)),
        SqlType::Timestamp { precision, .. } => {
            (None, None, None, Some(i64::from(precision.digits())))
        }
        _ => (None, None, None, None),
    };
    [length, precision, scale, seconds].map(Cell::Number)
}

impl Rows {
    fn table(self) -> Result<Arc<dyn TableProvider>> {
        let fault = |error| Error::internal("the information schema").with_source(error);
        let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
        let mut rows: Vec<_> = self.rows.into_iter().map(Vec::into_iter).collect();
        for (name, kind) in self.headings {
            let values = rows.iter_mut().map(Iterator::next);
            let array: ArrayRef = match kind {
                DataType::Int64 => {
                    let numbers = values.map(|cell| match cell {
                        Some(Cell::Number(number)) => number,
                        _ => None,
                    });
                    Arc::new(numbers.collect::<Int64Array>())
                }
                _ => {
                    let texts = values.map(|cell| match cell {
                        Some(Cell::Text(text)) => text,
                        _ => None,
                    });
                    Arc::new(texts.collect::<StringArray>())
                }
            };
            columns.push((name, array));
        }
        let columns = columns.into_iter().map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(fault)?;
        let table = MemTable::try_new(batch.schema(), vec![vec![batch]])?;
        Ok(Arc::new(table))
    }
}

#[async_trait]
impl SchemaProvider for Information {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.engine.table_names();
        names.extend(OWN.map(str::to_owned));
        names.sort_unstable();
        names.dedup();
        names
    }

    async fn table(&self, name: &str) -> PlanResult<Option<Arc<dyn TableProvider>>> {
        let rows = match name.to_ascii_lowercase().as_str() {
            "tables" => self.tables(),
            "check_constraints" => self.checks(),
            "columns" => self.columns().await,
            "views" => self.view_rows(),
            "sequences" => self.sequences(),
            "schemata" => self.schemata(),
            "table_constraints" => self.constraints(),
            "key_column_usage" => self.key_columns(),
            other => return self.engine.table(other).await,
        };
        Ok(Some(rows.table()?))
    }

    fn table_exist(&self, name: &str) -> bool {
        OWN.contains(&name) || self.engine.table_exist(name)
    }
}
