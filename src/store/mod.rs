//! The ordered byte store: what Halite asks of the place where rows are kept.
//!
//! A [`Store`] holds named **spaces**, each an ordered run of entries (a key and a value, any bytes, the empty key
//! included unless [`Capabilities`] say otherwise), ordered bytewise by key. A table or an index is one space. It is changed by statements, each whole or not
//! at all ([`Changes`]), and read through a [`Snapshot`]: a [`ReadRequest`] goes to it whole, and its [`Reader`] fills
//! [`Chunk`]s, many entries per call, so that a remote store pays few messages and a local one no allocation per entry.
//! A statement that depends on what is there claims what it changes ([`Claim`]). Few changes are [`WriteBatch`]es, many
//! of one space go in sorted, through a [`BulkWriter`].
//!
//! A local store, in this process or on this machine, need not implement [`Reader`]: it has [`LocalSnapshot`]s, and
//! [`local`] makes readers of their [`Cursor`]s and look-ups.
//!
//! Every call blocks: call it from a thread that may wait. Names of spaces are chosen by the catalog and are never
//! shown to users; see [`check_space_name`].
//!
//! What the trait docs promise is checked by the conformance suite, which every store runs: [`MemoryStore`],
//! [`RocksStore`], the wrappers of tests, and a store over simulated servers. What only damage, a crash or a full disk
//! brings to light, and what a call costs, is in tests of the stores.

mod batch;
mod behind;
mod bulk;
mod changes;
mod chunk;
#[cfg(test)]
mod conformance;
pub(crate) mod cut;
mod directory;
mod durable;
mod fact;
#[cfg(feature = "hbase")]
pub mod hbase;
pub mod holders;
mod inside;
mod leaves;
pub mod local;
mod memory;
mod place;
mod read;
mod records;
mod remaining;
mod rocksdb;
mod seal;
mod synced;
#[cfg(any(test, feature = "hbase"))]
mod versioned;
#[cfg(any(test, feature = "test-stores"))]
pub mod wrap;

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Weak};

use crate::error::{Error, ErrorKind, Result};
use crate::keyrange::{KeyRange, KeyRangeSet, hex};
use crate::machine;

pub use self::batch::{BufferSlice, Operation, WriteBatch};
pub use self::behind::first_readable;
#[cfg(any(test, feature = "test-stores"))]
pub(crate) use self::bulk::Ascending;
pub use self::bulk::BulkWriter;
pub use self::changes::{Changes, Claim, Sharing};
pub use self::chunk::{Chunk, ChunkLimit};
pub use self::durable::Durable;
pub use self::fact::Fact;
pub use self::inside::{check_file_name, check_outside};
pub use self::local::{ENTRIES_PER_SEEK, LocalSnapshot};
pub use self::memory::MemoryStore;
pub use self::place::Place;
pub use self::read::{ReadRequest, Reader, Tally, Work};
pub use self::rocksdb::RocksStore;

/// An ordered byte store with named spaces, atomic statements and snapshots.
///
/// Shared by every connection of a database; all methods may be called from several threads at once.
pub trait Store: Send + Sync + fmt::Debug {
    /// What kind of a store it is.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// Makes an empty space. It is kept at once, whatever the durability of the writes around it.
    ///
    /// Errors: `Conflict` if it exists; `Internal` for a name that [`check_space_name`] refuses; `Unavailable` if the
    /// store is read-only.
    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()>;

    /// As [`Store::create_space`], with the keys, ascending, at which parts of it begin that are worth keeping apart: a
    /// hint, for a store of several machines.
    ///
    /// Errors: as [`Store::create_space`].
    fn create_parted_space(
        &self,
        name: &str,
        options: &SpaceOptions,
        _borders: &[Vec<u8>],
    ) -> Result<()> {
        self.create_space(name, options)
    }

    /// Removes a space and its entries, at a cost that does not grow with their number. Snapshots taken before, and
    /// their cursors, old and new, still read it. A space of the same name can be made again and starts empty.
    ///
    /// Errors: `Internal` if it does not exist; `Unavailable` if the store is read-only.
    fn drop_space(&self, name: &str) -> Result<()>;

    /// The names of all spaces, sorted.
    fn spaces(&self) -> Result<Vec<String>>;

