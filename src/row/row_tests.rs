//! Values: their bytes, whatever is written comes back, damage is found.

use std::sync::Arc;

use super::testing::{self, batch, chunk, definition, part, table, types, value};
use super::*;
use crate::datum::{Datum, SqlType};
use crate::error::ErrorKind;
use crate::keyrange::hex;
use crate::schema::{BoundTable, Column};
use crate::seed::seed;
use crate::store::Chunk;
use arrow::array::UInt32Array;
use arrow::array::{Array, AsArray, Float32Array, Float64Array, RecordBatch};
use arrow::compute::take;
use fastrand::Rng;

fn text(text: &str) -> Option<Datum> {
    Some(Datum::Text(text.to_owned()))
}

fn int(value: i64) -> Option<Datum> {
    Some(Datum::Integer(value))
}

/// The value of a row whose first column is the key, as hex.
fn value_hex(table: &Arc<BoundTable>, row: &[Option<Datum>]) -> String {
    let chunk = chunk(table, &batch(table, &[row.to_vec()]));
    hex(chunk.get(0).unwrap().1)
}

/// Every type's field: the table of the module's documentation, and the guard of what is stored.
#[test]
fn the_bytes_of_every_type() {
    use crate::datum::Precision::{Millisecond, Second};
    use SqlType::{
        BigInt, Boolean, Bytea, Char, Date, Decimal, Double, Integer, Real, SmallInt, Text,
        Timestamp, Varchar,
    };
    let decimal = |precision, scale| Decimal { precision, scale };
    let timestamp = |precision, utc| Timestamp { precision, utc };
    let cases: Vec<(SqlType, Option<Datum>, &str)> = vec![
        (Boolean, Some(Datum::Boolean(true)), "20 01"),
        (Boolean, Some(Datum::Boolean(false)), "20 00"),
        (SmallInt, int(-2), "30 feff"),
        (Integer, int(1), "40 01000000"),
        (BigInt, int(i64::MIN), "50 0000000000000080"),
        (Real, Some(Datum::double(1.5)), "40 0000c03f"),
        (Real, Some(Datum::double(f64::NAN)), "40 0000c07f"),
        (Double, Some(Datum::double(-1.5)), "50 000000000000f8bf"),
        (Double, Some(Datum::double(f64::NAN)), "50 000000000000f87f"),
        (
            decimal(18, 2),
            Some(Datum::Decimal(-1)),
            "50 ffffffffffffffff",
        ),
        (
            decimal(19, 0),
            Some(Datum::Decimal(258)),
            "60 02010000000000000000000000000000",
        ),
        (Text, text("ab"), "70 02 6162"),
        (Text, text(""), "70 00"),
        (Varchar(2), text("ü"), "70 02 c3bc"),
        (Char(9), text("x"), "70 01 78"),
        (Bytea, Some(Datum::Bytes(vec![0, 255])), "70 02 00ff"),
        (Date, Some(Datum::Date(-1)), "40 ffffffff"),
        (
            timestamp(Second, false),
            Some(Datum::Timestamp(1)),
            "50 0100000000000000",
        ),
        (
            timestamp(Millisecond, true),
            Some(Datum::Timestamp(256)),
            "50 0001000000000000",
        ),
        (Text, None, "10"),
        (Integer, None, "10"),
    ];
    for (sql_type, datum, expected) in cases {
        let table = table(&[("k", Integer), ("c?", sql_type.clone())], &["k"]);
        let row = [int(7), datum];
        let expected = format!("01000200{}", expected.replace(' ', ""));
        assert_eq!(value_hex(&table, &row), expected, "{sql_type}");
        let chunk = chunk(&table, &batch(&table, &[row.to_vec()]));
        let read = RowReader::new(Arc::clone(&table))
            .read(&chunk, &[0, 1], None)
            .unwrap();
        assert_eq!(
            read.columns(),
            batch(&table, &[row.to_vec()]).columns(),
            "{sql_type}"
        );
    }
}

