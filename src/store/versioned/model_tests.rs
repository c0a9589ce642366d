//! The checker: every interleaving of a few statements, readers and vacuums, over the state machines of the protocol.
//!
//! A [`World`] is all there is: the clock row, the cells of a few keys, requests that are late, and the processes. A step
//! of it is one request that the row service carries out, for each process that has one to make: answered; carried out
//! without an answer; or made late, without one, to be carried out at any later time or never. Processes die, statements
//! are given up while they live, time passes. All of it is tried, as often as a [`Budget`] allows, in every order.
//! `scenario_tests` says of which worlds.
//!
//! What must hold: a read gives the committed rows as they were at one instant between its begin and its end; an INSERT
//! commits where there is no row, a DELETE where there is one; who is told that a statement has committed is told the
//! truth, and so is who is told that it has not; the stamp of a space is another after each commit; nothing is removed above
//! the horizon; in the end, unless a process died, no statement is under way.

mod readers;
mod vacuums;
mod writers;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::begin::{Begin, Beginning};
use super::clock::{
    Answer, Change, Clock, ClockCell, Machine, Number, Progress, Request, SpaceClaim, Time,
};
use super::finish::give_up;
use super::moment::{Moment, stamp};
use super::vacuum;
use readers::Reader;
use vacuums::{Sweeper, Vacuum};
use writers::{Writer, claim_of};

/// The space that all is about, and its id.
const SPACE: &str = "t";
const SPACE_ID: u8 = 1;
/// One that nothing is read of.
const ANOTHER: &str = "u";

/// As long as requests are late at most, and as the retention: one step of the time.
const RETENTION: Time = 1;

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct World {
    row: Row,
    /// Of each key its versions: whether it is a row, or a tombstone. What a row holds is the number.
    data: Vec<BTreeMap<Number, bool>>,
    late: Vec<Sent>,
    time: Time,
    processes: Vec<Process>,
    /// How many answers may still be lost, processes die, statements be given up by others; and how often time passes.
    budget: Budget,
    has_died: bool,
    commits: Vec<Commit>,
    /// Stamps that were seen, and after how many commits.
    stamps: Vec<(u64, usize)>,
}

/// The clock row with the time stamps of its cells: a write under a smaller one changes nothing.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Row {
    clock: Clock,
    times: BTreeMap<(u8, Number), Number>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Budget {
    pub lost: u8,
    pub deaths: u8,
    pub kills: u8,
    pub beats: u8,
    pub times: u8,
}

/// A committed statement: what each key is since.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Commit {
    number: Number,
    kind: Kind,
    writes: Vec<(usize, bool)>,
}

