//! What a file states of its row groups and pages, as far as it may be believed.
//!
//! The law: no value of a group lies outside of its bounds, as SQL compares values, and a group is without NULLs only where
//! that is stated or proven. What is left of the statistics of a column:
//!
//! * *REAL and DOUBLE*: writers leave NaN out of the bounds, and NaN is greater than all numbers. So the least value stays,
//!   and the greatest is NaN, unless the file says that it has [no bounds beside NaN](NO_BOUNDS_BESIDE_NAN), or the rows
//!   that are wanted have [no NaN](super::numbers). Whether a zero is negative is not looked at by all: the least is, if it
//!   is zero, and the greatest is not. A Bloom filter has one of the two zeros, and goes.
//! * *A number of NULLs that is left out* is none for a column that must not be NULL, and in a group of one row that has
//!   bounds. Elsewhere there may be some, which is said by one: it is neither none nor all.
//! * *An order that the file does not define*, as of intervals and of times in 96 bits, gives no bounds. Bounds of the first
//!   version of the format went by signed bytes, whatever the column holds: only those of signed numbers stay.
//! * *A column in a list or struct*: nothing. Its values are not rows.
//! * *What contradicts itself*: nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::parquet::basic::{ColumnOrder, SortOrder, Type};
use datafusion::parquet::errors::Result;
use datafusion::parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use datafusion::parquet::file::page_index::column_index::ColumnIndexMetaData;
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};
use datafusion::parquet::schema::types::ColumnDescriptor;

#[cfg(test)]
use crate::fault::{Fault, active};

/// The key of a file's metadata by which it says that no column has bounds in a group in which a value of it is NaN.
pub(super) const NO_BOUNDS_BESIDE_NAN: &str = "halite.no_bounds_beside_nan";

/// What the name of a writer begins with that is Halite.
pub(super) const WRITER: &str = "halite ";

/// What the bounds of a column mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    /// Its least and its greatest value.
    Ordered,
    /// Those of its numbers; there may be NaN beside them.
    OfNumbers,
    /// Those of its numbers; there may be NaN beside them, but not in a row that is wanted.
    OfWanted,
    /// Those of its numbers, and there is no NaN.
    Numbers,
    /// Nothing.
    Unknown,
}

impl Bounds {
    /// Those of a column, of which the file says that they are ordered so.
    fn of(column: &ColumnDescriptor, order: ColumnOrder, are_old: bool) -> Self {
        let by_type = ColumnOrder::sort_order_for_type(
            column.logical_type_ref(),
            column.converted_type(),
            column.physical_type(),
        );
        let is_defined = match order {
            ColumnOrder::TYPE_DEFINED_ORDER(_) => by_type != SortOrder::UNDEFINED,
            _ => false,
        };
        let is_number = matches!(
            column.physical_type(),
            Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE
        );
        let is_signed = is_number && by_type == SortOrder::SIGNED;
        let is_known = if are_old { is_signed } else { is_defined };
        match is_alone(column) && is_known {
            true if is_floating(column) => Self::OfNumbers,
            true => Self::Ordered,
            false => Self::Unknown,
        }
    }

    /// Those that a chunk of a column states.
    pub(super) fn of_chunk(
        file: &ParquetMetaData,
        leaf: usize,
        chunk: &ColumnChunkMetaData,
    ) -> Self {
        let order = file.file_metadata().column_order(leaf);
        let are_old = chunk
            .statistics()
            .is_some_and(Statistics::is_min_max_deprecated);
        match Self::of(chunk.column_descr(), order, are_old) {
            Self::OfNumbers if says_nan(file) => Self::Numbers,
            bounds => bounds,
        }
    }

    /// The same, where of the column only numbers are wanted.
    fn of_wanted(self) -> Self {
        match self {
            Self::OfNumbers => Self::OfWanted,
            bounds => bounds,
        }
    }

    /// Whether pages say no less than they mean.
    fn are_pages_believed(self, pages: Option<&ColumnIndexMetaData>) -> bool {
        match self {
            Self::Ordered | Self::Numbers => true,
            Self::OfWanted => pages.is_some_and(are_plain),
            Self::OfNumbers | Self::Unknown => false,
        }
    }

