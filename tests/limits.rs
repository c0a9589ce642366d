//! What statements may take: memory, and time to be planned. Each runs in a process of its own, the program, which is
//! measured from outside.

mod memory;
mod texts;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::halite;

/// How long an answer is waited for before the program counts as lost.
const PATIENCE: Duration = Duration::from_secs(300);

/// The program, reading statements.
struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    count: u32,
}

/// What a statement came to.
#[derive(Debug)]
struct Measured {
    /// What it was refused with, if it was.
    refused: Option<String>,
    time: Duration,
    /// The most memory that the process has had so far.
    peak: u64,
}

impl Program {
    /// Begins with an empty database in memory.
    fn start() -> Self {
        Self::run(halite().args(["--no-bail", "--format", "csv"]))
    }

    fn run(command: &mut Command) -> Self {
        let pipes = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        let (sender, lines) = channel();
        let outputs: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(child.stdout.take().unwrap()),
            Box::new(child.stderr.take().unwrap()),
        ];
        for (output, mark) in outputs.into_iter().zip(["", "log: "]) {
            let sender = sender.clone();
            thread::spawn(move || {
                // Of a long result nothing but its end is of interest.
                for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                    let line = String::from_utf8_lossy(&line[..line.len().min(400)]).into_owned();
                    let is_told = !mark.is_empty() || line.starts_with("done-");
                    if is_told && sender.send(format!("{mark}{line}")).is_err() {
                        break;
                    }
                }
            });
        }
        Self {
            input: child.stdin.take(),
            child,
            lines,
            count: 0,
        }
    }

    /// Runs a statement and measures it; `None` where the process has ended before it has answered.
    fn measure(&mut self, sql: &str) -> Option<Measured> {
        self.count += 1;
        let done = format!("done-{}", self.count);
        let start = Instant::now();
        let input = self.input.as_mut().unwrap();
        let sent = writeln!(input, "{sql};\nSELECT '{done}' AS \"x\";");
        if sent.and_then(|()| input.flush()).is_err() {
            return None;
        }
        let mut refused: Option<String> = None;
        loop {
            let line = self.lines.recv_timeout(PATIENCE).ok()?;
            if line == done {
                break;
            }
            if let Some(complaint) = line.strip_prefix("log: ") {
                refused.get_or_insert_default().push_str(complaint);
            }
        }
        let time = start.elapsed();
        // Both outputs are read side by side: the complaint may be late.
        thread::sleep(Duration::from_millis(5));
        while let Ok(line) = self.lines.try_recv() {
            if let Some(complaint) = line.strip_prefix("log: ") {
                refused.get_or_insert_default().push_str(complaint);
            }
        }
        Some(Measured {
            refused,
            time,
            peak: peak(self.child.id())?,
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The most memory that a process has had.
fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status"));
    let status = status.ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
