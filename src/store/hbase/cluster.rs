//! Where the regions of tables are, and connections to their servers.
//!
//! The registry knows the server of `hbase:meta` and the master; `hbase:meta` has a row for each region. What was found is
//! kept until a server says that it is not so any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use prost::Message;

use super::cellblock;
use super::connection::Connection;
use super::failure::{Failure, Reaction};
use super::messages::{
    ClusterStatus, ClusterStatusRequest, ClusterStatusResponse, Column, Procedure, ProcedureResult,
    ProcedureResultRequest, RegionInfo, RegionSpecifier, Scan, ScanRequest, ScanResponse,
};
use super::registry::{Registry, Sought};
use crate::error::{Error, Result};

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How long it is tried to reach a server.
const REACH: Duration = Duration::from_secs(4);
/// How long it is tried again.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two questions whether the master has done something.
const POLL: Duration = Duration::from_millis(10);
/// The longest time between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

const WITHOUT_MASTER: &str = "HBase has no master now, without which no table is made or dropped; rows are read and written without one";

const META: &[u8] = b"hbase:meta,,1";

/// What a service is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Service {
    /// Of region servers.
    Client,
    /// Of the master.
    Master,
}

impl Service {
    fn name(self) -> &'static str {
        match self {
            Self::Client => "ClientService",
            Self::Master => "MasterService",
        }
    }
}

/// A region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub name: Vec<u8>,
    pub start: Vec<u8>,
    /// Exclusive; empty: to the last row.
    pub end: Vec<u8>,
    /// Host and port.
    pub server: String,
}

impl Region {
    pub(super) fn specifier(&self) -> RegionSpecifier {
        let (kind, value) = (1, self.name.clone());
        RegionSpecifier { kind, value }
    }
}

/// A cluster.
#[derive(Debug)]
pub(super) struct Cluster {
    registry: Registry,
    /// Where the master was found last.
    master: Mutex<Option<String>>,
    connections: Mutex<HashMap<(String, Service), Arc<Connection>>>,
    regions: Mutex<HashMap<String, Arc<[Region]>>>,
    /// How many requests were sent.
    sent: Arc<AtomicU64>,
    /// By when all must be answered, if it must.
    deadline: Mutex<Option<Instant>>,
}

impl Cluster {
    /// That which a registry knows.
    pub(super) fn new(registry: Registry) -> Self {
        Self {
            registry,
            master: Mutex::default(),
            connections: Mutex::default(),
            regions: Mutex::default(),
            sent: Arc::default(),
            deadline: Mutex::default(),
        }
    }

    /// From now on everything must be answered within a time, or, without one, in its usual time.
    pub(super) fn hurry(&self, within: Option<Duration>) {
        *self.deadline.lock() = within.map(|within| Instant::now() + within);
    }

    fn at_most(&self, usual: Duration) -> Duration {
        let deadline = *self.deadline.lock();
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // No time at all is an error of the system's.
        left.map_or(usual, |left| usual.min(left).max(Duration::from_millis(1)))
    }

    /// How long a request may take.
    pub(super) fn timeout(&self) -> Duration {
        self.at_most(TIMEOUT)
    }

    /// How long something is tried again.
    pub(super) fn patience(&self) -> Duration {
        self.at_most(PATIENCE)
    }

    /// How many requests this process has sent to servers of the cluster.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Whether somebody knows where the cluster is.
    ///
    /// # Errors
    /// `Unavailable` otherwise.
    pub(super) fn reach(&self) -> Result<()> {
        self.registry
            .find(Sought::Meta, self.at_most(REACH))
            .map(drop)
    }

    fn located(&self, sought: Sought) -> Result<String, Failure> {
        let found = self.registry.find(sought, self.at_most(REACH));
        found.map_err(|error| {
            let error = match sought {
                Sought::Master => error.context(WITHOUT_MASTER),
                Sought::Meta => error,
            };
            Failure::new(Reaction::Wait, error)
        })
    }

