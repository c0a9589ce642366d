//! Where the regions of tables are, and connections to their servers.
//!
//! ZooKeeper knows the server of `hbase:meta` and the master; `hbase:meta` has a row for each region. What was found is
//! kept until a server says that it is not so any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use prost::Message;

use super::cellblock;
use super::connection::Connection;
use super::failure::{Failure, Reaction};
use super::messages::{
    Column, Procedure, ProcedureResult, ProcedureResultRequest, RegionInfo, RegionSpecifier, Scan,
    ScanRequest, ScanResponse, ServerName,
};
use super::zookeeper;
use crate::error::{Error, Result};

/// How long a request may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(20);
/// How long it is tried to reach a server.
const REACH: Duration = Duration::from_secs(5);
/// How long it is tried again.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest time between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

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
    quorum: Vec<String>,
    root: String,
    connections: Mutex<HashMap<(String, Service), Arc<Connection>>>,
    regions: Mutex<HashMap<String, Arc<[Region]>>>,
}

impl Cluster {
    /// That which these servers of ZooKeeper know under this root.
    pub(super) fn new(quorum: Vec<String>, root: String) -> Self {
        Self {
            quorum,
            root,
            connections: Mutex::default(),
            regions: Mutex::default(),
        }
    }

    fn located(&self, what: &str) -> Result<String, Failure> {
        let path = format!("{}/{what}", self.root);
        let found = zookeeper::locate(&self.quorum, &path, REACH);
        let found = found.map_err(|error| Failure::new(Reaction::Wait, error))?;
        Ok(address(&found))
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
        let opened = Connection::open(server, service.name(), REACH);
        let opened = opened.map_err(|error| Failure::new(Reaction::LookAgain, error))?;
        let opened = Arc::new(opened);
        self.connections.lock().insert(key, Arc::clone(&opened));
        Ok(opened)
    }

    /// Asks the master, and waits until what it begins is done.
    pub(super) fn ask_master(&self, method: &str, message: &impl Message) -> Result<(), Failure> {
        let ask = || {
            let master = self.connection(&self.located("master")?, Service::Master)?;
            let answer = master.send(method, message, TIMEOUT)?.wait()?;
            answer.message::<Procedure>().map_err(Failure::from)
        };
        let Some(procedure) = retry(Reaction::Unknown, ask)?.proc_id else {
            return Ok(());
        };
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let ask = || {
                let master = self.connection(&self.located("master")?, Service::Master)?;
                let request = ProcedureResultRequest { proc_id: procedure };
                let answer = master.send("getProcedureResult", &request, TIMEOUT)?;
                let result: ProcedureResult = answer.wait()?.message()?;
                Ok(result)
            };
            let result = retry(Reaction::Refused, ask)?;
            if let Some(exception) = result.exception {
                let exception = exception.generic.unwrap_or_default();
                let class = exception.class_name.unwrap_or_default();
                let message = exception.message.unwrap_or_default();
                return Err(Failure::of(&class, &message, true));
            }
            if result.state != 1 {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        let error = format!("the master of HBase has not finished {method} in a minute");
        Err(Failure::new(Reaction::Unknown, Error::unavailable(error)))
    }

    /// Forgets where the regions of a table are.
    pub(super) fn forget(&self, table: &str) {
        self.regions.lock().remove(table);
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

    fn read_meta(&self, table: &str) -> Result<Vec<Region>, Failure> {
        let meta = self.connection(&self.located("meta-region-server")?, Service::Client)?;
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
            let answer = meta.send("Scan", &request, TIMEOUT)?.wait()?;
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
                next_call_seq: Some(request.next_call_seq.map_or(1, |seq| seq + 1)),
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

fn address(server: &ServerName) -> String {
    format!("{}:{}", server.host_name, server.port.unwrap_or(16_020))
}

/// Asks again, as long as there is patience, what was not carried out. What nobody knows of is asked again unless
/// `unless` is [`Reaction::Unknown`].
pub(super) fn retry<T>(
    unless: Reaction,
    mut ask: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let began = Instant::now();
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
        if !again || began.elapsed() > PATIENCE {
            return Err(failure);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
