//! What the docs of [`Cursor`] say, and random work compared with a map.

use super::*;

pub(super) fn a_cursor_yields_nothing_before_a_seek(subject: &Subject) {
    subject.create("t");
    subject.put("t", HOSTILE);
    for direction in [Direction::Forward, Direction::Backward] {
        let mut cursor = subject.cursor("t", direction);
        assert_eq!(keys_left(&mut *cursor), Vec::<Vec<u8>>::new());
        cursor.restrict(b"a");
        assert_eq!(keys_left(&mut *cursor), Vec::<Vec<u8>>::new());
        cursor.seek(&KeyRange::all()).unwrap();
        assert_eq!(keys_left(&mut *cursor).len(), HOSTILE.len());
        assert_eq!(keys_left(&mut *cursor).len(), 0);
    }
}

/// The entries of `range` in the order of `direction`.
pub(super) fn expected(
    model: &Model,
    range: &KeyRange,
    direction: Direction,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let inside = model.iter().filter(|(key, _)| range.contains(key));
    let mut entries: Vec<_> = inside
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if direction == Direction::Backward {
        entries.reverse();
    }
    entries
}

/// Bounds at every hostile key, just after it, and at none.
pub(super) fn hostile_ranges() -> Vec<KeyRange> {
    let after = |key: &[u8]| [key, b"\0"].concat();
    let bounds: Vec<Vec<u8>> = HOSTILE
        .iter()
        .flat_map(|(key, _)| [key.to_vec(), after(key)])
        .collect();
    let stops = bounds.iter().cloned().map(Some).chain([None]);
    let pairs = stops.flat_map(|stop| {
        bounds
            .iter()
            .map(move |start| (start.clone(), stop.clone()))
    });
    pairs
        .filter_map(|(start, stop)| KeyRange::new(start, stop))
        .collect()
}

pub(super) fn every_range_of_hostile_keys(subject: &Subject) {
    subject.create("t");
    subject.put("t", HOSTILE);
    let model = model(HOSTILE);
    let snapshot = subject.snapshot();
    for direction in [Direction::Forward, Direction::Backward] {
        let whole = KeyRange::all();
        let mut wide = near(&snapshot).cursor("t", &whole, direction).unwrap();
        for range in hostile_ranges() {
            let mut narrow = near(&snapshot).cursor("t", &range, direction).unwrap();
            for cursor in [&mut wide, &mut narrow] {
                cursor.seek(&range).unwrap();
                let mut chunk = Chunk::new();
                assert!(!fill(&mut **cursor, &mut chunk, ChunkLimit::default()));
                let found = chunk
                    .iter()
                    .map(|(key, value)| (key.to_vec(), value.to_vec()));
                let expected = expected(&model, &range, direction);
                assert!(found.eq(expected), "{direction:?} {range}: {chunk:?}");
            }
        }
    }
}

pub(super) fn a_cursor_keeps_its_snapshot(subject: &Subject) {
    subject.create("t");
    subject.put("t", &[(b"a", b"1"), (b"b", b"2")]);
    let mut cursor = subject.cursor("t", Direction::Forward);
    subject.delete("t", b"a");
    subject.put("t", &[(b"b", b"changed"), (b"c", b"3")]);
    cursor.seek(&KeyRange::all()).unwrap();
    let cursor_elsewhere = thread::spawn(move || {
        let mut chunk = Chunk::new();
        assert!(!fill(&mut *cursor, &mut chunk, ChunkLimit::default()));
        chunk
    });
    let chunk = cursor_elsewhere.join().unwrap();
    let entries: Vec<_> = chunk.iter().collect();
    assert_eq!(entries, [(&b"a"[..], &b"1"[..]), (b"b", b"2")]);
}

pub(super) fn seeks_go_anywhere_inside(subject: &Subject) {
    subject.create("t");
    subject.put("t", HOSTILE);
    let within = range(b"\0", Some(b"\xff\xff"));
    let snapshot = subject.snapshot();
    let cursor = near(&snapshot).cursor("t", &within, Direction::Forward);
    let mut cursor = cursor.unwrap();
    for (start, stop, keys) in [
        (&b"a"[..], &b"ab"[..], &[&b"a"[..], b"a\0"][..]),
        (b"\0", b"\0\0", &[b"\0"]),
        (b"\xff", b"\xff\xff", &[b"\xff", b"\xff\0"]),
        (b"a", b"ab", &[b"a", b"a\0"]),
        (b"b", b"c", &[]),
    ] {
        cursor.seek(&range(start, Some(stop))).unwrap();
        assert_eq!(keys_left(&mut *cursor), keys);
        // A seek leaves what another has not read.
        cursor.seek(&within).unwrap();
        let mut chunk = Chunk::new();
        assert!(fill(&mut *cursor, &mut chunk, ChunkLimit::entries(2)));
    }
}

