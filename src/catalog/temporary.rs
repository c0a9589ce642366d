//! Tables and views that are gone with the connection that made them.

use std::sync::{Arc, OnceLock};

use super::Catalog;
use crate::error::{Error, Result};
use crate::store::MemoryStore;
use crate::write::{CompileRules, SpillDirectory};

/// A catalog in memory, which is made when it is first needed. A clone has the same.
#[derive(Debug, Clone, Default)]
pub struct Temporary {
    catalog: Arc<OnceLock<Arc<Catalog>>>,
    compile: Option<CompileRules>,
}

impl Temporary {
    /// One that is empty; `compile` knows what the rules of tables mean.
    pub fn with_rules(compile: CompileRules) -> Self {
        Self {
            catalog: Arc::default(),
            compile: Some(compile),
        }
    }

    /// The catalog, if something has been made in it.
    pub fn get(&self) -> Option<&Arc<Catalog>> {
        self.catalog.get()
    }

    /// The catalog, for something to be made in it.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn begun(&self) -> Result<&Arc<Catalog>> {
        if self.catalog.get().is_none() {
            let (store, spills) = (Arc::new(MemoryStore::new()), SpillDirectory::default());
            let catalog = Catalog::open_with(store, spills, self.compile)?;
            // Another one may have been quicker.
            let _ = self.catalog.set(Arc::new(catalog));
        }
        self.catalog
            .get()
            .ok_or_else(|| Error::internal("there is no catalog of temporary tables"))
    }

    /// The catalog, if something in it has the name.
    pub fn with(&self, name: &str) -> Option<&Arc<Catalog>> {
        self.get().filter(|catalog| !catalog.is_free(name))
    }
}