    /// One consistent view over all spaces: it sees every write that has returned, and no later write, creation or
    /// drop. It keeps what it sees from being reclaimed, so hold it for a statement and not for a session. Of a remote
    /// store it costs a message.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// A snapshot without a message, by which a statement that reads a few keys saves a round trip: as an earlier one, and
    /// what it reads is what there is now if [`Snapshot::holds`] says so in the end. Otherwise the statement begins anew,
    /// with [`Store::snapshot`]. `None` where that costs no message, or there was no earlier one.
    fn supposed(&self) -> Option<Arc<dyn Snapshot>> {
        None
    }

    /// Begins the changes of a statement, once no other statement holds what it claims. It blocks the calling thread
    /// until then, for minutes behind a bulk load: writers of one process queue up before they call it, where waiting
    /// takes no thread.
    ///
    /// Errors: `Unavailable` if the store is read-only, or cannot write now.
    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>>;

    /// As [`Store::begin`], but it never waits for others: `None` where it would, or where the store cannot say that it
    /// would not.
    ///
    /// Errors: as [`Store::begin`].
    fn try_begin(self: Arc<Self>, _claims: &[Claim<'_>]) -> Result<Option<Box<dyn Changes>>> {
        Ok(None)
    }

    /// About how many bytes the entries of `range` take where they are kept, without reading them: an estimate for the
    /// planner, off by a factor of two or so. For a range without entries it is small, but not always zero. A remote
    /// store answers from what it has cached for all ranges of all spaces: it sends a message once in some seconds at
    /// most, and does not wait for it long. What it knows is coarser, and of a part of a region it guesses.
    ///
    /// Errors: `Internal` if the space does not exist; `NotSupported` where the store cannot say.
    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64>;

    /// About how many entries a space has, without reading them; `None` where the store cannot say. What was overwritten
    /// or deleted and is not cleared away yet may be counted.
    ///
    /// Errors: `Internal` if the space does not exist.
    fn approximate_entries(&self, _space: &str) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Where to cut `ranges` into pieces that are worth reading in parallel: keys, ascending, that make at most `count`
    /// pieces, each of about `least` bytes or more. It is a heuristic, as a read is right wherever it is cut; a store
    /// that cannot say gives no keys. A remote store cuts at the boundaries of its regions, as far as it has cached
    /// them, without a message.
    fn boundaries(
        &self,
        space: &str,
        ranges: &KeyRangeSet,
        count: usize,
        least: u64,
    ) -> Vec<Vec<u8>> {
        let size = |range: &KeyRange| self.approximate_size(space, range).unwrap_or(0);
        cut::cut(ranges, count, least, &size)
    }

    /// The parts of a space that are kept apart and have keys of `range`, in the order of their keys: the regions of a
    /// remote store, and where they are. None where a space lies in one place. It may send a message.
    ///
    /// Errors: `Internal` if the space does not exist; `Unavailable` where others must be asked and do not answer.
    fn regions(&self, _space: &str, _range: &KeyRange) -> Result<Vec<SpaceRegion>> {
        Ok(Vec::new())
    }

    /// What there is as long as the store is open, for one that can be opened again only when it is not any more.
    fn while_open(&self) -> Option<Weak<dyn Any + Send + Sync>> {
        None
    }

    /// Keeps at most so many bytes of what was read in memory, and at most what the options of the store say. What is
    /// beyond goes at once.
    fn limit_cache(&self, _bytes: usize) {}

    /// Copies the store, as it is at one moment, into the directory `path`, which must not exist yet; the copy is a
    /// store of its own. Every write that has returned is in it, and no write in part. Reads and writes go on
    /// meanwhile; no space should be made or dropped.
    ///
    /// Errors: `InvalidInput` if something is at `path`; `NotSupported` if the store is not on disk; `Unavailable` if it is
    /// read-only, or the disk fails. After an error nothing is at `path`.
    fn checkpoint(&self, path: &Path) -> Result<()> {
        let path = path.display();
        Err(Error::unsupported(format!(
            "a database that is not on disk cannot be backed up to {path}: open one in a directory"
        )))
    }

    /// Reads all files of entries, overwritten and deleted entries included, and compares them with their checksums.
    /// Returns an error `Corrupt` for each damaged file, with its name; a store without files returns none.
    ///
    /// Errors: `Unavailable` where they cannot be read; `NotSupported` where they are kept by others, and who looks at them.
    fn verify(&self) -> Result<Vec<Error>> {
        Ok(Vec::new())
    }

    /// What the store is, what it promises, and how it stands now: for people. It may send messages.
    ///
    /// Errors: `Unavailable` where others must be asked and do not answer.
    fn describe(&self) -> Result<Vec<Fact>>;

    /// Gives back the room of what nobody can read any more, in all spaces or in one. It takes as long as reading them.
    /// Returns what it has done, for people.
    ///
    /// Errors: `Internal` if the space does not exist; `Unavailable` if the store is read-only, or cannot write now.
    fn vacuum(&self, space: Option<&str>) -> Result<Vec<Fact>>;

    /// Whether every change is refused.
    fn is_read_only(&self) -> bool;
}

/// A part of a space that is kept apart from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceRegion {
    /// Its keys.
    pub range: KeyRange,
    /// Host and port of the server that has it.
    pub server: String,
}

