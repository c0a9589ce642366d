//! A power cut, emulated: the process is killed, and then its logs are cut back to what had been synced to the disk.
//!
//! A kill alone says nothing of syncing: what was handed to the system survives it. So a child, this program started
//! once more, says after each statement how long its logs were when they were last synced; the counter of the store
//! tells when that was. What RocksDB writes beside its logs it syncs before it counts on it. The mark of how far the logs
//! are synced is not synced itself: it is put back as it was at that time, too, and must claim no more.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use halite::store::RocksStore;

use super::kill::differences;
use super::tally::Tally;
use super::workload::{Model, Step, Workload};
use super::{contents, database, execute, log_syncs, open_counting, open_store, runtime, seed};

/// The store's mark of how far its logs are synced.
const MARK: &str = "halite-synced";
const CHILD: &str = "HALITE_TEST_POWER_CHILD";
const STEPS: usize = 14;
/// Cuts unless `HALITE_CUTS` says otherwise.
const CUTS: usize = 8;

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let cuts = std::env::var("HALITE_CUTS").map_or(CUTS, |cuts| cuts.parse().unwrap());
    let lost = cut_often("sync", cuts);
    assert_eq!(lost, 0, "acknowledged statements were lost");
}

/// The control: without syncing the same check finds losses. What is left is the state after one of the statements all
/// the same, and never a half of one.
#[test]
fn without_sync_a_power_cut_loses_what_was_acknowledged() {
    let lost = cut_often("buffered", CUTS);
    assert!(lost > 0, "nothing was lost, so the check can find no loss");
}

/// Cuts the power so often; returns how many acknowledged statements were lost.
fn cut_often(durability: &str, cuts: usize) -> usize {
    let mut random = Rng::with_seed(seed());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.halite");
    let mut workload = Workload::new(random.u64(..), directory.path(), 1_000);
    let (mut lost, mut by_kind) = (0, Tally::default());
    for _ in 0..cuts {
        let before = workload.model().clone();
        let steps = workload.steps(STEPS);
        // Not the first: opening comes before it, and takes its time.
        let wanted = random.usize(1..STEPS + 1);
        let acknowledged = run_and_cut(directory.path(), durability, &steps, wanted, &mut random);
        let reached = find(&path, &before, &steps, acknowledged);
        lost += acknowledged.saturating_sub(reached);
        by_kind.add(&steps, acknowledged, reached);
        let model = match reached {
            0 => before,
            count => steps[count - 1].after.clone(),
        };
        workload.resume(model);
    }
    println!("{durability}: {cuts} cuts, {lost} acknowledged statements lost\n{by_kind}");
    lost
}

/// The last statement after which the database may stand as it does.
fn find(path: &Path, before: &Model, steps: &[Step], acknowledged: usize) -> usize {
    let database = database(&open_store(path));
    let found = runtime().block_on(contents(&database.connect())).unwrap();
    for count in (1..=steps.len().min(acknowledged + 1)).rev() {
        if found == steps[count - 1].after.contents() {
            return count;
        }
    }
    let expected = before.contents();
    let begun = steps.iter().take(acknowledged + 1);
    let begun: Vec<String> = begun
        .map(|step| step.sql.chars().take(120).collect())
        .collect();
    assert!(
        found == expected,
        "the state after none of {acknowledged} statements that were acknowledged, and one more:\n{}\n{}",
        begun.join("\n"),
        differences(&found, &expected)
    );
    0
}

/// Runs statements in a child until `wanted` are acknowledged and a little longer, kills it, and cuts its logs.
fn run_and_cut(
    directory: &Path,
    durability: &str,
    steps: &[Step],
    wanted: usize,
    random: &mut Rng,
) -> usize {
    let script: String = steps.iter().map(|step| format!("{}\n", step.sql)).collect();
    fs::write(directory.join("script.sql"), script).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::power::child", "--nocapture"])
        .env(CHILD, format!("{durability}:{}", directory.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut acknowledged, mut synced) = (0, BTreeMap::new());
    let mut take = |line: &str| {
        if let Some(rest) = line.strip_prefix("ack ") {
            acknowledged += 1;
            synced = lengths(rest);
        }
        acknowledged
    };
    while take(&lines.next().expect("the child failed").unwrap()) < wanted {}
    thread::sleep(Duration::from_millis(random.u64(0..30)));
    child.kill().unwrap();
    child.wait().unwrap();
    lines.map_while(Result::ok).for_each(|line| {
        take(&line);
    });
    // A change of tables syncs the log before it drops a space, and says so only at its end: what it has synced by now
    // is not known, and nothing is cut.
    if !steps
        .get(acknowledged)
        .is_some_and(|step| changes_tables(&step.sql))
    {
        let path = directory.join("cut.halite");
        cut_logs(&path, &synced);
        let mark = directory.join(format!("mark-{acknowledged}"));
        fs::copy(mark, path.join(MARK)).unwrap();
    }
    acknowledged
}

fn changes_tables(sql: &str) -> bool {
    ["CREATE", "DROP", "TRUNCATE"]
        .iter()
        .any(|verb| sql.starts_with(verb))
}

/// `000004.log=100 000007.log=20`
fn lengths(text: &str) -> BTreeMap<String, u64> {
    let pairs = text
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, length)| (name.to_owned(), length.parse().unwrap()))
        .collect()
}

fn logs(path: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry));
    let logs = named.filter(|(name, _)| name.ends_with(".log"));
    // One that is gone by now holds nothing that is needed.
    logs.filter_map(|(name, entry)| Some((name, entry.metadata().ok()?.len())))
        .collect()
}

/// Takes from every log what had not been synced.
fn cut_logs(path: &Path, synced: &BTreeMap<String, u64>) {
    for (name, length) in logs(path) {
        let kept = synced.get(&name).copied().unwrap_or(0).min(length);
        let file = fs::File::options()
            .write(true)
            .open(path.join(name))
            .unwrap();
        file.set_len(kept).unwrap();
    }
}

/// The task of the child; as a test of its own it has none.
#[test]
fn child() {
    let Ok(task) = std::env::var(CHILD) else {
        return;
    };
    let (durability, directory) = task.split_once(':').unwrap();
    let directory = Path::new(directory);
    let path = directory.join("cut.halite");
    let store = open_counting(&path);
    let connection = database(&store).connect();
    let script = fs::read_to_string(directory.join("script.sql")).unwrap();
    runtime().block_on(async {
        let setting = format!("SET halite.durability = '{durability}'");
        execute(&connection, &setting).await.unwrap();
        let mut synced = Synced::default();
        for (statement, number) in script.lines().zip(1..) {
            execute(&connection, statement).await.unwrap();
            fs::copy(path.join(MARK), directory.join(format!("mark-{number}"))).unwrap();
            println!("\nack {}", synced.after(&store, &path));
            std::io::stdout().flush().unwrap();
        }
    });
    // Until it is killed: an orderly end would sync everything.
    let _ = std::io::stdin().lines().next();
    std::process::abort();
}

/// How long the logs were when they were last synced.
#[derive(Default)]
struct Synced {
    count: u64,
    lengths: Vec<(String, u64)>,
}

impl Synced {
    /// After a statement that ran alone: if it synced, all that the logs hold is on the disk.
    fn after(&mut self, store: &RocksStore, path: &Path) -> String {
        let count = log_syncs(store);
        if count > self.count {
            self.count = count;
            self.lengths = logs(path);
        }
        let pairs = self
            .lengths
            .iter()
            .map(|(name, length)| format!("{name}={length}"));
        pairs.collect::<Vec<_>>().join(" ")
    }
}
