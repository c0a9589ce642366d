//! Reading ranges: a scanner for the ranges of each region, one after the other; while an answer is taken apart, the next
//! is on its way.
//!
//! Several ranges of a region are one scan forward, whose filter, which every server has, leads it from one to the next;
//! backward each is a scan, since HBase's filter loses rows there. Where only
//! some rows are wanted, the server is told how many, and no answer is asked for ahead of them.
//!
//! Whatever happens to a scanner, the ranges are read on behind the last row that was handed out: all reads are of versions
//! up to a number, so that another scanner, on another server, gives the same rows.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use prost::Message;
use smallvec::smallvec;

use super::cellblock;
use super::cluster::{Cluster, Service};
use super::connection::{Connection, Pending};
use super::failure::{Failure, Reaction};
use super::frame::Response;
use super::left::Left;
use super::messages::{
    Column, Filter, FilterList, KeyOnlyFilter, MultiRowRangeFilter, RowRange, Scan, ScanRequest,
    ScanResponse, TimeRange,
};
use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::store::Direction;
use crate::store::versioned::{Amount, Row, RowStream, Window};

/// The most bytes of an answer.
const ANSWER: u64 = 2 << 20;
/// The most rows of an answer.
const MOST: u32 = 10_000;
/// The most ranges of a scan forward.
const RANGES: usize = 500;

/// The rows of ranges.
pub(super) struct RangeStream {
    cluster: Arc<Cluster>,
    table: String,
    /// What is left, but for that of the open scanner.
    left: Left,
    direction: Direction,
    window: Window,
    /// How many rows the next answer is to have.
    size: u32,
    /// How many rows are wanted at all; `None`: perhaps all.
    wanted: Option<usize>,
    /// Whether values are sent, or their lengths alone.
    values: bool,
    open: Option<Scanner>,
    /// The last row of the newest answer, of which there may be more.
    part: Option<Row>,
    requests: usize,
    /// How many scanners there were.
    regions: usize,
}

/// A scanner of a region, with a request on its way.
struct Scanner {
    connection: Arc<Connection>,
    id: Option<u64>,
    /// The number of the next request behind the opening one, from 0; another one is refused.
    seq: u64,
    pending: Option<Pending>,
    /// How many rows were asked for at most, behind which it closes itself.
    limit: Option<u32>,
    /// What was not handed out yet.
    rest: Left,
}

/// What is left of a scanner behind an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// There may be more.
    Open,
    /// It has closed itself behind the rows that were wanted.
    Limited,
    /// All of its ranges were read.
    Over,
}

impl RangeStream {
    /// Begins to read.
    pub(super) fn begin(
        cluster: &Arc<Cluster>,
        table: String,
        (ranges, direction): (&KeyRangeSet, Direction),
        window: Window,
        amount: Amount,
    ) -> Self {
        let mut stream = Self {
            cluster: Arc::clone(cluster),
            table,
            left: Left::of(ranges, direction),
            direction,
            window,
            size: u32::try_from(amount.first).map_or(MOST, |first| first.clamp(1, MOST)),
            wanted: amount.fetch.filter(|fetch| *fetch > 0),
            values: amount.values,
            open: None,
            part: None,
            requests: 0,
            regions: 0,
        };
        // Where it cannot be begun now it is begun when it is waited for.
        stream.open = stream.open_next().ok().flatten();
        stream
    }

    /// Opens a scanner for what comes next.
    fn open_next(&mut self) -> Result<Option<Scanner>, Failure> {
        if self.left.next().is_none() {
            return Ok(None);
        }
        let regions = self.cluster.regions(&self.table)?;
        let region = self.left.region(&regions).and_then(|at| regions.get(at));
        let Some(region) = region else {
            return Err(Error::internal("a table without regions").into());
        };
        let connection = self.cluster.connection(&region.server, Service::Client)?;
        let most = match self.direction {
            Direction::Forward => RANGES,
            // The filter ends a scan backward behind the first range that has rows, and loses the others.
            Direction::Backward => 1,
        };
        let rest = self.left.take_in(region, most);
        let is_whole = matches!(rest.ascending().as_slice(), [one]
            if one.start() == region.start && one.stop().unwrap_or_default() == region.end);
        let request = ScanRequest {
            region: Some(region.specifier()),
            scan: Some(self.scan(&rest.ascending(), is_whole)),
            ..self.next_request()
        };
        let pending = match connection.send("Scan", &request, self.cluster.timeout()) {
            Ok(pending) => pending,
            Err(failure) => {
                self.left.put_back(rest);
                return Err(failure);
            }
        };
        self.requests += 1;
        self.regions += 1;
        Ok(Some(Scanner {
            connection,
            id: None,
            seq: 0,
            pending: Some(pending),
            limit: request.limit_of_rows,
            rest,
        }))
    }

