//! Runs merged by key: whatever lies in them, however much is asked for at once.

use std::sync::Arc;

use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use fastrand::Rng;

use super::*;
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::row::RowSnapshot;
use crate::scan::metrics::{Counters, ScanTotals, sums};
use crate::scan::piece::Piece;
use crate::scan::run::Source;
use crate::schema::{FamilySet, TableSpaces};
use crate::seed::seed;
use crate::span::{Run, Work};
use crate::store::wrap::Recording;
use crate::store::{
    Durability, Latency, MemoryStore, RocksStore, SpaceOptions, Store, StoreOptions, WriteBatch,
    commit_batch,
};

/// A store with the keys in the space `t`, and its log.
fn store(keys: impl IntoIterator<Item = Vec<u8>>) -> Recording {
    let store = Arc::new(MemoryStore::new());
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    keys.into_iter()
        .for_each(|key| batch.put("t", &key, b"value"));
    commit_batch(&store, batch, Durability::Buffered).unwrap();
    Recording::new(store)
}

fn run(bucket: u8, ranges: impl IntoIterator<Item = (u8, u8)>) -> Run {
    let range = |(from, to)| KeyRange::new(vec![bucket, from], Some(vec![bucket, to]));
    let ranges = KeyRangeSet::from_ranges(ranges.into_iter().filter_map(range));
    Run {
        bucket: Some(bucket.into()),
        work: Work::Ranges(ranges),
    }
}

/// All keys that a merge yields, asked for `entries` at a time, and what it counted.
fn merged(
    store: &Recording,
    runs: Vec<Run>,
    direction: Direction,
    entries: usize,
    limit: usize,
) -> (Vec<Vec<u8>>, ScanTotals) {
    let metrics = ExecutionPlanMetricsSet::new();
    let cancelled = Cancelled::default();
    let source = Source {
        rows: RowSnapshot::of(store.snapshot().unwrap(), &TableSpaces::of_families("t", 0)),
        direction,
        first: 1,
        fetch: None,
        values: true,
        widens: false,
        families: FamilySet::ALL,
        counters: Some(Counters::new(&metrics, 0, Latency::Near)),
        cancelled: cancelled.clone(),
    };
    let readers = runs
        .into_iter()
        .map(|run| RunReader::new(&source, Piece::whole(&run)));
    let comparison = Comparison {
        cut: Some((0, 1)),
        direction,
    };
    let mut merge = Merge::new(readers.collect(), comparison, 1, cancelled);
    let mut keys = Vec::new();
    let mut has_more = true;
    while has_more && keys.len() < limit {
        let mut chunk = Chunk::new();
        let entries = entries.min(limit - keys.len());
        has_more = merge
            .fill(&mut chunk, ChunkLimit::entries(entries))
            .unwrap();
        assert!(!has_more || chunk.len() == entries);
        keys.extend(chunk.keys().map(<[u8]>::to_vec));
    }
    (keys, sums(&metrics.clone_inner()))
}

#[test]
fn runs_are_merged_by_what_stands_behind_the_bucket() {
    let mut rng = Rng::with_seed(seed());
    for _ in 0..300 {
        let buckets = rng.u8(0..9);
        let keys: Vec<Vec<u8>> = (0..rng.usize(0..200))
            .map(|_| vec![rng.u8(0..9), rng.u8(..), rng.u8(0..3)])
            .collect();
        let store = store(keys.clone());
        let spans: Vec<Vec<(u8, u8)>> = (0..buckets)
            .map(|_| {
                (0..rng.u8(1..4))
                    .map(|_| (rng.u8(..), rng.u8(..)))
                    .collect()
            })
            .collect();
        let runs: Vec<Run> = (0..)
            .zip(&spans)
            .map(|(bucket, spans)| run(bucket, spans.clone()))
            .collect();
        let is_inside = |key: &Vec<u8>| {
            let spans = spans.get(usize::from(key[0])).into_iter().flatten();
            spans
                .clone()
                .any(|(from, to)| (*from..*to).contains(&key[1]))
        };
        let mut expected: Vec<Vec<u8>> = keys.into_iter().filter(is_inside).collect();
        expected.sort();
        expected.dedup();
        expected.sort_by(|left, right| left[1..].cmp(&right[1..]));
        for direction in [Direction::Forward, Direction::Backward] {
            let entries = rng.usize(1..40);
            let (found, totals) = merged(&store, runs.clone(), direction, entries, usize::MAX);
            let tails = |keys: &[Vec<u8>]| -> Vec<Vec<u8>> {
                keys.iter().map(|key| key[1..].to_vec()).collect()
            };
            let expected_tails = tails(&expected);
            match direction {
                Direction::Forward => assert_eq!(tails(&found), expected_tails),
                Direction::Backward => {
                    let reversed: Vec<Vec<u8>> = expected_tails.into_iter().rev().collect();
                    assert_eq!(tails(&found), reversed);
                }
            }
            let mut sorted = found.clone();
            sorted.sort();
            let mut whole = expected.clone();
            whole.sort();
            assert_eq!(sorted, whole, "the same keys, buckets included");
            assert_eq!(totals.keys_read, found.len());
            let ranges: usize = runs
                .iter()
                .map(|run| match &run.work {
                    Work::Ranges(ranges) => ranges.ranges().len(),
                    Work::Points(_) | Work::Walk(_) => 0,
                })
                .sum();
            assert_eq!((totals.ranges, totals.seeks), (ranges, ranges));
            store.log().take();
        }
    }
}

