//! The sample queries under Halite: loading the layouts, running a query under one of them, and what it read.
//! Everything that depends on Halite's API stands here.

use std::ops::ControlFlow;

use arrow::array::AsArray;
use datafusion::physical_plan::collect;
use halite::scan::{ScanTotals, totals};
use halite::session::{Connection, Database};
use sqlparser::ast::{Ident, ObjectName, visit_relations_mut};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use tempfile::TempDir;

use super::oracle::texts;
use super::sample::{Layout, Query, layouts, root, weather_script};
use crate::scripts::key_lines;

/// Where the layouts are kept.
#[derive(Debug, Clone, Copy)]
pub enum Store {
    /// In memory.
    Memory,
    /// In a directory of its own.
    RocksDb,
}

/// How a query is run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Whether predicates become key ranges.
    pub pushdown: bool,
    /// DataFusion's target partitions.
    pub partitions: usize,
}

/// A query's result and what was read for it.
pub struct Run {
    /// The rows, as text.
    pub rows: Vec<String>,
    /// The counters of all scans.
    pub totals: ScanTotals,
}

/// What is planned for a query and what it then did.
pub struct Measured {
    /// `EXPLAIN KEYS`.
    pub keys: Keys,
    /// The run.
    pub run: Run,
}

/// The rows of `EXPLAIN KEYS`.
pub struct Keys {
    /// One line per row.
    pub text: String,
    kinds: Vec<String>,
}

impl Keys {
    /// How many ranges are listed; a walk is one.
    pub fn count(&self) -> usize {
        self.kinds.iter().filter(|kind| *kind != "empty").count()
    }

    /// Whether a scan is a walk.
    pub fn has_walk(&self) -> bool {
        self.kinds.iter().any(|kind| kind == "walk")
    }
}

/// A database with every layout and the weather.
pub struct Samples {
    database: Database,
    _directory: Option<TempDir>,
}

impl Samples {
    /// Makes and loads the tables.
    pub async fn load(store: Store) -> Self {
        let (database, directory) = match store {
            Store::Memory => (Database::in_memory().unwrap(), None),
            Store::RocksDb => {
                let directory = tempfile::tempdir().unwrap();
                let path = directory.path().join("flights.halite");
                (Database::open(path).await.unwrap(), Some(directory))
            }
        };
        let connection = database.connect();
        let scripts = layouts().into_iter().map(|layout| layout.script);
        for script in scripts.chain([weather_script()]) {
            // COPY names its file from the repository's root.
            let script = script.replace("'data/", &format!("'{}/data/", root().display()));
            for statement in connection.script(&script).unwrap() {
                connection.run(&statement).await.unwrap();
            }
        }
        Self {
            database,
            _directory: directory,
        }
    }

    /// Runs a query under a layout.
    pub async fn run(&self, query: &Query, layout: &Layout, settings: Settings) -> Run {
        let connection = self.connect(settings).await;
        let frame = connection.sql(&renamed(&query.sql, layout)).await.unwrap();
        let context = frame.task_ctx();
        let plan = frame.create_physical_plan().await.unwrap();
        let batches = collect(plan.clone(), context.into()).await.unwrap();
        Run {
            rows: texts(&batches),
            totals: totals(&plan),
        }
    }

    /// What `EXPLAIN KEYS` says of a query under a layout.
    pub async fn explain_keys(&self, query: &Query, layout: &Layout) -> Keys {
        let explain = format!("EXPLAIN KEYS {}", renamed(&query.sql, layout));
        let batches = self
            .database
            .connect()
            .query(&explain, vec![])
            .await
            .unwrap();
        let kinds = batches.iter().flat_map(|batch| {
            let kinds = batch.column_by_name("kind").unwrap().as_string::<i32>();
            kinds.iter().map(|kind| kind.unwrap().to_owned())
        });
        Keys {
            kinds: kinds.collect(),
            text: batches.iter().map(key_lines).collect(),
        }
    }

    async fn connect(&self, settings: Settings) -> Connection {
        let connection = self.database.connect();
        let Settings {
            pushdown,
            partitions,
        } = settings;
        let set = [
            format!("SET halite.pushdown = {pushdown}"),
            format!("SET datafusion.execution.target_partitions = {partitions}"),
        ];
        for statement in set {
            connection.execute(&statement, vec![]).await.unwrap();
        }
        connection
    }
}

/// The query with the layout's table in the place of `flights`.
fn renamed(sql: &str, layout: &Layout) -> String {
    let mut statements = Parser::parse_sql(&GenericDialect {}, sql).unwrap();
    let mut renamed = 0;
    let _ = visit_relations_mut(&mut statements, |name| {
        if name.to_string() == "flights" {
            *name = ObjectName::from(vec![Ident::new(&layout.table)]);
            renamed += 1;
        }
        ControlFlow::<()>::Continue(())
    });
    assert!(renamed > 0, "a sample query reads flights: {sql}");
    statements[0].to_string()
}
