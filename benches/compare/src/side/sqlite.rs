//! SQLite, compiled in by rusqlite: `WITHOUT ROWID`, the key as primary key, pages in memory, a write-ahead log that is
//! flushed with each commit. It has no need of buckets: `by_time` has the key `(ts, host)`. Time stamps are integers.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimestampMillisecondType};
use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use rusqlite::{Connection, OpenFlags, Statement, params_from_iter};

use super::{Call, Side, Task, bytes_of};
use crate::answer::{Answer, Cell, Digest};
use crate::data::{self, Files};
use crate::machine::CACHE_BYTES;
use crate::value::{Dialect, Value, written_out};
use crate::workload::{COUNTED, COUNTERS, Name, Way, Workload};

const SIDE: Name = Name::Sqlite;
/// The columns of the large tables.
const COLUMNS: &str = "host TEXT NOT NULL, ts INTEGER NOT NULL, kind TEXT NOT NULL, user_id INTEGER NOT NULL, \
                       usage REAL NOT NULL, note TEXT NOT NULL";

pub struct Sqlite {
    connection: Connection,
    /// Counters, in a file of their own, whose log is written at each commit and not flushed.
    counters: Connection,
    files: Files,
    path: PathBuf,
    /// The rows that are appended.
    part: RecordBatch,
}

impl Sqlite {
    /// Makes the database in a directory and loads it.
    pub fn load(directory: &Path, files: &Files) -> Result<Self> {
        let path = directory.join("sqlite.db");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        let counters = Connection::open_with_flags(directory.join("counters.db"), flags)?;
        counters.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
             CREATE TABLE counter (k INTEGER PRIMARY KEY, n INTEGER NOT NULL);
             WITH RECURSIVE s (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM s WHERE k + 1 < {COUNTERS})
             INSERT INTO counter SELECT k, 0 FROM s;"
        ))?;
        connection.execute_batch(&format!(
            "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{}; PRAGMA mmap_size = {};",
            CACHE_BYTES >> 10,
            2 * CACHE_BYTES
        ))?;
        let side = Self {
            connection,
            counters,
            files: files.clone(),
            path,
            part: data::read(&files.part)?,
        };
        let rows = data::read(&files.all)?;
        for (table, key) in [("cpu", ["host", "ts"]), ("by_time", ["ts", "host"])] {
            side.create(table, key)?;
            side.insert(table, &data::sorted(&rows, &key)?)?;
        }
        side.connection.execute_batch(
            "CREATE TABLE wanted (id INTEGER PRIMARY KEY, host TEXT NOT NULL, ts INTEGER NOT NULL)",
        )?;
        side.insert("wanted", &data::read(&files.wanted)?)?;
        side.connection
            .execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(side)
    }

    fn create(&self, table: &str, key: [&str; 2]) -> Result<()> {
        let key = key.join(", ");
        Ok(self.connection.execute_batch(&format!(
            "CREATE TABLE {table} ({COLUMNS}, PRIMARY KEY ({key})) WITHOUT ROWID"
        ))?)
    }

    /// Adds rows in one transaction, by a prepared statement.
    fn insert(&self, table: &str, rows: &RecordBatch) -> Result<()> {
        let places = vec!["?"; rows.num_columns()].join(", ");
        let columns: Vec<Column<'_>> = rows
            .columns()
            .iter()
            .map(|array| Column::new(array))
            .collect::<Result<_>>()?;
        let transaction = self.connection.unchecked_transaction()?;
        let mut insert = transaction.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
        for row in 0..rows.num_rows() {
            for (place, column) in (1..).zip(&columns) {
                insert.raw_bind_parameter(place, column.value(row))?;
            }
            insert.raw_execute()?;
        }
        drop(insert);
        Ok(transaction.commit()?)
    }
}

/// A column of rows that are added.
enum Column<'a> {
    Texts(&'a arrow::array::StringArray),
    Numbers(&'a [i64]),
    Doubles(&'a [f64]),
}

impl<'a> Column<'a> {
    fn new(array: &'a dyn Array) -> Result<Self> {
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Texts(array.as_string()),
            DataType::Int64 => Self::Numbers(array.as_primitive::<Int64Type>().values()),
            DataType::Float64 => Self::Doubles(array.as_primitive::<Float64Type>().values()),
            _ => {
                let stamps = array.as_primitive_opt::<TimestampMillisecondType>();
                Self::Numbers(stamps.context("a column of another type")?.values())
            }
        })
    }

    fn value(&self, row: usize) -> ToSqlOutput<'a> {
        ToSqlOutput::Borrowed(match self {
            Self::Texts(texts) => ValueRef::Text(texts.value(row).as_bytes()),
            Self::Numbers(numbers) => ValueRef::Integer(numbers[row]),
            Self::Doubles(doubles) => ValueRef::Real(doubles[row]),
        })
    }
}

impl Side for Sqlite {
    fn name(&self) -> Name {
        SIDE
    }

    fn version(&self) -> String {
        format!("SQLite {}", rusqlite::version())
    }

    fn task<'a>(&'a self, workload: &'a Workload) -> Result<Option<Box<dyn Task + 'a>>> {
        if matches!(workload.way, Way::Copy | Way::Append) {
            return Ok(Some(Box::new(Load {
                side: self,
                workload,
            })));
        }
        // Parameters are called ?1, ?2, … here.
        let sql = workload.sql_of(SIDE).replace('$', "?");
        match workload.way {
            Way::Put | Way::Count { threads: 1 } => {
                self.counters.execute_batch("UPDATE counter SET n = 0")?;
                return Ok(Some(Box::new(Count {
                    counters: &self.counters,
                    prepared: self.counters.prepare(&sql)?,
                })));
            }
            // One connection writes at a time.
            Way::Count { .. } => return Ok(None),
            _ => {}
        }
        let prepared = match workload.way {
            Way::Prepared => Some(self.connection.prepare(&sql)?),
            _ => None,
        };
        Ok(Some(Box::new(Query {
            connection: &self.connection,
            workload,
            sql,
            prepared,
        })))
    }

