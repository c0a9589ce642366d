//! The checksum of Parquet files that Halite writes: a flipped bit in one is an error, and no other number.
//!
//! Parquet keeps a checksum of each page, if its writer makes one; the one that Halite uses does not. So the file has one
//! of its own, of all its bytes, in its metadata: under the key `halite.checksum`, in the form
//! `xxh3-64:2d06800538d394c2`, the xxh3-64 of blocks of 256 KiB, each with that of the block before as its seed. The digits count as zeros themselves; they are put in their place when the file is
//! written, and stay zeros where that is not possible, as in a pipe. Files of other programs have none.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use twox_hash::XxHash3_64;

use crate::error::{Error, Result};

/// The key in the file's metadata.
pub const KEY: &str = "halite.checksum";
/// What stands in front of the digits.
const PREFIX: &[u8] = b"xxh3-64:";
const DIGITS: usize = 16;
/// How much of the end of a file is searched: the checksum stands near the end of its metadata.
const TAIL: usize = 256 << 10;
/// How many bytes are hashed at once.
const BLOCK: usize = 256 << 10;
const MAGIC: &[u8] = b"PAR1";

/// The value while the file is written.
pub fn placeholder() -> String {
    format!("{}{}", String::from_utf8_lossy(PREFIX), "0".repeat(DIGITS))
}

/// The hash of bytes that come in parts of any length.
#[derive(Default)]
struct Chain {
    seed: u64,
    block: Vec<u8>,
}

impl Chain {
    fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let count = bytes.len().min(BLOCK - self.block.len());
            let (now, later) = bytes.split_at(count);
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK {
                self.seed = self.finish();
                self.block.clear();
            }
        }
    }

    fn finish(&self) -> u64 {
        XxHash3_64::oneshot_with_seed(self.seed, &self.block)
    }
}

/// The bytes of a file as they are written.
#[derive(Default)]
pub struct Written {
    hash: Chain,
    tail: Vec<u8>,
}

impl Written {
    /// Takes bytes that were written.
    pub fn add(&mut self, bytes: &[u8]) {
        self.hash.add(bytes);
        self.tail.extend_from_slice(bytes);
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
    }

    /// Puts the digits in their place.
    ///
    /// # Errors
    /// Those of the file.
    pub fn seal(&self, file: &mut File) -> io::Result<()> {
        let Some(place) = find(&self.tail) else {
            return Ok(());
        };
        let digits = format!("{:016x}", self.hash.finish());
        let from_end = i64::try_from(self.tail.len() - place).unwrap_or_default();
        // What cannot be sought has no place to go back to.
        if file.seek(SeekFrom::End(-from_end)).is_ok() {
            io::Write::write_all(file, digits.as_bytes())?;
        }
        Ok(())
    }
}

/// Where the digits begin.
fn find(tail: &[u8]) -> Option<usize> {
    let key = tail
        .windows(KEY.len())
        .rposition(|part| part == KEY.as_bytes())?;
    let behind = tail.get(key..)?;
    let prefix = behind
        .windows(PREFIX.len())
        .position(|part| part == PREFIX)?;
    let place = key + prefix + PREFIX.len();
    tail.get(place..place + DIGITS)?;
    // The key's own length and that of the value stand between them.
    (prefix <= KEY.len() + 8).then_some(place)
}

/// Whether a Parquet file has an end, and the bytes that it was written with, if it says.
///
/// # Errors
/// `InvalidInput` that names the file; `Unavailable` where it cannot be read.
pub fn check(path: &Path) -> Result<()> {
    let unreadable = |error: io::Error| {
        Error::unavailable(format!("`{}` cannot be read: {error}", path.display()))
            .with_source(error)
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let tail_length = length.min(TAIL as u64);
    file.seek(SeekFrom::Start(length - tail_length))
        .map_err(unreadable)?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail).map_err(unreadable)?;
    check_end(path, length, &tail)?;
    let Some(place) = find(&tail) else {
        return Ok(());
    };
    let digits = tail.get(place..place + DIGITS).unwrap_or_default();
    let said = std::str::from_utf8(digits).unwrap_or_default();
    let said = u64::from_str_radix(said, 16).unwrap_or(1);
    if said == 0 {
        return Ok(());
    }
    let digits_at = length - tail_length + place as u64;
    let found = hash(file, digits_at).map_err(unreadable)?;
    if found == said {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "`{}` is damaged: it has other bytes than were written, by its checksum",
            path.display()
        )))
    }
}

/// The hash of a file whose digits begin there.
fn hash(mut file: File, digits_at: u64) -> io::Result<u64> {
    file.rewind()?;
    let mut hash = Chain::default();
    let (mut buffer, mut at) = (vec![0; TAIL], 0_u64);
    let digits = digits_at..digits_at + DIGITS as u64;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(hash.finish());
        }
        let read = buffer.iter_mut().take(count);
        if at < digits.end && at + count as u64 > digits.start {
            read.zip(at..)
                .filter(|(_, place)| digits.contains(place))
                .for_each(|(byte, _)| *byte = b'0');
        }
        hash.add(buffer.get(..count).unwrap_or_default());
        at += count as u64;
    }
}

/// Whether the file ends as one of Parquet's: the length of its metadata, which must be in it, and its mark.
fn check_end(path: &Path, length: u64, tail: &[u8]) -> Result<()> {
    let end = tail.len().checked_sub(8).and_then(|at| tail.get(at..));
    let metadata = match end {
        Some([a, b, c, d, mark @ ..]) if mark == MAGIC => {
            Some(u64::from(u32::from_le_bytes([*a, *b, *c, *d])))
        }
        _ => None,
    };
    if metadata.is_some_and(|metadata| metadata > 0 && metadata + 12 <= length) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` is no readable Parquet file: it does not end as one",
        path.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f.parquet");
        let mut bytes = vec![7_u8; 300];
        bytes.extend_from_slice(KEY.as_bytes());
        bytes.extend_from_slice(&[24, 24]);
        bytes.extend_from_slice(placeholder().as_bytes());
        bytes.extend_from_slice(&[9; 50]);
        bytes.extend_from_slice(&100_u32.to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        let mut written = Written::default();
        bytes.chunks(7).for_each(|part| written.add(part));
        std::fs::write(&path, &bytes).unwrap();
        check(&path).unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        written.seal(&mut file).unwrap();
        let sealed = std::fs::read(&path).unwrap();
        assert_ne!(sealed, bytes);
        check(&path).unwrap();
        for at in (0..300 * 8).chain(400 * 8..sealed.len() * 8) {
            let mut damaged = sealed.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            std::fs::write(&path, damaged).unwrap();
            let error = check(&path).unwrap_err();
            assert!(error.message().contains("f.parquet"), "bit {at}: {error}");
        }
    }
}
