//! The spans of random cases, read by stores: each delivers the keys that a scan of sorted keys does, forward and backward.
//!
//! A store has code of its own for what lies in ranges and how a walk goes on; on HBase the servers have it, as a filter.
//! All cases stand in one space, each behind a number of its own, and are cut into regions in the middle of some.

use std::sync::Arc;

use super::cases::Case;
use super::check::{BUDGETS, Stored};
use super::oracle::Oracle;
use super::random::Random;
use super::scan::scan;
use super::system::Lowered;
use crate::error::Result;
use crate::keyrange::{Guide, KeyRange, KeyRangeSet, Step, prefix_successor};
use crate::span::{Run, Walk, Work};
use crate::store::{
    self, Claim, Direction, Durability, MemoryStore, ReadRequest, RocksStore, SpaceOptions, Store,
    StoreOptions,
};

const SPACE: &str = "cases";
const MASTER: u64 = 0x5e7_7ed;

/// The bytes before the keys of a case.
type Number = [u8; 4];

/// What is read of a case.
struct Read {
    number: Number,
    seed: u64,
    /// Its keys, sorted.
    keys: Vec<Vec<u8>>,
    /// The runs of its spans, at each budget.
    runs: Vec<Run>,
}

impl Read {
    fn new(index: u32) -> Option<Self> {
        let seed = Random::case_seed(MASTER, index.into());
        let case = Case::generate(seed)?;
        let key = case.key().ok()?;
        let oracle = Oracle::new(&case.columns, &case.rows);
        let lowered = Lowered::new(&case, oracle.schema(), &key).ok()?;
        let plans = BUDGETS.map(|budget| lowered.plan(&key, budget).expect("a plan"));
        let runs = plans.iter().flat_map(|plan| plan.spans.runs()).cloned();
        Some(Self {
            number: index.to_be_bytes(),
            seed,
            keys: Stored::new(&case, &key).keys,
            runs: runs.collect(),
        })
    }

    /// Reads each run in both directions, and returns how many keys were delivered.
    fn check(&self, store: &Arc<dyn Store>) -> usize {
        let mut delivered = 0;
        for run in &self.runs {
            let scanned = scan(run, &self.keys).expect("a scan").delivered;
            let mut expected: Vec<Vec<u8>> = scanned
                .into_iter()
                .map(|position| behind(self.number, &self.keys[position]))
                .collect();
            delivered += expected.len();
            for direction in [Direction::Forward, Direction::Backward] {
                let request = ReadRequest::new(SPACE, work(self.number, run), direction);
                let found = store::keys_of(store, request);
                assert_eq!(
                    found, expected,
                    "{direction:?}: {run:?} of seed {:#x}",
                    self.seed
                );
                expected.reverse();
            }
        }
        delivered
    }
}

fn behind(number: Number, key: &[u8]) -> Vec<u8> {
    [&number, key].concat()
}

fn range_behind(number: Number, range: &KeyRange) -> KeyRange {
    let stop = range.stop().map(|stop| behind(number, stop));
    KeyRange::new(
        behind(number, range.start()),
        stop.or_else(|| prefix_successor(&number)),
    )
    .expect("a range")
}

/// A run of a case, behind the case's number.
fn work(number: Number, run: &Run) -> store::Work {
    match &run.work {
        Work::Points(keys) => {
            store::Work::Points(keys.iter().map(|key| behind(number, key)).collect())
        }
        Work::Ranges(set) => {
            let ranges = set.ranges().iter();
            let ranges = ranges.map(|range| range_behind(number, range));
            store::Work::Ranges(KeyRangeSet::from_ranges(ranges))
        }
        Work::Walk(walk) => store::Work::Walk(Arc::new(Numbered {
            number,
            hull: range_behind(number, walk.hull()),
            walk: Arc::clone(walk),
        })),
    }
}

/// A walk over the keys behind a number.
#[derive(Debug)]
struct Numbered {
    number: Number,
    hull: KeyRange,
    walk: Arc<Walk>,
}

impl Numbered {
    fn step(&self, step: Step) -> Step {
        match step {
            Step::In { until } => Step::In {
                until: until.map(|until| behind(self.number, &until)),
            },
            Step::Seek(target) => Step::Seek(behind(self.number, &target)),
            Step::Done => Step::Done,
        }
    }
}

impl Guide for Numbered {
    fn hull(&self) -> &KeyRange {
        &self.hull
    }

    fn next(&self, key: &[u8]) -> Result<Step> {
        Ok(self.step(self.walk.next(&key[self.number.len()..])?))
    }

    fn previous(&self, key: &[u8]) -> Result<Step> {
        Ok(self.step(self.walk.previous(&key[self.number.len()..])?))
    }
}

/// Reads so many cases of a store.
fn check(store: &Arc<dyn Store>, cases: u32) {
    let cases: Vec<Read> = (1..=cases).filter_map(Read::new).collect();
    let borders = cases.iter().step_by(cases.len() / 5 + 1).skip(1);
    let borders = borders.filter_map(|case| {
        let middle = case.keys.get(case.keys.len() / 2)?;
        Some(behind(case.number, middle))
    });
    let borders: Vec<Vec<u8>> = borders.collect();
    store
        .create_parted_space(SPACE, &SpaceOptions::default(), &borders)
        .unwrap();
    let mut changes = Arc::clone(store).begin(&[Claim::exclusive(SPACE)]).unwrap();
    let mut load = changes.bulk(SPACE).unwrap();
    for case in &cases {
        for key in &case.keys {
            load.put(&behind(case.number, key), b"a value").unwrap();
        }
    }
    drop(load);
    changes.commit(Durability::Buffered).unwrap();
    let (mut runs, mut delivered) = (0, 0);
    for case in &cases {
        runs += case.runs.len();
        delivered += case.check(store);
    }
    println!("{} cases, {runs} runs, {delivered} keys", cases.len());
    assert!(
        delivered > cases.len() && runs > 2 * cases.len(),
        "too little is read"
    );
}

#[test]
fn memory_reads_what_the_spans_say() {
    check(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>), 2_000);
}

#[test]
fn rocksdb_reads_what_the_spans_say() {
    let directory = tempfile::tempdir().unwrap();
    let store = RocksStore::open(directory.path(), &StoreOptions::default()).unwrap();
    check(&(Arc::new(store) as Arc<dyn Store>), 2_000);
}

#[test]
fn simulated_servers_read_what_the_spans_say() {
    check(&store::simulated_calmly(), 500);
}

/// On the cluster that `HALITE_HBASE` names.
#[cfg(feature = "hbase")]
#[test]
fn the_servers_of_a_cluster_read_what_the_spans_say() {
    if let Some(address) = store::hbase::cluster_tests::address("law") {
        check(&store::hbase::open(&address).unwrap(), 500);
    }
}
