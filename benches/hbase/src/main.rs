//! Halite on HBase beside HBase's own Java client and Phoenix: the same rows on one cluster, the same questions, the same
//! answers, measured in turn. `make bench-hbase` runs it; it writes `docs/benchmarks-hbase.md`.
//!
//! [`workload`] is the one table of what is measured and what is to be reached, [`side`] has who is, [`measure`] says how,
//! [`report`] what is told of it. [`cluster`] starts HBase, and [`java`] the two sides that are programs of Java.

mod answer;
mod cluster;
mod data;
mod goal;
mod java;
#[allow(
    dead_code,
    reason = "shared with benches/compare, of which not all is used"
)]
#[path = "../../compare/src/machine.rs"]
mod machine;
mod measure;
mod report;
mod side;
#[path = "../../compare/src/spread.rs"]
mod spread;
#[allow(
    dead_code,
    reason = "shared with benches/compare, of which not all is used"
)]
#[path = "../../compare/src/text.rs"]
mod text;
mod workload;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use self::cluster::Cluster;
use self::data::{Files, Rows, Size};
use self::java::Programs;
use self::report::Report;
use self::side::Side;
use self::side::halite::Halite;
use self::side::phoenix::Phoenix;
use self::side::raw::Raw;

/// Compares Halite on HBase with HBase's Java client and Phoenix.
#[derive(Parser)]
struct Arguments {
    /// Rows of the table.
    #[arg(long, default_value_t = 1_000_000)]
    rows: usize,
    /// Rounds.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Seconds that a side does each work before it is measured.
    #[arg(long, default_value_t = 3.0)]
    warm: f64,
    /// Where the page goes.
    #[arg(long, default_value = "docs")]
    docs: PathBuf,
    /// Measures only the works whose names hold this; no page is written, and the tables are printed.
    #[arg(long)]
    only: Vec<String>,
}

fn main() -> Result<()> {
    let (arguments, start) = (Arguments::parse(), Instant::now());
    let report = run(&arguments)?;
    if !arguments.only.is_empty() {
        println!("{}", report.tables());
        return Ok(());
    }
    let path = arguments.docs.join("benchmarks-hbase.md");
    std::fs::write(&path, report.page())?;
    println!(
        "{} is written, after {} s",
        path.display(),
        start.elapsed().as_secs()
    );
    if let Some(reason) = report.missing {
        println!("PHOENIX WAS NOT RUN: {reason}");
    }
    Ok(())
}

/// The directory beside the program for what it installs and writes.
fn place() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2).context("no directory")?;
    let place = target.join("halite-hbase");
    std::fs::create_dir_all(&place)?;
    Ok(place)
}

fn run(arguments: &Arguments) -> Result<Report> {
    let size = Size::new(arguments.rows)?;
    let place = place()?;
    let scratch = tempfile::tempdir_in(&place)?;
    let files = Files::write(scratch.path(), size)?;
    let (cluster, missing) = Cluster::start(&place)?;
    let programs = Programs::compile(&cluster, &place)?;
    let raw = Raw::start(&programs)?;
    let halite = load("Halite", || Halite::load(&cluster, &raw, &files))?;
    let rows = Rows::new(size, halite.keys()?)?;
    let (phoenix, missing) = match missing {
        None => phoenix(&programs, &raw, &files),
        reason => (None, reason),
    };
    let mut sides: Vec<&dyn Side> = vec![&halite, &raw];
    sides.extend(phoenix.as_ref().map(|side| side as &dyn Side));
    let workloads = chosen(&arguments.only)?;
    let way = measure::Way {
        rounds: arguments.rounds,
        warm: arguments.warm,
    };
    let measured = measure::compare(&workloads, &sides, &rows, way)?;
    let costs = workloads
        .iter()
        .map(|workload| halite.cost(workload, &rows));
    Ok(Report {
        size,
        way,
        versions: sides.iter().map(|side| side.version()).collect(),
        missing,
        costs: costs.collect::<Result<_>>()?,
        plans: phoenix.map_or(Ok(Vec::new()), |phoenix| phoenix.plans(&workloads))?,
        measured,
    })
}

/// Phoenix with its rows, or why it is not there: the others are measured all the same.
fn phoenix(programs: &Programs, raw: &Raw, files: &Files) -> (Option<Phoenix>, Option<String>) {
    match load("Phoenix", || Phoenix::load(programs, raw, files)) {
        Ok(side) => (Some(side), None),
        Err(error) => {
            let reason = format!("{error:#}");
            eprintln!("PHOENIX IS NOT RUN: {reason}");
            (None, Some(reason))
        }
    }
}

fn chosen(only: &[String]) -> Result<Vec<workload::Workload>> {
    let mut workloads = workload::all();
    workloads.retain(|workload| {
        only.is_empty()
            || only
                .iter()
                .any(|name| workload.name.contains(name.as_str()))
    });
    ensure!(!workloads.is_empty(), "no work has such a name");
    Ok(workloads)
}

fn load<T>(name: &str, load: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let loaded = load().with_context(|| format!("loading {name}"))?;
    eprintln!("{name}: loaded in {:.1} s", start.elapsed().as_secs_f64());
    Ok(loaded)
}

/// The directory that the crate's workspace is in.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
