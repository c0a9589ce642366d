//! Changes in any order in, in key order out, in bounded memory.
//!
//! An external merge sort: changes are gathered up to a limit, sorted, and written as a spill run; the last of them stay
//! in memory. What comes out is the merge of the spill runs and of those. It is stable: of equal keys the one that came in
//! first comes out first, as spill runs are in the order of the statement.

use std::fs::File;
use std::ops::RangeInclusive;

use super::changes::{EncodedChange, EncodedChanges};
use super::spill::SpillDirectory;
use super::spill_run::{SpillReader, SpillRuns};
use crate::error::Result;
use crate::row::EncodedRows;

/// The bytes that each spill run may read ahead, however many there are.
const READ_AHEAD: RangeInclusive<usize> = 4 << 10..=256 << 10;
/// All spill runs together read ahead this part of what the changes may take.
const READ_AHEAD_PART: usize = 8;

/// Takes changes in any order; [`Sorter::finish`] gives them in key order.
#[derive(Debug)]
pub(super) struct Sorter {
    memory: usize,
    changes: EncodedChanges,
    runs: Option<SpillRuns>,
}

impl Sorter {
    /// One whose changes take about `memory` bytes.
    pub(super) fn new(memory: usize) -> Self {
        Self {
            memory,
            changes: EncodedChanges::default(),
            runs: None,
        }
    }

    /// Takes a change; what is held grows until the next [`Sorter::spill`].
    ///
    /// # Errors
    /// Those of [`EncodedChanges::push`].
    pub(super) fn push(&mut self, change: EncodedChange<'_>) -> Result<()> {
        self.changes.push(change)
    }

    /// Takes the rows of a batch; what is held grows until the next [`Sorter::spill`].
    ///
    /// # Errors
    /// Those of [`EncodedChanges::add`].
    pub(super) fn add(&mut self, rows: EncodedRows, number: impl Fn(usize) -> u64) -> Result<()> {
        self.changes.add(rows, number)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.runs.is_none()
    }

    /// Whether memory is used up.
    pub(super) fn is_full(&self) -> bool {
        self.changes.size_in_bytes() >= self.memory
    }

    /// Whether there are spill runs.
    pub(super) fn has_spilled(&self) -> bool {
        self.runs.is_some()
    }

    /// The bytes of the changes in memory.
    pub(super) fn size_in_bytes(&self) -> usize {
        self.changes.size_in_bytes()
    }

    /// Writes what is held as a spill run. It blocks.
    ///
    /// # Errors
    /// `Unavailable` where there can be no file, or the disk is full or fails.
    pub(super) fn spill(&mut self, spills: &SpillDirectory) -> Result<()> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(SpillRuns::new(spills)?),
        };
        self.changes.sort();
        runs.add(&self.changes)?;
        self.changes.clear();
        Ok(())
    }

    /// All changes in key order.
    ///
    /// # Errors
    /// `Unavailable` where a run cannot be read.
    pub(super) fn finish(mut self) -> Result<SortedChanges> {
        self.changes.sort();
        let (file, readers) = match self.runs {
            None => (None, Vec::new()),
            Some(runs) => {
                let each = self.memory / READ_AHEAD_PART / runs.len().max(1);
                let (file, readers) =
                    runs.into_readers(each.clamp(*READ_AHEAD.start(), *READ_AHEAD.end()));
                (Some(file), readers)
            }
        };
        SortedChanges::new(file, readers, self.changes)
    }
}

/// One of the sorted sequences that are merged.
#[derive(Debug)]
enum Sequence {
    Run(SpillReader),
    /// What stayed in memory, and the index of the change at its head.
    Held(EncodedChanges, usize),
}

impl Sequence {
    fn change(&self) -> Option<EncodedChange<'_>> {
        match self {
            Self::Run(reader) => reader.change(),
            Self::Held(changes, index) => changes.get(*index),
        }
    }
}

/// The merge of the sorted sequences. It stands on the smallest key.
#[derive(Debug)]
pub(super) struct SortedChanges {
    file: Option<File>,
    sequences: Vec<Sequence>,
    /// Indexes of the sequences that are not at their end, as a heap: each stands before its two children.
    heap: Vec<usize>,
}

