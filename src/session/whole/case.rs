//! A case: tables, settings and a query, all from one seed; and what is found about it.

use std::cell::RefCell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::{Builder, Runtime};

use super::super::{Connection, Database};
use super::answer::Difference;
use super::data::Data;
use super::draw::draw;
use super::oracle::{Oracle, Unanswered};
use super::query::Query;
use super::render::halite_sql;
use super::subject::{Said, Settings, ask, connect, open};
use super::truths::LawTable;
use crate::plan::law::quiet::quietly;
use crate::plan::law::random::Random;

/// Queries in a row with the same settings.
const SAME_SETTINGS: u64 = 8;

/// Queries over one database; a power of two, for a seed's last bits number them.
pub(super) const QUERIES: u64 = 64;

/// More rows are not asked for in small batches: DataFusion's windows copy what they hold with each batch.
const MOST_ROWS: usize = 20_000;

/// Tables, settings and a query.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub seed: u64,
    pub data: Data,
    pub settings: Settings,
    pub query: Query,
}

/// What is found about a case.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    /// Right; so many rows before the page was cut.
    Right(usize),
    /// The oracle has no answer.
    Unanswered(String),
    /// Halite does not do this, and says so.
    Refused(String),
    Wrong(Difference),
}

impl Verdict {
    pub fn kind(&self) -> String {
        match self {
            Self::Right(_) => "right".to_owned(),
            Self::Unanswered(_) => "unanswered".to_owned(),
            Self::Refused(_) => "refused".to_owned(),
            Self::Wrong(difference) => difference.kind(),
        }
    }
}

/// A database that is open for its queries.
pub(super) struct Opened {
    seed: u64,
    data: Data,
    tables: Vec<LawTable>,
    database: Database,
    /// The last connection, and the settings it has.
    connection: RefCell<Option<(Settings, Connection)>>,
}

/// Where a thread judges its cases.
pub(super) struct Workshop {
    runtime: Runtime,
    oracle: RefCell<Oracle>,
}