    /// Whether a Bloom filter says no less than it means.
    fn is_filter_believed(self) -> bool {
        self == Self::Ordered
    }
}

/// Whether no bound of a page is NaN, or a zero, of which there are two.
fn are_plain(pages: &ColumnIndexMetaData) -> bool {
    let is_plain = |bound: f64| bound != 0.0 && !bound.is_nan();
    match pages {
        ColumnIndexMetaData::FLOAT(it) => {
            let bounds = it.min_values_iter().chain(it.max_values_iter());
            bounds.flatten().all(|it| is_plain(f64::from(*it)))
        }
        ColumnIndexMetaData::DOUBLE(it) => {
            let bounds = it.min_values_iter().chain(it.max_values_iter());
            bounds.flatten().all(|it| is_plain(*it))
        }
        _ => false,
    }
}

/// Whether the column is one of rows, and not of what is in a list or struct.
fn is_alone(column: &ColumnDescriptor) -> bool {
    column.path().parts().len() == 1 && column.max_rep_level() == 0
}

/// Whether the file says that it has no bounds beside NaN. Other programs copy what Halite said of one file to another.
fn says_nan(file: &ParquetMetaData) -> bool {
    let writer = file.file_metadata().created_by();
    let said = file.file_metadata().key_value_metadata();
    let is_ours = writer.is_some_and(|it| it.starts_with(WRITER));
    is_ours && said.is_some_and(|said| said.iter().any(|it| it.key == NO_BOUNDS_BESIDE_NAN))
}

/// Whether values may be NaN. Those of 16 bits are bytes to the file.
fn is_floating(column: &ColumnDescriptor) -> bool {
    use datafusion::parquet::basic::LogicalType;
    matches!(column.physical_type(), Type::FLOAT | Type::DOUBLE)
        || matches!(column.logical_type_ref(), Some(LogicalType::Float16))
}

/// How many NULLs a chunk has, where that is stated or proven and nothing contradicts it.
pub(super) fn nulls(chunk: &ColumnChunkMetaData) -> Option<u64> {
    if chunk.column_descr().max_def_level() == 0 {
        return Some(0);
    }
    let stated = chunk.statistics()?.null_count_opt()?;
    let values = u64::try_from(chunk.num_values()).ok()?;
    (stated <= values && !(stated == values && has_bounds(chunk))).then_some(stated)
}

/// Whether a least or a greatest value is stated: one that is not NULL is there.
fn has_bounds(chunk: &ColumnChunkMetaData) -> bool {
    let stated = chunk.statistics();
    stated.is_some_and(|it| it.min_bytes_opt().is_some() || it.max_bytes_opt().is_some())
}

/// The metadata with what is believed of it, where of the columns called `numbers` nothing but numbers is wanted; the same
/// where that is all.
///
/// # Errors
/// Those of building metadata of what was metadata.
pub(super) fn believed(
    file: &Arc<ParquetMetaData>,
    numbers: &BTreeSet<String>,
) -> Result<Arc<ParquetMetaData>> {
    let groups = file.row_groups().iter().enumerate();
    let groups: Vec<Changes> = groups
        .map(|(number, group)| changes_of(file, numbers, number, group))
        .collect::<Result<_>>()?;
    let pages_of_none = |(number, changes): (usize, &Changes)| {
        let mut leaves = changes.without_pages.iter();
        leaves.any(|leaf| pages_of(file, number, *leaf).is_some())
    };
    let has_changes = groups.iter().any(|changes| !changes.chunks.is_empty())
        || groups.iter().enumerate().any(pages_of_none);
    if !has_changes {
        return Ok(Arc::clone(file));
    }
    let mut builder = ParquetMetaDataBuilder::new_from_metadata(file.as_ref().clone());
    let mut rebuilt = builder.take_row_groups();
    let mut index = builder.take_column_index();
    for (number, (group, changes)) in rebuilt.iter_mut().zip(groups).enumerate() {
        for (leaf, chunk) in changes.chunks {
            if let Some(place) = group.columns_mut().get_mut(leaf) {
                *place = chunk;
            }
        }
        let pages = index.as_mut().and_then(|index| index.get_mut(number));
        for (leaf, pages) in pages.into_iter().flatten().enumerate() {
            if changes.without_pages.contains(&leaf) {
                *pages = ColumnIndexMetaData::NONE;
            }
        }
    }
    let builder = builder.set_row_groups(rebuilt).set_column_index(index);
    Ok(Arc::new(builder.build()))
}

