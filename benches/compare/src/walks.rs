//! Walks over random layouts and densities, each with its time beside that of the same query without pushdown.
//!
//! A walk reads from candidate to candidate, and how many keys lie between two of them nobody knows before. So what is
//! measured is whether a walk can cost more than reading everything, anywhere: tables whose rows are one group, or each a
//! group of its own, or both; conditions on parts of the key behind others that leave nothing, a little, or nearly
//! all; with residuals, in order, backward, with a limit, merged.
//!
//! Which tables and conditions there are is in [`workload`](crate::workload); these are drawn here, in a way that is the
//! same each time.

use std::path::Path;
use std::time::Duration;

use ::halite::session::{Profile, Statement};
use ::halite::{Connection, Database};
use anyhow::{Context, Result, ensure};
use tokio::runtime::Runtime;

use crate::text::{digits, seconds};
use crate::workload::{WALK_CONDITIONS, WALK_GROUPS, WALK_KEYS, WALK_QUERIES};

/// Rows of each table.
const ROWS: usize = 100_000;

/// Queries of each table.
const QUERIES: usize = 40;

/// How often a query is run, each way; the quickest run counts, for what disturbs a run makes it slower.
const RUNS: usize = 5;

/// What takes less than so many seconds is taken for as long: planning takes about that.
const LEAST: f64 = 0.001;

/// A walk, and what it took.
#[derive(Debug, Clone)]
pub struct Walked {
    /// Its table's key, how many groups the first column makes, and the query.
    pub told: String,
    pub keys_read: usize,
    pub usual: f64,
    pub plain: f64,
}

impl Walked {
    /// Its time by that of reading everything.
    pub fn ratio(&self) -> f64 {
        self.usual.max(LEAST) / self.plain.max(LEAST)
    }
}

/// Draws numbers, the same ones each time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % end as u64) as usize
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// The text with a value for each of its places, `{b}` one of `b`, `{c}` one of `c`, `{n}` some rows.
    fn filled(&mut self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (place, end) in [("{b}", 101), ("{c}", ROWS), ("{t}", 10), ("{n}", 1_000)] {
            while filled.contains(place) {
                let value = self.below(end).to_string();
                filled = filled.replacen(place, &value, 1);
            }
        }
        filled
    }
}

/// Measures so many walks over tables in a directory, and in memory, the dearest first.
pub fn measure(directory: &Path, walks: usize) -> Result<Vec<Walked>> {
    let mut draw = Draw(34);
    Runtime::new()?.block_on(async {
        let mut walked: Vec<Walked> = Vec::new();
        for table in 0.. {
            if walked.len() >= walks {
                break;
            }
            let place = directory.join(format!("walks-{table}"));
            let (name, database) = match table % 2 {
                0 => ("RocksDB", Database::open(&place).await?),
                _ => ("memory", Database::in_memory()?),
            };
            let of_table = of_table(name, &database, &mut draw).await?;
            eprintln!("walks over table {}: {}", table + 1, of_table.len());
            walked.extend(of_table);
        }
        walked.truncate(walks);
        walked.sort_by(|left, right| right.ratio().total_cmp(&left.ratio()));
        Ok(walked)
    })
}

async fn of_table(store: &str, database: &Database, draw: &mut Draw) -> Result<Vec<Walked>> {
    let (key, groups) = (*draw.of(WALK_KEYS), *draw.of(WALK_GROUPS));
    let (usual, plain) = (database.connect(), database.connect());
    plain.execute("SET halite.pushdown = false", ()).await?;
    // One group in the first half of the rows, and as many as rows in the other.
    let a = match draw.below(3) {
        0 => format!("CASE WHEN i < {ROWS} / 2 THEN 0 ELSE i END"),
        _ => format!("i * 7919 % {groups}"),
    };
    let table = format!(
        "CREATE TABLE t (a INT, b INT, c INT, t TEXT, v INT, note TEXT, PRIMARY KEY ({key}))"
    );
    usual.execute(&table, ()).await?;
    let rows = format!(
        "INSERT INTO t SELECT {a}, i * 104729 % 101, i, 'x' || (i * 31 % 9973), i % 50, repeat('n', i % 60)
         FROM generate_series(0, {ROWS} - 1) AS g(i)"
    );
    usual.execute(&rows, ()).await?;
    let mut walked = Vec::with_capacity(QUERIES);
    while walked.len() < QUERIES {
        let condition = draw.of(WALK_CONDITIONS);
        let query = draw.of(WALK_QUERIES).replace("{where}", condition);
        let sql = draw.filled(&query);
        let told = format!("{store}, ({key}) of {a}: {sql}");
        let run = run(&usual, &plain, &sql, told.clone()).await;
        walked.push(run.with_context(|| told)?);
    }
    Ok(walked)
}

/// Runs a query both ways, in turn.
async fn run(usual: &Connection, plain: &Connection, sql: &str, told: String) -> Result<Walked> {
    let mut statements = usual.script(sql)?;
    let statement = statements.pop().context("no statement")?;
    let (mut best, mut best_plain, mut keys_read) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..RUNS {
        let walked = timed(usual, &statement, &mut best).await?;
        let whole = timed(plain, &statement, &mut best_plain).await?;
        ensure!(walked.rows() == whole.rows(), "other rows without pushdown");
        keys_read = walked.totals.keys_read;
    }
    Ok(Walked {
        told,
        keys_read,
        usual: best.as_secs_f64(),
        plain: best_plain.as_secs_f64(),
    })
}

async fn timed(
    connection: &Connection,
    statement: &Statement,
    best: &mut Duration,
) -> Result<Profile> {
    let run = connection.profile(statement).await?;
    *best = (*best).min(run.elapsed);
    Ok(run)
}

/// The walks in words: how many cost more than reading everything, and the dearest.
pub fn told(walked: &[Walked]) -> String {
    let over = |ratio: f64| walked.iter().filter(|it| it.ratio() > ratio).count();
    let worst = walked.first().map_or(0.0, Walked::ratio);
    let mut text = format!(
        "Of {} walks the dearest takes {} times what reading everything does; {} take more than 1.1 times, {} more \
         than 1.2.\n\n| walk | keys read | time | without pushdown | ratio |\n|---|---:|---:|---:|---:|\n",
        walked.len(),
        digits(worst),
        over(1.1),
        over(1.2),
    );
    for it in walked.iter().take(10) {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            it.told,
            it.keys_read,
            seconds(it.usual),
            seconds(it.plain),
            digits(it.ratio())
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_value() {
        let mut draw = Draw(1);
        for condition in WALK_CONDITIONS {
            for query in WALK_QUERIES {
                let sql = draw.filled(&query.replace("{where}", condition));
                assert!(!sql.contains(['{', '}']), "{sql}");
            }
        }
        assert_ne!(draw.filled("{c}"), draw.filled("{c}"));
    }
}
