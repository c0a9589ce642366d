//! Several connections change one table at once: of two INSERTs of one key exactly one wins, a COPY is one statement
//! among others, and what a statement reads belongs to one moment.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use halite::error::{Error, ErrorKind};
use halite::session::{Connection, Database};
use halite::store::wrap::{Call, Recording};
use halite::store::{MemoryStore, Store};
use tempfile::TempDir;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::{execute, open_store, rows, runtime, seed};

const TASKS: u64 = 6;
const TABLE: &str = "CREATE TABLE t (k BIGINT, v TEXT, PRIMARY KEY (salt(4), k))";

/// A new store of each kind, with the directory that one of them is in.
fn stores() -> Vec<(Arc<dyn Store>, Option<TempDir>)> {
    let directory = tempfile::tempdir().unwrap();
    let on_disk: Arc<dyn Store> = open_store(directory.path());
    vec![
        (Arc::new(MemoryStore::new()), None),
        (on_disk, Some(directory)),
    ]
}

/// A new database in each of the [`stores`].
fn databases() -> Vec<(Database, Option<TempDir>)> {
    let stores = stores().into_iter();
    stores
        .map(|(store, directory)| (Database::of_store(store).unwrap(), directory))
        .collect()
}

/// A connection that does not wait for the disk: more statements meet.
async fn hurried(database: &Database) -> Connection {
    let connection = database.connect();
    let setting = "SET halite.durability = 'buffered'";
    execute(&connection, setting).await.unwrap();
    connection
}

/// Runs a task on each of several connections at once, each with random numbers of its own.
async fn all<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    database: &Database,
    seed: u64,
    task: impl Fn(u64, Connection, Rng) -> F,
) -> Vec<T> {
    let mut tasks = JoinSet::new();
    for number in 0..TASKS {
        let random = Rng::with_seed(seed.wrapping_add(number));
        tasks.spawn(task(number, hurried(database).await, random));
    }
    tasks.join_all().await
}

/// Whether a statement was done, or lost against another one.
fn has_won(outcome: Result<u64, Error>) -> bool {
    match outcome {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::Conflict => false,
        Err(error) => panic!("{:?}: {error}", error.kind()),
    }
}

#[test]
fn of_several_inserts_of_a_key_exactly_one_wins() {
    const KEYS: i64 = 60;
    let seed = seed();
    for (database, _directory) in databases() {
        runtime().block_on(async {
            execute(&database.connect(), TABLE).await.unwrap();
            let wins = all(
                &database,
                seed,
                |number, connection, mut random| async move {
                    let mut keys: Vec<i64> = (0..KEYS).collect();
                    random.shuffle(&mut keys);
                    let mut won = Vec::new();
                    // Two keys in one statement: both or none.
                    for pair in keys.chunks(2) {
                        let values: Vec<_> = pair
                            .iter()
                            .map(|key| format!("({key}, '{number}')"))
                            .collect();
                        let sql = format!("INSERT INTO t VALUES {}", values.join(", "));
                        if has_won(execute(&connection, &sql).await) {
                            won.extend(pair.iter().map(|key| format!("{key}|{number}")));
                        }
                    }
                    won
                },
            );
            let mut wins = wins.await.concat();
            wins.sort();
            let found = rows(&database.connect(), "SELECT * FROM t").await.unwrap();
            assert_eq!(found, wins);
            assert!(wins.len() > KEYS as usize / 4, "{}", wins.len());
        });
    }
}

#[test]
fn a_copy_and_the_inserts_of_its_keys_exclude_each_other() {
    race_copies(None);
}

/// The COPY spills, and is written as sorted files that the store takes in at once.
#[test]
fn a_copy_in_bulk_and_the_inserts_of_its_keys_exclude_each_other() {
    race_copies(Some(1));
}

/// Races until each side has won, and some rounds more. A COPY holds so many bytes in memory.
fn race_copies(memory: Option<u64>) {
    const ROUNDS: i64 = 12;
    const MOST_ROUNDS: i64 = 200;
    let seed = seed();
    for (store, _directory) in stores() {
        let store = Recording::new(store);
        let log = store.log();
        let database = Database::of_store(Arc::new(store)).unwrap();
        runtime().block_on(async {
            execute(&database.connect(), TABLE).await.unwrap();
            let (mut copies, mut rounds) = (0, 0);
            // How late INSERTs come at most. Whoever has won comes later the next time.
            let mut latest = Duration::from_millis(6);
            while rounds < ROUNDS || (rounds < MOST_ROUNDS && (copies == 0 || copies == rounds)) {
                let race = Race {
                    first: rounds * Race::ROWS,
                    seed: seed.wrapping_add(rounds as u64),
                    memory,
                    latest,
                };
                let copied = race.run(&database).await;
                copies += i64::from(copied);
                rounds += 1;
                latest = if copied {
                    latest / 2
                } else {
                    (latest * 2).min(Duration::from_secs(1))
                };
            }
            println!("{copies} of {rounds} copies won");
            assert!(
                0 < copies && copies < rounds,
                "{copies} of {rounds} copies won"
            );
            let ingested = |call: &Call| matches!(call, Call::Ingest(_, rows) if *rows > 0);
            let loads = log.calls().iter().filter(|call| ingested(call)).count();
            let expected = if memory.is_some() { copies } else { 0 };
            assert_eq!(loads as i64, expected);
        });
    }
}