#[test]
fn the_bytes_of_whole_rows() {
    use SqlType::{Integer, SmallInt, Text};
    let columns = [
        ("k", Integer),
        ("a?", Text),
        ("b?", SmallInt),
        ("c", Text),
        ("d?", Integer),
    ];
    let both = table(&columns, &["k"]);
    let spelt = |spaced: &str| spaced.replace(' ', "");
    let row = [int(7), text("x"), int(2), text("yz"), int(3)];
    assert_eq!(
        value_hex(&both, &row),
        spelt("01 00 0500 70 73 04  0200 03000000  01 03  78 797a")
    );
    let row = [int(7), None, int(2), text("yz"), None];
    assert_eq!(
        value_hex(&both, &row),
        spelt("01 00 0500 10 73 01  0200  02  797a")
    );
    // No column is left for the value.
    let none = table(&columns[..2], &["k", "a"]);
    assert_eq!(value_hex(&none, &[int(7), text("x")]), "01000000");
    // Ends of two and of four bytes.
    for (length, flags, width) in [(255, 0, 1), (256, 1, 2), (65_535, 1, 2), (65_536, 2, 4)] {
        let table = table(&[("k", Integer), ("a", Text)], &["k"]);
        let value = value_hex(&table, &[int(7), text(&"x".repeat(length))]);
        assert!(value.starts_with(&format!("010{flags}020070")), "{length}");
        assert_eq!(value.len(), 2 * (5 + width + length));
    }
}

/// Ids are what counts, not positions: their order is the order of fields, and a gap is a code 0.
#[test]
fn columns_lie_in_the_order_of_their_ids() {
    use SqlType::SmallInt;
    let mut table = definition(
        &[("k", SmallInt), ("a", SmallInt), ("b", SmallInt)],
        vec![part("k")],
    );
    for (column, id) in table.columns.iter_mut().zip([9, 5, 2]) {
        column.id = id;
    }
    let table = BoundTable::new(table).unwrap();
    assert_eq!(
        value_hex(&table, &[int(7), int(1), int(2)]),
        "01000600000330".to_owned() + "0200" + "0100"
    );
}

/// A column that came reads as NULL in older rows; one that went is skipped.
#[test]
fn columns_come_and_go_without_a_rewrite() {
    use SqlType::{BigInt, Integer, Text};
    let old = table(
        &[("k", Integer), ("a", Text), ("b?", Integer), ("c", Text)],
        &["k"],
    );
    let rows = [
        vec![int(1), text("gone"), int(5), text("stays")],
        vec![int(2), text(""), None, text("too")],
    ];
    let stored = chunk(&old, &batch(&old, &rows));
    let mut changed = old.table().clone();
    changed.columns.remove(1);
    changed.columns.insert(
        0,
        crate::schema::Column {
            id: 4,
            name: "new".to_owned(),
            sql_type: BigInt,
            nullable: true,
            default: None,
            missing: None,
            generated: None,
            identity: None,
            comment: None,
        },
    );
    let new = BoundTable::new(changed.clone()).unwrap();
    let read = RowReader::new(Arc::clone(&new))
        .read(&stored, &[0, 1, 2, 3], None)
        .unwrap();
    let expected = batch(
        &new,
        &[
            vec![None, int(1), int(5), text("stays")],
            vec![None, int(2), None, text("too")],
        ],
    );
    assert_eq!(read.columns(), expected.columns());
    changed.columns[0].nullable = false;
    let error = RowReader::new(BoundTable::new(changed).unwrap())
        .read(&stored, &[0], None)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(
        error.to_string(),
        "table `t`, row /1: column `new` of type BIGINT is NOT NULL and the row does not have it"
    );
}

