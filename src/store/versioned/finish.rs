//! Ending a statement: commit, or give up; and what came of it, where an answer is lost.

use super::begin::Statement;
use super::clock::{
    Answer, Change, Clock, ClockCell, GivenUp, Machine, Progress, Request, Slot, Time,
};
use super::rules::{Rule, holds};

/// How a statement has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum End {
    /// All of it is visible.
    Committed,
    /// Nothing of it will ever be.
    GivenUp,
}

/// What is to become of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Wish {
    /// To commit, with the ids of the spaces whose stamps it changes.
    Commit(Vec<u8>),
    /// To give it up, and when.
    GiveUp(Time),
}

/// Ends a statement: one change of its slot, and as many readings as answers are lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Finish {
    statement: Statement,
    wish: Wish,
    reads: bool,
}

impl Finish {
    /// Ends it as is wished.
    pub(super) fn new(statement: Statement, wish: Wish) -> Self {
        Self {
            statement,
            wish,
            reads: false,
        }
    }

    fn change(&self) -> Change {
        let Statement { index, slot } = &self.statement;
        match &self.wish {
            Wish::Commit(stamped) => commit(*index, slot, stamped),
            Wish::GiveUp(time) => give_up(*index, slot, *time),
        }
    }

    /// Goes on by what the row says of the statement.
    fn look(mut self, clock: &Clock, time: Time) -> Progress<Self> {
        let Statement { index, slot } = &mut self.statement;
        let number = slot.number;
        if let Some(found) = clock.slots.get(index)
            && found.number == number
        {
            // Not yet; a beat may have changed it.
            *slot = found.clone();
            if let Wish::GiveUp(when) = &mut self.wish {
                *when = time;
            }
            self.reads = false;
            return Progress::Asks(self);
        }
        let commits = matches!(self.wish, Wish::Commit(_));
        Progress::Done(if commits && !clock.given_up.contains_key(&number) {
            End::Committed
        } else {
            End::GivenUp
        })
    }
}

impl Machine for Finish {
    type Outcome = End;

    fn request(&self) -> Request {
        if self.reads {
            Request::Read
        } else {
            Request::Change(self.change())
        }
    }

    fn go_on(mut self, answer: Answer) -> Progress<Self> {
        let commits = matches!(self.wish, Wish::Commit(_));
        match answer {
            Answer::Clock(clock, time) => return self.look(&clock, time),
            Answer::Changed(true) if commits => return Progress::Done(End::Committed),
            Answer::Changed(true) => return Progress::Done(End::GivenUp),
            Answer::Changed(false) if commits && !holds(Rule::RefusedCommitIsRead) => {
                return Progress::Done(End::GivenUp);
            }
            Answer::Lost if commits && !holds(Rule::LostCommitIsRead) => {
                return Progress::Done(End::Committed);
            }
            Answer::Changed(false) | Answer::Lost => self.reads = true,
        }
        Progress::Asks(self)
    }
}

/// That a slot is still as it was seen, as a rule wants it.
fn as_seen(rule: Rule, index: u8, slot: &Slot) -> ClockCell {
    if holds(rule) {
        ClockCell::Slot(index, Some(slot.clone()))
    } else {
        ClockCell::NOTHING
    }
}

fn commit(index: u8, slot: &Slot, stamped: &[u8]) -> Change {
    let number = slot.number;
    let mut cells = vec![ClockCell::Slot(index, None)];
    if holds(Rule::CommitStamps) {
        cells.extend(stamped.iter().map(|id| ClockCell::Stamp(*id, number)));
    }
    Change {
        check: as_seen(Rule::CommitComparesSlot, index, slot),
        cells,
        number,
    }
}

/// Gives a statement up, one's own or another's, whose slot is still as it was seen. It may be asked for by several: one
/// does it.
pub(super) fn give_up(index: u8, slot: &Slot, time: Time) -> Change {
    let number = slot.number;
    let mut cells = vec![ClockCell::Slot(index, None)];
    if holds(Rule::GivenUpIsListed) {
        let slot = slot.clone();
        let listed = GivenUp { time, slot };
        cells.push(ClockCell::GivenUp(number, Some(listed)));
    }
    Change {
        check: as_seen(Rule::GiveUpComparesSlot, index, slot),
        cells,
        number,
    }
}

/// Says that a statement is alive: its slot with the next beat.
pub(super) fn beat(statement: &Statement) -> (Change, Slot) {
    let Statement { index, slot } = statement;
    let next = Slot {
        beat: slot.beat + 1,
        ..slot.clone()
    };
    let change = Change {
        check: ClockCell::Slot(*index, Some(slot.clone())),
        cells: vec![ClockCell::Slot(*index, Some(next.clone()))],
        number: slot.number,
    };
    (change, next)
}
