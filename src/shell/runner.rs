//! Runs statements: each in a task of its own, its rows written as they come, stopped by Ctrl-C.
//!
//! The task runs on threads of its own, so that a statement that keeps them busy can be stopped, too: it ends where it
//! next waits for something, and until then the shell goes on with other threads.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::StreamExt;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::failure::{Failure, Trouble};
use super::format::{Format, Page};
use super::interrupt::Interrupts;
use super::output::ResultWriter;
use super::progress::Progress;
use super::state::Shell;
use super::style::Role;
use super::text::{counted, grouped, size};
use super::threads::{PATIENCE, runtime};
use crate::error::Error;
use crate::run::meter::Meter;
use crate::run::outcome::Outcome;
use crate::scan::ScanTotals;
use crate::session::{Connection, Statement};

/// How often it is looked whether it has ended.
const TICK: Duration = Duration::from_millis(5);

/// What a running statement tells, in this order: what it gives, then its rows, then that it has ended.
enum Event {
    Columns(SchemaRef),
    Rows(RecordBatch),
    Affected { verb: &'static str, rows: u64 },
    Done { verb: String },
    Failed(Error),
    Ended,
}

/// Runs a statement and tells of it until it has ended or nobody listens.
async fn drive(connection: Connection, statement: Statement, events: Sender<Event>) {
    let last = match connection.run(&statement).await {
        Ok(Outcome::Rows(mut stream)) => {
            if events.send(Event::Columns(stream.schema())).await.is_err() {
                return;
            }
            loop {
                let event = match stream.next().await {
                    Some(Ok(batch)) => Event::Rows(batch),
                    Some(Err(error)) => break Event::Failed(error.into()),
                    None => break Event::Ended,
                };
                if events.send(event).await.is_err() {
                    return;
                }
            }
        }
        Ok(Outcome::Affected { verb, rows }) => Event::Affected { verb, rows },
        Ok(Outcome::Done { verb }) => Event::Done { verb },
        Err(error) => Event::Failed(error),
    };
    events.send(last).await.ok();
}

/// What a statement has given.
enum Given {
    Rows(u64),
    Affected(u64),
    /// As a COPY does.
    Copied(u64),
    Nothing,
}

impl Shell<'_> {
    fn interrupts(&self) -> Result<Interrupts, Error> {
        self.interrupts.clone().map_or_else(Interrupts::listen, Ok)
    }

