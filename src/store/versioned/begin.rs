//! Beginning a statement: a number, a slot, and with it the claims.

use std::sync::Arc;

use super::clock::{
    Answer, Change, Clock, ClockCell, Machine, Number, Owner, Progress, Request, Slot, SpaceClaim,
    Time,
};
use super::moment::Moment;
use super::rules::{Rule, holds};

/// What begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Beginning {
    /// Who runs it. One that nobody has had before: it is known by it in the clock row.
    pub owner: Owner,
    /// What it claims.
    pub claims: Arc<[SpaceClaim]>,
    /// A mark is added behind one that is older.
    pub mark_after: Time,
}

/// A statement under way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Statement {
    /// The index of its slot.
    pub index: u8,
    /// What is in the slot, as far as is known.
    pub slot: Slot,
}

impl Statement {
    /// Its number: the time stamp of its cells.
    pub(super) fn number(&self) -> Number {
        self.slot.number
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Begun {
    /// It has begun. At this moment, and at each later one until it ends, no other statement has changed what it claims
    /// alone.
    Yes(Statement, Moment),
    /// It has not: by this reading others have claimed what it claims, or all slots are taken.
    Busy(Clock),
}

/// Reads the clock row and takes a slot of it.
///
/// Only on the counter that it has read: every begin changes the counter, so where it is the same, no slot was taken in
/// between, and none stands in the way. Slots may have been emptied; the moment is that of the reading.
///
/// Where the answer is lost, the change may have been made, or be made later. The row tells: a slot with this owner has
/// begun; without one, and with another counter, that change can never be made any more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Begin {
    what: Beginning,
    /// The reading on which a change was asked for, and the statement that it would begin.
    asked: Option<(Moment, Statement, Change)>,
}

impl Begin {
    /// At the beginning. It may be begun again with the same owner where it did not come about.
    pub(super) fn new(what: Beginning) -> Self {
        Self { what, asked: None }
    }

    /// At the beginning, with a reading that was made before, without statements under way. Where its counter still holds,
    /// nothing has begun since, so nothing has ended: the reading is that of now. The machine goes on as behind a reading of
    /// its own; `None` where statements are under way, of which some may have ended.
    pub(super) fn knowing(what: Beginning, clock: &Clock, time: Time) -> Option<Self> {
        if clock.open().next().is_some() && holds(Rule::KnownIsIdle) {
            return None;
        }
        match Self::new(what).ask(clock, time) {
            Progress::Asks(begin) => Some(begin),
            Progress::Done(_) => None,
        }
    }

    /// The change that begins it after this reading, under a number that is not smaller than the time; or what stands in the way.
    fn ask(self, clock: &Clock, time: Time) -> Progress<Self> {
        if let Some((index, slot)) = clock.slot_of(self.what.owner)
            && holds(Rule::BeginLooksForItself)
        {
            let slot = slot.clone();
            return Progress::Done(Begun::Yes(Statement { index, slot }, Moment::of(clock)));
        }
        let free = clock
            .free_slot()
            .filter(|_| clock.conflict(&self.what.claims).is_none());
        let Some(index) = free else {
            return Progress::Done(Begun::Busy(clock.clone()));
        };
        let number = time.max(clock.counter.saturating_add(1));
        let slot = Slot {
            number,
            owner: self.what.owner,
            beat: 0,
            claims: Arc::clone(&self.what.claims),
        };
        let statement = Statement { index, slot };
        let change = self.change(clock, time, &statement);
        let asked = Some((Moment::of(clock), statement, change));
        Progress::Asks(Self { asked, ..self })
    }

    fn change(&self, clock: &Clock, time: Time, statement: &Statement) -> Change {
        let number = statement.number();
        let slot = Some(statement.slot.clone());
        let mut cells = vec![
            ClockCell::Counter(number),
            ClockCell::Slot(statement.index, slot),
        ];
        let marks = clock.marked(time, self.what.mark_after);
        cells.extend(marks.map(ClockCell::Marks));
        let check = if holds(Rule::BeginComparesCounter) {
            ClockCell::Counter(clock.counter)
        } else {
            ClockCell::NOTHING
        };
        Change {
            check,
            cells,
            number,
        }
    }
}

impl Machine for Begin {
    type Outcome = Begun;

    fn request(&self) -> Request {
        match &self.asked {
            None => Request::Read,
            Some((_, _, change)) => Request::Change(change.clone()),
        }
    }

    fn go_on(self, answer: Answer) -> Progress<Self> {
        match (answer, self.asked) {
            (Answer::Changed(true), Some((moment, statement, _))) => {
                Progress::Done(Begun::Yes(statement, moment))
            }
            (Answer::Clock(clock, time), _) => Self::new(self.what).ask(&clock, time),
            // Another statement has begun in between, or nobody knows.
            _ => Progress::Asks(Self::new(self.what)),
        }
    }
}
