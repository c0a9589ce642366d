//! Which partition reads what of the runs.
//!
//! A table with buckets has a run for each, and runs are dealt out whole. Where there are fewer runs than partitions,
//! as in a table without buckets, runs are cut, where the store says, into pieces of consecutive keys: so the order of
//! each partition's rows stays what it was. Pieces are read side by side where nobody asks for order or for few rows;
//! where one does, they are gathered again ([`Shares::gathered`]), for a prefetch of later pieces would be in vain.

use std::sync::Arc;

use super::merge::Comparison;
use super::piece::{POINTS_PER_PIECE, Piece, are_few_points, point_count, points};
use crate::keyrange::{Guide, KeyRange, KeyRangeSet};
use crate::span::{Run, Walk, Work};

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
    /// At most `target` partitions of whole runs; one of a few keys.
    pub(super) fn whole(runs: &[Run], target: usize) -> Self {
        let target = if are_few_points(runs) { 1 } else { target };
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
        if pieces_per_run < 2 || are_few_points(runs) {
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
        if partitions.len() > whole.partitions.len() {
            Self {
                partitions,
                gathered: Some(whole.partitions),
            }
        } else {
            whole
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
pub(super) fn is_brief(pieces: &[Piece]) -> bool {
    let count = point_count(pieces.iter().map(|piece| &piece.run));
    count.is_some_and(|count| count <= INLINE_POINTS)
}

/// So many runs are sought one after the other before a thread is worth it.
const SHORT_RUNS: usize = 16;

/// Whether a partition may be over before a thread would have begun it: a guess, to which nobody is bound.
pub(super) fn is_short(pieces: &[Piece]) -> bool {
    let is_walk = |piece: &Piece| matches!(piece.run.work, Work::Walk(_));
    pieces.len() <= SHORT_RUNS && !pieces.iter().any(is_walk)
}

/// Pieces that are nothing but keys as one, so that all are looked up at once; `order` is that of the rows.
pub(super) fn joined(pieces: Vec<Piece>, order: Comparison) -> Vec<Piece> {
    if pieces.len() < 2 {
        return pieces;
    }
    let Some(points) = points(pieces.iter().map(|piece| &piece.run)) else {
        return pieces;
    };
    let mut keys: Vec<Vec<u8>> = points.flat_map(|keys| keys.iter().cloned()).collect();
    keys.sort_by(|left, right| order.compare(left, right));
    vec![Piece {
        run: Run {
            bucket: None,
            work: Work::Points(keys.into()),
        },
        is_rest: false,
    }]
}

/// A run in at most `count` pieces, in key order.
fn pieces(run: &Run, count: usize, least: u64, cuts: &Cuts<'_>) -> Vec<Piece> {
    let set = match &run.work {
        Work::Walk(walk) => return pieces_of_walk(run, walk, &|hull| cuts(hull, count, least)),
        Work::Points(keys) => {
            let count = (keys.len() / POINTS_PER_PIECE).clamp(1, count);
            let of_points = |keys: &[Vec<u8>]| piece(run, Work::Points(keys.into()), false);
            return share_out(keys, count).map(of_points).collect();
        }
        Work::Ranges(set) => set,
    };
    let ranges = set.ranges();
    if ranges.len() > RANGES_PER_PIECE {
        let count = (ranges.len() / RANGES_PER_PIECE).min(count);
        let of_ranges = |ranges: &[KeyRange]| {
            let ranges = KeyRangeSet::from_ranges(ranges.iter().cloned());
            piece(run, Work::Ranges(ranges), false)
        };
        return share_out(ranges, count).map(of_ranges).collect();
    }
    let of_stretch = |between: KeyRange| {
        let own = set.intersect(&KeyRangeSet::from_ranges([between.clone()]));
        let first = own.ranges().first()?.start();
        let is_rest = ranges.iter().all(|range| range.start() != first);
        Some(piece(run, Work::Ranges(own), is_rest))
    };
    let between = stretches(cuts(set, count, least));
    between.filter_map(of_stretch).collect()
}

/// A walk in pieces: where it has to read everything it is read side by side, as any range is.
fn pieces_of_walk(
    run: &Run,
    walk: &Walk,
    cuts: &dyn Fn(&KeyRangeSet) -> Vec<Vec<u8>>,
) -> Vec<Piece> {
    let cuts = cuts(&walk.hull().clone().into());
    let within = stretches(cuts).filter_map(|between| walk.within(&between));
    let of_walk = |(number, walk)| piece(run, Work::Walk(Arc::new(walk)), number > 0);
    within.enumerate().map(of_walk).collect()
}

/// All keys, cut at some.
fn stretches(cuts: Vec<Vec<u8>>) -> impl Iterator<Item = KeyRange> {
    let mut starts: Vec<Vec<u8>> = vec![Vec::new()];
    starts.extend(cuts.iter().cloned());
    let stops = cuts.into_iter().map(Some).chain([None]);
    let between = starts.into_iter().zip(stops);
    between.filter_map(|(start, stop)| KeyRange::new(start, stop))
}

fn piece(run: &Run, work: Work, is_rest: bool) -> Piece {
    let bucket = run.bucket;
    Piece {
        run: Run { bucket, work },
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
