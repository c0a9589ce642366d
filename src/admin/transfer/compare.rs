//! Whether a table is the same in two databases: its rows counted and summed on both sides, and where these differ the first
//! row that does.

use std::ops::ControlFlow;

use twox_hash::XxHash3_64;

use super::TransferProgress;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::row::{RowSnapshot, own_rows};
use crate::schema::BoundTable;
use crate::store::{Chunk, ChunkLimit, Direction, ReadRequest, Reader};

/// What rows come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TableTally {
    /// How many there are.
    pub rows: u64,
    /// The bytes of their keys and values.
    pub bytes: u64,
    /// The sum of a hash of each row, key and value: the same in whatever order they are counted.
    pub checksum: u64,
}

impl TableTally {
    /// Counts a row.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        self.rows += 1;
        self.bytes += (key.len() + value.len()) as u64;
        // The key is the seed: a value that has changed places is another one.
        let hash = XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(key), value);
        self.checksum = self.checksum.wrapping_add(hash);
    }

    /// These rows and others.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            bytes: self.bytes + other.bytes,
            checksum: self.checksum.wrapping_add(other.checksum),
        }
    }
}

/// What the rows of a table come to, or those before a key.
pub(super) fn tally(
    rows: &RowSnapshot,
    table: &BoundTable,
    before: Option<&[u8]>,
    progress: &TransferProgress,
) -> Result<TableTally> {
    let mut tally = TableTally::default();
    let own = table.row_key().own_range();
    let range = match before {
        None => Some(own),
        Some(stop) => {
            KeyRange::new(Vec::new(), Some(stop.to_vec())).and_then(|before| own.intersect(&before))
        }
    };
    let Some(range) = range else {
        return Ok(tally);
    };
    rows.read_chunks(&range, |chunk| {
        let own = own_rows(table, chunk);
        own.iter().for_each(|(key, value)| tally.add(key, value));
        progress.count(own.len(), own.size_in_bytes())?;
        Ok::<_, Error>(true)
    })?;
    Ok(tally)
}

/// The first row that one side has and the other has not, or not so, in words; `names` are what users call the sides.
pub(super) fn first_difference(
    source: (&RowSnapshot, &BoundTable),
    target: (&RowSnapshot, &BoundTable),
    names: [&String; 2],
) -> Result<String> {
    let (mut source, mut target) = (Walk::new(source)?, Walk::new(target)?);
    loop {
        source.load()?;
        target.load()?;
        let [from, to] = names;
        let found = match (source.row(), target.row()) {
            (Some(one), Some(other)) if one == other => ControlFlow::Continue(()),
            (Some((key, _)), Some((other, _))) if key == other => ControlFlow::Break(format!(
                "row {} has other values in {to} than in {from}",
                source.readable(key)
            )),
            (Some((key, _)), other) if other.is_none_or(|(other, _)| key < other) => {
                let key = source.readable(key);
                ControlFlow::Break(format!("row {key} is in {from} and not in {to}"))
            }
            (_, Some((key, _))) => {
                let key = target.readable(key);
                ControlFlow::Break(format!("row {key} is in {to} and not in {from}"))
            }
            (_, None) => {
                ControlFlow::Break("both were read again, and are the same now".to_owned())
            }
        };
        match found {
            ControlFlow::Break(words) => return Ok(words),
            ControlFlow::Continue(()) => (source.at, target.at) = (source.at + 1, target.at + 1),
        }
    }
}

/// Goes through the rows of a table.
struct Walk<'a> {
    table: &'a BoundTable,
    reader: Box<dyn Reader>,
    chunk: Chunk,
    at: usize,
    has_more: bool,
}

impl<'a> Walk<'a> {
    fn new((rows, table): (&RowSnapshot, &'a BoundTable)) -> Result<Self> {
        let range = table.row_key().own_range();
        let request = ReadRequest::range(table.shared_space(), range, Direction::Forward);
        Ok(Self {
            table,
            reader: rows.read(request)?,
            chunk: Chunk::new(),
            at: 0,
            has_more: true,
        })
    }

    /// Stands at a row of the table's own, or behind the last.
    fn load(&mut self) -> Result<()> {
        loop {
            match self.row() {
                Some((key, _)) if self.table.row_key().is_own(key) => return Ok(()),
                Some(_) => self.at += 1,
                None if self.has_more => {
                    self.chunk.clear();
                    self.at = 0;
                    self.has_more = self.reader.fill(&mut self.chunk, ChunkLimit::default())?;
                }
                None => return Ok(()),
            }
        }
    }

    fn row(&self) -> Option<(&[u8], &[u8])> {
        self.chunk.get(self.at)
    }

    fn readable(&self, key: &[u8]) -> String {
        self.table.row_key().readable(key)
    }
}