/// A table of random columns; its first column is NOT NULL and alone in the key, or random columns are.
fn random_table(rng: &mut Rng) -> Arc<BoundTable> {
    const NAMES: [&str; 12] = [
        "a", "b?", "c", "d?", "e", "f?", "g", "h?", "i", "j?", "k", "l?",
    ];
    let types = types();
    let columns: Vec<testing::Declared> = NAMES[..rng.usize(1..=NAMES.len())]
        .iter()
        .map(|name| (*name, types[rng.usize(0..types.len())].clone()))
        .collect();
    let mut keys: Vec<String> = columns
        .iter()
        .filter(|(_, sql_type)| sql_type.can_be_key())
        .map(|(name, _)| {
            format!(
                "{}{}",
                ["", "-"][rng.usize(0..2)],
                name.trim_end_matches('?')
            )
        })
        .collect();
    rng.shuffle(&mut keys);
    keys.truncate(rng.usize(1..=3));
    if keys.is_empty() {
        return random_table(rng);
    }
    let mut table = definition(&columns, keys.iter().map(|name| part(name)).collect());
    let mut ids: Vec<u32> = (0..40).collect();
    rng.shuffle(&mut ids);
    table
        .columns
        .iter_mut()
        .zip(ids)
        .for_each(|(column, id)| column.id = id);
    BoundTable::new(table).unwrap()
}

fn random_rows(rng: &mut Rng, table: &BoundTable) -> Vec<Vec<Option<Datum>>> {
    let rows = rng.usize(0..20);
    let in_key: Vec<usize> = (0..table.columns().len())
        .filter(|position| !table.stored_columns().contains(position))
        .collect();
    (0..rows)
        .map(|_| {
            let columns = table.columns().iter().enumerate();
            columns
                .map(|(position, column)| {
                    let null = column.nullable && rng.u8(0..3) == 0;
                    let datum = value(rng, &column.sql_type);
                    // Keys have a greatest length.
                    let long = matches!(&datum, Datum::Bytes(bytes) if bytes.len() > 300);
                    let datum = if long && in_key.contains(&position) {
                        Datum::Bytes(vec![0; 9])
                    } else {
                        datum
                    };
                    (!null).then_some(datum)
                })
                .collect()
        })
        .collect()
}

#[test]
fn whatever_is_written_comes_back() {
    let mut rng = Rng::with_seed(seed());
    for _ in 0..300 {
        let table = random_table(&mut rng);
        let rows = batch(&table, &random_rows(&mut rng, &table));
        let stored = chunk(&table, &rows);
        let reader = RowReader::new(Arc::clone(&table));
        let all: Vec<usize> = (0..table.columns().len()).collect();
        assert_same(
            &reader.read(&stored, &all, None).unwrap(),
            rows.columns(),
            &table,
        );
        let mut columns = all.clone();
        rng.shuffle(&mut columns);
        columns.truncate(rng.usize(0..=all.len()));
        let picked = if rows.num_rows() == 0 {
            0
        } else {
            rng.usize(0..30)
        };
        let selection: Vec<u32> = (0..picked)
            .map(|_| rng.u32(0..rows.num_rows() as u32))
            .collect();
        let indexes = UInt32Array::from(selection.clone());
        let expected: Vec<_> = columns
            .iter()
            .map(|column| take(rows.column(*column), &indexes, None).unwrap())
            .collect();
        let mut opened = reader.open(&stored);
        assert_eq!(opened.len(), rows.num_rows());
        // A filter's columns first, then others for the rows that are left.
        let _ = opened.columns(&columns, None).unwrap();
        let read = opened.read(&columns, Some(&selection)).unwrap();
        assert_eq!(read.num_rows(), selection.len());
        assert_same(&read, &expected, &table);
    }
}

/// Under every layout of the key a row comes back whole: from the key what the key gives back, the rest from the value.
#[test]
fn rows_come_back_whole_under_every_layout() {
    let mut rng = Rng::with_seed(seed());
    let types = types();
    for _ in 0..400 {
        let key = crate::key::testing::layout(&mut rng);
        // A bucket that is dealt is a hidden column, and cannot be declared as here.
        if key.dealt_buckets().is_some() {
            continue;
        }
        let key_rows = crate::key::testing::storable_rows(&mut rng, &key, 12);
        let parts = key.parts().iter().map(|part| part.definition().clone());
        let mut table = definition(&[], parts.collect());
        let in_key = key.columns().iter().zip(0..).map(|(column, id)| Column {
            id,
            name: column.name.clone(),
            sql_type: column.sql_type.clone(),
            nullable: column.nullable,
            default: None,
            missing: None,
            generated: None,
            identity: None,
            comment: None,
        });
        table.columns.extend(in_key);
        for id in 500..500 + rng.u32(1..5) {
            table.columns.push(Column {
                id,
                name: format!("v{id}"),
                sql_type: types[rng.usize(0..types.len())].clone(),
                nullable: rng.bool(),
                default: None,
                missing: None,
                generated: None,
                identity: None,
                comment: None,
            });
        }
        let table = BoundTable::new(table).unwrap();
        let extra = &table.columns()[key.columns().len()..];
        let rows: Vec<Vec<Option<Datum>>> = key_rows
            .into_iter()
            .map(|mut row| {
                row.extend(extra.iter().map(|column| {
                    let null = column.nullable && rng.bool();
                    (!null).then(|| value(&mut rng, &column.sql_type))
                }));
                row
            })
            .collect();
        let rows = batch(&table, &rows);
        let columns: Vec<usize> = (0..table.columns().len()).collect();
        let read = RowReader::new(Arc::clone(&table)).read(&chunk(&table, &rows), &columns, None);
        assert_same(&read.unwrap(), rows.columns(), &table);
    }
}

