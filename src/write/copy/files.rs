//! The files of a COPY … FROM: found by a pattern, opened, and unpacked.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use flate2::bufread::MultiGzDecoder;
use glob::{MatchOptions, glob_with};

use super::lines::TooLong;
use super::options::{
    CopyDirection, CopyOptions, FileCompression, FileKind, OptionWords, is_standard,
};
use crate::error::{Error, Result};
use crate::store::{check_file_name, check_outside};
use crate::write::Progress;

/// How much of a file is read at once.
const BUFFER_BYTES: usize = 1 << 16;

/// A directory of files has no more of them, and no deeper.
const MOST_FILES: usize = 100_000;
const MOST_LEVELS: usize = 32;

/// A file to load.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its place among the files of the statement.
    pub(super) index: usize,
    /// Its format and compression.
    pub(super) kind: FileKind,
    /// How errors name an option.
    pub(super) words: OptionWords,
    /// The number of its first line, and what errors call it, where it is a part of something else.
    pub(super) first_line: u64,
    pub(super) shown: Option<String>,
}

impl fmt::Display for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shown {
            Some(shown) => f.write_str(shown),
            None if is_standard(&self.path) => f.write_str("STDIN"),
            None => self.path.display().fmt(f),
        }
    }
}

/// The files that a pattern names, sorted by name. What is the name of a file is no pattern.
///
/// # Errors
/// `InvalidInput` for a pattern that is none, or that no file matches; those of [`CopyOptions::kind_of`].
pub(super) fn find(pattern: &str, options: &CopyOptions) -> Result<Vec<SourceFile>> {
    if let Some(rows) = &options.inline {
        return Ok(vec![SourceFile {
            path: rows.path.clone(),
            index: 0,
            kind: options.kind_of(Path::new(pattern), CopyDirection::From)?,
            words: options.words,
            first_line: rows.line,
            shown: Some(rows.shown.clone()),
        }]);
    }
    let is_pattern = pattern.contains(['*', '?', '[']) && !Path::new(pattern).exists();
    let paths = if is_pattern {
        matching(pattern)?
    } else {
        vec![PathBuf::from(pattern)]
    };
    let files = paths.into_iter().enumerate().map(|(index, path)| {
        let kind = options.kind_of(&path, CopyDirection::From)?;
        let words = options.words;
        Ok(SourceFile {
            path,
            index,
            kind,
            words,
            first_line: 1,
            shown: None,
        })
    });
    files.collect()
}

/// The files that several patterns name, those of each sorted by name.
///
/// # Errors
/// As [`find`].
pub(super) fn find_all(patterns: &[String], options: &CopyOptions) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for pattern in patterns {
        files.extend(find(pattern, options)?);
    }
    for (index, file) in files.iter_mut().enumerate() {
        file.index = index;
    }
    Ok(files)
}

/// Refuses a pattern that matches a file of a database.
///
/// # Errors
/// As [`check_outside`].
pub fn check_matches(pattern: &str) -> Result<()> {
    check_file_name(pattern.len())?;
    files_matching(pattern).try_for_each(|file| check_outside(&file))
}

/// All that a pattern of a query may match: what is no pattern matches nothing.
pub fn files_matching(pattern: &str) -> impl Iterator<Item = PathBuf> {
    let found = glob_with(pattern, MatchOptions::new());
    found.into_iter().flatten().flatten()
}

/// All files in a directory and those in it, sorted; of those that are hidden by a dot or an underscore Parquet files alone.
///
/// # Errors
/// `Unavailable` where a directory cannot be read; `InvalidInput` where there are more than `MOST_FILES`, or they lie too
/// deep.
pub fn files_within(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    add_files(directory, MOST_LEVELS, &mut files)?;
    files.sort();
    Ok(files)
}

fn add_files(directory: &Path, levels: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let shown = directory.display();
    let unreadable = |error: io::Error| {
        Error::unavailable(format!("`{shown}` cannot be read: {error}")).with_source(error)
    };
    if levels == 0 {
        return Err(Error::invalid(format!(
            "`{shown}` lies deeper than {MOST_LEVELS} directories"
        )));
    }
    for entry in directory.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (name, path) = (entry.file_name(), entry.path());
        let is_hidden = name.to_string_lossy().starts_with(['.', '_']);
        match path.is_dir() {
            true => add_files(&path, levels - 1, files)?,
            // What programs leave there for each other, such as `_SUCCESS`.
            false if is_hidden && path.extension() != Some("parquet".as_ref()) => {}
            false if files.len() >= MOST_FILES => {
                return Err(Error::invalid(format!(
                    "`{shown}`: there are more than {MOST_FILES} files"
                )));
            }
            false => files.push(path),
        }
    }
    Ok(())
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let options = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let found = glob_with(pattern, options).map_err(|error| {
        Error::invalid(format!("`{pattern}` is no pattern of files: {error}")).with_source(error)
    })?;
    let mut paths = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            Error::unavailable(format!("`{pattern}` cannot be searched: {error}"))
                .with_source(error)
        })?;
        if !path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(Error::invalid(format!("no file matches `{pattern}`")));
    }
    Ok(paths)
}

