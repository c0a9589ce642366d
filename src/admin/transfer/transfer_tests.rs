use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::error::ErrorKind;
use crate::keyrange::KeyRange;
use crate::row::own_rows;
use crate::session::Connection;
use crate::session::testing::{rows_of, run};
use crate::store::{Chunk, MemoryStore, RocksStore, Store, StoreOptions, read_chunks, simulated};

/// Tables of every kind, with rows from before and from after they were altered.
const VARIETY: &[&str] = &[
    "CREATE SEQUENCE ids START WITH 100 INCREMENT BY 10 CACHE 1",
    "CREATE TABLE event (kind SMALLINT, day DATE, n BIGINT, note TEXT, PRIMARY KEY (salt(8), kind, day DESC, n))",
    "INSERT INTO event SELECT k % 5, DATE '2024-01-01', k, 'note ' || k FROM generate_series(1, 400) AS s (k)",
    "CREATE TABLE customer (c INT, name TEXT, PRIMARY KEY (c, 'C')) WITH (keyspace = 'shop')",
    "CREATE TABLE orders (c INT, o INT, state TEXT, PRIMARY KEY (c, 'O', o)) WITH (keyspace = 'shop')",
    "INSERT INTO customer SELECT k, 'name ' || k FROM generate_series(1, 50) AS s (k)",
    "INSERT INTO orders SELECT k % 60, k, 'new' FROM generate_series(1, 200) AS s (k)",
    "CREATE TABLE host (h TEXT, ts TIMESTAMP(3), cpu DOUBLE, mem DOUBLE, raw TEXT, PRIMARY KEY (h, ts DESC)) \
     WITH (families = 'm(cpu, mem) raw(raw)')",
    "INSERT INTO host SELECT 'h' || (k % 7), TIMESTAMP '2024-01-01' + k * INTERVAL '1 second', k, k / 2, 'raw ' || k \
     FROM generate_series(1, 100) AS s (k)",
    "CREATE TABLE log (host TEXT, kind TEXT, n INT, line TEXT, PRIMARY KEY (dict(host), dict(kind), n))",
    "INSERT INTO log SELECT 'host ' || (k % 9), 'kind ' || (k % 4), k, 'line' FROM generate_series(1, 90) AS s (k)",
    "CREATE TABLE altered (a INT PRIMARY KEY, gone TEXT, old TEXT)",
    "INSERT INTO altered VALUES (1, 'x', 'y'), (2, NULL, 'z')",
    "ALTER TABLE altered DROP COLUMN gone",
    "ALTER TABLE altered ADD COLUMN late INT DEFAULT 7",
    "ALTER TABLE altered RENAME COLUMN old TO renamed",
    "INSERT INTO altered VALUES (3, 'w', 8)",
    "CREATE TABLE made (a INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b INT CHECK (b > 0), twice INT GENERATED ALWAYS AS \
     (b * 2) STORED, id BIGINT DEFAULT nextval('ids'))",
    "INSERT INTO made (b) VALUES (1), (2), (3)",
    "CREATE TABLE dealt (line TEXT, PRIMARY KEY (random_salt(4), line))",
    "INSERT INTO dealt SELECT 'line ' || (k % 3) FROM generate_series(1, 12) AS s (k)",
    "CREATE TABLE keyless (a INT, b TEXT)",
    "INSERT INTO keyless VALUES (1, 'x'), (1, 'x'), (NULL, NULL)",
    "CREATE TABLE nothing (a INT PRIMARY KEY)",
    "COMMENT ON TABLE event IS 'what happened'",
    "CREATE VIEW newest AS SELECT kind, n FROM event WHERE n > 390",
    "CREATE VIEW abc AS SELECT kind FROM newest",
    "COMMENT ON VIEW abc IS 'stands on another'",
];

async fn with(store: Arc<dyn Store>, statements: &[&str]) -> (Database, Connection) {
    let database = Database::of_store(store).unwrap();
    let connection = database.connect();
    for sql in statements {
        let done = run(&connection, sql).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    (database, connection)
}

async fn in_memory(statements: &[&str]) -> (Database, Connection) {
    with(Arc::new(MemoryStore::new()), statements).await
}

async fn planned(from: &Database, to: &Database, names: &[&str]) -> Result<Transfer> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let selection = Selection::new(from, "FROM", &names).await?;
    Transfer::new(selection, to, "TO").await
}

