//! Entries of several runs in key order, and how the entries of a partition are drawn.

use std::cmp::Ordering;
use std::collections::VecDeque;

use super::run::{Cancelled, RunReader};
use crate::error::Result;
use crate::keyrange::prefix_successor;
use crate::store::{Chunk, ChunkLimit, Direction};

/// The most entries, and about the most bytes, that a merge holds of one run.
const HEAD: ChunkLimit = ChunkLimit {
    entries: 1024,
    bytes: 256 << 10,
};

/// In which order the rows of a partition's runs are read.
pub(super) enum Draw {
    /// One after the other.
    Chained(Chain),
    /// In the order of their keys.
    Merged(Box<Merge>),
}

impl Draw {
    /// Appends entries until `limit` is reached, all runs end, the scan is cancelled, or a run hands control back without
    /// an entry ([`RunReader::fill`]). Returns whether there may be more.
    pub(super) fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        match self {
            Self::Merged(merge) => merge.fill(chunk, limit),
            Self::Chained(chain) => chain.fill(chunk, limit),
        }
    }

    /// Whether rows may have come that the walks of the runs leave out: see [`RunReader::is_wide`].
    pub(super) fn is_wide(&self) -> bool {
        match self {
            Self::Merged(merge) => merge.heads.iter().any(|head| head.run.is_wide()),
            Self::Chained(chain) => {
                let newest = chain.runs.front();
                chain.is_wide || newest.is_some_and(RunReader::is_wide)
            }
        }
    }

    /// Passes over what is left of the group of the last row, in the run from which that came, or in all that are merged.
    pub(super) fn skip(&mut self, group: &Group) -> Result<()> {
        match self {
            Self::Merged(merge) => merge.skip(group),
            Self::Chained(chain) => chain.skip(group.own_end().as_deref()),
        }
    }
}

/// How many runs are begun before the first of them ends.
const BEGUN: usize = 32;

/// Runs that are read one after the other, with a prefetch: some of those that follow are begun already, so that a
/// remote store reads them meanwhile.
pub(super) struct Chain {
    runs: VecDeque<RunReader>,
    /// How many of `runs` are begun.
    begun: usize,
    /// Whether the entry that came last is of the first of `runs`.
    is_within: bool,
    /// Whether a run was wide that has ended.
    is_wide: bool,
}

impl Chain {
    pub(super) fn new(runs: Vec<RunReader>) -> Self {
        Self {
            runs: runs.into(),
            begun: 0,
            is_within: false,
            is_wide: false,
        }
    }

    /// How many runs are not read to their end.
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether the entry that came last is of the first of these.
    pub(super) fn is_within(&self) -> bool {
        self.is_within
    }

    /// Those at `key` and behind it are wanted of the run from which the last entry came; backward, those before it;
    /// `None`: no more of it.
    fn skip(&mut self, key: Option<&[u8]>) -> Result<()> {
        match (self.is_within, key, self.runs.front_mut()) {
            (true, Some(key), Some(run)) => run.skip(key)?,
            (true, None, _) => self.end_run(),
            _ => {}
        }
        Ok(())
    }

    fn end_run(&mut self) {
        let ended = self.runs.pop_front();
        self.is_wide |= ended.is_some_and(|run| run.is_wide());
        self.begun -= 1;
        self.is_within = false;
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        loop {
            for run in self.runs.iter_mut().take(BEGUN).skip(self.begun) {
                run.begin()?;
                self.begun += 1;
            }
            let Some(run) = self.runs.front_mut() else {
                return Ok(false);
            };
            let before = chunk.len();
            let has_more = run.fill(chunk, limit)?;
            self.is_within |= chunk.len() > before;
            if has_more {
                return Ok(true);
            }
            self.end_run();
        }
    }
}

/// What is compared of two keys of different runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison {
    /// Start and length of a field that is left out.
    pub(super) cut: Option<(usize, usize)>,
    /// Whether greater keys come first.
    pub(super) direction: Direction,
}

impl Comparison {
    /// How two keys stand in the order of the keys, whichever way they are read.
    pub(super) fn compare(self, left: &[u8], right: &[u8]) -> Ordering {
        match self.cut {
            None => left.cmp(right),
            Some((start, length)) => {
                let (left, right) = (halves(left, start, length), halves(right, start, length));
                left.cmp(&right)
            }
        }
    }

