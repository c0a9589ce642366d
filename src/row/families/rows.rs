//! Rows of the entries in several families: a snapshot whose values are bundles.

use std::sync::Arc;

use super::bundle;
use crate::error::{Error, Result};
use crate::keyrange::hex;
use crate::schema::{FamilySet, TableSpaces};
use crate::store::{Chunk, ChunkLimit, Direction, ReadRequest, Reader, Snapshot, Tally, Work};

/// The most rows that are read of one family before the others are.
const STEP: usize = 64;

/// The rows of a snapshot whose spaces are families of one table, of which some are read. The others have no value in a
/// bundle.
#[derive(Debug)]
pub(in crate::row) struct Joined {
    entries: Arc<dyn Snapshot>,
    spaces: TableSpaces,
    families: FamilySet,
}

impl Joined {
    pub(in crate::row) fn new(
        entries: Arc<dyn Snapshot>,
        spaces: &TableSpaces,
        families: FamilySet,
    ) -> Self {
        Self {
            entries,
            spaces: spaces.clone(),
            families,
        }
    }

    /// The families that are read, by number, with their spaces; the first one has all rows, if none is asked for.
    fn read_of(&self) -> Vec<(usize, &Arc<str>)> {
        let all = self.spaces.families().iter().enumerate();
        let read = all.filter(|(family, _)| self.families.has(*family));
        let read: Vec<_> = read.collect();
        if read.is_empty() {
            vec![(0, self.spaces.first())]
        } else {
            read
        }
    }
}

impl Snapshot for Joined {
    fn has_space(&self, space: &str) -> bool {
        self.entries.has_space(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.entries.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut found = self.multi_get(space, &[key])?;
        Ok(found.pop().flatten())
    }

    fn multi_get(&self, _first: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let families = self.read_of();
        let mut columns = Vec::with_capacity(families.len());
        for (_, space) in &families {
            columns.push(self.entries.multi_get(space, keys)?);
        }
        let count = self.spaces.families().len();
        let row = |row: usize| -> Result<Option<Vec<u8>>> {
            let mut values: Vec<Option<&[u8]>> = vec![None; count];
            let mut found = 0;
            for (column, (family, _)) in columns.iter().zip(&families) {
                let value = column.get(row).and_then(Option::as_deref);
                found += usize::from(value.is_some());
                if let Some(place) = values.get_mut(*family) {
                    *place = value;
                }
            }
            match found {
                0 => Ok(None),
                found if found == families.len() => {
                    let mut bundled = Vec::new();
                    bundle(values.into_iter(), &mut bundled)?;
                    Ok(Some(bundled))
                }
                _ => Err(torn(keys.get(row).copied().unwrap_or_default())),
            }
        };
        (0..keys.len()).map(row).collect()
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        let mut families = self.read_of();
        if !request.values {
            families.truncate(1);
        }
        // Each would give up at another place.
        let widens = request.widens && families.len() == 1;
        let readers = families.into_iter().map(|(number, space)| {
            let reader = Arc::clone(&self.entries).read(ReadRequest {
                space: Arc::clone(space),
                widens,
                ..request.clone()
            })?;
            let read = Chunk::new();
            Ok(Family {
                number,
                reader,
                read,
                used: 0,
                is_done: false,
            })
        });
        Ok(Box::new(JoinedReader {
            families: readers.collect::<Result<_>>()?,
            count: self.spaces.families().len(),
            direction: request.direction,
            is_ordered: !matches!(request.work, Work::Points(_)),
            has_values: request.values,
            passed_over: None,
            bundled: Vec::new(),
            is_failed: false,
        }))
    }
}

fn torn(key: &[u8]) -> Error {
    let key = hex(key);
    Error::corrupt(format!(
        "the row under {key} is in one family and not in another"
    ))
}

/// The entries of one family.
struct Family {
    number: usize,
    reader: Box<dyn Reader>,
    /// What was read, of which the first `used` are handed out.
    read: Chunk,
    used: usize,
    is_done: bool,
}

impl Family {
    /// Reads on, unless entries are there that are not handed out.
    fn fill(&mut self, entries: usize, bytes: usize) -> Result<()> {
        if self.used < self.read.len() || self.is_done {
            return Ok(());
        }
        self.read.clear();
        self.used = 0;
        let limit = ChunkLimit { entries, bytes };
        self.is_done = !self.reader.fill(&mut self.read, limit)?;
        Ok(())
    }

