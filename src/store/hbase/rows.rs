//! The row service of HBase: a namespace of a cluster.
//!
//! Table `halite` has one row, `clock`, in the family `m`; of each column the newest version alone is kept. Every other
//! table has one cell for each row and version, in the family `h`, under an empty qualifier; all versions are kept, until
//! they are removed one by one.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prost::Message;

use super::cluster::{Cluster, Service, TIMEOUT, retry};
use super::failure::{Failure, Reaction};
use super::messages::{
    Action, BinaryComparator, ByteArrayComparable, BytesBytesPair, Column, ColumnFamilySchema,
    ColumnValue, Comparator, Condition, CreateNamespaceRequest, CreateTableRequest, Get,
    MultiRequest, MultiResponse, Mutation, NamespaceDescriptor, QualifierValue, RegionAction,
    TableName, TableRequest, TableSchema, TimeRange,
};
use super::multi::{self, RowAction, region_of};
use super::scan::RangeStream;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::store::Durability;
use crate::store::versioned::{
    Asked, ClockCells, ClockChange, Number, Row, RowService, RowStream, Rows, Time, Window,
};

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
#[derive(Debug, Clone)]
pub(super) struct HbaseRows {
    cluster: Arc<Cluster>,
    namespace: String,
}

impl HbaseRows {
    /// A namespace of a cluster, which is made, with the table of the clock row, where it is not there.
    pub(super) fn open(cluster: Cluster, namespace: &str) -> Result<Self> {
        let rows = Self {
            cluster: Arc::new(cluster),
            namespace: namespace.to_owned(),
        };
        let clock = rows.name(CLOCK);
        let found = retry(Reaction::Refused, || rows.cluster.regions(&clock));
        match found.map_err(|failure| (failure.reaction, failure.error)) {
            Ok(_) => return Ok(rows),
            Err((Reaction::NoTable, _)) => {}
            Err((_, error)) => return Err(error),
        }
        let name = namespace.as_bytes().to_vec();
        let descriptor = NamespaceDescriptor { name };
        let request = CreateNamespaceRequest { descriptor };
        done(
            rows.cluster.ask_master("CreateNamespace", &request),
            Reaction::Exists,
        )?;
        rows.make(CLOCK, CLOCK_FAMILY, 1)?;
        Ok(rows)
    }

    /// The whole name of a table.
    fn name(&self, table: &str) -> String {
        format!("{}:{table}", self.namespace)
    }

    fn table_name(&self, table: &str) -> TableName {
        TableName {
            namespace: self.namespace.as_bytes().to_vec(),
            qualifier: table.as_bytes().to_vec(),
        }
    }

    fn make(&self, table: &str, family: &[u8], versions: u32) -> Result<()> {
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
        let request = CreateTableRequest { table_schema };
        done(
            self.cluster.ask_master("CreateTable", &request),
            Reaction::Exists,
        )?;
        let name = self.name(table);
        let found = retry(Reaction::Refused, || self.cluster.regions(&name));
        found.map(drop).map_err(|failure| failure.error)
    }

    /// Asks for changes, whose answers may be lost.
    fn change(&self, table: &str, actions: &[RowAction]) -> Result<Asked<()>> {
        let outcomes = multi::multi(&self.cluster, &self.name(table), actions);
        let outcomes = outcomes.map_err(|failure| failure.error)?;
        Ok(match outcomes.unknown {
            None => Asked::Answered(()),
            Some(_) => Asked::Lost,
        })
    }

