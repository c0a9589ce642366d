//! `halite demo`: builds the sample database on RocksDB, or on a cluster, and runs the sample queries, each under the layouts meant to
//! serve it, with what it scans, what it reads, and the same query without pushdown beside it.
//!
//! Nothing is told that was not measured in this run: ranges are those of `EXPLAIN KEYS`, numbers those of the plan
//! that was executed. What a query must read is compared with what stands in its file, and its rows with those that
//! come without pushdown and under its other layouts.

mod directories;
mod scanned;
mod summary;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use arrow::util::pretty::pretty_format_batches;
use indicatif::ProgressBar;

use self::directories::DemoDirectories;
use self::scanned::Scanned;
use self::summary::{QueryLine, summary};
use super::failure::Failure;
use super::format::{self, Page};
use super::names::Names;
use super::report;
use super::sample::{self, Expectation, Query, generator};
use super::text::{counted, grouped, width};
use crate::error::{Error, Result};
use crate::run::outcome::Outcome;
use crate::session::{Connection, Database, Profile, Statement};
use crate::store::Place;

/// Rows of a result that are shown.
const SHOWN_ROWS: usize = 6;

/// Builds the sample database in `directory`, which must be new or empty, and runs the sample queries. Without a
/// directory the database is made where temporary files are, and removed at the end. Generated data sets have `rows`
/// rows, or as many as they have by themselves. Result tables are as wide as `page` says.
///
/// # Errors
/// Whatever a statement ran into; and, after all queries have run, that one gave other rows or read other keys than
/// expected.
pub async fn run(
    directory: Option<&Path>,
    rows: Option<usize>,
    page: Page,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let queries = sample::queries()?;
    let directories = DemoDirectories::new(directory)?;
    let database = Database::open(directories.database()).await?;
    refuse_used(&database, directories.database())?;
    let mut demo = Demo::new(&database, page, out).await?;
    demo.rows = rows;
    demo.is_far = matches!(Place::of(directories.database()), Place::Cluster(_));
    demo.load(&directories).await?;
    let mut lines = Vec::new();
    for (number, query) in (1..).zip(&queries) {
        demo.query(number, queries.len(), query, &mut lines).await?;
    }
    writeln!(demo.out, "{}", summary(&lines))?;
    match directory {
        Some(path) => writeln!(
            demo.out,
            "The database stays: halite {} opens it.",
            quoted(path)
        )?,
        None => writeln!(
            demo.out,
            "The database was temporary; halite demo DIR keeps it in DIR."
        )?,
    }
    demo.out.flush()?;
    let wrong = lines.iter().filter(|line| !line.is_good()).count();
    if wrong == 0 {
        return Ok(());
    }
    Err(Failure::Statement(format!(
        "error: {wrong} of {} did not go as expected; the table marks them",
        counted(lines.len() as u64, "run")
    )))
}

struct Demo<'a> {
    /// Runs queries as anybody does.
    usual: Connection,
    /// Runs them without pushdown.
    plain: Connection,
    /// The size of generated data; `None`: their own.
    rows: Option<usize>,
    /// Whether the store is on other machines.
    is_far: bool,
    page: Page,
    out: &'a mut dyn Write,
}

impl<'a> Demo<'a> {
    async fn new(database: &Database, page: Page, out: &'a mut dyn Write) -> Result<Self> {
        let plain = database.connect();
        plain
            .execute("SET halite.pushdown = false", Vec::new())
            .await?;
        Ok(Self {
            usual: database.connect(),
            plain,
            rows: None,
            is_far: false,
            page: Page {
                rows: Some(SHOWN_ROWS),
                ..page
            },
            out,
        })
    }

    /// Declares and loads the tables, and tells how fast that went.
    async fn load(&mut self, directories: &DemoDirectories) -> Result<(), Failure> {
        let at = directories.database().display();
        let kind = match Place::of(directories.database()) {
            Place::Directory(_) => "RocksDB",
            Place::Cluster(_) => "HBase",
        };
        writeln!(
            self.out,
            "Loading a year of flights and weather, and generated data, into {kind}, {at}\n"
        )?;
        self.generate(directories).await?;
        for layout in sample::layouts() {
            for statement in self.usual.script(layout.text()?)? {
                let statement = statement.with_files_in(directories.scratch());
                self.load_statement(layout.name(), &statement).await?;
            }
        }
        writeln!(self.out)?;
        Ok(directories.drop_data()?)
    }

    /// Makes the data that are no files of the repository.
    async fn generate(&mut self, directories: &DemoDirectories) -> Result<(), Failure> {
        for set in generator::GENERATORS {
            let path = directories.data_file(set.name());
            let size = self.rows.unwrap_or_else(|| set.default_size());
            let write = move || generator::write_parquet(*set, size, generator::SEED, &path);
            // Elsewhere, so that control-C is heard meanwhile.
            let written = tokio::task::spawn_blocking(write).await;
            let rows = written.map_err(|error| {
                Error::internal("a generator that panicked").with_source(error)
            })??;
            let rows = grouped(rows as u64);
            writeln!(
                self.out,
                "{rows:>13} rows  {:<12} {}",
                set.name(),
                set.about()
            )?;
        }
        writeln!(self.out)?;
        Ok(self.out.flush()?)
    }

