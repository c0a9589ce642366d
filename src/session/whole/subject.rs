//! Halite under test: a database of random tables, connections of random settings, and their answers.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use datafusion::physical_plan::common::collect;
use futures::FutureExt;

use super::super::{Connection, Database};
use super::answer::{Answer, Difference};
use super::data::Data;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::law::random::Random;
use crate::row::Grouped;
use crate::run::outcome::Outcome;
use crate::store::MemoryStore;

/// Whether rows are dealt to partitions only where they are more than a batch.
const FEW_ROWS: &str = "datafusion.execution.use_row_number_estimates_to_optimize_partitioning";

/// How a connection plans and runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settings {
    pub partitions: usize,
    pub batch_size: usize,
    /// Both sides of a join are dealt to partitions.
    pub dealt_join: bool,
    /// Small sides are joined in partitions, too.
    pub partitioned_join: bool,
    /// Sides are sorted and merged.
    pub merged_join: bool,
    /// Few rows are dealt to partitions, too.
    pub dealt_rows: bool,
}

impl Settings {
    /// The simplest.
    pub const PLAIN: Self = Self {
        partitions: 1,
        batch_size: 8192,
        dealt_join: true,
        partitioned_join: false,
        merged_join: false,
        dealt_rows: false,
    };

    pub fn draw(random: &mut Random) -> Self {
        Self {
            partitions: random.between(1, 4),
            batch_size: random.weighted(&[(30, 2), (20, 3), (20, 7), (30, 8192)]),
            dealt_join: random.percent(75),
            partitioned_join: random.percent(40),
            merged_join: random.percent(20),
            dealt_rows: random.percent(50),
        }
    }

    /// What sets them in SQL.
    pub fn script(self) -> Vec<String> {
        let threshold = "datafusion.optimizer.hash_join_single_partition_threshold";
        let mut script = vec![
            format!(
                "SET datafusion.execution.target_partitions = {}",
                self.partitions
            ),
            format!("SET datafusion.execution.batch_size = {}", self.batch_size),
        ];
        if !self.dealt_join {
            script.push("SET datafusion.optimizer.repartition_joins = false".to_owned());
        }
        if self.partitioned_join {
            script.push(format!("SET {threshold} = 0"));
            script.push(format!("SET {threshold}_rows = 0"));
        }
        if self.merged_join {
            script.push("SET halite.joins = 'merge'".to_owned());
        }
        if self.dealt_rows {
            script.push(format!("SET {FEW_ROWS} = false"));
        }
        script
    }
}

/// A database with the rows of `data`; now and then it keeps several of them in one entry.
pub(super) async fn open(data: &Data) -> Result<Database> {
    let rows: usize = data
        .tables
        .iter()
        .map(|table| table.batch().num_rows())
        .sum();
    let database = match rows % 4 {
        0 => {
            let grouped = Grouped::new(Arc::new(MemoryStore::new()));
            Database::of_store(Arc::new(grouped))?
        }
        _ => Database::in_memory()?,
    };
    let connection = database.connect();
    for table in &data.tables {
        connection.execute(&table.create(), Vec::new()).await?;
        let mut appender = connection.appender(&table.name)?;
        appender.append_batch(&table.batch())?;
        appender.finish().await?;
    }
    Ok(database)
}

/// A connection with the settings.
pub(super) async fn connect(database: &Database, settings: Settings) -> Result<Connection> {
    let connection = database.connect();
    for sql in settings.script() {
        connection.execute(&sql, Vec::new()).await?;
    }
    Ok(connection)
}

/// What Halite says to a query.
pub(super) enum Said {
    Answer(Answer),
    /// It does not do this, and says so.
    Refused(String),
    Wrong(Difference),
}

/// A query that takes longer does not end.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn ask(connection: &Connection, sql: &str) -> Said {
    let run = AssertUnwindSafe(answer(connection, sql)).catch_unwind();
    match tokio::time::timeout(PATIENCE, run).await {
        Err(_) => Said::Wrong(Difference::Endless),
        Ok(Err(panic)) => Said::Wrong(Difference::Panic(message(&*panic))),
        Ok(Ok(Ok(answer))) => Said::Answer(answer),
        Ok(Ok(Err(error))) if error.kind() == ErrorKind::NotSupported => {
            Said::Refused(error.to_string())
        }
        Ok(Ok(Err(error))) => Said::Wrong(Difference::Error(error.to_string())),
    }
}

async fn answer(connection: &Connection, sql: &str) -> Result<Answer> {
    let statements = connection.script(sql)?;
    let [statement] = statements.as_slice() else {
        return Err(Error::internal("no single statement"));
    };
    let Outcome::Rows(stream) = connection.run(statement).await? else {
        return Err(Error::internal("no query"));
    };
    let schema = stream.schema();
    let batches = collect(stream).await?;
    Answer::new(&schema, &batches).map_err(Error::internal)
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".to_owned())
}
