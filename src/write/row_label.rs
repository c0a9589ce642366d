//! What errors call the rows of a statement: `row 3`, `data/flights.csv line 17`.
//!
//! A row is told by one number of 60 bits, as those above say what becomes of it. Of rows from files its upper 20 say which
//! file, the lower 40 which line or row of it.

use arrow::array::RecordBatch;

use crate::row::shown_at;
use crate::schema::BoundTable;

/// Bits of a number that count rows.
pub(super) const NUMBER_BITS: u32 = 60;
/// Those that count the lines of a file.
const LINE_BITS: u32 = 40;
/// This file and all behind it are not named.
const NAMELESS: u64 = (1 << (NUMBER_BITS - LINE_BITS)) - 1;

/// The number of a line, counted from 1, of the file at this index.
pub(super) fn number_in_file(file: usize, line: u64) -> u64 {
    ((file as u64).min(NAMELESS) << LINE_BITS) | (line & ((1 << LINE_BITS) - 1))
}

/// What is written before the number of a row; for rows from files, one for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowLabels(Vec<String>);

impl RowLabels {
    /// The labels of rows from several files.
    pub(super) fn of_files(labels: Vec<String>) -> Self {
        Self(labels)
    }

    /// The label of the row with this number: `data/flights.csv line 17`.
    pub fn of(&self, number: u64) -> String {
        let line = number & ((1 << LINE_BITS) - 1);
        let file = number >> LINE_BITS;
        let place = usize::try_from(file).unwrap_or(usize::MAX);
        match self.0.get(place).filter(|_| file < NAMELESS) {
            Some(label) => format!("{label} {line}"),
            None => format!("row {line}"),
        }
    }
}

impl<L: Into<String>> From<L> for RowLabels {
    fn from(label: L) -> Self {
        Self(vec![label.into()])
    }
}

/// The columns of one of the rows as `(host = 'a', day = 2024-01-31)`.
pub(super) fn described(
    table: &BoundTable,
    columns: &[usize],
    rows: &RecordBatch,
    row: usize,
) -> String {
    let fields = columns
        .iter()
        .zip(rows.columns())
        .filter(|(position, _)| table.row_id().is_some() || table.hidden() != Some(**position))
        .filter_map(|(position, array)| {
            let column = table.column(*position).ok()?;
            Some(format!(
                "{} = {}",
                column.name,
                shown_at(array, row, &column.sql_type)
            ))
        });
    format!("({})", fields.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_called_by_file_and_line() {
        let labels = RowLabels::of_files(vec!["a.csv line".to_owned(), "b.parquet row".to_owned()]);
        assert_eq!(labels.of(number_in_file(0, 7)), "a.csv line 7");
        assert_eq!(
            labels.of(number_in_file(1, 1 << 39)),
            format!("b.parquet row {}", 1_u64 << 39)
        );
        assert_eq!(RowLabels::from("row").of(3), "row 3");
        let number = number_in_file(1 << 30, u64::MAX);
        assert!(number < 1 << NUMBER_BITS, "{number}");
        assert_eq!(labels.of(number), format!("row {}", (1_u64 << 40) - 1));
    }
}
