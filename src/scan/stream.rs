//! The blocking half of a scan, and how it is driven from async code.
//!
//! A [`PartitionScan`] reads, merges, decodes and filters; it blocks. It is moved to a thread that may wait for one
//! batch at a time and comes back with it: between two batches no thread is held, so that any number of scans may
//! stand half read without waiting for each other's threads. From the second batch on the next one is made while the
//! one before is worked on; a consumer that wants one batch causes no reading beyond it.
//!
//! To hand a scan to a thread and back costs more than to read a few rows. So one that is expected to be short begins
//! where its rows are asked for, and goes to a thread if it is not over after [`PATIENCE`].
//!
//! A stream that is dropped sets a flag, which the thread looks at after every few entries and every seek.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{DataFusionError, Result};
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::coop::cooperative;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;

use super::decode::Decoder;
use super::first_rows::{FirstRows, Next};
use super::merge::{Chain, Comparison, Draw, Merge};
use super::metrics::Counters;
use super::output::Output;
use super::partition::joined;
use super::piece::Piece;
use super::run::{Cancelled, RunReader, Source};
use super::runtime::Narrowing;
use super::{ScanRequest, external};
use crate::store::{Chunk, ChunkLimit, Direction};

/// About how many bytes of entries are decoded at once.
const CHUNK_BYTES: usize = 2 << 20;

/// How many entries a scan without a limit reads first.
const FIRST_READ: usize = 1024;

/// How many entries of each run a merge reads first, in a scan without a limit.
const FIRST_HEAD: usize = 64;

/// How many entries a scan with a limit and filters reads first: how many rows these leave is not known.
const FIRST_READ_FILTERED: usize = 64;

/// How long a scan that is expected to be short is read where its rows are asked for; looked at between two chunks, of
/// which each ends where the store hands control back.
const PATIENCE: Duration = Duration::from_micros(500);

/// The scan of one partition.
pub(super) struct PartitionScan {
    draw: Draw,
    /// What dynamic filters leave of it is less and less.
    narrowing: Option<Box<Narrowing>>,
    drawing: Drawing,
    decoder: Decoder,
    /// That of rows which a walk that has given up does not prove; it asks for what the walk does, too.
    wide: Option<Decoder>,
    /// Whether such rows have come.
    is_wide: bool,
    output: Output,
    /// Of rows that are grouped by their keys only the first are wanted.
    first_rows: Option<Box<FirstRows>>,
    chunk: Chunk,
    /// How many entries are read at once; doubles up to `most`.
    reach: usize,
    most: usize,
    is_finished: bool,
    cancelled: Cancelled,
    counters: Option<Counters>,
}

/// How the entries of a partition's pieces are drawn.
struct Drawing {
    source: Source,
    comparison: Comparison,
    in_order: bool,
    /// How many entries of each run a merge reads first.
    head: usize,
}

impl Drawing {
    /// Before the first entry of `pieces`.
    fn of(&self, pieces: Vec<Piece>) -> Draw {
        let pieces = joined(pieces, self.comparison).into_iter();
        let readers = pieces.map(|piece| RunReader::new(&self.source, piece));
        let readers: Vec<RunReader> = readers.collect();
        if self.in_order && readers.len() > 1 {
            Draw::Merged(Box::new(Merge::new(
                readers,
                self.comparison,
                self.head,
                self.source.cancelled.clone(),
            )))
        } else {
            Draw::Chained(Chain::new(readers))
        }
    }
}

impl Drawing {
    fn turn_forward(&mut self) {
        self.source.direction = Direction::Forward;
        self.comparison.direction = Direction::Forward;
    }
}

impl PartitionScan {
    /// Before the first entry of `pieces`. Where order is wanted they are merged by their keys without `cut`.
    ///
    /// # Errors
    /// An error of a filter that does not fit the table.
    pub(super) fn new(
        request: &ScanRequest,
        schema: SchemaRef,
        pieces: Vec<Piece>,
        cut: Option<(usize, usize)>,
        source: Source,
        batch_size: usize,
    ) -> Result<Self> {
        let decoder = Decoder::new(request, Arc::clone(&schema))?;
        let wide = if source.widens {
            Some(Decoder::wide(request, Arc::clone(&schema))?)
        } else {
            None
        };
        let most = batch_size.max(1);
        let comparison = Comparison {
            cut: cut.filter(|_| request.in_order),
            direction: source.direction,
        };
        let first_rows = FirstRows::of(request, &pieces, comparison).map(Box::new);
        let reach = match (request.fetch, decoder.keeps_all(), &first_rows) {
            (_, _, Some(first_rows)) => first_rows.rows(),
            (None, _, None) => FIRST_READ,
            (Some(fetch), true, None) => fetch,
            (Some(_), false, None) => FIRST_READ_FILTERED,
        };
        let (cancelled, counters) = (source.cancelled.clone(), source.counters.clone());
        let wants_few = request.fetch.is_some() || first_rows.is_some();
        let drawing = Drawing {
            comparison,
            source,
            in_order: request.in_order,
            head: if wants_few { 1 } else { FIRST_HEAD },
        };
        let narrowing = Narrowing::of(request, &pieces).map(Box::new);
        let output = Output::new(schema, batch_size, request.fetch);
        let output = if first_rows.is_some() {
            output.growing()
        } else {
            output
        };
        Ok(Self {
            draw: drawing.of(pieces),
            narrowing,
            drawing,
            decoder,
            wide,
            is_wide: false,
            is_finished: output.is_satisfied(),
            output,
            first_rows,
            chunk: Chunk::new(),
            reach: reach.clamp(1, most),
            most,
            cancelled,
            counters,
        })
    }