    fn bytes(&self) -> Result<u64> {
        bytes_of(&self.path)
    }
}

/// A query.
struct Query<'a> {
    connection: &'a Connection,
    workload: &'a Workload,
    sql: String,
    prepared: Option<Statement<'a>>,
}

/// A call, ready to be run.
struct Ready {
    text: String,
    parameters: Vec<SqliteValue>,
}

impl Query<'_> {
    fn ready(&self, call: &Call) -> Ready {
        match self.workload.way {
            Way::Prepared | Way::Parameters => Ready {
                text: self.sql.clone(),
                parameters: call.iter().map(parameter).collect(),
            },
            _ => Ready {
                text: written_out(self.workload.sql_of(SIDE), call, Dialect::Sqlite),
                parameters: Vec::new(),
            },
        }
    }

    /// Runs a call and shows each row.
    fn run(
        &mut self,
        ready: Ready,
        row: impl FnMut(&rusqlite::Row<'_>) -> Result<()>,
    ) -> Result<()> {
        match &mut self.prepared {
            Some(prepared) => each_row(prepared, ready.parameters, row),
            None => {
                let mut statement = self.connection.prepare(&ready.text)?;
                each_row(&mut statement, ready.parameters, row)
            }
        }
    }
}

fn parameter(value: &Value) -> SqliteValue {
    match value {
        Value::Text(text) => SqliteValue::Text(text.clone()),
        Value::Number(number) => SqliteValue::Integer(*number),
        Value::Stamp(stamp) => SqliteValue::Integer(*stamp),
        // Lists are written out.
        Value::Stamps(_) | Value::Numbers(_) => SqliteValue::Null,
    }
}

fn each_row(
    statement: &mut Statement<'_>,
    parameters: Vec<SqliteValue>,
    mut row: impl FnMut(&rusqlite::Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut rows = statement.query(params_from_iter(parameters))?;
    while let Some(found) = rows.next()? {
        row(found)?;
    }
    Ok(())
}

/// Looks at every value, as one who has asked for it would.
fn take(row: &rusqlite::Row<'_>) -> Result<()> {
    for column in 0..row.as_ref().column_count() {
        black_box(row.get_ref(column)?);
    }
    Ok(())
}

impl Task for Query<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        let mut digest = Digest::new(self.workload.is_ordered);
        let ready = self.ready(call);
        self.run(ready, |row| {
            let columns = 0..row.as_ref().column_count();
            let cells: Vec<Cell<'_>> = columns
                .map(|column| {
                    Ok(match row.get_ref(column)? {
                        ValueRef::Integer(number) => Cell::Number(number),
                        ValueRef::Real(double) => Cell::Double(double),
                        other => Cell::Text(other.as_str()?),
                    })
                })
                .collect::<Result<_>>()?;
            digest.row(&cells);
            Ok(())
        })?;
        Ok(digest.finish())
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let calls: Vec<Ready> = calls.iter().map(|call| self.ready(call)).collect();
        let start = Instant::now();
        for ready in calls {
            match self.workload.way {
                Way::Plan => {
                    black_box(self.connection.prepare(&ready.text)?);
                }
                _ => self.run(ready, take)?,
            }
        }
        Ok(start.elapsed())
    }
}

/// Counters that go up.
struct Count<'a> {
    counters: &'a Connection,
    prepared: Statement<'a>,
}

impl Task for Count<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        self.time(std::slice::from_ref(call))?;
        let mut digest = Digest::new(false);
        let mut counted = self.counters.prepare(COUNTED)?;
        each_row(&mut counted, Vec::new(), |row| {
            digest.row(&[Cell::Number(row.get(0)?), Cell::Number(row.get(1)?)]);
            Ok(())
        })?;
        Ok(digest.finish())
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let calls: Vec<Vec<SqliteValue>> = calls
            .iter()
            .map(|call| call.iter().map(parameter).collect())
            .collect();
        let start = Instant::now();
        for call in calls {
            self.prepared.execute(params_from_iter(call))?;
        }
        Ok(start.elapsed())
    }
}

/// A load into a table that is new each time; rows are put in order first, which is quicker.
struct Load<'a> {
    side: &'a Sqlite,
    workload: &'a Workload,
}

impl Load<'_> {
    fn run(&self) -> Result<Duration> {
        self.side.create("target", ["host", "ts"])?;
        let start = Instant::now();
        let read;
        let rows = match self.workload.way {
            Way::Copy => {
                read = data::read(&self.side.files.part)?;
                &read
            }
            _ => &self.side.part,
        };
        self.side
            .insert("target", &data::sorted(rows, &["host", "ts"])?)?;
        Ok(start.elapsed())
    }

    fn remove(&self) -> Result<()> {
        let end = "DROP TABLE target; PRAGMA wal_checkpoint(TRUNCATE)";
        Ok(self.side.connection.execute_batch(end)?)
    }
}

impl Task for Load<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        self.run()?;
        let mut check = Query {
            connection: &self.side.connection,
            workload: self.workload,
            sql: self.workload.sql.to_owned(),
            prepared: None,
        };
        let answer = check.answer(call)?;
        self.remove()?;
        Ok(answer)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let mut took = Duration::ZERO;
        for _ in calls {
            took += self.run()?;
            self.remove()?;
        }
        Ok(took)
    }
}
