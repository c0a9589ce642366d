//! A scan without a plan around it: one stream of all rows, for statements that are planned once and run many times.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::Result;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;

use super::metrics::Counters;
use super::partition::{Piece, is_brief};
use super::run::Source;
use super::stream::{self, PartitionScan};
use super::{KeyOrder, ScanRequest, external};
use crate::store::{Direction, Latency, Snapshot, Store};

impl ScanRequest {
    /// Asks for the rows in an order of columns, by position in the table, most significant first. Returns whether the
    /// key gives it, one way or the other; nothing is changed where it does not.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn order_by(&mut self, columns: &[(usize, SortOptions)]) -> crate::error::Result<bool> {
        let order = self.key_order()?;
        let is_constant = |column: usize| order.constants.iter().any(|(known, _)| *known == column);
        let wanted: Vec<(usize, SortOptions)> = columns
            .iter()
            .copied()
            .filter(|(column, _)| !is_constant(*column))
            .collect();
        for direction in [Direction::Forward, Direction::Backward] {
            let given: Vec<_> = order.columns(direction).collect();
            if given.starts_with(&wanted) {
                (self.in_order, self.direction) = (true, direction);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether nothing but a few single keys are read.
    pub fn reads_points(&self) -> bool {
        let pieces: Vec<Piece> = self.spans.runs().iter().map(Piece::whole).collect();
        is_brief(&self.table, &pieces)
    }

    /// Reads what is asked for at one moment of `store`, in batches of about `batch_size` rows.
    ///
    /// # Errors
    /// A projection or filter of columns that the table does not have; those of the store come with the stream.
    pub fn read(
        &self,
        store: &dyn Store,
        snapshot: Arc<dyn Snapshot>,
        batch_size: usize,
    ) -> Result<SendableRecordBatchStream> {
        let schema = self.schema()?;
        let pieces: Vec<Piece> = self.spans.runs().iter().map(Piece::whole).collect();
        let order = match self.in_order && pieces.len() > 1 {
            true => self.key_order().map_err(external)?,
            false => KeyOrder::default(),
        };
        let latency = store.capabilities().latency;
        let counters = Counters::new(&ExecutionPlanMetricsSet::new(), 0, latency);
        let source = Source::new(self, snapshot, counters).map_err(external)?;
        let is_brief = latency == Latency::Near && is_brief(&self.table, &pieces);
        let scan = PartitionScan::new(
            self,
            Arc::clone(&schema),
            pieces,
            &order,
            source,
            batch_size,
        )?;
        Ok(match is_brief {
            true => stream::inline(schema, scan),
            false => stream::in_thread(schema, scan),
        })
    }
}
