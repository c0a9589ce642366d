//! `halite copy`.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use super::failure::Failure;
use super::interrupt::Interrupts;
use super::progress::Progress;
use super::report;
use super::text::{counted, grouped, size};
use crate::admin::transfer::{
    Selection, TableCopy, TableTally, Transfer, TransferPhase, TransferReport, TransferStep,
};
use crate::error::{Error, ErrorKind};
use crate::session::Database;
use crate::store::Place;

/// How long a statement that is under way may take to end, when the copy is stopped.
const PATIENCE: Duration = Duration::from_secs(3);

/// What `halite copy` is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The database that is copied.
    pub from: &'a Path,
    /// The one that it is copied into.
    pub to: &'a Path,
    /// The names of what is copied; none is all.
    pub tables: &'a [String],
    /// How many bytes of rows are written at a time.
    pub chunk_bytes: Option<usize>,
}

/// Copies what is wanted, and writes a line to `out` for each table when it has been compared.
///
/// # Errors
/// A report that says what is in the way, what differs, or how to go on; also if `out` takes no more.
pub async fn copy(
    wanted: &Wanted<'_>,
    interrupts: &Interrupts,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut transfer = tokio::select! {
        planned = planned(wanted) => planned?,
        () = interrupts.pressed() => return Err(Failure::Interrupted),
    };
    let progress = transfer.progress().clone();
    let differ = {
        let mut running = pin!(run(&mut transfer, wanted, out));
        tokio::select! {
            ended = &mut running => ended?,
            () = interrupts.pressed() => {
                progress.stop();
                // What a statement has begun is whole or has not been, whether it is waited for or not.
                tokio::time::timeout(PATIENCE, running).await.ok();
                return Err(Failure::Interrupted);
            }
        }
    };
    out.flush()?;
    match differ {
        0 => Ok(()),
        differ => Err(Failure::Statement(format!(
            "error: {} not the same in {} and in {}: drop what differs in {}, and copy it again",
            match differ {
                1 => "1 table is".to_owned(),
                differ => format!("{} tables are", grouped(differ)),
            },
            wanted.from.display(),
            wanted.to.display(),
            wanted.to.display()
        ))),
    }
}

/// Opens both databases. The source comes first: where there is nothing to copy no target is made.
async fn planned(wanted: &Wanted<'_>) -> Result<Transfer, Error> {
    refuse_same(wanted)?;
    let name = |path: &Path| path.display().to_string();
    let opening =
        |path: &Path, error: Error| error.context(format_args!("opening {}", path.display()));
    let from = Database::open_read_only(wanted.from).await;
    let from = from.map_err(|error| opening(wanted.from, error))?;
    let selection = Selection::new(&from, &name(wanted.from), wanted.tables).await?;
    let to = Database::open(wanted.to).await;
    let to = to.map_err(|error| opening(wanted.to, error))?;
    let transfer = Transfer::new(selection, &to, &name(wanted.to)).await?;
    Ok(match wanted.chunk_bytes {
        Some(bytes) => transfer.with_chunks_of(bytes),
        None => transfer,
    })
}

fn refuse_same(wanted: &Wanted<'_>) -> Result<(), Error> {
    let is_same = match (Place::of(wanted.from), Place::of(wanted.to)) {
        (Place::Cluster(from), Place::Cluster(to)) => from == to,
        (Place::Directory(from), Place::Directory(to)) => {
            let real = |path: &Path| fs::canonicalize(path).ok();
            from == to || real(from).is_some_and(|from| Some(from) == real(to))
        }
        _ => false,
    };
    if is_same {
        Err(Error::invalid(format!(
            "{} cannot be copied into itself: name another database",
            wanted.from.display()
        )))
    } else {
        Ok(())
    }
}

/// Copies, and gives how many tables differ in the end.
async fn run(
    transfer: &mut Transfer,
    wanted: &Wanted<'_>,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let mut differ = 0;
    loop {
        // The line is gone before another is written.
        let shown = io::stderr().is_terminal().then(|| shown(transfer));
        let step = transfer.step().await;
        drop(shown);
        let step = match step {
            Ok(Some(step)) => step,
            Ok(None) => return Ok(differ),
            Err(error) => return Err(Failure::Statement(unfinished(&error))),
        };
        if let TransferStep::Table(copy) = &step {
            differ += u64::from(copy.difference.is_some());
        }
        writeln!(out, "{}", summary(&step, wanted))?;
        // A table may take hours: what is known of it is not kept back.
        out.flush()?;
    }
}

/// The line that tells how far a table is.
fn shown(transfer: &Transfer) -> Progress {
    let progress = transfer.progress().clone();
    Progress::show(move |elapsed| told(elapsed, &progress.report()))
}

/// The report of an error that has ended a copy.
fn unfinished(error: &Error) -> String {
    let text = report::message(error);
    match error.kind() {
        ErrorKind::Unavailable | ErrorKind::Interrupted => {
            format!("{text}\n  What has been copied stays; the same command goes on behind it.")
        }
        _ => text,
    }
}

/// ``table `t`: 1,234 rows, 56,789 bytes, checksum 00c0ffee00c0ffee on both sides``.
fn summary(step: &TransferStep, wanted: &Wanted<'_>) -> String {
    match step {
        TransferStep::Sequence(name, None) => format!("sequence `{name}`: no number given yet"),
        TransferStep::Sequence(name, Some(last)) => {
            format!("sequence `{name}`: numbers behind {last}")
        }
        TransferStep::View(name) => format!("view `{name}`"),
        TransferStep::Table(copy) => summary_of_table(copy, wanted),
    }
}

fn summary_of_table(copy: &TableCopy, wanted: &Wanted<'_>) -> String {
    let TableCopy {
        table,
        source,
        target,
        ..
    } = copy;
    if let Some(difference) = &copy.difference {
        let (from, to) = (wanted.from.display(), wanted.to.display());
        let (source, target) = (tallied(source), tallied(target));
        return format!(
            "table `{table}`: NOT THE SAME: {difference}\n  {from}: {source}\n  {to}: {target}"
        );
    }
    let before = match source.rows.saturating_sub(copy.written) {
        0 => String::new(),
        before => format!(", {} there before", grouped(before)),
    };
    format!("table `{table}`: {} on both sides{before}", tallied(source))
}

fn tallied(tally: &TableTally) -> String {
    format!(
        "{}, {}, checksum {:016x}",
        counted(tally.rows, "row"),
        counted(tally.bytes, "byte"),
        tally.checksum
    )
}

/// ``12 s, copying `event`, 1,234,567 rows, 84.1 MB; Ctrl-C stops it``.
fn told(elapsed: Duration, report: &TransferReport) -> String {
    let doing = match report.phase {
        TransferPhase::Copying => "copying",
        TransferPhase::Comparing => "comparing",
    };
    format!(
        "{} s, {doing} `{}`, {}, {}; Ctrl-C stops it, and the same command goes on",
        elapsed.as_secs(),
        report.table,
        counted(report.rows, "row"),
        size(report.bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_is_done_with_which_table() {
        let report = TransferReport {
            table: "event".to_owned(),
            phase: TransferPhase::Comparing,
            rows: 1_234_567,
            bytes: 84_100_000,
        };
        assert_eq!(
            told(Duration::from_secs(12), &report),
            "12 s, comparing `event`, 1,234,567 rows, 84.1 MB; Ctrl-C stops it, and the same command goes on"
        );
    }
}
