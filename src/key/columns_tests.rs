use std::sync::Arc;

use fastrand::Rng;

use super::*;
use crate::datum::to_array;
use crate::key::BUCKET_COLUMN;
use crate::key::testing::{layout, row, storable_rows, with_seed};

type Row = Vec<Option<Datum>>;

/// The table's columns of some rows.
fn columns(key: &RowKey, rows: &[Row]) -> Vec<Option<ArrayRef>> {
    let column = |(index, column): (usize, &super::super::KeyColumn)| {
        let values: Vec<Option<Datum>> = rows.iter().map(|row| row[index].clone()).collect();
        Some(to_array(&values, &column.sql_type).unwrap())
    };
    key.columns().iter().enumerate().map(column).collect()
}

fn random_case(rng: &mut Rng) -> (RowKey, Vec<Row>) {
    let key = layout(rng);
    let count = rng.usize(..30);
    let rows = storable_rows(rng, &key, count);
    (key, rows)
}

#[test]
fn columns_encode_to_the_keys_of_their_rows() {
    with_seed(|rng| {
        let mut keys = 0;
        for _ in 0..600 {
            let (key, rows) = random_case(rng);
            let encoded = key
                .encode_columns(&columns(&key, &rows), rows.len())
                .unwrap();
            assert_eq!(encoded.len(), rows.len());
            for (row, bytes) in rows.iter().zip(encoded.iter()) {
                assert_eq!(bytes, key.encode(row).unwrap(), "{row:?} in {key:?}");
            }
            keys += rows.len();
        }
        assert!(keys > 4_000, "{keys}");
    });
}

#[test]
fn keys_decode_to_columns_of_their_parts() {
    with_seed(|rng| {
        for _ in 0..600 {
            let (key, rows) = random_case(rng);
            let encoded: Vec<Vec<u8>> = rows.iter().map(|row| key.encode(row).unwrap()).collect();
            let slices: Vec<&[u8]> = encoded.iter().map(Vec::as_slice).collect();
            let parts: Vec<usize> = (0..rng.usize(1..4))
                .map(|_| rng.usize(..key.parts().len()))
                .collect();
            let decoded = key.decode_columns(&slices, &parts).unwrap();
            for (position, array) in parts.iter().zip(decoded) {
                let values: Row = encoded
                    .iter()
                    .map(|bytes| key.decode(bytes).unwrap()[*position].clone())
                    .collect();
                let expected =
                    to_array(&values, key.parts()[*position].transform().value_type()).unwrap();
                assert_eq!(&array, &expected, "part {position} of {key:?}");
            }
            let restored: Vec<usize> = (0..key.columns().len())
                .filter(|column| key.restoring_part(*column).is_some())
                .collect();
            let given = columns(&key, &rows);
            for (column, array) in restored
                .iter()
                .zip(key.restore_columns(&slices, &restored).unwrap())
            {
                assert_eq!(
                    Some(&array),
                    given[*column].as_ref(),
                    "column {column} of {key:?}"
                );
            }
        }
    });
}

#[test]
fn a_row_without_a_key_is_named() {
    with_seed(|rng| {
        let mut refused = 0;
        for _ in 0..3_000 {
            let (key, mut rows) = random_case(rng);
            let mut bad = row(rng, &key);
            if rng.u8(..4) == 0 && !bad.is_empty() {
                // NULL where it is not allowed.
                let column = rng.usize(..bad.len());
                // Whoever writes a row has dealt it a bucket.
                if key.columns()[column].name != BUCKET_COLUMN {
                    bad[column] = None;
                }
            }
            let Err(expected) = key.encode(&bad) else {
                continue;
            };
            let place = rng.usize(..=rows.len());
            rows.insert(place, bad);
            let error = key
                .encode_columns(&columns(&key, &rows), rows.len())
                .unwrap_err();
            assert_eq!(error.row, Some(place), "{key:?}");
            assert_eq!(error.error.kind(), expected.kind());
            refused += 1;
        }
        assert!(refused > 50, "{refused}");
    });
}

