//! What the tests of keys share: seeds that replay, types, and values chosen to hurt.

use fastrand::Rng;

use crate::datum::{Datum, Precision, SqlType};
use crate::key::domain::{Cut, Domain, Interval};
use crate::key::transform::{
    Argument, BUCKET_COLUMN, BoundArgument, Declaration, Expression, Parameter, TRANSFORMS,
};
use crate::key::{KeyColumn, NullOrder, PartDefinition, RowKey, SortOrder};
use crate::seed::seed;

/// Runs `test` with a seed that is printed when it fails; `HALITE_SEED` replays one.
pub fn with_seed(test: impl Fn(&mut Rng)) {
    test(&mut Rng::with_seed(seed()));
}

/// Every type that a column of a key can have.
pub fn types() -> Vec<SqlType> {
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
            precision: 18,
            scale: 0,
        },
        SqlType::Decimal {
            precision: 38,
            scale: 9,
        },
        SqlType::Text,
        SqlType::Varchar(6),
        SqlType::Char(4),
        SqlType::Bytea,
        SqlType::Uuid,
        SqlType::Date,
    ];
    types.extend(timestamps());
    types
}

/// TIMESTAMP of every unit, with and without time zone.
pub fn timestamps() -> Vec<SqlType> {
    let units = [
        Precision::Second,
        Precision::Millisecond,
        Precision::Microsecond,
        Precision::Nanosecond,
    ];
    let of = |precision| [false, true].map(|utc| SqlType::Timestamp { precision, utc });
    units.into_iter().flat_map(of).collect()
}

/// A value of `sql_type` as a column can hold it: an extreme, a neighbour of one, or anything.
pub fn value(rng: &mut Rng, sql_type: &SqlType) -> Datum {
    match sql_type {
        SqlType::Boolean => Datum::Boolean(rng.bool()),
        SqlType::Real => Datum::double(f64::from(double(rng) as f32)),
        SqlType::Uuid => Datum::Text(uuid(rng)),
        SqlType::Double => Datum::double(double(rng)),
        SqlType::Text => Datum::Text(text(rng, 6)),
        SqlType::Varchar(length) => {
            let characters = text(rng, 8);
            Datum::Text(characters.chars().take(*length as usize).collect())
        }
        SqlType::Char(length) => Datum::Text(char_of(rng, *length as usize)),
        SqlType::Bytea => Datum::Bytes(bytes(rng)),
        discrete => integer_of(rng, discrete),
    }
}

/// A value, or NULL now and then where `nullable`.
pub fn value_or_null(rng: &mut Rng, sql_type: &SqlType, nullable: bool) -> Option<Datum> {
    (!nullable || rng.u8(..5) > 0).then(|| value(rng, sql_type))
}

/// A constant that may be compared with a column of `sql_type`, whether the column can hold it or not.
pub fn constant(rng: &mut Rng, sql_type: &SqlType) -> Datum {
    match sql_type {
        SqlType::Uuid => Datum::Text(near_uuid(rng)),
        SqlType::Real => Datum::double(double(rng)),
        sql_type if sql_type.is_text() => Datum::Text(text(rng, 6)),
        sql_type => value(rng, sql_type),
    }
}

/// A UUID in its canonical form, of few digits so that many share a beginning.
fn uuid(rng: &mut Rng) -> String {
    let mut text: String = (0..32)
        .map(|_| {
            if rng.bool() {
                '0'
            } else {
                char::from(b"0189abef"[rng.usize(..8)])
            }
        })
        .collect();
    for hyphen in [8, 13, 18, 23] {
        text.insert(hyphen, '-');
    }
    text
}

/// A UUID, the beginning of one, or one with something else in it or behind it.
fn near_uuid(rng: &mut Rng) -> String {
    let whole = uuid(rng);
    let end = rng.usize(..=whole.len());
    let odd = ['\0', ',', '-', '.', '/', ':', 'A', '`', 'g', 'é'][rng.usize(..10)];
    match rng.u8(..4) {
        0 => whole,
        1 => whole[..end].to_owned(),
        2 => format!("{}{odd}", &whole[..end]),
        _ => format!("{}{odd}{}", &whole[..end], &whole[end..]),
    }
}

