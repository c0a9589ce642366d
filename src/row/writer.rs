//! Record batches → rows with their keys, encoded.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};

use super::check::checked;
use super::reader::RowReader;
use super::rules::RowRules;
use super::values::{StoredColumn, Values, encode_values};
use crate::error::{Error, Result};
use crate::key::{KeyBuffer, RowError};
use crate::schema::BoundTable;
use crate::store::Chunk;

/// Encodes rows of one table: checks what a column can hold, makes floating point values canonical.
#[derive(Debug, Clone)]
pub struct RowWriter {
    table: Arc<BoundTable>,
    /// Of each family, in the order of their ids, as values hold them.
    stored: Vec<Vec<StoredColumn>>,
    rules: Option<Arc<dyn RowRules>>,
}

impl RowWriter {
    /// The writer of a table's rows.
    pub fn new(table: Arc<BoundTable>) -> Self {
        let columns = table.columns().iter().enumerate();
        let mut all: Vec<StoredColumn> = columns
            .filter(|(position, _)| table.stored_columns().contains(position))
            .map(|(position, column)| StoredColumn {
                position,
                id: column.id as usize,
                sql_type: column.sql_type.clone(),
            })
            .collect();
        all.sort_by_key(|column| column.id);
        let of_family = |family| {
            let columns = all
                .iter()
                .filter(|column| table.family(column.position) == family);
            columns.cloned().collect()
        };
        let stored = (0..table.family_count()).map(of_family).collect();
        Self {
            table,
            stored,
            rules: None,
        }
    }

    /// The same, which also asks rules of the rows.
    #[must_use]
    pub fn with_rules(self, rules: Option<Arc<dyn RowRules>>) -> Self {
        Self { rules, ..self }
    }

    /// The table.
    pub fn table(&self) -> &Arc<BoundTable> {
        &self.table
    }

    /// Whole rows encoded, whose columns are [all of the table's](BoundTable::all_columns) by position.
    ///
    /// # Errors
    /// `InvalidInput` with the row where a value is NULL, too long or has no key, or a rule is broken; `Internal` where the batch has other
    /// columns than the table.
    pub fn encode(&self, batch: &RecordBatch) -> Result<EncodedRows, RowError> {
        self.encode_rows(batch)
            .map_err(|error| self.in_table(error))
    }

    /// Whether rows, of the table's columns by position, may be written, as far as that shows before they are encoded.
    ///
    /// # Errors
    /// As [`RowWriter::encode`].
    pub fn check(&self, batch: &RecordBatch) -> Result<(), RowError> {
        self.checked_arrays(batch)
            .map(drop)
            .map_err(|error| self.in_table(error))
    }

