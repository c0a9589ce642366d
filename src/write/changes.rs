//! Changes in memory: keys and values side by side in one buffer, each with the place that it comes from.

use crate::error::{Error, Result};

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Changed<'a> {
    pub(super) key: &'a [u8],
    /// `None` deletes the entry.
    pub(super) value: Option<&'a [u8]>,
    /// The number of its row, which grows in the order of the statement.
    pub(super) number: u64,
}

/// Changes in the order in which they were added, or sorted by key.
#[derive(Debug, Default)]
pub(super) struct Changes {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
}

/// Where a change lies in the buffer, and what it is compared by.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The first eight bytes of the key: most comparisons end with them.
    prefix: u64,
    /// Where the key starts; grows in the order of addition, but for changes without any bytes.
    start: usize,
    key_length: usize,
    /// `None` deletes the entry.
    value_length: Option<u32>,
    number: u64,
}

impl Slot {
    fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let stop = self.start + self.key_length;
        bytes.get(self.start..stop).unwrap_or_default()
    }
}

impl Changes {
    /// Appends a change.
    ///
    /// # Errors
    /// `NotSupported` for a value of 4 GiB and more.
    pub(super) fn push(&mut self, change: Changed<'_>) -> Result<()> {
        let value_length = change.value.map(|value| u32::try_from(value.len()));
        let value_length = value_length
            .transpose()
            .map_err(|_| Error::unsupported("a row of 4 GiB and more cannot be stored"))?;
        self.slots.push(Slot {
            prefix: prefix(change.key),
            start: self.bytes.len(),
            key_length: change.key.len(),
            value_length,
            number: change.number,
        });
        self.bytes.extend_from_slice(change.key);
        self.bytes
            .extend_from_slice(change.value.unwrap_or_default());
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// About how many bytes of memory are in use.
    pub(super) fn size_in_bytes(&self) -> usize {
        self.bytes.len() + self.slots.len() * size_of::<Slot>()
    }

    /// Removes the changes and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.slots.clear();
    }

    /// Sorts by key; those of one key stay in the order in which they were added.
    pub(super) fn sort(&mut self) {
        let bytes = &self.bytes;
        self.slots.sort_unstable_by(|left, right| {
            left.prefix
                .cmp(&right.prefix)
                .then_with(|| left.key(bytes).cmp(right.key(bytes)))
                .then_with(|| left.start.cmp(&right.start))
                .then_with(|| left.number.cmp(&right.number))
        });
    }

    /// The change at `index`.
    pub(super) fn get(&self, index: usize) -> Option<Changed<'_>> {
        self.slots.get(index).map(|slot| self.change(slot))
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Changed<'_>> + ExactSizeIterator {
        self.slots.iter().map(|slot| self.change(slot))
    }

    /// Of sorted changes the last one of each key.
    pub(super) fn last_of_each_key(&self) -> impl Iterator<Item = Changed<'_>> {
        let mut changes = self.iter().peekable();
        std::iter::from_fn(move || {
            let mut change = changes.next()?;
            while let Some(later) = changes.next_if(|next| next.key == change.key) {
                change = later;
            }
            Some(change)
        })
    }

    fn change(&self, slot: &Slot) -> Changed<'_> {
        let value = slot.value_length.map(|length| {
            let start = slot.start + slot.key_length;
            let value = self.bytes.get(start..start + length as usize);
            value.unwrap_or_default()
        });
        Changed {
            key: slot.key(&self.bytes),
            value,
            number: slot.number,
        }
    }
}

/// A number that is ordered as the first eight bytes of keys are.
fn prefix(key: &[u8]) -> u64 {
    match key.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut padded = [0; 8];
            padded
                .iter_mut()
                .zip(key)
                .for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(padded)
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::row::testing::seed;

    #[test]
    fn changes_come_back_as_they_were_added() {
        let mut changes = Changes::default();
        let added = [
            Changed {
                key: b"b",
                value: Some(b"2"),
                number: 1,
            },
            Changed {
                key: b"",
                value: Some(b""),
                number: 2,
            },
            Changed {
                key: b"a long key",
                value: None,
                number: 9,
            },
        ];
        added
            .iter()
            .for_each(|change| changes.push(*change).unwrap());
        assert_eq!(changes.iter().collect::<Vec<_>>(), added);
        assert_eq!((changes.get(2), changes.get(3)), (Some(added[2]), None));
        assert!(changes.size_in_bytes() > 13 && changes.len() == 3);
        changes.clear();
        assert!(changes.is_empty() && changes.size_in_bytes() == 0);
    }

    #[test]
    fn sorting_keeps_the_order_of_equal_keys() {
        let mut rng = Rng::with_seed(seed());
        for _ in 0..200 {
            let mut changes = Changes::default();
            let mut expected = Vec::new();
            for number in 0..rng.u64(0..80) {
                let length = rng.usize(0..14);
                let key: Vec<u8> = (0..length)
                    .map(|_| rng.choice([0, 1, 255]).unwrap())
                    .collect();
                changes
                    .push(Changed {
                        key: &key,
                        value: None,
                        number,
                    })
                    .unwrap();
                expected.push((key, number));
            }
            expected.sort();
            changes.sort();
            let sorted: Vec<_> = changes
                .iter()
                .map(|change| (change.key.to_vec(), change.number))
                .collect();
            assert_eq!(sorted, expected);
        }
    }
}
