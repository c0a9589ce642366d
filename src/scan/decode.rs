//! Rows as they are stored → the batch that leaves the scan: the columns of the filters (residual and dynamic filters)
//! first, the others for the rows that are left.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::{and, filter, prep_null_mask_filter};
use arrow::datatypes::SchemaRef;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};

use super::first_rows::FirstRows;
use super::{ScanRequest, external};
use crate::predicate;
use crate::row::{ReadRows, RowReader, Rows};
use crate::store::Chunk;

/// Decodes and filters the rows of one partition.
pub(super) struct Decoder {
    reader: Arc<dyn ReadRows>,
    projection: Vec<usize>,
    schema: SchemaRef,
    /// The columns that the filters look at, by position in the table, ascending.
    filter_columns: Vec<usize>,
    /// Over a batch of `filter_columns`, in the order in which they are asked.
    filters: Vec<Arc<dyn PhysicalExpr>>,
    /// What they were written as, for errors.
    written: Vec<Option<Arc<Expr>>>,
}

/// Which rows of a chunk are left.
enum Kept {
    All,
    Some(BooleanArray),
    None,
}

impl Kept {
    /// Of these the first of each group.
    fn of_groups(self, rows: &dyn Rows, first_rows: &mut FirstRows) -> Result<Self> {
        let passed = match &self {
            Self::None => return Ok(self),
            Self::All => None,
            Self::Some(mask) => Some(mask),
        };
        let has_passed = |row: usize| passed.is_none_or(|mask| mask.value(row));
        let mut mask = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            mask.push(has_passed(row) && first_rows.take(&rows.key(row)).map_err(external)?);
        }
        let mask = BooleanArray::from(mask);
        Ok(match mask.true_count() {
            0 => Self::None,
            count if count == mask.len() => Self::All,
            _ => Self::Some(mask),
        })
    }
}

/// A filter, and the condition that it was written as, where it is known.
type Written<'f> = (&'f Arc<dyn PhysicalExpr>, Option<Arc<Expr>>);

impl Decoder {
    /// The decoder of a request, whose batches have `schema`.
    pub(super) fn new(request: &ScanRequest, schema: SchemaRef) -> Result<Self> {
        let filters = request.filters().zip(request.written());
        Self::of_filters(request, schema, filters.collect())
    }

    /// The same for rows that the spans do not prove to be wanted, where a walk has given up.
    pub(super) fn wide(request: &ScanRequest, schema: SchemaRef) -> Result<Self> {
        let proven = request.proven.iter().flatten().map(|proven| (proven, None));
        let filters = request.filters().zip(request.written());
        Self::of_filters(request, schema, proven.chain(filters).collect())
    }

    fn of_filters(
        request: &ScanRequest,
        schema: SchemaRef,
        filters: Vec<Written<'_>>,
    ) -> Result<Self> {
        let (filters, written): (Vec<_>, Vec<_>) = filters.into_iter().unzip();
        let mut filter_columns: Vec<usize> = filters
            .iter()
            .flat_map(|filter| collect_columns(filter))
            .map(|column| column.index())
            .collect();
        filter_columns.sort_unstable();
        filter_columns.dedup();
        let filters = if filters.is_empty() {
            Vec::new()
        } else {
            let schema = request.table.full_schema().project(&filter_columns)?;
            let reassigned = filters
                .into_iter()
                .map(|filter| reassign_expr_columns(Arc::clone(filter), &schema));
            reassigned.collect::<Result<_>>()?
        };
        let reader = request.reader.clone();
        let usual = || Arc::new(RowReader::new(Arc::clone(&request.table))) as Arc<dyn ReadRows>;
        Ok(Self {
            reader: reader.unwrap_or_else(usual),
            projection: request.projection.clone(),
            schema,
            filters,
            written,
            filter_columns,
        })
    }

    /// Whether every row of a chunk comes out.
    pub(super) fn keeps_all(&self) -> bool {
        self.filters.is_empty()
    }

    /// The rows of a chunk, to be decoded.
    pub(super) fn open<'a>(&'a self, chunk: &'a Chunk) -> Box<dyn Rows + 'a> {
        self.reader.open_rows(chunk)
    }