fn assert_same(read: &RecordBatch, expected: &[arrow::array::ArrayRef], table: &BoundTable) {
    assert_eq!(read.num_columns(), expected.len());
    for (read, expected) in read.columns().iter().zip(expected) {
        // NaN is equal to NaN in Arrow's comparison of arrays by their bits.
        assert_eq!(format!("{read:?}"), format!("{expected:?}"), "{table:?}");
    }
}

#[test]
fn an_empty_projection_has_rows() {
    let table = table(&[("k", SqlType::Integer)], &["k"]);
    let mut chunk = Chunk::new();
    chunk.push(b"nothing", b"of this");
    chunk.push(b"is decoded", b"");
    let reader = RowReader::new(table);
    assert_eq!(reader.read(&chunk, &[], None).unwrap().num_rows(), 2);
    assert_eq!(reader.read(&chunk, &[], Some(&[1])).unwrap().num_rows(), 1);
    assert_eq!(reader.open(&chunk).len(), 2);
}

#[test]
fn floats_are_written_canonical_in_every_column() {
    use SqlType::{Double, Real};
    let table = table(&[("k", Double), ("r", Real), ("d", Double)], &["k"]);
    let odd_double = f64::from_bits(f64::NAN.to_bits() | 1 << 63 | 77);
    let odd_real = f32::from_bits(f32::NAN.to_bits() | 1 << 31 | 77);
    let rows = RecordBatch::try_new(
        Arc::clone(table.schema()),
        vec![
            Arc::new(Float64Array::from(vec![-0.0, odd_double])),
            Arc::new(Float32Array::from(vec![odd_real, -0.0])),
            Arc::new(Float64Array::from(vec![odd_double, -0.0])),
        ],
    )
    .unwrap();
    let read = RowReader::new(Arc::clone(&table))
        .read(&chunk(&table, &rows), &[0, 1, 2], None)
        .unwrap();
    let doubles = |column: usize| -> Vec<u64> {
        let array = read
            .column(column)
            .as_primitive::<arrow::datatypes::Float64Type>();
        array.values().iter().map(|value| value.to_bits()).collect()
    };
    let reals: Vec<u32> = read
        .column(1)
        .as_primitive::<arrow::datatypes::Float32Type>()
        .values()
        .iter()
        .map(|value| value.to_bits())
        .collect();
    assert_eq!(doubles(0), [0, 0x7ff8_0000_0000_0000]);
    assert_eq!(doubles(2), [0x7ff8_0000_0000_0000, 0]);
    assert_eq!(reals, [0x7fc0_0000, 0]);
}

