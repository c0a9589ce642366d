//! Reading one run of the spans out of the store: range after range, or from candidate to candidate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ScanRequest;
use super::metrics::Counters;
use super::partition::Piece;
use super::snapshot::refuse_if_gone;
use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::span::{Step, Walk, Work};
use crate::store::{Chunk, ChunkLimit, Cursor, Direction, Snapshot};

/// The most entries that are read between two looks at whether the scan is still wanted.
const ENTRIES_PER_LOOK: usize = 1024;

/// Whether nobody wants the rows of a scan any more. A clone is the same flag.
#[derive(Debug, Clone, Default)]
pub(super) struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From where the runs of a partition are read.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) snapshot: Arc<dyn Snapshot>,
    pub(super) space: Arc<str>,
    pub(super) direction: Direction,
    pub(super) counters: Counters,
    pub(super) cancelled: Cancelled,
}

impl Source {
    /// What a request reads at one moment of its store.
    ///
    /// # Errors
    /// Those of [`refuse_if_gone`].
    pub(super) fn new(
        request: &ScanRequest,
        snapshot: Arc<dyn Snapshot>,
        counters: Counters,
    ) -> Result<Self> {
        let table = &request.table;
        refuse_if_gone(table, snapshot.as_ref())?;
        Ok(Self {
            snapshot,
            space: table.space().into(),
            direction: request.direction,
            counters,
            cancelled: Cancelled::default(),
        })
    }
}

/// Reads the entries of a run, in the scan's direction.
pub(super) struct RunReader {
    feed: Feed,
    form: Form,
}

enum Form {
    Ranges(RangeReader),
    Walk(WalkReader),
}

impl RunReader {
    /// The reader of a run or a piece of one, before its first entry.
    pub(super) fn new(source: Source, piece: Piece) -> Self {
        let Piece { run, is_rest } = piece;
        let within = run.hull();
        let form = match run.work {
            Work::Ranges(ranges) => Form::Ranges(RangeReader {
                ranges,
                is_rest,
                entered: 0,
                is_within: false,
            }),
            Work::Walk(walk) => Form::Walk(WalkReader::new(walk)),
        };
        let feed = Feed {
            source,
            within,
            cursor: None,
        };
        Self { feed, form }
    }

