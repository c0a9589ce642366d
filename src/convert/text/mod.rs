//! Text → values of one SQL type, strictly: as fields of CSV files are read, texts of INSERT that a cast does not read, and
//! members of JSON.

mod json_values;
mod nested;
mod reader;
mod spelling;
mod time;

use std::sync::Arc;

use arrow::array::builder::{BinaryBuilder, BooleanBuilder, PrimitiveBuilder, StringBuilder};
use arrow::array::{ArrayRef, StringArray};
use arrow::compute::kernels::cast_utils::{Parser, parse_interval_month_day_nano};
use arrow::datatypes::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, IntervalMonthDayNanoType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use self::nested::Nested;
use super::shown::shortened;
use crate::datum::{Precision, SqlType, bytes_of_hex, canonical_uuid, json_fault};

pub use self::json_values::{JsonReader, NO_NUMBERS, json_reader};
pub use self::reader::FieldReader;
pub use self::spelling::{Spelling, spelt_reader};

/// The values of the type that texts spell in a CSV file: of the texts in the rows that are `wanted`, else NULL.
///
/// # Errors
/// The first wanted row whose text spells none.
pub fn values_of_texts(
    sql_type: &SqlType,
    texts: &StringArray,
    wanted: impl Fn(usize) -> bool,
) -> Result<ArrayRef, usize> {
    let mut reader = field_reader(sql_type);
    for (row, text) in texts.iter().enumerate() {
        match text.filter(|_| wanted(row)) {
            Some(text) => reader.push(text).map_err(|_| row)?,
            None => reader.push_null(),
        }
    }
    Ok(reader.finish())
}

/// The reader of a type's fields.
pub fn field_reader(sql_type: &SqlType) -> Box<dyn FieldReader> {
    let shown = sql_type.to_string();
    match sql_type {
        SqlType::Boolean => Box::new(Booleans(BooleanBuilder::new())),
        SqlType::TinyInt => numbers::<Int8Type>(sql_type, move |text| integer(text, &shown)),
        SqlType::UnsignedTinyInt => {
            numbers::<UInt8Type>(sql_type, move |text| integer(text, &shown))
        }
        SqlType::UnsignedSmallInt => {
            numbers::<UInt16Type>(sql_type, move |text| integer(text, &shown))
        }
        SqlType::UnsignedInteger => {
            numbers::<UInt32Type>(sql_type, move |text| integer(text, &shown))
        }
        SqlType::UnsignedBigInt => {
            numbers::<UInt64Type>(sql_type, move |text| integer(text, &shown))
        }
        SqlType::SmallInt => numbers::<Int16Type>(sql_type, move |text| integer(text, &shown)),
        SqlType::Integer => numbers::<Int32Type>(sql_type, move |text| integer(text, &shown)),
        SqlType::BigInt => numbers::<Int64Type>(sql_type, move |text| integer(text, &shown)),
        SqlType::Real => {
            numbers::<Float32Type>(sql_type, |text| float(text, f32::is_infinite, "REAL"))
        }
        SqlType::Double => {
            numbers::<Float64Type>(sql_type, |text| float(text, f64::is_infinite, "DOUBLE"))
        }
        SqlType::Decimal { precision, scale } => {
            let (precision, scale) = (*precision, *scale);
            numbers::<Decimal128Type>(sql_type, move |text| decimal(text, precision, scale))
        }
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) => {
            Box::new(Texts::of(|text| Ok(text.to_owned())))
        }
        SqlType::Uuid => Box::new(Texts::of(|text| {
            canonical_uuid(text).ok_or_else(|| "is not a UUID".to_owned())
        })),
        SqlType::Json => Box::new(Texts::of(|text| match json_fault(text) {
            None => Ok(text.to_owned()),
            Some(fault) => Err(format!("is no JSON: {fault}")),
        })),
        SqlType::Time => numbers::<Time64NanosecondType>(sql_type, |text| {
            let time = Time64NanosecondType::parse(text);
            time.ok_or_else(|| "is not a TIME such as 05:06:07.89".to_owned())
        }),
        SqlType::Interval => numbers::<IntervalMonthDayNanoType>(sql_type, |text| {
            let interval = parse_interval_month_day_nano(text);
            interval.map_err(|_| "is not an INTERVAL such as 1 month 2 days 3.5 seconds".to_owned())
        }),
        SqlType::List(_) | SqlType::Struct(_) | SqlType::Map(_) => {
            Box::new(Nested::of(sql_type, field_reader))
        }
        SqlType::Bytea => Box::new(Bytes(BinaryBuilder::new())),
        SqlType::Date => numbers::<Date32Type>(sql_type, time::date),
        SqlType::Timestamp { precision, utc } => {
            let (precision, utc) = (*precision, *utc);
            let stamp = move |text: &str| time::timestamp(text, precision, utc);
            match precision {
                Precision::Second => numbers::<TimestampSecondType>(sql_type, stamp),
                Precision::Millisecond => numbers::<TimestampMillisecondType>(sql_type, stamp),
                Precision::Microsecond => numbers::<TimestampMicrosecondType>(sql_type, stamp),
                Precision::Nanosecond => numbers::<TimestampNanosecondType>(sql_type, stamp),
            }
        }
    }
}

