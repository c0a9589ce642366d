//! The program, killed at any moment: what it acknowledged is there, the statement that it was at is whole or absent.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use halite::store::Store;

use super::tally::Tally;
use super::workload::{Model, Step, Workload};
use super::{contents, database, open_store, runtime, seed};
use crate::program::halite;

/// Statements of one run of the program.
const STEPS: usize = 14;
/// So often a new database is begun, for its creation is killed too.
const ROUNDS_PER_DATABASE: usize = 5;

/// While nothing was seen of what must be, so many times the kills that were asked for are made.
const PATIENCE: usize = 10;

/// However busy the machine is, a run takes no longer than this.
const LONGEST: Duration = Duration::from_secs(120);

/// What a database's statements may hold in memory: the default, or so little that all but the smallest spill, and are
/// written as sorted files that the store takes in at once. Every other database has little.
pub const MEMORY: [&str; 2] = ["", "SET halite.statement_memory = 20000;\n"];

/// What has been seen, over all kills.
#[derive(Debug, Default)]
struct Seen {
    kills: usize,
    acknowledged: usize,
    /// Kills during a statement of which nothing was there afterwards.
    absent: usize,
    /// Kills during a statement that was there whole, or was done already.
    whole: usize,
    /// Kills that left files of a load.
    loads: usize,
    before_the_first: usize,
    unused_spaces: usize,
    by_kind: Tally,
}

impl Seen {
    /// Kills before, in and after the writing of a statement, of a load, too.
    fn is_complete(&self) -> bool {
        self.acknowledged > 0 && self.absent > 0 && self.whole > 0 && self.loads > 0
    }
}

#[test]
fn a_kill_at_any_moment_loses_nothing_and_leaves_nothing_half_done() {
    let kills = std::env::var("HALITE_KILLS").map_or(20, |kills| kills.parse().unwrap());
    let seed = seed();
    let mut random = Rng::with_seed(seed);
    let mut seen = Seen::default();
    let mut pace = Pace::default();
    let mut memory = MEMORY.iter().cycle();
    while seen.kills < kills || (seen.kills < kills * PATIENCE && !seen.is_complete()) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("killed.halite");
        let mut workload = Workload::new(random.u64(..), directory.path(), 2_000);
        let memory = memory.next().unwrap();
        for _ in 0..ROUNDS_PER_DATABASE {
            let before = workload.model().clone();
            let steps = workload.steps(STEPS);
            let statements = steps.iter().map(|step| step.sql.as_str());
            let run = Run::start(directory.path(), &path, memory, statements);
            let (acknowledged, was_killed) = pace.kill(run, STEPS, &mut random);
            seen.kills += usize::from(was_killed);
            seen.loads += usize::from(path.join("halite-loads").exists());
            let found = examine(&path, &before, &steps, acknowledged, &mut seen);
            workload.resume(found);
        }
    }
    println!("{seen:?}\n{}", seen.by_kind);
    assert!(seen.is_complete(), "{seen:?}");
}

/// Finds out after which statement the database stands, and that it is one of the two that it may be.
fn examine(
    path: &Path,
    before: &Model,
    steps: &[Step],
    acknowledged: usize,
    seen: &mut Seen,
) -> Model {
    let store = open_store(path);
    let spaces = store.spaces().unwrap();
    let database = database(&store);
    let found = runtime().block_on(contents(&database.connect())).unwrap();
    let tables = found.len();
    seen.unused_spaces += spaces.len().saturating_sub(tables + 1);
    seen.acknowledged += acknowledged;
    assert!(!path.join("halite-loads").exists(), "files of a load");
    let left = store.spaces().unwrap();
    let reached = reached(&found, before, steps, acknowledged);
    if reached > acknowledged {
        seen.whole += 1
    } else {
        seen.before_the_first += usize::from(acknowledged == 0);
        seen.absent += usize::from(acknowledged < steps.len());
    }
    seen.by_kind.add(steps, acknowledged, reached);
    let stands = after(before, steps, reached);
    assert_eq!(
        left.len(),
        stands.spaces() + 1,
        "spaces that no table has: {left:?}"
    );
    stands.clone()
}

/// What the database holds after so many statements.
pub fn after<'a>(before: &'a Model, steps: &'a [Step], count: usize) -> &'a Model {
    match count {
        0 => before,
        count => &steps[count - 1].after,
    }
}

