//! What the docs of [`Snapshot`] say.

use super::*;

pub(super) fn get_finds_exactly_the_key(subject: &Subject) {
    subject.create("t");
    subject.put("t", subject.hostile());
    let snapshot = subject.snapshot();
    for (key, value) in subject.hostile() {
        assert_eq!(snapshot.get("t", key).unwrap().as_deref(), Some(*value));
    }
    for absent in [&b"\0\0\0"[..], b"A", b"a\x01", b"\xff\xff\xff\0", b"\xfe"] {
        assert_eq!(snapshot.get("t", absent).unwrap(), None, "{absent:?}");
    }
}

pub(super) fn multi_get_answers_in_order(subject: &Subject) {
    subject.create("t");
    let entry = |number: u32| (number.to_be_bytes(), (number * 7).to_be_bytes());
    let mut batch = WriteBatch::new();
    for (key, value) in (0..1000).step_by(2).map(entry) {
        batch.put("t", &key, &value);
    }
    subject.write(batch).unwrap();
    let snapshot = subject.snapshot();
    assert!(snapshot.multi_get("t", &[]).unwrap().is_empty());
    // Descending, each twice, every other one absent.
    let numbers: Vec<u32> = (0..1000)
        .rev()
        .flat_map(|number| [number, number])
        .collect();
    let keys: Vec<[u8; 4]> = numbers.iter().map(|number| number.to_be_bytes()).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    let values = snapshot.multi_get("t", &keys).unwrap();
    assert_eq!(values.len(), 2000);
    for (number, value) in numbers.into_iter().zip(values) {
        let expected = (number % 2 == 0).then(|| entry(number).1.to_vec());
        assert_eq!(value, expected, "{number}");
    }
}

pub(super) fn an_unknown_space_is_an_error(subject: &Subject) {
    let before = subject.snapshot();
    subject.create("t");
    assert!(subject.snapshot().has_space("t"));
    for (snapshot, space) in [(before, "t"), (subject.snapshot(), "missing")] {
        assert!(!snapshot.has_space(space));
        assert_eq!(kind(snapshot.get(space, b"a")), ErrorKind::Internal);
        assert_eq!(
            kind(snapshot.multi_get(space, &[b"a"])),
            ErrorKind::Internal
        );
        let request = ReadRequest::range(space, KeyRange::all(), Direction::Forward);
        let error = snapshot.read(request).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.message().contains(space), "{error}");
    }
}

pub(super) fn many_threads_read_one_snapshot(subject: &Subject) {
    subject.create("t");
    let keys: Vec<[u8; 2]> = (0..5000_u16).map(u16::to_be_bytes).collect();
    let entries: Vec<_> = keys.iter().map(|key| (&key[..], &key[..])).collect();
    subject.put("t", &entries);
    let snapshot = subject.snapshot();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                assert_eq!(contents(&snapshot, "t").len(), 5000);
                for key in &keys {
                    assert_eq!(snapshot.get("t", key).unwrap().as_deref(), Some(&key[..]));
                }
            });
        }
        scope.spawn(|| subject.put("t", &[(b"later", b"")]));
    });
}
