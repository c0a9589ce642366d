//! How far the log and the list of files are known to be on the disk, so that after a crash it is noticed where one of
//! them is missing, ends earlier, or holds zeros.
//!
//! RocksDB forgives a log, and a list of files (the manifest), that ends early or in zeros, since so a crash may leave
//! what was not synced yet. Here stands beside them, in the file `halite-synced`, how many bytes of each had been synced
//! when a write was acknowledged: what has fewer has lost what a crash cannot take. The file is written after that
//! sync, and is not synced itself: the end of the process loses nothing of it, and after a power cut it says less than it
//! could. Lengths are compared, and not numbers of changes, of which RocksDB gives some to writes that never reach a log.
//!
//! **Never more than is synced.** The length of the log is taken when no write is under way, and none that did not wait
//! for the disk has begun since the last one that did; or before such a write, whose sync takes all that is there
//! already. The length of the manifest is the one that RocksDB knows as written.
//!
//! **What is not known.** A log that is missing is forgiven if there is a later one: then it was either taken into files
//! in order or is in the manifest, which RocksDB compares. Of rows that were acknowledged without a wait for the disk
//! (`buffered`) nothing is known, as a power cut may take them.
//!
//! One line of fixed length, overwritten in place: a version, the manifest and the logs with their lengths, and the
//! xxh3-64 of what stands before it. One that cannot be read says nothing.
//!
//! ```text
//! halite-synced 2 MANIFEST-000005 328 000012.log 4711       2d06800538d394c2
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use twox_hash::XxHash3_64;

use super::Durability;
use super::directory;
use crate::error::Error;

const SYNCED_FILE: &str = "halite-synced";
const VERSION: &str = "halite-synced 2";
/// Bytes before the hash: enough for the manifest and [`MOST_LOGS`] logs.
const WIDTH: usize = 400;
/// Logs that are spoken of: the newest.
const MOST_LOGS: usize = 8;

/// A file of RocksDB's, and how many of its bytes are synced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) name: String,
    pub(super) bytes: u64,
}

impl Extent {
    /// That of the log with this number.
    pub(super) fn of_log(number: u64, bytes: u64) -> Self {
        Self {
            name: format!("{number:06}.log"),
            bytes,
        }
    }

    fn is_log(&self) -> bool {
        self.name.ends_with(".log")
    }
}

/// What the file says: at most one manifest, and logs from the oldest to the newest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Mark(Vec<Extent>);

impl Mark {
    fn line(&self) -> String {
        let mut text = VERSION.to_owned();
        for extent in &self.0 {
            text.push_str(&format!(" {} {}", extent.name, extent.bytes));
        }
        let text = format!("{text:WIDTH$}");
        let hash = XxHash3_64::oneshot(text.as_bytes());
        format!("{text}{hash:016x}\n")
    }

    fn parse(text: &str) -> Option<Self> {
        let said = text.get(..WIDTH)?.strip_prefix(VERSION)?;
        let words: Vec<&str> = said.split_whitespace().collect();
        let extents = words.chunks(2).map(|pair| match pair {
            [name, bytes] => Some(Extent {
                name: (*name).to_owned(),
                bytes: bytes.parse().ok()?,
            }),
            _ => None,
        });
        let mark = Self(extents.collect::<Option<_>>()?);
        (mark.line() == text).then_some(mark)
    }

    /// That of a database; empty where it says nothing.
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path.join(SYNCED_FILE)).unwrap_or_default();
        Self::parse(&text).unwrap_or_default()
    }

    /// Takes in how far a log is synced. Whether that was news.
    fn log_reached(&mut self, log: Extent) -> bool {
        match self.0.iter_mut().find(|known| known.name == log.name) {
            Some(known) if known.bytes >= log.bytes => return false,
            Some(known) => known.bytes = log.bytes,
            None => self.0.push(log),
        }
        true
    }

    fn manifest_reached(&mut self, manifest: Extent) {
        self.0.retain(Extent::is_log);
        self.0.insert(0, manifest);
    }

    fn manifest(&self) -> Option<&Extent> {
        self.0.first().filter(|extent| !extent.is_log())
    }

    /// Forgets logs that RocksDB has removed, and more than there is room for.
    fn forget_logs(&mut self, path: &Path) {
        let logs = self.0.iter().filter(|extent| extent.is_log()).count();
        if logs < 2 {
            return;
        }
        let mut surplus = logs.saturating_sub(MOST_LOGS);
        self.0.retain(|extent| {
            let is_surplus = extent.is_log() && surplus > 0;
            surplus -= usize::from(is_surplus);
            !is_surplus && (!extent.is_log() || path.join(&extent.name).exists())
        });
    }
}

