//! What every store must do: one suite per trait, run by all stores and wrappers.
//!
//! `rocksdb_interrupted` gives up after one deleted entry and sorts its few bytes into files at once, so that every
//! check also goes through interruptions and through files.
//!
//! `HALITE_HBASE` names a cluster, where each check has a namespace of its own.
//!
//! `HALITE_SEED` replays a random check; each prints the seed that it runs with.

mod bulk;
mod changes;
mod cursor;
mod reader;
mod snapshot;
mod store;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tempfile::TempDir;

#[cfg(feature = "hbase")]
use super::hbase::cluster_tests;
use super::versioned::simulation_tests;
use super::wrap::{Delayed, Failing, Faults, Recording};
use super::{
    Changes, Chunk, ChunkLimit, Claim, Compression, Cursor, Direction, Durability, LocalSnapshot,
    MemoryStore, ReadRequest, Reader, RocksStore, SPACE_NAME_MAX, Snapshot, SpaceOptions, Store,
    StoreOptions, Work, WriteBatch, commit_batch,
};
use crate::error::{ErrorKind, Result};
use crate::keyrange::KeyRange;
use crate::row::Grouped;
use crate::seed::seed;
use bulk::*;
use changes::*;
use cursor::*;
use reader::*;
use snapshot::*;
use store::*;

