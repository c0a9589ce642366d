use arrow::array::{Int32Array, StringArray};
use arrow::datatypes::{Int32Type, IntervalMonthDayNano};
use fastrand::Rng;

use super::*;
use crate::datum::to_array;
use crate::keyrange::hex;
use crate::row::testing::{types, value};
use crate::seed::seed;

/// A type of up to three types inside one another.
fn random_type(rng: &mut Rng, depth: usize) -> SqlType {
    if depth == 0 {
        let others = [SqlType::Time, SqlType::Interval, SqlType::Json];
        let all: Vec<SqlType> = types().into_iter().chain(others).collect();
        return all[rng.usize(..all.len())].clone();
    }
    let below = rng.usize(0..depth);
    match rng.u8(0..3) {
        0 => SqlType::List(Box::new(random_type(rng, below))),
        1 => SqlType::Struct(
            (0..rng.usize(1..10))
                .map(|number| (format!("m{number}"), random_type(rng, below)))
                .collect(),
        ),
        _ => SqlType::Map(Box::new((SqlType::Integer, random_type(rng, below)))),
    }
}

/// Values of a type, NULL among them where they may be.
fn random_array(rng: &mut Rng, sql_type: &SqlType, rows: usize, nullable: bool) -> ArrayRef {
    let nulls: Vec<bool> = (0..rows).map(|_| !nullable || rng.u8(0..4) > 0).collect();
    let lengths: Vec<usize> = nulls
        .iter()
        .map(|is_there| usize::from(*is_there) * rng.usize(0..11))
        .collect();
    let count = lengths.iter().sum();
    let offsets = OffsetBuffer::from_lengths(lengths);
    let buffer = NullBuffer::from(nulls.clone());
    match (sql_type, sql_type.arrow()) {
        (SqlType::List(element), DataType::List(item)) => {
            let elements = random_array(rng, element, count, true);
            Arc::new(ListArray::new(item, offsets, elements, Some(buffer)))
        }
        (SqlType::Struct(members), DataType::Struct(fields)) => {
            let columns = members
                .iter()
                .map(|(_, sql_type)| random_array(rng, sql_type, rows, true))
                .collect();
            Arc::new(StructArray::new(fields, columns, Some(buffer)))
        }
        (SqlType::Map(entry), DataType::Map(entries, _)) => {
            let DataType::Struct(fields) = entries.data_type().clone() else {
                unreachable!("a map has entries");
            };
            let keys = random_array(rng, &entry.0, count, false);
            let values = random_array(rng, &entry.1, count, true);
            let pairs = StructArray::new(fields, vec![keys, values], None);
            Arc::new(MapArray::new(entries, offsets, pairs, Some(buffer), false))
        }
        _ => random_leaf(rng, sql_type, &nulls),
    }
}

fn random_leaf(rng: &mut Rng, sql_type: &SqlType, valid: &[bool]) -> ArrayRef {
    let mut some = |value: fn(&mut Rng) -> i64| -> Vec<Option<i64>> {
        valid.iter().map(|it| it.then(|| value(rng))).collect()
    };
    match sql_type {
        SqlType::Time => {
            let times = some(|rng| rng.i64(0..86_400_000_000_000));
            Arc::new(
                times
                    .into_iter()
                    .collect::<arrow::array::Time64NanosecondArray>(),
            )
        }
        SqlType::Interval => {
            let numbers = some(|rng| rng.i64(..));
            #[expect(clippy::cast_possible_truncation, reason = "any number will do")]
            let interval = |number: i64| IntervalMonthDayNano {
                months: number as i32,
                days: (number >> 32) as i32,
                nanoseconds: number,
            };
            let intervals = numbers.into_iter().map(|number| number.map(interval));
            Arc::new(intervals.collect::<arrow::array::IntervalMonthDayNanoArray>())
        }
        SqlType::Json => {
            let numbers = some(|rng| rng.i64(..));
            let texts = numbers
                .into_iter()
                .map(|number| number.map(|it| it.to_string()));
            Arc::new(texts.collect::<StringArray>())
        }
        _ => {
            let values: Vec<_> = valid
                .iter()
                .map(|it| it.then(|| value(rng, sql_type)))
                .collect();
            to_array(&values, sql_type).unwrap()
        }
    }
}

/// The values of the fields of an array.
fn decoded(fields: &ArrayRef, sql_type: &SqlType) -> Option<ArrayRef> {
    let fields: Vec<Option<&[u8]>> = fields.as_binary::<i32>().iter().collect();
    decode(&fields, sql_type)
}

