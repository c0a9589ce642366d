//! The layout must not change the answer.
//!
//! Every sample query runs under every layout of its data set, in memory and on RocksDB, with and without pushdown, with
//! one partition and with four, and on DataFusion's own `MemTable`: the rows must be the same, in the same order. What is
//! read must be what the query's file states, and no more than what [`bound`] allows, which knows nothing of the planner.
//! Generated data sets have [`SIZE`] rows.
//!
//! `tests/golden/queries` shows what `EXPLAIN KEYS` and the metrics say; `HALITE_REWRITE=1` writes it anew.

mod bound;
#[cfg(feature = "hbase")]
mod cluster;
mod kinds;
mod oracle;
mod page;
mod run;
mod seeks;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use halite::scan::ScanTotals;
use halite::session::Database;
use halite::shell::sample::{self, Expectation, File, Query, generator};
use tokio::sync::OnceCell;

use self::oracle::Oracle;
use self::run::{Measured, Run, Samples, Settings, Store};
use crate::golden::difference;

/// The size of generated data.
const SIZE: usize = 10_000;

/// The rows of a result that a golden file shows.
const ROWS_SHOWN: usize = 10;

/// The settings whose numbers the golden files show.
const MEASURED: Settings = Settings {
    pushdown: true,
    partitions: 1,
};

const PARALLEL: Settings = Settings {
    pushdown: true,
    partitions: 4,
};

/// All others. Without pushdown every scan reads its whole table, so that this is done for one number of partitions, and
/// in stores that users have.
const OTHERS: &[Settings] = &[
    PARALLEL,
    Settings {
        pushdown: false,
        ..PARALLEL
    },
];

/// A table of a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Layout {
    /// The data set: `flights`.
    data_set: &'static str,
    /// Its name in the heads of the queries: `by_origin`.
    name: &'static str,
    /// The statements that make it and load it.
    script: &'static str,
}

/// A query under a layout, and what is to come out.
struct Case {
    /// The query's file, without directory and extension.
    file: &'static str,
    query: Query,
    layout: Layout,
    /// What the oracle is asked, which knows the data set and not its layouts.
    asked: String,
    wanted: Vec<String>,
}

impl Case {
    fn name(&self) -> String {
        let data_set = self.query.table;
        format!("{data_set}/{} {}", self.file, self.layout.name)
    }

    /// What must be read, if the layout is one of those that the query is there for.
    fn expected(&self) -> Option<Expectation> {
        let mut expectations = self.query.expectations.iter();
        let expected = expectations.find(|expected| expected.layout == self.layout.name);
        let size = generator::default_size(self.query.table).map(|_| SIZE);
        expected.map(|expected| expected.in_size(size))
    }
}

/// The layouts of all data sets; the weather has but one table, and is asked only along with flights.
fn layouts() -> Vec<Layout> {
    let layout = |file: &File| {
        let data_set = file.path.split('/').nth(1)?;
        let name = file.name().strip_prefix(data_set)?.strip_prefix('_')?;
        let script = file.text().unwrap();
        Some(Layout {
            data_set,
            name,
            script,
        })
    };
    sample::layouts().filter_map(layout).collect()
}

/// The queries with the names of their files.
fn queries() -> Vec<(&'static str, Query)> {
    let files = sample::FILES
        .iter()
        .filter(|file| file.path.starts_with("queries/"));
    files
        .map(File::name)
        .zip(sample::queries().unwrap())
        .collect()
}

/// What the oracle is asked for a layout: the file as it stands, or, where layouts have other columns, the statement of
/// this one, which names a table that the oracle has, too.
fn asked(query: &Query, layout: Layout) -> String {
    let connection = Database::in_memory().unwrap().connect();
    let statements = connection.script(query.sql).unwrap();
    let text = match statements.as_slice() {
        [statement] => statement.text().to_owned(),
        _ => {
            let statement = query.statement(&connection, layout.name).unwrap();
            statement.text().to_owned()
        }
    };
    oracle::without_rows(&text)
}

/// The data in DataFusion's tables, read once for all tests.
async fn oracle() -> &'static Oracle {
    static ORACLE: OnceCell<Oracle> = OnceCell::const_new();
    ORACLE.get_or_init(Oracle::load).await
}

