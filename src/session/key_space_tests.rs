//! Tables of one key space beside the same tables, each alone: whatever is done to them, they answer alike.

use std::sync::Arc;

use fastrand::Rng;

use super::testing::{read, rows_of, run, with};
use super::{Connection, Database};
use crate::row::Grouped;
use crate::seed::seed;
use crate::sql::stack::large_stack;
use crate::store::{MemoryStore, Store};

/// The row keys of `customer`, `orders` and `line`, in several designs of a key space.
const DESIGNS: [[&str; 3]; 5] = [
    // One after the other.
    ["'C', c", "'O', c, o", "'L', c, o, n"],
    // A customer with all that is its own.
    ["c, 'C'", "c, 'O', o", "c, 'O2', o, n"],
    // The same, the newest order first, over buckets.
    [
        "bucket(3, c), c DESC, 1",
        "bucket(3, c), c DESC, 2, o DESC",
        "bucket(3, c), c DESC, 3, o, n",
    ],
    // Told apart by the second constant, or by the first.
    ["'X', c, 'A'", "'X', c, 'B', o", "'Y', n, c, o"],
    [
        "salt(4), 'A', c",
        "salt(4), 'B', c, o",
        "salt(4), 'C' DESC, c, o, n",
    ],
];

const NAMES: [&str; 3] = ["customer", "orders", "line"];

fn create(design: &[&str; 3], table: usize, is_shared: bool) -> String {
    let columns = [
        "c INT, name TEXT",
        "c INT, o INT, state TEXT",
        "c INT, o INT, n INT, amount DOUBLE",
    ][table];
    let (name, key) = (NAMES[table], design[table]);
    let with = if is_shared {
        " WITH (keyspace = 'shop')"
    } else {
        ""
    };
    format!("CREATE TABLE {name} ({columns}, PRIMARY KEY ({key})){with}")
}

/// A statement that changes one of the tables.
fn change(rng: &mut Rng, design: &[&str; 3], is_shared: bool) -> Vec<String> {
    let table = rng.usize(..3);
    let name = NAMES[table];
    let mut row = || {
        let (c, o, n, value) = (rng.i32(0..8), rng.i32(0..4), rng.i32(0..3), rng.i32(0..100));
        match table {
            0 => format!("({c}, 'n{value}')"),
            1 => format!("({c}, {o}, 's{value}')"),
            _ => format!("({c}, {o}, {n}, {value})"),
        }
    };
    let rows = [row(), row(), row()].join(", ");
    let last = [
        "name = name || '!'",
        "state = 'done'",
        "amount = amount + 1",
    ][table];
    let c = rng.i32(0..8);
    vec![match rng.u8(..12) {
        0..6 => format!("INSERT OR REPLACE INTO {name} VALUES {rows}"),
        6 => format!("INSERT INTO {name} VALUES {rows}"),
        7 => format!("UPDATE {name} SET {last} WHERE c >= {c}"),
        8 => format!("DELETE FROM {name} WHERE c = {c}"),
        9 => format!("UPDATE {name} SET c = c + 1 WHERE c = {c}"),
        10 => format!("TRUNCATE {name}"),
        _ => {
            return vec![
                format!("DROP TABLE {name}"),
                create(design, table, is_shared),
            ];
        }
    }]
}

/// What is asked of the tables.
const QUESTIONS: [&str; 10] = [
    "SELECT * FROM customer ORDER BY c",
    "SELECT * FROM orders ORDER BY c, o",
    "SELECT * FROM line ORDER BY c, o, n",
    "SELECT count(*) FROM orders",
    "SELECT count(*), min(c), max(c) FROM customer",
    "SELECT o, state FROM orders WHERE c = 3 ORDER BY o DESC",
    "SELECT * FROM line WHERE o = 2 AND n < 2 ORDER BY c, n",
    "SELECT DISTINCT c FROM line ORDER BY c",
    "SELECT name, state FROM customer JOIN orders USING (c) WHERE c BETWEEN 2 AND 5 ORDER BY c, o",
    "SELECT c, max(o) FROM orders GROUP BY c ORDER BY c",
];