/// After how many statements it stands: after those that were acknowledged, or one more, which was under way.
///
/// # Panics
/// Where it does not.
pub fn reached(
    found: &super::Contents,
    before: &Model,
    steps: &[Step],
    acknowledged: usize,
) -> usize {
    let expected = after(before, steps, acknowledged).contents();
    if *found == expected {
        return acknowledged;
    }
    let next = (acknowledged + 1).min(steps.len());
    let running = steps.get(acknowledged).map_or("", |step| &step.sql);
    let running = running.chars().take(200).collect::<String>();
    assert!(
        *found == after(before, steps, next).contents(),
        "{acknowledged} statements were acknowledged; lost or half done, at: {running}\n{}",
        differences(found, &expected)
    );
    next
}

/// In short how two databases differ.
pub fn differences(found: &super::Contents, expected: &super::Contents) -> String {
    let mut text = String::new();
    for (table, rows) in expected {
        match found.get(table) {
            None => writeln!(text, "{table}: missing").unwrap(),
            Some(others) => {
                let missing = rows
                    .iter()
                    .filter(|row| others.binary_search(row).is_err())
                    .count();
                let added = others
                    .iter()
                    .filter(|row| rows.binary_search(row).is_err())
                    .count();
                writeln!(
                    text,
                    "{table}: {} rows, {missing} missing, {added} added",
                    rows.len()
                )
                .unwrap();
            }
        }
    }
    for table in found.keys().filter(|table| !expected.contains_key(*table)) {
        writeln!(text, "{table}: added").unwrap();
    }
    text
}

/// What a whole run takes. Learnt from runs that came to their end.
pub struct Pace(Duration);

impl Default for Pace {
    fn default() -> Self {
        Self(Duration::from_secs(1))
    }
}

impl Pace {
    /// Kills the program somewhere on its way through so many statements. Returns how many it acknowledged, and whether it
    /// had not ended.
    pub fn kill(&mut self, run: Run, steps: usize, random: &mut Rng) -> (usize, bool) {
        let started = run.started;
        let (acknowledged, was_killed) = run.kill_after(self.0.mul_f64(random.f64() * 1.2));
        if !was_killed {
            assert_eq!(acknowledged, steps, "the program failed");
            self.0 = started.elapsed();
        } else if acknowledged == 0 {
            // On a machine that is busy all kills would come before the first statement.
            self.0 = self.0.mul_f64(1.2).min(LONGEST);
        }
        (acknowledged, was_killed)
    }
}

/// The program at work on a script.
pub struct Run {
    child: Child,
    started: Instant,
}

impl Run {
    pub fn start<'a>(
        directory: &Path,
        database: &Path,
        memory: &str,
        statements: impl Iterator<Item = &'a str>,
    ) -> Self {
        let script: PathBuf = directory.join("script.sql");
        let statements = statements.zip(1..);
        let text: String = statements
            .map(|(sql, number)| format!("{sql};\nSELECT 'done' AS step, {number} AS number;\n"))
            .collect();
        std::fs::write(&script, memory.to_owned() + &text).unwrap();
        let started = Instant::now();
        let child = halite()
            .args([
                database.as_os_str(),
                "--format".as_ref(),
                "tsv".as_ref(),
                "-f".as_ref(),
                script.as_os_str(),
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        Self { child, started }
    }

    /// Kills the program after so long. Returns how many statements it acknowledged, and whether it had not ended.
    fn kill_after(self, wait: Duration) -> (usize, bool) {
        self.end_after(|child| {
            thread::sleep(wait);
            child.kill().unwrap();
        })
    }

    /// Does something while the program runs, and waits for its end. Returns how many statements it acknowledged, and
    /// whether it was killed.
    pub fn end_after(mut self, act: impl FnOnce(&mut Child)) -> (usize, bool) {
        let output = BufReader::new(self.child.stdout.take().unwrap());
        let reader = thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            let acknowledged = lines.filter_map(|line| line.strip_prefix("done\t")?.parse().ok());
            acknowledged.last().unwrap_or(0)
        });
        act(&mut self.child);
        let status = self.child.wait().unwrap();
        (reader.join().unwrap(), status.code().is_none())
    }
}
