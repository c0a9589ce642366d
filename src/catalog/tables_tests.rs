use super::super::inspect;
use super::*;
use crate::datum::SqlType;
use crate::error::ErrorKind;
use crate::row::testing::{definition, part};
use crate::store::MemoryStore;

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
    store.write(batch, Durability::Sync).unwrap();
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
        (b"view/a", Some(b""), "an entry view/a"),
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