pub(super) fn a_seek_outside_changes_nothing(subject: &Subject) {
    subject.create("t");
    subject.put("t", HOSTILE);
    let within = range(b"\x01", Some(b"\xff"));
    for direction in [Direction::Forward, Direction::Backward] {
        let snapshot = subject.snapshot();
        let mut cursor = near(&snapshot).cursor("t", &within, direction).unwrap();
        cursor.seek(&within).unwrap();
        let mut chunk = Chunk::new();
        assert!(fill(&mut *cursor, &mut chunk, ChunkLimit::entries(1)));
        for outside in [
            KeyRange::all(),
            range(b"\0", Some(b"a")),
            range(b"a", Some(b"\xff\0")),
            range(b"a", None),
        ] {
            assert_eq!(kind(cursor.seek(&outside)), ErrorKind::Internal);
        }
        assert!(!fill(&mut *cursor, &mut chunk, ChunkLimit::default()));
        let expected = expected(&model(HOSTILE), &within, direction);
        let keys = expected.iter().map(|(key, _)| key.as_slice());
        assert!(chunk.keys().eq(keys), "{direction:?} {chunk:?}");
    }
}

pub(super) const LETTERS: &[(&[u8], &[u8])] = &[
    (b"a", b""),
    (b"b", b""),
    (b"c", b""),
    (b"d", b""),
    (b"e", b""),
    (b"f", b""),
];

/// Seeks all from `b` to `e`, reads `read` entries, restricts, and returns the keys that are left.
fn left_after(cursor: &mut dyn Cursor, read: usize, end: &[u8]) -> Vec<u8> {
    cursor.seek(&range(b"b", Some(b"f"))).unwrap();
    let mut chunk = Chunk::new();
    fill(cursor, &mut chunk, ChunkLimit::entries(read));
    assert_eq!(chunk.len(), read);
    cursor.restrict(end);
    keys_left(cursor).concat()
}

pub(super) fn restrict_moves_the_far_end_nearer(subject: &Subject) {
    subject.create("t");
    subject.put("t", LETTERS);
    let snapshot = subject.snapshot();
    for within in [KeyRange::all(), range(b"b", Some(b"f"))] {
        let cursor = |direction| near(&snapshot).cursor("t", &within, direction).unwrap();
        let mut cursor_forward = cursor(Direction::Forward);
        for (read, end, left) in [
            (0, &b"d"[..], &b"bc"[..]),
            (1, b"d", b"c"),
            (1, b"d\0", b"cd"),
            (1, b"f", b"cde"),
            (1, b"z", b"cde"),
        ] {
            assert_eq!(left_after(&mut *cursor_forward, read, end), left, "{end:?}");
        }
        let mut cursor_backward = cursor(Direction::Backward);
        for (read, end, left) in [
            (0, &b"c"[..], &b"edc"[..]),
            (1, b"c", b"dc"),
            (1, b"c\0", b"d"),
            (1, b"b", b"dcb"),
            (1, b"", b"dcb"),
        ] {
            assert_eq!(
                left_after(&mut *cursor_backward, read, end),
                left,
                "{end:?}"
            );
        }
    }
}

pub(super) fn lift_takes_back_what_restrict_did(subject: &Subject) {
    subject.create("t");
    subject.put("t", LETTERS);
    let snapshot = subject.snapshot();
    for within in [KeyRange::all(), range(b"b", Some(b"f"))] {
        for (direction, read, end, left, behind) in [
            (Direction::Forward, 0, &b"c"[..], &b"b"[..], &b"cde"[..]),
            (Direction::Forward, 1, b"d", b"c", b"de"),
            (Direction::Forward, 1, b"b", b"", b"cde"),
            (Direction::Forward, 4, b"b", b"", b""),
            (Direction::Forward, 1, b"z", b"cde", b""),
            (Direction::Backward, 1, b"d", b"d", b"cb"),
            (Direction::Backward, 1, b"z", b"", b"dcb"),
        ] {
            let cursor = near(&snapshot).cursor("t", &within, direction);
            let mut cursor = cursor.unwrap();
            assert_eq!(left_after(&mut *cursor, read, end), left, "{end:?}");
            cursor.lift();
            assert_eq!(keys_left(&mut *cursor).concat(), behind, "{end:?}");
            cursor.lift();
            assert_eq!(keys_left(&mut *cursor).concat(), b"", "the range has ended");
        }
    }
}

