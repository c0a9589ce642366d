//! Changes in memory: where their keys and values lie, each with the place that it comes from.
//!
//! The rows of a batch stay where they were encoded, whole parts of memory that are handed on as they are: to a window of
//! a bulk load, and to the batch that the store writes. So a row is copied once more alone, by the store.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::row::{EncodedBytes, EncodedRows};
use crate::store::{BufferSlice, WriteBatch};

/// Fewer bytes of keys and values are no part of their own: they are copied behind others.
const SMALL: usize = 4 << 10;

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EncodedChange<'a> {
    pub(super) key: &'a [u8],
    /// `None` deletes the row.
    pub(super) value: Option<&'a [u8]>,
    /// The number of its row, which grows in the order of the statement.
    pub(super) number: u64,
}

/// Changes in the order in which they were added, or sorted by key.
#[derive(Debug, Default)]
pub(super) struct EncodedChanges {
    parts: Vec<Arc<Part>>,
    slots: Vec<Slot>,
    /// Bytes of the keys and values of `slots`.
    bytes: usize,
    /// Whether the parts are those of others.
    is_shared: bool,
}

/// Keys and values.
#[derive(Debug, Default, Clone)]
struct Part {
    keys: Vec<u8>,
    values: Vec<u8>,
    /// Whether changes are put into it one by one.
    grows: bool,
}

impl Part {
    fn growing() -> Self {
        let grows = true;
        Self {
            grows,
            ..Self::default()
        }
    }
}

/// Where a change lies in its part, and what it is compared by.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The first eight bytes of the key: most comparisons end with them.
    prefix: u64,
    /// Where the key starts; grows with the part in the order of addition, but for changes without a key.
    key: usize,
    value: usize,
    part: u32,
    /// Row keys are shorter than 64 KiB.
    key_length: u32,
    /// `None` deletes the row.
    value_length: Option<u32>,
    number: u64,
}

impl Slot {
    fn key<'a>(&self, parts: &'a [Arc<Part>]) -> &'a [u8] {
        let part = parts.get(self.part as usize);
        let key =
            part.and_then(|part| part.keys.get(self.key..self.key + self.key_length as usize));
        key.unwrap_or_default()
    }

    fn value<'a>(&self, parts: &'a [Arc<Part>]) -> Option<&'a [u8]> {
        let end = self.value + self.value_length? as usize;
        let part = parts.get(self.part as usize);
        Some(
            part.and_then(|part| part.values.get(self.value..end))
                .unwrap_or_default(),
        )
    }

    /// Where key and value lie in a batch whose buffers are the keys and the values of one part after the other.
    fn slices(&self) -> (BufferSlice, Option<BufferSlice>) {
        let buffer = 2 * self.part as usize;
        let slice = |buffer, start, length: u32| BufferSlice {
            buffer,
            start,
            end: start + length as usize,
        };
        let value = self
            .value_length
            .map(|length| slice(buffer + 1, self.value, length));
        (slice(buffer, self.key, self.key_length), value)
    }
}

impl EncodedChanges {
    /// Appends a change.
    ///
    /// # Errors
    /// `NotSupported` for a value of 4 GiB and more.
    pub(super) fn push(&mut self, change: EncodedChange<'_>) -> Result<()> {
        if !self.parts.last().is_some_and(|last| last.grows) {
            self.parts.push(Arc::new(Part::growing()));
        }
        let part = self.parts.len() - 1;
        let Some(last) = self.parts.last_mut().and_then(Arc::get_mut) else {
            return Err(Error::internal("changes that others share are added to"));
        };
        let slot = Slot {
            prefix: prefix(change.key),
            key: last.keys.len(),
            value: last.values.len(),
            part: part as u32,
            key_length: short(change.key.len())?,
            value_length: change.value.map(|value| short(value.len())).transpose()?,
            number: change.number,
        };
        last.keys.extend_from_slice(change.key);
        last.values
            .extend_from_slice(change.value.unwrap_or_default());
        self.hold(slot);
        Ok(())
    }

    /// Appends the rows of a batch, which `number` numbers: those without values delete theirs.
    ///
    /// # Errors
    /// As [`EncodedChanges::push`].
    pub(super) fn add(&mut self, rows: EncodedRows, number: impl Fn(usize) -> u64) -> Result<()> {
        let EncodedBytes {
            keys,
            key_ends,
            values,
            value_ends,
        } = rows.into_bytes();
        let (mut key, mut value) = (0, 0);
        let part = self.parts.len();
        let is_small = keys.len() + values.len() < SMALL;
        for (row, key_end) in key_ends.into_iter().enumerate() {
            let value_end = value_ends.as_ref().and_then(|ends| ends.get(row)).copied();
            let key_bytes = keys.get(key..key_end).unwrap_or_default();
            if is_small {
                let value = value_end.map(|end| values.get(value..end).unwrap_or_default());
                self.push(EncodedChange {
                    key: key_bytes,
                    value,
                    number: number(row),
                })?;
            } else {
                self.hold(Slot {
                    prefix: prefix(key_bytes),
                    key,
                    value,
                    part: part as u32,
                    key_length: short(key_bytes.len())?,
                    value_length: value_end.map(|end| short(end - value)).transpose()?,
                    number: number(row),
                });
            }
            (key, value) = (key_end, value_end.unwrap_or(value));
        }
        if !is_small {
            let grows = false;
            let part = Part {
                keys,
                values,
                grows,
            };
            self.parts.push(Arc::new(part));
        }
        Ok(())
    }

