use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::*;
use crate::error::{ErrorKind, Result};
use crate::keyrange::KeyRange;
use crate::store::{
    Chunk, ChunkLimit, Claim, Direction, Durability, MemoryStore, ReadRequest, SpaceOptions, Store,
    WriteBatch, commit_batch,
};

fn store() -> Arc<dyn Store> {
    let store = Arc::new(MemoryStore::new());
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    batch.put("t", b"a", b"1");
    batch.put("t", b"b", b"2");
    commit_batch(&store, batch, Durability::Sync).unwrap();
    store
}

/// One call of everything that can fail.
fn use_all(store: &Arc<dyn Store>) -> Result<usize> {
    store.create_space("u", &SpaceOptions::default())?;
    let mut changes = Arc::clone(store).begin(&[Claim::exclusive("u")])?;
    let mut bulk = changes.bulk("u")?;
    bulk.put(b"k", b"w")?;
    bulk.delete(b"l")?;
    drop(bulk);
    changes.commit(Durability::Sync)?;
    let mut changes = Arc::clone(store).begin(&[Claim::shared("u")])?;
    changes.snapshot()?;
    let mut batch = WriteBatch::new();
    batch.delete("u", b"k");
    changes.write(batch)?;
    changes.commit(Durability::Buffered)?;
    store.approximate_size("u", &KeyRange::all())?;
    let snapshot = store.snapshot()?;
    snapshot.get("t", b"a")?;
    snapshot.multi_get("t", &[b"a", b"c"])?;
    let request = ReadRequest::range("t", KeyRange::prefix(b"a"), Direction::Forward);
    let mut reader = snapshot.read(request)?;
    let mut chunk = Chunk::new();
    reader.fill(&mut chunk, ChunkLimit::default())?;
    store.drop_space("u")?;
    store.spaces().map(|spaces| spaces.len())
}

const CALLS: u64 = 18;

#[test]
fn every_call_can_be_made_to_fail() {
    for call in 1.. {
        let faults = Faults::once(call);
        let failing: Arc<dyn Store> = Arc::new(Failing::new(store(), faults.clone()));
        match use_all(&failing) {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unavailable);
                assert!(
                    error.message().contains(&format!("call {call} ")),
                    "{error}"
                );
                assert_eq!(faults.calls(), call);
            }
            Ok(spaces) => {
                assert_eq!((spaces, faults.calls(), call), (1, CALLS, CALLS + 1));
                break;
            }
        }
    }
}

#[test]
fn a_call_that_fails_has_no_effect() {
    let inner = store();
    let failing = Arc::new(Failing::new(Arc::clone(&inner), Faults::from(4)));
    // Calls: begin, write, bulk, commit.
    let mut changes = Arc::clone(&failing).begin(&[]).unwrap();
    let mut batch = WriteBatch::new();
    batch.delete("t", b"a");
    changes.write(batch).unwrap();
    drop(changes.bulk("t").unwrap());
    changes.commit(Durability::Sync).unwrap_err();
    failing.drop_space("t").unwrap_err();
    failing
        .create_space("u", &SpaceOptions::default())
        .unwrap_err();
    assert_eq!(inner.spaces().unwrap(), ["t"]);
    assert!(inner.snapshot().unwrap().get("t", b"a").unwrap().is_some());
}

#[test]
fn a_load_that_failed_cannot_be_ingested() {
    let inner = store();
    let begin = |call| {
        let failing = Failing::new(Arc::clone(&inner), Faults::once(call));
        Arc::new(failing).begin(&[Claim::exclusive("t")]).unwrap()
    };
    // Calls: begin, bulk, put, commit.
    let mut changes = begin(3);
    let mut bulk = changes.bulk("t").unwrap();
    bulk.put(b"c", b"3").unwrap_err();
    bulk.put(b"d", b"4").unwrap_err();
    drop(bulk);
    changes.commit(Durability::Sync).unwrap_err();
    let mut changes = begin(4);
    changes.bulk("t").unwrap().put(b"c", b"3").unwrap();
    changes.commit(Durability::Sync).unwrap_err();
    assert!(inner.snapshot().unwrap().get("t", b"c").unwrap().is_none());
}

