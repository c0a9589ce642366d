//! What a supposed moment shows, and what refutes it.

use std::sync::Arc;

use super::super::database::VersionedStore;
use super::super::shared::Times;
use super::super::simulation_tests::{Client, Odds, Simulation};
use crate::store::{Claim, Durability, Snapshot, SpaceOptions, Store, WriteBatch};

type Process = Arc<VersionedStore<Arc<Client>>>;

fn open(simulation: &Arc<Simulation>) -> (Arc<Client>, Process) {
    let client = Arc::new(Client::new(simulation, 0, usize::MAX));
    let store = VersionedStore::open_quiet(Arc::clone(&client), Times::default());
    (client, Arc::new(store.unwrap()))
}

/// Two processes, and the rows `a` and `b` of `t`, which the first has seen.
fn processes() -> (Arc<Client>, Process, Process) {
    let simulation = Simulation::new(1, Odds::default(), None);
    let ((client, one), (_, other)) = (open(&simulation), open(&simulation));
    for space in ["t", "u"] {
        other.create_space(space, &SpaceOptions::default()).unwrap();
    }
    write(&other, b"a", Some(b"1"));
    write(&other, b"b", Some(b"1"));
    assert_eq!(get(&one.snapshot().unwrap(), b"a"), Some(b"1".to_vec()));
    (client, one, other)
}

fn write(store: &Process, key: &[u8], value: Option<&[u8]>) {
    let mut batch = WriteBatch::new();
    match value {
        Some(value) => batch.put("t", key, value),
        None => batch.delete("t", key),
    }
    let mut changes = Arc::clone(store).begin(&[Claim::shared("t")]).unwrap();
    changes.write(batch).unwrap();
    changes.commit(Durability::Sync).unwrap();
}

fn get(snapshot: &Arc<dyn Snapshot>, key: &[u8]) -> Option<Vec<u8>> {
    snapshot.get("t", key).unwrap()
}

/// What is found under a key, if what is supposed holds.
fn supposed(store: &Process, key: &[u8]) -> Option<Option<Vec<u8>>> {
    let snapshot = store.supposed().unwrap();
    let found = get(&snapshot, key);
    snapshot.holds().unwrap().then_some(found)
}

#[test]
fn what_has_not_changed_is_read_at_once() {
    let (client, one, other) = processes();
    let before = client.sent();
    assert_eq!(supposed(&one, b"a"), Some(Some(b"1".to_vec())));
    assert_eq!(supposed(&one, b"c"), Some(None));
    // The clock row and the row, each time, and nothing besides.
    assert_eq!(client.sent() - before, 4);
    // Others may write other rows.
    write(&other, b"b", Some(b"2"));
    assert_eq!(supposed(&one, b"a"), Some(Some(b"1".to_vec())));
    let wanted = [&b"a"[..], b"c", b"a"];
    let snapshot = one.supposed().unwrap();
    let found = snapshot.multi_get("t", &wanted).unwrap();
    assert!(snapshot.holds().unwrap());
    assert_eq!(found, [Some(b"1".to_vec()), None, Some(b"1".to_vec())]);
}

#[test]
fn what_another_has_put_or_deleted_is_not_missed() {
    let (_, one, other) = processes();
    write(&other, b"a", Some(b"2"));
    assert_eq!(supposed(&one, b"a"), None);
    // By the reading that has refuted it, it is known.
    assert_eq!(supposed(&one, b"a"), Some(Some(b"2".to_vec())));
    write(&other, b"a", None);
    assert_eq!(supposed(&one, b"a"), None);
    assert_eq!(supposed(&one, b"a"), Some(None));
    write(&other, b"c", Some(b"3"));
    assert_eq!(supposed(&one, b"c"), None);
    assert_eq!(supposed(&one, b"c"), Some(Some(b"3".to_vec())));
}

#[test]
fn what_is_under_way_is_not_shown() {
    let (_, one, other) = processes();
    let mut changes = Arc::clone(&other).begin(&[Claim::exclusive("t")]).unwrap();
    changes
        .bulk("t")
        .unwrap()
        .put(b"a", &vec![2; 3 << 20])
        .unwrap();
    for _ in 0..2 {
        assert_eq!(supposed(&one, b"a"), None);
        assert_eq!(get(&one.snapshot().unwrap(), b"a"), Some(b"1".to_vec()));
    }
    changes.commit(Durability::Sync).unwrap();
    assert_eq!(supposed(&one, b"a"), None);
    assert_eq!(supposed(&one, b"a").unwrap().unwrap().len(), 3 << 20);
}

#[test]
fn what_was_known_of_tables_must_hold_as_well() {
    let (_, one, other) = processes();
    let holds = |space: Option<&str>| {
        let snapshot = one.supposed().unwrap();
        space.map(|space| snapshot.stamp(space));
        assert_eq!(get(&snapshot, b"a"), Some(b"1".to_vec()));
        snapshot.holds().unwrap()
    };
    assert!(holds(Some("t")) && holds(Some("u")));
    write(&other, b"b", Some(b"2"));
    assert!(holds(Some("u")));
    write(&other, b"b", Some(b"3"));
    assert!(!holds(Some("t")));
    assert!(holds(Some("t")), "the new stamp is known");
    other.create_space("v", &SpaceOptions::default()).unwrap();
    assert!(!holds(None));
    // Another directory must be read first.
    assert!(one.supposed().is_none());
    drop(one.snapshot().unwrap());
    assert!(holds(None));
}
