//! RocksDB without Halite, opened as Halite opens it.

use std::path::Path;

use ::rocksdb::{
    BlockBasedOptions, Cache, ChecksumType, DB, DBCompressionType, Options, ReadOptions,
    WriteBatch, WriteOptions,
};
use halite::store::{Chunk, StoreOptions};

/// A database of RocksDB.
pub struct Raw {
    db: DB,
    family: Options,
}

impl Raw {
    pub fn open(path: &Path) -> Self {
        let defaults = StoreOptions::default();
        let cache = Cache::new_hyper_clock_cache(defaults.block_cache_bytes, 0);
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
        let mut database = family.clone();
        database.create_if_missing(true);
        database.set_paranoid_checks(true);
        database.set_max_background_jobs(2);
        database.set_db_write_buffer_size(defaults.write_buffer_bytes);
        let db = DB::open(&database, path).unwrap();
        Self { db, family }
    }

    pub fn create(&self, name: &str) {
        self.db.create_cf(name, &self.family).unwrap();
    }

    pub fn remove(&self, name: &str) {
        self.db.drop_cf(name).unwrap();
    }

    /// Writes entries in one batch and waits for the disk.
    pub fn write(&self, name: &str, entries: &Chunk) {
        let family = self.db.cf_handle(name).unwrap();
        let mut batch = WriteBatch::default();
        for (key, value) in entries.iter() {
            batch.put_cf(&family, key, value);
        }
        let mut options = WriteOptions::default();
        options.set_sync(true);
        self.db.write_opt(&batch, &options).unwrap();
    }

    pub fn get(&self, name: &str, key: &[u8]) -> Option<Vec<u8>> {
        let family = self.db.cf_handle(name).unwrap();
        self.db.get_cf(&family, key).unwrap()
    }

    /// The number of entries from `start` to `stop`, and their bytes.
    pub fn scan(&self, name: &str, start: &[u8], stop: Option<&[u8]>) -> (usize, usize) {
        let family = self.db.cf_handle(name).unwrap();
        let mut options = ReadOptions::default();
        if let Some(stop) = stop {
            options.set_iterate_upper_bound(stop);
        }
        options.set_total_order_seek(true);
        let mut iterator = self.db.raw_iterator_cf_opt(&family, options);
        iterator.seek(start);
        let (mut count, mut bytes) = (0, 0);
        while let Some((key, value)) = iterator.item() {
            count += 1;
            bytes += key.len() + value.len();
            iterator.next();
        }
        iterator.status().unwrap();
        (count, bytes)
    }
}