impl fmt::Display for SpaceRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stop = self.range.stop().map(hex).unwrap_or_default();
        let start = hex(self.range.start());
        write!(f, "{start}..{stop} on {}", self.server)
    }
}

/// A consistent view over all spaces, at one moment. Shared by the partitions of a scan.
pub trait Snapshot: Send + Sync + fmt::Debug {
    /// Whether the space existed when the snapshot was taken: a scan asks before it reads, for whoever planned it saw an
    /// earlier moment. The snapshot knows: it costs no message.
    fn has_space(&self, space: &str) -> bool;

    /// Whether an entry of the space may hold several rows, which [`crate::row`] takes apart: in a store of tests.
    #[cfg(any(test, feature = "test-stores"))]
    fn is_grouped(&self, _space: &str) -> bool {
        false
    }

    /// The version of what the space holds, for those who cache that. It differs from the stamp of every earlier
    /// snapshot if a statement that had claimed the space has returned from its commit in between, in whatever process.
    /// It may already stand for a commit that this snapshot does not see, but later ones do: so fill the cache from a
    /// snapshot that is taken after the stamp was read. It costs no message.
    fn stamp(&self, space: &str) -> u64;

    /// Of a snapshot that is [supposed](Store::supposed), asked when all is read: whether what was read is what
    /// [`Store::snapshot`] would have given in its stead, and all stamps that were asked for are those of that. Nothing of
    /// it may be shown to anybody before.
    ///
    /// Errors: those of a read.
    fn holds(&self) -> Result<bool> {
        Ok(true)
    }

    /// The value under exactly `key`, if there is one.
    ///
    /// Errors: `Internal` if the space did not exist when the snapshot was taken.
    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// The values under `keys`, in the order of `keys`, which may repeat and need not be sorted. Cheaper than a
    /// [`Snapshot::get`] for each: the duplicate check of an INSERT.
    ///
    /// Errors: as [`Snapshot::get`].
    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>>;

    /// Begins to read, and returns without waiting for the first entry, so that several reads can be begun before one
    /// is waited for. The reader keeps the snapshot alive.
    ///
    /// Errors: as [`Snapshot::get`].
    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>>;

    /// The cursors and look-ups beneath, if the store is local: for wrappers that watch single seeks.
    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        None
    }
}

/// Reads entries of a local store, in ascending or descending key order. Lives on one thread at a time.
///
/// After an error from the store a cursor stays failed: every later `seek` and `fill` is an error.
pub trait Cursor: Send {
    /// Starts over at the first entry of `range` (forward) or the last (backward), wherever the cursor stood. One seek
    /// of the store.
    ///
    /// Errors: `Internal` if `range` does not lie inside `within`; the cursor then stands where it stood.
    fn seek(&mut self, range: &KeyRange) -> Result<()>;

    /// Narrows the range of the last seek at its far end, without a seek: a walk learns how far its range goes only
    /// from the first key that it reads. Forward, `end` is the new exclusive stop; backward, the new inclusive start.
    /// An `end` beyond the far end changes nothing. It holds until [`Cursor::lift`] or the next [`Cursor::seek`].
    fn restrict(&mut self, end: &[u8]);

    /// Undoes [`Cursor::restrict`], without a seek: the next fill goes on behind the entry that was yielded last, up to
    /// the end that the last seek has set. So a walk reads the first key that is no longer inside.
    fn lift(&mut self);

    /// Appends the next entries to `chunk` until `limit` is reached or the range ends, and never an entry outside of
    /// the range. Returns whether the range may hold more; `false` is final until the next seek, or [`Cursor::lift`].
    ///
    /// `true` without a new entry is no error: a store may hand control back in a long run of tombstones, so that the
    /// caller can check whether it is cancelled. The next call goes on from there; no entry is lost or repeated.
    /// After an error the chunk may hold entries that were read before it.
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool>;

