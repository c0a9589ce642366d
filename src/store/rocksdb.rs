//! The store on disk: RocksDB. This file and those in the directory of its name are the only ones that know it.
//!
//! # On disk
//!
//! A database is a RocksDB directory. Each space is a column family of its name; in older databases `.dense` or `.plain`
//! stands behind it and tells its [`Compression`](super::Compression). The column family `halite-format-<n>` says that
//! the database is Halite's and which version of this layout it has; names can be listed without opening, so that a
//! directory of another program, or of a newer Halite, is refused before a byte of it is changed. It also holds the
//! options of spaces, and the last step of several loads (see [`own`]). A file `halite-creating` stands in the directory while it is
//! being made; if that is cut short, the next open for writing goes on. A directory `halite-loads` holds the files of
//! bulk loads while they are written (see [`bulk`]); what it holds when the database is opened for writing was left
//! by a process that was killed, and is removed. A file `halite-reserve` takes room that a full disk is deleted with (see
//! [`reserve`]).
//!
//! # What is promised and by what
//!
//! * Options are given for every column family at every open; RocksDB's own file of them is never read.
//! * A damaged record in the middle of the log fails the open; only a torn tail is forgiven
//!   (`TolerateCorruptedTailRecords`). [`Durability::Sync`] waits for `fsync`; the log is never off.
//! * A database that is closed in order has its entries in files, not in the log, and is [sealed](super::seal): a list
//!   of files that is cut short later is noticed.
//! * A log, or a list of files, that lacks what was synced to it is an error, also after a crash:
//!   [`synced`].
//! * Every iterator's status is looked at when it ends, in one place (the cursor's `fill`, in [`read`]).
//! * A run of tombstones hands control back, see [`StoreOptions::interrupt_after`].
//! * Handles, snapshots and iterators own what they stand on (the `self_cell` types below), and let go of it in the
//!   right order; the database closes when the store and the last of them are dropped.

mod bulk;
mod clearing;
mod describe;
mod errors;
mod maintain;
mod newest;
mod open;
mod options;
mod own;
mod read;
mod reserve;
mod stall;
mod switch;
mod syncs;
mod verify;

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Weak};

use ::rocksdb::{
    AsColumnFamilyRef, BoundColumnFamily, Cache, DB, FileType, FlushOptions, IteratorMode,
    LiveFilesStorageInfoOptions, Options, Range, SizeApproximationFlags, Snapshot as RocksView,
    WriteOptions, statistics::Ticker,
};
use foldhash::fast::RandomState;
use parking_lot::{Mutex, RwLock};
use self_cell::self_cell;

use self::bulk::RocksLoad;
use self::clearing::{Clearing, Deletions};
use self::errors::store_error;
use self::newest::Newest;
use self::options::{family_options, space_buffer};
use self::read::RocksSnapshot;
use self::switch::Switch;
use self::syncs::{Syncs, Turn};
use super::changes::{self, Claims, LocalStore};
use super::seal;
use super::synced::{self, Extent, KnownFiles, Synced};
use super::{
    Changes, Claim, Durability, Durable, Fact, Snapshot, SpaceOptions, Store, StoreOptions,
    WriteBatch, check_space_name, no_such_space, space_exists,
};
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;

/// What is said where the reserve is given back.
const RESERVE_GIVEN_BACK: &str = "the disk is full, and the bytes that the database held back are free now: in some seconds \
                                  DELETE, TRUNCATE and DROP TABLE work again";

/// An open RocksDB.
struct Database {
    db: DB,
    options: StoreOptions,
    cache: Cache,
    /// The options that it was opened with, if it counts: its counters are read through them.
    counters: Option<Options>,
    /// How far the log is synced; none where nothing is written.
    synced: Option<Synced>,
    /// The last to be dropped: RocksDB has let go of the directory then.
    open: Arc<()>,
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
        let is_full = reserve::is_wanted(error.as_ref());
        let failed = store_error(what, error);
        if is_full && reserve::give_back(self.path()) {
            failed.context(RESERVE_GIVEN_BACK)
        } else {
            failed
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let is_whole = !self.options.read_only && self.settle().is_ok();
        self.db.cancel_all_background_work(true);
        // There is nobody left to tell. Without the seal a database is as after a crash.
        if is_whole && seal::write(self.path()).is_ok() {
            synced::remove(self.path());
        }
    }
}

