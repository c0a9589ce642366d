//! Point reads: prepared queries that pin every column of the row key.
//!
//! Such a query reads one key at most, whatever its parameters are. So no spans are planned for a run and no cursor is
//! opened: the key is written from the values, and the store is asked for it, which may say no by a bloom filter alone.
//! The columns are those that the key gives back exactly; where the row has them, the query's conditions hold, and none
//! is left to be evaluated.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::direct::{fitted, number};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, ErrorKind, Result};
use crate::row::RowReader;
use crate::scan::refuse_if_gone;
use crate::schema::BoundTable;
use crate::store::{Chunk, Snapshot};

/// A query for one row.
#[derive(Debug)]
pub(super) struct PointQuery {
    reader: RowReader,
    /// A value for each column that the key is computed from.
    pinned: Vec<Pinned>,
    /// The columns of the result, by position in the table.
    projection: Vec<usize>,
    schema: SchemaRef,
}

/// A column and what it is equal to.
#[derive(Debug)]
struct Pinned {
    column: usize,
    data_type: DataType,
    value: Value,
}

#[derive(Debug)]
enum Value {
    Constant(Datum),
    /// A parameter, counted from 0.
    Parameter(usize),
}

impl PointQuery {
    /// The query with these conditions for these columns; `None` if it is for more than one key, or its conditions are not
    /// all told by the key. Placeholders are of the types of their columns.
    pub(super) fn of(
        table: &Arc<BoundTable>,
        filters: &[Expr],
        projection: &[usize],
    ) -> Option<Self> {
        let mut pinned: Vec<Pinned> = Vec::new();
        for term in filters.iter().flat_map(split_conjunction) {
            let equal = Pinned::of(table, term)?;
            let is_new = pinned.iter().all(|other| other.column != equal.column);
            is_new.then(|| pinned.push(equal))?;
        }
        let is_pinned = |column: &usize| pinned.iter().any(|pinned| pinned.column == *column);
        table.key_sources().iter().all(is_pinned).then_some(())?;
        Some(Self {
            schema: Arc::new(table.schema().project(projection).ok()?),
            reader: RowReader::new(Arc::clone(table)),
            pinned,
            projection: projection.to_vec(),
        })
    }

    /// The columns of the result.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The row key for these parameters: no row has the values where there is none. `None` where a value is not of its
    /// column's type.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(super) fn key(&self, parameters: &[ScalarValue]) -> Result<Option<Option<Vec<u8>>>> {
        let table = self.reader.table();
        let mut row: Vec<Option<Datum>> = vec![None; table.columns().len()];
        for pinned in &self.pinned {
            let Some(datum) = pinned.datum(parameters) else {
                return Ok(None);
            };
            if let Some(cell) = row.get_mut(pinned.column) {
                *cell = Some(datum);
            }
        }
        match table.row_key().encode(&row) {
            Ok(key) => Ok(Some(Some(key))),
            // A row of these values could not have been written.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(Some(None)),
            Err(error) => Err(error),
        }
    }

    /// The row under a key, as a batch of one; `None` if there is none.
    ///
    /// # Errors
    /// `Conflict` if the table was dropped or emptied after the query was planned; those of the store; `Corrupt`.
    pub(super) fn row(&self, snapshot: &dyn Snapshot, key: &[u8]) -> Result<Option<RecordBatch>> {
        let table = self.reader.table();
        refuse_if_gone(table, snapshot)?;
        let Some(value) = snapshot.get(table.space(), key)? else {
            return Ok(None);
        };
        let mut chunk = Chunk::new();
        chunk.push(key, &value);
        let columns = self.reader.open(&chunk).columns(&self.projection, None)?;
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options);
        batch.map(Some).map_err(|error| {
            Error::internal("decoded columns do not make a batch").with_source(error)
        })
    }
}

impl Pinned {
    /// A column that the key gives back, and a constant or a parameter that it is equal to.
    fn of(table: &BoundTable, term: &Expr) -> Option<Self> {
        let Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) = term
        else {
            return None;
        };
        let (column, operand) = match (left.as_ref(), right.as_ref()) {
            (Expr::Column(column), operand) | (operand, Expr::Column(column)) => (column, operand),
            _ => return None,
        };
        let column = table.schema().index_of(column.name()).ok()?;
        let sql_type = &table.column(column).ok()?.sql_type;
        let is_told =
            table.row_key().restoring_part(column).is_some() && is_compared_by_bytes(sql_type);
        is_told.then_some(())?;
        let data_type = sql_type.arrow();
        let value = match operand {
            Expr::Literal(value, _) => {
                Value::Constant(Datum::of_scalar(fitted(value, &data_type)?)?)
            }
            Expr::Placeholder(placeholder) => {
                Value::Parameter(number(placeholder)?.checked_sub(1)?)
            }
            _ => return None,
        };
        Some(Self {
            column,
            data_type,
            value,
        })
    }

    fn datum(&self, parameters: &[ScalarValue]) -> Option<Datum> {
        match &self.value {
            Value::Constant(datum) => Some(datum.clone()),
            Value::Parameter(at) => {
                Datum::of_scalar(fitted(parameters.get(*at)?, &self.data_type)?)
            }
        }
    }
}

/// Whether two values of the type are equal exactly if their fields in a key are: not where one value has several forms,
/// as zeros and NaN of floating point have, or is padded.
fn is_compared_by_bytes(sql_type: &SqlType) -> bool {
    !matches!(sql_type, SqlType::Real | SqlType::Double | SqlType::Char(_))
}

#[cfg(test)]
#[path = "point_tests.rs"]
mod tests;
