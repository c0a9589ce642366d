//! What the docs of [`ReadRequest`] and [`Reader`] say, and random requests compared with a map.

use super::*;
use crate::keyrange::{Guide, KeyRangeSet, Step};

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// Limits under which the same must come.
fn limits() -> [ChunkLimit; 4] {
    let short = ChunkLimit {
        entries: 9,
        bytes: 3,
    };
    let entries = ChunkLimit::entries;
    [entries(usize::MAX), entries(1), entries(3), short]
}

/// Leads through listed ranges.
#[derive(Debug)]
struct Listed {
    hull: KeyRange,
    ranges: KeyRangeSet,
}

impl Guide for Listed {
    fn hull(&self) -> &KeyRange {
        &self.hull
    }

    fn next(&self, key: &[u8]) -> Result<Step> {
        let bytes = |bytes: &[u8]| bytes.to_vec();
        Ok(match self.ranges.at_or_after(key) {
            None => Step::Done,
            Some(range) if range.contains(key) => Step::In {
                until: range.stop().map(bytes),
            },
            Some(range) => Step::Seek(bytes(range.start())),
        })
    }

    fn previous(&self, key: &[u8]) -> Result<Step> {
        if let Some(range) = self.ranges.range_of(key) {
            let until = Some(range.start().to_vec());
            return Ok(Step::In { until });
        }
        let before = self.ranges.before(key).and_then(KeyRange::stop);
        Ok(before.map_or(Step::Done, |stop| Step::Seek(stop.to_vec())))
    }
}

/// The work of some ranges, listed and computed.
fn works(ranges: &KeyRangeSet) -> Vec<Work> {
    let walk = ranges.hull().map(|hull| {
        let ranges = ranges.clone();
        Work::Walk(Arc::new(Listed { hull, ranges }))
    });
    [Work::Ranges(ranges.clone())]
        .into_iter()
        .chain(walk)
        .collect()
}

/// The entries of a map that are wanted, in the order in which they must come.
fn wanted(
    model: &Model,
    direction: Direction,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let entries = model.iter().filter(|(key, _)| is_wanted(key));
    let mut entries: Vec<_> = entries
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if direction == Direction::Backward {
        entries.reverse();
    }
    entries
}

pub(super) fn every_range_of_hostile_keys_is_read(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let (model, snapshot) = (model(subject.hostile()), subject.snapshot());
    for direction in DIRECTIONS {
        for range in hostile_ranges() {
            let request = ReadRequest::range("t", range.clone(), direction);
            let found = read(&snapshot, request, ChunkLimit::default());
            assert_eq!(
                found,
                expected(&model, &range, direction),
                "{direction:?} {range}"
            );
        }
    }
}

pub(super) fn every_choice_of_hostile_keys_is_looked_up(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let mut keys: Vec<Vec<u8>> = subject
        .hostile()
        .iter()
        .flat_map(|(key, _)| {
            [
                key.to_vec(),
                [key, &b"\0"[..]].concat(),
                [key, &b"z"[..]].concat(),
            ]
        })
        .collect();
    keys.sort();
    keys.dedup();
    let (model, snapshot) = (model(subject.hostile()), subject.snapshot());
    let mut random = random();
    for _ in 0..subject.rounds(50) {
        let mut chosen: Vec<_> = keys.iter().filter(|_| random.bool()).cloned().collect();
        random.shuffle(&mut chosen);
        let listed = |key: &Vec<u8>| Some((key.clone(), model.get(key)?.clone()));
        for direction in DIRECTIONS {
            for limit in limits() {
                let work = Work::Points(chosen.clone().into());
                let found = read(&snapshot, ReadRequest::new("t", work, direction), limit);
                let mut expected: Vec<_> = chosen.iter().filter_map(listed).collect();
                if direction == Direction::Backward {
                    expected.reverse();
                }
                assert_eq!(found, expected, "{chosen:?}");
            }
        }
    }
}

