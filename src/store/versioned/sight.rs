//! What a snapshot is made of: one reading of the clock row, and the spaces that there were.

use std::sync::Arc;

use super::clock::{Clock, Time};
use super::directory::{Directory, SpaceRecord};
use super::moment::{Moment, stamp};
use super::service::RowService;
use super::shared::Shared;
use crate::error::{Error, Result};
use crate::store::no_such_space;

/// A moment, and the spaces that there are at it.
pub(super) struct Sight<S> {
    pub shared: Arc<Shared<S>>,
    pub moment: Moment,
    clock: Clock,
    directory: Arc<Directory>,
    /// When it was asked for.
    since: Time,
}

impl<S: RowService> Sight<S> {
    /// That of now: one message, and one scan more where spaces were made or dropped since the last.
    pub(super) fn take(shared: &Arc<Shared<S>>) -> Result<Self> {
        let since = shared.service.now();
        let clock = shared.read_clock()?;
        Self::of(shared, clock, since)
    }

    /// That of a reading of the clock row, which was asked for then.
    pub(super) fn of(shared: &Arc<Shared<S>>, clock: Clock, since: Time) -> Result<Self> {
        let moment = Moment::of(&clock);
        let directory = shared.directory(&clock, &moment)?;
        Ok(Self {
            shared: Arc::clone(shared),
            moment,
            clock,
            directory,
            since,
        })
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
        // One that was dropped and made again has another id.
        let id = self.directory.spaces.get(space).map(|record| record.id);
        stamp(&self.clock, space, id.unwrap_or(u64::MAX))
    }

    /// Asked when something was read: whether all that this moment sees was still there.
    ///
    /// # Errors
    /// `Unavailable` where a vacuum may have removed some of it.
    pub(super) fn check_kept(&self) -> Result<()> {
        let times = &self.shared.times;
        let age = self.shared.service.now().saturating_sub(self.since);
        if age < times.young() || self.moment.is_kept(&self.shared.read_clock()?) {
            return Ok(());
        }
        let minutes = times.retention / 60_000;
        Err(Error::unavailable(format!(
            "the snapshot is too old: what it reads is kept for {minutes} minutes, and a vacuum has removed versions since"
        )))
    }
}
