//! The bytes of a file, compressed on their way.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

use crate::error::{Error, Result};
use crate::write::copy::checksum::Written;
use crate::write::copy::{FileCompression, FileFormat, FileKind};

/// How much is written at once.
const BUFFER_BYTES: usize = 1 << 16;

/// A file that is being written. Its errors as `io::Error` are turned into Halite's by [`failed`].
pub(super) struct Output {
    bytes: Bytes,
    path: PathBuf,
}

enum Bytes {
    Plain(BufWriter<File>),
    /// With a checksum of its own.
    Parquet(BufWriter<File>, Box<Written>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Output {
    /// The file; `path` is what errors call it.
    pub(super) fn new(file: File, path: &Path, kind: FileKind) -> Result<Self> {
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        let bytes = match (kind.format, kind.compression) {
            // Compressed within.
            (FileFormat::Parquet, _) => Bytes::Parquet(file, Box::default()),
            (_, FileCompression::Gzip) => {
                Bytes::Gzip(GzEncoder::new(file, flate2::Compression::default()))
            }
            (_, FileCompression::Zstd) => {
                let encoder =
                    zstd::stream::write::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL);
                let mut encoder = encoder.map_err(|error| failed(path, error))?;
                let checked = encoder.include_checksum(true);
                checked.map_err(|error| failed(path, error))?;
                Bytes::Zstd(encoder)
            }
            _ => Bytes::Plain(file),
        };
        Ok(Self {
            bytes,
            path: path.to_owned(),
        })
    }

    /// Writes what is still held back, and gives the file back.
    pub(super) fn finish(self) -> Result<File> {
        if let Bytes::Parquet(file, written) = self.bytes {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error);
            let sealed = file.and_then(|mut file| written.seal(&mut file).map(|()| file));
            return sealed.map_err(|error| failed(&self.path, error));
        }
        let file = match self.bytes {
            Bytes::Plain(file) | Bytes::Parquet(file, _) => Ok(file),
            Bytes::Gzip(encoder) => encoder.finish(),
            Bytes::Zstd(encoder) => encoder.finish(),
        };
        let file = file.and_then(|file| file.into_inner().map_err(io::IntoInnerError::into_error));
        file.map_err(|error| failed(&self.path, error))
    }

    /// The file's name, for errors.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The error of a file that cannot be written.
pub(super) fn failed(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::unavailable(format!("`{}` cannot be written: {error}", path.display()))
        .with_source(error)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::Plain(file) => file.write(bytes),
            Bytes::Parquet(file, written) => {
                let count = file.write(bytes)?;
                written.add(bytes.get(..count).unwrap_or_default());
                Ok(count)
            }
            Bytes::Gzip(encoder) => encoder.write(bytes),
            Bytes::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::Plain(file) | Bytes::Parquet(file, _) => file.flush(),
            Bytes::Gzip(encoder) => encoder.flush(),
            Bytes::Zstd(encoder) => encoder.flush(),
        }
    }
}
