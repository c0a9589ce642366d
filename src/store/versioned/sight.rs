//! What a snapshot is made of: one reading of the clock row, and the spaces that there were.

use std::sync::Arc;

use super::clock::{Clock, Number, Time};
use super::directory::{Directory, SpaceRecord};
use super::moment::{Moment, stamp};
use super::optimistic::Supposition;
use super::service::{Amount, RowService, RowStream, Rows, Window};
use super::shared::{Shared, version, window};
use crate::error::{Error, Result};
use crate::store::no_such_space;

/// A moment, and the spaces that there are at it.
pub(super) struct Sight<S> {
    pub shared: Arc<Shared<S>>,
    pub moment: Moment,
    clock: Arc<Clock>,
    directory: Arc<Directory>,
    /// When it was asked for.
    since: Time,
    /// Where it is supposed to be the moment of now.
    supposed: Option<Supposition>,
}

impl<S: RowService> Sight<S> {
    /// That of now: one message, and one scan more where spaces were made or dropped since the last.
    pub(super) fn take(shared: &Arc<Shared<S>>) -> Result<Self> {
        let since = shared.service.now();
        let clock = shared.read_clock()?;
        Self::of(shared, clock, since)
    }

    /// That of a reading of the clock row, which was asked for then.
    pub(super) fn of(shared: &Arc<Shared<S>>, clock: Arc<Clock>, since: Time) -> Result<Self> {
        let moment = Moment::of(&clock);
        let directory = shared.directory(&clock, &moment)?;
        Ok(Self {
            shared: Arc::clone(shared),
            moment,
            clock,
            directory,
            since,
            supposed: None,
        })
    }

    /// That of the last reading, which is supposed to hold now; `None` where nothing young is known.
    pub(super) fn suppose(shared: &Arc<Shared<S>>) -> Option<Self> {
        let now = shared.service.now();
        let (clock, since) = shared.newest()?;
        if now.saturating_sub(since) >= shared.times.young() {
            return None;
        }
        Some(Self {
            directory: shared.read_directory(&clock)?,
            moment: Moment::of(&clock),
            clock,
            shared: Arc::clone(shared),
            since: now,
            supposed: Some(Supposition::default()),
        })
    }

    /// Begins to read. A supposed moment reads the clock row beside the first keys.
    pub(super) fn read(
        &self,
        table: &str,
        rows: Rows,
        amount: Amount,
    ) -> Result<Box<dyn RowStream>> {
        let service = &self.shared.service;
        let window = self.window();
        match (&self.supposed, rows) {
            (Some(supposed), Rows::Keys(keys)) if supposed.read().is_none() => {
                let since = service.now();
                let (cells, stream) = service.read_beside_clock(table, keys, window)?;
                supposed.note(self.shared.take_in(&cells, since)?);
                Ok(stream)
            }
            (_, rows) => service.read(table, rows, window, amount),
        }
    }

    fn window(&self) -> Window {
        match self.supposed {
            Some(_) => Supposition::window(),
            None => window(&self.moment),
        }
    }

    /// Of the versions of a row, newest first, the one that is seen.
    pub(super) fn choose<T>(&self, versions: impl IntoIterator<Item = (Number, T)>) -> Option<T> {
        match &self.supposed {
            Some(supposed) => supposed.choose(&self.moment, versions),
            None => self.moment.choose(versions),
        }
    }

    /// See [`Snapshot::holds`](crate::store::Snapshot::holds).
    pub(super) fn holds(&self) -> Result<bool> {
        let Some(supposed) = &self.supposed else {
            return Ok(true);
        };
        if supposed.is_refuted() {
            return Ok(false);
        }
        let clock = match supposed.read() {
            Some(clock) => clock,
            None => self.shared.read_clock()?,
        };
        let is_same = |space: &String| {
            let id = self.id(space);
            stamp(&clock, space, id) == stamp(&self.clock, space, id)
        };
        let age = self.shared.service.now().saturating_sub(self.since);
        Ok(age < self.shared.times.young()
            && version(&clock) == version(&self.clock)
            && supposed.all_stamped().iter().all(is_same))
    }

    pub(super) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(super) fn space(&self, space: &str) -> Result<&SpaceRecord> {
        let found = self.directory.spaces.get(space);
        found.ok_or_else(|| no_such_space(space))
    }

    /// See [`Snapshot::stamp`](crate::store::Snapshot::stamp).
    pub(super) fn stamp(&self, space: &str) -> u64 {
        if let Some(supposed) = &self.supposed {
            supposed.stamped(space);
        }
        stamp(&self.clock, space, self.id(space))
    }

    /// One that was dropped and made again has another.
    fn id(&self, space: &str) -> u64 {
        let record = self.directory.spaces.get(space);
        record.map_or(u64::MAX, |record| record.id)
    }

    /// Asked when something was read: whether all that this moment sees was still there.
    ///
    /// # Errors
    /// `Unavailable` where a vacuum may have removed some of it.
    pub(super) fn check_kept(&self) -> Result<()> {
        // A supposed one is looked at in the end.
        if self.supposed.is_some() {
            return Ok(());
        }
        let times = &self.shared.times;
        let age = self.shared.service.now().saturating_sub(self.since);
        if age < times.young() || self.moment.is_kept(self.shared.read_clock()?.as_ref()) {
            return Ok(());
        }
        let minutes = times.retention / 60_000;
        Err(Error::unavailable(format!(
            "the snapshot is too old: what it reads is kept for {minutes} minutes, and a vacuum has removed versions since"
        )))
    }
}
