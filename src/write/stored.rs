//! Which of many sorted keys are stored already.

use std::sync::Arc;

use crate::error::Result;
use crate::keyrange::KeyRange;
use crate::row::RowSnapshot;
use crate::store::{Chunk, ChunkLimit, Direction, ReadRequest};

/// So few keys are looked up one by one; more of them are first compared with what is stored between them.
const FEW: usize = 16;
/// How many stored rows are read for each key, before the rest of the keys is looked up.
const ROWS_PER_KEY: usize = 4;
/// How many bytes of stored rows are read at once at most.
const BYTES: usize = 4 << 20;
/// How many times at most keys are looked up, before it is tried again what reading decides.
const LAST_PAUSE: usize = 64;

/// Whether to compare keys with the rows that are stored between them, or to look them up at once: a heuristic.
///
/// How many rows lie between keys is not known beforehand, so reading is tried. Where it decides about few keys, it is
/// left out the next time, and after each further failure twice as many times.
#[derive(Debug)]
struct Trials {
    /// How many times reading is left out still.
    left_out: usize,
    /// How many times it is when it fails next.
    pause: usize,
}

impl Trials {
    fn new() -> Self {
        Self {
            left_out: 0,
            pause: 1,
        }
    }

    /// Whether to read now.
    fn is_due(&mut self) -> bool {
        let is_due = self.left_out == 0;
        self.left_out = self.left_out.saturating_sub(1);
        is_due
    }

    /// Reading has decided about `known` of so many keys. A lookup costs some ten rows that are read, so less than
    /// half of them were not worth it.
    fn note(&mut self, known: usize, keys: usize) {
        if known * 2 >= keys {
            *self = Self::new();
        } else {
            self.left_out = self.pause;
            self.pause = (self.pause * 2).min(LAST_PAUSE);
        }
    }
}

/// The rows of one table, at one moment.
///
/// Sorted keys are compared with the rows between the first and the last of them, where those are not many more
/// than the keys: a table that is empty there costs one seek, and one that is not costs a merge. Where they are many
/// more, each key is looked up; [`Trials`] says when that is tried.
pub(super) struct StoredRows {
    rows: RowSnapshot,
    chunk: Chunk,
    trials: Trials,
}

impl StoredRows {
    pub(super) fn new(rows: RowSnapshot) -> Self {
        Self {
            rows,
            chunk: Chunk::new(),
            trials: Trials::new(),
        }
    }

