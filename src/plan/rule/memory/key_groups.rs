//! The memory of rows with one key, in an input that is sorted by it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_expr::PhysicalExpr;

/// Asks for the memory of the rows that have the key of the last one.
pub(crate) struct Group {
    held: MemoryReservation,
    key: Vec<Arc<dyn PhysicalExpr>>,
    copies: usize,
    converter: Option<RowConverter>,
    /// The key of the last row.
    last: Option<OwnedRow>,
}

impl Group {
    pub(crate) fn new(
        held: MemoryReservation,
        key: Vec<Arc<dyn PhysicalExpr>>,
        copies: usize,
    ) -> Self {
        Self {
            held,
            key,
            copies,
            converter: None,
            last: None,
        }
    }

    /// Takes the next batch: whole, for it is kept whole as long as one of its rows is.
    ///
    /// # Errors
    /// `ResourcesExhausted` where the rows of one key take too much.
    pub(crate) fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        let Some(end) = batch.num_rows().checked_sub(1) else {
            return Ok(());
        };
        let (first, last) = (self.key_at(batch, 0)?, self.key_at(batch, end)?);
        let goes_on = self.last.as_ref() == Some(&first) && first == last;
        let before = if goes_on { self.held.size() } else { 0 };
        self.held
            .try_resize(before + self.copies * bytes_of(batch))?;
        self.last = Some(last);
        Ok(())
    }

    fn key_at(&mut self, batch: &RecordBatch, row: usize) -> Result<OwnedRow> {
        let row = batch.slice(row, 1);
        let values = self.key.iter().map(|key| key.evaluate(&row)?.into_array(1));
        let values: Vec<ArrayRef> = values.collect::<Result<_>>()?;
        let converter = match &mut self.converter {
            Some(converter) => converter,
            None => {
                let fields = values.iter();
                let fields = fields.map(|value| SortField::new(value.data_type().clone()));
                let converter = RowConverter::new(fields.collect())?;
                self.converter.insert(converter)
            }
        };
        let rows = converter.convert_columns(&values)?;
        Ok(rows.row(0).owned())
    }
}

/// What the rows of a batch take, whatever it shares with others.
fn bytes_of(batch: &RecordBatch) -> usize {
    let columns = batch.columns().iter();
    let bytes = columns.map(|column| column.to_data().get_slice_memory_size().unwrap_or_default());
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, StringArray};
    use arrow::datatypes::{DataType, Field, Schema};
    use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};
    use datafusion::physical_expr::expressions::col;

    use super::*;

    #[test]
    fn rows_of_one_key_add_up_and_others_do_not() {
        let schema = Arc::new(Schema::new(vec![
            Field::new("a", DataType::Int32, true),
            Field::new("t", DataType::Utf8, true),
        ]));
        let batch = |keys: [Option<i32>; 2]| {
            let keys = Int32Array::from(keys.to_vec());
            let texts = StringArray::from(vec!["x".repeat(1000); 2]);
            RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(keys), Arc::new(texts)])
        };
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(10_000));
        let held = MemoryConsumer::new("a test").register(&pool);
        let mut group = Group::new(held, vec![col("a", &schema).unwrap()], 1);
        let mut take = |keys| group.take(&batch(keys).unwrap()).map(|()| pool.reserved());
        let one = take([Some(1), Some(1)]).unwrap();
        assert!((2000..2500).contains(&one), "{one}");
        assert_eq!(take([Some(1), Some(1)]).unwrap(), 2 * one);
        assert_eq!(take([Some(1), Some(2)]).unwrap(), one);
        assert_eq!(take([Some(2), Some(2)]).unwrap(), 2 * one);
        // NULLs are equal, and have a byte that says so.
        for times in 1..5 {
            assert_eq!(take([None, None]).unwrap(), times * (one + 1));
        }
        take([None, None]).unwrap_err();
        drop(group);
        assert_eq!(pool.reserved(), 0);
    }
}