pub(super) fn restrict_can_end_the_range(subject: &Subject) {
    subject.create("t");
    subject.put("t", LETTERS);
    let mut cursor = subject.cursor("t", Direction::Forward);
    for end in [&b"c"[..], b"b", b"a", b""] {
        assert_eq!(left_after(&mut *cursor, 1, end), b"", "{end:?}");
    }
    cursor.restrict(b"z");
    assert_eq!(keys_left(&mut *cursor).concat(), b"", "the range has ended");
    cursor.seek(&range(b"b", None)).unwrap();
    assert_eq!(
        keys_left(&mut *cursor).concat(),
        b"bcdef",
        "a seek forgets it"
    );
    let mut cursor = subject.cursor("t", Direction::Backward);
    for end in [&b"e"[..], b"f", b"z"] {
        assert_eq!(left_after(&mut *cursor, 1, end), b"", "{end:?}");
    }
    cursor.seek(&KeyRange::all()).unwrap();
    assert_eq!(
        keys_left(&mut *cursor).concat(),
        b"fedcba",
        "a seek forgets it"
    );
}

pub(super) fn limits_count_what_the_chunk_holds(subject: &Subject) {
    subject.create("t");
    subject.put("t", LETTERS);
    for direction in [Direction::Forward, Direction::Backward] {
        let mut cursor = subject.cursor("t", direction);
        cursor.seek(&KeyRange::all()).unwrap();
        let mut chunk = Chunk::new();
        assert!(fill(&mut *cursor, &mut chunk, ChunkLimit::entries(0)));
        assert_eq!(chunk.len(), 0);
        assert!(fill(&mut *cursor, &mut chunk, ChunkLimit::entries(2)));
        assert!(fill(&mut *cursor, &mut chunk, ChunkLimit::entries(2)));
        assert_eq!(chunk.len(), 2, "the entries of earlier fills count");
        let (entries, bytes) = (usize::MAX, 4);
        assert!(fill(
            &mut *cursor,
            &mut chunk,
            ChunkLimit { entries, bytes }
        ));
        assert_eq!(chunk.len(), 4, "one byte each");
        chunk.clear();
        assert!(fill(
            &mut *cursor,
            &mut chunk,
            ChunkLimit { entries, bytes: 0 }
        ));
        assert_eq!(chunk.len(), 1, "an empty chunk takes an entry of any size");
        assert!(!fill(
            &mut *cursor,
            &mut chunk,
            ChunkLimit { entries, bytes: 9 }
        ));
        assert_eq!(chunk.len(), 2);
        assert!(!fill(
            &mut *cursor,
            &mut chunk,
            ChunkLimit { entries, bytes: 9 }
        ));
        assert_eq!(chunk.len(), 2, "the end is final");
    }
}

pub(super) fn keys_and_values_may_be_long(subject: &Subject) {
    subject.create("t");
    let mut long_key = vec![0xff; 32_767];
    let long_value = vec![7; 3 << 20];
    subject.put("t", &[(&long_key, &long_value), (b"", &long_value)]);
    long_key[32_766] = 0;
    subject.put("t", &[(&long_key, b"neighbour")]);
    for direction in [Direction::Forward, Direction::Backward] {
        let mut cursor = subject.cursor("t", direction);
        cursor.seek(&range(&long_key, None)).unwrap();
        let mut chunk = Chunk::new();
        assert!(!fill(&mut *cursor, &mut chunk, ChunkLimit::entries(3)));
        let mut lengths: Vec<_> = chunk.values().map(<[u8]>::len).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [9, 3 << 20]);
    }
    let value = subject.snapshot().get("t", b"").unwrap();
    assert_eq!(value, Some(long_value));
}

pub(super) fn deleted_entries_are_stepped_over(subject: &Subject) {
    subject.create("t");
    let keys: Vec<[u8; 2]> = (0..3000_u16).map(u16::to_be_bytes).collect();
    let entries: Vec<_> = keys.iter().map(|key| (&key[..], &b""[..])).collect();
    subject.put("t", &entries);
    let full = subject.snapshot();
    let mut batch = WriteBatch::new();
    let is_kept = |index: usize| [0, 1, 1000, 2500, 2999].contains(&index);
    for (_, key) in keys
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_kept(*index))
    {
        batch.delete("t", key);
    }
    subject.write(batch).unwrap();
    let kept: Vec<_> = [0, 1, 1000, 2500, 2999_u16]
        .map(|key| key.to_be_bytes())
        .to_vec();
    for direction in [Direction::Forward, Direction::Backward] {
        for limit in 1..=3 {
            let mut cursor = subject.cursor("t", direction);
            cursor.seek(&KeyRange::all()).unwrap();
            let mut found = Vec::new();
            let mut chunk = Chunk::new();
            while fill(&mut *cursor, &mut chunk, ChunkLimit::entries(limit)) {
                found.extend(chunk.keys().map(<[u8]>::to_vec));
                chunk.clear();
            }
            found.extend(chunk.keys().map(<[u8]>::to_vec));
            if direction == Direction::Backward {
                found.reverse();
            }
            assert_eq!(found, kept, "{direction:?} by {limit}");
        }
    }
    let mut cursor = subject.cursor("t", Direction::Forward);
    cursor.seek(&range(&keys[2], Some(&keys[1000]))).unwrap();
    assert_eq!(
        keys_left(&mut *cursor).len(),
        0,
        "nothing but deleted entries"
    );
    assert_eq!(contents(&full, "t").len(), 3000);
}

