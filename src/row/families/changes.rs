//! Changes of rows as changes in each family.

use std::collections::HashMap;
use std::sync::Arc;

use super::of_family;
use crate::error::{Error, Result};
use crate::schema::spaces_of_families;
use crate::store::{BulkWriter, Changes, Durability, Durable, Snapshot, WriteBatch};

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
        let spaces = rows.spaces().map(|space| (space, Spaces::of(space)));
        let spaces: HashMap<&str, Spaces> = spaces.collect();
        let mut entries = WriteBatch::new();
        for row in rows.iter() {
            let Some(spaces) = spaces.get(row.space) else {
                return Err(Error::internal("a row of a space that its batch has not"));
            };
            spaces.split(row.value, |space, value| {
                match value {
                    Some(value) => entries.put(space, row.key, value),
                    None => entries.delete(space, row.key),
                }
                Ok(())
            })?;
        }
        self.entries.write(entries)
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        Ok(Box::new(SplitLoad {
            spaces: Spaces::of(space),
            entries: self.entries.as_mut(),
        }))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        self.entries.commit(durability)
    }

    fn commit_early(self: Box<Self>, durability: Durability) -> Result<Option<Durable>> {
        self.entries.commit_early(durability)
    }
}

/// The spaces of a table's families, by number; the one of a table without families.
struct Spaces(Vec<String>);

impl Spaces {
    fn of(space: &str) -> Self {
        Self(spaces_of_families(space).collect())
    }

    /// Gives each space with what a row has in it; none, where the row is deleted.
    fn split<'a>(
        &self,
        row: Option<&'a [u8]>,
        mut each: impl FnMut(&str, Option<&'a [u8]>) -> Result<()>,
    ) -> Result<()> {
        for (family, space) in self.0.iter().enumerate() {
            let value = match row {
                Some(row) if self.0.len() > 1 => Some(of_family(row, family).ok_or_else(|| {
                    Error::internal("a row is written without the values of a family")
                })?),
                row => row,
            };
            each(space, value)?;
        }
        Ok(())
    }
}

/// Loads of all families, side by side.
struct SplitLoad<'a> {
    spaces: Spaces,
    entries: &'a mut dyn Changes,
}

impl BulkWriter for SplitLoad<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let entries = &mut self.entries;
        self.spaces.split(Some(value), |space, value| match value {
            Some(value) => entries.bulk(space)?.put(key, value),
            None => Ok(()),
        })
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        let entries = &mut self.entries;
        self.spaces
            .split(None, |space, _| entries.bulk(space)?.delete(key))
    }
}
