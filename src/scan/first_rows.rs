//! Of rows that are grouped by the front of their keys, the first of each group.
//!
//! Rows of a group lie side by side, and where the first that passes all filters is known, the others are not needed. So
//! the scan seeks the next group, a loose index scan: `SELECT DISTINCT host` reads one key for each host, `max(ts) … GROUP
//! BY host` likewise where the key goes on with `ts`.
//!
//! Whether groups are long is not known before, and a seek costs as much as reading some ten entries. So every now and
//! then some entries are read on instead. If new groups begin among them, the scan reads on, until they become rare; if
//! not, it seeks, and the next trial comes after twice as many seeks. A heuristic, as that of a walk.

use std::sync::Arc;

use super::ScanRequest;
use super::partition::Piece;
use crate::error::Result;
use crate::keyrange::prefix_successor;
use crate::schema::BoundTable;
use crate::span::Work;
use crate::store::{Chunk, Direction};

/// A group of at least so many entries is passed over by a seek.
const LONG: usize = 8;

/// After how many seeks it is tried, the first time, whether groups are short.
const FIRST_TRIAL: usize = 64;

/// After how many at most.
const LAST_TRIAL: usize = 8192;

/// Finds the first rows of groups in what a scan reads.
#[derive(Debug)]
pub(super) struct FirstRows {
    table: Arc<BoundTable>,
    /// How many parts of the key rows are grouped by.
    parts: usize,
    direction: Direction,
    /// The front of the keys of the group whose row was found last.
    done: Option<Vec<u8>>,
    /// How many were found since the scan last went on.
    found: usize,
    /// Whether entries of groups that are done are read on purpose.
    is_reading_on: bool,
    seeks_left: usize,
    trial_after: usize,
}

/// How the scan goes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Reads on, so many entries at least.
    ReadOn { least: usize },
    /// Passes over what is left of a group: see [`super::merge::Draw::skip`].
    Skip(Option<Vec<u8>>),
}

impl FirstRows {
    /// Those that a request wants, if it wants no others. Where runs are merged, and keys looked up, nothing is passed
    /// over: then all rows come.
    pub(super) fn of(request: &ScanRequest, pieces: &[Piece]) -> Option<Self> {
        let parts = request.grouped_by?;
        let is_merged = request.in_order && pieces.len() > 1;
        let are_points = |piece: &Piece| matches!(piece.run.work, Work::Points(_));
        (!is_merged && !pieces.iter().any(are_points)).then(|| Self {
            table: Arc::clone(&request.table),
            parts,
            direction: request.direction,
            done: None,
            found: 0,
            is_reading_on: false,
            seeks_left: FIRST_TRIAL,
            trial_after: FIRST_TRIAL,
        })
    }

    /// Whether the row under `key`, which passes all filters, is the first of its group that does. Keys come in order.
    ///
    /// # Errors
    /// `Corrupt` where the key is none of the table.
    pub(super) fn take(&mut self, key: &[u8]) -> Result<bool> {
        if self.is_done(key) {
            return Ok(false);
        }
        self.done = Some(self.front(key)?.to_vec());
        self.found += 1;
        Ok(true)
    }

    /// Whether the row of the group of `key` is found already.
    fn is_done(&self, key: &[u8]) -> bool {
        let done = self.done.as_deref();
        done.is_some_and(|done| key.starts_with(done))
    }

    /// The fields of a key that its row is grouped by.
    fn front<'a>(&self, key: &'a [u8]) -> Result<&'a [u8]> {
        let mut rest = key;
        for part in self.table.row_key().parts().iter().take(self.parts) {
            rest = rest.get(part.length(rest)?..).unwrap_or_default();
        }
        Ok(key.get(..key.len() - rest.len()).unwrap_or(key))
    }

    /// How to go on behind a chunk whose rows have been taken.
    pub(super) fn next(&mut self, chunk: &Chunk) -> Next {
        let found = std::mem::take(&mut self.found);
        let last = chunk.last().map(|(key, _)| key);
        // Of the newest group nothing has passed the filters yet, or nothing was read.
        if !last.is_some_and(|key| self.is_done(key)) {
            return Next::ReadOn { least: 1 };
        }
        if self.is_reading_on && chunk.len() < found * LONG {
            return Next::ReadOn { least: LONG };
        }
        if self.is_reading_on {
            self.is_reading_on = false;
            self.seeks_left = self.trial_after;
            self.trial_after = (self.trial_after * 2).min(LAST_TRIAL);
        }
        match self.seeks_left.checked_sub(1) {
            Some(left) => {
                self.seeks_left = left;
                Next::Skip(self.behind())
            }
            None => {
                self.is_reading_on = true;
                Next::ReadOn { least: LONG }
            }
        }
    }

    /// Where the group that is done ends; `None` where its run does.
    fn behind(&self) -> Option<Vec<u8>> {
        let done = self.done.as_deref()?;
        match self.direction {
            Direction::Forward => prefix_successor(done),
            Direction::Backward => (!done.is_empty()).then(|| done.to_vec()),
        }
    }
}
