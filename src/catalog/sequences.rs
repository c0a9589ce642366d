//! The sequences of a database: made, dropped and found by name.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Value, Visit, Visitor,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::numbers::{Sequence, written};
use super::stored::{NEXT_KEY, NUMBERS, SPACE, sequence_key};
use super::tables::Catalog;
use crate::error::{Error, Nameable, Result};
use crate::schema::{self, DEFAULT_CACHE, Table};
use crate::store::{SpaceOptions, WriteBatch};

impl Catalog {
    /// From now on these are the sequences. Those that are known already, and are the same, stay the same.
    pub(super) fn set_sequences(&self, found: Vec<schema::Sequence>) {
        let found = found.into_iter().map(|definition| {
            let known = self.sequence(&definition.name);
            let known = known.filter(|known| *known.definition() == definition);
            let name = definition.name.clone();
            let new = || Arc::new(Sequence::new(definition, Arc::clone(self.store())));
            (name, known.unwrap_or_else(new))
        });
        let found: BTreeMap<_, _> = found.collect();
        let is_same = {
            let known = self.sequences.read();
            let mut pairs = known.values().zip(found.values());
            known.len() == found.len() && pairs.all(|(known, found)| Arc::ptr_eq(known, found))
        };
        if !is_same {
            self.change_sequences(|sequences| *sequences = found);
        }
    }

    fn change_sequences(&self, change: impl FnOnce(&mut BTreeMap<String, Arc<Sequence>>)) {
        let mut sequences = self.sequences.write();
        change(&mut sequences);
        // Before anyone can see the change.
        self.changed();
    }

    /// The sequence called `name`.
    pub fn sequence(&self, name: &str) -> Option<Arc<Sequence>> {
        self.sequences.read().get(name).cloned()
    }

    /// The sequence called `name`.
    ///
    /// # Errors
    /// `InvalidInput` where there is none.
    pub fn expect_sequence(&self, name: &str) -> Result<Arc<Sequence>> {
        self.sequence(name).ok_or_else(|| match self.kind_of(name) {
            Some(kind) => Error::invalid(format!("`{name}` is a {kind}, not a sequence")),
            None => Error::invalid(format!("there is no sequence `{name}`")).of_missing(
                Nameable::Sequence,
                name,
                self.sequence_names(),
            ),
        })
    }

    /// The names of all sequences, sorted.
    pub fn sequence_names(&self) -> Vec<String> {
        self.sequences.read().keys().cloned().collect()
    }

    /// Makes the sequence that `define` gives for its id; whether it is made, which it is not where one has the name
    /// already and `if_not_exists` is said.
    ///
    /// # Errors
    /// `Conflict` where something has the name; those of `define` and of the store.
    pub fn create_sequence(
        &self,
        define: impl FnOnce(u64) -> Result<schema::Sequence>,
        if_not_exists: bool,
    ) -> Result<bool> {
        let (mut changing, changes) = self.begin_others()?;
        let definition = define(changing.next_id)?;
        definition.validate()?;
        let name = definition.name.clone();
        match self.kind_of(&name) {
            None => {}
            Some("sequence") if if_not_exists => return Ok(false),
            Some(kind) => {
                let message = format!("`{name}` exists already: it is a {kind}");
                return Err(Error::conflict(message));
            }
        }
        let making = |error: Error| error.context(format!("making sequence `{name}`"));
        self.make_numbers().map_err(making)?;
        changing.next_id += 1;
        let mut batch = WriteBatch::new();
        batch.put(SPACE, NEXT_KEY, &changing.next_id.to_be_bytes());
        let sequence = self.put_sequence(definition, &mut batch)?;
        let made = self.write(changes, batch, || self.add_sequences(vec![sequence]));
        made.map_err(making)?;
        Ok(true)
    }

    /// Makes the sequences that number the columns of a table, in the batch that makes the table, and that deletes those
    /// of the names `old`.
    pub(super) fn number_columns(
        &self,
        table: &Table,
        old: &[String],
        next_id: &mut u64,
        batch: &mut WriteBatch,
    ) -> Result<Vec<Arc<Sequence>>> {
        let mut made = Vec::new();
        for column in &table.columns {
            let Some(identity) = &column.identity else {
                continue;
            };
            if let Some(kind) = self.kind_of(&identity.sequence)
                && !old.contains(&identity.sequence)
            {
                return Err(Error::conflict(format!(
                    "the numbers of column `{}` would come from a sequence `{}`, and that is a {kind}",
                    column.name, identity.sequence
                )));
            }
            let limits = column.sql_type.limits();
            let greatest = limits.and_then(|(_, greatest)| greatest.as_integer());
            let greatest = greatest.and_then(|greatest| i64::try_from(greatest).ok());
            let definition = schema::Sequence {
                id: *next_id,
                name: identity.sequence.clone(),
                start: 1,
                increment: 1,
                minimum: 1,
                maximum: greatest.unwrap_or(i64::MAX),
                cache: DEFAULT_CACHE,
                comment: None,
            };
            *next_id += 1;
            self.make_numbers()?;
            made.push(self.put_sequence(definition, batch)?);
        }
        Ok(made)
    }

    /// Makes the space of numbers, unless it is there.
    fn make_numbers(&self) -> Result<()> {
        let store = self.store();
        if store.spaces()?.iter().any(|space| space == NUMBERS) {
            Ok(())
        } else {
            store.create_space(NUMBERS, &SpaceOptions::default())
        }
    }

    /// The sequence of a definition, which is written with `batch`.
    fn put_sequence(
        &self,
        definition: schema::Sequence,
        batch: &mut WriteBatch,
    ) -> Result<Arc<Sequence>> {
        let (key, json) = (sequence_key(&definition.name), definition.to_json()?);
        batch.put(SPACE, &key, json.as_bytes());
        batch.put(NUMBERS, &definition.id.to_be_bytes(), &written(None));
        Ok(Arc::new(Sequence::new(
            definition,
            Arc::clone(self.store()),
        )))
    }

