//! Answers, held against what the generator says before anything is timed: the number of rows, and the sum of their
//! checksums, so that order does not matter. A row's checksum is that of its text, or of its key for whom knows only
//! bytes. `Side.java` computes the same.

use anyhow::{Result, bail};
use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use flate2::Crc;

/// What a call gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answer {
    pub rows: u64,
    pub checksum: u64,
}

impl Answer {
    pub fn add(&mut self, row: &[u8]) {
        let mut crc = Crc::new();
        crc.update(row);
        self.rows += 1;
        self.checksum = self.checksum.wrapping_add(u64::from(crc.sum()));
    }

    /// The answer whose rows are these.
    pub fn of<T: AsRef<[u8]>>(rows: impl IntoIterator<Item = T>) -> Self {
        let mut answer = Self::default();
        rows.into_iter().for_each(|row| answer.add(row.as_ref()));
        answer
    }

    /// One where nobody knows which rows there are.
    pub fn of_count(rows: u64) -> Self {
        Self { rows, checksum: 0 }
    }
}

/// A column, whose values are written as Java writes them.
enum Column {
    Numbers(Int64Array),
    Texts(StringArray),
}

impl Column {
    fn new(array: &ArrayRef) -> Result<Self> {
        if array.null_count() > 0 {
            bail!("an answer with NULL");
        }
        Ok(match array.data_type() {
            kind if kind.is_integer() => Self::Numbers(
                cast(array, &DataType::Int64)?
                    .as_primitive::<Int64Type>()
                    .clone(),
            ),
            _ => Self::Texts(cast(array, &DataType::Utf8)?.as_string().clone()),
        })
    }

    fn write(&self, row: usize, line: &mut String) {
        match self {
            Self::Numbers(numbers) => line.push_str(&numbers.value(row).to_string()),
            Self::Texts(texts) => line.push_str(texts.value(row)),
        }
        line.push('|');
    }
}

/// The answer that these batches are.
pub fn of_batches(batches: &[RecordBatch]) -> Result<Answer> {
    let mut answer = Answer::default();
    let mut line = String::new();
    for batch in batches {
        let columns = batch.columns().iter().map(Column::new);
        let columns: Vec<Column> = columns.collect::<Result<_>>()?;
        for row in 0..batch.num_rows() {
            line.clear();
            columns
                .iter()
                .for_each(|column| column.write(row, &mut line));
            answer.add(line.as_bytes());
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::Int16Array;

    use super::*;

    #[test]
    fn batches_are_the_rows_that_they_hold() -> Result<()> {
        let columns: [(&str, ArrayRef); 2] = [
            ("n", Arc::new(Int16Array::from(vec![1, -2]))),
            ("t", Arc::new(StringArray::from(vec!["a", "b"]))),
        ];
        let batch = RecordBatch::try_from_iter(columns)?;
        let answer = of_batches(&[batch])?;
        assert_eq!(answer, Answer::of(["-2|b|", "1|a|"]));
        assert_ne!(answer, Answer::of(["-2|b|", "1|b|"]));
        assert_ne!(answer, Answer::of(["-2|b|", "1|a|", "1|a|"]));
        // The check value of CRC-32, which Java's class has as well.
        assert_eq!(Answer::of(["123456789"]).checksum, 0xcbf4_3926);
        Ok(())
    }
}
