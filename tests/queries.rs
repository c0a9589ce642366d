//! The layout must not change the answer.
//!
//! Every sample query runs under every layout of `catalog/flights`, in memory and on RocksDB, with and without
//! pushdown, with one partition and with four, and on DataFusion's own `MemTable`: the rows must be the same, in the
//! same order. What is read must be what the query's file states, and no more than what [`bound`] allows, which knows
//! nothing of the planner.
//!
//! `tests/golden/queries` shows what `EXPLAIN KEYS` and the metrics say; `HALITE_REWRITE=1` writes it anew.

mod bound;
mod oracle;
mod run;
mod sample;

use std::fmt::Write as _;
use std::path::PathBuf;

use oracle::Oracle;
use run::{Measured, Samples, Settings, Store};
use sample::{Layout, Query};
use tokio::sync::OnceCell;

/// The rows of a result that a golden file shows.
const ROWS_SHOWN: usize = 10;

/// The settings whose numbers the golden files show.
const MEASURED: Settings = Settings {
    pushdown: true,
    partitions: 1,
};

/// All others. Without pushdown every scan reads its whole table, so that this is done for one number of partitions.
const OTHER_SETTINGS: &[Settings] = &[
    Settings {
        pushdown: true,
        partitions: 4,
    },
    Settings {
        pushdown: false,
        partitions: 4,
    },
];

/// A query under a layout, and what is to come out.
struct Case {
    query: Query,
    layout: Layout,
    wanted: Vec<String>,
}

