//! Halite, in this process: prepared statements through its connection, rows as record batches.

use std::cell::Cell;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::halite::{Connection, Database, PreparedStatement};
use anyhow::{Context, Result, bail, ensure};
use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::ScalarValue;
use futures::StreamExt;
use tokio::runtime::Runtime;

use super::{Side, Task};
use crate::answer::{Answer, of_batches};
use crate::cluster::Cluster;
use crate::data::{FIRST_OFFSET, Files, Rows, Size};
use crate::side::raw::{Raw, Tables};
use crate::workload::{Kind, Name, Workload};

const NAMESPACE: &str = "comparison";
const COLUMNS: &str = "ev SMALLINT, ts BIGINT, offs BIGINT, user_id BIGINT NOT NULL, v1 BIGINT NOT NULL, \
                       v2 BIGINT NOT NULL, v3 BIGINT NOT NULL, name TEXT NOT NULL";
/// Tries of what is counted: what the process does by itself meanwhile is not in the least of them.
const TRIES: usize = 5;
/// The line of `SHOW STORE` that counts requests.
const SENT: &str = "requests of this process";

pub struct Halite {
    runtime: Runtime,
    connection: Connection,
    part: PathBuf,
    /// The key of the next row that is inserted.
    next: Cell<i64>,
}

/// What a call costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Requests of its scans, and the regions that they have asked, as `EXPLAIN ANALYZE` tells them.
    pub scanned: Option<(usize, usize)>,
    /// All requests that the process has sent.
    pub sent: u64,
}

impl Halite {
    /// Makes the database on the cluster and loads it.
    pub fn load(cluster: &Cluster, raw: &Raw, files: &Files) -> Result<Self> {
        let runtime = Runtime::new()?;
        let database = runtime.block_on(Database::open(cluster.database(NAMESPACE)))?;
        let side = Self {
            connection: database.connect(),
            runtime,
            part: files.part.clone(),
            next: Cell::new(0),
        };
        let tables = Tables {
            event: side.made(raw, &create("event"))?,
            part: side.made(raw, &create("part"))?,
            single: side.made(
                raw,
                "CREATE TABLE single (k BIGINT, v BIGINT NOT NULL, PRIMARY KEY (salt(16), k))",
            )?,
        };
        side.copy("event", &files.all)?;
        side.copy("part", &files.part)?;
        raw.settle(&tables.event)?;
        raw.know(tables);
        Ok(side)
    }

    fn execute(&self, sql: &str) -> Result<()> {
        let done = self.runtime.block_on(self.connection.execute(sql, ()));
        done.map(drop).with_context(|| sql.to_owned())
    }

    fn query(&self, sql: &str) -> Result<Vec<RecordBatch>> {
        let rows = self.runtime.block_on(self.connection.query(sql, ()));
        rows.with_context(|| sql.chars().take(200).collect::<String>())
    }

    /// Makes a table, and says what HBase calls it.
    fn made(&self, raw: &Raw, create: &str) -> Result<String> {
        let prefix = format!("{NAMESPACE}:");
        let before = raw.list(&prefix)?;
        self.execute(create)?;
        let mut after = raw.list(&prefix)?;
        after.retain(|name| !before.contains(name) && !name.contains(":catalog"));
        ensure!(after.len() == 1, "{create} has made {after:?}");
        after.pop().context("no table")
    }

    fn copy(&self, table: &str, file: &Path) -> Result<()> {
        self.execute(&format!("COPY {table} FROM '{}'", file.display()))
    }

    /// The keys of all rows, in the order of the rows' numbers.
    pub fn keys(&self) -> Result<Vec<Vec<u8>>> {
        let batches = self.query("SELECT offs, row_key FROM keys('event')")?;
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let mut keys = vec![Vec::new(); rows];
        for batch in &batches {
            let numbers = cast(batch.column(0), &DataType::Int64)?;
            let found = cast(batch.column(1), &DataType::Binary)?;
            let found = found.as_binary::<i32>();
            for (number, key) in numbers
                .as_primitive::<Int64Type>()
                .values()
                .iter()
                .zip(found)
            {
                let row = usize::try_from(*number)?.wrapping_sub(FIRST_OFFSET);
                let place = keys.get_mut(row).context("a row that was not loaded")?;
                *place = key.context("no key")?.to_vec();
            }
        }
        Ok(keys)
    }

