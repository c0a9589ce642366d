//! Halite, in this process: prepared statements and SQL through its connection, rows as record batches.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::halite::{Connection, Database, PreparedStatement, RowStream, StoreOptions};
use anyhow::{Context, Result, ensure};
use arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use futures::StreamExt;
use tokio::runtime::Runtime;

use super::{Call, Side, Task, bytes_of, in_threads};
use crate::answer::{Answer, of_batches};
use crate::data::{self, Files};
use crate::machine::{CACHE_BYTES, threads};
use crate::value::{Dialect, Value, written_out};
use crate::workload::{COUNTED, COUNTERS, Name, Way, Workload};

/// The columns of the large tables.
const COLUMNS: &str = "host TEXT, ts TIMESTAMP(3), kind TEXT NOT NULL, user_id BIGINT NOT NULL, usage DOUBLE NOT NULL, note TEXT NOT NULL";

pub struct Halite {
    runtime: Runtime,
    database: Database,
    connection: Connection,
    /// One with one thread.
    single: Connection,
    files: Files,
    path: PathBuf,
    /// The rows that are appended.
    part: Vec<RecordBatch>,
}

impl Halite {
    /// Makes the database in a directory and loads it.
    pub fn load(directory: &Path, files: &Files) -> Result<Self> {
        let runtime = Runtime::new()?;
        let path = directory.join("halite");
        let options = StoreOptions {
            block_cache_bytes: CACHE_BYTES,
            ..StoreOptions::default()
        };
        let database = runtime.block_on(Database::open_with(&path, options))?;
        let part = data::batches(&data::read(&files.part)?);
        let side = Self {
            connection: database.connect(),
            single: database.connect(),
            runtime,
            database,
            files: files.clone(),
            path,
            part,
        };
        let partitions = "SET datafusion.execution.target_partitions =";
        side.execute_on(&side.connection, &format!("{partitions} {}", threads()))?;
        side.execute_on(&side.single, &format!("{partitions} 1"))?;
        for (table, key) in [("cpu", "host, ts"), ("by_time", "salt(16), ts, host")] {
            side.create(table, key)?;
            side.copy(table, &files.all)?;
        }
        side.execute("CREATE TABLE wanted (id BIGINT, host TEXT NOT NULL, ts TIMESTAMP(3) NOT NULL, PRIMARY KEY (id))")?;
        side.copy("wanted", &files.wanted)?;
        side.execute("CREATE TABLE counter (k BIGINT, n BIGINT NOT NULL, PRIMARY KEY (k))")?;
        side.execute(&format!(
            "INSERT INTO counter SELECT value, 0 FROM generate_series(0, {})",
            COUNTERS - 1
        ))?;
        Ok(side)
    }

    /// The database, for what has no counterpart elsewhere.
    pub fn database(&self) -> &Database {
        &self.database
    }

    fn execute_on(&self, connection: &Connection, sql: &str) -> Result<()> {
        self.runtime.block_on(connection.execute(sql, ()))?;
        Ok(())
    }

    fn execute(&self, sql: &str) -> Result<()> {
        self.execute_on(&self.connection, sql)
    }

    fn create(&self, table: &str, key: &str) -> Result<()> {
        self.execute(&format!(
            "CREATE TABLE {table} ({COLUMNS}, PRIMARY KEY ({key}))"
        ))
    }

    fn copy(&self, table: &str, file: &Path) -> Result<()> {
        self.execute(&format!("COPY {table} FROM '{}'", file.display()))
    }

    fn append(&self, table: &str) -> Result<()> {
        let mut appender = self.connection.appender(table)?;
        for batch in &self.part {
            appender.append_batch(batch)?;
        }
        self.runtime.block_on(appender.finish())?;
        Ok(())
    }
}

impl Side for Halite {
    fn name(&self) -> Name {
        Name::Halite
    }

    fn version(&self) -> String {
        format!("Halite {}", env!("CARGO_PKG_VERSION"))
    }

    fn task<'a>(&'a self, workload: &'a Workload) -> Result<Option<Box<dyn Task + 'a>>> {
        if matches!(workload.way, Way::Copy | Way::Append) {
            return Ok(Some(Box::new(Load {
                side: self,
                workload,
            })));
        }
        let threads = match workload.way {
            Way::Count { threads } => Some(threads),
            Way::Put => Some(1),
            _ => None,
        };
        if let Some(threads) = threads {
            return Ok(Some(Box::new(Count::new(self, workload, threads)?)));
        }
        let connection = if workload.one_thread {
            &self.single
        } else {
            &self.connection
        };
        let prepared = match workload.way {
            Way::Prepared => Some(self.runtime.block_on(connection.prepare(workload.sql))?),
            _ => None,
        };
        Ok(Some(Box::new(Query {
            runtime: &self.runtime,
            connection,
            workload,
            prepared,
        })))
    }

    fn bytes(&self) -> Result<u64> {
        bytes_of(&self.path)
    }
}

/// A query.
struct Query<'a> {
    runtime: &'a Runtime,
    connection: &'a Connection,
    workload: &'a Workload,
    prepared: Option<PreparedStatement>,
}

/// A call, ready to be run.
struct Ready {
    text: Option<String>,
    parameters: Vec<ScalarValue>,
}