    /// Asks the master.
    fn of_master<A: Message + Default>(
        &self,
        method: &str,
        message: &impl Message,
    ) -> Result<A, Failure> {
        let ask = || {
            let known = self.master.lock().clone();
            let server = match known {
                Some(server) => server,
                None => self.located(Sought::Master)?,
            };
            let master = self.connection(&server, Service::Master)?;
            let answer = master.send(method, message, self.timeout())?.wait()?;
            *self.master.lock() = Some(server);
            answer.message().map_err(Failure::from)
        };
        // It may be another one now.
        ask().inspect_err(|_| *self.master.lock() = None)
    }

    /// A connection to a service of a server.
    pub(super) fn connection(
        &self,
        server: &str,
        service: Service,
    ) -> Result<Arc<Connection>, Failure> {
        let key = (server.to_owned(), service);
        if let Some(connection) = self.connections.lock().get(&key)
            && !connection.is_broken()
        {
            return Ok(Arc::clone(connection));
        }
        let opened = Connection::open(server, service.name(), self.at_most(REACH), &self.sent);
        let opened = opened.map_err(|error| Failure::new(Reaction::LookAgain, error))?;
        let opened = Arc::new(opened);
        self.connections.lock().insert(key, Arc::clone(&opened));
        Ok(opened)
    }

    /// Asks the master, and waits until what it begins is done.
    pub(super) fn ask_master(&self, method: &str, message: &impl Message) -> Result<(), Failure> {
        let ask = || self.of_master::<Procedure>(method, message);
        let Some(proc_id) = self.retry(Reaction::Unknown, ask)?.proc_id else {
            return Ok(());
        };
        let until = Instant::now() + self.patience();
        while Instant::now() < until {
            let request = ProcedureResultRequest { proc_id };
            let ask = || self.of_master::<ProcedureResult>("getProcedureResult", &request);
            let result = self.retry(Reaction::Refused, ask)?;
            if let Some(exception) = result.exception {
                let exception = exception.generic.unwrap_or_default();
                let class = exception.class_name.unwrap_or_default();
                let message = exception.message.unwrap_or_default();
                return Err(Failure::of(&class, &message, true));
            }
            if result.state != 1 {
                return Ok(());
            }
            thread::sleep(POLL);
        }
        let error = format!("the master of HBase has not finished {method} in a minute");
        Err(Failure::new(Reaction::Unknown, Error::unavailable(error)))
    }

    /// How the master sees the cluster.
    pub(super) fn status(&self) -> Result<ClusterStatus, Failure> {
        self.asked_status(vec![0, 1, 10])
    }

    /// What each server holds, as it has told the master in the last seconds.
    pub(super) fn loads(&self) -> Result<ClusterStatus, Failure> {
        self.asked_status(vec![2])
    }

    fn asked_status(&self, options: Vec<i32>) -> Result<ClusterStatus, Failure> {
        let request = ClusterStatusRequest { options };
        let answer: ClusterStatusResponse = self.of_master("GetClusterStatus", &request)?;
        Ok(answer.cluster_status)
    }

    /// Forgets where the regions of a table are.
    pub(super) fn forget(&self, table: &str) {
        self.regions.lock().remove(table);
    }

    /// The regions of a table, if they were looked up.
    pub(super) fn known_regions(&self, table: &str) -> Option<Arc<[Region]>> {
        self.regions.lock().get(table).cloned()
    }

