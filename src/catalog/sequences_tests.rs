use std::collections::BTreeSet;
use std::thread;

use super::*;
use crate::error::ErrorKind;
use crate::store::{Durability, MemoryStore, Store};

fn definition(id: u64, start: i64, increment: i64) -> schema::Sequence {
    let (minimum, maximum) = schema::Sequence::default_bounds(increment);
    schema::Sequence {
        id,
        name: "s".to_owned(),
        start,
        increment,
        minimum,
        maximum,
        cache: 32,
        comment: None,
    }
}

fn new_store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn open(store: &Arc<dyn Store>) -> Catalog {
    Catalog::open(Arc::clone(store)).unwrap()
}

fn made(store: &Arc<dyn Store>, define: impl FnOnce(u64) -> schema::Sequence) -> Catalog {
    let catalog = open(store);
    assert!(catalog.create_sequence(|id| Ok(define(id)), false).unwrap());
    catalog
}

fn next(catalog: &Catalog, count: usize) -> Vec<i64> {
    catalog.expect_sequence("s").unwrap().next(count).unwrap()
}

#[test]
fn numbers_come_in_order_and_no_number_twice_after_the_end_of_a_process() {
    let store = new_store();
    let catalog = made(&store, |id| definition(id, 1, 1));
    assert_eq!(next(&catalog, 3), [1, 2, 3]);
    assert_eq!(next(&catalog, 1), [4]);
    // What opens the store now knows nothing of the block: the process may have been killed.
    let later = open(&store);
    assert_eq!(next(&later, 2), [33, 34]);
    // Both go on with blocks of their own.
    assert_eq!(next(&catalog, 30).last(), Some(&66));
    assert_eq!(next(&later, 31).last(), Some(&97));
    let one_block: Vec<i64> = next(&open(&store), 1000);
    assert_eq!(one_block.first(), Some(&129));
    assert!(one_block.windows(2).all(|pair| pair[1] == pair[0] + 1));
    assert_eq!(next(&open(&store), 1), [1129]);
}

#[test]
fn a_sequence_ends_at_its_bounds() {
    let bounded = |increment: i64, start: i64, minimum: i64, maximum: i64| {
        let store = new_store();
        let catalog = made(&store, |id| schema::Sequence {
            minimum,
            maximum,
            ..definition(id, start, increment)
        });
        let sequence = catalog.expect_sequence("s").unwrap();
        let mut found = Vec::new();
        loop {
            match sequence.next(1) {
                Ok(numbers) => found.extend(numbers),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::InvalidInput);
                    assert!(error.message().contains("at its end"), "{error}");
                    return found;
                }
            }
        }
    };
    assert_eq!(bounded(1, 5, 1, 7), [5, 6, 7]);
    assert_eq!(bounded(3, 5, 1, 12), [5, 8, 11]);
    assert_eq!(bounded(-2, 5, 0, 10), [5, 3, 1]);
    assert_eq!(
        bounded(1, i64::MAX - 1, 1, i64::MAX),
        [i64::MAX - 1, i64::MAX]
    );
    assert_eq!(
        bounded(-1, i64::MIN + 1, i64::MIN, -1),
        [i64::MIN + 1, i64::MIN]
    );
    assert_eq!(bounded(i64::MAX, 1, 1, i64::MAX), [1]);
}

#[test]
fn eight_threads_get_numbers_of_their_own() {
    let store = new_store();
    let (one, other) = (made(&store, |id| definition(id, 1, 1)), open(&store));
    let (one, other) = (Arc::new(one), Arc::new(other));
    let threads = (0..8).map(|at| {
        let catalog = Arc::clone(if at % 2 == 0 { &one } else { &other });
        thread::spawn(move || {
            let counts = (0..200).map(|round| 1 + round % 7);
            counts
                .flat_map(|count| next(&catalog, count))
                .collect::<Vec<i64>>()
        })
    });
    let threads: Vec<_> = threads.collect();
    let found: Vec<Vec<i64>> = threads.into_iter().map(|it| it.join().unwrap()).collect();
    assert!(found.iter().all(|numbers| numbers.is_sorted()));
    let count: usize = found.iter().map(Vec::len).sum();
    let all: BTreeSet<i64> = found.into_iter().flatten().collect();
    assert_eq!(all.len(), count);
}

#[test]
fn a_sequence_of_the_same_name_begins_anew_and_one_that_is_set_goes_on_there() {
    let store = new_store();
    let catalog = made(&store, |id| definition(id, 1, 1));
    let old = catalog.expect_sequence("s").unwrap();
    assert_eq!(next(&catalog, 2), [1, 2]);
    old.set(10, true).unwrap();
    assert_eq!(next(&catalog, 1), [11]);
    old.set(10, false).unwrap();
    assert_eq!(next(&catalog, 1), [10]);
    assert_eq!(
        old.set(0, true).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    old.set(1, false).unwrap();
    assert_eq!(next(&open(&store), 1), [1]);
    catalog.drop_sequences(&["s".to_owned()], false).unwrap();
    assert!(open(&store).sequence("s").is_none());
    assert!(
        catalog
            .create_sequence(|id| Ok(definition(id, 7, 1)), false)
            .unwrap()
    );
    assert!(
        !catalog
            .create_sequence(|id| Ok(definition(id, 8, 1)), true)
            .unwrap()
    );
    assert_eq!(next(&catalog, 1), [7]);
    // What is dropped hands out nothing more, once its block is at its end.
    assert!(old.next(100).is_err());
}

#[test]
fn numbers_that_are_missing_are_not_handed_out_again() {
    let store = new_store();
    let catalog = made(&store, |id| definition(id, 1, 1));
    let sequence = catalog.expect_sequence("s").unwrap();
    let mut batch = WriteBatch::new();
    batch.delete(NUMBERS, &sequence.key());
    crate::store::commit_batch(&store, batch, Durability::Sync).unwrap();
    assert_eq!(sequence.next(1).unwrap_err().kind(), ErrorKind::Corrupt);
}
