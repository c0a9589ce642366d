//! A skip scan: a guide is asked about the entry on which the cursor lands, and says how far the entries from there on
//! are inside, or which candidate to seek.

use std::sync::Arc;

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
    stride: Stride,
}

/// The state of a walk. On which side a key bounds it depends on the direction: see [`Step`].
enum WalkState {
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
pub(super) const FIRST_TRIAL: usize = 32;

/// After how many at most.
const LAST_TRIAL: usize = 8192;

/// Whether to seek the next candidate or to read on to it: a heuristic.
///
/// A seek costs as much as reading some ten entries, and a store does not say how many entries it has passed over. So
/// every now and then a few entries are read on the way to a candidate. If they reach it, the walk goes on so, until a
/// candidate is farther away; if not, it seeks, and the next trial comes after twice as many seeks.
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
    pub(super) fn new(guide: Arc<dyn Guide>) -> Self {
        Self {
            position: WalkState::Outset,
            guide,
            landing: Chunk::new(),
            stride: Stride::new(),
        }
    }

    /// Goes on at this key, unless a candidate is known that is farther.
    pub(super) fn skip(&mut self, key: &[u8], direction: Direction) {
        self.position = match std::mem::replace(&mut self.position, WalkState::Done) {
            position @ (WalkState::Outset | WalkState::Done) => position,
            WalkState::SeekTo(to) | WalkState::Stepping(to, _)
                if direction.is_short_of(key, &to) =>
            {
                WalkState::SeekTo(to)
            }
            _ => WalkState::SeekTo(key.to_vec()),
        };
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
            WalkState::Stepping(to, left) => self.look(feed, chunk, Some((to, left)))?,
            WalkState::Inside(until) => {
                self.position = match (feed.read(chunk, limit)?, until) {
                    (true, until) => WalkState::Inside(until),
                    (false, Some(_)) => {
                        // The key behind what was inside is the next one: no seek is needed to get there.
                        feed.cursor()?.lift();
                        WalkState::Landing
                    }
                    (false, None) => WalkState::Done,
                };
            }
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
            // A store may hand control back in a run of tombstones.
            (None, Some((to, left))) if more => self.position = WalkState::Stepping(to, left),
            (None, None) if more => self.position = WalkState::Landing,
            (None, _) => {}
            (Some((key, _)), Some((to, left))) if feed.direction.is_short_of(key, &to) => {
                self.position = match left - 1 {
                    0 => {
                        self.stride.was_far();
                        WalkState::SeekTo(to)
                    }
                    left => WalkState::Stepping(to, left),
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
            Step::Seek(next) => match self.stride.steps() {
                0 => WalkState::SeekTo(next),
                steps => WalkState::Stepping(next, steps),
            },
            Step::Done => WalkState::Done,
        };
        Ok(())
    }
}
