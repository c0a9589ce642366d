//! Rows, and files that hold them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::ipc::reader::FileReader;

use super::draw::drawn_rows;
use super::write::write;
use crate::plan::law::random::Random;

/// The rows of a case that another program wrote.
const ROWS: &str = "rows.arrow";

/// Rows, and files that each hold just these, in any order.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// The first column, `id`, tells them apart.
    pub(super) rows: RecordBatch,
    pub(super) files: Vec<PathBuf>,
}

impl Case {
    /// The case of a seed, its files in this directory.
    pub(super) fn drawn(seed: u64, directory: &Path) -> Self {
        let mut random = Random::new(seed);
        let rows = drawn_rows(&mut random);
        let files = (0..2).map(|number| {
            let file = directory.join(format!("{number}.parquet"));
            write(&mut random, &rows, &file);
            file
        });
        Self {
            name: format!("{seed:#x}"),
            files: files.collect(),
            rows,
        }
    }

    /// The case in a directory: its rows in an Arrow file, and beside it the files that hold them.
    pub(super) fn read(directory: &Path) -> Self {
        let entries = fs::read_dir(directory).expect("a directory of a case");
        let files = entries.map(|entry| entry.expect("entry").path());
        let (rows, mut files): (Vec<_>, Vec<_>) =
            files.partition(|file| file.file_name() == Some(ROWS.as_ref()));
        files.sort();
        let rows = File::open(rows.first().expect("rows")).expect("rows");
        let reader = FileReader::try_new(rows, None).expect("rows");
        let schema = reader.schema();
        let batches = reader.collect::<Result<Vec<_>, _>>().expect("rows");
        Self {
            name: directory.display().to_string(),
            rows: concat_batches(&Arc::clone(&schema), &batches).expect("rows"),
            files,
        }
    }
}
