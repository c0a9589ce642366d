//! `keys('t')`: the stored parts and the raw row keys of a table, read while the query runs; `keyspace('shop')`: the rows
//! of all tables of a key space.
//!
//! Both are scans of the same run of keys over other columns ([`BoundTable::of_keys`]): what a query asks of the parts,
//! each a column, and of `row_key` becomes key ranges. What is not asked for is not decoded: to count keys, nothing is.

mod shared;

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DFSchema, DataFusionError, Result, ScalarValue, plan_err};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::Lookup;
use crate::error::Error;
use crate::row::ReadRows;
use crate::scan::{Access, Parallelism, ScanExec, taken};
use crate::schema::BoundTable;
use crate::settings::HaliteOptions;
use crate::store::Store;

pub(super) use self::shared::KeySpaces;

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
        Ok(Arc::new(KeysTable {
            table: keys_of(&table)?,
            reader: None,
            store,
        }))
    }
}

/// The keys of a table: a column for each part, named as it is declared, and `row_key`, or `row_key_` beside a part of
/// that name.
fn keys_of(table: &BoundTable) -> Result<Arc<BoundTable>, Error> {
    let parts = table.row_key().parts().iter();
    let names: Vec<String> = parts.map(|part| part.expression().to_string()).collect();
    let mut whole = "row_key".to_owned();
    while names.contains(&whole) {
        whole.push('_');
    }
    let fields = table.row_key().of_fields(&names)?;
    Ok(table.of_keys(table.name(), fields, &[], &whole))
}

/// A run of keys as a table.
#[derive(Debug)]
struct KeysTable {
    table: Arc<BoundTable>,
    /// As [`ScanRequest::reader`](crate::scan::ScanRequest::reader).
    reader: Option<Arc<dyn ReadRows>>,
    store: Arc<dyn Store>,
}

#[async_trait]
impl TableProvider for KeysTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.table.schema())
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(taken(filters))
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = HaliteOptions::of(state.config_options());
        let physical = |filter, schema: &DFSchema| state.create_physical_expr(filter, schema);
        let mut access = Access::new(Arc::clone(&self.table), filters.iter().cloned());
        if let Some(projection) = projection {
            access = access.with_projection(projection.clone());
        }
        let request = access
            .with_fetch(limit)
            .bind(&[], &options.planning(&physical))?;
        let mut request = request.ok_or_else(|| {
            DataFusionError::from(Error::internal("an order that nobody asked for"))
        })?;
        request.reader.clone_from(&self.reader);
        let width = Parallelism {
            partitions: state.config().target_partitions(),
            piece_bytes: options.piece_bytes,
        };
        let scan = ScanExec::new(request, Arc::clone(&self.store), width)?;
        Ok(Arc::new(scan))
    }
}
