//! What stands in the way of a copy, found before anything is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::rows::last_common;
use super::{Transfer, Work};
use crate::catalog::Sequence;
use crate::error::{Error, Result};
use crate::schema::{self, BoundTable, KeySpace, Table, View};
use crate::store::Snapshot;

impl Transfer {
    /// # Errors
    /// `Conflict` or `InvalidInput` that names what cannot be copied, and says why.
    pub(super) fn refuse_what_cannot_be_copied(&self) -> Result<()> {
        let there = self.to.catalog.snapshot()?;
        let mut works = self.work.iter();
        works.try_for_each(|work| {
            let checked = self.check_kind(work).and_then(|()| match work {
                Work::Sequence(sequence) => self.check_sequence(sequence),
                Work::Table(table) => self.check_table(table, &there),
                Work::View(view) => self.check_view(view),
            });
            checked.map_err(|error| work.told(error))
        })
    }

    /// What has the name in the target is of the same kind.
    fn check_kind(&self, work: &Work) -> Result<()> {
        match self.to.catalog.kind_of(work.name()) {
            Some(kind) if kind != work.kind() => Err(Error::conflict(format!(
                "in {} this is the name of a {kind}: drop or rename that",
                self.to.name
            ))),
            _ => Ok(()),
        }
    }

    fn check_sequence(&self, sequence: &Sequence) -> Result<()> {
        let definition = sequence.definition();
        let Some(known) = self.to.catalog.sequence(&definition.name) else {
            return Ok(());
        };
        let plain = |it: &schema::Sequence| it.create_statement();
        let (own, others) = (plain(definition), plain(known.definition()));
        if own == others {
            Ok(())
        } else {
            Err(self.other_definition(&own, &others))
        }
    }

    fn check_view(&self, view: &View) -> Result<()> {
        let catalog = &self.to.catalog;
        if let Some(known) = catalog.view(&view.name) {
            let (own, others) = (view.create_statement(), known.create_statement());
            if own != others {
                return Err(self.other_definition(&own, &others));
            }
        }
        let comes = |name: &str| self.work.iter().any(|work| work.name() == name);
        let mut reads = view.reads.iter();
        match reads.find(|name| catalog.is_free(name) && !comes(name)) {
            None => Ok(()),
            Some(missing) => Err(Error::invalid(format!(
                "it reads `{missing}`, which {} does not have: copy that, too",
                self.to.name
            ))),
        }
    }

    fn check_table(&self, table: &Arc<BoundTable>, there: &Arc<dyn Snapshot>) -> Result<()> {
        let Some(known) = self.to.catalog.table(table.name()) else {
            return self.check_new(table.table());
        };
        let known = known.bound();
        self.check_same(table.table(), known.table())?;
        let catalog = &self.to.catalog;
        let words = catalog.check_dictionaries(table, &self.moment, known);
        words.map_err(|error| error.context(&self.to.name))?;
        let source = (&self.from, &self.moment, table.as_ref());
        last_common(source, (&self.to, there, known)).map(drop)
    }

    /// A table that is not there yet needs names for its numbers, and a key space in which its rows are known.
    fn check_new(&self, table: &Table) -> Result<()> {
        let catalog = &self.to.catalog;
        for identity in table.columns.iter().filter_map(|it| it.identity.as_ref()) {
            if let Some(kind) = catalog.kind_of(&identity.sequence) {
                return Err(Error::conflict(format!(
                    "its numbers come from a sequence `{}`, and in {} this is the name of a {kind}: drop or rename that",
                    identity.sequence, self.to.name
                )));
            }
        }
        let Some(shared) = &table.keyspace else {
            return Ok(());
        };
        let neighbours = catalog.key_space(&shared.name);
        let mut neighbours = neighbours.iter();
        let checked = neighbours.try_for_each(|other| table.check_beside(other.table()));
        checked.map_err(|error| error.context(&self.to.name))
    }

    /// The two definitions are the same, but for the numbers that each database has for its tables.
    fn check_same(&self, own: &Table, others: &Table) -> Result<()> {
        let numbered = |table: &Table| Table {
            id: 0,
            keyspace: table.keyspace.as_ref().map(|shared| KeySpace {
                id: 0,
                ..shared.clone()
            }),
            ..table.clone()
        };
        if numbered(own) == numbered(others) {
            return Ok(());
        }
        let statement = |table: &Table| {
            let mut lines = vec![table.create_statement()];
            lines.extend(table.comment_statements());
            lines.join(";\n")
        };
        let (one, other) = (statement(own), statement(others));
        if one != other {
            return Err(self.other_definition(&one, &other));
        }
        Err(Error::conflict(format!(
            "{} has it already, and keeps its columns under other numbers{}: one of the two was made by ALTER TABLE. Drop it \
             in {}, or rename it; the copy makes it anew",
            self.to.name,
            unlike_columns(own, others),
            self.to.name
        )))
    }

    fn other_definition(&self, own: &str, others: &str) -> Error {
        let (from, to) = (&self.from.name, &self.to.name);
        Error::conflict(format!(
            "{to} has it already, with another definition; drop it there, or rename it.\nIn {from}:\n{}\nIn {to}:\n{}",
            indented(own),
            indented(others)
        ))
    }
}

/// `` (`a`, `b`) ``: the columns that two tables of the same statement do not keep alike.
fn unlike_columns(own: &Table, others: &Table) -> String {
    let pairs = own.columns.iter().zip(&others.columns);
    let unlike = pairs.filter(|(own, others)| own != others);
    let names: BTreeSet<String> = unlike.map(|(own, _)| format!("`{}`", own.name)).collect();
    let names: Vec<String> = names.into_iter().collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", names.join(", "))
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}
