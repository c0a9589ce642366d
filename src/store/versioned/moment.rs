//! What a reader sees.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::clock::{Clock, Number, STAMPS};
use super::rules::{Rule, holds};

/// A moment of the database, from one reading of the clock row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Moment {
    /// Later numbers are not seen.
    pub newest: Number,
    /// Nor are these, which were under way or given up; ascending.
    pub hidden: Vec<Number>,
    /// All up to here were decided.
    pub floor: Number,
}

impl Moment {
    /// That of a reading of the clock row.
    pub(super) fn of(clock: &Clock) -> Self {
        let open = clock.open().filter(|_| holds(Rule::OpenIsHidden));
        let given_up = clock.given_up.keys().copied();
        let given_up = given_up.filter(|_| holds(Rule::GivenUpIsHidden));
        let mut hidden: Vec<Number> = open.chain(given_up).collect();
        hidden.sort_unstable();
        Self {
            newest: clock.counter,
            hidden,
            floor: clock.floor(),
        }
    }

    /// Whether what a statement has written is seen.
    pub(super) fn sees(&self, number: Number) -> bool {
        number <= self.newest && self.hidden.binary_search(&number).is_err()
    }

    /// How many of the newest versions of a row must be looked at to find the one that is seen.
    pub(super) fn versions(&self) -> usize {
        1 + self.hidden.len()
    }

    /// Of the versions of a row, newest first, the one that is seen.
    pub(super) fn choose<T>(&self, versions: impl IntoIterator<Item = (Number, T)>) -> Option<T> {
        let mut versions = versions.into_iter();
        let seen = versions.find(|(number, _)| self.sees(*number));
        seen.map(|(_, version)| version)
    }

    /// Whether nothing that this moment sees was removed, as the clock row says when the reading is done.
    pub(super) fn is_kept(&self, clock: &Clock) -> bool {
        clock.horizon <= self.floor || !holds(Rule::ReaderChecksHorizon)
    }
}

/// What differs whenever a statement with a claim on the space has committed in between; `id` is that of the space.
///
/// Shared statements may commit in another order than that of their numbers, and the cell of the stamp holds the
/// greatest: so the stamp tells of those, too, that are under way. Of a space that has no cell it tells of all.
pub(super) fn stamp(clock: &Clock, space: &str, id: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let cell = u8::try_from(id).ok().filter(|id| *id < STAMPS);
    match cell {
        Some(cell) => clock.stamps.get(&cell).hash(&mut hasher),
        None => (clock.counter, clock.given_up.len()).hash(&mut hasher),
    }
    for slot in clock.slots.values() {
        let claims = slot.claims.iter().any(|claim| &*claim.space == space);
        if (claims || cell.is_none()) && holds(Rule::StampTellsOpen) {
            slot.number.hash(&mut hasher);
        }
    }
    hasher.finish()
}
