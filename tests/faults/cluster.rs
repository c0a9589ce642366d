//! A cluster of HBase, which `HALITE_HBASE` names and `.ci/hbase` has started: the program that writes, or the cluster, is
//! killed at any moment, or stands still. What was acknowledged is there, and nothing is half done.
//!
//! These tests disturb each other and every other one that uses the cluster: `.ci/cluster` runs them one after the other.
//! `HALITE_CLUSTER_KILLS` sets the number of kills of each.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use halite::session::{Connection, Database};

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
    let kills = std::env::var("HALITE_CLUSTER_KILLS").ok();
    let kills = kills.map_or(struck.kills(), |kills| kills.parse().unwrap());
    let mut random = Rng::with_seed(seed());
    let directory = tempfile::tempdir().unwrap();
    let mut workload = Workload::new(random.u64(..), directory.path(), MANY);
    let (mut pace, mut tally) = (Pace::default(), Tally::default());
    let (mut killed, mut longest) = (0, Duration::ZERO);
    while killed < kills {
        let before = workload.model().clone();
        let steps = workload.steps(STEPS);
        let statements = steps.iter().map(|step| step.sql.as_str());
        let start = Instant::now();
        let run = Run::start(directory.path(), Path::new(&address), "", statements);
        let (acknowledged, was_killed) = match struck {
            Struck::Program => pace.kill(run, STEPS, &mut random),
            Struck::Cluster => {
                let wait = Duration::from_millis(random.u64(200..3_000));
                let (acknowledged, _) = run.end_after(|_| {
                    thread::sleep(wait);
                    hbase("kill");
                    hbase("start");
                });
                (acknowledged, true)
            }
        };
        longest = longest.max(start.elapsed());
        killed += usize::from(was_killed);
        let connection = runtime().block_on(Database::open(&address));
        let connection = connection.unwrap().connect();
        let found = runtime().block_on(contents(&connection)).unwrap();
        let reached = reached(&found, &before, &steps, acknowledged);
        tally.add(&steps, acknowledged, reached);
        workload.resume(after(&before, &steps, reached).clone());
    }
    println!("{killed} kills, the longest run {longest:?}\n{tally}");
}

fn hbase(what: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/hbase");
    let status = Command::new(script).arg(what).status().unwrap();
    assert!(status.success(), "{what}: {status}");
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
