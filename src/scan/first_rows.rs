//! Of rows that are grouped by the front of their keys, the first of each group.
//!
//! Rows of a group lie side by side, and where the first that pass all filters are known, the others are not needed. So
//! the scan seeks the next group, a loose index scan: `SELECT DISTINCT host` reads one key for each host, `max(ts) … GROUP
//! BY host` likewise where the key goes on with `ts`, and the newest three rows of each host are three keys for each. Runs
//! that are merged hold parts of a group each, which end together: then each run is sent to the next group.
//!
//! Whether groups are long is not known before, and a seek, with one row decoded and filtered by itself behind it, costs as
//! much as reading some hundred entries. So every now and then some entries are read on instead. If new groups begin among
//! them, the scan reads on, until they become rare; if not, it seeks, and the next trial comes after twice as many seeks. A
//! heuristic, as that of a walk.
//!
//! It is also not known before how many rows of a group pass the filters. Where many groups had to be read whole, nothing
//! is gained by looking for their first rows, and something lost: backward a store reads more slowly. Then the scan
//! [gives up](Next::GiveUp), if its rows may come in any order, and what is left is read as any scan reads it.

use std::sync::Arc;

use super::ScanRequest;
use super::merge::{Comparison, Group};
use super::piece::Piece;
use super::request::FirstOfGroups;
use super::rest::rest;
use crate::error::Result;
use crate::schema::BoundTable;
use crate::span::Work;
use crate::store::{Chunk, ENTRIES_PER_SEEK};

/// What is left of a group is passed over by a seek where it is at least so many entries.
const LONG: usize = 3 * ENTRIES_PER_SEEK;

/// So many entries, one after the other without a seek, say whether it is worth to look for first rows.
const ENOUGH: usize = 1024;

/// It is not where the groups among them are shorter than so many times [`LONG`]: a seek now and then makes up for less.
const FAR: usize = 4;

/// After how many seeks it is tried, the first time, whether groups are short.
const FIRST_TRIAL: usize = 64;

/// After how many at most.
const LAST_TRIAL: usize = 8192;

/// Finds the first rows of groups in what a scan reads.
#[derive(Debug)]
pub(super) struct FirstRows {
    table: Arc<BoundTable>,
    first: FirstOfGroups,
    comparison: Comparison,
    /// How many entries are worth that all runs are sent to the next group.
    long: usize,
    /// The group whose row was found last, and how many were.
    group: Option<Group>,
    taken: usize,
    /// How many rows were found since the scan last went on, and in how many groups.
    found: usize,
    begun: usize,
    /// Whether entries of groups that are done are read on purpose.
    is_reading_on: bool,
    seeks_left: usize,
    trial_after: usize,
    /// What was to be read, where rows may come in any order, and more of them than are wanted; else `None`.
    pieces: Option<Vec<Piece>>,
}

/// How the scan goes on.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// Reads on, so many entries at least.
    ReadOn { least: usize },
    /// Passes over what is left of a group.
    Skip(&'a Group),
    /// Reads all that is left, either way.
    GiveUp,
}

impl FirstRows {
    /// Those that a request wants, if it wants no others; `comparison` is that of the pieces where they are merged. Where
    /// keys are looked up nothing is passed over: then all rows come.
    pub(super) fn of(
        request: &ScanRequest,
        pieces: &[Piece],
        comparison: Comparison,
    ) -> Option<Self> {
        let first = request.first_of?;
        let merged = if request.in_order {
            pieces.len().max(1)
        } else {
            1
        };
        let are_points = |piece: &Piece| matches!(piece.run.work, Work::Points(_));
        let may_give_up =
            !request.in_order && request.fetch.is_none() && request.runtime_filters().is_empty();
        (!pieces.iter().any(are_points)).then(|| Self {
            table: Arc::clone(&request.table),
            first,
            comparison,
            long: LONG * merged,
            group: None,
            taken: 0,
            found: 0,
            begun: 0,
            is_reading_on: false,
            seeks_left: FIRST_TRIAL,
            trial_after: FIRST_TRIAL,
            pieces: may_give_up.then(|| pieces.to_vec()),
        })
    }