    /// The rows that pass all filters, and of these the first of each group; `None` if there are none.
    pub(super) fn decode(
        &self,
        rows: &mut dyn Rows,
        first_rows: Option<&mut FirstRows>,
    ) -> Result<Option<RecordBatch>> {
        if rows.is_empty() {
            return Ok(None);
        }
        if self.filters.is_empty() && first_rows.is_none() {
            let arrays = rows.columns(&self.projection, None).map_err(external)?;
            return self.batch(arrays, rows.len()).map(Some);
        }
        let looked_at = rows.read(&self.filter_columns, None).map_err(external)?;
        let kept = if self.filters.is_empty() {
            Kept::All
        } else {
            self.kept(&looked_at)?
        };
        let kept = match first_rows {
            Some(first_rows) => kept.of_groups(rows, first_rows)?,
            None => kept,
        };
        match kept {
            Kept::None => Ok(None),
            Kept::All => self.assemble(rows, &looked_at, None).map(Some),
            Kept::Some(mask) => self.assemble(rows, &looked_at, Some(&mask)).map(Some),
        }
    }

    /// Asks one filter after the other, each about the rows that the ones before have left.
    fn kept(&self, batch: &RecordBatch) -> Result<Kept> {
        let mut mask: Option<BooleanArray> = None;
        for (filter, written) in self.filters.iter().zip(&self.written) {
            let answer = match &mask {
                None => filter.evaluate(batch),
                Some(mask) => filter.evaluate_selection(batch, mask),
            };
            let answer = answer.map_err(|error| of_condition(error, written.as_deref()))?;
            let answer = answer.into_array(batch.num_rows())?;
            let passed = without_null(as_boolean_array(&answer)?);
            let both = match mask {
                None => passed,
                Some(mask) => and(&mask, &passed)?,
            };
            if both.true_count() == 0 {
                return Ok(Kept::None);
            }
            mask = Some(both);
        }
        Ok(match mask {
            Some(mask) if mask.true_count() < mask.len() => Kept::Some(mask),
            _ => Kept::All,
        })
    }

    /// The output for the rows of `mask`: columns that the filters looked at are there already.
    fn assemble(
        &self,
        rows: &mut dyn Rows,
        looked_at: &RecordBatch,
        mask: Option<&BooleanArray>,
    ) -> Result<RecordBatch> {
        let selection = mask.map(selected).transpose()?;
        let others: Vec<usize> = self
            .projection
            .iter()
            .copied()
            .filter(|column| self.filter_columns.binary_search(column).is_err())
            .collect();
        let decoded = rows.columns(&others, selection.as_deref());
        let mut decoded = decoded.map_err(external)?.into_iter();
        let mut arrays = Vec::with_capacity(self.projection.len());
        for column in &self.projection {
            let array = match (self.filter_columns.binary_search(column), mask) {
                (Err(_), _) => decoded.next(),
                (Ok(index), None) => looked_at.columns().get(index).cloned(),
                (Ok(index), Some(mask)) => match looked_at.columns().get(index) {
                    Some(array) => Some(filter(array, mask)?),
                    None => None,
                },
            };
            arrays.extend(array);
        }
        self.batch(
            arrays,
            selection.map_or(rows.len(), |selection| selection.len()),
        )
    }

    fn batch(&self, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(schema, arrays, &options)?)
    }
}

/// An error of a value that a condition has none for, with the condition.
fn of_condition(error: DataFusionError, written: Option<&Expr>) -> DataFusionError {
    const LONG: usize = 100;
    let is_of_value = matches!(
        error.find_root(),
        DataFusionError::ArrowError(..) | DataFusionError::Execution(_)
    );
    let (true, Some(written)) = (is_of_value, written) else {
        return error;
    };
    let text = predicate::readable(written);
    let shown = match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    };
    external(crate::error::Error::from(error).context(format_args!("in `{shown}`")))
}

/// A filter keeps a row only where it is true, not where it is NULL.
fn without_null(answer: &BooleanArray) -> BooleanArray {
    match answer.null_count() {
        0 => answer.clone(),
        _ => prep_null_mask_filter(answer),
    }
}

fn selected(mask: &BooleanArray) -> Result<Vec<u32>> {
    let indexes = mask.values().set_indices();
    let indexes: Result<Vec<u32>, _> = indexes.map(u32::try_from).collect();
    indexes.map_err(|_| {
        external(crate::error::Error::internal(
            "a chunk of more than 2^32 rows",
        ))
    })
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