/// Every query under every layout, with the rows that the oracle gives.
async fn cases() -> &'static [Case] {
    static CASES: OnceCell<Vec<Case>> = OnceCell::const_new();
    let load = || async {
        let mut cases = Vec::new();
        for (file, query) in queries() {
            for layout in layouts() {
                if layout.data_set != query.table {
                    continue;
                }
                let asked = asked(&query, layout);
                let wanted = oracle().await.rows(&asked).await;
                assert!(!wanted.is_empty(), "{file}: a sample query returns rows");
                cases.push(Case {
                    file,
                    query: query.clone(),
                    layout,
                    asked,
                    wanted,
                });
            }
        }
        cases
    };
    CASES.get_or_init(load).await
}

/// The layouts in memory.
async fn in_memory() -> &'static Samples {
    static SAMPLES: OnceCell<Samples> = OnceCell::const_new();
    SAMPLES.get_or_init(|| Samples::load(Store::Memory)).await
}

/// What each case reads in memory, in the order of [`cases`].
async fn measured() -> &'static [Measured] {
    static ALL: OnceCell<Vec<Measured>> = OnceCell::const_new();
    let measure = || async {
        let samples = in_memory().await;
        let mut all = Vec::new();
        for case in cases().await {
            let keys = samples.explain_keys(case).await;
            let run = samples.run(case, MEASURED).await;
            all.push(Measured { keys, run });
        }
        all
    };
    ALL.get_or_init(measure).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layout_gives_the_rows_of_a_mem_table_in_memory() {
    let mut wrong = Complaints::default();
    for (case, measured) in cases().await.iter().zip(measured().await) {
        compare(&mut wrong, case, measured, MEASURED, &measured.run, is_met);
    }
    compare_all(&mut wrong, in_memory().await, OTHERS).await;
    wrong.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layout_gives_the_rows_of_a_mem_table_from_far_away() {
    let mut wrong = Complaints::default();
    let settings = [MEASURED, PARALLEL];
    compare_as(
        &mut wrong,
        &in_memory().await.far(),
        &settings,
        is_met_far_away,
    )
    .await;
    wrong.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layout_gives_the_rows_of_a_mem_table_of_several_rows_in_one_entry() {
    let samples = Samples::load(Store::Grouped).await;
    let mut wrong = Complaints::default();
    compare_all(&mut wrong, &samples, &[MEASURED, PARALLEL]).await;
    wrong.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layout_gives_the_rows_of_a_mem_table_on_rocksdb() {
    let samples = Samples::load(Store::RocksDb).await;
    let mut wrong = Complaints::default();
    compare_all(&mut wrong, &samples, &[MEASURED]).await;
    compare_all(&mut wrong, &samples, OTHERS).await;
    wrong.none();
}

/// The join that goes wrong if local times are taken for UTC.
#[tokio::test(flavor = "multi_thread")]
async fn flights_meet_the_weather_of_their_own_hour() {
    let join = |hour: &str| {
        format!(
            "SELECT count(*) FROM flights f JOIN weather w ON f.origin = w.origin AND w.time_hour = {hour}"
        )
    };
    let right = join("date_trunc('hour', f.scheduled AT TIME ZONE 'America/New_York')");
    let naive = join("date_trunc('hour', f.scheduled)");
    assert_eq!(oracle().await.number(&right).await, 335_220);
    assert_eq!(oracle().await.number(&naive).await, 335_498);
    let cases = cases().await.iter().zip(measured().await);
    let joins: Vec<_> = cases
        .filter(|(case, _)| case.file == "18-flights-and-weather")
        .collect();
    assert_eq!(joins.len(), 3);
    for (case, Measured { run, .. }) in joins {
        assert!(
            run.rows[0].starts_with("335220|"),
            "{}: {:?}",
            case.name(),
            run.rows
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_query_reads_more_than_its_conjuncts_over_key_columns_leave() {
    let mut wrong = Complaints::default();
    let (samples, oracle) = (in_memory().await, oracle().await);
    let mut needless = bound::UNORDERED.to_vec();
    for (case, measured) in cases().await.iter().zip(measured().await) {
        let totals = &measured.run.totals;
        let strict = bound::of(case, None, samples, oracle).await;
        if measured.keys.is_narrowed(None) {
            needless.retain(|name| Some(*name) != bound::exception(case));
            if let Some(how) = strict.exceeded_though_narrowed(totals) {
                wrong.add(&case.name(), &how);
            }
            continue;
        }
        let strict = strict.exceeded_by(totals);
        let exception = bound::exception(case).filter(|_| strict.is_some());
        needless.retain(|name| Some(*name) != exception);
        let how = match exception {
            Some(_) => bound::of(case, exception, samples, oracle)
                .await
                .exceeded_by(totals),
            None => strict,
        };
        if let Some(how) = how {
            wrong.add(&case.name(), &how);
        }
    }
    for name in needless {
        wrong.add(name, "an exception that nothing needs");
    }
    wrong.none();
}

/// No scan enters a range that `EXPLAIN KEYS` does not list.
#[tokio::test(flavor = "multi_thread")]
async fn explain_keys_lists_what_is_read() {
    let mut wrong = Complaints::default();
    for (case, Measured { keys, run }) in cases().await.iter().zip(measured().await) {
        if run.totals.ranges > keys.count() {
            wrong.add(&case.name(), &format!("{:?}:\n{}", run.totals, keys.text()));
        }
    }
    wrong.none();
}

/// The store is asked for the ranges that `EXPLAIN KEYS` lists, each once, and in a walk for what the walk names.
#[tokio::test(flavor = "multi_thread")]
async fn the_seeks_are_the_ranges_explained() {
    let (samples, log, store) = in_memory().await.recorded();
    let snapshot = store.snapshot().unwrap();
    let mut wrong = Complaints::default();
    for (case, Measured { keys, .. }) in cases().await.iter().zip(measured().await) {
        log.take();
        let plan = samples.profile(case, MEASURED).await.plan;
        let is_limited = case.query.sql.contains("LIMIT");
        if let Some(how) = seeks::wrong(&plan, keys, is_limited, &log, &snapshot) {
            wrong.add(&case.name(), &how);
        }
    }
    wrong.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_is_as_in_the_golden_files() {
    let cases = cases().await;
    let mut measured: &[Measured] = measured().await;
    let mut wrong = Complaints::default();
    for cases in cases.chunk_by(|one, next| one.query == next.query) {
        let (these, others) = measured.split_at(cases.len());
        measured = others;
        let shown = golden(cases, these);
        let path = golden_path(cases[0].query.table, cases[0].file);
        if let Some(difference) = difference(&path, &shown) {
            wrong.add("", &difference);
        }
    }
    wrong.none();
}

/// No file is kept for a query that is gone.
#[test]
fn each_golden_file_has_its_query() {
    let directories =
        std::fs::read_dir(golden_path("flights", "").ancestors().nth(2).unwrap()).unwrap();
    let kept = directories.flat_map(|entry| std::fs::read_dir(entry.unwrap().path()).unwrap());
    let mut kept: Vec<PathBuf> = kept.map(|entry| entry.unwrap().path()).collect();
    kept.sort();
    let wanted: Vec<PathBuf> = queries()
        .iter()
        .map(|(file, query)| golden_path(query.table, file))
        .collect();
    assert_eq!(kept, wanted);
}

/// Each layout has queries that it is meant for, and one that it serves worst.
#[test]
fn each_layout_is_meant_for_a_query_and_serves_one_worst() {
    for layout in layouts() {
        let mut queries = queries();
        queries.retain(|(_, query)| query.table == layout.data_set);
        assert!(queries.len() >= 5, "{layout:?}: {} queries", queries.len());
        let is_worst = |query: &Query| query.worst == Some(layout.name);
        let serves = |query: &Query| {
            let mut expectations = query.expectations.iter();
            !is_worst(query) && expectations.any(|expected| expected.layout == layout.name)
        };
        assert!(
            queries.iter().any(|(_, query)| is_worst(query)),
            "{layout:?} is worst at nothing"
        );
        assert!(
            queries.iter().any(|(_, query)| serves(query)),
            "{layout:?} serves nothing"
        );
    }
}

/// Each generated data set is asked for a point, for a stretch, for what a condition leaves of one, for the first rows in
/// an order, and for what a layout of it serves worst.
#[tokio::test(flavor = "multi_thread")]
async fn each_generated_data_set_is_asked_in_every_way() {
    let samples = in_memory().await;
    let cases: Vec<_> = cases().await.iter().zip(measured().await).collect();
    let mut asked = BTreeSet::new();
    for (case, measured) in &cases {
        if case.expected().is_none() {
            continue;
        }
        let serves_well = |other: &Case| {
            let is_worst = other.query.worst == Some(other.layout.name);
            other.layout == case.layout && other.expected().is_some() && !is_worst
        };
        let others = cases.iter().filter(|(other, _)| serves_well(other));
        let most = others.map(|(_, measured)| measured.run.totals.keys_read);
        let plan = samples.profile(case, MEASURED).await.plan;
        let kind = kinds::kind(case, measured, &plan, most.max().unwrap_or_default());
        asked.extend(kind.map(|kind| (case.query.table, kind)));
    }
    for data_set in layouts().iter().map(|layout| layout.data_set) {
        for kind in kinds::KINDS {
            let is_generated = generator::default_size(data_set).is_some();
            assert!(
                !is_generated || asked.contains(&(data_set, kind)),
                "{data_set} is not asked for {kind}"
            );
        }
    }
}

/// Layouts whose rows have other columns are asked in other words, and give the same rows.
#[tokio::test(flavor = "multi_thread")]
async fn statements_of_one_file_mean_the_same() {
    for cases in cases().await.chunk_by(|one, next| one.query == next.query) {
        for case in cases {
            assert_eq!(case.wanted, cases[0].wanted, "{}", case.name());
        }
    }
}

async fn compare_all(wrong: &mut Complaints, samples: &Samples, settings: &[Settings]) {
    compare_as(wrong, samples, settings, is_met).await;
}

async fn compare_as(
    wrong: &mut Complaints,
    samples: &Samples,
    settings: &[Settings],
    is_met: IsMet,
) {
    for settings in settings {
        for (case, measured) in cases().await.iter().zip(measured().await) {
            let run = samples.run(case, *settings).await;
            compare(wrong, case, measured, *settings, &run, is_met);
        }
    }
}

/// Whether a query that read so much did as its file says.
type IsMet = fn(&Expectation, &Measured, &ScanTotals) -> bool;

fn is_met(expected: &Expectation, measured: &Measured, totals: &ScanTotals) -> bool {
    expected.is_met(totals, measured.keys.walks())
}

fn is_met_far_away(expected: &Expectation, measured: &Measured, totals: &ScanTotals) -> bool {
    let keys = &measured.keys;
    expected.is_met_far_away(totals, keys.walks(), keys.is_narrowed(None))
}

/// The rows with those of the oracle, the numbers with those of the query's file.
fn compare(
    wrong: &mut Complaints,
    case: &Case,
    measured: &Measured,
    settings: Settings,
    run: &Run,
    is_met: IsMet,
) {
    let place = format!("{} {settings:?}", case.name());
    if run.rows != case.wanted {
        wrong.add(&place, &different(&run.rows, &case.wanted));
    }
    if settings.pushdown
        && let Some(expected) = case.expected()
        && !is_met(&expected, measured, &run.totals)
    {
        wrong.add(
            &place,
            &format!(
                "{:?}, expected {expected}\n{}",
                run.totals,
                measured.keys.text()
            ),
        );
    }
}

fn golden(cases: &[Case], measured: &[Measured]) -> String {
    let mut text = format!("{}\n", cases[0].query.title);
    for (case, Measured { keys, run }) in cases.iter().zip(measured) {
        let (keys, totals) = (keys.text(), run.totals);
        let _ = write!(
            text,
            "\n---- {}\n{keys}ranges {}, ",
            case.layout.name, totals.ranges
        );
        let (seeks, keys_read) = (totals.seeks, totals.keys_read);
        // What is read behind a filter that tightens meanwhile depends on when it does.
        let _ = if keys.contains(" runtime ") {
            writeln!(
                text,
                "up to {} seeks and {} keys_read",
                seeks.next_power_of_two(),
                keys_read.next_power_of_two()
            )
        } else {
            writeln!(
                text,
                "seeks {seeks}, keys_read {keys_read}, rows_out {}",
                totals.rows_out
            )
        };
    }
    let rows = &cases[0].wanted;
    let _ = writeln!(text, "\n---- {} rows", rows.len());
    for row in rows.iter().take(ROWS_SHOWN) {
        let _ = writeln!(text, "{row}");
    }
    if rows.len() > ROWS_SHOWN {
        text.push_str("…\n");
    }
    text
}

fn golden_path(data_set: &str, file: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = root.join("tests/golden/queries").join(data_set);
    directory.join(format!("{file}.txt"))
}

/// What is wrong, all of it: one failure seldom comes alone, and a run takes its time.
#[derive(Default)]
struct Complaints(String);

impl Complaints {
    fn add(&mut self, place: &str, what: &str) {
        let _ = writeln!(self.0, "{place}: {what}");
    }

    fn none(&self) {
        assert!(self.0.is_empty(), "\n{}", self.0);
    }
}

/// The first row in which two results differ.
fn different(rows: &[String], wanted: &[String]) -> String {
    let place = rows
        .iter()
        .zip(wanted)
        .position(|(row, wanted)| row != wanted);
    let place = place.unwrap_or(rows.len().min(wanted.len()));
    format!(
        "{} rows, {} wanted; row {place} is {:?}, wanted {:?}",
        rows.len(),
        wanted.len(),
        rows.get(place),
        wanted.get(place)
    )
}
