//! A skip scan: a guide is asked about the entry on which the cursor lands, and says how far the entries from there on
//! are inside, or which candidate to seek.
//!
//! Where a candidate lies under nearly every key a skip scan costs more than to read everything. So a walk that is
//! allowed to ([`ReadRequest::widens`](super::super::ReadRequest)) gives up there: it reads its hull as any range is read,
//! and hands out all entries, for whoever reads looks at them himself. Every so often it tries whether candidates are far
//! again. One that must not hand out what is outside reads on to near candidates, entry by entry.

mod pace;

use std::sync::Arc;

pub use self::pace::ENTRIES_PER_SEEK;
use self::pace::Pace;
use super::super::{Chunk, ChunkLimit, Direction};
use super::Feed;
use crate::error::Result;
use crate::keyrange::{Guide, KeyRange, Step};

/// Reads what a guide says is inside.
pub(super) struct WalkReader {
    guide: Arc<dyn Guide>,
    position: WalkState,
    /// Holds the entry that is looked at.
    landing: Chunk,
    pace: Pace,
    /// Whether entries that are outside may be handed out.
    widens: bool,
    /// Whether some were.
    is_wide: bool,
    /// Whether the reader was sent to where it is about to land: then seeking is what is wanted, and says nothing of how far
    /// candidates are.
    is_sent: bool,
}

/// The state of a walk. On which side a key bounds it depends on the direction: see [`Step`].
enum WalkState {
    /// At the beginning.
    Outset,
    /// About to seek to this key.
    SeekTo(Vec<u8>),
    /// Nothing is known of the next entry yet.
    Landing,
    /// Reading on to this key.
    Stepping(Vec<u8>),
    /// All keys from where the cursor stands to this one are inside; `None`: to the end.
    Inside(Option<Vec<u8>>),
    /// So many entries are handed out, inside or not.
    Wide(usize),
    /// At the end.
    Done,
}

impl WalkReader {
    pub(super) fn new(guide: Arc<dyn Guide>, widens: bool) -> Self {
        Self {
            position: WalkState::Outset,
            guide,
            landing: Chunk::new(),
            pace: Pace::new(),
            widens,
            is_wide: false,
            is_sent: false,
        }
    }

    /// Whether entries that are outside may have been handed out.
    pub(super) fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Goes on at this key, unless a candidate is known that is farther.
    pub(super) fn skip(&mut self, key: &[u8], direction: Direction) {
        self.position = match std::mem::replace(&mut self.position, WalkState::Done) {
            position @ (WalkState::Outset | WalkState::Done) => position,
            WalkState::SeekTo(to) | WalkState::Stepping(to) if direction.is_short_of(key, &to) => {
                WalkState::SeekTo(to)
            }
            _ => WalkState::SeekTo(key.to_vec()),
        };
        self.is_sent = true;
    }

    /// Goes on by one seek or one read. Returns whether there may be more.
    pub(super) fn step(
        &mut self,
        feed: &mut Feed,
        chunk: &mut Chunk,
        limit: ChunkLimit,
    ) -> Result<bool> {
        match std::mem::replace(&mut self.position, WalkState::Done) {
            WalkState::Done => {}
            WalkState::Outset => {
                feed.tally.ranges += 1;
                self.seek(feed, self.guide.hull().clone())?;
            }
            WalkState::SeekTo(key) => {
                if let Some(rest) = self.rest(key, feed.direction) {
                    self.seek(feed, rest)?;
                }
            }
            WalkState::Landing => self.look(feed, chunk, None)?,
            WalkState::Stepping(to) => self.look(feed, chunk, Some(to))?,
            WalkState::Inside(until) => self.read_inside(feed, chunk, limit, until)?,
            WalkState::Wide(left) => self.read_all(feed, chunk, limit, left)?,
        }
        Ok(!matches!(self.position, WalkState::Done))
    }