/// A request to the row service.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Sent {
    Change(Change, Option<Commit>),
    Put(Number, usize, bool),
    Remove(usize, Vec<Number>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Insert,
    Delete,
    Replace,
    /// Reads a key for another table, as `INSERT INTO u SELECT … FROM t`; begun when there were so many commits.
    Select(usize),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Process {
    Writer(Kind, Vec<usize>, Writer),
    Reader(Vec<usize>, Reader),
    Vacuum(Vacuum),
    Sweeper(Sweeper),
    Over,
}

/// What is wrong.
pub(super) type Wrong = String;
/// What may come next, each a world or what is wrong with it.
pub(super) type Next = Vec<Result<World, Wrong>>;

impl Row {
    fn column(cell: &ClockCell) -> (u8, Number) {
        match cell {
            ClockCell::Counter(_) => (0, 0),
            ClockCell::Slot(index, _) => (1, u64::from(*index)),
            ClockCell::GivenUp(number, _) => (2, *number),
            ClockCell::Stamp(space, _) => (3, u64::from(*space)),
            ClockCell::Marks(_) => (4, 0),
            ClockCell::Horizon(_) => (5, 0),
        }
    }

    fn change(&mut self, change: &Change) -> bool {
        if !self.clock.has(&change.check) {
            return false;
        }
        for cell in &change.cells {
            let time = self.times.entry(Self::column(cell)).or_default();
            if *time <= change.number {
                *time = change.number;
                self.clock.put(cell.clone());
            }
        }
        true
    }
}

impl World {
    /// The world at the beginning: so many keys, the first few of which have a row.
    pub(super) fn new(keys: usize, rows: usize, processes: &[Start], budget: Budget) -> Self {
        let mut row = Row::default();
        row.clock.counter = 1;
        let row_of = |key| (key < rows).then_some((1, true));
        Self {
            row,
            data: (0..keys)
                .map(|key| row_of(key).into_iter().collect())
                .collect(),
            late: Vec::new(),
            time: 0,
            processes: processes.iter().enumerate().map(Process::new).collect(),
            budget,
            has_died: false,
            commits: vec![Commit {
                number: 1,
                kind: Kind::Replace,
                writes: (0..rows).map(|key| (key, true)).collect(),
            }],
            stamps: Vec::new(),
        }
    }

    /// The committed rows after so many commits: of each key the number that stands.
    fn state(&self, commits: usize, keys: &[usize]) -> Vec<Option<Number>> {
        let of_key = |key: &usize| {
            let commits = self.commits.iter().take(commits);
            let writes = commits.flat_map(|commit| {
                let writes = commit.writes.iter();
                writes.map(|(key, is_row)| (commit.number, *key, *is_row))
            });
            let newest = writes.filter(|(_, written, _)| written == key).max()?;
            newest.2.then_some(newest.0)
        };
        keys.iter().map(of_key).collect()
    }

    /// Notes the stamp of the space, which must be new since the last commit.
    fn see_stamp(&mut self) -> Result<(), Wrong> {
        let seen = (
            stamp(&self.row.clock, SPACE, SPACE_ID.into()),
            self.commits.len(),
        );
        let mut stamps = self.stamps.iter();
        if stamps.any(|(stamp, commits)| *stamp == seen.0 && *commits != seen.1) {
            return Err("the stamp is that of an earlier commit".to_owned());
        }
        if !self.stamps.contains(&seen) {
            self.stamps.push(seen);
            self.stamps.sort_unstable();
        }
        Ok(())
    }

    /// Carries a request out. Returns whether its check has held.
    fn carry_out(&mut self, sent: &Sent) -> Result<bool, Wrong> {
        match sent {
            Sent::Change(change, commit) => {
                let is_made = self.row.change(change);
                if let (true, Some(commit)) = (is_made, commit) {
                    self.commit(commit)?;
                }
                Ok(is_made)
            }
            Sent::Put(number, key, is_row) => {
                self.data[*key].insert(*number, *is_row);
                Ok(true)
            }
            Sent::Remove(key, numbers) => {
                self.data[*key].retain(|number, _| !numbers.contains(number));
                Ok(true)
            }
        }
    }

    fn commit(&mut self, commit: &Commit) -> Result<(), Wrong> {
        let keys: Vec<usize> = commit.writes.iter().map(|(key, _)| *key).collect();
        let before = self.state(self.commits.len(), &keys);
        if self.commits.iter().any(|old| old.number == commit.number) {
            return Err(format!("{} commits twice", commit.number));
        }
        match commit.kind {
            Kind::Insert if before.iter().any(Option::is_some) => {
                return Err("an INSERT over a row".to_owned());
            }
            Kind::Delete if before.iter().any(Option::is_none) => {
                return Err("a DELETE of no row".to_owned());
            }
            _ => self.commits.push(commit.clone()),
        }
        Ok(())
    }

    /// The worlds after process `at` has sent a request: answered, or not. `go_on` is what the process does with the
    /// answer, `None` where it is lost.
    fn send(
        &self,
        sent: Sent,
        go_on: impl Fn(&mut World, Option<bool>) -> Result<(), Wrong>,
        next: &mut Next,
    ) {
        let after = |carried_out: bool, is_answered: bool, is_late: bool| {
            let mut world = self.clone();
            let mut answer = true;
            if carried_out {
                answer = world.carry_out(&sent)?;
            }
            if is_late {
                world.late.push(sent.clone());
                world.late.sort_by_cached_key(fingerprint);
            }
            if !is_answered {
                world.budget.lost -= 1;
            }
            go_on(&mut world, is_answered.then_some(answer))?;
            Ok(world)
        };
        next.push(after(true, true, false));
        if self.budget.lost > 0 {
            next.push(after(true, false, false));
            next.push(after(false, false, true));
        }
    }

    /// All that may come next.
    pub(super) fn next(&self) -> Next {
        let mut next = Vec::new();
        for at in 0..self.processes.len() {
            self.step(at, &mut next);
            if self.budget.deaths > 0 && self.processes[at] != Process::Over {
                let mut world = self.clone();
                world.budget.deaths -= 1;
                world.has_died = true;
                world.processes[at] = Process::Over;
                next.push(Ok(world));
            }
        }
        for at in 0..self.late.len() {
            let mut world = self.clone();
            let sent = world.late.remove(at);
            next.push(world.carry_out(&sent).map(|_| world));
        }
        if self.budget.kills > 0 {
            for (index, slot) in &self.row.clock.slots {
                let mut world = self.clone();
                world.budget.kills -= 1;
                // By somebody who has seen the slot as it is now, now or later.
                let sent = Sent::Change(give_up(*index, slot, self.time), None);
                world.late.push(sent);
                world.late.sort_by_cached_key(fingerprint);
                next.push(Ok(world));
            }
        }
        if self.budget.times > 0 {
            next.push(Ok(self.later()));
        }
        next
    }

    /// A retention later: what was late is gone, and who was given up knows it.
    fn later(&self) -> Self {
        let mut world = self.clone();
        world.budget.times -= 1;
        world.time += RETENTION;
        world.late.clear();
        let given_up = &world.row.clock.given_up;
        for process in &mut world.processes {
            let number = match process {
                Process::Writer(_, _, writer) => writer.number(),
                Process::Vacuum(vacuum) => vacuum.number(),
                _ => None,
            };
            if number.is_some_and(|number| given_up.contains_key(&number)) {
                *process = Process::Over;
            }
        }
        world
    }

    fn step(&self, at: usize, next: &mut Next) {
        match &self.processes[at] {
            Process::Writer(kind, keys, writer) => self.write(at, *kind, keys, writer, next),
            Process::Reader(keys, reader) => self.read_on(at, keys, reader, next),
            Process::Vacuum(vacuum) => self.vacuum(at, vacuum, next),
            Process::Sweeper(sweeper) => self.sweep(at, sweeper, next),
            Process::Over => {}
        }
    }

    /// Drives a machine by one request.
    fn drive<M: Machine + Clone>(
        &self,
        machine: &M,
        commit: Option<Commit>,
        go_on: impl Fn(&mut World, Progress<M>) -> Result<(), Wrong>,
        next: &mut Next,
    ) {
        match machine.request() {
            Request::Read => {
                let mut world = self.clone();
                let clock = Answer::Clock(self.row.clock.clone(), self.time);
                let outcome = go_on(&mut world, machine.clone().go_on(clock));
                next.push(outcome.map(|()| world));
            }
            Request::Change(change) => {
                let answered = |world: &mut World, answer: Option<bool>| {
                    let answer = answer.map_or(Answer::Lost, Answer::Changed);
                    go_on(world, machine.clone().go_on(answer))
                };
                self.send(Sent::Change(change, commit), answered, next);
            }
        }
    }

    /// Whether keys were once, since there were so many commits, what was found of them.
    fn check_read(
        &self,
        from: usize,
        keys: &[usize],
        found: &[Option<Number>],
    ) -> Result<(), Wrong> {
        let states = (from..=self.commits.len()).map(|instant| self.state(instant, keys));
        let states: Vec<_> = states.collect();
        if states.iter().any(|state| state == found) {
            Ok(())
        } else {
            Err(format!("{found:?} was read, of {states:?}"))
        }
    }

    /// The version of a key that is seen, as the row service gives the newest few up to the moment.
    fn see(&self, key: usize, moment: &Moment) -> Option<Number> {
        let versions = self.data[key].range(..=moment.newest).rev();
        let versions = versions.take(moment.versions());
        let seen = moment.choose(versions.map(|(number, is_row)| (*number, (*number, *is_row))));
        seen.and_then(|(number, is_row)| is_row.then_some(number))
    }

    /// Checked where nothing comes next any more.
    pub(super) fn check_end(&self) -> Result<(), Wrong> {
        if self.has_died {
            return Ok(());
        }
        if self
            .processes
            .iter()
            .any(|process| *process != Process::Over)
        {
            return Err("a process waits for ever".to_owned());
        }
        if self.row.clock.slots.is_empty() {
            Ok(())
        } else {
            Err("a statement without a process is under way".to_owned())
        }
    }
}

/// A process, with the keys that it is about.
#[derive(Clone, Copy)]
pub(super) enum Start {
    Insert(&'static [usize]),
    Delete(&'static [usize]),
    Replace(&'static [usize]),
    /// A statement that begins on a reading which was made before.
    Knows(Kind, &'static [usize]),
    Read(&'static [usize]),
    /// A reader that supposes that a reading which was made before still holds.
    Suppose(&'static [usize]),
    Vacuum,
    Sweep,
}

impl Process {
    fn new((at, start): (usize, &Start)) -> Self {
        let writer = |kind, keys: &[usize]| {
            let begins = Writer::Begins(begin_of(at, &claim_of(kind)));
            Self::Writer(kind, keys.to_vec(), begins)
        };
        match start {
            Start::Insert(keys) => writer(Kind::Insert, keys),
            Start::Delete(keys) => writer(Kind::Delete, keys),
            Start::Replace(keys) => writer(Kind::Replace, keys),
            Start::Knows(kind, keys) => Self::Writer(*kind, keys.to_vec(), Writer::Knows(None)),
            Start::Read(keys) => Self::Reader(keys.to_vec(), Reader::Starts),
            Start::Suppose(keys) => Self::Reader(keys.to_vec(), Reader::Recalls(None)),
            Start::Vacuum => Self::Vacuum(Vacuum::Begins(begin_of(at, &vacuum::claims()))),
            Start::Sweep => Self::Sweeper(Sweeper::Reads),
        }
    }
}

pub(super) fn fingerprint(thing: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}

fn begin_of(at: usize, claims: &Arc<[SpaceClaim]>) -> Begin {
    Begin::new(beginning(at, claims))
}

fn beginning(at: usize, claims: &Arc<[SpaceClaim]>) -> Beginning {
    Beginning {
        owner: at as u128,
        claims: Arc::clone(claims),
        mark_after: 0,
    }
}
