//! A file that takes its name when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use super::open_already::open_already;
use crate::error::{Error, Result};
use crate::store::check_outside;
use crate::write::copy::STANDARD;

/// How many names are tried for the file that is being written.
const ATTEMPTS: u32 = 1_000;

/// A file beside the target, removed when it is dropped before it is [complete](PartFile::complete). A target that is no
/// plain file, such as a pipe, or that is open already, such as `/dev/stdout`, is written to at once.
pub(super) struct PartFile {
    file: Option<File>,
    /// Where the rows go; `None` where they go to the target itself.
    part: Option<PathBuf>,
    target: PathBuf,
}

impl PartFile {
    /// A new file for the target, whose directory is there.
    pub(super) fn create(target: &Path) -> Result<Self> {
        let failed = |error: io::Error| {
            Error::invalid(format!("`{}` cannot be written: {error}", target.display()))
                .with_source(error)
        };
        if target.as_os_str() == STANDARD {
            let open = open_already(Path::new("/dev/stdout"));
            let missing = || Err(io::Error::other("there is no standard output"));
            return Ok(Self::through(
                open.unwrap_or_else(missing).map_err(failed)?,
                target,
            ));
        }
        check_outside(target)?;
        if let Some(open) = open_already(target) {
            return Ok(Self::through(open.map_err(failed)?, target));
        }
        match fs::metadata(target) {
            Ok(found) if found.is_dir() => Err(failed(io::Error::other("it is a directory"))),
            // The file behind a link is replaced, and not the link.
            Ok(found) if found.is_file() => {
                Self::beside(fs::canonicalize(target).map_err(failed)?).map_err(failed)
            }
            Ok(_) => {
                let file = OpenOptions::new()
                    .write(true)
                    .open(target)
                    .map_err(failed)?;
                Ok(Self::through(file, target))
            }
            Err(_) => Self::beside(target.to_owned()).map_err(failed),
        }
    }

    /// The target itself.
    fn through(file: File, target: &Path) -> Self {
        Self {
            file: Some(file),
            part: None,
            target: target.to_owned(),
        }
    }

    fn beside(target: PathBuf) -> io::Result<Self> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        remove_left_over(&target, &name);
        let mut attempt = 0;
        loop {
            let part = target.with_file_name(format!(".{name}.{}-{attempt}.part", process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&part) {
                Ok(file) => {
                    // What is replaced keeps its permissions.
                    if let Ok(replaced) = fs::metadata(&target) {
                        file.set_permissions(replaced.permissions())?;
                    }
                    return Ok(Self {
                        file: Some(file),
                        part: Some(part),
                        target,
                    });
                }
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS =>
                {
                    attempt += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The file to write to; once.
    pub(super) fn take(&mut self) -> Result<File> {
        let file = self.file.take();
        file.ok_or_else(|| Error::internal("a file is written twice"))
    }

    /// Gives the file, to which everything was written, its name.
    pub(super) fn complete(mut self, file: File) -> Result<()> {
        let Some(part) = &self.part else {
            return Ok(());
        };
        let named = file
            .sync_all()
            .and_then(|()| fs::rename(part, &self.target));
        named.map_err(|error| {
            Error::unavailable(format!(
                "`{}` cannot be written: {error}",
                self.target.display()
            ))
            .with_source(error)
        })?;
        self.part = None;
        Ok(())
    }
}

/// Removes the parts of a target that were left by processes that are no more.
fn remove_left_over(target: &Path, name: &str) {
    let directory = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let process = found.to_str().and_then(|found| {
            let rest = found.strip_prefix(&format!(".{name}."))?;
            let (process, attempt) = rest.strip_suffix(".part")?.split_once('-')?;
            attempt.parse::<u32>().ok()?;
            process.parse::<u32>().ok()
        });
        if process.is_some_and(|process| !is_running(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether there is such a process, or nobody can tell.
fn is_running(process: u32) -> bool {
    let all = Path::new("/proc");
    !all.join("self").exists() || all.join(process.to_string()).exists()
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // Nobody is left to be told.
            let _ = fs::remove_file(part);
        }
    }
}
