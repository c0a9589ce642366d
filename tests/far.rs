//! A store that is far away: what a statement costs there is how often it waits for the way there and back.
//!
//! The store is one in memory behind [`Delayed`], which counts messages. What is begun together is waited for once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use halite::session::{Connection, Database, Outcome, Profile, RowStream};
use halite::store::wrap::Delayed;
use halite::store::{MemoryStore, Store};

/// The way to the store and back: long enough to tell waiting for it from working.
const DELAY: Duration = Duration::from_millis(150);

/// How many rows there are: a few in each bucket.
const ROWS: usize = 800;

/// A table of sixteen buckets, far away.
struct Far {
    connection: Connection,
    requests: Arc<std::sync::atomic::AtomicUsize>,
}

impl Far {
    async fn new() -> Self {
        let near: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let database = Database::of_store(Arc::clone(&near)).unwrap();
        let connection = database.connect();
        for statement in [
            "CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (bucket(16, k), k))".to_owned(),
            format!("INSERT INTO t SELECT value, value % 7 FROM generate_series(1, {ROWS})"),
        ] {
            connection.execute(&statement, vec![]).await.unwrap();
        }
        let delayed = Delayed::new(near, DELAY);
        let requests = delayed.requests();
        let database = Database::of_store(Arc::new(delayed)).unwrap();
        let far = Self {
            connection: database.connect(),
            requests,
        };
        // What is done once for a process is none of the statement's.
        far.profile("SELECT v FROM t WHERE k = 1 ORDER BY v").await;
        far
    }

    async fn profile(&self, sql: &str) -> (Profile, usize) {
        let statement = self.connection.script(sql).unwrap().remove(0);
        let before = self.requests.load(Ordering::Relaxed);
        let profile = self.connection.profile(&statement).await.unwrap();
        let requests = self.requests.load(Ordering::Relaxed) - before;
        assert_eq!(profile.totals.requests, requests, "{sql}");
        (profile, requests)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_point_is_one_request() {
    let far = Far::new().await;
    let sql = "SELECT v FROM t WHERE k = $1";
    let prepared = far.connection.prepare(sql).await.unwrap();
    for (key, is_there) in [(8_i64, true), (0, false)] {
        let before = far.requests.load(Ordering::Relaxed);
        let row = prepared.query(vec![key.into()]).await.unwrap();
        let rows = row.rows().await.unwrap();
        assert_eq!(rows.len(), usize::from(is_there));
        assert_eq!(far.requests.load(Ordering::Relaxed) - before, 1);
    }
    let (profile, requests) = far.profile("SELECT v FROM t WHERE k = 8").await;
    assert_eq!((profile.rows(), requests), (1, 1));
}

/// Whatever buckets the keys are in, and in whatever order they are wanted.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_keys_is_one_request() {
    let far = Far::new().await;
    let keys: Vec<String> = (0..60).map(|key| (key * 13).to_string()).collect();
    let keys = keys.join(", ");
    for (end, rows) in [
        ("", 59),
        (" AND v = 3", 8),
        (" ORDER BY k", 59),
        (" ORDER BY k DESC", 59),
    ] {
        let sql = format!("SELECT * FROM t WHERE k IN ({keys}){end}");
        let (profile, requests) = far.profile(&sql).await;
        assert_eq!((profile.rows(), requests), (rows, 1), "{sql}");
    }
    let sql = "SELECT v FROM t WHERE k IN ($1, $2, $3)";
    let prepared = far.connection.prepare(sql).await.unwrap();
    let before = far.requests.load(Ordering::Relaxed);
    let keys: Vec<_> = [8_i64, 900, 77].map(Into::into).into();
    let found = prepared.query(keys).await.unwrap();
    assert_eq!(found.rows().await.unwrap().len(), 2);
    assert_eq!(far.requests.load(Ordering::Relaxed) - before, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn buckets_are_read_together() {
    let far = Far::new().await;
    for (sql, rows) in [
        ("SELECT * FROM t WHERE k BETWEEN 101 AND 700", 600),
        (
            "SELECT * FROM t WHERE k BETWEEN 101 AND 700 ORDER BY k",
            600,
        ),
        ("SELECT * FROM t WHERE k > 100 ORDER BY k DESC LIMIT 20", 20),
        (
            "SELECT * FROM t WHERE k > 100 AND v = 3 ORDER BY k LIMIT 20",
            20,
        ),
        ("SELECT k FROM t WHERE k < 5000 LIMIT 700", 700),
    ] {
        // A machine that does something else meanwhile makes a statement late, and none early.
        let mut took = Duration::MAX;
        for _ in 0..5 {
            let began = Instant::now();
            let (profile, requests) = far.profile(sql).await;
            took = took.min(began.elapsed());
            assert_eq!(profile.rows(), rows, "{sql}");
            assert!((16..=32).contains(&requests), "{sql}: {requests} requests");
            if took < DELAY * 3 {
                break;
            }
        }
        assert!(took < DELAY * 3, "{sql}: {took:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_shown() {
    let far = Far::new().await;
    let sql = "EXPLAIN ANALYZE SELECT * FROM t WHERE k BETWEEN 101 AND 700";
    let statement = far.connection.script(sql).unwrap().remove(0);
    let Outcome::Rows(stream) = far.connection.run(&statement).await.unwrap() else {
        panic!("EXPLAIN ANALYZE gives rows");
    };
    let rows = RowStream::from(stream).rows().await.unwrap();
    let plan: String = rows
        .iter()
        .map(|row| format!("{:?}\n", row.get::<&str>("plan")))
        .collect();
    assert!(plan.contains("requests=16"), "{plan}");
}
