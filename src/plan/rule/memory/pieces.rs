//! An expression that is computed a few rows at a time where it is slow, and asks in between whether anybody waits for it.

use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrow::array::{
    Array, ArrayData, ArrayRef, AsArray, MutableArrayData, RecordBatch, RecordBatchOptions,
    UInt32Array, make_array,
};
use arrow::compute::{concat, take};
use arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::config::ConfigExtension;
use datafusion::logical_expr::ColumnarValue;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::sort_properties::ExprProperties;
use datafusion::physical_expr::PhysicalExpr;

use crate::function::check_wanted;
use crate::settings::HaliteOptions;

/// About so long is computed without a break.
const MOMENT: Duration = Duration::from_millis(5);

/// So many rows are tried first, when nothing is known yet.
const FIRST_ROWS: u64 = 64;

/// The expression. To whoever looks at it, it is the one inside.
#[derive(Debug)]
pub(crate) struct Piecewise {
    inner: Arc<dyn PhysicalExpr>,
    /// How many bytes its values of one batch may take: what is computed at once is bounded where it is computed.
    most_bytes: u64,
    /// How many rows are computed in a [`MOMENT`].
    rows: AtomicU64,
}

impl Piecewise {
    pub(crate) fn over(inner: Arc<dyn PhysicalExpr>, most_bytes: u64) -> Arc<dyn PhysicalExpr> {
        Arc::new(Self {
            inner,
            most_bytes,
            rows: AtomicU64::new(FIRST_ROWS),
        })
    }

    fn check(&self, bytes: u64, rows: usize) -> Result<()> {
        if bytes <= self.most_bytes {
            return Ok(());
        }
        let (most, prefix) = (self.most_bytes, HaliteOptions::PREFIX);
        Err(DataFusionError::ResourcesExhausted(format!(
            "{self} takes more than {most} bytes for {rows} rows at once ({prefix}.function_bytes, by default a part of \
             {prefix}.memory_limit). Ask for less, or for fewer rows at once: SET datafusion.execution.batch_size"
        )))
    }

    fn rows_of_moment(&self) -> usize {
        usize::try_from(self.rows.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    /// The values for these rows, and notes how long that took.
    fn timed(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let begun = Instant::now();
        let values = self.inner.evaluate(batch)?;
        if batch.num_rows() == 0 {
            return Ok(values);
        }
        let nanoseconds = begun.elapsed().as_nanos().max(1);
        let of_moment = batch.num_rows() as u128 * MOMENT.as_nanos() / nanoseconds;
        let rows = u64::try_from(of_moment).unwrap_or(u64::MAX).max(1);
        self.rows.store(rows, Ordering::Relaxed);
        Ok(values)
    }

    fn in_pieces(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let rows = batch.num_rows();
        let (mut pieces, mut first): (Vec<ArrayRef>, _) = (Vec::new(), 0);
        let mut bytes = 0;
        while first < rows {
            check_wanted()?;
            let length = self.rows_of_moment().clamp(1, rows - first);
            let piece = self.timed(&piece(batch, first, length)?)?;
            let piece = piece.into_array(length)?;
            bytes += own_bytes(&piece)?;
            self.check(bytes, rows)?;
            pieces.push(piece);
            first += length;
        }
        Ok(ColumnarValue::Array(joined(&pieces, bytes)?))
    }
}

/// So many bytes are copied in a [`MOMENT`].
const BYTES_OF_MOMENT: u64 = 4 << 20;

/// The values of all pieces, which take so many bytes. It asks as well whether anybody waits for it.
fn joined(pieces: &[ArrayRef], bytes: u64) -> Result<ArrayRef> {
    if bytes <= BYTES_OF_MOMENT {
        let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
        return Ok(concat(&pieces)?);
    }
    let pieces: Vec<_> = pieces.iter().map(|piece| piece.to_data()).collect();
    let rows = pieces.iter().map(ArrayData::len).sum();
    let mut all = MutableArrayData::new(pieces.iter().collect(), false, rows);
    for (number, piece) in pieces.iter().enumerate() {
        check_wanted()?;
        all.try_extend(number, 0, piece.len())?;
    }
    Ok(make_array(all.freeze()))
}

/// What the values take, without what others share with them.
fn own_bytes(values: &ArrayRef) -> Result<u64> {
    let of_views = match values.data_type() {
        DataType::Utf8View => values.as_string_view().total_buffer_bytes_used(),
        DataType::BinaryView => values.as_binary_view().total_buffer_bytes_used(),
        _ => 0,
    };
    Ok((of_views + values.to_data().get_slice_memory_size()?) as u64)
}

/// Rows of a batch. What is nested is copied: not every function minds where a list begins that is a part of another one.
pub(crate) fn piece(batch: &RecordBatch, first: usize, length: usize) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(|column| {
        if !column.data_type().is_nested() {
            return Ok(column.slice(first, length));
        }
        let rows = u32::try_from(first)?..u32::try_from(first + length)?;
        Ok(take(column, &UInt32Array::from_iter_values(rows), None)?)
    });
    let columns = columns.collect::<Result<Vec<_>, Box<dyn Error + Send + Sync>>>();
    let columns = columns.map_err(DataFusionError::External)?;
    let options = RecordBatchOptions::new().with_row_count(Some(length));
    Ok(RecordBatch::try_new_with_options(
        batch.schema(),
        columns,
        &options,
    )?)
}

impl PartialEq for Piecewise {
    fn eq(&self, other: &Self) -> bool {
        self.inner.eq(&other.inner)
    }
}

impl Eq for Piecewise {}

impl Hash for Piecewise {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl fmt::Display for Piecewise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl PhysicalExpr for Piecewise {
    fn data_type(&self, schema: &Schema) -> Result<DataType> {
        self.inner.data_type(schema)
    }

