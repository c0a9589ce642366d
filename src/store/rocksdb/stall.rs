//! Writes while RocksDB takes none.
//!
//! It stops writes while all buffers wait to be flushed, and lets the first writer wait at the head of the line. Where the
//! flush has failed on a full disk, what flushes again once there is room comes behind that writer, which waits for the
//! flush: both wait for ever (RocksDB 11.12, `DBImpl::DelayWrite` and `SstFileManagerImpl::ClearError`). So nobody waits
//! in there: a write that would be kept is refused and tried again. One that is only slowed down is left to RocksDB, which
//! knows the pace; what is stopped while it is slowed down waits in there all the same.

use std::thread;
use std::time::Duration;

use ::rocksdb::{ErrorKind, WriteBatch, properties};

use super::{Database, write_options};
use crate::store::Durability;

/// The first pause before a write is tried again, which doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

impl Database {
    /// Writes a batch, however long it takes until RocksDB takes it.
    ///
    /// # Errors
    /// Those of RocksDB, but for stalls.
    pub(super) fn write(
        &self,
        batch: &WriteBatch,
        durability: Durability,
    ) -> Result<(), ::rocksdb::Error> {
        let mut options = write_options(durability);
        let mut pause = FIRST_PAUSE;
        loop {
            options.set_no_slowdown(true);
            match self.db.write_opt(batch, &options) {
                Err(error) if is_stall(&error) => {}
                written => return written,
            }
            if self.is_slowed_down() {
                options.set_no_slowdown(false);
                return self.db.write_opt(batch, &options);
            }
            thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn is_slowed_down(&self) -> bool {
        let number = |name| matches!(self.db.property_int_value(name), Ok(Some(1..)));
        !number(properties::IS_WRITE_STOPPED) && number(properties::ACTUAL_DELAYED_WRITE_RATE)
    }
}

/// Whether a write was refused because it would have been kept waiting; background errors have the same kind.
fn is_stall(error: &::rocksdb::Error) -> bool {
    error.kind() == ErrorKind::Incomplete && error.as_ref().contains("Write stall")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::{RocksStore, SpaceOptions, Store, StoreOptions};
    use super::*;

    /// Who waits for RocksDB is waited for by whoever else enters its line, as what makes a column family does.
    #[test]
    fn nobody_stands_in_line_while_writes_are_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &StoreOptions::default()).unwrap();
        store.create_space("a", &SpaceOptions::default()).unwrap();
        let spaces = store.current();
        let (database, family) = (spaces.borrow_owner(), &spaces.find("a").unwrap().family);
        let put = |key: &[u8]| {
            let mut batch = WriteBatch::default();
            batch.put_cf(family, key, b"value");
            database.write(&batch, Durability::Buffered)
        };
        let stop_at = |files: &str| {
            let triggers = [
                "level0_slowdown_writes_trigger",
                "level0_stop_writes_trigger",
            ];
            let options = triggers.map(|trigger| (trigger, files));
            database.db.set_options_cf(family, &options).unwrap();
        };
        put(b"first").unwrap();
        database.db.flush_cf(family).unwrap();
        stop_at("1");
        let is_written = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                put(b"second").unwrap();
                is_written.store(true, Ordering::SeqCst);
            });
            thread::sleep(Duration::from_millis(100));
            let mut options = write_options(Durability::Buffered);
            options.set_no_slowdown(true);
            let mut batch = WriteBatch::default();
            batch.put_cf(family, b"third", b"value");
            let refused = database.db.write_opt(&batch, &options).unwrap_err();
            assert!(is_stall(&refused), "{refused}");
            let options = ::rocksdb::Options::default();
            database.db.create_cf("b", &options).unwrap();
            assert!(!is_written.load(Ordering::SeqCst));
            stop_at("36");
        });
        assert!(is_written.load(Ordering::SeqCst));
        assert!(database.db.get_cf(family, b"second").unwrap().is_some());
    }
}
