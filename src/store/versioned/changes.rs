//! The changes of one statement in a versioned store.
//!
//! Under one number a key has one value: a request that arrives twice, or late, must change nothing. So what is written in
//! batches is kept until the commit, when it is known what each key came to; a bulk load, whose keys come once, is sent as
//! it comes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::begin::Statement;
use super::clock::{Clock, Number, STAMPS, SpaceClaim, Time};
use super::directory::Written;
use super::finish::{End, Finish, Wish, beat};
use super::rules::{Rule, holds};
use super::service::{Reply, RowService};
use super::shared::{Reading, Shared, UnderWay, unknown_end};
use super::sight::Sight;
use super::snapshot::VersionedSnapshot;
use super::values;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::store::bulk::Ascending;
use crate::store::{
    BulkWriter, Changes, Durability, Sharing, Snapshot, WriteBatch, keys_in, no_such_space,
};

/// How many bytes are sent at once.
const PART: usize = 2 << 20;

/// A statement under way, as far as its process knows.
#[derive(Debug)]
pub(super) struct Alive {
    statement: Statement,
    /// When the last request was sent that has shown it to be alive.
    confirmed: Time,
    is_given_up: bool,
    has_ended: bool,
}

impl Alive {
    /// Says so, unless it has ended.
    pub(super) fn beat<S: RowService>(&mut self, shared: &Shared<S>) -> Result<()> {
        if self.has_ended || self.is_given_up {
            return Ok(());
        }
        let sent = shared.service.now();
        let (change, slot) = beat(&self.statement);
        match shared.change(&change)? {
            Reply::Answered(true) => {
                self.statement.slot = slot;
                self.confirmed = sent;
            }
            // A beat before it may have arrived without an answer; then the row tells.
            Reply::Answered(false) => self.look(shared, sent)?,
            Reply::Lost => {}
        }
        Ok(())
    }

    fn look<S: RowService>(&mut self, shared: &Shared<S>, sent: Time) -> Result<()> {
        let clock = shared.read_clock()?;
        let found = clock.slots.get(&self.statement.index);
        match found.filter(|slot| slot.number == self.statement.number()) {
            Some(slot) => {
                self.statement.slot = slot.clone();
                self.confirmed = sent;
            }
            None => self.is_given_up = true,
        }
        Ok(())
    }
}

/// A statement of a versioned store. Dropped, it is given up.
pub(super) struct VersionedChanges<S: RowService> {
    shared: Arc<Shared<S>>,
    alive: Arc<Mutex<Alive>>,
    claims: Arc<[SpaceClaim]>,
    /// By space and key.
    writes: BTreeMap<String, BTreeMap<Vec<u8>, Option<Vec<u8>>>>,
    /// By space: the keys of ranges that are deleted, but for those that a load has put again.
    deleted: BTreeMap<String, BTreeSet<Vec<u8>>>,
    loads: BTreeMap<String, Load>,
    /// What there was when it has begun, as long as nobody has asked for it.
    seen: Mutex<Seen<S>>,
    /// Whether something may have been put.
    has_put: AtomicBool,
}

/// What a statement sees: what there was when it began.
enum Seen<S> {
    /// By this reading of the clock row, asked for then.
    Read(Arc<Clock>, Time),
    Taken(Arc<Sight<S>>),
    /// Nobody has read it.
    Unread,
}

impl<S: RowService> Seen<S> {
    fn of(read: Option<Reading>) -> Self {
        match read {
            Some((clock, since)) => Self::Read(clock, since),
            None => Self::Unread,
        }
    }

    fn sight(&mut self, shared: &Arc<Shared<S>>) -> Result<Arc<Sight<S>>> {
        let sight = Arc::new(match self {
            Self::Taken(sight) => return Ok(Arc::clone(sight)),
            Self::Read(clock, since) => Sight::of(shared, Arc::clone(clock), *since)?,
            Self::Unread => Sight::take(shared)?,
        });
        *self = Self::Taken(Arc::clone(&sight));
        Ok(sight)
    }
}

/// A bulk load of a space.
#[derive(Debug)]
struct Load {
    table: Arc<str>,
    order: Ascending,
    last: Option<Vec<u8>>,
    /// What was not sent yet.
    puts: Vec<(Vec<u8>, Vec<u8>)>,
    bytes: usize,
}

impl<S: RowService> VersionedChanges<S> {
    pub(super) fn new(
        shared: &Arc<Shared<S>>,
        begun: UnderWay,
        claims: &Arc<[SpaceClaim]>,
    ) -> Self {
        let alive = Alive {
            statement: begun.statement,
            confirmed: begun.sent,
            is_given_up: false,
            has_ended: false,
        };
        Self {
            shared: Arc::clone(shared),
            alive: Arc::new(Mutex::new(alive)),
            claims: Arc::clone(claims),
            writes: BTreeMap::new(),
            deleted: BTreeMap::new(),
            loads: BTreeMap::new(),
            seen: Mutex::new(Seen::of(begun.seen)),
            has_put: AtomicBool::new(false),
        }
    }

