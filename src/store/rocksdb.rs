//! The store on disk: RocksDB. This file and those in the directory of its name are the only ones that know it.
//!
//! # On disk
//!
//! A database is a RocksDB directory. Each space is a column family, named as the space, with `.dense` or `.plain`
//! behind it where its [`Compression`](super::Compression) is not [`Compression::Fast`](super::Compression::Fast): so what a space needs to be opened is known before
//! anything is opened. The empty column family `halite-format-<n>` says that the database is Halite's and which version
//! of this layout it has; names can be listed without opening, so that a directory of another program, or of a newer
//! Halite, is refused before a byte of it is changed. A file `halite-creating` stands in the directory while it is
//! being made; if that is cut short, the next open for writing goes on. A directory `halite-loads` holds the files of
//! bulk loads while they are written (see [`bulk`]); what it holds when the database is opened for writing was left
//! by a process that was killed, and is removed.
//!
//! # What is promised and by what
//!
//! * Options are given for every column family at every open; RocksDB's own file of them is never read.
//! * A damaged record in the middle of the log fails the open; only a torn tail is forgiven
//!   (`TolerateCorruptedTailRecords`). [`Durability::Sync`] waits for `fsync`; the log is never off.
//! * A database that is closed in order has its entries in files, not in the log, and is [sealed](super::seal): a list
//!   of files that is cut short later is noticed. After a crash it cannot be told from one that the crash cut short.
//! * Every iterator's status is looked at when it ends, in one place ([`RocksCursor::fill`]).
//! * A run of deleted entries hands control back, see [`StoreOptions::interrupt_after`].
//! * Handles, snapshots and iterators own what they stand on (the `self_cell` types below), and let go of it in the
//!   right order; the database closes when the store and the last of them are dropped.

mod bulk;
mod maintain;
mod open;
mod verify;

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::rocksdb::{
    AsColumnFamilyRef, BoundColumnFamily, Cache, DB, DBRawIterator, ErrorKind as RocksErrorKind,
    FlushOptions, Options, Range, ReadOptions, SizeApproximationFlags, Snapshot as RocksView,
    WriteOptions, statistics::Ticker,
};
use parking_lot::RwLock;
use self_cell::self_cell;

use self::open::{family_options, space_buffer};
use super::bulk::Load;
use super::changes::{self, Claims, LocalStore};
use super::directory::{family_of_space, space_of_family};
use super::local::{self, KEYS_PER_LOOKUP, Visit};
use super::remaining::Remaining;
use super::seal;
use super::{
    Changes, Chunk, ChunkLimit, Claim, Cursor, Direction, Durability, LocalSnapshot, ReadRequest,
    Reader, Snapshot, SpaceOptions, Store, StoreOptions, WriteBatch, check_space_name,
    has_failed_before, no_such_space, outside_of_cursor, space_exists, temporary_file_in,
};
use crate::error::{Error, ErrorKind, Result};
use crate::keyrange::KeyRange;

/// An open RocksDB.
struct Database {
    db: DB,
    options: StoreOptions,
    cache: Cache,
    /// The options that it was opened with, if it counts: its counters are read through them.
    counters: Option<Options>,
}

impl Database {
    fn path(&self) -> &Path {
        self.db.path()
    }

    fn refuse_if_read_only(&self) -> Result<()> {
        if !self.options.read_only {
            return Ok(());
        }
        Err(Error::unavailable(format!(
            "the database {} is open read-only: nothing can be written",
            self.path().display()
        )))
    }

    /// Brings everything to the disk, and what is in the log alone into files.
    fn settle(&self) -> Result<(), ::rocksdb::Error> {
        self.db.flush_wal(true)?;
        let names = self.db.cf_names();
        let handles: Vec<_> = names
            .iter()
            .filter_map(|name| self.db.cf_handle(name))
            .collect();
        let families: Vec<_> = handles.iter().collect();
        self.db.flush_cfs_opt(&families, &FlushOptions::default())
    }

    /// RocksDB's error, with what was tried on which database.
    fn failed(&self, what: impl fmt::Display, error: ::rocksdb::Error) -> Error {
        let what = format!("{}: {what}", self.path().display());
        store_error(what, error)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let is_whole = !self.options.read_only && self.settle().is_ok();
        self.db.cancel_all_background_work(true);
        if is_whole {
            // There is nobody left to tell. Without the seal a database is as after a crash.
            let _ = seal::write(self.path());
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path().display())
    }
}

