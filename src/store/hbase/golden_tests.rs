//! What the Java client of HBase 2.6.1 sends and reads, byte for byte: our messages read it as what it is.

use prost::Message;

use super::cellblock::{self, BlockCell};
use super::messages::{
    BinaryComparator, ByteArrayComparable, Condition, CreateTableRequest, Get, MultiResponse,
    Mutation, RegionInfo, ResponseHeader, ScanRequest, ScanResponse,
};
use super::scan::filter;
use crate::keyrange::KeyRange;

const CELLS: &str = "0000001d00000010000000050003726f77016800000000000001020476616c75650000001800000010000000000002723201\
     6d63000000000000000704";
const SCAN: &str = "0a300801122c73686f703a74312c2c312e30313233343536373839616263646566303132333435363738396162636465662e\
     121d0a030a01681a0161220162320408031008380440015080808001b0010020642800380140014800";
const REVERSED: &str = "0a300801122c73686f703a74312c2c312e30313233343536373839616263646566303132333435363738396162636465662e\
     12250a030a01681a0162220161320c080010ffffffffffffffff7f380140017801a80100b0010120642800380140014800";
const NEXT: &str = "184d20c801280030023801400148005000";
const GET: &str = "0a03726f7712030a01682a040800100930023801";
const PUT: &str = "0a05636c6f636b10021a0d0a016d12080a0163120178180520ffffffffffffffff7f3004";
const DELETE: &str =
    "0a03726f7710031a170a016812080a0012001805200012080a0012001804200020ffffffffffffffff7f3000";
const CONDITION: &str = "0a05636c6f636b12016d1a016320022a380a2f6f72672e6170616368652e6861646f6f702e68626173652e66696c7465722e\
     42696e617279436f6d70617261746f7212050a030a0178320c080010ffffffffffffffff7f";
const REGION: &str = "504255460809120a0a0473686f70120274311a0161220162280030003800";
const TABLE: &str = "0aae020a0a0a0473686f701202743112100a0749535f4d455441120566616c73651a8d020a0168121c0a14494e4445585f42\
     4c4f434b5f454e434f44494e4712044e4f4e45120d0a0856455253494f4e53120135121b0a124b4545505f44454c45544544\
     5f43454c4c53120546414c5345121b0a13444154415f424c4f434b5f454e434f44494e4712044e4f4e4512110a0354544c12\
     0a3231343734383336343712110a0c4d494e5f56455253494f4e5312013012160a115245504c49434154494f4e5f53434f50\
     4512013012120a0b424c4f4f4d46494c5445521203524f5712120a09494e5f4d454d4f5259120566616c736512130a0b434f\
     4d5052455353494f4e12044e4f4e4512120a0a424c4f434b434143484512047472756512120a09424c4f434b53495a451205\
     363535333618002000";
const SCANNED: &str = "08020801104d180120e0d403380038014001";
const MULTI: &str = "0a0a0a060803120210021801";
const EXCEPTION: &str = "080412380a316f72672e6170616368652e6861646f6f702e68626173652e4e6f7453657276696e67526567696f6e45786365\
     7074696f6e1201742801";

/// Of the rows from `a` to `b` and from `c` to `d`: the filter of ranges, that of keys, and both.
const RANGES: &str = "0a0a0a016110011a016220000a0a0a016310011a01642000";
const KEYS: &str = "0801";
const BOTH: &str = "0801124e0a326f72672e6170616368652e6861646f6f702e68626173652e66696c7465722e4d756c7469526f7752616e6765\
    46696c74657212180a0a0a016110011a016220000a0a0a016310011a0164200012320a2c6f72672e6170616368652e6861646f6f702e686261\
    73652e66696c7465722e4b65794f6e6c7946696c74657212020801";

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

pub(super) fn read<M: Message + Default>(hex: &str) -> M {
    M::decode(&bytes(hex)[..]).unwrap()
}

#[test]
fn cells_of_the_java_client_are_read() {
    let block = bytes(CELLS);
    let mut block = &block[..];
    let first = BlockCell {
        row: b"row",
        qualifier: b"",
        timestamp: 258,
        value: b"value",
    };
    let second = BlockCell {
        row: b"r2",
        qualifier: b"c",
        timestamp: 7,
        value: b"",
    };
    assert_eq!(cellblock::next(&mut block).unwrap(), Some(first));
    assert_eq!(cellblock::next(&mut block).unwrap(), Some(second));
    assert_eq!(cellblock::next(&mut block).unwrap(), None);
}

