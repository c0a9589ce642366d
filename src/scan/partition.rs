//! Which partition reads what of the runs.
//!
//! A table with buckets has a run for each, and runs are dealt out whole. Where there are fewer runs than partitions,
//! as in a table without buckets, runs are cut, where the store says, into pieces of consecutive keys: so the order of
//! each partition's rows stays what it was. Pieces are read side by side where nobody asks for order or for few rows;
//! where one does, they are gathered again ([`Shares::gathered`]), for reading ahead of the first piece would be in
//! vain.

use crate::keyrange::{KeyRange, KeyRangeSet, prefix_successor};
use crate::schema::BoundTable;
use crate::span::{Run, Work};

/// A run of more ranges than this is cut where each partition gets at least so many: reading a few ranges is quicker
/// than another thread. With fewer ranges their sizes are asked for.
const RANGES_PER_PIECE: usize = 64;

/// How far a scan is read side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parallelism {
    /// The most partitions.
    pub partitions: usize,
    /// A run is cut only where each piece takes about so many bytes of the store at least, as the store estimates:
    /// below, another thread costs more than it gives.
    pub piece_bytes: usize,
}

impl Parallelism {
    /// What is worth a thread: read in some ten milliseconds.
    pub const PIECE_BYTES: usize = 4 << 20;

    /// One partition.
    pub const NONE: Self = Self {
        partitions: 1,
        piece_bytes: Self::PIECE_BYTES,
    };
}

/// What a partition reads of a run: all of it, or what lies between two cuts.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) run: Run,
    /// Whether its least range is the rest of one that another piece begins.
    pub(super) is_rest: bool,
}

impl Piece {
    /// All of a run.
    pub(super) fn whole(run: &Run) -> Self {
        Self {
            run: run.clone(),
            is_rest: false,
        }
    }
}

/// Says where ranges are cut in at most so many pieces of about so many bytes at least: see
/// [`Store::boundaries`](crate::store::Store::boundaries).
pub(super) type Cuts<'a> = dyn Fn(&KeyRangeSet, usize, u64) -> Vec<Vec<u8>> + 'a;

/// The partitions of a scan, never none.
#[derive(Debug, Clone)]
pub(super) struct Shares {
    partitions: Vec<Vec<Piece>>,
    /// The same with no run cut, where one is.
    gathered: Option<Vec<Vec<Piece>>>,
}

impl Shares {
    /// At most `target` partitions of whole runs.
    pub(super) fn whole(runs: &[Run], target: usize) -> Self {
        let share = |runs: &[Run]| runs.iter().map(Piece::whole).collect();
        let mut partitions: Vec<Vec<Piece>> = share_out(runs, target.max(1)).map(share).collect();
        if partitions.is_empty() {
            partitions.push(Vec::new());
        }
        Self {
            partitions,
            gathered: None,
        }
    }

    /// The partitions of all runs, of which some are cut where that makes more partitions.
    pub(super) fn cut(runs: &[Run], width: Parallelism, cuts: &Cuts<'_>) -> Self {
        let target = width.partitions;
        let whole = Self::whole(runs, target);
        let pieces_per_run = target / runs.len().max(1);
        if pieces_per_run < 2 {
            return whole;
        }
        let mut partitions = Vec::with_capacity(target);
        for run in runs {
            partitions.extend(
                pieces(run, pieces_per_run, width.piece_bytes as u64, cuts)
                    .into_iter()
                    .map(|piece| vec![piece]),
            );
        }
        match partitions.len() > whole.partitions.len() {
            true => Self {
                partitions,
                gathered: Some(whole.partitions),
            },
            false => whole,
        }
    }

    /// What each partition reads.
    pub(super) fn partitions(&self) -> &[Vec<Piece>] {
        &self.partitions
    }

    /// The partitions with no run cut; `None` where no run is.
    pub(super) fn gathered(&self) -> Option<Self> {
        self.gathered.clone().map(|partitions| Self {
            partitions,
            gathered: None,
        })
    }
}

/// A scan of at most so many keys is made where its rows are asked for, without a thread.
const INLINE_POINTS: usize = 4;

/// Whether a partition reads nothing but a few single keys.
pub(super) fn is_brief(table: &BoundTable, pieces: &[Piece]) -> bool {
    let is_point = |range: &KeyRange| {
        let key = range.start();
        range.stop() == prefix_successor(key).as_deref() && table.row_key().decode(key).is_ok()
    };
    let mut count = 0;
    pieces.iter().all(|piece| match &piece.run.work {
        Work::Ranges(set) => {
            count += set.ranges().len();
            count <= INLINE_POINTS && set.ranges().iter().all(is_point)
        }
        Work::Walk(_) => false,
    })
}

/// A run in at most `count` pieces, in key order.
fn pieces(run: &Run, count: usize, least: u64, cuts: &Cuts<'_>) -> Vec<Piece> {
    let Work::Ranges(set) = &run.work else {
        return vec![Piece::whole(run)];
    };
    let ranges = set.ranges();
    if ranges.len() > RANGES_PER_PIECE {
        let count = (ranges.len() / RANGES_PER_PIECE).min(count);
        let of_ranges = |ranges: &[KeyRange]| piece(run, ranges.iter().cloned(), false);
        return share_out(ranges, count).map(of_ranges).collect();
    }
    let cuts = cuts(set, count, least);
    let mut starts: Vec<Vec<u8>> = vec![Vec::new()];
    starts.extend(cuts.iter().cloned());
    let stops = cuts.into_iter().map(Some).chain([None]);
    let between = |(start, stop): (Vec<u8>, Option<Vec<u8>>)| {
        let between = KeyRange::new(start, stop)?;
        let own = set.intersect(&KeyRangeSet::from_ranges([between.clone()]));
        let first = own.ranges().first()?.start();
        let is_rest = ranges.iter().all(|range| range.start() != first);
        Some(piece(run, own.ranges().iter().cloned(), is_rest))
    };
    starts.into_iter().zip(stops).filter_map(between).collect()
}

fn piece(run: &Run, ranges: impl Iterator<Item = KeyRange>, is_rest: bool) -> Piece {
    Piece {
        run: Run {
            bucket: run.bucket,
            work: Work::Ranges(KeyRangeSet::from_ranges(ranges)),
        },
        is_rest,
    }
}

/// `items` in at most `target` contiguous shares whose sizes differ by one at most.
fn share_out<T>(items: &[T], target: usize) -> impl Iterator<Item = &[T]> {
    let shares = target.min(items.len());
    (0..shares).filter_map(move |share| {
        items.get(share * items.len() / shares..(share + 1) * items.len() / shares)
    })
}

#[cfg(test)]
#[path = "partition_tests.rs"]
mod tests;
