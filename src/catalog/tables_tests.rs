use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::super::inspect;
use super::*;
use crate::datum::SqlType;
use crate::error::ErrorKind;
use crate::row::testing::{definition, part};
use crate::store::{MemoryStore, SpaceOptions, commit_batch};

fn new_store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn make(catalog: &Catalog, name: &str) -> Result<Option<Arc<HaliteTable>>> {
    let define = |id| {
        let table = definition(&[("a", SqlType::Integer)], vec![part("a")]);
        let name = name.to_owned();
        Ok(Table { id, name, ..table })
    };
    catalog.create_table(define, false)
}

/// A store with the tables `a` and `b`, in `t1` and `t2`.
fn filled() -> Arc<dyn Store> {
    let store = new_store();
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    for name in ["a", "b"] {
        make(&catalog, name).unwrap();
    }
    store
}

fn put(store: &Arc<dyn Store>, key: &[u8], value: Option<&[u8]>) {
    let mut batch = WriteBatch::new();
    match value {
        Some(value) => batch.put(SPACE, key, value),
        None => batch.delete(SPACE, key),
    }
    commit_batch(store, batch, Durability::Sync).unwrap();
}

/// Who checks finds damage, and who opens refuses it and drops nothing.
fn is_damaged(store: &Arc<dyn Store>, what: &str) {
    let spaces = store.spaces().unwrap();
    let found = inspect(store.as_ref()).unwrap();
    let damage = found.damage.join("; ");
    assert!(damage.contains(what), "{what}: {damage}");
    assert!(found.orphans.is_empty(), "{what}: {:?}", found.orphans);
    let error = Catalog::open(Arc::clone(store)).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Corrupt, damage.as_str())
    );
    assert_eq!(store.spaces().unwrap(), spaces, "{what}");
}

/// An entry of the catalog, what is put there or `None`, and the words for it.
type Damaged<'a> = (&'a [u8], Option<&'a [u8]>, &'a str);

#[test]
fn of_a_damaged_catalog_nothing_is_dropped() {
    let store = filled();
    store.drop_space(SPACE).unwrap();
    is_damaged(&store, "the catalog is missing, and there are tables");
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    is_damaged(&store, "the catalog is missing, and there are tables");

    let cases: [Damaged<'_>; 6] = [
        (b"format", None, "no format"),
        (
            b"format",
            Some(&[9]),
            "newer Halite: it is format 9, and this one reads formats up to 1",
        ),
        (b"format", Some(b""), "cannot read"),
        (NEXT_KEY, None, "no next table id"),
        (
            b"table/a",
            Some(b"{}"),
            "table `a`: a table's definition cannot be read",
        ),
        (b"other/a", Some(b""), "an entry other/a"),
    ];
    for (key, value, what) in cases {
        let store = filled();
        put(&store, key, value);
        is_damaged(&store, what);
    }
}

/// A definition that names another space than its own would make that one look unused.
#[test]
fn a_definition_with_another_id_loses_no_rows() {
    for (id, what) in [
        (3, "table `a`: its rows are missing"),
        (2, "those of another table"),
    ] {
        let store = filled();
        put(&store, NEXT_KEY, Some(&9_u64.to_be_bytes()));
        let catalog = Catalog::open(Arc::clone(&store)).unwrap();
        let table = catalog.expect_table("a").unwrap();
        let moved = Table {
            id,
            ..table.bound().table().clone()
        };
        put(
            &store,
            &table_key("a"),
            Some(moved.to_json().unwrap().as_bytes()),
        );
        is_damaged(&store, what);
    }
}

#[test]
fn a_catalog_whose_making_was_cut_short_is_sound_and_is_made() {
    let store = new_store();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    let found = inspect(store.as_ref()).unwrap();
    assert!(found.damage.is_empty(), "{:?}", found.damage);
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    make(&catalog, "a").unwrap();
    assert_eq!(Catalog::open(store).unwrap().names(), ["a"]);
}

#[test]
fn what_is_called_an_orphan_goes_and_nothing_else() {
    let store = filled();
    for space in ["t7", "t07", "t", "index_1"] {
        store.create_space(space, &SpaceOptions::default()).unwrap();
    }
    assert_eq!(inspect(store.as_ref()).unwrap().orphans, ["t7"]);
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    let left = ["catalog", "index_1", "t", "t07", "t1", "t2"];
    assert_eq!(store.spaces().unwrap(), left);
    let made = make(&catalog, "c").unwrap().unwrap();
    assert_eq!(made.bound().space(), "t8");
}

/// Runs `work` on a thread; fails where it takes long.
fn at_once(work: impl FnOnce() + Send + 'static) {
    let (done, is_done) = channel();
    thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    let waited = is_done.recv_timeout(Duration::from_secs(20));
    waited.expect("it waits for the writer of another table");
}