    /// How many deleted entries it has passed over so far, if the store counts them.
    fn deleted(&self) -> usize {
        0
    }

    /// Says that nobody looks at the values: from here on they may be empty. A hint.
    fn omit_values(&mut self) {}
}

/// The key order in which entries are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the smallest key to the greatest.
    Forward,
    /// From the greatest key to the smallest.
    Backward,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }

    /// Whether `key` lies on the way to where reading goes on: at `to` and behind it; backward, before it.
    pub(crate) fn is_short_of(self, key: &[u8], to: &[u8]) -> bool {
        match self {
            Self::Forward => key < to,
            Self::Backward => key >= to,
        }
    }
}

/// What a write survives once it has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// A power cut: the write has reached the disk. What a statement promises.
    #[default]
    Sync,
    /// The end of the process, however it ends, but not of the machine. For writes that can be repeated.
    Buffered,
}

impl Durability {
    /// Both, with the names that `SET halite.durability` knows them by.
    const NAMES: [(Self, &str); 2] = [(Self::Sync, "sync"), (Self::Buffered, "buffered")];
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync => "sync",
            Self::Buffered => "buffered",
        })
    }
}

impl FromStr for Durability {
    type Err = Error;

    /// Errors: `InvalidInput` for a text that is neither of the names, in any case.
    fn from_str(text: &str) -> Result<Self> {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(_, name)| name.eq_ignore_ascii_case(text));
        found.map(|(durability, _)| *durability).ok_or_else(|| {
            Error::invalid(format!(
                "'{text}' is no durability: 'sync' (what is acknowledged survives a power cut) and 'buffered' (the end \
                 of the process alone) are"
            ))
        })
    }
}

/// What callers must know of a store to use it well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// How long a call takes.
    pub latency: Latency,
    /// Whether nothing can be put under the empty key: a commit that would is an error `NotSupported`, and there is no
    /// entry under it. No row of a table has it.
    pub refuses_empty_key: bool,
}

/// How long a call of a store takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Latency {
    /// Microseconds, if nothing must be read from a disk: a few keys may be read where no thread may wait.
    #[default]
    Near,
    /// The way to another machine and back.
    Far,
}

/// How the entries of one space are kept. It is remembered with the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SpaceOptions {
    /// How blocks of entries are compressed.
    pub compression: Compression,
}

/// How blocks of entries are compressed. Memory does not compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Compression {
    /// LZ4, and Zstandard for the oldest and largest part.
    #[default]
    Fast,
    /// Zstandard throughout: smaller, slower to write.
    Dense,
    /// None, for values that are compressed already.
    None,
}

/// How a store on disk is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Refuse every change, take no lock, and change no file: the database as it is at this moment, while another
    /// process may write to it. What that one writes later is not seen.
    pub read_only: bool,
    /// Make the database if there is none, unless `read_only`.
    pub create_if_missing: bool,
    /// The permissions of the directory that is made for it, less the umask: its owner's alone. A directory that is there
    /// keeps its own.
    pub directory_mode: u32,
    /// Bytes of uncompressed blocks, indexes and filters kept in memory, for all spaces together. By default a quarter of the
    /// memory of the machine or the container.
    pub block_cache_bytes: usize,
    /// Bytes of written entries kept in memory, for all spaces together, before they are sorted into files. After a full
    /// disk, writing goes on by itself when there is room for half of it, or 64 MiB; less takes a new opening.
    pub write_buffer_bytes: usize,
    /// How many tombstones (deleted or overwritten entries) a fill steps over before it hands control back; 0: any
    /// number. A fill that has to start over in the same run of tombstones steps over twice as many as the one before,
    /// so that a run costs at most three times its length and a caller waits for control no longer than it has waited
    /// already.
    pub interrupt_after: u64,
    /// Count what [`RocksStore::log_syncs`] tells. It costs every read and write a little, so it is for tests.
    pub count_syncs: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            read_only: false,
            create_if_missing: true,
            directory_mode: 0o700,
            block_cache_bytes: usize::try_from(machine::memory() / 4).unwrap_or(usize::MAX),
            write_buffer_bytes: 128 << 20,
            interrupt_after: 100_000,
            count_syncs: false,
        }
    }
}

/// The longest name of a space, in bytes.
pub const SPACE_NAME_MAX: usize = 64;

