//! Phoenix, through its JDBC driver (`Phoenix.java`).

use std::cell::RefCell;

use anyhow::{Context, Result};

use super::{Side, Task, Told};
use crate::data::{Files, Rows};
use crate::java::{Program, Programs};
use crate::side::raw::Raw;
use crate::workload::{Kind, Name, Workload};

/// How its tables are made; everything else is as it is by default.
pub const OPTIONS: &str = "SALT_BUCKETS = 16, UPDATE_CACHE_FREQUENCY = 900000";

pub struct Phoenix {
    program: RefCell<Program>,
    version: String,
    /// The rows that are loaded in each round.
    part: String,
}

/// A table like Halite's.
fn create(table: &str) -> String {
    format!(
        "CREATE TABLE {table} (ev SMALLINT NOT NULL, ts BIGINT NOT NULL, offs BIGINT NOT NULL, user_id BIGINT, \
         v1 BIGINT, v2 BIGINT, v3 BIGINT, name VARCHAR CONSTRAINT pk PRIMARY KEY (ev, ts, offs)) {OPTIONS}"
    )
}

impl Phoenix {
    /// Connects, which makes its system tables, and loads.
    pub fn load(programs: &Programs, raw: &Raw, files: &Files) -> Result<Self> {
        let url = format!("jdbc:phoenix:{}", programs.zookeeper);
        let mut program = programs.start("Phoenix", &[&url])?;
        program.ask(&["version"])?;
        program.ask(&["execute", &create("event")])?;
        let file = files.all_text.display().to_string();
        program.ask(&["load", "event", &file])?;
        let single =
            format!("CREATE TABLE single (k BIGINT NOT NULL PRIMARY KEY, v BIGINT) {OPTIONS}");
        program.ask(&["execute", &single])?;
        raw.settle("EVENT")?;
        Ok(Self {
            program: RefCell::new(program),
            version: version()?,
            part: files.part_text.display().to_string(),
        })
    }

    /// What it says it will do for each query.
    pub fn plans(&self, workloads: &[Workload]) -> Result<Vec<(&'static str, String)>> {
        let ors = workloads
            .iter()
            .filter(|workload| matches!(workload.kind, Kind::Beginnings | Kind::Behind));
        let plans = ors.map(|workload| {
            let values: &[i64] = match workload.kind {
                Kind::Behind => &[1, 1, 2],
                _ => &[1, 2, 3, 4],
            };
            let sql = workload.written_out(values);
            let plan = self.program.try_borrow_mut()?.ask(&["explain", &sql])?;
            Ok((workload.name, plan.join(" ")))
        });
        plans.collect()
    }

    fn words(&self, workload: &Workload, rows: &Rows) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match workload.kind {
            Kind::Load => owned(&["load", "target", &create("target"), &self.part]),
            Kind::Insert => owned(&["upsert", "UPSERT INTO single VALUES (?, 1)"]),
            _ => {
                let mut words: Vec<String> = owned(&["query", workload.columns, &workload.sql]);
                words.extend((0..workload.calls).map(|call| {
                    let values = workload.values(rows.size, call);
                    let values: Vec<String> = values.iter().map(i64::to_string).collect();
                    values.join(",")
                }));
                words
            }
        }
    }
}

/// Its version, as the list of jars has it: the driver tells only a part of it.
fn version() -> Result<String> {
    let jars = include_str!("../../phoenix/jars.sha256");
    let version = jars
        .split("phoenix-core-server-")
        .nth(1)
        .and_then(|rest| rest.split(".jar").next());
    Ok(version.context("no version")?.to_owned())
}

impl Side for Phoenix {
    fn name(&self) -> Name {
        Name::Phoenix
    }

    fn version(&self) -> String {
        format!("Phoenix {}", self.version)
    }

    fn tasks<'a>(&'a self, workload: &'a Workload, rows: &Rows) -> Result<Vec<Box<dyn Task + 'a>>> {
        let words = self.words(workload, rows);
        let told = Told::prepare(&self.program, workload, "", &words);
        Ok(vec![Box::new(told.context("preparing")?)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_jars_has_the_version() {
        assert_eq!(version().ok().as_deref(), Some("5.2.1"));
    }
}
