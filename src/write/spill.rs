//! Where statements keep what does not fit into memory.
//!
//! Statements that change rows write theirs themselves, DataFusion's operators theirs in
//! [`operator_spill`](super::operator_spill).
//!
//! A database on disk has a directory of its own for it, `halite-spills` in the one that it is in: on a disk that has room
//! for the rows, and where nobody else looks. Its files have no name where the system can do without, and are gone when
//! they are closed, or the process ends in whatever way. Elsewhere a process that is killed may leave the name of one; what
//! is in the directory when the database is opened for writing was left so, and is removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};

/// The directory of a database's spill files, in that of the database.
const SPILLS: &str = "halite-spills";

/// Where statements write what does not fit into memory. A clone is the same place.
#[derive(Debug, Clone)]
pub struct SpillDirectory {
    path: Arc<Path>,
}

/// The system's directory for temporary files: for a database that has no directory.
impl Default for SpillDirectory {
    fn default() -> Self {
        let path = std::env::temp_dir().into();
        Self { path }
    }
}

impl SpillDirectory {
    /// That of the database in the directory `database`. It is made when something is put there.
    pub fn of_database(database: &Path) -> Self {
        let path = database.join(SPILLS).into();
        Self { path }
    }

    /// Removes what killed processes have left of the database in the directory `database`. For the process that has it
    /// open for writing, before it has statements. What cannot be removed takes room, and nothing else.
    pub fn remove_left_over(database: &Path) {
        let _ = fs::remove_dir_all(database.join(SPILLS));
    }

    /// What killed processes have left of the database in the directory `database`, if no process has it open for writing.
    pub fn left_over(database: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(database.join(SPILLS)).into_iter().flatten();
        entries.flatten().map(|entry| entry.path()).collect()
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An empty file, which is gone when it is closed.
    ///
    /// # Errors
    /// `Unavailable` where there can be none.
    pub(super) fn file(&self) -> Result<File> {
        let made = make_directory(&self.path).and_then(|()| tempfile::tempfile_in(&self.path));
        made.map_err(|error| {
            let directory = self.path.display();
            Error::unavailable(format!(
                "no temporary file can be made in {directory}: {error}"
            ))
            .with_source(error)
        })
    }
}

/// Makes a directory, and not the one that it is in: where the database is gone it stays so.
fn make_directory(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_file_keeps_what_is_written_and_leaves_nothing() {
        let database = tempfile::tempdir().unwrap();
        for spills in [
            SpillDirectory::of_database(database.path()),
            SpillDirectory::default(),
        ] {
            let mut file = spills.file().unwrap();
            file.write_all(b"a run").unwrap();
            file.rewind().unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "a run");
        }
        let left = fs::read_dir(database.path().join(SPILLS)).unwrap();
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn what_a_killed_process_has_left_is_removed() {
        let database = tempfile::tempdir().unwrap();
        SpillDirectory::remove_left_over(database.path());
        let spills = database.path().join(SPILLS);
        fs::create_dir(&spills).unwrap();
        fs::write(spills.join(".tmpAbCdEf"), "a run").unwrap();
        fs::write(database.path().join("CURRENT"), "").unwrap();
        SpillDirectory::remove_left_over(database.path());
        let names = fs::read_dir(database.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["CURRENT"]);
    }

    #[test]
    fn where_there_can_be_no_file_the_directory_is_named() {
        let database = tempfile::NamedTempFile::new().unwrap();
        let error = SpillDirectory::of_database(database.path())
            .file()
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let expected = format!(
            "no temporary file can be made in {}",
            database.path().join(SPILLS).display()
        );
        assert!(error.message().starts_with(&expected), "{error}");
    }
}