    /// The regions of a table, in the order of their rows; one begins where the one before it ends.
    pub(super) fn regions(&self, table: &str) -> Result<Arc<[Region]>, Failure> {
        if let Some(known) = self.regions.lock().get(table) {
            return Ok(Arc::clone(known));
        }
        let mut found = self.read_meta(table)?;
        found.sort_by(|one, other| one.start.cmp(&other.start));
        if found.is_empty() {
            let error = Error::unavailable(format!("HBase has no table {table}"));
            return Err(Failure::new(Reaction::NoTable, error));
        }
        let mut end = Some(&[][..]);
        for region in &found {
            // Regions that are being split, moved or merged.
            if end != Some(region.start.as_slice()) || region.server.is_empty() {
                let error = format!("regions of {table} are not served now");
                return Err(Failure::new(Reaction::Wait, Error::unavailable(error)));
            }
            end = Some(region.end.as_slice());
        }
        let found: Arc<[Region]> = found.into();
        self.regions
            .lock()
            .insert(table.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    /// Asks again, as long as there is patience, what was not carried out. What nobody knows of is asked again unless
    /// `unless` is [`Reaction::Unknown`].
    pub(super) fn retry<T>(
        &self,
        unless: Reaction,
        mut ask: impl FnMut() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let until = Instant::now() + self.patience();
        let mut pause = Duration::from_millis(20);
        loop {
            let failure = match ask() {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let again = match failure.reaction {
                Reaction::LookAgain | Reaction::Wait => true,
                Reaction::Unknown => unless != Reaction::Unknown,
                Reaction::NoTable | Reaction::Exists | Reaction::Refused => false,
            };
            if !again || Instant::now() + pause > until {
                return Err(failure);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn read_meta(&self, table: &str) -> Result<Vec<Region>, Failure> {
        let meta = self.connection(&self.located(Sought::Meta)?, Service::Client)?;
        let scan = Scan {
            column: vec![Column {
                family: b"info".to_vec(),
            }],
            // Rows of `hbase:meta` are compared part by part, and have three.
            start_row: Some(format!("{table},,").into_bytes()),
            stop_row: Some(format!("{table} ,,").into_bytes()),
            ..Scan::default()
        };
        let mut request = ScanRequest {
            region: Some(RegionSpecifier {
                kind: 1,
                value: META.to_vec(),
            }),
            scan: Some(scan),
            number_of_rows: Some(1000),
            ..ScanRequest::default()
        };
        let mut rows: Vec<MetaRow> = Vec::new();
        loop {
            let answer = meta.send("Scan", &request, self.timeout())?.wait()?;
            let response: ScanResponse = answer.message()?;
            let mut block = answer.cells();
            while let Some(cell) = cellblock::next(&mut block)? {
                if rows.last().is_none_or(|row| row.key != cell.row) {
                    rows.push(MetaRow::of(cell.row));
                }
                if let Some(row) = rows.last_mut() {
                    row.take(cell.qualifier, cell.value);
                }
            }
            let is_over = response.more_results_in_region != Some(true);
            if is_over || response.more_results == Some(false) {
                return Ok(rows.into_iter().filter_map(MetaRow::region).collect());
            }
            request = ScanRequest {
                scanner_id: response.scanner_id,
                number_of_rows: Some(1000),
                next_call_seq: Some(request.next_call_seq.map_or(0, |seq| seq + 1)),
                ..ScanRequest::default()
            };
        }
    }
}

/// A row of `hbase:meta`.
struct MetaRow {
    key: Vec<u8>,
    info: Option<RegionInfo>,
    server: String,
}

impl MetaRow {
    fn of(key: &[u8]) -> Self {
        Self {
            key: key.to_vec(),
            info: None,
            server: String::new(),
        }
    }

    fn take(&mut self, qualifier: &[u8], value: &[u8]) {
        match qualifier {
            b"regioninfo" => {
                let info = value.strip_prefix(b"PBUF");
                self.info = info.and_then(|info| RegionInfo::decode(info).ok());
            }
            b"server" => self.server = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
    }

    /// The region, unless it is the parent of two others, or a replica.
    fn region(self) -> Option<Region> {
        let info = self.info?;
        let is_gone = info.offline == Some(true) || info.split == Some(true);
        if is_gone || info.replica_id.is_some_and(|replica| replica != 0) {
            return None;
        }
        Some(Region {
            name: self.key,
            start: info.start_key.unwrap_or_default(),
            end: info.end_key.unwrap_or_default(),
            server: self.server,
        })
    }
}