    /// Runs a statement that makes a table or loads it.
    async fn load_statement(&mut self, table: &str, statement: &Statement) -> Result<(), Failure> {
        let spinner = ProgressBar::new_spinner().with_message(first_line(statement).to_owned());
        spinner.enable_steady_tick(Duration::from_millis(100));
        let start = Instant::now();
        let outcome = self.usual.run(statement).await;
        let seconds = start.elapsed().as_secs_f64();
        spinner.finish_and_clear();
        let failed = |error| Failure::Statement(report::failed_statement(&error, statement.text()));
        match outcome.map_err(failed)? {
            Outcome::Affected { rows, .. } => {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a rate"
                )]
                let rate = (rows as f64 / seconds.max(1e-9)) as u64;
                let (rows, rate) = (grouped(rows), grouped(rate));
                writeln!(
                    self.out,
                    "    {rows:>9} rows in {seconds:.1} s, {rate} rows/s"
                )?;
            }
            // What CREATE TABLE has to say of a row key, that hashes are long, the samples show on purpose.
            Outcome::Rows(_) | Outcome::Done { .. } => {
                let made = Names::new(self.usual.clone()).definition(table);
                let key = made.map(|made| made.key_clause()).unwrap_or_default();
                writeln!(self.out, "{table}  PRIMARY KEY ({key})")?;
            }
        }
        self.out.flush()?;
        Ok(())
    }

    /// Runs a query under each of its layouts.
    async fn query(
        &mut self,
        number: usize,
        of: usize,
        query: &Query,
        lines: &mut Vec<QueryLine>,
    ) -> Result<(), Failure> {
        let heading = format!("── {number} of {of}: {} ", query.title);
        let rule = "─".repeat(100_usize.saturating_sub(width(&heading)));
        writeln!(self.out, "{heading}{rule}\n")?;
        let mut answer = None;
        let mut told = String::new();
        for expectation in &query.expectations {
            let statement = query.statement(&self.usual, expectation.layout)?;
            // Most queries read alike under all layouts.
            if statement.text() != told {
                statement.text().clone_into(&mut told);
                writeln!(self.out, "{told}\n")?;
            }
            let size = generator::default_size(query.table).map(|size| self.rows.unwrap_or(size));
            let expectation = expectation.in_size(size);
            let (line, rows) = self
                .under(number, query, &statement, &expectation, answer.as_deref())
                .await?;
            answer.get_or_insert(rows);
            lines.push(line);
        }
        self.out.flush()?;
        Ok(())
    }

    /// Runs a query under one layout, and shows the result if there is no answer yet. Returns the answer.
    async fn under(
        &mut self,
        number: usize,
        query: &Query,
        statement: &Statement,
        expectation: &Expectation,
        answer: Option<&str>,
    ) -> Result<(QueryLine, String), Failure> {
        let failed = |error| Failure::Statement(report::failed_statement(&error, statement.text()));
        let scanned = Scanned::of(&self.usual, statement).await.map_err(failed)?;
        let usual = self.usual.profile(statement).await.map_err(failed)?;
        let plain = self.plain.profile(statement).await.map_err(failed)?;
        let rows = text_of(&usual)?;
        let line = QueryLine {
            data_set: query.table,
            query: format!("{number} {}", query.title),
            layout: expectation.layout,
            is_worst: query.worst == Some(expectation.layout),
            walks: scanned.walks(),
            is_met: if self.is_far {
                expectation.is_met_far_away(&usual.totals, scanned.walks(), scanned.is_narrowed())
            } else {
                expectation.is_met(&usual.totals, scanned.walks())
            },
            is_same: rows == text_of(&plain)? && answer.is_none_or(|answer| answer == rows),
            rows: usual.rows(),
            usual: (usual.totals, usual.elapsed),
            plain: (plain.totals, plain.elapsed),
        };
        if line.is_worst {
            writeln!(self.out, "The layout that serves it worst:")?;
        }
        write!(self.out, "{scanned}{line}")?;
        if !line.is_met {
            writeln!(self.out, "  ✗ expected: {expectation}")?;
        }
        if !line.is_same {
            writeln!(
                self.out,
                "  ✗ the rows are not the same without pushdown and under all layouts"
            )?;
        }
        match answer {
            None => self.show(&usual)?,
            Some(_) => writeln!(self.out)?,
        }
        Ok((line, rows))
    }

    fn show(&mut self, result: &Profile) -> Result<(), Failure> {
        let format = format::default_format(true);
        let mut sheet = format.sheet(result.schema.clone(), self.page.clone(), self.out)?;
        for batch in &result.batches {
            sheet.batch(batch)?;
        }
        sheet.finish()?;
        Ok(writeln!(self.out)?)
    }
}

/// The sample database is built where nothing is.
fn refuse_used(database: &Database, place: &Path) -> Result<()> {
    let tables = Names::new(database.connect()).tables();
    match tables.first() {
        None => Ok(()),
        Some(table) => Err(Error::invalid(format!(
            "{} has the table `{}`: name a namespace for the sample database that has none",
            place.display(),
            table
        ))),
    }
}

/// As it is typed into a shell.
fn quoted(place: &Path) -> String {
    match Place::of(place) {
        Place::Directory(path) => path.display().to_string(),
        Place::Cluster(address) => format!("'{address}'"),
    }
}

fn first_line(statement: &Statement) -> &str {
    statement.text().lines().next().unwrap_or_default()
}

/// The rows as text, to be compared.
fn text_of(result: &Profile) -> Result<String> {
    let text = pretty_format_batches(&result.batches)
        .map_err(|error| Error::internal("rows without a text").with_source(error))?;
    Ok(text.to_string())
}

#[cfg(test)]
#[path = "demo/demo_tests.rs"]
mod tests;