fn integer_of(rng: &mut Rng, sql_type: &SqlType) -> Datum {
    let (least, greatest) = sql_type.limits().unwrap();
    let (least, greatest) = (least.as_integer().unwrap(), greatest.as_integer().unwrap());
    let near = i128::from(rng.i8(-3..=3));
    let number = match rng.u8(..8) {
        0 => least + near,
        1 => greatest + near,
        2 | 3 => near,
        4 => i128::from(rng.i16(..)),
        // Near a power of two, where bytes carry.
        5 => (1_i128 << rng.u32(..126)) * i128::from(rng.i8(-1..=1)) + near,
        // Some day of the last or next thousand years, whatever is counted.
        6 => {
            let unit = [1, 86_400, 86_400_000, 86_400_000_000, 86_400_000_000_000];
            let unit: i128 = unit[rng.usize(..unit.len())];
            i128::from(rng.i32(-400_000..400_000)) * unit + near
        }
        _ => i128::from(rng.i64(..)),
    };
    sql_type
        .datum_of_integer(number.clamp(least, greatest))
        .unwrap()
}

fn double(rng: &mut Rng) -> f64 {
    let special = [
        0.0,
        -0.0,
        f64::NAN,
        -f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        -5e-324,
        1.0,
        -1.0,
        9_007_199_254_740_993.0,
    ];
    match rng.u8(..3) {
        0 => special[rng.usize(..special.len())],
        1 => f64::from(rng.i16(..)) / 4.0,
        _ => f64::from_bits(rng.u64(..)),
    }
}

/// Text in which prefixes, zero bytes and characters of every length in UTF-8 abound.
fn text(rng: &mut Rng, most: usize) -> String {
    let alphabet = [
        '\0',
        '\u{1}',
        'a',
        'a',
        'b',
        '\u{7f}',
        'é',
        '\u{7ff}',
        '\u{d7ff}',
        '\u{e000}',
        '\u{ffff}',
        '\u{10000}',
        '\u{10ffff}',
    ];
    (0..rng.usize(..=most))
        .map(|_| alphabet[rng.usize(..alphabet.len())])
        .collect()
}

fn char_of(rng: &mut Rng, length: usize) -> String {
    let mut fitting = String::new();
    for character in text(rng, length)
        .chars()
        .filter(|character| *character != '\0')
    {
        if fitting.len() + character.len_utf8() <= length {
            fitting.push(character);
        }
    }
    fitting
}

fn bytes(rng: &mut Rng) -> Vec<u8> {
    let alphabet = [0x00, 0x00, 0x01, 0x02, 0x61, 0xfe, 0xff];
    let any = rng.bool();
    let byte = |rng: &mut Rng| {
        if any {
            rng.u8(..)
        } else {
            alphabet[rng.usize(..alphabet.len())]
        }
    };
    (0..rng.usize(..=9)).map(|_| byte(rng)).collect()
}

/// The bytes that hexadecimal digits stand for; spaces do not count.
pub fn unhex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| *byte != b' ').collect();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

/// A domain whose cuts lie at and beside these values.
pub fn domain(rng: &mut Rng, sql_type: &SqlType, values: &[Datum]) -> Domain {
    let null = rng.u8(..3) == 0;
    let pick = |rng: &mut Rng| values[rng.usize(..values.len())].clone();
    if rng.bool() {
        let points: Vec<Datum> = (0..rng.usize(..5)).map(|_| pick(rng)).collect();
        let listed = Domain::points(sql_type, points).with_null(null);
        return if rng.u8(..4) == 0 {
            listed.complement()
        } else {
            listed
        };
    }
    let cut = |rng: &mut Rng| match rng.u8(..8) {
        0 => Cut::Start,
        1 => Cut::End,
        2..5 => Cut::Below(pick(rng)),
        _ => Cut::Above(pick(rng)),
    };
    let intervals: Vec<Interval> = (0..rng.usize(1..4))
        .map(|_| Interval {
            start: cut(rng),
            end: cut(rng),
        })
        .collect();
    Domain::from_intervals(sql_type, intervals).with_null(null)
}

/// Arguments that the transform of this name takes, over columns named `c0`, `c1` and so on.
pub fn arguments(rng: &mut Rng, name: &str) -> Vec<BoundArgument> {
    let declaration = declaration(name);
    for _ in 0..1_000 {
        let mut arguments = Vec::new();
        for parameter in declaration.parameters() {
            match parameter {
                Parameter::Column => arguments.push(a_column(rng)),
                Parameter::Columns => arguments.extend(hashed_columns(rng)),
                constant => arguments.push(bound(a_constant(rng, *constant))),
            }
        }
        if declaration.takes_whole_key() {
            arguments.extend(hashed_columns(rng));
        }
        if declaration.is_dealt() {
            let name = BUCKET_COLUMN.to_owned();
            arguments.push(BoundArgument::Column(name, SqlType::Integer));
        }
        if declaration.bind(&arguments).is_ok() {
            return arguments;
        }
    }
    panic!("`{name}` takes no arguments of its parameters")
}

