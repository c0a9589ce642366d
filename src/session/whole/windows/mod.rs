//! Windows, held against a plain computation.
//!
//! Whole queries draw windows, too, but their oracle is DataFusion planned plainly: what its functions and frames get
//! wrong, it gets wrong as well. So here are frames
//! of all units and bounds, also bounds of nothing and of more rows than there are, and functions that pass NULLs over, over
//! random rows under random keys, batches and partitions; and what is right is computed of the rows, one by one
//! ([`plain`]), by what SQL says of them.
//!
//! A table follows from its seed: one over which a query fails prints it, and `HALITE_WINDOW_SEED` replays it.
//! `HALITE_WINDOW_TABLES` sets the number of tables.

mod draw;
mod plain;

use tokio::runtime::{Builder, Runtime};

use self::draw::{Call, Drawn, Kind};
use super::super::testing::texts;
use super::subject::{Settings, connect};
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::plan::law::random::Random;
use crate::seed::number;
use crate::session::Database;

/// Tables, unless `HALITE_WINDOW_TABLES` says otherwise.
const TABLES: u64 = 60;
/// Queries over a table.
const QUERIES: usize = 40;
/// The seed from which those of the tables follow.
const MASTER: u64 = 0xf4a3_e500;

/// A row of a table.
#[derive(Debug, Clone, Copy)]
struct Row {
    id: i64,
    /// What partitions are made of.
    part: Option<i64>,
    /// What rows are sorted by, as a number.
    key: Option<i64>,
    value: Option<i64>,
}

#[test]
fn windows_are_right() {
    let runtime = runtime();
    if let Some(seed) = number("HALITE_WINDOW_SEED") {
        let (_, wrong) = runtime.block_on(judged(seed));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        return;
    }
    let tables = number("HALITE_WINDOW_TABLES").unwrap_or(TABLES);
    let (mut windows, mut wrong) = (0, Vec::new());
    for table in 0..tables {
        let (count, found) = runtime.block_on(judged(Random::case_seed(MASTER, table)));
        windows += count;
        wrong.extend(found);
    }
    println!("{windows} windows, {} wrong", wrong.len());
    wrong.truncate(5);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Negative controls: without the mends windows are wrong.
#[test]
fn windows_without_the_mends_are_wrong() {
    for mend in ["shift", "frames"] {
        let is_wrong = |table: u64| {
            let seed = Random::case_seed(MASTER, table);
            let (_, wrong) = fault::with(Fault::MendLeftOut(mend), || {
                runtime().block_on(judged(seed))
            });
            !wrong.is_empty()
        };
        assert!((0..TABLES).any(is_wrong), "{mend} is not found");
    }
}

fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

/// How many windows there were over the table of a seed, and those that were wrong.
async fn judged(seed: u64) -> (usize, Vec<String>) {
    let mut random = Random::new(seed);
    let drawn = Drawn::draw(&mut random);
    let database = Database::in_memory().expect("a database");
    let loaded = load(&database, &drawn).await;
    loaded.unwrap_or_else(|error| panic!("{seed:#x}: {error}"));
    let settings = Settings::draw(&mut random);
    let connection = connect(&database, settings).await.expect("a connection");
    let (mut count, mut wrong) = (0, Vec::new());
    for _ in 0..QUERIES {
        let calls: Vec<Call> = (0..random.between(1, 3))
            .map(|_| Call::draw(drawn.kind, &mut random))
            .collect();
        count += calls.len();
        let sql = select(&calls, drawn.kind);
        let found = match connection.query(&sql, ()).await {
            Ok(batches) => texts(&batches).join("\n"),
            Err(error) => format!("error: {error}"),
        };
        let right = right(&drawn.rows, &calls);
        if found != right {
            wrong.push(format!(
                "HALITE_WINDOW_SEED={seed:#x} {settings:?}\n{}\n{sql}\nfound:\n{found}\nright:\n{right}",
                drawn.script().join(";\n")
            ));
        }
    }
    (count, wrong)
}

async fn load(database: &Database, drawn: &Drawn) -> Result<()> {
    let connection = database.connect();
    for statement in drawn.script() {
        connection.execute(&statement, ()).await?;
    }
    Ok(())
}

fn select(calls: &[Call], kind: Kind) -> String {
    let calls = calls.iter().enumerate();
    let calls = calls.map(|(number, call)| format!(", {} AS x{number}", call.sql(kind)));
    format!("SELECT id{} FROM t ORDER BY id", calls.collect::<String>())
}

/// The rows of a query as text.
fn right(rows: &[Row], calls: &[Call]) -> String {
    let columns: Vec<Vec<Option<i64>>> = calls
        .iter()
        .map(|call| plain::computed(rows, call))
        .collect();
    let lines = rows.iter().enumerate().map(|(place, row)| {
        let values = columns.iter().map(|column| match column[place] {
            Some(value) => format!("|{value}"),
            None => "|NULL".to_owned(),
        });
        format!("{}{}", row.id, values.collect::<String>())
    });
    lines.collect::<Vec<_>>().join("\n")
}
