//! The directory of a database on disk: how its parts are named, and how it is told from others.
//!
//! Nothing here opens a database or changes one, but for the mark that stands in the directory while it is made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Compression;
use crate::error::Error;

/// The version of the layout that this code writes, and the newest that it reads.
pub(super) const FORMAT_VERSION: u32 = 1;
/// RocksDB makes this column family in every database; Halite keeps nothing in it.
pub(super) const DEFAULT_FAMILY: &str = "default";
/// Begins the name of the column family that carries the version, and what the database knows of itself. Names of
/// spaces have no hyphen.
const FORMAT_FAMILY: &str = "halite-format-";
/// Stands in the directory while a database is being made.
pub(super) const CREATING_MARK: &str = "halite-creating";
/// Every RocksDB database has a file of this name. It holds the name of the list of its files, the manifest.
const CURRENT_FILE: &str = "CURRENT";
/// Begins the name of every manifest.
const MANIFEST_PREFIX: &str = "MANIFEST-";

/// What lies at a path.
pub(super) enum Found {
    /// No directory, or an empty one.
    Nothing,
    /// A database whose creation was cut short, with the column families that it has.
    Unfinished(Vec<String>),
    /// A database of a format that can be read, with its column families.
    Database(Vec<String>),
}

/// Finds out what lies at `path`. `list_families` is called if it may be a database.
///
/// Errors: `InvalidInput` if it is something else, `Corrupt` if it is newer or damaged, `Unavailable` if it cannot be read; and
/// those of `list_families`.
pub(super) fn inspect<E: From<Error>>(
    path: &Path,
    list_families: impl FnOnce() -> Result<Vec<String>, E>,
) -> Result<Found, E> {
    let names = match file_names(path) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(directory_error(path, error).into()),
    };
    let holds = |wanted: &str| names.iter().any(|name| name == wanted);
    match (holds(CURRENT_FILE), holds(CREATING_MARK)) {
        (false, true) => Ok(Found::Unfinished(Vec::new())),
        (false, false) if names.is_empty() => Ok(Found::Nothing),
        (false, false) if names.iter().any(|name| name.starts_with(MANIFEST_PREFIX)) => {
            Err(headless(path).into())
        }
        (false, false) => Err(foreign(path, "holds other files").into()),
        (true, is_unfinished) => {
            let families = list_families()?;
            check_families(path, &families, is_unfinished)?;
            Ok(if is_unfinished {
                Found::Unfinished(families)
            } else {
                Found::Database(families)
            })
        }
    }
}

/// The names of the files in a directory, but for what a file system puts there.
pub(super) fn file_names(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name != "lost+found");
    Ok(names)
}

/// Whether a directory holds a database, or one that is being made.
pub(super) fn is_database(path: &Path) -> bool {
    let current = fs::read(path.join(CURRENT_FILE)).unwrap_or_default();
    current.starts_with(MANIFEST_PREFIX.as_bytes()) || path.join(CREATING_MARK).exists()
}

