//! What the docs of [`BulkWriter`](crate::store::BulkWriter) say.

use std::io::{Read, Seek, Write};

use super::*;

/// A load of puts, and of deletes where there is no value.
fn load(subject: &Subject, space: &str, changes: &[(&[u8], Option<&[u8]>)]) -> Result<()> {
    let mut bulk = begin_load(subject, space)?;
    for (key, value) in changes {
        match value {
            Some(value) => bulk.put(key, value)?,
            None => bulk.delete(key)?,
        }
    }
    bulk.ingest()
}

pub(super) fn a_load_is_seen_at_once_and_by_later_snapshots(subject: &Subject) {
    subject.create("t");
    subject.put("t", &[(b"a", b"1"), (b"c", b"3"), (b"e", b"5")]);
    let old = subject.snapshot();
    let mut bulk = begin_load(subject, "t").unwrap();
    bulk.delete(b"a").unwrap();
    bulk.put(b"b", b"2").unwrap();
    bulk.put(b"c", b"changed").unwrap();
    bulk.delete(b"d never there").unwrap();
    bulk.put(b"f", b"").unwrap();
    let before = model(&[(b"a", b"1"), (b"c", b"3"), (b"e", b"5")]);
    assert_eq!(contents(&subject.snapshot(), "t"), before);
    bulk.ingest().unwrap();
    let after = model(&[(b"b", b"2"), (b"c", b"changed"), (b"e", b"5"), (b"f", b"")]);
    let new = subject.snapshot();
    assert_eq!(contents(&new, "t"), after);
    assert_eq!(contents(&old, "t"), before);
    assert_eq!(
        new.multi_get("t", &[b"a", b"c"]).unwrap(),
        [None, Some(b"changed".to_vec())]
    );
    subject.put("t", &[(b"b", b"over it")]);
    subject.delete("t", b"f");
    let later = model(&[(b"b", b"over it"), (b"c", b"changed"), (b"e", b"5")]);
    assert_eq!(contents(&subject.snapshot(), "t"), later);
    assert_eq!(contents(&new, "t"), after);
}

pub(super) fn a_load_that_is_dropped_changes_nothing(subject: &Subject) {
    subject.create("t");
    subject.put("t", &[(b"a", b"1")]);
    let mut bulk = begin_load(subject, "t").unwrap();
    bulk.delete(b"a").unwrap();
    bulk.put(b"b", b"2").unwrap();
    drop(bulk);
    assert_eq!(contents(&subject.snapshot(), "t"), model(&[(b"a", b"1")]));
    load(subject, "t", &[]).unwrap();
    assert_eq!(contents(&subject.snapshot(), "t"), model(&[(b"a", b"1")]));
}

pub(super) fn a_load_takes_keys_in_order_alone(subject: &Subject) {
    subject.create("t");
    for wrong in [&b"b"[..], b"a", b""] {
        let mut bulk = begin_load(subject, "t").unwrap();
        bulk.put(b"b", b"2").unwrap();
        assert_eq!(kind(bulk.put(wrong, b"")), ErrorKind::Internal);
        assert_eq!(kind(bulk.put(b"z", b"")), ErrorKind::Internal);
        assert_eq!(kind(bulk.ingest()), ErrorKind::Internal);
        let mut bulk = begin_load(subject, "t").unwrap();
        bulk.delete(b"b").unwrap();
        assert_eq!(kind(bulk.delete(wrong)), ErrorKind::Internal);
        assert_eq!(kind(bulk.ingest()), ErrorKind::Internal);
    }
    assert!(contents(&subject.snapshot(), "t").is_empty());
    let hostile: Vec<(&[u8], Option<&[u8]>)> = HOSTILE
        .iter()
        .map(|(key, value)| (*key, Some(*value)))
        .collect();
    load(subject, "t", &hostile).unwrap();
    assert_eq!(contents(&subject.snapshot(), "t"), model(HOSTILE));
}

pub(super) fn a_load_needs_its_space(subject: &Subject) {
    let missing = begin_load(subject, "t").map(|_| ());
    assert_eq!(kind(missing), ErrorKind::Internal);
    subject.create("t");
    let mut bulk = begin_load(subject, "t").unwrap();
    bulk.put(b"a", b"1").unwrap();
    subject.store.drop_space("t").unwrap();
    assert_eq!(kind(bulk.ingest()), ErrorKind::Internal);
    assert!(subject.store.spaces().unwrap().is_empty());
}

pub(super) fn a_load_comes_after_what_was_written_meanwhile(subject: &Subject) {
    subject.create("t");
    subject.create("other");
    let mut first = begin_load(subject, "t").unwrap();
    let mut second = begin_load(subject, "t").unwrap();
    first.put(b"a", b"first").unwrap();
    second.put(b"a", b"second").unwrap();
    second.delete(b"b").unwrap();
    subject.put("t", &[(b"a", b"write"), (b"b", b"write"), (b"c", b"write")]);
    second.ingest().unwrap();
    first.ingest().unwrap();
    let expected = model(&[(b"a", b"first"), (b"c", b"write")]);
    assert_eq!(contents(&subject.snapshot(), "t"), expected);
    assert!(contents(&subject.snapshot(), "other").is_empty());
}

/// Each load writes all keys anew: who reads sees one load whole.
pub(super) fn readers_see_a_load_whole(subject: &Subject) {
    subject.create("t");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..40_u8 {
                let mut bulk = begin_load(subject, "t").unwrap();
                for key in 0..50_u8 {
                    bulk.put(&[key], &[round]).unwrap();
                }
                bulk.ingest().unwrap();
            }
            is_done.store(true, Ordering::Release);
        });
        while !is_done.load(Ordering::Acquire) {
            let snapshot = subject.snapshot();
            let first = contents(&snapshot, "t");
            let mut values: Vec<_> = first.values().collect();
            values.dedup();
            assert!(
                values.is_empty() || (values.len() == 1 && first.len() == 50),
                "{values:?}"
            );
            assert_eq!(contents(&snapshot, "t"), first);
        }
    });
    assert_eq!(contents(&subject.snapshot(), "t").len(), 50);
}

pub(super) fn random_loads_and_writes_agree_with_a_map(subject: &Subject) {
    subject.create("t");
    let mut random = random();
    let mut expected = Model::new();
    for _ in 0..60 {
        let mut changes = BTreeMap::new();
        for _ in 0..random.usize(0..60) {
            let key: Vec<u8> = (0..random.usize(0..4)).map(|_| random.u8(0..4)).collect();
            let value = (random.u8(..) > 80).then(|| vec![random.u8(..); random.usize(0..900)]);
            changes.insert(key, value);
        }
        match random.bool() {
            true => {
                let changes: Vec<_> = changes
                    .iter()
                    .map(|(key, value)| (key.as_slice(), value.as_deref()))
                    .collect();
                load(subject, "t", &changes).unwrap();
            }
            false => {
                let mut batch = WriteBatch::new();
                for (key, value) in &changes {
                    match value {
                        Some(value) => batch.put("t", key, value),
                        None => batch.delete("t", key),
                    }
                }
                subject.store.write(batch, Durability::Buffered).unwrap();
            }
        }
        for (key, value) in changes {
            match value {
                Some(value) => expected.insert(key, value),
                None => expected.remove(&key),
            };
        }
        assert_eq!(contents(&subject.snapshot(), "t"), expected);
    }
}

pub(super) fn a_temporary_file_keeps_what_is_written(subject: &Subject) {
    let mut file = subject.store.temporary_file().unwrap();
    file.write_all(b"a run").unwrap();
    file.rewind().unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "a run");
}
