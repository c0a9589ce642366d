//! The snapshot that whoever comes while nothing is written is given.
//!
//! To take a snapshot and to let go of it costs RocksDB as much as half a lookup, and everybody waits for one lock
//! meanwhile. Between two changes all snapshots are the same; so one is kept, and handed out until something has changed.
//!
//! A change lets go of it once it is made and before it returns ([`Newest::outdate`]), and one is taken under the lock of
//! that: whoever comes after a change has returned is given a snapshot that was taken after it was made. Nothing is newer
//! than the one that is kept, so that it keeps nothing from being reclaimed.

use std::sync::Arc;

use parking_lot::RwLock;

use super::read::RocksSnapshot;

/// The snapshot since the last change, if somebody has asked for it.
#[derive(Debug, Default)]
pub(super) struct Newest(RwLock<Option<Arc<RocksSnapshot>>>);

impl Newest {
    /// The snapshot since the last change, which `take` takes where it is the first one.
    pub(super) fn get_or(&self, take: impl FnOnce() -> RocksSnapshot) -> Arc<RocksSnapshot> {
        if let Some(newest) = &*self.0.read() {
            return Arc::clone(newest);
        }
        let mut newest = self.0.write();
        Arc::clone(newest.get_or_insert_with(|| Arc::new(take())))
    }

    /// Something has changed.
    pub(super) fn outdate(&self) {
        let outdated = self.0.write().take();
        // Not under the lock: it may be the last one of a space that was dropped.
        drop(outdated);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use tempfile::TempDir;

    use super::super::{RocksStore, SpaceOptions, Store, StoreOptions, WriteBatch};
    use super::*;
    use crate::store::changes::LocalStore;
    use crate::store::{BulkWriter, Durability, Snapshot};

    /// How often the value is changed while others read it.
    const CHANGES: u64 = 3_000;

    fn put(store: &RocksStore, number: u64) {
        let mut batch = WriteBatch::new();
        batch.put("a", b"key", &number.to_be_bytes());
        store.write(batch, Durability::Buffered).unwrap();
    }

    fn read(store: &RocksStore) -> u64 {
        let value = store.snapshot().unwrap().get("a", b"key").unwrap();
        value.map_or(0, |value| u64::from_be_bytes(value.try_into().unwrap()))
    }

    fn store() -> (TempDir, Arc<RocksStore>) {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &StoreOptions::default()).unwrap();
        store.create_space("a", &SpaceOptions::default()).unwrap();
        (directory, Arc::new(store))
    }

    /// How many snapshots RocksDB has.
    fn snapshots(store: &RocksStore) -> u64 {
        let spaces = store.current();
        let database = spaces.borrow_owner();
        let count = database.db.property_int_value("rocksdb.num-snapshots");
        count.unwrap().unwrap()
    }

    #[test]
    fn one_is_shared_until_something_changes() {
        let (_directory, store) = store();
        let is_same = |one: &Arc<dyn Snapshot>, other: &Arc<dyn Snapshot>| {
            std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other))
        };
        let load = || {
            let mut load = Arc::clone(&store).load("a", &[]).unwrap();
            load.put(b"other", b"value").unwrap();
            store.ingest(vec![load]).unwrap();
        };
        let changes: [(&str, &dyn Fn()); 4] = [
            ("write", &|| put(&store, 1)),
            ("load", &load),
            ("create", &|| {
                let options = SpaceOptions::default();
                store.create_space("b", &options).unwrap();
            }),
            ("drop", &|| store.drop_space("b").unwrap()),
        ];
        for (name, change) in changes {
            let before = store.snapshot().unwrap();
            assert!(is_same(&before, &store.snapshot().unwrap()), "{name}");
            change();
            assert!(!is_same(&before, &store.snapshot().unwrap()), "{name}");
            drop(before);
            assert_eq!(snapshots(&store), 1, "{name}");
            put(&store, 2);
            assert_eq!(snapshots(&store), 0, "{name}");
        }
    }

    #[test]
    fn who_comes_after_a_change_has_returned_sees_it() {
        let (_directory, store) = store();
        let returned = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut seen = 0;
                    while seen < CHANGES {
                        let least = seen.max(returned.load(Ordering::SeqCst));
                        seen = read(&store);
                        assert!(seen >= least, "{seen} is older than {least}");
                    }
                });
            }
            for number in 1..=CHANGES {
                put(&store, number);
                returned.store(number, Ordering::SeqCst);
            }
        });
    }
}
