//! Sequences, killed at any moment: no number is given twice, by a query or by a DEFAULT.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use fastrand::Rng;

use super::{database, open_store, runtime, seed};
use crate::answers::texts;
use crate::program::halite;

/// Of each run of the program, so many times a number is asked for and a row is written.
const STEPS: usize = 400;

/// Runs the program until it is killed, or has come to its end; the numbers that it showed, and whether it was killed.
fn run(script: &Path, path: &Path, wait: Duration) -> (Vec<i64>, bool) {
    let mut child = halite()
        .args([path.as_os_str(), "--format".as_ref(), "tsv".as_ref()])
        .args(["-f".as_ref(), script.as_os_str()])
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = thread::spawn(move || {
        let lines = output.lines().map_while(Result::ok);
        let numbers = lines.filter_map(|line| line.strip_prefix("given\t")?.parse().ok());
        numbers.collect::<Vec<i64>>()
    });
    thread::sleep(wait);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    (reader.join().unwrap(), status.code().is_none())
}

#[test]
fn no_number_is_given_twice_whatever_is_killed() {
    let kills = std::env::var("HALITE_KILLS").map_or(8, |kills| kills.parse().unwrap());
    let mut random = Rng::with_seed(seed());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("killed.halite");
    let script = directory.path().join("script.sql");
    let declared = "CREATE SEQUENCE IF NOT EXISTS ids CACHE 5;
        CREATE TABLE IF NOT EXISTS row (a BIGINT DEFAULT nextval('ids') PRIMARY KEY, b INT);
        CREATE TABLE IF NOT EXISTS own (a INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b INT);\n";
    let step = "SELECT 'given' AS step, nextval('ids') AS number;
        INSERT INTO row (b) VALUES (1), (2);
        INSERT INTO own (b) VALUES (1), (2);\n";
    std::fs::write(&script, declared.to_owned() + &step.repeat(STEPS)).unwrap();
    let mut given: Vec<i64> = Vec::new();
    let mut killed = 0;
    for _ in 0..kills * 10 {
        if killed == kills {
            break;
        }
        let wait = Duration::from_millis(random.u64(50..900));
        let (numbers, was_killed) = run(&script, &path, wait);
        killed += usize::from(was_killed);
        given.extend(numbers);
    }
    assert_eq!(killed, kills);
    let store = open_store(&path);
    let connection = database(&store).connect();
    let rows = |sql: &str| -> Vec<i64> {
        let rows = runtime().block_on(connection.query(sql, ())).unwrap();
        texts(&rows)
            .iter()
            .map(|text| text.parse().unwrap())
            .collect()
    };
    let shown = given.len();
    given.extend(rows("SELECT a FROM row"));
    assert!(
        shown > kills && given.len() > shown,
        "{shown} of {}",
        given.len()
    );
    let distinct: BTreeSet<i64> = given.iter().copied().collect();
    assert_eq!(distinct.len(), given.len(), "a number was given twice");
    // Had one been given twice, the key would have been refused, and the program ended with an error.
    let own = rows("SELECT a FROM own");
    assert!(own.len() > kills, "{}", own.len());
    let next = rows("SELECT nextval('ids')");
    assert!(distinct.iter().all(|number| next > vec![*number]));
    println!(
        "{killed} kills, {shown} numbers shown, {} in rows",
        given.len() - shown
    );
}
