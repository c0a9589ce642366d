//! Hostile values of every key type: extremes, the empty, `00` and `FF`, prefixes of one another, limits of the
//! epoch, remainders below zero, ends of months.

use chrono::NaiveDate;

use super::random::Random;
use crate::datum::{Datum, Precision, SqlType};

/// The key types, one of each that coverage counts.
pub(crate) fn key_types() -> Vec<SqlType> {
    let mut types = vec![
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        SqlType::UnsignedTinyInt,
        SqlType::UnsignedSmallInt,
        SqlType::UnsignedInteger,
        SqlType::UnsignedBigInt,
        SqlType::Real,
        SqlType::Double,
        SqlType::Decimal {
            precision: 10,
            scale: 2,
        },
        SqlType::Decimal {
            precision: 38,
            scale: 6,
        },
        SqlType::Text,
        SqlType::Varchar(4),
        SqlType::Char(4),
        SqlType::Bytea,
        SqlType::Uuid,
        SqlType::Date,
    ];
    for precision in PRECISIONS {
        for utc in [false, true] {
            types.push(SqlType::Timestamp { precision, utc });
        }
    }
    types
}

pub(crate) const PRECISIONS: [Precision; 4] = [
    Precision::Second,
    Precision::Millisecond,
    Precision::Microsecond,
    Precision::Nanosecond,
];

/// A few values of a type that are close to one another, so that conditions made of them divide the rows.
pub(crate) fn pool(sql_type: &SqlType, random: &mut Random) -> Vec<Datum> {
    let size = random.between(2, 5);
    let mut values = Vec::new();
    let all = hostile(sql_type);
    match sql_type {
        one if one.is_integer() && random.percent(50) => {
            let low = random.integer(-3, 3);
            let small = (low..low + 8).filter_map(|number| one.datum_of_integer(number.into()));
            values.extend(small.take(size));
        }
        SqlType::Timestamp { precision, .. } => {
            let extreme = random.percent(20);
            let anchor = *random.pick(&anchors(*precision, extreme));
            while values.len() < size {
                let step = *random.pick(&steps(*precision));
                values.push(Datum::Timestamp(anchor.saturating_add(step)));
            }
        }
        SqlType::Date if random.percent(50) => {
            let anchor = *random.pick(&[0, 19_722, 19_782]);
            let days = (0..size).map(|_| Datum::Date(anchor + random_step(random)));
            values.extend(days);
        }
        _ => values.extend((0..size).map(|_| random.pick(&all).clone())),
    }
    if random.percent(15) {
        values.push(random.pick(&all).clone());
    }
    values.sort();
    values.dedup();
    values
}

fn random_step(random: &mut Random) -> i32 {
    *random.pick(&[-1, 0, 1, 2, 28, 31, 366])
}

/// Stamps around which a case's stamps lie.
fn anchors(precision: Precision, extreme: bool) -> Vec<i64> {
    if extreme && precision != Precision::Nanosecond {
        let year_3001 = 32_535_216_000;
        return vec![year_3001 * per_second(precision)];
    }
    // 1969-12-31 23:00, the epoch, 2023-12-31 23:30, 2024-02-29 and the end of that month.
    [-3_600, 0, 1_704_065_400, 1_709_164_800, 1_709_251_199]
        .map(|seconds| seconds * per_second(precision))
        .to_vec()
}

fn steps(precision: Precision) -> Vec<i64> {
    let second = per_second(precision);
    let mut steps: Vec<i64> = [
        -86_400, -3_600, -61, -1, 0, 1, 59, 900, 1_800, 3_599, 3_600, 7_200, 86_399, 86_400,
    ]
    .iter()
    .map(|seconds| seconds * second)
    .collect();
    steps.extend([-1, 1, second / 2, second - 1]);
    steps
}

pub(crate) fn per_second(precision: Precision) -> i64 {
    1_000_000_000 / precision.nanoseconds()
}

/// Every hostile value of a type.
pub(crate) fn hostile(sql_type: &SqlType) -> Vec<Datum> {
    match sql_type {
        SqlType::Boolean => [false, true].map(Datum::Boolean).to_vec(),
        one if one.is_integer() => integers(one),
        SqlType::Real => reals(),
        SqlType::Double => doubles(),
        SqlType::Decimal { precision, scale } => decimals(*precision, *scale),
        SqlType::Text => texts(usize::MAX, usize::MAX),
        SqlType::Varchar(characters) => texts(*characters as usize, usize::MAX),
        SqlType::Char(bytes) => {
            let mut texts = texts(usize::MAX, *bytes as usize);
            texts.retain(|text| !text.as_text().is_some_and(|text| text.contains('\0')));
            texts
        }
        SqlType::Bytea => byte_strings(),
        SqlType::Date => dates(),
        SqlType::Timestamp { precision, .. } => timestamps(*precision),
        SqlType::Uuid => uuids(),
        other => unreachable!("{other} is no type of keys"),
    }
}

fn integers(sql_type: &SqlType) -> Vec<Datum> {
    let special = [
        i64::MIN.into(),
        i128::from(i64::MIN) + 1,
        -9_007_199_254_740_993,
        -2_147_483_649,
        -2_147_483_648,
        -65_536,
        -32_768,
        -257,
        -256,
        -255,
        -129,
        -128,
        -17,
        -7,
        -4,
        -1,
        0,
        1,
        2,
        4,
        7,
        16,
        17,
        127,
        128,
        255,
        256,
        1_234,
        11_234,
        32_767,
        65_535,
        65_536,
        16_777_215,
        2_147_483_646,
        2_147_483_647,
        4_294_967_295,
        4_294_967_296,
        9_007_199_254_740_992,
        9_007_199_254_740_993,
        9_007_199_254_740_994,
        i128::from(i64::MAX) - 1,
        i64::MAX.into(),
        i128::from(i64::MAX) + 1,
        i128::from(u64::MAX) - 1,
        u64::MAX.into(),
    ];
    let fitting = special.into_iter();
    fitting
        .filter_map(|number| sql_type.datum_of_integer(number))
        .collect()
}

