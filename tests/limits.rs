//! What statements may take: memory, and time to be planned. Each runs in a process of its own, the program, which is
//! measured from outside. `HALITE_LIMITS=1` measures all there are, which takes a quarter of an hour; `HALITE_PROGRAM` names
//! another build of the program, such as an optimized one.

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
    /// How long the process has computed, on all of its threads.
    computed: Duration,
    /// The most memory that the process has had so far.
    peak: u64,
}

impl Measured {
    /// In words of so many letters at most.
    fn answer(&self, letters: usize) -> String {
        match &self.refused {
            None => "answered".to_owned(),
            Some(refused) => format!(
                "refused: {}",
                refused.chars().take(letters).collect::<String>()
            ),
        }
    }

    /// Whether the program came to a state that it should not come to.
    fn is_broken(&self) -> bool {
        let refused = self.refused.as_deref().unwrap_or_default();
        refused.contains("panic") || refused.contains("inside of Halite")
    }
}

/// Whether everything is to be measured.
fn is_whole() -> bool {
    std::env::var_os("HALITE_LIMITS").is_some()
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
        let computed = computed(self.child.id())?;
        let input = self.input.as_mut().unwrap();
        let sent = writeln!(input, "{sql}\n;\n.mode csv\nSELECT '{done}' AS \"x\";");
        if sent.and_then(|()| input.flush()).is_err() {
            return None;
        }
        let mut refused: Option<String> = None;
        let mut refuse = |line: &str| {
            let complaint = line.strip_prefix("log: ");
            if let Some(complaint) = complaint.filter(|it| !it.starts_with("made a new database")) {
                refused.get_or_insert_default().push_str(complaint);
            }
        };
        loop {
            let line = self.lines.recv_timeout(PATIENCE).ok()?;
            if line == done {
                break;
            }
            refuse(&line);
        }
        let time = start.elapsed();
        // Both outputs are read side by side: the complaint may be late.
        thread::sleep(Duration::from_millis(5));
        while let Ok(line) = self.lines.try_recv() {
            refuse(&line);
        }
        Some(Measured {
            refused,
            time,
            computed: self::computed(self.child.id())?.saturating_sub(computed),
            peak: peak(self.child.id())?,
        })
    }

    /// The most memory that the process has had so far.
    fn peak(&self) -> u64 {
        peak(self.child.id()).unwrap_or_default()
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

/// Ticks of the clock that the system counts the times of processes with.
const TICKS_A_SECOND: f64 = 100.0;

/// How long a process has computed.
fn computed(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    let stat = stat.ok()?;
    // The name of the program, which may hold anything, stands in parentheses before.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks = times
        .map(|time| time.parse::<f64>().ok())
        .sum::<Option<f64>>()?;
    Some(Duration::from_secs_f64(ticks / TICKS_A_SECOND))
}
