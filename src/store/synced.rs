//! How far the log is known to be on the disk, so that one that ends earlier is noticed after a crash.
//!
//! RocksDB forgives a log that is missing, empty or cut short, since so a crash may leave what was not synced yet. Here
//! stands beside it, in the file `halite-synced`, up to which of its sequence numbers the log had been synced when a write
//! was acknowledged: a log that gives less has lost rows that a crash cannot take. The file is written after the log was
//! synced, and is not synced itself: a kill loses nothing of it, and after a power cut it says less than it could.
//!
//! One line of fixed length, overwritten in place: a version, the number, and the xxh3-64 of what stands before it. One
//! that cannot be read says nothing.
//!
//! ```text
//! halite-synced 1 00000000000000004711 2d06800538d394c2
//! ```

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use parking_lot::Mutex;
use twox_hash::XxHash3_64;

use super::directory;
use crate::error::Error;

const SYNCED_FILE: &str = "halite-synced";
const VERSION: &str = "halite-synced 1";

/// The file, and the number in it.
#[derive(Debug)]
pub(super) struct Synced {
    state: Mutex<(File, u64)>,
}

impl Synced {
    /// For a database that is open for writing, and has all that the file speaks of.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(SYNCED_FILE))?;
        Ok(Self {
            state: Mutex::new((file, 0)),
        })
    }

    /// All up to this number is synced. What fails is not told: the write itself has not.
    pub(super) fn reached(&self, sequence: u64) {
        let mut state = self.state.lock();
        let (file, reached) = &mut *state;
        if sequence > *reached {
            *reached = sequence;
            let _ = write_at_start(file, line(sequence).as_bytes());
        }
    }
}

#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek, Write};
    file.rewind()?;
    file.write_all(bytes)
}

fn line(sequence: u64) -> String {
    let text = format!("{VERSION} {sequence:020}");
    let hash = XxHash3_64::oneshot(text.as_bytes());
    format!("{text} {hash:016x}\n")
}

/// The number in the file of a database; 0 where it says nothing. To be read before the log is.
pub(super) fn reached(path: &Path) -> u64 {
    let text = fs::read_to_string(path.join(SYNCED_FILE)).unwrap_or_default();
    let number = text
        .split(' ')
        .nth(2)
        .and_then(|number| number.parse().ok());
    number.filter(|number| line(*number) == text).unwrap_or(0)
}

/// Whether a log that ends with the sequence number `found` has all that it once had.
///
/// Errors: `Corrupt` with what to do where it has not.
pub(super) fn check(path: &Path, expected: u64, found: u64) -> Result<(), Error> {
    if found >= expected {
        return Ok(());
    }
    let mut logs = directory::file_names(path).unwrap_or_default();
    logs.retain(|name| name.ends_with(".log"));
    logs.sort();
    let logs = match logs.is_empty() {
        true => "its log is missing".to_owned(),
        false => format!(
            "its log ({}) is missing in part, or cut short",
            logs.join(", ")
        ),
    };
    Err(Error::corrupt(format!(
        "the database {} is damaged: {logs}: it ends with change {found}, and {expected} were acknowledged. Put it back, or \
         restore the database from a backup; to go on without what is lost, remove {}",
        path.display(),
        path.join(SYNCED_FILE).display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_this_and_any_bit_flipped_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(SYNCED_FILE);
        assert_eq!(reached(directory.path()), 0);
        let synced = Synced::open(directory.path()).unwrap();
        synced.reached(4711);
        synced.reached(4710);
        let text = fs::read(&file).unwrap();
        assert!(text.starts_with(b"halite-synced 1 00000000000000004711 "));
        assert_eq!(reached(directory.path()), 4711);
        for at in 0..text.len() * 8 {
            let mut damaged = text.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            fs::write(&file, damaged).unwrap();
            assert_eq!(reached(directory.path()), 0, "bit {at}");
        }
        check(directory.path(), 4711, 4711).unwrap();
        let error = check(directory.path(), 4711, 4710).unwrap_err();
        assert!(error.message().contains("change 4710, and 4711"), "{error}");
    }
}
