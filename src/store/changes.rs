//! The changes of one statement: what it claims, what it sees while it does, what it writes.
//!
//! A statement that depends on what is there takes a [`Claim`], a lock on a space, before it looks. So of two
//! statements that insert one key exactly one finds it missing. That is a promise of the store and not of its callers:
//! it alone knows all writers, those of other processes included.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use parking_lot::{Condvar, Mutex, RwLock};

use super::{BulkWriter, Durability, Durable, Snapshot, Store, WriteBatch};
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;

/// A lock on a space that a statement changes, held from [`Store::begin`] until the statement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Its name.
    pub space: &'a str,
    /// Whether others may change it meanwhile.
    pub sharing: Sharing,
}

/// Whether others may change a space while it is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Statements whose claim is shared, too: for changes that are right whatever is there. Of two of them that change one
    /// key while both are under way the one stands that commits last, or the one that began last: stores differ.
    Shared,
    /// None: for changes that depend on what is there.
    Exclusive,
}

impl<'a> Claim<'a> {
    /// An exclusive claim on a space.
    pub fn exclusive(space: &'a str) -> Self {
        let sharing = Sharing::Exclusive;
        Self { space, sharing }
    }

    /// A shared claim on a space.
    pub fn shared(space: &'a str) -> Self {
        let sharing = Sharing::Shared;
        Self { space, sharing }
    }
}

/// What one statement writes: all of it becomes visible by [`Changes::commit`], or nothing does. The claims are held
/// until it is dropped or committed.
pub trait Changes: Send + fmt::Debug {
    /// The store as it was when the statement began, or later, without the statement's own changes. A space that it has
    /// claimed exclusively is the same at every moment until the commit.
    ///
    /// Errors: those of [`Store::snapshot`].
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Whether an entry of the space may hold several rows, as [`Snapshot::is_grouped`] says.
    #[cfg(any(test, feature = "test-stores"))]
    fn is_grouped(&self, _space: &str) -> bool {
        false
    }

    /// Appends changes of any spaces. Of several changes of one key the last one counts; those made through
    /// [`Changes::bulk`] count as earlier than all of these, and ranges that are deleted as earlier than those. A store may
    /// send them at once; nobody sees them before the commit.
    ///
    /// Who deletes a range has it to itself, by a claim on its space or on one that stands for it: what others put there
    /// meanwhile may go or stay.
    ///
    /// Errors: those of [`Changes::commit`], here or there; a remote store may refuse, as `Internal`, a key or a range that
    /// it may have sent already, because a load of the same space has passed it.
    fn write(&mut self, batch: WriteBatch) -> Result<()>;

    /// A writer for more changes of one space than should be held in memory, in key order. A statement has one load for
    /// each space: another writer for the space goes on with it, above the keys before.
    ///
    /// Errors: `Internal` if the space does not exist; `Unavailable` if the store cannot write now.
    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>>;

    /// Applies all changes at one moment, and gives the claims back: every later snapshot sees all of them, every
    /// earlier one none. When it returns they are as durable as `durability` says; those of [`Changes::bulk`] always as
    /// with [`Durability::Sync`].
    ///
    /// Errors: `Internal` if a space does not exist any more, or there was an error before; `Unavailable` if the store
    /// cannot write now. After an error nothing is visible, unless it says that nobody knows: the answer of a remote store
    /// was lost.
    fn commit(self: Box<Self>, durability: Durability) -> Result<()>;

    /// As [`Changes::commit`], but may return when the changes are visible and the claims given back, and not yet as
    /// durable as `durability` says: then they are when what it gives has been waited for. So statements that come one
    /// after the other wait for the disk together.
    ///
    /// Errors: as [`Changes::commit`].
    fn commit_early(self: Box<Self>, durability: Durability) -> Result<Option<Durable>> {
        self.commit(durability).map(|()| None)
    }
}

/// A store of one process: what [`begin`] is made of.
pub(super) trait LocalStore: Store {
    /// Changes of one space that are written aside. Dropped, it leaves nothing behind, on disk neither.
    type Load: BulkWriter + 'static;

    /// What is claimed.
    fn claims(&self) -> &Arc<Claims>;

    /// Applies a batch: all of it or nothing, over several spaces too. When it returns, every later snapshot sees it.
    ///
    /// Errors: as [`Changes::commit`]; `Unavailable` if the store is read-only, even for an empty batch.
    fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()>;

