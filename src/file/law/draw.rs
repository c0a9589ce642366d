//! Random rows: columns of all types, of few values or many, sorted or not, with the values that readers go wrong on.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array,
    Int16Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray, UInt32Array,
    UInt64Array,
};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Float64Type, Schema};

use crate::plan::law::random::Random;

/// The days of 0001-01-01 and 9999-12-31.
const FIRST_DAY: i32 = -719_162;
const LAST_DAY: i32 = 2_932_896;
const MILLIS: i64 = 86_400_000;

/// The rows of a case: `id`, and columns `c1`, `c2` … .
pub(super) fn drawn_rows(random: &mut Random) -> RecordBatch {
    let count = random.between(1, 160);
    let ids = Int64Array::from_iter_values((0..count).map(|row| row as i64));
    let mut fields = vec![Field::new("id", DataType::Int64, false)];
    let mut columns: Vec<ArrayRef> = vec![Arc::new(ids)];
    for number in 1..=random.between(2, 5) {
        let column = column(random, count);
        let name = format!("c{number}");
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("columns of one length")
}

/// Values of a pool, some of them NULL.
fn column(random: &mut Random, count: usize) -> ArrayRef {
    let pool = pool(random);
    let different = if random.percent(40) {
        1 + random.between(0, 1).min(pool.len() - 1)
    } else {
        pool.len()
    };
    let first = random.between(0, pool.len() - different);
    let mut places: Vec<u32> = (0..count)
        .map(|_| u32::try_from(first + random.between(0, different - 1)).expect("a small pool"))
        .collect();
    if random.percent(50) {
        places.sort_unstable();
    }
    let nulls = *random.pick(&[0, 0, 10, 50, 100]);
    // Where the NULLs are: anywhere, or in a row.
    let run = random.percent(40).then(|| {
        let begin = random.between(0, count - 1);
        begin..begin + random.between(1, count)
    });
    let places = places.into_iter().enumerate().map(|(row, place)| {
        let may_be = run.as_ref().is_none_or(|run| run.contains(&row));
        (!(may_be && random.percent(nulls))).then_some(place)
    });
    let places: UInt32Array = places.collect();
    take(&pool, &places, None).expect("places in the pool")
}

/// The values of a type, in its order.
#[expect(clippy::too_many_lines, reason = "one table of values")]
fn pool(random: &mut Random) -> ArrayRef {
    match random.between(0, 16) {
        0 => Arc::new(BooleanArray::from(vec![false, true])),
        1 => Arc::new(Int16Array::from(vec![
            i16::MIN,
            -7,
            -1,
            0,
            1,
            2,
            300,
            i16::MAX,
        ])),
        2 => Arc::new(Int32Array::from(vec![
            i32::MIN,
            -70_000,
            -1,
            0,
            1,
            2,
            70_000,
            i32::MAX,
        ])),
        3 => Arc::new(Int64Array::from(vec![
            i64::MIN,
            -1,
            0,
            1,
            2,
            1 << 53,
            (1 << 53) + 1,
            i64::MAX,
        ])),
        4 => Arc::new(UInt32Array::from(vec![
            0,
            1,
            2,
            1 << 31,
            (1 << 31) + 1,
            u32::MAX,
        ])),
        5 => Arc::new(UInt64Array::from(vec![
            0,
            1,
            1 << 53,
            1 << 63,
            (1 << 63) + 1,
            u64::MAX,
        ])),
        6 => Arc::new(Float32Array::from(vec![
            f32::NEG_INFINITY,
            -1.5,
            -0.0,
            0.0,
            f32::MIN_POSITIVE,
            0.1,
            3.0,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
            -f32::NAN,
        ])),
        7..=9 => Arc::new(Float64Array::from(vec![
            f64::NEG_INFINITY,
            -1.5,
            -0.0,
            0.0,
            f64::MIN_POSITIVE,
            0.1,
            3.0,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            -f64::NAN,
        ])),
        10 | 11 => Arc::new(StringArray::from(texts())),
        12 => {
            let texts = texts();
            Arc::new(BinaryArray::from_iter_values(
                texts.iter().map(String::as_bytes),
            ))
        }
        13 => Arc::new(Date32Array::from(vec![
            FIRST_DAY, -106_752, -1, 0, 1, 19_000, 106_752, LAST_DAY,
        ])),
        14 => timestamps(random),
        15 => decimals(random),
        _ => Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(vec![
            Some(vec![]),
            Some(vec![Some(-0.0), None]),
            Some(vec![Some(1.0), Some(f64::NAN)]),
        ])),
    }
}

/// Texts that differ behind the bytes that bounds are cut to, and whose bounds cannot be made greater by one.
fn texts() -> Vec<String> {
    let long = "a long beginning that is the same for several texts, longer than bounds are ";
    let mut texts = vec![
        String::new(),
        "A".into(),
        "a".into(),
        "a%b_c".into(),
        format!("{long}x"),
        format!("{long}y"),
        "it's".into(),
        "z".repeat(90),
        "ä".into(),
        "\u{7f}".repeat(70),
        "\u{10ffff}".repeat(20),
        format!("{}b", "\u{10ffff}".repeat(20)),
    ];
    texts.sort();
    texts
}

fn timestamps(random: &mut Random) -> ArrayRef {
    let days = [FIRST_DAY, -106_752, -1, 0, 1, 19_000, 106_750, LAST_DAY].map(i64::from);
    let zone: Option<Arc<str>> = random.percent(30).then(|| Arc::from("+00:00"));
    match random.between(0, 2) {
        0 => {
            let values = days.map(|day| day * MILLIS + 1).to_vec();
            Arc::new(TimestampMillisecondArray::from(values).with_timezone_opt(zone))
        }
        1 => {
            let values = days.map(|day| day * MILLIS * 1_000 + 1).to_vec();
            Arc::new(TimestampMicrosecondArray::from(values).with_timezone_opt(zone))
        }
        _ => {
            let near = days
                .into_iter()
                .filter(|day| (-106_000..106_751).contains(day));
            let values = near
                .map(|day| day * MILLIS * 1_000_000 + 1)
                .collect::<Vec<_>>();
            Arc::new(TimestampNanosecondArray::from(values).with_timezone_opt(zone))
        }
    }
}

fn decimals(random: &mut Random) -> ArrayRef {
    let (precision, scale) = *random.pick(&[(5_u8, 2_i8), (15, 4), (38, 10)]);
    let most = 10_i128.pow(u32::from(precision)) - 1;
    let values = vec![-most, -10_001, -1, 0, 1, 9_999, most - 1, most];
    let array = Decimal128Array::from(values).with_precision_and_scale(precision, scale);
    Arc::new(array.expect("values of so many digits"))
}
