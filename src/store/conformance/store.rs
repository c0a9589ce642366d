//! What the docs of [`Store`] say.

use super::*;
use crate::keyrange::KeyRangeSet;

pub(super) fn spaces_are_made_and_listed(subject: &Subject) {
    let store = &subject.store;
    assert_eq!(store.spaces().unwrap(), Vec::<String>::new());
    for (name, compression) in [
        ("t2", Compression::Fast),
        ("t10", Compression::Dense),
        ("a_b", Compression::None),
    ] {
        store
            .create_space(name, &SpaceOptions { compression })
            .unwrap();
        assert!(contents(&subject.snapshot(), name).is_empty());
    }
    assert_eq!(store.spaces().unwrap(), ["a_b", "t10", "t2"]);
    for name in ["t2", "t10"] {
        let again = store.create_space(name, &SpaceOptions::default());
        assert_eq!(kind(again), ErrorKind::Conflict);
    }
    assert_eq!(store.spaces().unwrap().len(), 3);
}

pub(super) fn names_of_spaces_are_checked(subject: &Subject) {
    let longest = "x".repeat(SPACE_NAME_MAX);
    subject.create(&longest);
    let too_long = "x".repeat(SPACE_NAME_MAX + 1);
    for name in [
        "",
        "T",
        "a-b",
        "a.b",
        "ä",
        "a b",
        "default.x",
        "a/b",
        "a\0",
        &too_long,
    ] {
        let refused = subject.store.create_space(name, &SpaceOptions::default());
        assert_eq!(kind(refused), ErrorKind::Internal, "{name:?}");
    }
    assert_eq!(subject.store.spaces().unwrap(), [longest]);
}

pub(super) fn a_dropped_space_is_gone(subject: &Subject) {
    let store = &subject.store;
    assert_eq!(kind(store.drop_space("t")), ErrorKind::Internal);
    subject.create("t");
    subject.create("other");
    subject.put("t", &[(b"a", b"1")]);
    store.drop_space("t").unwrap();
    assert_eq!(store.spaces().unwrap(), ["other"]);
    assert_eq!(kind(store.drop_space("t")), ErrorKind::Internal);
    assert_eq!(kind(subject.snapshot().get("t", b"a")), ErrorKind::Internal);
    let dense = Compression::Dense;
    store
        .create_space("t", &SpaceOptions { compression: dense })
        .unwrap();
    assert!(contents(&subject.snapshot(), "t").is_empty());
}

