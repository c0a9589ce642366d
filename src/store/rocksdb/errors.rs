//! RocksDB's errors as Halite's, with what can be done.

use std::fmt;

use ::rocksdb::ErrorKind as RocksErrorKind;

use crate::error::{Error, ErrorKind};

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

/// RocksDB's error as ours: what the caller must do, and what was being done.
pub(super) fn store_error(what: impl fmt::Display, error: ::rocksdb::Error) -> Error {
    let kind = match error.kind() {
        RocksErrorKind::Corruption => ErrorKind::Corrupt,
        RocksErrorKind::IOError
        | RocksErrorKind::Busy
        | RocksErrorKind::TimedOut
        | RocksErrorKind::TryAgain
        | RocksErrorKind::Aborted
        | RocksErrorKind::ShutdownInProgress => ErrorKind::Unavailable,
        _ => ErrorKind::Internal,
    };
    let remedy = remedy(error.as_ref());
    Error::new(kind, format!("{what}: {error}{remedy}")).with_source(error)
}

/// What can be done about an error of the system, of which RocksDB gives the words.
fn remedy(text: &str) -> &'static str {
    let remedies = [
        (
            "No space left on device",
            "; the disk is full: make room, and try again; nothing that was acknowledged is lost",
        ),
        (
            "Disk quota exceeded",
            "; the quota is used up: make room, and try again; nothing that was acknowledged is lost",
        ),
        (
            "Read-only file system",
            "; the disk cannot be written to: open the database for reading alone (--readonly)",
        ),
        (
            "Permission denied",
            "; the database's files belong to somebody else: open it as their owner, or for reading alone (--readonly)",
        ),
        (
            "Too many open files",
            "; the system lets this process open no more files: raise its limit (ulimit -n)",
        ),
    ];
    let found = remedies.iter().find(|(words, _)| text.contains(words));
    found.map_or("", |(_, remedy)| remedy)
}
