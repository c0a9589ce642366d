//! Groups taken apart: a snapshot whose entries are rows.

use std::sync::Arc;

use super::unpack;
use crate::error::{Error, ErrorKind, Result};
#[cfg(test)]
use crate::fault::{self, Fault};
use crate::keyrange::KeyRange;
use crate::store::local::{self, Visit};
use crate::store::{
    Chunk, ChunkLimit, Cursor, Direction, LocalSnapshot, ReadRequest, Reader, Snapshot,
};

/// The rows of a snapshot whose spaces hold groups. Each group is asked for by itself, however many are wanted.
#[derive(Debug)]
pub(in crate::row) struct Ungrouped {
    groups: Arc<dyn Snapshot>,
}

impl Ungrouped {
    pub(in crate::row) fn new(groups: Arc<dyn Snapshot>) -> Self {
        Self { groups }
    }

    /// The rows of the group that has the first row from `key` on; none if there is no such row.
    pub(super) fn group_from(&self, space: &str, key: &[u8]) -> Result<Chunk> {
        self.group(space, KeyRange::new(key.to_vec(), None), Direction::Forward)
    }

    /// The rows of the last group that ends before `stop`; `None`: of the last group.
    pub(super) fn group_before(&self, space: &str, stop: Option<&[u8]>) -> Result<Chunk> {
        let range = KeyRange::new(Vec::new(), stop.map(<[u8]>::to_vec));
        self.group(space, range, Direction::Backward)
    }

    fn group(&self, space: &str, range: Option<KeyRange>, direction: Direction) -> Result<Chunk> {
        let mut entry = Chunk::new();
        let Some(range) = range else {
            return Ok(entry);
        };
        let request = ReadRequest::range(space, range, direction).with_fetch(1);
        let mut reader = Arc::clone(&self.groups).read(request)?;
        while entry.is_empty() && reader.fill(&mut entry, ChunkLimit::entries(1))? {}
        match entry.last() {
            Some((last, packed)) => unpack(last, packed),
            None => Ok(entry),
        }
    }

    fn check_space(&self, space: &str) -> Result<()> {
        if self.groups.has_space(space) {
            Ok(())
        } else {
            Err(Error::internal(format!("the store has no space {space}")))
        }
    }
}

impl Snapshot for Ungrouped {
    fn has_space(&self, space: &str) -> bool {
        self.groups.has_space(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.groups.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let group = self.group_from(space, key)?;
        let row = group.iter().find(|(found, _)| *found == key);
        Ok(row.map(|(_, value)| value.to_vec()))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.check_space(space)?;
        keys.iter().map(|key| self.get(space, key)).collect()
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        local::read(self, request)
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        Some(self)
    }
}

impl LocalSnapshot for Ungrouped {
    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        self.check_space(space)?;
        Ok(Box::new(RowCursor {
            snapshot: self,
            space: space.into(),
            within: within.clone(),
            direction,
            values: true,
            rest: None,
            end: None,
            group: Chunk::new(),
            failed: None,
        }))
    }

    fn visit(&self, space: &str, keys: &[&[u8]], take: &mut Visit<'_>) -> Result<()> {
        self.check_space(space)?;
        for (index, key) in keys.iter().enumerate() {
            if !take(index, self.get(space, key)?.as_deref()) {
                break;
            }
        }
        Ok(())
    }
}

/// Yields rows, a group at a time.
struct RowCursor {
    snapshot: Arc<Ungrouped>,
    space: Arc<str>,
    within: KeyRange,
    direction: Direction,
    values: bool,
    /// What is left of the range of the last seek; `None`: nothing.
    rest: Option<KeyRange>,
    /// Where it ends for now.
    end: Option<Vec<u8>>,
    /// The group that was looked at last since the seek: nothing lies between what is left and those of its rows that are.
    group: Chunk,
    failed: Option<(ErrorKind, String)>,
}

