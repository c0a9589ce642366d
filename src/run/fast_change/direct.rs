//! The path of a prepared change around planning.
//!
//! A prepared statement that changes the row under one key, or inserts one row, is planned once for the types that its
//! parameters have: its expressions are compiled, and each run evaluates them over a batch of that row, with the values of
//! the parameters as columns beside it. What is written goes through the same write set as that of any other statement:
//! checked, with DEFAULT, NOT NULL and CHECK, at its turn among the writers of the table. The row is looked up once the
//! table is claimed; so of two runs that add to one counter neither is lost.
//!
//! Everything else is planned each time: statements of another shape, values that key columns cannot be compared with as
//! they are, tables of other databases, and runs while `halite.pushdown` is off.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use datafusion::common::{DFSchema, Result as PlanResult, ScalarValue};
use datafusion::execution::session_state::SessionState;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;

use crate::catalog::visible::Catalogs;
use crate::error::Result;
use crate::run::outcome::Outcome;
use crate::scan::{self, Access, Counters, Moment, ScanRequest};
use crate::settings::HaliteOptions;
use crate::store::{Durability, Durable, Latency, Snapshot};
use crate::table::HaliteTable;
use crate::write::{
    BriefChange, BriefWork, Lookup, Progress, Sought, TableGuard, TableLock, is_outdated,
};

/// A change that needs no plan, for parameters of certain types.
#[derive(Debug)]
pub(crate) struct DirectChange {
    pub(crate) table: Arc<HaliteTable>,
    pub(crate) verb: &'static str,
    pub(crate) work: BriefWork,
    pub(crate) source: Source,
    /// What becomes of the rows of the source, one step after the other.
    pub(crate) steps: Vec<Step>,
    pub(crate) options: HaliteOptions,
    pub(crate) batch_size: usize,
}

/// Where the rows come from.
#[derive(Debug)]
pub(crate) enum Source {
    /// One row without columns.
    Row,
    /// The rows of the table that a condition tells.
    Table { access: Access, schema: SchemaRef },
}

/// What becomes of rows.
#[derive(Debug)]
pub(crate) enum Step {
    /// The values of expressions over them.
    Project(Projection),
    /// Each is put beside the one that is stored under its key.
    LookUp(Sought, SchemaRef),
}

/// Expressions over rows, and over the parameters where they name some.
#[derive(Debug)]
pub(crate) struct Projection {
    pub expressions: Vec<Arc<dyn PhysicalExpr>>,
    /// The columns of the rows and, behind them, the parameters; `None` where the expressions name no parameters.
    pub with_parameters: Option<SchemaRef>,
    pub schema: SchemaRef,
}

/// A change with values.
#[derive(Debug)]
pub(crate) struct BoundChange {
    change: Arc<DirectChange>,
    /// The tables that it was planned for, and the state of them.
    catalogs: Catalogs,
    version: u64,
    parameters: Vec<ScalarValue>,
    /// What is read of the table, if something is.
    request: Option<ScanRequest>,
}

/// What has become of a change.
pub(crate) enum Made {
    /// It is made, and durable when this has been waited for.
    Written(Outcome, Option<Durable>),
    /// It must be planned: more is to be read for it than a few keys, or its table is another one by now. Nothing is changed.
    ToBePlanned,
    /// The table is claimed, and it was not to wait. Nothing is changed.
    IsClaimed(TableGuard),
}