    fn nullable(&self, schema: &Schema) -> Result<bool> {
        self.inner.nullable(schema)
    }

    fn return_field(&self, schema: &Schema) -> Result<FieldRef> {
        self.inner.return_field(schema)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        check_wanted()?;
        if batch.num_rows() <= self.rows_of_moment() {
            self.timed(batch)
        } else {
            self.in_pieces(batch)
        }
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.inner]
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        match <[_; 1]>::try_from(children) {
            Ok([inner]) => Ok(Self::over(inner, self.most_bytes)),
            Err(others) => internal_err!("{} expressions in the place of one", others.len()),
        }
    }

    fn evaluate_bounds(&self, children: &[&Interval]) -> Result<Interval> {
        match children {
            [inner] => Ok((*inner).clone()),
            _ => internal_err!(
                "bounds of {} expressions in the place of one",
                children.len()
            ),
        }
    }

    fn propagate_constraints(
        &self,
        interval: &Interval,
        children: &[&Interval],
    ) -> Result<Option<Vec<Interval>>> {
        match children {
            [inner] => Ok(inner.intersect(interval)?.map(|both| vec![both])),
            _ => Ok(None),
        }
    }

    fn get_properties(&self, children: &[ExprProperties]) -> Result<ExprProperties> {
        Ok(children
            .first()
            .cloned()
            .unwrap_or_else(ExprProperties::new_unknown))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_sql(f)
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, ListArray, StringArray};
    use arrow::datatypes::Int64Type;
    use datafusion::logical_expr::Operator;
    use datafusion::physical_expr::expressions::{binary, col, lit};

    use super::*;
    use crate::error::ErrorKind;
    use crate::function::{Stop, while_running};

    const ROWS: i64 = 1000;

    fn batch() -> RecordBatch {
        let lists = (0..ROWS).map(|n| Some(vec![Some(n), None]));
        let columns: [(&str, ArrayRef); 3] = [
            ("n", Arc::new(Int64Array::from_iter_values(0..ROWS))),
            (
                "l",
                Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists)),
            ),
            (
                "c",
                Arc::new(StringArray::from_iter_values(
                    (0..ROWS).map(|n| format!("row {n}")),
                )),
            ),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn pieces_of(name: &str, most_bytes: u64) -> Arc<dyn PhysicalExpr> {
        let schema = batch().schema();
        let inner = match name {
            "n" => binary(
                col("n", &schema).unwrap(),
                Operator::Plus,
                lit(1_i64),
                &schema,
            )
            .unwrap(),
            name => col(name, &schema).unwrap(),
        };
        Piecewise::over(inner, most_bytes)
    }

    #[test]
    fn pieces_are_the_whole() {
        let batch = batch();
        let sums = pieces_of("n", u64::MAX);
        assert_eq!(sums.to_string(), "n@0 + 1");
        for _ in 0..2 {
            let sums = sums.evaluate(&batch).unwrap().into_array(1000).unwrap();
            let expected = Int64Array::from_iter_values(1..=ROWS);
            assert_eq!(sums.as_primitive::<Int64Type>(), &expected);
        }
        for name in ["l", "c"] {
            let given = pieces_of(name, u64::MAX).evaluate(&batch).unwrap();
            let given = given.into_array(1000).unwrap();
            assert_eq!(&given, batch.column_by_name(name).unwrap(), "{name}");
        }
        let none = sums.evaluate(&batch.slice(0, 0)).unwrap();
        assert_eq!(none.into_array(0).unwrap().len(), 0);
    }

    #[test]
    fn it_ends_when_nobody_waits_for_it() {
        let stop = Stop::default();
        let evaluate = || while_running(&stop, || pieces_of("n", u64::MAX).evaluate(&batch()));
        assert!(evaluate().is_ok());
        stop.tell();
        let error = crate::error::Error::from(evaluate().unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Interrupted);
    }

    #[test]
    fn all_pieces_together_are_bounded() {
        let error = pieces_of("c", 2000).evaluate(&batch()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("c@2 takes more than 2000 bytes for 1000 rows"),
            "{error}"
        );
        assert!(error.contains("halite.function_bytes"), "{error}");
    }
}
