//! Tables and views that are gone with the connection that made them.

use std::sync::{Arc, OnceLock};

use super::Catalog;
use crate::error::{Error, Result};
use crate::store::MemoryStore;

/// A catalog in memory, which is made when it is first needed. A clone has the same.
#[derive(Debug, Clone, Default)]
pub struct Temporary(Arc<OnceLock<Arc<Catalog>>>);

impl Temporary {
    /// The catalog, if something has been made in it.
    pub fn get(&self) -> Option<&Arc<Catalog>> {
        self.0.get()
    }

    /// The catalog, for something to be made in it.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn begun(&self) -> Result<&Arc<Catalog>> {
        if self.0.get().is_none() {
            let catalog = Arc::new(Catalog::open(Arc::new(MemoryStore::new()))?);
            // Another one may have been quicker.
            let _ = self.0.set(catalog);
        }
        self.0
            .get()
            .ok_or_else(|| Error::internal("there is no catalog of temporary tables"))
    }

    /// The catalog, if something in it has the name.
    pub fn with(&self, name: &str) -> Option<&Arc<Catalog>> {
        self.get().filter(|catalog| !catalog.is_free(name))
    }
}
