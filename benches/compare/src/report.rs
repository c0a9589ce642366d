//! `docs/benchmarks.md` and its pictures, from what was measured. Nothing in it is written by hand but what the
//! workloads are: who is ahead is said by the figures.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::chart::{self, Bar, Block, Scale};
use crate::data::Size;
use crate::machine;
use crate::measure::Measured;
use crate::samples::{self, Sample};
use crate::spread::Spread;
use crate::text::{bytes, digits, grouped, listed, seconds, spread, times};
use crate::walks::{self, Walked};
use crate::workload::{Group, Name};

/// Times that differ by less than this are called alike.
const ALIKE: f64 = 1.05;

/// All that is told.
pub struct Report {
    pub size: Size,
    pub rounds: usize,
    /// What each side is called, with its version.
    pub versions: Vec<String>,
    /// Why DuckDB was not run, if it was not.
    pub missing: Option<String>,
    pub measured: Vec<Measured>,
    pub alone: Vec<(&'static str, Spread)>,
    /// Bytes on disk.
    pub sizes: Vec<(Name, u64)>,
    pub samples: Vec<Sample>,
    /// The dearest first.
    pub walks: Vec<Walked>,
}

impl Report {
    /// Writes `benchmarks.md` and `benchmarks/*.svg` in a directory.
    pub fn write(&self, directory: &Path) -> Result<()> {
        let pictures = directory.join("benchmarks");
        fs::create_dir_all(&pictures)?;
        let mut page = self.head();
        page.push_str(&self.verdict());
        for group in Group::ALL {
            page.push_str(&self.group(group));
            let svg = chart::draw(group.title(), &self.blocks(group), Scale::Log, seconds);
            fs::write(pictures.join(format!("{}.svg", group.file())), svg)?;
        }
        page.push_str(&self.sizes());
        let svg = chart::draw("Size on disk", &[self.size_block()], Scale::Linear, seconds);
        fs::write(pictures.join("sizes.svg"), svg)?;
        page.push_str(&self.samples());
        page.push_str("\n## Walks\n\nWhere the key begins with columns that a query does not name, a walk reads from \
                       candidate to candidate, and reads everything where candidates are too close: over random keys, \
                       densities and conditions, in files and in memory.\n\n");
        page.push_str(&walks::told(&self.walks));
        Ok(fs::write(directory.join("benchmarks.md"), page)?)
    }

    fn head(&self) -> String {
        let rows = grouped(self.size.rows);
        let mut head = format!(
            "# Benchmarks\n\nWhat Halite costs beside raw RocksDB, SQLite, DuckDB and DataFusion over Parquet, on the same \
             {rows} rows, with the same answers: `make bench` writes this page, `make bench ROWS=…` for another \
             number of rows.\n\n"
        );
        if let Some(reason) = &self.missing {
            let _ = writeln!(head, "**DuckDB was not run:** {reason}\n");
        }
        let _ = write!(
            head,
            "- **Machine:** {}.\n- **Versions:** {}.\n",
            machine::description(),
            self.versions.join(", ")
        );
        let _ = writeln!(
            head,
            "- **Rounds:** {}, and in each every side does every workload once, the sides one after the other. A figure is \
             the median of the rounds with the quartiles behind it, of one call, over as many calls as take 20 ms. All \
             data are in memory on every side, and every side has as many threads as the machine, where it can use them: \
             raw RocksDB and SQLite have one.",
            self.rounds
        );
        head.push_str(HEAD);
        head
    }

    /// Who is ahead, workload by workload.
    fn verdict(&self) -> String {
        let (mut ahead, mut alike, mut behind) = (Vec::new(), Vec::new(), Vec::new());
        for measured in &self.measured {
            let Some((ratio, peer)) = beside_best(measured) else {
                continue;
            };
            let name = format!("*{}*", measured.workload.name);
            let halites = measured.spread(Name::Halite).unwrap_or(peer.1);
            match Standing::of(halites, peer.1) {
                Standing::Behind => behind.push((
                    ratio,
                    format!(
                        "- {name}: {} takes {}, Halite {} ({}).\n",
                        peer.0.shown(),
                        seconds(peer.1.median),
                        seconds(halite(measured)),
                        times(ratio)
                    ),
                )),
                Standing::Ahead => ahead.push(name),
                Standing::Alike => alike.push(name),
            }
        }
        behind.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        let all = ahead.len() + alike.len() + behind.len();
        let mut text = format!(
            "\n## Who is ahead\n\nOf {all} workloads that a peer has, Halite is ahead of the best peer in {}",
            ahead.len()
        );
        let _ = writeln!(
            text,
            ", as quick in {} and behind in {}.\n",
            alike.len(),
            behind.len()
        );
        let _ = writeln!(text, "Ahead: {}.\n", listed(&ahead));
        if !alike.is_empty() {
            let _ = writeln!(
                text,
                "As quick, within 5 % or what the rounds differ by: {}.\n",
                listed(&alike)
            );
        }
        if !behind.is_empty() {
            text.push_str("A peer is ahead, the furthest first:\n\n");
            behind.iter().for_each(|(_, line)| text.push_str(line));
        }
        text
    }