pub(super) fn older_snapshots_read_a_dropped_space(subject: &Subject) {
    subject.create("t");
    subject.put("t", &[(b"a", b"1"), (b"b", b"2"), (b"c", b"3")]);
    let snapshot = subject.snapshot();
    let request = ReadRequest::range("t", KeyRange::all(), Direction::Forward);
    let mut open = Arc::clone(&snapshot).read(request).unwrap();
    let mut chunk = Chunk::new();
    assert!(read_on(&mut *open, &mut chunk, ChunkLimit::entries(1)));
    subject.store.drop_space("t").unwrap();
    assert!(!read_on(&mut *open, &mut chunk, ChunkLimit::default()));
    assert!(chunk.keys().eq([b"a", b"b", b"c"]));
    subject.create("t");
    subject.put("t", &[(b"a", b"new")]);
    let old = model(&[(b"a", b"1"), (b"b", b"2"), (b"c", b"3")]);
    assert_eq!(contents(&snapshot, "t"), old);
    assert_eq!(snapshot.get("t", b"a").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(contents(&subject.snapshot(), "t"), model(&[(b"a", b"new")]));
}

pub(super) fn a_snapshot_sees_what_was_written_and_nothing_later(subject: &Subject) {
    subject.create("t");
    let empty = subject.snapshot();
    let mut batch = WriteBatch::new();
    batch.put("t", b"a", b"1");
    subject.write(batch).unwrap();
    subject.put("t", &[(b"b", b"2"), (b"c", b"3")]);
    let full = subject.snapshot();
    subject.put("t", &[(b"a", b"changed"), (b"aa", b"added")]);
    subject.delete("t", b"b");
    subject.create("later");
    assert!(contents(&empty, "t").is_empty());
    let expected = model(&[(b"a", b"1"), (b"b", b"2"), (b"c", b"3")]);
    assert_eq!(contents(&full, "t"), expected);
    assert_eq!(full.get("t", b"aa").unwrap(), None);
    assert_eq!(full.multi_get("t", &[b"b"]).unwrap(), [Some(b"2".to_vec())]);
    assert_eq!(kind(full.get("later", b"a")), ErrorKind::Internal);
    assert!(full.has_space("t") && !full.has_space("later"));
    let now = model(&[(b"a", b"changed"), (b"aa", b"added"), (b"c", b"3")]);
    assert_eq!(contents(&subject.snapshot(), "t"), now);
}

pub(super) fn a_batch_is_all_or_nothing(subject: &Subject) {
    subject.create("t");
    subject.put("t", &[(b"a", b"1")]);
    let mut batch = WriteBatch::new();
    batch.put("t", b"b", b"2");
    batch.delete("t", b"a");
    batch.put("missing", b"c", b"3");
    let refused = subject.write(batch);
    assert_eq!(kind(refused), ErrorKind::Internal);
    assert_eq!(contents(&subject.snapshot(), "t"), model(&[(b"a", b"1")]));
    subject.write(WriteBatch::new()).unwrap();
}

pub(super) fn a_batch_over_two_spaces_is_seen_at_once(subject: &Subject) {
    let rounds = subject.rounds(500) as u32;
    subject.create("left");
    subject.create("right");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..rounds {
                let mut batch = WriteBatch::new();
                batch.put("left", b"round", &round.to_be_bytes());
                batch.put("right", b"round", &round.to_be_bytes());
                subject.write(batch).unwrap();
            }
            is_done.store(true, Ordering::Release);
        });
        while !is_done.load(Ordering::Acquire) {
            let snapshot = subject.snapshot();
            let left = snapshot.get("left", b"round").unwrap();
            assert_eq!(left, snapshot.get("right", b"round").unwrap());
        }
    });
    let last = subject.snapshot().get("right", b"round").unwrap();
    assert_eq!(last.as_deref(), Some(&(rounds - 1).to_be_bytes()[..]));
}

pub(super) fn the_later_operation_on_a_key_counts(subject: &Subject) {
    subject.create("t");
    let mut batch = WriteBatch::new();
    batch.put("t", b"put", b"1");
    batch.put("t", b"put", b"2");
    batch.put("t", b"deleted", b"1");
    batch.delete("t", b"deleted");
    batch.delete("t", b"back");
    batch.put("t", b"back", b"1");
    batch.delete("t", b"never there");
    subject.write(batch).unwrap();
    let expected = model(&[(b"put", b"2"), (b"back", b"1")]);
    assert_eq!(contents(&subject.snapshot(), "t"), expected);
}

pub(super) fn sizes_follow_the_entries(subject: &Subject) {
    subject.create("t");
    let mut random = random();
    for tens in 0..100_u8 {
        let mut batch = WriteBatch::new();
        for ones in 0..100_u8 {
            let value: Vec<u8> = (0..100).map(|_| random.u8(..)).collect();
            batch.put("t", &[tens, ones], &value);
        }
        subject.write(batch).unwrap();
    }
    let unknown = subject.store.approximate_size("missing", &KeyRange::all());
    assert_eq!(kind(unknown), ErrorKind::Internal);
    if subject.is_cluster {
        return a_cluster_knows_its_sizes_soon(subject);
    }
    let size = |range: &KeyRange| subject.store.approximate_size("t", range).unwrap();
    for (range, bytes) in [
        (KeyRange::all(), 1_020_000),
        (range(&[0], Some(&[50])), 510_000),
        (range(&[50], None), 510_000),
        (range(&[25], Some(&[75])), 510_000),
    ] {
        let estimate = size(&range);
        let plausible = bytes / 3..bytes * 3;
        assert!(
            plausible.contains(&estimate),
            "{estimate} for {bytes} bytes in {range}"
        );
    }
    let nothing = size(&range(&[200], None));
    assert!(nothing < 50_000, "{nothing}");
}

