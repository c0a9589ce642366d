//! Bytes of the disk that are held back, so that there is room to delete when it is full.
//!
//! RocksDB writes to delete: to its log, to its list of files, and all that it holds in memory to files before it goes on
//! after a full disk. So the file `halite-reserve` takes that much of the disk; of a small database no more than its own
//! files do, which may be too little where much was written since, and nothing of one of less than [`LEAST`]. It is made
//! when a database is opened for writing, and removed when the disk turns out to be full, while it is opened or later.
//! The next opening makes it again. Where there is no room for it there is none, and a full disk is what it was; a
//! compaction that is due while the disk is full may take what was given back before a DELETE does.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The file.
pub(super) const FILE: &str = "halite-reserve";
/// Stands in for it while it is written.
const UNFINISHED: &str = "halite-reserve-new";

/// A database of less has no reserve.
const LEAST: u64 = 4 << 20;
/// What is written besides what was in memory: the log, the list of files.
const BESIDE: u64 = 4 << 20;

/// Whether an error says that the disk is full.
pub(super) fn is_wanted(error: &str) -> bool {
    ["No space left on device", "Disk quota exceeded"]
        .iter()
        .any(|words| error.contains(words))
}

/// Makes the reserve of a database that is open for writing, and holds so many written bytes in memory; nothing where
/// there is one, or no room for it.
pub(super) fn hold(database: &Path, in_memory: usize) {
    let _ = fs::remove_file(database.join(UNFINISHED));
    if database.join(FILE).exists() {
        return;
    }
    let most = in_memory as u64 + BESIDE;
    let bytes = bytes_of(database).unwrap_or_default().min(most);
    if bytes >= LEAST && make(database, bytes).is_err() {
        let _ = fs::remove_file(database.join(UNFINISHED));
    }
}

/// Gives the bytes back; whether there were any.
pub(super) fn give_back(database: &Path) -> bool {
    fs::remove_file(database.join(FILE)).is_ok()
}

/// The bytes of a database's files.
fn bytes_of(database: &Path) -> io::Result<u64> {
    let files = fs::read_dir(database)?;
    let sizes = files.map(|file| file.and_then(|file| file.metadata()).map(|it| it.len()));
    sizes.sum()
}

fn make(database: &Path, bytes: u64) -> io::Result<()> {
    let unfinished = database.join(UNFINISHED);
    let mut file = File::create(&unfinished)?;
    // A file system that packs files would hold nothing back for what repeats.
    let mut state = bytes | 1;
    let mut piece = vec![0; 1 << 20];
    let mut left = usize::try_from(bytes).unwrap_or_default();
    while left > 0 {
        for word in piece.chunks_exact_mut(size_of::<u64>()) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            word.copy_from_slice(&state.to_le_bytes());
        }
        let count = left.min(piece.len());
        file.write_all(piece.get(..count).unwrap_or_default())?;
        left -= count;
    }
    // The room is taken when it is on the disk.
    file.sync_all()?;
    fs::rename(unfinished, database.join(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_large_as_the_database_and_no_larger_than_is_needed() {
        let database = tempfile::tempdir().unwrap();
        let path = database.path();
        hold(path, 8 << 20);
        assert!(!path.join(FILE).exists());
        fs::write(path.join("000001.sst"), vec![1; 5 << 20]).unwrap();
        hold(path, 8 << 20);
        assert_eq!(fs::metadata(path.join(FILE)).unwrap().len(), 5 << 20);
        assert!(give_back(path));
        assert!(!give_back(path));
        fs::write(path.join("000002.sst"), vec![1; 9 << 20]).unwrap();
        hold(path, 4 << 20);
        hold(path, 4 << 20);
        assert_eq!(fs::metadata(path.join(FILE)).unwrap().len(), 8 << 20);
        assert!(!path.join(UNFINISHED).exists());
    }
}
