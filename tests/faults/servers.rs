//! A cluster of two region servers, each a process of its own, as master and ZooKeeper are: `HALITE_HBASE_SERVERS=2
//! .ci/hbase start`, whose address `HALITE_HBASE` has. A server, the master or ZooKeeper is killed, regions move and are
//! split, answers are lost. Statements wait until it is over and are done then, or say that they are not.
//!
//! These tests take the cluster apart: `.ci/cluster servers` runs them one after the other, and many kills.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use halite::error::ErrorKind;
use halite::session::{Connection, Database};
use tokio::runtime::Runtime;

use super::cluster::{Struggle, hbase, kills, open_soon as open, script};
use super::{execute, lossy, rows, runtime, seed};
use crate::cluster;
use crate::not_run::left_out;

const SERVERS: [&str; 2] = ["server1", "server2"];

/// The address of a database of its own, if the cluster that is named is such a one.
fn address(test: &str) -> Option<String> {
    if std::env::var("HALITE_HBASE_SERVERS").is_ok_and(|servers| servers == "2") {
        return cluster::address(test);
    }
    left_out(
        "HALITE_HBASE_SERVERS is not 2: nothing is done to region servers",
        ".ci/cluster servers",
    );
    None
}

/// A fact of `SHOW STORE`.
fn fact(runtime: &Runtime, connection: &Connection, about: &str) -> String {
    let facts = runtime.block_on(rows(connection, "SHOW STORE")).unwrap();
    let mut found = facts.iter().filter_map(|fact| fact.split_once('|'));
    let found = found.find(|(name, _)| *name == about);
    found.map_or_else(String::new, |(_, value)| value.to_owned())
}

