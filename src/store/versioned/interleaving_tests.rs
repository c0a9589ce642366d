//! The store over the simulation: processes that write and read the same few keys, in an order that is drawn, with
//! answers that are lost, requests that are late, processes that die, hours that pass. What they see is judged by what
//! the simulation has carried out.
//!
//! Both spaces hold the same at every moment, for every statement changes both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use fastrand::Rng;

use super::database::VersionedStore;
use super::rules::{Rule, without};
use super::shared::Times;
use super::simulation_tests::{Client, Director, Log, Odds, Simulation};
use super::values;
use crate::error::Result;
use crate::keyrange::KeyRange;
use crate::seed::{number, seed};
use crate::store::{
    Chunk, ChunkLimit, Claim, Direction, Durability, ReadRequest, Snapshot, SpaceOptions, Store,
    WriteBatch,
};

const SPACES: [&str; 2] = ["t", "u"];
const KEYS: [&[u8]; 3] = [b"a", b"b", b"c"];
const COUNTER: &[u8] = b"n";
const PROCESSES: usize = 3;

type Process = Arc<VersionedStore<Arc<Client>>>;
type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// What a process has seen.
#[derive(Debug)]
enum Seen {
    /// These rows, at an instant between so many commits and so many.
    Rows(Rows, usize, usize),
    /// What has put this value has committed, or has not; `None`: nobody has told.
    End(Vec<u8>, Option<bool>),
}

/// One run.
struct Run {
    seed: u64,
    simulation: Arc<Simulation>,
    director: Arc<Director>,
    times: Times,
    rule: Option<Rule>,
    /// How many reads have held what was supposed.
    held: AtomicUsize,
}

impl Run {
    fn new(seed: u64, rule: Option<Rule>) -> Self {
        let times = Times::default();
        let director = Director::new(seed, 24, times.retention);
        let odds = Odds {
            lost: 20,
            splits: 4,
        };
        let simulation = Simulation::new(seed, odds, Some(Arc::clone(&director)));
        Self {
            seed,
            simulation,
            director,
            times,
            rule,
            held: AtomicUsize::new(0),
        }
    }

    fn open(&self, index: usize, left: usize) -> Result<Process> {
        let client = Arc::new(Client::new(&self.simulation, index, left));
        Ok(Arc::new(VersionedStore::open_quiet(client, self.times)?))
    }

    /// Lets the processes run, and judges them.
    fn judge(&self) -> Result<Rng, String> {
        let store = self.open(0, usize::MAX).unwrap();
        for space in SPACES {
            store.create_space(space, &SpaceOptions::default()).unwrap();
        }
        drop(store);
        self.director.begin(PROCESSES);
        let seen: Vec<Seen> = thread::scope(|scope| {
            let threads: Vec<_> = (0..PROCESSES)
                .map(|index| scope.spawn(move || without(self.rule, || self.process(index))))
                .collect();
            let seen = threads.into_iter().map(|thread| thread.join().unwrap());
            seen.flatten().collect()
        });
        self.director.begin(1);
        let log = self.simulation.log();
        check_commits(&log)?;
        seen.iter().try_for_each(|seen| check_seen(&log, seen))?;
        Ok(Rng::with_seed(self.seed))
    }

    fn process(&self, index: usize) -> Vec<Seen> {
        // Also where it panics: the others go on.
        let _leaving = Leaving(&self.director);
        let mut random = Rng::with_seed(self.seed * 7 + index as u64);
        let left = match random.u8(..4) {
            0 => random.usize(1..60),
            _ => usize::MAX,
        };
        let mut seen = Vec::new();
        if let Ok(store) = self.open(index, left) {
            for step in 0..random.usize(2..5) {
                let token = [b'0' + index as u8, b'0' + step as u8];
                // A process that is dead goes on in vain.
                let _ = self.statement(&store, &mut random, token, &mut seen);
            }
        }
        seen
    }