impl RowCursor {
    /// What is left up to the end for now.
    fn wanted(&self) -> Option<KeyRange> {
        let (rest, Some(end)) = (self.rest.as_ref()?, &self.end) else {
            return self.rest.clone();
        };
        match self.direction {
            Direction::Forward => rest.intersect(&KeyRange::new(Vec::new(), Some(end.clone()))?),
            Direction::Backward => rest.intersect(&KeyRange::new(end.clone(), None)?),
        }
    }

    /// Appends the next row. Returns whether there was one.
    fn step(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let Some(wanted) = self.wanted() else {
            return Ok(false);
        };
        if next_of(&self.group, &wanted, self.direction).is_none() {
            self.group = self.next_group(&wanted)?;
        }
        let next = next_of(&self.group, &wanted, self.direction);
        let Some((key, value)) = next.filter(|(key, _)| is_inside(key, &wanted)) else {
            return Ok(false);
        };
        chunk.push(key, if self.values { value } else { &[] });
        let stop = |rest: &KeyRange| rest.stop().map(<[u8]>::to_vec);
        self.rest = self.rest.as_ref().and_then(|rest| match self.direction {
            Direction::Forward => KeyRange::new([key, &[0][..]].concat(), stop(rest)),
            Direction::Backward => KeyRange::new(rest.start().to_vec(), Some(key.to_vec())),
        });
        Ok(true)
    }

    fn next_group(&self, wanted: &KeyRange) -> Result<Chunk> {
        let (snapshot, space) = (&self.snapshot, &*self.space);
        if self.direction == Direction::Forward {
            return snapshot.group_from(space, wanted.start());
        }
        if let Some(stop) = wanted.stop() {
            // It may begin before the stop.
            let around = snapshot.group_from(space, stop)?;
            let goes_on_here = next_of(&around, wanted, self.direction).is_some();
            #[cfg(test)]
            let goes_on_here = goes_on_here && !fault::active(Fault::GroupCutOff);
            if goes_on_here {
                return Ok(around);
            }
        }
        snapshot.group_before(space, wanted.stop())
    }
}

/// Whether a row is one of the range.
fn is_inside(key: &[u8], wanted: &KeyRange) -> bool {
    #[cfg(test)]
    if fault::active(Fault::GroupUntrimmed) {
        return true;
    }
    wanted.contains(key)
}

/// The row of a group from which a reader of `wanted` goes on, if it has one; it may lie beyond the far end.
fn next_of<'a>(
    group: &'a Chunk,
    wanted: &KeyRange,
    direction: Direction,
) -> Option<(&'a [u8], &'a [u8])> {
    match direction {
        Direction::Forward => group.iter().find(|(key, _)| *key >= wanted.start()),
        Direction::Backward => {
            let is_before = |key: &[u8]| wanted.stop().is_none_or(|stop| key < stop);
            group.iter().rev().find(|(key, _)| is_before(key))
        }
    }
}

impl Cursor for RowCursor {
    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        if let Some((kind, message)) = &self.failed {
            return Err(Error::new(*kind, message.clone()));
        }
        if !self.within.covers(range) {
            let within = &self.within;
            return Err(Error::internal(format!(
                "seek to {range}, which does not lie inside {within}"
            )));
        }
        self.rest = Some(range.clone());
        self.end = None;
        self.group.clear();
        Ok(())
    }

    fn restrict(&mut self, end: &[u8]) {
        let is_nearer = self.end.as_deref().is_none_or(|old| match self.direction {
            Direction::Forward => end < old,
            Direction::Backward => end > old,
        });
        if is_nearer {
            self.end = Some(end.to_vec());
        }
    }

    fn lift(&mut self) {
        self.end = None;
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        if let Some((kind, message)) = &self.failed {
            return Err(Error::new(*kind, message.clone()));
        }
        while !limit.is_reached(chunk) {
            match self.step(chunk) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    self.failed = Some((error.kind(), error.message().to_owned()));
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    fn omit_values(&mut self) {
        self.values = false;
    }
}