    fn is_before(self, left: &[u8], right: &[u8]) -> bool {
        let order = self.compare(left, right);
        match self.direction {
            Direction::Forward => order.is_lt(),
            Direction::Backward => order.is_gt(),
        }
    }
}

/// What stands before and behind the cut.
fn halves(key: &[u8], start: usize, length: usize) -> (&[u8], &[u8]) {
    (
        key.get(..start).unwrap_or(key),
        key.get(start + length..).unwrap_or_default(),
    )
}

/// The keys that begin as those of one group do, whatever their bucket where runs are merged.
#[derive(Debug)]
pub(super) struct Group {
    /// How the key of one of its rows begins.
    front: Vec<u8>,
    comparison: Comparison,
}

impl Group {
    /// The group of a row whose key begins with `front`.
    pub(super) fn new(front: &[u8], comparison: Comparison) -> Self {
        Self {
            front: front.to_vec(),
            comparison,
        }
    }

    /// Whether a key is one of the group's.
    pub(super) fn holds(&self, key: &[u8]) -> bool {
        let Some((start, length)) = self.comparison.cut else {
            return key.starts_with(&self.front);
        };
        let behind = start + length;
        let fields = key.get(behind..).zip(self.front.get(behind..));
        key.get(..start) == self.front.get(..start)
            && fields.is_some_and(|(key, group)| key.starts_with(group))
    }

    /// Where the group ends in the run of one of its keys, as [`RunReader::skip`] takes it; `None` where the
    /// run does.
    pub(super) fn end(&self, key: &[u8]) -> Option<Vec<u8>> {
        let front = key.get(..self.front.len())?;
        match self.comparison.direction {
            Direction::Forward => prefix_successor(front),
            Direction::Backward => (!front.is_empty()).then(|| front.to_vec()),
        }
    }

    /// The same in the run of the row that it was made of.
    pub(super) fn own_end(&self) -> Option<Vec<u8>> {
        self.end(&self.front)
    }
}

/// A loser tree over runs that are each in order: every entry costs about log2(runs) comparisons of keys.
pub(super) struct Merge {
    heads: Vec<Head>,
    /// The inner nodes of a binary tree whose leaves are the heads: each holds the head that lost there, the first one
    /// the winner of all. Empty until the first entry is wanted.
    tree: Vec<usize>,
    /// The head whose entry was taken last. Its run is read on only when the next entry is wanted.
    taken: Option<usize>,
    comparison: Comparison,
    cancelled: Cancelled,
}

/// The next entries of a run.
struct Head {
    run: RunReader,
    chunk: Chunk,
    /// The first entry of `chunk` that was not taken.
    next: usize,
    /// How many entries are read at once; grows, so that a scan that wants few reads few.
    reach: usize,
    has_more: bool,
}

impl Head {
    fn key(&self) -> Option<&[u8]> {
        self.chunk.get(self.next).map(|(key, _)| key)
    }

    /// Reads more where all entries are taken. Returns whether its next entry is known, or that it has none.
    fn refill(&mut self) -> Result<bool> {
        if self.next >= self.chunk.len() && self.has_more {
            self.chunk.clear();
            self.next = 0;
            let limit = ChunkLimit {
                entries: self.reach,
                ..HEAD
            };
            self.has_more = self.run.fill(&mut self.chunk, limit)?;
            if !self.chunk.is_empty() {
                self.reach = (self.reach * 2).min(HEAD.entries);
            }
        }
        Ok(!self.chunk.is_empty() || !self.has_more)
    }

    /// Passes over what is left of a group, here and in the run.
    fn skip(&mut self, group: &Group) -> Result<()> {
        // Where all are taken, the last one tells where the run stands.
        let last = self.chunk.len().saturating_sub(1);
        let here = self.chunk.get(self.next.min(last)).map(|(key, _)| key);
        let Some(key) = here.filter(|key| group.holds(key)) else {
            return Ok(());
        };
        let end = group.end(key);
        while self.key().is_some_and(|key| group.holds(key)) {
            self.next += 1;
        }
        if self.next < self.chunk.len() || !self.has_more {
            return Ok(());
        }
        match end {
            Some(end) => self.run.skip(&end)?,
            None => self.has_more = false,
        }
        self.reach = 1;
        Ok(())
    }
}

