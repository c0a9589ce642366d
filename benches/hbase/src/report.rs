//! `docs/benchmarks-hbase.md`, from what was measured. Nothing in it is written by hand but what each side does: whether a
//! goal is met is said by the figures.

use std::fmt::Write;

use crate::cluster;
use crate::data::{self, Size};
use crate::goal::Figures;
use crate::java;
use crate::machine;
use crate::measure::{Figure, Measured, Way};
use crate::side::halite::Cost;
use crate::side::phoenix::OPTIONS;
use crate::text::{digits, grouped, listed, seconds, spread};
use crate::workload::{Kind, Name};

/// All that is told.
pub struct Report {
    pub size: Size,
    pub way: Way,
    /// What each side is called, with its version.
    pub versions: Vec<String>,
    /// Why Phoenix was not run, if it was not.
    pub missing: Option<String>,
    pub measured: Vec<Measured>,
    /// What a call of each work costs Halite.
    pub costs: Vec<Cost>,
    /// What Phoenix does for some works.
    pub plans: Vec<(&'static str, String)>,
}

impl Report {
    pub fn page(&self) -> String {
        let mut page = self.head();
        page.push_str(&self.tables());
        page.push_str(SIDES);
        let _ = writeln!(
            page,
            "- **Phoenix** has tables with `{OPTIONS}`, and everything else as it is by default: a cell for each column, \
             columns encoded. Statements are prepared; a load commits every 1,000 rows.",
        );
        page.push_str(&self.plans());
        page
    }

    fn head(&self) -> String {
        let mut head = format!(
            "# Benchmarks on HBase\n\nHalite on HBase beside HBase's own Java client and Phoenix: the same {} rows, one cluster, \
             one run, the same answers. `make bench-hbase` writes this page, `make bench-hbase ROWS=…` for another number \
             of rows. Only the ratios mean something elsewhere.\n\n",
            grouped(self.size.rows)
        );
        if let Some(reason) = &self.missing {
            let _ = writeln!(
                head,
                "**PHOENIX WAS NOT RUN:** {reason}. What is held against it is not known.\n"
            );
        }
        let _ = write!(
            head,
            "- **Machine:** {}, of everything: cluster, Java and Halite.\n- **Versions:** {}.\n",
            machine::description(),
            listed(&self.versions)
        );
        let heap = std::env::var("HALITE_HBASE_HEAP").unwrap_or(cluster::HEAP.to_owned());
        let _ = writeln!(
            head,
            "- **Cluster:** one process with ZooKeeper, master and region server, `-Xmx{heap}`, on the local file system, as \
             `make hbase` starts it. Each side has a process of its own, `-Xmx{}` where it is of Java. Tables that are \
             read are compacted to one file a region.",
            java::HEAP
        );
        head.push_str(&self.rounds());
        head
    }

    fn rounds(&self) -> String {
        let figures = self
            .measured
            .iter()
            .filter(|it| it.workload.kind != Kind::Load);
        let figures = figures.flat_map(|measured| &measured.figures);
        let least = figures.map(|figure| figure.unmeasured).min();
        format!(
            "- **Rounds:** {}, and in each every side does every work once, the sides one after the other. A figure is the \
             median of the rounds with the quartiles behind it, of one call, over as many calls as take 0.2 s. Before that \
             every side has done the work unmeasured, for {} s and {} times at least, a load twice: Java is warm. The clock \
             of a side runs in its own process.\n- **Rows:** {} kinds of events in turn, `ev SMALLINT, ts BIGINT, offs \
             BIGINT`, four more numbers and a text of 6 to 12 letters, under `PRIMARY KEY (salt(16), ev, ts, offs)`.\n- \
             **Before anything is timed** each side must give the answers that the generator of the rows knows; raw Java \
             those of the keys, as it decodes nothing.\n",
            self.way.rounds,
            digits(self.way.warm).trim_end_matches(".00"),
            grouped(least.unwrap_or_default()),
            data::KINDS,
        )
    }

    /// Goals and figures.
    pub fn tables(&self) -> String {
        self.goals() + &self.figures()
    }

    fn goals(&self) -> String {
        let (mut met, mut all, mut lines) = (0, 0, String::new());
        for (measured, cost) in self.measured.iter().zip(&self.costs) {
            let figures = Figures {
                halite: measured.median(Name::Halite),
                raw: measured.median(Name::Raw),
                phoenix: measured.median(Name::Phoenix),
                requests: Some(cost.sent),
            };
            for goal in &measured.workload.goals {
                let verdict = goal.judge(&figures);
                all += 1;
                met += usize::from(verdict.met == Some(true));
                let _ = writeln!(
                    lines,
                    "| {} | {} | {} | {} |",
                    measured.workload.name,
                    verdict.goal,
                    verdict.reached,
                    match verdict.met {
                        Some(true) => "met",
                        Some(false) => "**missed**",
                        None => "**not measured**",
                    }
                );
            }
        }
        format!(
            "\n## Goals\n\n{met} of {all} are met.\n\n| work | goal | reached | |\n|---|---|---:|---|\n{lines}"
        )
    }

