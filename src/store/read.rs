//! Reading entries: what is wanted goes to the store whole, and comes back in chunks.
//!
//! A [`ReadRequest`] names all that is wanted of one space: keys, ranges, or a walk that computes where to go on. The
//! store begins with it at once ([`super::Snapshot::read`]), and the [`Reader`] hands out entries as they come. So a
//! remote store can send work for many places in one message, and prefetch; a local store does nothing before the first
//! entry is asked for, and reads no entry that is not asked for.
//!
//! An entry is not a row: who wants rows asks [`crate::row::RowSnapshot`], with the same request, and gets chunks of rows.

use std::sync::Arc;

use super::{Chunk, ChunkLimit, Direction};
use crate::error::Result;
use crate::keyrange::{Guide, KeyRange, KeyRangeSet};

/// What is wanted of one space, at the moment of a snapshot.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The space.
    pub space: Arc<str>,
    /// Which of its entries.
    pub work: Work,
    /// In which order they come: forward, that of the keys (of points, that of their list); backward, the reverse.
    pub direction: Direction,
    /// A hint: about how many entries the first answer of a remote store should hold. Later answers may hold more.
    pub first: usize,
    /// A hint: at most so many entries will be asked for; `None`: perhaps all. A store need not stop by itself.
    pub fetch: Option<usize>,
    /// A hint: whether anybody looks at the values. Where nobody does, a store may hand out empty ones.
    pub values: bool,
    /// Whether of a walk any entries of its hull may come, where that is cheaper than to look for those inside: see
    /// [`Reader::is_wide`].
    pub widens: bool,
}

/// Which entries of a space are wanted.
#[derive(Debug, Clone)]
pub enum Work {
    /// Those under these keys, which are distinct, in the order of the list, or the reverse. A bloom filter may spare
    /// the store a look-up where there is no entry.
    Points(Arc<[Vec<u8>]>),
    /// Those in these ranges.
    Ranges(KeyRangeSet),
    /// Those that the guide says are inside: a skip scan. The guide is asked about keys of stored entries alone.
    Walk(Arc<dyn Guide>),
}

impl ReadRequest {
    /// [`ReadRequest::first`] unless it is said otherwise.
    pub const FIRST: usize = 1024;

    /// All of this work.
    pub fn new(space: impl Into<Arc<str>>, work: Work, direction: Direction) -> Self {
        Self {
            space: space.into(),
            work,
            direction,
            first: Self::FIRST,
            fetch: None,
            values: true,
            widens: false,
        }
    }

    /// All entries of one range.
    pub fn range(space: impl Into<Arc<str>>, range: KeyRange, direction: Direction) -> Self {
        Self::new(space, Work::Ranges(range.into()), direction)
    }

    /// The same with a [`ReadRequest::fetch`], and no more entries in the first answer.
    #[must_use]
    pub fn with_fetch(self, fetch: usize) -> Self {
        Self {
            first: self.first.min(fetch),
            fetch: Some(fetch),
            ..self
        }
    }

    /// The same for one who looks at keys alone.
    #[must_use]
    pub fn without_values(self) -> Self {
        Self {
            values: false,
            ..self
        }
    }

    /// A range that holds all that is wanted; `None` where that is nothing.
    pub fn hull(&self) -> Option<KeyRange> {
        match &self.work {
            Work::Ranges(ranges) => ranges.hull(),
            Work::Walk(guide) => Some(guide.hull().clone()),
            Work::Points(keys) => {
                let (first, last) = (keys.iter().min()?, keys.iter().max()?);
                KeyRange::new(first.clone(), Some([last, &[0][..]].concat()))
            }
        }
    }
}

/// Hands out the entries of a [`ReadRequest`], each once, in its direction. Lives on one thread at a time; dropped, it
/// ends the work.
///
/// After an error a reader stays failed: every later fill is an error.
pub trait Reader: Send {
    /// Appends the next entries to `chunk` until `limit` is reached or the work ends. Returns whether there may be
    /// more; `false` is final. It blocks until a remote store has answered.
    ///
    /// `true` without a new entry is no error: a store may hand control back on a long way to the next entry, so that
    /// the caller can check whether it is cancelled. The next call goes on from there. After an error the chunk may
    /// hold entries that were read before it.
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool>;

    /// Passes over entries that are not wanted any more. Those at `key` and behind it are; backward, those before it. It is
    /// ahead of all that was handed out. A hint: some of what is passed over may still come; look-ups pass over nothing.
    fn skip(&mut self, key: &[u8]) -> Result<()>;

    /// Whether a walk has given up: of what was handed out so far some may lie outside of what its guide says, though inside
    /// of its hull. Never, unless the request [widens](ReadRequest::widens).
    fn is_wide(&self) -> bool;

    /// What it has cost so far.
    fn tally(&self) -> Tally;
}

/// What reading has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Ranges entered and keys looked up; a walk is one.
    pub ranges: usize,
    /// Seeks. A local store makes one for each range, for each key, and for each candidate of a walk that it did not
    /// reach by reading on.
    pub seeks: usize,
    /// Entries that the store has read for this, handed out or not.
    pub entries: usize,
    /// Deleted entries that the store has passed over, as far as it counts them: what it has not cleared away yet.
    pub deleted: usize,
    /// The bytes of their keys and values, without values that were left out.
    pub bytes: usize,
    /// Messages to another machine.
    pub requests: usize,
    /// Parts of spaces that were asked, where other machines keep them apart.
    pub regions: usize,
}

impl Tally {
    /// The difference to an earlier tally of the same reader.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            ranges: self.ranges - earlier.ranges,
            seeks: self.seeks - earlier.seeks,
            entries: self.entries - earlier.entries,
            deleted: self.deleted - earlier.deleted,
            bytes: self.bytes - earlier.bytes,
            requests: self.requests - earlier.requests,
            regions: self.regions - earlier.regions,
        }
    }
}
