//! The sides. Each has loaded the same rows and makes a [`Task`] of a workload; what a task must do before the clock
//! starts, writing out values or making parameters of them, it does on its own.

pub mod duckdb;
pub mod halite;
pub mod parquet;
pub mod raw;
pub mod sqlite;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

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

/// The time in which so many threads do all calls, each its share of them.
pub fn in_threads<T: Send>(
    mut calls: Vec<T>,
    threads: usize,
    work: impl Fn(usize, Vec<T>) -> Result<()> + Sync,
) -> Result<Duration> {
    if threads == 1 {
        let start = Instant::now();
        work(0, calls)?;
        return Ok(start.elapsed());
    }
    let share = calls.len().div_ceil(threads).max(1);
    let mut shares = Vec::new();
    while !calls.is_empty() {
        let rest = calls.split_off(share.min(calls.len()));
        shares.push(std::mem::replace(&mut calls, rest));
    }
    let start = Instant::now();
    thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..)
            .zip(shares)
            .map(|(thread, calls)| scope.spawn(move || work(thread, calls)))
            .collect();
        let mut done = running.into_iter().map(thread::ScopedJoinHandle::join);
        done.try_for_each(|done| done.map_err(|_| anyhow!("a thread has panicked"))?)
    })?;
    Ok(start.elapsed())
}

/// The bytes of a file, or of all files in a directory.
pub fn bytes_of(path: &Path) -> Result<u64> {
    if !path.is_dir() {
        return Ok(fs::metadata(path)?.len());
    }
    let entries = fs::read_dir(path)?;
    entries.map(|entry| bytes_of(&entry?.path())).sum()
}
