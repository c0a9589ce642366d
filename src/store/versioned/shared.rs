//! What a store, its statements and its snapshots share: the row service, what is known of the spaces, and whom it has
//! seen standing still.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::begin::{Begin, Beginning, Begun, Statement};
use super::cells;
use super::clock::{
    Answer, Change, Clock, ClockCell, Machine, Number, Owner, Progress, Request, Slot, SpaceClaim,
    Time,
};
use super::directory::{DIRECTORY, DIRECTORY_ID, Directory, SpaceRecord};
use super::finish::give_up;
use super::moment::Moment;
use super::service::{Amount, ClockCells, ClockChange, Reply, RowService, Rows, Window};
use super::values;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::store::{Direction, no_such_space};

/// A reading of the clock row, and when it was asked for.
pub(super) type Reading = (Arc<Clock>, Time);

/// The last reading of the clock row.
#[derive(Debug, Default)]
struct Newest {
    reading: Option<Reading>,
    /// Whether a statement begins on it, which changes the row.
    is_begun_on: bool,
}

/// How long things take, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Times {
    /// A statement that has stood still for so long is given up by those who wait for it.
    pub lease: Time,
    /// A statement says so often that it is alive.
    pub beat: Time,
    /// A moment is kept so long.
    pub retention: Time,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            lease: 10_000,
            beat: 2_000,
            retention: 3_600_000,
        }
    }
}

impl Times {
    /// What is younger needs no look at the horizon; what was not heard of for longer does nothing any more. The rest of
    /// the retention is for clocks that differ.
    pub(super) fn young(&self) -> Time {
        self.retention / 4
    }
}

/// How long something is asked for again, in milliseconds.
const PATIENCE: Time = 120_000;

/// A reading of the clock row that is older is not begun on, in milliseconds.
const RECENT: Time = 1_000;

/// The most time between two tries to begin.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// What is shared.
#[derive(Debug)]
pub(super) struct Shared<S> {
    pub service: S,
    pub times: Times,
    /// The newest directory that was read, and the number of the statement that has made it so.
    directory: Mutex<(Number, Arc<Directory>)>,
    /// What was in slots, and since when.
    watched: Mutex<HashMap<u8, (Slot, Time)>>,
    newest: Mutex<Newest>,
    /// Owners are this and a count.
    process: u64,
    begun: AtomicU64,
}

impl<S: RowService> Shared<S> {
    pub(super) fn new(service: S, times: Times) -> Self {
        Self {
            service,
            times,
            directory: Mutex::default(),
            watched: Mutex::default(),
            newest: Mutex::default(),
            process: RandomState::new().hash_one("a process of Halite"),
            begun: AtomicU64::new(0),
        }
    }

    /// Makes the clock row and the directory, if they are not there.
    pub(super) fn make(&self) -> Result<()> {
        while self.service.read_clock()?.is_empty() {
            self.service.create_table(DIRECTORY, &[])?;
            let format = (cells::FORMAT_COLUMN.to_vec(), Some(vec![cells::FORMAT]));
            let counter = ClockCell::Counter(0);
            let counter = (cells::column(&counter), cells::value(&counter));
            self.service.change_clock(&ClockChange {
                check: (cells::FORMAT_COLUMN.to_vec(), None),
                cells: vec![format, counter],
                number: 0,
            })?;
        }
        self.read_clock().map(drop)
    }

    pub(super) fn read_clock(&self) -> Result<Arc<Clock>> {
        let since = self.service.now();
        let cells = self.service.read_clock()?;
        self.take_in(&cells, since)
    }

    /// The clock row of these cells, which were asked for then.
    pub(super) fn take_in(&self, cells: &ClockCells, since: Time) -> Result<Arc<Clock>> {
        let cells = cells.iter();
        let clock = cells::clock(cells.map(|(column, value)| (&column[..], &value[..])))?;
        let clock = Arc::new(clock);
        *self.newest.lock() = Newest {
            reading: Some((Arc::clone(&clock), since)),
            is_begun_on: false,
        };
        Ok(clock)
    }

