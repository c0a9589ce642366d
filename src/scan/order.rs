//! In which order a scan's rows come, as SQL sees it.
//!
//! Rows come in the order of their keys, which is the order of the key's parts. What each part says about rows is a
//! [`SortPart`]; what of that can be said about columns is found by walking the parts:
//!
//! * a part with one value throughout the spans says nothing about order; the column it restores is a constant;
//! * a bucket that leads the key is cut out of the keys that are compared when runs, one for each, are merged;
//! * a coarser value of a column, such as its hour, says nothing that the column itself does not say, if the column
//!   follows in the same direction with nothing but constants between;
//! * a part of columns that the key has given already says nothing more;
//! * any other part that is no column orders by its own value; a query can name it where SQL has its expression.

use arrow::compute::SortOptions;

use crate::datum::Datum;
use crate::error::Result;
use crate::key::{KeyPart, NullOrder, RowKey, SortOrder};
use crate::store;

/// The order of the rows of some spans, over the columns and parts of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct KeyOrder {
    /// What the rows are ordered by, most significant first, as a forward scan yields them.
    pub(super) parts: Vec<SortPart>,
    /// Columns that have one value throughout; `None` is NULL.
    pub(super) constants: Vec<(usize, Option<Datum>)>,
    /// The parts, by position in the key, that have one value throughout.
    pub(super) pinned: Vec<usize>,
    /// What is cut out of keys before they are compared with those of another run: start and length.
    pub(super) cut: Option<(usize, usize)>,
}

/// What one part says about the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SortPart {
    /// Which part, by position in the key.
    pub(super) position: usize,
    /// The column, by position in the table, whose own order the part has.
    pub(super) column: Option<usize>,
    /// ASC or DESC, and where NULLs stand.
    options: SortOptions,
    /// Whether the other parts say the same and more, so that the order is the same without this one.
    pub(super) is_implied: bool,
}

impl SortPart {
    /// The sort options of the part as a scan in `direction` yields it.
    pub(super) fn options(&self, direction: store::Direction) -> SortOptions {
        match direction {
            store::Direction::Forward => self.options,
            store::Direction::Backward => SortOptions {
                descending: !self.options.descending,
                nulls_first: !self.options.nulls_first,
            },
        }
    }
}

/// Of more implied parts than this, all are told or none: each doubles the number of orders.
const MOST_IMPLIED: usize = 3;

impl KeyOrder {
    /// Whether the other one is the same but for the values of constants.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let constants = |order: &Self| -> Vec<usize> {
            order.constants.iter().map(|(column, _)| *column).collect()
        };
        self.parts == other.parts
            && self.pinned == other.pinned
            && self.cut == other.cut
            && constants(self) == constants(other)
    }

    /// The order within spans whose parts have these [`crate::span::Spans::constants`]. Where the bucket leads the key,
    /// runs are merged without it, unless `keeps_buckets`.
    ///
    /// # Errors
    /// `Internal` where a constant is no value of its part.
    pub(super) fn new(
        key: &RowKey,
        pinned: &[Option<Option<Datum>>],
        keeps_buckets: bool,
    ) -> Result<Self> {
        let walk = PinnedKey { key, pinned };
        let cut = if keeps_buckets {
            None
        } else {
            walk.bucket_field()?
        };
        let mut order = Self {
            cut,
            constants: walk.constants(),
            pinned: walk.pinned_parts(),
            parts: Vec::new(),
        };
        let mut given: Vec<usize> = order.constants.iter().map(|(column, _)| *column).collect();
        for (index, part) in key.parts().iter().enumerate() {
            if walk.is_silent(index, cut.is_some()) {
                continue;
            }
            let is_given = !part.sources().is_empty()
                && part.sources().iter().all(|source| given.contains(source));
            order.parts.push(SortPart {
                position: index,
                column: part
                    .restores()
                    .filter(|_| part.transform().preserves_order()),
                options: sort_options(part),
                is_implied: is_given || walk.is_refined(index, cut.is_some()),
            });
            given.extend(part.restores());
        }
        Ok(order)
    }

    /// The columns of the order as a scan in `direction` yields them, as far as it is one of columns.
    pub(super) fn columns(
        &self,
        direction: store::Direction,
    ) -> impl Iterator<Item = (usize, SortOptions)> {
        let told = self.parts.iter().filter(|part| !part.is_implied);
        told.map_while(move |part| Some((part.column?, part.options(direction))))
    }

    /// The orders that the rows have, each as its parts: without those that are implied, and with them.
    pub(super) fn sequences(&self) -> Vec<Vec<&SortPart>> {
        let implied = self.parts.iter().filter(|part| part.is_implied).count();
        let sequence = |chosen: usize| {
            let mut place = 0;
            let is_told = |part: &&SortPart| {
                place += usize::from(part.is_implied);
                !part.is_implied || (chosen >> (place - 1).min(MOST_IMPLIED)) & 1 == 1
            };
            self.parts.iter().filter(is_told).collect()
        };
        match implied {
            0..=MOST_IMPLIED => (0..1 << implied).map(sequence).collect(),
            _ => vec![sequence(0), self.parts.iter().collect()],
        }
    }
}

fn sort_options(part: &KeyPart) -> SortOptions {
    // A part that cannot be NULL has its NULLs wherever they are asked for.
    let nulls = if part.nullable() {
        part.nulls()
    } else {
        part.direction().default_nulls()
    };
    SortOptions {
        descending: part.direction() == SortOrder::Descending,
        nulls_first: nulls == NullOrder::First,
    }
}

struct PinnedKey<'a> {
    key: &'a RowKey,
    pinned: &'a [Option<Option<Datum>>],
}

impl PinnedKey<'_> {
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

    fn pinned_parts(&self) -> Vec<usize> {
        let parts = 0..self.key.parts().len();
        parts.filter(|part| self.pinned(*part).is_some()).collect()
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

    /// Where the bucket lies in every key, if there is a run for each: nothing but literals stands before it then. A
    /// run over several buckets is not in order without them.
    fn bucket_field(&self) -> Result<Option<(usize, usize)>> {
        let parts = self.key.parts();
        let Some((bucket, before)) = self
            .key
            .bucket_part()
            .and_then(|position| Some((parts.get(position)?, parts.get(..position)?)))
        else {
            return Ok(None);
        };
        let mut literals = Vec::new();
        for (index, part) in before.iter().enumerate() {
            let (Some(value), true) = (self.pinned(index), part.sources().is_empty()) else {
                return Ok(None);
            };
            part.encode(value.as_ref(), &mut literals)?;
        }
        Ok(width(bucket).map(|width| (literals.len(), width)))
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