impl DirectChange {
    /// The change with values of its types, planned for the tables of `catalogs` at this version of them; `None` where it
    /// must be planned for these.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn bind(
        self: &Arc<Self>,
        session: &SessionState,
        (catalogs, version): (&Catalogs, u64),
        parameters: &[ScalarValue],
    ) -> Result<Option<BoundChange>> {
        if catalogs.in_store(self.table.store()).is_none() {
            return Ok(None);
        }
        let request = match &self.source {
            Source::Row => None,
            Source::Table { access, .. } => {
                let physical =
                    |filter, schema: &DFSchema| session.create_physical_expr(filter, schema);
                match access.bind(parameters, &self.options.planning(&physical))? {
                    Some(request) => Some(request),
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(BoundChange {
            change: Arc::clone(self),
            catalogs: catalogs.clone(),
            version,
            parameters: parameters.to_vec(),
            request,
        }))
    }
}

impl BoundChange {
    /// The lock of the table's writers.
    pub(crate) fn lock(&self) -> TableLock {
        self.change.table.writer().lock().clone()
    }

    /// Whether the change is made on a thread that may wait, where the table is claimed.
    pub(crate) fn waits(&self) -> bool {
        self.change.work.settings.durability == Durability::Sync
    }

    /// Makes the change, on this thread. `guard` is that of [`BoundChange::lock`].
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub(crate) fn run(
        &self,
        guard: TableGuard,
        waits: bool,
        progress: &Progress,
        counters: Option<Counters>,
    ) -> Result<Made> {
        let change = &self.change;
        let writer = change.table.writer();
        let mut brief = BriefChange::begin(&writer, &change.work, progress, guard)?;
        let claimed = match brief.claim(waits) {
            Err(error) if is_outdated(&error) => return Ok(Made::ToBePlanned),
            claimed => claimed?,
        };
        let Some(claimed) = claimed else {
            return Ok(Made::IsClaimed(brief.into_guard()));
        };
        let outdated = self.request.as_ref().map(ScanRequest::is_outdated);
        if outdated.transpose()? == Some(true) || !self.is_current(claimed.as_ref())? {
            return Ok(Made::ToBePlanned);
        }
        let Some(batches) = self.source_rows(&claimed, counters)? else {
            return Ok(Made::ToBePlanned);
        };
        for batch in batches {
            brief.take(&self.stepped(batch, &claimed)?)?;
        }
        // It would keep alive what is overwritten.
        drop(claimed);
        let made = brief.finish()?;
        let outcome = match &change.work.returned {
            None => Outcome::Affected {
                verb: change.verb,
                rows: made.rows,
            },
            Some(schema) => {
                let given = futures::stream::iter(made.returned.into_iter().map(Ok));
                let given = RecordBatchStreamAdapter::new(Arc::clone(schema), given);
                Outcome::Rows(Box::pin(given))
            }
        };
        Ok(Made::Written(outcome, made.durable))
    }

    /// Whether the tables at this moment are those that it was planned for.
    fn is_current(&self, moment: &dyn Snapshot) -> Result<bool> {
        if let Some(catalog) = self.catalogs.in_store(self.change.table.store()) {
            catalog.follow(moment)?;
        }
        Ok(self.catalogs.version() == self.version)
    }

    /// The rows of the source; `None` where that are more than a few.
    fn source_rows(
        &self,
        claimed: &Arc<dyn Snapshot>,
        counters: Option<Counters>,
    ) -> Result<Option<Vec<RecordBatch>>> {
        let (Source::Table { schema, .. }, Some(request)) = (&self.change.source, &self.request)
        else {
            return Ok(Some(vec![one_row()?]));
        };
        let moment = Moment {
            snapshot: Arc::clone(claimed),
            latency: Latency::Near,
            batch_size: self.change.batch_size,
        };
        let mut opened = scan::open(request, Arc::clone(schema), moment, counters)?;
        if !opened.is_brief() {
            return Ok(None);
        }
        let mut batches = Vec::new();
        while let Some(batch) = opened.next_batch()? {
            batches.push(batch);
        }
        Ok(Some(batches))
    }

    /// What the steps make of rows of the source.
    fn stepped(&self, mut batch: RecordBatch, claimed: &Arc<dyn Snapshot>) -> Result<RecordBatch> {
        for step in &self.change.steps {
            batch = match step {
                Step::Project(projection) => projection.of(&batch, &self.parameters)?,
                Step::LookUp(sought, schema) => {
                    let writer = self.change.table.writer();
                    let schema = Arc::clone(schema);
                    Lookup::new(&writer, Arc::clone(claimed), *sought, schema)?.look_up(&batch)?
                }
            };
        }
        Ok(batch)
    }
}

impl Projection {
    fn of(&self, rows: &RecordBatch, parameters: &[ScalarValue]) -> PlanResult<RecordBatch> {
        let count = rows.num_rows();
        let wider;
        let input = match &self.with_parameters {
            None => rows,
            Some(schema) => {
                let values = parameters.iter().map(|value| value.to_array_of_size(count));
                let columns = rows.columns().iter().cloned().map(Ok).chain(values);
                let columns = columns.collect::<PlanResult<Vec<ArrayRef>>>()?;
                wider = batch_of(schema, columns, count)?;
                &wider
            }
        };
        let values = self.expressions.iter();
        let values = values.map(|expression| expression.evaluate(input)?.into_array(count));
        batch_of(&self.schema, values.collect::<PlanResult<_>>()?, count)
    }
}

fn batch_of(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> PlanResult<RecordBatch> {
    let rows = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)?;
    Ok(batch)
}

fn one_row() -> PlanResult<RecordBatch> {
    batch_of(
        &SchemaRef::new(arrow::datatypes::Schema::empty()),
        Vec::new(),
        1,
    )
}
