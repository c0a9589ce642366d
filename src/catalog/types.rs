//! Types as `CREATE TABLE` writes them.

use arrow::datatypes::DataType as ArrowType;
use sqlparser::ast::{CharacterLength, DataType, ExactNumberInfo, TimezoneInfo};

use crate::datum::{Precision, SqlType};
use crate::error::{Error, Result};

/// The type of a column.
///
/// # Errors
/// `NotSupported` for types that Halite does not store, `InvalidInput` for lengths that cannot be.
pub fn sql_type(declared: &DataType) -> Result<SqlType> {
    Ok(match declared {
        DataType::Bool | DataType::Boolean => SqlType::Boolean,
        DataType::SmallInt(None) | DataType::Int2(None) | DataType::Int16 => SqlType::SmallInt,
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) | DataType::Int32 => {
            SqlType::Integer
        }
        DataType::BigInt(None) | DataType::Int8(None) | DataType::Int64 => SqlType::BigInt,
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
        other => {
            return Err(Error::unsupported(format!(
                "type {other} is not implemented"
            )));
        }
    })
}

/// The type of a column for the values of a query's column: the narrowest that holds them all, but for UNSIGNED BIGINT,
/// whose greatest values BIGINT lacks.
///
/// # Errors
/// `NotSupported` for values that no column holds.
pub fn stored_type(values: &ArrowType) -> Result<SqlType> {
    Ok(match values {
        ArrowType::Boolean => SqlType::Boolean,
        ArrowType::Int8 | ArrowType::UInt8 | ArrowType::Int16 => SqlType::SmallInt,
        ArrowType::UInt16 | ArrowType::Int32 => SqlType::Integer,
        ArrowType::UInt32 | ArrowType::Int64 | ArrowType::UInt64 => SqlType::BigInt,
        ArrowType::Float16 | ArrowType::Float32 => SqlType::Real,
        ArrowType::Float64 => SqlType::Double,
        // Nothing but NULL, as in PostgreSQL.
        ArrowType::Utf8 | ArrowType::LargeUtf8 | ArrowType::Utf8View | ArrowType::Null => {
            SqlType::Text
        }
        ArrowType::Binary
        | ArrowType::LargeBinary
        | ArrowType::BinaryView
        | ArrowType::FixedSizeBinary(_) => SqlType::Bytea,
        ArrowType::Date32 => SqlType::Date,
        ArrowType::Date64 => SqlType::Timestamp {
            precision: Precision::Millisecond,
            utc: false,
        },
        ArrowType::Timestamp(unit, zone) => SqlType::Timestamp {
            precision: Precision::from(*unit),
            utc: zone.is_some(),
        },
        ArrowType::Decimal32(precision, scale)
        | ArrowType::Decimal64(precision, scale)
        | ArrowType::Decimal128(precision, scale)
            if *scale >= 0 && i16::from(*scale) <= i16::from(*precision) =>
        {
            SqlType::Decimal {
                precision: *precision,
                scale: *scale,
            }
        }
        ArrowType::Dictionary(_, values) => stored_type(values)?,
        other => {
            return Err(Error::unsupported(format!(
                "no column holds values of type {other}; cast them in the query"
            )));
        }
    })
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
