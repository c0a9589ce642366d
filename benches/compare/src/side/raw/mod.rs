//! Raw RocksDB: what one would write who designs row keys by hand for these very queries. Gets and iterators of one
//! thread over the bytes that Halite stores; of a value only the columns that the query asks for are looked at.

mod count;
mod format;
mod loops;
mod store;

use std::cell::OnceCell;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::halite::row::RowWriter;
use ::halite::schema::BoundTable;
use ::halite::store::Chunk;
use anyhow::Result;
use arrow::array::RecordBatch;

use self::count::Count;
use self::loops::{Loops, Sink};
use self::store::Store;
use super::halite::{Halite, bound};
use super::{Call, Side, Task, bytes_of};
use crate::answer::{Answer, Cell, Digest};
use crate::data::{self, Files};
use crate::machine;
use crate::workload::{Loop, Name, Way, Workload};

pub struct Raw {
    store: Store,
    files: Files,
    path: std::path::PathBuf,
    /// The rows that are appended.
    part: RecordBatch,
}

/// The entries of rows, as Halite makes them.
fn entries(table: &Arc<BoundTable>, rows: &RecordBatch) -> Result<Chunk> {
    let mut chunk = Chunk::new();
    let writer = RowWriter::new(Arc::clone(table));
    for batch in data::batches(rows) {
        let entries = writer
            .encode(&batch)
            .map_err(|error| anyhow::anyhow!("{error:?}"))?;
        entries
            .iter()
            .for_each(|entry| chunk.push(entry.key, entry.value));
    }
    Ok(chunk)
}

impl Raw {
    /// Makes the database in a directory and loads it with the entries of Halite's tables.
    pub fn load(directory: &Path, files: &Files, halite: &Halite) -> Result<Self> {
        let path = directory.join("raw");
        let side = Self {
            store: Store::open(&path)?,
            files: files.clone(),
            path,
            part: data::read(&files.part)?,
        };
        let cpu = bound(halite.database(), "cpu")?;
        format::check(
            &format::cpu_entries(&side.part)?,
            &entries(&cpu, &side.part)?,
        )?;
        for (table, file) in [
            ("cpu", &files.all),
            ("by_time", &files.all),
            ("wanted", &files.wanted),
        ] {
            let table_of = bound(halite.database(), table)?;
            side.store.create(table)?;
            side.store
                .ingest(table, &entries(&table_of, &data::read(file)?)?)?;
        }
        side.store.create("counter")?;
        Ok(side)
    }
}

impl Side for Raw {
    fn name(&self) -> Name {
        Name::Raw
    }

    fn version(&self) -> String {
        machine::rocksdb_version()
    }

    fn task<'a>(&'a self, workload: &'a Workload) -> Result<Option<Box<dyn Task + 'a>>> {
        if matches!(workload.way, Way::Copy | Way::Append) {
            return Ok(Some(Box::new(Load {
                side: self,
                workload,
            })));
        }
        match workload.way {
            Way::Count { threads } => {
                return Ok(Some(Box::new(Count::new(&self.store, Some(threads))?)));
            }
            Way::Put => return Ok(Some(Box::new(Count::new(&self.store, None)?))),
            _ => {}
        }
        let Some(by_hand) = workload.by_hand else {
            return Ok(None);
        };
        Ok(Some(Box::new(Query {
            loops: Loops::new(&self.store)?,
            by_hand,
            is_ordered: workload.is_ordered,
        })))
    }

    fn bytes(&self) -> Result<u64> {
        bytes_of(&self.path)
    }
}

/// A query.
struct Query<'a> {
    loops: Loops<'a>,
    by_hand: Loop,
    is_ordered: bool,
}

/// Rows that were asked for and are dropped.
struct Dropped;

impl Sink for Dropped {
    fn row(&mut self, cells: &[Cell<'_>]) {
        black_box(cells);
    }
}

impl Sink for Digest {
    fn row(&mut self, cells: &[Cell<'_>]) {
        Self::row(self, cells);
    }
}

impl Task for Query<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        let mut digest = Digest::new(self.is_ordered);
        self.loops.run(self.by_hand, call, &mut digest)?;
        Ok(digest.finish())
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let start = Instant::now();
        for call in calls {
            self.loops.run(self.by_hand, call, &mut Dropped)?;
        }
        Ok(start.elapsed())
    }
}

/// A load into a table that is new each time.
struct Load<'a> {
    side: &'a Raw,
    workload: &'a Workload,
}

impl Load<'_> {
    fn run(&self) -> Result<Duration> {
        self.side.store.create("target")?;
        let start = Instant::now();
        let read = OnceCell::new();
        let rows = match self.workload.way {
            Way::Copy => {
                let rows = data::read(&self.side.files.part)?;
                read.get_or_init(|| rows)
            }
            _ => &self.side.part,
        };
        self.side
            .store
            .ingest("target", &format::cpu_entries(rows)?)?;
        Ok(start.elapsed())
    }
}

impl Task for Load<'_> {
    fn answer(&mut self, _: &Call) -> Result<Answer> {
        self.run()?;
        let mut digest = Digest::new(false);
        Loops::new(&self.side.store)?.count_and_sum("target", &mut digest)?;
        self.side.store.remove("target")?;
        Ok(digest.finish())
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let mut took = Duration::ZERO;
        for _ in calls {
            took += self.run()?;
            self.side.store.remove("target")?;
        }
        Ok(took)
    }
}
