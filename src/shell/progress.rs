//! What a statement that takes long is doing: after a second, a line with the time, the keys read so far, and of one
//! that writes the rows, with a bar where it is known how many there will be.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::text::{cut, grouped, size};
use crate::run::meter::Meter;
use crate::session::{Phase, Progress as Written, ProgressReport};

/// How long a statement may take without a word.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line changes.
const TICK: Duration = Duration::from_millis(100);
/// What turns to show that the program is alive.
const SIGNS: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How many characters the bar has.
const BAR: usize = 20;

/// A line on standard error, which is gone when this is dropped. It has a thread of its own: a statement that keeps
/// every thread of the runtime busy must not look as if it stood still.
pub struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to wait, and then to show how far a statement is.
    pub fn start(meter: Arc<Meter>, written: Written) -> Self {
        Self::show(move |elapsed| {
            let keys = meter.totals().keys_read as u64;
            told(elapsed, keys, &written.report())
        })
    }

    /// Begins to wait, and then to show what `tell` says after so much time.
    pub fn show(tell: impl Fn(Duration) -> String + Send + 'static) -> Self {
        let (stop, stopped) = channel();
        let start = Instant::now();
        let thread = std::thread::spawn(move || {
            let (mut waiting, mut shown) = (PATIENCE, false);
            for sign in SIGNS.iter().cycle() {
                if stopped.recv_timeout(waiting) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                draw(&format!("{sign} {}", tell(start.elapsed())));
                (waiting, shown) = (TICK, true);
            }
            if shown {
                draw("");
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Puts a line in the place of the one before; the cursor stays on it. It is cut to the terminal, for a line that is
/// broken could not be taken back.
fn draw(line: &str) {
    let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
    let line = cut(line, usize::from(width).saturating_sub(1));
    let mut log = io::stderr().lock();
    // Where standard error is gone, nobody misses it.
    write!(log, "\r\u{1b}[2K{line}")
        .and_then(|()| log.flush())
        .ok();
}

/// `12 s, 1,234,567 keys read; Ctrl-C stops it`.
fn told(elapsed: Duration, keys: u64, written: &ProgressReport) -> String {
    let mut line = format!("{} s", elapsed.as_secs());
    if let Some(fraction) = written.fraction() {
        line += &format!(", {}", bar(fraction));
    }
    if keys > 0 {
        line += &format!(", {} keys read", grouped(keys));
    }
    if written.rows_read > 0 {
        line += &rows(elapsed, written);
    }
    if written.phase == Phase::Finishing {
        return line + "; it is about to end";
    }
    line + "; Ctrl-C stops it"
}

/// `███████░░░░░░░░░░░░░ 35 %`.
fn bar(fraction: f64) -> String {
    let full = (fraction * BAR as f64) as usize;
    let (full, rest) = ("█".repeat(full), "░".repeat(BAR.saturating_sub(full)));
    format!("{full}{rest} {:.0} %", (fraction * 100.0).floor())
}

/// `, 1,234,567 rows (102,880/s), 84.1 MB of 361.0 MB`.
fn rows(elapsed: Duration, written: &ProgressReport) -> String {
    let rate = (written.rows_read as f64 / elapsed.as_secs_f64()) as u64;
    let mut text = format!(
        ", {} rows ({}/s)",
        grouped(written.rows_read),
        grouped(rate)
    );
    if written.bytes_total > 0 {
        let (read, total) = (size(written.bytes_read), size(written.bytes_total));
        text += &format!(", {read} of {total}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_time_and_keys() {
        let told = |seconds: u64, keys| {
            let elapsed = Duration::from_millis(seconds * 1000 + 900);
            told(elapsed, keys, &ProgressReport::default())
        };
        assert_eq!(told(1, 0), "1 s; Ctrl-C stops it");
        assert_eq!(
            told(75, 1_234_567),
            "75 s, 1,234,567 keys read; Ctrl-C stops it"
        );
    }

    #[test]
    fn the_line_of_a_load_has_a_bar() {
        let written = ProgressReport {
            phase: Phase::Reading,
            rows_read: 1_000_000,
            bytes_read: 30_000_000,
            bytes_total: 40_000_000,
            ..ProgressReport::default()
        };
        assert_eq!(
            told(Duration::from_secs(8), 0, &written),
            "8 s, ██████████░░░░░░░░░░ 50 %, 1,000,000 rows (125,000/s), 30.0 MB of 40.0 MB; Ctrl-C stops it"
        );
        let written = ProgressReport {
            phase: Phase::Finishing,
            bytes_total: 0,
            ..written
        };
        assert_eq!(
            told(Duration::from_secs(2), 5, &written),
            "2 s, ████████████████████ 100 %, 5 keys read, 1,000,000 rows (500,000/s); it is about to end"
        );
    }

    #[test]
    fn it_ends_at_once() {
        let start = Instant::now();
        drop(Progress::start(Arc::default(), Written::default()));
        assert!(start.elapsed() < PATIENCE);
    }
}