/// The column families by name of space. A handle keeps what is dropped readable.
type Families<'db> = HashMap<String, Arc<BoundColumnFamily<'db>>>;

self_cell! {
    /// The spaces that exist at one moment, and the database that they are in.
    struct Spaces {
        owner: Arc<Database>,
        #[covariant]
        dependent: Families,
    }
}

self_cell! {
    /// RocksDB's snapshot, and the spaces that existed when it was taken.
    struct View {
        owner: Arc<Spaces>,
        #[covariant]
        dependent: RocksView,
    }
}

self_cell! {
    /// RocksDB's iterator, and the snapshot that it reads.
    struct Entries {
        owner: Arc<RocksSnapshot>,
        #[covariant]
        dependent: DBRawIterator,
    }
}

impl Spaces {
    fn of(database: Arc<Database>) -> Arc<Self> {
        Arc::new(Self::new(database, |database| {
            let families = database.db.cf_names().into_iter().filter_map(|family| {
                let (name, _) = space_of_family(&family)?;
                let handle = database.db.cf_handle(&family)?;
                Some((name.to_owned(), handle))
            });
            families.collect()
        }))
    }

    fn find(&self, name: &str) -> Result<&Arc<BoundColumnFamily<'_>>> {
        let found = self.borrow_dependent().get(name);
        found.ok_or_else(|| no_such_space(name))
    }
}

/// A store in a RocksDB directory. One process at a time can open it for writing, once; any number can read.
#[derive(Debug)]
pub struct RocksStore {
    /// Held by each write and ingestion (shared) and by each creation and drop (alone), for as long as RocksDB takes:
    /// a space cannot go while it is written to. Readers never ask for it.
    changing: RwLock<()>,
    /// Held to look at, and to replace, and over nothing slow: whoever waits here keeps every reader waiting. A snapshot
    /// is taken under it, so that it has exactly the spaces of its moment; a space comes when it is in here, and is gone
    /// when it is not.
    spaces: RwLock<Arc<Spaces>>,
    claims: Arc<Claims>,
}

impl RocksStore {
    /// Opens the database in the directory `path`, or makes it.
    ///
    /// Errors: `InvalidInput` if there is no database and none may be made, or something else is there (nothing is
    /// changed then); `Unavailable` if it is open elsewhere or the disk fails; `Corrupt` if it is damaged or of a
    /// newer version.
    pub fn open(path: impl AsRef<Path>, options: &StoreOptions) -> Result<Self> {
        let database = open::open(path.as_ref(), options)?;
        let spaces = RwLock::new(Spaces::of(Arc::new(database)));
        let changing = RwLock::new(());
        let claims = Arc::default();
        Ok(Self {
            changing,
            spaces,
            claims,
        })
    }

    /// How often the log was synced to the disk since the database was opened: at least once for each write of
    /// [`Durability::Sync`] that went alone, and never for one of [`Durability::Buffered`]. `None` unless it was opened
    /// to be counted, with [`StoreOptions::count_syncs`].
    pub fn log_syncs(&self) -> Option<u64> {
        let spaces = self.current();
        let counters = spaces.borrow_owner().counters.as_ref()?;
        Some(counters.get_ticker_count(Ticker::WalFileSynced))
    }

    fn current(&self) -> Arc<Spaces> {
        Arc::clone(&self.spaces.read())
    }

    /// Looks up anew which spaces there are, after one was made or dropped.
    fn replace(&self, spaces: &Spaces) {
        let found = Spaces::of(Arc::clone(spaces.borrow_owner()));
        *self.spaces.write() = found;
    }
}

impl fmt::Debug for Spaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spaces = self.borrow_dependent().len();
        write!(f, "{:?}, {spaces} spaces", self.borrow_owner())
    }
}

