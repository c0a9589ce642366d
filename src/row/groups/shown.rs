//! A store of groups as one of rows: so it runs the conformance suite, as any other.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Regrouped, Ungrouped};
use crate::error::Result;
use crate::store::{BulkWriter, Changes, Durability, Snapshot, WriteBatch};

/// Changes of rows, and what is read meanwhile as rows.
#[derive(Debug)]
pub(super) struct ShownChanges {
    rows: Box<Regrouped>,
    /// Groups are made of what is there, whatever a statement has claimed: one at a time does.
    alone: Arc<Mutex<()>>,
}

impl ShownChanges {
    pub(super) fn new(groups: Box<dyn Changes>, alone: Arc<Mutex<()>>) -> Self {
        let rows = Box::new(Regrouped::new(groups));
        Self { rows, alone }
    }
}

impl Changes for ShownChanges {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(Ungrouped::new(self.rows.snapshot()?)))
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.rows.write(batch)
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        self.rows.bulk(space)
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let _alone = self.alone.lock();
        self.rows.commit(durability)
    }
}
