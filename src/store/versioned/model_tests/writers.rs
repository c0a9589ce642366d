//! Writers: statements that put rows, and one that reads for another table.

use std::sync::Arc;

use super::super::begin::{Begin, Begun, Statement};
use super::super::clock::{Clock, Number, Progress, SpaceClaim};
use super::super::finish::{End, Finish, Wish, beat};
use super::super::moment::Moment;
use super::super::rules::{Rule, holds};
use super::{
    ANOTHER, Commit, Kind, Next, Process, SPACE, SPACE_ID, Sent, World, begin_of, beginning,
};
use crate::store::Sharing;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Writer {
    /// Has read the clock row for what was before, or will, and begins with that reading.
    Knows(Option<Clock>),
    Begins(Begin),
    /// Looks at its keys, and notes what it will put.
    Looks(Statement, Moment, usize, Vec<(usize, bool)>),
    /// Puts so many of them, and has beaten so often.
    Puts(Statement, Vec<(usize, bool)>, usize),
    Finishes(Finish, Commit),
}

impl Writer {
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Self::Knows(_) | Self::Begins(_) => None,
            Self::Looks(statement, ..) | Self::Puts(statement, ..) => Some(statement.number()),
            Self::Finishes(_, commit) => Some(commit.number),
        }
    }
}

impl World {
    pub(super) fn write(
        &self,
        at: usize,
        kind: Kind,
        keys: &[usize],
        writer: &Writer,
        next: &mut Next,
    ) {
        let to = |writer| Process::Writer(kind, keys.to_vec(), writer);
        match writer {
            Writer::Knows(known) => next.push(Ok(self.know(at, kind, keys, known.as_ref()))),
            Writer::Begins(begin) => {
                let go_on = |world: &mut World, progress| {
                    let begin = match progress {
                        Progress::Asks(begin) => begin,
                        Progress::Done(Begun::Yes(statement, moment)) => {
                            let looks = Writer::Looks(statement, moment, 0, Vec::new());
                            world.processes[at] = to(looks);
                            return Ok(());
                        }
                        Progress::Done(Begun::Busy(_)) => begin_of(at, &claim_of(kind)),
                    };
                    world.processes[at] = to(Writer::Begins(begin));
                    Ok(())
                };
                self.drive(begin, None, go_on, next);
            }
            Writer::Looks(statement, moment, done, writes) => {
                // Who has read for too long finds that out, and gives up.
                if let Kind::Select(from) = kind
                    && moment.is_kept(&self.row.clock)
                    && let Err(wrong) = self.check_read(from, keys, &[self.see(keys[0], moment)])
                {
                    return next.push(Err(wrong));
                }
                let writer = self.look(kind, keys, (statement, moment), *done, writes.clone());
                let mut world = self.clone();
                world.processes[at] = to(writer);
                next.push(Ok(world));
            }
            Writer::Puts(statement, writes, done) => {
                self.put(at, (kind, keys), statement, writes, *done, next);
            }
            Writer::Finishes(finish, commit) => {
                let go_on = |world: &mut World, progress| {
                    let end = match progress {
                        Progress::Asks(finish) => {
                            world.processes[at] = to(Writer::Finishes(finish, commit.clone()));
                            return Ok(());
                        }
                        Progress::Done(end) => end,
                    };
                    world.processes[at] = Process::Over;
                    let mut commits = world.commits.iter();
                    let has_committed = commits.any(|done| done.number == commit.number);
                    if (end == End::Committed) == has_committed {
                        Ok(())
                    } else {
                        Err(format!("{end:?} is not what has become of {commit:?}"))
                    }
                };
                let commits = (!commit.writes.is_empty()).then(|| commit.clone());
                self.drive(finish, commits, go_on, next);
            }
        }
    }