    /// The values under `keys`, which are sorted and distinct, in their order.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn get_sorted(&mut self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        debug_assert!(keys.is_sorted());
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
            return Ok(Vec::new());
        };
        if keys.len() <= FEW || !self.trials.is_due() {
            return self.rows.look_up(keys);
        }
        let beyond_last = [last, &[0][..]].concat();
        let between = KeyRange::new(first.to_vec(), Some(beyond_last));
        let is_complete = match between {
            Some(between) => self.read(between, keys.len() * ROWS_PER_KEY)?,
            None => false,
        };
        let (mut values, known) = self.join(keys, is_complete);
        self.trials.note(known, keys.len());
        let unknown = keys.get(known..).unwrap_or_default();
        if !unknown.is_empty() {
            values.extend(self.rows.look_up(unknown)?);
        }
        Ok(values)
    }

    /// Reads at most so many rows of a range, and says whether these are all.
    fn read(&mut self, range: KeyRange, rows: usize) -> Result<bool> {
        let request = ReadRequest::range(Arc::clone(self.rows.space()), range, Direction::Forward);
        let mut reader = self.rows.read(request.with_fetch(rows))?;
        let limit = ChunkLimit {
            entries: rows,
            bytes: BYTES,
        };
        self.chunk.clear();
        Ok(!reader.fill(&mut self.chunk, limit)?)
    }

    /// The values of the first keys, as many as can be said from the rows read.
    fn join(&self, keys: &[&[u8]], is_complete: bool) -> (Vec<Option<Vec<u8>>>, usize) {
        let read_to = self.chunk.last().map(|(key, _)| key);
        let known = match (is_complete, read_to) {
            (true, _) => keys.len(),
            (false, None) => 0,
            (false, Some(last)) => keys.partition_point(|key| *key <= last),
        };
        let mut rows = self.chunk.iter().peekable();
        let values = keys.iter().take(known).map(|wanted| {
            while rows.next_if(|(key, _)| key < wanted).is_some() {}
            let row = rows.next_if(|(key, _)| key == wanted);
            row.map(|(_, value)| value.to_vec())
        });
        (values.collect(), known)
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::schema::TableSpaces;
    use crate::seed::seed;
    use crate::store::wrap::{Call, Recording};
    use crate::store::{Durability, MemoryStore, SpaceOptions, Store, WriteBatch, commit_batch};

    fn store(entries: impl Iterator<Item = u32>) -> Recording {
        let store = Arc::new(MemoryStore::new());
        store.create_space("t", &SpaceOptions::default()).unwrap();
        let mut batch = WriteBatch::new();
        entries.for_each(|key| batch.put("t", &key.to_be_bytes(), &key.to_le_bytes()));
        commit_batch(&store, batch, Durability::Sync).unwrap();
        Recording::new(store)
    }

    fn look_up(store: &Recording, keys: &[u32]) -> Vec<Option<Vec<u8>>> {
        let keys: Vec<_> = keys.iter().map(|key| key.to_be_bytes()).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
        let mut stored = StoredRows::new(RowSnapshot::of(
            store.snapshot().unwrap(),
            &TableSpaces::of_families("t", 0),
        ));
        stored.get_sorted(&keys).unwrap()
    }

    /// Few and many keys over few and many entries: the same as a lookup of each.
    #[test]
    fn every_key_is_found_however_it_is_looked_for() {
        let mut rng = Rng::with_seed(seed());
        for _ in 0..300 {
            let reach = rng.choice([40, 400, 4_000]).unwrap();
            let stored: Vec<u32> = (0..rng.usize(0..600)).map(|_| rng.u32(0..reach)).collect();
            let store = store(stored.iter().copied());
            let mut keys: Vec<u32> = (0..rng.usize(0..60)).map(|_| rng.u32(0..reach)).collect();
            keys.sort_unstable();
            keys.dedup();
            let expected: Vec<_> = keys
                .iter()
                .map(|key| stored.contains(key).then(|| key.to_le_bytes().to_vec()))
                .collect();
            assert_eq!(look_up(&store, &keys), expected);
        }
    }

    #[test]
    fn an_empty_range_costs_one_seek_and_a_dense_one_lookups() {
        let keys: Vec<u32> = (0..100).map(|key| key * 1_000).collect();
        let looked_up = |store: Recording| {
            look_up(&store, &keys);
            let calls = store.log().calls();
            let seeks = store.log().seeks("t").len();
            let found = calls.iter().find_map(|call| match call {
                Call::MultiGet(_, keys) => Some(keys.len()),
                _ => None,
            });
            (seeks, found)
        };
        assert_eq!(looked_up(store([4_000_000].into_iter())), (1, None));
        assert_eq!(looked_up(store((0..300).map(|key| key * 250))), (1, None));
        // Four hundred entries are read, which decide about the key 0 alone.
        assert_eq!(looked_up(store(0..100_000)), (1, Some(99)));
    }

    #[test]
    fn where_reading_decides_little_it_is_tried_ever_more_seldom() {
        let store = store((0..100_000).chain((200_000..300_000).step_by(1_000)));
        let keys: Vec<_> = (0..300_000_u32)
            .step_by(500)
            .map(u32::to_be_bytes)
            .collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
        let (dense, sparse) = keys.split_at(200);
        let mut stored = StoredRows::new(RowSnapshot::of(
            store.snapshot().unwrap(),
            &TableSpaces::of_families("t", 0),
        ));
        let mut seeks_of = |keys: &[&[u8]], times: usize| {
            store.log().take();
            for _ in 0..times {
                let values = stored.get_sorted(keys).unwrap();
                let found = values.iter().filter(|value| value.is_some()).count();
                assert_eq!(
                    found,
                    if keys[0] < &[0, 1, 134, 160][..] {
                        50
                    } else {
                        20
                    }
                );
            }
            store.log().seeks("t").len()
        };
        // Tried at first, and after pauses of 1, 2, 4, 8.
        assert_eq!(seeks_of(&dense[..50], 20), 5);
        // 16 times less the one that is over, and from then on always.
        let sparse = &sparse[sparse.len() - 40..];
        assert_eq!(seeks_of(sparse, 16), 0);
        assert_eq!(seeks_of(sparse, 10), 10);
        assert_eq!(seeks_of(&dense[..50], 20), 5);
    }
}
