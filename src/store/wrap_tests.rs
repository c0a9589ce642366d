use super::*;
use crate::store::MemoryStore;

fn store() -> Arc<dyn Store> {
    let store = MemoryStore::new();
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    batch.put("t", b"a", b"1");
    batch.put("t", b"b", b"2");
    store.write(batch, Durability::Sync).unwrap();
    Arc::new(store)
}

/// One call of everything that can fail.
fn use_all(store: &dyn Store) -> Result<usize> {
    store.create_space("u", &SpaceOptions::default())?;
    let mut batch = WriteBatch::new();
    batch.put("u", b"k", b"v");
    store.write(batch, Durability::Sync)?;
    let mut bulk = store.bulk("u")?;
    bulk.put(b"k", b"w")?;
    bulk.delete(b"l")?;
    bulk.ingest()?;
    store.temporary_file()?;
    store.approximate_size("u", &KeyRange::all())?;
    let snapshot = store.snapshot()?;
    snapshot.get("t", b"a")?;
    snapshot.multi_get("t", &[b"a", b"c"])?;
    let mut cursor = snapshot.cursor("t", &KeyRange::all(), Direction::Forward)?;
    cursor.seek(&KeyRange::prefix(b"a"))?;
    cursor.restrict(b"b");
    cursor.lift();
    let mut chunk = Chunk::new();
    cursor.fill(&mut chunk, ChunkLimit::default())?;
    store.drop_space("u")?;
    store.spaces().map(|spaces| spaces.len())
}

const CALLS: u64 = 16;

#[test]
fn every_call_can_be_made_to_fail() {
    for call in 1.. {
        let faults = Faults::once(call);
        let failing = Failing::new(store(), faults.clone());
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
    let failing = Failing::new(Arc::clone(&inner), Faults::from(1));
    let mut batch = WriteBatch::new();
    batch.delete("t", b"a");
    failing.write(batch, Durability::Sync).unwrap_err();
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
    // Calls: bulk, put, ingest.
    let failing = Failing::new(Arc::clone(&inner), Faults::once(2));
    let mut bulk = failing.bulk("t").unwrap();
    bulk.put(b"c", b"3").unwrap_err();
    bulk.put(b"d", b"4").unwrap_err();
    bulk.ingest().unwrap_err();
    let failing = Failing::new(Arc::clone(&inner), Faults::once(3));
    let mut bulk = failing.bulk("t").unwrap();
    bulk.put(b"c", b"3").unwrap();
    bulk.ingest().unwrap_err();
    assert!(inner.snapshot().unwrap().get("t", b"c").unwrap().is_none());
}

#[test]
fn a_failed_cursor_stays_failed() {
    // Calls: snapshot, cursor, seek, fill.
    for call in [3, 4] {
        let failing = Failing::new(store(), Faults::once(call));
        let snapshot = failing.snapshot().unwrap();
        let whole = KeyRange::all();
        let mut cursor = snapshot.cursor("t", &whole, Direction::Forward).unwrap();
        let mut chunk = Chunk::new();
        let sought = cursor.seek(&whole);
        let filled = cursor.fill(&mut chunk, ChunkLimit::default());
        assert_eq!((sought.is_err(), filled.is_err()), (call == 3, true));
        cursor.seek(&whole).unwrap_err();
        cursor.fill(&mut chunk, ChunkLimit::default()).unwrap_err();
        assert!(chunk.is_empty());
    }
}

#[test]
fn the_log_holds_every_call() {
    let recording = Recording::new(store());
    let log = recording.log();
    use_all(&recording).unwrap();
    let prefix = KeyRange::prefix(b"a");
    assert_eq!(log.seeks("t"), std::slice::from_ref(&prefix));
    assert_eq!((log.entries_read("t"), log.entries_read("u")), (1, 0));
    let mut batch = WriteBatch::new();
    batch.put("u", b"k", b"v");
    let t = || "t".to_owned();
    let expected = [
        Call::CreateSpace("u".to_owned()),
        Call::Write(batch, Durability::Sync),
        Call::Bulk("u".to_owned()),
        Call::Ingest("u".to_owned(), 2),
        Call::TemporaryFile,
        Call::Snapshot,
        Call::Get(t(), b"a".to_vec()),
        Call::MultiGet(t(), vec![b"a".to_vec(), b"c".to_vec()]),
        Call::Cursor(t(), KeyRange::all(), Direction::Forward),
        Call::Seek(t(), prefix),
        Call::Restrict(t(), b"b".to_vec()),
        Call::Lift(t()),
        Call::Fill(t(), 1),
        Call::DropSpace("u".to_owned()),
    ];
    assert_eq!(log.calls(), expected);
    assert_eq!(log.take(), expected);
    assert!(log.calls().is_empty());
}