#[test]
fn requests_of_the_java_client_are_ours() {
    let request: ScanRequest = read(SCAN);
    let scan = request.scan.unwrap();
    assert_eq!(
        (request.region.unwrap().kind, request.number_of_rows),
        (1, Some(100))
    );
    assert_eq!(scan.start_row.as_deref(), Some(&b"a"[..]));
    assert_eq!(scan.stop_row.as_deref(), Some(&b"b"[..]));
    let range = scan.time_range.unwrap();
    assert_eq!(
        (range.from, range.to, scan.max_versions),
        (Some(3), Some(8), Some(4))
    );
    assert_eq!(
        (scan.max_result_size, scan.column.len()),
        (Some(2 << 20), 1)
    );
    let scan = read::<ScanRequest>(REVERSED).scan.unwrap();
    assert_eq!(scan.reversed, Some(true));
    assert_eq!(
        (scan.include_start_row, scan.include_stop_row),
        (Some(false), Some(true))
    );
    let next: ScanRequest = read(NEXT);
    assert_eq!(
        (next.scanner_id, next.number_of_rows, next.next_call_seq),
        (Some(77), Some(200), Some(2))
    );
    let get: Get = read(GET);
    assert_eq!(
        (get.row.as_slice(), get.max_versions),
        (&b"row"[..], Some(2))
    );
    let table = read::<CreateTableRequest>(TABLE).table_schema;
    assert_eq!(table.table_name.unwrap().qualifier, b"t1");
    let attributes = &table.column_families[0].attributes;
    assert!(
        attributes
            .iter()
            .any(|pair| pair.first == b"VERSIONS" && pair.second == b"5")
    );
}

#[test]
fn filters_of_the_java_client_are_ours() {
    let range = |start: &[u8], stop: &[u8]| KeyRange::new(start.to_vec(), Some(stop.to_vec()));
    let ranges = [range(b"a", b"b"), range(b"c", b"d")].map(Option::unwrap);
    let made = |ranges, values| {
        let filter = filter(ranges, values)?;
        Some((filter.name, filter.serialized_filter?))
    };
    let expected = |name: &str, hex| {
        let name = format!("org.apache.hadoop.hbase.filter.{name}");
        Some((name, bytes(hex)))
    };
    assert_eq!(made(&ranges[..1], true), None);
    assert_eq!(made(&ranges, true), expected("MultiRowRangeFilter", RANGES));
    assert_eq!(made(&ranges[..1], false), expected("KeyOnlyFilter", KEYS));
    assert_eq!(made(&ranges, false), expected("FilterList", BOTH));
}

#[test]
fn changes_of_the_java_client_are_ours() {
    let put: Mutation = read(PUT);
    assert_eq!((put.mutate_type, put.durability), (Some(2), Some(4)));
    let value = &put.column_value[0].qualifier_value[0];
    assert_eq!(value.qualifier.as_deref(), Some(&b"c"[..]));
    assert_eq!(
        (value.timestamp, value.value.as_deref()),
        (Some(5), Some(&b"x"[..]))
    );
    let delete: Mutation = read(DELETE);
    assert_eq!(delete.mutate_type, Some(3));
    let versions = delete.column_value[0].qualifier_value.iter();
    let versions: Vec<_> = versions.map(|it| (it.timestamp, it.delete_type)).collect();
    assert_eq!(versions, [(Some(5), Some(0)), (Some(4), Some(0))]);
    let condition: Condition = read(CONDITION);
    assert_eq!(
        (condition.row.as_slice(), condition.compare_type),
        (&b"clock"[..], Some(2))
    );
    let comparator = condition.comparator.unwrap();
    assert_eq!(
        comparator.name,
        "org.apache.hadoop.hbase.filter.BinaryComparator"
    );
    let comparable = ByteArrayComparable {
        value: Some(b"x".to_vec()),
    };
    let expected = BinaryComparator { comparable }.encode_to_vec();
    assert_eq!(comparator.serialized_comparator, Some(expected));
}

#[test]
fn answers_for_the_java_client_are_read() {
    let region = RegionInfo::decode(bytes(REGION).strip_prefix(b"PBUF").unwrap()).unwrap();
    assert_eq!(
        (region.region_id, region.start_key.as_deref()),
        (9, Some(&b"a"[..]))
    );
    assert_eq!(region.end_key.as_deref(), Some(&b"b"[..]));
    let scanned: ScanResponse = read(SCANNED);
    assert_eq!(scanned.cells_per_result, [2, 1]);
    assert_eq!(scanned.partial_flag_per_result, [false, true]);
    assert_eq!(
        (scanned.scanner_id, scanned.more_results_in_region),
        (Some(77), Some(true))
    );
    let multi: MultiResponse = read(MULTI);
    let result = &multi.region_action_result[0];
    assert_eq!(result.processed, Some(true));
    let one = &result.result_or_exception[0];
    assert_eq!(one.index, Some(3));
    assert_eq!(one.result.as_ref().unwrap().associated_cell_count, Some(2));
    let header: ResponseHeader = read(EXCEPTION);
    let exception = header.exception.unwrap();
    assert_eq!(
        (header.call_id, exception.do_not_retry),
        (Some(4), Some(true))
    );
}