    /// From now on these are known, too.
    pub(super) fn add_sequences(&self, made: Vec<Arc<Sequence>>) {
        if !made.is_empty() {
            self.change_sequences(|sequences| {
                let named = made.into_iter();
                sequences.extend(named.map(|it| (it.definition().name.clone(), it)));
            });
        }
    }

    /// Deletes the sequences that number the columns of a table; the names of those.
    pub(super) fn delete_identities(&self, table: &Table, batch: &mut WriteBatch) -> Vec<String> {
        let identities = table.columns.iter().filter_map(|it| it.identity.as_ref());
        let sequences = identities.filter_map(|it| self.sequence(&it.sequence));
        let mut names = Vec::new();
        for sequence in sequences {
            let name = sequence.definition().name.clone();
            batch.delete(SPACE, &sequence_key(&name));
            batch.delete(NUMBERS, &sequence.key());
            names.push(name);
        }
        names
    }

    /// From now on these are not known any more.
    pub(super) fn forget_sequences(&self, names: &[String]) {
        if !names.is_empty() {
            self.change_sequences(|sequences| sequences.retain(|name, _| !names.contains(name)));
        }
    }

    /// Says something of a sequence, or nothing.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such sequence; those of the store.
    pub fn comment_on_sequence(&self, name: &str, comment: Option<String>) -> Result<()> {
        self.redefine_sequence(name, |known| schema::Sequence {
            comment,
            ..known.clone()
        })
    }

    /// Gives a sequence another definition, under the same id; its numbers stay.
    pub(super) fn redefine_sequence(
        &self,
        name: &str,
        define: impl FnOnce(&schema::Sequence) -> schema::Sequence,
    ) -> Result<()> {
        let (_changing, changes) = self.begin_others()?;
        let known = self.expect_sequence(name)?;
        let definition = define(known.definition());
        if definition == *known.definition() {
            return Ok(());
        }
        let mut batch = WriteBatch::new();
        let json = definition.to_json()?;
        batch.put(SPACE, &sequence_key(name), json.as_bytes());
        let sequence = Arc::new(Sequence::new(definition, Arc::clone(self.store())));
        self.write(changes, batch, || self.add_sequences(vec![sequence]))
    }

    /// Whether a sequence is made and dropped with a column of a table.
    pub fn is_identity(&self, name: &str) -> bool {
        let tables = self.names().into_iter();
        let mut tables = tables.filter_map(|table| self.table(&table));
        tables.any(|table| {
            let mut columns = table.bound().columns().iter();
            columns.any(|it| it.identity.as_ref().is_some_and(|it| it.sequence == name))
        })
    }

    /// What takes its numbers from a sequence, in words.
    fn user_of(&self, name: &str) -> Result<Option<String>> {
        for table in self.names() {
            let Some(table) = self.table(&table) else {
                continue;
            };
            for column in table.bound().columns() {
                if let Some(text) = column.default_text()
                    && named_sequences(&text)?.iter().any(|named| named == name)
                {
                    let (column, table) = (&column.name, table.name());
                    return Ok(Some(format!("column `{column}` of table `{table}`")));
                }
            }
        }
        Ok(None)
    }

    /// Drops sequences, all of them or none; with `if_exists` those that there are.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such sequence; `Conflict` where a column takes its numbers from one; those of the
    /// store.
    pub fn drop_sequences(&self, names: &[String], if_exists: bool) -> Result<()> {
        let (_changing, changes) = self.begin_others()?;
        let mut batch = WriteBatch::new();
        for name in names {
            if !if_exists || self.kind_of(name).is_some() {
                let sequence = self.expect_sequence(name)?;
                if let Some(user) = self.user_of(name)? {
                    return Err(Error::conflict(format!(
                        "sequence `{name}`: {user} takes its numbers from it; ALTER TABLE … ALTER COLUMN … DROP DEFAULT, or \
                         DROP TABLE, drops that"
                    )));
                }
                batch.delete(SPACE, &sequence_key(name));
                batch.delete(NUMBERS, &sequence.key());
            }
        }
        self.write(changes, batch, || {
            self.forget_sequences(names);
        })
    }
}

/// The sequences that an expression names in `nextval('…')` and its like.
///
/// # Errors
/// `Internal` for what is no expression.
pub fn named_sequences(text: &str) -> Result<Vec<String>> {
    let dialect = GenericDialect {};
    let parsed = Parser::new(&dialect)
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_expr());
    let parsed = parsed.map_err(|error| {
        Error::internal(format!("`{text}` is kept as an expression")).with_source(error)
    })?;
    let mut named = Named::default();
    let _: ControlFlow<()> = parsed.visit(&mut named);
    Ok(named.0)
}

#[derive(Default)]
struct Named(Vec<String>);

impl Visitor for Named {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr
            && let FunctionArguments::List(list) = &function.args
            && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))) =
                list.args.first()
            && let Value::SingleQuotedString(name) = &value.value
            && ["nextval", "currval", "setval"]
                .iter()
                .any(|it| function.name.to_string().eq_ignore_ascii_case(it))
        {
            self.0.push(sequence_name(name));
        }
        ControlFlow::Continue(())
    }
}

/// The name that a text says, as SQL reads it.
pub fn sequence_name(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix("public.").unwrap_or(text);
    let quoted = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    match quoted {
        Some(name) => name.replace("\"\"", "\""),
        None => text.to_lowercase(),
    }
}

#[cfg(test)]
#[path = "sequences_tests.rs"]
mod tests;