async fn assert_alike(shared: &Connection, alone: &Connection) {
    for question in QUESTIONS {
        assert_eq!(
            rows_of(shared, question).await,
            rows_of(alone, question).await,
            "{question}"
        );
    }
    for name in NAMES {
        let keys = format!("SELECT count(*), count(DISTINCT row_key) FROM keys('{name}')");
        assert_eq!(rows_of(shared, &keys).await, rows_of(alone, &keys).await);
    }
    let counted = "SELECT table_name, count(*) FROM keyspace('shop') GROUP BY table_name";
    let mut counted = rows_of(shared, counted).await;
    counted.sort();
    let each = NAMES.map(|name| format!("SELECT '{name}' AS t, count(*) AS n FROM {name}"));
    let each = format!(
        "SELECT * FROM ({}) WHERE n > 0 ORDER BY t",
        each.join(" UNION ALL ")
    );
    assert_eq!(counted, rows_of(alone, &each).await);
    let report = shared.database().check().await.unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}

async fn one_history(rng: &mut Rng, design: &[&str; 3], shared: &Connection) {
    let alone = with(&[]).await;
    for table in 0..3 {
        run(&alone, &create(design, table, false)).await.unwrap();
        run(shared, &create(design, table, true)).await.unwrap();
    }
    for step in 0..24 {
        let seed = rng.u64(..);
        let in_shared = change(&mut Rng::with_seed(seed), design, true);
        let in_alone = change(&mut Rng::with_seed(seed), design, false);
        for (shared_sql, alone_sql) in in_shared.iter().zip(&in_alone) {
            let expected = run(&alone, alone_sql).await;
            let done = run(shared, shared_sql).await;
            assert_eq!(done.is_ok(), expected.is_ok(), "{shared_sql}: {done:?}");
            assert_eq!(done.ok(), expected.ok(), "{shared_sql}");
        }
        if step % 8 == 7 {
            assert_alike(shared, &alone).await;
        }
    }
    // The last one takes the space along.
    for (place, name) in NAMES.iter().enumerate() {
        let drop = format!("DROP TABLE {name}");
        run(shared, &drop).await.unwrap();
        let rest = rows_of(
            shared,
            "SELECT count(*) FROM information_schema.tables WHERE table_type = 'BASE TABLE'",
        )
        .await;
        assert_eq!(rest, [(2 - place).to_string()]);
    }
}

#[tokio::test]
async fn tables_of_a_key_space_answer_as_tables_that_are_alone() {
    let mut rng = Rng::with_seed(seed());
    for design in &DESIGNS {
        let connection = with(&[]).await;
        if rng.bool() {
            run(&connection, "SET halite.statement_memory = 100")
                .await
                .unwrap();
        }
        large_stack(one_history(&mut rng, design, &connection)).await;
    }
}

/// Rows of several tables in one entry of the store.
#[tokio::test]
async fn so_they_do_where_entries_are_groups_of_rows() {
    let mut rng = Rng::with_seed(seed());
    for design in &DESIGNS {
        let store = Arc::new(Grouped::new(Arc::new(MemoryStore::new()) as Arc<dyn Store>));
        let database = Database::of_store(store).unwrap();
        large_stack(one_history(&mut rng, design, &database.connect())).await;
    }
}