    /// How many rows of a group are wanted.
    pub(super) fn rows(&self) -> usize {
        self.first.rows
    }

    /// Whether the row under `key`, which passes all filters, is one of the first of its group that do. Keys come in order.
    ///
    /// # Errors
    /// `Corrupt` where the key is none of the table.
    pub(super) fn take(&mut self, key: &[u8]) -> Result<bool> {
        if !self.is_of_group(key) {
            self.group = Some(Group::new(self.front(key)?, self.comparison));
            self.taken = 0;
            self.begun += 1;
        }
        let is_wanted = self.taken < self.first.rows;
        self.taken += usize::from(is_wanted);
        self.found += usize::from(is_wanted);
        Ok(is_wanted)
    }

    fn is_of_group(&self, key: &[u8]) -> bool {
        let group = self.group.as_ref();
        group.is_some_and(|group| group.holds(key))
    }

    /// The fields of a key that its row is grouped by.
    fn front<'a>(&self, key: &'a [u8]) -> Result<&'a [u8]> {
        let mut rest = key;
        for part in self.table.row_key().parts().iter().take(self.first.parts) {
            rest = rest.get(part.length(rest)?..).unwrap_or_default();
        }
        Ok(key.get(..key.len() - rest.len()).unwrap_or(key))
    }

    /// How to go on behind a chunk whose rows have been taken.
    ///
    /// # Errors
    /// `Corrupt` where a key is none of the table.
    pub(super) fn next(&mut self, chunk: &Chunk) -> Result<Next<'_>> {
        if self.pieces.is_some() && chunk.len() >= ENOUGH && self.are_short(chunk)? {
            Ok(Next::GiveUp)
        } else {
            Ok(self.go_on(chunk))
        }
    }

    /// Whether the groups of a chunk are so short that looking for their first rows gains nothing.
    fn are_short(&self, chunk: &Chunk) -> Result<bool> {
        let mut groups = 0;
        let mut front: &[u8] = &[];
        for key in chunk.keys() {
            if groups == 0 || !key.starts_with(front) {
                front = self.front(key)?;
                groups += 1;
            }
        }
        Ok(chunk.len() < groups * LONG * FAR)
    }

    /// What is left to read, as [`rest`] has it.
    pub(super) fn rest(self, unread: usize, last: Option<&[u8]>) -> Vec<Piece> {
        let pieces = self.pieces.unwrap_or_default();
        rest(pieces, unread, last, self.comparison.direction)
    }

    fn go_on(&mut self, chunk: &Chunk) -> Next<'_> {
        let (found, begun) = (
            std::mem::take(&mut self.found),
            std::mem::take(&mut self.begun),
        );
        let last = chunk.last().map(|(key, _)| key);
        let is_done = self.taken >= self.first.rows;
        // Of the newest group not enough has passed the filters yet, or nothing was read.
        let Some(group) = self
            .group
            .as_ref()
            .filter(|group| is_done && last.is_some_and(|key| group.holds(key)))
        else {
            return Next::ReadOn { least: 1 };
        };
        let passed_over = chunk.len() - found.min(chunk.len());
        let is_short = passed_over + begun < begun * self.long;
        if self.is_reading_on && is_short {
            return Next::ReadOn { least: self.long };
        }
        if self.is_reading_on {
            self.is_reading_on = false;
            self.seeks_left = self.trial_after;
            self.trial_after = (self.trial_after * 2).min(LAST_TRIAL);
        }
        match self.seeks_left.checked_sub(1) {
            Some(left) => {
                self.seeks_left = left;
                Next::Skip(group)
            }
            None => {
                self.is_reading_on = true;
                Next::ReadOn { least: self.long }
            }
        }
    }
}
