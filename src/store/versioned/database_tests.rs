//! What takes time: leases, beats, the retention; and what a statement costs.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::database::VersionedStore;
use super::shared::Times;
use super::simulation_tests::{Client, Odds, Simulation};
use crate::error::{ErrorKind, Result};
use crate::store::{Changes, Claim, Durability, SpaceOptions, Store, WriteBatch, commit_batch};

type Process = Arc<VersionedStore<Arc<Client>>>;

const QUICK: Times = Times {
    lease: 300,
    beat: 50,
    retention: 400,
};

fn simulation() -> Arc<Simulation> {
    Simulation::new(1, Odds::default(), None)
}

fn client(simulation: &Arc<Simulation>) -> Arc<Client> {
    Arc::new(Client::new(simulation, 0, usize::MAX))
}

fn open(simulation: &Arc<Simulation>) -> Process {
    Arc::new(VersionedStore::open(client(simulation), QUICK).unwrap())
}

/// Without anybody who says that its statements are alive.
fn open_quiet(simulation: &Arc<Simulation>) -> Process {
    Arc::new(VersionedStore::open_quiet(client(simulation), QUICK).unwrap())
}

fn begin(store: &Process) -> Box<dyn Changes> {
    Arc::clone(store).begin(&[Claim::exclusive("t")]).unwrap()
}

fn put(key: &[u8], value: &[u8]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put("t", key, value);
    batch
}

fn get(store: &Process, key: &[u8]) -> Result<Option<Vec<u8>>> {
    store.snapshot()?.get("t", key)
}

#[test]
fn a_statement_that_is_alive_is_waited_for() {
    let simulation = simulation();
    let (one, other) = (open(&simulation), open(&simulation));
    one.create_space("t", &SpaceOptions::default()).unwrap();
    let mut changes = begin(&one);
    changes.write(put(b"a", b"1")).unwrap();
    thread::scope(|scope| {
        let waits = scope.spawn(|| begin(&other).snapshot().unwrap().get("t", b"a").unwrap());
        thread::sleep(Duration::from_millis(900));
        changes.commit(Durability::Sync).unwrap();
        assert_eq!(waits.join().unwrap().as_deref(), Some(&b"1"[..]));
    });
}

#[test]
fn a_statement_that_stands_still_is_given_up() {
    let simulation = simulation();
    let (still, other) = (open_quiet(&simulation), open(&simulation));
    still.create_space("t", &SpaceOptions::default()).unwrap();
    let mut changes = begin(&still);
    changes.write(put(b"a", b"1")).unwrap();
    let mut second = begin(&other);
    second.write(put(b"b", b"2")).unwrap();
    second.commit(Durability::Sync).unwrap();
    let error = changes.commit(Durability::Sync).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("was given up"), "{error}");
    assert_eq!(get(&other, b"a").unwrap(), None);
    assert_eq!(get(&other, b"b").unwrap().as_deref(), Some(&b"2"[..]));
}

#[test]
fn what_nobody_sees_is_removed() {
    let simulation = simulation();
    let store = open(&simulation);
    for space in ["t", "u"] {
        store.create_space(space, &SpaceOptions::default()).unwrap();
    }
    let write = |batch| commit_batch(&store, batch, Durability::Sync).unwrap();
    (0..5).for_each(|value| write(put(b"a", &[value])));
    write(put(b"b", b""));
    let mut batch = WriteBatch::new();
    batch.delete("t", b"b");
    write(batch);
    let old = store.snapshot().unwrap();
    store.drop_space("u").unwrap();
    assert_eq!(
        store.clear_away(None).unwrap().versions,
        0,
        "all is younger than the retention"
    );
    write(put(b"a", b"newest"));
    let mut tables = 0;
    // One notes how far all is decided, the next goes by it; what that has dropped is forgotten by the last.
    for _ in 0..4 {
        thread::sleep(Duration::from_millis(QUICK.retention + 100));
        tables += store.clear_away(None).unwrap().tables;
    }
    assert_eq!(tables, 1);
    assert_eq!(get(&store, b"a").unwrap().as_deref(), Some(&b"newest"[..]));
    assert_eq!(get(&store, b"b").unwrap(), None);
    // One of `a`, one of `t` in the directory, and the next id.
    assert_eq!(simulation.versions(), 3);
    let error = old.get("t", b"a").unwrap_err();
    assert!(error.message().contains("too old"), "{error}");
}

#[test]
fn a_statement_costs_few_requests() {
    let simulation = simulation();
    let client = client(&simulation);
    let store = VersionedStore::open_quiet(Arc::clone(&client), Times::default()).unwrap();
    let store = Arc::new(store);
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let cost = |work: &dyn Fn()| {
        let before = client.sent();
        work();
        client.sent() - before
    };
    // The clock row, and the row.
    assert_eq!(cost(&|| drop(get(&store, b"a").unwrap())), 2);
    let insert = |key: &[u8]| {
        cost(&|| {
            let mut changes = begin(&store);
            assert_eq!(changes.snapshot().unwrap().get("t", key).unwrap(), None);
            changes.write(put(key, b"1")).unwrap();
            changes.commit(Durability::Sync).unwrap();
        })
    };
    // One to begin on what was just read, the row, the put, and the commit.
    drop(store.snapshot().unwrap());
    assert_eq!(insert(b"a"), 4);
    // Without it two to begin.
    assert_eq!(insert(b"b"), 5);
    // What another process has begun meanwhile: one in vain.
    drop(store.snapshot().unwrap());
    let other = open_quiet(&simulation);
    drop(begin(&other));
    assert_eq!(insert(b"c"), 6);
}

/// Its number would be hidden by every reader until a vacuum.
#[test]
fn what_has_put_nothing_is_not_listed_as_given_up() {
    let simulation = simulation();
    let store = open_quiet(&simulation);
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let given_up = || {
        let clock = store.shared.read_clock().unwrap();
        assert!(clock.slots.is_empty());
        clock.given_up.len()
    };
    drop(begin(&store));
    let mut changes = begin(&store);
    changes.write(put(b"a", b"1")).unwrap();
    drop(changes);
    assert_eq!((given_up(), get(&store, b"a").unwrap()), (0, None));
    let mut changes = begin(&store);
    let great = vec![1; 3 << 20];
    changes.bulk("t").unwrap().put(b"a", &great).unwrap();
    drop(changes);
    assert_eq!((given_up(), get(&store, b"a").unwrap()), (1, None));
}