    /// What a call of a work costs.
    pub fn cost(&self, workload: &Workload, rows: &Rows) -> Result<Cost> {
        let reads = !matches!(workload.kind, Kind::Load | Kind::Insert);
        let sql = workload.written_out(&workload.values(rows.size, 0));
        let mut cost = Cost::default();
        if reads {
            let mut plan = String::new();
            for batch in self.query(&format!("EXPLAIN ANALYZE {sql}"))? {
                plan += &as_texts(batch.columns().last().context("no plan")?)?.join("\n");
            }
            cost.scanned = Some((counted(&plan, "requests"), counted(&plan, "regions")));
        }
        cost.sent = match workload.kind {
            Kind::Load => self.sent_by_load()?,
            _ => self.sent_by_call(&mut Run::new(self, workload, rows.size)?)?,
        };
        Ok(cost)
    }

    fn sent_by_call(&self, task: &mut Run<'_>) -> Result<u64> {
        let mut least = u64::MAX;
        for _ in 0..TRIES {
            least = least.min(self.sent_within(|| task.time(0, 1).map(drop))?);
        }
        Ok(least)
    }

    fn sent_by_load(&self) -> Result<u64> {
        self.execute(&create("target"))?;
        let sent = self.sent_within(|| self.copy("target", &self.part))?;
        self.execute("DROP TABLE target")?;
        Ok(sent)
    }

    /// How many requests are sent meanwhile. To ask for that costs some, too.
    fn sent_within(&self, work: impl FnOnce() -> Result<()>) -> Result<u64> {
        let own = self.sent()?.abs_diff(self.sent()?);
        let before = self.sent()?;
        work()?;
        Ok((self.sent()? - before).saturating_sub(own))
    }

    /// How many requests the process has sent.
    fn sent(&self) -> Result<u64> {
        for facts in self.query("SHOW STORE")? {
            let about = as_texts(facts.column(0))?;
            let values = as_texts(facts.column(1))?;
            let mut facts = about.iter().zip(&values);
            if let Some((_, sent)) = facts.find(|(about, _)| about.as_str() == SENT) {
                return sent.parse().context("no number");
            }
        }
        bail!("SHOW STORE does not tell: {SENT}")
    }
}

fn create(table: &str) -> String {
    format!("CREATE TABLE {table} ({COLUMNS}, PRIMARY KEY (salt(16), ev, ts, offs))")
}

fn as_texts(column: &ArrayRef) -> Result<Vec<String>> {
    let column = cast(column, &DataType::Utf8)?;
    let values = column.as_string::<i32>().iter().flatten();
    Ok(values.map(str::to_owned).collect())
}

/// The sum of a counter over all operators of a plan.
fn counted(plan: &str, name: &str) -> usize {
    let named = plan.split([' ', '[', ',', ']']).filter_map(|word| {
        let value = word.strip_prefix(name)?.strip_prefix('=')?;
        value.parse::<usize>().ok()
    });
    named.sum()
}

impl Side for Halite {
    fn name(&self) -> Name {
        Name::Halite
    }

    fn version(&self) -> String {
        format!("Halite {}", env!("CARGO_PKG_VERSION"))
    }

    fn tasks<'a>(&'a self, workload: &'a Workload, rows: &Rows) -> Result<Vec<Box<dyn Task + 'a>>> {
        Ok(vec![Box::new(Run::new(self, workload, rows.size)?)])
    }
}

/// A work.
struct Run<'a> {
    side: &'a Halite,
    workload: &'a Workload,
    size: Size,
    /// Of all but a load.
    prepared: Option<PreparedStatement>,
}

