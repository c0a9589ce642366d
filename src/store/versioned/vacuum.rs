//! Clearing away: versions that nobody can see any more, and what statements that were given up have left.

use std::sync::Arc;

use super::begin::Statement;
use super::clock::{
    Answer, Change, Clock, ClockCell, GivenUp, Machine, Mark, Number, Progress, Request,
    SpaceClaim, Time,
};
use super::rules::{Rule, holds};
use crate::store::Sharing;

/// What a vacuum claims, alone: one runs at a time, so that horizons are written in the order of their numbers. No space
/// can have this name.
const VACUUM: &str = "#vacuum";

/// The claims of a vacuum.
pub(super) fn claims() -> Arc<[SpaceClaim]> {
    let alone = SpaceClaim {
        space: VACUUM.into(),
        sharing: Sharing::Exclusive,
    };
    [alone]
        .into_iter()
        .filter(|_| holds(Rule::VacuumIsAlone))
        .collect()
}

/// Finds the horizon and writes it to the clock row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Raise {
    statement: Statement,
    retention: Time,
    asked: Option<Raised>,
}

/// Up to where versions may be removed, and the numbers that were given up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Raised {
    /// The horizon.
    pub horizon: Number,
    /// Ascending. Of the numbers up to the horizon none is under way.
    pub given_up: Vec<Number>,
}

impl Raise {
    /// Of a statement with the [`claims`] of a vacuum.
    pub(super) fn new(statement: Statement, retention: Time) -> Self {
        Self {
            statement,
            retention,
            asked: None,
        }
    }

    /// The newest mark that is old enough: every reader that is younger than the retention has a floor as high.
    fn horizon(&self, clock: &Clock, now: Time) -> Number {
        let is_old = |mark: &Mark| mark.time.saturating_add(self.retention) <= now;
        let marks = clock.marks.iter();
        let old = marks.filter(|mark| is_old(mark) || !holds(Rule::HorizonIsOld));
        old.map(|mark| mark.floor).max().unwrap_or(0)
    }

    fn look(mut self, clock: &Clock, now: Time) -> Progress<Self> {
        let Statement { index, slot } = &mut self.statement;
        let found = clock.slots.get(index);
        let Some(found) = found.filter(|found| found.number == slot.number) else {
            return Progress::Done(None);
        };
        *slot = found.clone();
        let horizon = self.horizon(clock, now);
        let raised = Raised {
            horizon: horizon.max(clock.horizon),
            given_up: clock.given_up.keys().copied().collect(),
        };
        if horizon <= clock.horizon || !holds(Rule::HorizonFirst) {
            return Progress::Done(Some(raised));
        }
        self.asked = Some(raised);
        Progress::Asks(self)
    }

    fn change(&self, horizon: Number) -> Change {
        let Statement { index, slot } = &self.statement;
        let check = ClockCell::Slot(*index, Some(slot.clone()));
        Change {
            check,
            cells: vec![ClockCell::Horizon(horizon)],
            number: slot.number,
        }
    }
}

impl Machine for Raise {
    /// `None`: the statement was given up.
    type Outcome = Option<Raised>;

    fn request(&self) -> Request {
        match &self.asked {
            None => Request::Read,
            Some(raised) => Request::Change(self.change(raised.horizon)),
        }
    }

    fn go_on(mut self, answer: Answer) -> Progress<Self> {
        match (answer, self.asked.take()) {
            (Answer::Changed(true), asked) => Progress::Done(asked),
            (Answer::Clock(clock, now), _) => self.look(&clock, now),
            // It may have been made, or be made later: the row tells, and it is never lowered.
            _ => Progress::Asks(self),
        }
    }
}

impl Raised {
    /// Of the versions of a row, newest first, each with whether it is a tombstone, those that nobody can see any more.
    /// They are removed in one change of the row: a tombstone that went before what it covers would show it.
    pub(super) fn covered(&self, versions: &[(Number, bool)]) -> Vec<Number> {
        let is_void = |number: &Number| {
            self.given_up.binary_search(number).is_ok() && holds(Rule::GivenUpCoversNothing)
        };
        let decided = versions.iter();
        let mut decided = decided.filter(|(number, _)| *number <= self.horizon && !is_void(number));
        let newest = decided.next();
        let covered = decided.map(|(number, _)| *number);
        let newest = newest.filter(|(_, is_tombstone)| *is_tombstone || !holds(Rule::NewestStays));
        // The greatest last, for those who cannot remove them in one change.
        let mut removed: Vec<Number> = covered.collect();
        removed.reverse();
        removed.extend(newest.map(|(number, _)| *number));
        removed
    }
}

/// The numbers whose cells are to be removed: those given up so long ago that nothing of them is on its way any more. A
/// cell that arrives behind a sweep would be seen as soon as its number is off the list.
pub(super) fn to_sweep(clock: &Clock, now: Time, retention: Time) -> Vec<(Number, GivenUp)> {
    let listed = clock.given_up.iter();
    let is_old = |up: &GivenUp| up.time.saturating_add(retention) <= now;
    let old = listed.filter(|(_, up)| is_old(up) || !holds(Rule::SweptLate));
    old.map(|(number, up)| (*number, up.clone())).collect()
}

/// The change that takes a number off the list, when its cells were removed.
pub(super) fn forget(number: Number, given_up: GivenUp) -> Change {
    Change {
        check: ClockCell::GivenUp(number, Some(given_up)),
        cells: vec![ClockCell::GivenUp(number, None)],
        number,
    }
}
