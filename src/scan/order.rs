//! In which order a scan's rows come, as SQL sees it.
//!
//! Rows come in the order of their keys, which is the order of the key's parts. What of that can be said about columns
//! is found by walking the parts:
//!
//! * a part with one value throughout the spans says nothing about order; the column it restores is a constant;
//! * a bucket in front, or behind literals, is cut out of the keys that are compared when runs are merged;
//! * a coarser value of a column, such as its hour, says nothing that the column itself does not say, if the column
//!   follows in the same direction with nothing but constants between;
//! * any other part that is no column ends the order.

use arrow::compute::SortOptions;

use crate::datum::Datum;
use crate::error::Result;
use crate::key::{Direction, KeyPart, NullOrder, RowKey};
use crate::store;

/// The order of the rows of some spans, over the columns of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct KeyOrder {
    /// Columns by position, most significant first, as a forward scan yields them.
    pub(super) columns: Vec<(usize, SortOptions)>,
    /// Columns that have one value throughout; `None` is NULL.
    pub(super) constants: Vec<(usize, Option<Datum>)>,
    /// What is cut out of keys before they are compared with those of another run: start and length.
    pub(super) cut: Option<(usize, usize)>,
}

impl KeyOrder {
    /// The order within spans whose parts have these [`crate::span::Spans::constants`].
    ///
    /// # Errors
    /// `Internal` where a constant is no value of its part.
    pub(super) fn new(key: &RowKey, pinned: &[Option<Option<Datum>>]) -> Result<Self> {
        let walk = Walk { key, pinned };
        let cut = walk.bucket_field()?;
        let mut order = Self {
            cut,
            constants: walk.constants(),
            columns: Vec::new(),
        };
        for (index, part) in key.parts().iter().enumerate() {
            if walk.is_silent(index, cut.is_some()) || walk.is_refined(index, cut.is_some()) {
                continue;
            }
            let Some(column) = part
                .restores()
                .filter(|_| part.transform().preserves_order())
            else {
                break;
            };
            if order.columns.iter().all(|(other, _)| *other != column) {
                order.columns.push((column, sort_options(part)));
            }
        }
        Ok(order)
    }

    /// The columns of the order as a scan in `direction` yields them.
    pub(super) fn columns(
        &self,
        direction: store::Direction,
    ) -> impl Iterator<Item = (usize, SortOptions)> {
        self.columns
            .iter()
            .map(move |(column, options)| match direction {
                store::Direction::Forward => (*column, *options),
                store::Direction::Backward => (
                    *column,
                    SortOptions {
                        descending: !options.descending,
                        nulls_first: !options.nulls_first,
                    },
                ),
            })
    }
}

fn sort_options(part: &KeyPart) -> SortOptions {
    // A part that cannot be NULL has its NULLs wherever they are asked for.
    let nulls = match part.nullable() {
        true => part.nulls(),
        false => part.direction().default_nulls(),
    };
    SortOptions {
        descending: part.direction() == Direction::Descending,
        nulls_first: nulls == NullOrder::First,
    }
}

struct Walk<'a> {
    key: &'a RowKey,
    pinned: &'a [Option<Option<Datum>>],
}

impl Walk<'_> {
    fn pinned(&self, index: usize) -> Option<&Option<Datum>> {
        self.pinned.get(index)?.as_ref()
    }

    fn constants(&self) -> Vec<(usize, Option<Datum>)> {
        let parts = self.key.parts().iter().enumerate();
        parts
            .filter_map(|(index, part)| {
                let column = part.restores()?;
                match self.pinned(index)? {
                    None => Some((column, None)),
                    Some(value) => Some((column, Some(part.transform().inverse(value)?))),
                }
            })
            .collect()
    }

    /// Whether the part has no say in the order.
    fn is_silent(&self, index: usize, is_bucket_cut: bool) -> bool {
        self.pinned(index).is_some() || (is_bucket_cut && self.key.bucket_part() == Some(index))
    }

    /// Whether the part is a coarser value of a column that follows and says the same and more.
    fn is_refined(&self, index: usize, is_bucket_cut: bool) -> bool {
        let mut parts = self.key.parts().iter().enumerate().skip(index);
        let Some((_, part)) = parts.next() else {
            return false;
        };
        let is_monotone =
            |part: &KeyPart| part.transform().preserves_order() && part.sources().len() == 1;
        if part.restores().is_some() || !is_monotone(part) {
            return false;
        }
        for (later, finer) in parts {
            if self.is_silent(later, is_bucket_cut) {
                continue;
            }
            let agrees = is_monotone(finer)
                && finer.sources() == part.sources()
                && finer.nullable() == part.nullable()
                && sort_options(finer) == sort_options(part);
            if !agrees || finer.restores().is_some() {
                return agrees;
            }
        }
        false
    }

    /// Where the bucket lies in every key, if it lies in the same place in each.
    fn bucket_field(&self) -> Result<Option<(usize, usize)>> {
        let parts = self.key.parts();
        let Some((bucket, before)) = self
            .key
            .bucket_part()
            .and_then(|position| Some((parts.get(position)?, parts.get(..position)?)))
        else {
            return Ok(None);
        };
        // Only behind literals is a bucket one run; anywhere else a range goes on into the next bucket.
        if before.iter().any(|part| !part.sources().is_empty()) {
            return Ok(None);
        }
        let mut start = 0;
        for (index, part) in before.iter().enumerate() {
            match (self.pinned(index), width(part)) {
                (Some(value), _) => {
                    let mut field = Vec::new();
                    part.encode(value.as_ref(), &mut field)?;
                    start += field.len();
                }
                (None, Some(width)) => start += width,
                (None, None) => return Ok(None),
            }
        }
        Ok(width(bucket).map(|width| (start, width)))
    }
}

/// The bytes of the part's field, if they are as many in every key.
fn width(part: &KeyPart) -> Option<usize> {
    part.transform()
        .encoding()
        .width()
        .filter(|_| !part.nullable())
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
