//! A query that nobody waits for any more stops reading, and gives its threads back.
//!
//! Each test has a runtime of its own, whose threads are told from those of other tests by their names. Its statements run
//! there, and not on Halite's threads: of those nobody could tell which test's tasks still run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use tokio::runtime::{Builder, Runtime};

use super::{Connection, Database};
use crate::keyrange::KeyRange;
use crate::run::outcome::Outcome;
use crate::run::running::RUNS_HERE;
use crate::store::wrap::{Call, Log, Recording};
use crate::store::{
    Durability, MemoryStore, RocksStore, Snapshot, StoreOptions, WriteBatch, commit_batch,
};

/// The most keys that a store may yield after nobody listens any more.
const FURTHER_KEYS: usize = 20_000;

/// How long a thread may take to end, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A runtime whose threads are named `name`, of at most 15 bytes, and leave soon when there is nothing to do.
fn runtime(name: &str) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .thread_name(name)
        .thread_keep_alive(Duration::from_millis(50))
        .enable_all()
        .build()
        .unwrap()
}

/// How many threads of this process have a name.
fn threads(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok());
    names.filter(|found| found.trim_end() == name).count()
}

fn wait_until(is_so: impl Fn() -> bool, complaint: impl Fn() -> String) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{}", complaint());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until there are `wanted` threads.
fn settled(name: &str, wanted: usize) {
    let complaint = || format!("{} threads instead of {wanted}", threads(name));
    wait_until(|| threads(name) == wanted, complaint);
}

/// A database whose store is recorded, with a table of 150,000 rows under a row key.
struct Fixture {
    name: &'static str,
    runtime: Runtime,
    connection: Connection,
    log: Log,
}

/// Threads that stay when nothing runs.
const WORKERS: usize = 2;

impl Fixture {
    fn new(name: &'static str, key: &str) -> Self {
        let store = Recording::new(Arc::new(MemoryStore::new()));
        let fixture = Self::over(name, store);
        fixture.run(&format!(
            "CREATE TABLE t (k INT, v INT, PRIMARY KEY ({key}))"
        ));
        fixture.run("INSERT INTO t SELECT value, value % 100 FROM generate_series(1, 150000)");
        fixture
    }

    fn over(name: &'static str, store: Recording) -> Self {
        RUNS_HERE.set(true);
        let (runtime, log) = (runtime(name), store.log());
        let database = Database::of_store(Arc::new(store)).unwrap();
        let connection = database.connect();
        Self {
            name,
            runtime,
            connection,
            log,
        }
    }

    fn run(&self, sql: &str) {
        let execute = self.connection.execute(sql, Vec::new());
        self.runtime.block_on(execute).expect(sql);
    }

    async fn stream(&self, sql: &str) -> SendableRecordBatchStream {
        let statement = self.connection.script(sql).unwrap().remove(0);
        match self.connection.run(&statement).await.expect(sql) {
            Outcome::Rows(stream) => stream,
            other => panic!("{other:?}"),
        }
    }

    fn keys_read(&self) -> usize {
        let fills = self.log.calls();
        let read = fills.iter().map(|call| match call {
            Call::Fill(_, entries) => *entries,
            _ => 0,
        });
        read.sum()
    }

    /// Runs a query, drops it while it reads, and looks at what happens then. The store holds whoever reads until nobody
    /// is left who could still be told that the query is over.
    fn drop_half_way(&self, sql: &str, wants_batch: bool) {
        settled(self.name, WORKERS);
        self.log.take();
        let held_after = if wants_batch { 50_000 } else { 5_000 };
        self.log.hold_after(held_after);
        self.runtime.block_on(async {
            let mut stream = self.stream(sql).await;
            if wants_batch {
                stream.next().await.unwrap().unwrap();
            }
            while self.log.waiting() == 0 {
                let polled = tokio::time::timeout(Duration::from_millis(1), stream.next()).await;
                assert!(
                    !matches!(polled, Ok(None)),
                    "{sql}: the end, though readers are held"
                );
            }
            drop(stream);
        });
        let metrics = self.runtime.metrics();
        wait_until(
            || metrics.num_alive_tasks() == 0,
            || format!("{sql}: {} tasks go on", metrics.num_alive_tasks()),
        );
        let at_drop = self.keys_read();
        self.log.release();
        settled(self.name, WORKERS);
        let further = self.keys_read() - at_drop;
        println!("{sql}: {further} keys after the end, {at_drop} before");
        assert!(at_drop >= held_after, "{sql}: {at_drop}");
        assert!(further < FURTHER_KEYS, "{sql}: read on, {further} keys");
    }
}

