//! Statements over a store that keeps several rows in one entry do what they do over any other.

use std::sync::Arc;

use fastrand::Rng;

use super::testing::texts;
use super::{Connection, Database};
use crate::error::Result;
use crate::key::testing::with_seed;
use crate::keyrange::KeyRange;
use crate::row::Grouped;
use crate::store::{MemoryStore, Store, read_chunks};

/// The same tables where each row is an entry, and where it is not.
struct Both {
    single: Database,
    grouped: Database,
    /// What the groups are kept in.
    groups: Arc<MemoryStore>,
}

impl Both {
    fn new() -> Self {
        let groups = Arc::new(MemoryStore::new());
        let grouped = Grouped::new(Arc::clone(&groups) as Arc<dyn Store>);
        Self {
            single: Database::in_memory().unwrap(),
            grouped: Database::of_store(Arc::new(grouped)).unwrap(),
            groups,
        }
    }

    /// How many entries the rows of the only table share.
    fn entries(&self) -> usize {
        let spaces = self.groups.spaces().unwrap();
        let space = spaces.iter().find(|space| *space != "catalog").unwrap();
        let (snapshot, mut entries) = (self.groups.snapshot().unwrap(), 0);
        let read: Result<()> = read_chunks(snapshot, space, &KeyRange::all(), |chunk| {
            entries += chunk.len();
            Ok(true)
        });
        read.unwrap();
        entries
    }

    /// Runs a statement in both, which say the same: how many rows it has changed, or what is wrong. Whether it ran.
    async fn execute(&self, settings: &str, sql: &str) -> bool {
        let single = execute(&self.single, settings, sql).await;
        let grouped = execute(&self.grouped, settings, sql).await;
        assert_eq!(single, grouped, "{sql}");
        single.is_ok()
    }

    /// Both give the same rows.
    async fn query(&self, sql: &str) {
        let single = rows(&self.single.connect(), sql).await;
        let grouped = rows(&self.grouped.connect(), sql).await;
        assert_eq!(single, grouped, "{sql}");
    }

    /// A check finds the same rows in both, and nothing wrong.
    async fn check(&self) {
        let single = self.single.check().await.unwrap();
        let grouped = self.grouped.check().await.unwrap();
        assert!(grouped.is_sound(), "{grouped:?}");
        assert_eq!(single.tables, grouped.tables);
    }
}

async fn execute(
    database: &Database,
    settings: &str,
    sql: &str,
) -> std::result::Result<u64, String> {
    let connection = database.connect();
    connection.execute(settings, ()).await.unwrap();
    let outcome = connection.execute(sql, ()).await;
    outcome.map_err(|error| error.to_string())
}

async fn rows(connection: &Connection, sql: &str) -> Vec<String> {
    texts(&connection.sql(sql).await.unwrap().collect().await.unwrap())
}

/// A statement that changes rows of `t`; some of them fail.
fn statement(rng: &mut Rng) -> String {
    let count = rng.choice([1, 1, 3, 40]).unwrap();
    let first = rng.u32(..300);
    let step = rng.u32(1..4);
    let values: Vec<String> = (0..count)
        .map(|row| format!("({}, {}, 'v{}')", first + row * step, row % 3, rng.u32(..9)))
        .collect();
    let values = values.join(", ");
    match rng.u8(..9) {
        0..3 => format!("INSERT INTO t VALUES {values}"),
        3 => format!("INSERT OR REPLACE INTO t VALUES {values}"),
        4 => format!("INSERT INTO t VALUES {values} ON CONFLICT DO NOTHING"),
        5 => format!("UPDATE t SET c = 'u' WHERE a % 7 = {}", first % 7),
        6 => format!(
            "DELETE FROM t WHERE a BETWEEN {first} AND {}",
            first + count
        ),
        7 => format!("DELETE FROM t WHERE a % 5 = {} AND b = 1", first % 5),
        _ => format!("DELETE FROM t WHERE a IN ({first}, {}, 17)", first + step),
    }
}

fn query(rng: &mut Rng) -> String {
    let (a, b, limit) = (rng.u32(..320), rng.u32(..3), rng.u32(1..9));
    let direction = rng.choice(["", " DESC"]).unwrap();
    match rng.u8(..6) {
        0 => format!("SELECT * FROM t WHERE a = {a} AND b = {b}"),
        1 => format!(
            "SELECT * FROM t WHERE a IN ({a}, {}, 40) AND b = {b} ORDER BY a, b",
            a + 1
        ),
        2 => format!(
            "SELECT * FROM t WHERE a >= {a} ORDER BY a{direction}, b{direction} LIMIT {limit}"
        ),
        3 => format!("SELECT a, c FROM t WHERE b = {b} ORDER BY a{direction}, c LIMIT {limit}"),
        4 => format!("SELECT min(a), max(a), count(*) FROM t WHERE a < {a}"),
        _ => "SELECT DISTINCT a FROM t ORDER BY a".to_owned(),
    }
}

#[test]
fn statements_do_the_same_when_rows_share_entries() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    with_seed(|rng| {
        for key in ["a, b", "salt(3), a DESC, b", "a / 10, b DESC, a"] {
            runtime.block_on(changed_and_asked(rng, key));
        }
    });
}

async fn changed_and_asked(rng: &mut Rng, key: &str) {
    let both = Both::new();
    let create = format!("CREATE TABLE t (a INT, b INT, c TEXT, PRIMARY KEY ({key}))");
    let in_memory = "SET halite.statement_memory = 1000000";
    assert!(both.execute(in_memory, &create).await);
    let mut refused = 0;
    for _ in 0..60 {
        // Changes that do not fit into memory are loaded in bulk.
        let memory = rng.choice([in_memory, "SET halite.statement_memory = 100"]);
        let ran = both.execute(memory.unwrap(), &statement(rng)).await;
        refused += usize::from(!ran);
        both.query(&query(rng)).await;
    }
    both.query("SELECT * FROM t ORDER BY a, b").await;
    both.query("SELECT * FROM keys('t')").await;
    both.query("SELECT count(*) FROM t").await;
    both.check().await;
    let kept = rows(&both.grouped.connect(), "SELECT a FROM t").await.len();
    let entries = both.entries();
    assert!(entries * 4 < kept * 3, "{kept} rows in {entries} entries");
    assert!((1..50).contains(&refused), "{refused} refused");
    assert!(both.execute(in_memory, "TRUNCATE t").await);
    both.query("SELECT * FROM t").await;
}
