//! A store that keeps rows in groups.

use std::path::Path;
use std::sync::Arc;

#[cfg(test)]
use parking_lot::Mutex;

#[cfg(test)]
use super::Ungrouped;
#[cfg(test)]
use super::shown::ShownChanges;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::store::{
    BulkWriter, Capabilities, Changes, Claim, Durability, LocalSnapshot, ReadRequest, Reader,
    Snapshot, SpaceOptions, Store, WriteBatch,
};

/// The space whose entries are not rows.
const CATALOG: &str = "catalog";

/// Another store, of which it says that it keeps several rows in each entry, those of the catalog excepted; for tests. What
/// is read from it and written to it are groups: what rows they are is the affair of [`crate::row`] alone.
#[derive(Debug)]
pub struct Grouped {
    inner: Arc<dyn Store>,
    /// If what is read and written are rows, so that it is a store like others: who holds this is alone in writing.
    #[cfg(test)]
    shows_rows: Option<Arc<Mutex<()>>>,
}

impl Grouped {
    /// A store that keeps its groups in `inner`.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            #[cfg(test)]
            shows_rows: None,
        }
    }

    /// The same store, from which rows are read, and to which they are written.
    #[cfg(test)]
    pub(crate) fn showing_rows(self) -> Self {
        let shows_rows = Some(Arc::default());
        Self { shows_rows, ..self }
    }
}

fn is_grouped(space: &str) -> bool {
    space != CATALOG
}

impl Store for Grouped {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        self.inner.create_space(name, options)
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.inner.drop_space(name)
    }

    fn spaces(&self) -> Result<Vec<String>> {
        self.inner.spaces()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let inner = self.inner.snapshot()?;
        let groups = Arc::new(Groups { inner });
        #[cfg(test)]
        if self.shows_rows.is_some() {
            return Ok(Arc::new(Ungrouped::new(groups)));
        }
        Ok(groups)
    }

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        let inner = Arc::clone(&self.inner).begin(claims)?;
        let groups = Box::new(GroupedChanges { inner });
        #[cfg(test)]
        if let Some(alone) = &self.shows_rows {
            return Ok(Box::new(ShownChanges::new(groups, Arc::clone(alone))));
        }
        Ok(groups)
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_size(space, range)
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        self.inner.checkpoint(path)
    }

    fn verify(&self) -> Result<Vec<Error>> {
        self.inner.verify()
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

/// What is changed, as it is kept.
#[derive(Debug)]
struct GroupedChanges {
    inner: Box<dyn Changes>,
}

impl Changes for GroupedChanges {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let inner = self.inner.snapshot()?;
        Ok(Arc::new(Groups { inner }))
    }

    fn is_grouped(&self, space: &str) -> bool {
        is_grouped(space)
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.inner.write(batch)
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        self.inner.bulk(space)
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        self.inner.commit(durability)
    }
}

/// What is kept, as it is kept.
#[derive(Debug)]
struct Groups {
    inner: Arc<dyn Snapshot>,
}

impl Snapshot for Groups {
    fn has_space(&self, space: &str) -> bool {
        self.inner.has_space(space)
    }

    fn is_grouped(&self, space: &str) -> bool {
        is_grouped(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.inner.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.inner.get(space, key)
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.inner.multi_get(space, keys)
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        Arc::clone(&self.inner).read(request)
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        Arc::clone(&self.inner).local()
    }
}