#[tokio::test]
async fn a_table_that_is_dropped_takes_its_own_rows_along() {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::open(directory.path()).await.unwrap();
    let connection = database.connect();
    for (name, constant) in [("a", "A"), ("b", "B")] {
        let create = format!(
            "CREATE TABLE {name} (id BIGINT, text TEXT, PRIMARY KEY (id, '{constant}')) WITH (keyspace = 'both')"
        );
        run(&connection, &create).await.unwrap();
        let insert = format!("INSERT INTO {name} SELECT value, 'x' FROM generate_series(1, 5000)");
        run(&connection, &insert).await.unwrap();
    }
    let count = "SELECT count(*) FROM keyspace('both')";
    assert_eq!(rows_of(&connection, count).await, ["10000"]);
    run(&connection, "DROP TABLE a").await.unwrap();
    drop((connection, database));
    let database = Database::open(directory.path()).await.unwrap();
    let connection = database.connect();
    let rows = "SELECT table_name, count(*) FROM keyspace('both') GROUP BY table_name";
    assert_eq!(rows_of(&connection, rows).await, ["b|5000"]);
    let again = "CREATE TABLE a (id BIGINT, PRIMARY KEY (id, 'A')) WITH (keyspace = 'both')";
    run(&connection, again).await.unwrap();
    assert_eq!(rows_of(&connection, "SELECT count(*) FROM a").await, ["0"]);
    run(&connection, "DROP TABLE a, b").await.unwrap();
    let error = connection.query("SELECT * FROM keyspace('both')", ()).await;
    let error = error
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(error.contains("there is no key space 'both'"), "{error}");
}

/// Writers of several tables of a key space, at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_tables_are_written_at_the_same_time() {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    for table in 0..3 {
        run(&connection, &create(&DESIGNS[1], table, true))
            .await
            .unwrap();
    }
    let writers = (0..9).map(|writer| {
        let connection = database.connect();
        tokio::spawn(async move {
            for n in 0..20 {
                let value = writer * 100 + n;
                let insert = match writer % 3 {
                    0 => format!("INSERT INTO customer VALUES ({value}, 'x')"),
                    1 => format!("INSERT INTO orders VALUES ({value}, 1, 'x')"),
                    _ => format!("INSERT INTO line VALUES ({value}, 1, 1, 1.5)"),
                };
                run(&connection, &insert).await.unwrap();
                let update = "UPDATE orders SET state = state || '.' WHERE c < 200";
                run(&connection, update).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let counts = "SELECT table_name, count(*) FROM keyspace('shop') GROUP BY table_name ORDER BY 1";
    assert_eq!(
        rows_of(&connection, counts).await,
        ["customer|60", "line|60", "orders|60"]
    );
}

/// What keys begin with is no whole key, whoever names it: a condition, a list, or a join.
#[tokio::test]
async fn all_rows_behind_a_beginning_are_found() {
    let connection = with(&[
        "CREATE TABLE one (c INT, d INT, PRIMARY KEY (c, d, 'A')) WITH (keyspace = 'both')",
        "CREATE TABLE many (c INT, d INT, n INT, PRIMARY KEY (c, d, 'B', n)) WITH (keyspace = 'both')",
        "INSERT INTO one SELECT v / 10, v % 10 FROM generate_series(0, 99) AS g(v)",
        "INSERT INTO many SELECT v / 100, v / 10 % 10, v % 10 FROM generate_series(0, 999) AS g(v)",
        "CREATE TABLE named (c INT, d INT)",
        "INSERT INTO named VALUES (1, 2), (3, 4), (77, 1)",
    ])
    .await;
    for (from, keys_read) in [
        ("keyspace('both') WHERE c = 1 AND d = 2", 11),
        ("keyspace('both') WHERE (c, d) IN ((1, 2), (3, 4))", 22),
        ("keyspace('both') AS k JOIN named USING (c, d)", 22),
        (
            "keyspace('both') WHERE c = 1 AND d = 2 AND row_key >= x'800000018000000242' \
             AND row_key < x'8000000180000002420001800000' || x'05'",
            5,
        ),
    ] {
        let sql = format!("SELECT count(*) FROM {from}");
        let (counted, read) = read(&connection, &sql).await;
        assert_eq!(counted, [keys_read.to_string()], "{sql}");
        assert!(read <= keys_read + 3, "{sql}: {read} keys");
    }
    let newest = "SELECT row FROM keyspace('both') WHERE c >= 5 ORDER BY c DESC, d DESC LIMIT 11";
    let (rows, keys_read) = read(&connection, newest).await;
    assert_eq!(rows.len(), 11);
    assert!(
        rows.iter().all(|row| row.contains("\"c\":9,\"d\":9")),
        "{rows:?}"
    );
    assert_eq!(keys_read, 11);
}
