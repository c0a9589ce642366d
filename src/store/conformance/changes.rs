//! What the docs of [`Changes`] and [`Claim`](crate::store::Claim) say.

use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::*;

/// How long is waited for what must not happen.
const WHILE: Duration = Duration::from_millis(30);
/// How long is waited for what must happen.
const LONG: Duration = Duration::from_secs(20);

/// A space, a key, and the value to put, or none to delete.
type Change<'a> = (&'a str, &'a [u8], Option<&'a [u8]>);

fn batch(entries: &[Change<'_>]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for (space, key, value) in entries {
        match value {
            Some(value) => batch.put(space, key, value),
            None => batch.delete(space, key),
        }
    }
    batch
}

pub(super) fn changes_are_seen_when_they_are_committed(subject: &Subject) {
    subject.create("t");
    subject.create("u");
    subject.put("t", &[(b"a", b"1"), (b"b", b"2")]);
    let claims = [Claim::exclusive("t"), Claim::exclusive("u")];
    let mut changes = subject.begin(&claims).unwrap();
    let changed = batch(&[
        ("t", b"a", None),
        ("t", b"c", Some(b"3")),
        ("u", b"k", Some(b"v")),
    ]);
    changes.write(changed).unwrap();
    changes
        .write(batch(&[("t", b"c", Some(b"later")), ("u", b"l", None)]))
        .unwrap();
    let before = model(&[(b"a", b"1"), (b"b", b"2")]);
    for snapshot in [subject.snapshot(), changes.snapshot().unwrap()] {
        assert_eq!(contents(&snapshot, "t"), before);
        assert!(contents(&snapshot, "u").is_empty());
    }
    let old = subject.snapshot();
    changes.commit(Durability::Sync).unwrap();
    let snapshot = subject.snapshot();
    assert_eq!(
        contents(&snapshot, "t"),
        model(&[(b"b", b"2"), (b"c", b"later")])
    );
    assert_eq!(contents(&snapshot, "u"), model(&[(b"k", b"v")]));
    assert_eq!(contents(&old, "t"), before);
}

pub(super) fn changes_that_are_dropped_change_nothing(subject: &Subject) {
    subject.create("t");
    let mut changes = subject.begin(&[Claim::exclusive("t")]).unwrap();
    changes.write(batch(&[("t", b"a", Some(b"1"))])).unwrap();
    drop(changes);
    assert!(contents(&subject.snapshot(), "t").is_empty());
    let mut changes = subject.begin(&[Claim::exclusive("t")]).unwrap();
    let missing = batch(&[("t", b"a", Some(b"1")), ("missing", b"a", None)]);
    let written = changes
        .write(missing)
        .and_then(|()| changes.commit(Durability::Sync));
    assert_eq!(kind(written), ErrorKind::Internal);
    assert!(contents(&subject.snapshot(), "t").is_empty());
    subject
        .begin(&[])
        .unwrap()
        .commit(Durability::Sync)
        .unwrap();
}

