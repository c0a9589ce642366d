//! The sample queries, each under its layouts, with pushdown and without: what was read and how long it took.

use std::fs;
use std::path::Path;

use ::halite::scan::ScanTotals;
use ::halite::session::Statement;
use ::halite::shell::sample::{self, generator};
use ::halite::{Connection, Database};
use anyhow::{Result, ensure};
use tokio::runtime::Runtime;

use crate::spread::Spread;

/// Rows of each generated data set; flights and weather are a year.
pub const ROWS: usize = 100_000;

/// A query under one layout.
pub struct Sample {
    pub data_set: &'static str,
    pub title: &'static str,
    pub layout: &'static str,
    pub is_worst: bool,
    /// Whether its keys are computed as it goes, and not listed as ranges.
    pub walks: bool,
    pub rows: usize,
    pub usual: Run,
    pub plain: Run,
}

/// What was read, and how long it took.
pub struct Run {
    pub totals: ScanTotals,
    pub spread: Spread,
}

/// A statement in its two ways, with its samples.
struct Lane {
    sample: Sample,
    statement: Statement,
    usual: Vec<f64>,
    plain: Vec<f64>,
}

/// Makes the sample database in a directory and runs its queries.
pub fn measure(directory: &Path, rounds: usize) -> Result<Vec<Sample>> {
    Runtime::new()?.block_on(async {
        let database = Database::open(directory.join("samples.halite")).await?;
        let (usual, plain) = (database.connect(), database.connect());
        plain.execute("SET halite.pushdown = false", ()).await?;
        load(&usual, directory).await?;
        let mut lanes = Vec::new();
        for query in sample::queries()? {
            for expectation in &query.expectations {
                let statement = query.statement(&usual, expectation.layout)?;
                let mut lane = Lane::first(&usual, &plain, statement).await?;
                lane.sample.data_set = query.table;
                lane.sample.title = query.title;
                lane.sample.layout = expectation.layout;
                lane.sample.is_worst = query.worst == Some(expectation.layout);
                lane.sample.walks = expectation.ranges.is_none();
                lanes.push(lane);
            }
        }
        for _ in 0..rounds {
            for lane in &mut lanes {
                let run = usual.profile(&lane.statement).await?;
                lane.usual.push(run.elapsed.as_secs_f64());
                let run = plain.profile(&lane.statement).await?;
                lane.plain.push(run.elapsed.as_secs_f64());
            }
        }
        Ok(lanes.into_iter().map(Lane::finish).collect())
    })
}

/// Writes the sample data and runs the statements that declare the tables and load them.
async fn load(connection: &Connection, directory: &Path) -> Result<()> {
    for file in sample::data() {
        let path = directory.join(file.path);
        fs::create_dir_all(path.parent().unwrap_or(directory))?;
        fs::write(path, file.bytes)?;
    }
    for set in generator::GENERATORS {
        let path = directory.join(format!("data/{}.parquet", set.name()));
        generator::write_parquet(*set, ROWS, generator::SEED, &path)?;
    }
    for layout in sample::layouts() {
        for statement in connection.script(layout.text()?)? {
            connection.run(&statement.with_files_in(directory)).await?;
        }
    }
    Ok(())
}

impl Lane {
    /// The first run of a query, which is not timed: both ways must find as many rows.
    async fn first(usual: &Connection, plain: &Connection, statement: Statement) -> Result<Self> {
        let run = usual.profile(&statement).await?;
        let whole = plain.profile(&statement).await?;
        ensure!(
            run.rows() == whole.rows(),
            "other rows without pushdown: {}",
            statement.text()
        );
        let unmeasured = |totals| Run {
            totals,
            spread: Spread::of(Vec::new()),
        };
        let sample = Sample {
            data_set: "",
            title: "",
            layout: "",
            is_worst: false,
            walks: false,
            rows: run.rows(),
            usual: unmeasured(run.totals),
            plain: unmeasured(whole.totals),
        };
        Ok(Self {
            sample,
            statement,
            usual: Vec::new(),
            plain: Vec::new(),
        })
    }

    fn finish(mut self) -> Sample {
        self.sample.usual.spread = Spread::of(self.usual);
        self.sample.plain.spread = Spread::of(self.plain);
        self.sample
    }
}
