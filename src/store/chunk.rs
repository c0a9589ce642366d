//! Entries read from a store, side by side in one buffer.

/// Entries in the order in which a cursor yielded them: one buffer for all bytes, so that reading allocates nothing
/// once the buffer has grown. [`Chunk::clear`] empties it for the next fill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    bytes: Vec<u8>,
    entries: Vec<Bounds>,
}

/// Where an entry lies in the buffer: the key up to `value`, the value up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds {
    key: usize,
    value: usize,
    end: usize,
}

impl Chunk {
    /// A chunk without entries or memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an entry.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        let start = self.bytes.len();
        self.bytes.reserve(key.len() + value.len());
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        self.entries.push(Bounds {
            key: start,
            value: start + key.len(),
            end: self.bytes.len(),
        });
    }

    /// Removes the entries and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The bytes of all keys and values together.
    pub fn size_in_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Key and value of the entry at `index`.
    pub fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        self.entries.get(index).map(|bounds| self.entry(bounds))
    }

    /// Key and value of the newest entry.
    pub fn last(&self) -> Option<(&[u8], &[u8])> {
        self.entries.last().map(|bounds| self.entry(bounds))
    }

    /// Keys and values, first entry first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> + ExactSizeIterator {
        self.entries.iter().map(|bounds| self.entry(bounds))
    }

    /// The keys, first entry first.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        self.iter().map(|(key, _)| key)
    }

    /// The values, first entry first.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        self.iter().map(|(_, value)| value)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "bounds are made by push alone, from the same buffer"
    )]
    fn entry(&self, bounds: &Bounds) -> (&[u8], &[u8]) {
        (
            &self.bytes[bounds.key..bounds.value],
            &self.bytes[bounds.value..bounds.end],
        )
    }
}

/// When a chunk is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLimit {
    /// The most entries that the chunk may hold, those of earlier fills included.
    pub entries: usize,
    /// No entry is added once the chunk holds so many bytes; the last one may go beyond, so that an entry of any size
    /// fits into an empty chunk.
    pub bytes: usize,
}

impl ChunkLimit {
    /// A limit on the number of entries alone.
    pub fn entries(entries: usize) -> Self {
        Self {
            entries,
            bytes: usize::MAX,
        }
    }

    /// Whether no entry may be added to `chunk`.
    pub fn is_reached(&self, chunk: &Chunk) -> bool {
        chunk.len() >= self.entries || (!chunk.is_empty() && chunk.size_in_bytes() >= self.bytes)
    }
}

impl Default for ChunkLimit {
    /// What a scan asks for: 4,096 entries or 1 MiB.
    fn default() -> Self {
        Self {
            entries: 4096,
            bytes: 1 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were_pushed() {
        let mut chunk = Chunk::new();
        chunk.push(b"", b"");
        chunk.push(b"key", b"");
        chunk.push(b"", b"value");
        let entries: Vec<_> = chunk.iter().collect();
        assert_eq!(
            entries,
            [(&b""[..], &b""[..]), (b"key", b""), (b"", b"value")]
        );
        assert_eq!(chunk.keys().collect::<Vec<_>>(), [&b""[..], b"key", b""]);
        assert_eq!(
            chunk.values().collect::<Vec<_>>(),
            [&b""[..], b"", b"value"]
        );
        assert_eq!((chunk.len(), chunk.size_in_bytes()), (3, 8));
        assert_eq!(chunk.get(1), Some((&b"key"[..], &b""[..])));
        assert_eq!(chunk.last(), chunk.get(2));
        assert_eq!(chunk.get(3), None);
    }

    #[test]
    fn clear_keeps_the_memory() {
        let mut chunk = Chunk::new();
        chunk.push(&[1; 1000], &[2; 1000]);
        let capacity = chunk.bytes.capacity();
        chunk.clear();
        assert!(chunk.is_empty() && chunk.last().is_none() && chunk.size_in_bytes() == 0);
        assert_eq!(chunk.bytes.capacity(), capacity);
    }

    #[test]
    fn an_empty_chunk_takes_an_entry_of_any_size() {
        let mut chunk = Chunk::new();
        let limit = ChunkLimit {
            entries: 9,
            bytes: 0,
        };
        assert!(!limit.is_reached(&chunk));
        chunk.push(b"k", b"v");
        assert!(limit.is_reached(&chunk));
        assert!(ChunkLimit::entries(0).is_reached(&Chunk::new()));
        assert!(
            !ChunkLimit {
                entries: 2,
                bytes: 3
            }
            .is_reached(&chunk)
        );
        assert!(
            ChunkLimit {
                entries: 2,
                bytes: 2
            }
            .is_reached(&chunk)
        );
    }
}
