//! HBase's Java client, written by hand for each work on Halite's own tables (`Raw.java`). Keys come from Halite.

use std::cell::RefCell;
use std::fmt::Write;

use anyhow::{Context, Result};

use super::{Side, Task, Told};
use crate::data::{self, Rows};
use crate::java::{Program, Programs};
use crate::workload::{Kind, Name, Workload};

/// The tables of Halite, as HBase calls them.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    pub event: String,
    /// The rows that are loaded in each round.
    pub part: String,
    /// One with a number for its key.
    pub single: String,
}

pub struct Raw {
    program: RefCell<Program>,
    version: String,
    tables: RefCell<Tables>,
}

impl Raw {
    pub fn start(programs: &Programs) -> Result<Self> {
        let mut program = programs.start("Raw", &[])?;
        let version = program.ask(&["version"])?.join("");
        Ok(Self {
            program: RefCell::new(program),
            version,
            tables: RefCell::default(),
        })
    }

    pub fn ask(&self, words: &[&str]) -> Result<Vec<String>> {
        self.program.try_borrow_mut()?.ask(words)
    }

    /// The tables whose names begin with this.
    pub fn list(&self, prefix: &str) -> Result<Vec<String>> {
        self.ask(&["tables", prefix])
    }

    /// Makes one file of each region of a table.
    pub fn settle(&self, table: &str) -> Result<()> {
        self.ask(&["settle", table]).map(drop)
    }

    /// Says what is read.
    pub fn know(&self, tables: Tables) {
        self.tables.replace(tables);
    }

    /// A work as the program is told it: its kind, the table, and the calls.
    fn words(&self, workload: &Workload, rows: &Rows, way: &str) -> Option<Vec<String>> {
        let tables = self.tables.borrow();
        let (kind, table) = match workload.kind {
            Kind::Point => ("get", &tables.event),
            Kind::Range => ("ranges", &tables.event),
            Kind::Newest => ("newest", &tables.event),
            Kind::Sum => ("scan", &tables.event),
            Kind::Keys => ("gets", &tables.event),
            Kind::Load => ("load", &tables.part),
            Kind::Insert => ("put", &tables.single),
            // Nobody would do it by hand twice in the same way.
            Kind::Beginnings | Kind::Behind => return None,
        };
        let mut words = vec![kind.to_owned(), table.clone()];
        match workload.kind {
            Kind::Sum | Kind::Load => words.push(way.to_owned()),
            Kind::Insert => {}
            _ => words.extend((0..workload.calls).map(|call| arguments(workload, rows, call))),
        }
        Some(words)
    }
}

/// The keys of a call.
fn arguments(workload: &Workload, rows: &Rows, call: usize) -> String {
    match workload.kind {
        Kind::Newest => hex(&data::prefix(data::kind(call))),
        Kind::Range => {
            let values = workload.values(rows.size, call);
            let borders = values[1..].iter();
            let borders = borders.map(|stamp| hex(&data::beginning(values[0], *stamp)));
            borders.collect::<Vec<_>>().join(":")
        }
        _ => {
            let found = workload.rows(rows.size, call).into_iter();
            let keys: Vec<String> = found.map(|row| hex(rows.key(row))).collect();
            keys.join(",")
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Side for Raw {
    fn name(&self) -> Name {
        Name::Raw
    }

    fn version(&self) -> String {
        format!("HBase {} with its Java client", self.version)
    }

    fn tasks<'a>(&'a self, workload: &'a Workload, rows: &Rows) -> Result<Vec<Box<dyn Task + 'a>>> {
        let ways: &[&'static str] = match workload.kind {
            Kind::Sum => &["16", "1"],
            Kind::Load => &["sorted", "shuffled"],
            _ => &[""],
        };
        let mut tasks: Vec<Box<dyn Task + 'a>> = Vec::new();
        for way in ways {
            let Some(words) = self.words(workload, rows, way) else {
                continue;
            };
            let told = Told::prepare(&self.program, workload, way, &words);
            tasks.push(Box::new(told.context("preparing")?));
        }
        Ok(tasks)
    }
}
