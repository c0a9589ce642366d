//! Batches of a good size: small ones are put together, large ones are cut, and the limit is kept to the row.

use std::collections::VecDeque;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result;

/// A batch is sent once it holds so many bytes, however few its rows.
const BATCH_BYTES: usize = 4 << 20;

/// Collects what a scan has decoded and hands out batches.
pub(super) struct Output {
    schema: SchemaRef,
    batch_size: usize,
    /// A batch is sent once it holds so many rows.
    goal: usize,
    /// How many rows may still come; `None`: any number.
    remaining: Option<usize>,
    small: Vec<RecordBatch>,
    small_rows: usize,
    small_bytes: usize,
    ready: VecDeque<RecordBatch>,
}

/// Half a batch is not worth a copy.
fn grown(batch_size: usize) -> usize {
    batch_size.div_ceil(2)
}

impl Output {
    /// Batches of about `batch_size` rows, `fetch` rows at most in all.
    pub(super) fn new(schema: SchemaRef, batch_size: usize, fetch: Option<usize>) -> Self {
        let batch_size = batch_size.max(1);
        Self {
            schema,
            batch_size,
            goal: grown(batch_size),
            remaining: fetch,
            small: Vec::new(),
            small_rows: 0,
            small_bytes: 0,
            ready: VecDeque::new(),
        }
    }

    /// The same in batches that are small at first, where each row costs a seek and few may be wanted.
    #[must_use]
    pub(super) fn growing(self) -> Self {
        Self { goal: 1, ..self }
    }

    /// Has batches be large from now on.
    pub(super) fn grow(&mut self) {
        self.goal = grown(self.batch_size);
    }

    /// Whether the next batch is one of the small ones.
    pub(super) fn is_growing(&self) -> bool {
        self.goal < grown(self.batch_size)
    }

    /// How many rows may still come; `None`: any number.
    pub(super) fn remaining(&self) -> Option<usize> {
        self.remaining
    }

    /// Whether no row is wanted any more.
    pub(super) fn is_satisfied(&self) -> bool {
        self.remaining == Some(0)
    }

    /// Takes rows, as many as are wanted.
    pub(super) fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let rows = batch.num_rows().min(self.remaining.unwrap_or(usize::MAX));
        self.remaining = self.remaining.map(|remaining| remaining - rows);
        if rows == batch.num_rows() && rows <= self.batch_size {
            return self.push_slice(batch);
        }
        let mut start = 0;
        while start < rows {
            let length = self.batch_size.min(rows - start);
            self.push_slice(batch.slice(start, length))?;
            start += length;
        }
        Ok(())
    }

    /// As [`Output::push`] for the last rows, which are given back to be handed on as they are where that is right.
    pub(super) fn pass(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let most = self.remaining.unwrap_or(usize::MAX).min(self.batch_size);
        if batch.num_rows() > most || !self.small.is_empty() || !self.ready.is_empty() {
            return self.push(batch).map(|()| None);
        }
        self.remaining = self.remaining.map(|remaining| remaining - batch.num_rows());
        Ok(Some(batch))
    }

    fn push_slice(&mut self, batch: RecordBatch) -> Result<()> {
        let (rows, bytes) = (batch.num_rows(), batch.get_array_memory_size());
        if self.small_rows + rows > self.batch_size {
            self.flush()?;
        }
        self.small.push(batch);
        self.small_rows += rows;
        self.small_bytes += bytes;
        if self.small_bytes >= BATCH_BYTES || self.small_rows >= self.goal {
            self.goal = (self.goal * 2).min(grown(self.batch_size));
            self.flush()?;
        }
        Ok(())
    }

    /// Makes what has been taken so far ready.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.small.len() > 1 {
            let whole = concat_batches(&self.schema, &self.small)?;
            self.small.clear();
            self.small.push(whole);
        }
        self.ready.extend(self.small.pop());
        (self.small_rows, self.small_bytes) = (0, 0);
        Ok(())
    }

    /// Whether nothing that was taken is left.
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.small.is_empty()
    }

    /// The next batch that is ready.
    pub(super) fn pop(&mut self) -> Option<RecordBatch> {
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int32Array, RecordBatchOptions, StringArray};
    use arrow::datatypes::Schema;

    use super::*;

    fn numbers(from: i32, count: i32) -> RecordBatch {
        let array = Arc::new(Int32Array::from_iter_values(from..from + count));
        RecordBatch::try_from_iter([("n", array as _)]).unwrap()
    }

    fn sizes(output: &mut Output) -> Vec<usize> {
        output.flush().unwrap();
        std::iter::from_fn(|| output.pop())
            .map(|batch| batch.num_rows())
            .collect()
    }

    #[test]
    fn small_batches_are_put_together_and_large_ones_cut() {
        let mut output = Output::new(numbers(0, 1).schema(), 10, None);
        for count in [1, 2, 1, 3, 25, 4] {
            output.push(numbers(0, count)).unwrap();
        }
        assert_eq!(sizes(&mut output), [7, 10, 10, 5, 4]);
    }

    #[test]
    fn batches_may_grow() {
        let mut output = Output::new(numbers(0, 1).schema(), 10, None).growing();
        for _ in 0..20 {
            output.push(numbers(0, 1)).unwrap();
        }
        assert_eq!(sizes(&mut output), [1, 2, 4, 5, 5, 3]);
    }

    #[test]
    fn the_limit_is_kept_to_the_row() {
        let mut output = Output::new(numbers(0, 1).schema(), 10, Some(5));
        output.push(numbers(0, 3)).unwrap();
        assert_eq!(output.remaining(), Some(2));
        output.push(numbers(3, 3)).unwrap();
        output.push(numbers(6, 3)).unwrap();
        assert!(output.is_satisfied());
        output.flush().unwrap();
        let batch = output.pop().unwrap();
        assert_eq!(batch, numbers(0, 5));
        assert!(output.pop().is_none());
    }

    #[test]
    fn the_last_rows_pass_where_nothing_is_before_them() {
        let mut output = Output::new(numbers(0, 1).schema(), 10, Some(7));
        assert_eq!(output.pass(numbers(0, 2)).unwrap(), Some(numbers(0, 2)));
        assert_eq!(output.remaining(), Some(5));
        assert_eq!(output.pass(numbers(2, 6)).unwrap(), None);
        assert_eq!(sizes(&mut output), [5]);
        let mut output = Output::new(numbers(0, 1).schema(), 10, None);
        assert_eq!(output.pass(numbers(0, 11)).unwrap(), None);
        assert_eq!(output.pass(numbers(11, 1)).unwrap(), None);
        assert_eq!(sizes(&mut output), [10, 2]);
    }

    #[test]
    fn wide_rows_make_short_batches() {
        let wide = StringArray::from(vec!["x".repeat(BATCH_BYTES)]);
        let batch = RecordBatch::try_from_iter([("t", Arc::new(wide) as _)]).unwrap();
        let mut output = Output::new(batch.schema(), 1000, None);
        for _ in 0..3 {
            output.push(batch.clone()).unwrap();
        }
        assert_eq!(sizes(&mut output), [1, 1, 1]);
    }

    #[test]
    fn rows_without_columns_are_counted() {
        let rows = |count| {
            let options = RecordBatchOptions::new().with_row_count(Some(count));
            let schema = Arc::new(Schema::empty());
            RecordBatch::try_new_with_options(schema, Vec::new(), &options).unwrap()
        };
        let mut output = Output::new(rows(0).schema(), 10, Some(8));
        for _ in 0..5 {
            output.push(rows(2)).unwrap();
        }
        assert_eq!(sizes(&mut output), [6, 2]);
    }
}