    /// Appends a change of others, whose bytes stay where they are: all of these are of the same others.
    pub(super) fn share(&mut self, others: &Self, index: usize) {
        let Some(slot) = others.slots.get(index) else {
            return;
        };
        if !self.is_shared {
            self.parts.clone_from(&others.parts);
            self.is_shared = true;
        }
        self.hold(*slot);
    }

    fn hold(&mut self, slot: Slot) {
        self.bytes += slot.key_length as usize + slot.value_length.unwrap_or_default() as usize;
        self.slots.push(slot);
    }

    /// Removes the last change, and its bytes where they are these changes' own: so a key may come any number of times.
    pub(super) fn pop(&mut self) {
        let Some(last) = self.slots.pop() else {
            return;
        };
        self.bytes -= last.key_length as usize + last.value_length.unwrap_or_default() as usize;
        let part = self.parts.get_mut(last.part as usize);
        if let Some(part) = part.filter(|part| part.grows).and_then(Arc::get_mut) {
            part.keys.truncate(last.key);
            part.values.truncate(last.value);
        }
    }

    /// Leaves of the last change's value the first `bytes`, if it has more.
    pub(super) fn cut_last(&mut self, bytes: usize) {
        let last = self.slots.last_mut();
        let Some(length) = last.and_then(|last| last.value_length.as_mut()) else {
            return;
        };
        let kept = u32::try_from(bytes).map_or(*length, |bytes| bytes.min(*length));
        self.bytes -= (*length - kept) as usize;
        *length = kept;
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// About how many bytes of memory are in use.
    pub(super) fn size_in_bytes(&self) -> usize {
        self.bytes + self.slots.len() * size_of::<Slot>()
    }

    /// Removes the changes and keeps the memory.
    pub(super) fn clear(&mut self) {
        let kept = self.parts.drain(..).find(|part| part.grows);
        let kept = kept.and_then(|part| Arc::try_unwrap(part).ok());
        self.parts.extend(kept.map(|mut part| {
            part.keys.clear();
            part.values.clear();
            Arc::new(part)
        }));
        self.slots.clear();
        self.bytes = 0;
        self.is_shared = false;
    }

    /// Sorts by key; those of one key stay in the order in which they were added.
    pub(super) fn sort(&mut self) {
        let parts = &self.parts;
        self.slots.sort_unstable_by(|left, right| {
            left.prefix
                .cmp(&right.prefix)
                .then_with(|| left.key(parts).cmp(right.key(parts)))
                .then_with(|| (left.part, left.key).cmp(&(right.part, right.key)))
                .then_with(|| left.number.cmp(&right.number))
        });
    }

    /// Brings the keys of some changes into the cache: reads that do not depend on each other are waited for together.
    pub(super) fn prefetch(&self, from: usize, count: usize) {
        let next = self.slots.iter().skip(from).take(count);
        let firsts = next.filter_map(|slot| slot.key(&self.parts).first());
        std::hint::black_box(firsts.fold(0, |all, first| all ^ first));
    }

    /// The last change.
    pub(super) fn last(&self) -> Option<EncodedChange<'_>> {
        self.slots.last().map(|slot| self.change(slot))
    }

    /// The change at `index`.
    pub(super) fn get(&self, index: usize) -> Option<EncodedChange<'_>> {
        self.slots.get(index).map(|slot| self.change(slot))
    }

    pub(super) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = EncodedChange<'_>> + ExactSizeIterator {
        self.slots.iter().map(|slot| self.change(slot))
    }

    /// Sorted changes, one for each key, as a batch that takes over the bytes.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(super) fn into_batch(self, space: &str) -> Result<WriteBatch> {
        let Self { parts, slots, .. } = self;
        debug_assert!(slots.is_sorted_by(|one, next| one.key(&parts) < next.key(&parts)));
        let slices: Vec<_> = slots.iter().map(Slot::slices).collect();
        let parts = parts.into_iter().map(Arc::unwrap_or_clone);
        let buffers = parts.flat_map(|part| [part.keys, part.values]);
        WriteBatch::of_buffers(space, buffers.collect(), slices)
    }

    fn change(&self, slot: &Slot) -> EncodedChange<'_> {
        EncodedChange {
            key: slot.key(&self.parts),
            value: slot.value(&self.parts),
            number: slot.number,
        }
    }
}

