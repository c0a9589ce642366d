//! Reading from a local store: the readers of a [`LocalSnapshot`], made of its cursors and look-ups. Ranges are sought
//! one after the other, a walk from candidate to candidate.
//!
//! A seek costs a microsecond or a few, an entry a tenth of that, and nothing waits for another machine. So a reader
//! opens its cursor when the first entry is wanted (of many readers that are begun together only those that are read
//! hold one), does not prefetch, and reads on where a candidate is a few entries away instead of seeking it.

mod walk;

use std::sync::Arc;

pub use self::walk::ENTRIES_PER_SEEK;
use self::walk::WalkReader;
use super::read::{ReadRequest, Reader, Tally, Work};
use super::{Chunk, ChunkLimit, Cursor, Direction, Snapshot, has_failed_before, no_such_space};
use crate::error::{Error, ErrorKind, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};

/// A snapshot of a local store, from which [`read()`] makes readers.
pub trait LocalSnapshot: Snapshot {
    /// A cursor over the part `within` of a space. It keeps the snapshot alive. Before its first [`Cursor::seek`] it
    /// yields nothing.
    ///
    /// Errors: `Internal` if the space did not exist when the snapshot was taken.
    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>>;

    /// Shows `take` the value under each of `keys`, in their order, without a copy, until it says that it wants no more.
    /// It is given the index of the key.
    ///
    /// Errors: as [`LocalSnapshot::cursor`].
    fn visit(&self, space: &str, keys: &[&[u8]], take: &mut Visit<'_>) -> Result<()>;
}

/// Takes the value under a key, if there is one, and says whether it wants more.
pub type Visit<'a> = dyn FnMut(usize, Option<&[u8]>) -> bool + 'a;

/// How many keys are looked up at once: bounds how many blocks one call pins.
pub(super) const KEYS_PER_LOOKUP: usize = 256;

/// The most seeks and reads of one fill: then it hands control back, so that its caller can check whether it is
/// cancelled.
const STEPS_PER_FILL: usize = 64;

/// Begins to read a local snapshot: its [`Snapshot::read`].
///
/// # Errors
/// `Internal` if the space did not exist when the snapshot was taken.
pub fn read(snapshot: Arc<dyn LocalSnapshot>, request: ReadRequest) -> Result<Box<dyn Reader>> {
    if !snapshot.has_space(&request.space) {
        return Err(no_such_space(&request.space));
    }
    let within = match &request.work {
        // Looked up without a cursor.
        Work::Points(_) => KeyRange::all(),
        _ => request.hull().unwrap_or_else(KeyRange::all),
    };
    let form = match request.work {
        Work::Points(keys) => Form::Points(PointsReader { keys, done: 0 }),
        Work::Ranges(ranges) => Form::Ranges(RangesReader {
            ranges,
            entered: 0,
            is_within: false,
        }),
        Work::Walk(guide) => Form::Walk(WalkReader::new(guide, request.widens)),
    };
    let feed = Feed {
        snapshot,
        space: request.space,
        within,
        direction: request.direction,
        values: request.values,
        cursor: None,
        tally: Tally::default(),
        is_interrupted: false,
    };
    Ok(Box::new(LocalReader {
        feed,
        form,
        failed: None,
    }))
}

struct LocalReader {
    feed: Feed,
    form: Form,
    failed: Option<(ErrorKind, String)>,
}

enum Form {
    Points(PointsReader),
    Ranges(RangesReader),
    Walk(WalkReader),
}

impl LocalReader {
    fn refuse_if_failed(&self) -> Result<()> {
        match &self.failed {
            Some((kind, message)) => Err(has_failed_before(*kind, message)),
            None => Ok(()),
        }
    }

    /// The error, which it remembers.
    fn failed_with(&mut self, error: Error) -> Error {
        self.failed = Some((error.kind(), error.message().to_owned()));
        error
    }

    /// Goes on by one seek, read or look-up. Returns whether there may be more.
    fn step(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let feed = &mut self.feed;
        match &mut self.form {
            Form::Points(points) => points.step(feed, chunk, limit),
            Form::Ranges(ranges) => ranges.step(feed, chunk, limit),
            Form::Walk(walk) => walk.step(feed, chunk, limit),
        }
    }
}

impl Reader for LocalReader {
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        self.refuse_if_failed()?;
        for _ in 0..STEPS_PER_FILL {
            if limit.is_reached(chunk) {
                break;
            }
            match self.step(chunk, limit) {
                Ok(true) if std::mem::take(&mut self.feed.is_interrupted) => break,
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => return Err(self.failed_with(error)),
            }
        }
        Ok(true)
    }

    fn skip(&mut self, key: &[u8]) -> Result<()> {
        self.refuse_if_failed()?;
        let skipped = match &mut self.form {
            Form::Points(_) => Ok(()),
            Form::Ranges(ranges) => ranges.skip(&mut self.feed, key),
            Form::Walk(walk) => {
                walk.skip(key, self.feed.direction);
                Ok(())
            }
        };
        skipped.map_err(|error| self.failed_with(error))
    }

    fn is_wide(&self) -> bool {
        matches!(&self.form, Form::Walk(walk) if walk.is_wide())
    }

    fn tally(&self) -> Tally {
        self.feed.tally
    }
}

/// What a reader reads with: its snapshot, its cursor, and the tally of both.
struct Feed {
    snapshot: Arc<dyn LocalSnapshot>,
    space: Arc<str>,
    within: KeyRange,
    direction: Direction,
    /// Whether anybody looks at the values.
    values: bool,
    /// Opened when the first entry is wanted.
    cursor: Option<Box<dyn Cursor>>,
    tally: Tally,
    /// Whether the cursor has handed control back without an entry: then the reader does so, too.
    is_interrupted: bool,
}

