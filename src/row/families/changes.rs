//! Changes of rows as changes in each family.

use std::sync::Arc;

use super::of_family;
use crate::error::{Error, Result};
use crate::schema::TableSpaces;
use crate::store::{BulkWriter, Changes, Durability, Durable, Snapshot, WriteBatch};

/// A statement's changes of rows: what is put into the first space of a table that has families goes to all of them, and
/// what is put into other spaces there.
#[derive(Debug)]
pub(in crate::row) struct Split {
    entries: Box<dyn Changes>,
    spaces: TableSpaces,
}

impl Split {
    /// Changes of rows, in place of those of `entries`.
    pub(in crate::row) fn new(entries: Box<dyn Changes>, spaces: &TableSpaces) -> Self {
        Self {
            entries,
            spaces: spaces.clone(),
        }
    }
}

impl Changes for Split {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.entries.snapshot()
    }

    fn write(&mut self, rows: WriteBatch) -> Result<()> {
        let mut entries = WriteBatch::new();
        for (space, range) in rows.ranges() {
            if space == &**self.spaces.first() {
                for family in self.spaces.families().iter() {
                    entries.delete_range(family, range);
                }
            } else {
                entries.delete_range(space, range);
            }
        }
        let mut put = |space: &str, key: &[u8], value: Option<&[u8]>| match value {
            Some(value) => entries.put(space, key, value),
            None => entries.delete(space, key),
        };
        for row in rows.iter() {
            if row.space == &**self.spaces.first() {
                split(&self.spaces, row.value, |space, value| {
                    put(space, row.key, value);
                    Ok(())
                })?;
            } else {
                put(row.space, row.key, row.value);
            }
        }
        self.entries.write(entries)
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        if space != &**self.spaces.first() {
            return self.entries.bulk(space);
        }
        Ok(Box::new(SplitLoad {
            spaces: &self.spaces,
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

/// Gives the space of each family with what a row has in it; with nothing, where the row is deleted.
fn split<'a>(
    spaces: &TableSpaces,
    row: Option<&'a [u8]>,
    mut each: impl FnMut(&str, Option<&'a [u8]>) -> Result<()>,
) -> Result<()> {
    for (family, space) in spaces.families().iter().enumerate() {
        let value = row.map(|row| {
            of_family(row, family)
                .ok_or_else(|| Error::internal("a row is written without the values of a family"))
        });
        each(space, value.transpose()?)?;
    }
    Ok(())
}

/// Loads of all families, side by side.
struct SplitLoad<'a> {
    spaces: &'a TableSpaces,
    entries: &'a mut dyn Changes,
}

impl BulkWriter for SplitLoad<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let entries = &mut self.entries;
        split(self.spaces, Some(value), |space, value| match value {
            Some(value) => entries.bulk(space)?.put(key, value),
            None => Ok(()),
        })
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        let entries = &mut self.entries;
        split(self.spaces, None, |space, _| {
            entries.bulk(space)?.delete(key)
        })
    }
}
