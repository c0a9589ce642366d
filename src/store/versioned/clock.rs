//! The clock row: which statements there are.
//!
//! One row of cells, each with the time stamp of the statement that wrote it, the newest of which counts:
//!
//! | cell | column | value |
//! |---|---|---|
//! | counter | `c` | the greatest number given out: 8 bytes |
//! | slot | `p` and its index, 1 byte | empty: free; else the statement that holds it: see [`Slot`] |
//! | given up | `a` and the number, 8 bytes | when, in milliseconds, 8 bytes; then its slot as it was |
//! | stamp | `v` and the id of a space, 1 byte | the greatest number that has committed with a claim on it: 8 bytes |
//! | marks | `m` | the newest few floors, each with the time at which it was noted: 8 bytes each |
//! | horizon | `h` | 8 bytes |
//! | format | `f` | 1 byte |
//!
//! Numbers are big-endian; [`cells`](super::cells) writes and reads them. Slots rather than a cell for each statement: a cell that was deleted is stepped over by every
//! later read of the row, one that was overwritten is not.
//!
//! A cell is written under the number of the statement that it is about, so that a write which arrives late changes
//! nothing that came later: of one column the greatest time stamp stands. No statement may write a cell that one of a
//! greater number may have written, unless the greater number is what ought to stand (stamps).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rules::{Rule, holds};
use crate::store::Sharing;

/// The number of a statement.
pub(in crate::store) type Number = u64;

/// Who runs a statement: never the same twice.
pub(super) type Owner = u128;

/// Milliseconds since 1970 by the clock of a client.
pub(in crate::store) type Time = u64;

/// How many statements can be under way: a begin behind so many waits.
pub(super) const SLOTS: usize = 64;

/// Spaces of smaller ids have stamps of their own; the others share one that every statement changes.
pub(super) const STAMPS: u8 = 32;

/// How many marks are kept.
const MARKS: usize = 8;

/// What the clock row says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Clock {
    /// The greatest number given out.
    pub counter: Number,
    /// Statements under way, by the index of their slot.
    pub slots: BTreeMap<u8, Slot>,
    /// Statements that were given up, and may have left cells.
    pub given_up: BTreeMap<Number, GivenUp>,
    /// The greatest number that has committed with a claim on a space, by its id.
    pub stamps: BTreeMap<u8, Number>,
    /// Floors and when they were noted, the oldest first.
    pub marks: Arc<[Mark]>,
    /// What a version at or below it covers may be gone.
    pub horizon: Number,
}

/// A statement under way.
///
/// As bytes: number, owner (16 bytes), beat, then for each claim its sharing (0 shared, 1 exclusive), the length of the
/// name, and the name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    /// Its number.
    pub number: Number,
    /// Who runs it.
    pub owner: Owner,
    /// Counts up while its owner lives.
    pub beat: u64,
    /// What it claims.
    pub claims: Arc<[SpaceClaim]>,
}

/// A claim on a space, by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SpaceClaim {
    /// The name of the space, or one that no space can have.
    pub space: Arc<str>,
    /// With whom.
    pub sharing: Sharing,
}

/// A statement that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct GivenUp {
    /// When.
    pub time: Time,
    /// As it was: it may have written where it has claims.
    pub slot: Slot,
}

/// A floor, and when it was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Mark {
    /// Up to here everything was decided.
    pub floor: Number,
    /// When.
    pub time: Time,
}

/// A cell of the clock row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ClockCell {
    /// See [`Clock::counter`].
    Counter(Number),
    /// A slot and what is in it.
    Slot(u8, Option<Slot>),
    /// A number given up; `None` removes it.
    GivenUp(Number, Option<GivenUp>),
    /// The stamp of a space.
    Stamp(u8, Number),
    /// See [`Clock::marks`].
    Marks(Arc<[Mark]>),
    /// See [`Clock::horizon`].
    Horizon(Number),
}

impl ClockCell {
    /// What always is as it says: no statement has this number.
    pub(super) const NOTHING: Self = Self::GivenUp(0, None);
}

/// A compare-and-put of the clock row: made at once, if the cell of `check` holds exactly that.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Change {
    /// What must be there.
    pub check: ClockCell,
    /// What is put.
    pub cells: Vec<ClockCell>,
    /// Under which time stamp.
    pub number: Number,
}

/// What a state machine asks of the clock row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Request {
    /// All of it; asked again until there is an answer.
    Read,
    /// To be changed.
    Change(Change),
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Answer {
    /// The row, to [`Request::Read`], and the time, taken behind the answer: a floor that is noted with it was reached by
    /// then.
    Clock(Clock, Time),
    /// Whether the check has held, to [`Request::Change`].
    Changed(bool),
    /// Nobody knows whether the change was made, or will be.
    Lost,
}