pub(super) fn a_guide_leads_through_hostile_keys(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let (model, snapshot) = (model(subject.hostile()), subject.snapshot());
    let ranges = KeyRangeSet::from_ranges([
        range(b"\0", Some(b"\0\xff")),
        range(b"a", Some(b"a\0")),
        range(b"ab", Some(b"b")),
        range(b"\xff\0", None),
    ]);
    for direction in DIRECTIONS {
        for limit in limits() {
            let expected = wanted(&model, direction, |key| ranges.contains(key));
            for work in works(&ranges) {
                let request = ReadRequest::new("t", work, direction);
                assert_eq!(
                    read(&snapshot, request, limit),
                    expected,
                    "{direction:?} {limit:?}"
                );
            }
        }
    }
}

pub(super) fn a_reader_keeps_its_snapshot(subject: &Subject) {
    subject.create("t");
    subject.put("t", &[(b"a", b"1"), (b"b", b"2")]);
    let request = ReadRequest::range("t", KeyRange::all(), Direction::Forward);
    let mut reader = subject.snapshot().read(request).unwrap();
    subject.delete("t", b"a");
    subject.put("t", &[(b"b", b"changed"), (b"c", b"3")]);
    subject.store.drop_space("t").unwrap();
    let read_elsewhere = thread::spawn(move || {
        let mut chunk = Chunk::new();
        assert!(!read_on(&mut *reader, &mut chunk, ChunkLimit::default()));
        chunk
    });
    let chunk = read_elsewhere.join().unwrap();
    let entries: Vec<_> = chunk.iter().collect();
    assert_eq!(entries, [(&b"a"[..], &b"1"[..]), (b"b", b"2")]);
}

pub(super) fn a_reader_keeps_to_limits(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let keys: Vec<Vec<u8>> = subject
        .hostile()
        .iter()
        .map(|(key, _)| key.to_vec())
        .collect();
    let count = keys.len();
    let mut all = works(&KeyRange::all().into());
    all.push(Work::Points(keys.into()));
    for work in all {
        for direction in DIRECTIONS {
            let request = ReadRequest::new("t", work.clone(), direction);
            let mut reader = subject.snapshot().read(request.with_fetch(count)).unwrap();
            let mut chunk = Chunk::new();
            assert!(read_on(&mut *reader, &mut chunk, ChunkLimit::entries(0)));
            assert!(read_on(&mut *reader, &mut chunk, ChunkLimit::entries(2)));
            assert!(read_on(&mut *reader, &mut chunk, ChunkLimit::entries(2)));
            assert_eq!(chunk.len(), 2, "the entries of earlier fills count");
            chunk.clear();
            let (entries, bytes) = (usize::MAX, 0);
            assert!(read_on(
                &mut *reader,
                &mut chunk,
                ChunkLimit { entries, bytes }
            ));
            assert_eq!(chunk.len(), 1, "an empty chunk takes an entry of any size");
            assert!(!read_on(&mut *reader, &mut chunk, ChunkLimit::default()));
            assert_eq!(chunk.len(), count - 2);
            assert!(!read_on(&mut *reader, &mut chunk, ChunkLimit::default()));
            assert_eq!(chunk.len(), count - 2, "the end is final");
        }
    }
}

pub(super) fn a_reader_steps_over_deleted_entries(subject: &Subject) {
    subject.create("t");
    let keys: Vec<[u8; 2]> = (0..600_u16).map(u16::to_be_bytes).collect();
    let entries: Vec<_> = keys.iter().map(|key| (&key[..], &b""[..])).collect();
    subject.put("t", &entries);
    let mut batch = WriteBatch::new();
    let is_kept = |key: &[u8]| [[0, 0], [1, 0], [2, 87]].iter().any(|kept| kept == key);
    for key in keys.iter().filter(|key| !is_kept(key.as_slice())) {
        batch.delete("t", key);
    }
    subject.write(batch).unwrap();
    let snapshot = subject.snapshot();
    let mut all = works(&KeyRangeSet::from_ranges([
        range(&[0], Some(&[0, 200])),
        range(&[0, 210], None),
    ]));
    all.push(Work::Points(keys.iter().map(|key| key.to_vec()).collect()));
    for work in all {
        for direction in DIRECTIONS {
            for limit in limits() {
                let found = read(
                    &snapshot,
                    ReadRequest::new("t", work.clone(), direction),
                    limit,
                );
                let mut keys: Vec<_> = found.into_iter().map(|(key, _)| key).collect();
                keys.sort();
                assert_eq!(
                    keys,
                    [[0, 0], [1, 0], [2, 87]],
                    "{work:?} {direction:?} {limit:?}"
                );
            }
        }
    }
}

