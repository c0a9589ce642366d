//! The sides. Each has the same rows and makes [`Task`]s of a work.

pub mod halite;
pub mod phoenix;
pub mod raw;

use std::cell::RefCell;
use std::time::Duration;

use anyhow::Result;

use crate::answer::Answer;
use crate::data::Rows;
use crate::java::Program;
use crate::workload::{Name, Workload};

/// Who is measured, with its rows.
pub trait Side {
    fn name(&self) -> Name;

    /// What it is called, with its version.
    fn version(&self) -> String;

    /// The ways in which it does a work, made ready; none where it has nothing like it.
    fn tasks<'a>(&'a self, workload: &'a Workload, rows: &Rows) -> Result<Vec<Box<dyn Task + 'a>>>;
}

/// A work on one side. Calls are numbered.
pub trait Task {
    /// Which of several ways this is.
    fn way(&self) -> &'static str {
        ""
    }

    /// Does it once and gives the answer.
    fn answer(&mut self, call: usize) -> Result<Answer>;

    /// Does so many calls and gives the time that all of them took.
    fn time(&mut self, first: usize, count: usize) -> Result<Duration>;
}

/// A work that a program of Java does.
struct Told<'a> {
    program: &'a RefCell<Program>,
    /// What the program knows it by.
    name: String,
    way: &'static str,
}

impl<'a> Told<'a> {
    /// Has the program make it ready.
    fn prepare(
        program: &'a RefCell<Program>,
        workload: &Workload,
        way: &'static str,
        words: &[String],
    ) -> Result<Self> {
        let name = format!("{} {way}", workload.name);
        let mut asked = vec!["prepare".to_owned(), name.clone()];
        asked.extend_from_slice(words);
        program.try_borrow_mut()?.ask(&asked)?;
        Ok(Self { program, name, way })
    }
}

impl Task for Told<'_> {
    fn way(&self) -> &'static str {
        self.way
    }

    fn answer(&mut self, call: usize) -> Result<Answer> {
        self.program.try_borrow_mut()?.check(&self.name, call)
    }

    fn time(&mut self, first: usize, count: usize) -> Result<Duration> {
        self.program
            .try_borrow_mut()?
            .time(&self.name, first, count)
    }
}