    fn statement(
        &self,
        store: &Process,
        random: &mut Rng,
        token: [u8; 2],
        seen: &mut Vec<Seen>,
    ) -> Result<()> {
        let key = KEYS[random.usize(..KEYS.len())];
        match random.u8(..10) {
            0..3 => return self.read(store, random, seen),
            3 => return store.clear_away(None).map(drop),
            4 => {
                store.beat();
                return Ok(());
            }
            _ => {}
        }
        let kind = [b'i', b'c', b'r', b'd'][random.usize(..4)];
        let claims = SPACES.map(|space| match kind {
            b'r' => Claim::shared(space),
            _ => Claim::exclusive(space),
        });
        let mut changes = Arc::clone(store).begin(&claims)?;
        let find = |key: &[u8]| changes.snapshot()?.get(SPACES[0], key);
        let (key, value) = match kind {
            b'i' if find(key)?.is_some() => return Ok(()),
            b'd' if find(key)?.is_none() => return Ok(()),
            b'd' => (key, None),
            b'c' => {
                let count = find(COUNTER)?.map_or(0, |value| value[1]);
                (COUNTER, Some([b'c', count + 1, token[0], token[1]]))
            }
            _ => (key, Some([kind, 0, token[0], token[1]])),
        };
        let mut batch = WriteBatch::new();
        for space in SPACES {
            match &value {
                Some(value) => batch.put(space, key, value),
                None => batch.delete(space, key),
            }
        }
        changes.write(batch)?;
        let committed = changes.commit(Durability::Sync);
        let end = match &committed {
            Ok(()) => Some(true),
            Err(error) if error.message().contains("nobody knows") => None,
            Err(_) => Some(false),
        };
        seen.extend(value.map(|value| Seen::End(value.to_vec(), end)));
        committed
    }

    fn read(&self, store: &Process, random: &mut Rng, seen: &mut Vec<Seen>) -> Result<()> {
        let from = self.simulation.commits();
        if random.bool()
            && let Some(supposed) = store.supposed()
            && self.read_at(&supposed, from, random, seen)?
        {
            self.held.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let from = self.simulation.commits();
        let snapshot = store.snapshot()?;
        self.read_at(&snapshot, from, random, seen).map(drop)
    }

    /// Reads at a moment that was asked for after so many commits. Returns whether what was read may be seen.
    fn read_at(
        &self,
        snapshot: &Arc<dyn Snapshot>,
        from: usize,
        random: &mut Rng,
        seen: &mut Vec<Seen>,
    ) -> Result<bool> {
        let mut rows = [Rows::new(), Rows::new()];
        for (space, rows) in SPACES.iter().zip(&mut rows) {
            if random.bool() {
                let keys = [KEYS[0], KEYS[1], KEYS[2], COUNTER];
                let values = snapshot.multi_get(space, &keys)?;
                let found = keys.iter().zip(values);
                rows.extend(found.filter_map(|(key, value)| Some((key.to_vec(), value?))));
            } else {
                scan(snapshot, space, random, rows)?
            }
        }
        if !snapshot.holds()? {
            return Ok(false);
        }
        let [one, other] = rows;
        let to = self.simulation.commits();
        seen.push(Seen::Rows(one, from, to));
        seen.push(Seen::Rows(other, from, to));
        Ok(true)
    }

    /// When all is over and hours have passed, nothing is under way, and of each row one version is left.
    fn check_end(&self) -> Result<(), String> {
        let store = self.open(0, usize::MAX).unwrap();
        for _ in 0..3 {
            self.director
                .time
                .fetch_add(self.times.retention, std::sync::atomic::Ordering::Relaxed);
            store.clear_away(None).map_err(|error| error.to_string())?;
        }
        let clock = store.shared.read_clock().unwrap();
        if !clock.slots.is_empty() || !clock.given_up.is_empty() {
            return Err(format!("left in the end: {clock:?}"));
        }
        let log = self.simulation.log();
        let rows = SPACES
            .map(|_| state(&log, log.commits.len()).len())
            .iter()
            .sum::<usize>();
        // Two spaces and the count of them are in the directory.
        if self.simulation.versions() == rows + SPACES.len() + 1 {
            Ok(())
        } else {
            Err(format!(
                "{} versions of {rows} rows",
                self.simulation.versions()
            ))
        }
    }
}

struct Leaving<'a>(&'a Director);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

