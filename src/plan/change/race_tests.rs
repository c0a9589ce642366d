//! Random histories of all statements that change rows, from several threads at once, against a serial model: there must be
//! an order of the statements, the one of each thread kept, in which the model answers each of them as it was answered,
//! and ends with the rows that are there. `HALITE_CASES` says how many histories.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use fastrand::Rng;
use parking_lot::Mutex;

use super::history_tests::{LAYOUTS, Model, Step, database, stored};
use crate::seed::{number, seed};
use crate::session::{Connection, PreparedStatement};

/// Histories unless `HALITE_CASES` says otherwise.
const CASES: u64 = 300;
const THREADS: usize = 3;
/// Statements of a thread, at most.
const STEPS: usize = 4;

/// What was told of a statement: its rows or their number, or that it failed.
#[derive(Debug, Clone, PartialEq)]
enum Told {
    Rows(Option<Vec<(i64, i64)>>),
    Count(Option<u64>),
}

impl Told {
    /// Whether the model tells the same.
    fn is(&self, given: Option<&Vec<(i64, i64)>>) -> bool {
        match self {
            Self::Rows(rows) => rows.as_ref() == given,
            Self::Count(count) => *count == given.map(|rows| rows.len() as u64),
        }
    }
}

/// What a thread has done.
type Done = Vec<(Step, Told)>;

/// What a thread changes rows with.
struct Worker {
    connection: Connection,
    /// What it has prepared, by its text.
    prepared: Mutex<HashMap<&'static str, PreparedStatement>>,
}

impl Worker {
    fn new(connection: Connection) -> Arc<Self> {
        Arc::new(Self {
            connection,
            prepared: Mutex::default(),
        })
    }

    async fn prepared(&self, sql: &'static str) -> PreparedStatement {
        if let Some(statement) = self.prepared.lock().get(sql) {
            return statement.clone();
        }
        let statement = self.connection.prepare(sql).await.unwrap();
        self.prepared.lock().insert(sql, statement.clone());
        statement
    }

    async fn told(&self, step: &Step, gives_rows: bool) -> Told {
        if gives_rows {
            let sql = format!("{} RETURNING t.k, t.v", step.sql());
            return Told::Rows(stored(&self.connection, &sql).await.ok());
        }
        Told::Count(match step.prepared() {
            None => self.connection.execute(&step.sql(), ()).await.ok(),
            Some((sql, values)) => {
                let statement = self.prepared(sql).await;
                assert!(statement.is_direct(), "{sql}");
                statement.execute(values).await.ok()
            }
        })
    }

    async fn rows(&self) -> Model {
        let all = self.prepared("SELECT k, v FROM t").await;
        let rows = all.rows(()).await.unwrap();
        let rows: Vec<(i64, i64)> = rows.to_vec().unwrap();
        rows.into_iter().collect()
    }
}

/// How far each thread is, and the rows.
type State = (Vec<usize>, Vec<(i64, i64)>);

/// Whether the histories of threads are those of some order. `tried` are states from which there is none.
fn is_serial(
    threads: &[Done],
    places: &mut Vec<usize>,
    model: &Model,
    rows: &Model,
    tried: &mut HashSet<State>,
) -> bool {
    let is_over = threads
        .iter()
        .zip(&*places)
        .all(|(done, place)| done.len() == *place);
    if is_over {
        return model == rows;
    }
    let state = (places.clone(), model.clone().into_iter().collect());
    if !tried.insert(state) {
        return false;
    }
    (0..threads.len()).any(|thread| {
        let Some((step, told)) = threads[thread].get(places[thread]) else {
            return false;
        };
        let mut after = model.clone();
        let given = step.apply(&mut after);
        if !told.is(given.as_ref()) {
            return false;
        }
        places[thread] += 1;
        let found = is_serial(threads, places, &after, rows, tried);
        places[thread] -= 1;
        found
    })
}

/// Connections to one table.
struct Table {
    layout: &'static str,
    workers: Vec<Arc<Worker>>,
}

