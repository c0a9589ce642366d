//! What Halite costs beside RocksDB: each bench beside raw calls of RocksDB that do the same on the same entries, with
//! the same options, in the same run. The last lines are the table of ratios.
//!
//! The raw side makes its keys by hand, and gives bytes: it decodes no value. It has one thread, as a loop over an
//! iterator has. Halite's full scans have as many as the machine has cores, hence ratios below 1.0, and then one.
//! What has no counterpart in RocksDB, planning and the encoding of rows, stands alone.
//!
//! `make bench` runs it on the release profile.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench that panics has failed"
)]

mod raw;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray};
use criterion::Criterion;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionContext, col, lit};
use futures::StreamExt;
use halite::row::{RowReader, RowWriter};
use halite::schema::BoundTable;
use halite::session::{Connection, Database, PreparedStatement, ScalarValue};
use halite::store::{Chunk, RocksStore, Store, StoreOptions};
use halite::table::HaliteTable;
use halite::{params, predicate, span};
use tokio::runtime::Runtime;

use self::raw::Raw;

/// Rows of each table, unless `HALITE_BENCH_ROWS` says otherwise; a multiple of [`BATCH`].
const ROWS: usize = 400_000;
/// Hosts; a row of each comes every ten seconds.
const HOSTS: usize = 100;
/// Rows of one statement.
const BATCH: usize = 20_000;

/// How far apart the rows are that point reads read one after the other.
const STRIDE: usize = 7_919;

/// The time of one iteration, by name of the bench.
type Times = BTreeMap<String, Duration>;

fn columns() -> &'static str {
    "host TEXT, ts TIMESTAMP(3), usage DOUBLE, note TEXT"
}

fn host(row: usize) -> String {
    format!("host-{:03}", row % HOSTS)
}

fn stamp(row: usize) -> i64 {
    (row / HOSTS) as i64 * 10_000
}

fn rows(first: usize, count: usize) -> RecordBatch {
    let rows = first..first + count;
    let hosts = StringArray::from_iter_values(rows.clone().map(host));
    let stamps = TimestampMillisecondArray::from_iter_values(rows.clone().map(stamp));
    let usages =
        Float64Array::from_iter_values(rows.clone().map(|row| (row * 7 % 1000) as f64 / 10.0));
    let notes = StringArray::from_iter_values(
        rows.map(|row| format!("a note on the row with the number {row}")),
    );
    let columns: [(&str, ArrayRef); 4] = [
        ("host", Arc::new(hosts)),
        ("ts", Arc::new(stamps)),
        ("usage", Arc::new(usages)),
        ("note", Arc::new(notes)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A database with a table `cpu` and its salted twin, and their entries in RocksDB without Halite.
struct Bench {
    runtime: Runtime,
    database: Database,
    connection: Connection,
    raw: Raw,
    rows: usize,
    directory: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let asked = std::env::var("HALITE_BENCH_ROWS");
        let count = asked.map_or(ROWS, |count| count.parse().unwrap());
        let directory = tempfile::tempdir().unwrap();
        let store =
            RocksStore::open(directory.path().join("halite"), &StoreOptions::default()).unwrap();
        let store: Arc<dyn Store> = Arc::new(store);
        let database = Database::of_store(Arc::clone(&store)).unwrap();
        let bench = Self {
            runtime: Runtime::new().unwrap(),
            connection: database.connect(),
            database,
            raw: Raw::open(&directory.path().join("raw")),
            rows: count,
            directory,
        };
        for (table, key) in [("cpu", "host, ts"), ("salted", "salt(16), ts, host")] {
            bench.execute(&format!(
                "CREATE TABLE {table} ({}, PRIMARY KEY ({key}))",
                columns()
            ));
            bench.raw.create(table);
            let bound = bench.bound(table);
            let writer = RowWriter::new(Arc::clone(&bound));
            for first in (0..count).step_by(BATCH) {
                let batch = rows(first, BATCH);
                bench.raw.write(table, &entries(&writer, &batch));
                bench.insert(table, batch);
            }
        }
        bench
    }

    fn execute(&self, sql: &str) {
        self.runtime
            .block_on(self.connection.execute(sql, Vec::new()))
            .unwrap();
    }

    fn bound(&self, table: &str) -> Arc<BoundTable> {
        let provider = self.database.table_provider(table).unwrap();
        Arc::clone(provider.downcast_ref::<HaliteTable>().unwrap().bound())
    }

    fn insert(&self, table: &str, batch: RecordBatch) {
        let context = SessionContext::new();
        let source = MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
        context.register_table("source", Arc::new(source)).unwrap();
        context
            .register_table(table, self.database.table_provider(table).unwrap())
            .unwrap();
        let insert = async {
            let frame = context
                .sql(&format!("INSERT INTO {table} SELECT * FROM source"))
                .await
                .unwrap();
            frame.collect().await.unwrap()
        };
        self.runtime.block_on(insert);
    }

    fn prepare(&self, sql: &str) -> PreparedStatement {
        self.runtime.block_on(self.connection.prepare(sql)).unwrap()
    }

    /// The number of rows of a prepared query.
    fn query(&self, statement: &PreparedStatement, values: Vec<ScalarValue>) -> usize {
        self.runtime.block_on(async {
            let mut stream = statement.query(values).await.unwrap();
            let mut rows = 0;
            while let Some(batch) = stream.next().await {
                rows += black_box(batch.unwrap()).num_rows();
            }
            rows
        })
    }
}

fn entries(writer: &RowWriter, batch: &RecordBatch) -> Chunk {
    let entries = writer.encode(batch).unwrap();
    let mut chunk = Chunk::new();
    entries
        .iter()
        .for_each(|entry| chunk.push(entry.key, entry.value));
    chunk
}

/// Runs `work` as one bench and keeps the best time of an iteration.
fn measure(
    criterion: &mut Criterion,
    times: &mut Times,
    name: &str,
    mut work: impl FnMut() -> Duration,
) {
    criterion.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let took: Duration = (0..iterations).map(|_| work()).sum();
            let one = took / u32::try_from(iterations).unwrap();
            let best = times.entry(name.to_owned()).or_insert(one);
            *best = (*best).min(one);
            took
        });
    });
}