#[test]
fn what_a_column_cannot_hold_is_refused_with_its_row() {
    use SqlType::{Char, Integer, Text, Varchar};
    let decimal = SqlType::Decimal {
        precision: 3,
        scale: 1,
    };
    let long = format!("cannot hold '{}…': it", "x".repeat(60));
    let cases: Vec<(SqlType, Datum, &str)> = vec![
        (
            Varchar(3),
            Datum::Text("üüüü".to_owned()),
            "`c` of type VARCHAR(3) cannot hold 'üüüü': it has more than 3 characters",
        ),
        (
            Char(3),
            Datum::Text("üü".to_owned()),
            "`c` of type CHAR(3) cannot hold 'üü': at most 3 bytes of UTF-8",
        ),
        (Char(3), Datum::Text("a\0".to_owned()), "cannot hold 'a\\0'"),
        (
            decimal,
            Datum::Decimal(1000),
            "`c` of type DECIMAL(3, 1) cannot hold 100.0: it has too many digits",
        ),
        (Varchar(3), Datum::Text("x".repeat(1000)), &long),
    ];
    for (sql_type, datum, expected) in cases {
        let table = table(&[("k", Integer), ("c?", sql_type)], &["k"]);
        let wide = match &datum {
            Datum::Decimal(_) => SqlType::Decimal {
                precision: 38,
                scale: 1,
            },
            _ => Text,
        };
        let values = crate::datum::to_array(&[None, Some(datum)], &wide).unwrap();
        let values = match values.data_type() {
            arrow::datatypes::DataType::Utf8 => values,
            // A cast checks digits; an array need not have been made by one.
            _ => Arc::new(
                values
                    .as_primitive::<arrow::datatypes::Decimal128Type>()
                    .clone()
                    .with_data_type(table.columns()[1].sql_type.arrow()),
            ),
        };
        let keys = crate::datum::to_array(&[int(1), int(2)], &Integer).unwrap();
        let rows = RecordBatch::try_new(Arc::clone(table.schema()), vec![keys, values]).unwrap();
        let error = RowWriter::new(table).encode(&rows).unwrap_err();
        assert_eq!(error.row, Some(1), "{error}");
        assert!(
            error
                .to_string()
                .starts_with("row 2: table `t`: column `c`"),
            "{error}"
        );
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(
            crate::error::Error::from(error).kind(),
            ErrorKind::InvalidInput
        );
    }
    // What just fits.
    let table = table(&[("k", Varchar(3)), ("c", Char(4))], &["k"]);
    chunk(&table, &batch(&table, &[vec![text("üüü"), text("üü")]]));
}

#[test]
fn null_is_refused_where_it_cannot_be() {
    use SqlType::{Integer, Text};
    let table = table(&[("k", Integer), ("c", Text)], &["k"]);
    let writer = RowWriter::new(Arc::clone(&table));
    for (row, column) in [([None, text("a")], "k"), ([int(2), None], "c")] {
        let rows = batch(&table, &[vec![int(1), text("a")], row.to_vec()]);
        assert_eq!(
            writer.encode(&rows).unwrap_err().to_string(),
            format!("row 2: table `t`: column `{column}` is NOT NULL and is given NULL")
        );
    }
}

#[test]
fn a_batch_of_other_columns_is_a_fault_of_ours() {
    let table = table(&[("k", SqlType::Integer)], &["k"]);
    let other = testing::table(&[("k", SqlType::BigInt)], &["k"]);
    let rows = batch(&other, &[vec![int(1)]]);
    let error = RowWriter::new(table).encode(&rows).unwrap_err();
    assert_eq!((error.error.kind(), error.row), (ErrorKind::Internal, None));
}

#[test]
fn keys_need_their_source_columns_alone() {
    use SqlType::{Integer, Text};
    let table = table(&[("a", Text), ("b?", Integer), ("c", Text)], &["-b"]);
    let whole = batch(&table, &[vec![text("x"), int(5), text("y")]]);
    let writer = RowWriter::new(Arc::clone(&table));
    let entries = writer.encode(&whole).unwrap();
    let keys = writer
        .encode_keys_of(&whole.project(&[1]).unwrap())
        .unwrap();
    let key = keys.iter().next().unwrap();
    assert_eq!(key.key, entries.iter().next().unwrap().key);
    assert!(key.value.is_empty());
    assert!(
        writer
            .encode_keys_of(&whole.project(&[0]).unwrap())
            .is_err()
    );
}