/// What is not believed of a row group.
#[derive(Debug, Default)]
struct Changes {
    /// Columns by their place among the leaves, with what is left of them.
    chunks: Vec<(usize, ColumnChunkMetaData)>,
    /// Columns of whose pages nothing is believed.
    without_pages: Vec<usize>,
}

/// What is stated of the pages of a column in a group.
fn pages_of(file: &ParquetMetaData, number: usize, leaf: usize) -> Option<&ColumnIndexMetaData> {
    let pages = file.column_index()?.get(number)?.get(leaf)?;
    (!matches!(pages, ColumnIndexMetaData::NONE)).then_some(pages)
}

fn changes_of(
    file: &ParquetMetaData,
    numbers: &BTreeSet<String>,
    number: usize,
    group: &RowGroupMetaData,
) -> Result<Changes> {
    let mut changes = Changes::default();
    for (leaf, chunk) in group.columns().iter().enumerate() {
        let mut bounds = Bounds::of_chunk(file, leaf, chunk);
        if numbers.contains(chunk.column_descr().name()) {
            bounds = bounds.of_wanted();
        }
        #[cfg(test)]
        if active(Fault::BoundsWithoutNan) && bounds == Bounds::OfNumbers {
            continue;
        }
        let are_pages_believed = bounds.are_pages_believed(pages_of(file, number, leaf));
        if let Some(chunk) = believed_chunk(chunk, bounds, are_pages_believed)? {
            changes.chunks.push((leaf, chunk));
        }
        if !are_pages_believed {
            changes.without_pages.push(leaf);
        }
    }
    Ok(changes)
}

/// What is left of a chunk; `None` where that is all.
fn believed_chunk(
    chunk: &ColumnChunkMetaData,
    bounds: Bounds,
    are_pages_believed: bool,
) -> Result<Option<ColumnChunkMetaData>> {
    let left = chunk
        .statistics()
        .map(|stated| left_of(stated, chunk, bounds));
    let is_same = left
        .as_ref()
        .is_none_or(|left| left.as_ref() == chunk.statistics());
    let drops_pages = !are_pages_believed && chunk.column_index_offset().is_some();
    let drops_filter = !bounds.is_filter_believed() && chunk.bloom_filter_offset().is_some();
    if is_same && !drops_pages && !drops_filter {
        return Ok(None);
    }
    let mut builder = chunk.clone().into_builder();
    builder = match left.flatten() {
        Some(left) => builder.set_statistics(left),
        None => builder.clear_statistics(),
    };
    if drops_pages {
        builder = builder
            .set_column_index_offset(None)
            .set_column_index_length(None);
    }
    if drops_filter {
        builder = builder
            .set_bloom_filter_offset(None)
            .set_bloom_filter_length(None);
    }
    builder.build().map(Some)
}

