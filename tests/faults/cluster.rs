//! A cluster of HBase, which `HALITE_HBASE` names and `.ci/hbase` has started: the program that writes, or the cluster, is
//! killed at any moment, or stands still. What was acknowledged is there, and nothing is half done.
//!
//! These tests disturb each other and every other one that uses the cluster: `.ci/cluster` runs them one after the other.
//! `HALITE_CLUSTER_KILLS` sets the number of kills of each.

use std::fmt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use halite::session::{Connection, Database};
use tokio::runtime::Runtime;

use super::kill::{Pace, Run, after, reached};
use super::tally::Tally;
use super::workload::Workload;
use super::{contents, execute, rows, runtime, seed};
use crate::cluster::address;

/// Statements of one run of the program.
const STEPS: usize = 6;

/// Rows of the largest statements.
const MANY: i64 = 500;

#[derive(Debug, Clone, Copy)]
enum Struck {
    Program,
    /// Everything that it consists of, which is started again.
    Cluster,
}

impl Struck {
    /// How often, unless it is said: a cluster is back after half a minute.
    fn kills(self) -> usize {
        match self {
            Self::Program => 3,
            Self::Cluster => 1,
        }
    }
}

#[test]
#[ignore = "disturbs the cluster: .ci/cluster"]
fn a_program_that_is_killed_leaves_nothing_half_done_on_a_cluster() {
    strike(Struck::Program);
}

#[test]
#[ignore = "kills the cluster: .ci/cluster"]
fn a_cluster_that_is_killed_loses_nothing_that_it_acknowledged() {
    strike(Struck::Cluster);
}

fn strike(struck: Struck) {
    let Some(address) = address("killed") else {
        return;
    };
    let mut struggle = Struggle::begin(&address);
    let mut random = Rng::with_seed(seed());
    let mut pace = Pace::default();
    while struggle.count < kills(struck.kills()) {
        struggle.round(|run| match struck {
            Struck::Program => pace.kill(run, STEPS, &mut random),
            Struck::Cluster => {
                let wait = Duration::from_millis(random.u64(200..3_000));
                let (acknowledged, _) = run.end_after(|_| {
                    thread::sleep(wait);
                    hbase(&["kill"]);
                    hbase(&["start"]);
                });
                (acknowledged, true)
            }
        });
    }
    println!("{struggle}");
}

/// How often something is killed, unless it is said.
pub fn kills(usual: usize) -> usize {
    let kills = std::env::var("HALITE_CLUSTER_KILLS").ok();
    kills.map_or(usual, |kills| kills.parse().unwrap())
}

/// Random statements, which the program runs while something is done to it or to the cluster; judged by a model.
pub struct Struggle {
    pub address: String,
    directory: tempfile::TempDir,
    workload: Workload,
    tally: Tally,
    /// How often something was struck.
    pub count: usize,
    /// The longest run.
    pub longest: Duration,
    /// How many runs did not come to their end.
    pub failed: usize,
}

impl Struggle {
    pub fn begin(address: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self {
            workload: Workload::new(seed(), directory.path(), MANY),
            address: address.to_owned(),
            directory,
            tally: Tally::default(),
            count: 0,
            longest: Duration::ZERO,
            failed: 0,
        }
    }

    /// Runs some statements and does something meanwhile, which returns how many were acknowledged, and whether that counts.
    pub fn round(&mut self, act: impl FnOnce(Run) -> (usize, bool)) {
        let before = self.workload.model().clone();
        let steps = self.workload.steps(STEPS);
        let statements = steps.iter().map(|step| step.sql.as_str());
        let start = Instant::now();
        let run = Run::start(
            self.directory.path(),
            Path::new(&self.address),
            "",
            statements,
        );
        let (acknowledged, is_struck) = act(run);
        self.longest = self.longest.max(start.elapsed());
        self.count += usize::from(is_struck);
        self.failed += usize::from(acknowledged < STEPS);
        let runtime = runtime();
        let connection = open_soon(&runtime, &self.address);
        let found = runtime.block_on(contents(&connection)).unwrap();
        let reached = reached(&found, &before, &steps, acknowledged);
        self.tally.add(&steps, acknowledged, reached);
        self.workload
            .resume(after(&before, &steps, reached).clone());
    }
}

/// Opening is an error after ten seconds, which is less than a cluster may take to find itself again.
pub fn open_soon(runtime: &Runtime, address: &str) -> Connection {
    let begun = Instant::now();
    loop {
        match runtime.block_on(Database::open(address)) {
            Ok(database) => return database.connect(),
            Err(error) => assert!(begun.elapsed() < Duration::from_secs(60), "{error}"),
        }
        thread::sleep(Duration::from_millis(100));
    }
}

impl fmt::Display for Struggle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, longest, .. } = self;
        write!(
            f,
            "{count} times, the longest run {longest:?}\n{}",
            self.tally
        )
    }
}

/// Runs `.ci/hbase`.
pub fn hbase(arguments: &[&str]) {
    let status = script().args(arguments).status().unwrap();
    assert!(status.success(), "{arguments:?}: {status}");
}

pub fn script() -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/hbase"))
}

/// Its statement is given up, or was done before; whoever wrote meanwhile is not disturbed by it when it wakes.
#[test]
#[ignore = "waits for half a minute: .ci/cluster"]
fn a_program_that_stood_still_does_not_write_what_was_given_up() {
    const ROWS: u64 = 60_000;
    let Some(address) = address("still") else {
        return;
    };
    let runtime = runtime();
    let connection = runtime
        .block_on(Database::open(&address))
        .unwrap()
        .connect();
    let create = "CREATE TABLE t (k BIGINT, v TEXT, PRIMARY KEY (bucket(4, k), k))";
    runtime.block_on(execute(&connection, create)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let fill =
        format!("INSERT INTO t SELECT value, repeat('x', 100) FROM generate_series(1, {ROWS})");
    let run = Run::start(
        directory.path(),
        Path::new(&address),
        "",
        [fill.as_str()].into_iter(),
    );
    let (acknowledged, _) = run.end_after(|program| {
        thread::sleep(Duration::from_millis(900));
        signal("-STOP", program.id());
        // It waits for the table until the other statement is given up.
        let replaced = "DELETE FROM t WHERE k = 7";
        runtime.block_on(execute(&connection, replaced)).unwrap();
        let seen = runtime.block_on(counted(&connection));
        assert!([0, ROWS - 1].contains(&seen), "{seen} rows");
        thread::sleep(Duration::from_secs(5));
        signal("-CONT", program.id());
    });
    let found = runtime.block_on(counted(&connection));
    match acknowledged {
        0 => assert!(
            [0, ROWS - 1].contains(&found),
            "{found} rows of a statement that failed"
        ),
        _ => assert_eq!(found, ROWS - 1),
    }
    println!("acknowledged {acknowledged}, {found} rows");
}

async fn counted(connection: &Connection) -> u64 {
    let counted = rows(connection, "SELECT count(*) FROM t").await.unwrap();
    counted[0].parse().unwrap()
}

fn signal(signal: &str, process: u32) {
    let status = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(status.unwrap().success());
}
