//! Changes that are applied together.

use crate::error::{Error, Result};
use crate::keyrange::KeyRange;

/// Changes to one or more spaces, in order: of two on one key the later one counts. Ranges that are deleted come before
/// all of them, in whatever order they are added. A part of a statement's [`Changes`](super::Changes), applied with them.
#[derive(Debug, Clone, Default)]
pub struct WriteBatch {
    spaces: Vec<String>,
    /// What is deleted first: the index of its space, and the keys.
    ranges: Vec<(usize, KeyRange)>,
    /// Where keys and values lie; those that are put one by one, in the last.
    buffers: Vec<Vec<u8>>,
    operations: Vec<BatchedChange>,
}

/// Where a key or a value lies: in which buffer, from where to where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BufferSlice {
    /// The index of the buffer.
    pub buffer: usize,
    /// The first byte.
    pub start: usize,
    /// The one behind the last.
    pub end: usize,
}

/// One operation: the index of its space, and where key and value lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BatchedChange {
    space: usize,
    key: BufferSlice,
    /// `None` deletes the entry.
    value: Option<BufferSlice>,
}

/// Batches are equal that do the same in the same order.
impl PartialEq for WriteBatch {
    fn eq(&self, other: &Self) -> bool {
        self.ranges().eq(other.ranges()) && self.iter().eq(other.iter())
    }
}

impl Eq for WriteBatch {}

/// One change of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation<'a> {
    /// The space that is changed.
    pub space: &'a str,
    /// The key of the entry.
    pub key: &'a [u8],
    /// The value to keep under the key; `None` deletes the entry, if there is one.
    pub value: Option<&'a [u8]>,
}

impl WriteBatch {
    /// A batch without operations.
    pub fn new() -> Self {
        Self::default()
    }

    /// The changes of one space whose keys and values lie in `buffers`, in their order; no value deletes the entry.
    ///
    /// # Errors
    /// `Internal` for a slice outside of the buffers.
    pub fn of_buffers(
        space: &str,
        buffers: Vec<Vec<u8>>,
        changes: impl IntoIterator<Item = (BufferSlice, Option<BufferSlice>)>,
    ) -> Result<Self> {
        let is_inside = |slice: &BufferSlice| {
            let buffer = buffers.get(slice.buffer);
            buffer.is_some_and(|buffer| buffer.get(slice.start..slice.end).is_some())
        };
        let checked = changes.into_iter().map(|(key, value)| {
            let is_valid = is_inside(&key) && value.as_ref().is_none_or(is_inside);
            is_valid.then_some(BatchedChange {
                space: 0,
                key,
                value,
            })
        });
        let operations = checked.collect::<Option<_>>();
        Ok(Self {
            operations: operations
                .ok_or_else(|| Error::internal("a change outside of its buffers"))?,
            spaces: vec![space.to_owned()],
            ranges: Vec::new(),
            buffers,
        })
    }

    /// Keeps `value` under `key`, over what was there.
    pub fn put(&mut self, space: &str, key: &[u8], value: &[u8]) {
        self.push(space, key, Some(value));
    }

    /// Deletes the entry under `key`; nothing happens if there is none.
    pub fn delete(&mut self, space: &str, key: &[u8]) {
        self.push(space, key, None);
    }

    /// Deletes the entries that a range has before the statement: what the statement itself puts there stays. It costs as
    /// much as one change in a local store, however many there are.
    pub fn delete_range(&mut self, space: &str, range: &KeyRange) {
        let space = self.space_index(space);
        self.ranges.push((space, range.clone()));
    }

    /// Adds the operations of another batch behind these.
    pub fn append(&mut self, other: &Self) {
        for (space, range) in other.ranges() {
            self.delete_range(space, range);
        }
        for operation in other.iter() {
            self.push(operation.space, operation.key, operation.value);
        }
    }

    fn push(&mut self, space: &str, key: &[u8], value: Option<&[u8]>) {
        let space = self.space_index(space);
        let key = self.append_bytes(key);
        let value = value.map(|value| self.append_bytes(value));
        self.operations.push(BatchedChange { space, key, value });
    }

    /// Appends bytes to the last buffer.
    fn append_bytes(&mut self, bytes: &[u8]) -> BufferSlice {
        if self.buffers.is_empty() {
            self.buffers.push(Vec::new());
        }
        let buffer = self.buffers.len() - 1;
        let last = self.buffers.last_mut();
        let start = last.as_ref().map_or(0, |last| last.len());
        if let Some(last) = last {
            last.extend_from_slice(bytes);
        }
        let end = start + bytes.len();
        BufferSlice { buffer, start, end }
    }