impl Query<'_> {
    fn ready(&self, call: &Call) -> Ready {
        match self.workload.way {
            Way::Prepared | Way::Parameters => Ready {
                text: None,
                parameters: call.iter().map(Value::scalar).collect(),
            },
            _ => Ready {
                text: Some(written_out(self.workload.sql, call, Dialect::Standard)),
                parameters: Vec::new(),
            },
        }
    }

    async fn stream(&self, ready: Ready) -> Result<RowStream> {
        let text = ready.text.as_deref().unwrap_or(self.workload.sql);
        Ok(match &self.prepared {
            Some(prepared) => prepared.query(ready.parameters).await?,
            None => self.connection.stream(text, ready.parameters).await?,
        })
    }

    /// One run, as a program would do it: one row is asked for as one, more are a stream.
    fn run(&self, ready: Ready) -> Result<()> {
        if self.workload.way == Way::Plan {
            return self.plan(&ready);
        }
        if !self.workload.is_single {
            return self.runtime.block_on(async {
                let mut stream = self.stream(ready).await?;
                while let Some(batch) = stream.next().await {
                    black_box(batch?);
                }
                Ok(())
            });
        }
        let row = match &self.prepared {
            Some(prepared) => prepared.query_row(ready.parameters)?,
            None => {
                let text = ready.text.as_deref().unwrap_or(self.workload.sql);
                self.runtime
                    .block_on(self.connection.query_row(text, ready.parameters))?
            }
        };
        black_box(row.context("no row")?);
        Ok(())
    }

    fn plan(&self, ready: &Ready) -> Result<()> {
        let text = ready.text.as_deref().unwrap_or(self.workload.sql);
        self.runtime.block_on(async {
            let frame = self.connection.sql(text).await?;
            black_box(frame.create_physical_plan().await?);
            Ok(())
        })
    }
}

impl Task for Query<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        let ready = self.ready(call);
        let batches = self
            .runtime
            .block_on(async { anyhow::Ok(self.stream(ready).await?.collect().await?) })?;
        of_batches(&batches, self.workload.is_ordered)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let calls: Vec<Ready> = calls.iter().map(|call| self.ready(call)).collect();
        let start = Instant::now();
        for ready in calls {
            self.run(ready)?;
        }
        Ok(start.elapsed())
    }
}

/// Counters that go up, each thread by a statement of its own. What is acknowledged is in the log, not flushed.
struct Count<'a> {
    side: &'a Halite,
    statements: Vec<PreparedStatement>,
}

impl<'a> Count<'a> {
    fn new(side: &'a Halite, workload: &Workload, threads: usize) -> Result<Self> {
        side.execute("UPDATE counter SET n = 0")?;
        let statements = (0..threads).map(|_| {
            let connection = side.database.connect();
            side.execute_on(&connection, "SET halite.durability = 'buffered'")?;
            let statement = side.runtime.block_on(connection.prepare(workload.sql))?;
            ensure!(statement.is_direct(), "{} is planned", workload.sql);
            Ok(statement)
        });
        let statements = statements.collect::<Result<_>>()?;
        Ok(Self { side, statements })
    }

    fn count(&self, statement: &PreparedStatement, calls: Vec<Vec<ScalarValue>>) -> Result<()> {
        self.side.runtime.block_on(async {
            for call in calls {
                statement.execute(call).await?;
            }
            Ok(())
        })
    }
}

impl Task for Count<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        self.time(std::slice::from_ref(call))?;
        let counted = self.side.connection.query(COUNTED, ());
        of_batches(&self.side.runtime.block_on(counted)?, false)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let values = |call: &Call| call.iter().map(Value::scalar).collect();
        let calls: Vec<Vec<ScalarValue>> = calls.iter().map(values).collect();
        let side: &Self = self;
        in_threads(calls, side.statements.len(), |thread, calls| {
            side.count(&side.statements[thread], calls)
        })
    }
}

/// A load into a table that is new each time.
struct Load<'a> {
    side: &'a Halite,
    workload: &'a Workload,
}

impl Load<'_> {
    fn run(&self) -> Result<Duration> {
        self.side.create("target", "host, ts")?;
        let start = Instant::now();
        match self.workload.way {
            Way::Copy => self.side.copy("target", &self.side.files.part)?,
            _ => self.side.append("target")?,
        }
        Ok(start.elapsed())
    }
}

impl Task for Load<'_> {
    fn answer(&mut self, _: &Call) -> Result<Answer> {
        self.run()?;
        let loaded = self.side.connection.query(self.workload.sql, ());
        let loaded = self.side.runtime.block_on(loaded)?;
        self.side.execute("DROP TABLE target")?;
        of_batches(&loaded, false)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let mut took = Duration::ZERO;
        for _ in calls {
            took += self.run()?;
            self.side.execute("DROP TABLE target")?;
        }
        Ok(took)
    }
}

/// A table as what stands below SQL knows it.
pub fn bound(database: &Database, table: &str) -> Result<Arc<::halite::schema::BoundTable>> {
    let provider = database.table_provider(table)?;
    let table = provider.downcast_ref::<::halite::table::HaliteTable>();
    Ok(Arc::clone(table.context("no table of Halite's")?.bound()))
}