/// A part of the protocol, as a state machine: it says what to ask, and is told the answer.
pub(super) trait Machine: Sized {
    /// What comes of it.
    type Outcome;

    /// What it asks now.
    fn request(&self) -> Request;

    /// Goes on with the answer to [`Machine::request`].
    fn go_on(self, answer: Answer) -> Progress<Self>;
}

/// Where a machine stands.
#[derive(Debug)]
pub(super) enum Progress<M: Machine> {
    /// It asks something more.
    Asks(M),
    /// It is done.
    Done(M::Outcome),
}

impl Clock {
    /// The numbers under way, ascending by slot.
    pub(super) fn open(&self) -> impl Iterator<Item = Number> {
        self.slots.values().map(|slot| slot.number)
    }

    /// The number up to which every statement has committed or was given up. It never falls: a number that is given out
    /// later is greater than the counter.
    pub(super) fn floor(&self) -> Number {
        let below = self.open().map(|number| number.saturating_sub(1));
        if holds(Rule::FloorBelowSlots) {
            below.min().unwrap_or(self.counter).min(self.counter)
        } else {
            self.counter
        }
    }

    /// The slot with a statement of this owner.
    pub(super) fn slot_of(&self, owner: Owner) -> Option<(u8, &Slot)> {
        let mut slots = self.slots.iter();
        let found = slots.find(|(_, slot)| slot.owner == owner);
        found.map(|(index, slot)| (*index, slot))
    }

    /// A claim of a statement under way that stands in the way of these.
    pub(super) fn conflict(&self, claims: &[SpaceClaim]) -> Option<&SpaceClaim> {
        let theirs = self.slots.values().flat_map(|slot| slot.claims.iter());
        let mut theirs = theirs.filter(|_| holds(Rule::ClaimsExclude));
        theirs.find(|their| claims.iter().any(|our| their.excludes(our)))
    }

    /// A free slot.
    pub(super) fn free_slot(&self) -> Option<u8> {
        (0..SLOTS as u8).find(|index| !self.slots.contains_key(index))
    }

    /// The marks with one of this moment, if the newest is older than `interval`; `None`: nothing is to be added.
    pub(super) fn marked(&self, time: Time, interval: Time) -> Option<Arc<[Mark]>> {
        let is_new = |mark: &Mark| mark.time.saturating_add(interval) > time;
        if self.marks.last().is_some_and(is_new) {
            return None;
        }
        let floor = if holds(Rule::MarksAreFloors) {
            self.floor()
        } else {
            self.counter
        };
        let kept = self.marks.len().saturating_sub(MARKS - 1);
        let mark = Mark { floor, time };
        Some(
            self.marks
                .iter()
                .skip(kept)
                .copied()
                .chain([mark])
                .collect(),
        )
    }

    /// Puts a cell, as the row service does. For those who hold the row themselves.
    pub(super) fn put(&mut self, cell: ClockCell) {
        match cell {
            ClockCell::Counter(number) => self.counter = number,
            ClockCell::Slot(index, Some(slot)) => drop(self.slots.insert(index, slot)),
            ClockCell::Slot(index, None) => drop(self.slots.remove(&index)),
            ClockCell::GivenUp(number, Some(up)) => drop(self.given_up.insert(number, up)),
            ClockCell::GivenUp(number, None) => drop(self.given_up.remove(&number)),
            ClockCell::Stamp(space, number) => drop(self.stamps.insert(space, number)),
            ClockCell::Marks(marks) => self.marks = marks,
            ClockCell::Horizon(number) => self.horizon = number,
        }
    }

    /// Whether the row holds exactly this cell.
    #[cfg(test)]
    pub(super) fn has(&self, cell: &ClockCell) -> bool {
        match cell {
            ClockCell::Counter(number) => self.counter == *number,
            ClockCell::Slot(index, slot) => self.slots.get(index) == slot.as_ref(),
            ClockCell::GivenUp(number, up) => self.given_up.get(number) == up.as_ref(),
            ClockCell::Stamp(space, number) => self.stamps.get(space) == Some(number),
            ClockCell::Marks(marks) => self.marks == *marks,
            ClockCell::Horizon(number) => self.horizon == *number,
        }
    }
}

impl SpaceClaim {
    /// Whether one of the two has to wait for the other.
    fn excludes(&self, other: &Self) -> bool {
        let alone = [self.sharing, other.sharing].contains(&Sharing::Exclusive);
        self.space == other.space && alone
    }
}
