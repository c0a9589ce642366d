//! The store on a real cluster: `HALITE_HBASE=$(.ci/hbase url)`. Without it nothing is tested, and it says so.

use std::sync::Arc;

use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::not_run::left_out;
use crate::store::{
    Chunk, ChunkLimit, Claim, Direction, Durability, ReadRequest, SpaceOptions, Store, Work,
    WriteBatch, keys_of,
};

/// The address of a database of its own for a test, on the cluster that is named, if one is.
pub(crate) fn address(test: &str) -> Option<String> {
    let url = std::env::var("HALITE_HBASE").ok()?;
    let url = Some(url).filter(|url| !url.is_empty())?;
    let number = fastrand::u32(..);
    Some(format!("{url}?namespace={test}_{number:x}"))
}

#[test]
fn there_is_a_cluster() {
    if address("any").is_none() {
        left_out(
            "HALITE_HBASE names no cluster: no test of the store on HBase runs",
            "`make hbase`, and HALITE_HBASE=$(.ci/hbase url)",
        );
    }
}

fn key(number: u32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

fn keys(store: &Arc<dyn Store>, direction: Direction) -> Vec<Vec<u8>> {
    let request = ReadRequest::range("t", KeyRange::all(), direction).with_fetch(7);
    keys_of(store, request)
}

/// A scanner goes on from answer to answer, and knows when it is told how many rows are wanted.
#[test]
fn a_range_is_few_requests() {
    let Some(url) = address("few") else {
        return;
    };
    let store = super::open(&url).unwrap();
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let mut changes = Arc::clone(&store).begin(&[Claim::exclusive("t")]).unwrap();
    let mut load = changes.bulk("t").unwrap();
    (0..20_000).for_each(|number| load.put(&key(number), b"a value").unwrap());
    drop(load);
    changes.commit(Durability::Sync).unwrap();
    let read = |request: ReadRequest, most: usize| {
        let mut reader = store.snapshot().unwrap().read(request).unwrap();
        let mut chunk = Chunk::new();
        while chunk.len() < most && reader.fill(&mut chunk, ChunkLimit::entries(most)).unwrap() {}
        let tally = reader.tally();
        (chunk.len(), tally.requests, tally.regions)
    };
    let everything = |direction| ReadRequest::range("t", KeyRange::all(), direction);
    for direction in [Direction::Forward, Direction::Backward] {
        // 1,024, 2,048, 4,096, 8,192, and the rest, of which the server may make two.
        let (rows, requests, regions) = read(everything(direction), usize::MAX);
        assert_eq!((rows, regions), (20_000, 1));
        assert!((5..=7).contains(&requests), "{requests}");
        assert_eq!(read(everything(direction).with_fetch(10), 10), (10, 1, 1));
        assert_eq!(
            read(everything(direction).with_fetch(3_000), 3_000),
            (3_000, 2, 1)
        );
    }
    let keys: Vec<Vec<u8>> = (0..900).map(|number| key(number * 20)).collect();
    let points = ReadRequest::new("t", Work::Points(keys.into()), Direction::Forward);
    assert_eq!(read(points, usize::MAX), (900, 1, 1));
    let ranges = (0..400).map(|number| KeyRange::new(key(number * 40), Some(key(number * 40 + 2))));
    let ranges = KeyRangeSet::from_ranges(ranges.map(Option::unwrap).collect::<Vec<_>>());
    let ranges = ReadRequest::new("t", Work::Ranges(ranges), Direction::Forward);
    assert_eq!(read(ranges, usize::MAX), (800, 1, 1));
}

#[test]
fn a_database_on_a_cluster_keeps_its_word() {
    let Some(url) = address("word") else {
        return;
    };
    let (one, other) = (super::open(&url).unwrap(), super::open(&url).unwrap());
    one.create_space("t", &SpaceOptions::default()).unwrap();
    let empty = other.snapshot().unwrap();
    let mut changes = Arc::clone(&one).begin(&[Claim::exclusive("t")]).unwrap();
    let mut load = changes.bulk("t").unwrap();
    (0..500).for_each(|number| load.put(&key(number), b"1").unwrap());
    drop(load);
    assert!(keys(&other, Direction::Forward).is_empty());
    changes.commit(Durability::Sync).unwrap();
    assert_eq!(empty.get("t", &key(3)).unwrap(), None);
    let mut changes = Arc::clone(&other).begin(&[Claim::exclusive("t")]).unwrap();
    let mut batch = WriteBatch::new();
    batch.delete("t", &key(7));
    batch.put("t", &key(8), b"");
    changes.write(batch).unwrap();
    changes.commit(Durability::Sync).unwrap();
    let mut expected: Vec<_> = (0..500).filter(|number| *number != 7).map(key).collect();
    assert_eq!(keys(&one, Direction::Forward), expected);
    expected.reverse();
    assert_eq!(keys(&one, Direction::Backward), expected);
    let wanted = [key(7), key(8), key(9)];
    let wanted: Vec<&[u8]> = wanted.iter().map(Vec::as_slice).collect();
    let found = one.snapshot().unwrap().multi_get("t", &wanted).unwrap();
    assert_eq!(found, [None, Some(Vec::new()), Some(b"1".to_vec())]);
    // A statement that is dropped leaves nothing.
    let mut changes = Arc::clone(&one).begin(&[Claim::exclusive("t")]).unwrap();
    changes.bulk("t").unwrap().put(b"gone", b"1").unwrap();
    drop(changes);
    assert_eq!(keys(&other, Direction::Backward), expected);
    one.drop_space("t").unwrap();
    assert!(other.spaces().unwrap().is_empty());
}