#[test]
fn damaged_keys_are_read_or_refused() {
    with_seed(|rng| {
        for _ in 0..600 {
            let (key, rows) = random_case(rng);
            let mut encoded: Vec<Vec<u8>> =
                rows.iter().map(|row| key.encode(row).unwrap()).collect();
            for bytes in &mut encoded {
                match rng.u8(..4) {
                    0 => bytes.truncate(rng.usize(..=bytes.len())),
                    1 => bytes.push(rng.u8(..)),
                    2 if !bytes.is_empty() => {
                        let place = rng.usize(..bytes.len());
                        bytes[place] = [0x00, 0x01, 0x02, 0xff, rng.u8(..)][rng.usize(..5)];
                    }
                    _ => {}
                }
            }
            let slices: Vec<&[u8]> = encoded.iter().map(Vec::as_slice).collect();
            let all: Vec<usize> = (0..key.parts().len()).collect();
            let whole: Result<Vec<Row>> = slices.iter().map(|bytes| key.decode(bytes)).collect();
            match (key.decode_columns(&slices, &all), whole) {
                (Ok(arrays), Ok(rows)) => {
                    for (position, array) in arrays.iter().enumerate() {
                        let values: Row = rows.iter().map(|row| row[position].clone()).collect();
                        let expected =
                            to_array(&values, key.parts()[position].transform().value_type())
                                .unwrap();
                        assert_eq!(array, &expected);
                    }
                }
                (Err(error), Err(_)) => {
                    assert_eq!(error.error.kind(), crate::error::ErrorKind::Corrupt);
                    assert!(key.decode(slices[error.row.unwrap()]).is_err());
                }
                (Err(error), Ok(_)) => panic!("{error} where every row can be read"),
                // Counted from both ends, what is too many in the middle goes unseen.
                (Ok(_), Err(_)) => {}
            }
            let _ = key.restore_columns(&slices, &all);
        }
    });
}

#[test]
fn a_key_that_is_too_long_is_refused_with_its_row() {
    let key = layout_of_text();
    let texts = [10, ROW_KEY_BYTES - 2, ROW_KEY_BYTES - 1]
        .map(|length| Some(Datum::Text("x".repeat(length))));
    let array = |texts: &[Option<Datum>]| vec![Some(to_array(texts, &SqlType::Text).unwrap())];
    assert_eq!(key.encode_columns(&array(&texts[..2]), 2).unwrap().len(), 2);
    let error = key.encode_columns(&array(&texts), 3).unwrap_err();
    assert_eq!(error.row, Some(2));
    assert!(
        Error::from(error)
            .message()
            .contains("row 3: a row key of 32768 bytes")
    );
}

fn layout_of_text() -> RowKey {
    let column = super::super::KeyColumn {
        name: "a".to_owned(),
        sql_type: SqlType::Text,
        nullable: false,
    };
    let part = super::super::PartDefinition {
        expression: super::super::Expression::column("a"),
        direction: SortOrder::Ascending,
        nulls: super::super::NullOrder::Last,
    };
    RowKey::new(vec![column], vec![part]).unwrap()
}

#[test]
fn a_column_that_no_part_needs_may_be_left_out() {
    let column = |name: &str| super::super::KeyColumn {
        name: name.to_owned(),
        sql_type: SqlType::Integer,
        nullable: false,
    };
    let part = super::super::PartDefinition {
        expression: super::super::Expression::column("b"),
        direction: SortOrder::Ascending,
        nulls: super::super::NullOrder::Last,
    };
    let key = RowKey::new(vec![column("a"), column("b")], vec![part]).unwrap();
    let b: ArrayRef = Arc::new(arrow::array::Int32Array::from(vec![1, -1]));
    let keys = key
        .encode_columns(&[None, Some(Arc::clone(&b))], 2)
        .unwrap();
    assert_eq!(
        keys.iter().collect::<Vec<_>>(),
        [[0x80, 0, 0, 1], [0x7f, 0xff, 0xff, 0xff]]
    );
    let error = key.encode_columns(&[Some(b), None], 2).unwrap_err();
    assert!(
        error
            .error
            .message()
            .contains("column `b` is not given as INT"),
        "{error}"
    );
}

/// The places at which fields are found without a look at the parts between.
#[test]
fn fields_beside_fixed_ones_are_found_without_a_walk() {
    let fixed = [Some(2), None, Some(4), Some(8)];
    assert_eq!(fixed_offset(&fixed, 0), Some(FieldOffset::FromStart(0)));
    assert_eq!(fixed_offset(&fixed, 1), Some(FieldOffset::FromStart(2)));
    assert_eq!(fixed_offset(&fixed, 2), Some(FieldOffset::FromEnd(12)));
    assert_eq!(fixed_offset(&fixed, 3), Some(FieldOffset::FromEnd(8)));
    assert_eq!(fixed_offset(&[None, Some(1), None], 1), None);
}
