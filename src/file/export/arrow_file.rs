//! Arrow files.

use std::io;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::writer::FileWriter;

use super::output::{Output, failed};
use super::{Sheet, with_distinct_names};
use crate::error::{Error, Result};

pub(super) struct Arrow {
    writer: FileWriter<Output>,
    schema: SchemaRef,
    path: std::path::PathBuf,
}

impl Arrow {
    pub(super) fn begin(schema: &SchemaRef, output: Output) -> Result<Self> {
        let schema = with_distinct_names(schema);
        let path = output.path().to_owned();
        let writer = FileWriter::try_new(output, &schema);
        Ok(Self {
            writer: writer.map_err(|error| unwritable(&path, error))?,
            schema,
            path,
        })
    }
}

impl Sheet for Arrow {
    fn batch(&mut self, batch: &RecordBatch, _first: u64) -> Result<()> {
        let columns = batch.columns().to_vec();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| Error::internal("rows of a query as a batch").with_source(error))?;
        let written = self.writer.write(&batch);
        written.map_err(|error| unwritable(&self.path, error))
    }

    fn finish(self: Box<Self>) -> Result<Output> {
        let (path, writer) = (self.path, self.writer);
        writer
            .into_inner()
            .map_err(|error| unwritable(&path, error))
    }
}

fn unwritable(path: &std::path::Path, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, cause) => failed(path, cause),
        other => failed(path, io::Error::other(other)),
    }
}