/// The servers tell their sizes now and then, in megabytes and by regions; of a part of one it is a guess.
fn a_cluster_knows_its_sizes_soon(subject: &Subject) {
    let size = |range: &KeyRange| subject.store.approximate_size("t", range);
    let until = Instant::now() + Duration::from_secs(60);
    let whole = loop {
        match size(&KeyRange::all()) {
            Ok(whole) if whole > 0 => break whole,
            Ok(_) => {}
            Err(cannot_say) => assert_eq!(cannot_say.kind(), ErrorKind::NotSupported),
        }
        assert!(Instant::now() < until, "nobody says how large it is");
        thread::sleep(Duration::from_millis(100));
    };
    assert!((1_020_000 / 3..1_020_000 * 3).contains(&whole), "{whole}");
    for range in [range(&[0], Some(&[50])), range(&[50], None)] {
        let part = size(&range).unwrap();
        assert!((1..whole).contains(&part), "{part} of {whole} in {range}");
    }
}

pub(super) fn boundaries_lie_inside_and_ascend(subject: &Subject) {
    subject.create("t");
    let mut batch = WriteBatch::new();
    for key in 0..2_000_u32 {
        batch.put("t", &key.to_be_bytes(), &[7; 100]);
    }
    subject.write(batch).unwrap();
    let bounds = [100_u32, 900, 1_000, 1_900].map(|key| Some(key.to_be_bytes().to_vec()));
    let [first, second, third, fourth] = bounds.map(Option::unwrap);
    let ranges =
        KeyRangeSet::from_ranges([range(&first, Some(&second)), range(&third, Some(&fourth))]);
    let whole = KeyRangeSet::from(KeyRange::all());
    for count in [1, 2, 5] {
        for ranges in [&ranges, &whole] {
            let cuts = subject.store.boundaries("t", ranges, count, 1_000);
            assert!(
                cuts.len() < count && cuts.is_sorted_by(|one, next| one < next),
                "{cuts:?}"
            );
            let hull = ranges.hull().unwrap();
            assert!(cuts.iter().all(|cut| hull.contains(cut)), "{cuts:?}");
        }
    }
    let none = KeyRangeSet::default();
    assert!(subject.store.boundaries("t", &none, 5, 1).is_empty());
    assert!(subject.store.boundaries("missing", &whole, 5, 1).is_empty());
}

pub(super) fn a_store_can_be_written(subject: &Subject) {
    assert!(!subject.store.is_read_only());
    assert!(!format!("{:?}{:?}", subject.store, subject.snapshot()).is_empty());
}

pub(super) fn a_checkpoint_is_the_store_at_one_moment(subject: &Subject) {
    subject.create("t");
    subject.create("u");
    subject.put("t", &[(b"a", b"1"), (b"b", b"2")]);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new").join("copy");
    let made = subject.store.checkpoint(&path);
    if !subject.is_on_disk() {
        assert_eq!(kind(made), ErrorKind::NotSupported);
        assert!(!path.exists());
        return;
    }
    made.unwrap();
    let kept = model(&[(b"a", b"1"), (b"b", b"2")]);
    subject.put("t", &[(b"a", b"later")]);
    subject.store.drop_space("u").unwrap();
    let copy = Arc::new(RocksStore::open(&path, &StoreOptions::default()).unwrap());
    assert_eq!(copy.spaces().unwrap(), ["t", "u"]);
    assert_eq!(contents(&copy.snapshot().unwrap(), "t"), kept);
    // Each is a store of its own.
    let mut batch = WriteBatch::new();
    batch.delete("t", b"b");
    commit_batch(&copy, batch, Durability::Sync).unwrap();
    let expected = model(&[(b"a", b"later"), (b"b", b"2")]);
    assert_eq!(contents(&subject.snapshot(), "t"), expected);
    drop(copy);
    assert_eq!(
        kind(subject.store.checkpoint(&path)),
        ErrorKind::InvalidInput
    );
    let copy = RocksStore::open(&path, &StoreOptions::default()).unwrap();
    assert_eq!(
        contents(&copy.snapshot().unwrap(), "t"),
        model(&[(b"a", b"1")])
    );
    let file = directory.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let below_a_file = subject.store.checkpoint(&file.join("copy"));
    assert_eq!(kind(below_a_file), ErrorKind::Unavailable);
}

/// Or looked at by those who keep it: then it is said who.
pub(super) fn what_is_kept_is_whole(subject: &Subject) {
    let is_whole = || match subject.store.verify() {
        Ok(damaged) => damaged.is_empty(),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotSupported);
            assert!(subject.is_numbered && !error.message().is_empty());
            true
        }
    };
    assert!(is_whole());
    subject.create("t");
    subject.put("t", subject.hostile());
    let mut bulk = begin_load(subject, "t").unwrap();
    bulk.put(b"loaded", b"value").unwrap();
    bulk.ingest().unwrap();
    assert!(is_whole());
    let snapshot = subject.snapshot();
    subject.store.drop_space("t").unwrap();
    assert!(is_whole());
    drop(snapshot);
}

