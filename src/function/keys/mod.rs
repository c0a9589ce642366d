//! `keys('t')`: the stored parts and the raw row keys of a table, read while the query runs; `keyspace('shop')`: the rows
//! of all tables of a key space.
//!
//! What a query asks of the parts, each a column, and of `row_key` becomes key ranges, as it does in a scan of the table.
//! What is not asked for is not decoded: to count keys, nothing is.

mod exec;
mod parts;
mod shared;
mod wanted;

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::Lookup;
use crate::error::Error;
use crate::key::RowKey;
use crate::schema::BoundTable;
use crate::settings::HaliteOptions;
use crate::store::Store;

pub use self::exec::KeysExec;
use self::parts::Parts;
pub(super) use self::shared::KeySpaces;
use self::wanted::wanted;

/// The table function.
pub(super) struct Keys {
    lookup: Lookup,
}

impl Keys {
    pub(super) fn new(lookup: Lookup) -> Self {
        Self { lookup }
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("keys")
    }
}

impl TableFunctionImpl for Keys {
    fn call_with_args(&self, arguments: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(ScalarValue::Utf8(Some(name)), _)] = arguments.exprs() else {
            return plan_err!("keys takes the name of a table, as in keys('cpu')");
        };
        let (table, store) = (self.lookup)(name)?;
        Ok(Arc::new(KeysTable::new(table, store)?))
    }
}

/// The keys of a table as a table.
#[derive(Debug)]
struct KeysTable {
    table: Arc<BoundTable>,
    store: Arc<dyn Store>,
    /// The same keys over columns that hold the values of the parts.
    fields: Arc<RowKey>,
    schema: SchemaRef,
}

impl KeysTable {
    /// A column for each part, named as it is declared, and `row_key`, or `row_key_` beside a part of that name.
    fn new(table: Arc<BoundTable>, store: Arc<dyn Store>) -> Result<Self, Error> {
        let parts = table.row_key().parts().iter();
        let names: Vec<String> = parts.map(|part| part.expression().to_string()).collect();
        let fields = table.row_key().of_fields(&names)?;
        let columns = fields.columns().iter();
        let mut columns: Vec<Field> = columns
            .map(|column| Field::new(&column.name, column.sql_type.arrow(), column.nullable))
            .collect();
        let mut name = "row_key".to_owned();
        while names.contains(&name) {
            name.push('_');
        }
        columns.push(Field::new(name, DataType::Binary, false));
        Ok(Self {
            table,
            store,
            fields: Arc::new(fields),
            schema: Arc::new(Schema::new(columns)),
        })
    }
}

#[async_trait]
impl TableProvider for KeysTable {
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
        let wanted = wanted(&self.fields, &self.schema, filters, options.span_budget)?;
        let all = || (0..self.schema.fields().len()).collect();
        let exec = KeysExec::new(
            Arc::new(Parts(Arc::clone(&self.table))),
            Arc::clone(&self.store),
            wanted,
            self.schema.as_ref(),
            projection.cloned().unwrap_or_else(all),
            limit,
        )?;
        Ok(Arc::new(exec))
    }
}