fn port(part: &str) -> u16 {
    let output = script().args(["port", part]).output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

/// Every second time it is the one that numbers statements.
#[test]
#[ignore = "kills region servers: .ci/cluster servers"]
fn a_region_server_that_is_killed_takes_nothing_with_it() {
    let Some(address) = address("server") else {
        return;
    };
    let runtime = runtime();
    let mut random = Rng::with_seed(seed());
    let mut struggle = Struggle::begin(&address);
    let ports = SERVERS.map(port);
    let mut numbering = 0;
    while struggle.count < kills(4) {
        let numbers = fact(
            &runtime,
            &open(&runtime, &address),
            "statements are numbered by",
        );
        let has_clock = |port: &u16| numbers.ends_with(&format!(":{port}"));
        let with_clock = ports
            .iter()
            .position(has_clock)
            .expect("one of them numbers");
        let killed = (with_clock + struggle.count % 2) % 2;
        numbering += usize::from(killed == with_clock);
        let wait = Duration::from_millis(random.u64(200..3_000));
        struggle.round(|run| {
            let (acknowledged, _) = run.end_after(|_| {
                thread::sleep(wait);
                hbase(&["kill", SERVERS[killed]]);
            });
            hbase(&["start", SERVERS[killed]]);
            (acknowledged, true)
        });
    }
    let failed = struggle.failed;
    println!(
        "{numbering} of them numbered statements; {failed} runs did not come to their end\n{struggle}"
    );
    assert_eq!(failed, 0, "statements that did not wait");
}

#[test]
#[ignore = "kills the master: .ci/cluster servers"]
fn without_a_master_rows_are_read_and_written() {
    let Some(address) = address("master") else {
        return;
    };
    let runtime = runtime();
    let connection = open(&runtime, &address);
    let run = |sql: &str| runtime.block_on(execute(&connection, sql));
    run("CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (bucket(4, k), k))").unwrap();
    hbase(&["kill", "master"]);
    assert_eq!(
        run("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)").unwrap(),
        3
    );
    assert_eq!(run("UPDATE t SET v = v + 10 WHERE k > 1").unwrap(), 2);
    assert_eq!(run("DELETE FROM t WHERE k = 3").unwrap(), 1);
    let other = open(&runtime, &address);
    let all = "SELECT k, v FROM t";
    assert_eq!(
        runtime.block_on(rows(&other, all)).unwrap(),
        ["1|1", "2|12"]
    );
    let begun = Instant::now();
    let create = "CREATE TABLE u (k BIGINT, PRIMARY KEY (k))";
    let error = run(create).unwrap_err();
    println!("after {:?}: {error}", begun.elapsed());
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    // Whoever waits for it gets it.
    let waiting = thread::spawn(|| {
        thread::sleep(Duration::from_secs(3));
        hbase(&["start", "master"]);
    });
    run(create).unwrap();
    waiting.join().unwrap();
    assert_eq!(run("INSERT INTO u VALUES (1)").unwrap(), 1);
    assert_eq!(
        runtime.block_on(rows(&other, "SHOW TABLES")).unwrap(),
        ["t", "u"]
    );
}

#[test]
#[ignore = "kills ZooKeeper: .ci/cluster servers"]
fn without_zookeeper_what_is_open_goes_on() {
    let Some(address) = address("keeper") else {
        return;
    };
    let runtime = runtime();
    let connection = open(&runtime, &address);
    let run = |sql: &str| runtime.block_on(execute(&connection, sql));
    run("CREATE TABLE t (k BIGINT, PRIMARY KEY (bucket(4, k), k))").unwrap();
    run("INSERT INTO t VALUES (1)").unwrap();
    hbase(&["kill", "zookeeper"]);
    assert_eq!(run("INSERT INTO t VALUES (2), (3)").unwrap(), 2);
    assert_eq!(
        runtime
            .block_on(rows(&connection, "SELECT k FROM t"))
            .unwrap(),
        ["1", "2", "3"]
    );
    let begun = Instant::now();
    let error = runtime.block_on(Database::open(&address)).unwrap_err();
    println!("after {:?}: {error}", begun.elapsed());
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(begun.elapsed() < Duration::from_secs(12), "{error}");
    hbase(&["start", "zookeeper"]);
    assert_eq!(run("DELETE FROM t WHERE k < 3").unwrap(), 2);
    let again = open(&runtime, &address);
    assert_eq!(
        runtime.block_on(rows(&again, "SELECT k FROM t")).unwrap(),
        ["3"]
    );
}

/// `tests/hbase/Restless.java` at work on a namespace.
struct Restless {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Restless {
    /// Returns when it is at work.
    fn begin(address: &str, seed: u64) -> Self {
        let (_, namespace) = address.split_once("namespace=").unwrap();
        let seed = (seed >> 1).to_string();
        let mut child = script()
            .args(["restless", namespace, &seed])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n", "it needs a JDK");
        Self { child, output }
    }

    /// What it has done: how many regions were moved, split and merged.
    fn end(mut self) -> [u64; 3] {
        self.child.stdin.take().unwrap().write_all(b"\n").unwrap();
        let mut text = String::new();
        self.output.read_to_string(&mut text).unwrap();
        assert!(self.child.wait().unwrap().success(), "{text}");
        println!("{}", text.trim_end());
        let counts = text.split([' ', ',']).filter_map(|word| word.parse().ok());
        let counts: Vec<u64> = counts.take(3).collect();
        counts.try_into().unwrap()
    }
}

/// Forward, backward, merged, a walk, single rows, and keys alone.
const QUERIES: [&str; 6] = [
    "SELECT count(*), sum(b), min(a), max(a) FROM fixed",
    "SELECT a, b FROM fixed ORDER BY a DESC, b DESC LIMIT 7",
    "SELECT a, b, c FROM fixed ORDER BY a, b",
    "SELECT a FROM fixed WHERE b = 1203",
    "SELECT a, b FROM fixed WHERE (a = 1 AND b = 41) OR (a = 3 AND b = 43)",
    "SELECT count(*) FROM fixed WHERE a BETWEEN 7 AND 31",
];

/// While regions move, are split and merged.
#[test]
#[ignore = "moves the cluster's regions: .ci/cluster servers"]
fn regions_that_move_are_followed() {
    let Some(address) = address("moved") else {
        return;
    };
    let (runtime, seed) = (runtime(), seed());
    let reader = open(&runtime, &address);
    let run = |sql: &str| runtime.block_on(execute(&reader, sql)).unwrap();
    run("CREATE TABLE fixed (a BIGINT, b BIGINT, c TEXT, PRIMARY KEY (salt(4), a, b))");
    run(
        "INSERT INTO fixed SELECT value % 40, value, repeat('z', 60) FROM generate_series(1, 6000)",
    );
    let ask = |sql: &str| runtime.block_on(rows(&reader, sql)).unwrap();
    let expected = QUERIES.map(ask);
    let restless = Restless::begin(&address, seed);
    let is_done = AtomicBool::new(false);
    let mut struggle = Struggle::begin(&format!("{address}_written"));
    let more = Restless::begin(&struggle.address, seed);
    let asked = thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut asked = 0;
            while !is_done.load(Ordering::Relaxed) {
                for (sql, expected) in QUERIES.iter().zip(&expected) {
                    assert_eq!(ask(sql), *expected, "{sql}");
                    asked += 1;
                }
                run("VACUUM fixed");
            }
            asked
        });
        while struggle.count < kills(4) && !asking.is_finished() {
            struggle.round(|run| (run.end_after(|_| ()).0, true));
        }
        is_done.store(true, Ordering::Relaxed);
        asking.join().unwrap()
    });
    let counts = [restless.end(), more.end()];
    println!("{asked} queries of rows that stay\n{struggle}");
    assert!(counts.iter().all(|[moved, ..]| *moved > 0), "{counts:?}");
    assert_eq!(struggle.failed, 0, "statements that did not wait");
}

/// Both servers are reached through the one that is left, and that one through what loses answers.
#[test]
#[ignore = "takes a region server away: .ci/cluster servers"]
fn an_answer_that_is_lost_is_found_out() {
    let Some(address) = address("lost") else {
        return;
    };
    let port = port("server1");
    let way = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), port));
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let Ok(lost) = lossy::lead(way, server, 6, seed()) else {
        left_out("this machine has no address 127.0.0.2", "Linux");
        return;
    };
    hbase(&["stop", "server1"]);
    let status = script()
        .args(["start", "server1"])
        .env("HALITE_HBASE_HOSTNAME", way.ip().to_string())
        .status();
    assert!(status.unwrap().success());
    hbase(&["stop", "server2"]);
    let mut struggle = Struggle::begin(&address);
    while struggle.count < kills(4) {
        struggle.round(|run| (run.end_after(|_| ()).0, true));
    }
    hbase(&["start", "server2"]);
    hbase(&["stop", "server1"]);
    hbase(&["start", "server1"]);
    println!("{} answers lost; {struggle}", lost.count());
    assert!(lost.count() > 0);
    assert_eq!(struggle.failed, 0, "statements that were given up");
}