impl SortedChanges {
    fn new(
        file: Option<File>,
        mut readers: Vec<SpillReader>,
        held: EncodedChanges,
    ) -> Result<Self> {
        if let Some(file) = &file {
            for reader in &mut readers {
                reader.advance(file)?;
            }
        }
        let mut sequences: Vec<Sequence> = readers.into_iter().map(Sequence::Run).collect();
        sequences.push(Sequence::Held(held, 0));
        let live = |index: &usize| {
            let sequence: Option<&Sequence> = sequences.get(*index);
            sequence.is_some_and(|sequence| sequence.change().is_some())
        };
        let heap = (0..sequences.len()).filter(live).collect();
        let mut merge = Self {
            file,
            sequences,
            heap,
        };
        for place in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(place);
        }
        Ok(merge)
    }

    /// The next change; `None` at the end.
    pub(super) fn change(&self) -> Option<EncodedChange<'_>> {
        self.sequences.get(*self.heap.first()?)?.change()
    }

    /// Brings the keys of the next changes into the cache, as far as they are held: sorted, they lie anywhere in memory, and
    /// who asks for one after the other waits for each.
    pub(super) fn prefetch(&self, count: usize) {
        for sequence in &self.sequences {
            if let Sequence::Held(held, index) = sequence {
                held.prefetch(*index, count);
            }
        }
    }

    /// Appends the next change to `changes`, whose others are of this merge, too.
    ///
    /// # Errors
    /// Those of [`EncodedChanges::push`].
    pub(super) fn give(&self, changes: &mut EncodedChanges) -> Result<()> {
        let first = self
            .heap
            .first()
            .and_then(|first| self.sequences.get(*first));
        match (first, self.sequences.as_slice()) {
            // Without runs all lie in the same parts.
            (Some(Sequence::Held(held, index)), [_]) => {
                changes.share(held, *index);
                Ok(())
            }
            _ => self.change().map_or(Ok(()), |change| changes.push(change)),
        }
    }

    /// Goes to the change after it.
    ///
    /// # Errors
    /// `Unavailable` where a run cannot be read.
    pub(super) fn advance(&mut self) -> Result<()> {
        let Some(first) = self.heap.first() else {
            return Ok(());
        };
        let Some(sequence) = self.sequences.get_mut(*first) else {
            return Ok(());
        };
        match (sequence, &self.file) {
            (Sequence::Run(reader), Some(file)) => reader.advance(file)?,
            (Sequence::Held(_, index), _) => *index += 1,
            (Sequence::Run(_), None) => {}
        }
        if self.change().is_none() {
            self.heap.swap_remove(0);
        }
        self.sift_down(0);
        Ok(())
    }

    /// Puts the sequence at this place of the heap where it belongs, below the ones that come before it.
    fn sift_down(&mut self, mut place: usize) {
        loop {
            let children = [2 * place + 1, 2 * place + 2].into_iter();
            let next = children
                .filter(|child| *child < self.heap.len())
                .reduce(|left, right| {
                    if self.is_before(right, left) {
                        right
                    } else {
                        left
                    }
                });
            match next {
                Some(child) if self.is_before(child, place) => {
                    self.heap.swap(child, place);
                    place = child;
                }
                _ => return,
            }
        }
    }

    /// Whether the sequence at one place of the heap comes before the one at another: by key, then by age.
    fn is_before(&self, left: usize, right: usize) -> bool {
        let rank = |place: usize| {
            let index = self.heap.get(place)?;
            Some((self.sequences.get(*index)?.change()?.key, index))
        };
        rank(left) < rank(right)
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::seed::seed;

    /// With any limit the same comes out: by key, equal keys as they came in.
    #[test]
    fn what_comes_out_is_sorted_whatever_the_memory() {
        let mut rng = Rng::with_seed(seed());
        let spills = SpillDirectory::default();
        for memory in [0, 200, 2_000, 1 << 20] {
            for rows in [0, 1, 2, 700] {
                let mut sorter = Sorter::new(memory);
                let mut expected = Vec::new();
                for number in 0..rows {
                    let key = vec![rng.u8(0..3); rng.usize(0..9)];
                    let value = rng.bool().then(|| vec![rng.u8(..); rng.usize(0..30)]);
                    sorter
                        .push(EncodedChange {
                            key: &key,
                            value: value.as_deref(),
                            number,
                        })
                        .unwrap();
                    expected.push((key, number, value));
                    if sorter.is_full() {
                        sorter.spill(&spills).unwrap();
                    }
                }
                assert_eq!(
                    sorter.has_spilled(),
                    memory < 1 << 20 && rows > 2 || memory == 0 && rows > 0
                );
                assert_eq!(sorter.is_empty(), rows == 0);
                expected.sort();
                let mut merge = sorter.finish().unwrap();
                let mut sorted = Vec::new();
                while let Some(change) = merge.change() {
                    let value = change.value.map(<[u8]>::to_vec);
                    sorted.push((change.key.to_vec(), change.number, value));
                    merge.advance().unwrap();
                }
                assert_eq!(sorted, expected, "memory {memory}");
                merge.advance().unwrap();
                assert!(merge.change().is_none());
            }
        }
    }
}