/// Begins a second statement while the first one has these claims; `meanwhile` is told when it has begun.
fn beside<'s>(
    subject: &'s Subject,
    first: &[Claim<'_>],
    second: &[Claim<'s>],
    meanwhile: impl FnOnce(&Receiver<()>, Box<dyn Changes>),
) {
    let held = subject.begin(first).unwrap();
    thread::scope(|scope| {
        let (sender, begun) = channel();
        scope.spawn(move || {
            let changes = subject.begin(second).unwrap();
            sender.send(()).unwrap();
            changes.commit(Durability::Buffered).unwrap();
        });
        meanwhile(&begun, held);
    });
}

/// The second statement begins when the first one has given its claims back, and not sooner.
fn must_wait(subject: &Subject, first: &[Claim<'_>], second: &[Claim<'_>]) {
    beside(subject, first, second, |begun, held| {
        assert!(begun.recv_timeout(WHILE).is_err(), "{first:?} {second:?}");
        held.commit(Durability::Buffered).unwrap();
        begun.recv_timeout(LONG).unwrap();
    });
}

/// The second statement begins while the first one has its claims.
fn need_not_wait(subject: &Subject, first: &[Claim<'_>], second: &[Claim<'_>]) {
    beside(subject, first, second, |begun, held| {
        let has_begun = begun.recv_timeout(LONG).is_ok();
        held.commit(Durability::Buffered).unwrap();
        assert!(has_begun, "{first:?} {second:?}");
    });
}

pub(super) fn a_claim_keeps_others_out(subject: &Subject) {
    subject.create("t");
    subject.create("u");
    let (alone, shared) = ([Claim::exclusive("t")], [Claim::shared("t")]);
    must_wait(subject, &alone, &alone);
    must_wait(subject, &alone, &shared);
    must_wait(subject, &shared, &alone);
    need_not_wait(subject, &alone, &[Claim::exclusive("u")]);
    need_not_wait(subject, &alone, &[]);
}

pub(super) fn shared_claims_keep_nobody_out_but_who_wants_to_be_alone(subject: &Subject) {
    subject.create("t");
    let shared = [Claim::shared("t")];
    need_not_wait(subject, &shared, &shared);
    drop((
        subject.begin(&shared).unwrap(),
        subject.begin(&shared).unwrap(),
    ));
    let both = [Claim::shared("t"), Claim::shared("u")];
    subject.create("u");
    need_not_wait(subject, &both, &shared);
    must_wait(subject, &both, &[Claim::exclusive("u")]);
}

pub(super) fn several_claims_are_granted_at_once(subject: &Subject) {
    subject.create("t");
    subject.create("u");
    let both = [Claim::exclusive("t"), Claim::exclusive("u")];
    let reversed = [Claim::exclusive("u"), Claim::exclusive("t")];
    must_wait(subject, &both, &[Claim::exclusive("u")]);
    thread::scope(|scope| {
        for claims in [&both, &reversed, &both, &reversed] {
            scope.spawn(move || {
                for _ in 0..subject.rounds(50) {
                    subject
                        .begin(claims)
                        .unwrap()
                        .commit(Durability::Buffered)
                        .unwrap();
                }
            });
        }
    });
}

pub(super) fn a_claim_ends_when_it_is_dropped(subject: &Subject) {
    subject.create("t");
    for _ in 0..3 {
        drop(subject.begin(&[Claim::exclusive("t")]).unwrap());
    }
    let began = Instant::now();
    drop(subject.begin(&[Claim::shared("t")]).unwrap());
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// Each adds one to what it finds.
pub(super) fn of_concurrent_statements_none_is_lost(subject: &Subject) {
    subject.create("t");
    let threads = 4;
    let rounds = subject.rounds(25) as u8;
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..rounds {
                    let mut changes = subject.begin(&[Claim::exclusive("t")]).unwrap();
                    let found = changes.snapshot().unwrap().get("t", b"n").unwrap();
                    let count = found.map_or(0, |count| count[0]) + 1;
                    changes
                        .write(batch(&[("t", b"n", Some(&[count]))]))
                        .unwrap();
                    changes.commit(Durability::Buffered).unwrap();
                }
            });
        }
    });
    let count = subject.snapshot().get("t", b"n").unwrap();
    assert_eq!(count, Some(vec![threads * rounds]));
}

/// Makes the spaces `t` and `u`, and what each has.
fn two_of_four(subject: &Subject) -> Model {
    let entries: [(&[u8], &[u8]); 4] = [(b"a", b"1"), (b"b", b"2"), (b"c", b"3"), (b"d", b"4")];
    for space in ["t", "u"] {
        subject.create(space);
        subject.put(space, &entries);
    }
    model(&entries)
}

