//! DataFusion over Parquet files that are sorted by the tables' keys: row groups of 65,536 rows with page indexes,
//! filters pushed down, the order declared. It is what Halite's SQL would be over columns instead of rows.

use std::fs::File;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use datafusion::common::ParamValues;
use datafusion::dataframe::{DataFrame, DataFrameWriteOptions};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext, col};
use futures::{StreamExt, TryStreamExt};
use tokio::runtime::Runtime;

use super::{Call, Side, Task, bytes_of};
use crate::answer::{Answer, of_batches};
use crate::data::Files;
use crate::machine::threads;
use crate::value::{Dialect, Value, written_out};
use crate::workload::{Name, Way, Workload};

const SIDE: Name = Name::Parquet;

pub struct Parquet {
    runtime: Runtime,
    context: SessionContext,
    /// One with one thread.
    single: SessionContext,
    directory: PathBuf,
    files: Files,
}

fn context(partitions: usize) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(partitions);
    let options = &mut config.options_mut().execution.parquet;
    options.pushdown_filters = true;
    options.reorder_filters = true;
    options.max_row_group_size = 65_536;
    SessionContext::new_with_config(config)
}

impl Parquet {
    /// Sorts the rows into files and registers them.
    pub fn load(directory: &Path, files: &Files) -> Result<Self> {
        let directory = directory.join("parquet");
        std::fs::create_dir_all(&directory)?;
        let side = Self {
            runtime: Runtime::new()?,
            context: context(threads()),
            single: context(1),
            directory,
            files: files.clone(),
        };
        side.runtime.block_on(async {
            for (table, key) in [("cpu", ["host", "ts"]), ("by_time", ["ts", "host"])] {
                let path = side.file(table);
                sort(&side.context, &files.all, key, &path).await?;
                for context in [&side.context, &side.single] {
                    register(context, table, &path, key).await?;
                }
            }
            register(&side.context, "wanted", &text(&files.wanted), ["id"]).await
        })?;
        Ok(side)
    }

    fn file(&self, table: &str) -> String {
        text(&self.directory.join(format!("{table}.parquet")))
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Writes the rows of a file, in the order of a key, to another.
async fn sort(context: &SessionContext, from: &Path, key: [&str; 2], to: &str) -> Result<()> {
    let frame = context
        .read_parquet(text(from), ParquetReadOptions::default())
        .await?;
    let order = key.map(|column| col(column).sort(true, false)).to_vec();
    let options = DataFrameWriteOptions::new().with_single_file_output(true);
    frame.sort(order)?.write_parquet(to, options, None).await?;
    Ok(())
}

async fn register<const N: usize>(
    context: &SessionContext,
    table: &str,
    path: &str,
    key: [&str; N],
) -> Result<()> {
    let order = key.map(|column| col(column).sort(true, false)).to_vec();
    let options = ParquetReadOptions::default().file_sort_order(vec![order]);
    context.register_parquet(table, path, options).await?;
    Ok(())
}

impl Side for Parquet {
    fn name(&self) -> Name {
        SIDE
    }

    fn version(&self) -> String {
        format!("DataFusion {}", datafusion::DATAFUSION_VERSION)
    }

    fn task<'a>(&'a self, workload: &'a Workload) -> Result<Option<Box<dyn Task + 'a>>> {
        let context = if workload.one_thread {
            &self.single
        } else {
            &self.context
        };
        let prepared = match workload.way {
            Way::Append | Way::Count { .. } | Way::Put => return Ok(None),
            Way::Copy => {
                return Ok(Some(Box::new(Load {
                    side: self,
                    workload,
                })));
            }
            Way::Prepared => Some(self.runtime.block_on(context.sql(workload.sql_of(SIDE)))?),
            _ => None,
        };
        Ok(Some(Box::new(Query {
            runtime: &self.runtime,
            context,
            workload,
            prepared,
        })))
    }

    fn bytes(&self) -> Result<u64> {
        Ok(bytes_of(Path::new(&self.file("cpu")))? + bytes_of(Path::new(&self.file("by_time")))?)
    }
}

/// A query.
struct Query<'a> {
    runtime: &'a Runtime,
    context: &'a SessionContext,
    workload: &'a Workload,
    /// Parsed and analysed, with its parameters open.
    prepared: Option<DataFrame>,
}

/// A call, ready to be run.
struct Ready {
    text: String,
    parameters: Option<ParamValues>,
}

impl Query<'_> {
    fn ready(&self, call: &Call) -> Ready {
        let sql = self.workload.sql_of(SIDE);
        match self.workload.way {
            Way::Prepared | Way::Parameters => Ready {
                text: sql.to_owned(),
                parameters: (!call.is_empty())
                    .then(|| call.iter().map(Value::scalar).collect::<Vec<_>>().into()),
            },
            _ => Ready {
                text: written_out(sql, call, Dialect::Standard),
                parameters: None,
            },
        }
    }

    async fn frame(&self, ready: Ready) -> Result<DataFrame> {
        let frame = match &self.prepared {
            Some(prepared) => prepared.clone(),
            None => self.context.sql(&ready.text).await?,
        };
        Ok(match ready.parameters {
            Some(parameters) => frame.with_param_values(parameters)?,
            None => frame,
        })
    }

    async fn stream(&self, ready: Ready) -> Result<SendableRecordBatchStream> {
        Ok(self.frame(ready).await?.execute_stream().await?)
    }

    async fn run(&self, ready: Ready) -> Result<()> {
        if self.workload.way == Way::Plan {
            black_box(self.frame(ready).await?.create_physical_plan().await?);
            return Ok(());
        }
        let mut stream = self.stream(ready).await?;
        while let Some(batch) = stream.next().await {
            black_box(batch?);
        }
        Ok(())
    }
}

impl Task for Query<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        let ready = self.ready(call);
        let batches = self.runtime.block_on(async {
            anyhow::Ok(self.stream(ready).await?.try_collect::<Vec<_>>().await?)
        })?;
        of_batches(&batches, self.workload.is_ordered)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let calls: Vec<Ready> = calls.iter().map(|call| self.ready(call)).collect();
        let start = Instant::now();
        self.runtime.block_on(async {
            for ready in calls {
                self.run(ready).await?;
            }
            anyhow::Ok(())
        })?;
        Ok(start.elapsed())
    }
}

/// A file, sorted and written to the disk.
struct Load<'a> {
    side: &'a Parquet,
    workload: &'a Workload,
}

impl Load<'_> {
    fn run(&self) -> Result<Duration> {
        let (side, path) = (self.side, self.side.file("target"));
        let start = Instant::now();
        side.runtime
            .block_on(sort(&side.context, &side.files.part, ["host", "ts"], &path))?;
        File::open(&path)?.sync_all()?;
        Ok(start.elapsed())
    }
}

impl Task for Load<'_> {
    fn answer(&mut self, _: &Call) -> Result<Answer> {
        self.run()?;
        let (context, path) = (&self.side.context, self.side.file("target"));
        let loaded = self.side.runtime.block_on(async {
            register(context, "target", &path, ["host", "ts"]).await?;
            anyhow::Ok(context.sql(self.workload.sql).await?.collect().await?)
        })?;
        context.deregister_table("target")?;
        of_batches(&loaded, false)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let mut took = Duration::ZERO;
        for _ in calls {
            took += self.run()?;
        }
        std::fs::remove_file(self.side.file("target"))?;
        Ok(took)
    }
}