/// A transform, by the name of its declaration.
pub fn declaration(name: &str) -> &'static dyn Declaration {
    Expression::new(name, Vec::new()).declaration().unwrap()
}

/// The layout of a key whose first part is of this transform; `None` where it takes a column that cannot be a part.
pub fn key_of(rng: &mut Rng, name: &str) -> Option<RowKey> {
    let declared = declaration(name).parameters().len();
    let mut columns = Vec::new();
    let mut arguments = arguments(rng, name);
    if declaration(name).is_dealt() {
        arguments.truncate(declared);
        arguments.push(BoundArgument::Column("c0".to_owned(), SqlType::BigInt));
    }
    let arguments: Vec<Argument> = arguments
        .into_iter()
        .map(|argument| argument_over(rng, &mut columns, argument))
        .collect();
    let of = |expression| PartDefinition {
        expression,
        direction: SortOrder::Ascending,
        nulls: NullOrder::Last,
    };
    let mut definitions = vec![of(Expression::new(name, arguments.clone()))];
    if declaration(name).takes_whole_key() {
        let (own, others) = arguments.split_at(declared);
        let first = columns.iter().find(|column| column.sql_type.can_be_key())?;
        definitions = vec![
            of(Expression::new(name, own.to_vec())),
            of(Expression::column(&first.name)),
            of(Expression::new("hash", others.to_vec())),
        ];
    }
    if declaration(name).is_dealt() {
        let (own, _) = arguments.split_at(declared);
        definitions = vec![
            of(Expression::new(name, own.to_vec())),
            of(Expression::column("c0")),
        ];
        columns.push(bucket_column());
    }
    RowKey::new(columns, definitions).ok()
}

/// The hidden column of rows that are dealt out.
pub fn bucket_column() -> KeyColumn {
    KeyColumn {
        name: BUCKET_COLUMN.to_owned(),
        sql_type: SqlType::Integer,
        nullable: false,
    }
}

/// Constants for an argument.
pub fn constants(parameter: Parameter) -> Vec<Argument> {
    const NUMBERS: [i64; 14] = [
        1,
        2,
        3,
        4,
        10,
        16,
        100,
        256,
        257,
        1_000,
        32_768,
        65_536,
        1 << 40,
        i64::MAX,
    ];
    match parameter {
        Parameter::Column | Parameter::Columns => Vec::new(),
        Parameter::Integer(least, greatest) => {
            let within = NUMBERS
                .into_iter()
                .filter(|it| (least..=greatest).contains(it));
            let ends = [least, greatest].into_iter();
            within.chain(ends).map(Argument::Integer).collect()
        }
        Parameter::Unit(names) => {
            let names = names.iter().map(|name| (*name).to_owned());
            names.map(Argument::Text).collect()
        }
        Parameter::Interval => STRIDES.into_iter().map(Argument::Interval).collect(),
        Parameter::Constant => {
            let texts = ["O", "", "it's\0"].map(|text| Argument::Text(text.to_owned()));
            let numbers = [7, 0, -1, i64::MAX].map(Argument::Integer);
            texts.into_iter().chain(numbers).collect()
        }
    }
}

/// One of these constants; of numbers, small ones abound.
fn a_constant(rng: &mut Rng, parameter: Parameter) -> Argument {
    let constants = constants(parameter);
    let few = match parameter {
        Parameter::Integer(..) if rng.bool() => constants.len().min(4),
        _ => constants.len(),
    };
    constants[rng.usize(..few)].clone()
}

/// A constant as an argument of a bound transform.
pub fn bound(constant: Argument) -> BoundArgument {
    match constant {
        Argument::Integer(value) => BoundArgument::Integer(value),
        Argument::Text(value) => BoundArgument::Text(value),
        Argument::Interval(value) => BoundArgument::Interval(value),
        Argument::Column(name) => panic!("the type of `{name}` is not known"),
    }
}

/// Nanoseconds of bins.
const STRIDES: [i128; 8] = [
    1,
    7,
    1_000,
    1_500_000_000,
    900_000_000_000,
    86_400_000_000_000,
    1 << 61,
    i64::MAX as i128,
];

