//! The row service of HBase: a namespace of a cluster.
//!
//! Table `halite` has one row, `clock`, in the family `m`; of each column the newest version alone is kept. Every other
//! table has one cell for each row and version, in the family `h`, under an empty qualifier; all versions are kept, until
//! they are removed one by one.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prost::Message;

use super::address::Address;
use super::cluster::{Cluster, Service};
use super::failure::{Failure, Reaction};
use super::messages::{
    Action, BinaryComparator, ByteArrayComparable, BytesBytesPair, Column, ColumnFamilySchema,
    ColumnValue, Comparator, Condition, CreateNamespaceRequest, CreateTableRequest, Get,
    MultiRequest, MultiResponse, Mutation, NamespaceDescriptor, QualifierValue, RegionAction,
    TableName, TableRequest, TableSchema, TimeRange,
};
use super::multi::{self, FoundCell, RowAction, region_of};
use super::scan::RangeStream;
use super::sizes::Sizes;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::store::versioned::{
    Amount, ClockCells, ClockChange, Nature, Number, Reply, Row, RowService, RowStream, Rows, Time,
    Window,
};
use crate::store::{Durability, Fact, SpaceRegion};

/// The table of the clock row.
const CLOCK: &str = "halite";
const CLOCK_ROW: &[u8] = b"clock";
const CLOCK_FAMILY: &[u8] = b"m";
const FAMILY: &[u8] = b"h";

/// The most keys that are looked up at once.
const KEYS: usize = 1000;

/// `MutationProto.MutationType`.
const PUT: i32 = 2;
const DELETE: i32 = 3;
/// `MutationProto.Durability`.
const SYNC_WAL: i32 = 3;
const FSYNC_WAL: i32 = 4;

/// A namespace of a cluster.
#[derive(Clone)]
pub(super) struct HbaseRows {
    cluster: Arc<Cluster>,
    address: Arc<Address>,
    sizes: Arc<Sizes>,
}

impl fmt::Debug for HbaseRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)
    }
}

impl HbaseRows {
    /// A namespace of a cluster, which is made, with the table of the clock row, where it is not there and `makes` says so.
    ///
    /// # Errors
    /// `InvalidInput` where it is not there and is not to be made; `Unavailable` where the cluster does not answer within
    /// `within`.
    pub(super) fn open(address: Address, makes: bool, within: Duration) -> Result<Self> {
        let cluster = Arc::new(Cluster::new(address.registry.clone()));
        let asked = Arc::clone(&cluster);
        let rows = Self {
            cluster,
            address: Arc::new(address),
            sizes: Sizes::new(move || asked.loads().ok()),
        };
        rows.cluster.hurry(Some(within));
        let is_there = rows.is_there();
        rows.cluster.hurry(None);
        match (is_there?, makes) {
            (true, _) => {}
            (false, true) => rows.make_all()?,
            (false, false) => {
                return Err(Error::invalid(format!(
                    "there is no database at {}",
                    rows.address
                )));
            }
        }
        Ok(rows)
    }

    /// Whether the clock row can be read, or there is none; an error where nobody answers.
    fn is_there(&self) -> Result<bool> {
        // At once, and not after many tries, where there is nothing.
        self.cluster.reach()?;
        let clock = self.name(CLOCK);
        let regions = || self.cluster.regions(&clock);
        match self.cluster.retry(Reaction::Refused, regions) {
            Ok(_) => self.read_clock().map(|_| true),
            Err(failure) if failure.reaction == Reaction::NoTable => Ok(false),
            Err(failure) => Err(failure.error),
        }
    }

    fn make_all(&self) -> Result<()> {
        let name = self.address.namespace.as_bytes().to_vec();
        let descriptor = NamespaceDescriptor { name };
        let request = CreateNamespaceRequest { descriptor };
        done(
            self.cluster.ask_master("CreateNamespace", &request),
            Reaction::Exists,
        )?;
        self.make(CLOCK, CLOCK_FAMILY, 1, &[])
    }

    /// The whole name of a table.
    fn name(&self, table: &str) -> String {
        format!("{}:{table}", self.address.namespace)
    }

    fn table_name(&self, table: &str) -> TableName {
        TableName {
            namespace: self.address.namespace.as_bytes().to_vec(),
            qualifier: table.as_bytes().to_vec(),
        }
    }

