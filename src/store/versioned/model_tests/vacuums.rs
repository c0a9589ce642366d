//! Vacuums, and sweeps behind statements that were given up.

use super::super::begin::{Begin, Begun, Statement};
use super::super::clock::{GivenUp, Number, Progress};
use super::super::finish::{Finish, Wish};
use super::super::rules::{Rule, holds};
use super::super::vacuum::{self, Raise, Raised};
use super::{Next, Process, RETENTION, Sent, World, begin_of};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Vacuum {
    Begins(Begin),
    Raises(Raise, Statement),
    /// Looks at a key.
    Looks(Raised, Statement, usize),
    /// Removes these of it.
    Removes(Raised, Statement, usize, Vec<Number>),
    Finishes(Finish),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Sweeper {
    Reads,
    Sweeps(Number, GivenUp, usize),
    Forgets(Number, GivenUp),
}

impl Vacuum {
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Self::Raises(_, statement)
            | Self::Looks(_, statement, _)
            | Self::Removes(_, statement, ..) => Some(statement.number()),
            _ => None,
        }
    }
}

impl World {
    pub(super) fn vacuum(&self, at: usize, vacuum: &Vacuum, next: &mut Next) {
        let goes = |world: &mut World, vacuum| {
            world.processes[at] = Process::Vacuum(vacuum);
            Ok(())
        };
        match vacuum {
            Vacuum::Begins(begin) => {
                let go_on = |world: &mut World, progress| match progress {
                    Progress::Asks(begin) => goes(world, Vacuum::Begins(begin)),
                    Progress::Done(Begun::Yes(statement, _)) => {
                        let raise = Raise::new(statement.clone(), RETENTION);
                        goes(world, Vacuum::Raises(raise, statement))
                    }
                    Progress::Done(Begun::Busy(_)) => {
                        let begin = begin_of(at, &vacuum::claims());
                        goes(world, Vacuum::Begins(begin))
                    }
                };
                self.drive(begin, None, go_on, next);
            }
            Vacuum::Raises(raise, statement) => {
                let go_on = |world: &mut World, progress| match progress {
                    Progress::Asks(raise) => goes(world, Vacuum::Raises(raise, statement.clone())),
                    Progress::Done(Some(raised)) => {
                        goes(world, Vacuum::Looks(raised, statement.clone(), 0))
                    }
                    Progress::Done(None) => {
                        world.processes[at] = Process::Over;
                        Ok(())
                    }
                };
                self.drive(raise, None, go_on, next);
            }
            Vacuum::Looks(raised, statement, key) => {
                let mut world = self.clone();
                let versions = self.data[*key].iter().rev();
                let versions: Vec<_> = versions.map(|(number, row)| (*number, !row)).collect();
                let numbers = raised.covered(&versions);
                let (raised, statement) = (raised.clone(), statement.clone());
                world.processes[at] = Process::Vacuum(if numbers.is_empty() {
                    self.behind(raised, statement, *key)
                } else {
                    Vacuum::Removes(raised, statement, *key, numbers)
                });
                next.push(Ok(world));
            }
            Vacuum::Removes(raised, statement, key, numbers) => {
                self.remove(at, (raised, statement), *key, numbers, next);
            }
            Vacuum::Finishes(finish) => {
                let go_on = |world: &mut World, progress| match progress {
                    Progress::Asks(finish) => goes(world, Vacuum::Finishes(finish)),
                    Progress::Done(_) => {
                        world.processes[at] = Process::Over;
                        Ok(())
                    }
                };
                self.drive(finish, None, go_on, next);
            }
        }
    }

    /// Removes versions of a key: all in one request.
    fn remove(
        &self,
        at: usize,
        (raised, statement): (&Raised, &Statement),
        key: usize,
        numbers: &[Number],
        next: &mut Next,
    ) {
        if self.row.clock.horizon < raised.horizon {
            next.push(Err("removed above the horizon".to_owned()));
        }
        let mut left = numbers.to_vec();
        let removed = if holds(Rule::TombstoneGoesLast) {
            std::mem::take(&mut left)
        } else {
            // The greatest first, in a request of its own.
            left.split_off(left.len() - 1)
        };
        let go_on = |world: &mut World, answer: Option<bool>| {
            let (raised, statement) = (raised.clone(), statement.clone());
            world.processes[at] = Process::Vacuum(match (answer, left.is_empty()) {
                (None, _) => Vacuum::Removes(raised, statement, key, numbers.to_vec()),
                (_, false) => Vacuum::Removes(raised, statement, key, left.clone()),
                (_, true) => self.behind(raised, statement, key),
            });
            Ok(())
        };
        self.send(Sent::Remove(key, removed), go_on, next);
    }

    /// Behind a key comes the next, or the end.
    fn behind(&self, raised: Raised, statement: Statement, key: usize) -> Vacuum {
        if key + 1 == self.data.len() {
            Vacuum::Finishes(Finish::new(statement, Wish::Commit(Vec::new())))
        } else {
            Vacuum::Looks(raised, statement, key + 1)
        }
    }

    pub(super) fn sweep(&self, at: usize, sweeper: &Sweeper, next: &mut Next) {
        match sweeper {
            Sweeper::Reads => {
                for (number, up) in vacuum::to_sweep(&self.row.clock, self.time, RETENTION) {
                    let mut world = self.clone();
                    world.processes[at] = Process::Sweeper(if holds(Rule::SweptFirst) {
                        Sweeper::Sweeps(number, up, 0)
                    } else {
                        Sweeper::Forgets(number, up)
                    });
                    next.push(Ok(world));
                }
                // It need not be needed.
                let mut world = self.clone();
                world.processes[at] = Process::Over;
                next.push(Ok(world));
            }
            Sweeper::Sweeps(number, up, key) => {
                let go_on = |world: &mut World, answer: Option<bool>| {
                    let key = key + usize::from(answer.is_some());
                    let (number, up) = (*number, up.clone());
                    world.processes[at] = Process::Sweeper(if key == world.data.len() {
                        Sweeper::Forgets(number, up)
                    } else {
                        Sweeper::Sweeps(number, up, key)
                    });
                    Ok(())
                };
                self.send(Sent::Remove(*key, vec![*number]), go_on, next);
            }
            Sweeper::Forgets(number, up) => {
                let go_on = |world: &mut World, _| {
                    world.processes[at] = Process::Over;
                    Ok(())
                };
                let change = vacuum::forget(*number, up.clone());
                self.send(Sent::Change(change, None), go_on, next);
            }
        }
    }
}