    /// A scan of ranges, which ascend. What reads all of a region is not kept in the memory of its server.
    fn scan(&self, ranges: &[KeyRange], is_whole: bool) -> Scan {
        let start = ranges.first().map(KeyRange::start).unwrap_or_default();
        let stop = ranges.last().and_then(KeyRange::stop).unwrap_or_default();
        let is_reversed = self.direction == Direction::Backward;
        let (from, to) = if is_reversed {
            (stop, start)
        } else {
            (start, stop)
        };
        Scan {
            column: vec![Column {
                family: b"h".to_vec(),
            }],
            start_row: Some(from.to_vec()),
            stop_row: Some(to.to_vec()),
            filter: filter(ranges, self.values),
            time_range: Some(TimeRange {
                from: Some(self.window.oldest),
                to: Some(self.window.newest.saturating_add(1)),
            }),
            max_versions: Some(u32::try_from(self.window.versions).unwrap_or(i32::MAX as u32)),
            cache_blocks: (is_whole && self.wanted.is_none()).then_some(false),
            max_result_size: Some(ANSWER),
            reversed: Some(is_reversed),
            // From the stop of a range backward, to its start.
            include_start_row: Some(!is_reversed),
            include_stop_row: Some(is_reversed),
        }
    }

    fn next_request(&mut self) -> ScanRequest {
        let limit = self.wanted.and_then(|wanted| u32::try_from(wanted).ok());
        let size = self.size.min(limit.unwrap_or(MOST));
        self.size = self.size.saturating_mul(2).min(MOST);
        ScanRequest {
            number_of_rows: Some(size),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            limit_of_rows: limit,
            ..ScanRequest::default()
        }
    }

    /// Waits for an answer, and asks for the next unless there are enough rows.
    fn receive(&mut self) -> Result<Option<Vec<Row>>, Failure> {
        let scanner = match self.open.take() {
            Some(scanner) => Some(scanner),
            None => self.open_next()?,
        };
        let Some(mut scanner) = scanner else {
            return Ok(None);
        };
        let (rows, standing) = match self.take_answer(&mut scanner) {
            Ok(answered) => answered,
            Err(failure) => {
                self.leave(scanner);
                return Err(failure);
            }
        };
        let is_enough = self.wanted.is_some_and(|wanted| wanted <= rows.len());
        // Whoever wants more all the same, since some of the rows are not seen, gets more.
        self.wanted = if is_enough {
            None
        } else {
            self.wanted.map(|wanted| wanted - rows.len())
        };
        match standing {
            Standing::Over if !is_enough => self.open = self.open_next().ok().flatten(),
            Standing::Open if !is_enough => self.ask_on(scanner),
            Standing::Over => {}
            Standing::Open => {
                scanner.close();
                self.leave(scanner);
            }
            Standing::Limited => self.leave(scanner),
        }
        Ok(Some(rows))
    }

    /// Reads on later what a scanner has not handed out.
    fn leave(&mut self, scanner: Scanner) {
        self.part = None;
        self.left.put_back(scanner.rest);
    }

    /// The rows of an answer, and whether there may be more of its region.
    fn take_answer(&mut self, scanner: &mut Scanner) -> Result<(Vec<Row>, Standing), Failure> {
        let Some(pending) = scanner.pending.take() else {
            return Err(Error::internal("a scanner without a request").into());
        };
        let answer = pending.wait()?;
        let response: ScanResponse = answer.message()?;
        let rows = rows_of(&answer, &response, self.values)?;
        let limit = scanner.limit.map(|limit| limit as usize);
        let standing = match (response.more_results_in_region, response.more_results) {
            (Some(true), Some(true) | None) => Standing::Open,
            (Some(true), Some(false)) if limit.is_some_and(|limit| rows.len() >= limit) => {
                Standing::Limited
            }
            _ => Standing::Over,
        };
        let has_part =
            standing == Standing::Open && response.partial_flag_per_result.last() == Some(&true);
        let rows = self.whole(rows, has_part);
        if let Some((key, _)) = rows.last() {
            scanner.rest.pass(key);
        }
        scanner.id = response.scanner_id.or(scanner.id);
        Ok((rows, standing))
    }

    /// Asks for the next answer of a region. Where that fails, what is left is opened anew.
    fn ask_on(&mut self, mut scanner: Scanner) {
        let request = ScanRequest {
            scanner_id: scanner.id,
            next_call_seq: Some(scanner.seq),
            ..self.next_request()
        };
        scanner.seq += 1;
        scanner.limit = request.limit_of_rows;
        self.requests += 1;
        let timeout = self.cluster.timeout();
        match scanner.connection.send("Scan", &request, timeout) {
            Ok(pending) => {
                scanner.pending = Some(pending);
                self.open = Some(scanner);
            }
            Err(_) => self.leave(scanner),
        }
    }