/// Whether `name` can name a space: 1 to [`SPACE_NAME_MAX`] of `a-z`, `0-9` and `_`, so that a store may use it as part
/// of a name of its own.
///
/// Errors: `Internal` otherwise, for names are made by the catalog.
pub fn check_space_name(name: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if (1..=SPACE_NAME_MAX).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(());
    }
    Err(Error::internal(format!(
        "{name:?} cannot name a space: 1 to {SPACE_NAME_MAX} of a-z, 0-9 and _ are allowed"
    )))
}

/// Gives `take` all entries of `range` in `space`, in key order, a chunk at a time, until it says that it wants no more.
/// What was read before an error of the store it gets, too.
///
/// # Errors
/// Those of the store and of `take`.
pub fn read_chunks<E: From<Error>>(
    snapshot: Arc<dyn Snapshot>,
    space: &str,
    range: &KeyRange,
    mut take: impl FnMut(&Chunk) -> Result<bool, E>,
) -> Result<(), E> {
    let request = ReadRequest::range(space, range.clone(), Direction::Forward);
    let mut reader = snapshot.read(request)?;
    let mut chunk = Chunk::default();
    loop {
        chunk.clear();
        let filled = reader.fill(&mut chunk, ChunkLimit::default());
        let wants_more = take(&chunk)?;
        if !filled? || !wants_more {
            return Ok(());
        }
    }
}

/// The keys that `range` has in `space`: what a store deletes one by one that cannot delete a range at once.
///
/// # Errors
/// Those of the store.
#[cfg(any(test, feature = "test-stores", feature = "hbase"))]
pub(crate) fn keys_in(
    snapshot: Arc<dyn Snapshot>,
    space: &str,
    range: &KeyRange,
) -> Result<Vec<Vec<u8>>> {
    let mut request = ReadRequest::range(space, range.clone(), Direction::Forward);
    request.values = false;
    read_keys(snapshot, request)
}

/// The keys of all that a request reads, as they come.
#[cfg(any(test, feature = "test-stores", feature = "hbase"))]
fn read_keys(snapshot: Arc<dyn Snapshot>, request: ReadRequest) -> Result<Vec<Vec<u8>>> {
    let mut reader = snapshot.read(request)?;
    let (mut keys, mut chunk) = (Vec::new(), Chunk::default());
    loop {
        chunk.clear();
        let more = reader.fill(&mut chunk, ChunkLimit::default())?;
        keys.extend(chunk.keys().map(<[u8]>::to_vec));
        if !more {
            return Ok(keys);
        }
    }
}

/// Applies a batch by itself, which minds no claims; for tests.
#[cfg(test)]
pub(crate) fn commit_batch<S: Store + ?Sized>(
    store: &Arc<S>,
    batch: WriteBatch,
    durability: Durability,
) -> Result<()> {
    let mut changes = Arc::clone(store).begin(&[])?;
    changes.write(batch)?;
    changes.commit(durability)
}

fn space_exists(name: &str) -> Error {
    Error::conflict(format!("the space {name} exists already"))
}

fn no_such_space(name: &str) -> Error {
    Error::internal(format!("the store has no space {name}"))
}

fn outside_of_cursor(range: &KeyRange, within: &KeyRange) -> Error {
    Error::internal(format!(
        "seek to {range}, which does not lie inside {within}"
    ))
}

fn has_failed_before(kind: ErrorKind, message: &str) -> Error {
    Error::new(kind, format!("reading has failed before: {message}"))
}

/// Those of a request to what is there now.
#[cfg(test)]
pub(crate) fn keys_of(store: &Arc<dyn Store>, request: ReadRequest) -> Vec<Vec<u8>> {
    read_keys(store.snapshot().unwrap(), request).unwrap()
}

/// A store over simulated servers that lose nothing.
#[cfg(test)]
pub(crate) fn simulated_calmly() -> Arc<dyn Store> {
    versioned::simulation_tests::calm_store()
}

/// The stores of two processes over the same simulated servers, which lose nothing.
#[cfg(test)]
pub(crate) fn simulated_processes() -> [Arc<dyn Store>; 2] {
    versioned::simulation_tests::calm_processes()
}

/// A store over simulated servers, which lose answers now and then.
#[cfg(test)]
pub(crate) fn simulated() -> Arc<dyn Store> {
    versioned::simulation_tests::store()
}

/// Reads what the store keeps beside RocksDB's files, from any bytes.
#[cfg(test)]
pub(crate) fn read_marks(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    synced::read(&text);
    seal::read(&text);
}
