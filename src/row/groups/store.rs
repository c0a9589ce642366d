//! A store that keeps rows in groups.

use std::sync::Arc;

#[cfg(test)]
use parking_lot::Mutex;

#[cfg(test)]
use super::Ungrouped;
#[cfg(test)]
use super::shown::ShownChanges;
use crate::store::Store;
use crate::store::wrap::{Hooks, Wrapped};
#[cfg(test)]
use crate::store::{Changes, Snapshot};

/// The space whose entries are not rows.
const CATALOG: &str = "catalog";

/// Another store, of which it says that it keeps several rows in each entry, those of the catalog excepted; for tests. What
/// is read from it and written to it are groups: what rows they are is the affair of [`crate::row`] alone.
pub type Grouped = Wrapped<Grouping>;

/// Says that entries are groups.
#[derive(Debug, Clone, Default)]
pub struct Grouping {
    /// If what is read and written are rows, so that it is a store like others: who holds this is alone in writing.
    #[cfg(test)]
    shows_rows: Option<Arc<Mutex<()>>>,
}

impl Grouped {
    /// A store that keeps its groups in `inner`.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self::around(inner, Grouping::default())
    }

    /// A store that keeps its groups in `inner`, from which rows are read, and to which they are written.
    #[cfg(test)]
    pub(crate) fn showing_rows(inner: Arc<dyn Store>) -> Self {
        let shows_rows = Some(Arc::default());
        Self::around(inner, Grouping { shows_rows })
    }
}

impl Hooks for Grouping {
    fn is_grouped(&self, _inner: bool, space: &str) -> bool {
        space != CATALOG
    }

    #[cfg(test)]
    fn shown(&self, groups: Arc<dyn Snapshot>) -> Arc<dyn Snapshot> {
        match &self.shows_rows {
            None => groups,
            Some(_) => Arc::new(Ungrouped::new(groups)),
        }
    }

    #[cfg(test)]
    fn changing(&self, groups: Box<dyn Changes>) -> Box<dyn Changes> {
        match &self.shows_rows {
            None => groups,
            Some(alone) => Box::new(ShownChanges::new(groups, Arc::clone(alone))),
        }
    }
}
