//! Whether RocksDB's logs (the log of writes, and the manifest, which lists its files) end where a record ends.
//!
//! RocksDB forgives a last record that is cut short, as it must after a crash. So whether one is, is looked up here. A log
//! is blocks of 32 KiB, each a row of fragments; a fragment is a checksum (4 bytes), a length (2, little-endian), a kind
//! (1), in reused logs a log number (4), and the bytes. Kinds 1 and 5 are whole records, 2 and 6 the first fragment of
//! one, 3 and 7 some in the middle, 4 and 8 the last; no fragment crosses a block, and what is left of one is zero.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::directory;

const BLOCK: usize = 32 << 10;
const HEADER: usize = 7;
/// What the header of a fragment in a reused log has more.
const LOG_NUMBER: usize = 4;

/// The first of a database's logs that ends inside of a record, and where that record begins. None where there is no
/// database.
///
/// To be asked while nobody writes to it: who does may be in the middle of a record.
///
/// # Errors
/// Those of the file system.
pub(super) fn first_torn(path: &Path) -> io::Result<Option<(PathBuf, u64)>> {
    for log in logs(path)? {
        if let Some(at) = torn(&mut File::open(&log)?)? {
            return Ok(Some((log, at)));
        }
    }
    Ok(None)
}

/// The manifest that is in use, and the logs of writes.
fn logs(path: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(manifest) = directory::manifest(path)? else {
        return Ok(Vec::new());
    };
    let mut logs = vec![manifest];
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "log") {
            logs.push(file);
        }
    }
    logs.sort();
    Ok(logs)
}

/// Where the record begins that a log ends in, if it ends in one.
fn torn(log: &mut impl Read) -> io::Result<Option<u64>> {
    let mut block = Vec::with_capacity(BLOCK);
    let mut before = 0;
    let mut open = None;
    loop {
        block.clear();
        log.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
        let walked = walk(&block, before, &mut open);
        if walked.is_some() {
            return Ok(walked);
        }
        if block.len() < BLOCK {
            return Ok(open);
        }
        before += BLOCK as u64;
    }
}

/// Walks over the fragments of a block. `open` is where the record begins that the block's end is inside of.
fn walk(block: &[u8], before: u64, open: &mut Option<u64>) -> Option<u64> {
    let mut at = 0;
    while let Some(rest) = block.get(at..).filter(|rest| !rest.is_empty()) {
        let start = before + at as u64;
        let Some([_, _, _, _, low, high, kind]) = rest.first_chunk::<HEADER>() else {
            let is_filling = block.len() == BLOCK;
            return if is_filling {
                None
            } else {
                Some(open.unwrap_or(start))
            };
        };
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        if (*kind, length) == (0, 0) {
            return None;
        }
        let number = if matches!(kind, 5..=8 | 11) {
            LOG_NUMBER
        } else {
            0
        };
        at += HEADER + number + length;
        if at > block.len() {
            return Some(open.unwrap_or(start));
        }
        match kind {
            2 | 6 => *open = Some(start),
            3 | 7 => {}
            _ => *open = None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of these records, as RocksDB writes it.
    fn log(records: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for length in records {
            let (mut left, mut is_first) = (*length, true);
            loop {
                let room = BLOCK - bytes.len() % BLOCK;
                if room < HEADER {
                    bytes.extend(vec![0; room]);
                    continue;
                }
                let part = left.min(room - HEADER);
                let kind = match (is_first, part == left) {
                    (true, true) => 1,
                    (true, false) => 2,
                    (false, false) => 3,
                    (false, true) => 4,
                };
                bytes.extend([9, 9, 9, 9]);
                bytes.extend(u16::try_from(part).unwrap().to_le_bytes());
                bytes.push(kind);
                bytes.extend(vec![0xab; part]);
                (left, is_first) = (left - part, false);
                if left == 0 {
                    break;
                }
            }
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    #[test]
    fn every_cut_inside_of_a_record_is_found_and_no_other() {
        let (bytes, mut ends) = log(&[0, 10, 32_700, 3, 80_000, 1, 32_761 * 2, 5]);
        ends.insert(0, 0);
        for length in 0..=bytes.len() {
            let found = torn(&mut &bytes[..length]).unwrap();
            let begun = ends.iter().rfind(|end| **end <= length).unwrap();
            let filling =
                bytes[*begun..length].iter().all(|byte| *byte == 0) && length % BLOCK == 0;
            if ends.contains(&length) || filling {
                assert_eq!(found, None, "{length}");
            } else {
                assert!(found.is_some(), "{length}");
                let at = usize::try_from(found.unwrap()).unwrap();
                assert!((*begun..length).contains(&at), "{length}: {at}");
            }
        }
    }
}