    /// As [`LocalStore::write`] of what is to be synced; where it returns something, that is to be waited for.
    ///
    /// Errors: as [`LocalStore::write`].
    fn write_early(self: Arc<Self>, batch: WriteBatch) -> Result<Option<Durable>> {
        self.write(batch, Durability::Sync).map(|()| None)
    }

    /// A load of a space, see [`Changes::bulk`], that begins with deleting these ranges.
    fn load(self: Arc<Self>, space: &str, deleted: &[&KeyRange]) -> Result<Self::Load>;

    /// Applies loads, at least one, in one step, each behind those before it; of one space there may be several. When it
    /// returns they have reached the disk, as with [`Durability::Sync`], and so has all that was written before them.
    ///
    /// Errors: as [`Changes::commit`].
    fn ingest(&self, loads: Vec<Self::Load>) -> Result<()>;
}

/// Begins a statement in a store of one process, once what it claims is free.
pub(super) fn begin<S: LocalStore + 'static>(
    store: Arc<S>,
    claims: &[Claim<'_>],
) -> Result<Box<dyn Changes>> {
    check_writable(store.as_ref())?;
    let claimed = store.claims().take(claims);
    Ok(begun(store, claimed))
}

/// As [`begin`], if what it claims is free now.
pub(super) fn try_begin<S: LocalStore + 'static>(
    store: Arc<S>,
    claims: &[Claim<'_>],
) -> Result<Option<Box<dyn Changes>>> {
    check_writable(store.as_ref())?;
    let claimed = store.claims().try_take(claims);
    Ok(claimed.map(|claimed| begun(store, claimed)))
}

fn check_writable(store: &impl LocalStore) -> Result<()> {
    if store.is_read_only() {
        Err(Error::unavailable(
            "the database is open read-only: nothing can be written",
        ))
    } else {
        Ok(())
    }
}

fn begun<S: LocalStore + 'static>(store: Arc<S>, claimed: Claimed) -> Box<dyn Changes> {
    Box::new(LocalChanges {
        store,
        batch: WriteBatch::new(),
        loads: Vec::new(),
        claimed,
    })
}

/// Gathers changes.
struct LocalChanges<S: LocalStore> {
    store: Arc<S>,
    batch: WriteBatch,
    loads: Vec<(String, S::Load)>,
    claimed: Claimed,
}

impl<S: LocalStore> fmt::Debug for LocalChanges<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalChanges({:?})", self.claimed.spaces)
    }
}

impl<S: LocalStore> Changes for LocalChanges<S> {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.store.snapshot()
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        if self.batch.is_empty() {
            self.batch = batch
        } else {
            self.batch.append(&batch)
        }
        Ok(())
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        let known = self.loads.iter().position(|(name, _)| name == space);
        let at = match known {
            Some(at) => at,
            None => {
                let load = Arc::clone(&self.store).load(space, &[])?;
                self.loads.push((space.to_owned(), load));
                self.loads.len() - 1
            }
        };
        let load = self.loads.get_mut(at).map(|(_, load)| load);
        let load = load.ok_or_else(|| Error::internal("a load that was just begun"))?;
        Ok(Box::new(load))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let Self {
            store,
            batch,
            loads,
            claimed,
        } = *self;
        let applied = if loads.is_empty() {
            store.write(batch, durability)
        } else {
            ingest(&store, &batch, loads)
        };
        free(claimed);
        applied
    }

    fn commit_early(self: Box<Self>, durability: Durability) -> Result<Option<Durable>> {
        if durability != Durability::Sync || !self.loads.is_empty() {
            return self.commit(durability).map(|()| None);
        }
        let Self {
            store,
            batch,
            claimed,
            ..
        } = *self;
        let written = store.write_early(batch);
        free(claimed);
        written
    }
}

/// Gives back what was claimed for changes that were applied.
fn free(claimed: Claimed) {
    // Whoever waits sees what was applied; after an error nobody knows.
    claimed.stamp();
    drop(claimed);
}

