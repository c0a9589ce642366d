//! What a statement that takes long is doing: after a second, a line with the time and the keys read so far.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::text::{cut, grouped};
use crate::session::Meter;

/// How long a statement may take without a word.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line changes.
const TICK: Duration = Duration::from_millis(100);
/// What turns to show that the program is alive.
const SIGNS: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// A line on standard error, which is gone when this is dropped. It has a thread of its own: a statement that keeps
/// every thread of the runtime busy must not look as if it stood still.
pub struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to wait, and then to show.
    pub fn start(meter: Arc<Meter>) -> Self {
        let (stop, stopped) = channel();
        let start = Instant::now();
        let thread = std::thread::spawn(move || {
            let (mut waiting, mut shown) = (PATIENCE, false);
            for sign in SIGNS.iter().cycle() {
                if stopped.recv_timeout(waiting) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                let line = told(start.elapsed(), meter.totals().keys_read as u64);
                draw(&format!("{sign} {line}"));
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
fn told(elapsed: Duration, keys: u64) -> String {
    let seconds = elapsed.as_secs();
    let read = if keys == 0 {
        String::new()
    } else {
        format!(", {} keys read", grouped(keys))
    };
    format!("{seconds} s{read}; Ctrl-C stops it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_time_and_keys() {
        let told = |seconds: u64, keys| told(Duration::from_millis(seconds * 1000 + 900), keys);
        assert_eq!(told(1, 0), "1 s; Ctrl-C stops it");
        assert_eq!(
            told(75, 1_234_567),
            "75 s, 1,234,567 keys read; Ctrl-C stops it"
        );
    }

    #[test]
    fn it_ends_at_once() {
        let start = Instant::now();
        drop(Progress::start(Arc::new(Meter::default())));
        assert!(start.elapsed() < PATIENCE);
    }
}