    /// What `work` gives, which may wait for the system without end, as whoever opens a pipe does that nobody has the
    /// other end of. It is done on a thread of its own, which Ctrl-C leaves behind.
    ///
    /// # Errors
    /// `Interrupted`; where the system has no thread left.
    pub(super) fn unless_interrupted<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let interrupts = self.interrupts()?;
        let (sender, done) = oneshot::channel();
        let thread = std::thread::Builder::new().name("waiting".to_owned());
        let started = thread.spawn(move || sender.send(work()).ok());
        started.map_err(|error| Error::unavailable("cannot start a thread").with_source(error))?;
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                done = done => Ok(done.map_err(|_| Error::internal("a thread broke off"))?),
                () = interrupts.pressed() => Err(Failure::Interrupted),
            }
        })
    }

    /// Waits, until Ctrl-C at the longest.
    ///
    /// # Errors
    /// `Interrupted`; where the system has no thread left.
    pub(super) fn pause(&self, pause: Duration) -> Result<(), Failure> {
        let interrupts = self.interrupts()?;
        self.runtime.block_on(async {
            tokio::select! {
                () = interrupts.pressed() => Err(Failure::Interrupted),
                () = tokio::time::sleep(pause) => Ok(()),
            }
        })
    }

    /// Runs one statement, shows what it gives and, if asked for, what it cost.
    pub(super) fn run(&mut self, statement: &Statement) -> Result<(), Trouble> {
        let meter = Arc::new(Meter::default());
        let start = Instant::now();
        let (sender, mut events) = channel(2);
        let connection = self.connection.metered(Arc::clone(&meter));
        let written = connection.progress().clone();
        let workers = match self.workers.take() {
            Some(workers) => workers,
            None => runtime()?,
        };
        let task = workers.spawn(drive(connection, statement.clone(), sender));
        let progress = self
            .outputs
            .shows_progress()
            .then(|| Progress::start(Arc::clone(&meter), written.clone()));
        let interrupts = self.interrupts()?;
        let runtime = self.runtime;
        let shown = runtime.block_on(async {
            tokio::select! {
                shown = self.show(&mut events, progress) => shown,
                () = interrupts.pressed() => Err(Trouble::Interrupted),
            }
        });
        let shown = match shown {
            Err(Trouble::Interrupted) => self.stop(task, workers, &mut events),
            shown => {
                task.abort();
                self.workers = Some(workers);
                shown
            }
        };
        let ended = self.outputs.end_result();
        self.tell_warnings()?;
        let given = shown?;
        ended?;
        let cost = Cost {
            given,
            totals: meter.totals(),
            file_bytes: written.report().bytes_read,
            seconds: start.elapsed().as_secs_f64(),
        };
        if self.settings.timer {
            let colors = self.outputs.log_colors();
            let cost = cost.to_string();
            self.outputs.log(&colors.paint(Role::Quiet, &cost))?;
        }
        Ok(())
    }

    /// Stops a statement: it ends at its next await. A change that has been made before that is told as what it is.
    fn stop(
        &mut self,
        task: JoinHandle<()>,
        workers: Runtime,
        events: &mut Receiver<Event>,
    ) -> Result<Given, Trouble> {
        task.abort();
        // Not the runtime's clock, which stands still while its threads are busy.
        let start = Instant::now();
        let database = self.connection.database();
        let goes_on = || !task.is_finished() || database.has_statements();
        while goes_on() && start.elapsed() < PATIENCE {
            std::thread::sleep(TICK);
        }
        if task.is_finished() {
            self.workers = Some(workers);
        } else {
            // The next statement must not wait behind it.
            workers.shutdown_background();
        }
        match events.try_recv() {
            Ok(Event::Affected { verb, rows }) => self.tell_affected(verb, rows),
            Ok(Event::Done { verb }) => self.tell_done(&verb),
            _ => Err(Trouble::Interrupted),
        }
    }

    /// Tells what the statement has warned of, wherever its result goes.
    fn tell_warnings(&mut self) -> Result<(), Trouble> {
        let colors = self.outputs.log_colors();
        for warning in self.connection.warnings().take() {
            let sign = colors.paint(Role::Hint, "warning:");
            self.outputs.log(&format!("{sign} {warning}"))?;
        }
        Ok(())
    }

    fn tell_affected(&mut self, verb: &str, rows: u64) -> Result<Given, Trouble> {
        // What programs read are results alone.
        if self.settings.format.for_people() {
            let told = format!("{verb}: {}", counted(rows, "row"));
            self.outputs.tell(&told)?;
        }
        Ok(match verb {
            // Into a table or out of it: how many bytes of files were read tells.
            "COPY" => Given::Copied(rows),
            _ => Given::Affected(rows),
        })
    }

    fn tell_done(&mut self, verb: &str) -> Result<Given, Trouble> {
        if self.settings.format.for_people() {
            self.outputs.tell(verb)?;
        }
        Ok(Given::Nothing)
    }

    async fn show(
        &mut self,
        events: &mut Receiver<Event>,
        progress: Option<Progress>,
    ) -> Result<Given, Trouble> {
        let format = self.settings.format;
        match events.recv().await {
            Some(Event::Columns(schema)) => {
                let page = self.page();
                let pages = self.pages();
                let mut out = self.outputs.result(pages, progress);
                match show_rows(format, page, schema, events, &mut out).await {
                    Err(Trouble::Output(error)) => {
                        out.trouble(error).map_or(Ok(Given::Nothing), Err)
                    }
                    Err(trouble) => Err(trouble),
                    Ok(rows) => {
                        out.finish()?;
                        Ok(Given::Rows(rows))
                    }
                }
            }
            Some(Event::Affected { verb, rows }) => {
                drop(progress);
                self.tell_affected(verb, rows)
            }
            Some(Event::Done { verb }) => {
                drop(progress);
                self.tell_done(&verb)
            }
            Some(Event::Failed(error)) => Err(error.into()),
            Some(Event::Rows(_) | Event::Ended) | None => Err(broken_off().into()),
        }
    }
}

