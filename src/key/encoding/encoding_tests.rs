//! The tables of fields are specification, test and guard of compatibility in one: what stands here is on disk.

use super::*;
use crate::datum::Precision;
use crate::key::testing::{constant, types, unhex, value, with_seed};
use crate::keyrange::hex;

const TIMESTAMP: SqlType = SqlType::Timestamp {
    precision: Precision::Millisecond,
    utc: false,
};

fn int(value: i64) -> Datum {
    Datum::Integer(value)
}

fn text(value: &str) -> Datum {
    Datum::Text(value.to_owned())
}

fn bytes(digits: &str) -> Datum {
    Datum::Bytes(unhex(digits))
}

fn plain(sql_type: &SqlType) -> Box<dyn Encoding> {
    of_type(sql_type).unwrap()
}

fn decimal(precision: u8) -> Box<dyn Encoding> {
    plain(&SqlType::Decimal {
        precision,
        scale: 0,
    })
}

fn field(encoding: &dyn Encoding, value: &Datum) -> Vec<u8> {
    let mut field = Vec::new();
    encoding.encode(value, &mut field).unwrap();
    field
}

/// An encoding, a value and its field.
type Field = (Box<dyn Encoding>, Datum, &'static str);

/// `sql_type` with values and their fields.
fn of(encoding: impl Fn() -> Box<dyn Encoding>, fields: &[(Datum, &'static str)]) -> Vec<Field> {
    fields
        .iter()
        .map(|(value, field)| (encoding(), value.clone(), *field))
        .collect()
}

/// Ascending fields, format version 1.
fn fields() -> Vec<Field> {
    [
        numbers(),
        doubles_and_decimals(),
        texts_and_bytes(),
        times(),
        digests(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn numbers() -> Vec<Field> {
    let truths = [(Datum::Boolean(false), "00"), (Datum::Boolean(true), "01")];
    let small = [
        (int(-32_768), "0000"),
        (int(-1), "7fff"),
        (int(0), "8000"),
        (int(32_767), "ffff"),
    ];
    let middle = [
        (int(i32::MIN.into()), "00000000"),
        (int(0), "80000000"),
        (int(255), "800000ff"),
        (int(i32::MAX.into()), "ffffffff"),
    ];
    let big = [
        (int(i64::MIN), "0000000000000000"),
        (int(-1), "7fffffffffffffff"),
        (int(0), "8000000000000000"),
        (int(i64::MAX), "ffffffffffffffff"),
    ];
    let buckets = |count| move || Box::new(BucketNumber::new(count)) as Box<dyn Encoding>;
    [
        of(|| plain(&SqlType::Boolean), &truths),
        of(|| plain(&SqlType::SmallInt), &small),
        of(|| plain(&SqlType::Integer), &middle),
        of(|| plain(&SqlType::BigInt), &big),
        of(buckets(1), &[(int(0), "00")]),
        of(buckets(256), &[(int(255), "ff")]),
        of(buckets(257), &[(int(0), "0000"), (int(256), "0100")]),
        of(buckets(65_536), &[(int(65_535), "ffff")]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn doubles_and_decimals() -> Vec<Field> {
    let doubles = [
        (Datum::double(f64::NEG_INFINITY), "000fffffffffffff"),
        (Datum::double(f64::MIN), "0010000000000000"),
        (Datum::double(-1.0), "400fffffffffffff"),
        (Datum::double(-5e-324), "7ffffffffffffffe"),
        (Datum::double(-0.0), "8000000000000000"),
        (Datum::Double(-0.0), "8000000000000000"),
        (Datum::double(0.0), "8000000000000000"),
        (Datum::double(1.0), "bff0000000000000"),
        (Datum::double(f64::MAX), "ffefffffffffffff"),
        (Datum::double(f64::INFINITY), "fff0000000000000"),
        (Datum::double(f64::NAN), "fff8000000000000"),
        (Datum::Double(-f64::NAN), "fff8000000000000"),
    ];
    let (most18, most38) = (10_i128.pow(18) - 1, 10_i128.pow(38) - 1);
    let of_18 = [
        (Datum::Decimal(most18), "8de0b6b3a763ffff"),
        (Datum::Decimal(-most18), "721f494c589c0001"),
    ];
    let of_19 = [
        (Datum::Decimal(0), "80000000000000000000000000000000"),
        (Datum::Decimal(-1), "7fffffffffffffffffffffffffffffff"),
    ];
    let of_38 = [
        (Datum::Decimal(most38), "cb3b4ca85a86c47a098a223fffffffff"),
        (Datum::Decimal(-most38), "34c4b357a5793b85f675ddc000000001"),
    ];
    [
        of(|| plain(&SqlType::Double), &doubles),
        of(|| decimal(1), &[(Datum::Decimal(-9), "7ffffffffffffff7")]),
        of(|| decimal(10), &[(Datum::Decimal(0), "8000000000000000")]),
        of(|| decimal(18), &of_18),
        of(|| decimal(19), &of_19),
        of(|| decimal(38), &of_38),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn texts_and_bytes() -> Vec<Field> {
    let texts = [
        (text(""), "0001"),
        (text("\0"), "00ff0001"),
        (text("a\0b"), "6100ff620001"),
        (text("a\u{1}"), "61010001"),
        (text("\u{10ffff}"), "f48fbfbf0001"),
    ];
    let zeros = "00ff00ff00ff00ff00ff00ff00ff00ff00ff0001";
    let byte_strings = [
        (bytes(""), "0001"),
        (bytes("00ff"), "00ffff0001"),
        (bytes("ff00"), "ff00ff0001"),
        (bytes("0000 0000 0000 0000 00"), zeros),
    ];
    let padded = [
        (text(""), "000000"),
        (text("ab"), "616200"),
        (text("\u{7ff}a"), "dfbf61"),
    ];
    [
        of(|| plain(&SqlType::Text), &texts),
        of(
            || plain(&SqlType::Varchar(3)),
            &[(text("abc"), "6162630001")],
        ),
        of(|| plain(&SqlType::Bytea), &byte_strings),
        of(|| plain(&SqlType::Char(3)), &padded),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn times() -> Vec<Field> {
    let dates = [
        (Datum::Date(i32::MIN), "00000000"),
        (Datum::Date(-1), "7fffffff"),
        (Datum::Date(19_723), "80004d0b"),
    ];
    let stamps = [
        (Datum::Timestamp(i64::MIN), "0000000000000000"),
        (Datum::Timestamp(0), "8000000000000000"),
        (Datum::Timestamp(1_704_067_200_000), "8000018cc251f400"),
        (Datum::Timestamp(i64::MAX), "ffffffffffffffff"),
    ];
    [
        of(|| plain(&SqlType::Date), &dates),
        of(|| plain(&TIMESTAMP), &stamps),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn digests() -> Vec<Field> {
    let (hash, md5) = ("2d06800538d394c2", "d41d8cd98f00b204e9800998ecf8427e");
    let digits = |greatest| move || Box::new(Digits::new(greatest)) as Box<dyn Encoding>;
    let small = [(text("00000"), "3030303030"), (text("76723"), "3736373233")];
    let big = "37303835373734353836333032373333323239";
    [
        of(|| Box::new(Raw::new(8)), &[(bytes(hash), hash)]),
        of(|| Box::new(Hex::digest()), &[(text(md5), md5)]),
        of(digits(i16::MAX.into()), &small),
        of(
            digits(i32::MAX.into()),
            &[(text("1000000000"), "31303030303030303030")],
        ),
        of(digits(i64::MAX), &[(text("7085774586302733229"), big)]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn fields_are_as_specified() {
    for (encoding, value, expected) in fields() {
        let written = field(&*encoding, &value);
        assert_eq!(hex(&written), expected, "{value:?} in {encoding:?}");
        let followed = [written.as_slice(), &[0xff, 0x00]].concat();
        let canonical = match value {
            Datum::Double(value) => Datum::double(value),
            other => other,
        };
        assert_eq!(
            encoding.decode(&followed).unwrap(),
            (canonical, written.len())
        );
        assert_eq!(encoding.length(&followed).unwrap(), written.len());
        assert!(encoding.width().is_none_or(|width| width == written.len()));
    }
}

/// Bytes at whose front no field stands.
fn refused_bytes() -> Vec<(Box<dyn Encoding>, &'static str)> {
    vec![
        (plain(&SqlType::Boolean), ""),
        (plain(&SqlType::Boolean), "02"),
        (plain(&SqlType::Boolean), "ff"),
        (plain(&SqlType::SmallInt), "80"),
        (plain(&SqlType::Integer), "800000"),
        (plain(&SqlType::BigInt), "80000000000000"),
        (plain(&SqlType::Date), "8000"),
        (plain(&TIMESTAMP), ""),
        (plain(&SqlType::Double), "80000000000000"),
        // −0.0, then a NaN with a sign, one with a payload, and a signalling one.
        (plain(&SqlType::Double), "7fffffffffffffff"),
        (plain(&SqlType::Double), "0007ffffffffffff"),
        (plain(&SqlType::Double), "fff8000000000001"),
        (plain(&SqlType::Double), "fff0000000000001"),
        (decimal(10), "80000000"),
        (decimal(1), "800000000000000a"),
        (decimal(1), "7ffffffffffffff6"),
        (decimal(38), "cb3b4ca85a86c47a098a224000000000"),
        (decimal(38), "ffffffffffffffffffffffffffffff"),
        (plain(&SqlType::Text), ""),
        (plain(&SqlType::Text), "61"),
        (plain(&SqlType::Text), "6100"),
        (plain(&SqlType::Text), "610002"),
        (plain(&SqlType::Text), "61000061"),
        (plain(&SqlType::Text), "6100ff"),
        // No UTF-8: a byte alone, a surrogate, an overlong zero.
        (plain(&SqlType::Text), "ff0001"),
        (plain(&SqlType::Text), "eda0800001"),
        (plain(&SqlType::Text), "c0800001"),
        (plain(&SqlType::Bytea), "ff00fe"),
        (plain(&SqlType::Char(3)), "6162"),
        (plain(&SqlType::Char(3)), "610062"),
        (plain(&SqlType::Char(3)), "000001"),
        (plain(&SqlType::Char(3)), "6161c3"),
        (Box::new(BucketNumber::new(16)), "10"),
        (Box::new(BucketNumber::new(16)), ""),
        (Box::new(BucketNumber::new(257)), "01"),
        (Box::new(BucketNumber::new(257)), "0101"),
        (Box::new(Raw::new(8)), "00000000000000"),
        (Box::new(Hex::digest()), "000000000000000000000000000000"),
        (Box::new(Digits::new(i16::MAX.into())), "30303030"),
        (Box::new(Digits::new(i16::MAX.into())), "3030303a30"),
        (Box::new(Digits::new(i16::MAX.into())), "2030303030"),
        // 32768, and a number beyond 64 bits.
        (Box::new(Digits::new(i16::MAX.into())), "3836373233"),
        (
            Box::new(Digits::new(i64::MAX)),
            "39393939393939393939393939393939393939",
        ),
    ]
}

#[test]
fn what_is_no_field_is_refused() {
    for (encoding, bytes) in refused_bytes() {
        let error = encoding.decode(&unhex(bytes)).unwrap_err();
        assert_eq!(
            error.kind(),
            crate::error::ErrorKind::Corrupt,
            "{bytes} in {encoding:?}"
        );
    }
}

#[test]
fn what_has_no_field_is_refused() {
    let refused: Vec<(Box<dyn Encoding>, Datum)> = vec![
        (plain(&SqlType::Boolean), int(1)),
        (plain(&SqlType::SmallInt), int(32_768)),
        (plain(&SqlType::Integer), int(-2_147_483_649)),
        (plain(&SqlType::Integer), Datum::Date(1)),
        (plain(&SqlType::Date), int(1)),
        (plain(&TIMESTAMP), int(1)),
        (decimal(2), Datum::Decimal(100)),
        (plain(&SqlType::Text), bytes("61")),
        (plain(&SqlType::Bytea), text("a")),
        (plain(&SqlType::Char(3)), text("abcd")),
        (plain(&SqlType::Char(3)), text("aéb")),
        (plain(&SqlType::Char(3)), text("a\0")),
        (Box::new(BucketNumber::new(16)), int(16)),
        (Box::new(BucketNumber::new(16)), int(-1)),
        (Box::new(Raw::new(8)), bytes("00")),
        (
            Box::new(Hex::digest()),
            text("D41D8CD98F00B204E9800998ECF8427E"),
        ),
        (
            Box::new(Hex::digest()),
            text("d41d8cd98f00b204e9800998ecf8427"),
        ),
        (Box::new(Digits::new(i16::MAX.into())), text("0000")),
        (Box::new(Digits::new(i16::MAX.into())), text("99999")),
        (Box::new(Digits::new(i16::MAX.into())), text("0000é")),
    ];
    for (encoding, value) in refused {
        let error = encoding.encode(&value, &mut Vec::new()).unwrap_err();
        assert_eq!(
            error.kind(),
            crate::error::ErrorKind::InvalidInput,
            "{value:?} in {encoding:?}"
        );
    }
}

/// The two laws of an encoding over some of its values, and the law of positions over some constants.
fn check_laws(encoding: &dyn Encoding, values: &[Datum], constants: &[Datum]) {
    let fields: Vec<(Vec<u8>, &Datum)> = values
        .iter()
        .map(|value| (field(encoding, value), value))
        .collect();
    for (left, a) in &fields {
        for (right, b) in &fields {
            assert_eq!(left.cmp(right), a.cmp(b), "{a:?} and {b:?} in {encoding:?}");
            assert!(
                a == b || !right.starts_with(left),
                "{a:?} is a prefix of {b:?}"
            );
        }
    }
    for constant in constants {
        for cut in [Cut::Below(constant.clone()), Cut::Above(constant.clone())] {
            let position = encoding.position(&cut).unwrap();
            for (field, value) in &fields {
                let after = cut <= Cut::Below((*value).clone());
                for behind in [&[][..], &[0x00], &[0xff, 0xff, 0xff]] {
                    let key = [field, behind].concat();
                    let reached = position.as_ref().is_some_and(|position| *position <= key);
                    assert_eq!(
                        reached, after,
                        "{value:?} and {cut:?} in {encoding:?}: {position:02x?}"
                    );
                }
            }
        }
    }
}

#[test]
fn order_prefix_and_position_hold_for_every_type() {
    with_seed(|rng| {
        for sql_type in types() {
            let values: Vec<Datum> = (0..60).map(|_| value(rng, &sql_type)).collect();
            let constants: Vec<Datum> = (0..60).map(|_| constant(rng, &sql_type)).collect();
            check_laws(
                &*plain(&sql_type),
                &values,
                &[values.as_slice(), &constants].concat(),
            );
        }
    });
}

/// Every text of up to `most` of these characters.
fn texts(alphabet: &[char], most: u32) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut last = texts.clone();
    for _ in 0..most {
        let longer = |text: &String| {
            alphabet
                .iter()
                .map(move |c| format!("{text}{c}"))
                .collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        texts.extend(last.clone());
    }
    texts
}

#[test]
fn a_constant_that_no_char_can_hold_has_its_place() {
    let texts = texts(&['\0', '\u{1}', 'a', 'é', '\u{ffff}'], 4);
    let constants: Vec<Datum> = texts.iter().map(|text| Datum::Text(text.clone())).collect();
    for width in [1, 2, 3] {
        let fits = |text: &&String| text.len() <= width && !text.contains('\0');
        let values: Vec<Datum> = texts
            .iter()
            .filter(fits)
            .cloned()
            .map(Datum::Text)
            .collect();
        check_laws(&Padded::new(width as u32), &values, &constants);
    }
}

#[test]
fn a_constant_that_is_no_md5_has_its_place() {
    with_seed(|rng| {
        let digit = |rng: &mut fastrand::Rng| {
            if rng.bool() {
                '0'
            } else {
                b"0189abef"[rng.usize(..8)].into()
            }
        };
        let values: Vec<String> = (0..80)
            .map(|_| (0..32).map(|_| digit(rng)).collect())
            .collect();
        let mut constants = values.clone();
        for value in &values {
            let end = rng.usize(..=32);
            let odd = ['\0', '/', ':', 'A', 'F', '`', 'g', 'é'][rng.usize(..8)];
            constants.push(value[..end].to_owned());
            constants.push(format!("{}{odd}", &value[..end]));
            constants.push(format!("{}{odd}{}", &value[..end], &value[end..]));
        }
        for edge in ["0", "f", "g", "/"] {
            constants.extend([edge.repeat(31), edge.repeat(32), edge.repeat(33)]);
        }
        let mut values: Vec<Datum> = values.into_iter().map(Datum::Text).collect();
        values.extend(["0", "f"].map(|digit| Datum::Text(digit.repeat(32))));
        let constants: Vec<Datum> = constants.into_iter().map(Datum::Text).collect();
        check_laws(&Hex::digest(), &values, &constants);
    });
}

#[test]
fn a_constant_of_another_length_has_its_place() {
    let digits = Digits::new(i16::MAX.into());
    let numbers = [0, 1, 9, 10, 99, 100, 1234, 9999, 10_000, 32_767];
    let values: Vec<Datum> = numbers
        .iter()
        .map(|n| Datum::Text(digits.write(*n).unwrap()))
        .collect();
    let constants: Vec<Datum> = texts(&['/', '0', '1', '9', 'a'], 6)
        .into_iter()
        .map(Datum::Text)
        .collect();
    check_laws(&digits, &values, &constants);

    let raw: Vec<Vec<u8>> = texts(&['\0', '\u{1}', 'a'], 4)
        .into_iter()
        .map(String::into_bytes)
        .collect();
    let flipped = raw
        .iter()
        .map(|bytes| bytes.iter().map(|byte| !byte).collect());
    let constants: Vec<Datum> = raw
        .iter()
        .cloned()
        .chain(flipped)
        .map(Datum::Bytes)
        .collect();
    let two = |datum: &&Datum| matches!(datum, Datum::Bytes(bytes) if bytes.len() == 2);
    let values: Vec<Datum> = constants.iter().filter(two).cloned().collect();
    check_laws(&Raw::new(2), &values, &constants);

    let buckets: Vec<Datum> = (0..300).map(Datum::Integer).collect();
    let constants: Vec<Datum> = [i64::MIN, -1, 0, 1, 255, 256, 299, 300, 65_536, i64::MAX]
        .map(Datum::Integer)
        .into();
    check_laws(&BucketNumber::new(300), &buckets, &constants);
}

#[test]
fn random_bytes_are_read_or_refused() {
    with_seed(|rng| {
        let mut encodings: Vec<Box<dyn Encoding>> = types().iter().map(plain).collect();
        encodings.extend([
            Box::new(BucketNumber::new(16)) as Box<dyn Encoding>,
            Box::new(BucketNumber::new(300)),
            Box::new(Raw::new(8)),
            Box::new(Hex::digest()),
            Box::new(Digits::new(i16::MAX.into())),
        ]);
        let likely = [0x00, 0x00, 0x01, 0xff, 0x30, 0x61, 0x80, 0x7f];
        for _ in 0..2_000 {
            let byte = |rng: &mut fastrand::Rng| {
                if rng.bool() {
                    rng.u8(..)
                } else {
                    likely[rng.usize(..8)]
                }
            };
            let bytes: Vec<u8> = (0..rng.usize(..24)).map(|_| byte(rng)).collect();
            for encoding in &encodings {
                if let Ok((value, length)) = encoding.decode(&bytes) {
                    assert_eq!(field(&**encoding, &value), bytes[..length], "{encoding:?}");
                    assert_eq!(encoding.length(&bytes).unwrap(), length);
                }
            }
        }
    });
}

#[test]
fn every_byte_is_found_where_it_stands() {
    with_seed(|rng| {
        for _ in 0..5_000 {
            let near = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff];
            let haystack: Vec<u8> = (0..rng.usize(..40)).map(|_| near[rng.usize(..6)]).collect();
            let needle = near[rng.usize(..6)];
            let expected = haystack.iter().position(|byte| *byte == needle);
            assert_eq!(
                super::bytes::find(&haystack, needle),
                expected,
                "{needle:02x} in {haystack:02x?}"
            );
        }
    });
}

#[test]
fn descending_text_is_read_without_a_copy() {
    with_seed(|rng| {
        for _ in 0..500 {
            let Datum::Bytes(value) = value(rng, &SqlType::Bytea) else {
                unreachable!()
            };
            let mut stored = field(&Escaped::bytes(), &Datum::Bytes(value.clone()));
            stored.iter_mut().for_each(|byte| *byte = !*byte);
            let mut read = vec![7];
            assert_eq!(
                Escaped::read(&stored, 0xff, &mut read).unwrap(),
                stored.len()
            );
            assert_eq!(read[1..], value);
            assert_eq!(Escaped::skip(&stored, 0xff).unwrap(), stored.len());
        }
    });
}
