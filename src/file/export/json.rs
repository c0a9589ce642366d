//! JSON, one object per line, and the spelling of values that the shell's JSON shares.
//!
//! Numbers are JSON numbers, decimals with all their digits; NULL is `null`. What JSON has no number for is text:
//! `"NaN"`, `"Infinity"`, `"-Infinity"`. BYTEA is text of `\x` and hex digits. Of columns with the same name the second
//! is called `name_2`, so that no object has one key twice.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use arrow::array::builder::StringBuilder;
use arrow::array::{
    Array, ArrayAccessor, ArrayRef, AsArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, FieldRef, Float32Type, Float64Type, Schema, SchemaRef,
};
use arrow::error::ArrowError;
use arrow::json::writer::{JsonFormat, NullableEncoder, Writer, WriterBuilder, make_encoder};
use arrow::json::{Encoder, EncoderFactory, EncoderOptions};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::output::{Output, failed};
use super::{Sheet, with_distinct_names};
use crate::error::{Error, Result};
use crate::keyrange::hex;

/// Each object with a line break behind it.
#[derive(Debug, Default)]
pub struct Lines;

impl JsonFormat for Lines {
    fn end_row<W: Write>(&self, writer: &mut W) -> Result<(), ArrowError> {
        Ok(writer.write_all(b"\n")?)
    }
}

/// A writer of objects that spells values as Halite does.
pub fn builder() -> WriterBuilder {
    WriterBuilder::new()
        .with_explicit_nulls(true)
        .with_encoder_factory(Arc::new(Encoders))
}

/// The rows with a JSON text in place of each LIST, STRUCT or MAP: what files and statements of text are read back from.
///
/// # Errors
/// A value that JSON has nothing for.
pub fn with_texts_of_nested(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let is_nested = |field: &FieldRef| field.data_type().is_nested();
    if !schema.fields().iter().any(is_nested) {
        return Ok(batch.clone());
    }
    let mut fields = Vec::with_capacity(batch.num_columns());
    let mut columns = Vec::with_capacity(batch.num_columns());
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        if is_nested(field) {
            fields.push(Field::new(field.name(), DataType::Utf8, true));
            columns.push(texts_of(field, column)?);
        } else {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(column));
        }
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
}

fn texts_of(field: &FieldRef, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let options = EncoderOptions::default()
        .with_explicit_nulls(true)
        .with_encoder_factory(Arc::new(Encoders));
    let mut encoder = make_encoder(field, column, &options)?;
    let mut texts = StringBuilder::new();
    let mut text = Vec::new();
    for row in 0..column.len() {
        if column.is_null(row) {
            texts.append_null();
            continue;
        }
        text.clear();
        encoder.encode(row, &mut text);
        let written = std::str::from_utf8(&text);
        texts.append_value(written.map_err(|error| ArrowError::JsonError(error.to_string()))?);
    }
    Ok(Arc::new(texts.finish()))
}

pub(super) struct JsonLines {
    schema: SchemaRef,
    writer: Writer<Output, Lines>,
    path: std::path::PathBuf,
}

impl JsonLines {
    pub(super) fn begin(schema: &SchemaRef, output: Output) -> Self {
        Self {
            schema: with_distinct_names(schema),
            path: output.path().to_owned(),
            writer: builder().build(output),
        }
    }

    fn failed(&self, error: ArrowError) -> Error {
        match error {
            ArrowError::IoError(_, error) => failed(&self.path, error),
            other => Error::invalid(other.to_string()).with_source(other),
        }
    }
}

impl Sheet for JsonLines {
    fn batch(&mut self, batch: &RecordBatch, first: u64) -> Result<()> {
        let columns = batch.columns().to_vec();
        let named = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| Error::internal("rows of a query as a batch").with_source(error))?;
        self.writer.write(&named).map_err(|error| {
            let last = first + (batch.num_rows() as u64).saturating_sub(1);
            self.failed(error)
                .context(format!("rows {first} to {last}"))
        })
    }

    fn finish(mut self: Box<Self>) -> Result<Output> {
        self.writer.finish().map_err(|error| self.failed(error))?;
        Ok(self.writer.into_inner())
    }
}

/// The encoders of what Arrow's writer would lose or spell otherwise.
#[derive(Debug)]
struct Encoders;

impl EncoderFactory for Encoders {
    fn make_default_encoder<'a>(
        &self,
        _field: &'a FieldRef,
        array: &'a dyn Array,
        _options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let encoder: Box<dyn Encoder + 'a> = match array.data_type() {
            DataType::Float32 => Box::new(Floats(array.as_primitive::<Float32Type>())),
            DataType::Float64 => Box::new(Floats(array.as_primitive::<Float64Type>())),
            DataType::Binary => Box::new(Hex(array.as_binary::<i32>())),
            DataType::LargeBinary => Box::new(Hex(array.as_binary::<i64>())),
            DataType::BinaryView => Box::new(Hex(array.as_binary_view())),
            DataType::FixedSizeBinary(_) => Box::new(Hex(array.as_fixed_size_binary())),
            temporal if temporal.is_temporal() => {
                every_value_has_text(array)?;
                return Ok(None);
            }
            _ => return Ok(None),
        };
        Ok(Some(NullableEncoder::new(encoder, array.nulls().cloned())))
    }
}

/// Floating point: the shortest number that reads back the same, and a name for what is none.
struct Floats<'a, T: ArrowPrimitiveType>(&'a PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> Encoder for Floats<'_, T>
where
    T::Native: Into<f64> + fmt::Debug,
{
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let value = self.0.value(row);
        let text = match value.into() {
            double if double.is_nan() => "\"NaN\"".to_owned(),
            f64::INFINITY => "\"Infinity\"".to_owned(),
            f64::NEG_INFINITY => "\"-Infinity\"".to_owned(),
            // `Debug` is the shortest text, with an exponent where that is shorter.
            _ => format!("{value:?}"),
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// Bytes as a text of `\x` and hex digits.
struct Hex<A>(A);

impl<'a, A: ArrayAccessor<Item = &'a [u8]>> Encoder for Hex<A> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        // The backslash is escaped, as JSON asks.
        out.extend_from_slice(b"\"\\\\x");
        out.extend_from_slice(hex(self.0.value(row)).as_bytes());
        out.push(b'"');
    }
}

/// Arrow's own encoder writes the reason where a stamp lies beyond the calendar; a program would take it for a value.
fn every_value_has_text(array: &dyn Array) -> Result<(), ArrowError> {
    let formatter = ArrayFormatter::try_new(array, &FormatOptions::new())?;
    let mut text = String::new();
    for row in 0..array.len() {
        text.clear();
        formatter.value(row).write(&mut text)?;
    }
    Ok(())
}
