//! The sequences of a database: made, dropped and found by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::numbers::{Sequence, written};
use super::stored::{NEXT_KEY, NUMBERS, SPACE, sequence_key};
use super::tables::Catalog;
use crate::error::{Error, Result};
use crate::schema;
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
            None => Error::invalid(format!("there is no sequence `{name}`")),
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
        let store = self.store();
        if !store.spaces()?.iter().any(|space| space == NUMBERS) {
            let made = store.create_space(NUMBERS, &SpaceOptions::default());
            made.map_err(making)?;
        }
        changing.next_id += 1;
        let mut batch = WriteBatch::new();
        batch.put(
            SPACE,
            &sequence_key(&name),
            definition.to_json()?.as_bytes(),
        );
        batch.put(SPACE, NEXT_KEY, &changing.next_id.to_be_bytes());
        batch.put(NUMBERS, &definition.id.to_be_bytes(), &written(None));
        let sequence = Arc::new(Sequence::new(definition, Arc::clone(store)));
        let made = self.write(changes, batch, || {
            self.change_sequences(|sequences| {
                sequences.insert(name.clone(), sequence);
            });
        });
        made.map_err(making)?;
        Ok(true)
    }

    /// Drops sequences, all of them or none; with `if_exists` those that there are.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such sequence; those of the store.
    pub fn drop_sequences(&self, names: &[String], if_exists: bool) -> Result<()> {
        let (_changing, changes) = self.begin_others()?;
        let mut batch = WriteBatch::new();
        for name in names {
            if !if_exists || self.kind_of(name).is_some() {
                let sequence = self.expect_sequence(name)?;
                batch.delete(SPACE, &sequence_key(name));
                batch.delete(NUMBERS, &sequence.key());
            }
        }
        self.write(changes, batch, || {
            self.change_sequences(|sequences| sequences.retain(|name, _| !names.contains(name)));
        })
    }
}

#[cfg(test)]
#[path = "sequences_tests.rs"]
mod tests;