impl Store for RocksStore {
    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        check_space_name(name)?;
        let _changing = self.changing.write();
        let spaces = self.current();
        let database = spaces.borrow_owner();
        database.refuse_if_read_only()?;
        if spaces.borrow_dependent().contains_key(name) {
            return Err(space_exists(name));
        }
        let family = family_of_space(name, options.compression);
        let mut family_options = family_options(&database.cache, options.compression);
        family_options.set_write_buffer_size(space_buffer(&database.options));
        let made = database.db.create_cf(family, &family_options);
        made.map_err(|error| database.failed(format!("making the space {name}"), error))?;
        self.replace(&spaces);
        Ok(())
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        let _changing = self.changing.write();
        let spaces = self.current();
        let database = spaces.borrow_owner();
        database.refuse_if_read_only()?;
        let family = spaces.find(name)?.name();
        let dropped = database.db.drop_cf(&String::from_utf8_lossy(&family));
        dropped.map_err(|error| database.failed(format!("dropping the space {name}"), error))?;
        self.replace(&spaces);
        Ok(())
    }

    fn spaces(&self) -> Result<Vec<String>> {
        let spaces = self.current();
        let mut names: Vec<String> = spaces.borrow_dependent().keys().cloned().collect();
        names.sort_unstable();
        Ok(names)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let spaces = self.spaces.read();
        let view = View::new(Arc::clone(&spaces), |spaces| {
            spaces.borrow_owner().db.snapshot()
        });
        drop(spaces);
        let mut read_options = ReadOptions::default();
        read_options.set_snapshot(view.borrow_dependent());
        Ok(Arc::new(RocksSnapshot { read_options, view }))
    }

    fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()> {
        // A drop that came between would make the write fail half-way up.
        let _unchanged = self.changing.read();
        let spaces = self.current();
        let database = spaces.borrow_owner();
        database.refuse_if_read_only()?;
        let mut changes = ::rocksdb::WriteBatch::with_capacity_bytes(batch.size_in_bytes());
        for operation in batch.iter() {
            let family = spaces.find(operation.space)?;
            match operation.value {
                Some(value) => changes.put_cf(family, operation.key, value),
                None => changes.delete_cf(family, operation.key),
            }
        }
        drop(batch);
        if changes.is_empty() {
            return Ok(());
        }
        let written = database.db.write_opt(&changes, &write_options(durability));
        written.map_err(|error| database.failed("writing", error))
    }

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        self.current().borrow_owner().refuse_if_read_only()?;
        changes::begin(self, claims)
    }

    fn temporary_file(&self) -> Result<File> {
        let spaces = self.current();
        let database = spaces.borrow_owner();
        database.refuse_if_read_only()?;
        temporary_file_in(database.path())
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        let spaces = self.current();
        let family = spaces.find(space)?;
        let database = spaces.borrow_owner();
        // RocksDB wants a stop. Keys beyond this one would be a table of FF bytes: an estimate may leave them out.
        let last = [0xff; 64];
        let ranges = [Range::new(range.start(), range.stop().unwrap_or(&last))];
        let flags =
            SizeApproximationFlags::INCLUDE_MEMTABLE | SizeApproximationFlags::INCLUDE_FILES;
        let sizes = database
            .db
            .get_approximate_sizes_cf_with_flags(family, flags, &ranges);
        let sizes = sizes.map_err(|error| database.failed("estimating a size", error))?;
        Ok(sizes.into_iter().sum())
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        maintain::checkpoint(self.current().borrow_owner(), path)
    }

    fn verify(&self) -> Result<Vec<Error>> {
        verify::verify(self.current().borrow_owner())
    }

    fn is_read_only(&self) -> bool {
        self.spaces.read().borrow_owner().options.read_only
    }
}

impl LocalStore for RocksStore {
    fn claims(&self) -> &Arc<Claims> {
        &self.claims
    }

    fn load(self: Arc<Self>, space: &str) -> Result<Box<dyn Load>> {
        Ok(Box::new(bulk::RocksLoad::new(self, space)?))
    }
}

fn write_options(durability: Durability) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.set_sync(durability == Durability::Sync);
    options
}

struct RocksSnapshot {
    /// Reads at the view: made once, for a lookup would make its own.
    read_options: ReadOptions,
    view: View,
}

impl RocksSnapshot {
    fn spaces(&self) -> &Spaces {
        self.view.borrow_owner()
    }

    fn database(&self) -> &Database {
        self.spaces().borrow_owner()
    }