    fn make(&self, table: &str, family: &[u8], versions: u32, borders: &[Vec<u8>]) -> Result<()> {
        let versions = versions.to_string();
        let attributes = [
            ("VERSIONS", versions.as_str()),
            ("TTL", "2147483647"),
            ("KEEP_DELETED_CELLS", "FALSE"),
            ("BLOOMFILTER", "ROW"),
            ("DATA_BLOCK_ENCODING", "FAST_DIFF"),
        ];
        let attributes = attributes.map(|(name, value)| BytesBytesPair {
            first: name.as_bytes().to_vec(),
            second: value.as_bytes().to_vec(),
        });
        let families = vec![ColumnFamilySchema {
            name: family.to_vec(),
            attributes: attributes.to_vec(),
        }];
        let table_schema = TableSchema {
            table_name: Some(self.table_name(table)),
            column_families: families,
        };
        let request = CreateTableRequest {
            table_schema,
            split_keys: borders.to_vec(),
        };
        done(
            self.cluster.ask_master("CreateTable", &request),
            Reaction::Exists,
        )?;
        let name = self.name(table);
        let regions = || self.cluster.regions(&name);
        let found = self.cluster.retry(Reaction::Refused, regions);
        found.map(drop).map_err(|failure| failure.error)
    }

    /// Asks for changes, whose answers may be lost.
    fn change(&self, actions: &[RowAction]) -> Result<Reply<()>> {
        let outcomes = multi::multi(&self.cluster, actions);
        let outcomes = outcomes.map_err(|failure| failure.error)?;
        Ok(match outcomes.unknown {
            None => Reply::Answered(()),
            Some(_) => Reply::Lost,
        })
    }

    /// The rows under keys, and the cells of the clock row, if they are wanted, too.
    fn look_up(
        &self,
        table: &str,
        keys: &[Vec<u8>],
        window: Window,
        with_clock: bool,
    ) -> Result<(Vec<Row>, ClockCells)> {
        let table: Arc<str> = self.name(table).into();
        let action = |key: &Vec<u8>| RowAction {
            table: Arc::clone(&table),
            row: key.clone(),
            action: Action {
                get: Some(Get {
                    row: key.clone(),
                    column: column(FAMILY),
                    time_range: Some(TimeRange {
                        from: Some(window.oldest),
                        to: Some(window.newest.saturating_add(1)),
                    }),
                    max_versions: u32::try_from(window.versions).ok(),
                }),
                ..Action::default()
            },
        };
        // There is no row under the empty key, and HBase objects to looking.
        let keys: Vec<&Vec<u8>> = keys.iter().filter(|key| !key.is_empty()).collect();
        let actions = keys.iter().copied().map(action);
        let clock = with_clock.then(|| self.clock_action());
        let actions: Vec<RowAction> = actions.chain(clock).collect();
        let outcomes = multi::multi(&self.cluster, &actions);
        let mut outcomes = outcomes.map_err(|failure| failure.error)?;
        let clock = outcomes.found.remove(&keys.len()).map(clock_cells);
        let row = |(index, key): (usize, &&Vec<u8>)| {
            let versions = multi::versions(outcomes.found.remove(&index)?);
            (!versions.is_empty()).then(|| (Vec::clone(key).into(), versions))
        };
        let rows = keys.iter().enumerate().filter_map(row).collect();
        Ok((rows, clock.unwrap_or_default()))
    }

    /// Reads the clock row.
    fn clock_action(&self) -> RowAction {
        RowAction {
            table: self.name(CLOCK).into(),
            row: CLOCK_ROW.to_vec(),
            action: Action {
                get: Some(Get {
                    row: CLOCK_ROW.to_vec(),
                    column: column(CLOCK_FAMILY),
                    ..Get::default()
                }),
                ..Action::default()
            },
        }
    }

    /// The region server that has the clock row.
    fn clock_server(&self) -> Result<String, Failure> {
        let regions = self.cluster.regions(&self.name(CLOCK))?;
        let region = regions.get(region_of(&regions, CLOCK_ROW));
        Ok(region
            .map(|region| region.server.clone())
            .unwrap_or_default())
    }