    /// The rows of which all has come; of those in `rows` each is there once.
    fn whole(&mut self, mut rows: Vec<Row>, has_part: bool) -> Vec<Row> {
        if let Some((key, mut versions)) = self.part.take() {
            match rows.first_mut() {
                Some((first, others)) if *first == key => {
                    versions.append(others);
                    *others = versions;
                }
                _ => rows.insert(0, (key, versions)),
            }
        }
        if has_part {
            self.part = rows.pop();
        }
        rows
    }
}

impl Drop for RangeStream {
    fn drop(&mut self) {
        if let Some(scanner) = &self.open {
            scanner.close();
        }
    }
}

impl Scanner {
    /// Tells the server that nobody asks any more. Without it the server notices by itself, a minute later.
    fn close(&self) {
        let request = ScanRequest {
            scanner_id: self.id,
            close_scanner: Some(true),
            number_of_rows: Some(0),
            ..ScanRequest::default()
        };
        if self.id.is_some() {
            drop(
                self.connection
                    .send("Scan", &request, Duration::from_secs(1)),
            );
        }
    }
}

/// What leads a scan from range to range, and keeps back the values that nobody looks at.
pub(super) fn filter(ranges: &[KeyRange], values: bool) -> Option<Filter> {
    /// All of a list must let a cell pass.
    const MUST_PASS_ALL: i32 = 1;
    let of_ranges = (ranges.len() > 1).then(|| within(ranges));
    let of_keys = (!values).then(|| named("KeyOnlyFilter", &KeyOnlyFilter { len_as_val: true }));
    match (of_ranges, of_keys) {
        (Some(of_ranges), Some(of_keys)) => Some(named(
            "FilterList",
            &FilterList {
                operator: MUST_PASS_ALL,
                filters: vec![of_ranges, of_keys],
            },
        )),
        (of_ranges, of_keys) => of_ranges.or(of_keys),
    }
}

fn within(ranges: &[KeyRange]) -> Filter {
    let ranges = ranges.iter().map(|range| RowRange {
        start_row: Some(range.start().to_vec()),
        start_row_inclusive: Some(true),
        stop_row: Some(range.stop().unwrap_or_default().to_vec()),
        stop_row_inclusive: Some(false),
    });
    let filter = MultiRowRangeFilter {
        row_range_list: ranges.collect(),
    };
    named("MultiRowRangeFilter", &filter)
}

fn named(name: &str, filter: &impl Message) -> Filter {
    Filter {
        name: format!("org.apache.hadoop.hbase.filter.{name}"),
        serialized_filter: Some(filter.encode_to_vec()),
    }
}

/// The rows of an answer, whose values are lengths where values are not sent. Partial results of one row are one.
fn rows_of(answer: &Response, response: &ScanResponse, values: bool) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::with_capacity(response.cells_per_result.len());
    let mut add = |key: Bytes, number: u64, value: Bytes| {
        // Of a length it matters whether it is nothing.
        let value = if values || value.iter().any(|byte| *byte != 0) {
            value
        } else {
            Bytes::new()
        };
        match rows.last_mut() {
            Some((last, versions)) if *last == key => versions.push((number, value)),
            _ => rows.push((key, smallvec![(number, value)])),
        }
    };
    for result in &response.results {
        for cell in &result.cell {
            let bytes = |bytes: &Option<Vec<u8>>| bytes.clone().unwrap_or_default().into();
            let number = cell.timestamp.unwrap_or_default();
            add(bytes(&cell.row), number, bytes(&cell.value));
        }
    }
    let mut block = answer.cells();
    while let Some(cell) = cellblock::next(&mut block)? {
        let (key, value) = (answer.share(cell.row), answer.share(cell.value));
        add(key, cell.timestamp, value);
    }
    Ok(rows)
}

impl RowStream for RangeStream {
    fn next(&mut self) -> Result<Option<Vec<Row>>> {
        let until = Instant::now() + self.cluster.patience();
        let mut pause = Duration::from_millis(20);
        loop {
            let failure = match self.receive() {
                Ok(rows) => return Ok(rows),
                Err(failure) => failure,
            };
            let is_vain = matches!(
                failure.reaction,
                Reaction::NoTable | Reaction::Exists | Reaction::Refused
            );
            if is_vain || Instant::now() + pause > until {
                return Err(failure.error);
            }
            self.cluster.forget(&self.table);
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    fn requests(&self) -> usize {
        self.requests
    }

    fn regions(&self) -> usize {
        self.regions
    }
}