/// Whatever stands in the store, reading it ends with rows or with `Corrupt`.
#[test]
fn damage_is_corrupt_and_never_a_panic() {
    let mut rng = Rng::with_seed(seed());
    let mut found = 0;
    for _ in 0..400 {
        let table = random_table(&mut rng);
        let stored = chunk(&table, &batch(&table, &random_rows(&mut rng, &table)));
        let Some((key, value)) = stored.last() else {
            continue;
        };
        let (mut key, mut value) = (key.to_vec(), value.to_vec());
        if value.len() > 2_000 {
            continue;
        }
        for _ in 0..40 {
            let bytes = if rng.u8(0..4) == 0 {
                &mut key
            } else {
                &mut value
            };
            match rng.u8(0..4) {
                0 => bytes.truncate(rng.usize(0..=bytes.len())),
                1 => bytes.extend((0..rng.usize(1..4)).map(|_| 0)),
                2 => *bytes = (0..rng.usize(0..30)).map(|_| rng.u8(..)).collect(),
                _ => {
                    if let Some(byte) = bytes
                        .get_mut(0..)
                        .and_then(|bytes| rng.choice(bytes.iter_mut()))
                    {
                        *byte ^= 1 << rng.u8(0..8);
                    }
                }
            }
            let mut damaged = stored.clone();
            damaged.push(&key, &value);
            let all: Vec<usize> = (0..table.columns().len()).collect();
            if let Err(error) = RowReader::new(Arc::clone(&table)).read(&damaged, &all, None) {
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
                assert!(error.to_string().starts_with("table `t`, row "), "{error}");
                found += 1;
            }
        }
    }
    assert!(
        found > 1_000,
        "only {found} of the damaged rows were found to be so"
    );
}

#[test]
fn every_truncation_is_found() {
    use SqlType::{Double, Integer, Text};
    let table = table(
        &[("k", Integer), ("a?", Text), ("b", Double), ("c", Text)],
        &["k"],
    );
    let stored = chunk(
        &table,
        &batch(
            &table,
            &[vec![
                int(1),
                text("abc"),
                Some(Datum::double(2.5)),
                text("de"),
            ]],
        ),
    );
    let (key, value) = stored.get(0).unwrap();
    for length in 0..value.len() {
        let mut damaged = Chunk::new();
        damaged.push(key, &value[..length]);
        for column in 1..4 {
            let error = RowReader::new(Arc::clone(&table))
                .read(&damaged, &[column], None)
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert!(
                error.to_string().starts_with("table `t`, row /1: "),
                "{error}"
            );
        }
    }
}

#[test]
fn damage_is_named() {
    use SqlType::{Boolean, Integer, Text};
    let table = table(&[("k", Integer), ("a?", Text), ("b?", Boolean)], &["k"]);
    let key = chunk(&table, &batch(&table, &[vec![int(1), None, None]]));
    let key = key.get(0).unwrap().0.to_vec();
    let cases: &[(&[u8], &str)] = &[
        (b"", "a value of 0 bytes"),
        (
            &[2, 0, 3, 0, 0x70, 2],
            "a value of format 2, this Halite reads up to 1: upgrade Halite",
        ),
        (&[0, 0, 0, 0], "a value of format 0, which does not exist"),
        (&[1, 3, 0, 0], "a value with the flags 03"),
        (&[1, 0, 0xff, 0xff], "its value ends early"),
        (
            &[1, 0, 1, 0, 0x10],
            "a value with a code too few or too many",
        ),
        (
            &[1, 0, 2, 0, 0x80],
            "a value with the code 8, which does not exist",
        ),
        (
            &[1, 0, 2, 0, 0x40, 0, 0, 0, 0],
            "column `a` of type TEXT is stored with the length of another type",
        ),
        (
            &[1, 0, 2, 0, 0x70, 1, 0xff],
            "column `a` of type TEXT is not UTF-8",
        ),
        (
            &[1, 0, 3, 0, 0x00, 0x02, 2],
            "column `b` of type BOOLEAN has the byte 02",
        ),
        (
            &[1, 0, 4, 0, 0x70, 0x70, 5, 1, b'x'],
            "column `a` of type TEXT does not lie inside the value",
        ),
    ];
    for (value, expected) in cases {
        let mut damaged = Chunk::new();
        damaged.push(&key, value);
        let error = RowReader::new(Arc::clone(&table))
            .read(&damaged, &[1, 2], None)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(error.to_string(), format!("table `t`, row /1: {expected}"));
    }
}