    /// A writer that reads the clock row, or has read it and begins.
    fn know(&self, at: usize, kind: Kind, keys: &[usize], known: Option<&Clock>) -> Self {
        let mut world = self.clone();
        let (kind, writer) = match (known, kind) {
            (None, kind) => (kind, Writer::Knows(Some(self.row.clock.clone()))),
            (Some(clock), kind) => {
                let kind = match kind {
                    Kind::Select(_) => Kind::Select(self.commits.len()),
                    other => other,
                };
                let claims = claim_of(kind);
                let known = Begin::knowing(beginning(at, &claims), clock, self.time);
                let begin = known.unwrap_or_else(|| begin_of(at, &claims));
                (kind, Writer::Begins(begin))
            }
        };
        world.processes[at] = Process::Writer(kind, keys.to_vec(), writer);
        world
    }

    /// What a writer does that has looked at its next key.
    fn look(
        &self,
        kind: Kind,
        keys: &[usize],
        (statement, moment): (&Statement, &Moment),
        done: usize,
        mut writes: Vec<(usize, bool)>,
    ) -> Writer {
        let key = keys[done];
        let found = self.see(key, moment);
        match kind {
            Kind::Delete if found.is_none() => {}
            Kind::Select(_) => {}
            Kind::Delete => writes.push((key, false)),
            _ => writes.push((key, true)),
        }
        let is_refused = kind == Kind::Insert && found.is_some();
        let is_done = done + 1 == keys.len();
        if is_refused || (is_done && writes.is_empty()) {
            let wish = Wish::GiveUp(self.time);
            self.finishes(kind, statement, wish, Vec::new())
        } else if is_done {
            Writer::Puts(statement.clone(), writes, 0)
        } else {
            Writer::Looks(statement.clone(), moment.clone(), done + 1, writes)
        }
    }

    /// Puts the next key, or says that the statement is alive.
    fn put(
        &self,
        at: usize,
        (kind, keys): (Kind, &[usize]),
        statement: &Statement,
        writes: &[(usize, bool)],
        done: usize,
        next: &mut Next,
    ) {
        let to = |writer| Process::Writer(kind, keys.to_vec(), writer);
        let stay = |statement: &Statement, done| {
            to(Writer::Puts(statement.clone(), writes.to_vec(), done))
        };
        let (key, is_row) = writes[done];
        let go_on = |world: &mut World, answer: Option<bool>| {
            let is_done = answer.is_some() || !holds(Rule::PutsBeforeCommit);
            let done = done + usize::from(is_done);
            world.processes[at] = if done == writes.len() {
                let wish = Wish::Commit(vec![SPACE_ID]);
                to(self.finishes(kind, statement, wish, writes.to_vec()))
            } else {
                stay(statement, done)
            };
            Ok(())
        };
        self.send(Sent::Put(statement.number(), key, is_row), go_on, next);
        if self.budget.beats > 0 {
            let (change, slot) = beat(statement);
            let go_on = |world: &mut World, answer: Option<bool>| {
                let mut statement = statement.clone();
                if answer == Some(true) {
                    statement.slot = slot.clone();
                }
                world.budget.beats -= 1;
                world.processes[at] = stay(&statement, done);
                Ok(())
            };
            self.send(Sent::Change(change, None), go_on, next);
        }
    }

    fn finishes(
        &self,
        kind: Kind,
        statement: &Statement,
        wish: Wish,
        writes: Vec<(usize, bool)>,
    ) -> Writer {
        let number = statement.number();
        let commit = Commit {
            number,
            kind,
            writes,
        };
        Writer::Finishes(Finish::new(statement.clone(), wish), commit)
    }
}

pub(super) fn claim_of(kind: Kind) -> Arc<[SpaceClaim]> {
    let (space, sharing) = match kind {
        Kind::Replace => (SPACE, Sharing::Shared),
        Kind::Insert | Kind::Delete => (SPACE, Sharing::Exclusive),
        Kind::Select(_) => (ANOTHER, Sharing::Exclusive),
    };
    let space = space.into();
    Arc::new([SpaceClaim { space, sharing }])
}