pub(super) fn a_reader_counts(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let ranges = [
        range(b"\0", Some(b"\x01")),
        range(b"a", Some(b"b")),
        range(b"x", Some(b"y")),
    ];
    for (work, ranges, entries, bytes) in [
        (Work::Ranges(KeyRangeSet::from_ranges(ranges)), 3, 6, 15),
        (
            Work::Points([&b"a"[..], b"b", b"c"].map(<[u8]>::to_vec).into()),
            3,
            1,
            2,
        ),
    ] {
        let snapshot = subject.snapshot();
        let request = ReadRequest::new("t", work, Direction::Forward);
        let mut reader = snapshot.read(request).unwrap();
        let mut chunk = Chunk::new();
        assert!(!read_on(&mut *reader, &mut chunk, ChunkLimit::default()));
        let tally = reader.tally();
        assert_eq!((tally.ranges, tally.seeks), (ranges, ranges));
        assert_eq!((tally.entries, tally.bytes), (entries, bytes));
        assert_eq!((chunk.len(), chunk.size_in_bytes()), (entries, bytes));
    }
}

pub(super) fn who_looks_at_keys_alone_gets_the_same_keys(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let (model, snapshot) = (model(subject.hostile()), subject.snapshot());
    let ranges = KeyRangeSet::from_ranges([range(b"\0", Some(b"\0\xff")), range(b"a", Some(b"b"))]);
    let listed = model.keys().filter(|key| ranges.contains(key)).cloned();
    let mut all = works(&ranges);
    all.push(Work::Points(listed.collect()));
    for work in all {
        for direction in DIRECTIONS {
            let expected = wanted(&model, direction, |key| ranges.contains(key));
            let request = ReadRequest::new("t", work.clone(), direction).without_values();
            let found = read(&snapshot, request, ChunkLimit::entries(2));
            let keys = |entries: &[(Vec<u8>, Vec<u8>)]| -> Vec<Vec<u8>> {
                entries.iter().map(|(key, _)| key.clone()).collect()
            };
            assert_eq!(keys(&found), keys(&expected), "{work:?} {direction:?}");
            let is_right = |((_, found), (_, stored)): (&(_, Vec<u8>), &(_, Vec<u8>))| {
                found.is_empty() || found == stored
            };
            assert!(found.iter().zip(&expected).all(is_right), "{found:?}");
            let hands_out = found.iter().any(|(_, value)| !value.is_empty());
            let is_local = Arc::clone(&snapshot).local().is_some();
            assert!(!(is_local && hands_out), "{found:?}");
        }
    }
}

pub(super) fn nothing_is_nothing(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let none: [Vec<u8>; 0] = [];
    for work in [
        Work::Ranges(KeyRangeSet::default()),
        Work::Points(none.into()),
    ] {
        let request = ReadRequest::new("t", work, Direction::Forward);
        assert_eq!(request.hull(), None);
        assert!(read(&subject.snapshot(), request, ChunkLimit::default()).is_empty());
    }
}

pub(super) fn random_requests_agree_with_a_map(subject: &Subject) {
    let mut random = random();
    subject.create("t");
    let mut model = Model::new();
    for step in 0..subject.rounds(150) as u32 {
        let mut batch = WriteBatch::new();
        for _ in 0..random.u32(..20) {
            let key = subject.key(&mut random);
            match random.u8(..3) {
                0 => {
                    batch.delete("t", &key);
                    model.remove(&key);
                }
                _ => {
                    batch.put("t", &key, &step.to_be_bytes());
                    model.insert(key, step.to_be_bytes().to_vec());
                }
            }
        }
        subject.write(batch).unwrap();
        let snapshot = subject.snapshot();
        let count = random.usize(..6);
        let ranges = KeyRangeSet::from_ranges((0..count).map(|_| random_range(&mut random)));
        let direction = DIRECTIONS[random.usize(..2)];
        let limit = limits()[random.usize(..4)];
        let inside = wanted(&model, direction, |key| ranges.contains(key));
        for work in works(&ranges) {
            let request = ReadRequest::new("t", work, direction);
            assert_eq!(
                read(&snapshot, request, limit),
                inside,
                "{direction:?} {ranges:?}"
            );
        }
        let mut keys: Vec<_> = (0..random.usize(..9))
            .map(|_| random_key(&mut random))
            .collect();
        keys.sort();
        keys.dedup();
        let under = wanted(&model, direction, |key| {
            keys.iter().any(|wanted| wanted == key)
        });
        let request = ReadRequest::new("t", Work::Points(keys.clone().into()), direction);
        assert_eq!(
            read(&snapshot, request, limit),
            under,
            "{direction:?} {keys:?}"
        );
    }
}