#[test]
fn a_failed_reader_stays_failed() {
    // Calls: snapshot, read, fill.
    let failing = Failing::new(store(), Faults::once(3));
    let request = ReadRequest::range("t", KeyRange::all(), Direction::Forward);
    let mut reader = failing.snapshot().unwrap().read(request).unwrap();
    let mut chunk = Chunk::new();
    reader.fill(&mut chunk, ChunkLimit::default()).unwrap_err();
    reader.fill(&mut chunk, ChunkLimit::default()).unwrap_err();
    assert!(chunk.is_empty());
}

/// Of a reader that is late as of the one that it reads from.
#[test]
fn a_reader_that_is_late_stays_failed() {
    let failing = Arc::new(Failing::new(store(), Faults::once(3)));
    let delayed = Delayed::new(failing, Duration::ZERO);
    let request = ReadRequest::range("t", KeyRange::all(), Direction::Forward);
    let mut reader = delayed.snapshot().unwrap().read(request).unwrap();
    let mut chunk = Chunk::new();
    reader.fill(&mut chunk, ChunkLimit::default()).unwrap_err();
    reader.fill(&mut chunk, ChunkLimit::default()).unwrap_err();
    assert!(chunk.is_empty());
}

#[test]
fn what_is_begun_together_is_waited_for_once() {
    let delay = Duration::from_millis(40);
    let delayed = Delayed::new(store(), delay);
    let snapshot = delayed.snapshot().unwrap();
    let began = Instant::now();
    let readers: Vec<_> = (0..20)
        .map(|_| {
            let request = ReadRequest::range("t", KeyRange::all(), Direction::Forward);
            Arc::clone(&snapshot).read(request).unwrap()
        })
        .collect();
    assert!(began.elapsed() < delay, "reading is begun without a wait");
    for mut reader in readers {
        let mut chunk = Chunk::new();
        assert!(!reader.fill(&mut chunk, ChunkLimit::default()).unwrap());
        assert_eq!((chunk.len(), reader.tally().requests), (2, 1));
    }
    let took = began.elapsed();
    assert!((delay..delay * 5).contains(&took), "{took:?}");
    assert_eq!(delayed.requests().load(Ordering::Relaxed), 20);
}

/// Each answer has more entries than the one before, and is asked for while that is handed out.
#[test]
fn long_work_comes_in_answers() {
    let inner = store();
    let mut batch = WriteBatch::new();
    for key in 0..1_000_u32 {
        batch.put("t", &key.to_be_bytes(), b"");
    }
    commit_batch(&inner, batch, Durability::Sync).unwrap();
    let delayed = Delayed::new(inner, Duration::from_millis(1));
    let mut request = ReadRequest::range("t", KeyRange::all(), Direction::Backward);
    request.first = 100;
    let mut reader = delayed.snapshot().unwrap().read(request).unwrap();
    let mut chunk = Chunk::new();
    while reader
        .fill(&mut chunk, ChunkLimit::entries(usize::MAX))
        .unwrap()
    {}
    // 100, 200, 400, and what is left.
    assert_eq!((chunk.len(), reader.tally().requests), (1_002, 4));
}

#[test]
fn the_log_holds_every_call() {
    let recording = Arc::new(Recording::new(store()));
    let log = recording.log();
    use_all(&(recording as Arc<dyn Store>)).unwrap();
    let prefix = KeyRange::prefix(b"a");
    assert_eq!(log.seeks("t"), std::slice::from_ref(&prefix));
    assert_eq!((log.entries_read("t"), log.entries_read("u")), (1, 0));
    let mut deleted = WriteBatch::new();
    deleted.delete("u", b"k");
    let t = || "t".to_owned();
    let expected = [
        Call::CreateSpace("u".to_owned()),
        Call::Begin(vec!["u".to_owned()]),
        Call::Bulk("u".to_owned()),
        Call::Ingest("u".to_owned(), 2),
        Call::Begin(vec!["u".to_owned()]),
        Call::Snapshot,
        Call::Write(deleted, Durability::Buffered),
        Call::Snapshot,
        Call::Get(t(), b"a".to_vec()),
        Call::MultiGet(t(), vec![b"a".to_vec(), b"c".to_vec()]),
        Call::Read(t(), Some(prefix.clone()), Direction::Forward),
        Call::Seek(t(), prefix),
        Call::Fill(t(), 1),
        Call::DropSpace("u".to_owned()),
    ];
    assert_eq!(log.calls(), expected);
    assert_eq!(log.take(), expected);
    assert!(log.calls().is_empty());
}