    fn of(&self, group: Group) -> impl Iterator<Item = &Measured> {
        self.measured
            .iter()
            .filter(move |measured| measured.workload.group == group)
    }

    fn group(&self, group: Group) -> String {
        let mut text = format!("\n## {}\n\n{}\n\n", group.title(), self.note(group));
        let _ = writeln!(
            text,
            "![{}](benchmarks/{}.svg)\n",
            group.title(),
            group.file()
        );
        text.push('|');
        for name in Name::ALL {
            let _ = write!(text, " | {}", name.shown());
        }
        text.push_str(" | ÷ raw | ÷ best peer |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
        self.of(group)
            .for_each(|measured| text.push_str(&row(measured)));
        if group == Group::Plans {
            for (name, alone) in &self.alone {
                let _ = writeln!(text, "| {name} | {} | | | | | | |", spread(*alone));
            }
        }
        text
    }

    fn note(&self, group: Group) -> String {
        match group {
            Group::Loads => format!(
                "{} rows into a new table, on the disk when the clock stops. Halite and SQLite check that no key comes \
                 twice; raw RocksDB, DuckDB and Parquet do not.",
                grouped(self.size.part().rows)
            ),
            other => note(other).to_owned(),
        }
    }

    fn blocks(&self, group: Group) -> Vec<Block> {
        let blocks = self.of(group).map(|measured| Block {
            label: measured.workload.name.to_owned(),
            bars: measured
                .spreads
                .iter()
                .map(|(side, spread)| Bar {
                    side: *side,
                    value: spread.median,
                    text: seconds(spread.median),
                })
                .collect(),
        });
        blocks.collect()
    }

    fn size_block(&self) -> Block {
        let bars = self.sizes.iter().map(|(side, size)| Bar {
            side: *side,
            value: *size as f64,
            text: bytes(*size),
        });
        Block {
            label: "both tables".to_owned(),
            bars: bars.collect(),
        }
    }

    fn sizes(&self) -> String {
        let mut text = "\n## Size on disk\n\nBoth tables, `cpu` and `by_time`, after loading: the same rows twice, in two \
                        orders. Halite and raw RocksDB compress blocks of rows, DuckDB and Parquet columns, SQLite \
                        nothing.\n\n![Size on disk](benchmarks/sizes.svg)\n\n| | bytes | a row |\n|---|---:|---:|\n"
            .to_owned();
        for (side, size) in &self.sizes {
            let a_row = *size as f64 / (2 * self.size.rows) as f64;
            let _ = writeln!(text, "| {} | {} | {a_row:.1} |", side.shown(), bytes(*size));
        }
        text
    }

    fn samples(&self) -> String {
        let rows = grouped(samples::ROWS);
        let mut text = format!(
            "\n## The sample queries, with pushdown and without\n\nEvery query of `queries` under its layouts, planning \
             included: over a year of flights and generated data of {rows} rows a set. Without pushdown the same scan \
             reads each bucket from end to end.\n\n| | layout | rows | ranges | keys read | time | without: keys read | \
             time | times as quick |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
        );
        let mut data_set = "";
        for sample in &self.samples {
            if sample.data_set != data_set {
                data_set = sample.data_set;
                let _ = writeln!(text, "| **{data_set}** | | | | | | | | |");
            }
            let (usual, plain) = (&sample.usual, &sample.plain);
            let ranges = if sample.walks {
                "walk".to_owned()
            } else {
                grouped(usual.totals.ranges)
            };
            let _ = writeln!(
                text,
                "| {} | {}{} | {} | {} | {} | {} | {} | {} | {} |",
                sample.title,
                sample.layout,
                if sample.is_worst { ", worst" } else { "" },
                grouped(sample.rows),
                ranges,
                grouped(usual.totals.keys_read),
                seconds(usual.spread.median),
                grouped(plain.totals.keys_read),
                seconds(plain.spread.median),
                digits(plain.spread.median / usual.spread.median)
            );
        }
        text
    }
}

/// What holds of every workload; the rounds stand before it, the results behind it.
const HEAD: &str = "\
- **How Halite is built:** as in a build of every day, its own code at `opt-level` 3 without debug assertions. What plans \
in DataFusion is at 1, what rows pass through at 3; RocksDB is at `-O1`, for raw RocksDB as well. SQLite is \
compiled at `-O3`, DuckDB is its released wheel.
- **Rows:** 125 hosts report every ten seconds: `host`, `ts`, `kind` (40 different), `user_id` (200,000 different), \
`usage`, `note`. `cpu` has the row key `(host, ts)`, `by_time` the same rows under `(salt(16), ts, host)`.
- **Raw RocksDB** has the bytes and the options of Halite's tables. Its loops are written by hand for each query, have one \
thread, read key and value at fixed offsets, decode the columns that are asked for, and make no Arrow arrays.
- **SQLite** has `WITHOUT ROWID` tables with the keys `(host, ts)` and `(ts, host)`: in one process it needs no buckets. \
Its pages are in memory, its log is flushed at each commit.
- **DuckDB** has tables sorted by these keys, without an index, and is driven from Python; the clock runs there, around \
executing and fetching, by rows or by Arrow, whichever is quicker. What `SELECT 1` costs is its floor.
- **DataFusion** reads Parquet files sorted by these keys, with row groups of 65,536 rows, page indexes and filters pushed \
down. It can change no row.
- **Before anything is timed** every side must give the same answers.
";

fn note(group: Group) -> &'static str {
    match group {
        Group::Points => {
            "One row of `cpu`, another each time, or 1,000 of a host. A text holds its values, or has \
             parameters and is not prepared; Halite plans such texts once, as long as only values that are compared differ. `SELECT 1` is what a \
             statement costs that reads nothing, *another text each time* one that is parsed and planned anew."
        }
        Group::Ranges => {
            "Prepared; another range each time: ten steps of all hosts in `by_time`, 1,250 steps of a host in `cpu`."
        }
        Group::Ends => {
            "Prepared. The last row of each host is asked for with `last_value`, with `arg_max` in DuckDB, and as SQLite's \
             bare column beside `max`."
        }
        Group::Scans => "Prepared, to the last row of the result.",
        Group::Loads => "",
        Group::Counters => {
            "`UPDATE counter SET n = n + 1 WHERE k = $1`, and an upsert that adds 1, prepared; one of 1,000 counters, another \
             each time; before them the put of such a row, whatever was there. Raw RocksDB does a get and a put, under a lock; of a put just that. A change is in the log when it is acknowledged, on \
             every side, and not flushed to the disk (`halite.durability = 'buffered'`). SQLite lets one connection write at \
             a time."
        }
        Group::Plans => {
            "Texts with other values each time, planned and not run: a physical plan in Halite and DataFusion, a prepared \
             statement in SQLite, `EXPLAIN` in DuckDB. Below it what Halite does within, which has no counterpart."
        }
    }
}

fn halite(measured: &Measured) -> f64 {
    measured
        .spread(Name::Halite)
        .map_or(f64::NAN, |spread| spread.median)
}

/// How Halite does beside another.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Ahead,
    Alike,
    Behind,
}

