//! Spill runs: sorted changes on disk, while a write set has more of them than memory.
//!
//! One file of the [`SpillDirectory`] holds all spill runs of a write set, one after the other. A run is a sequence of
//! changes in key order, those of one key in the order of the statement; each is
//!
//! | bytes | what |
//! |---|---|
//! | 2 | length of the key, little-endian, as all numbers here |
//! | 4 | length of the value; `ffffffff` deletes the row, and no value follows |
//! | 8 | number of the row |
//! | | the key |
//! | | the value |
//!
//! The file is read by the process that wrote it, and nobody else: it has no version.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::changes::{EncodedChange, EncodedChanges};
use super::spill::SpillDirectory;
use crate::error::{Error, Result};

/// What stands before key and value.
const HEADER: usize = 14;
/// In place of a value's length.
const DELETED: u32 = u32::MAX;
/// Bytes that are written at once.
const WRITE_BUFFER: usize = 1 << 20;

/// The spill runs of a write set.
#[derive(Debug)]
pub(super) struct SpillRuns {
    file: File,
    /// Where each run lies.
    runs: Vec<Range<u64>>,
}

impl SpillRuns {
    /// None so far.
    ///
    /// # Errors
    /// Those of [`SpillDirectory::file`].
    pub(super) fn new(spills: &SpillDirectory) -> Result<Self> {
        Ok(Self {
            file: spills.file()?,
            runs: Vec::new(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// Adds sorted changes as a run.
    ///
    /// # Errors
    /// `Unavailable` where the disk is full or fails.
    pub(super) fn add(&mut self, sorted: &EncodedChanges) -> Result<()> {
        let start = self.runs.last().map_or(0, |run| run.end);
        let mut out = BufWriter::with_capacity(WRITE_BUFFER, &self.file);
        let mut end = start;
        for change in sorted.iter() {
            let header = header(&change)?;
            end += (HEADER + change.key.len() + change.value.map_or(0, <[u8]>::len)) as u64;
            out.write_all(&header)
                .and_then(|()| out.write_all(change.key))
                .and_then(|()| out.write_all(change.value.unwrap_or_default()))
                .map_err(cannot_write)?;
        }
        out.flush().map_err(cannot_write)?;
        drop(out);
        self.runs.push(start..end);
        Ok(())
    }

    /// Readers of all runs, which hold `buffer` bytes or one change each, and the file that they read.
    pub(super) fn into_readers(self, buffer: usize) -> (File, Vec<SpillReader>) {
        let readers = self.runs.into_iter().map(|unread| SpillReader {
            unread,
            capacity: buffer,
            buffer: Vec::new(),
            position: 0,
            head: None,
        });
        (self.file, readers.collect())
    }
}

fn cannot_write(error: io::Error) -> Error {
    Error::unavailable(format!(
        "the temporary file of a statement cannot be written: {error}"
    ))
    .with_source(error)
}

fn header(change: &EncodedChange<'_>) -> Result<[u8; HEADER]> {
    let too_long = || Error::internal("a change that is too long for a run");
    let key = u16::try_from(change.key.len()).map_err(|_| too_long())?;
    let value = match change.value {
        None => DELETED,
        Some(value) => u32::try_from(value.len())
            .ok()
            .filter(|length| *length != DELETED)
            .ok_or_else(too_long)?,
    };
    let mut header = [0; HEADER];
    let bytes = key
        .to_le_bytes()
        .into_iter()
        .chain(value.to_le_bytes())
        .chain(change.number.to_le_bytes());
    header
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = from);
    Ok(header)
}

/// The change at the head of a run: where it lies in the buffer.
#[derive(Debug, Clone, Copy)]
struct Head {
    key: usize,
    value: usize,
    end: usize,
    is_delete: bool,
    number: u64,
}

/// Reads one run from its start to its end. It stands on no change before the first [`SpillReader::advance`].
#[derive(Debug)]
pub(super) struct SpillReader {
    /// What of the run is not yet in the buffer.
    unread: Range<u64>,
    capacity: usize,
    buffer: Vec<u8>,
    /// Where the next change starts in the buffer.
    position: usize,
    head: Option<Head>,
}

impl SpillReader {
    /// The change on which the reader stands; `None` at the end.
    pub(super) fn change(&self) -> Option<EncodedChange<'_>> {
        let head = self.head?;
        let value = self.buffer.get(head.value..head.end)?;
        Some(EncodedChange {
            key: self.buffer.get(head.key..head.value)?,
            value: (!head.is_delete).then_some(value),
            number: head.number,
        })
    }

    /// Goes to the next change.
    ///
    /// # Errors
    /// `Unavailable` where the file cannot be read.
    pub(super) fn advance(&mut self, file: &File) -> Result<()> {
        self.head = None;
        self.load(HEADER, file)?;
        let loaded = self.buffer.get(self.position..);
        let Some(header) = loaded.and_then(|bytes| bytes.first_chunk::<HEADER>()) else {
            let is_end = self.position == self.buffer.len();
            return if is_end { Ok(()) } else { Err(cut_short()) };
        };
        let mut header = header.as_slice();
        let key = usize::from(u16::from_le_bytes(take(&mut header)));
        let value = u32::from_le_bytes(take(&mut header));
        let number = u64::from_le_bytes(take(&mut header));
        let is_delete = value == DELETED;
        let value = if is_delete { 0 } else { value as usize };
        self.load(HEADER + key + value, file)?;
        let head = Head {
            key: self.position + HEADER,
            value: self.position + HEADER + key,
            end: self.position + HEADER + key + value,
            is_delete,
            number,
        };
        if head.end > self.buffer.len() {
            return Err(cut_short());
        }
        self.position = head.end;
        self.head = Some(head);
        Ok(())
    }

    /// Sees to it that the buffer holds `needed` bytes from the position on, if the run has so many.
    fn load(&mut self, needed: usize, file: &File) -> Result<()> {
        let held = self.buffer.len() - self.position;
        if held >= needed || self.unread.is_empty() {
            return Ok(());
        }
        self.buffer.drain(..self.position);
        self.position = 0;
        let wanted = (needed - held).max(self.capacity.saturating_sub(held)) as u64;
        let count = wanted.min(self.unread.end - self.unread.start);
        let mut reader = file;
        let read = reader
            .seek(SeekFrom::Start(self.unread.start))
            .and_then(|_| reader.take(count).read_to_end(&mut self.buffer));
        let read = read.map_err(|error| {
            Error::unavailable(format!(
                "the temporary file of a statement cannot be read: {error}"
            ))
            .with_source(error)
        })?;
        self.unread.start += read as u64;
        if read as u64 == count {
            Ok(())
        } else {
            Err(cut_short())
        }
    }
}

fn cut_short() -> Error {
    Error::unavailable("the temporary file of a statement has been cut short")
}

/// The next bytes of a header, which has enough.
fn take<const N: usize>(header: &mut &[u8]) -> [u8; N] {
    let Some((taken, rest)) = header.split_first_chunk::<N>() else {
        return [0; N];
    };
    *header = rest;
    *taken
}

/// Reads any bytes as a run, to its end or its error.
#[cfg(test)]
pub(crate) fn read_spill_run(bytes: &[u8]) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let mut runs = SpillRuns {
        file,
        runs: Vec::new(),
    };
    runs.runs.push(0..bytes.len() as u64);
    let (file, mut readers) = runs.into_readers(100);
    for reader in &mut readers {
        while reader.advance(&file).is_ok() && reader.change().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes of all kinds come back from buffers of all sizes.
    #[test]
    fn a_run_is_read_as_it_was_written() {
        let long = vec![7; 5_000];
        let mut changes = EncodedChanges::default();
        for number in 0..200_u64 {
            let key = [number.to_be_bytes().as_slice(), &long[..number as usize]].concat();
            let value = (number % 3 != 0).then(|| &long[..(number * 25) as usize]);

            changes
                .push(EncodedChange {
                    key: &key,
                    value,
                    number: u64::MAX - number,
                })
                .unwrap();
        }
        for buffer in [0, 1, 14, 100, 4_096, 1 << 20] {
            let mut runs = SpillRuns::new(&SpillDirectory::default()).unwrap();
            runs.add(&EncodedChanges::default()).unwrap();
            runs.add(&changes).unwrap();
            runs.add(&changes).unwrap();
            assert_eq!(runs.len(), 3);
            let (file, mut readers) = runs.into_readers(buffer);
            for (reader, expected) in readers.iter_mut().zip([0, 200, 200]) {
                assert!(reader.change().is_none());
                for change in changes.iter().take(expected) {
                    reader.advance(&file).unwrap();
                    assert_eq!(reader.change(), Some(change));
                }
                reader.advance(&file).unwrap();
                assert_eq!(reader.change(), None);
                reader.advance(&file).unwrap();
                assert_eq!(reader.change(), None);
            }
        }
    }

    #[test]
    fn a_file_that_lost_its_end_is_an_error() {
        let mut changes = EncodedChanges::default();
        changes
            .push(EncodedChange {
                key: b"key",
                value: Some(b"value"),
                number: 7,
            })
            .unwrap();
        for length in [0, 13, 14, 21] {
            let mut runs = SpillRuns::new(&SpillDirectory::default()).unwrap();
            runs.add(&changes).unwrap();
            let (file, mut readers) = runs.into_readers(10);
            file.set_len(length).unwrap();
            readers[0].advance(&file).unwrap_err();
            assert_eq!(readers[0].change(), None);
        }
    }

    #[test]
    fn what_does_not_fit_the_header_is_refused() {
        let mut changes = EncodedChanges::default();
        changes
            .push(EncodedChange {
                key: &[0; 1 << 16],
                value: None,
                number: 7,
            })
            .unwrap();
        SpillRuns::new(&SpillDirectory::default())
            .unwrap()
            .add(&changes)
            .unwrap_err();
    }
}