    pub(super) fn alive(&self) -> &Arc<Mutex<Alive>> {
        &self.alive
    }

    pub(super) fn statement(&self) -> Statement {
        self.alive.lock().statement.clone()
    }

    pub(super) fn number(&self) -> Number {
        self.alive.lock().statement.number()
    }

    /// Whether it may still do something: of a statement that was not heard of for long nothing must be on its way when
    /// it is swept.
    ///
    /// # Errors
    /// `Unavailable` otherwise.
    pub(super) fn check_alive(&self) -> Result<()> {
        let alive = self.alive.lock();
        let age = self.shared.service.now().saturating_sub(alive.confirmed);
        if alive.is_given_up || age > self.shared.times.young() {
            Err(given_up(self.shared.times.lease))
        } else {
            Ok(())
        }
    }

    /// Puts until every row was acknowledged.
    pub(super) fn put(
        &self,
        table: &str,
        puts: &[(Vec<u8>, Vec<u8>)],
        durability: Durability,
    ) -> Result<()> {
        let number = self.number();
        let began = self.shared.service.now();
        loop {
            self.check_alive()?;
            self.has_put.store(true, Ordering::Relaxed);
            self.shared.check_patience(began)?;
            match self.shared.service.put(table, number, puts, durability)? {
                Reply::Answered(()) => return Ok(()),
                Reply::Lost if !holds(Rule::PutsBeforeCommit) => return Ok(()),
                Reply::Lost => {}
            }
        }
    }

    /// Puts what was written to a space that stands in no directory.
    pub(super) fn put_written(&self, table: &str, written: Written) -> Result<()> {
        let puts = written.into_iter().map(|(key, value)| (key, kept(value)));
        self.put(table, &puts.collect::<Vec<_>>(), Durability::Sync)
    }

    /// Notes which keys a range has. Each will be written to be no more: HBase deletes by versions and not by ranges.
    fn delete_range(&mut self, space: &str, range: &KeyRange) -> Result<()> {
        let load = self.loads.get(space);
        if load.is_some_and(|load| load.last.as_deref() >= Some(range.start())) {
            return Err(Error::internal(format!(
                "a range of the space {space} is deleted behind a load that may have put keys there"
            )));
        }
        let keys = keys_in(self.snapshot()?, space, range)?;
        let deleted = self.deleted.entry(space.to_owned()).or_default();
        deleted.extend(keys);
        Ok(())
    }

    /// Sends what a load has gathered.
    fn send(&mut self, space: &str) -> Result<()> {
        let Some(load) = self.loads.get_mut(space) else {
            return Ok(());
        };
        let puts = std::mem::take(&mut load.puts);
        load.bytes = 0;
        let table = Arc::clone(&load.table);
        if puts.is_empty() {
            Ok(())
        } else {
            self.put(&table, &puts, Durability::Sync)
        }
    }

    /// Sends all that was not sent.
    fn send_all(&mut self, durability: Durability) -> Result<()> {
        for (space, load) in &self.loads {
            load.order.check_unbroken()?;
            if self.shared.known_space(space)?.table != load.table {
                return Err(no_such_space(space));
            }
        }
        for (space, keys) in std::mem::take(&mut self.deleted) {
            let writes = self.writes.entry(space).or_default();
            for key in keys {
                writes.entry(key).or_default();
            }
        }
        for space in self.writes.keys() {
            self.shared.known_space(space)?;
        }
        let loaded: Vec<String> = self.loads.keys().cloned().collect();
        for space in loaded {
            self.send(&space)?;
        }
        for (space, writes) in std::mem::take(&mut self.writes) {
            let table = &self.shared.known_space(&space)?.table;
            let mut part = Vec::new();
            let mut bytes = 0;
            for (key, value) in writes {
                let value = kept(value);
                bytes += key.len() + value.len();
                part.push((key, value));
                if bytes >= PART {
                    self.put(table, &std::mem::take(&mut part), durability)?;
                    bytes = 0;
                }
            }
            if !part.is_empty() {
                self.put(table, &part, durability)?;
            }
        }
        Ok(())
    }

    /// The spaces whose stamps a commit changes.
    fn stamped(&self) -> Vec<u8> {
        let directory = self.shared.known_directory();
        let claims = self.claims.iter();
        let records = claims.filter_map(|claim| directory.spaces.get(&*claim.space));
        let ids = records.filter_map(|record| u8::try_from(record.id).ok());
        ids.filter(|id| *id < STAMPS).collect()
    }

