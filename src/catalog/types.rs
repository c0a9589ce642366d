//! Types as `CREATE TABLE` writes them.

use sqlparser::ast::{
    ArrayElemTypeDef, CharacterLength, DataType, ExactNumberInfo, StructField, TimezoneInfo,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::names::identifier;
use crate::datum::{Precision, SqlType};
use crate::error::{Error, Result};

/// The type of a column.
///
/// # Errors
/// `NotSupported` for types that Halite does not store, `InvalidInput` for lengths that cannot be.
pub fn sql_type(declared: &DataType) -> Result<SqlType> {
    if let Some(number) = whole_number(declared) {
        return Ok(number);
    }
    Ok(match declared {
        DataType::Bool | DataType::Boolean => SqlType::Boolean,
        DataType::Real
        | DataType::Float4
        | DataType::Float32
        | DataType::Float(ExactNumberInfo::None) => SqlType::Real,
        DataType::DoublePrecision
        | DataType::Float8
        | DataType::Float64
        | DataType::Double(ExactNumberInfo::None) => SqlType::Double,
        DataType::Decimal(size) | DataType::Numeric(size) | DataType::Dec(size) => decimal(size)?,
        DataType::Text
        | DataType::String(None)
        | DataType::Varchar(None)
        | DataType::CharacterVarying(None) => SqlType::Text,
        DataType::Varchar(Some(length))
        | DataType::CharacterVarying(Some(length))
        | DataType::CharVarying(Some(length)) => SqlType::Varchar(character_length(length)?),
        DataType::Char(None) | DataType::Character(None) => SqlType::Char(1),
        DataType::Char(Some(length)) | DataType::Character(Some(length)) => {
            SqlType::Char(character_length(length)?)
        }
        DataType::Bytea
        | DataType::Blob(None)
        | DataType::Binary(None)
        | DataType::Varbinary(None) => SqlType::Bytea,
        DataType::Date => SqlType::Date,
        DataType::Timestamp(digits, zone) => timestamp(*digits, zone)?,
        DataType::Datetime(digits) => timestamp(*digits, &TimezoneInfo::None)?,
        DataType::Time(None | Some(9), TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            SqlType::Time
        }
        DataType::Interval {
            fields: None,
            precision: None,
        } => SqlType::Interval,
        DataType::Uuid => SqlType::Uuid,
        DataType::JSON | DataType::JSONB => SqlType::Json,
        DataType::Array(
            ArrayElemTypeDef::AngleBracket(element)
            | ArrayElemTypeDef::SquareBracket(element, None)
            | ArrayElemTypeDef::Parenthesis(element),
        ) => SqlType::List(Box::new(sql_type(element)?)),
        DataType::Struct(members, _) => SqlType::Struct(struct_members(members)?),
        DataType::Map(key, value) => SqlType::Map(Box::new((sql_type(key)?, sql_type(value)?))),
        DataType::Custom(name, modifiers) => return custom(&name.to_string(), modifiers),
        other => {
            return Err(Error::unsupported(format!(
                "type {other} is not implemented"
            )));
        }
    })
}

/// The type of whole numbers, if it is one.
fn whole_number(declared: &DataType) -> Option<SqlType> {
    Some(match declared {
        DataType::TinyInt(None) => SqlType::TinyInt,
        DataType::TinyIntUnsigned(None) | DataType::UTinyInt | DataType::UInt8 => {
            SqlType::UnsignedTinyInt
        }
        DataType::SmallIntUnsigned(None)
        | DataType::Int2Unsigned(None)
        | DataType::USmallInt
        | DataType::UInt16 => SqlType::UnsignedSmallInt,
        DataType::IntUnsigned(None)
        | DataType::IntegerUnsigned(None)
        | DataType::Int4Unsigned(None)
        | DataType::UInt32 => SqlType::UnsignedInteger,
        DataType::BigIntUnsigned(None)
        | DataType::Int8Unsigned(None)
        | DataType::UBigInt
        | DataType::UInt64 => SqlType::UnsignedBigInt,
        DataType::SmallInt(None) | DataType::Int2(None) | DataType::Int16 => SqlType::SmallInt,
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) | DataType::Int32 => {
            SqlType::Integer
        }
        DataType::BigInt(None) | DataType::Int8(None) | DataType::Int64 => SqlType::BigInt,
        _ => return None,
    })
}

fn struct_members(members: &[StructField]) -> Result<Vec<(String, SqlType)>> {
    let named = members.iter().zip(0..).map(|(member, number)| {
        let name = match &member.field_name {
            Some(name) => identifier(name),
            None => format!("c{number}"),
        };
        Ok((name, sql_type(&member.field_type)?))
    });
    named.collect()
}

/// Names that the parser takes for types of the user's: LIST(INT), and those with which other databases name one of these.
fn custom(name: &str, modifiers: &[String]) -> Result<SqlType> {
    match (name.to_ascii_lowercase().as_str(), modifiers) {
        ("list", [element]) => Ok(SqlType::List(Box::new(type_of_text(element)?))),
        ("uinteger", []) => Ok(SqlType::UnsignedInteger),
        _ => Err(Error::unsupported(format!(
            "type {name} is not implemented"
        ))),
    }
}

/// The type that a text spells.
fn type_of_text(text: &str) -> Result<SqlType> {
    let unreadable = |error: sqlparser::parser::ParserError| {
        Error::invalid(format!("`{text}` is no type: {error}"))
    };
    let dialect = GenericDialect {};
    let mut parser = Parser::new(&dialect)
        .try_with_sql(text)
        .map_err(unreadable)?;
    sql_type(&parser.parse_data_type().map_err(unreadable)?)
}

/// As in DataFusion, a DECIMAL alone has 38 digits, 10 of them behind the point.
fn decimal(size: &ExactNumberInfo) -> Result<SqlType> {
    let (precision, scale) = match size {
        ExactNumberInfo::None => (38, 10),
        ExactNumberInfo::Precision(precision) => (*precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
    };
    match (u8::try_from(precision), i8::try_from(scale)) {
        (Ok(digits @ 1..=38), Ok(behind)) if behind >= 0 && scale <= i64::from(digits) => {
            Ok(SqlType::Decimal {
                precision: digits,
                scale: behind,
            })
        }
        _ => Err(Error::invalid(format!(
            "DECIMAL({precision}, {scale}): the precision is 1 to 38, the scale 0 to the precision"
        ))),
    }
}

fn character_length(length: &CharacterLength) -> Result<u32> {
    match length {
        CharacterLength::IntegerLength { length, unit: None } => u32::try_from(*length)
            .ok()
            .filter(|length| *length > 0)
            .ok_or_else(|| {
                Error::invalid(format!("a length of {length}; it is 1 to {}", u32::MAX))
            }),
        other => Err(Error::unsupported(format!(
            "length {other} is not implemented"
        ))),
    }
}

fn timestamp(digits: Option<u64>, zone: &TimezoneInfo) -> Result<SqlType> {
    let precision = match digits {
        Some(0) => Precision::Second,
        Some(3) => Precision::Millisecond,
        Some(6) => Precision::Microsecond,
        None | Some(9) => Precision::Nanosecond,
        Some(other) => {
            return Err(Error::unsupported(format!(
                "TIMESTAMP({other}): the digits are 0, 3, 6 or 9"
            )));
        }
    };
    let utc = matches!(zone, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz);
    Ok(SqlType::Timestamp { precision, utc })
}
