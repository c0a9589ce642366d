use super::*;
use crate::error::ErrorKind;
use crate::schema::ViewColumn;
use crate::store::{Durability, MemoryStore, Store, commit_batch};

fn view(name: &str, reads: &[&str]) -> View {
    let column = ViewColumn {
        name: "a".to_owned(),
        source: "a".to_owned(),
    };
    View {
        name: name.to_owned(),
        query: "SELECT 1 AS a".to_owned(),
        columns: vec![column],
        reads: reads.iter().map(|&name| name.to_owned()).collect(),
        comment: None,
    }
}

fn made(catalog: &Catalog, view: View, existing: Existing) -> Result<bool> {
    let made = catalog.create_view(view, catalog.version(), existing)?;
    Ok(made.expect("nobody else changes the catalog"))
}

fn open(store: &Arc<dyn Store>) -> Catalog {
    Catalog::open(Arc::clone(store)).unwrap()
}

#[test]
fn views_are_there_when_the_database_is_opened_again() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let catalog = open(&store);
    let other = open(&store);
    made(&catalog, view("v", &[]), Existing::Refuse).unwrap();
    made(&catalog, view("w", &["v"]), Existing::Refuse).unwrap();
    assert_eq!(open(&store).view_names(), ["v", "w"]);
    // Another one learns of them with its next statement, and is another then.
    let before = other.version();
    drop(other.snapshot().unwrap());
    assert_eq!(other.view_names(), ["v", "w"]);
    assert_ne!(other.version(), before);
    catalog
        .drop_views(&["v".to_owned()], false, Dependents::Drop)
        .unwrap();
    assert!(!open(&store).has_views());
}

#[test]
fn a_name_is_that_of_one_object() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let catalog = open(&store);
    made(&catalog, view("v", &[]), Existing::Refuse).unwrap();
    let taken = made(&catalog, view("v", &[]), Existing::Refuse).unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::Conflict);
    assert!(!made(&catalog, view("v", &[]), Existing::Keep).unwrap());
    assert!(made(&catalog, view("v", &[]), Existing::Replace).unwrap());
    let stale = catalog.create_view(view("x", &[]), catalog.version() + 1, Existing::Refuse);
    assert_eq!(stale.unwrap(), None);
}

#[test]
fn no_view_reads_itself_and_not_too_many_stand_on_each_other() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let catalog = open(&store);
    let mut below = "t".to_owned();
    for depth in 1..=MOST_VIEWS_DEEP {
        let name = format!("v{depth}");
        made(&catalog, view(&name, &[&below]), Existing::Refuse).unwrap();
        assert_eq!(catalog.depth(&catalog.view(&name).unwrap()), depth);
        below = name;
    }
    let deep = made(&catalog, view("w", &[&below]), Existing::Refuse).unwrap_err();
    assert_eq!(deep.kind(), ErrorKind::NotSupported);
    for reads in ["v1", "v2", &below] {
        let error = made(&catalog, view("v1", &[reads]), Existing::Replace).unwrap_err();
        assert!(error.message().contains("would read itself"), "{error}");
    }
    let order = catalog.views_in_order();
    assert_eq!(order.first().unwrap().name, "v1");
    assert_eq!(order.last().unwrap().name, below);
}

#[test]
fn what_is_damaged_is_said() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    drop(open(&store));
    let json = view("v", &[]).to_json().unwrap();
    for (name, definition, wrong) in [
        ("w", json.as_str(), "its definition is that of `v`"),
        ("w", "{}", "cannot be read"),
    ] {
        let mut batch = WriteBatch::new();
        batch.put(SPACE, &view_key(name), definition.as_bytes());
        commit_batch(&store, batch, Durability::Sync).unwrap();
        let error = Catalog::open(Arc::clone(&store)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.message().contains(wrong), "{error}");
    }
}
