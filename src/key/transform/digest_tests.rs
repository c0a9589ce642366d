//! The published test vectors: what is hashed, and its hash.

use super::*;
use crate::key::testing::unhex;
use crate::keyrange::hex;

fn text(value: &str) -> (SqlType, Option<Datum>) {
    (SqlType::Text, Some(Datum::Text(value.to_owned())))
}

fn integer(sql_type: SqlType, value: i64) -> (SqlType, Option<Datum>) {
    (sql_type, Some(Datum::Integer(value)))
}

fn stamp(precision: Precision, count: i64) -> (SqlType, Option<Datum>) {
    let sql_type = SqlType::Timestamp {
        precision,
        utc: false,
    };
    (sql_type, Some(Datum::Timestamp(count)))
}

fn decimal(unscaled: i128, scale: i8) -> (SqlType, Option<Datum>) {
    let sql_type = SqlType::Decimal {
        precision: 38,
        scale,
    };
    (sql_type, Some(Datum::Decimal(unscaled)))
}

fn double(sql_type: SqlType, value: f64) -> (SqlType, Option<Datum>) {
    (sql_type, Some(Datum::double(value)))
}

/// The inputs of every line of `digest_vectors.txt`, in its order.
fn inputs() -> Vec<Vec<(SqlType, Option<Datum>)>> {
    let bytes = |digits: &str| (SqlType::Bytea, Some(Datum::Bytes(unhex(digits))));
    let null = |sql_type: SqlType| (sql_type, None);
    // xxh3 goes different ways for up to 3, 8, 16, 128, 240 and more bytes.
    let of_length = |length: usize| text(&"0123456789".repeat(25)[..length]);
    vec![
        vec![text("")],
        vec![text("a")],
        vec![text("abc")],
        vec![text("\0")],
        vec![text("größe")],
        vec![of_length(8)],
        vec![of_length(16)],
        vec![of_length(17)],
        vec![of_length(128)],
        vec![of_length(129)],
        vec![of_length(240)],
        vec![of_length(241)],
        vec![(SqlType::Char(8), Some(Datum::Text("abc".to_owned())))],
        vec![bytes("")],
        vec![bytes("00ff")],
        vec![integer(SqlType::SmallInt, 7)],
        vec![integer(SqlType::Integer, 7)],
        vec![integer(SqlType::BigInt, 7)],
        vec![integer(SqlType::BigInt, -1)],
        vec![integer(SqlType::BigInt, i64::MIN)],
        vec![(SqlType::Boolean, Some(Datum::Boolean(false)))],
        vec![(SqlType::Boolean, Some(Datum::Boolean(true)))],
        vec![double(SqlType::Double, 1.5)],
        vec![double(SqlType::Real, 1.5)],
        vec![double(SqlType::Double, -0.0)],
        vec![double(SqlType::Double, -f64::NAN)],
        vec![decimal(150, 2)],
        vec![decimal(15, 1)],
        vec![decimal(-1, 38)],
        vec![decimal(0, 5)],
        vec![decimal(1_200, 0)],
        vec![(SqlType::Date, Some(Datum::Date(19_723)))],
        vec![stamp(Precision::Second, 1_704_067_200)],
        vec![stamp(Precision::Millisecond, 1_704_067_200_000)],
        vec![stamp(Precision::Microsecond, 1_704_067_200_000_000)],
        vec![stamp(Precision::Nanosecond, 1_704_067_200_000_000_999)],
        vec![stamp(Precision::Nanosecond, -1)],
        vec![null(SqlType::Text)],
        vec![null(SqlType::BigInt)],
        vec![text("a"), text("b")],
        vec![text("ab"), text("")],
        vec![text(""), text("ab")],
        vec![integer(SqlType::Integer, 1), text("x")],
        vec![integer(SqlType::BigInt, 1), text("x"), null(SqlType::Date)],
        vec![null(SqlType::Text), null(SqlType::Text)],
    ]
}

fn line(values: &[(SqlType, Option<Datum>)]) -> String {
    let readable = |(sql_type, value): &(SqlType, Option<Datum>)| match value {
        Some(value) if sql_type.is_text() => {
            format!("{sql_type} {:?}", Readable(value, sql_type).to_string())
        }
        Some(value) => format!("{sql_type} {}", Readable(value, sql_type)),
        None => format!("{sql_type} NULL"),
    };
    let (types, values_alone): (Vec<SqlType>, Vec<Option<Datum>>) = values.iter().cloned().unzip();
    let bytes = Inputs::new(types).bytes(&values_alone).unwrap();
    let readable: Vec<String> = values.iter().map(readable).collect();
    format!(
        "{} | {} | {:016x}\n",
        readable.join(", "),
        hex(&bytes),
        hash(&bytes)
    )
}

#[test]
fn test_vectors_are_as_published() {
    let lines: String = inputs().iter().map(|values| line(values)).collect();
    let head = "value, value … | bytes hashed | xxh3-64\n";
    crate::key::testing::assert_golden("transform/digest_vectors.txt", &format!("{head}{lines}"));
}

/// Known to the authors of xxh3 and MD5, not only to us.
#[test]
fn the_hashes_are_those_of_others() {
    for (input, expected) in [
        ("", 0x2d06_8005_38d3_94c2_u64),
        ("a", 0xe6c6_32b6_1e96_4e1f),
        ("abc", 0x78af_5f94_892f_3950),
    ] {
        assert_eq!(hash(input.as_bytes()), expected);
    }
}

#[test]
fn a_stamp_beyond_microseconds_is_refused() {
    let (sql_type, value) = stamp(Precision::Second, i64::MAX);
    let error = Inputs::new(vec![sql_type]).bytes(&[value]).unwrap_err();
    assert!(error.message().contains("too far from 1970"), "{error}");
}