    /// The last reading of the clock row, and when it was asked for.
    pub(super) fn newest(&self) -> Option<Reading> {
        self.newest.lock().reading.clone()
    }

    /// Changes the clock row.
    pub(super) fn change(&self, change: &Change) -> Result<Reply<bool>> {
        let cell = |cell| (cells::column(cell), cells::value(cell));
        self.service.change_clock(&ClockChange {
            check: cell(&change.check),
            cells: change.cells.iter().map(cell).collect(),
            number: change.number,
        })
    }

    /// Drives a machine to its end, as long as `may_go_on` lets it.
    pub(super) fn drive<M: Machine>(
        &self,
        machine: M,
        may_go_on: impl Fn() -> Result<()>,
    ) -> Result<M::Outcome> {
        self.drive_seeing(machine, may_go_on, &mut None)
    }

    /// As [`Shared::drive`]; `seen` becomes the last reading of the clock row, and when it was asked for.
    fn drive_seeing<M: Machine>(
        &self,
        mut machine: M,
        may_go_on: impl Fn() -> Result<()>,
        seen: &mut Option<Reading>,
    ) -> Result<M::Outcome> {
        loop {
            may_go_on()?;
            let answer = match machine.request() {
                Request::Read => {
                    let since = self.service.now();
                    let clock = self.read_clock()?;
                    *seen = Some((Arc::clone(&clock), since));
                    Answer::Clock(Clock::clone(&clock), self.service.now())
                }
                Request::Change(change) => match self.change(&change)? {
                    Reply::Answered(is_made) => Answer::Changed(is_made),
                    Reply::Lost => Answer::Lost,
                },
            };
            match machine.go_on(answer) {
                Progress::Asks(next) => machine = next,
                Progress::Done(outcome) => return Ok(outcome),
            }
        }
    }

    /// Begins a statement; `None` where it would have to wait and must not.
    pub(super) fn begin(
        &self,
        claims: &Arc<[SpaceClaim]>,
        waits: bool,
    ) -> Result<Option<UnderWay>> {
        let owner = self.owner();
        let mut pause = Duration::from_micros(50);
        loop {
            let sent = self.service.now();
            let what = Beginning {
                owner,
                claims: Arc::clone(claims),
                mark_after: self.times.retention / 4,
            };
            let mut seen = self.recent(sent);
            let known = seen.as_ref();
            let known = known.and_then(|(clock, _)| Begin::knowing(what.clone(), clock, sent));
            let begin = known.unwrap_or_else(|| Begin::new(what));
            match self.drive_seeing(begin, || Ok(()), &mut seen)? {
                Begun::Yes(statement, _) => {
                    return Ok(Some(UnderWay {
                        statement,
                        sent,
                        seen,
                    }));
                }
                Begun::Busy(clock) => self.give_up_dead(&clock)?,
            }
            if !waits {
                return Ok(None);
            }
            self.service.wait(pause);
            pause = (pause * 2).min(LONGEST_WAIT);
        }
    }

    /// A reading of the clock row that is so new that it probably still holds: one that does not costs a message.
    fn recent(&self, now: Time) -> Option<Reading> {
        let mut newest = self.newest.lock();
        // Whoever begins on it changes it.
        if mem::replace(&mut newest.is_begun_on, true) {
            return None;
        }
        let reading = newest.reading.clone();
        reading.filter(|(_, since)| since.saturating_add(RECENT) > now)
    }

    fn owner(&self) -> Owner {
        let count = self.begun.fetch_add(1, Ordering::Relaxed);
        (Owner::from(self.process) << 64) | Owner::from(count)
    }

    /// Whether what was begun then is worth asking for once more.
    ///
    /// # Errors
    /// `Unavailable` where it was asked for again and again, and never answered.
    pub(super) fn check_patience(&self, began: Time) -> Result<()> {
        let asked_for = self.service.now().saturating_sub(began);
        if asked_for > PATIENCE.max(self.times.lease) {
            Err(Error::unavailable(
                "the servers have not answered for minutes: the statement is given up",
            ))
        } else {
            Ok(())
        }
    }