impl Case {
    fn name(&self) -> String {
        format!("{} {}", self.query.name, self.layout.name)
    }
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
        for query in sample::queries() {
            let wanted = oracle().await.rows(&query.sql).await;
            assert!(
                !wanted.is_empty(),
                "{}: a sample query returns rows",
                query.name
            );
            cases.extend(sample::layouts().into_iter().map(|layout| Case {
                query: query.clone(),
                layout,
                wanted: wanted.clone(),
            }));
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
        let mut all = Vec::new();
        for case in cases().await {
            let keys = in_memory()
                .await
                .explain_keys(&case.query, &case.layout)
                .await;
            let run = in_memory()
                .await
                .run(&case.query, &case.layout, MEASURED)
                .await;
            all.push(Measured { keys, run });
        }
        all
    };
    ALL.get_or_init(measure).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layout_gives_the_rows_of_a_mem_table_in_memory() {
    let mut wrong = String::new();
    for (case, measured) in cases().await.iter().zip(measured().await) {
        compare(&mut wrong, case, MEASURED, &measured.run);
    }
    compare_settings(&mut wrong, in_memory().await, OTHER_SETTINGS).await;
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layout_gives_the_rows_of_a_mem_table_on_rocksdb() {
    let samples = Samples::load(Store::RocksDb).await;
    let mut wrong = String::new();
    compare_settings(&mut wrong, &samples, &[MEASURED]).await;
    compare_settings(&mut wrong, &samples, OTHER_SETTINGS).await;
    assert!(wrong.is_empty(), "{wrong}");
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
    let cases = cases().await.iter();
    let joins: Vec<&Case> = cases
        .filter(|case| case.query.name == "18-flights-and-weather")
        .collect();
    assert_eq!(joins.len(), sample::layouts().len());
    for case in joins {
        assert!(
            case.wanted[0].starts_with("335220|"),
            "{}: {:?}",
            case.name(),
            case.wanted
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_query_reads_more_than_its_conjuncts_over_key_columns_leave() {
    let mut wrong = String::new();
    for (case, measured) in cases().await.iter().zip(measured().await) {
        let bound = bound::of(&case.query, &case.layout, oracle().await).await;
        let exceeded = bound.exceeded_by(&measured.run.totals, measured.keys.has_walk());
        complain(&mut wrong, &case.name(), &exceeded.unwrap_or_default());
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_keys_shows_what_is_read() {
    let mut wrong = String::new();
    for (case, measured) in cases().await.iter().zip(measured().await) {
        let Measured { keys, run } = measured;
        if let Some(expected) = case.query.expectations.get(&case.layout.name)
            && expected.ranges.is_none() != keys.has_walk()
        {
            complain(
                &mut wrong,
                &case.name(),
                &format!("expected {expected:?}:\n{}", keys.text),
            );
        }
        if run.totals.ranges > keys.count() {
            complain(
                &mut wrong,
                &case.name(),
                &format!("{:?}:\n{}", run.totals, keys.text),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_is_as_in_the_golden_files() {
    let rewrite = std::env::var_os("HALITE_REWRITE").is_some();
    let per_query = sample::layouts().len();
    let (cases, measured) = (cases().await, measured().await);
    let mut wrong = String::new();
    for (cases, measured) in cases.chunks(per_query).zip(measured.chunks(per_query)) {
        let shown = golden(cases, measured);
        let path = golden_path(&cases[0].query);
        if rewrite {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &shown).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        if kept != shown {
            let _ = writeln!(
                wrong,
                "{} (HALITE_REWRITE=1 accepts it):\n{shown}",
                path.display()
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is stated in a query's file is stated for layouts that exist, and each layout has a query it serves worst.
#[test]
fn each_layout_is_meant_for_a_query_and_serves_one_worst() {
    let queries = sample::queries();
    assert!(queries.len() >= 12, "{} queries", queries.len());
    let layouts = sample::layouts();
    let names: Vec<&str> = layouts.iter().map(|layout| layout.name.as_str()).collect();
    for query in &queries {
        assert!(
            !query.expectations.is_empty(),
            "{}: nothing is expected",
            query.name
        );
        for name in query.expectations.keys().chain(&query.worst) {
            assert!(
                names.contains(&name.as_str()),
                "{}: no layout {name}",
                query.name
            );
        }
    }
    for name in names {
        let is_worst = |query: &Query| query.worst.as_deref() == Some(name);
        assert!(
            queries.iter().any(is_worst),
            "{name} serves everything well"
        );
        let serves = |query: &Query| query.expectations.contains_key(name) && !is_worst(query);
        assert!(queries.iter().any(serves), "{name} serves nothing");
    }
}

async fn compare_settings(wrong: &mut String, samples: &Samples, settings: &[Settings]) {
    for settings in settings {
        for case in cases().await {
            let run = samples.run(&case.query, &case.layout, *settings).await;
            compare(wrong, case, *settings, &run);
        }
    }
}

/// The rows with those of the oracle, the numbers with those of the query's file.
fn compare(wrong: &mut String, case: &Case, settings: Settings, run: &run::Run) {
    let place = format!("{} {settings:?}", case.name());
    if run.rows != case.wanted {
        complain(wrong, &place, &different(&run.rows, &case.wanted));
    }
    if settings.pushdown
        && let Some(expected) = case.query.expectations.get(&case.layout.name)
    {
        complain(wrong, &place, &expected.missed_by(run));
    }
}

fn golden(cases: &[Case], measured: &[Measured]) -> String {
    let mut text = format!("{}\n", cases[0].query.title);
    for (case, Measured { keys, run }) in cases.iter().zip(measured) {
        let totals = run.totals;
        let _ = writeln!(
            text,
            "\n---- {}\n{}ranges {}, seeks {}, keys_read {}, rows_out {}",
            case.layout.name,
            keys.text,
            totals.ranges,
            totals.seeks,
            totals.keys_read,
            totals.rows_out
        );
    }
    let rows = &measured[0].run.rows;
    let _ = writeln!(text, "\n---- {} rows", rows.len());
    for row in rows.iter().take(ROWS_SHOWN) {
        let _ = writeln!(text, "{row}");
    }
    if rows.len() > ROWS_SHOWN {
        text.push_str("…\n");
    }
    text
}

fn golden_path(query: &Query) -> PathBuf {
    sample::root()
        .join("tests/golden/queries")
        .join(format!("{}.txt", query.name))
}

fn complain(wrong: &mut String, place: &str, what: &str) {
    if !what.is_empty() {
        let _ = writeln!(wrong, "{place}: {what}");
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