impl Table {
    async fn new(layout: &'static str) -> Self {
        let first = database(layout).await;
        let more = (0..THREADS).map(|_| first.database().connect());
        let workers: Vec<_> = more.map(Worker::new).collect();
        // What one thread changes goes through temporary files and bulk loads.
        let set = "SET halite.statement_memory = 100";
        workers[0].connection.execute(set, ()).await.unwrap();
        Self { layout, workers }
    }

    async fn history(&self, rng: &mut Rng, drawn: &mut BTreeMap<&'static str, u64>) {
        let worker = &self.workers[1];
        let empty = worker.prepared("DELETE FROM t").await;
        empty.execute(()).await.unwrap();
        let first: Model = (0..rng.i64(0..20))
            .map(|_| (rng.i64(0..60), rng.i64(0..100)))
            .collect();
        if !first.is_empty() {
            let rows = Step::Insert(first.clone().into_iter().collect());
            worker.connection.execute(&rows.sql(), ()).await.unwrap();
        }
        let tasks = self.workers.iter().map(|worker| {
            let (worker, mut rng) = (Arc::clone(worker), rng.fork());
            tokio::spawn(async move {
                let mut done = Done::new();
                for _ in 0..rng.usize(1..=STEPS) {
                    let step = Step::draw(&mut rng);
                    let told = worker.told(&step, rng.bool()).await;
                    done.push((step, told));
                }
                done
            })
        });
        let mut threads = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            threads.push(task.await.unwrap());
        }
        let rows = worker.rows().await;
        for (step, _) in threads.iter().flatten() {
            *drawn.entry(step.kind()).or_default() += 1;
        }
        let mut places = vec![0; threads.len()];
        let is_serial = is_serial(&threads, &mut places, &first, &rows, &mut HashSet::new());
        assert!(
            is_serial,
            "{}\n{first:?}\n{}\n{rows:?}",
            self.layout,
            shown(&threads)
        );
    }
}

fn shown(threads: &[Done]) -> String {
    let mut text = String::new();
    for (thread, done) in threads.iter().enumerate() {
        for (step, told) in done {
            writeln!(text, "{thread}: {};\n   {told:?}", step.sql()).unwrap();
        }
    }
    text
}

#[test]
fn several_threads_change_rows_as_in_some_order() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cases = number("HALITE_CASES").unwrap_or(CASES);
    let (mut rng, mut drawn) = (Rng::with_seed(seed()), BTreeMap::new());
    let tables = LAYOUTS.map(|layout| runtime.block_on(Table::new(layout)));
    for (case, table) in (0..cases).zip(tables.iter().cycle()) {
        runtime.block_on(table.history(&mut rng, &mut drawn));
        if (case + 1) % 1_000 == 0 {
            println!(
                "{} histories, {} statements",
                case + 1,
                drawn.values().sum::<u64>()
            );
        }
    }
    println!("{cases} histories of {THREADS} threads, 0 differences; statements: {drawn:?}");
    assert!(cases < CASES || drawn.len() == Step::KINDS, "{drawn:?}");
}

/// The search finds an order where there is one, and none where there is none.
#[test]
fn an_order_is_found_if_there_is_one() {
    let add = |told| (Step::Add { key: 1, by: 1 }, Told::Count(told));
    let read = |value| {
        let step = Step::Add { key: 1, by: 10 };
        (step, Told::Rows(Some(vec![(1, value)])))
    };
    let first = Model::from([(1, 0)]);
    let check = |threads: &[Done], last| {
        let rows = Model::from([(1, last)]);
        let mut places = vec![0; threads.len()];
        is_serial(threads, &mut places, &first, &rows, &mut HashSet::new())
    };
    assert!(check(
        &[vec![add(Some(1)), add(Some(1))], vec![read(11)]],
        12
    ));
    // One count is lost.
    assert!(!check(
        &[vec![add(Some(1)), add(Some(1))], vec![read(11)]],
        11
    ));
    assert!(!check(
        &[vec![add(Some(1)), add(Some(1))], vec![read(13)]],
        12
    ));
    assert!(!check(&[vec![add(Some(0))], vec![read(11)]], 11));
}
