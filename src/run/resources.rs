//! What the statements of all connections of a database share: its catalog, memory, temporary files, and what they may do
//! beside.

use std::sync::Arc;

use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::runtime_env::RuntimeEnv;

use super::memory::Memory;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::file::access::Restrictions;
use crate::plan::bind::column_rules;
use crate::settings::ByteSize;
use crate::store::Store;
use crate::write::SpillDirectory;

/// The resources of a database. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Resources {
    catalog: Arc<Catalog>,
    access: Arc<Restrictions>,
    memory: Arc<Memory>,
    temporary: Arc<DiskManager>,
}

impl Resources {
    /// Those of the database in a store. What statements cannot hold in memory goes to `spills`.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub(crate) fn of_store(store: Arc<dyn Store>, spills: SpillDirectory) -> Result<Self> {
        let temporary = spills.disk_manager()?;
        let catalog = Catalog::open_with(store, spills, Some(column_rules::compile))?;
        let resources = Self {
            catalog: Arc::new(catalog),
            access: Arc::default(),
            memory: Arc::default(),
            temporary,
        };
        resources.limit_cache();
        Ok(resources)
    }

    pub(crate) fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Which files and programs statements may use, and which settings they may change.
    pub(crate) fn access(&self) -> &Arc<Restrictions> {
        &self.access
    }

    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// The temporary files of queries.
    pub(crate) fn temporary(&self) -> &Arc<DiskManager> {
        &self.temporary
    }

    /// What DataFusion's sessions run in.
    pub(crate) fn environment(&self) -> Arc<RuntimeEnv> {
        Arc::new(RuntimeEnv {
            memory_pool: Arc::clone(&self.memory) as Arc<dyn MemoryPool>,
            disk_manager: Arc::clone(&self.temporary),
            ..RuntimeEnv::default()
        })
    }

    /// Limits what the statements of all connections may take together, in bytes.
    pub(crate) fn limit_memory(&self, bytes: u64) {
        self.memory.set_limit(ByteSize(bytes));
        self.limit_cache();
    }

    /// The blocks of files in memory are beside the limit.
    fn limit_cache(&self) {
        let limit = self.memory.limit();
        self.catalog.store().limit_cache(cache_share(limit));
    }
}

/// How many bytes of blocks are kept in memory at most: whoever sets a lower limit than the default counts them, too.
fn cache_share(limit: usize) -> usize {
    if limit < ByteSize::half_of_memory().in_memory() {
        limit / 8
    } else {
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_limit_lowers_the_cache() {
        let half = ByteSize::half_of_memory().in_memory();
        assert_eq!(cache_share(256 << 20), 32 << 20);
        assert_eq!(cache_share(half), usize::MAX);
    }
}
