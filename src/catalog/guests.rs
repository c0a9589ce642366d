//! Tables that are not the database's: those of the program that embeds it, for the statements of one connection.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use parking_lot::RwLock;

/// Tables by their names. A clone has the same.
#[derive(Debug, Clone, Default)]
pub struct Guests(Arc<RwLock<BTreeMap<String, Arc<dyn TableProvider>>>>);

impl Guests {
    /// Adds one, and gives back the one that had the name.
    pub fn add(&self, name: &str, table: Arc<dyn TableProvider>) -> Option<Arc<dyn TableProvider>> {
        self.0.write().insert(name.to_owned(), table)
    }

    /// Takes one away.
    pub fn remove(&self, name: &str) -> Option<Arc<dyn TableProvider>> {
        self.0.write().remove(name)
    }

    /// The one with a name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn TableProvider>> {
        self.0.read().get(name).cloned()
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.0.read().keys().cloned().collect()
    }
}