    fn ask_clock(&self, request: &RegionActionOf<'_>) -> Result<bool, Failure> {
        let table = self.name(CLOCK);
        let regions = self.cluster.regions(&table)?;
        let Some(region) = regions.get(region_of(&regions, CLOCK_ROW)) else {
            return Ok(false);
        };
        let ask = || {
            let connection = self.cluster.connection(&region.server, Service::Client)?;
            let action = RegionAction {
                region: region.specifier(),
                atomic: Some(true),
                action: request.actions.to_vec(),
                condition: Some(request.condition.clone()),
            };
            let region_action = vec![action];
            let timeout = self.cluster.timeout();
            let answer = connection.send("Multi", &MultiRequest { region_action }, timeout)?;
            let response: MultiResponse = answer.wait()?.message()?;
            let result = response.region_action_result.first();
            let actions = result.iter().flat_map(|result| &result.result_or_exception);
            let exceptions = result.and_then(|result| result.exception.as_ref());
            let mut exceptions = exceptions
                .into_iter()
                .chain(actions.filter_map(|action| action.exception.as_ref()));
            if let Some(exception) = exceptions.next() {
                return Err(Failure::of_action(exception));
            }
            let processed = result.and_then(|result| result.processed);
            Ok(processed.or(response.processed).unwrap_or(false))
        };
        ask().inspect_err(|_| self.cluster.forget(&table))
    }
}

/// What is asked of the row of the clock.
struct RegionActionOf<'a> {
    actions: &'a [Action],
    condition: Condition,
}

/// Done, or needless.
fn done(asked: Result<(), Failure>, needless: Reaction) -> Result<()> {
    match asked {
        Err(failure) if failure.reaction != needless => Err(failure.error),
        _ => Ok(()),
    }
}

fn column(family: &[u8]) -> Vec<Column> {
    vec![Column {
        family: family.to_vec(),
    }]
}

fn mutation(
    kind: i32,
    row: &[u8],
    family: &[u8],
    values: Vec<QualifierValue>,
    durability: i32,
) -> Mutation {
    Mutation {
        row: Some(row.to_vec()),
        mutate_type: Some(kind),
        column_value: vec![ColumnValue {
            family: family.to_vec(),
            qualifier_value: values,
        }],
        timestamp: None,
        durability: Some(durability),
    }
}

fn put(qualifier: &[u8], value: &[u8], number: Number) -> QualifierValue {
    QualifierValue {
        qualifier: Some(qualifier.to_vec()),
        value: Some(value.to_vec()),
        timestamp: Some(number),
        delete_type: None,
    }
}

fn delete(qualifier: &[u8], number: Number) -> QualifierValue {
    QualifierValue {
        qualifier: Some(qualifier.to_vec()),
        value: None,
        timestamp: Some(number),
        delete_type: Some(0),
    }
}

fn action(mutation: Mutation) -> Action {
    Action {
        mutation: Some(mutation),
        ..Action::default()
    }
}

/// The cells of the clock row, of its cells.
fn clock_cells(cells: impl IntoIterator<Item = FoundCell>) -> ClockCells {
    let cells = cells.into_iter();
    cells.map(|(column, _, value)| (column, value)).collect()
}

/// The condition that a column of the clock row holds this, or nothing.
fn condition(column: &[u8], value: Option<&[u8]>) -> Condition {
    let comparable = ByteArrayComparable {
        value: Some(value.unwrap_or_default().to_vec()),
    };
    Condition {
        row: CLOCK_ROW.to_vec(),
        family: Some(CLOCK_FAMILY.to_vec()),
        qualifier: Some(column.to_vec()),
        compare_type: Some(2),
        comparator: Some(Comparator {
            name: "org.apache.hadoop.hbase.filter.BinaryComparator".to_owned(),
            serialized_comparator: Some(BinaryComparator { comparable }.encode_to_vec()),
        }),
    }
}

impl RowService for HbaseRows {
    fn nature(&self) -> Nature {
        Nature {
            refuses_empty_key: true,
            instead_of_copy: "its files are HBase's, which copies a table by itself: snapshot 'namespace:table', 'name' \
                              in its shell, for all tables of the namespace while nobody writes, then ExportSnapshot; \
                              COPY t TO 't.parquet' writes the rows of a table",
            instead_of_check: "the files are HBase's, which compares what it reads with checksums; hbase hbck says \
                               whether all regions are there",
        }
    }

