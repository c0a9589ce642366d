//! How a database is opened: what is tried, with which options, and what is said when it fails.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ::rocksdb::{Cache, ColumnFamilyDescriptor, DB, ErrorKind as RocksErrorKind, Options};

use super::super::directory::{self, Found, space_of_family};
use super::super::holders::OPEN_HERE;
use super::super::synced::{self, Synced};
use super::super::{StoreOptions, seal};
use super::errors::OpenError;
use super::options::{database_options, family_options, space_buffer};
use super::{Database, bulk, own, reserve, store_error, switch};
use crate::error::{Error, Result};

/// How often an open is tried while another process changes the files that it needs.
const OPEN_ATTEMPTS: u32 = 20;
/// How long to wait after the first attempt; after the n-th, n times as long. One second in all.
const OPEN_PAUSE: Duration = Duration::from_millis(5);

/// The system's words for a file that is not there.
const NO_SUCH_FILE: &str = "No such file";

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
    if error.message().contains(NO_SUCH_FILE) {
        Error::corrupt(error.message()).with_source(error)
    } else {
        error
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