/// A short key of hostile bytes.
pub(super) fn random_key(random: &mut Rng) -> Vec<u8> {
    let length = random.usize(..4);
    let byte = |random: &mut Rng| [0, 1, 0x7f, 0xfe, 0xff][random.usize(..5)];
    (0..length).map(|_| byte(random)).collect()
}

pub(super) fn random_range(random: &mut Rng) -> KeyRange {
    loop {
        let start = random_key(random);
        let stop = (random.u8(..4) > 0).then(|| random_key(random));
        if let Some(range) = KeyRange::new(start, stop) {
            return range;
        }
    }
}

pub(super) fn random_work_agrees_with_a_map(subject: &Subject) {
    let mut random = random();
    let spaces = ["left", "right"];
    let mut models = [Model::new(), Model::new()];
    let mut past = Vec::new();
    spaces.iter().for_each(|space| subject.create(space));
    for _ in 0..150 {
        let mut batch = WriteBatch::new();
        for step in 0..random.u32(..20) {
            let (key, which) = (random_key(&mut random), random.usize(..2));
            if random.u8(..3) == 0 {
                batch.delete(spaces[which], &key);
                models[which].remove(&key);
            } else {
                batch.put(spaces[which], &key, &step.to_be_bytes());
                models[which].insert(key, step.to_be_bytes().to_vec());
            }
        }
        subject.write(batch).unwrap();
        if random.u8(..10) == 0 {
            past.push((subject.snapshot(), models.clone()));
        }
        let now = (subject.snapshot(), models.clone());
        let (snapshot, models) = past.get(random.usize(..past.len() * 2 + 1)).unwrap_or(&now);
        let which = random.usize(..2);
        agrees(snapshot, spaces[which], &models[which], &mut random);
    }
}

/// Random seeks, restrictions and fills of one cursor, each compared with the model.
fn agrees(snapshot: &Arc<dyn Snapshot>, space: &str, model: &Model, random: &mut Rng) {
    let direction = [Direction::Forward, Direction::Backward][random.usize(..2)];
    let within = random_range(random);
    let mut cursor = near(snapshot).cursor(space, &within, direction).unwrap();
    let (mut left, mut ends) = (Vec::new(), Vec::new());
    let mut chunk = Chunk::new();
    for _ in 0..20 {
        match random.u8(..5) {
            0 => {
                let Some(range) = random_range(random).intersect(&within) else {
                    continue;
                };
                cursor.seek(&range).unwrap();
                (left, ends) = (expected(model, &range, direction), Vec::new());
            }
            1 => {
                let end = random_key(random);
                cursor.restrict(&end);
                ends.push(end);
            }
            2 => {
                cursor.lift();
                ends.clear();
            }
            _ => {
                chunk.clear();
                let limit = ChunkLimit::entries(random.usize(..6));
                let more = fill(&mut *cursor, &mut chunk, limit);
                let is_before =
                    |key: &Vec<u8>, end| (key < end) == (direction == Direction::Forward);
                let within_ends =
                    |(key, _): &&(Vec<u8>, Vec<u8>)| ends.iter().all(|end| is_before(key, end));
                let visible = left.iter().take_while(within_ends).count();
                assert!(chunk.len() <= visible, "{direction:?} {within}: {chunk:?}");
                let rest = left.split_off(chunk.len());
                let found = chunk
                    .iter()
                    .map(|(key, value)| (key.to_vec(), value.to_vec()));
                assert!(found.eq(left), "{direction:?} {within}: {chunk:?}");
                assert!(
                    more || visible == chunk.len(),
                    "{direction:?} {within}: ended before {rest:?}"
                );
                left = rest;
            }
        }
    }
    let key = random_key(random);
    assert_eq!(snapshot.get(space, &key).unwrap().as_ref(), model.get(&key));
}
