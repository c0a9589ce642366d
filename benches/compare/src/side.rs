//! The sides. Each has loaded the same rows and makes a [`Task`] of a workload; what a task must do before the clock
//! starts, writing out values or making parameters of them, it does on its own.

pub mod duckdb;
pub mod halite;
pub mod parquet;
pub mod raw;
pub mod sqlite;

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::answer::Answer;
use crate::value::Value;
use crate::workload::{Name, Workload};

/// The values of one call.
pub type Call = Vec<Value>;

/// A database with the rows in it.
pub trait Side {
    fn name(&self) -> Name;

    /// What it is called, with its version.
    fn version(&self) -> String;

    /// A workload, made ready; `None` where this side has nothing like it.
    fn task<'a>(&'a self, workload: &'a Workload) -> Result<Option<Box<dyn Task + 'a>>>;

    /// Bytes on disk of `cpu` and `by_time` together.
    fn bytes(&self) -> Result<u64>;
}

/// A workload on one side.
pub trait Task {
    /// Does it once and gives the answer.
    fn answer(&mut self, call: &Call) -> Result<Answer>;

    /// Does it once for each call and gives the time that all of them took.
    fn time(&mut self, calls: &[Call]) -> Result<Duration>;
}

/// The bytes of a file, or of all files in a directory.
pub fn bytes_of(path: &Path) -> Result<u64> {
    if !path.is_dir() {
        return Ok(fs::metadata(path)?.len());
    }
    let entries = fs::read_dir(path)?;
    entries.map(|entry| bytes_of(&entry?.path())).sum()
}