/// As [`measure`], all of `work` timed.
fn timed<T>(criterion: &mut Criterion, times: &mut Times, name: &str, mut work: impl FnMut() -> T) {
    measure(criterion, times, name, || {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
}

fn keys(criterion: &mut Criterion, times: &mut Times, bench: &Bench) {
    let table = bench.bound("salted");
    let batch = rows(0, 8192);
    let writer = RowWriter::new(Arc::clone(&table));
    timed(criterion, times, "encode 8,192 rows, salted", || {
        entries(&writer, &batch)
    });
    let chunk = entries(&writer, &batch);
    let reader = RowReader::new(Arc::clone(&table));
    timed(criterion, times, "decode the keys of 8,192 rows", || {
        reader.read(&chunk, &[0, 1], None).unwrap()
    });
    timed(criterion, times, "decode 8,192 rows", || {
        reader.read(&chunk, &[0, 1, 2, 3], None).unwrap()
    });
}

fn spans(criterion: &mut Criterion, times: &mut Times, bench: &Bench) {
    let stamp = |value| lit(ScalarValue::TimestampMillisecond(Some(value), None));
    let point = [col("host").eq(lit("host-007")), col("ts").eq(stamp(10_000))];
    let range = [col("ts").gt_eq(stamp(0)).and(col("ts").lt(stamp(100_000)))];
    for (name, table, filters) in [
        ("plan the span of a point", "cpu", point.to_vec()),
        ("plan the spans of 16 ranges", "salted", range.to_vec()),
    ] {
        let table = bench.bound(table);
        let key = table.row_key();
        timed(criterion, times, name, || {
            let conjuncts = predicate::lower(&filters, key.columns());
            span::plan(key, &conjuncts, span::BUDGET).unwrap()
        });
    }
}

fn point_reads(criterion: &mut Criterion, times: &mut Times, bench: &Bench) {
    let statement = bench.prepare("SELECT usage FROM cpu WHERE host = $1 AND ts = $2");
    assert!(statement.is_direct());
    let mut row = 0;
    timed(criterion, times, "point read", || {
        row = (row + STRIDE) % bench.rows;
        let stamp = ScalarValue::TimestampMillisecond(Some(stamp(row)), None);
        assert_eq!(bench.query(&statement, params![host(row), stamp]), 1);
    });
    let family = bench.raw.family("cpu");
    let mut row = 0;
    timed(criterion, times, "point read, raw", || {
        row = (row + STRIDE) % bench.rows;
        let key = raw::point_key(&host(row), stamp(row));
        bench.raw.get(&family, &key).unwrap()
    });
}

fn ranges(criterion: &mut Criterion, times: &mut Times, bench: &Bench) {
    let statement = bench.prepare("SELECT host, ts, usage FROM salted WHERE ts >= $1 AND ts < $2");
    let stamp = |value| ScalarValue::TimestampMillisecond(Some(value), None);
    timed(criterion, times, "range of 16 buckets, 1,000 rows", || {
        assert_eq!(
            bench.query(&statement, params![stamp(500_000), stamp(600_000)]),
            1000
        );
    });
    let table = bench.bound("salted");
    let key = table.row_key();
    let filter = [col("ts")
        .gt_eq(lit(stamp(500_000)))
        .and(col("ts").lt(lit(stamp(600_000))))];
    let plan = span::plan(key, &predicate::lower(&filter, key.columns()), span::BUDGET).unwrap();
    let hulls: Vec<_> = plan.spans.runs().iter().map(span::Run::hull).collect();
    timed(
        criterion,
        times,
        "range of 16 buckets, 1,000 rows, raw",
        || {
            let read: usize = hulls
                .iter()
                .map(|hull| bench.raw.scan("salted", hull.start(), hull.stop()).0)
                .sum();
            assert_eq!(read, 1000);
        },
    );
}

fn full_scans(criterion: &mut Criterion, times: &mut Times, bench: &Bench) {
    for (name, sql) in [
        ("full scan, all columns", "SELECT * FROM cpu"),
        ("full scan, count(*)", "SELECT count(*) FROM cpu"),
        (
            "full scan, 16 buckets in order",
            "SELECT * FROM salted ORDER BY ts, host",
        ),
    ] {
        let read = || match sql.contains("salted") {
            true => bench.raw.merge("salted", 16),
            false => bench.raw.scan("cpu", b"", None),
        };
        let raw_name = |name: &str| format!("{name}, raw");
        for (threads, set) in [
            ("", "RESET datafusion.execution.target_partitions"),
            (
                ", 1 thread",
                "SET datafusion.execution.target_partitions = 1",
            ),
        ] {
            bench.execute(set);
            let (name, statement) = (format!("{name}{threads}"), bench.prepare(sql));
            timed(criterion, times, &name, || {
                bench.query(&statement, Vec::new())
            });
            timed(criterion, times, &raw_name(&name), || {
                assert_eq!(read().0, bench.rows);
            });
        }
        bench.execute("RESET datafusion.execution.target_partitions");
    }
}

fn loads(criterion: &mut Criterion, times: &mut Times, bench: &Bench) {
    let batch = rows(0, BATCH);
    measure(criterion, times, "load 20,000 rows", || {
        bench.execute(&format!(
            "CREATE TABLE target ({}, PRIMARY KEY (host, ts))",
            columns()
        ));
        let start = Instant::now();
        bench.insert("target", batch.clone());
        let took = start.elapsed();
        bench.execute("DROP TABLE target");
        took
    });
    let chunk = entries(&RowWriter::new(bench.bound("cpu")), &batch);
    measure(criterion, times, "load 20,000 rows, raw", || {
        bench.raw.create("target");
        let start = Instant::now();
        bench.raw.write("target", &chunk);
        let took = start.elapsed();
        bench.raw.remove("target");
        took
    });
}

/// As many rows as the tables have: sorted and written into files, which the store takes over. Halite reads them from a
/// Parquet file; the raw side has its entries in memory.
fn bulk_loads(criterion: &mut Criterion, times: &mut Times, bench: &Bench) {
    let file = bench.directory.path().join("rows.parquet");
    bench.execute(&format!("COPY cpu TO '{}'", file.display()));
    let name = format!("bulk load of {} rows", bench.rows);
    measure(criterion, times, &name, || {
        bench.execute(&format!(
            "CREATE TABLE target ({}, PRIMARY KEY (ts, host))",
            columns()
        ));
        let start = Instant::now();
        bench.execute(&format!("COPY target FROM '{}'", file.display()));
        let took = start.elapsed();
        bench.execute("DROP TABLE target");
        took
    });
    let writer = RowWriter::new(bench.bound("cpu"));
    let chunk = entries(&writer, &rows(0, bench.rows));
    measure(criterion, times, &format!("{name}, raw"), || {
        bench.raw.create("target");
        let start = Instant::now();
        bench.raw.ingest("target", &chunk);
        let took = start.elapsed();
        bench.raw.remove("target");
        took
    });
}

/// The table of ratios.
fn print(times: &Times) {
    println!(
        "\n{:<40} {:>12} {:>12} {:>7}",
        "", "halite", "raw rocksdb", "ratio"
    );
    for (name, time) in times.iter().filter(|(name, _)| !name.ends_with(", raw")) {
        match times.get(&format!("{name}, raw")) {
            Some(raw) => {
                let ratio = time.as_secs_f64() / raw.as_secs_f64();
                println!(
                    "{name:<40} {:>12} {:>12} {ratio:>7.2}",
                    shown(*time),
                    shown(*raw)
                );
            }
            None => println!("{name:<40} {:>12}", shown(*time)),
        }
    }
}

fn shown(time: Duration) -> String {
    match time.as_secs_f64() * 1e6 {
        micros if micros < 1000.0 => format!("{micros:.2} µs"),
        micros => format!("{:.2} ms", micros / 1000.0),
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let bench = Bench::new();
    let mut times = Times::new();
    for run in [
        keys,
        spans,
        point_reads,
        ranges,
        full_scans,
        loads,
        bulk_loads,
    ] {
        run(&mut criterion, &mut times, &bench);
    }
    criterion.final_summary();
    print(&times);
}