/// What RocksDB knows of its files.
pub(super) trait KnownFiles {
    /// The log that is written to, with its length.
    fn log(&self) -> Option<Extent>;
    /// The manifest, with the length that is written for good.
    fn manifest(&self) -> Option<Extent>;
}

/// The file of a database that is open for writing.
#[derive(Debug)]
pub(super) struct Synced {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    mark: Mark,
    /// Writes that have begun and not ended.
    under_way: usize,
    /// Of these, those that do not wait for the disk.
    buffered_under_way: usize,
    /// Writes that did not wait for the disk, from the beginning.
    buffered: u64,
    /// The length that the manifest had when RocksDB was asked last.
    manifest_seen: u64,
    /// The log as the last write of all left it that waited for the disk, and how many had not by then.
    left: Option<(Extent, u64)>,
}

impl State {
    /// The log before a write: as the one before has left it, if nothing was written since, else RocksDB is asked.
    fn log(&self, files: &impl KnownFiles) -> Option<Extent> {
        match &self.left {
            Some((log, buffered)) if self.under_way == 0 && *buffered == self.buffered => {
                Some(log.clone())
            }
            _ => files.log(),
        }
    }
}

/// A write that has begun. Whoever has it ends it.
#[derive(Debug)]
pub(super) struct BegunWrite {
    durability: Durability,
    /// The log before it.
    before: Option<Extent>,
    /// Whether no write was under way that does not wait for the disk.
    was_quiet: bool,
    buffered: u64,
}

impl Synced {
    /// For a database that has just been opened for writing, and has all that the file speaks of.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(true);
        let state = State {
            file: options.open(path.join(SYNCED_FILE))?,
            mark: Mark::default(),
            under_way: 0,
            buffered_under_way: 0,
            buffered: 0,
            manifest_seen: 0,
            left: None,
        };
        Ok(Self {
            path: path.to_owned(),
            state: Mutex::new(state),
        })
    }

    /// Before a write.
    pub(super) fn begin(&self, durability: Durability, files: &impl KnownFiles) -> BegunWrite {
        let mut state = self.state.lock();
        let before = match durability {
            Durability::Sync => state.log(files),
            Durability::Buffered => None,
        };
        let was_quiet = state.buffered_under_way == 0;
        let is_buffered = durability == Durability::Buffered;
        state.under_way += 1;
        state.buffered_under_way += usize::from(is_buffered);
        state.buffered += u64::from(is_buffered);
        BegunWrite {
            durability,
            before,
            was_quiet,
            buffered: state.buffered,
        }
    }

    /// After a write. What fails is not told: the write itself has not.
    pub(super) fn end(&self, begun: BegunWrite, is_written: bool, files: &impl KnownFiles) {
        let mut state = self.state.lock();
        state.under_way -= 1;
        state.buffered_under_way -= usize::from(begun.durability == Durability::Buffered);
        if begun.durability != Durability::Sync || !is_written {
            return;
        }
        // One that had begun before may have come into the log behind what was synced.
        let is_quiet = begun.was_quiet && state.under_way == 0 && state.buffered == begun.buffered;
        let reached = if is_quiet { files.log() } else { begun.before };
        if is_quiet {
            state.left = reached.clone().map(|log| (log, state.buffered));
        }
        let has_new_log = reached.is_some_and(|log| state.mark.log_reached(log));
        if has_new_log {
            state.mark.forget_logs(&self.path);
            self.look_at_manifest(&mut state, files);
            let line = state.mark.line();
            let _ = write_at_start(&state.file, line.as_bytes());
        }
    }

    /// Asks RocksDB for the manifest where it has grown, which is seldom.
    fn look_at_manifest(&self, state: &mut State, files: &impl KnownFiles) {
        let known = state.mark.manifest();
        let length = |name: &str| fs::metadata(self.path.join(name)).map_or(0, |it| it.len());
        let is_as_known = known.is_some_and(|known| length(&known.name) == state.manifest_seen);
        if is_as_known {
            return;
        }
        if let Some(manifest) = files.manifest() {
            // What is being added to it right now is asked for after the next write.
            state.manifest_seen = manifest.bytes;
            state.mark.manifest_reached(manifest);
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

/// Removes the file of a database that is closed in order, whose seal says more.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path.join(SYNCED_FILE));
}

/// Whether a database that was not closed has all that was synced. To be called before it is opened, which would bring
/// what is left of its log into files, and remove it.
///
/// Errors: `Corrupt` with the file at fault, and what to do.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    loop {
        let mark = Mark::read(path);
        let Err(lack) = examine(path, &mark) else {
            return Ok(());
        };
        // A process that writes may have gone on meanwhile.
        if Mark::read(path) == mark {
            return Err(Error::corrupt(format!(
                "the database {} is damaged: {lack}. Put the file back, or restore the database from a backup; to go on \
                 without the rows that are lost, remove {}",
                path.display(),
                path.join(SYNCED_FILE).display()
            )));
        }
    }
}

