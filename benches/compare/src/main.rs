//! Halite beside raw RocksDB, SQLite, DuckDB and DataFusion over Parquet: the same rows, the same questions, the same
//! answers, measured in turn. `make bench` runs it; it writes `docs/benchmarks.md` and its pictures.
//!
//! [`workload`] is the one table of what is measured, [`side`] has who is, [`measure`] says how, [`report`] what is told
//! of it.

mod alone;
mod answer;
mod chart;
mod data;
mod machine;
mod measure;
mod report;
mod samples;
mod side;
mod spread;
mod text;
mod value;
mod walks;
mod workload;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use self::data::{Files, Size};
use self::report::Report;
use self::side::Side;
use self::side::duckdb::DuckDb;
use self::side::halite::Halite;
use self::side::parquet::Parquet;
use self::side::raw::Raw;
use self::side::sqlite::Sqlite;
use self::workload::Name;

/// How many walks are measured for the page.
const WALKS: usize = 200;

/// Compares Halite with raw RocksDB, SQLite, DuckDB and DataFusion over Parquet.
#[derive(Parser)]
struct Arguments {
    /// Rows of the large table.
    #[arg(long, default_value_t = 1_000_000)]
    rows: usize,
    /// Rounds.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Where the page and its pictures go.
    #[arg(long, default_value = "docs")]
    docs: PathBuf,
    /// Measures only the workloads whose names hold this, of Halite and raw RocksDB; no page is written.
    #[arg(long)]
    only: Vec<String>,
    /// Measures so many walks beside the same queries without pushdown, and nothing else; no page is written.
    #[arg(long)]
    walks: Option<usize>,
}

fn main() -> Result<()> {
    let (arguments, start) = (Arguments::parse(), Instant::now());
    if let Some(walks) = arguments.walks {
        let scratch = tempfile::tempdir_in(place()?)?;
        print!("{}", walks::told(&walks::measure(scratch.path(), walks)?));
        return Ok(());
    }
    if !arguments.only.is_empty() {
        return some(&arguments);
    }
    let report = run(&arguments)?;
    report.write(&arguments.docs)?;
    let path = arguments.docs.join("benchmarks.md");
    let seconds = start.elapsed().as_secs();
    println!("{} is written, after {seconds} s", path.display());
    if let Some(reason) = report.missing {
        println!("DuckDB WAS NOT RUN: {reason}");
    }
    Ok(())
}

/// The directory beside the program for what it installs and writes.
fn place() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2).context("no directory")?;
    let place = target.join("halite-compare");
    std::fs::create_dir_all(&place)?;
    Ok(place)
}

fn run(arguments: &Arguments) -> Result<Report> {
    let size = Size::new(arguments.rows)?;
    let place = place()?;
    let scratch = tempfile::tempdir_in(&place)?;
    let directory = scratch.path();
    let files = Files::write(directory, size)?;
    let halite = load("Halite", || Halite::load(directory, &files))?;
    let alone = alone::measure(&halite, &files.part, arguments.rounds)?;
    let raw = load("raw RocksDB", || Raw::load(directory, &files, &halite))?;
    let sqlite = load("SQLite", || Sqlite::load(directory, &files))?;
    let parquet = load("Parquet", || Parquet::load(directory, &files))?;
    let duckdb = load("DuckDB", || {
        DuckDb::load(directory, &files, &place.join("python"))
    });
    let missing = duckdb.as_ref().err().map(|error| format!("{error:#}"));
    if let Some(reason) = &missing {
        eprintln!("DUCKDB IS NOT RUN: {reason}");
    }
    let mut sides: Vec<Box<dyn Side>> = vec![Box::new(halite), Box::new(raw), Box::new(sqlite)];
    sides.extend(duckdb.ok().map(|side| Box::new(side) as Box<dyn Side>));
    sides.push(Box::new(parquet));
    let sizes = sides.iter().map(|side| Ok((side.name(), side.bytes()?)));
    let sizes = sizes.collect::<Result<_>>()?;
    let versions = sides.iter().map(|side| side.version()).collect();
    let workloads = workload::all();
    let measured = measure::compare(&workloads, &sides, size, arguments.rounds)?;
    drop(sides);
    Ok(Report {
        size,
        rounds: arguments.rounds,
        versions,
        missing,
        measured,
        alone,
        sizes,
        samples: sample_queries(directory, arguments.rounds)?,
        walks: walks::measure(directory, WALKS)?,
    })
}

/// Measures some workloads beside raw RocksDB, and prints the figures.
fn some(arguments: &Arguments) -> Result<()> {
    let size = Size::new(arguments.rows)?;
    let scratch = tempfile::tempdir_in(place()?)?;
    let files = Files::write(scratch.path(), size)?;
    let halite = load("Halite", || Halite::load(scratch.path(), &files))?;
    let raw = load("raw RocksDB", || Raw::load(scratch.path(), &files, &halite))?;
    let sides: Vec<Box<dyn Side>> = vec![Box::new(halite), Box::new(raw)];
    let mut workloads = workload::all();
    workloads.retain(|workload| {
        let mut wanted = arguments.only.iter();
        wanted.any(|name| workload.name.contains(name.as_str()))
    });
    ensure!(!workloads.is_empty(), "no workload has such a name");
    for measured in measure::compare(&workloads, &sides, size, arguments.rounds)? {
        let shown = measured.spreads.iter().map(|(name, spread)| {
            let name = name.shown();
            format!("{name} {}", text::spread(*spread))
        });
        let shown: Vec<String> = shown.collect();
        let ratio = measured
            .spread(Name::Halite)
            .zip(measured.spread(Name::Raw));
        let ratio = ratio.map_or(String::new(), |(halite, raw)| {
            format!(", ÷ raw {}", text::digits(halite.median / raw.median))
        });
        println!("{}: {}{ratio}", measured.workload.name, shown.join(", "));
    }
    Ok(())
}

fn load<T>(name: &str, load: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let loaded = load().with_context(|| format!("loading {name}"));
    eprintln!("{name}: loaded in {:.1} s", start.elapsed().as_secs_f64());
    loaded
}

fn sample_queries(directory: &Path, rounds: usize) -> Result<Vec<samples::Sample>> {
    eprintln!("the sample queries");
    let directory = directory.join("samples");
    std::fs::create_dir_all(&directory)?;
    samples::measure(&directory, rounds)
}
