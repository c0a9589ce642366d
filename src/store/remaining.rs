//! What a cursor has still to yield.

use super::Direction;
use crate::keyrange::KeyRange;

/// The part `[start, stop)` of a running range that has not been yielded yet. Unlike a range it may be empty.
#[derive(Debug)]
pub(super) struct Remaining {
    direction: Direction,
    start: Vec<u8>,
    stop: Option<Vec<u8>>,
    /// Whether the far end must be compared with each key, and is not enforced by what the cursor reads from.
    checks_end: bool,
    /// What the far end was before it was moved nearer, and whether it was checked.
    moved_from: Option<(Option<Vec<u8>>, bool)>,
}

impl Remaining {
    /// All of `range`, read with a cursor that by itself yields nothing outside of `within`.
    pub(super) fn of(range: &KeyRange, within: &KeyRange, direction: Direction) -> Self {
        Self {
            direction,
            start: range.start().to_vec(),
            stop: range.stop().map(<[u8]>::to_vec),
            checks_end: match direction {
                Direction::Forward => range.stop() != within.stop(),
                Direction::Backward => range.start() != within.start(),
            },
            moved_from: None,
        }
    }

    /// The first key that may be left.
    pub(super) fn start(&self) -> &[u8] {
        &self.start
    }

    /// The first key above all that are left; `None`: there is none.
    pub(super) fn stop(&self) -> Option<&[u8]> {
        self.stop.as_deref()
    }

    /// Whether `key`, on which the cursor stands, lies behind the far end.
    pub(super) fn is_past_end(&self, key: &[u8]) -> bool {
        self.checks_end
            && match self.direction {
                Direction::Forward => self.stop.as_deref().is_some_and(|stop| key >= stop),
                Direction::Backward => key < self.start.as_slice(),
            }
    }

    /// Moves the far end to `end`, if that is nearer: see [`super::Cursor::restrict`].
    pub(super) fn restrict(&mut self, end: &[u8]) {
        let before = match self.direction {
            Direction::Forward if self.stop.as_deref().is_none_or(|stop| end < stop) => {
                self.stop.replace(end.to_vec())
            }
            Direction::Backward if end > self.start.as_slice() => {
                Some(std::mem::replace(&mut self.start, end.to_vec()))
            }
            _ => return,
        };
        self.moved_from.get_or_insert((before, self.checks_end));
        self.checks_end = true;
    }

    /// Moves the far end back to where it was: see [`super::Cursor::lift`].
    pub(super) fn lift(&mut self) {
        let Some((end, checks_end)) = self.moved_from.take() else {
            return;
        };
        match self.direction {
            Direction::Forward => self.stop = end,
            Direction::Backward => self.start = end.unwrap_or_default(),
        }
        self.checks_end = checks_end;
    }

    /// Leaves out `key`, which has been yielded, and what lies before it.
    pub(super) fn continue_after(&mut self, key: &[u8]) {
        match self.direction {
            Direction::Forward => {
                self.start.clear();
                self.start.extend_from_slice(key);
                self.start.push(0);
            }
            Direction::Backward => {
                let stop = self.stop.get_or_insert_default();
                stop.clear();
                stop.extend_from_slice(key);
            }
        }
    }
}