type Change = fn(&Catalog) -> Result<()>;

#[test]
fn who_waits_for_the_writers_of_a_table_keeps_no_other_change_waiting() {
    let changes: [Change; 2] = [
        |catalog| catalog.drop_tables(&["b".to_owned(), "a".to_owned()], false, Dependents::Refuse),
        |catalog| catalog.truncate("a"),
    ];
    for change in changes {
        let catalog = Arc::new(Catalog::open(filled()).unwrap());
        let table = catalog.expect_table("a").unwrap();
        let writing = table.lock_writes();
        let (waiting, others) = (Arc::clone(&catalog), Arc::clone(&catalog));
        let waiting = thread::spawn(move || change(&waiting));
        // Until it waits; where it has not come so far the test proves less, and does not fail.
        thread::sleep(Duration::from_millis(200));
        at_once(move || {
            make(&others, "c").unwrap();
            others
                .drop_tables(&["c".to_owned()], false, Dependents::Refuse)
                .unwrap();
        });
        assert!(Arc::ptr_eq(&catalog.expect_table("a").unwrap(), &table));
        drop(writing);
        waiting.join().unwrap().unwrap();
        assert!(table.lock_writes().check("a").is_err());
    }
}

/// Two that waited for the writers of one table: the second meets the table that the first has made.
#[test]
fn a_table_that_was_emptied_meanwhile_is_the_one_that_is_dropped() {
    let store = filled();
    let catalog = Arc::new(Catalog::open(Arc::clone(&store)).unwrap());
    let table = catalog.expect_table("a").unwrap();
    let writing = table.lock_writes();
    let changes: [Change; 3] = [
        |catalog| catalog.truncate("a"),
        |catalog| catalog.truncate("a"),
        |catalog| catalog.truncate("a"),
    ];
    let waiting = changes.map(|change| {
        let catalog = Arc::clone(&catalog);
        thread::spawn(move || change(&catalog))
    });
    thread::sleep(Duration::from_millis(100));
    drop(writing);
    for waiting in waiting {
        waiting.join().unwrap().unwrap();
    }
    // t3 and t4 were made, and are gone.
    assert_eq!(store.spaces().unwrap(), ["catalog", "t2", "t5"]);
    catalog
        .drop_tables(&["a".to_owned()], true, Dependents::Refuse)
        .unwrap();
    catalog
        .drop_tables(&["a".to_owned()], true, Dependents::Refuse)
        .unwrap();
    assert_eq!(store.spaces().unwrap(), ["catalog", "t2"]);
}

/// Two catalogs over one store, as two processes have them: each finds what the other has made, emptied and dropped, and
/// neither takes an id that the other has given.
#[test]
fn a_change_made_elsewhere_is_noticed_by_the_next_statement() {
    let store = new_store();
    let one = Catalog::open(Arc::clone(&store)).unwrap();
    let other = Catalog::open(Arc::clone(&store)).unwrap();
    make(&one, "a").unwrap();
    let before = other.version();
    other.snapshot().unwrap();
    assert_eq!(other.names(), ["a"]);
    assert!(other.version() > before);
    let seen = other.version();
    for _ in 0..3 {
        other.snapshot().unwrap();
    }
    assert_eq!(other.version(), seen, "nothing has changed");
    make(&other, "b").unwrap();
    let exists = make(&one, "b").unwrap_err();
    assert_eq!(exists.kind(), ErrorKind::Conflict);
    make(&one, "c").unwrap();
    other.truncate("c").unwrap();
    one.drop_tables(&["b".to_owned()], false, Dependents::Refuse)
        .unwrap();
    other.snapshot().unwrap();
    one.snapshot().unwrap();
    for catalog in [&one, &other] {
        assert_eq!(catalog.names(), ["a", "c"]);
        let ids = ["a", "c"].map(|name| catalog.table(name).unwrap().bound().table().id);
        assert_eq!(ids, [1, 4]);
    }
    assert_eq!(store.spaces().unwrap(), [SPACE, "t1", "t4"]);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(super::next_id(snapshot.as_ref()).unwrap(), 5);
}

/// Tables that both make at the same time all have spaces of their own.
#[test]
fn tables_made_in_two_places_at_once_are_all_there() {
    let store = new_store();
    std::thread::scope(|scope| {
        for place in 0..2 {
            let catalog = Catalog::open(Arc::clone(&store)).unwrap();
            scope.spawn(move || {
                for number in 0..20 {
                    make(&catalog, &format!("t_{place}_{number}")).unwrap();
                }
            });
        }
    });
    let catalog = Catalog::open(store).unwrap();
    assert_eq!(catalog.names().len(), 40);
}