impl Workshop {
    pub fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build();
        Self {
            runtime: runtime.expect("a runtime"),
            oracle: RefCell::new(Oracle::new()),
        }
    }

    /// The database of a seed, whatever its last bits.
    pub fn open(&self, seed: u64) -> Opened {
        let seed = seed & !(QUERIES - 1);
        let data = Data::draw(&mut Random::new(seed));
        let tables = data.tables.iter().map(LawTable::new).collect();
        let database = self.runtime.block_on(open(&data));
        Opened {
            seed,
            tables,
            database: database.unwrap_or_else(|error| panic!("{seed:#x}: {error}\n{data:?}")),
            data,
            connection: RefCell::default(),
        }
    }

    /// The case of a number over a database, and what is found about it.
    pub fn run(&self, opened: &Opened, number: u64) -> (Case, Verdict) {
        let case = Self::case(opened, number);
        let connection = self.connection(opened, case.settings);
        let verdict = self.verdict(&case, &opened.tables, &connection);
        (case, verdict)
    }

    /// The case of a number over a database.
    pub fn case(opened: &Opened, number: u64) -> Case {
        let seed = opened.seed | number;
        let settings = Random::case_seed(opened.seed, number / SAME_SETTINGS);
        let mut random = Random::new(Random::case_seed(seed, QUERIES));
        let beside = |number| Random::new(Random::case_seed(seed, QUERIES + number));
        Case {
            seed,
            settings: Settings::draw(&mut Random::new(settings)),
            query: draw(
                &opened.data,
                &opened.tables,
                &mut random,
                (beside(1), beside(2)),
            ),
            data: opened.data.clone(),
        }
    }

    fn connection(&self, opened: &Opened, settings: Settings) -> Connection {
        let mut last = opened.connection.borrow_mut();
        match &*last {
            Some((of, connection)) if *of == settings => connection.clone(),
            _ => {
                let connection = self.connect(&opened.database, settings);
                *last = Some((settings, connection.clone()));
                connection
            }
        }
    }

    fn connect(&self, database: &Database, settings: Settings) -> Connection {
        let connection = self.runtime.block_on(connect(database, settings));
        connection.unwrap_or_else(|error| panic!("{settings:?}: {error}"))
    }

    /// What is found about a case; where the tables are none, it is not answered.
    pub fn judge(&self, case: &Case) -> Verdict {
        let are_tables = case.data.tables.iter().all(|table| table.key().is_some());
        if !are_tables {
            return Verdict::Unanswered("no layout".to_owned());
        }
        let tables: Vec<LawTable> = case.data.tables.iter().map(LawTable::new).collect();
        match self.runtime.block_on(open(&case.data)) {
            Ok(database) => {
                let connection = self.connect(&database, case.settings);
                self.verdict(case, &tables, &connection)
            }
            Err(error) => Verdict::Unanswered(error.to_string()),
        }
    }

    fn verdict(&self, case: &Case, tables: &[LawTable], connection: &Connection) -> Verdict {
        let oracle = self.oracle.borrow();
        let right = oracle.answer(&case.data, tables, &case.query);
        let right = catch_unwind(AssertUnwindSafe(|| {
            quietly(|| self.runtime.block_on(right))
        }));
        let Ok(right) = right else {
            return Verdict::Unanswered("the oracle panics".to_owned());
        };
        if let Err(Unanswered::Error(error)) = right {
            return Verdict::Unanswered(error);
        }
        if let Ok(right) = &right
            && right.len() > MOST_ROWS
            && case.settings.batch_size < MOST_ROWS / 100
        {
            return Verdict::Unanswered("too many rows for batches of a few".to_owned());
        }
        let sql = halite_sql(&case.query, &case.data.tables);
        let said = quietly(|| self.runtime.block_on(ask(connection, &sql)));
        match (right, said) {
            (_, Said::Refused(error)) => Verdict::Refused(error),
            (Ok(right), Said::Answer(answer)) => match right.difference(&case.query, &answer) {
                None => Verdict::Right(right.len()),
                Some(difference) => Verdict::Wrong(difference),
            },
            (Ok(_), Said::Wrong(Difference::Error(error))) if is_of_value(&error) => {
                Verdict::Refused(error)
            }
            // Of no row nothing need be computed.
            (Err(Unanswered::Overflow(error)), Said::Answer(answer)) => match answer.rows.len() {
                0 => Verdict::Unanswered(error),
                _ => Verdict::Wrong(Difference::Wrapped(error)),
            },
            (Err(Unanswered::Overflow(error)), Said::Wrong(Difference::Error(_))) => {
                Verdict::Unanswered(error)
            }
            (_, Said::Wrong(difference)) => Verdict::Wrong(difference),
            (Err(Unanswered::Error(error)), _) => Verdict::Unanswered(error),
        }
    }
}

/// Whether an error is about a value that a function does not take. What stands beside AND and OR may be computed or not,
/// and so may be what is not asked of a row in the end.
fn is_of_value(error: &str) -> bool {
    ["out of range", "it takes 0 and greater numbers"]
        .iter()
        .any(|words| error.contains(words))
}

/// What a failure prints: the seed, SQL to paste, and how the answers differ.
pub(super) fn report(case: &Case, verdict: &Verdict) -> String {
    let mut text = script(case);
    // Writing to a string cannot fail.
    let _ = match verdict {
        Verdict::Wrong(difference) => writeln!(text, "  {difference}"),
        other => writeln!(text, "  {other:?}"),
    };
    text
}

/// The seed of a case, and SQL to paste.
pub(super) fn script(case: &Case) -> String {
    let mut text = String::new();
    let sql = halite_sql(&case.query, &case.data.tables);
    let data = Data {
        tables: (case.data.tables.iter())
            .filter(|table| sql.contains(&format!("{} AS ", table.name)))
            .cloned()
            .collect(),
    };
    let script = case.settings.script().into_iter().chain(data.script());
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "HALITE_WHOLE_SEED={:#018x} replays it; shrunk to:",
        case.seed
    );
    for statement in script.chain([sql]) {
        let _ = writeln!(text, "    {statement};");
    }
    text
}
