//! The settings under the prefix `halite`, as `SET halite.pushdown = false` changes them.

mod amounts;
pub(crate) mod bounds;
mod foreign;
mod joins;

use datafusion::common::{DataFusionError, Result, extensions_options};
use datafusion::config::{ConfigExtension, ConfigField, ConfigOptions, Visit};

use crate::scan::{Parallelism, Planning, ToPhysical};
use crate::span;
use crate::store::Durability;
use crate::write::{self, WriteSettings};

pub use self::amounts::{ByteSize, TimeLimit};
pub use self::foreign::foreign;
pub use self::joins::Joins;

extensions_options! {
    /// Halite's settings. A session without them has the defaults.
    pub struct HaliteOptions {
        /// Whether a predicate becomes key ranges. `false` scans every bucket from end to end and filters: for
        /// comparison.
        pub pushdown: bool, default = true

        /// Whether `EXPLAIN KEYS` has a column with the regions of each range, and the servers that have them; NULL where
        /// the store has no regions.
        pub explain_regions: bool, default = false

        /// How many key ranges a predicate may become, before the fan-out over buckets. Above it, lists become walks.
        pub span_budget: usize, default = span::BUDGET

        /// About how many bytes of a table a partition of a scan reads at least: a scan of a table without enough
        /// buckets for all partitions is cut into pieces of this size, or larger ones.
        pub piece_bytes: usize, default = Parallelism::PIECE_BYTES

        /// How many bytes of changes a statement may hold in memory; those of one that has more are sorted in a
        /// temporary file.
        pub statement_memory: usize, default = write::STATEMENT_MEMORY

        /// What a statement that changes rows survives once it is acknowledged: 'sync' a power cut, 'buffered' the end
        /// of the process but not of the machine. Changes of tables themselves, and statements so great that they are
        /// written in files of their own (above 16 MiB of changes), always survive both.
        pub durability: Durability, default = Durability::default()

        /// How much memory the statements of all connections of the database in this process may take together: '256M'.
        /// By default half of the machine's, or of the container's. What does not fit goes through temporary files, or
        /// is refused.
        pub memory_limit: ByteSize, default = ByteSize::half_of_memory()

        /// How many bytes a row may have, that is read from a file or written.
        pub row_bytes: ByteSize, default = ByteSize::mebibytes(64)

        /// How many bytes a function that builds texts or lists may make at once, of one batch of rows; 0: an eighth of
        /// the memory limit, shared by all such functions of a statement.
        pub function_bytes: ByteSize, default = ByteSize::default()

        /// How rows are joined by what is equal in them: 'hash', with a hash table of the smaller side, which has to fit
        /// into memory; 'merge', of both sides sorted, in temporary files where need be; 'auto': the former, and where it
        /// does not fit the latter.
        pub joins: Joins, default = Joins::Auto

        /// How long a statement may take, from its planning to its last row: '30s'; 0: as long as it likes.
        pub statement_timeout: TimeLimit, default = TimeLimit::default()

        /// Whether statements may reach files, programs and settings of the machine. Once it is false it stays so, for
        /// all connections of the database in this process.
        pub external_access: bool, default = true

        /// Whether settings can be changed no more, by any connection of the database in this process.
        pub lock_configuration: bool, default = false
    }
}

impl ConfigField for Durability {
    fn visit<V: Visit>(&self, visitor: &mut V, key: &str, description: &'static str) {
        visitor.some(key, self, description);
    }

    fn set(&mut self, _: &str, value: &str) -> Result<()> {
        *self = value.parse().map_err(DataFusionError::from)?;
        Ok(())
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

    /// How spans are planned, where `physical` makes conditions on rows.
    pub fn planning<'a>(&self, physical: &'a ToPhysical<'a>) -> Planning<'a> {
        Planning {
            pushdown: self.pushdown,
            budget: self.span_budget,
            physical,
        }
    }

    /// Those of the statements that write.
    pub fn write_settings(&self) -> WriteSettings {
        WriteSettings {
            memory: self.statement_memory.min(self.memory_limit.in_memory() / 8),
            row_bytes: self.row_bytes.in_memory(),
            durability: self.durability,
        }
    }
}

#[cfg(test)]
mod tests {
    use datafusion::config::ExtensionOptions;

    use super::*;

    #[test]
    fn every_setting_stands_in_the_limits() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/limits.md");
        let text = std::fs::read_to_string(path).unwrap();
        for entry in HaliteOptions::default().entries() {
            let name = format!("`{}.{}`", HaliteOptions::PREFIX, entry.key);
            assert!(text.contains(&name), "{name}");
        }
    }
}
