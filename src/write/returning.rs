//! What RETURNING gives back: kept until all is written, for a statement that fails gives nothing back.

use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};

/// The rows that a statement gives back, counted against the memory that queries may take, unless they are few.
#[derive(Debug)]
pub(super) struct Returned {
    schema: SchemaRef,
    /// Each with the numbers of the rows that its rows are of.
    batches: Vec<(RecordBatch, Vec<u64>)>,
    held: Option<MemoryReservation>,
}

impl Returned {
    pub(super) fn new(schema: SchemaRef, context: &TaskContext) -> Self {
        let consumer = MemoryConsumer::new("the rows of RETURNING");
        Self {
            held: Some(consumer.register(context.memory_pool())),
            ..Self::of_few(schema)
        }
    }

    /// A few rows, which nobody counts.
    pub(super) fn of_few(schema: SchemaRef) -> Self {
        Self {
            schema,
            batches: Vec::new(),
            held: None,
        }
    }

    /// Adds rows.
    ///
    /// # Errors
    /// `ResourcesExhausted` where they take too much memory.
    pub(super) fn add(&mut self, rows: &RecordBatch, numbers: Vec<u64>) -> Result<()> {
        let rows = RecordBatch::try_new(self.schema.clone(), rows.columns().to_vec())?;
        let bytes = rows.get_array_memory_size() + numbers.len() * size_of::<u64>();
        if let Some(held) = &mut self.held {
            held.try_grow(bytes)?;
        }
        self.batches.push((rows, numbers));
        Ok(())
    }

    /// All rows but those of these numbers, from which nothing came.
    ///
    /// # Errors
    /// None but those of broken batches.
    pub(super) fn finish(self, mut dropped: Vec<u64>) -> Result<Vec<RecordBatch>> {
        dropped.sort_unstable();
        let kept = self.batches.into_iter().map(|(rows, numbers)| {
            if dropped.is_empty() {
                return Ok(rows);
            }
            let stays = |number| Some(dropped.binary_search(number).is_err());
            let stays: BooleanArray = numbers.iter().map(stays).collect();
            Ok(filter_record_batch(&rows, &stays)?)
        });
        kept.collect()
    }
}