fn numbers<T: ArrowPrimitiveType>(
    sql_type: &SqlType,
    parse: impl Fn(&str) -> Result<T::Native, String> + Send + 'static,
) -> Box<dyn FieldReader> {
    Box::new(Numbers::<T, _> {
        builder: PrimitiveBuilder::new().with_data_type(sql_type.arrow()),
        parse,
    })
}

struct Numbers<T: ArrowPrimitiveType, F> {
    builder: PrimitiveBuilder<T>,
    parse: F,
}

impl<T: ArrowPrimitiveType, F: Fn(&str) -> Result<T::Native, String> + Send> FieldReader
    for Numbers<T, F>
{
    fn push(&mut self, text: &str) -> Result<(), String> {
        self.builder.append_value((self.parse)(text)?);
        Ok(())
    }

    fn push_null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

struct Booleans(BooleanBuilder);

impl FieldReader for Booleans {
    fn push(&mut self, text: &str) -> Result<(), String> {
        let value = match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => true,
            "false" | "f" | "0" => false,
            _ => return Err("is not a BOOLEAN: true, t, 1, false, f or 0".to_owned()),
        };
        self.0.append_value(value);
        Ok(())
    }

    fn push_null(&mut self) {
        self.0.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

struct Texts {
    builder: StringBuilder,
    /// From a text to the one that is stored.
    form: fn(&str) -> Result<String, String>,
}

impl Texts {
    fn of(form: fn(&str) -> Result<String, String>) -> Self {
        Self {
            builder: StringBuilder::new(),
            form,
        }
    }
}

impl FieldReader for Texts {
    fn push(&mut self, text: &str) -> Result<(), String> {
        self.builder.append_value((self.form)(text)?);
        Ok(())
    }

    fn push_null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

struct Bytes(BinaryBuilder);

impl FieldReader for Bytes {
    fn push(&mut self, text: &str) -> Result<(), String> {
        let bytes = bytes_of_hex(text).ok_or_else(|| {
            "is not a BYTEA: \\x and an even number of hexadecimal digits".to_owned()
        })?;
        self.0.append_value(bytes);
        Ok(())
    }

    fn push_null(&mut self) {
        self.0.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// An optional sign and digits, nothing else.
fn integer<N: std::str::FromStr>(text: &str, sql_type: &str) -> Result<N, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(format!("is not of type {sql_type}"));
    }
    text.parse()
        .map_err(|_| format!("is out of the range of {sql_type}"))
}

/// What the nearest value of the type is; `inf` and `nan` are spelt so, a number beyond the greatest is not `inf`.
fn float<N: std::str::FromStr + Copy>(
    text: &str,
    is_infinite: fn(N) -> bool,
    sql_type: &str,
) -> Result<N, String> {
    let value: N = text.parse().map_err(|_| format!("is not a {sql_type}"))?;
    let spelt = text
        .bytes()
        .any(|letter| letter.eq_ignore_ascii_case(&b'i'));
    if is_infinite(value) && !spelt {
        Err(format!("is out of the range of {sql_type}"))
    } else {
        Ok(value)
    }
}

/// An optional sign, digits, and digits behind a point: exactly, or not at all.
fn decimal(text: &str, precision: u8, scale: i8) -> Result<i128, String> {
    let sql_type = SqlType::Decimal { precision, scale };
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut digits = whole.bytes().chain(fraction.bytes());
    if whole.len() + fraction.len() == 0 || !digits.all(|digit| digit.is_ascii_digit()) {
        return Err(format!("is not a {sql_type}"));
    }
    let places = usize::try_from(scale).unwrap_or(0);
    let (kept, rest) = fraction.split_at(fraction.len().min(places));
    if rest.bytes().any(|digit| digit != b'0') {
        return Err(format!(
            "has more than {places} digits behind the point, {sql_type}"
        ));
    }
    let unscaled = format!("{whole}{kept:0<places$}");
    let significant = unscaled.trim_start_matches('0');
    if significant.len() > usize::from(precision) {
        return Err(format!("is out of the range of {sql_type}"));
    }
    let magnitude: i128 = match significant {
        "" => 0,
        digits => digits
            .parse()
            .map_err(|_| format!("is out of the range of {sql_type}"))?,
    };
    Ok(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

/// What is wrong with a field, behind its text.
pub fn complaint(text: &str, problem: &str) -> String {
    format!("'{}' {problem}", shortened(text).escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::{Readable, datum_at};
    use crate::row::testing::types;
    use crate::seed::seed;

    const DECIMAL: SqlType = SqlType::Decimal {
        precision: 4,
        scale: 2,
    };
    const WHOLE: SqlType = SqlType::Decimal {
        precision: 38,
        scale: 0,
    };
    const MOST: &str = "99999999999999999999999999999999999999";

    /// How each text reads: the value as SQL prints it, or what is wrong.
    const FIELDS: &[(SqlType, &str, Result<&str, &str>)] = &[
        (SqlType::Boolean, "true", Ok("true")),
        (SqlType::Boolean, "F", Ok("false")),
        (SqlType::Boolean, "1", Ok("true")),
        (
            SqlType::Boolean,
            "yes",
            Err("is not a BOOLEAN: true, t, 1, false, f or 0"),
        ),
        (SqlType::SmallInt, "-32768", Ok("-32768")),
        (
            SqlType::SmallInt,
            "32768",
            Err("is out of the range of SMALLINT"),
        ),
        (SqlType::Integer, "+7", Ok("7")),
        (SqlType::Integer, "007", Ok("7")),
        (SqlType::Integer, "7.0", Err("is not of type INT")),
        (SqlType::Integer, " 7", Err("is not of type INT")),
        (SqlType::Integer, "", Err("is not of type INT")),
        (SqlType::Integer, "-", Err("is not of type INT")),
        (SqlType::Integer, "1_000", Err("is not of type INT")),
        (
            SqlType::BigInt,
            "9223372036854775807",
            Ok("9223372036854775807"),
        ),
        (
            SqlType::BigInt,
            "9223372036854775808",
            Err("is out of the range of BIGINT"),
        ),
        (SqlType::Double, "1.5e3", Ok("1500.0")),
        (SqlType::Double, "-inf", Ok("-inf")),
        (SqlType::Double, "NaN", Ok("NaN")),
        (
            SqlType::Double,
            "1e999",
            Err("is out of the range of DOUBLE"),
        ),
        (SqlType::Double, "1,5", Err("is not a DOUBLE")),
        (SqlType::Real, "0.1", Ok("0.10000000149011612")),
        (SqlType::Real, "1e39", Err("is out of the range of REAL")),
        (DECIMAL, "12.3", Ok("12.30")),
        (DECIMAL, "-.5", Ok("-0.50")),
        (DECIMAL, "007.", Ok("7.00")),
        (DECIMAL, "1.230", Ok("1.23")),
        (
            DECIMAL,
            "1.235",
            Err("has more than 2 digits behind the point, DECIMAL(4, 2)"),
        ),
        (DECIMAL, "100", Err("is out of the range of DECIMAL(4, 2)")),
        (DECIMAL, "1e1", Err("is not a DECIMAL(4, 2)")),
        (DECIMAL, ".", Err("is not a DECIMAL(4, 2)")),
        (DECIMAL, "--1", Err("is not a DECIMAL(4, 2)")),
        (WHOLE, MOST, Ok(MOST)),
        (WHOLE, "-0", Ok("0")),
        (SqlType::Text, " \"x ", Ok(" \"x ")),
        (SqlType::Text, "", Ok("")),
        (SqlType::Bytea, "\\x00fF", Ok("\\x00ff")),
        (SqlType::Bytea, "\\x", Ok("\\x")),
        (
            SqlType::Bytea,
            "\\x0",
            Err("is not a BYTEA: \\x and an even number of hexadecimal digits"),
        ),
        (
            SqlType::Bytea,
            "00",
            Err("is not a BYTEA: \\x and an even number of hexadecimal digits"),
        ),
        (SqlType::Date, "2024-02-29", Ok("2024-02-29")),
        (
            SqlType::Date,
            "2023-02-29",
            Err("is not a DATE such as 2024-01-31"),
        ),
        (
            SqlType::Timestamp {
                precision: Precision::Millisecond,
                utc: true,
            },
            "3001-01-01T00:00:00.25Z",
            Ok("3001-01-01T00:00:00.250Z"),
        ),
    ];

    #[test]
    fn fields_of_every_type() {
        for (sql_type, text, expected) in FIELDS {
            let mut reader = field_reader(sql_type);
            reader.push_null();
            let pushed = reader.push(text);
            let array = reader.finish();
            assert_eq!(array.data_type(), &sql_type.arrow());
            match expected {
                Ok(shown) => {
                    let datum = datum_at(&array, 1, sql_type).unwrap().unwrap();
                    assert_eq!(
                        Readable(&datum, sql_type).to_string(),
                        *shown,
                        "{sql_type} {text}"
                    );
                    assert!(pushed.is_ok() && array.is_null(0) && array.len() == 2);
                }
                Err(reason) => assert_eq!(pushed, Err((*reason).to_owned()), "{sql_type} {text}"),
            }
            assert_eq!(reader.finish().len(), 0);
        }
    }

    /// Whatever the text, it reads as a value or is refused; what was read is shown as text that reads the same.
    #[test]
    fn any_text_is_read_or_refused() {
        const PIECES: &[&str] = &[
            "0",
            "1",
            "9",
            "12",
            "2024",
            "-",
            "+",
            ".",
            ":",
            "T",
            "Z",
            " ",
            "e",
            "ü",
            "\\x",
            "inf",
            "nan",
            "t",
            "\0",
            "2024-02-29",
            "23:59:59",
        ];
        let mut rng = fastrand::Rng::with_seed(seed());
        let mut read = 0;
        for sql_type in types() {
            let mut reader = field_reader(&sql_type);
            for _ in 0..2_000 {
                let text: String = (0..rng.usize(0..6))
                    .map(|_| PIECES[rng.usize(0..PIECES.len())])
                    .collect();
                if reader.push(&text).is_err() {
                    continue;
                }
                let datum = datum_at(&reader.finish(), 0, &sql_type).unwrap().unwrap();
                let shown = Readable(&datum, &sql_type).to_string();
                if shown.starts_with("day ") || shown.starts_with("count ") {
                    // Beyond the calendar there is no text that could be read again.
                    continue;
                }
                assert_eq!(
                    reader.push(&shown),
                    Ok(()),
                    "{sql_type} {text:?} is shown as {shown:?}"
                );
                let again = datum_at(&reader.finish(), 0, &sql_type).unwrap().unwrap();
                assert_eq!(again, datum, "{sql_type} {text:?} is shown as {shown:?}");
                read += 1;
            }
        }
        assert!(read > 3_000, "only {read} texts were read");
    }
}
