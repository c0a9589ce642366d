//! Opening: the one way from a request to its rows, under the plan node and under runs without a plan.
//!
//! Of a run [`RowSnapshot`](crate::row::RowSnapshot) hands out rows with their keys, whatever the store's entries are:
//! [`RunReader`](super::run::RunReader), merges, limits, counters and the decoder speak of rows alone.

use std::sync::Arc;
use std::vec::IntoIter;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;

use super::metrics::Counters;
use super::partition::{is_brief, is_short};
use super::piece::Piece;
use super::run::Source;
use super::stream::{self, PartitionScan};
use super::{ScanRequest, external};
use crate::store::{Latency, Snapshot};

/// When and how a request is read.
#[derive(Debug)]
pub struct Moment {
    /// The moment of the store.
    pub snapshot: Arc<dyn Snapshot>,
    /// How long a call of the store takes.
    pub latency: Latency,
    /// About how many rows a batch has.
    pub batch_size: usize,
}

/// What one stream has of a request.
pub(super) struct Share {
    pub(super) pieces: Vec<Piece>,
    /// What is left out of keys when pieces are merged by them.
    pub(super) cut: Option<(usize, usize)>,
    /// `None`: nothing is counted.
    pub(super) counters: Option<Counters>,
}

/// Rows, of which none is read yet, or all are.
pub struct Opened {
    schema: SchemaRef,
    rows: OpenedRows,
    is_brief: bool,
    is_short: bool,
}

enum OpenedRows {
    /// Boxed, for it is handed on from place to place.
    Scan(Box<PartitionScan>),
    Read(IntoIter<RecordBatch>),
}

/// Opens all of a request as one stream, whose batches have `schema`, that of the request. What is read is counted where
/// there are counters. Whoever does so expects little: of a few runs the first rows are read where they are asked for.
///
/// # Errors
/// A filter of columns that the table does not have; `Conflict` if the table is gone at that moment.
pub fn open(
    request: &ScanRequest,
    schema: SchemaRef,
    moment: Moment,
    counters: Option<Counters>,
) -> Result<Opened> {
    let pieces: Vec<Piece> = request.spans.runs().iter().map(Piece::whole).collect();
    let cut = if request.in_order && pieces.len() > 1 {
        request.key_order().map_err(external)?.cut
    } else {
        None
    };
    let share = Share {
        pieces,
        cut,
        counters,
    };
    let is_short = moment.latency == Latency::Near && is_short(&share.pieces);
    let opened = open_share(request, schema, share, moment)?;
    Ok(Opened {
        is_short: is_short || opened.is_short,
        ..opened
    })
}

/// Opens a part of a request.
///
/// # Errors
/// As [`open`].
pub(super) fn open_share(
    request: &ScanRequest,
    schema: SchemaRef,
    share: Share,
    moment: Moment,
) -> Result<Opened> {
    let is_near = moment.latency == Latency::Near;
    let is_brief = is_near && is_brief(&share.pieces);
    let source = Source::new(request, moment.snapshot, share.counters).map_err(external)?;
    let (shown, batch_size) = (Arc::clone(&schema), moment.batch_size);
    let scan = PartitionScan::new(request, shown, share.pieces, share.cut, source, batch_size)?;
    Ok(Opened {
        schema,
        is_brief,
        is_short: is_near && scan.gives_few(),
        rows: OpenedRows::Scan(Box::new(scan)),
    })
}

/// Reads all of a request at a moment that is [supposed](crate::store::Store::supposed), where it is asked for; `None`
/// where the moment does not hold, or could not be read.
///
/// # Errors
/// As [`open`].
pub fn read_supposed(
    request: &ScanRequest,
    schema: SchemaRef,
    moment: Moment,
    counters: Option<Counters>,
) -> Result<Option<Opened>> {
    let snapshot = Arc::clone(&moment.snapshot);
    let mut opened = open(request, Arc::clone(&schema), moment, counters)?;
    let mut batches = Vec::new();
    let is_read = loop {
        match opened.next_batch() {
            Ok(Some(batch)) => batches.push(batch),
            Ok(None) => break true,
            // Where nothing is supposed it goes wrong again, or does not.
            Err(_) => break false,
        }
    };
    let holds = is_read && snapshot.holds().unwrap_or(false);
    Ok(holds.then(|| Opened {
        schema,
        rows: OpenedRows::Read(batches.into_iter()),
        is_brief: true,
        is_short: false,
    }))
}

impl Opened {
    /// Whether the rows are read where they are asked for, and at once; they need no runtime then.
    pub fn is_brief(&self) -> bool {
        self.is_brief
    }

    /// The next batch, read where it is asked for, which may wait for the store; `None` at the end.
    ///
    /// # Errors
    /// Those of the store; `Corrupt`.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.rows {
            OpenedRows::Scan(scan) => scan.next_batch(),
            OpenedRows::Read(batches) => Ok(batches.next()),
        }
    }

    /// The rows.
    pub fn into_stream(self) -> SendableRecordBatchStream {
        match self.rows {
            OpenedRows::Scan(scan) if self.is_brief => stream::inline(self.schema, scan),
            OpenedRows::Scan(scan) => stream::in_thread(self.schema, scan, self.is_short),
            OpenedRows::Read(batches) => {
                let batches = futures::stream::iter(batches.map(Ok));
                Box::pin(RecordBatchStreamAdapter::new(self.schema, batches))
            }
        }
    }
}