    /// The next batch; `None` at the end, or once the scan is cancelled.
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        self.next_batch_within(Duration::MAX)
    }

    /// The same, or `None` once it has been read for so long.
    fn next_batch_within(&mut self, patience: Duration) -> Result<Option<RecordBatch>> {
        let start = self.counters.is_some().then(Instant::now);
        let batch = self.make_batch(patience);
        if let (Some(counters), Some(start)) = (&self.counters, start) {
            counters.elapsed.add_elapsed(start);
            if let Ok(Some(batch)) = &batch {
                counters.rows_out.add(batch.num_rows());
            }
        }
        batch
    }

    fn make_batch(&mut self, patience: Duration) -> Result<Option<RecordBatch>> {
        self.narrow_first()?;
        let start = (patience < Duration::MAX).then(Instant::now);
        loop {
            if let Some(batch) = self.output.pop() {
                return Ok(Some(batch));
            }
            let is_late = start.is_some_and(|start| start.elapsed() >= patience);
            if self.is_finished || is_late || self.cancelled.is_set() {
                return Ok(None);
            }
            if let Some(last) = self.read_on()? {
                return Ok(Some(last));
            }
        }
    }

    /// Whether its next batch is a small one, of rows that cost a seek each.
    pub(super) fn gives_few(&self) -> bool {
        self.output.is_growing()
    }

    /// Whether there is no batch after those that were given.
    fn is_over(&self) -> bool {
        self.is_finished && self.output.is_empty()
    }

    fn decoder(&self) -> &Decoder {
        let wide = self.wide.as_ref().filter(|_| self.is_wide);
        wide.unwrap_or(&self.decoder)
    }

    /// Reads and decodes one chunk. Gives its rows if they are all that is left.
    fn read_on(&mut self) -> Result<Option<RecordBatch>> {
        let wanted = match self.output.remaining() {
            Some(remaining) if self.decoder().keeps_all() => remaining,
            _ => usize::MAX,
        };
        let limit = ChunkLimit {
            entries: self.reach.min(wanted),
            bytes: CHUNK_BYTES,
        };
        self.chunk.clear();
        let has_more = self.draw.fill(&mut self.chunk, limit).map_err(external)?;
        self.is_wide |= self.draw.is_wide();
        let mut last = None;
        let wide = self.wide.as_ref().filter(|_| self.is_wide);
        let decoder = wide.unwrap_or(&self.decoder);
        let first_rows = self.first_rows.as_deref_mut();
        let decoded = decoder.decode(decoder.open(&self.chunk).as_mut(), first_rows)?;
        match (decoded, has_more) {
            (Some(batch), true) => self.output.push(batch)?,
            (Some(batch), false) => last = self.output.pass(batch)?,
            (None, _) => {}
        }
        self.reach = if has_more { self.go_on()? } else { 0 };
        self.is_finished = !has_more || self.output.is_satisfied();
        // Whoever tightens a filter does so by the rows that it has seen.
        let is_watching = self
            .narrowing
            .as_deref()
            .is_some_and(Narrowing::is_watching);
        if self.is_finished || is_watching {
            self.output.flush()?;
        }
        if !self.is_finished {
            self.narrow()?;
        }
        Ok(last)
    }
}

impl PartitionScan {
    /// Leaves out, before the first entry, what dynamic filters rule out by then.
    fn narrow_first(&mut self) -> Result<()> {
        let Some(narrowing) = &mut self.narrowing else {
            return Ok(());
        };
        if let Some(pieces) = narrowing.begin()? {
            self.draw = self.drawing.of(pieces);
        }
        Ok(())
    }

    /// Leaves out what dynamic filters rule out since. Of runs that are merged the next entries are read already.
    fn narrow(&mut self) -> Result<()> {
        let (Some(narrowing), Draw::Chained(chain)) = (&mut self.narrowing, &self.draw) else {
            return Ok(());
        };
        // Without a row nothing tells where the scan stands in the run that it has begun.
        if self.chunk.is_empty() {
            return Ok(());
        }
        let last = if chain.is_within() {
            self.chunk.keys().last()
        } else {
            None
        };
        if let Some(pieces) = narrowing.go_on(self.chunk.len(), chain.len(), last)? {
            self.draw = self.drawing.of(pieces);
        }
        Ok(())
    }

