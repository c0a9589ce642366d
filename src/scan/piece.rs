//! What a partition reads of one run.

use std::sync::Arc;

use crate::span::{Run, Work};

/// So many keys that are looked up are worth a thread; fewer are one look-up.
pub(super) const POINTS_PER_PIECE: usize = 1024;

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

/// The keys of runs that are nothing but keys.
pub(super) fn points<'a>(
    runs: impl Iterator<Item = &'a Run> + Clone,
) -> Option<impl Iterator<Item = &'a Arc<[Vec<u8>]>>> {
    fn keys(run: &Run) -> Option<&Arc<[Vec<u8>]>> {
        match &run.work {
            Work::Points(keys) => Some(keys),
            Work::Ranges(_) | Work::Walk(_) => None,
        }
    }
    let is_all = runs.clone().all(|run| keys(run).is_some());
    is_all.then(|| runs.filter_map(keys))
}

/// How many keys are looked up, where nothing else is done.
pub(super) fn point_count<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Option<usize> {
    points(runs).map(|points| points.map(|keys| keys.len()).sum())
}

/// Whether runs are a few keys that one thread looks up as soon as several would.
pub(super) fn are_few_points(runs: &[Run]) -> bool {
    point_count(runs.iter()).is_some_and(|count| count <= POINTS_PER_PIECE)
}
