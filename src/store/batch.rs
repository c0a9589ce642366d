//! Changes that are applied together.

/// Changes to one or more spaces, applied all or none by [`super::Store::write`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteBatch {
    spaces: Vec<String>,
    bytes: Vec<u8>,
    operations: Vec<Bounds>,
}

/// One operation: the index of its space, and where key and value lie in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds {
    space: usize,
    key: usize,
    value: usize,
    end: usize,
    is_delete: bool,
}

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

    /// Keeps `value` under `key`, over what was there.
    pub fn put(&mut self, space: &str, key: &[u8], value: &[u8]) {
        self.push(space, key, Some(value));
    }

    /// Deletes the entry under `key`; nothing happens if there is none.
    pub fn delete(&mut self, space: &str, key: &[u8]) {
        self.push(space, key, None);
    }

    /// Adds the operations of another batch behind these.
    pub fn append(&mut self, other: &Self) {
        for operation in other.iter() {
            self.push(operation.space, operation.key, operation.value);
        }
    }

    fn push(&mut self, space: &str, key: &[u8], value: Option<&[u8]>) {
        let space = self.space_index(space);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.operations.push(Bounds {
            space,
            key: start,
            value: start + key.len(),
            end: self.bytes.len(),
            is_delete: value.is_none(),
        });
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

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there is no operation.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// About how much memory the batch takes, in bytes: what a statement's budget counts.
    pub fn size_in_bytes(&self) -> usize {
        self.bytes.len() + self.operations.len() * size_of::<Bounds>()
    }

    /// The spaces that are named, each once.
    pub fn spaces(&self) -> impl Iterator<Item = &str> {
        self.spaces.iter().map(String::as_str)
    }

    /// The operations in the order in which they were added.
    #[expect(
        clippy::indexing_slicing,
        reason = "bounds are made by push alone, from the same buffers"
    )]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Operation<'_>> {
        self.operations.iter().map(|bounds| Operation {
            space: &self.spaces[bounds.space],
            key: &self.bytes[bounds.key..bounds.value],
            value: (!bounds.is_delete).then(|| &self.bytes[bounds.value..bounds.end]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