impl<'a> Run<'a> {
    fn new(side: &'a Halite, workload: &'a Workload, size: Size) -> Result<Self> {
        let prepared = match workload.kind {
            Kind::Load => None,
            _ => {
                let sql = workload.numbered();
                let prepared = side.runtime.block_on(side.connection.prepare(&sql));
                Some(prepared.with_context(|| workload.name)?)
            }
        };
        Ok(Self {
            side,
            workload,
            size,
            prepared,
        })
    }

    fn prepared(&self) -> Result<&PreparedStatement> {
        self.prepared.as_ref().context("it is not prepared")
    }

    fn parameters(&self, call: usize) -> Vec<ScalarValue> {
        if self.workload.kind == Kind::Insert {
            let key = self.side.next.get();
            self.side.next.set(key + 1);
            return vec![ScalarValue::from(key)];
        }
        let values = self.workload.values(self.size, call).into_iter();
        let types = self.workload.types.bytes().cycle();
        let scalar = |(value, kind): (i64, u8)| match kind {
            // What is SMALLINT was made from one.
            b's' => ScalarValue::from(value as i16),
            _ => ScalarValue::from(value),
        };
        values.zip(types).map(scalar).collect()
    }

    /// One run, as a program would do it: one row is asked for as one, more are a stream.
    fn run(&self, parameters: Vec<ScalarValue>) -> Result<()> {
        let prepared = self.prepared()?;
        match self.workload.kind {
            Kind::Point => {
                let row = prepared.query_row(parameters)?;
                black_box(row.context("no row")?);
            }
            Kind::Insert => {
                let written = self.side.runtime.block_on(prepared.execute(parameters))?;
                ensure!(written == 1, "{written} rows are inserted");
            }
            _ => self.side.runtime.block_on(async {
                let mut stream = prepared.query(parameters).await?;
                while let Some(batch) = stream.next().await {
                    black_box(batch?);
                }
                anyhow::Ok(())
            })?,
        }
        Ok(())
    }

    /// A load into a table that is new each time.
    fn load<T>(&self, then: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
        self.side.execute(&create("target"))?;
        let start = Instant::now();
        self.side.copy("target", &self.side.part)?;
        let took = start.elapsed();
        let then = then()?;
        self.side.execute("DROP TABLE target")?;
        Ok((took, then))
    }
}

impl Task for Run<'_> {
    fn answer(&mut self, call: usize) -> Result<Answer> {
        match self.workload.kind {
            Kind::Load => {
                let check = || of_batches(&self.side.query(&self.workload.sql)?);
                self.load(check).map(|(_, answer)| answer)
            }
            Kind::Insert => {
                self.run(self.parameters(call))?;
                Ok(Answer::of_count(1))
            }
            _ => {
                let prepared = self.prepared()?;
                let parameters = self.parameters(call);
                let batches = self.side.runtime.block_on(async {
                    anyhow::Ok(prepared.query(parameters).await?.collect().await?)
                })?;
                of_batches(&batches)
            }
        }
    }

    fn time(&mut self, first: usize, count: usize) -> Result<Duration> {
        let mut took = Duration::ZERO;
        for call in first..first + count {
            if self.workload.kind == Kind::Load {
                took += self.load(|| Ok(()))?.0;
                continue;
            }
            let parameters = self.parameters(call);
            let start = Instant::now();
            self.run(parameters)?;
            took += start.elapsed();
        }
        Ok(took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_a_plan_are_added_up() {
        let plan = "SortExec, metrics=[output_rows=1]\n  ScanExec: table=event, metrics=[regions=16, requests=32, \
                    rows_out=4]\n  ScanExec: table=event, metrics=[regions=1, requests=1]";
        assert_eq!(
            (counted(plan, "requests"), counted(plan, "regions")),
            (33, 17)
        );
        assert_eq!(counted("", "requests"), 0);
    }
}