/// Of what lies ahead of a skip nothing is lost, and nothing comes twice; what is passed over may come.
pub(super) fn what_is_passed_over_is_passed_over_alone(subject: &Subject) {
    let mut random = random();
    subject.create("t");
    let keys: Vec<Vec<u8>> = (0..300).map(|_| subject.key(&mut random)).collect();
    let entries: Vec<_> = keys.iter().map(|key| (&key[..], &b"v"[..])).collect();
    subject.put("t", &entries);
    let (model, snapshot) = (model(&entries), subject.snapshot());
    let mut skips = 0;
    for _ in 0..subject.rounds(150) {
        let count = random.usize(1..6);
        let ranges = KeyRangeSet::from_ranges((0..count).map(|_| random_range(&mut random)));
        let direction = DIRECTIONS[random.usize(..2)];
        let is_before = |key: &[u8], to: &[u8]| match direction {
            Direction::Forward => key < to,
            Direction::Backward => key >= to,
        };
        for work in works(&ranges) {
            let request = ReadRequest::new("t", work, direction);
            let mut reader = Arc::clone(&snapshot).read(request).unwrap();
            let all = wanted(&model, direction, |key| ranges.contains(key));
            let mut is_passed = vec![false; all.len()];
            let (mut next, mut more) = (0, true);
            while more {
                let mut chunk = Chunk::new();
                let limit = ChunkLimit::entries(random.usize(1..9));
                more = read_on(&mut *reader, &mut chunk, limit);
                for key in chunk.keys() {
                    let found = all.iter().position(|(wanted, _)| wanted == key).unwrap();
                    assert!(found >= next, "{direction:?} {ranges:?}: twice");
                    assert!(is_passed[next..found].iter().all(|passed| *passed));
                    next = found + 1;
                }
                let to = random_key(&mut random);
                if chunk.last().is_some_and(|(key, _)| is_before(key, &to)) && more {
                    reader.skip(&to).unwrap();
                    skips += 1;
                    for ((key, _), passed) in all.iter().zip(&mut is_passed) {
                        *passed |= is_before(key, &to);
                    }
                }
            }
            assert!(
                is_passed[next..].iter().all(|passed| *passed),
                "{direction:?} {ranges:?}"
            );
        }
    }
    assert!(skips > subject.rounds(150) * 2 / 3, "{skips}");
}

pub(super) fn what_is_visited_is_what_is_there(subject: &Subject) {
    subject.create("t");
    subject.put("t", LETTERS);
    let snapshot = near(&subject.snapshot());
    let keys: Vec<Vec<u8>> = (0..700_u32).map(|key| vec![(key % 200) as u8]).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    for most in [0, 1, 98, 300, 700] {
        let mut visited = Vec::new();
        let visit = snapshot.visit("t", &keys, &mut |index, value| {
            let wants = visited.len() < most;
            if wants {
                visited.push((index, value.map(<[u8]>::to_vec)));
            }
            wants
        });
        visit.unwrap();
        let expected = keys.iter().take(most).enumerate().map(|(index, key)| {
            let is_there = LETTERS.iter().any(|(letter, _)| letter == key);
            (index, is_there.then(Vec::new))
        });
        assert!(visited.into_iter().eq(expected), "{most}");
    }
    assert_eq!(
        kind(snapshot.visit("missing", &keys, &mut |_, _| true)),
        ErrorKind::Internal
    );
}