    fn figures(&self) -> String {
        let mut text = "\n## Figures\n\nThe time of one call. *Requests* and *regions* are those of Halite's scan, as `EXPLAIN \
                        ANALYZE` counts them; *sent* is all that its process has sent for a call, as `SHOW STORE` does.\n\n\
                        | | Halite | raw Java | Phoenix | ÷ raw | ÷ Phoenix | requests | regions | sent |\n\
                        |---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
        for (measured, cost) in self.measured.iter().zip(&self.costs) {
            let cell = |name| measured.best(name).map(shown).unwrap_or_default();
            let ratio = |name| {
                let (halite, other) = (measured.median(Name::Halite)?, measured.median(name)?);
                Some(digits(halite / other))
            };
            let (requests, regions) = cost.scanned.unzip();
            let count = |count: Option<usize>| count.map(grouped).unwrap_or_default();
            let _ = writeln!(
                text,
                "| {}{} | {} | {} | {} | {} | {} | {} | {} | {} |",
                measured.workload.name,
                self.rate(measured),
                cell(Name::Halite),
                cell(Name::Raw),
                cell(Name::Phoenix),
                ratio(Name::Raw).unwrap_or_default(),
                ratio(Name::Phoenix).unwrap_or_default(),
                count(requests),
                count(regions),
                cost.sent,
            );
        }
        text.push_str(&self.ways());
        text
    }

    /// Rows a second, where a work is about many.
    fn rate(&self, measured: &Measured) -> String {
        let rows = match measured.workload.kind {
            Kind::Sum => self.size.rows,
            Kind::Load => self.size.part(),
            _ => return String::new(),
        };
        let took = measured.median(Name::Halite).unwrap_or(f64::NAN);
        let rate = (rows as f64 / took).round() as usize;
        format!(
            ", {} rows (Halite: {} rows a second)",
            grouped(rows),
            grouped(rate)
        )
    }

    /// Works that a side does in several ways.
    fn ways(&self) -> String {
        let mut text = String::new();
        for measured in &self.measured {
            let ways = measured
                .figures
                .iter()
                .filter(|figure| !figure.way.is_empty());
            let ways: Vec<String> = ways
                .map(|figure| format!("`{}` {}", figure.way, seconds(figure.spread.median)))
                .collect();
            if ways.len() > 1 {
                let _ = writeln!(
                    text,
                    "\n*{}* is done by raw Java in {} ways, of which the quicker counts: {}.",
                    measured.workload.name,
                    ways.len(),
                    listed(&ways)
                );
            }
        }
        text
    }

    fn plans(&self) -> String {
        let mut text = String::new();
        for (name, plan) in &self.plans {
            let _ = writeln!(text, "- Phoenix' plan of {name}: `{plan}`");
        }
        text
    }
}

fn shown(figure: &Figure) -> String {
    spread(figure.spread)
}

/// What each side does.
const SIDES: &str = "
## The sides

- **Halite** is built as in a build of every day, its own code at `opt-level` 3 without debug assertions. Statements are \
prepared and run in the process; a result is read to its last row. A session is as it is by default: what is acknowledged is on \
the disk of the region server (`FSYNC_WAL`), and an INSERT or a COPY checks that no key is there.
- **Raw Java** reads Halite's own tables: the same regions, files and cells. It looks at the bytes of cells and decodes nothing. \
A point is a `Get`; a list of keys is one `get(List)`; what is in all salts is 16 scans in a pool of 16 threads, with \
`ReadType.PREAD`, and the newest rows are 16 reversed scans with `setLimit(10)`, merged. A full scan has \
`setCaching(5000)`, and is done by one scanner (`1`) and by one for each region at once (`16`). Blocks are cached in all of \
them. A load puts cells that it has read from Halite's table before, so with the same keys, values and time stamps, through a \
`BufferedMutator` with its default buffer and `FSYNC_WAL`, into a new table with the regions of Halite's; in the order of \
keys (`sorted`) and in none (`shuffled`). It checks for no key. An insert is a `checkAndMutate` of a row that is not there.
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spread::Spread;
    use crate::workload;

    #[test]
    fn a_page_says_what_is_met_missed_and_unknown() -> anyhow::Result<()> {
        let figure = |side, median| Figure {
            side,
            way: "",
            spread: Spread {
                low: median,
                median,
                high: median,
            },
            unmeasured: 10,
        };
        let measured = workload::all().into_iter().map(|workload| Measured {
            workload,
            figures: vec![figure(Name::Halite, 0.001), figure(Name::Raw, 0.000_85)],
        });
        let measured: Vec<Measured> = measured.collect();
        let report = Report {
            size: Size::new(100_000)?,
            way: Way {
                rounds: 3,
                warm: 3.0,
            },
            versions: vec!["Halite 1".to_owned(), "HBase 2".to_owned()],
            missing: Some("no network".to_owned()),
            costs: vec![Cost::default(); measured.len()],
            plans: Vec::new(),
            measured,
        };
        let page = report.page();
        for line in [
            "**PHOENIX WAS NOT RUN:** no network.",
            "| point, prepared | ≤ 1.25 × raw Java | 1.18 | met |",
            "| 1,249 rows over 16 salts | ≤ 1.1 × raw Java | 1.18 | **missed** |",
            "| point, prepared | ≤ 0.4 × Phoenix |  | **not measured** |",
            "| INSERT of one row | ≤ 5 requests | 0 | met |",
            "6 of 13 are met.",
        ] {
            assert!(page.contains(line), "{line} is not in\n{page}");
        }
        Ok(())
    }
}
