//! RocksDB without Halite, opened as Halite opens it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::halite::store::{Chunk, StoreOptions};
use ::rocksdb::{
    BlockBasedOptions, BoundColumnFamily, Cache, ChecksumType, DB, DBCompressionType,
    DBRawIterator, IngestExternalFileOptions, Options, ReadOptions, SstFileWriter,
};
use anyhow::{Context, Result};

use crate::machine::CACHE_BYTES;

/// A database of RocksDB.
pub struct Store {
    pub db: DB,
    family: Options,
    path: PathBuf,
}

impl Store {
    pub fn open(path: &Path) -> Result<Self> {
        let family = family_options();
        let defaults = StoreOptions::default();
        let mut database = family.clone();
        database.create_if_missing(true);
        database.set_paranoid_checks(true);
        database.set_max_background_jobs(2);
        database.set_db_write_buffer_size(defaults.write_buffer_bytes);
        database.set_max_total_wal_size(4 * defaults.write_buffer_bytes as u64);
        database.set_bytes_per_sync(1 << 20);
        database.set_wal_bytes_per_sync(1 << 20);
        database.set_max_open_files(512);
        Ok(Self {
            db: DB::open(&database, path)?,
            family,
            path: path.to_owned(),
        })
    }

    /// What every other call needs to know of a table, looked up once.
    pub fn family(&self, name: &str) -> Result<Arc<BoundColumnFamily<'_>>> {
        self.db.cf_handle(name).context("no such table")
    }

    pub fn create(&self, name: &str) -> Result<()> {
        Ok(self.db.create_cf(name, &self.family)?)
    }

    pub fn remove(&self, name: &str) -> Result<()> {
        Ok(self.db.drop_cf(name)?)
    }

    /// Sorts entries, writes them into a file of RocksDB's, and has it taken over.
    pub fn ingest(&self, name: &str, entries: &Chunk) -> Result<()> {
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort_unstable();
        let file = self.path.with_extension("load");
        let mut writer = SstFileWriter::create(&self.family);
        writer.open(&file)?;
        for (key, value) in sorted {
            writer.put(key, value)?;
        }
        writer.finish()?;
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        let family = self.family(name)?;
        Ok(self
            .db
            .ingest_external_file_cf_opts(&family, &options, vec![file])?)
    }

    /// An iterator over the keys from `start` to `stop`; it stands nowhere yet.
    pub fn iterator(
        &self,
        family: &Arc<BoundColumnFamily<'_>>,
        start: &[u8],
        stop: Option<&[u8]>,
    ) -> DBRawIterator<'_> {
        let mut options = ReadOptions::default();
        options.set_iterate_lower_bound(start);
        if let Some(stop) = stop {
            options.set_iterate_upper_bound(stop);
        }
        options.set_total_order_seek(true);
        self.db.raw_iterator_cf_opt(family, options)
    }
}

fn family_options() -> Options {
    let cache = Cache::new_hyper_clock_cache(CACHE_BYTES, 0);
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(&cache);
    blocks.set_block_size(16 << 10);
    blocks.set_format_version(6);
    blocks.set_checksum_type(ChecksumType::XXH3);
    blocks.set_bloom_filter(10.0, false);
    blocks.set_whole_key_filtering(true);
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    let mut family = Options::default();
    family.set_block_based_table_factory(&blocks);
    family.set_compression_type(DBCompressionType::Lz4);
    family.set_bottommost_compression_type(DBCompressionType::Zstd);
    family.set_level_compaction_dynamic_level_bytes(true);
    family.set_write_buffer_size(64 << 20);
    family
}