    /// What is left of the hull from a candidate on, or before it, if anything is.
    fn rest(&self, candidate: Vec<u8>, direction: Direction) -> Option<KeyRange> {
        let hull = self.guide.hull();
        match direction {
            Direction::Forward => KeyRange::new(candidate, hull.stop().map(<[u8]>::to_vec)),
            Direction::Backward => KeyRange::new(hull.start().to_vec(), Some(candidate)),
        }
    }

    fn seek(&mut self, feed: &mut Feed, range: KeyRange) -> Result<()> {
        feed.seek(&range)?;
        self.position = WalkState::Landing;
        Ok(())
    }

    /// Reads entries that are inside.
    fn read_inside(
        &mut self,
        feed: &mut Feed,
        chunk: &mut Chunk,
        limit: ChunkLimit,
        until: Option<Vec<u8>>,
    ) -> Result<()> {
        let before = chunk.len();
        let has_more = feed.read(chunk, limit)?;
        self.pace.has_read(chunk.len() - before);
        self.position = match (has_more, until) {
            (true, until) => WalkState::Inside(until),
            (false, Some(_)) => {
                // The key behind what was inside is the next one: no seek is needed to get there.
                feed.cursor()?.lift();
                WalkState::Landing
            }
            (false, None) => WalkState::Done,
        };
        Ok(())
    }

    /// Reads entries whether they are inside or not.
    fn read_all(
        &mut self,
        feed: &mut Feed,
        chunk: &mut Chunk,
        limit: ChunkLimit,
        left: usize,
    ) -> Result<()> {
        let before = chunk.len();
        let few = ChunkLimit {
            entries: limit.entries.min(before.saturating_add(left)),
            ..limit
        };
        let has_more = feed.read(chunk, few)?;
        let left = left.saturating_sub(chunk.len() - before);
        self.position = match (has_more, left) {
            (false, _) => WalkState::Done,
            (true, 0) => {
                self.pace.begin_trial();
                WalkState::Landing
            }
            (true, left) => WalkState::Wide(left),
        };
        Ok(())
    }

    /// Looks at the next entry: the first one after a seek, behind what was inside, or one on the way to a candidate.
    fn look(&mut self, feed: &mut Feed, chunk: &mut Chunk, way: Option<Vec<u8>>) -> Result<()> {
        self.landing.clear();
        let more = feed.read(&mut self.landing, ChunkLimit::entries(1))?;
        let landing = std::mem::take(&mut self.landing);
        match (landing.get(0), way) {
            // A store may hand control back in a run of tombstones.
            (None, Some(to)) if more => self.position = WalkState::Stepping(to),
            (None, None) if more => self.position = WalkState::Landing,
            (None, _) => {}
            (Some((key, _)), Some(to)) if feed.direction.is_short_of(key, &to) => {
                self.position = if self.pace.passes(landing.size_in_bytes()) {
                    WalkState::Stepping(to)
                } else {
                    WalkState::SeekTo(to)
                };
            }
            (Some((key, value)), _) if self.pace.is_given_up(self.widens) => {
                chunk.push(key, value);
                self.is_wide = true;
                self.position = WalkState::Wide(self.pace.stretch());
            }
            (Some((key, value)), _) => self.ask(feed, chunk, key, value)?,
        }
        self.landing = landing;
        Ok(())
    }

    /// Asks about an entry: whether it is inside, and how far that goes, or where to go on.
    fn ask(&mut self, feed: &mut Feed, chunk: &mut Chunk, key: &[u8], value: &[u8]) -> Result<()> {
        if !std::mem::take(&mut self.is_sent) {
            self.pace.asks();
        }
        let step = match feed.direction {
            Direction::Forward => self.guide.next(key),
            Direction::Backward => self.guide.previous(key),
        };
        self.position = match step? {
            Step::In { until } => {
                chunk.push(key, value);
                if let (Some(until), Some(cursor)) = (&until, &mut feed.cursor) {
                    cursor.restrict(until);
                }
                WalkState::Inside(until)
            }
            Step::Seek(next) => {
                if self.pace.reads_on() {
                    WalkState::Stepping(next)
                } else {
                    WalkState::SeekTo(next)
                }
            }
            Step::Done => WalkState::Done,
        };
        Ok(())
    }
}