/// What is left of the statistics of a chunk.
fn left_of(stated: &Statistics, chunk: &ColumnChunkMetaData, bounds: Bounds) -> Option<Statistics> {
    let is_contradicted = stated.null_count_opt().is_some() && nulls(chunk).is_none();
    if is_contradicted || !is_alone(chunk.column_descr()) {
        return None;
    }
    let has_bounds = has_bounds(chunk) && bounds != Bounds::Unknown;
    let nulls = match nulls(chunk) {
        Some(nulls) => nulls,
        None if !has_bounds => return None,
        None if chunk.num_values() == 1 => 0,
        // Some may be, and not all are.
        None => 1,
    };
    #[cfg(test)]
    let nulls = if active(Fault::NullsDenied) && stated.null_count_opt().is_none() {
        0
    } else {
        nulls
    };
    let is_old = stated.is_min_max_deprecated();
    Some(match (stated, bounds) {
        (_, Bounds::Unknown) => without_bounds(stated, nulls),
        (Statistics::Float(it), Bounds::OfNumbers | Bounds::OfWanted) => {
            let least = it.min_opt().filter(|it| !it.is_nan());
            let least = least.map(|it| if *it == 0.0 { -0.0 } else { *it });
            let greatest = it.max_opt().filter(|_| bounds == Bounds::OfWanted);
            let greatest = greatest.map(|it| if *it == 0.0 { 0.0 } else { *it });
            Statistics::Float(bounded(least, greatest.unwrap_or(f32::NAN), nulls))
        }
        (Statistics::Double(it), Bounds::OfNumbers | Bounds::OfWanted) => {
            let least = it.min_opt().filter(|it| !it.is_nan());
            let least = least.map(|it| if *it == 0.0 { -0.0 } else { *it });
            let greatest = it.max_opt().filter(|_| bounds == Bounds::OfWanted);
            let greatest = greatest.map(|it| if *it == 0.0 { 0.0 } else { *it });
            Statistics::Double(bounded(least, greatest.unwrap_or(f64::NAN), nulls))
        }
        (_, Bounds::OfNumbers | Bounds::OfWanted) => without_bounds(stated, nulls),
        (Statistics::Boolean(it), _) => Statistics::Boolean(with_nulls(it, nulls, is_old)),
        (Statistics::Int32(it), _) => Statistics::Int32(with_nulls(it, nulls, is_old)),
        (Statistics::Int64(it), _) => Statistics::Int64(with_nulls(it, nulls, is_old)),
        (Statistics::Int96(it), _) => Statistics::Int96(with_nulls(it, nulls, is_old)),
        (Statistics::Float(it), _) => Statistics::Float(with_nulls(it, nulls, is_old)),
        (Statistics::Double(it), _) => Statistics::Double(with_nulls(it, nulls, is_old)),
        (Statistics::ByteArray(it), _) => Statistics::ByteArray(with_nulls(it, nulls, is_old)),
        (Statistics::FixedLenByteArray(it), _) => {
            Statistics::FixedLenByteArray(with_nulls(it, nulls, is_old))
        }
    })
}

/// Numbers from the least on; `greatest` is not less than any. Where none is stated there may be none.
fn bounded<T>(least: Option<T>, greatest: T, nulls: u64) -> ValueStatistics<T> {
    let greatest = least.is_some().then_some(greatest);
    let bounds = ValueStatistics::new(least, greatest, None, Some(nulls), false);
    bounds.with_min_is_exact(false).with_max_is_exact(false)
}

/// The same bounds beside so many NULLs.
fn with_nulls<T: Clone>(
    stated: &ValueStatistics<T>,
    nulls: u64,
    is_old: bool,
) -> ValueStatistics<T> {
    let (least, greatest) = (stated.min_opt().cloned(), stated.max_opt().cloned());
    let distinct = stated.distinct_count();
    ValueStatistics::new(least, greatest, distinct, Some(nulls), is_old)
        .with_min_is_exact(stated.min_is_exact())
        .with_max_is_exact(stated.max_is_exact())
        .with_backwards_compatible_min_max(stated.is_min_max_backwards_compatible())
}

/// So many NULLs, and nothing about the other values.
pub(super) fn without_bounds(stated: &Statistics, nulls: u64) -> Statistics {
    let nulls = Some(nulls);
    match stated {
        Statistics::Boolean(_) => Statistics::boolean(None, None, None, nulls, false),
        Statistics::Int32(_) => Statistics::int32(None, None, None, nulls, false),
        Statistics::Int64(_) => Statistics::int64(None, None, None, nulls, false),
        Statistics::Int96(_) => Statistics::int96(None, None, None, nulls, false),
        Statistics::Float(_) => Statistics::float(None, None, None, nulls, false),
        Statistics::Double(_) => Statistics::double(None, None, None, nulls, false),
        Statistics::ByteArray(_) => Statistics::byte_array(None, None, None, nulls, false),
        Statistics::FixedLenByteArray(_) => {
            Statistics::fixed_len_byte_array(None, None, None, nulls, false)
        }
    }
}

#[cfg(test)]
#[path = "believed_tests.rs"]
mod tests;