    fn next(&self) -> Option<(&[u8], &[u8])> {
        self.read.get(self.used)
    }
}

/// Reads the families side by side. Their entries are under the same keys.
struct JoinedReader {
    families: Vec<Family>,
    /// How many families the table has.
    count: usize,
    direction: Direction,
    /// Whether entries come in the order of keys.
    is_ordered: bool,
    has_values: bool,
    /// Entries that are short of it are passed over: some readers hand them out, others do not.
    passed_over: Option<Vec<u8>>,
    bundled: Vec<u8>,
    is_failed: bool,
}

impl JoinedReader {
    /// Has the next entry of every family that has one. Returns whether all stand at one, `None` where all are at their
    /// ends.
    fn advance(&mut self, entries: usize, bytes: usize) -> Result<Option<bool>> {
        for family in &mut self.families {
            family.fill(entries, bytes)?;
            while let Some(to) = &self.passed_over
                && let Some((key, _)) = family.next()
                && self.direction.is_short_of(key, to)
            {
                family.used += 1;
            }
        }
        let standing = self
            .families
            .iter()
            .filter(|family| family.next().is_some());
        let standing = standing.count();
        if standing == self.families.len() {
            return Ok(Some(true));
        }
        let ended = |family: &Family| family.next().is_none() && family.is_done;
        if self.families.iter().all(ended) {
            return Ok(None);
        }
        let mut families = self.families.iter();
        if standing > 0 && families.any(ended) {
            let key = self.families.iter().find_map(Family::next);
            return Err(torn(key.map_or(&[][..], |(key, _)| key)));
        }
        Ok(Some(false))
    }

    /// Appends the next row, which all families stand at.
    fn push(&mut self, chunk: &mut Chunk) -> Result<()> {
        let Some((key, _)) = self.families.first().and_then(Family::next) else {
            return Err(Error::internal("a row of no family"));
        };
        let mut values: Vec<Option<&[u8]>> = vec![None; self.count];
        for family in &self.families {
            let Some((other, value)) = family.next() else {
                return Err(Error::internal("a family without an entry"));
            };
            if other != key {
                return Err(torn(key.min(other)));
            }
            if let Some(place) = values.get_mut(family.number) {
                *place = Some(value);
            }
        }
        self.bundled.clear();
        if self.has_values {
            bundle(values.into_iter(), &mut self.bundled)?;
        }
        chunk.push(key, &self.bundled);
        for family in &mut self.families {
            family.used += 1;
        }
        Ok(())
    }

    fn fill_unless_failed(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let before = chunk.len();
        while !limit.is_reached(chunk) {
            let entries = STEP.min(limit.entries - chunk.len());
            match self.advance(entries, limit.bytes)? {
                Some(true) => self.push(chunk)?,
                // Control goes back on a long way to the next entry.
                Some(false) if chunk.len() == before => return Ok(true),
                Some(false) => {}
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Reader for JoinedReader {
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        if self.is_failed {
            return Err(Error::internal("a read goes on after an error"));
        }
        let filled = self.fill_unless_failed(chunk, limit);
        self.is_failed = filled.is_err();
        filled
    }

    fn skip(&mut self, key: &[u8]) -> Result<()> {
        for family in &mut self.families {
            family.reader.skip(key)?;
        }
        if self.is_ordered {
            self.passed_over = Some(key.to_vec());
        }
        Ok(())
    }

    fn is_wide(&self) -> bool {
        self.families.iter().any(|family| family.reader.is_wide())
    }

    /// Ranges and rows as of one family, all else of all.
    fn tally(&self) -> Tally {
        let mut tallies = self.families.iter().map(|family| family.reader.tally());
        let first = tallies.next().unwrap_or_default();
        tallies.fold(first, |all, other| Tally {
            seeks: all.seeks + other.seeks,
            deleted: all.deleted + other.deleted,
            bytes: all.bytes + other.bytes,
            requests: all.requests + other.requests,
            regions: all.regions + other.regions,
            ..all
        })
    }
}