    fn describe(&self) -> Result<Vec<Fact>> {
        let mut facts = vec![
            Fact::new("store", "HBase"),
            Fact::new("address", self.address.to_string()),
        ];
        match self.cluster.status() {
            Ok(status) => {
                let version = status.version.map(|it| it.version).unwrap_or_default();
                facts.push(Fact::new("version", version));
                let id = status.id.map(|it| it.cluster_id).unwrap_or_default();
                facts.push(Fact::new("cluster", id));
                let servers = status.servers.len().to_string();
                facts.push(Fact::new("region servers", servers));
            }
            // Without a master tables can be read and written, and not be made.
            Err(failure) => facts.push(Fact::new("master", failure.error.message())),
        }
        if let Ok(server) = self.clock_server() {
            facts.push(Fact::new("statements are numbered by", server));
        }
        let sent = self.cluster.sent().to_string();
        facts.push(Fact::new("requests of this process", sent));
        facts.push(Fact::new(
            "what is acknowledged",
            "is in the logs of region servers, with halite.durability = 'sync' on their disks: it survives their end",
        ));
        Ok(facts)
    }

    fn read_clock(&self) -> Result<ClockCells> {
        let outcomes = multi::multi(&self.cluster, &[self.clock_action()]);
        let outcomes = outcomes.map_err(|failure| failure.error)?;
        Ok(clock_cells(outcomes.found.into_values().flatten()))
    }

    fn change_clock(&self, change: &ClockChange) -> Result<Reply<bool>> {
        let number = change.number;
        let puts = change.cells.iter().filter_map(|(column, value)| {
            let value = value.as_ref()?;
            Some(put(column, value, number))
        });
        let deletes = change.cells.iter().filter(|(_, value)| value.is_none());
        let deletes = deletes.map(|(column, _)| delete(column, number));
        let parts = [(PUT, puts.collect::<Vec<_>>()), (DELETE, deletes.collect())];
        let parts = parts.into_iter().filter(|(_, values)| !values.is_empty());
        let actions: Vec<Action> = parts
            .map(|(kind, values)| {
                action(mutation(kind, CLOCK_ROW, CLOCK_FAMILY, values, FSYNC_WAL))
            })
            .collect();
        let (column, value) = &change.check;
        let request = RegionActionOf {
            actions: &actions,
            condition: condition(column, value.as_deref()),
        };
        let ask = || self.ask_clock(&request);
        match self.cluster.retry(Reaction::Unknown, ask) {
            Ok(is_made) => Ok(Reply::Answered(is_made)),
            Err(failure) if failure.reaction == Reaction::Unknown => Ok(Reply::Lost),
            Err(failure) => Err(failure.error),
        }
    }

    fn put(
        &self,
        table: &str,
        number: Number,
        puts: &[(Vec<u8>, Vec<u8>)],
        durability: Durability,
    ) -> Result<Reply<()>> {
        if puts.iter().any(|(key, _)| key.is_empty()) {
            return Err(Error::unsupported("HBase has no row under the empty key"));
        }
        let durability = match durability {
            Durability::Sync => FSYNC_WAL,
            Durability::Buffered => SYNC_WAL,
        };
        let table: Arc<str> = self.name(table).into();
        let actions = puts.iter().map(|(key, value)| RowAction {
            table: Arc::clone(&table),
            row: key.clone(),
            action: action(mutation(
                PUT,
                key,
                FAMILY,
                vec![put(b"", value, number)],
                durability,
            )),
        });
        self.change(&actions.collect::<Vec<_>>())
    }

    fn read(
        &self,
        table: &str,
        rows: Rows,
        window: Window,
        amount: Amount,
    ) -> Result<Box<dyn RowStream>> {
        Ok(match rows {
            Rows::Keys(keys) => Box::new(KeyStream::new(self, table, keys, window)),
            Rows::Ranges(ranges, direction) => Box::new(RangeStream::begin(
                &self.cluster,
                self.name(table),
                (&ranges, direction),
                window,
                amount,
            )),
        })
    }

    fn read_beside_clock(
        &self,
        table: &str,
        keys: Vec<Vec<u8>>,
        window: Window,
    ) -> Result<(ClockCells, Box<dyn RowStream>)> {
        let mut stream = KeyStream::new(self, table, keys, window);
        let cells = stream.look_up(true)?;
        Ok((cells, Box::new(stream)))
    }

