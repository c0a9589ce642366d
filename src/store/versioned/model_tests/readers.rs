//! Readers: at a moment, or at one that is supposed.

use super::super::clock::{Clock, Number, Time};
use super::super::moment::Moment;
use super::super::optimistic::is_as_supposed;
use super::super::rules::{Rule, holds};
use super::{Next, Process, World, Wrong};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Reader {
    Starts,
    Reads(Reading),
    /// Has read the clock row for what was before, or will, and supposes that all is as then.
    Recalls(Option<(Clock, Time)>),
    Supposes(Supposing),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Reading {
    moment: Moment,
    since: Time,
    /// How many statements had committed.
    from: usize,
    found: Vec<Option<Number>>,
}

/// Reads the keys, and the clock row at any time between.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Supposing {
    supposed: Clock,
    since: Time,
    from: usize,
    read: Option<Clock>,
    /// The newest version of each key, and whether it is a row.
    newest: Vec<Option<(Number, bool)>>,
}

impl World {
    /// What a reader does next: of one that supposes there may be two things.
    pub(super) fn read_on(&self, at: usize, keys: &[usize], reader: &Reader, next: &mut Next) {
        let then = |reader| {
            let mut world = self.clone();
            world.processes[at] = Process::Reader(keys.to_vec(), reader);
            Ok(world)
        };
        match reader {
            Reader::Starts => next.push(self.start(at, keys)),
            Reader::Reads(reading) => next.push(self.read(at, keys, reading)),
            Reader::Recalls(None) => {
                let read = (self.row.clock.clone(), self.time);
                next.push(then(Reader::Recalls(Some(read))));
            }
            Reader::Recalls(Some((clock, time))) => next.push(then(if *time == self.time {
                Reader::Supposes(Supposing {
                    supposed: clock.clone(),
                    since: self.time,
                    from: self.commits.len(),
                    read: None,
                    newest: Vec::new(),
                })
            } else {
                Reader::Starts
            })),
            Reader::Supposes(supposing) => {
                let mut is_done = true;
                if let Some(key) = keys.get(supposing.newest.len()) {
                    let newest = self.data[*key].last_key_value();
                    let mut supposing = supposing.clone();
                    supposing
                        .newest
                        .push(newest.map(|(number, row)| (*number, *row)));
                    next.push(then(Reader::Supposes(supposing)));
                    is_done = false;
                }
                if supposing.read.is_none() {
                    let read = Some(self.row.clock.clone());
                    let supposing = supposing.clone();
                    next.push(then(Reader::Supposes(Supposing { read, ..supposing })));
                    is_done = false;
                }
                if is_done {
                    next.push(self.judge(at, keys, supposing));
                }
            }
        }
    }

    /// Takes what was read for the rows of now, or begins anew.
    fn judge(&self, at: usize, keys: &[usize], supposing: &Supposing) -> Result<World, Wrong> {
        let mut world = self.clone();
        let clock = match &supposing.read {
            Some(read) if !holds(Rule::SupposedJudges) => read,
            _ => &supposing.supposed,
        };
        let moment = Moment::of(clock);
        let newest = supposing.newest.iter().flatten();
        let is_young = supposing.since == self.time || !holds(Rule::SupposedIsYoung);
        if !is_young
            || !newest
                .clone()
                .all(|(number, _)| is_as_supposed(&moment, *number))
        {
            world.processes[at] = Process::Reader(keys.to_vec(), Reader::Starts);
            return Ok(world);
        }
        let row = |newest: &Option<(Number, bool)>| newest.filter(|(_, is_row)| *is_row);
        let found = supposing
            .newest
            .iter()
            .map(|newest| row(newest).map(|(number, _)| number));
        self.check_read(supposing.from, keys, &found.collect::<Vec<_>>())?;
        world.processes[at] = Process::Over;
        Ok(world)
    }

    fn start(&self, at: usize, keys: &[usize]) -> Result<World, Wrong> {
        let mut world = self.clone();
        world.see_stamp()?;
        let reading = Reading {
            moment: Moment::of(&self.row.clock),
            since: self.time,
            from: self.commits.len(),
            found: Vec::new(),
        };
        world.processes[at] = Process::Reader(keys.to_vec(), Reader::Reads(reading));
        Ok(world)
    }

    /// Reads the next key, or is done.
    fn read(&self, at: usize, keys: &[usize], reading: &Reading) -> Result<World, Wrong> {
        let mut world = self.clone();
        if let Some(key) = keys.get(reading.found.len()) {
            let mut reading = reading.clone();
            reading.found.push(self.see(*key, &reading.moment));
            world.processes[at] = Process::Reader(keys.to_vec(), Reader::Reads(reading));
            return Ok(world);
        }
        world.processes[at] = Process::Over;
        if reading.since == self.time || reading.moment.is_kept(&self.row.clock) {
            self.check_read(reading.from, keys, &reading.found)?;
        }
        Ok(world)
    }
}
