//! Reading ranges: a scanner for each region, one after the other; while an answer is taken apart, the next is on its way.
//!
//! Whatever happens to a scanner, the range is read on behind the last row that was handed out: all reads are of versions
//! up to a number, so that another scanner, on another server, gives the same rows.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::cellblock;
use super::cluster::{Cluster, Region, Service, TIMEOUT};
use super::connection::{Connection, Pending};
use super::failure::{Failure, Reaction};
use super::frame::Response;
use super::messages::{Column, Scan, ScanRequest, ScanResponse, TimeRange};
use super::multi::region_of;
use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::store::Direction;
use crate::store::versioned::{Row, RowStream, Window};

/// The most bytes of an answer.
const ANSWER: u64 = 2 << 20;
/// The most rows of an answer.
const MOST: u32 = 10_000;
/// How long it is tried again.
const PATIENCE: Duration = Duration::from_secs(60);

/// The rows of ranges.
pub(super) struct RangeStream {
    cluster: Arc<Cluster>,
    table: String,
    /// What is left, in the order in which it is read; reversed, so that the next is the last.
    left: Vec<KeyRange>,
    direction: Direction,
    window: Window,
    size: u32,
    open: Option<Scanner>,
    /// The last row of the newest answer, of which there may be more.
    part: Option<Row>,
    requests: usize,
}

/// A scanner of a region, with a request on its way.
struct Scanner {
    connection: Arc<Connection>,
    id: Option<u64>,
    seq: u64,
    pending: Option<Pending>,
    /// What was not handed out yet of the range.
    rest: Option<KeyRange>,
    /// What of it is behind the region.
    behind: Option<KeyRange>,
}

impl RangeStream {
    /// Begins to read.
    pub(super) fn begin(
        cluster: &Arc<Cluster>,
        table: String,
        ranges: &KeyRangeSet,
        direction: Direction,
        window: Window,
        first: usize,
    ) -> Self {
        let mut left: Vec<KeyRange> = ranges.ranges().to_vec();
        if direction == Direction::Forward {
            left.reverse();
        }
        let mut stream = Self {
            cluster: Arc::clone(cluster),
            table,
            left,
            direction,
            window,
            size: u32::try_from(first).map_or(MOST, |first| first.clamp(1, MOST)),
            open: None,
            part: None,
            requests: 0,
        };
        // Where it cannot be begun now it is begun when it is waited for.
        stream.open = stream.open_next().ok().flatten();
        stream
    }

    /// Opens a scanner for what comes next.
    fn open_next(&mut self) -> Result<Option<Scanner>, Failure> {
        let Some(range) = self.left.last().cloned() else {
            return Ok(None);
        };
        let regions = self.cluster.regions(&self.table)?;
        let at = match (self.direction, range.stop()) {
            (Direction::Forward, _) => region_of(&regions, range.start()),
            (Direction::Backward, None) => regions.len().saturating_sub(1),
            // That before the stop.
            (Direction::Backward, Some(stop)) => {
                let before = regions.partition_point(|region| region.start.as_slice() < stop);
                before.saturating_sub(1)
            }
        };
        let Some(region) = regions.get(at) else {
            return Ok(None);
        };
        let (part, behind) = clip(&range, region, self.direction);
        let connection = self.cluster.connection(&region.server, Service::Client)?;
        let request = ScanRequest {
            region: Some(region.specifier()),
            scan: Some(self.scan(&part)),
            ..self.next_request()
        };
        let pending = connection.send("Scan", &request, TIMEOUT)?;
        self.requests += 1;
        self.left.pop();
        Ok(Some(Scanner {
            connection,
            id: None,
            seq: 1,
            pending: Some(pending),
            rest: Some(range),
            behind,
        }))
    }

    fn scan(&self, range: &KeyRange) -> Scan {
        let (start, stop) = (
            range.start().to_vec(),
            range.stop().unwrap_or_default().to_vec(),
        );
        let is_reversed = self.direction == Direction::Backward;
        let (from, to) = match is_reversed {
            false => (start, stop),
            true => (stop, start),
        };
        Scan {
            column: vec![Column {
                family: b"h".to_vec(),
            }],
            start_row: Some(from),
            stop_row: Some(to),
            time_range: Some(TimeRange {
                from: Some(self.window.oldest),
                to: Some(self.window.newest.saturating_add(1)),
            }),
            max_versions: Some(u32::try_from(self.window.versions).unwrap_or(i32::MAX as u32)),
            max_result_size: Some(ANSWER),
            reversed: Some(is_reversed),
            // From the stop of a range backward, to its start.
            include_start_row: Some(!is_reversed),
            include_stop_row: Some(is_reversed),
        }
    }

    fn next_request(&mut self) -> ScanRequest {
        let size = self.size;
        self.size = size.saturating_mul(2).min(MOST);
        ScanRequest {
            number_of_rows: Some(size),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            ..ScanRequest::default()
        }
    }