    /// Gives up the statements that have stood still for a lease, as seen from here.
    pub(super) fn give_up_dead(&self, clock: &Clock) -> Result<()> {
        let now = self.service.now();
        let mut dead = Vec::new();
        {
            let mut watched = self.watched.lock();
            watched.retain(|index, (slot, _)| clock.slots.get(index) == Some(slot));
            for (index, slot) in &clock.slots {
                let (_, since) = watched.entry(*index).or_insert((slot.clone(), now));
                if since.saturating_add(self.times.lease) <= now {
                    dead.push((*index, slot));
                }
            }
        }
        for (index, slot) in dead {
            self.change(&give_up(index, slot, self.service.now()))?;
        }
        Ok(())
    }

    /// The spaces of a reading of the clock row, if they were read before.
    pub(super) fn read_directory(&self, clock: &Clock) -> Option<Arc<Directory>> {
        let (known, directory) = self.directory.lock().clone();
        (known == version(clock)).then_some(directory)
    }

    /// The spaces at a moment.
    pub(super) fn directory(&self, clock: &Clock, moment: &Moment) -> Result<Arc<Directory>> {
        if let Some(directory) = self.read_directory(clock) {
            return Ok(directory);
        }
        let mut rows = Vec::new();
        self.scan(DIRECTORY, moment, &mut |key, value| rows.push((key, value)))?;
        let rows = rows.iter().map(|(key, value)| (&key[..], &value[..]));
        let directory = Arc::new(Directory::of(rows)?);
        let (version, mut newest) = (version(clock), self.directory.lock());
        if newest.0 < version {
            *newest = (version, Arc::clone(&directory));
        }
        Ok(directory)
    }

    /// Reads the directory, if it was changed.
    pub(super) fn refresh(&self) -> Result<()> {
        let clock = self.read_clock()?;
        self.directory(&clock, &Moment::of(&clock)).map(drop)
    }

    /// A space of the newest directory that is known here.
    ///
    /// # Errors
    /// `Internal` where there is none, nor in the newest there is.
    pub(super) fn known_space(&self, space: &str) -> Result<SpaceRecord> {
        if let Some(record) = self.known_directory().spaces.get(space) {
            return Ok(record.clone());
        }
        self.refresh()?;
        let directory = self.known_directory();
        let record = directory.spaces.get(space);
        record.cloned().ok_or_else(|| no_such_space(space))
    }

    /// The newest directory that is known here.
    pub(super) fn known_directory(&self) -> Arc<Directory> {
        Arc::clone(&self.directory.lock().1)
    }

    /// All rows of a table that are seen.
    fn scan(
        &self,
        table: &str,
        moment: &Moment,
        take: &mut dyn FnMut(Vec<u8>, Vec<u8>),
    ) -> Result<()> {
        let rows = Rows::Ranges(KeyRange::all().into(), Direction::Forward);
        let mut stream = self
            .service
            .read(table, rows, window(moment), Amount::all(usize::MAX))?;
        while let Some(rows) = stream.next()? {
            for (key, versions) in rows {
                if let Some(value) = moment.choose(versions).and_then(values::read) {
                    take(key.into(), value.into());
                }
            }
        }
        Ok(())
    }
}

/// Which directory there is: whoever changes it claims it alone, and leaves its number.
pub(super) fn version(clock: &Clock) -> Number {
    clock.stamps.get(&DIRECTORY_ID).copied().unwrap_or(0)
}

/// A statement that has begun, and when it was asked for.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub statement: Statement,
    pub sent: Time,
    /// The reading of the clock row on which it has begun, and when that was asked for.
    pub seen: Option<Reading>,
}

/// The versions among which a moment chooses.
pub(super) fn window(moment: &Moment) -> Window {
    Window {
        oldest: 0,
        newest: moment.newest,
        versions: moment.versions(),
    }
}

/// Nobody knows what has become of a statement.
pub(super) fn unknown_end() -> Error {
    Error::unavailable(
        "the servers have not answered for so long that nobody knows whether the statement was committed: look",
    )
}