/// One COPY against INSERTs of its keys.
struct Race {
    first: i64,
    seed: u64,
    memory: Option<u64>,
    latest: Duration,
}

impl Race {
    const ROWS: i64 = 300;

    /// Returns whether the COPY won.
    async fn run(&self, database: &Database) -> bool {
        let (first, latest) = (self.first, self.latest.as_micros() as u64);
        let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
        let lines: String = (first..first + Self::ROWS)
            .map(|key| format!("{key},copied\n"))
            .collect();
        std::fs::write(file.path(), lines).unwrap();
        let copy = format!("COPY t FROM '{}'", file.path().display());
        let memory = self
            .memory
            .map(|memory| format!("SET halite.statement_memory = {memory}"));
        let outcomes = all(database, self.seed, |number, connection, mut random| {
            let (copy, memory) = (copy.clone(), memory.clone());
            async move {
                if number == 0 {
                    if let Some(memory) = memory {
                        execute(&connection, &memory).await.unwrap();
                    }
                    return (has_won(execute(&connection, &copy).await), 0);
                }
                // Now before the COPY, now after it, now between its reading and its writing.
                tokio::time::sleep(Duration::from_micros(random.u64(0..=latest))).await;
                let key = first + random.i64(0..Self::ROWS);
                let sql = if random.bool() {
                    format!("INSERT INTO t VALUES ({key}, 'inserted')")
                } else {
                    format!("INSERT INTO t SELECT {key}, 'inserted'")
                };
                (false, i64::from(has_won(execute(&connection, &sql).await)))
            }
        });
        let outcomes = outcomes.await;
        let copied = outcomes.iter().any(|(copied, _)| *copied);
        let inserted: i64 = outcomes.iter().map(|(_, inserted)| inserted).sum();
        let count = format!(
            "SELECT v, count(*) FROM t WHERE k >= {first} AND k < {} GROUP BY v",
            first + Self::ROWS
        );
        let found = rows(&database.connect(), &count).await.unwrap();
        if copied {
            assert_eq!(
                (found, inserted),
                (vec![format!("copied|{}", Self::ROWS)], 0)
            )
        } else {
            assert_eq!(found, [format!("inserted|{inserted}")])
        }
        copied
    }
}

#[test]
fn what_inserts_and_deletes_report_adds_up() {
    const KEYS: i64 = 8;
    const STATEMENTS: usize = 60;
    let seed = seed();
    for (database, _directory) in databases() {
        runtime().block_on(async {
            execute(&database.connect(), TABLE).await.unwrap();
            let balances = all(
                &database,
                seed,
                |number, connection, mut random| async move {
                    let mut balance: BTreeMap<i64, i64> = BTreeMap::new();
                    for _ in 0..STATEMENTS {
                        let key = random.i64(0..KEYS);
                        let change = match random.u8(0..2) {
                            0 => {
                                let sql = format!("INSERT INTO t VALUES ({key}, '{number}')");
                                i64::from(has_won(execute(&connection, &sql).await))
                            }
                            _ => {
                                let sql = format!("DELETE FROM t WHERE k = {key}");
                                -(execute(&connection, &sql).await.unwrap() as i64)
                            }
                        };
                        *balance.entry(key).or_default() += change;
                    }
                    balance
                },
            );
            let mut total: BTreeMap<i64, i64> = BTreeMap::new();
            for (key, change) in balances.await.into_iter().flatten() {
                *total.entry(key).or_default() += change;
            }
            let left: Vec<String> = total
                .iter()
                .filter(|(_, balance)| **balance == 1)
                .map(|(key, _)| key.to_string())
                .collect();
            assert!(
                total.values().all(|balance| (0..=1).contains(balance)),
                "{total:?}"
            );
            let found = rows(&database.connect(), "SELECT k FROM t").await.unwrap();
            assert_eq!(found, left);
        });
    }
}

