//! Which files belong to a database. The store alone reads and writes them: whatever else takes the name of a file from a
//! user (queries, COPY, the shell) asks here first.
//!
//! A directory belongs to a database, whoever has it open, if RocksDB's `CURRENT` in it names a manifest, or if it has the
//! mark of a database that is being made. Links are followed, also one whose target is still to be made.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::directory;
use crate::error::{Error, Result};

/// Bytes of the name of a file that Linux takes at most.
const MOST_BYTES: usize = 4096;

/// How many links a name may lead through.
const MOST_LINKS: usize = 40;

/// Refuses a file that lies inside a database, or would.
///
/// # Errors
/// `InvalidInput` with the file and the database.
pub fn check_outside(file: &Path) -> Result<()> {
    check_file_name(file.as_os_str().len())?;
    match database_around(file) {
        None => Ok(()),
        Some(database) => Err(Error::invalid(format!(
            "`{}` lies inside the database {}, whose files are neither read nor written but by Halite itself",
            file.display(),
            database.display()
        ))),
    }
}

/// Refuses the name of a file with more bytes than a system takes, before anything is looked for.
///
/// # Errors
/// `InvalidInput` with the number.
pub fn check_file_name(bytes: usize) -> Result<()> {
    if bytes <= MOST_BYTES {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "the name of a file has {bytes} bytes, more than {MOST_BYTES}"
        )))
    }
}

/// The database that a path names, or lies in.
fn database_around(path: &Path) -> Option<PathBuf> {
    let real = resolved(path);
    let mut around = real.ancestors();
    around
        .find(|directory| directory::is_database(directory))
        .map(Path::to_owned)
}

/// The path without links, `.` and `..`, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let mut path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for _ in 0..MOST_LINKS {
        if let Ok(real) = fs::canonicalize(&path) {
            return real;
        }
        match fs::read_link(&path) {
            Ok(target) => path = beside(&path, &target),
            Err(_) => break,
        }
    }
    // What is not there yet lies where its directory does.
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => resolved(parent).join(name),
        (Some(parent), Some(Component::ParentDir)) => {
            let mut real = resolved(parent);
            real.pop();
            real
        }
        _ => path,
    }
}

/// Where a link leads that lies at `link`.
fn beside(link: &Path, target: &Path) -> PathBuf {
    link.parent().unwrap_or(Path::new("/")).join(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{RocksStore, StoreOptions};

    #[test]
    fn what_lies_inside_a_database_is_told_through_links_and_before_it_is_made() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let database = root.join("d");
        let store = RocksStore::open(&database, &StoreOptions::default()).unwrap();
        fs::create_dir_all(root.join("other")).unwrap();
        std::os::unix::fs::symlink(&database, root.join("to_it")).unwrap();
        std::os::unix::fs::symlink("d/new.csv", root.join("to_new")).unwrap();
        std::os::unix::fs::symlink("to_new", root.join("to_that")).unwrap();
        let inside = [
            "d",
            "d/",
            "d/CURRENT",
            "d/new.csv",
            "d/sub/new.csv",
            "to_it",
            "to_it/x",
            "to_new",
            "to_that",
            "other/../d/LOG",
            "missing/../d/LOG",
        ];
        let long = check_outside(&root.join("x/".repeat(3000))).unwrap_err();
        assert!(long.message().ends_with("more than 4096"), "{long}");
        for name in inside {
            let error = check_outside(&root.join(name)).unwrap_err();
            let expected = format!("lies inside the database {}", database.display());
            assert!(error.message().contains(&expected), "{name}: {error}");
        }
        for name in [
            "",
            "x.csv",
            "other/x.csv",
            "d.csv",
            "d/../x.csv",
            "to_it_not",
        ] {
            check_outside(&root.join(name)).unwrap();
        }
        drop(store);
        // Nobody has it open, and it is one all the same.
        check_outside(&database.join("CURRENT")).unwrap_err();
    }
}