/// Applies loads and what was written beside them in one step. A batch becomes loads, too: then there is one way in
/// which a step of several parts is taken.
fn ingest<S: LocalStore>(
    store: &Arc<S>,
    batch: &WriteBatch,
    begun: Vec<(String, S::Load)>,
) -> Result<()> {
    let mut loads = Vec::new();
    for space in batch.spaces() {
        let ranges = batch.ranges().filter(|(name, _)| *name == space);
        let ranges: Vec<&KeyRange> = ranges.map(|(_, range)| range).collect();
        if !ranges.is_empty() {
            loads.push(Arc::clone(store).load(space, &ranges)?);
        }
    }
    loads.extend(begun.into_iter().map(|(_, load)| load));
    for space in batch.spaces() {
        let changes = sorted(batch, space);
        if changes.is_empty() {
            continue;
        }
        let mut load = Arc::clone(store).load(space, &[])?;
        for (key, value) in changes {
            match value {
                Some(value) => load.put(key, value)?,
                None => load.delete(key)?,
            }
        }
        loads.push(load);
    }
    store.ingest(loads)
}

/// What a batch leaves under each key of a space.
fn sorted<'a>(batch: &'a WriteBatch, space: &str) -> BTreeMap<&'a [u8], Option<&'a [u8]>> {
    let operations = batch.iter().filter(|operation| operation.space == space);
    operations
        .map(|operation| (operation.key, operation.value))
        .collect()
}

/// What statements have claimed of a store, by space.
#[derive(Debug, Default)]
pub(super) struct Claims {
    held: Mutex<HashMap<String, Held>>,
    freed: Condvar,
    stamps: RwLock<Stamps>,
}

/// Which commit changed a space last. Commits are counted over all spaces, so that one that is dropped and made again
/// never has a number for the second time.
#[derive(Debug, Default)]
struct Stamps {
    commits: u64,
    by_space: HashMap<String, u64, RandomState>,
}

#[derive(Debug, Clone, Copy)]
enum Held {
    /// By so many.
    Shared(usize),
    Exclusive,
}

impl Claims {
    /// See [`Snapshot::stamp`].
    pub(super) fn stamp(&self, space: &str) -> u64 {
        let stamps = self.stamps.read();
        stamps.by_space.get(space).copied().unwrap_or_default()
    }

    /// Forgets a space that was dropped.
    pub(super) fn forget(&self, space: &str) {
        self.stamps.write().by_space.remove(space);
    }

    /// Waits until all of it is free, and takes it at once: nobody who waits holds anything, so that nobody waits for
    /// ever.
    fn take(self: &Arc<Self>, claims: &[Claim<'_>]) -> Claimed {
        let mut held = self.held.lock();
        self.freed.wait_while(&mut held, |held| {
            !claims.iter().all(|claim| is_free(held, claim))
        });
        self.hold(&mut held, claims)
    }

    /// Takes all of it, if it is free.
    fn try_take(self: &Arc<Self>, claims: &[Claim<'_>]) -> Option<Claimed> {
        let mut held = self.held.lock();
        let are_free = claims.iter().all(|claim| is_free(&held, claim));
        are_free.then(|| self.hold(&mut held, claims))
    }

    fn hold(self: &Arc<Self>, held: &mut HashMap<String, Held>, claims: &[Claim<'_>]) -> Claimed {
        for claim in claims {
            let claimed = held.entry(claim.space.to_owned());
            match claim.sharing {
                Sharing::Exclusive => {
                    claimed.insert_entry(Held::Exclusive);
                }
                Sharing::Shared => {
                    claimed
                        .and_modify(|held| {
                            if let Held::Shared(count) = held {
                                *count += 1;
                            }
                        })
                        .or_insert(Held::Shared(1));
                }
            }
        }
        Claimed {
            claims: Arc::clone(self),
            spaces: claims.iter().map(|claim| claim.space.to_owned()).collect(),
        }
    }
}

fn is_free(held: &HashMap<String, Held>, claim: &Claim<'_>) -> bool {
    matches!(
        (held.get(claim.space), claim.sharing),
        (None, _) | (Some(Held::Shared(_)), Sharing::Shared)
    )
}

/// Holds what was claimed until it is dropped.
#[derive(Debug)]
struct Claimed {
    claims: Arc<Claims>,
    spaces: Vec<String>,
}

impl Claimed {
    /// Gives the spaces their next stamp.
    fn stamp(&self) {
        let stamps = &mut *self.claims.stamps.write();
        stamps.commits += 1;
        for space in &self.spaces {
            stamps.by_space.insert(space.clone(), stamps.commits);
        }
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        let mut held = self.claims.held.lock();
        for space in &self.spaces {
            match held.get_mut(space) {
                Some(Held::Shared(count)) if *count > 1 => *count -= 1,
                _ => drop(held.remove(space)),
            }
        }
        self.claims.freed.notify_all();
    }
}