fn examine(path: &Path, mark: &Mark) -> Result<(), String> {
    let names = directory::file_names(path).unwrap_or_default();
    let current = fs::read_to_string(path.join("CURRENT")).unwrap_or_default();
    for extent in &mark.0 {
        let is_in_use = if extent.is_log() {
            // A later log has been begun: this one may have been taken into files.

            let is_later = |name: &String| name.ends_with(".log") && *name > extent.name;
            names.contains(&extent.name) || !names.iter().any(is_later)
        } else {
            current.trim_end() == extent.name
        };
        if is_in_use {
            let file = path.join(&extent.name);
            examine_file(&file, extent.bytes, !extent.is_log())
                .map_err(|lack| format!("its file {} {lack}", file.display()))?;
        }
    }
    Ok(())
}

fn examine_file(file: &Path, synced: u64, ends_with_record: bool) -> Result<(), String> {
    let mut opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!(
                "is missing, which held {synced} acknowledged bytes"
            ));
        }
        // RocksDB tells of it.
        Err(_) => return Ok(()),
    };
    let length = opened.metadata().map_or(0, |metadata| metadata.len());
    if length < synced {
        return Err(format!(
            "has {length} bytes, and {synced} were acknowledged"
        ));
    }
    // What a crash has not added to ends where a write has ended.
    match zeros(&mut opened, synced, ends_with_record || length == synced) {
        Ok(Some(at)) => Err(format!("holds no record at byte {at}, where there was one")),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// RocksDB's logs are blocks of records, each with a header: the checksum (4 bytes), the length (2) and the kind (1). A
/// kind that is zero it takes for space that was never written to, and passes over the rest of the block.
const BLOCK: usize = 32 << 10;
const HEADER: usize = 7;
/// Kinds of records in logs that are used again, as Halite's never are: where one seems to begin, RocksDB takes the log
/// for ended.
const OF_USED_LOGS: RangeInclusive<u8> = 5..=8;
/// Kinds from here on RocksDB passes over if it does not know them. It writes none as Halite opens it.
const PASSED_OVER: u8 = 128;

/// Where the first `length` bytes of a log have zeros in place of a record.
fn zeros(log: &mut File, length: u64, ends_with_record: bool) -> io::Result<Option<u64>> {
    let mut block = vec![0; BLOCK];
    let mut begin = 0;
    while begin < length {
        let wanted = usize::try_from(length - begin).map_or(BLOCK, |left| left.min(BLOCK));
        let Some(read) = block.get_mut(..wanted) else {
            break;
        };
        log.read_exact(read)?;
        let is_whole = wanted == BLOCK || ends_with_record;
        if let Some(at) = zeros_of_block(read, is_whole) {
            return Ok(Some(begin + at as u64));
        }
        begin += wanted as u64;
    }
    Ok(None)
}

/// Of a block that is whole, a record that would go on behind it is none, too: its length is damaged, and RocksDB takes it
/// for one that was cut short.
fn zeros_of_block(block: &[u8], is_whole: bool) -> Option<usize> {
    let mut at = 0;
    // Too little room for a header at the end of a block is left as zeros.
    while at + HEADER <= block.len() {
        let header = block.get(at..at + HEADER)?;
        let &[_, _, _, _, low, high, kind] = header else {
            return None;
        };
        if kind == 0 || OF_USED_LOGS.contains(&kind) || kind >= PASSED_OVER {
            return Some(at);
        }
        let end = at + HEADER + usize::from(u16::from_le_bytes([low, high]));
        if is_whole && end > block.len() {
            return Some(at);
        }
        at = end;
    }
    None
}

/// Reads any text as one.
#[cfg(test)]
pub(super) fn read(text: &str) {
    drop(Mark::parse(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Mark {
        let manifest = Extent {
            name: "MANIFEST-000005".to_owned(),
            bytes: 328,
        };
        Mark(vec![manifest, Extent::of_log(12, 4711)])
    }

    #[test]
    fn the_line_is_this_and_any_bit_flipped_is_none() {
        let line = mark().line();
        assert!(line.starts_with("halite-synced 2 MANIFEST-000005 328 000012.log 4711  "));
        assert_eq!(line.len(), WIDTH + 17);
        assert_eq!(Mark::parse(&line), Some(mark()));
        for at in 0..line.len() * 8 {
            let mut damaged = line.clone().into_bytes();
            damaged[at / 8] ^= 1 << (at % 8);
            let damaged = String::from_utf8_lossy(&damaged);
            assert_eq!(Mark::parse(&damaged), None, "bit {at}");
        }
    }

    #[test]
    fn the_line_has_room_for_all_that_is_spoken_of() {
        let directory = tempfile::tempdir().unwrap();
        let mut long = Mark::default();
        for number in 0..2 * MOST_LOGS as u64 {
            let log = Extent::of_log(1_000_000_000_000 + number, u64::MAX);
            File::create(directory.path().join(&log.name)).unwrap();
            assert!(long.log_reached(log));
            long.forget_logs(directory.path());
        }
        long.manifest_reached(Extent {
            name: "MANIFEST-1000000000000".to_owned(),
            bytes: u64::MAX,
        });
        assert_eq!(long.0.len(), MOST_LOGS + 1);
        assert_eq!(Mark::parse(&long.line()), Some(long));
    }

    /// A log that grows as it is told, and counts how often it is asked for.
    struct Growing(std::cell::Cell<u64>, std::cell::Cell<usize>);

    impl KnownFiles for Growing {
        fn log(&self) -> Option<Extent> {
            self.1.set(self.1.get() + 1);
            Some(Extent::of_log(12, self.0.get()))
        }
        fn manifest(&self) -> Option<Extent> {
            None
        }
    }

    #[test]
    fn what_comes_into_the_log_beside_a_sync_does_not_count_as_synced() {
        let directory = tempfile::tempdir().unwrap();
        let synced = Synced::open(directory.path()).unwrap();
        let log = Growing(std::cell::Cell::new(100), std::cell::Cell::default());
        let marked = || Mark::read(directory.path()).0;
        let beside = synced.begin(Durability::Buffered, &log);
        let sync = synced.begin(Durability::Sync, &log);
        // Behind what is being synced.
        log.0.set(150);
        synced.end(beside, true, &log);
        synced.end(sync, true, &log);
        assert_eq!(marked(), [Extent::of_log(12, 100)]);
        let alone = synced.begin(Durability::Sync, &log);
        synced.end(alone, true, &log);
        assert_eq!(marked(), [Extent::of_log(12, 150)]);
    }

    #[test]
    fn no_more_is_claimed_than_is_synced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let synced = Synced::open(path).unwrap();
        let files = Growing(std::cell::Cell::new(100), std::cell::Cell::default());
        let claimed = || Mark::read(path).0.first().map(|log| log.bytes);
        let write = synced.begin(Durability::Sync, &files);
        files.0.set(200);
        synced.end(write, true, &files);
        assert_eq!(claimed(), Some(200));
        // What did not wait for the disk, and all behind it, until the next one that waits.
        let write = synced.begin(Durability::Buffered, &files);
        files.0.set(300);
        synced.end(write, true, &files);
        assert_eq!(claimed(), Some(200));
        // Another write is under way while this one ends, and what was there before it is synced.
        let first = synced.begin(Durability::Sync, &files);
        files.0.set(400);
        let second = synced.begin(Durability::Sync, &files);
        files.0.set(500);
        synced.end(first, true, &files);
        assert_eq!(claimed(), Some(300));
        synced.end(second, true, &files);
        assert_eq!(claimed(), Some(500));
        // One without a sync comes while another waits for its own.
        let first = synced.begin(Durability::Sync, &files);
        files.0.set(600);
        let second = synced.begin(Durability::Buffered, &files);
        files.0.set(700);
        synced.end(second, true, &files);
        synced.end(first, true, &files);
        assert_eq!(claimed(), Some(500));
        // One that failed says nothing.
        let write = synced.begin(Durability::Sync, &files);
        files.0.set(800);
        synced.end(write, false, &files);
        assert_eq!(claimed(), Some(500));
    }

    #[test]
    fn the_log_is_asked_for_once_a_write() {
        let directory = tempfile::tempdir().unwrap();
        let synced = Synced::open(directory.path()).unwrap();
        let files = Growing(std::cell::Cell::new(100), std::cell::Cell::default());
        let asked_by = |durability| {
            files.1.set(0);
            let write = synced.begin(durability, &files);
            files.0.set(files.0.get() + 100);
            synced.end(write, true, &files);
            files.1.get()
        };
        assert_eq!(asked_by(Durability::Sync), 2, "what was there is not known");
        assert_eq!(asked_by(Durability::Sync), 1);
        assert_eq!(asked_by(Durability::Sync), 1);
        assert_eq!(asked_by(Durability::Buffered), 0);
        assert_eq!(asked_by(Durability::Sync), 2, "something was added to it");
        assert_eq!(asked_by(Durability::Sync), 1);
    }

    #[test]
    fn what_lacks_something_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let log = path.join("000012.log");
        let record = |length: u16| {
            let mut record = vec![9; HEADER + usize::from(length)];
            record[4..6].copy_from_slice(&length.to_le_bytes());
            record
        };
        let whole = [record(100), record(200)].concat();
        let mark = Mark(vec![Extent::of_log(12, whole.len() as u64)]);
        let lack = |bytes: Option<&[u8]>| {
            match bytes {
                Some(bytes) => fs::write(&log, bytes).unwrap(),
                None => fs::remove_file(&log).unwrap(),
            }
            examine(path, &mark).err().unwrap_or_default()
        };
        assert_eq!(lack(Some(&whole)), "");
        assert_eq!(lack(Some(&[&whole[..], &[0; 50]].concat())), "");
        assert!(lack(Some(&whole[..250])).ends_with("has 250 bytes, and 314 were acknowledged"));
        assert!(lack(Some(b"")).ends_with("has 0 bytes, and 314 were acknowledged"));
        let mut holed = whole.clone();
        holed[107..].fill(0);
        assert!(lack(Some(&holed)).ends_with("at byte 107, where there was one"));
        assert!(lack(None).contains("000012.log is missing"));
        fs::write(path.join("000013.log"), "").unwrap();
        fs::write(&log, "").unwrap();
        assert_eq!(lack(None), "");
    }
}
