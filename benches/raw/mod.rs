//! RocksDB without Halite, opened as Halite opens it, and used as one who designs row keys by hand would.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::rocksdb::{
    BlockBasedOptions, BoundColumnFamily, Cache, ChecksumType, DB, DBCompressionType,
    DBRawIterator, IngestExternalFileOptions, Options, ReadOptions, SstFileWriter, WriteBatch,
    WriteOptions,
};
use halite::store::{Chunk, StoreOptions};

/// A database of RocksDB.
pub struct Raw {
    db: DB,
    family: Options,
    path: PathBuf,
}

/// The row key `(host, ts)`, written by hand.
pub fn point_key(host: &str, ts: i64) -> Vec<u8> {
    let mut key = Vec::with_capacity(host.len() + 10);
    key.extend_from_slice(host.as_bytes());
    key.extend_from_slice(&[0, 1]);
    key.extend_from_slice(&(ts ^ i64::MIN).to_be_bytes());
    key
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
        database.set_max_total_wal_size(4 * defaults.write_buffer_bytes as u64);
        database.set_bytes_per_sync(1 << 20);
        database.set_wal_bytes_per_sync(1 << 20);
        database.set_max_open_files(512);
        let db = DB::open(&database, path).unwrap();
        let path = path.to_owned();
        Self { db, family, path }
    }

    /// What every other call needs to know of a table, looked up once.
    pub fn family(&self, name: &str) -> Arc<BoundColumnFamily<'_>> {
        self.db.cf_handle(name).unwrap()
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

    /// Sorts entries, writes them into a file of RocksDB's, and has it taken over.
    pub fn ingest(&self, name: &str, entries: &Chunk) {
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort_unstable();
        let file = self.path.with_extension("load");
        let mut writer = SstFileWriter::create(&self.family);
        writer.open(&file).unwrap();
        for (key, value) in sorted {
            writer.put(key, value).unwrap();
        }
        writer.finish().unwrap();
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        let family = self.family(name);
        self.db
            .ingest_external_file_cf_opts(&family, &options, vec![file])
            .unwrap();
    }

    pub fn get(&self, family: &Arc<BoundColumnFamily<'_>>, key: &[u8]) -> Option<Vec<u8>> {
        self.db.get_cf(family, key).unwrap()
    }

    fn iterate(&self, name: &str, start: &[u8], stop: Option<&[u8]>) -> DBRawIterator<'_> {
        let mut options = ReadOptions::default();
        if let Some(stop) = stop {
            options.set_iterate_upper_bound(stop);
        }
        options.set_total_order_seek(true);
        let mut iterator = self.db.raw_iterator_cf_opt(&self.family(name), options);
        iterator.seek(start);
        iterator
    }

    /// The number of entries from `start` to `stop`, and their bytes.
    pub fn scan(&self, name: &str, start: &[u8], stop: Option<&[u8]>) -> (usize, usize) {
        let mut iterator = self.iterate(name, start, stop);
        let (mut count, mut bytes) = (0, 0);
        while let Some((key, value)) = iterator.item() {
            count += 1;
            bytes += key.len() + value.len();
            iterator.next();
        }
        iterator.status().unwrap();
        (count, bytes)
    }

    /// The number of entries of a table whose keys begin with a byte that numbers their bucket, read in the order of
    /// what follows it, and their bytes.
    pub fn merge(&self, name: &str, buckets: u8) -> (usize, usize) {
        let mut iterators: Vec<_> = (0..buckets)
            .map(|bucket| self.iterate(name, &[bucket], Some(&[bucket + 1])))
            .collect();
        let mut next = BinaryHeap::new();
        for (bucket, iterator) in iterators.iter().enumerate() {
            let key = iterator.key().unwrap();
            next.push(Reverse((key[1..].to_vec(), bucket)));
        }
        let (mut count, mut bytes) = (0, 0);
        while let Some(mut first) = next.peek_mut() {
            let Reverse((key, bucket)) = &mut *first;
            let iterator = &mut iterators[*bucket];
            count += 1;
            bytes += 1 + key.len() + iterator.value().unwrap().len();
            iterator.next();
            match iterator.key() {
                Some(after) => {
                    key.clear();
                    key.extend_from_slice(&after[1..]);
                }
                None => {
                    iterator.status().unwrap();
                    PeekMut::pop(first);
                }
            }
        }
        (count, bytes)
    }
}