fn reals() -> Vec<Datum> {
    let reals = [
        f32::NEG_INFINITY,
        f32::MIN,
        -1.5,
        -0.1,
        -f32::MIN_POSITIVE,
        -1e-45,
        0.0,
        1e-45,
        0.1,
        0.5,
        1.0,
        1.5,
        255.0,
        16_777_216.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    reals.map(|real| Datum::double(real.into())).to_vec()
}

fn uuids() -> Vec<Datum> {
    let texts = [
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000001",
        "00000000-ffff-0000-0000-000000000000",
        "0fffffff-ffff-ffff-ffff-ffffffffffff",
        "7f000000-0000-0000-0000-00000000000a",
        "abcdef00-1234-5678-9abc-def012345678",
        "ffffffff-ffff-ffff-ffff-fffffffffffe",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ];
    texts.map(|text| Datum::Text(text.to_owned())).to_vec()
}

fn doubles() -> Vec<Datum> {
    [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.5,
        -1.0,
        -f64::MIN_POSITIVE,
        -5e-324,
        0.0,
        5e-324,
        0.5,
        1.0,
        1.5,
        2.0,
        255.0,
        256.0,
        9_007_199_254_740_992.0,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ]
    .map(Datum::double)
    .to_vec()
}

fn decimals(precision: u8, scale: i8) -> Vec<Datum> {
    let one = 10_i128.pow(u32::try_from(scale).expect("a scale"));
    let most = 10_i128.pow(u32::from(precision)) - 1;
    let values = [
        -most,
        -most + 1,
        -10 * one,
        -one - 1,
        -one,
        -1,
        0,
        1,
        one - 1,
        one,
        one + 1,
        10 * one - 1,
        10 * one,
        255,
        256,
        most - 1,
        most,
    ];
    values.map(Datum::Decimal).to_vec()
}

fn texts(characters: usize, bytes: usize) -> Vec<Datum> {
    let all = [
        "",
        "\0",
        "\0\0",
        "\0a",
        "\u{1}",
        "a",
        "a\0",
        "a\0b",
        "a\u{1}",
        "a\u{ff}",
        "aa",
        "ab",
        "aba",
        "abc",
        "ab%",
        "a_c",
        "a\\",
        "%",
        "_",
        "\\",
        "b",
        "ba",
        "x",
        "1234",
        "51234",
        "4321",
        "z",
        "\u{7f}",
        "\u{80}",
        "\u{ff}",
        "\u{ff}\u{ff}",
        "é",
        "éa",
        "\u{d7ff}",
        "\u{e000}",
        "\u{ffff}",
        "\u{10ffff}",
        "a\u{10ffff}",
    ];
    let fitting = all
        .into_iter()
        .filter(|text| text.chars().count() <= characters && text.len() <= bytes);
    fitting.map(|text| Datum::Text(text.to_owned())).collect()
}

fn byte_strings() -> Vec<Datum> {
    let all: [&[u8]; 16] = [
        b"",
        b"\0",
        b"\0\0",
        b"\0\x01",
        b"\0\xff",
        b"\x01",
        b"\x01\0",
        b"a",
        b"a\0",
        b"a\0b",
        b"a\xff",
        b"ab",
        b"\xfe",
        b"\xff",
        b"\xff\0",
        b"\xff\xff",
    ];
    all.map(|bytes| Datum::Bytes(bytes.to_vec())).to_vec()
}

/// The last days on both sides that DataFusion's calendar knows, as days since 1970-01-01.
fn calendar() -> [i32; 2] {
    [NaiveDate::MIN, NaiveDate::MAX].map(|date| {
        let days = date.signed_duration_since(NaiveDate::default()).num_days();
        i32::try_from(days).expect("a calendar of 32 bit days")
    })
}

fn dates() -> Vec<Datum> {
    let [first, last] = calendar();
    let days = [
        i32::MIN,
        first - 1,
        first,
        -719_528,
        -25_567,
        -1,
        0,
        1,
        59,
        19_722,
        19_723,
        19_782,
        19_783,
        95_026,
        376_556,
        last,
        last + 1,
        i32::MAX,
    ];
    days.map(Datum::Date).to_vec()
}

fn timestamps(precision: Precision) -> Vec<Datum> {
    let second = per_second(precision);
    // 1677, the year 1, the epoch, 2024, 2262-04-11, 3001, 9999: what a unit can hold of them.
    let seconds = [
        -62_135_596_800_i64,
        -9_223_372_036,
        -1,
        0,
        1,
        1_704_067_200,
        1_709_251_199,
        9_223_372_036,
        32_535_216_000,
        253_402_300_799,
    ];
    let [first, last] = calendar().map(|day| i64::from(day) * 86_400);
    let seconds = seconds
        .into_iter()
        .chain([first - 1, first, last + 86_399, last + 86_400]);
    let mut counts: Vec<i64> = seconds
        .filter_map(|seconds| seconds.checked_mul(second))
        .collect();
    counts.extend([i64::MIN, i64::MIN + 1, -1, 1, i64::MAX - 1, i64::MAX]);
    counts.into_iter().map(Datum::Timestamp).collect()
}
