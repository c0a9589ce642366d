//! The type of a column that holds values of one of Arrow's.

use arrow::datatypes::DataType as ArrowType;

use crate::datum::{Precision, SqlType};
use crate::error::{Error, Result};

/// The type of a column for the values of a query's column.
///
/// # Errors
/// `NotSupported` for values that no column holds.
pub fn stored_type(values: &ArrowType) -> Result<SqlType> {
    Ok(match values {
        ArrowType::Boolean => SqlType::Boolean,
        ArrowType::Int8 => SqlType::TinyInt,
        ArrowType::Int16 => SqlType::SmallInt,
        ArrowType::Int32 => SqlType::Integer,
        ArrowType::Int64 => SqlType::BigInt,
        ArrowType::UInt8 => SqlType::UnsignedTinyInt,
        ArrowType::UInt16 => SqlType::UnsignedSmallInt,
        ArrowType::UInt32 => SqlType::UnsignedInteger,
        ArrowType::UInt64 => SqlType::UnsignedBigInt,
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
        ArrowType::Time32(_) | ArrowType::Time64(_) => SqlType::Time,
        ArrowType::Interval(_) | ArrowType::Duration(_) => SqlType::Interval,
        ArrowType::List(item)
        | ArrowType::LargeList(item)
        | ArrowType::FixedSizeList(item, _)
        | ArrowType::ListView(item) => SqlType::List(Box::new(stored_type(item.data_type())?)),
        ArrowType::Struct(fields) if !fields.is_empty() => {
            let members = fields
                .iter()
                .map(|field| Ok((field.name().clone(), stored_type(field.data_type())?)));
            SqlType::Struct(members.collect::<Result<_>>()?)
        }
        ArrowType::Map(entries, _) => match entries.data_type() {
            ArrowType::Struct(fields) => match fields.as_ref() {
                [key, value] => SqlType::Map(Box::new((
                    stored_type(key.data_type())?,
                    stored_type(value.data_type())?,
                ))),
                _ => return Err(unheld(values)),
            },
            _ => return Err(unheld(values)),
        },
        ArrowType::Dictionary(_, values) => stored_type(values)?,
        other => return Err(unheld(other)),
    })
}

fn unheld(values: &ArrowType) -> Error {
    Error::unsupported(format!(
        "no column holds values of type {values}; cast them in the query"
    ))
}
