//! The options that RocksDB is given, of the database and of its column families.

use ::rocksdb::{
    BlockBasedOptions, Cache, ChecksumType, DBCompressionType, DBRecoveryMode, LogLevel, Options,
    statistics::StatsLevel,
};

use super::super::{Compression, StoreOptions};
use super::clearing::DELETIONS;

/// The options of the whole database, which are given at every open.
pub(super) fn database_options(options: &StoreOptions, is_new: bool) -> Options {
    let mut database = Options::default();
    database.create_if_missing(is_new);
    database.create_missing_column_families(is_new);
    database.set_paranoid_checks(true);
    database.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
    // A log that was synced and closed, and is needed still, must be there.
    database.set_track_and_verify_wals_in_manifest(true);
    // A recycled log would hold old records behind its tail, which that mode could not tell from damage.
    database.set_recycle_log_file_num(0);
    database.set_max_background_jobs(2);
    database.set_db_write_buffer_size(options.write_buffer_bytes);
    // A space that is seldom written would else keep every log since its last write.
    database.set_max_total_wal_size(4 * options.write_buffer_bytes as u64);
    database.set_bytes_per_sync(1 << 20);
    database.set_wal_bytes_per_sync(1 << 20);
    // A reader beside a writer must hold every file open: the writer deletes them.
    database.set_max_open_files(if options.read_only { -1 } else { 512 });
    // Room that is taken for the list of files before there is one, 4 MiB by default: as much as many a database.
    database.set_manifest_preallocation_size(64 << 10);
    database.set_log_level(LogLevel::Warn);
    database.set_max_log_file_size(1 << 20);
    database.set_keep_log_file_num(2);
    if options.count_syncs {
        // Counters alone. Times would cost a look at the clock for each key.
        database.enable_statistics();
        database.set_statistics_level(StatsLevel::ExceptHistogramOrTimers);
    }
    database.set_stats_dump_period_sec(0);
    database.set_stats_persist_period_sec(0);
    database
}

/// The options of every column family, which are given at every open and to every file made for it.
pub(super) fn family_options(cache: &Cache, compression: Compression) -> Options {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(cache);
    blocks.set_block_size(16 << 10);
    blocks.set_format_version(6);
    blocks.set_checksum_type(ChecksumType::XXH3);
    blocks.set_bloom_filter(10.0, false);
    blocks.set_whole_key_filtering(true);
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    let mut family = Options::default();
    family.set_block_based_table_factory(&blocks);
    let (most, oldest) = match compression {
        Compression::Fast => (DBCompressionType::Lz4, DBCompressionType::Zstd),
        Compression::Dense => (DBCompressionType::Zstd, DBCompressionType::Zstd),
        Compression::None => (DBCompressionType::None, DBCompressionType::None),
    };
    family.set_compression_type(most);
    family.set_bottommost_compression_type(oldest);
    family.set_level_compaction_dynamic_level_bytes(true);
    // A file in which deletions stand so close is merged before others, whoever has written it: what `clearing` was not
    // told of, or did not come to.
    family.add_compact_on_deletion_collector_factory_count_only(DELETIONS, DELETIONS / 2);
    family
}

/// The compression of [`family_options`] as RocksDB takes it for a column family that is open.
pub(super) fn compression_options(compression: Compression) -> [(&'static str, &'static str); 2] {
    let (most, oldest) = match compression {
        Compression::Fast => ("kLZ4Compression", "kZSTD"),
        Compression::Dense => ("kZSTD", "kZSTD"),
        Compression::None => ("kNoCompression", "kNoCompression"),
    };
    [("compression", most), ("bottommost_compression", oldest)]
}

/// How many bytes of written entries one space keeps in memory before they are sorted into a file. After a full disk
/// RocksDB goes on by itself when there is room for so many.
pub(super) fn space_buffer(options: &StoreOptions) -> usize {
    (options.write_buffer_bytes / 2).min(64 << 20)
}