#[test]
fn a_merge_reads_no_more_than_it_needs() {
    let keys = (0..4).flat_map(|bucket| (0..200).map(move |key| vec![bucket, key, bucket]));
    let store = store(keys);
    let runs = || (0..4).map(|bucket| run(bucket, [(0, 255)])).collect();
    for direction in [Direction::Forward, Direction::Backward] {
        let (found, totals) = merged(&store, runs(), direction, 1, 1);
        assert_eq!((found.len(), totals.keys_read), (1, 4));
        let (found, totals) = merged(&store, runs(), direction, 8, 8);
        assert_eq!(found.len(), 8);
        assert!(totals.keys_read <= 4 * 3, "{totals:?}");
        let (found, totals) = merged(&store, runs(), direction, 100, 100);
        assert_eq!(found.len(), 100);
        assert!(totals.keys_read <= 100 + 4 * 32, "{totals:?}");
    }
    assert_eq!(
        merged(&store, Vec::new(), Direction::Forward, 9, 9).0.len(),
        0
    );
}

/// A store that gives up after a few tombstones, and hands control back without an entry: the merge does so, too, and
/// goes on from there.
#[test]
fn a_merge_goes_on_in_runs_of_tombstones() {
    let directory = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        interrupt_after: 1,
        ..StoreOptions::default()
    };
    let store = Arc::new(RocksStore::open(directory.path(), &options).unwrap());
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let (mut puts, mut deletes) = (WriteBatch::new(), WriteBatch::new());
    for (bucket, number) in (0..3).flat_map(|bucket| (0..200).map(move |number| (bucket, number))) {
        puts.put("t", &[bucket, number], b"value");
        if number % 50 != bucket {
            deletes.delete("t", &[bucket, number]);
        }
    }
    commit_batch(&store, puts, Durability::Buffered).unwrap();
    commit_batch(&store, deletes, Durability::Buffered).unwrap();
    let source = Source {
        rows: RowSnapshot::of(store.snapshot().unwrap(), &TableSpaces::of_families("t", 0)),
        direction: Direction::Forward,
        first: 1,
        fetch: None,
        values: true,
        widens: false,
        families: FamilySet::ALL,
        counters: None,
        cancelled: Cancelled::default(),
    };
    let readers =
        (0..3).map(|bucket| RunReader::new(&source, Piece::whole(&run(bucket, [(0, 255)]))));
    let comparison = Comparison {
        cut: Some((0, 1)),
        direction: Direction::Forward,
    };
    let mut merge = Merge::new(readers.collect(), comparison, 1, source.cancelled.clone());
    let (mut chunk, mut handed_back) = (Chunk::new(), 0);
    loop {
        let before = chunk.len();
        let has_more = merge
            .fill(&mut chunk, ChunkLimit::entries(before + 1))
            .unwrap();
        handed_back += usize::from(has_more && chunk.len() == before);
        if !has_more {
            break;
        }
    }
    let found: Vec<Vec<u8>> = chunk.keys().map(<[u8]>::to_vec).collect();
    let hundreds = [0, 50, 100, 150].into_iter();
    let expected =
        hundreds.flat_map(|number| (0..3).map(move |bucket| vec![bucket, number + bucket]));
    assert_eq!(found, expected.collect::<Vec<_>>());
    assert!(handed_back > 12, "handed back {handed_back} times");
}
