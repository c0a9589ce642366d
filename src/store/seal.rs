//! The seal of a database that was closed in order: how long its list of files is, so that one cut short is noticed.
//!
//! RocksDB keeps the list of its files and spaces in a log of its own, the manifest, and forgives one that ends early:
//! so a crash may leave it. Then files are missing from the list, and their rows from the answers, without a word. A
//! manifest never grows shorter, and a database opened for writing begins a new one: it is damaged if it has the name
//! that the seal says and fewer bytes. Without a seal (after a crash) nothing is known.
//!
//! The file `halite-seal` holds three lines:
//!
//! ```text
//! halite-seal 1
//! MANIFEST-000012 4711
//! MANIFEST-000012 4711
//! ```
//!
//! The second names the manifest and its length, and the third repeats it, so that a damaged seal is told from a whole
//! one. A seal that cannot be read, or has another version, is none.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::error::Error;

const SEAL_FILE: &str = "halite-seal";
/// Stands in for the seal while it is written.
const UNFINISHED_FILE: &str = "halite-seal-new";
const FIRST_LINE: &str = "halite-seal 1";
/// RocksDB's file that names the manifest.
const CURRENT_FILE: &str = "CURRENT";

/// What the seal says.
#[derive(Debug, PartialEq, Eq)]
struct Seal {
    manifest: String,
    length: u64,
}

impl Seal {
    fn text(&self) -> String {
        let line = format!("{} {}\n", self.manifest, self.length);
        format!("{FIRST_LINE}\n{line}{line}")
    }

    /// The seal whose text this is.
    fn parse(text: &str) -> Option<Self> {
        let (manifest, length) = text.lines().nth(1)?.split_once(' ')?;
        let seal = Self {
            manifest: manifest.to_owned(),
            length: length.parse().ok()?,
        };
        (seal.text() == text).then_some(seal)
    }

    /// That of the database as it is now.
    fn of(path: &Path) -> io::Result<Self> {
        let current = fs::read_to_string(path.join(CURRENT_FILE))?;
        let manifest = current.trim_end().to_owned();
        let length = fs::metadata(path.join(&manifest))?.len();
        Ok(Self { manifest, length })
    }
}

/// Whether the list of files is as long as when the database was closed.
///
/// Errors: `Corrupt` with the file that was cut short. What else is wrong is found when the database is opened.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    let text = fs::read_to_string(path.join(SEAL_FILE)).unwrap_or_default();
    let (Some(seal), Ok(found)) = (Seal::parse(&text), Seal::of(path)) else {
        return Ok(());
    };
    if found.manifest != seal.manifest || found.length >= seal.length {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "the database {} is damaged: its file {} has {} bytes, and had {} when the database was closed; restore it \
         from a backup",
        path.display(),
        path.join(&seal.manifest).display(),
        found.length,
        seal.length
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

#[cfg(test)]
mod tests {
    use super::*;

    fn seal() -> Seal {
        Seal {
            manifest: "MANIFEST-000012".to_owned(),
            length: 4711,
        }
    }

    #[test]
    fn the_text_of_a_seal_is_this() {
        let text = "halite-seal 1\nMANIFEST-000012 4711\nMANIFEST-000012 4711\n";
        assert_eq!(seal().text(), text);
        assert_eq!(Seal::parse(text), Some(seal()));
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
        fs::write(path.join(CURRENT_FILE), "MANIFEST-000012\n").unwrap();
        fs::write(&manifest, [0; 100]).unwrap();
        check(path).unwrap();
        write(path).unwrap();
        check(path).unwrap();
        fs::write(&manifest, [0; 101]).unwrap();
        check(path).unwrap();
        fs::write(&manifest, [0; 99]).unwrap();
        let error = check(path).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Corrupt);
        let expected = format!("{} has 99 bytes, and had 100", manifest.display());
        assert!(error.message().contains(&expected), "{error}");
        fs::write(path.join("MANIFEST-000013"), "").unwrap();
        fs::write(path.join(CURRENT_FILE), "MANIFEST-000013\n").unwrap();
        check(path).unwrap();
        remove(path);
        assert!(!path.join(SEAL_FILE).exists());
    }
}