    fn look_up(&self, table: &str, keys: &[Vec<u8>], window: Window) -> Result<Vec<Row>> {
        let action = |key: &Vec<u8>| RowAction {
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
        let actions: Vec<RowAction> = keys.iter().copied().map(action).collect();
        let outcomes = multi::multi(&self.cluster, &self.name(table), &actions);
        let mut outcomes = outcomes.map_err(|failure| failure.error)?;
        let row = |(index, key): (usize, &&Vec<u8>)| {
            let versions = multi::versions(outcomes.found.remove(&index)?);
            (!versions.is_empty()).then(|| (Vec::clone(key), versions))
        };
        Ok(keys.iter().enumerate().filter_map(row).collect())
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
            let answer = connection.send("Multi", &MultiRequest { region_action }, TIMEOUT)?;
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
    fn read_clock(&self) -> Result<ClockCells> {
        let action = RowAction {
            row: CLOCK_ROW.to_vec(),
            action: Action {
                get: Some(Get {
                    row: CLOCK_ROW.to_vec(),
                    column: column(CLOCK_FAMILY),
                    ..Get::default()
                }),
                ..Action::default()
            },
        };
        let outcomes = multi::multi(&self.cluster, &self.name(CLOCK), &[action]);
        let outcomes = outcomes.map_err(|failure| failure.error)?;
        let cells = outcomes.found.into_values().flatten();
        Ok(cells.map(|(column, _, value)| (column, value)).collect())
    }

    fn change_clock(&self, change: &ClockChange) -> Result<Asked<bool>> {
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
        match retry(Reaction::Unknown, || self.ask_clock(&request)) {
            Ok(is_made) => Ok(Asked::Answered(is_made)),
            Err(failure) if failure.reaction == Reaction::Unknown => Ok(Asked::Lost),
            Err(failure) => Err(failure.error),
        }
    }

    fn put(
        &self,
        table: &str,
        number: Number,
        puts: &[(Vec<u8>, Vec<u8>)],
        durability: Durability,
    ) -> Result<Asked<()>> {
        if puts.iter().any(|(key, _)| key.is_empty()) {
            return Err(Error::unsupported("HBase has no row under the empty key"));
        }
        let durability = match durability {
            Durability::Sync => FSYNC_WAL,
            Durability::Buffered => SYNC_WAL,
        };
        let actions = puts.iter().map(|(key, value)| RowAction {
            row: key.clone(),
            action: action(mutation(
                PUT,
                key,
                FAMILY,
                vec![put(b"", value, number)],
                durability,
            )),
        });
        self.change(table, &actions.collect::<Vec<_>>())
    }

    fn read(
        &self,
        table: &str,
        rows: Rows,
        window: Window,
        first: usize,
    ) -> Result<Box<dyn RowStream>> {
        Ok(match rows {
            Rows::Keys(keys) => Box::new(KeyStream {
                rows: self.clone(),
                table: table.to_owned(),
                keys,
                window,
                done: 0,
                requests: 0,
            }),
            Rows::Ranges(ranges, direction) => Box::new(RangeStream::begin(
                &self.cluster,
                self.name(table),
                &ranges,
                direction,
                window,
                first,
            )),
        })
    }

    fn remove(&self, table: &str, rows: &[(Vec<u8>, Vec<Number>)]) -> Result<Asked<()>> {
        let actions = rows.iter().map(|(key, numbers)| {
            let versions = numbers.iter().map(|number| delete(b"", *number)).collect();
            RowAction {
                row: key.clone(),
                action: action(mutation(DELETE, key, FAMILY, versions, SYNC_WAL)),
            }
        });
        self.change(table, &actions.collect::<Vec<_>>())
    }

    fn create_table(&self, table: &str) -> Result<()> {
        self.make(table, FAMILY, i32::MAX as u32)
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

    fn approximate_size(&self, _table: &str, _range: &KeyRange) -> u64 {
        0
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
    requests: usize,
}

impl RowStream for KeyStream {
    fn next(&mut self) -> Result<Option<Vec<Row>>> {
        let left = self.keys.get(self.done..).unwrap_or_default();
        let now = left.get(..KEYS).unwrap_or(left);
        if now.is_empty() {
            return Ok(None);
        }
        let rows = self.rows.look_up(&self.table, now, self.window)?;
        self.done += now.len();
        self.requests += 1;
        Ok(Some(rows))
    }

    fn requests(&self) -> usize {
        self.requests
    }
}