impl Feed {
    fn cursor(&mut self) -> Result<&mut Box<dyn Cursor>> {
        if self.cursor.is_none() {
            let snapshot = Arc::clone(&self.snapshot);
            let mut cursor = snapshot.cursor(&self.space, &self.within, self.direction)?;
            if !self.values {
                cursor.omit_values();
            }
            self.cursor = Some(cursor);
        }
        let opened = self.cursor.as_mut();
        opened.ok_or_else(|| Error::internal("a cursor that was just opened"))
    }

    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        self.tally.seeks += 1;
        let cursor = self.cursor()?;
        let sought = cursor.seek(range);
        self.tally.deleted = cursor.deleted();
        sought
    }

    /// Reads on where the cursor stands. Returns whether its range may hold more.
    fn read(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let (entries, bytes) = (chunk.len(), chunk.size_in_bytes());
        let cursor = self.cursor()?;
        let filled = cursor.fill(chunk, limit);
        self.tally.deleted = cursor.deleted();
        self.tally.entries += chunk.len() - entries;
        self.tally.bytes += chunk.size_in_bytes() - bytes;
        self.is_interrupted = matches!(filled, Ok(true)) && chunk.len() == entries;
        filled
    }
}

/// Key after key, many at once.
struct PointsReader {
    keys: Arc<[Vec<u8>]>,
    /// How many were looked up.
    done: usize,
}

impl PointsReader {
    fn step(&mut self, feed: &mut Feed, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let count = (limit.entries - chunk.len()).min(KEYS_PER_LOOKUP);
        let keys = self.keys.iter().map(Vec::as_slice);
        let (one, many);
        let next: &[&[u8]] = match (self.keys.as_ref(), self.done, feed.direction) {
            ([key], 0, _) => {
                one = [key.as_slice()];
                &one
            }
            (_, done, Direction::Forward) => {
                many = keys.skip(done).take(count).collect::<Vec<_>>();
                &many
            }
            (_, done, Direction::Backward) => {
                many = keys.rev().skip(done).take(count).collect::<Vec<_>>();
                &many
            }
        };
        let (entries, bytes) = (chunk.len(), chunk.size_in_bytes());
        let (mut looked_up, values) = (0, feed.values);
        let visited = feed.snapshot.visit(&feed.space, next, &mut |index, value| {
            // What is left out here is looked up again: values are seldom so long.
            if limit.is_reached(chunk) {
                return false;
            }
            if let (Some(key), Some(value)) = (next.get(index), value) {
                chunk.push(key, if values { value } else { &[] });
            }
            looked_up = index + 1;
            true
        });
        self.done += looked_up;
        feed.tally.ranges += looked_up;
        feed.tally.seeks += looked_up;
        feed.tally.entries += chunk.len() - entries;
        feed.tally.bytes += chunk.size_in_bytes() - bytes;
        visited?;
        Ok(self.done < self.keys.len())
    }
}

/// Range after range.
struct RangesReader {
    ranges: KeyRangeSet,
    /// How many ranges the cursor has been sent to.
    entered: usize,
    /// Whether the newest of them may hold more.
    is_within: bool,
}

impl RangesReader {
    /// Goes on by one seek or one read. Returns whether there may be more.
    fn step(&mut self, feed: &mut Feed, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        if self.is_within {
            self.is_within = feed.read(chunk, limit)?;
            return Ok(self.is_within || self.entered < self.ranges.ranges().len());
        }
        let Some(range) = self.range(self.entered, feed.direction) else {
            return Ok(false);
        };
        feed.seek(range)?;
        feed.tally.ranges += 1;
        self.entered += 1;
        self.is_within = true;
        Ok(true)
    }

    /// The range that comes behind so many others.
    fn range(&self, before: usize, direction: Direction) -> Option<&KeyRange> {
        let ranges = self.ranges.ranges();
        match direction {
            Direction::Forward => ranges.get(before),
            Direction::Backward => ranges.get(ranges.len().checked_sub(before + 1)?),
        }
    }

    /// Leaves out ranges that are passed over, and seeks what is left of one that is in part.
    fn skip(&mut self, feed: &mut Feed, key: &[u8]) -> Result<()> {
        let newest = self.entered.checked_sub(1).filter(|_| self.is_within);
        let mut next = newest.unwrap_or(self.entered);
        while let Some(range) = self.range(next, feed.direction)
            && is_passed(range, key, feed.direction)
        {
            next += 1;
        }
        self.is_within = false;
        self.entered = next;
        let rest = self.range(next, feed.direction);
        let Some(rest) = rest.and_then(|range| range.intersect(&beyond(key, feed.direction)?))
        else {
            return Ok(());
        };
        feed.seek(&rest)?;
        feed.tally.ranges += usize::from(newest != Some(next));
        self.entered += 1;
        self.is_within = true;
        Ok(())
    }
}

/// The keys that are not passed over; `None` where there are none.
fn beyond(key: &[u8], direction: Direction) -> Option<KeyRange> {
    match direction {
        Direction::Forward => KeyRange::new(key.to_vec(), None),
        Direction::Backward => KeyRange::new(Vec::new(), Some(key.to_vec())),
    }
}

/// Whether all of a range is passed over.
fn is_passed(range: &KeyRange, key: &[u8], direction: Direction) -> bool {
    match direction {
        Direction::Forward => range.stop().is_some_and(|stop| stop <= key),
        Direction::Backward => range.start() >= key,
    }
}