async fn show_rows(
    format: &dyn Format,
    page: Page,
    schema: SchemaRef,
    events: &mut Receiver<Event>,
    out: &mut ResultWriter<'_>,
) -> Result<u64, Trouble> {
    let mut rows = 0;
    // Of a statement that fails before its first row no heading is shown.
    let mut next = events.recv().await;
    if let Some(Event::Failed(error)) = next {
        return Err(error.into());
    }
    let mut sheet = format.sheet(schema, page, out)?;
    loop {
        match next {
            Some(Event::Rows(batch)) => {
                rows += batch.num_rows() as u64;
                sheet.batch(&batch)?;
            }
            Some(Event::Ended) => break,
            Some(Event::Failed(error)) => return Err(error.into()),
            _ => return Err(broken_off().into()),
        }
        next = events.recv().await;
    }
    sheet.finish()?;
    out.flush()?;
    Ok(rows)
}

/// The task ended without a word: it has panicked, and said so on standard error.
fn broken_off() -> Error {
    Error::internal("the statement broke off")
}

/// What a statement cost.
struct Cost {
    given: Given,
    totals: ScanTotals,
    /// How many bytes of files a load has read.
    file_bytes: u64,
    seconds: f64,
}

/// `331 rows, 331 keys read in 1 range (44.1 kB), 0.004 s`.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.given {
            Given::Rows(rows) => write!(f, "{}, ", counted(rows, "row"))?,
            Given::Copied(rows) | Given::Affected(rows) if self.file_bytes > 0 => {
                let rate = grouped((rows as f64 / self.seconds) as u64);
                let (rows, read) = (counted(rows, "row"), size(self.file_bytes));
                write!(f, "{rows} loaded from {read}, {rate} rows/s, ")?;
            }
            Given::Copied(rows) => write!(f, "{} copied, ", counted(rows, "row"))?,
            Given::Affected(rows) => write!(f, "{} changed, ", counted(rows, "row"))?,
            Given::Nothing => {}
        }
        let totals = &self.totals;
        if totals.ranges > 0 {
            let keys = counted(totals.keys_read as u64, "key");
            let ranges = counted(totals.ranges as u64, "range");
            write!(f, "{keys} read in {ranges}")?;
            if totals.seeks > totals.ranges {
                write!(f, " by {} seeks", grouped(totals.seeks as u64))?;
            }
            write!(f, " ({}), ", size(totals.bytes_read as u64))?;
            if totals.deleted > 0 {
                write!(
                    f,
                    "{} deleted passed over, ",
                    grouped(totals.deleted as u64)
                )?;
            }
        }
        write!(f, "{:.3} s", self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_told_on_a_line() {
        let cost = |given, ranges, seeks, keys_read| {
            let totals = ScanTotals {
                ranges,
                seeks,
                keys_read,
                bytes_read: 44_100,
                ..ScanTotals::default()
            };
            let seconds = 0.0042;
            Cost {
                given,
                totals,
                file_bytes: 0,
                seconds,
            }
            .to_string()
        };
        assert_eq!(
            cost(Given::Rows(331), 1, 1, 331),
            "331 rows, 331 keys read in 1 range (44.1 kB), 0.004 s"
        );
        assert_eq!(
            cost(Given::Affected(1), 1, 30, 1_146),
            "1 row changed, 1,146 keys read in 1 range by 30 seeks (44.1 kB), 0.004 s"
        );
        let behind_deleted = Cost {
            given: Given::Rows(2),
            totals: ScanTotals {
                ranges: 1,
                seeks: 1,
                keys_read: 2,
                bytes_read: 60,
                deleted: 294_000,
                ..ScanTotals::default()
            },
            file_bytes: 0,
            seconds: 0.193,
        };
        assert_eq!(
            behind_deleted.to_string(),
            "2 rows, 2 keys read in 1 range (60 B), 294,000 deleted passed over, 0.193 s"
        );
        assert_eq!(cost(Given::Copied(2), 0, 0, 0), "2 rows copied, 0.004 s");
        assert_eq!(cost(Given::Nothing, 0, 0, 0), "0.004 s");
        let load = Cost {
            given: Given::Copied(10_000),
            totals: ScanTotals::default(),
            file_bytes: 1_500_000,
            seconds: 0.5,
        };
        assert_eq!(
            load.to_string(),
            "10,000 rows loaded from 1.5 MB, 20,000 rows/s, 0.500 s"
        );
    }
}
