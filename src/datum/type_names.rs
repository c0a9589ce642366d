//! Types by SQL's names.

use arrow::datatypes::DataType;

use super::{Precision, identifier};

/// The name of a type in upper case, but for the names of members, which stay as they are.
pub fn upper_type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) => {
            format!("{}[]", upper_type_name(item.data_type()))
        }
        DataType::Struct(fields) => {
            let members = fields.iter().map(|field| {
                let name = identifier(field.name());
                format!("{name} {}", upper_type_name(field.data_type()))
            });
            format!("STRUCT<{}>", members.collect::<Vec<_>>().join(", "))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                let sides = fields
                    .iter()
                    .map(|field| upper_type_name(field.data_type()));
                format!("MAP({})", sides.collect::<Vec<_>>().join(", "))
            }
            _ => "MAP".to_owned(),
        },
        DataType::Dictionary(_, value) => upper_type_name(value),
        other => type_name(other).to_uppercase(),
    }
}

/// The name of a type, in lower case.
pub fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Int8 => "tinyint".to_owned(),
        DataType::Int16 => "smallint".to_owned(),
        DataType::Int32 => "int".to_owned(),
        DataType::Int64 => "bigint".to_owned(),
        DataType::UInt8 => "tinyint unsigned".to_owned(),
        DataType::UInt16 => "smallint unsigned".to_owned(),
        DataType::UInt32 => "int unsigned".to_owned(),
        DataType::UInt64 => "bigint unsigned".to_owned(),
        DataType::Float32 => "real".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".to_owned(),
        DataType::Date32 => "date".to_owned(),
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
            format!("decimal({precision},{scale})")
        }
        DataType::Timestamp(unit, zone) => {
            let name = if zone.is_some() {
                "timestamptz"
            } else {
                "timestamp"
            };
            format!("{name}({})", Precision::from(*unit).digits())
        }
        DataType::Time32(_) | DataType::Time64(_) => "time".to_owned(),
        DataType::Interval(_) => "interval".to_owned(),
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) => {
            format!("{}[]", type_name(item.data_type()))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                let sides = fields.iter().map(|field| type_name(field.data_type()));
                format!("map({})", sides.collect::<Vec<_>>().join(", "))
            }
            _ => "map".to_owned(),
        },
        DataType::Dictionary(_, value) => type_name(value),
        DataType::Struct(fields) => {
            let members = fields
                .iter()
                .map(|field| format!("{} {}", field.name(), type_name(field.data_type())));
            format!("struct<{}>", members.collect::<Vec<_>>().join(", "))
        }
        other if is_bytes(other) => "bytea".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

/// Whether values of the type are bytes, also by way of a dictionary.
pub fn is_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, value) => is_bytes(value),
        _ => false,
    }
}