async fn all_steps(mut transfer: Transfer) -> Result<Vec<TransferStep>> {
    let mut steps = Vec::new();
    while let Some(step) = transfer.step().await? {
        steps.push(step);
    }
    Ok(steps)
}

/// The tables that a copy came to.
async fn copied(from: &Database, to: &Database, names: &[&str]) -> Vec<TableCopy> {
    let transfer = planned(from, to, names).await.unwrap();
    let steps = all_steps(transfer).await.unwrap().into_iter();
    let tables = steps.filter_map(|step| match step {
        TransferStep::Table(copy) => Some(copy),
        _ => None,
    });
    tables.collect()
}

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// The rows of a table as they are stored, and the entries of its dictionaries.
fn bytes(database: &Database, table: &str) -> [Entries; 2] {
    let table = database.catalog().table(table).unwrap();
    let (table, snapshot) = (table.bound(), database.store().snapshot().unwrap());
    let taken = |chunk: &Chunk| {
        let entries = chunk.iter();
        entries
            .map(|(key, value)| (key.to_vec(), value.to_vec()))
            .collect::<Entries>()
    };
    let mut rows = Entries::new();
    let read = RowSnapshot::of(Arc::clone(&snapshot), table.spaces());
    let range = KeyRange::all();
    read.read_chunks(&range, |chunk| {
        rows.extend(taken(&own_rows(table, chunk)));
        Ok::<_, Error>(true)
    })
    .unwrap();
    let mut words = Entries::new();
    if let Some(space) = table.spaces().dictionary() {
        read_chunks(snapshot, space, &range, |chunk| {
            words.extend(taken(chunk));
            Ok::<_, Error>(true)
        })
        .unwrap();
    }
    [rows, words]
}

type Contents = BTreeMap<String, (Vec<String>, [Entries; 2])>;

/// Says what differs, and not all there is.
fn assert_same(found: &Contents, expected: &Contents) {
    assert!(found.keys().eq(expected.keys()));
    for ((name, (shown, bytes)), (others, expected)) in found.iter().zip(expected.values()) {
        let mut pairs = shown.iter().zip(others);
        let differs = pairs.find(|(one, other)| one != other);
        assert!(shown == others, "{name}: {differs:?}");
        assert!(bytes == expected, "{name}: other bytes");
    }
}

/// All that a database has: what makes it again, rows as queries show them, rows as they are stored.
async fn contents(database: &Database) -> Contents {
    let connection = database.connect();
    let catalog = database.catalog();
    let mut all = BTreeMap::new();
    for name in catalog.names() {
        let table = catalog.table(&name).unwrap();
        let mut shown = vec![table.bound().table().create_statement()];
        shown.extend(table.bound().table().comment_statements());
        let mut rows = rows_of(&connection, &format!("SELECT * FROM {name}")).await;
        rows.sort();
        shown.extend(rows);
        all.insert(name.clone(), (shown, bytes(database, &name)));
    }
    for view in catalog.views_in_order() {
        let mut shown = vec![view.create_statement(), format!("{:?}", view.comment)];
        let mut rows = rows_of(&connection, &format!("SELECT * FROM {}", view.name)).await;
        rows.sort();
        shown.extend(rows);
        all.insert(view.name.clone(), (shown, Default::default()));
    }
    for name in catalog.sequence_names() {
        let sequence = catalog.sequence(&name).unwrap();
        let last = sequence.last(database.store().snapshot().unwrap().as_ref());
        let shown = vec![
            sequence.definition().create_statement(),
            format!("{:?}", last.unwrap()),
        ];
        all.insert(name, (shown, Default::default()));
    }
    all
}

