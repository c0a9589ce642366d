//! Arrow files: batches as they are in memory, in Arrow's file format (Feather) or as a stream.
//!
//! A file is a stream between two marks, with a list of its batches behind. Both are read from their beginning to their
//! end, as through a pipe, and no more is held than has been read: whatever lengths a damaged file claims, they are
//! reached or the file is cut short.

use std::io::{BufRead, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamDecoder;

use super::files::SourceFile;
use super::table_rows::TableRows;
use super::{BATCH_BYTES, BATCH_ROWS, Feed, Progress, Waiting};
use crate::error::{Error, Result};

/// What a file begins and ends with; at the beginning zeros fill it up to 8 bytes, or to a multiple of them.
const MAGIC: &[u8] = b"ARROW1";
/// At most so many times 8 zeros stand there.
const MOST_PADDING: usize = 64;

/// How much is read at once.
const READ_BYTES: u64 = 1 << 18;

/// Feeds the rows of an Arrow file to a statement, counted from 1.
///
/// # Errors
/// Those of the file.
pub(super) fn load(
    feed: &Feed,
    source: &SourceFile,
    given: &[usize],
    waiting: &Waiting,
) -> Result<()> {
    let mut file = ArrowFile::open(source, feed.progress())?;
    let mut rows = TableRows::new(feed, source, given, &file.schema())?;
    while let Some(batch) = file.next_batch()? {
        let row_bytes = batch.get_array_memory_size() / batch.num_rows().max(1);
        let most = (BATCH_BYTES / row_bytes.max(1)).clamp(1, BATCH_ROWS);
        for start in (0..batch.num_rows()).step_by(most) {
            waiting.check()?;
            rows.feed(&batch.slice(start, most.min(batch.num_rows() - start)))?;
        }
    }
    Ok(())
}

/// A file that is being read.
pub(super) struct ArrowFile<'a> {
    source: &'a SourceFile,
    bytes: Box<dyn BufRead + Send>,
    decoder: StreamDecoder,
    schema: SchemaRef,
    /// What was read and is not decoded yet.
    read: Buffer,
    /// The first batch, if it came with the schema.
    first: Option<RecordBatch>,
    /// Whether it has the marks of a file.
    is_file: bool,
    is_over: bool,
}

impl<'a> ArrowFile<'a> {
    /// The file, from its beginning.
    ///
    /// # Errors
    /// `InvalidInput` where there is none, or it is no Arrow file.
    pub(super) fn open(source: &'a SourceFile, progress: &Progress) -> Result<Self> {
        let mut file = Self {
            source,
            bytes: source.unpacked(progress)?,
            decoder: StreamDecoder::new(),
            schema: SchemaRef::new(arrow::datatypes::Schema::empty()),
            read: Buffer::from(&[]),
            first: None,
            is_file: false,
            is_over: false,
        };
        file.begin()?;
        while file.decoder.schema().is_none() && !file.is_over {
            file.first = file.step()?;
        }
        file.schema = file
            .decoder
            .schema()
            .ok_or_else(|| file.unreadable("it has no columns"))?;
        Ok(file)
    }

    /// Reads on to the first message.
    fn begin(&mut self) -> Result<()> {
        let mut start = self.exactly(8)?;
        self.is_file = start.starts_with(MAGIC);
        let mut padding = 0;
        while self.is_file && (padding == 0 || start.iter().all(|byte| *byte == 0)) {
            if padding > MOST_PADDING {
                return Err(self.unreadable("nothing stands behind its beginning"));
            }
            padding += 1;
            start = self.exactly(8)?;
        }
        self.read = Buffer::from(start);
        Ok(())
    }

    /// So many bytes.
    fn exactly(&mut self, count: u64) -> Result<Vec<u8>> {
        let read = self.at_most(count)?;
        if read.len() as u64 == count {
            Ok(read)
        } else {
            Err(self.unreadable("it is cut short"))
        }
    }

    fn at_most(&mut self, count: u64) -> Result<Vec<u8>> {
        let mut read = Vec::new();
        let ended = self.bytes.by_ref().take(count).read_to_end(&mut read);
        ended.map_err(|error| self.source.unreadable(error))?;
        Ok(read)
    }

    /// The columns.
    pub(super) fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// The next batch.
    ///
    /// # Errors
    /// `InvalidInput` where the file is damaged or cut short.
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        while !self.is_over {
            if let Some(batch) = self.step()? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// Decodes what was read, or reads on.
    fn step(&mut self) -> Result<Option<RecordBatch>> {
        if self.read.is_empty() {
            self.read = self.more()?;
        }
        if self.read.is_empty() {
            return self.end();
        }
        let (decoder, read) = (&mut self.decoder, &mut self.read);
        let decoded = catch_unwind(AssertUnwindSafe(|| decoder.decode(read)));
        match decoded {
            Ok(Ok(batch)) => Ok(batch),
            // Behind the end of the stream the decoder takes nothing.
            Ok(Err(_)) if self.decoder.finish().is_ok() => self.end_of_file(),
            Ok(Err(error)) => Err(self.unreadable(&worded(&error))),
            Err(_) => Err(self.unreadable("it is damaged")),
        }
    }

    fn more(&mut self) -> Result<Buffer> {
        self.at_most(READ_BYTES).map(Buffer::from)
    }

    /// The bytes are over: so must the stream be.
    fn end(&mut self) -> Result<Option<RecordBatch>> {
        let is_ended = self.decoder.decode(&mut Buffer::from(&[0])).is_err();
        if is_ended && !self.is_file {
            self.is_over = true;
            Ok(None)
        } else {
            Err(self.unreadable("it is cut short"))
        }
    }

    /// The stream is over: a file has the list of its batches behind it, which nobody needs who has read them.
    fn end_of_file(&mut self) -> Result<Option<RecordBatch>> {
        let mut last = self.read.as_slice().to_vec();
        loop {
            let more = self.more()?;
            if more.is_empty() {
                break;
            }
            last.drain(..last.len().saturating_sub(MAGIC.len()));
            last.extend_from_slice(&more);
        }
        match self.is_file && last.ends_with(MAGIC) {
            true => {
                self.is_over = true;
                Ok(None)
            }
            false if self.is_file => Err(self.unreadable("it is cut short")),
            false => Err(self.unreadable("something stands behind its end")),
        }
    }

    fn unreadable(&self, why: &str) -> Error {
        Error::invalid(format!(
            "`{}` is no readable Arrow file: {why}",
            self.source
        ))
    }
}

fn worded(error: &ArrowError) -> String {
    match error {
        ArrowError::IpcError(text) | ArrowError::ParseError(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
#[path = "arrow_file_tests.rs"]
mod tests;
