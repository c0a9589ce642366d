//! The settings under the prefix `halite`, as `SET halite.pushdown = false` changes them.

use datafusion::common::extensions_options;
use datafusion::config::{ConfigExtension, ConfigOptions};

use super::Parallelism;
use crate::{span, write};

extensions_options! {
    /// Halite's settings. A session without them has the defaults.
    pub struct HaliteOptions {
        /// Whether a predicate becomes key ranges. `false` scans every bucket from end to end and filters: for
        /// comparison.
        pub pushdown: bool, default = true

        /// How many key ranges a predicate may become, before the fan-out over buckets. Above it, lists become walks.
        pub span_budget: usize, default = span::BUDGET

        /// About how many bytes of a table a partition of a scan reads at least: a scan of a table without enough
        /// buckets for all partitions is cut into pieces of this size, or larger ones.
        pub piece_bytes: usize, default = Parallelism::PIECE_BYTES

        /// How many bytes of changes a statement may hold in memory; one that needs more is refused.
        pub statement_memory: usize, default = write::STATEMENT_MEMORY
    }
}

impl ConfigExtension for HaliteOptions {
    const PREFIX: &'static str = "halite";
}

impl HaliteOptions {
    /// The settings of a session, or the defaults.
    pub fn of(config: &ConfigOptions) -> Self {
        config.extensions.get().cloned().unwrap_or_default()
    }
}