/// Runs every named check with every store.
macro_rules! conformance {
    ($($check:ident,)*) => {
        mod memory { $(#[test] fn $check() { super::$check(&super::Subject::memory()); })* }
        mod rocksdb { $(#[test] fn $check() { super::$check(&super::Subject::rocksdb()); })* }
        mod rocksdb_interrupted {
            $(#[test] fn $check() { super::$check(&super::Subject::rocksdb_interrupted()); })*
        }
        mod recording { $(#[test] fn $check() { super::$check(&super::Subject::recording()); })* }
        mod failing { $(#[test] fn $check() { super::$check(&super::Subject::failing()); })* }
        mod delayed { $(#[test] fn $check() { super::$check(&super::Subject::delayed()); })* }
        mod grouped { $(#[test] fn $check() { super::$check(&super::Subject::grouped()); })* }
        mod versioned { $(#[test] fn $check() { super::$check(&super::Subject::versioned()); })* }
        #[cfg(feature = "hbase")]
        mod hbase {
            $(#[test] fn $check() {
                if let Some(subject) = super::Subject::hbase(stringify!($check)) {
                    super::$check(&subject);
                }
            })*
        }
    };
}

/// Runs every named check with every local store.
macro_rules! conformance_near {
    ($($check:ident,)*) => {
        mod near {
            use super::Subject;
            mod memory { $(#[test] fn $check() { super::super::$check(&super::Subject::memory()); })* }
            mod rocksdb { $(#[test] fn $check() { super::super::$check(&super::Subject::rocksdb()); })* }
            mod rocksdb_interrupted {
                $(#[test] fn $check() { super::super::$check(&super::Subject::rocksdb_interrupted()); })*
            }
            mod recording {
                $(#[test] fn $check() { super::super::$check(&super::Subject::recording()); })*
            }
            mod grouped { $(#[test] fn $check() { super::super::$check(&super::Subject::grouped()); })* }
        }
    };
}

conformance! {
    // Store
    spaces_are_made_and_listed,
    names_of_spaces_are_checked,
    a_dropped_space_is_gone,
    older_snapshots_read_a_dropped_space,
    a_snapshot_sees_what_was_written_and_nothing_later,
    a_batch_is_all_or_nothing,
    a_batch_over_two_spaces_is_seen_at_once,
    the_later_operation_on_a_key_counts,
    sizes_follow_the_entries,
    boundaries_lie_inside_and_ascend,
    a_store_can_be_written,
    a_checkpoint_is_the_store_at_one_moment,
    what_is_kept_is_whole,
    a_vacuum_changes_nothing_that_can_be_read,
    a_store_tells_what_it_is,
    the_empty_key_is_kept_or_refused,
    // Changes
    changes_are_seen_when_they_are_committed,
    changes_that_are_dropped_change_nothing,
    a_claim_keeps_others_out,
    shared_claims_keep_nobody_out_but_who_wants_to_be_alone,
    several_claims_are_granted_at_once,
    a_claim_ends_when_it_is_dropped,
    of_concurrent_statements_none_is_lost,
    a_range_is_deleted_before_all_else,
    a_range_is_deleted_beside_loads,
    every_range_of_hostile_keys_is_deleted,
    a_commit_stamps_what_it_claimed,
    // BulkWriter
    a_load_is_seen_at_once_and_by_later_snapshots,
    a_load_that_is_dropped_changes_nothing,
    a_load_takes_keys_in_order_alone,
    a_load_needs_its_space,
    a_load_comes_after_what_was_written_meanwhile,
    readers_see_a_load_whole,
    several_loads_and_a_batch_are_one_step,
    several_loads_need_all_their_spaces,
    readers_see_several_loads_whole,
    random_loads_and_writes_agree_with_a_map,
    // Snapshot
    get_finds_exactly_the_key,
    multi_get_answers_in_order,
    an_unknown_space_is_an_error,
    many_threads_read_one_snapshot,
    // Reader
    every_range_of_hostile_keys_is_read,
    every_choice_of_hostile_keys_is_looked_up,
    a_guide_leads_through_hostile_keys,
    a_reader_keeps_its_snapshot,
    a_reader_keeps_to_limits,
    a_reader_steps_over_deleted_entries,
    a_reader_counts,
    who_looks_at_keys_alone_gets_the_same_keys,
    nothing_is_nothing,
    random_requests_agree_with_a_map,
    what_is_passed_over_is_passed_over_alone,
}

conformance_near! {
    a_cursor_yields_nothing_before_a_seek,
    every_range_of_hostile_keys,
    a_cursor_keeps_its_snapshot,
    seeks_go_anywhere_inside,
    a_seek_outside_changes_nothing,
    restrict_moves_the_far_end_nearer,
    restrict_can_end_the_range,
    lift_takes_back_what_restrict_did,
    limits_count_what_the_chunk_holds,
    keys_and_values_may_be_long,
    deleted_entries_are_stepped_over,
    random_work_agrees_with_a_map,
    what_is_visited_is_what_is_there,
}

/// The store on disk alone, and what is wrapped around it.
mod read_only {
    use super::*;

    #[test]
    fn rocksdb() {
        a_read_only_store_refuses_changes_alone(&Subject::read_only(|store| store));
    }

    #[test]
    fn recording() {
        let wrapped = |store| Arc::new(Recording::new(store)) as Arc<dyn Store>;
        a_read_only_store_refuses_changes_alone(&Subject::read_only(wrapped));
    }

    #[cfg(feature = "hbase")]
    #[test]
    fn hbase() {
        let Some(address) = cluster_tests::address("read_only") else {
            return;
        };
        let read_only = StoreOptions {
            read_only: true,
            ..StoreOptions::default()
        };
        let subject = Subject::of(crate::store::hbase::open(&address).unwrap());
        subject.create("t");
        subject.put("t", &[(b"a", b"1")]);
        let reopened = crate::store::hbase::open_with(&address, &read_only).unwrap();
        a_read_only_store_refuses_changes_alone(&Subject {
            is_cluster: true,
            ..Subject::of(reopened)
        });
        let nowhere = format!("{address}_nowhere");
        let error = crate::store::hbase::open_with(&nowhere, &read_only).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    }

    #[test]
    fn failing() {
        let wrapped = |store| Arc::new(Failing::new(store, Faults::never())) as Arc<dyn Store>;
        a_read_only_store_refuses_changes_alone(&Subject::read_only(wrapped));
    }
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// A store under test, and the directory that it is in.
pub(super) struct Subject {
    store: Arc<dyn Store>,
    directory: Option<TempDir>,
    /// Of statements that run side by side and change one key, the one stands that began last, and not the one that
    /// committed last.
    is_numbered: bool,
    /// Whether it is on other machines indeed, where a statement takes milliseconds.
    is_cluster: bool,
}

impl Subject {
    fn of(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            directory: None,
            is_numbered: false,
            is_cluster: false,
        }
    }

    fn memory() -> Self {
        Self::of(Arc::new(MemoryStore::new()))
    }

    fn recording() -> Self {
        Self::of(Arc::new(Recording::new(Arc::new(MemoryStore::new()))))
    }

    fn failing() -> Self {
        let inner = Arc::new(MemoryStore::new());
        Self::of(Arc::new(Failing::new(inner, Faults::never())))
    }

    fn delayed() -> Self {
        let inner = Arc::new(MemoryStore::new());
        Self::of(Arc::new(Delayed::new(inner, Duration::from_micros(1))))
    }

    /// One over other machines, simulated.
    fn versioned() -> Self {
        Self {
            is_numbered: true,
            ..Self::of(simulation_tests::store())
        }
    }

    /// One on the cluster that is named, if one is.
    #[cfg(feature = "hbase")]
    fn hbase(check: &str) -> Option<Self> {
        let address = cluster_tests::address(check)?;
        Some(Self {
            is_numbered: true,
            is_cluster: true,
            ..Self::of(crate::store::hbase::open(&address).unwrap())
        })
    }

    /// How often something is done that is done `near` times where it takes no time.
    fn rounds(&self, near: usize) -> usize {
        if self.is_cluster {
            (near / 8).max(5)
        } else {
            near
        }
    }

    fn refuses_empty_key(&self) -> bool {
        self.store.capabilities().refuses_empty_key
    }

    /// [`HOSTILE`], as far as it can be kept.
    fn hostile(&self) -> &'static [(&'static [u8], &'static [u8])] {
        if self.refuses_empty_key() {
            &HOSTILE[1..]
        } else {
            HOSTILE
        }
    }

    /// As [`random_key`], of those that can be kept.
    fn key(&self, random: &mut Rng) -> Vec<u8> {
        loop {
            let key = random_key(random);
            if !(key.is_empty() && self.refuses_empty_key()) {
                return key;
            }
        }
    }

    /// The rows of a store that keeps several in one entry.
    fn grouped() -> Self {
        let inner = Arc::new(MemoryStore::new());
        Self::of(Arc::new(Grouped::showing_rows(inner)))
    }

    fn rocksdb() -> Self {
        Self::rocksdb_with(&StoreOptions::default())
    }

    fn rocksdb_interrupted() -> Self {
        Self::rocksdb_with(&StoreOptions {
            interrupt_after: 1,
            write_buffer_bytes: 64 << 10,
            ..StoreOptions::default()
        })
    }

    fn rocksdb_with(options: &StoreOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), options).unwrap();
        Self {
            directory: Some(directory),
            ..Self::of(Arc::new(store))
        }
    }

    /// One that is read-only, and what `wrapped` makes of it. Its space `t` has one entry.
    fn read_only(wrapped: impl Fn(Arc<dyn Store>) -> Arc<dyn Store>) -> Self {
        let written = Self::rocksdb();
        written.create("t");
        written.put("t", &[(b"a", b"1")]);
        let Self {
            store, directory, ..
        } = written;
        drop(store);
        let options = StoreOptions {
            read_only: true,
            ..StoreOptions::default()
        };
        let path = directory.as_ref().unwrap().path();
        let store = RocksStore::open(path, &options).unwrap();
        Self {
            directory,
            ..Self::of(wrapped(Arc::new(store)))
        }
    }

    fn is_on_disk(&self) -> bool {
        self.directory.is_some()
    }

    fn create(&self, space: &str) {
        self.store
            .create_space(space, &SpaceOptions::default())
            .unwrap();
    }

    fn put(&self, space: &str, entries: &[(&[u8], &[u8])]) {
        let mut batch = WriteBatch::new();
        for (key, value) in entries {
            batch.put(space, key, value);
        }
        self.write(batch).unwrap();
    }

    fn delete(&self, space: &str, key: &[u8]) {
        let mut batch = WriteBatch::new();
        batch.delete(space, key);
        self.write(batch).unwrap();
    }

    fn write(&self, batch: WriteBatch) -> Result<()> {
        commit_batch(&self.store, batch, Durability::Buffered)
    }

    fn begin(&self, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        Arc::clone(&self.store).begin(claims)
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.store.snapshot().unwrap()
    }

    /// A cursor over all of a space at this moment.
    fn cursor(&self, space: &str, direction: Direction) -> Box<dyn Cursor> {
        near(&self.snapshot())
            .cursor(space, &KeyRange::all(), direction)
            .unwrap()
    }
}

/// What is beneath a snapshot.
fn near(snapshot: &Arc<dyn Snapshot>) -> Arc<dyn LocalSnapshot> {
    Arc::clone(snapshot).local().expect("a local store")
}

/// The load of a statement that does nothing else.
struct Loading {
    changes: Box<dyn Changes>,
    space: String,
}

fn begin_load(subject: &Subject, space: &str) -> Result<Loading> {
    let mut changes = subject.begin(&[Claim::shared(space)])?;
    drop(changes.bulk(space)?);
    let space = space.to_owned();
    Ok(Loading { changes, space })
}

impl Loading {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.changes.bulk(&self.space)?.put(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.changes.bulk(&self.space)?.delete(key)
    }

    fn ingest(self) -> Result<()> {
        self.changes.commit(Durability::Sync)
    }
}

fn kind<T: std::fmt::Debug>(outcome: Result<T>) -> ErrorKind {
    outcome.unwrap_err().kind()
}

fn range(start: &[u8], stop: Option<&[u8]>) -> KeyRange {
    KeyRange::new(start.to_vec(), stop.map(<[u8]>::to_vec)).unwrap()
}

/// Fills until the limit is reached or the range ends; whether the range may hold more.
pub(super) fn fill(cursor: &mut dyn Cursor, chunk: &mut Chunk, limit: ChunkLimit) -> bool {
    fill_with(chunk, limit, |chunk| cursor.fill(chunk, limit))
}

/// As [`fill`], of a reader.
fn read_on(reader: &mut dyn Reader, chunk: &mut Chunk, limit: ChunkLimit) -> bool {
    fill_with(chunk, limit, |chunk| reader.fill(chunk, limit))
}

fn fill_with(
    chunk: &mut Chunk,
    limit: ChunkLimit,
    mut fill: impl FnMut(&mut Chunk) -> Result<bool>,
) -> bool {
    for _ in 0..100 {
        let before = chunk.len();
        let more = fill(chunk).unwrap();
        if !more || limit.is_reached(chunk) {
            return more;
        }
        assert!(chunk.len() >= before);
    }
    panic!("100 interruptions in one fill: it does not get on");
}

fn keys_left(cursor: &mut dyn Cursor) -> Vec<Vec<u8>> {
    let mut chunk = Chunk::new();
    let all = ChunkLimit::entries(usize::MAX);
    assert!(!fill(cursor, &mut chunk, all));
    chunk.keys().map(<[u8]>::to_vec).collect()
}

fn contents(snapshot: &Arc<dyn Snapshot>, space: &str) -> Model {
    let request = ReadRequest::range(space, KeyRange::all(), Direction::Forward);
    let all = ChunkLimit::entries(usize::MAX);
    read(snapshot, request, all).into_iter().collect()
}

/// All entries of a request, asked for as `limit` says.
fn read(
    snapshot: &Arc<dyn Snapshot>,
    request: ReadRequest,
    limit: ChunkLimit,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut reader = Arc::clone(snapshot).read(request).unwrap();
    let (mut entries, mut chunk) = (Vec::new(), Chunk::new());
    loop {
        chunk.clear();
        let more = read_on(&mut *reader, &mut chunk, limit);
        let read = chunk.iter();
        entries.extend(read.map(|(key, value)| (key.to_vec(), value.to_vec())));
        if !more {
            return entries;
        }
    }
}

fn model(entries: &[(&[u8], &[u8])]) -> Model {
    entries
        .iter()
        .map(|(key, value)| (key.to_vec(), value.to_vec()))
        .collect()
}

fn random() -> Rng {
    Rng::with_seed(seed())
}

/// Keys whose order goes wrong in many ways, and their values.
const HOSTILE: &[(&[u8], &[u8])] = &[
    (b"", b"the empty key"),
    (b"\0", b""),
    (b"\0\0", b"\0"),
    (b"\0\xff", b"\xff"),
    (b"\x01", b"1"),
    (b"a", b"2"),
    (b"a\0", b"3"),
    (b"ab", b"4"),
    (b"\xfe\xff\xff", b"5"),
    (b"\xff", b"6"),
    (b"\xff\0", b"7"),
    (b"\xff\xff", b"8"),
    (b"\xff\xff\xff", b""),
];
