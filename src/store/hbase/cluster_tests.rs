//! The store on a real cluster: `HALITE_HBASE=hbase://localhost/hbase`. Without it nothing is tested, and it says so.

use std::sync::Arc;

use crate::keyrange::KeyRange;
use crate::store::{
    Chunk, ChunkLimit, Claim, Direction, Durability, ReadRequest, SpaceOptions, Store, WriteBatch,
};

/// The address of a database of its own on the cluster that is named, if one is.
fn url() -> Option<String> {
    let Ok(url) = std::env::var("HALITE_HBASE") else {
        println!("HALITE_HBASE names no cluster: nothing was tested on HBase");
        return None;
    };
    Some(format!("{url}?namespace=test_{:x}", fastrand::u64(..)))
}

fn key(number: u32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

fn keys(store: &Arc<dyn Store>, direction: Direction) -> Vec<Vec<u8>> {
    let request = ReadRequest::range("t", KeyRange::all(), direction).with_fetch(7);
    let mut reader = store.snapshot().unwrap().read(request).unwrap();
    let mut chunk = Chunk::new();
    while reader
        .fill(&mut chunk, ChunkLimit::entries(usize::MAX))
        .unwrap()
    {}
    chunk.keys().map(<[u8]>::to_vec).collect()
}

#[test]
fn a_database_on_a_cluster_keeps_its_word() {
    let Some(url) = url() else {
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
    super::vacuum(&url).unwrap();
}