    fn checked_arrays(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>, RowError> {
        let completed = match &self.rules {
            Some(rules) => rules.complete(batch)?,
            None => None,
        };
        let batch = completed.as_ref().unwrap_or(batch);
        let columns = self.table.all_columns().iter().zip(batch.columns());
        let arrays = columns.map(|(column, array)| checked(column, array));
        let arrays = arrays.collect::<Result<_, _>>()?;
        if let Some(rules) = &self.rules {
            rules.check(batch)?;
        }
        Ok(arrays)
    }

    fn in_table(&self, error: RowError) -> RowError {
        error.of_table(self.table.name())
    }

    fn encode_rows(&self, batch: &RecordBatch) -> Result<EncodedRows, RowError> {
        if batch.num_columns() != self.table.all_columns().len() {
            return Err(RowError::from(Error::internal(format!(
                "{} columns are given, {} are declared",
                batch.num_columns(),
                self.table.all_columns().len()
            ))));
        }
        let arrays = self.checked_arrays(batch)?;
        let values = self.encode_families(&arrays, batch.num_rows())?;
        let sources: Vec<Option<ArrayRef>> = arrays.iter().cloned().map(Some).collect();
        let rows = EncodedRows {
            keys: self.encode_keys(&sources, batch.num_rows())?,
            values: Some(values),
        };
        debug_assert!(
            self.first_row_comes_back(&rows, &arrays),
            "what is encoded must decode"
        );
        Ok(rows)
    }

    fn encode_families(&self, arrays: &[ArrayRef], rows: usize) -> Result<Values> {
        let of_family = |columns: &Vec<StoredColumn>| {
            let stored = columns.iter();
            let stored: Vec<ArrayRef> = stored
                .filter_map(|column| arrays.get(column.position).cloned())
                .collect();
            encode_values(columns, &stored, rows)
        };
        match self.stored.as_slice() {
            [columns] => of_family(columns),
            families => {
                let families: Vec<Values> =
                    families.iter().map(of_family).collect::<Result<_>>()?;
                Values::bundled(&families, rows)
            }
        }
    }

    /// One row of each batch stands for the others: tests read all of them.
    fn first_row_comes_back(&self, rows: &EncodedRows, arrays: &[ArrayRef]) -> bool {
        let Some(first) = rows.iter().next() else {
            return true;
        };
        let mut chunk = Chunk::new();
        chunk.push(first.key, first.value);
        let columns: Vec<usize> = (0..arrays.len()).collect();
        let read = RowReader::new(Arc::clone(&self.table)).read(&chunk, &columns, None);
        let same = |(read, array): (&ArrayRef, &ArrayRef)| *read == array.slice(0, 1);
        read.is_ok_and(|read| read.columns().iter().zip(arrays).all(same))
    }

    /// The keys of rows of which only some columns are given, by name: those that the key is computed from.
    ///
    /// # Errors
    /// As [`RowWriter::encode`].
    pub fn encode_keys_of(&self, batch: &RecordBatch) -> Result<EncodedRows, RowError> {
        let columns = self.table.all_columns().iter();
        let sources: Vec<Option<ArrayRef>> = columns
            .map(|column| match batch.column_by_name(&column.name) {
                Some(array) => checked(column, array).map(Some),
                None => Ok(None),
            })
            .collect::<Result<_, _>>()
            .map_err(|error| self.in_table(error))?;
        let keys = self
            .encode_keys(&sources, batch.num_rows())
            .map_err(|error| self.in_table(error))?;
        Ok(EncodedRows { keys, values: None })
    }

    /// The keys of rows whose columns are [all of the table's](BoundTable::all_columns) by position. What else they have is
    /// not looked at.
    ///
    /// # Errors
    /// As [`RowWriter::encode`], of the columns that the key is computed from.
    pub fn encode_keys_of_rows(&self, batch: &RecordBatch) -> Result<EncodedRows, RowError> {
        let columns = self.table.all_columns().iter().zip(batch.columns());
        let sources = columns.enumerate().map(|(position, (column, array))| {
            if self.table.key_sources().contains(&position) {
                checked(column, array).map(Some)
            } else {
                Ok(None)
            }
        });
        let keys = sources
            .collect::<Result<Vec<_>, _>>()
            .and_then(|sources| self.encode_keys(&sources, batch.num_rows()))
            .map_err(|error| self.in_table(error))?;
        Ok(EncodedRows { keys, values: None })
    }

    /// The key of a row is not known before all columns are that it is computed from.
    fn check_sources(&self, columns: &[Option<ArrayRef>]) -> Result<()> {
        for source in self.table.key_sources() {
            if !matches!(columns.get(*source), Some(Some(_))) {
                let name = &self.table.column(*source)?.name;
                return Err(Error::internal(format!(
                    "column `{name}` of the row key is not given"
                )));
            }
        }
        Ok(())
    }

    fn encode_keys(
        &self,
        columns: &[Option<ArrayRef>],
        rows: usize,
    ) -> Result<KeyBuffer, RowError> {
        self.check_sources(columns)?;
        self.table.row_key().learn(columns)?;
        self.table.row_key().encode_columns(columns, rows)
    }
}

/// The rows of a batch, encoded.
#[derive(Debug, Clone)]
pub struct EncodedRows {
    keys: KeyBuffer,
    values: Option<Values>,
}

/// A row, encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedRow<'a> {
    /// Its index in the batch.
    pub row: usize,
    /// The row key.
    pub key: &'a [u8],
    /// The value; empty where keys alone were asked for.
    pub value: &'a [u8],
}

impl EncodedRow<'_> {
    /// What key and value take.
    pub fn bytes(&self) -> usize {
        self.key.len() + self.value.len()
    }
}

impl EncodedRows {
    /// The rows, in their order.
    pub fn iter(&self) -> impl Iterator<Item = EncodedRow<'_>> {
        self.keys.iter().enumerate().map(|(row, key)| EncodedRow {
            row,
            key,
            value: self
                .values
                .as_ref()
                .and_then(|values| values.get(row))
                .unwrap_or_default(),
        })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The same as it lies in memory: nothing is copied.
    pub fn into_bytes(self) -> EncodedBytes {
        let (keys, key_ends) = self.keys.into_bytes();
        let (values, value_ends) = match self.values {
            None => (Vec::new(), None),
            Some(values) => {
                let (bytes, ends) = values.into_bytes();
                (bytes, Some(ends.collect()))
            }
        };
        EncodedBytes {
            keys,
            key_ends,
            values,
            value_ends,
        }
    }
}

/// Encoded rows as they lie in memory, in their order.
#[derive(Debug)]
pub struct EncodedBytes {
    /// The keys, one behind the other.
    pub keys: Vec<u8>,
    /// Where the key of each row ends.
    pub key_ends: Vec<usize>,
    /// The values, one behind the other.
    pub values: Vec<u8>,
    /// Where the value of each row ends; `None` where keys alone were asked for.
    pub value_ends: Option<Vec<usize>>,
}