fn short(length: usize) -> Result<u32> {
    u32::try_from(length)
        .map_err(|_| Error::unsupported("a row of 4 GiB and more cannot be stored"))
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
    use arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
    use fastrand::Rng;

    use super::*;
    use crate::datum::SqlType;
    use crate::row::RowWriter;
    use crate::row::testing::{definition, part};
    use crate::schema::BoundTable;
    use crate::seed::seed;

    /// Batches of few and of many rows, and changes between them: in the order of addition, sorted, as a window of a merge,
    /// and as a batch.
    #[test]
    fn rows_stay_where_they_were_encoded() {
        let table = BoundTable::new(definition(
            &[("a", SqlType::Integer), ("b", SqlType::Text)],
            vec![part("a")],
        ));
        let writer = RowWriter::new(table.unwrap());
        let encoded = |keys: Vec<i32>| {
            let texts = keys.iter().map(|key| Some(key.to_string().repeat(20)));
            let texts = StringArray::from_iter(texts);
            let columns: [ArrayRef; 2] = [Arc::new(Int32Array::from(keys)), Arc::new(texts)];
            let schema = Arc::clone(writer.table().schema());
            let rows = RecordBatch::try_new(schema, columns.into()).unwrap();
            writer.encode(&rows).unwrap()
        };
        let (mut changes, mut expected) = (EncodedChanges::default(), Vec::new());
        let mut number = 0;
        for keys in [0..3, 100..400, 7..8, 200..500, 1..2] {
            let entries = encoded(keys.rev().collect());
            for entry in entries.iter() {
                let value = Some(entry.value.to_vec());
                expected.push((entry.key.to_vec(), value, number + entry.row as u64));
            }
            let (first, rows) = (number, entries.len() as u64);
            changes.add(entries, |row| first + row as u64).unwrap();
            let delete = EncodedChange {
                key: &[1, 2],
                value: None,
                number: first + rows,
            };
            changes.push(delete).unwrap();
            expected.push((vec![1, 2], None, first + rows));
            number += rows + 1;
        }
        let listed = |changes: &EncodedChanges| -> Vec<_> {
            let owned = |change: EncodedChange<'_>| {
                (
                    change.key.to_vec(),
                    change.value.map(<[u8]>::to_vec),
                    change.number,
                )
            };
            changes.iter().map(owned).collect()
        };
        assert_eq!(listed(&changes), expected);
        changes.sort();
        expected.sort_by(|left, right| (&left.0, left.2).cmp(&(&right.0, right.2)));
        assert_eq!(listed(&changes), expected);
        let mut window = EncodedChanges::default();
        (0..50).for_each(|index| window.share(&changes, index));
        assert_eq!(listed(&window), expected[..50]);
        let (mut one_each, mut batch) = (EncodedChanges::default(), WriteBatch::new());
        for (index, (key, value, _)) in expected.iter().enumerate() {
            if expected.get(index + 1).is_none_or(|next| next.0 != *key) {
                one_each.share(&changes, index);
                match value {
                    Some(value) => batch.put("t", key, value),
                    None => batch.delete("t", key),
                }
            }
        }
        drop(changes);
        assert_eq!(one_each.into_batch("t").unwrap(), batch);
    }

    #[test]
    fn changes_come_back_as_they_were_added() {
        let mut changes = EncodedChanges::default();
        let added = [
            EncodedChange {
                key: b"b",
                value: Some(b"2"),
                number: 1,
            },
            EncodedChange {
                key: b"",
                value: Some(b""),
                number: 2,
            },
            EncodedChange {
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
            let mut changes = EncodedChanges::default();
            let mut expected = Vec::new();
            for number in 0..rng.u64(0..80) {
                let length = rng.usize(0..14);
                let key: Vec<u8> = (0..length)
                    .map(|_| rng.choice([0, 1, 255]).unwrap())
                    .collect();
                changes
                    .push(EncodedChange {
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

    /// What takes the place of what was there takes its bytes, too.
    #[test]
    fn a_key_may_come_any_number_of_times() {
        let mut changes = EncodedChanges::default();
        let change = |number| EncodedChange {
            key: b"a",
            value: Some(&[7; 1_000]),
            number,
        };
        changes.push(change(0)).unwrap();
        for number in 1..1_000 {
            changes.pop();
            changes.push(change(number)).unwrap();
        }
        assert_eq!(changes.last(), Some(change(999)));
        let held = |part: &Arc<Part>| part.keys.len() + part.values.len();
        assert_eq!(changes.parts.iter().map(held).sum::<usize>(), 1_001);
    }
}
