//! Reading one run of the spans, or a piece of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ScanRequest;
use super::metrics::Counters;
use super::piece::Piece;
use super::snapshot::refuse_if_gone;
use crate::error::{Error, Result};
use crate::row::RowSnapshot;
use crate::schema::FamilySet;
use crate::span;
use crate::store::{Chunk, ChunkLimit, Direction, ReadRequest, Reader, Snapshot, Tally, Work};

/// The most rows that are read between two checks whether the scan is cancelled.
const ROWS_PER_LOOK: usize = 1024;

/// Whether nobody wants the rows of a scan any more. A clone is the same flag.
#[derive(Debug, Clone, Default)]
pub(super) struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From where and how the runs of a partition are read.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) rows: RowSnapshot,
    pub(super) direction: Direction,
    /// [`ReadRequest::first`] of each run, in rows.
    pub(super) first: usize,
    /// [`ReadRequest::fetch`] of each run, in rows.
    pub(super) fetch: Option<usize>,
    /// [`ReadRequest::values`] of each run.
    pub(super) values: bool,
    /// [`ReadRequest::widens`] of each run.
    pub(super) widens: bool,
    /// Which families of the table's columns are read.
    pub(super) families: FamilySet,
    /// `None`: nothing is counted.
    pub(super) counters: Option<Counters>,
    pub(super) cancelled: Cancelled,
}

impl Source {
    /// What a request reads at one moment of its store.
    ///
    /// # Errors
    /// Those of [`refuse_if_gone`].
    pub(super) fn new(
        request: &ScanRequest,
        snapshot: Arc<dyn Snapshot>,
        counters: Option<Counters>,
    ) -> Result<Self> {
        let table = &request.table;
        refuse_if_gone(table, snapshot.as_ref())?;
        let is_filtered = request.filters().next().is_some();
        let of_one_group = request.first_of.filter(|first| first.is_one);
        let most = request.fetch.or(of_one_group.map(|first| first.rows));
        let fetch = most.filter(|_| !is_filtered);
        let widens = request.widens();
        Ok(Self {
            rows: RowSnapshot::of(snapshot, table.spaces()),
            direction: request.direction,
            first: fetch.unwrap_or(usize::MAX).min(ReadRequest::FIRST),
            fetch,
            values: request.looks_at_values() || widens && request.proves_values(),
            widens,
            families: request.families(),
            counters,
            cancelled: Cancelled::default(),
        })
    }
}

/// Reads the rows of a run, in the scan's direction.
pub(super) struct RunReader {
    rows: RowSnapshot,
    families: FamilySet,
    counters: Option<Counters>,
    cancelled: Cancelled,
    begins: Begins,
    state: State,
}

enum State {
    Waiting(ReadRequest),
    Begun {
        reader: Box<dyn Reader>,
        counted: Tally,
    },
    /// Could not be begun.
    Failed,
}

/// How many ranges of a piece are counted as its own.
#[derive(Debug, Clone, Copy)]
enum Begins {
    /// Each that is entered.
    All,
    /// The first one is the rest of a range that another piece begins.
    AllButFirst,
    /// So many: the last one, which comes last where the piece is read backward, is such a rest.
    AtMost(usize),
}

impl Begins {
    fn of(piece: &Piece, direction: Direction) -> Self {
        match (&piece.run.work, direction) {
            (span::Work::Ranges(_), Direction::Forward) if piece.is_rest => Self::AllButFirst,
            (span::Work::Ranges(ranges), Direction::Backward) if piece.is_rest => {
                Self::AtMost(ranges.ranges().len().saturating_sub(1))
            }
            (span::Work::Walk(_), _) if piece.is_rest => Self::AtMost(0),
            _ => Self::All,
        }
    }

    fn count(self, entered: usize) -> usize {
        match self {
            Self::All => entered,
            Self::AllButFirst => entered.saturating_sub(1),
            Self::AtMost(most) => entered.min(most),
        }
    }
}

impl RunReader {
    /// The reader of a run or a piece of one, before anything is asked of the store.
    pub(super) fn new(source: &Source, piece: Piece) -> Self {
        let begins = Begins::of(&piece, source.direction);
        let work = match piece.run.work {
            span::Work::Points(keys) => Work::Points(keys),
            span::Work::Ranges(ranges) => Work::Ranges(ranges),
            span::Work::Walk(walk) => Work::Walk(walk),
        };
        Self {
            rows: source.rows.clone(),
            families: source.families,
            counters: source.counters.clone(),
            cancelled: source.cancelled.clone(),
            begins,
            state: State::Waiting(ReadRequest {
                space: Arc::clone(source.rows.space()),
                work,
                direction: source.direction,
                first: source.first,
                fetch: source.fetch,
                values: source.values,
                widens: source.widens,
            }),
        }
    }

    /// Begins to read in the store, unless that is done, and does not wait for its answer, so that several runs can be
    /// begun before the first is read.
    pub(super) fn begin(&mut self) -> Result<()> {
        if !matches!(self.state, State::Waiting(_)) {
            return Ok(());
        }
        if let State::Waiting(request) = std::mem::replace(&mut self.state, State::Failed) {
            let reader = self.rows.read_families(request, self.families)?;
            let counted = Tally::default();
            self.state = State::Begun { reader, counted };
            self.count();
        }
        Ok(())
    }

    /// Appends rows until `limit` is reached, the run ends, the scan is cancelled, or the store hands control back
    /// without a row, as in a run of tombstones. Returns whether the run may hold more.
    pub(super) fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        self.begin()?;
        while !limit.is_reached(chunk) && !self.cancelled.is_set() {
            let few = ChunkLimit {
                entries: limit.entries.min(chunk.len() + ROWS_PER_LOOK),
                ..limit
            };
            let State::Begun { reader, .. } = &mut self.state else {
                return Err(Error::internal("a run that could not be begun is read"));
            };
            let before = chunk.len();
            let more = reader.fill(chunk, few);
            self.count();
            if !more? {
                return Ok(false);
            }
            if chunk.len() == before {
                break;
            }
        }
        Ok(true)
    }

    /// As [`Reader::is_wide`].
    pub(super) fn is_wide(&self) -> bool {
        matches!(&self.state, State::Begun { reader, .. } if reader.is_wide())
    }

    /// Passes over rows, as [`Reader::skip`] does.
    pub(super) fn skip(&mut self, key: &[u8]) -> Result<()> {
        if let State::Begun { reader, .. } = &mut self.state {
            reader.skip(key)?;
            self.count();
        }
        Ok(())
    }

    /// Counts what has come since it was last counted.
    fn count(&mut self) {
        let (State::Begun { reader, counted }, Some(counters)) = (&mut self.state, &self.counters)
        else {
            return;
        };
        let tally = reader.tally();
        let since = tally.since(*counted);
        let ranges = self.begins.count(tally.ranges) - self.begins.count(counted.ranges);
        *counted = tally;
        counters.ranges.add(ranges);
        counters.seeks.add(since.seeks);
        counters.keys_read.add(since.entries);
        counters.deleted.add(since.deleted);
        counters.bytes_read.add(since.bytes);
        counters.requests.add(since.requests);
        counters.regions.add(since.regions);
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
