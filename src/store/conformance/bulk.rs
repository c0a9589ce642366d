//! What the docs of [`BulkWriter`](crate::store::BulkWriter) say.

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
    let hostile: Vec<(&[u8], Option<&[u8]>)> = subject
        .hostile()
        .iter()
        .map(|(key, value)| (*key, Some(*value)))
        .collect();
    load(subject, "t", &hostile).unwrap();
    assert_eq!(contents(&subject.snapshot(), "t"), model(subject.hostile()));
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
    let expected = if subject.is_numbered {
        model(&[(b"a", b"write"), (b"b", b"write"), (b"c", b"write")])
    } else {
        model(&[(b"a", b"first"), (b"c", b"write")])
    };
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

/// What came through [`Changes::write`] is behind the loads, and goes to spaces with and without one.
pub(super) fn several_loads_and_a_batch_are_one_step(subject: &Subject) {
    for space in ["t", "u", "v", "w"] {
        subject.create(space);
        subject.put(space, &[(b"a", b"old"), (b"b", b"old")]);
    }
    let claims = ["t", "u", "v"].map(Claim::exclusive);
    let mut changes = subject.begin(&claims).unwrap();
    let mut batch = WriteBatch::new();
    batch.put("u", b"b", b"first");
    batch.put("v", b"c", b"batch");
    batch.put("u", b"b", b"batch");
    batch.delete("v", b"a");
    changes.write(batch).unwrap();
    for space in ["u", "t"] {
        let mut bulk = changes.bulk(space).unwrap();
        bulk.delete(b"a").unwrap();
        bulk.put(b"b", b"bulk").unwrap();
    }
    // A load to which nothing comes.
    drop(changes.bulk("w").unwrap());
    let old = model(&[(b"a", b"old"), (b"b", b"old")]);
    let before = subject.snapshot();
    changes.commit(Durability::Sync).unwrap();
    let after = subject.snapshot();
    for space in ["t", "u", "v", "w"] {
        assert_eq!(contents(&before, space), old, "{space}");
    }
    assert_eq!(contents(&after, "t"), model(&[(b"b", b"bulk")]));
    assert_eq!(contents(&after, "u"), model(&[(b"b", b"batch")]));
    let expected = model(&[(b"b", b"old"), (b"c", b"batch")]);
    assert_eq!(contents(&after, "v"), expected);
    assert_eq!(contents(&after, "w"), old);
}

pub(super) fn several_loads_need_all_their_spaces(subject: &Subject) {
    subject.create("t");
    subject.create("u");
    let mut changes = subject.begin(&[]).unwrap();
    for space in ["t", "u"] {
        changes.bulk(space).unwrap().put(b"a", b"1").unwrap();
    }
    subject.store.drop_space("u").unwrap();
    assert_eq!(kind(changes.commit(Durability::Sync)), ErrorKind::Internal);
    assert!(contents(&subject.snapshot(), "t").is_empty());
    subject.put("t", &[(b"a", b"2")]);
}

/// Each step writes all keys of two spaces anew: who reads sees one step whole, and writes of others are not lost.
pub(super) fn readers_see_several_loads_whole(subject: &Subject) {
    for space in ["t", "u", "other"] {
        subject.create(space);
    }
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..25_u8 {
                let mut changes = subject.begin(&[]).unwrap();
                for space in ["t", "u"] {
                    let mut bulk = changes.bulk(space).unwrap();
                    (0..20_u8).for_each(|key| bulk.put(&[key], &[round]).unwrap());
                }
                changes.commit(Durability::Sync).unwrap();
                subject.put("other", &[(&[round], b"")]);
            }
            is_done.store(true, Ordering::Release);
        });
        while !is_done.load(Ordering::Acquire) {
            let snapshot = subject.snapshot();
            let first = contents(&snapshot, "t");
            assert_eq!(contents(&snapshot, "u"), first);
            let mut values: Vec<_> = first.values().collect();
            values.dedup();
            assert!(values.len() <= 1, "{values:?}");
        }
    });
    assert_eq!(contents(&subject.snapshot(), "u").len(), 20);
    assert_eq!(contents(&subject.snapshot(), "other").len(), 25);
}

pub(super) fn random_loads_and_writes_agree_with_a_map(subject: &Subject) {
    subject.create("t");
    let mut random = random();
    let mut expected = Model::new();
    for _ in 0..subject.rounds(60) {
        let mut changes = BTreeMap::new();
        for _ in 0..random.usize(0..60) {
            let key: Vec<u8> = (0..random.usize(0..4)).map(|_| random.u8(0..4)).collect();
            let value = (random.u8(..) > 80).then(|| vec![random.u8(..); random.usize(0..900)]);
            changes.insert(key, value);
        }
        if subject.refuses_empty_key() {
            changes.remove(&Vec::new());
        }
        let mut ranges = WriteBatch::new();
        for _ in 0..random.usize(0..3) {
            let [start, stop] = [(); 2].map(|()| subject.key(&mut random));
            let stop = (random.u8(..) > 40).then_some(stop);
            if let Some(range) = KeyRange::new(start, stop) {
                ranges.delete_range("t", &range);
                expected.retain(|key, _| !range.contains(key));
            }
        }
        let mut statement = subject.begin(&[Claim::exclusive("t")]).unwrap();
        statement.write(ranges).unwrap();
        if random.bool() {
            let mut bulk = statement.bulk("t").unwrap();
            for (key, value) in &changes {
                match value {
                    Some(value) => bulk.put(key, value),
                    None => bulk.delete(key),
                }
                .unwrap();
            }
        } else {
            let mut batch = WriteBatch::new();
            for (key, value) in &changes {
                match value {
                    Some(value) => batch.put("t", key, value),
                    None => batch.delete("t", key),
                }
            }
            statement.write(batch).unwrap();
        }
        statement.commit(Durability::Buffered).unwrap();
        for (key, value) in changes {
            match value {
                Some(value) => expected.insert(key, value),
                None => expected.remove(&key),
            };
        }
        assert_eq!(contents(&subject.snapshot(), "t"), expected);
    }
}
