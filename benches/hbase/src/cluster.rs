//! A cluster of the comparison's own: `.ci/hbase` starts it, under the directory of the comparison, with Phoenix on it.
//! It is gone with the value.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use tokio::runtime::Builder;

use crate::repository;

/// The jars of Phoenix and the property that its server needs.
const WITH_PHOENIX: &str = "benches/hbase/phoenix";
/// Memory of its process, unless `HALITE_HBASE_HEAP` says another: the tables are in its cache.
pub const HEAP: &str = "3g";

pub struct Cluster {
    script: Script,
    url: String,
}

/// How it is called.
struct Script {
    with: &'static str,
    place: PathBuf,
}

impl Script {
    fn command(&self) -> Command {
        let mut command = Command::new(repository().join(".ci/hbase"));
        command
            .env("HALITE_HBASE_WITH", self.with)
            .env("CARGO_TARGET_DIR", &self.place)
            .stdin(Stdio::null());
        if std::env::var_os("HALITE_HBASE_HEAP").is_none() {
            command.env("HALITE_HBASE_HEAP", HEAP);
        }
        command
    }

    /// What it prints. What it says goes to the terminal, and its last line is the error.
    fn run(&self, word: &str) -> Result<String> {
        let output = self.command().arg(word).output().context(".ci/hbase")?;
        let said = String::from_utf8_lossy(&output.stderr);
        eprint!("{said}");
        if !output.status.success() {
            bail!("{}", reason(&said));
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

impl Cluster {
    /// A new one, and why Phoenix is not on it, if it is not.
    pub fn start(place: &Path) -> Result<(Self, Option<String>)> {
        end_when_interrupted(place.to_owned());
        match Self::start_with(WITH_PHOENIX, place) {
            Ok(cluster) => Ok((cluster, None)),
            Err(error) => {
                let reason = format!("{error:#}");
                eprintln!("PHOENIX IS NOT RUN: {reason}");
                Ok((Self::start_with("", place)?, Some(reason)))
            }
        }
    }

    fn start_with(with: &'static str, place: &Path) -> Result<Self> {
        let place = place.to_owned();
        let script = Script { with, place };
        script.run("clean")?;
        // From here on it is ended, whatever comes.
        let mut cluster = Self {
            script,
            url: String::new(),
        };
        let printed = cluster.script.run("start")?;
        printed.trim().clone_into(&mut cluster.url);
        cluster.zookeeper()?;
        Ok(cluster)
    }

    /// The address of a database on it.
    pub fn database(&self, namespace: &str) -> String {
        format!("{}?namespace={namespace}", self.url)
    }

    /// Where its ZooKeeper is: `127.0.0.1:2181:/hbase`, as Phoenix wants it.
    pub fn zookeeper(&self) -> Result<String> {
        zookeeper(&self.url)
    }

    /// The options of Java for its programs; the last one is the class path.
    pub fn java_options(&self) -> Result<Vec<String>> {
        let options: Vec<String> = self
            .script
            .run("options")?
            .lines()
            .map(str::to_owned)
            .collect();
        ensure!(!options.is_empty(), ".ci/hbase prints no options");
        Ok(options)
    }
}

/// Ends what runs, with Phoenix or without, when the comparison is interrupted: nothing is dropped then.
#[expect(
    clippy::disallowed_methods,
    reason = "the run is given up; only the cluster must not outlive it"
)]
fn end_when_interrupted(place: PathBuf) {
    std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        let waited = runtime.and_then(|runtime| runtime.block_on(tokio::signal::ctrl_c()));
        if waited.is_ok() {
            for with in [WITH_PHOENIX, ""] {
                let place = place.clone();
                // What goes wrong is printed.
                let _ = Script { with, place }.run("clean");
            }
            std::process::exit(130);
        }
    });
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Nobody is left whom an error would help; it has been printed.
        let _ = self.script.run("clean");
    }
}

/// The last thing that was said, without the directory of who runs it.
fn reason(said: &str) -> String {
    let last = said.lines().last().unwrap_or("it says nothing");
    let last = last.rsplit("hbase: ").next().unwrap_or(last);
    match std::env::var("HOME") {
        Ok(home) if !home.is_empty() => last.replace(&home, "~"),
        _ => last.to_owned(),
    }
}

fn zookeeper(url: &str) -> Result<String> {
    let server = url.strip_prefix("hbase://");
    let (server, path) = server
        .and_then(|server| server.split_once('/'))
        .with_context(|| format!(".ci/hbase prints no address: {url:?}"))?;
    Ok(format!("{server}:/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_last_that_was_said() {
        let said = "hbase: fetching\n\u{1b}[0mhbase: curl could not fetch it\n";
        assert_eq!(reason(said), "curl could not fetch it");
        assert_eq!(reason(""), "it says nothing");
    }

    #[test]
    fn the_address_is_read() {
        let found = zookeeper("hbase://127.0.0.1:21872/hbase");
        assert_eq!(found.ok().as_deref(), Some("127.0.0.1:21872:/hbase"));
        assert!(zookeeper("").is_err());
    }
}