#[test]
fn whatever_is_encoded_comes_back() {
    let mut rng = Rng::with_seed(seed());
    for _ in 0..400 {
        let depth = rng.usize(1..4);
        let sql_type = random_type(&mut rng, depth);
        let rows = rng.usize(0..6);
        let array = random_array(&mut rng, &sql_type, rows, true);
        let fields = encode(&array, &sql_type).unwrap();
        let read = decoded(&fields, &sql_type).unwrap();
        assert_eq!(read.len(), array.len());
        for row in 0..array.len() {
            assert_eq!(&read.slice(row, 1), &array.slice(row, 1), "{sql_type}");
        }
        // Again and of a part, which begins somewhere.
        assert_eq!(&encode(&read, &sql_type).unwrap(), &fields);
        let from = rng.usize(0..=rows);
        let part = array.slice(from, rows - from);
        let part_fields = encode(&part, &sql_type).unwrap();
        assert_eq!(&part_fields, &fields.slice(from, rows - from), "{sql_type}");
    }
}

/// Whatever stands in a field, it is read or found wrong.
#[test]
fn damaged_fields_are_read_or_refused() {
    let mut rng = Rng::with_seed(seed());
    let mut refused = 0;
    for _ in 0..2_000 {
        let sql_type = random_type(&mut rng, 2);
        let array = random_array(&mut rng, &sql_type, 1, false);
        let fields = encode(&array, &sql_type).unwrap();
        let mut field = fields.as_binary::<i32>().value(0).to_vec();
        match rng.u8(0..3) {
            0 => field.truncate(rng.usize(..=field.len())),
            1 => field.push(rng.u8(..)),
            _ => {
                let place = rng.usize(..field.len());
                field[place] ^= 1 << rng.u8(0..8);
            }
        }
        refused += usize::from(decode(&[Some(&field)], &sql_type).is_none());
    }
    assert!(refused > 500, "only {refused} were refused");
}

/// The bytes are for ever.
#[test]
fn fields_are_as_specified() {
    let element = Arc::new(arrow::datatypes::Field::new_list_field(
        DataType::Int32,
        true,
    ));
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), None, Some(-1)]),
        Some(vec![]),
        None,
    ]);
    assert_eq!(list.data_type(), &DataType::List(element));
    let list: ArrayRef = Arc::new(list);
    let of_numbers = SqlType::List(Box::new(SqlType::Integer));
    let fields = encode(&list, &of_numbers).unwrap();
    let fields = fields.as_binary::<i32>();
    assert_eq!(hex(fields.value(0)), "030000000501000000ffffffff");
    assert_eq!(hex(fields.value(1)), "00000000");
    assert!(fields.is_null(2));

    let members = vec![
        ("a".to_owned(), SqlType::Text),
        ("b".to_owned(), SqlType::Uuid),
    ];
    let of_members = SqlType::Struct(members);
    let DataType::Struct(declared) = of_members.arrow() else {
        unreachable!("it is a struct");
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["hi"])),
        Arc::new(StringArray::from(vec![
            "00000000-0000-0000-0000-0000000000FF",
        ])),
    ];
    let pair: ArrayRef = Arc::new(StructArray::new(declared, columns, None));
    let fields = encode(&pair, &of_members).unwrap();
    let expected = "0200000003020000006869000000000000000000000000000000ff";
    assert_eq!(hex(fields.as_binary::<i32>().value(0)), expected);

    let of_entries = SqlType::Map(Box::new((SqlType::Text, SqlType::Integer)));
    let DataType::Map(entries, _) = of_entries.arrow() else {
        unreachable!("it is a map");
    };
    let DataType::Struct(declared) = entries.data_type().clone() else {
        unreachable!("a map has entries");
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["k"])),
        Arc::new(Int32Array::from(vec![None])),
    ];
    let pairs = StructArray::new(declared, columns, None);
    let map = MapArray::new(entries, OffsetBuffer::from_lengths([1]), pairs, None, false);
    let map: ArrayRef = Arc::new(map);
    let fields = encode(&map, &of_entries).unwrap();
    assert_eq!(
        hex(fields.as_binary::<i32>().value(0)),
        "0100000001010000006b00"
    );
}

/// A STRUCT may have been written before members were added behind.
#[test]
fn members_behind_may_be_missing() {
    let member = |name: &str| (name.to_owned(), SqlType::TinyInt);
    let field = [1, 0, 0, 0, 1, 7];
    let both = SqlType::Struct(vec![member("a"), member("b")]);
    let read = decode(&[Some(&field)], &both).unwrap();
    let read = read.as_struct();
    assert_eq!(read.column(0).as_primitive::<Int8Type>().value(0), 7);
    assert!(read.column(1).is_null(0));
}
