//! How large a scan will be: estimates for the planner, which never reads a row, and never calls an estimate exact.

use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::stats::Precision;

use super::ScanRequest;
use crate::datum::SqlType;
use crate::keyrange::{Guide, KeyRange};
use crate::row::approximate_rows;
use crate::schema::BoundTable;
use crate::span::{Run, Work};
use crate::store::Store;

/// The most ranges whose size is asked for; the others are taken to be like them.
const SAMPLED_RANGES: usize = 16;

/// Of how many rows one is taken to pass a filter, as DataFusion does.
const FILTER_SELECTIVITY: usize = 5;

/// Bytes that an entry is taken to have besides its columns.
const ENTRY_OVERHEAD: usize = 16;

/// About how many rows and bytes `runs` yield; absent where the store cannot say.
pub(super) fn estimate(request: &ScanRequest, store: &Arc<dyn Store>, runs: &[&Run]) -> Statistics {
    let columns = request.table.all_columns().iter();
    let stored_width: usize = columns.map(|column| width(&column.sql_type)).sum();
    let output_width: usize = request
        .projection
        .iter()
        .filter_map(|position| request.table.all_columns().get(*position))
        .map(|column| width(&column.sql_type))
        .sum();
    let schema = request
        .schema()
        .unwrap_or_else(|_| Arc::clone(request.table.full_schema()));
    let mut statistics = Statistics::new_unknown(&schema);
    let rows = keys_of(runs).or_else(|| {
        let bytes = stored_bytes(request, store, runs)?;
        Some(bytes / (stored_width + ENTRY_OVERHEAD))
    });
    if let Some(mut rows) = rows {
        if request.filters().next().is_some() {
            rows /= FILTER_SELECTIVITY;
        }
        let rows = rows.max(1).min(request.fetch.unwrap_or(usize::MAX));
        statistics.num_rows = Precision::Inexact(rows);
        statistics.total_byte_size = Precision::Inexact(rows.saturating_mul(output_width));
    }
    statistics
}

/// How large the entries of a table are, from which the number of its keys in a range is estimated.
#[derive(Debug, Clone)]
pub struct KeyEstimates {
    space: String,
    /// So many keys take so many bytes.
    keys: u64,
    bytes: u64,
}

impl KeyEstimates {
    /// Those of a table of a store: an entry is taken to be as large as the others of its space are; where the store does
    /// not count them, as large as its columns.
    pub fn of(table: &BoundTable, store: &dyn Store) -> Self {
        let space = table.space();
        let bytes = store.approximate_size(space, &KeyRange::all()).ok();
        let counted = approximate_rows(store, space).zip(bytes);
        let (keys, bytes) = counted.filter(|(_, bytes)| *bytes > 0).unwrap_or_else(|| {
            let columns = table.all_columns().iter();
            let width: usize = columns.map(|column| width(&column.sql_type)).sum();
            (1, (width + ENTRY_OVERHEAD) as u64)
        });
        let space = space.to_owned();
        Self { space, keys, bytes }
    }

    /// About how many keys lie in ranges; `None` where the store cannot say.
    pub fn keys(&self, store: &dyn Store, ranges: &[KeyRange]) -> Option<u64> {
        let sizes = ranges.iter();
        let sizes = sizes.map(|range| store.approximate_size(&self.space, range).ok());
        let bytes: u64 = sizes.sum::<Option<u64>>()?;
        let keys = u128::from(bytes) * u128::from(self.keys) / u128::from(self.bytes.max(1));
        u64::try_from(keys).ok()
    }
}

/// How many keys are looked up; `None` where something else is read.
fn keys_of(runs: &[&Run]) -> Option<usize> {
    let keys = runs.iter().map(|run| match &run.work {
        Work::Points(keys) => Some(keys.len()),
        Work::Ranges(_) | Work::Walk(_) => None,
    });
    keys.sum()
}

/// About how many bytes the runs take in the store; `None` if it cannot say.
fn stored_bytes(request: &ScanRequest, store: &Arc<dyn Store>, runs: &[&Run]) -> Option<usize> {
    let mut count = 0;
    let mut sampled = 0;
    let mut bytes = 0_u64;
    for run in runs {
        let unsampled = SAMPLED_RANGES.saturating_sub(sampled);
        let (ranges, sample) = first_ranges(run, unsampled);
        count += ranges;
        for range in &sample {
            bytes += request.size_of(store.as_ref(), range)?;
            sampled += 1;
        }
    }
    let bytes = usize::try_from(bytes).ok()?;
    Some(bytes.saturating_mul(count) / sampled.max(1))
}

/// How many ranges a run reads, and the first of them, so many at most. They are not all listed: there may be thousands.
fn first_ranges(run: &Run, most: usize) -> (usize, Vec<KeyRange>) {
    match &run.work {
        Work::Points(keys) => {
            let first = keys.iter().take(most).map(|key| KeyRange::prefix(key));
            (keys.len(), first.collect())
        }
        Work::Ranges(set) => {
            let first = set.ranges().iter().take(most).cloned();
            (set.ranges().len(), first.collect())
        }
        Work::Walk(walk) => (1, vec![walk.hull().clone()]),
    }
}

/// About how many bytes a value of the type takes.
fn width(sql_type: &SqlType) -> usize {
    match sql_type {
        SqlType::Boolean | SqlType::TinyInt | SqlType::UnsignedTinyInt => 1,
        SqlType::SmallInt | SqlType::UnsignedSmallInt => 2,
        SqlType::Integer | SqlType::UnsignedInteger | SqlType::Date | SqlType::Real => 4,
        SqlType::BigInt
        | SqlType::UnsignedBigInt
        | SqlType::Double
        | SqlType::Time
        | SqlType::Timestamp { .. } => 8,
        SqlType::Decimal { .. } | SqlType::Interval => 16,
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Bytea => 16,
        SqlType::Uuid => 36,
        SqlType::Json | SqlType::List(_) | SqlType::Struct(_) | SqlType::Map(_) => 64,
    }
}
