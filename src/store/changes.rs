//! The changes of one statement: what it claims, what it sees while it does, what it writes.
//!
//! A statement that must not meet another one says what it will change ([`Claim`]) before it looks at what is there. So
//! that of two that insert one key exactly one finds it missing is a promise of the store, which knows of all who write
//! to it; where they are of one process and where they are not.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::bulk::Load;
use super::{BulkWriter, Durability, Snapshot, Store, WriteBatch};
use crate::error::{Error, Result};

/// A space that a statement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Its name.
    pub space: &'a str,
    /// Whether others may change it meanwhile.
    pub access: Access,
}

/// Whether others may change a space while it is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Those who claim it so, too: for changes that are right whatever is there.
    Shared,
    /// Nobody: for changes that depend on what is there.
    Exclusive,
}

impl<'a> Claim<'a> {
    /// All of a space, for nobody else.
    pub fn exclusive(space: &'a str) -> Self {
        let access = Access::Exclusive;
        Self { space, access }
    }

    /// A space, beside others.
    pub fn shared(space: &'a str) -> Self {
        let access = Access::Shared;
        Self { space, access }
    }
}

/// What one statement writes: all of it becomes visible by [`Changes::commit`], or nothing does. The claims are held
/// until it is dropped or committed.
pub trait Changes: Send + fmt::Debug {
    /// The store at this moment. What is claimed for nobody else is the same at every moment until the commit.
    ///
    /// Errors: those of [`Store::snapshot`].
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Adds changes, of any spaces, behind those before: of two on one key the later one counts. They may be sent at
    /// once, and are not seen before the commit.
    ///
    /// Errors: those of [`Store::write`], now or from [`Changes::commit`].
    fn write(&mut self, batch: WriteBatch) -> Result<()>;

    /// A way for so many changes of one space that they should not be held in memory, in key order. A statement has one
    /// for each space; whoever asks again goes on with it.
    ///
    /// Errors: `Internal` if the space does not exist; `Unavailable` if the store cannot write now.
    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>>;

    /// Applies all changes at this moment: every later snapshot sees all of them, every earlier one none. When it
    /// returns they are as safe as `durability` says; what came through [`Changes::bulk`] has reached the disk.
    ///
    /// Errors: `Internal` if a space does not exist any more, or there was an error before; `NotSupported` where the store
    /// cannot apply it in one step; `Unavailable` if it cannot write now. After an error nothing is visible.
    fn commit(self: Box<Self>, durability: Durability) -> Result<()>;
}

/// A store of one process: what [`begin`] is made of.
pub(super) trait LocalStore: Store {
    /// What is claimed.
    fn claims(&self) -> &Arc<Claims>;

    /// A load of a space, see [`Changes::bulk`].
    fn load(self: Arc<Self>, space: &str) -> Result<Box<dyn Load>>;
}

/// Begins a statement in a store of one process, once what it claims is free.
pub(super) fn begin(store: Arc<dyn LocalStore>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
    if store.is_read_only() {
        return Err(Error::unavailable(
            "the database is open read-only: nothing can be written",
        ));
    }
    let claimed = store.claims().take(claims);
    Ok(Box::new(LocalChanges {
        store,
        batch: WriteBatch::new(),
        loads: Vec::new(),
        claimed,
    }))
}

/// Gathers changes.
struct LocalChanges {
    store: Arc<dyn LocalStore>,
    batch: WriteBatch,
    loads: Vec<(String, Box<dyn Load>)>,
    claimed: Claimed,
}

impl fmt::Debug for LocalChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalChanges({:?})", self.claimed.spaces)
    }
}

impl Changes for LocalChanges {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.store.snapshot()
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        match self.batch.is_empty() {
            true => self.batch = batch,
            false => self.batch.append(&batch),
        }
        Ok(())
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        let known = self.loads.iter().position(|(name, _)| name == space);
        let at = match known {
            Some(at) => at,
            None => {
                let load = Arc::clone(&self.store).load(space)?;
                self.loads.push((space.to_owned(), load));
                self.loads.len() - 1
            }
        };
        let load = self.loads.get_mut(at).map(|(_, load)| load);
        let load = load.ok_or_else(|| Error::internal("a load that was just begun"))?;
        Ok(Box::new(load.as_mut()))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let Self {
            store,
            batch,
            mut loads,
            claimed,
        } = *self;
        let applied = match (loads.pop(), batch.is_empty()) {
            (None, _) => store.write(batch, durability),
            (Some((_, load)), true) if loads.is_empty() => load.ingest(),
            _ => Err(Error::unsupported(
                "a statement that loads a space in bulk can change no other in the same step",
            )),
        };
        // Whoever waits sees what was applied.
        drop(claimed);
        applied
    }
}

/// What statements have claimed of a store, by space.
#[derive(Debug, Default)]
pub(super) struct Claims {
    held: Mutex<HashMap<String, Held>>,
    freed: Condvar,
}

#[derive(Debug, Clone, Copy)]
enum Held {
    /// By so many.
    Shared(usize),
    Exclusive,
}

impl Claims {
    /// Waits until all of it is free, and takes it at once: nobody who waits holds anything, so that nobody waits for
    /// ever.
    fn take(self: &Arc<Self>, claims: &[Claim<'_>]) -> Claimed {
        let mut held = self.held.lock();
        self.freed.wait_while(&mut held, |held| {
            !claims.iter().all(|claim| is_free(held, claim))
        });
        for claim in claims {
            let claimed = held.entry(claim.space.to_owned());
            match claim.access {
                Access::Exclusive => {
                    claimed.insert_entry(Held::Exclusive);
                }
                Access::Shared => {
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
        (held.get(claim.space), claim.access),
        (None, _) | (Some(Held::Shared(_)), Access::Shared)
    )
}

/// Holds what was claimed until it is dropped.
#[derive(Debug)]
struct Claimed {
    claims: Arc<Claims>,
    spaces: Vec<String>,
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