    /// Appends entries until `limit` is reached, the run ends or the scan is cancelled. Returns whether the run may
    /// hold more.
    pub(super) fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        while !limit.is_reached(chunk) && !self.feed.source.cancelled.is_set() {
            let goes_on = match &mut self.form {
                Form::Ranges(reader) => reader.step(&mut self.feed, chunk, limit)?,
                Form::Walk(reader) => reader.step(&mut self.feed, chunk, limit)?,
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A cursor that counts.
struct Feed {
    source: Source,
    within: KeyRange,
    /// Opened when the first entry is wanted: runs that are read one after the other are not all open at once.
    cursor: Option<Box<dyn Cursor>>,
}

impl Feed {
    fn cursor(&mut self) -> Result<&mut Box<dyn Cursor>> {
        if self.cursor.is_none() {
            let source = &self.source;
            let snapshot = Arc::clone(&source.snapshot);
            self.cursor = Some(snapshot.cursor(&source.space, &self.within, source.direction)?);
        }
        self.cursor
            .as_mut()
            .ok_or_else(|| Error::internal("a cursor that was just opened"))
    }

    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        self.source.counters.seeks.add(1);
        self.cursor()?.seek(range)
    }

    /// Reads on where the cursor stands, a few entries at a time. Returns whether its range may hold more.
    fn read(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let (entries, bytes) = (chunk.len(), chunk.size_in_bytes());
        let limit = ChunkLimit {
            entries: limit.entries.min(entries + ENTRIES_PER_LOOK),
            ..limit
        };
        let more = self.cursor()?.fill(chunk, limit)?;
        let counters = &self.source.counters;
        counters.keys_read.add(chunk.len() - entries);
        counters.bytes_read.add(chunk.size_in_bytes() - bytes);
        Ok(more)
    }
}

struct RangeReader {
    ranges: KeyRangeSet,
    /// Whether the first range is counted where another piece begins it.
    is_rest: bool,
    /// How many ranges the cursor has been sent to.
    entered: usize,
    /// Whether the newest of them may hold more.
    is_within: bool,
}

impl RangeReader {
    /// Goes on by one seek or one read. Returns whether there may be more.
    fn step(&mut self, feed: &mut Feed, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        if self.is_within {
            self.is_within = feed.read(chunk, limit)?;
            return Ok(self.is_within || self.entered < self.ranges.ranges().len());
        }
        let ranges = self.ranges.ranges();
        let index = match feed.source.direction {
            Direction::Forward => Some(self.entered),
            Direction::Backward => ranges.len().checked_sub(self.entered + 1),
        };
        let Some(range) = index.and_then(|index| ranges.get(index)) else {
            return Ok(false);
        };
        feed.seek(range)?;
        if !(self.is_rest && index == Some(0)) {
            feed.source.counters.ranges.add(1);
        }
        self.entered += 1;
        self.is_within = true;
        Ok(true)
    }
}

struct WalkReader {
    walk: Arc<Walk>,
    position: Position,
    /// Holds the entry that is looked at.
    landing: Chunk,
    stride: Stride,
}

/// Where a walk stands. What it says of keys is to be read with the scan's direction: see [`Step`].
enum Position {
    /// At the beginning.
    Outset,
    /// About to seek to this key.
    SeekTo(Vec<u8>),
    /// Nothing is known of the next entry yet.
    Landing,
    /// Reading on to this key, for so many entries at most.
    Stepping(Vec<u8>, usize),
    /// All keys from where the cursor stands to this one are inside; `None`: to the end.
    Inside(Option<Vec<u8>>),
    /// At the end.
    Done,
}

/// The most entries that are read on the way to a candidate before it is sought: a seek costs as much as some ten.
const STEPS: usize = 8;

/// After how many seeks it is tried, the first time, whether the candidates are near.
const FIRST_TRIAL: usize = 32;

/// After how many at most.
const LAST_TRIAL: usize = 8192;

/// Whether to seek the next candidate or to read on to it.
///
/// How far a seek has jumped nobody says, so now and then it is tried: a walk whose candidates lie a few entries apart
/// gives up seeking, until one does not.
struct Stride {
    /// Seeks until the next trial; 0: the last one has shown candidates to be near.
    seeks_left: usize,
    trial_after: usize,
}

impl Stride {
    fn new() -> Self {
        Self {
            seeks_left: FIRST_TRIAL,
            trial_after: FIRST_TRIAL,
        }
    }

    /// How many entries to read on the way to the next candidate before it is sought.
    fn steps(&mut self) -> usize {
        self.seeks_left = self.seeks_left.saturating_sub(1);
        match self.seeks_left {
            0 => STEPS,
            _ => 0,
        }
    }

    fn was_near(&mut self) {
        self.trial_after = FIRST_TRIAL;
    }

    fn was_far(&mut self) {
        self.seeks_left = self.trial_after;
        self.trial_after = (self.trial_after * 2).min(LAST_TRIAL);
    }
}

impl WalkReader {
    fn new(walk: Arc<Walk>) -> Self {
        Self {
            position: Position::Outset,
            walk,
            landing: Chunk::new(),
            stride: Stride::new(),
        }
    }

    /// Goes on by one seek or one read. Returns whether there may be more.
    fn step(&mut self, feed: &mut Feed, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        match std::mem::replace(&mut self.position, Position::Done) {
            Position::Done => {}
            Position::Outset => {
                feed.source.counters.ranges.add(1);
                self.seek(feed, self.walk.hull().clone())?;
            }
            Position::SeekTo(key) => {
                if let Some(rest) = self.rest(key, feed.source.direction) {
                    self.seek(feed, rest)?;
                }
            }
            Position::Landing => self.look(feed, chunk, None)?,
            Position::Stepping(to, left) => self.look(feed, chunk, Some((to, left)))?,
            Position::Inside(until) => {
                self.position = match (feed.read(chunk, limit)?, until) {
                    (true, until) => Position::Inside(until),
                    (false, Some(_)) => {
                        // The key behind what was inside is the next one: no seek is needed to get there.
                        feed.cursor()?.lift();
                        Position::Landing
                    }
                    (false, None) => Position::Done,
                };
            }
        }
        Ok(!matches!(self.position, Position::Done))
    }

    /// What is left of the hull from a candidate on, or before it, if anything is.
    fn rest(&self, candidate: Vec<u8>, direction: Direction) -> Option<KeyRange> {
        let hull = self.walk.hull();
        match direction {
            Direction::Forward => KeyRange::new(candidate, hull.stop().map(<[u8]>::to_vec)),
            Direction::Backward => KeyRange::new(hull.start().to_vec(), Some(candidate)),
        }
    }

    fn seek(&mut self, feed: &mut Feed, range: KeyRange) -> Result<()> {
        feed.seek(&range)?;
        self.position = Position::Landing;
        Ok(())
    }

    /// Looks at the next entry: the first one after a seek, behind what was inside, or one on the way to a candidate.
    fn look(
        &mut self,
        feed: &mut Feed,
        chunk: &mut Chunk,
        way: Option<(Vec<u8>, usize)>,
    ) -> Result<()> {
        self.landing.clear();
        let more = feed.read(&mut self.landing, ChunkLimit::entries(1))?;
        let landing = std::mem::take(&mut self.landing);
        match (landing.get(0), way) {
            // A store may hand control back in a run of deleted entries.
            (None, Some((to, left))) if more => self.position = Position::Stepping(to, left),
            (None, None) if more => self.position = Position::Landing,
            (None, _) => {}
            (Some((key, _)), Some((to, left))) if is_short_of(key, &to, feed.source.direction) => {
                self.position = match left - 1 {
                    0 => {
                        self.stride.was_far();
                        Position::SeekTo(to)
                    }
                    left => Position::Stepping(to, left),
                };
            }
            (Some((key, value)), way) => {
                if way.is_some() {
                    self.stride.was_near();
                }
                self.ask(feed, chunk, key, value)?;
            }
        }
        self.landing = landing;
        Ok(())
    }

    /// Asks about an entry: whether it is inside, and how far that goes, or where to go on.
    fn ask(&mut self, feed: &mut Feed, chunk: &mut Chunk, key: &[u8], value: &[u8]) -> Result<()> {
        let step = match feed.source.direction {
            Direction::Forward => self.walk.next(key),
            Direction::Backward => self.walk.previous(key),
        };
        self.position = match step? {
            Step::In { until } => {
                chunk.push(key, value);
                if let (Some(until), Some(cursor)) = (&until, &mut feed.cursor) {
                    cursor.restrict(until);
                }
                Position::Inside(until)
            }
            Step::Seek(next) => match self.stride.steps() {
                0 => Position::SeekTo(next),
                steps => Position::Stepping(next, steps),
            },
            Step::Done => Position::Done,
        };
        Ok(())
    }
}

/// Whether a key on the way lies before the candidate.
fn is_short_of(key: &[u8], candidate: &[u8], direction: Direction) -> bool {
    match direction {
        Direction::Forward => key < candidate,
        Direction::Backward => key >= candidate,
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