const QUERIES: &[(&str, bool)] = &[
    ("SELECT * FROM t", true),
    ("SELECT * FROM t WHERE v = -1", false),
    ("SELECT count(*) FROM t WHERE v % 7 = 9", false),
    (
        "SELECT * FROM t WHERE v = -1 ORDER BY k DESC LIMIT 5",
        false,
    ),
    ("SELECT v, count(*) FROM t GROUP BY v", false),
    ("SELECT * FROM t ORDER BY v, k", false),
    (
        "SELECT * FROM t x JOIN t y ON x.v = y.k WHERE x.k + y.v < 0",
        false,
    ),
];

#[test]
fn a_dropped_query_stops_reading_one_run() {
    let fixture = Fixture::new("cancel-run", "k");
    for (sql, wants_batch) in QUERIES {
        fixture.drop_half_way(sql, *wants_batch);
    }
}

#[test]
fn a_dropped_query_stops_reading_buckets_and_pieces() {
    for (name, key, set) in [
        (
            "cancel-buckets",
            "salt(8), k",
            "SET datafusion.execution.target_partitions = 2",
        ),
        ("cancel-pieces", "k", "SET halite.piece_bytes = 200000"),
    ] {
        let fixture = Fixture::new(name, key);
        fixture.run(set);
        for (sql, wants_batch) in QUERIES {
            fixture.drop_half_way(sql, *wants_batch);
        }
    }
}

/// How many deleted entries lie in a row.
const TOMBSTONES: u32 = 1_000_000;

/// A database on disk with one row at each end of a million deleted ones, a snapshot from before for whose sake what was
/// deleted is kept, and the directory.
fn tombstones(name: &'static str) -> (Fixture, Arc<dyn Snapshot>, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let store = RocksStore::open(directory.path().join("db"), &StoreOptions::default()).unwrap();
    let fixture = Fixture::over(name, Recording::new(Arc::new(store)));
    fixture.run("CREATE TABLE t (k INT, v INT, PRIMARY KEY (k))");
    fixture.run("INSERT INTO t VALUES (-1, 1), (2000000, 2)");
    let store = fixture.connection.database().store();
    let space = store.spaces().unwrap().into_iter().find(|space| {
        let size = store.approximate_size(space, &KeyRange::all());
        space.starts_with('t') && size.is_ok()
    });
    let space = space.expect("the table's space");
    let before = store.snapshot().unwrap();
    for first in (0..TOMBSTONES).step_by(100_000) {
        let mut batch = WriteBatch::new();
        // An INTEGER is kept with its sign bit turned.
        (first..first + 100_000)
            .for_each(|key| batch.delete(&space, &(key ^ 0x8000_0000).to_be_bytes()));
        commit_batch(store, batch, Durability::Buffered).unwrap();
    }
    // One partition has one cursor, whose fills can be counted.
    fixture.run("SET datafusion.execution.target_partitions = 1");
    fixture.log.take();
    (fixture, before, directory)
}

#[test]
fn a_query_gets_over_a_million_deleted_rows_and_can_be_dropped_among_them() {
    let (fixture, _before, _directory) = tombstones("cancel-deleted");
    let fills = || {
        fixture
            .log
            .calls()
            .iter()
            .filter(|call| matches!(call, Call::Fill(..)))
            .count()
    };
    let batches = fixture
        .connection
        .query("SELECT v FROM t ORDER BY k", Vec::new());
    let batches = fixture.runtime.block_on(batches).unwrap();
    assert_eq!(
        batches.iter().map(|batch| batch.num_rows()).sum::<usize>(),
        2
    );
    // Control came back after 100,000 entries, 200,000 more, and so on.
    let all = fills();
    assert!((4..=8).contains(&all), "{all} fills");

    settled(fixture.name, WORKERS);
    fixture.log.take();
    let at_drop = fixture.runtime.block_on(async {
        let mut stream = fixture.stream("SELECT v FROM t WHERE v > 1").await;
        while fills() == 0 {
            let polled = tokio::time::timeout(Duration::from_millis(1), stream.next()).await;
            assert!(polled.is_err(), "the row behind the deleted ones");
        }
        drop(stream);
        fills()
    });
    settled(fixture.name, WORKERS);
    let further = fills() - at_drop;
    assert!(
        further <= 1 && at_drop < all,
        "{further} fills after {at_drop}, of {all}"
    );
}
