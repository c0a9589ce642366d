//! JSON: one array of objects, or one object per line.
//!
//! Numbers are JSON numbers, decimals with all their digits; NULL is `null`. What JSON has no number for is text:
//! `"NaN"`, `"Infinity"`, `"-Infinity"`. BYTEA is text of `\x` and hex digits. Of columns with the same name the second
//! is called `name_2`, so that no object has one key twice.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{Array, ArrayAccessor, AsArray, PrimitiveArray, RecordBatch};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, FieldRef, Float32Type, Float64Type, Schema, SchemaRef,
};
use arrow::error::ArrowError;
use arrow::json::writer::{JsonFormat, NullableEncoder, Writer, WriterBuilder};
use arrow::json::{Encoder, EncoderFactory, EncoderOptions};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::cells::io_error;
use super::{Format, Page, Sheet};

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

/// Each object with a line break behind it.
#[derive(Debug, Default)]
struct Lines;

impl JsonFormat for Lines {
    fn end_row<W: Write>(&self, writer: &mut W) -> Result<(), ArrowError> {
        Ok(writer.write_all(b"\n")?)
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
            writer: WriterBuilder::new()
                .with_explicit_nulls(true)
                .with_encoder_factory(Arc::new(Encoders))
                .build::<_, F>(out),
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

fn with_distinct_names(schema: &Schema) -> SchemaRef {
    let mut taken = HashSet::new();
    let fields = schema.fields().iter().map(|field| {
        let mut name = field.name().clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{}_{number}", field.name());
            number += 1;
        }
        // Nullable, whatever was declared: a batch that says otherwise is shown, not refused.
        Field::new(name, field.data_type().clone(), true)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
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
        for byte in self.0.value(row) {
            out.extend_from_slice(format!("{byte:02x}").as_bytes());
        }
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