    /// Commits, with the stamps of these spaces.
    pub(super) fn commit_stamping(self, stamped: Vec<u8>) -> Result<()> {
        self.check_alive()?;
        match self.finish(Wish::Commit(stamped))? {
            End::Committed => Ok(()),
            End::GivenUp => Err(given_up(self.shared.times.lease)),
        }
    }

    fn finish(&self, wish: Wish) -> Result<End> {
        let mut alive = self.alive.lock();
        if alive.has_ended {
            return Ok(End::GivenUp);
        }
        alive.has_ended = true;
        let finish = Finish::new(alive.statement.clone(), wish);
        let confirmed = alive.confirmed;
        drop(alive);
        let young = self.shared.times.young();
        // Asked later, the row could have forgotten that it was given up.
        let may_go_on = || {
            if self.shared.service.now().saturating_sub(confirmed) > 2 * young {
                Err(unknown_end())
            } else {
                Ok(())
            }
        };
        let end = self.shared.drive(finish, may_go_on);
        // An answer may have been lost before the error.
        end.map_err(|error| unknown_end().with_source(error))
    }
}

fn kept(value: Option<Vec<u8>>) -> Vec<u8> {
    value.map_or_else(Vec::new, |value| values::kept(&value))
}

fn given_up(lease: Time) -> Error {
    let seconds = lease / 1000;
    Error::unavailable(format!(
        "the statement was given up, and has changed nothing: nothing was heard of this process for {seconds} s"
    ))
}

impl<S: RowService> fmt::Debug for VersionedChanges<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VersionedChanges({:?})", self.claims)
    }
}

impl<S: RowService> Changes for VersionedChanges<S> {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        // What it shares others change meanwhile.
        let is_alone = |claim: &SpaceClaim| claim.sharing == Sharing::Exclusive;
        let sight = if self.claims.iter().all(is_alone) {
            self.seen.lock().sight(&self.shared)?
        } else {
            Arc::new(Sight::take(&self.shared)?)
        };
        Ok(Arc::new(VersionedSnapshot(sight)))
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        for (space, range) in batch.ranges() {
            self.delete_range(space, range)?;
        }
        for operation in batch.iter() {
            let load = self.loads.get(operation.space);
            if load.is_some_and(|load| load.last.as_deref() >= Some(operation.key)) {
                return Err(Error::internal(format!(
                    "a key of the space {} is written behind a load that may have it",
                    operation.space
                )));
            }
            let value = operation.value.map(<[u8]>::to_vec);
            let writes = self.writes.entry(operation.space.to_owned()).or_default();
            writes.insert(operation.key.to_vec(), value);
        }
        Ok(())
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        if !self.loads.contains_key(space) {
            let load = Load {
                table: self.shared.known_space(space)?.table,
                order: Ascending::default(),
                last: None,
                puts: Vec::new(),
                bytes: 0,
            };
            self.loads.insert(space.to_owned(), load);
        }
        Ok(Box::new(Loader {
            changes: self,
            space: space.to_owned(),
        }))
    }

    fn commit(mut self: Box<Self>, durability: Durability) -> Result<()> {
        self.send_all(durability)?;
        let stamped = self.stamped();
        self.commit_stamping(stamped)
    }
}

impl<S: RowService> Drop for VersionedChanges<S> {
    fn drop(&mut self) {
        // What has put nothing leaves nothing, and nobody has to know its number any more.
        let wish = if *self.has_put.get_mut() {
            Wish::GiveUp(self.shared.service.now())
        } else {
            Wish::Commit(Vec::new())
        };
        // Where it cannot be, those who wait for it give it up.
        let _ = self.finish(wish);
    }
}

/// Goes on with the load of a space.
struct Loader<'a, S: RowService> {
    changes: &'a mut VersionedChanges<S>,
    space: String,
}

impl<S: RowService> Loader<'_, S> {
    fn change(&mut self, key: &[u8], value: Option<Vec<u8>>) -> Result<()> {
        let writes = self.changes.writes.get(&self.space);
        // What is written in batches counts as later.
        let is_written = writes.is_some_and(|writes| writes.contains_key(key));
        let load = self.changes.loads.get_mut(&self.space);
        let load = load.ok_or_else(|| Error::internal("a load that was just begun"))?;
        load.order.admit(key)?;
        load.last = Some(key.to_vec());
        if let Some(deleted) = self.changes.deleted.get_mut(&self.space) {
            deleted.remove(key);
        }
        if is_written {
            return Ok(());
        }
        let value = kept(value);
        load.bytes += key.len() + value.len();
        load.puts.push((key.to_vec(), value));
        if load.bytes < PART {
            return Ok(());
        }
        let sent = self.changes.send(&self.space);
        if sent.is_err()
            && let Some(load) = self.changes.loads.get_mut(&self.space)
        {
            load.order.set_broken();
        }
        sent
    }
}

impl<S: RowService> BulkWriter for Loader<'_, S> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.change(key, Some(value.to_vec()))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.change(key, None)
    }
}
