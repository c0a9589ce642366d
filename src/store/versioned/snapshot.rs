//! The snapshot of a versioned store.

use std::fmt;
use std::sync::Arc;

use super::read::VersionedReader;
use super::service::{Amount, RowService, Rows};
use super::sight::Sight;
use super::values;
use crate::error::Result;
use crate::store::{ReadRequest, Reader, Snapshot};

/// A moment of all spaces.
pub(super) struct VersionedSnapshot<S>(pub Arc<Sight<S>>);

impl<S> fmt::Debug for VersionedSnapshot<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VersionedSnapshot({:?})", self.0.moment)
    }
}

impl<S: RowService> Snapshot for VersionedSnapshot<S> {
    fn has_space(&self, space: &str) -> bool {
        self.0.directory().spaces.contains_key(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.0.stamp(space)
    }

    fn holds(&self) -> Result<bool> {
        self.0.holds()
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let values = self.multi_get(space, &[key])?;
        Ok(values.into_iter().next().flatten())
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let table = &self.0.space(space)?.table;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut sorted: Vec<&[u8]> = keys.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let rows = Rows::Keys(sorted.iter().map(|key| key.to_vec()).collect());
        let mut stream = self.0.read(table, rows, Amount::all(sorted.len()))?;
        let mut found = Vec::new();
        while let Some(rows) = stream.next()? {
            for (key, versions) in rows {
                let value = self.0.choose(versions).and_then(values::read);
                found.extend(value.map(|value| (key, value)));
            }
        }
        self.0.check_kept()?;
        let value = |key: &&[u8]| {
            let at = found.binary_search_by(|(found, _)| (**found).cmp(key));
            let (_, value) = found.get(at.ok()?)?;
            Some(value.to_vec())
        };
        Ok(keys.iter().map(value).collect())
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        Ok(Box::new(VersionedReader::begin(
            Arc::clone(&self.0),
            request,
        )?))
    }
}
