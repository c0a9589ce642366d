//! The types that values of several types become in one place.

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::logical_expr::type_coercion::binary::type_union_coercion;

/// The type that a value of a type is to have beside values of these types; `None` where DataFusion makes the right one.
pub fn wanted(found: &DataType, beside: &[DataType]) -> Option<DataType> {
    match found {
        decimal if decimal.is_decimal() => {
            let meets = beside
                .iter()
                .any(|other| matches!(other, DataType::Float32 | DataType::Float64));
            meets.then_some(DataType::Float64)
        }
        DataType::Date32 => {
            let units = beside.iter().filter_map(|other| match other {
                DataType::Timestamp(unit, _) => Some(*unit),
                _ => None,
            });
            // The greatest is the finest.
            let finest = units.max()?;
            let unit = finest.min(TimeUnit::Microsecond);
            Some(DataType::Timestamp(unit, None))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => beside
            .contains(&DataType::Date32)
            .then(|| DataType::Timestamp(TimeUnit::Microsecond, zone.clone())),
        _ => None,
    }
}

/// The type that values of two types become in one column.
pub fn met(left: &DataType, right: &DataType) -> Option<DataType> {
    let both = [left.clone(), right.clone()];
    let [left, right] = [left, right].map(|side| wanted(side, &both).unwrap_or(side.clone()));
    type_union_coercion(&left, &right)
}