impl Merge {
    /// Merges `runs`, of which each is read `reach` entries at a time at first.
    pub(super) fn new(
        runs: Vec<RunReader>,
        comparison: Comparison,
        reach: usize,
        cancelled: Cancelled,
    ) -> Self {
        let head = |run| Head {
            run,
            chunk: Chunk::new(),
            next: 0,
            reach: reach.clamp(1, HEAD.entries),
            has_more: true,
        };
        Self {
            heads: runs.into_iter().map(head).collect(),
            tree: Vec::new(),
            taken: None,
            comparison,
            cancelled,
        }
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        while !limit.is_reached(chunk) && !self.cancelled.is_set() {
            if !self.settle()? {
                return Ok(true);
            }
            let winner = self.tree.first().copied().unwrap_or_default();
            let head = self.heads.get_mut(winner);
            // A head without entries wins only against others of its kind.
            let Some((key, value)) = head.as_ref().and_then(|head| head.chunk.get(head.next))
            else {
                return Ok(false);
            };
            chunk.push(key, value);
            if let Some(head) = head {
                head.next += 1;
            }
            self.taken = Some(winner);
        }
        Ok(true)
    }

    /// Passes over what is left of a group in all runs; whose entry is the next is found anew.
    fn skip(&mut self, group: &Group) -> Result<()> {
        for head in &mut self.heads {
            head.skip(group)?;
        }
        self.tree.clear();
        self.taken = None;
        Ok(())
    }

    /// Makes the first node of the tree the head with the next entry of all. Returns whether it is; where a run has
    /// handed control back, it is begun again from there.
    fn settle(&mut self) -> Result<bool> {
        if self.tree.is_empty() {
            return self.plant();
        }
        if let Some(taken) = self.taken {
            if let Some(head) = self.heads.get_mut(taken)
                && !head.refill()?
            {
                return Ok(false);
            }
            self.taken = None;
            self.replay(taken);
        }
        Ok(true)
    }

    /// Begins every run, then reads the first entries of each, and lets them play against each other. Returns whether
    /// all have entries, or none.
    fn plant(&mut self) -> Result<bool> {
        for head in &mut self.heads {
            head.run.begin()?;
        }
        for head in &mut self.heads {
            if !head.refill()? {
                return Ok(false);
            }
        }
        let count = self.heads.len();
        self.tree = vec![0; count];
        // Winners by node; the leaves are the nodes from `count` on.
        let mut winners: Vec<usize> = vec![0; count];
        winners.extend(0..count);
        for node in (1..count).rev() {
            let (Some(&left), Some(&right)) = (winners.get(2 * node), winners.get(2 * node + 1))
            else {
                continue;
            };
            let right_wins = self.beats(right, left);
            let (winner, loser) = if right_wins {
                (right, left)
            } else {
                (left, right)
            };
            set(&mut winners, node, winner);
            set(&mut self.tree, node, loser);
        }
        let champion = winners.get(1).copied().unwrap_or_default();
        set(&mut self.tree, 0, champion);
        Ok(true)
    }

    /// Replays the matches of a head whose next entry has changed, up to the root.
    fn replay(&mut self, head: usize) {
        let mut winner = head;
        let mut node = (self.heads.len() + head) / 2;
        while node > 0 {
            let loser = self.tree.get(node).copied().unwrap_or_default();
            if self.beats(loser, winner) {
                set(&mut self.tree, node, winner);
                winner = loser;
            }
            node /= 2;
        }
        set(&mut self.tree, 0, winner);
    }

    /// Whether the next entry of one head comes before that of another; those that have none come last.
    fn beats(&self, one: usize, other: usize) -> bool {
        let key = |head: usize| self.heads.get(head).and_then(Head::key);
        match (key(one), key(other)) {
            (Some(one), Some(other)) => self.comparison.is_before(one, other),
            (one, other) => one.is_some() && other.is_none(),
        }
    }
}

fn set(places: &mut [usize], place: usize, value: usize) {
    if let Some(entry) = places.get_mut(place) {
        *entry = value;
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