/// What the statement itself writes stays, before and behind.
pub(super) fn a_range_is_deleted_before_all_else(subject: &Subject) {
    let whole = two_of_four(subject);
    let mut changes = subject.begin(&[Claim::exclusive("t")]).unwrap();
    let mut first = batch(&[("t", b"b", Some(b"new"))]);
    first.delete_range("t", &range(b"b", Some(b"d")));
    changes.write(first).unwrap();
    changes.write(batch(&[("t", b"cc", Some(b"new"))])).unwrap();
    let old = subject.snapshot();
    let seen = changes.snapshot().unwrap();
    changes.commit(Durability::Sync).unwrap();
    assert_eq!(contents(&old, "t"), whole);
    assert_eq!(contents(&seen, "t"), whole);
    let left = model(&[(b"a", b"1"), (b"b", b"new"), (b"cc", b"new"), (b"d", b"4")]);
    assert_eq!(contents(&subject.snapshot(), "t"), left);
    assert_eq!(contents(&subject.snapshot(), "u"), whole);
    // Where nothing is, nothing happens; and to the end.
    let mut rest = WriteBatch::new();
    rest.delete_range("t", &range(b"c", Some(b"cc")));
    rest.delete_range("t", &range(b"cc", None));
    rest.delete_range("u", &KeyRange::all());
    subject.write(rest).unwrap();
    assert_eq!(
        contents(&subject.snapshot(), "t"),
        model(&[(b"a", b"1"), (b"b", b"new")])
    );
    assert!(contents(&subject.snapshot(), "u").is_empty());
    let mut nothing = WriteBatch::new();
    nothing.delete_range("u", &range(b"x", None));
    subject.write(nothing).unwrap();
    let mut missing = WriteBatch::new();
    missing.delete_range("missing", &KeyRange::all());
    assert_eq!(kind(subject.write(missing)), ErrorKind::Internal);
}

/// A range, a load and a batch of one space, and a range of another.
pub(super) fn a_range_is_deleted_beside_loads(subject: &Subject) {
    let whole = two_of_four(subject);
    let claims = ["t", "u"].map(Claim::exclusive);
    let mut changes = subject.begin(&claims).unwrap();
    let mut ranges = batch(&[("t", b"e", Some(b"batch"))]);
    ranges.delete_range("t", &range(b"b", None));
    ranges.delete_range("u", &range(b"a", Some(b"d")));
    changes.write(ranges).unwrap();
    let mut bulk = changes.bulk("t").unwrap();
    bulk.delete(b"a").unwrap();
    bulk.put(b"c", b"bulk").unwrap();
    bulk.put(b"e", b"bulk").unwrap();
    bulk.put(b"f", b"bulk").unwrap();
    drop(bulk);
    let old = subject.snapshot();
    changes.commit(Durability::Sync).unwrap();
    let new = subject.snapshot();
    assert_eq!(
        contents(&new, "t"),
        model(&[(b"c", b"bulk"), (b"e", b"batch"), (b"f", b"bulk")])
    );
    assert_eq!(contents(&new, "u"), model(&[(b"d", b"4")]));
    assert_eq!(contents(&old, "t"), whole);
    // What comes later is not deleted.
    subject.put("t", &[(b"b", b"later")]);
    assert_eq!(contents(&subject.snapshot(), "t").len(), 4);
}

pub(super) fn every_range_of_hostile_keys_is_deleted(subject: &Subject) {
    subject.create("t");
    let hostile = subject.hostile();
    let stops = hostile.iter().map(|(key, _)| Some(*key)).chain([None]);
    let stops: Vec<Option<&[u8]>> = stops.collect();
    for (at, (start, _)) in hostile.iter().enumerate() {
        for stop in stops.iter().skip(at + 1) {
            let range = range(start, *stop);
            subject.put("t", hostile);
            let mut batch = WriteBatch::new();
            batch.delete_range("t", &range);
            subject.write(batch).unwrap();
            let mut expected = model(hostile);
            expected.retain(|key, _| !range.contains(key));
            assert_eq!(contents(&subject.snapshot(), "t"), expected, "{range}");
        }
    }
}

pub(super) fn a_commit_stamps_what_it_claimed(subject: &Subject) {
    subject.create("t");
    subject.create("u");
    let stamps = || ["t", "u"].map(|space| subject.snapshot().stamp(space));
    let [t, u] = stamps();
    assert_eq!(stamps(), [t, u]);
    let commit = |claims: &[Claim<'_>]| {
        let mut changes = subject.begin(claims).unwrap();
        changes.write(batch(&[("t", b"a", Some(b"1"))])).unwrap();
        changes.commit(Durability::Buffered).unwrap();
    };
    let mut seen = vec![t];
    for claim in [
        Claim::exclusive("t"),
        Claim::shared("t"),
        Claim::exclusive("t"),
    ] {
        commit(&[claim]);
        let [t, other] = stamps();
        assert!(!seen.contains(&t), "{seen:?}, {t}");
        assert_eq!(other, u);
        seen.push(t);
    }
    subject.store.drop_space("t").unwrap();
    subject.create("t");
    commit(&[Claim::exclusive("t")]);
    assert!(!seen.contains(&stamps()[0]), "{seen:?}");
}