impl Standing {
    /// Nobody is ahead whose quartiles reach into the other's.
    fn of(halite: Spread, peer: Spread) -> Self {
        match halite.median / peer.median {
            ratio if ratio > ALIKE && halite.low > peer.high => Self::Behind,
            ratio if ratio < 1.0 / ALIKE && halite.high < peer.low => Self::Ahead,
            _ => Self::Alike,
        }
    }
}

/// Halite's time by that of the best peer.
fn beside_best(measured: &Measured) -> Option<(f64, (Name, Spread))> {
    let peer = measured.best_peer()?;
    Some((halite(measured) / peer.1.median, peer))
}

/// The row of a workload; the quickest of Halite and its peers is bold.
fn row(measured: &Measured) -> String {
    let best = beside_best(measured);
    let quickest = match best {
        Some((ratio, (peer, _))) if ratio > 1.0 => peer,
        _ => Name::Halite,
    };
    let mut text = format!("| {} |", measured.workload.name);
    for name in Name::ALL {
        let cell = measured.spread(name).map(spread).unwrap_or_default();
        let _ = if name == quickest {
            write!(text, " **{cell}** |")
        } else {
            write!(text, " {cell} |")
        };
    }
    let raw = measured.spread(Name::Raw);
    let raw = raw.map(|raw| digits(halite(measured) / raw.median));
    let best = best.map(|(ratio, (peer, _))| format!("{} ({})", digits(ratio), peer.shown()));
    let _ = writeln!(
        text,
        " {} | {} |",
        raw.unwrap_or_default(),
        best.unwrap_or_default()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_ahead_is_so_in_most_rounds() {
        let spread = |low, median, high| Spread { low, median, high };
        let peer = spread(1.0, 1.1, 1.2);
        let cases = [
            (spread(0.7, 0.8, 0.9), Standing::Ahead),
            (spread(0.7, 0.8, 1.1), Standing::Alike),
            (spread(1.1, 1.12, 1.13), Standing::Alike),
            (spread(1.1, 1.5, 1.9), Standing::Alike),
            (spread(1.3, 1.5, 1.9), Standing::Behind),
        ];
        for (halite, standing) in cases {
            assert_eq!(Standing::of(halite, peer), standing, "{halite:?}");
        }
    }
}