impl SourceFile {
    /// The file as it is.
    pub(super) fn open(&self) -> Result<File> {
        if is_standard(&self.path) {
            return standard_input();
        }
        check_outside(&self.path)?;
        let opened = File::open(&self.path).and_then(|file| {
            if file.metadata()?.is_dir() {
                Err(io::Error::other("it is a directory"))
            } else {
                Ok(file)
            }
        });
        opened.map_err(|error| {
            Error::invalid(format!("`{self}` cannot be opened: {error}")).with_source(error)
        })
    }

    /// Whether it is the standard input, or a part of a script: there is nothing beside it.
    pub(super) fn is_standard(&self) -> bool {
        is_standard(&self.path) || self.shown.is_some()
    }

    /// How many bytes it has, packed as they are; 0 for what has no length, such as a pipe.
    pub(super) fn length(&self) -> u64 {
        if is_standard(&self.path) {
            return 0;
        }
        self.path.metadata().map_or(0, |metadata| metadata.len())
    }

    /// The bytes of the file, unpacked. `progress` counts those that are read, before they are unpacked.
    pub(super) fn unpacked(&self, progress: &Progress) -> Result<Box<dyn BufRead + Send>> {
        let counted = Counted {
            inner: self.open()?,
            progress: progress.clone(),
        };
        let mut bytes = BufReader::with_capacity(BUFFER_BYTES, counted);
        let start = bytes.fill_buf().map_err(|error| self.unreadable(error))?;
        self.check_start(start)?;
        Ok(match self.kind.compression {
            FileCompression::Gzip => buffered(MultiGzDecoder::new(bytes)),
            FileCompression::Zstd => buffered(
                zstd::stream::read::Decoder::with_buffer(bytes)
                    .map_err(|error| self.unreadable(error))?,
            ),
            FileCompression::Bzip2 => buffered(FileCompressionType::BZIP2.convert_read(bytes)?),
            FileCompression::Xz => buffered(FileCompressionType::XZ.convert_read(bytes)?),
            FileCompression::None | FileCompression::Snappy | FileCompression::Lz4 => {
                Box::new(bytes)
            }
        })
    }

    /// Whether the file is compressed as it is said to be.
    fn check_start(&self, start: &[u8]) -> Result<()> {
        let (found, said) = (FileCompression::of_magic(start), self.kind.compression);
        let say = |compression: FileCompression| {
            let option = self.words.option("COMPRESSION", compression.name());
            format!("say {option}")
        };
        match (found, said) {
            (found, said) if found == said => Ok(()),
            (found, FileCompression::None) => Err(Error::invalid(format!(
                "`{self}` is compressed by {}: {}",
                found.name(),
                say(found)
            ))),
            (FileCompression::None, said) => Err(Error::invalid(format!(
                "`{self}` is not compressed by {}: if it is not compressed, {}",
                said.name(),
                say(FileCompression::None)
            ))),
            (found, said) => Err(Error::invalid(format!(
                "`{self}` is not compressed by {}, it is by {}: {}",
                said.name(),
                found.name(),
                say(found)
            ))),
        }
    }

    /// The error of a file whose bytes cannot be read.
    pub(super) fn unreadable(&self, error: io::Error) -> Error {
        let packed = self.kind.compression;
        let inner = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<TooLong>());
        if let Some(too_long) = inner {
            let place = format!("{self} line {}", too_long.line);
            return Error::invalid(too_long.to_string()).at_row(place);
        }
        let message = match (packed, error.kind()) {
            (FileCompression::None, _) => {
                return Error::unavailable(format!("`{self}` cannot be read: {error}"))
                    .with_source(error);
            }
            (packed, io::ErrorKind::UnexpectedEof) => {
                format!(
                    "`{self}` is cut short: what {} has packed does not end",
                    packed.name()
                )
            }
            (packed, _) => format!("`{self}` is damaged: {} says: {error}", packed.name()),
        };
        Error::invalid(message).with_source(error)
    }
}

/// Whether somebody else reads the standard input.
static IS_KEPT: AtomicBool = AtomicBool::new(false);

/// From now on the standard input is not read by COPY, because statements are read from it.
pub fn keep_standard_input() {
    IS_KEPT.store(true, Ordering::Release);
}

fn standard_input() -> Result<File> {
    if IS_KEPT.load(Ordering::Acquire) {
        return Err(Error::invalid(
            "STDIN is where the statements come from: give them by -c or -f, or copy from a file",
        ));
    }
    open_standard_input().map_err(|error| {
        Error::unavailable(format!("STDIN cannot be read: {error}")).with_source(error)
    })
}

#[cfg(unix)]
fn open_standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;

    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
fn open_standard_input() -> io::Result<File> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Bytes that are counted as they are read.
struct Counted<R> {
    inner: R,
    progress: Progress,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.read_bytes(count as u64);
        Ok(count)
    }
}

fn buffered(bytes: impl Read + Send + 'static) -> Box<dyn BufRead + Send> {
    Box::new(BufReader::with_capacity(BUFFER_BYTES, bytes))
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
