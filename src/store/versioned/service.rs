//! What is asked of the servers: rows whose cells have versions, each row changed at once, and one clock row.
//!
//! It is as narrow as what HBase and Bigtable both give. Calls block; a [`RowStream`] is begun at once and goes ahead of
//! its reader. Reading is repeated by the service until there is an answer or it cannot be had; what changes something
//! is asked for once, and its answer may be lost.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use smallvec::SmallVec;

use super::clock::{Number, Time};
use crate::error::Result;
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::store::{Direction, Durability, Fact, SpaceRegion};

/// An answer, or none: then nobody knows whether it was done, or will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Reply<T> {
    /// It was carried out.
    Answered(T),
    /// There is no answer.
    Lost,
}

/// A column of the clock row and its value; of a change, no value removes the version under the change's number.
pub(in crate::store) type Cell = (Vec<u8>, Option<Vec<u8>>);

/// The cells of the clock row: a column, and its value.
pub(in crate::store) type ClockCells = Vec<(Vec<u8>, Vec<u8>)>;

/// The versions of a row, the newest first; of most rows there is one. An empty value is a tombstone.
pub(in crate::store) type Versions = SmallVec<[(Number, Bytes); 1]>;

/// A row: its key and its versions, of which there is at least one. Both share the bytes of the answer that they came in.
pub(in crate::store) type Row = (Bytes, Versions);

/// A change of the clock row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct ClockChange {
    /// What must be there; no value: no cell, or an empty one.
    pub check: Cell,
    /// What is put.
    pub cells: Vec<Cell>,
    /// The time stamp of what is put.
    pub number: Number,
}

/// Which versions are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Window {
    /// None is older.
    pub oldest: Number,
    /// None is newer.
    pub newest: Number,
    /// The newest so many of each row.
    pub versions: usize,
}

impl Window {
    /// The greatest number that services know.
    pub(in crate::store) const NEWEST: Number = i64::MAX as Number - 1;
}

/// Which rows are wanted.
#[derive(Debug, Clone)]
pub(in crate::store) enum Rows {
    /// Those under these keys, in this order.
    Keys(Vec<Vec<u8>>),
    /// Those in these ranges.
    Ranges(KeyRangeSet, Direction),
}

/// What is so of a row service, whatever happens.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Nature {
    /// Whether no row can have the empty key.
    pub refuses_empty_key: bool,
    /// What to do instead of copying the store's files from here.
    pub instead_of_copy: &'static str,
    /// What to do instead of looking at the store's files from here.
    pub instead_of_check: &'static str,
}

/// How many rows are wanted: hints.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Amount {
    /// In the first answer; later ones may have more.
    pub first: usize,
    /// At all; `None`: perhaps all.
    pub fetch: Option<usize>,
    /// Whether anybody looks at the values. Where nobody does, a service may hand out others, empty where they are empty
    /// alone.
    pub values: bool,
}

impl Amount {
    /// All, so many at first.
    pub(in crate::store) fn all(first: usize) -> Self {
        Self {
            first,
            fetch: None,
            values: true,
        }
    }
}

/// Hands out rows.
pub(in crate::store) trait RowStream: Send {
    /// The rows of the next answer; `None` at the end. An answer may be empty.
    fn next(&mut self) -> Result<Option<Vec<Row>>>;

    /// How many messages were sent.
    fn requests(&self) -> usize;

    /// How many parts of a table were asked that are kept apart.
    fn regions(&self) -> usize;
}

/// A store that is atomic by row.
pub(in crate::store) trait RowService: Send + Sync + fmt::Debug + 'static {
    /// What is always so of it.
    fn nature(&self) -> Nature;

    /// What it is, and how its servers stand.
    fn describe(&self) -> Result<Vec<Fact>>;

    /// The cells of the clock row, of each column the one with the greatest time stamp; none where there is no such row.
    fn read_clock(&self) -> Result<ClockCells>;

    /// Changes the clock row, if the check holds; the answer says whether it has.
    fn change_clock(&self, change: &ClockChange) -> Result<Reply<bool>>;

    /// Puts values under keys, each row by itself. To put the same again under one number changes nothing.
    fn put(
        &self,
        table: &str,
        number: Number,
        puts: &[(Vec<u8>, Vec<u8>)],
        durability: Durability,
    ) -> Result<Reply<()>>;

    /// Begins to read, and does not wait.
    fn read(
        &self,
        table: &str,
        rows: Rows,
        window: Window,
        amount: Amount,
    ) -> Result<Box<dyn RowStream>>;

    /// Begins to read rows under keys, and reads the clock row: both are asked for at once, and answered in any order.
    fn read_beside_clock(
        &self,
        table: &str,
        keys: Vec<Vec<u8>>,
        window: Window,
    ) -> Result<(ClockCells, Box<dyn RowStream>)>;

    /// Removes exactly these versions of rows, those of one row at once.
    fn remove(&self, table: &str, rows: &[(Vec<u8>, Vec<Number>)]) -> Result<Reply<()>>;

    /// Makes a table, if there is none of this name, with parts that begin at these keys, which ascend.
    fn create_table(&self, table: &str, borders: &[Vec<u8>]) -> Result<()>;

    /// Removes a table, if it is there.
    fn drop_table(&self, table: &str) -> Result<()>;

    /// About how many bytes lie in a range, from what is known, or learnt in a moment for many statements; `None`: that is
    /// nothing.
    fn approximate_size(&self, table: &str, range: &KeyRange) -> Option<u64>;

    /// The keys at which parts of a table begin that are kept apart, ascending, from what is known without a message.
    fn borders(&self, table: &str) -> Vec<Vec<u8>>;

    /// The parts of a table that are kept apart and have keys of a range, in their order.
    fn regions(&self, table: &str, range: &KeyRange) -> Result<Vec<SpaceRegion>>;

    /// The time, in milliseconds since 1970.
    fn now(&self) -> Time;

    /// Waits.
    fn wait(&self, duration: Duration);
}