    /// A batch names few spaces, and mostly the newest one again.
    fn space_index(&mut self, name: &str) -> usize {
        match self.spaces.iter().rposition(|space| space == name) {
            Some(index) => index,
            None => {
                self.spaces.push(name.to_owned());
                self.spaces.len() - 1
            }
        }
    }

    /// The number of operations, without ranges.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.ranges.is_empty()
    }

    /// About how much memory the batch takes, in bytes: what a statement's budget counts.
    pub fn size_in_bytes(&self) -> usize {
        let bytes: usize = self.buffers.iter().map(Vec::len).sum();
        let bounds = |range: &KeyRange| range.start().len() + range.stop().map_or(0, <[u8]>::len);
        let ranges = self.ranges.iter().map(|(_, range)| bounds(range));
        bytes
            + self.operations.len() * size_of::<BatchedChange>()
            + ranges.sum::<usize>()
            + self.ranges.len() * size_of::<(usize, KeyRange)>()
    }

    /// The spaces that are named, each once.
    pub fn spaces(&self) -> impl Iterator<Item = &str> {
        self.spaces.iter().map(String::as_str)
    }

    /// What is deleted before all operations: ranges, each with its space.
    #[expect(
        clippy::indexing_slicing,
        reason = "spaces are only added: delete_range alone makes an index"
    )]
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = (&str, &KeyRange)> {
        let ranges = self.ranges.iter();
        ranges.map(|(space, range)| (self.spaces[*space].as_str(), range))
    }

    /// The operations in the order in which they were added.
    #[expect(
        clippy::indexing_slicing,
        reason = "slices lie in the buffers: push and of_buffers alone make them"
    )]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Operation<'_>> {
        let bytes = |slice: BufferSlice| &self.buffers[slice.buffer][slice.start..slice.end];
        self.operations.iter().map(move |change| Operation {
            space: &self.spaces[change.space],
            key: bytes(change.key),
            value: change.value.map(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_inside_of_their_buffers() {
        let slice = |buffer, start, end| BufferSlice { buffer, start, end };
        let batch = |key, value| {
            let buffers = vec![b"key".to_vec(), b"value".to_vec()];
            WriteBatch::of_buffers("t", buffers, [(key, value)])
        };
        let mut whole = batch(slice(0, 0, 3), Some(slice(1, 0, 5))).unwrap();
        whole.put("u", b"k", b"v");
        let mut expected = WriteBatch::new();
        expected.put("t", b"key", b"value");
        expected.put("u", b"k", b"v");
        assert_eq!(whole, expected);
        assert_eq!(batch(slice(1, 5, 5), None).unwrap().len(), 1);
        for (key, value) in [
            (slice(0, 0, 4), None),
            (slice(0, 2, 1), None),
            (slice(2, 0, 0), None),
            (slice(0, 0, 3), Some(slice(1, 1, 6))),
        ] {
            batch(key, value).unwrap_err();
        }
    }

    #[test]
    fn ranges_come_along() {
        let all = KeyRange::all();
        let mut batch = WriteBatch::new();
        batch.put("a", b"k", b"v");
        let without = batch.clone();
        batch.delete_range("b", &all);
        assert_ne!(batch, without);
        assert!(batch.size_in_bytes() > without.size_in_bytes());
        let mut other = WriteBatch::new();
        other.delete_range("a", &KeyRange::prefix(b"k"));
        assert!(!other.is_empty());
        batch.append(&other);
        let prefix = KeyRange::prefix(b"k");
        let ranges: Vec<_> = batch.ranges().collect();
        assert_eq!(ranges, [("b", &all), ("a", &prefix)]);
        assert_eq!((batch.len(), batch.spaces().count()), (1, 2));
    }

    #[test]
    fn operations_keep_their_order_and_space() {
        let mut batch = WriteBatch::new();
        assert!(batch.is_empty());
        batch.put("a", b"k", b"v");
        batch.put("b", b"", b"");
        batch.delete("a", b"k");
        let operations: Vec<_> = batch
            .iter()
            .map(|op| (op.space, op.key, op.value))
            .collect();
        assert_eq!(
            operations,
            [
                ("a", &b"k"[..], Some(&b"v"[..])),
                ("b", b"", Some(b"")),
                ("a", b"k", None)
            ]
        );
        assert_eq!(batch.spaces().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(batch.len(), 3);
        assert!(batch.size_in_bytes() >= 3);
    }
}