/// A column named `c0`.
fn a_column(rng: &mut Rng) -> BoundArgument {
    let types = types();
    BoundArgument::Column("c0".to_owned(), types[rng.usize(..types.len())].clone())
}

/// Up to three columns of all types.
fn hashed_columns(rng: &mut Rng) -> Vec<BoundArgument> {
    let types = types();
    let count = rng.usize(1..4);
    let column =
        |index| BoundArgument::Column(format!("c{index}"), types[rng.usize(..types.len())].clone());
    (0..count).map(column).collect()
}

/// The types of the columns among some arguments.
pub fn column_types(arguments: &[BoundArgument]) -> Vec<SqlType> {
    let columns = arguments.iter().filter_map(|argument| match argument {
        BoundArgument::Column(_, sql_type) => Some(sql_type.clone()),
        _ => None,
    });
    columns.collect()
}

/// Compares `actual` with a file under `src/key`.
#[cfg(test)]
pub fn assert_golden(name: &str, actual: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    crate::golden::assert_golden(&path, actual);
}

/// A layout of up to five parts, of any transform, direction and order of NULLs, over columns of all types.
pub fn layout(rng: &mut Rng) -> RowKey {
    let mut columns = Vec::new();
    let mut definitions = Vec::new();
    let mut salted = false;
    for _ in 0..rng.usize(1..=5) {
        let name = TRANSFORMS[rng.usize(..TRANSFORMS.len())].name();
        // Plain columns abound, as in life; a salt needs one to be computed from.
        let takes_whole_key = declaration(name).takes_whole_key() || declaration(name).is_dealt();
        let name = if rng.bool() || (takes_whole_key && columns.is_empty()) {
            "column"
        } else {
            name
        };
        let bound = arguments(rng, name);
        let transform = declaration(name).bind(&bound).unwrap();
        if transform.buckets().is_some() && std::mem::replace(&mut salted, true) {
            continue;
        }
        let taken = if declaration(name).takes_whole_key() || declaration(name).is_dealt() {
            declaration(name).parameters().len()
        } else {
            bound.len()
        };
        let arguments = bound
            .into_iter()
            .take(taken)
            .map(|argument| argument_over(rng, &mut columns, argument))
            .collect();
        let direction = if rng.bool() {
            SortOrder::Ascending
        } else {
            SortOrder::Descending
        };
        definitions.push(PartDefinition {
            expression: Expression::new(name, arguments),
            direction,
            nulls: if rng.bool() {
                NullOrder::First
            } else {
                NullOrder::Last
            },
        });
    }
    if definitions.is_empty() {
        return layout(rng);
    }
    if definitions.iter().any(|part| part.expression.is_dealt()) {
        columns.push(bucket_column());
    }
    RowKey::new(columns, definitions).unwrap()
}

/// An argument as it is declared, over a column of the table that fits, or a new one.
fn argument_over(rng: &mut Rng, columns: &mut Vec<KeyColumn>, argument: BoundArgument) -> Argument {
    match argument {
        BoundArgument::Column(_, sql_type) => {
            let known = columns.iter().find(|column| column.sql_type == sql_type);
            if let Some(column) = known.filter(|_| rng.bool()) {
                return Argument::Column(column.name.clone());
            }
            let name = format!("c{}", columns.len());
            columns.push(KeyColumn {
                name: name.clone(),
                sql_type,
                nullable: rng.u8(..3) == 0,
            });
            Argument::Column(name)
        }
        BoundArgument::Integer(value) => Argument::Integer(value),
        BoundArgument::Text(value) => Argument::Text(value),
        BoundArgument::Interval(value) => Argument::Interval(value),
    }
}

/// A row of the table's columns.
pub fn row(rng: &mut Rng, key: &RowKey) -> Vec<Option<Datum>> {
    let row: Vec<Option<Datum>> = key
        .columns()
        .iter()
        .map(|column| match key.dealt_buckets() {
            Some(buckets) if column.name == BUCKET_COLUMN => {
                Some(Datum::Integer(rng.u32(..buckets).into()))
            }
            _ => value_or_null(rng, &column.sql_type, column.nullable),
        })
        .collect();
    key.learn_row(&row);
    row
}

/// So many rows whose key can be stored; fewer where that is rare.
pub fn storable_rows(rng: &mut Rng, key: &RowKey, count: usize) -> Vec<Vec<Option<Datum>>> {
    let rows = (0..4 * count)
        .map(|_| row(rng, key))
        .filter(|row| key.encode(row).is_ok());
    rows.take(count).collect()
}