    /// Passes over rows that are not wanted. Returns how many entries to read next.
    fn go_on(&mut self) -> Result<usize> {
        let twice = if self.chunk.is_empty() {
            self.reach
        } else {
            (self.reach * 2).min(self.most)
        };
        let Some(first_rows) = &mut self.first_rows else {
            return Ok(twice);
        };
        let few = first_rows.rows().min(self.most);
        match first_rows.next(&self.chunk).map_err(external)? {
            Next::ReadOn { least } => Ok(twice.max(least).min(self.most)),
            Next::Skip(group) => {
                self.draw.skip(group).map_err(external)?;
                Ok(few)
            }
            Next::GiveUp => {
                self.read_the_rest();
                Ok(twice)
            }
        }
    }

    /// Has all that is left read forward, whichever rows of their groups they are.
    fn read_the_rest(&mut self) {
        let first_rows = self.first_rows.take();
        self.output.grow();
        let backward = self.drawing.source.direction == Direction::Backward;
        if let (Some(first_rows), Draw::Chained(chain)) = (first_rows, &self.draw)
            && backward
        {
            let last = self.chunk.keys().last().filter(|_| chain.is_within());
            let pieces = first_rows.rest(chain.len(), last);
            self.drawing.turn_forward();
            self.draw = self.drawing.of(pieces);
        }
    }
}

/// Cancels the scan when its stream is dropped.
struct CancelOnDrop(Cancelled);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// A scan and the batch it has made.
type ScanStep = (Box<PartitionScan>, Option<RecordBatch>);

/// What has made a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maker {
    Asker,
    Thread,
}

/// A scan between two batches, the task that makes the next one, or neither where there is none.
enum ScanTask {
    /// Before a batch that is made where it is asked for if that is soon done.
    Short(Box<PartitionScan>),
    Idle(Box<PartitionScan>),
    Running(SpawnedTask<Result<ScanStep>>),
    Over,
}

impl ScanTask {
    fn spawn(mut scan: Box<PartitionScan>) -> SpawnedTask<Result<ScanStep>> {
        SpawnedTask::spawn_blocking(move || {
            let batch = scan.next_batch()?;
            Ok((scan, batch))
        })
    }

    /// What comes behind a batch. To be told that nothing does is not worth a thread, and neither are a few rows.
    fn after(scan: Box<PartitionScan>, maker: Maker, is_first: bool) -> Self {
        match maker {
            _ if scan.is_over() => Self::Over,
            Maker::Asker if scan.gives_few() => Self::Short(scan),
            _ if is_first => Self::Idle(scan),
            _ => Self::Running(Self::spawn(scan)),
        }
    }

    /// The next batch, the scan that has made it, and where.
    async fn step(self) -> Result<Option<(ScanStep, Maker)>> {
        let task = match self {
            Self::Over => return Ok(None),
            Self::Running(task) => task,
            Self::Idle(scan) => Self::spawn(scan),
            Self::Short(mut scan) => {
                let batch = scan.next_batch_within(PATIENCE)?;
                if batch.is_some() || scan.is_over() {
                    return Ok(Some(((scan, batch), Maker::Asker)));
                }
                Self::spawn(scan)
            }
        };
        let step = task.join_unwind().await;
        let step = step.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?;
        Ok(Some((step?, Maker::Thread)))
    }
}

/// The batches of a scan that may take a while: made in a thread that may wait; if the scan is expected to be short, the
/// first one perhaps where it is asked for, and those of [a few rows](PartitionScan::gives_few) behind it.
pub(super) fn in_thread(
    schema: SchemaRef,
    scan: Box<PartitionScan>,
    is_short: bool,
) -> SendableRecordBatchStream {
    let guard = CancelOnDrop(scan.cancelled.clone());
    let task = if is_short {
        ScanTask::Short(scan)
    } else {
        ScanTask::Idle(scan)
    };
    let batches = stream::try_unfold((task, guard, true), |(task, guard, is_first)| async move {
        let Some(((scan, Some(batch)), maker)) = task.step().await? else {
            return Ok(None);
        };
        let task = ScanTask::after(scan, maker, is_first);
        Ok(Some((batch, (task, guard, false))))
    });
    cooperate(schema, batches)
}

/// The batches of a scan that is over at once: made where they are asked for.
pub(super) fn inline(schema: SchemaRef, scan: Box<PartitionScan>) -> SendableRecordBatchStream {
    let batches = stream::try_unfold(scan, |mut scan| async move {
        Ok(scan.next_batch()?.map(|batch| (batch, scan)))
    });
    cooperate(schema, batches)
}

fn cooperate(
    schema: SchemaRef,
    batches: impl stream::Stream<Item = Result<RecordBatch>> + Send + 'static,
) -> SendableRecordBatchStream {
    Box::pin(cooperative(RecordBatchStreamAdapter::new(
        schema,
        Box::pin(batches),
    )))
}

#[cfg(test)]
#[path = "wide_tests.rs"]
mod tests;
