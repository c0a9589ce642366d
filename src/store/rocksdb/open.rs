//! How a database is opened: what is tried, with which options, and what is said when it fails.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ::rocksdb::{
    BlockBasedOptions, Cache, ChecksumType, ColumnFamilyDescriptor, DB, DBCompressionType,
    DBRecoveryMode, ErrorKind as RocksErrorKind, LogLevel, Options, statistics::StatsLevel,
};

use super::super::directory::{self, Found, space_of_family};
use super::super::holders::OPEN_HERE;
use super::super::synced::{self, Synced};
use super::super::{Compression, StoreOptions, seal};
use super::clearing::DELETIONS;
use super::{Database, bulk, own, reserve, store_error, switch};
use crate::error::{Error, Result};

/// How often an open is tried while another process changes the files that it needs.
const OPEN_ATTEMPTS: u32 = 20;
/// How long to wait after the first attempt; after the n-th, n times as long. One second in all.
const OPEN_PAUSE: Duration = Duration::from_millis(5);

/// The system's words for a file that is not there.
const NO_SUCH_FILE: &str = "No such file";

/// Why a database could not be opened.
pub(super) enum OpenError {
    /// Another process was changing its files: the next attempt may succeed.
    Passing(Error),
    Lasting(Error),
}

impl From<Error> for OpenError {
    fn from(error: Error) -> Self {
        Self::Lasting(error)
    }
}

/// Opens the database, and tries again while another process is changing its files.
pub(super) fn open(path: &Path, options: &StoreOptions) -> Result<Database> {
    let (mut attempt, mut seen, mut was_full) = (1, 0, false);
    loop {
        match open_database(path, options, &mut seen) {
            Err(OpenError::Passing(_)) if attempt < OPEN_ATTEMPTS => {
                thread::sleep(OPEN_PAUSE * attempt);
                attempt += 1;
            }
            Err(OpenError::Passing(error)) => return Err(missing_for_good(error)),
            Err(OpenError::Lasting(error)) => {
                let is_full = !options.read_only && reserve::is_wanted(error.message());
                if !is_full || !reserve::give_back(path) {
                    return Err(error);
                }
                was_full = true;
            }
            Ok(database) => {
                if !options.read_only && !was_full {
                    reserve::hold(path, options.write_buffer_bytes);
                }
                return Ok(database);
            }
        }
    }
}

/// A file that is still missing after so many attempts was not taken away by another process that is at work.
fn missing_for_good(error: Error) -> Error {
    match error.message().contains(NO_SUCH_FILE) {
        true => Error::corrupt(error.message()).with_source(error),
        false => error,
    }
}

/// `seen` is the last step of several loads that the attempt before this one has met.
fn open_database(
    path: &Path,
    options: &StoreOptions,
    seen: &mut u64,
) -> Result<Database, OpenError> {
    // First: what is missing from the list of files would be taken for a space or a mark that never was.
    if !seal::check(path)? {
        synced::check(path)?;
    }
    let list = || DB::list_cf(&Options::default(), path).map_err(|error| open_error(path, error));
    let mut families = match directory::inspect(path, list)? {
        Found::Database(families) => {
            let database = open_families(path, options, &families, false)?;
            if options.read_only {
                switch::check_whole(path, &database.db, seen)?;
            }
            return Ok(database);
        }
        Found::Nothing => Vec::new(),
        Found::Unfinished(families) => families,
    };
    if options.read_only || !options.create_if_missing {
        let path = path.display();
        return Err(Error::invalid(format!("there is no Halite database at {path}")).into());
    }
    directory::complete(&mut families);
    directory::begin_creation(path, options.directory_mode)?;
    let database = open_families(path, options, &families, true)?;
    directory::end_creation(path)?;
    Ok(database)
}

/// Opens a database that has these column families, or makes them in a new one.
fn open_families(
    path: &Path,
    options: &StoreOptions,
    families: &[String],
    is_new: bool,
) -> Result<Database, OpenError> {
    let cache = Cache::new_hyper_clock_cache(options.block_cache_bytes, 0);
    let descriptors = families.iter().map(|family| {
        let compression = space_of_family(family).map(|(_, compression)| compression);
        let mut family_options = family_options(&cache, compression.unwrap_or_default());
        family_options.set_write_buffer_size(space_buffer(options));
        ColumnFamilyDescriptor::new(family, family_options)
    });
    let database_options = database_options(options, is_new);
    let opened = if options.read_only {
        DB::open_cf_descriptors_read_only(&database_options, path, descriptors, false)
    } else {
        DB::open_cf_descriptors(&database_options, path, descriptors)
    };
    let mut database = Database {
        db: opened.map_err(|error| open_error(path, error))?,
        options: options.clone(),
        cache,
        counters: options.count_syncs.then_some(database_options),
        synced: None,
        open: Arc::default(),
    };
    if !options.read_only {
        seal::remove(path);
        own::apply_options(&database)?;
        switch::complete(&database)?;
        bulk::remove_left_over(path)?;
        // One that cannot be written, as on a full disk, says nothing; the database is open all the same.
        database.synced = Synced::open(path).ok();
    }
    Ok(database)
}

fn database_options(options: &StoreOptions, is_new: bool) -> Options {
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

fn open_error(path: &Path, error: ::rocksdb::Error) -> OpenError {
    let text = error.to_string();
    let shown = path.display();
    if text.contains("lock hold by current process") {
        return OpenError::Lasting(Error::unavailable(format!(
            "the database {shown} {OPEN_HERE}: share it instead of opening it twice"
        )));
    }
    if text.contains("While lock file") {
        let holder = directory::lock_holder(path);
        let holder = holder.map_or(String::new(), |process| format!(" (process {process})"));
        return OpenError::Lasting(Error::unavailable(format!(
            "the database {shown} is open in another process{holder}: close it there, or open it read-only"
        )));
    }
    let error_text = format!("opening the database {shown}{}", log_at_fault(path, &error));
    let changing = [
        "Column families not opened",
        "Column family not found",
        NO_SUCH_FILE,
    ];
    let is_passing = changing.iter().any(|sign| text.contains(sign));
    let error = store_error(error_text, error);
    if is_passing {
        OpenError::Passing(error)
    } else {
        OpenError::Lasting(error)
    }
}

/// Of damage that RocksDB names no file for, the file: it names every other, so this is its log.
fn log_at_fault(path: &Path, error: &::rocksdb::Error) -> String {
    let text = error.to_string();
    let is_named = [".sst", "MANIFEST", "CURRENT"]
        .iter()
        .any(|name| text.contains(name));
    if error.kind() != RocksErrorKind::Corruption || is_named {
        return String::new();
    }
    if let Some(number) = numbered_log(&text) {
        return format!(", its log {number:06}.log");
    }
    let names = directory::file_names(path).unwrap_or_default();
    let mut logs: Vec<_> = names
        .into_iter()
        .filter(|name| name.ends_with(".log"))
        .collect();
    logs.sort_unstable();
    match logs.as_slice() {
        [] => String::new(),
        [log] => format!(", its log {log}"),
        _ => format!(", one of its logs {}", logs.join(", ")),
    }
}

/// The log that RocksDB names by its number alone: one that it misses, or that has another length than it had.
fn numbered_log(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("log number: ")?;
    let end = rest.find(|it: char| !it.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}