/// Nothing that can be read changes, and it is told what was done.
pub(super) fn a_vacuum_changes_nothing_that_can_be_read(subject: &Subject) {
    for space in ["t", "u"] {
        subject.create(space);
        subject.put(space, &[(b"a", b"1"), (b"b", b"2"), (b"c", b"3")]);
        subject.put(space, &[(b"a", b"changed")]);
        subject.delete(space, b"b");
    }
    let before = subject.snapshot();
    subject.put("t", &[(b"a", b"later")]);
    let kept = model(&[(b"a", b"changed"), (b"c", b"3")]);
    for space in [Some("t"), None] {
        let told = subject.store.vacuum(space).unwrap();
        assert!(
            told.iter()
                .all(|fact| !fact.about.is_empty() && !fact.value.is_empty())
        );
        assert!(!told.is_empty());
        assert_eq!(contents(&before, "t"), kept);
        for (space, first) in [("t", &b"later"[..]), ("u", b"changed")] {
            let expected = model(&[(b"a", first), (b"c", b"3")]);
            assert_eq!(contents(&subject.snapshot(), space), expected);
        }
    }
    assert_eq!(
        kind(subject.store.vacuum(Some("missing"))),
        ErrorKind::Internal
    );
}

pub(super) fn a_store_tells_what_it_is(subject: &Subject) {
    let about_statements = || {
        let facts = subject.store.describe().unwrap();
        assert!(
            facts
                .iter()
                .all(|fact| !fact.about.is_empty() && !fact.value.is_empty())
        );
        assert_eq!(facts.first().unwrap().about, "store");
        assert!(facts.iter().any(|fact| fact.about == "a statement"));
        let under_way = facts
            .iter()
            .find(|fact| fact.about == "statements under way");
        under_way.map(|fact| fact.value.clone())
    };
    subject.create("t");
    let none = about_statements();
    let changes = subject.begin(&[Claim::exclusive("t")]).unwrap();
    let one = about_statements();
    drop(changes);
    if subject.is_numbered {
        assert_eq!([none, one].map(Option::unwrap), ["0", "1"])
    } else {
        assert_eq!([none, one], [None, None])
    }
}

/// Nothing is half done where it is refused.
pub(super) fn the_empty_key_is_kept_or_refused(subject: &Subject) {
    subject.create("t");
    let mut batch = WriteBatch::new();
    batch.put("t", b"", b"under the empty key");
    batch.put("t", b"a", b"1");
    let written = subject.write(batch);
    let found = subject.snapshot().get("t", b"").unwrap();
    if !subject.store.capabilities().refuses_empty_key {
        written.unwrap();
        assert_eq!(found.as_deref(), Some(&b"under the empty key"[..]));
        return;
    }
    assert_eq!(kind(written), ErrorKind::NotSupported);
    assert_eq!(found, None);
    assert!(contents(&subject.snapshot(), "t").is_empty());
    let loaded = begin_load(subject, "t").and_then(|mut load| {
        load.put(b"", b"1")?;
        load.ingest()
    });
    assert_eq!(kind(loaded), ErrorKind::NotSupported);
    subject.delete("t", b"a");
}

/// Run by the stores that can be read-only, with a space `t` that has the entry `a`.
pub(super) fn a_read_only_store_refuses_changes_alone(subject: &Subject) {
    let store = &subject.store;
    assert!(store.is_read_only());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("copy");
    for refused in [
        store.create_space("u", &SpaceOptions::default()),
        store.drop_space("t"),
        Arc::clone(store).begin(&[]).map(drop),
        store.checkpoint(&path),
        store.vacuum(None).map(drop),
    ] {
        assert_eq!(kind(refused), ErrorKind::Unavailable);
    }
    assert!(!path.exists());
    assert_eq!(store.spaces().unwrap(), ["t"]);
    assert_eq!(contents(&subject.snapshot(), "t"), model(&[(b"a", b"1")]));
    assert!(!store.describe().unwrap().is_empty());
    if !subject.is_cluster {
        store.approximate_size("t", &KeyRange::all()).unwrap();
        assert!(store.verify().unwrap().is_empty());
    }
}