#[test]
fn a_query_sees_replacements_whole() {
    const ROWS: i64 = 40;
    let seed = seed();
    for (database, _directory) in databases() {
        let stop = Arc::new(AtomicBool::new(false));
        let stamp = Arc::new(AtomicI64::new(1));
        runtime().block_on(async {
            let connection = hurried(&database).await;
            execute(&connection, TABLE).await.unwrap();
            execute(&connection, &replacement(0, ROWS)).await.unwrap();
            let looks = all(&database, seed, |number, connection, _| {
                let (stop, stamp) = (Arc::clone(&stop), Arc::clone(&stamp));
                async move {
                    if number < 2 {
                        for _ in 0..40 {
                            let next = stamp.fetch_add(1, Ordering::Relaxed);
                            execute(&connection, &replacement(next, ROWS))
                                .await
                                .unwrap();
                        }
                        stop.store(true, Ordering::Relaxed);
                        return 0;
                    }
                    let mut looks = 0;
                    while !stop.load(Ordering::Relaxed) || looks == 0 {
                        // Every row has the stamp of every other, in both scans of the statement.
                        let sql = "SELECT count(*) FROM t a JOIN t b ON a.v <> b.v";
                        assert_eq!(rows(&connection, sql).await.unwrap(), ["0"]);
                        let sql = "SELECT count(*), count(DISTINCT v) FROM t";
                        assert_eq!(rows(&connection, sql).await.unwrap(), [format!("{ROWS}|1")]);
                        looks += 1;
                    }
                    looks
                }
            });
            println!("{:?} looks", looks.await);
        });
    }
}

fn replacement(stamp: i64, rows: i64) -> String {
    let mut sql = "REPLACE INTO t VALUES ".to_owned();
    for key in 0..rows {
        let comma = if key == 0 { "" } else { ", " };
        write!(sql, "{comma}({key}, '{stamp}')").unwrap();
    }
    sql
}

/// Statements that meet one that replaces the table itself: done before it or after it, or told to try again.
#[test]
fn tables_are_emptied_and_dropped_under_the_feet_of_others() {
    let seed = seed();
    for (database, _directory) in databases() {
        let stop = Arc::new(AtomicBool::new(false));
        runtime().block_on(async {
            execute(&database.connect(), TABLE).await.unwrap();
            let outcomes = all(&database, seed, |number, connection, mut random| {
                let stop = Arc::clone(&stop);
                async move {
                    if number == 0 {
                        for round in 0..30 {
                            if round % 2 == 0 {
                                execute(&connection, "TRUNCATE TABLE t").await.unwrap();
                            } else {
                                execute(&connection, "DROP TABLE t").await.unwrap();
                                execute(&connection, TABLE).await.unwrap();
                            }
                        }
                        stop.store(true, Ordering::Relaxed);
                        return (0, 0);
                    }
                    let (mut done, mut refused) = (0, 0);
                    while !stop.load(Ordering::Relaxed) {
                        let key = number as i64 * 1_000_000 + done + refused;
                        let sql = match random.u8(0..3) {
                            0 => format!("INSERT INTO t VALUES ({key}, 'a')"),
                            1 => format!("DELETE FROM t WHERE k < {key}"),
                            _ => "SELECT count(*) FROM t a JOIN t b ON a.k = b.k".to_owned(),
                        };
                        match execute(&connection, &sql).await {
                            Ok(_) => done += 1,
                            Err(error) if is_told(&error) => refused += 1,
                            Err(error) => panic!("{sql}: {:?} {error}", error.kind()),
                        }
                        // While there is no table nothing else would wait, and a task that never waits cannot be
                        // stopped when another one fails.
                        tokio::task::yield_now().await;
                    }
                    (done, refused)
                }
            });
            println!("{:?} done and refused", outcomes.await);
        });
    }
}

/// The table is not there just now, or is another one now.
fn is_told(error: &Error) -> bool {
    let message = error.message();
    match error.kind() {
        ErrorKind::InvalidInput => message.contains("table"),
        ErrorKind::Conflict => message.contains("run it again"),
        _ => false,
    }
}

#[test]
fn of_several_creations_of_a_table_exactly_one_wins() {
    for (database, _directory) in databases() {
        runtime().block_on(async {
            for _ in 0..5 {
                let wins = all(&database, 0, |_, connection, _| async move {
                    usize::from(has_won(execute(&connection, TABLE).await))
                });
                assert_eq!(wins.await.iter().sum::<usize>(), 1);
                execute(&database.connect(), "DROP TABLE t").await.unwrap();
            }
        });
    }
}

/// Who says IF [NOT] EXISTS finds what is wanted, whoever made it so.
#[test]
fn what_is_made_or_dropped_if_need_be_is_never_lost_against_another() {
    let create = TABLE.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS");
    for (database, _directory) in databases() {
        runtime().block_on(async {
            for _ in 0..40 {
                for sql in [create.as_str(), "DROP TABLE IF EXISTS t, t, missing"] {
                    let meeting = Arc::new(Barrier::new(TASKS as usize));
                    let done = all(&database, 0, |_, connection, _| {
                        let (sql, meeting) = (sql.to_owned(), Arc::clone(&meeting));
                        async move {
                            meeting.wait().await;
                            execute(&connection, &sql).await
                        }
                    });
                    for outcome in done.await {
                        outcome.unwrap_or_else(|error| panic!("{sql}: {error}"));
                    }
                }
            }
        });
    }
}