fn stores() -> Vec<(Arc<dyn Store>, Option<tempfile::TempDir>)> {
    let directory = tempfile::tempdir().unwrap();
    let rocksdb = RocksStore::open(directory.path().join("db"), &StoreOptions::default());
    vec![
        (Arc::new(MemoryStore::new()), None),
        (Arc::new(rocksdb.unwrap()), Some(directory)),
        (simulated(), None),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_the_same_whatever_the_stores() {
    let targets = stores().into_iter().zip([CHUNK_BYTES, 1, 300]);
    for ((source, _kept), ((target, _kept_too), chunk)) in stores().into_iter().zip(targets.rev()) {
        let (from, _) = with(source, VARIETY).await;
        let to = Database::of_store(target).unwrap();
        let transfer = planned(&from, &to, &[])
            .await
            .unwrap()
            .with_chunks_of(chunk);
        let steps = all_steps(transfer).await.unwrap();
        assert_eq!(steps.len(), 1 + 10 + 2, "{steps:?}");
        assert_same(&contents(&to).await, &contents(&from).await);
        for copy in copied(&from, &to, &[]).await {
            assert_eq!((copy.written, copy.difference), (0, None), "{}", copy.table);
            assert_eq!(copy.source, copy.target);
        }
        // What comes next is behind what was there, on both sides alike.
        for database in [&from, &to] {
            let connection = database.connect();
            run(&connection, "INSERT INTO made (b) VALUES (9)")
                .await
                .unwrap();
            let goes_on = "SELECT id > 120, a > 3, twice FROM made WHERE b = 9";
            assert_eq!(rows_of(&connection, goes_on).await, ["true|true|18"]);
            run(
                &connection,
                "INSERT INTO log VALUES ('host 1', 'new', 0, 'x')",
            )
            .await
            .unwrap();
            run(&connection, "INSERT INTO keyless VALUES (5, 'y')")
                .await
                .unwrap();
        }
        assert_eq!(bytes(&to, "log"), bytes(&from, "log"));
        assert_eq!(bytes(&to, "keyless"), bytes(&from, "keyless"));
    }
}

#[tokio::test]
async fn what_is_named_is_copied_with_its_sequences() {
    let (from, _) = in_memory(VARIETY).await;
    let (to, _) = in_memory(&[]).await;
    let steps = planned(&from, &to, &["Made", "orders", "event", "newest"])
        .await
        .unwrap();
    let steps = all_steps(steps).await.unwrap();
    assert_eq!(to.catalog().names(), ["event", "made", "orders"]);
    assert_eq!(to.catalog().sequence_names(), ["ids", "made_a_seq"]);
    assert_eq!(to.catalog().view_names(), ["newest"]);
    assert_eq!(
        steps[0],
        TransferStep::Sequence("ids".to_owned(), Some(120))
    );
    assert_eq!(bytes(&to, "orders"), bytes(&from, "orders"));
    // The other table of the key space comes into it later.
    copied(&from, &to, &["customer"]).await;
    for table in ["orders", "customer"] {
        assert_eq!(bytes(&to, table), bytes(&from, table));
    }
}

const MANY: &[&str] = &[
    "CREATE TABLE t (a BIGINT PRIMARY KEY, b TEXT)",
    "INSERT INTO t SELECT k, 'text ' || k FROM generate_series(1, 10000) AS s (k)",
];

#[tokio::test]
async fn what_is_stopped_goes_on_behind_what_was_written() {
    let (from, connection) = in_memory(MANY).await;
    let (to, _) = in_memory(&[]).await;
    let mut transfer = planned(&from, &to, &[]).await.unwrap().with_chunks_of(1000);
    transfer.progress().stop();
    let error = transfer.step().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    let there = bytes(&to, "t")[0].len() as u64;
    assert!((1..10_000).contains(&there), "{there}");
    // What has come at the end meanwhile is copied, too.
    run(&connection, "INSERT INTO t VALUES (20000, 'late')")
        .await
        .unwrap();
    let copy = copied(&from, &to, &[]).await.remove(0);
    assert_eq!((copy.written, copy.difference), (10_001 - there, None));
    assert_eq!((copy.source.rows, copy.source), (10_001, copy.target));
    assert_eq!(bytes(&to, "t"), bytes(&from, "t"));
}

#[tokio::test]
async fn rows_that_are_not_the_same_are_found() {
    for (on_source, on_target, expected) in [
        (
            "INSERT INTO t VALUES (0, 'between')",
            "",
            "row /0 is in FROM and not in TO",
        ),
        (
            "",
            "INSERT INTO t VALUES (-5, 'between')",
            "row /-5 is in TO and not in FROM",
        ),
        (
            "UPDATE t SET b = 'other' WHERE a = 7",
            "",
            "row /7 has other values in TO than in FROM",
        ),
        (
            "DELETE FROM t WHERE a = 9",
            "",
            "row /9 is in TO and not in FROM",
        ),
        // The same values under other keys.
        (
            "UPDATE t SET b = CASE a WHEN 1 THEN 'text 2' ELSE 'text 1' END WHERE a < 3",
            "",
            "row /1 has other values in TO than in FROM",
        ),
    ] {
        let (from, source) = in_memory(MANY).await;
        let (to, target) = in_memory(&[]).await;
        copied(&from, &to, &[]).await;
        for (connection, sql) in [(&source, on_source), (&target, on_target)] {
            if !sql.is_empty() {
                run(connection, sql).await.unwrap();
            }
        }
        let copy = copied(&from, &to, &[]).await.remove(0);
        assert_eq!(copy.difference.as_deref(), Some(expected));
        assert_ne!(copy.source, copy.target);
    }
}

#[tokio::test]
async fn a_row_that_another_puts_meanwhile_stays() {
    let (from, _) = in_memory(MANY).await;
    let (to, target) = in_memory(&MANY[..1]).await;
    let transfer = planned(&from, &to, &[]).await.unwrap();
    let (from, to) = (
        from.catalog().table("t").unwrap(),
        to.catalog().table("t").unwrap(),
    );
    run(&target, "INSERT INTO t VALUES (2, 'mine')")
        .await
        .unwrap();
    let rows = |table: &BoundTable| -> Vec<u8> {
        let snapshot = transfer.from.catalog.snapshot().unwrap();
        let mut keys = Vec::new();
        read_chunks(snapshot, table.space(), &KeyRange::all(), |chunk| {
            keys.extend(chunk.keys().take(1).map(<[u8]>::to_vec));
            Ok::<_, Error>(false)
        })
        .unwrap();
        keys.remove(0)
    };
    // Rows from 1 on are about to be put where there were none.
    let first = rows(from.bound());
    let mut chunk = Chunk::new();
    chunk.push(&first, b"");
    let written = tokio::task::spawn_blocking(move || {
        let mut copy = RowCopy::new(&transfer, from.bound(), &to);
        copy.take(&chunk).unwrap();
        copy.write().unwrap();
        let mut third = first;
        *third.last_mut().unwrap() += 2;
        let mut chunk = Chunk::new();
        chunk.push(&third, b"");
        copy.take(&chunk).unwrap();
        copy.write()
    });
    let error = written.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(
        error.message().starts_with("row /2 was put into TO"),
        "{error}"
    );
    assert_eq!(
        rows_of(&target, "SELECT b FROM t WHERE a = 2").await,
        ["mine"]
    );
}

/// What is there already, in the way of `VARIETY`, what is copied, and what is said.
const IN_THE_WAY: &[(&[&str], &[&str], &str)] = &[
    (
        &["CREATE TABLE nothing (a BIGINT PRIMARY KEY)"],
        &[],
        "table `nothing`: TO has it already, with another definition; drop it there, or rename it.\nIn FROM:\n  CREATE TABLE \
         nothing (\n      a INT NOT NULL,\n      PRIMARY KEY (a)\n  )\nIn TO:\n  CREATE TABLE nothing (\n      a BIGINT NOT \
         NULL,\n      PRIMARY KEY (a)\n  )",
    ),
    (
        &["CREATE TABLE altered (a INT PRIMARY KEY, renamed TEXT, late INT DEFAULT 7)"],
        &["altered"],
        "table `altered`: TO has it already, and keeps its columns under other numbers (`late`, `renamed`): one of the two was \
         made by ALTER TABLE",
    ),
    (
        &[
            "CREATE TABLE x (a INT PRIMARY KEY)",
            "CREATE VIEW event AS SELECT a FROM x",
        ],
        &[],
        "table `event`: in TO this is the name of a view",
    ),
    (
        &["CREATE TABLE newest (a INT PRIMARY KEY)"],
        &["event", "newest"],
        "view `newest`: in TO this is the name of a table",
    ),
    (
        &[
            "CREATE TABLE event (kind SMALLINT, day DATE, n BIGINT, note TEXT, PRIMARY KEY (salt(8), kind, day DESC, n))",
        ],
        &["event"],
        "what happened",
    ),
    (
        &[
            "CREATE TABLE nothing (a INT PRIMARY KEY)",
            "INSERT INTO nothing VALUES (5)",
        ],
        &[],
        "table `nothing`: TO has the table with rows that are not those of FROM: its last one, /5, is not in FROM. Nothing is \
         written over",
    ),
    (
        &[
            "CREATE TABLE keyless (a INT, b TEXT)",
            "INSERT INTO keyless VALUES (8, 'x')",
        ],
        &["keyless"],
        "its last one, /1, has other values in FROM",
    ),
    (
        &[
            "CREATE TABLE log (host TEXT, kind TEXT, n INT, line TEXT, PRIMARY KEY (dict(host), dict(kind), n))",
            "INSERT INTO log VALUES ('another', 'kind 1', 1, '')",
            "DELETE FROM log",
        ],
        &["log"],
        "table `log`: TO: its dictionary has 'another' under a number that means something else",
    ),
    (
        &[],
        &["newest"],
        "view `newest`: it reads `event`, which TO does not have",
    ),
    (
        &["CREATE SEQUENCE ids"],
        &["made"],
        "sequence `ids`: TO has it already, with another definition",
    ),
    (
        &["CREATE SEQUENCE made_a_seq"],
        &["made"],
        "table `made`: its numbers come from a sequence `made_a_seq`, and in TO this is the name of a sequence",
    ),
    (
        &["CREATE TABLE client (c INT, name TEXT, PRIMARY KEY (c, 'C')) WITH (keyspace = 'shop')"],
        &["customer"],
        "in the key space 'shop' its rows could not be told from those of `client`",
    ),
    (
        &[],
        &["event", "nobody"],
        "FROM: there is no table `nobody`; there are ",
    ),
];

#[tokio::test]
async fn what_is_in_the_way_is_told_before_anything_is_written() {
    let (from, _) = in_memory(VARIETY).await;
    for (there, names, expected) in IN_THE_WAY {
        let (to, _) = in_memory(there).await;
        let before = contents(&to).await;
        let error = planned(&from, &to, names).await.err();
        let error = error.unwrap_or_else(|| panic!("{expected}"));
        assert!(error.message().contains(expected), "{expected}: {error}");
        assert_eq!(contents(&to).await, before);
    }
}

#[tokio::test]
async fn a_table_that_is_dropped_meanwhile_is_an_error() {
    let (from, _) = in_memory(VARIETY).await;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let (to, target) = with(Arc::clone(&store), &[]).await;
    copied(&from, &to, &["orders"]).await;
    run(&target, "TRUNCATE orders").await.unwrap();
    let transfer = planned(&from, &to, &["customer", "orders"]).await.unwrap();
    let (orders, table) = (
        from.catalog().table("orders").unwrap(),
        to.catalog().table("orders").unwrap(),
    );
    copied(&from, &to, &["customer"]).await;
    // By another process, as it were: this one's catalog does not know of it.
    let (_, other) = with(store, &["DROP TABLE orders"]).await;
    let rows = bytes(&from, "orders")[0].clone();
    let error = tokio::task::spawn_blocking(move || {
        let mut chunk = Chunk::new();
        rows.iter().for_each(|(key, value)| chunk.push(key, value));
        let mut copy = RowCopy::new(&transfer, orders.bound(), &table);
        copy.take(&chunk).unwrap();
        copy.write().unwrap_err()
    });
    let error = error.await.unwrap();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    // No row of it lies among those of the other table.
    assert_eq!(bytes(&to, "customer"), bytes(&from, "customer"));
    assert_eq!(
        rows_of(&other, "SELECT count(*) FROM keyspace('shop')").await,
        ["50"]
    );
}
