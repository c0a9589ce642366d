//! Answers, held against one another before anything is timed.
//!
//! An answer is the number of rows and a checksum: that of each row's text, added up; where rows are ordered, each times
//! its place. `duckdb.py` computes the same.

use anyhow::{Result, bail};
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit, TimestampMillisecondType};
use flate2::Crc;

/// What a query gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub rows: u64,
    pub checksum: u64,
}

/// One value of a row; a time stamp is a number.
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    Text(&'a str),
    Number(i64),
    Double(f64),
}

/// Rows on their way into an [`Answer`].
#[derive(Debug)]
pub struct Digest {
    ordered: bool,
    answer: Answer,
    line: String,
}

impl Digest {
    pub fn new(ordered: bool) -> Self {
        Self {
            ordered,
            answer: Answer {
                rows: 0,
                checksum: 0,
            },
            line: String::new(),
        }
    }

    pub fn row(&mut self, cells: &[Cell<'_>]) {
        use std::fmt::Write;
        self.line.clear();
        for cell in cells {
            // Writing to a String cannot fail.
            let _ = match cell {
                Cell::Text(text) => write!(self.line, "{text}|"),
                Cell::Number(number) => write!(self.line, "{number}|"),
                Cell::Double(double) => write!(self.line, "{double:.3}|"),
            };
        }
        let mut crc = Crc::new();
        crc.update(self.line.as_bytes());
        self.answer.rows += 1;
        let place = if self.ordered { self.answer.rows } else { 1 };
        let term = u64::from(crc.sum()).wrapping_mul(place);
        self.answer.checksum = self.answer.checksum.wrapping_add(term);
    }

    pub fn finish(self) -> Answer {
        self.answer
    }
}

/// The answer that these batches are.
pub fn of_batches(batches: &[RecordBatch], ordered: bool) -> Result<Answer> {
    let mut digest = Digest::new(ordered);
    for batch in batches {
        let columns: Vec<Column> = batch
            .columns()
            .iter()
            .map(Column::new)
            .collect::<Result<_>>()?;
        for row in 0..batch.num_rows() {
            let cells: Vec<Cell<'_>> = columns.iter().map(|column| column.cell(row)).collect();
            digest.row(&cells);
        }
    }
    Ok(digest.finish())
}

/// A column of one of the types that cells have.
enum Column {
    Texts(arrow::array::StringArray),
    Numbers(arrow::array::Int64Array),
    Doubles(arrow::array::Float64Array),
    Stamps(arrow::array::TimestampMillisecondArray),
}

impl Column {
    fn new(array: &arrow::array::ArrayRef) -> Result<Self> {
        if array.null_count() > 0 {
            bail!("an answer with NULL");
        }
        let to = |data_type| cast(array, &data_type);
        Ok(match array.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Self::Texts(to(DataType::Utf8)?.as_string().clone())
            }
            DataType::Timestamp(..) => Self::Stamps(
                to(DataType::Timestamp(TimeUnit::Millisecond, None))?
                    .as_primitive::<TimestampMillisecondType>()
                    .clone(),
            ),
            DataType::Float64 => {
                Self::Doubles(to(DataType::Float64)?.as_primitive::<Float64Type>().clone())
            }
            other if other.is_integer() => {
                Self::Numbers(to(DataType::Int64)?.as_primitive::<Int64Type>().clone())
            }
            other => bail!("an answer of type {other}"),
        })
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Texts(texts) => Cell::Text(texts.value(row)),
            Self::Numbers(numbers) => Cell::Number(numbers.value(row)),
            Self::Doubles(doubles) => Cell::Double(doubles.value(row)),
            Self::Stamps(stamps) => Cell::Number(stamps.value(row)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(ordered: bool, rows: &[i64]) -> Answer {
        let mut digest = Digest::new(ordered);
        rows.iter()
            .for_each(|row| digest.row(&[Cell::Number(*row), Cell::Text("a")]));
        digest.finish()
    }

    #[test]
    fn order_counts_where_it_is_asked_for() {
        assert_eq!(answer(false, &[1, 2]), answer(false, &[2, 1]));
        assert_ne!(answer(true, &[1, 2]), answer(true, &[2, 1]));
        assert_ne!(answer(false, &[1, 2]), answer(false, &[1, 3]));
        assert_ne!(answer(false, &[1, 2]), answer(false, &[1, 2, 2]));
    }
}