    fn remove(&self, table: &str, rows: &[(Vec<u8>, Vec<Number>)]) -> Result<Reply<()>> {
        let table: Arc<str> = self.name(table).into();
        let actions = rows.iter().map(|(key, numbers)| {
            let versions = numbers.iter().map(|number| delete(b"", *number)).collect();
            RowAction {
                table: Arc::clone(&table),
                row: key.clone(),
                action: action(mutation(DELETE, key, FAMILY, versions, SYNC_WAL)),
            }
        });
        self.change(&actions.collect::<Vec<_>>())
    }

    fn create_table(&self, table: &str, borders: &[Vec<u8>]) -> Result<()> {
        self.make(table, FAMILY, i32::MAX as u32, borders)
    }

    fn drop_table(&self, table: &str) -> Result<()> {
        let table_name = self.table_name(table);
        let request = TableRequest { table_name };
        // It may be disabled already; then it is deleted.
        let disabled = self.cluster.ask_master("DisableTable", &request);
        drop(disabled);
        self.cluster.forget(&self.name(table));
        done(
            self.cluster.ask_master("DeleteTable", &request),
            Reaction::NoTable,
        )
    }

    fn approximate_size(&self, table: &str, range: &KeyRange) -> Option<u64> {
        self.sizes.of(&self.name(table), range)
    }

    fn borders(&self, table: &str) -> Vec<Vec<u8>> {
        let known = self.cluster.known_regions(&self.name(table));
        let starts = known.iter().flat_map(|regions| regions.iter());
        let starts = starts.map(|region| region.start.clone());
        starts.filter(|start| !start.is_empty()).collect()
    }

    fn regions(&self, table: &str, range: &KeyRange) -> Result<Vec<SpaceRegion>> {
        let name = self.name(table);
        let look_up = || self.cluster.regions(&name);
        let found = self.cluster.retry(Reaction::Refused, look_up);
        let found = found.map_err(|failure| failure.error)?;
        let regions = found.iter().filter_map(|region| {
            let stop = Some(region.end.clone()).filter(|end| !end.is_empty());
            Some(SpaceRegion {
                range: KeyRange::new(region.start.clone(), stop)?,
                server: region.server.clone(),
            })
        });
        let inside = regions.filter(|region| region.range.intersect(range).is_some());
        Ok(inside.collect())
    }

    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| since.as_millis() as Time)
    }

    fn wait(&self, duration: Duration) {
        thread::sleep(duration);
    }
}

/// Rows under keys, many at once.
struct KeyStream {
    rows: HbaseRows,
    table: String,
    keys: Vec<Vec<u8>>,
    window: Window,
    done: usize,
    /// An answer that has come already.
    answer: Option<Vec<Row>>,
    requests: usize,
    regions: BTreeSet<Vec<u8>>,
}

impl KeyStream {
    fn new(rows: &HbaseRows, table: &str, keys: Vec<Vec<u8>>, window: Window) -> Self {
        Self {
            rows: rows.clone(),
            table: table.to_owned(),
            keys,
            window,
            done: 0,
            answer: None,
            requests: 0,
            regions: BTreeSet::new(),
        }
    }

    /// Asks for the next rows, and for the clock row, if it is wanted, too.
    fn look_up(&mut self, with_clock: bool) -> Result<ClockCells> {
        let left = self.keys.get(self.done..).unwrap_or_default();
        let now = left.get(..KEYS).unwrap_or(left);
        let (rows, clock) = self
            .rows
            .look_up(&self.table, now, self.window, with_clock)?;
        if let Some(regions) = self
            .rows
            .cluster
            .known_regions(&self.rows.name(&self.table))
        {
            let of = |key: &Vec<u8>| regions.get(region_of(&regions, key));
            let names = now.iter().filter_map(of).map(|region| region.name.clone());
            self.regions.extend(names);
        }
        self.done += now.len();
        self.answer = Some(rows);
        self.requests += 1;
        Ok(clock)
    }
}

impl RowStream for KeyStream {
    fn next(&mut self) -> Result<Option<Vec<Row>>> {
        if self.answer.is_none() && self.done < self.keys.len() {
            self.look_up(false)?;
        }
        Ok(self.answer.take())
    }

    fn requests(&self) -> usize {
        self.requests
    }

    fn regions(&self) -> usize {
        self.regions.len()
    }
}
