//! Parquet files as a table of a query.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::datasource::listing::ListingTable;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::format::read_for;
use super::numbers::wanted_as_numbers;
use super::rows::RowsOfFiles;
#[cfg(test)]
use crate::fault::{Fault, active};

/// The table.
#[derive(Debug)]
pub(crate) struct ParquetTable {
    files: ListingTable,
}

impl ParquetTable {
    /// Of these files, which are listed with the format [`ParquetFiles`](super::ParquetFiles).
    pub(crate) fn new(files: ListingTable) -> Self {
        Self { files }
    }

    /// The places of the columns of directories among those that are read.
    fn of_directories(&self, read: &SchemaRef) -> Arc<[usize]> {
        let columns = self.files.options().table_partition_cols.iter();
        columns
            .filter_map(|(name, _)| read.index_of(name).ok())
            .collect()
    }
}

#[async_trait]
impl TableProvider for ParquetTable {
    fn schema(&self) -> SchemaRef {
        self.files.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut rows = self.files.scan(state, projection, filters, limit).await?;
        let numbers = wanted_as_numbers(filters, &self.schema());
        if !numbers.is_empty()
            && let Some(read) = read_for(&rows, state, numbers)?
        {
            rows = read;
        }
        let of_directories = self.of_directories(&rows.schema());
        Ok(Arc::new(RowsOfFiles::new(rows, of_directories)))
    }

    /// Every filter is asked of each row: a directory is passed over by one, but NULL for an answer does not count as no.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        #[cfg(test)]
        if active(Fault::DirectoriesDecide) {
            return self.files.supports_filters_pushdown(filters);
        }
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }
}
