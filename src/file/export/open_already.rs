//! Files that are open already, by name: `/dev/stdout`, `/dev/fd/3`.
//!
//! Behind such a name there may be a plain file, to which the output of the program is redirected. It must neither be
//! replaced nor written from its beginning, over what others have written: what is written goes where the descriptor
//! stands.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// How many links a name may lead through.
const MOST_LINKS: usize = 40;

/// The open file that a name stands for, to be written to; `None` for the name of any other file.
#[cfg(unix)]
pub fn open_already(path: &Path) -> Option<io::Result<File>> {
    use std::os::fd::AsFd;

    let duplicate = |stream: &dyn AsFd| stream.as_fd().try_clone_to_owned().map(File::from);
    Some(match descriptor(path)? {
        1 => duplicate(&io::stdout()),
        2 => duplicate(&io::stderr()),
        number => {
            // The system opens it anew, and behind what is there.
            let file = format!("/dev/fd/{number}");
            fs::OpenOptions::new().append(true).open(file)
        }
    })
}

/// As on Unix, where there are such names.
#[cfg(not(unix))]
pub fn open_already(_path: &Path) -> Option<io::Result<File>> {
    None
}

/// The number of the descriptor that a name, or a link, leads to.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<u32> {
    let descriptors = fs::canonicalize("/dev/fd").ok()?;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
        let directory = fs::canonicalize(directory.unwrap_or(Path::new("."))).ok()?;
        if directory == descriptors {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = directory.join(fs::read_link(&path).ok()?);
    }
    None
}
