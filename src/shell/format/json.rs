//! JSON: one array of objects, or one object per line.
//!
//! Numbers are JSON numbers, decimals with all their digits; NULL is `null`. What JSON has no number for is text:
//! `"NaN"`, `"Infinity"`, `"-Infinity"`. BYTEA is text of `\x` and hex digits. Of columns with the same name the second
//! is called `name_2`, so that no object has one key twice.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::writer::{JsonFormat, Writer};

use super::cells::io_error;
use super::{Format, Page, Sheet};
use crate::file::export::json::{Lines, builder};
use crate::file::export::with_distinct_names;

/// One array of objects, an object per line.
pub struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn doc(&self) -> &'static str {
        "one JSON array of objects"
    }

    fn sheet<'a>(
        &self,
        schema: SchemaRef,
        _page: Page,
        out: &'a mut dyn Write,
    ) -> io::Result<Box<dyn Sheet + 'a>> {
        Ok(Box::new(JsonSheet::<ArrayLines>::new(&schema, out)))
    }
}

/// One object per line.
pub struct JsonLines;

impl Format for JsonLines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn doc(&self) -> &'static str {
        "one JSON object per line"
    }

    fn sheet<'a>(
        &self,
        schema: SchemaRef,
        _page: Page,
        out: &'a mut dyn Write,
    ) -> io::Result<Box<dyn Sheet + 'a>> {
        Ok(Box::new(JsonSheet::<Lines>::new(&schema, out)))
    }
}

/// `[`, the objects with commas between, `]`.
#[derive(Debug, Default)]
struct ArrayLines;

impl JsonFormat for ArrayLines {
    fn start_stream<W: Write>(&self, writer: &mut W) -> Result<(), ArrowError> {
        Ok(writer.write_all(b"[")?)
    }

    fn start_row<W: Write>(&self, writer: &mut W, is_first_row: bool) -> Result<(), ArrowError> {
        let before: &[u8] = if is_first_row { b"\n  " } else { b",\n  " };
        Ok(writer.write_all(before)?)
    }

    fn end_stream<W: Write>(&self, writer: &mut W) -> Result<(), ArrowError> {
        Ok(writer.write_all(b"\n]\n")?)
    }
}

struct JsonSheet<'a, F: JsonFormat> {
    schema: SchemaRef,
    writer: Writer<&'a mut dyn Write, F>,
}

impl<'a, F: JsonFormat> JsonSheet<'a, F> {
    fn new(schema: &Schema, out: &'a mut dyn Write) -> Self {
        Self {
            schema: with_distinct_names(schema),
            writer: builder().build::<_, F>(out),
        }
    }
}

impl<F: JsonFormat> Sheet for JsonSheet<'_, F> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let columns = batch.columns().to_vec();
        let named = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(io_error)?;
        self.writer.write(&named).map_err(io_error)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.writer.finish().map_err(io_error)
    }
}
