//! What to read: plain data.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;

use crate::schema::BoundTable;
use crate::span::{Run, Spans, Work};
use crate::store::Direction;

/// What a scan reads. Columns are positions in the table throughout, those of filters included.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The table.
    pub table: Arc<BoundTable>,
    /// The part of its key space that is read.
    pub spans: Spans,
    /// What the spans do not prove: conditions on a row, of which each must be true.
    pub residual: Vec<ResidualFilter>,
    /// Conditions that tighten while the plan runs; a row that fails one is not needed. Over the table's whole schema.
    pub dynamic: Vec<Arc<dyn PhysicalExpr>>,
    /// The columns of the output, in its order; none: rows are only counted.
    pub projection: Vec<usize>,
    /// Which way the keys are read.
    pub direction: Direction,
    /// Whether rows come in the order of their keys, buckets merged. Once this was declared it stays, even where the
    /// columns that show the order leave the projection: the result's own order rests on it.
    pub in_order: bool,
    /// The most rows of each partition, after all filters.
    pub fetch: Option<usize>,
}

/// A condition that the spans do not prove.
#[derive(Debug, Clone)]
pub struct ResidualFilter {
    /// The condition, over the table's whole schema.
    pub condition: Arc<dyn PhysicalExpr>,
    /// The condition as it was written, and why it is not proven: `usage > 3 (reason)`.
    pub text: String,
}

impl ScanRequest {
    /// All columns of the rows in `spans`, forward and in order.
    pub fn new(table: Arc<BoundTable>, spans: Spans) -> Self {
        Self {
            projection: (0..table.columns().len()).collect(),
            table,
            spans,
            residual: Vec::new(),
            dynamic: Vec::new(),
            direction: Direction::Forward,
            in_order: true,
            fetch: None,
        }
    }

    /// The schema of the output.
    ///
    /// # Errors
    /// A projection of columns that the table does not have.
    pub fn schema(&self) -> Result<SchemaRef> {
        Ok(Arc::new(self.table.schema().project(&self.projection)?))
    }

    /// Everything that a row must pass, in the order in which it is asked.
    pub(super) fn filters(&self) -> impl Iterator<Item = &Arc<dyn PhysicalExpr>> {
        let residual = self.residual.iter().map(|residual| &residual.condition);
        residual.chain(&self.dynamic)
    }

    /// How many key ranges are listed; `None` where a run is a walk.
    pub(super) fn listed_ranges(&self) -> Option<usize> {
        let listed = |run: &Run| match &run.work {
            Work::Ranges(ranges) => Some(ranges.ranges().len()),
            Work::Walk(_) => None,
        };
        self.spans.runs().iter().map(listed).sum()
    }
}
