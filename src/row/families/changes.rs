//! Changes of rows as changes in each family.

use std::sync::Arc;

use super::of_family;
use crate::error::{Error, Result};
use crate::schema::{further_families, space_of_family};
use crate::store::{BulkWriter, Changes, Durability, Snapshot, WriteBatch};

/// A statement's changes of rows: what is put into the space of a table that has families goes to all of their spaces.
#[derive(Debug)]
pub(in crate::row) struct Split {
    entries: Box<dyn Changes>,
}

impl Split {
    /// Changes of rows, in place of those of `entries`.
    pub(in crate::row) fn new(entries: Box<dyn Changes>) -> Self {
        Self { entries }
    }
}

impl Changes for Split {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.entries.snapshot()
    }

    fn write(&mut self, rows: WriteBatch) -> Result<()> {
        let mut entries = WriteBatch::new();
        for row in rows.iter() {
            for family in 0..=further_families(row.space) {
                let space = space_of_family(row.space, family);
                match row.value {
                    Some(value) => entries.put(&space, row.key, part(row.space, value, family)?),
                    None => entries.delete(&space, row.key),
                }
            }
        }
        self.entries.write(entries)
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        let spaces = 0..=further_families(space);
        Ok(Box::new(SplitLoad {
            spaces: spaces
                .map(|family| space_of_family(space, family))
                .collect(),
            entries: self.entries.as_mut(),
        }))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        self.entries.commit(durability)
    }
}

/// The value in a family; all of it in a space without families.
fn part<'a>(space: &str, value: &'a [u8], family: usize) -> Result<&'a [u8]> {
    match further_families(space) {
        0 => Ok(value),
        _ => of_family(value, family)
            .ok_or_else(|| Error::internal("a row is written without the values of a family")),
    }
}

/// Loads of all families, side by side.
struct SplitLoad<'a> {
    spaces: Vec<String>,
    entries: &'a mut dyn Changes,
}

impl BulkWriter for SplitLoad<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        for (family, space) in self.spaces.iter().enumerate() {
            let value = match self.spaces.len() {
                1 => Some(value),
                _ => of_family(value, family),
            };
            let value = value
                .ok_or_else(|| Error::internal("a row is loaded without the values of a family"))?;
            self.entries.bulk(space)?.put(key, value)?;
        }
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        for space in &self.spaces {
            self.entries.bulk(space)?.delete(key)?;
        }
        Ok(())
    }
}