impl KnownFiles for Database {
    fn log(&self) -> Option<Extent> {
        let log = self.db.get_current_wal_file().ok()?;
        Some(Extent::of_log(log.log_number(), log.size_file_bytes()))
    }

    fn manifest(&self) -> Option<Extent> {
        let mut options = LiveFilesStorageInfoOptions::default();
        // Nothing is to be written for it.
        options.set_wal_size_for_flush(u64::MAX);
        let files = self.db.get_livefiles_storage_info(&options).ok()?;
        let manifest = files
            .iter()
            .find(|file| file.file_type() == FileType::DescriptorFile)?;
        let name = manifest.relative_filename_lossy();
        Some(Extent {
            name: name.trim_start_matches('/').to_owned(),
            bytes: manifest.size(),
        })
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path().display())
    }
}

/// The column family of a space, whose handle keeps what is dropped readable, and how the space is kept.
struct Space<'db> {
    family: Arc<BoundColumnFamily<'db>>,
    options: SpaceOptions,
}

impl Space<'_> {
    fn family_name(&self) -> String {
        String::from_utf8_lossy(&self.family.name()).into_owned()
    }
}

/// Spaces by name: each read looks one up.
type Families<'db> = HashMap<String, Space<'db>, RandomState>;

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

impl Spaces {
    fn of(database: Arc<Database>) -> Result<Arc<Self>> {
        let options = own::options_of_spaces(&database)?;
        Ok(Arc::new(Self::new(database, |database| {
            let families = database.db.cf_names().into_iter().filter_map(|family| {
                let (name, options) = own::space_and_options(&family, &options)?;
                let family = database.db.cf_handle(&family)?;
                Some((name.to_owned(), Space { family, options }))
            });
            families.collect()
        })))
    }

    fn find(&self, name: &str) -> Result<&Space<'_>> {
        let found = self.borrow_dependent().get(name);
        found.ok_or_else(|| no_such_space(name))
    }
}

/// A store in a RocksDB directory. One process at a time can open it for writing, once; any number can read.
#[derive(Debug)]
pub struct RocksStore {
    /// The first to be dropped: it lets go of the database.
    clearing: Clearing,
    /// Held by each write (shared) and by each ingestion, creation and drop (alone), for as long as RocksDB takes: a space
    /// cannot go while it is written to. Readers never ask for it.
    changing: RwLock<()>,
    /// Held to look at, and to replace, and over nothing slow: whoever waits here keeps every reader waiting. A snapshot
    /// is taken under it, so that it has exactly the spaces of its moment; a space comes when it is in here, and is gone
    /// when it is not.
    spaces: RwLock<Current>,
    /// Held over a step of several loads, and over a copy of the files, which must not meet.
    switching: Mutex<()>,
    claims: Arc<Claims>,
    newest: Newest,
    syncs: Arc<Syncs>,
}

/// What whoever comes now is given.
#[derive(Debug)]
struct Current {
    spaces: Arc<Spaces>,
    /// The moment before a step of several loads, while that is taken: all see it. It stays after a step that failed on
    /// its way, and nothing is changed any more.
    before_switch: Option<Arc<View>>,
}

