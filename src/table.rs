//! `impl TableProvider`: joins schema, predicate, span and scan.
//!
//! Every filter that gives the same answer twice is taken, and its answer is exact: what the spans do not prove, the
//! scan asks of each row. `UPDATE` and `DELETE` never come here (see the design): DataFusion's hooks lose the WHERE.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::error::Error;
use crate::function::spellings;
use crate::key::KeyPart;
use crate::scan::{Access, Parallelism, PartExpressions, ScanExec, ToPhysical, taken};
use crate::schema::BoundTable;
use crate::settings::HaliteOptions;
use crate::store::holders::Held;
use crate::store::{SpaceOptions, Store};
use crate::write::{
    CompileRules, Definition, SpillDirectory, TableGuard, TableLock, TableWriter, WriteExec,
};

/// Into so many parts a space is divided at most when it is made.
const BUCKET_GROUPS: u32 = 64;

/// A table in a store, for any `SessionContext`.
#[derive(Debug)]
pub struct HaliteTable {
    table: Arc<BoundTable>,
    store: Arc<dyn Store>,
    writer: Arc<TableWriter>,
    definition: String,
    /// Whether queries are shown the hidden column, behind the declared ones.
    shows_hidden: bool,
    /// What a query calls it that is to be explained.
    alias: Option<Arc<str>>,
    /// That it is what holds the database, where it is.
    held: Option<Held>,
}

impl HaliteTable {
    /// The table, whose space exists in `store`. Its writers share a lock that belongs to this value: a database has
    /// one for each of its tables. What statements cannot hold in memory goes to `spills`.
    pub fn new(store: Arc<dyn Store>, table: Arc<BoundTable>, spills: SpillDirectory) -> Self {
        let lock = TableLock::default();
        let writer = TableWriter::new(Arc::clone(&table), Arc::clone(&store), lock, spills);
        Self {
            writer: Arc::new(writer),
            definition: table.table().create_statement(),
            table,
            store,
            shows_hidden: false,
            alias: None,
            held: None,
        }
    }

    /// Makes the space of its rows, whose parts, of SPLIT or buckets, are kept apart where the store has several machines.
    ///
    /// # Errors
    /// Those of [`Store::create_space`].
    pub fn make_space(&self) -> crate::error::Result<()> {
        let borders = match self.table.borders() {
            [] => self.table.row_key().bucket_starts(BUCKET_GROUPS)?,
            borders => borders.to_vec(),
        };
        let options = SpaceOptions::default();
        let spaces = self.table.spaces();
        if let Some(dictionary) = spaces.dictionary() {
            self.store.create_space(dictionary, &options)?;
        }
        // A table is there when its first family is.
        let mut families = spaces.families().iter().rev();
        families.try_for_each(|space| self.store.create_parted_space(space, &options, &borders))
    }

    /// The same table, of which it is known what its rules mean.
    #[must_use]
    pub fn with_rules(self, compile: CompileRules) -> Self {
        let writer = TableWriter::clone(&self.writer).with_rules(compile);
        Self {
            writer: Arc::new(writer),
            ..self
        }
    }

    /// The same table, whose writers ask whether its definition is still the stored one.
    #[must_use]
    pub fn with_definition(self, definition: Definition) -> Self {
        let writer = TableWriter::clone(&self.writer).with_definition(definition);
        Self {
            writer: Arc::new(writer),
            ..self
        }
    }

    /// The same table for a statement that must tell its rows apart: with the hidden column, if it has one, behind the
    /// declared ones.
    pub fn showing_hidden(&self) -> Self {
        Self {
            shows_hidden: true,
            ..self.again()
        }
    }

    /// The same table for a scan that tells what a query calls it.
    pub fn called(&self, alias: &str) -> Self {
        Self {
            alias: Some(alias.into()),
            ..self.again()
        }
    }

    /// The same table for who holds the database by it.
    pub fn held_by(&self, held: Held) -> Self {
        Self {
            held: Some(held),
            ..self.again()
        }
    }

    fn again(&self) -> Self {
        Self {
            table: Arc::clone(&self.table),
            store: Arc::clone(&self.store),
            writer: Arc::clone(&self.writer),
            definition: self.definition.clone(),
            shows_hidden: self.shows_hidden,
            alias: self.alias.clone(),
            held: self.held.clone(),
        }
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        self.table.name()
    }

    /// The table's definition.
    pub fn bound(&self) -> &Arc<BoundTable> {
        &self.table
    }

    /// The store that keeps its rows.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// What changes the table's rows.
    pub fn writer(&self) -> Arc<TableWriter> {
        Arc::clone(&self.writer)
    }

    /// Keeps writers out until the guard is dropped. Waits; for threads that may.
    pub fn lock_writes(&self) -> TableGuard {
        self.writer.lock().acquire_blocking()
    }

    /// How a query with these filters, of which no one is volatile, reads the table.
    pub fn access(&self, filters: impl IntoIterator<Item = Expr>) -> Access {
        Access::new(Arc::clone(&self.table), filters)
    }

    /// What SQL computes for each part of the key, of those whose columns a scan of `projection` shows.
    fn part_expressions(
        &self,
        physical: &ToPhysical<'_>,
        projection: &[usize],
    ) -> Result<PartExpressions> {
        let key = self.table.row_key();
        let is_shown = |part: &KeyPart| {
            let mut sources = part.sources().iter();
            sources.all(|source| projection.contains(source))
        };
        let written = |part: &KeyPart| {
            if is_shown(part) {
                spellings(part)
            } else {
                Vec::new()
            }
        };
        let written: Vec<Vec<Expr>> = key.parts().iter().map(written).collect();
        if written.iter().all(Vec::is_empty) {
            return Ok(Arc::default());
        }
        let schema = DFSchema::try_from(self.table.full_schema().as_ref().clone())?;
        // What cannot be planned is asked for by no query.
        let planned = |expressions: Vec<Expr>| {
            let expressions = expressions.into_iter();
            let planned = expressions.map(|expression| physical(expression, &schema));
            planned.filter_map(Result::ok).collect()
        };
        Ok(written.into_iter().map(planned).collect())
    }
}

#[async_trait]
impl TableProvider for HaliteTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(if self.shows_hidden {
            self.table.full_schema()
        } else {
            self.table.schema()
        })
    }

    // The primary key is declared to nobody: DataFusion takes the key of one table of a join, or below an UNNEST, for the
    // key of all its rows, and drops what else rows are sorted or grouped by.

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn get_table_definition(&self) -> Option<&str> {
        Some(&self.definition)
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
        let mut access = self.access(filters.iter().cloned()).with_fetch(limit);
        match projection {
            Some(projection) => access = access.with_projection(projection.clone()),
            None if self.shows_hidden => {
                let all = 0..self.table.all_columns().len();
                access = access.with_projection(all.collect());
            }
            None => {}
        }
        let request = access.bind(&[], &options.planning(&physical))?;
        let mut request =
            request.ok_or_else(|| external(Error::internal("an order that nobody asked for")))?;
        request.alias.clone_from(&self.alias);
        request.part_expressions = self.part_expressions(&physical, &request.projection)?;
        let width = Parallelism {
            partitions: state.config().target_partitions(),
            piece_bytes: options.piece_bytes,
        };
        let scan = ScanExec::new(request, Arc::clone(&self.store), width)?;
        Ok(Arc::new(scan))
    }

    async fn insert_into(
        &self,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        operation: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let settings = HaliteOptions::of(state.config_options()).write_settings();
        let insert = WriteExec::insert(self.writer(), input, operation, settings);
        Ok(Arc::new(insert.map_err(external)?))
    }
}

fn external(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