    /// An iterator over the part `within` of a space, which gives up after `interrupt_after` entries that are no more.
    fn iterator(
        &self,
        space: &str,
        within: &KeyRange,
        interrupt_after: u64,
    ) -> Result<DBRawIterator<'_>> {
        let mut options = ReadOptions::default();
        if !within.start().is_empty() {
            options.set_iterate_lower_bound(within.start());
        }
        if let Some(stop) = within.stop() {
            options.set_iterate_upper_bound(stop);
        }
        options.set_total_order_seek(true);
        options.set_adaptive_readahead(true);
        options.set_max_skippable_internal_keys(interrupt_after);
        let family = self.spaces().find(space)?;
        let view = self.view.borrow_dependent();
        Ok(view.raw_iterator_cf_opt(family, options))
    }
}

impl fmt::Debug for RocksSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RocksSnapshot({:?})", self.spaces())
    }
}

impl Snapshot for RocksSnapshot {
    fn has_space(&self, space: &str) -> bool {
        self.spaces().borrow_dependent().contains_key(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let family = self.spaces().find(space)?;
        let database = self.database();
        let value = database.db.get_cf_opt(family, key, &self.read_options);
        value.map_err(|error| database.failed(format!("reading from {space}"), error))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut values = Vec::with_capacity(keys.len());
        self.visit(space, keys, &mut |_, value| {
            values.push(value.map(<[u8]>::to_vec));
            true
        })?;
        Ok(values)
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        local::read(self, request)
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        Some(self)
    }
}

impl LocalSnapshot for RocksSnapshot {
    fn visit(&self, space: &str, keys: &[&[u8]], take: &mut Visit<'_>) -> Result<()> {
        let family = self.spaces().find(space)?;
        let database = self.database();
        let stretches = keys.chunks(KEYS_PER_LOOKUP).enumerate();
        for (stretch, keys) in stretches {
            let first = stretch * KEYS_PER_LOOKUP;
            let keys = keys.iter().copied();
            let found =
                database
                    .db
                    .batched_multi_get_cf_opt(family, keys, false, &self.read_options);
            for (index, value) in found.into_iter().enumerate() {
                let value = value
                    .map_err(|error| database.failed(format!("reading from {space}"), error))?;
                if !take(first + index, value.as_deref()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        let interrupt_after = self.database().options.interrupt_after;
        let entries = Entries::try_new(self, |snapshot| {
            snapshot.iterator(space, within, interrupt_after)
        })?;
        Ok(Box::new(RocksCursor {
            entries,
            space: space.to_owned(),
            within: within.clone(),
            direction,
            interrupt_after,
            remaining: Remaining::of(within, within, direction),
            state: State::Ended,
        }))
    }
}

/// Where a cursor stands.
enum State {
    /// The iterator stands on the first entry that remains, or has just ended.
    BeforeEntry,
    /// The iterator stands on the entry that was yielded last. It moves on when more is wanted, not earlier: of a walk
    /// that jumps on from each key, the next one would be read for nothing.
    OnYielded,
    /// The iterator gave up in a run of entries that are no more, and does not say where.
    Interrupted,
    /// The iterator stands on the first entry behind the end.
    BehindEnd,
    /// Nothing is left, or nothing has been sought.
    Ended,
    /// The iterator has failed.
    Failed(ErrorKind, String),
}

/// How reading came to a halt.
enum Halt {
    LimitReached,
    RangeEnded,
    IteratorInvalid,
}

struct RocksCursor {
    entries: Entries,
    space: String,
    within: KeyRange,
    direction: Direction,
    interrupt_after: u64,
    remaining: Remaining,
    state: State,
}

impl RocksCursor {
    fn refuse_if_failed(&self) -> Result<()> {
        match &self.state {
            State::Failed(kind, message) => Err(has_failed_before(*kind, message)),
            _ => Ok(()),
        }
    }

    /// Moves the iterator to the first entry that remains.
    fn land(&mut self) -> Result<()> {
        let (remaining, direction) = (&self.remaining, self.direction);
        let is_valid = self.entries.with_dependent_mut(|_, iterator| {
            match (direction, remaining.stop()) {
                (Direction::Forward, _) => iterator.seek(remaining.start()),
                (Direction::Backward, None) => iterator.seek_to_last(),
                (Direction::Backward, Some(stop)) => {
                    iterator.seek_for_prev(stop);
                    if iterator.key() == Some(stop) {
                        iterator.prev();
                    }
                }
            }
            iterator.valid()
        });
        self.state = State::BeforeEntry;
        if is_valid { Ok(()) } else { self.examine() }
    }

    /// Finds out why the iterator is no longer valid: the end, an interruption, or an error.
    fn examine(&mut self) -> Result<()> {
        let status = self.entries.borrow_dependent().status();
        self.state = match status {
            Ok(()) => State::Ended,
            Err(error) if error.kind() == RocksErrorKind::Incomplete => State::Interrupted,
            Err(error) => {
                let database = self.entries.borrow_owner().database();
                let error = database.failed(format!("reading from {}", self.space), error);
                self.state = State::Failed(error.kind(), error.message().to_owned());
                return Err(error);
            }
        };
        Ok(())
    }

    /// Begins what remains again with an iterator that goes twice as far before it gives up.
    fn resume(&mut self) -> Result<()> {
        self.interrupt_after = self.interrupt_after.saturating_mul(2);
        let snapshot = Arc::clone(self.entries.borrow_owner());
        self.entries = Entries::try_new(snapshot, |snapshot| {
            snapshot.iterator(&self.space, &self.within, self.interrupt_after)
        })?;
        self.land()
    }

    /// Appends entries from where the iterator stands.
    fn read(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Halt {
        let (remaining, direction) = (&self.remaining, self.direction);
        let mut is_yielded = matches!(self.state, State::OnYielded);
        self.entries.with_dependent_mut(|_, iterator| {
            loop {
                if limit.is_reached(chunk) {
                    return Halt::LimitReached;
                }
                if is_yielded {
                    match direction {
                        Direction::Forward => iterator.next(),
                        Direction::Backward => iterator.prev(),
                    }
                }
                let Some((key, value)) = iterator.item() else {
                    return Halt::IteratorInvalid;
                };
                if remaining.is_past_end(key) {
                    return Halt::RangeEnded;
                }
                chunk.push(key, value);
                is_yielded = true;
            }
        })
    }
}

impl Cursor for RocksCursor {
    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        self.refuse_if_failed()?;
        if !self.within.covers(range) {
            return Err(outside_of_cursor(range, &self.within));
        }
        self.remaining = Remaining::of(range, &self.within, self.direction);
        self.land()
    }

    fn restrict(&mut self, end: &[u8]) {
        self.remaining.restrict(end);
    }

    fn lift(&mut self) {
        self.remaining.lift();
        if matches!(self.state, State::BehindEnd) {
            self.state = State::BeforeEntry;
        }
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        self.refuse_if_failed()?;
        if matches!(self.state, State::Interrupted) {
            self.resume()?;
        }
        if matches!(self.state, State::Interrupted) {
            return Ok(true);
        }
        if matches!(self.state, State::BehindEnd | State::Ended) {
            return Ok(false);
        }
        let before = chunk.len();
        let halt = self.read(chunk, limit);
        if chunk.len() > before {
            let (key, _) = chunk.last().unwrap_or_default();
            self.remaining.continue_after(key);
            self.state = State::OnYielded;
        }
        match halt {
            Halt::LimitReached => {}
            Halt::RangeEnded => self.state = State::BehindEnd,
            Halt::IteratorInvalid => self.examine()?,
        }
        Ok(!matches!(self.state, State::BehindEnd | State::Ended))
    }
}

/// RocksDB's error as ours: what the caller must do, and what was being done.
fn store_error(what: impl fmt::Display, error: ::rocksdb::Error) -> Error {
    let kind = match error.kind() {
        RocksErrorKind::Corruption => ErrorKind::Corrupt,
        RocksErrorKind::IOError
        | RocksErrorKind::Busy
        | RocksErrorKind::TimedOut
        | RocksErrorKind::TryAgain
        | RocksErrorKind::Aborted
        | RocksErrorKind::ShutdownInProgress => ErrorKind::Unavailable,
        _ => ErrorKind::Internal,
    };
    Error::new(kind, format!("{what}: {error}")).with_source(error)
}

#[cfg(test)]
#[path = "damage_tests.rs"]
mod damage;
#[cfg(test)]
#[path = "rocksdb_tests.rs"]
mod tests;