    /// Waits for an answer, and asks for the next.
    fn receive(&mut self) -> Result<Option<Vec<Row>>, Failure> {
        let scanner = match self.open.take() {
            Some(scanner) => Some(scanner),
            None => self.open_next()?,
        };
        let Some(mut scanner) = scanner else {
            return Ok(None);
        };
        let received = self.take_answer(&mut scanner);
        match received {
            Ok((rows, true)) => {
                self.left.extend(scanner.behind);
                self.open = self.open_next().ok().flatten();
                Ok(Some(rows))
            }
            Ok((rows, false)) => {
                self.ask_on(scanner);
                Ok(Some(rows))
            }
            Err(failure) => {
                self.part = None;
                self.left.extend(scanner.rest);
                Err(failure)
            }
        }
    }

    /// The rows of an answer, and whether it is the last of its region.
    fn take_answer(&mut self, scanner: &mut Scanner) -> Result<(Vec<Row>, bool), Failure> {
        let Some(pending) = scanner.pending.take() else {
            return Err(Error::internal("a scanner without a request").into());
        };
        let answer = pending.wait()?;
        let response: ScanResponse = answer.message()?;
        let rows = rows_of(&answer, &response)?;
        let is_over = response.more_results_in_region != Some(true);
        let has_part = !is_over && response.partial_flag_per_result.last() == Some(&true);
        let rows = self.whole(rows, has_part);
        if let Some((key, _)) = rows.last() {
            scanner.rest = scanner
                .rest
                .take()
                .and_then(|rest| behind(&rest, key, self.direction));
        }
        scanner.id = response.scanner_id.or(scanner.id);
        Ok((rows, is_over))
    }

    /// Asks for the next answer of a region. Where that fails, what is left is opened anew.
    fn ask_on(&mut self, mut scanner: Scanner) {
        let request = ScanRequest {
            scanner_id: scanner.id,
            next_call_seq: Some(scanner.seq),
            ..self.next_request()
        };
        scanner.seq += 1;
        self.requests += 1;
        match scanner.connection.send("Scan", &request, TIMEOUT) {
            Ok(pending) => {
                scanner.pending = Some(pending);
                self.open = Some(scanner);
            }
            Err(_) => {
                self.part = None;
                self.left.extend(scanner.rest);
            }
        }
    }

    /// The rows of which all has come.
    fn whole(&mut self, rows: Vec<Row>, has_part: bool) -> Vec<Row> {
        let mut whole: Vec<Row> = self.part.take().into_iter().collect();
        for (key, versions) in rows {
            match whole.last_mut() {
                Some((last, known)) if *last == key => known.extend(versions),
                _ => whole.push((key, versions)),
            }
        }
        if has_part {
            self.part = whole.pop();
        }
        whole
    }
}

/// What of a range lies behind a row.
fn behind(range: &KeyRange, key: &[u8], direction: Direction) -> Option<KeyRange> {
    match direction {
        Direction::Forward => {
            let start = [key, &[0]].concat();
            KeyRange::new(start, range.stop().map(<[u8]>::to_vec))
        }
        Direction::Backward => KeyRange::new(range.start().to_vec(), Some(key.to_vec())),
    }
}

/// The part of a range in a region, and what is behind it.
fn clip(range: &KeyRange, region: &Region, direction: Direction) -> (KeyRange, Option<KeyRange>) {
    let end = (!region.end.is_empty()).then(|| region.end.clone());
    let inside = KeyRange::new(region.start.clone(), end.clone());
    let part = inside.and_then(|inside| inside.intersect(range));
    let behind = match direction {
        Direction::Forward => end.and_then(|end| KeyRange::new(end, None)),
        Direction::Backward => KeyRange::new(Vec::new(), Some(region.start.clone())),
    };
    let behind = behind.and_then(|behind| behind.intersect(range));
    (part.unwrap_or_else(|| range.clone()), behind)
}

/// The rows of an answer. Partial results of one row are one.
fn rows_of(answer: &Response, response: &ScanResponse) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |key: &[u8], number: u64, value: &[u8]| match rows.last_mut() {
        Some((last, versions)) if last == key => versions.push((number, value.to_vec())),
        _ => rows.push((key.to_vec(), vec![(number, value.to_vec())])),
    };
    for result in &response.results {
        for cell in &result.cell {
            let key = cell.row.as_deref().unwrap_or_default();
            let value = cell.value.as_deref().unwrap_or_default();
            add(key, cell.timestamp.unwrap_or_default(), value);
        }
    }
    let mut block = answer.cells();
    while let Some(cell) = cellblock::next(&mut block)? {
        add(cell.row, cell.timestamp, cell.value);
    }
    Ok(rows)
}

impl RowStream for RangeStream {
    fn next(&mut self) -> Result<Option<Vec<Row>>> {
        let began = Instant::now();
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
            if is_vain || began.elapsed() > PATIENCE {
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
}
