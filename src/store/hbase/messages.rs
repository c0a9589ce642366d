//! The messages of HBase's protocol that are used here, with the fields that are used: `RPC.proto`, `HBase.proto`,
//! `Client.proto`, `Comparator.proto`, `Master.proto` and `ZooKeeper.proto` of HBase 2.6. Fields that are not named here
//! are passed over where they come.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(super) struct ConnectionHeader {
    #[prost(message, optional, tag = "1")]
    pub user_info: Option<UserInformation>,
    #[prost(string, optional, tag = "2")]
    pub service_name: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub cell_block_codec_class: Option<String>,
    #[prost(message, optional, tag = "5")]
    pub version_info: Option<VersionInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct UserInformation {
    #[prost(string, required, tag = "1")]
    pub effective_user: String,
}

/// The server goes by it: without one cells come in messages, and errors are told as to an old client.
#[derive(Clone, PartialEq, Message)]
pub(super) struct VersionInfo {
    #[prost(string, required, tag = "1")]
    pub version: String,
    #[prost(string, required, tag = "2")]
    pub url: String,
    #[prost(string, required, tag = "3")]
    pub revision: String,
    #[prost(string, required, tag = "4")]
    pub user: String,
    #[prost(string, required, tag = "5")]
    pub date: String,
    #[prost(string, required, tag = "6")]
    pub src_checksum: String,
    #[prost(uint32, optional, tag = "7")]
    pub version_major: Option<u32>,
    #[prost(uint32, optional, tag = "8")]
    pub version_minor: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CellBlockMeta {
    #[prost(uint32, optional, tag = "1")]
    pub length: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RequestHeader {
    #[prost(uint32, optional, tag = "1")]
    pub call_id: Option<u32>,
    #[prost(string, optional, tag = "3")]
    pub method_name: Option<String>,
    #[prost(bool, optional, tag = "4")]
    pub request_param: Option<bool>,
    #[prost(uint32, optional, tag = "7")]
    pub timeout: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ResponseHeader {
    #[prost(uint32, optional, tag = "1")]
    pub call_id: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub exception: Option<ExceptionResponse>,
    #[prost(message, optional, tag = "3")]
    pub cell_block_meta: Option<CellBlockMeta>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExceptionResponse {
    #[prost(string, optional, tag = "1")]
    pub exception_class_name: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub stack_trace: Option<String>,
    #[prost(bool, optional, tag = "5")]
    pub do_not_retry: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TableName {
    #[prost(bytes = "vec", required, tag = "1")]
    pub namespace: Vec<u8>,
    #[prost(bytes = "vec", required, tag = "2")]
    pub qualifier: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TableSchema {
    #[prost(message, optional, tag = "1")]
    pub table_name: Option<TableName>,
    #[prost(message, repeated, tag = "3")]
    pub column_families: Vec<ColumnFamilySchema>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnFamilySchema {
    #[prost(bytes = "vec", required, tag = "1")]
    pub name: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub attributes: Vec<BytesBytesPair>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct BytesBytesPair {
    #[prost(bytes = "vec", required, tag = "1")]
    pub first: Vec<u8>,
    #[prost(bytes = "vec", required, tag = "2")]
    pub second: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct NameBytesPair {
    #[prost(string, required, tag = "1")]
    pub name: String,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub value: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct NamespaceDescriptor {
    #[prost(bytes = "vec", required, tag = "1")]
    pub name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RegionInfo {
    #[prost(uint64, required, tag = "1")]
    pub region_id: u64,
    #[prost(message, required, tag = "2")]
    pub table_name: TableName,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub start_key: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub end_key: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "5")]
    pub offline: Option<bool>,
    #[prost(bool, optional, tag = "6")]
    pub split: Option<bool>,
    #[prost(int32, optional, tag = "7")]
    pub replica_id: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RegionSpecifier {
    /// 1: the name.
    #[prost(int32, required, tag = "1")]
    pub kind: i32,
    #[prost(bytes = "vec", required, tag = "2")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ServerName {
    #[prost(string, required, tag = "1")]
    pub host_name: String,
    #[prost(uint32, optional, tag = "2")]
    pub port: Option<u32>,
}

/// Both `MetaRegionServer` and `Master` of ZooKeeper begin so.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Located {
    #[prost(message, required, tag = "1")]
    pub server: ServerName,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TimeRange {
    #[prost(uint64, optional, tag = "1")]
    pub from: Option<u64>,
    /// Exclusive.
    #[prost(uint64, optional, tag = "2")]
    pub to: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Column {
    #[prost(bytes = "vec", required, tag = "1")]
    pub family: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Get {
    #[prost(bytes = "vec", required, tag = "1")]
    pub row: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub column: Vec<Column>,
    #[prost(message, optional, tag = "5")]
    pub time_range: Option<TimeRange>,
    #[prost(uint32, optional, tag = "6")]
    pub max_versions: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Cell {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub row: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub qualifier: Option<Vec<u8>>,
    #[prost(uint64, optional, tag = "4")]
    pub timestamp: Option<u64>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub value: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CellsOfRow {
    #[prost(message, repeated, tag = "1")]
    pub cell: Vec<Cell>,
    #[prost(int32, optional, tag = "2")]
    pub associated_cell_count: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Scan {
    #[prost(message, repeated, tag = "1")]
    pub column: Vec<Column>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub start_row: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub stop_row: Option<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub filter: Option<Filter>,
    #[prost(message, optional, tag = "6")]
    pub time_range: Option<TimeRange>,
    #[prost(uint32, optional, tag = "7")]
    pub max_versions: Option<u32>,
    #[prost(bool, optional, tag = "8")]
    pub cache_blocks: Option<bool>,
    #[prost(uint64, optional, tag = "10")]
    pub max_result_size: Option<u64>,
    #[prost(bool, optional, tag = "15")]
    pub reversed: Option<bool>,
    #[prost(bool, optional, tag = "21")]
    pub include_start_row: Option<bool>,
    #[prost(bool, optional, tag = "22")]
    pub include_stop_row: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScanRequest {
    #[prost(message, optional, tag = "1")]
    pub region: Option<RegionSpecifier>,
    #[prost(message, optional, tag = "2")]
    pub scan: Option<Scan>,
    #[prost(uint64, optional, tag = "3")]
    pub scanner_id: Option<u64>,
    #[prost(uint32, optional, tag = "4")]
    pub number_of_rows: Option<u32>,
    #[prost(bool, optional, tag = "5")]
    pub close_scanner: Option<bool>,
    #[prost(uint64, optional, tag = "6")]
    pub next_call_seq: Option<u64>,
    #[prost(bool, optional, tag = "7")]
    pub client_handles_partials: Option<bool>,
    #[prost(bool, optional, tag = "8")]
    pub client_handles_heartbeats: Option<bool>,
    #[prost(uint32, optional, tag = "11")]
    pub limit_of_rows: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScanResponse {
    #[prost(uint32, repeated, packed = "false", tag = "1")]
    pub cells_per_result: Vec<u32>,
    #[prost(uint64, optional, tag = "2")]
    pub scanner_id: Option<u64>,
    #[prost(bool, optional, tag = "3")]
    pub more_results: Option<bool>,
    #[prost(message, repeated, tag = "5")]
    pub results: Vec<CellsOfRow>,
    #[prost(bool, repeated, packed = "false", tag = "7")]
    pub partial_flag_per_result: Vec<bool>,
    #[prost(bool, optional, tag = "8")]
    pub more_results_in_region: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Filter {
    #[prost(string, required, tag = "1")]
    pub name: String,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub serialized_filter: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyOnlyFilter {
    /// Whether a value becomes its length, of four bytes.
    #[prost(bool, required, tag = "1")]
    pub len_as_val: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FilterList {
    #[prost(int32, required, tag = "1")]
    pub operator: i32,
    #[prost(message, repeated, tag = "2")]
    pub filters: Vec<Filter>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MultiRowRangeFilter {
    #[prost(message, repeated, tag = "1")]
    pub row_range_list: Vec<RowRange>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RowRange {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub start_row: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "2")]
    pub start_row_inclusive: Option<bool>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub stop_row: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "4")]
    pub stop_row_inclusive: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Comparator {
    #[prost(string, required, tag = "1")]
    pub name: String,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub serialized_comparator: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct BinaryComparator {
    #[prost(message, required, tag = "1")]
    pub comparable: ByteArrayComparable,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ByteArrayComparable {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub value: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Condition {
    #[prost(bytes = "vec", required, tag = "1")]
    pub row: Vec<u8>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub family: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub qualifier: Option<Vec<u8>>,
    /// 2: equal.
    #[prost(int32, optional, tag = "4")]
    pub compare_type: Option<i32>,
    #[prost(message, optional, tag = "5")]
    pub comparator: Option<Comparator>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Mutation {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub row: Option<Vec<u8>>,
    /// 2: a put, 3: a delete.
    #[prost(int32, optional, tag = "2")]
    pub mutate_type: Option<i32>,
    #[prost(message, repeated, tag = "3")]
    pub column_value: Vec<ColumnValue>,
    #[prost(uint64, optional, tag = "4")]
    pub timestamp: Option<u64>,
    /// 3: in the log of several machines; 4: on their disks.
    #[prost(int32, optional, tag = "6")]
    pub durability: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnValue {
    #[prost(bytes = "vec", required, tag = "1")]
    pub family: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub qualifier_value: Vec<QualifierValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct QualifierValue {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub qualifier: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub value: Option<Vec<u8>>,
    #[prost(uint64, optional, tag = "3")]
    pub timestamp: Option<u64>,
    /// 0: one version.
    #[prost(int32, optional, tag = "4")]
    pub delete_type: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Action {
    #[prost(uint32, optional, tag = "1")]
    pub index: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub mutation: Option<Mutation>,
    #[prost(message, optional, tag = "3")]
    pub get: Option<Get>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RegionAction {
    #[prost(message, required, tag = "1")]
    pub region: RegionSpecifier,
    #[prost(bool, optional, tag = "2")]
    pub atomic: Option<bool>,
    #[prost(message, repeated, tag = "3")]
    pub action: Vec<Action>,
    #[prost(message, optional, tag = "4")]
    pub condition: Option<Condition>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MultiRequest {
    #[prost(message, repeated, tag = "1")]
    pub region_action: Vec<RegionAction>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ResultOrException {
    #[prost(uint32, optional, tag = "1")]
    pub index: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub result: Option<CellsOfRow>,
    #[prost(message, optional, tag = "3")]
    pub exception: Option<NameBytesPair>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RegionActionResult {
    #[prost(message, repeated, tag = "1")]
    pub result_or_exception: Vec<ResultOrException>,
    #[prost(message, optional, tag = "2")]
    pub exception: Option<NameBytesPair>,
    #[prost(bool, optional, tag = "3")]
    pub processed: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MultiResponse {
    #[prost(message, repeated, tag = "1")]
    pub region_action_result: Vec<RegionActionResult>,
    #[prost(bool, optional, tag = "2")]
    pub processed: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CreateTableRequest {
    #[prost(message, required, tag = "1")]
    pub table_schema: TableSchema,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub split_keys: Vec<Vec<u8>>,
}

/// `DisableTable` and `DeleteTable`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TableRequest {
    #[prost(message, required, tag = "1")]
    pub table_name: TableName,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CreateNamespaceRequest {
    #[prost(message, required, tag = "1")]
    pub descriptor: NamespaceDescriptor,
}

/// What the master answers to whatever takes long.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Procedure {
    #[prost(uint64, optional, tag = "1")]
    pub proc_id: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcedureResultRequest {
    #[prost(uint64, required, tag = "1")]
    pub proc_id: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcedureResult {
    /// 1: it goes on; 2: it is done.
    #[prost(int32, required, tag = "1")]
    pub state: i32,
    #[prost(message, optional, tag = "5")]
    pub exception: Option<ForeignException>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ForeignException {
    #[prost(message, optional, tag = "2")]
    pub generic: Option<GenericException>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GenericException {
    #[prost(string, optional, tag = "1")]
    pub class_name: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub message: Option<String>,
}

/// A request that says no more than its name.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Nothing {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ActiveMaster {
    #[prost(message, optional, tag = "1")]
    pub server_name: Option<ServerName>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MetaLocations {
    #[prost(message, repeated, tag = "1")]
    pub meta_locations: Vec<RegionLocation>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RegionLocation {
    #[prost(message, optional, tag = "2")]
    pub server_name: Option<ServerName>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ClusterStatusRequest {
    /// 0: the version; 1: the id; 2: the servers with what they hold; 10: the names of the servers.
    #[prost(int32, repeated, packed = "false", tag = "1")]
    pub options: Vec<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ClusterStatusResponse {
    #[prost(message, required, tag = "1")]
    pub cluster_status: ClusterStatus,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ClusterStatus {
    #[prost(message, optional, tag = "1")]
    pub version: Option<VersionOfCluster>,
    #[prost(message, repeated, tag = "2")]
    pub live_servers: Vec<LiveServer>,
    #[prost(message, optional, tag = "5")]
    pub id: Option<ClusterId>,
    #[prost(message, repeated, tag = "11")]
    pub servers: Vec<ServerName>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct VersionOfCluster {
    #[prost(string, required, tag = "1")]
    pub version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ClusterId {
    #[prost(string, required, tag = "1")]
    pub cluster_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct LiveServer {
    #[prost(message, required, tag = "2")]
    pub server_load: ServerLoad,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ServerLoad {
    #[prost(message, repeated, tag = "5")]
    pub region_loads: Vec<RegionLoad>,
}

/// What a region holds, in megabytes: a part of one is a whole one, and of more it is left out.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RegionLoad {
    #[prost(message, required, tag = "1")]
    pub region_specifier: RegionSpecifier,
    /// Of its files, before they were compressed.
    #[prost(uint32, optional, tag = "4")]
    pub store_uncompressed_size: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    pub storefile_size: Option<u32>,
    #[prost(uint32, optional, tag = "6")]
    pub mem_store_size: Option<u32>,
}