fn scan(
    snapshot: &Arc<dyn Snapshot>,
    space: &str,
    random: &mut Rng,
    rows: &mut Rows,
) -> Result<()> {
    let direction = [Direction::Forward, Direction::Backward][random.usize(..2)];
    let request = ReadRequest::range(space, KeyRange::all(), direction);
    let mut reader = Arc::clone(snapshot).read(request.with_fetch(random.usize(1..4)))?;
    let mut chunk = Chunk::new();
    while reader.fill(&mut chunk, ChunkLimit::entries(usize::MAX))? {}
    rows.extend(
        chunk
            .iter()
            .map(|(key, value)| (key.to_vec(), value.to_vec())),
    );
    Ok(())
}

/// The rows of the first space after so many commits.
fn state(log: &Log, commits: usize) -> Rows {
    let mut newest: BTreeMap<&[u8], (u64, &[u8])> = BTreeMap::new();
    for number in log.commits.iter().take(commits) {
        for ((table, key), value) in log.puts.get(number).into_iter().flatten() {
            if !table.starts_with("t.") {
                continue;
            }
            let newest = newest.entry(key).or_default();
            *newest = (*newest).max((*number, value));
        }
    }
    let rows = newest.into_iter();
    rows.filter_map(|(key, (_, value))| {
        Some((key.to_vec(), values::read(value.to_vec().into())?.into()))
    })
    .collect()
}

fn check_commits(log: &Log) -> Result<(), String> {
    if log.has_two_values {
        return Err("a key has two values under one number".to_owned());
    }
    for (at, number) in log.commits.iter().enumerate() {
        let puts = log.puts.get(number).into_iter().flatten();
        for ((_, key), value) in puts.filter(|((table, _), _)| table.starts_with("t.")) {
            let before = state(log, at);
            let before = before.get(key);
            match value.first() {
                Some(b'i') if before.is_some() => {
                    return Err(format!("{number} inserts over a row"));
                }
                Some(b'c') if before.map_or(0, |before| before[1]) + 1 != value[1] => {
                    return Err(format!("{number} counts from another count: {before:?}"));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn check_seen(log: &Log, seen: &Seen) -> Result<(), String> {
    match seen {
        Seen::Rows(rows, from, to) => {
            let mut instants = *from..=*to;
            if instants.any(|instant| state(log, instant) == *rows) {
                Ok(())
            } else {
                Err(format!("{rows:?} was read, which there never was"))
            }
        }
        Seen::End(value, end) => {
            let mut puts = log.puts.iter();
            let number = puts.find(|(_, puts)| puts.values().any(|put| put == value));
            let is = number.is_some_and(|(number, _)| log.commits.contains(number));
            if end.is_none_or(|end| end == is) {
                Ok(())
            } else {
                Err(format!("{value:?}: {end:?} was told"))
            }
        }
    }
}

/// `HALITE_INTERLEAVINGS` says how many.
#[test]
fn no_interleaving_goes_wrong() {
    let first = seed();
    let count = number("HALITE_INTERLEAVINGS").unwrap_or(4_000);
    let (mut commits, mut held) = (0, 0);
    for seed in 0..count {
        let seed = first.wrapping_add(seed) & (u64::MAX >> 8);
        let run = Run::new(seed, None);
        let judged = run.judge().and_then(|mut random| match random.u8(..16) {
            0 => run.check_end(),
            _ => Ok(()),
        });
        judged.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        commits += run.simulation.commits();
        held += run.held.into_inner();
    }
    println!("{count} interleavings, {commits} commits, {held} reads of a supposed moment");
    assert!(held > 0);
}

#[test]
fn interleavings_find_what_is_wrong() {
    let rules = [
        Rule::ClaimsExclude,
        Rule::BeginComparesCounter,
        Rule::PutsBeforeCommit,
        Rule::LostCommitIsRead,
        Rule::RefusedCommitIsRead,
        Rule::GivenUpIsListed,
        Rule::OpenIsHidden,
        Rule::GivenUpIsHidden,
        Rule::NewestIsSeen,
    ];
    for rule in rules {
        let mut seeds = 0..2_000;
        let found = seeds.find_map(|seed| Some((seed, Run::new(seed, Some(rule)).judge().err()?)));
        let (seed, wrong) = found.unwrap_or_else(|| panic!("{rule:?} is not missed"));
        println!("{rule:?}: {wrong}, at seed {seed}");
    }
}
