//! The seal of a database that was closed in order: what its list of files is, so that one cut short is noticed.
//!
//! RocksDB keeps the list of its files and spaces in a log of its own, the manifest, and forgives one that ends early,
//! or in zeros: so a crash may leave it. Then files are missing from the list, and their rows from the answers, without
//! a word. A manifest only grows, and a database opened for writing begins a new one: it is damaged if it has the name
//! that the seal says and begins otherwise. Without a seal (after a crash) [`synced`](super::synced) knows.
//!
//! The file `halite-seal` holds three lines:
//!
//! ```text
//! halite-seal 1
//! MANIFEST-000012 4711 2d06800538d394c2
//! MANIFEST-000012 4711 2d06800538d394c2
//! ```
//!
//! The second names the manifest, its length and the xxh3-64 of its bytes, and the third repeats it, so that a damaged seal is told from a whole
//! one. A seal that cannot be read, or has another version, is none.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use twox_hash::XxHash3_64;

use super::directory;
use crate::error::Error;

const SEAL_FILE: &str = "halite-seal";
/// Stands in for the seal while it is written.
const UNFINISHED_FILE: &str = "halite-seal-new";
const FIRST_LINE: &str = "halite-seal 1";

/// What the seal says.
#[derive(Debug, PartialEq, Eq)]
struct Seal {
    manifest: String,
    length: usize,
    hash: u64,
}

impl Seal {
    fn text(&self) -> String {
        let line = format!("{} {} {:016x}\n", self.manifest, self.length, self.hash);
        format!("{FIRST_LINE}\n{line}{line}")
    }

    /// The seal whose text this is.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.lines().nth(1)?.split(' ');
        let seal = Self {
            manifest: words.next()?.to_owned(),
            length: words.next()?.parse().ok()?,
            hash: u64::from_str_radix(words.next()?, 16).ok()?,
        };
        (seal.text() == text).then_some(seal)
    }

    /// That of the database as it is now.
    fn of(path: &Path) -> io::Result<Self> {
        let (manifest, bytes) = manifest(path)?;
        Ok(Self {
            manifest,
            length: bytes.len(),
            hash: XxHash3_64::oneshot(&bytes),
        })
    }
}

/// The name of the manifest and what is in it: some kilobytes.
fn manifest(path: &Path) -> io::Result<(String, Vec<u8>)> {
    let manifest = directory::manifest(path)?;
    let manifest = manifest.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let name = manifest.file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    Ok((name, fs::read(manifest)?))
}

/// Whether the list of files begins as it was when the database was closed; `false` where it was not, and nothing is
/// known.
///
/// Errors: `Corrupt` with the file that does not. What else is wrong is found when the database is opened.
pub(super) fn check(path: &Path) -> Result<bool, Error> {
    let text = fs::read_to_string(path.join(SEAL_FILE)).unwrap_or_default();
    let (Some(seal), Ok((name, bytes))) = (Seal::parse(&text), manifest(path)) else {
        return Ok(false);
    };
    let is_whole = match bytes.get(..seal.length) {
        Some(sealed) => XxHash3_64::oneshot(sealed) == seal.hash,
        None => false,
    };
    if name != seal.manifest || is_whole {
        return Ok(name == seal.manifest);
    }
    let how = if bytes.len() < seal.length {
        format!("has {} bytes, and had {}", bytes.len(), seal.length)
    } else {
        "has other bytes than it had".to_owned()
    };
    Err(Error::corrupt(format!(
        "the database {} is damaged: its file {} {how} when the database was closed; restore it from a backup",
        path.display(),
        path.join(&name).display()
    )))
}

/// Seals a database that is about to be closed, and is not written to any more.
pub(super) fn write(path: &Path) -> io::Result<()> {
    let text = Seal::of(path)?.text();
    let mut file = fs::File::create(path.join(UNFINISHED_FILE))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(path.join(UNFINISHED_FILE), path.join(SEAL_FILE))?;
    fs::File::open(path)?.sync_all()
}

/// Breaks the seal of a database that was opened for writing. An old one would say nothing of a new manifest.
pub(super) fn remove(path: &Path) {
    for name in [SEAL_FILE, UNFINISHED_FILE] {
        let _ = fs::remove_file(path.join(name));
    }
}

/// Reads any text as one.
#[cfg(test)]
pub(super) fn read(text: &str) {
    drop(Seal::parse(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal() -> Seal {
        Seal {
            manifest: "MANIFEST-000012".to_owned(),
            length: 4711,
            hash: 0x2d06_8005_38d3_94c2,
        }
    }

    #[test]
    fn the_text_of_a_seal_is_this() {
        let line = "MANIFEST-000012 4711 2d06800538d394c2\n";
        let text = format!("halite-seal 1\n{line}{line}");
        assert_eq!(seal().text(), text);
        assert_eq!(Seal::parse(&text), Some(seal()));
    }

    #[test]
    fn a_seal_with_any_bit_flipped_is_none() {
        let text = seal().text();
        for at in 0..text.len() * 8 {
            let mut bytes = text.clone().into_bytes();
            bytes[at / 8] ^= 1 << (at % 8);
            let damaged = String::from_utf8_lossy(&bytes);
            assert_eq!(Seal::parse(&damaged), None, "bit {at}");
        }
        for length in 0..text.len() {
            assert_eq!(Seal::parse(&text[..length]), None, "{length} bytes");
        }
    }

    #[test]
    fn a_manifest_of_fewer_bytes_is_damaged_and_another_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let manifest = path.join("MANIFEST-000012");
        fs::write(path.join("CURRENT"), "MANIFEST-000012\n").unwrap();
        fs::write(&manifest, [0; 100]).unwrap();
        assert!(!check(path).unwrap());
        write(path).unwrap();
        assert!(check(path).unwrap());
        fs::write(&manifest, [0; 101]).unwrap();
        check(path).unwrap();
        fs::write(&manifest, [1; 100]).unwrap();
        let error = check(path).unwrap_err();
        assert!(error.message().contains("has other bytes"), "{error}");
        fs::write(&manifest, [0; 99]).unwrap();
        let error = check(path).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Corrupt);
        let expected = format!("{} has 99 bytes, and had 100", manifest.display());
        assert!(error.message().contains(&expected), "{error}");
        fs::write(path.join("MANIFEST-000013"), "").unwrap();
        fs::write(path.join("CURRENT"), "MANIFEST-000013\n").unwrap();
        check(path).unwrap();
        remove(path);
        assert!(!path.join(SEAL_FILE).exists());
    }
}