impl RocksStore {
    /// Opens the database in the directory `path`, or makes it.
    ///
    /// Errors: `InvalidInput` if there is no database and none may be made, or something else is there (nothing is
    /// changed then); `Unavailable` if it is open elsewhere or the disk fails; `Corrupt` if it is damaged or of a
    /// newer version.
    pub fn open(path: impl AsRef<Path>, options: &StoreOptions) -> Result<Self> {
        let database = open::open(path.as_ref(), options)?;
        let database = Arc::new(database);
        let clearing = Clearing::of(&database);
        let current = Current {
            spaces: Spaces::of(database)?,
            before_switch: None,
        };
        Ok(Self {
            clearing,
            changing: RwLock::new(()),
            spaces: RwLock::new(current),
            switching: Mutex::new(()),
            claims: Arc::default(),
            newest: Newest::default(),
            syncs: Arc::default(),
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

    /// Brings to the disk what has been written.
    fn sync(&self) -> Result<()> {
        let spaces = self.current();
        let database = spaces.borrow_owner();
        let synced = database.synced.as_ref();
        let begun = synced.map(|it| it.begin(Durability::Sync, database.as_ref()));
        let done = database.db.flush_wal(true);
        if let (Some(synced), Some(begun)) = (synced, begun) {
            synced.end(begun, done.is_ok(), database.as_ref());
        }
        done.map_err(|error| {
            let failed = database.failed("syncing its log", error);
            failed.context("what was written is visible, and may not last")
        })
    }

    fn current(&self) -> Arc<Spaces> {
        Arc::clone(&self.spaces.read().spaces)
    }

    /// The spaces, for who changes them or what is in them, and holds `changing`.
    ///
    /// # Errors
    /// `Unavailable` where nothing may be changed.
    fn current_to_change(&self) -> Result<Arc<Spaces>> {
        let current = self.spaces.read();
        let database = current.spaces.borrow_owner();
        database.refuse_if_read_only()?;
        match current.before_switch {
            None => Ok(Arc::clone(&current.spaces)),
            Some(_) => Err(Error::unavailable(format!(
                "the database {} is in the middle of a step of several loads that failed: close it and open it again, \
                 which completes the step",
                database.path().display()
            ))),
        }
    }

    /// Looks up anew which spaces there are, after one was made or dropped.
    fn replace(&self, spaces: &Spaces) -> Result<()> {
        let found = Spaces::of(Arc::clone(spaces.borrow_owner()))?;
        self.spaces.write().spaces = found;
        self.newest.outdate();
        Ok(())
    }

    /// Applies several loads in one step, see [`switch`].
    fn switch(&self, loads: Vec<RocksLoad>) -> Result<()> {
        let _alone = (self.switching.lock(), self.changing.write());
        let spaces = self.current_to_change()?;
        let database = spaces.borrow_owner();
        let files = loads.iter().map(|load| {
            spaces.find(load.space())?;
            load.secure()
        });
        let switch = Switch {
            number: Switch::read(database.path(), &database.db)?.number + 1,
            loads: files.collect::<Result<_>>()?,
        };
        self.spaces.write().before_switch = Some(Arc::new(View::of(&spaces)));
        self.newest.outdate();
        let run = switch.run(database);
        if let Err(cut) = &run
            && !cut.is_over
        {
            loads.into_iter().for_each(RocksLoad::keep);
        } else {
            self.spaces.write().before_switch = None;
        }
        run.map_err(|cut| cut.error)
    }
}

impl View {
    fn of(spaces: &Arc<Spaces>) -> Self {
        Self::new(Arc::clone(spaces), |spaces| {
            spaces.borrow_owner().db.snapshot()
        })
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({:?})", self.borrow_owner())
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
        let spaces = self.current_to_change()?;
        let database = spaces.borrow_owner();
        if spaces.borrow_dependent().contains_key(name) {
            return Err(space_exists(name));
        }
        own::put_options(database, name, *options)?;
        let mut family_options = family_options(&database.cache, options.compression);
        family_options.set_write_buffer_size(space_buffer(&database.options));
        let made = database.db.create_cf(name, &family_options);
        made.map_err(|error| database.failed(format!("making the space {name}"), error))?;
        self.replace(&spaces)
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        let _changing = self.changing.write();
        let spaces = self.current_to_change()?;
        let database = spaces.borrow_owner();
        let dropped = database.db.drop_cf(&spaces.find(name)?.family_name());
        dropped.map_err(|error| database.failed(format!("dropping the space {name}"), error))?;
        own::delete_options(database, name);
        self.claims.forget(name);
        self.replace(&spaces)
    }

    fn spaces(&self) -> Result<Vec<String>> {
        let spaces = self.current();
        let mut names: Vec<String> = spaces.borrow_dependent().keys().cloned().collect();
        names.sort_unstable();
        Ok(names)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let current = self.spaces.read();
        let of = |view| RocksSnapshot::new(view, Arc::clone(&self.claims));
        Ok(match &current.before_switch {
            None => self
                .newest
                .get_or(|| of(Arc::new(View::of(&current.spaces)))),
            Some(view) => Arc::new(of(Arc::clone(view))),
        })
    }

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        self.current().borrow_owner().refuse_if_read_only()?;
        changes::begin(self, claims)
    }

    fn try_begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Option<Box<dyn Changes>>> {
        self.current().borrow_owner().refuse_if_read_only()?;
        changes::try_begin(self, claims)
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        size_of(&self.current(), space, range)
    }

    fn while_open(&self) -> Option<Weak<dyn Any + Send + Sync>> {
        let open: Arc<dyn Any + Send + Sync> =
            Arc::<()>::clone(&self.current().borrow_owner().open);
        Some(Arc::downgrade(&open))
    }

    fn limit_cache(&self, bytes: usize) {
        let spaces = self.current();
        let database = spaces.borrow_owner();
        let bytes = bytes.min(database.options.block_cache_bytes);
        database.cache.clone().set_capacity(bytes);
    }

    fn approximate_entries(&self, space: &str) -> Result<Option<u64>> {
        let spaces = self.current();
        let family = &spaces.find(space)?.family;
        let database = spaces.borrow_owner();
        let counted = database.db.property_int_value_cf(family, ENTRIES);
        counted.map_err(|error| database.failed("estimating a number of entries", error))
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        let _whole = self.switching.lock();
        maintain::checkpoint(self.current().borrow_owner(), path)
    }

    fn verify(&self) -> Result<Vec<Error>> {
        verify::verify(self.current().borrow_owner())
    }

    fn describe(&self) -> Result<Vec<Fact>> {
        describe::describe(self)
    }

    fn vacuum(&self, space: Option<&str>) -> Result<Vec<Fact>> {
        describe::vacuum(self, space)
    }

    fn is_read_only(&self) -> bool {
        self.current().borrow_owner().options.read_only
    }
}

impl LocalStore for RocksStore {
    type Load = RocksLoad;

    fn claims(&self) -> &Arc<Claims> {
        &self.claims
    }

    fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()> {
        // A drop that came between would make the write fail half-way up.
        let _unchanged = self.changing.read();
        let spaces = self.current_to_change()?;
        let database = spaces.borrow_owner();
        let mut changes = ::rocksdb::WriteBatch::with_capacity_bytes(batch.size_in_bytes());
        let mut emptied = Deletions::default();
        for (space, range) in batch.ranges() {
            let family = &spaces.find(space)?.family;
            if let Some(stop) = stop_of(&spaces, space, range)? {
                changes.delete_range_cf(family, range.start(), &stop);
                emptied.add_range(space, range.start(), &stop);
            }
        }
        for operation in batch.iter() {
            let family = &spaces.find(operation.space)?.family;
            match operation.value {
                Some(value) => changes.put_cf(family, operation.key, value),
                None => changes.delete_cf(family, operation.key),
            }
        }
        let deleted = batch.iter().filter(|operation| operation.value.is_none());
        let deleted = deleted.map(|operation| (operation.space, operation.key));
        let mut to_clear = self.clearing.note(deleted);
        to_clear.extend(emptied.take_full());
        drop(batch);
        if changes.is_empty() {
            return Ok(());
        }
        let begun = database
            .synced
            .as_ref()
            .map(|synced| (synced, synced.begin(durability, database.as_ref())));
        let written = database.write(&changes, durability);
        self.newest.outdate();
        if let Some((synced, begun)) = begun {
            synced.end(begun, written.is_ok(), database.as_ref());
        }
        written.map_err(|error| database.failed("writing", error))?;
        self.clearing.clear(&spaces, to_clear);
        Ok(())
    }

    fn write_early(self: Arc<Self>, batch: WriteBatch) -> Result<Option<Durable>> {
        if batch.is_empty() {
            return self.write(batch, Durability::Sync).map(|()| None);
        }
        self.write(batch, Durability::Buffered)?;
        let turn = self.syncs.turn();
        Ok(Some(Durable::of(Turn {
            syncs: Arc::clone(&self.syncs),
            turn,
            log: self,
            sync: Self::sync,
        })))
    }

    fn load(self: Arc<Self>, space: &str, deleted: &[&KeyRange]) -> Result<RocksLoad> {
        let mut load = RocksLoad::new(&self, space)?;
        load.delete_ranges(&self.current(), deleted)?;
        Ok(load)
    }

    fn ingest(&self, mut loads: Vec<RocksLoad>) -> Result<()> {
        for load in &mut loads {
            load.finish()?;
            self.current().find(load.space())?;
        }
        loads.retain(|load| !load.is_empty());
        let mut loads = RocksLoad::joined(loads);
        let to_clear = loads.iter_mut().flat_map(RocksLoad::take_deletions);
        let to_clear = to_clear.collect();
        if loads.len() > 1 {
            self.switch(loads)?;
            self.clearing.clear(&self.current(), to_clear);
            return Ok(());
        }
        // Files are on the disk when they are ingested, and what was written before them without a wait for it may not be:
        // a power cut must not take that alone. Nothing is written in between, and no space is dropped.
        let _alone = self.changing.write();
        let spaces = self.current_to_change()?;
        let Some(load) = loads.pop() else {
            return Ok(());
        };
        let database = spaces.borrow_owner();
        let synced = database.db.flush_wal(true);
        synced.map_err(|error| database.failed("syncing its log before a load", error))?;
        let ingested = load.ingest();
        self.newest.outdate();
        ingested?;
        self.clearing.clear(&spaces, to_clear);
        Ok(())
    }
}

/// The stop of a range, which RocksDB wants of each: behind the last key where it has none; nothing where no key is in it.
fn stop_of<'a>(spaces: &Spaces, space: &str, range: &'a KeyRange) -> Result<Option<Cow<'a, [u8]>>> {
    if let Some(stop) = range.stop() {
        return Ok(Some(Cow::Borrowed(stop)));
    }
    let family = &spaces.find(space)?.family;
    let database = spaces.borrow_owner();
    let mut last = database.db.iterator_cf(family, IteratorMode::End);
    let last = last.next().transpose();
    let last = last.map_err(|error| database.failed("looking for the last key", error))?;
    let last = last.filter(|(key, _)| range.contains(key));
    Ok(last.map(|(key, _)| Cow::Owned([&key, &[0][..]].concat())))
}

/// About how many entries a space has.
const ENTRIES: &str = "rocksdb.estimate-num-keys";

/// About how many bytes a range has.
fn size_of(spaces: &Spaces, space: &str, range: &KeyRange) -> Result<u64> {
    let family = &spaces.find(space)?.family;
    let database = spaces.borrow_owner();
    // RocksDB wants a stop. Keys beyond this one would be a table of FF bytes: an estimate may leave them out.
    let last = [0xff; 64];
    let ranges = [Range::new(range.start(), range.stop().unwrap_or(&last))];
    let flags = SizeApproximationFlags::INCLUDE_MEMTABLE | SizeApproximationFlags::INCLUDE_FILES;
    let sizes = database
        .db
        .get_approximate_sizes_cf_with_flags(family, flags, &ranges);
    let sizes = sizes.map_err(|error| database.failed("estimating a size", error))?;
    Ok(sizes.into_iter().sum())
}

fn write_options(durability: Durability) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.set_sync(durability == Durability::Sync);
    options
}

#[cfg(test)]
#[path = "damage_tests.rs"]
mod damage;
#[cfg(test)]
#[path = "rocksdb_open_tests.rs"]
mod open_tests;
#[cfg(test)]
#[path = "rocksdb_tests.rs"]
mod tests;