/// The path of the manifest that is in use; `None` where there is no database.
pub(super) fn manifest(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::read_to_string(path.join(CURRENT_FILE)) {
        Ok(name) => Ok(Some(path.join(name.trim_end()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn check_families(path: &Path, families: &[String], is_unfinished: bool) -> Result<(), Error> {
    match format_version(families) {
        Some(version) if version > FORMAT_VERSION => {
            return Err(newer(path, format!("has format {version}")));
        }
        None if !is_unfinished && was_halites(path) => return Err(listless(path)),
        None if !is_unfinished => {
            return Err(foreign(path, "is a RocksDB database of another program"));
        }
        _ => {}
    }
    let is_known = |family: &String| is_halites_own(family) || space_of_family(family).is_some();
    match families.iter().find(|family| !is_known(family)) {
        Some(family) => Err(newer(
            path,
            format!("has a space of unknown kind, {family}"),
        )),
        None => Ok(()),
    }
}

fn format_version(families: &[String]) -> Option<u32> {
    let version = |family: &String| family.strip_prefix(FORMAT_FAMILY)?.parse().ok();
    families.iter().filter_map(version).max()
}

fn foreign(path: &Path, what: &str) -> Error {
    let path = path.display();
    Error::invalid(format!(
        "{path} {what}: it is not a Halite database, and is left alone"
    ))
}

fn headless(path: &Path) -> Error {
    let path = path.display();
    Error::corrupt(format!(
        "the database {path} is damaged: its file {CURRENT_FILE} is missing; restore it from a backup"
    ))
}

/// Whether Halite has left something beside RocksDB's files.
fn was_halites(path: &Path) -> bool {
    let names = file_names(path).unwrap_or_default();
    names.iter().any(|name| name.starts_with("halite-"))
}

fn listless(path: &Path) -> Error {
    let manifest = manifest(path).ok().flatten();
    let manifest = manifest.unwrap_or_else(|| path.join(CURRENT_FILE));
    Error::corrupt(format!(
        "the database {} is damaged: the list of its files, {}, holds nothing of Halite; restore it from a backup",
        path.display(),
        manifest.display()
    ))
}

fn newer(path: &Path, what: String) -> Error {
    let path = path.display();
    Error::corrupt(format!(
        "the database {path} {what}, and this Halite reads formats up to {FORMAT_VERSION}: a newer one wrote it"
    ))
}

/// Adds the column families that every database has and `families` lacks.
pub(super) fn complete(families: &mut Vec<String>) {
    for needed in [DEFAULT_FAMILY, &format_family()] {
        if !families.iter().any(|family| family == needed) {
            families.push(needed.to_owned());
        }
    }
}

/// Whether a column family is not a space.
fn is_halites_own(family: &str) -> bool {
    family == DEFAULT_FAMILY || family.starts_with(FORMAT_FAMILY)
}

/// The name of the column family that carries the version.
pub(super) fn format_family() -> String {
    format!("{FORMAT_FAMILY}{FORMAT_VERSION}")
}

/// The space of a column family, and how it is compressed where its name says so, as it did in older databases; `None`
/// for those that Halite keeps for itself, and for what it does not know.
pub(super) fn space_of_family(family: &str) -> Option<(&str, Compression)> {
    if is_halites_own(family) {
        return None;
    }
    match family.split_once('.') {
        None => Some((family, Compression::Fast)),
        Some((space, "dense")) => Some((space, Compression::Dense)),
        Some((space, "plain")) => Some((space, Compression::None)),
        Some(_) => None,
    }
}

/// Makes the directory and says in it that a database is being made, before anything else is written. The directory around
/// it is not made: where that is missing, the path is mistyped more often than not.
pub(super) fn begin_creation(path: &Path, mode: u32) -> Result<(), Error> {
    if let Some(missing) = missing_parent(path) {
        return Err(Error::invalid(format!(
            "there is no directory {}, in which the database {} would be made",
            missing.display(),
            path.display()
        )));
    }
    let mark = || {
        make_directory(path, mode)?;
        fs::File::create(path.join(CREATING_MARK))?.sync_all()?;
        fs::File::open(path)?.sync_all()
    };
    mark().map_err(|error| directory_error(path, error))
}

/// The directory around that of a database, if it is not there.
fn missing_parent(path: &Path) -> Option<&Path> {
    let parent = path.parent().filter(|parent| *parent != Path::new(""))?;
    let is_missing =
        matches!(fs::metadata(parent), Err(error) if error.kind() == io::ErrorKind::NotFound);
    is_missing.then_some(parent)
}

/// Makes the directory of a database. One that is there stays as it is.
fn make_directory(path: &Path, mode: u32) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// Says that the database is whole.
pub(super) fn end_creation(path: &Path) -> Result<(), Error> {
    let unmarked = fs::remove_file(path.join(CREATING_MARK));
    unmarked.map_err(|error| directory_error(path, error))
}

fn directory_error(path: &Path, error: io::Error) -> Error {
    let path = path.display();
    if error.kind() == io::ErrorKind::NotADirectory {
        let message = format!("{path} is a file, and a Halite database is a directory");
        return Error::invalid(message);
    }
    Error::unavailable(format!("the directory {path} cannot be used: {error}")).with_source(error)
}

/// The process that has the database open for writing, where the system tells.
#[cfg(target_os = "linux")]
pub(super) fn lock_holder(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let inode = fs::metadata(path.join("LOCK")).ok()?.ino().to_string();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // For example: 1: POSIX  ADVISORY  WRITE 1234 fd:01:131075 0 EOF
    let holder = locks.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(4);
        let (process, file) = (words.next()?, words.next()?);
        (file.rsplit(':').next()? == inode).then(|| process.parse().ok())
    });
    holder.flatten()
}

/// The process that has the database open for writing, where the system tells.
#[cfg(not(target_os = "linux"))]
pub(super) fn lock_holder(_path: &Path) -> Option<u32> {
    None
}
