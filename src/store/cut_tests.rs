//! Cuts of keys of every kind: how even the pieces are, and what finding them costs.

use std::cell::Cell;
use std::sync::Arc;

use super::*;
use crate::store::{Durability, MemoryStore, SpaceOptions, Store, WriteBatch, commit_batch};

/// Estimates that count keys, each a byte, and how often they were asked for.
struct Keys {
    keys: Vec<Vec<u8>>,
    asked: Cell<usize>,
}

impl Keys {
    fn new(keys: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut keys: Vec<Vec<u8>> = keys.into_iter().collect();
        keys.sort();
        Self {
            keys,
            asked: Cell::new(0),
        }
    }

    fn count(&self, range: &KeyRange) -> usize {
        self.keys.iter().filter(|key| range.contains(key)).count()
    }

    fn cuts(&self, ranges: &[KeyRange], count: usize, least: u64) -> Vec<Vec<u8>> {
        let ranges = KeyRangeSet::from_ranges(ranges.iter().cloned());
        let sizes = |range: &KeyRange| {
            self.asked.set(self.asked.get() + 1);
            self.count(range) as u64
        };
        cut(&ranges, count, least, &sizes)
    }

    /// How many keys of `ranges` lie between the cuts.
    fn pieces(&self, ranges: &[KeyRange], cuts: &[Vec<u8>]) -> Vec<usize> {
        let starts = std::iter::once(Vec::new()).chain(cuts.iter().cloned());
        let stops = cuts.iter().cloned().map(Some).chain([None]);
        let piece = |(start, stop)| {
            let piece = KeyRange::new(start, stop).unwrap();
            let parts = ranges.iter().filter_map(|range| range.intersect(&piece));
            parts.map(|part| self.count(&part)).sum()
        };
        starts.zip(stops).map(piece).collect()
    }
}

#[test]
fn pieces_are_about_even_whatever_the_keys() {
    let numbers = (0..4000_u32).map(|number| (number * number).to_be_bytes().to_vec());
    let texts =
        (0..4000).map(|number| format!("https://example.com/{}/x", number * 7).into_bytes());
    let one_first = (0..4000_u32)
        .map(|number| vec![u8::from(number > 3990), number as u8, (number >> 8) as u8]);
    let long = (0..300).map(|number| [vec![0xff; 40], vec![number as u8, 1]].concat());
    let all: Vec<(&str, Vec<Vec<u8>>)> = vec![
        ("numbers", numbers.collect()),
        ("texts", texts.collect()),
        ("one byte first", one_first.collect()),
        ("long", long.collect()),
    ];
    for (name, keys) in all {
        let keys = Keys::new(keys);
        let whole = [KeyRange::all()];
        let cuts = keys.cuts(&whole, 4, 10);
        let pieces = keys.pieces(&whole, &cuts);
        let even = keys.keys.len() / 4;
        assert_eq!(pieces.len(), 4, "{name}: {cuts:?}");
        assert!(
            pieces.iter().all(|piece| piece.abs_diff(even) <= even / 3),
            "{name}: {pieces:?} by {cuts:?}"
        );
        assert!(
            keys.asked.get() < 3 * 9 * 44,
            "{name}: {}",
            keys.asked.get()
        );
    }
}

#[test]
fn cuts_lie_inside_the_ranges_with_the_bytes() {
    let keys = Keys::new((0..=255).flat_map(|a| (0..20).map(move |b| vec![a, b])));
    let range = |from: u8, to: u8| KeyRange::new(vec![from, 3], Some(vec![to])).unwrap();
    let ranges = [range(1, 2), range(50, 60), range(100, 220)];
    let cuts = keys.cuts(&ranges, 3, 10);
    let pieces = keys.pieces(&ranges, &cuts);
    assert_eq!(cuts.len(), 2);
    assert!(
        pieces.iter().all(|piece| (750..1000).contains(piece)),
        "{pieces:?}"
    );
}

#[test]
fn one_question_is_enough_for_a_small_table() {
    let keys = Keys::new((0..100_u8).map(|key| vec![key]));
    let ranges: Vec<KeyRange> = (0..50).map(|key| KeyRange::prefix(&[2 * key])).collect();
    assert_eq!(keys.cuts(&ranges, 8, 51), Vec::<Vec<u8>>::new());
    assert_eq!(keys.asked.get(), 1);
    assert_eq!(keys.cuts(&ranges, 1, 1), Vec::<Vec<u8>>::new());
    assert_eq!(keys.asked.get(), 1);
}

#[test]
fn a_piece_has_the_least_number_of_bytes() {
    let keys = Keys::new((0..100_u8).map(|key| vec![key]));
    assert_eq!(keys.cuts(&[KeyRange::all()], 8, 30).len() + 1, 3);
    // All in one key: nothing can be cut.
    let one = Keys::new(std::iter::repeat_n(vec![7_u8; 100], 100));
    let cuts = one.cuts(&[KeyRange::all()], 8, 10);
    let pieces = one.pieces(&[KeyRange::all()], &cuts);
    assert_eq!(pieces.iter().sum::<usize>(), 100);
}

#[test]
fn a_store_estimates_well_enough() {
    let store = Arc::new(MemoryStore::new());
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    let key = |number: u32| format!("host-{:05}/metric", number * 3).into_bytes();
    (0..20_000).for_each(|number| batch.put("t", &key(number), &[0; 50]));
    commit_batch(&store, batch, Durability::Buffered).unwrap();
    let cuts = store.boundaries("t", &KeyRange::all().into(), 4, 1000);
    let places: Vec<usize> = cuts
        .iter()
        .map(|cut| (0..20_000).filter(|number| key(*number) < *cut).count())
        .collect();
    assert_eq!(places.len(), 3);
    for (place, wanted) in places.iter().zip([5_000, 10_000, 15_000]) {
        assert!(place.abs_diff(wanted) < 1_000, "{places:?}");
    }
}
