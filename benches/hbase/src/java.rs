//! The sides that are programs of Java: compiled when they are needed, each a process that is told by lines what to do
//! (`Side.java`). The words of a line are divided by tabs.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::answer::Answer;
use crate::cluster::Cluster;
use crate::repository;

/// The memory of each.
pub const HEAP: &str = "2g";
const SOURCES: [&str; 3] = ["Side", "Raw", "Phoenix"];

/// What is compiled, and how it is started.
pub struct Programs {
    /// Options of Java, with the class path.
    options: Vec<String>,
    /// Where they log.
    place: PathBuf,
    /// Where ZooKeeper is.
    pub zookeeper: String,
}

impl Programs {
    /// Compiles them. `Phoenix.java` knows nothing but JDBC, so it does without the jars as well.
    pub fn compile(cluster: &Cluster, place: &Path) -> Result<Self> {
        let classes = place.join("classes");
        std::fs::create_dir_all(&classes)?;
        let mut options = cluster.java_options()?;
        let jars = options.pop().context("no class path")?;
        let sources = SOURCES.map(|name| {
            let file = format!("benches/hbase/java/{name}.java");
            repository().join(file)
        });
        let status = Command::new("javac")
            .args(["-nowarn", "-cp", &jars, "-d"])
            .arg(&classes)
            .args(sources)
            .status()
            .context("javac: on Debian, apt-get install openjdk-17-jdk-headless")?;
        ensure!(status.success(), "javac: {status}");
        options.push(format!("{}:{jars}", classes.display()));
        Ok(Self {
            options,
            place: place.to_owned(),
            zookeeper: cluster.zookeeper()?,
        })
    }

    /// Starts one.
    pub fn start(&self, name: &'static str, arguments: &[&str]) -> Result<Program> {
        let log = self.place.join(format!("{name}.log"));
        let mut child = Command::new("java")
            .arg(format!("-Xmx{HEAP}"))
            .args(&self.options)
            .arg(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()
            .context("java")?;
        let output = child.stdout.take().context("no output")?;
        Ok(Program {
            name,
            log,
            input: child.stdin.take(),
            output: BufReader::new(output),
            child,
        })
    }
}

/// A process, which ends with its standard input.
pub struct Program {
    name: &'static str,
    log: PathBuf,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// The words that it answers.
    pub fn ask<T: AsRef<str>>(&mut self, words: &[T]) -> Result<Vec<String>> {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let asked = self.send(&words.join("\t"));
        asked.with_context(|| {
            let shown: String = words.join(" ").chars().take(200).collect();
            format!("{}.java, {shown}; see {}", self.name, self.log.display())
        })
    }

    fn send(&mut self, line: &str) -> Result<Vec<String>> {
        let input = self.input.as_mut().context("it has ended")?;
        writeln!(input, "{line}")?;
        input.flush()?;
        let mut reply = String::new();
        ensure!(self.output.read_line(&mut reply)? > 0, "it has ended");
        read(&reply)
    }

    /// Does a work once.
    pub fn check(&mut self, work: &str, call: usize) -> Result<Answer> {
        let reply = self.ask(&["check", work, &call.to_string()])?;
        let [rows, checksum] = reply.as_slice() else {
            bail!("{}.java answers {reply:?}", self.name);
        };
        Ok(Answer {
            rows: rows.parse()?,
            checksum: checksum.parse()?,
        })
    }

    /// The time of so many calls.
    pub fn time(&mut self, work: &str, first: usize, count: usize) -> Result<Duration> {
        let reply = self.ask(&["time", work, &first.to_string(), &count.to_string()])?;
        let nanoseconds = reply.first().context("no time")?;
        Ok(Duration::from_nanos(nanoseconds.parse()?))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.input.take());
        // It ends by itself now; whether it could be waited for changes nothing.
        let _ = self.child.wait();
    }
}

/// The words of a reply.
fn read(line: &str) -> Result<Vec<String>> {
    let mut words = line.trim_end_matches(['\r', '\n']).split('\t');
    match words.next() {
        Some("ok") => Ok(words.map(str::to_owned).collect()),
        Some("error") => bail!("{}", words.collect::<Vec<_>>().join(" ")),
        _ => bail!("it answers {line:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read() {
        let words = |line| read(line).map_err(|error| error.to_string());
        assert_eq!(words("ok\t12\t3\n"), Ok(vec!["12".into(), "3".into()]));
        assert_eq!(words("ok\t\n"), Ok(vec![String::new()]));
        assert_eq!(words("error\tno table\n"), Err("no table".into()));
        assert!(words("WARN\tsomething\n").is_err());
        assert!(words("").is_err());
    }
}
