//! Columns of a file as columns of a table, where no value changes.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, new_null_array};
use arrow::compute::kernels::cmp::distinct;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::RowError;
use crate::schema::Column;

/// Values that do not fit become NULL, where they are then found.
const SAFE: CastOptions<'static> = CastOptions {
    safe: true,
    format_options: FormatOptions::new(),
};

/// Whether some values of `from` may be taken as values of the column's type.
///
/// # Errors
/// `InvalidInput` that names the column and both types.
pub(super) fn check_type(column: &Column, from: &DataType) -> Result<()> {
    let Some(reason) = obstacle(from, &column.sql_type) else {
        return Ok(());
    };
    Err(Error::invalid(format!(
        "column `{}` is {}, in the file it is {from}: {reason}; INSERT INTO … SELECT CAST(…) FROM the file converts it",
        column.name, column.sql_type
    )))
}

/// Why no value of `from` may be taken as one of the column's type; `None` where some may.
pub(in crate::write) fn obstacle(from: &DataType, to: &SqlType) -> Option<&'static str> {
    match possible(from, to) {
        Possible::Yes => None,
        Possible::LosesZone => Some("the time zone would be lost"),
        Possible::No => Some("that is not the same kind of value"),
    }
}

enum Possible {
    Yes,
    LosesZone,
    No,
}

fn possible(from: &DataType, to: &SqlType) -> Possible {
    let possible = match (from, to) {
        (DataType::Dictionary(_, values), to) => return possible_value(values, to),
        (DataType::Timestamp(_, Some(_)), SqlType::Timestamp { utc: false, .. }) => {
            return Possible::LosesZone;
        }
        (DataType::Null, _) => true,
        (DataType::Boolean, SqlType::Boolean) => true,
        (from, SqlType::SmallInt | SqlType::Integer | SqlType::BigInt) => {
            from.is_integer() || from.is_floating() || is_decimal(from)
        }
        (from, SqlType::Real | SqlType::Double) => from.is_integer() || from.is_floating(),
        (from, SqlType::Decimal { .. }) => from.is_integer() || is_decimal(from),
        (
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View,
            SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_),
        ) => true,
        (
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_),
            SqlType::Bytea,
        ) => true,
        (DataType::Date32 | DataType::Date64, SqlType::Date | SqlType::Timestamp { .. }) => true,
        (DataType::Timestamp(_, _), SqlType::Timestamp { .. }) => true,
        _ => false,
    };
    if possible {
        Possible::Yes
    } else {
        Possible::No
    }
}

fn possible_value(values: &DataType, to: &SqlType) -> Possible {
    match values {
        DataType::Dictionary(_, _) => Possible::No,
        values => possible(values, to),
    }
}

fn is_decimal(from: &DataType) -> bool {
    matches!(
        from,
        DataType::Decimal32(_, _)
            | DataType::Decimal64(_, _)
            | DataType::Decimal128(_, _)
            | DataType::Decimal256(_, _)
    )
}

/// The array as values of the column's type, for which [`check_type`] is asked before.
///
/// # Errors
/// `InvalidInput` with the first row whose value is another one in the column's type.
pub(in crate::write) fn converted(column: &Column, array: &ArrayRef) -> Result<ArrayRef, RowError> {
    let to = column.sql_type.arrow();
    if array.data_type() == &to {
        return Ok(Arc::clone(array));
    }
    if array.data_type() == &DataType::Null {
        return Ok(new_null_array(&to, array.len()));
    }
    let plain = match array.data_type() {
        DataType::Dictionary(_, values) => cast(array, values)?,
        _ => Arc::clone(array),
    };
    let values = cast(&plain, &to)?;
    let back = cast(&values, plain.data_type())?;
    let changed = distinct(&back, &plain).map_err(|error| {
        RowError::from(
            Error::internal(format!("column `{}` cannot be compared", column.name))
                .with_source(error),
        )
    })?;
    match changed.iter().position(|changed| changed == Some(true)) {
        None => Ok(values),
        Some(row) => Err(RowError {
            row: Some(row),
            error: Error::invalid(format!(
                "column `{}` of type {} cannot hold {} exactly",
                column.name,
                column.sql_type,
                shown(&plain, row)
            )),
        }),
    }
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    cast_with_options(array, to, &SAFE).map_err(|error| {
        Error::invalid(format!(
            "{} cannot be converted to {to}: {error}",
            array.data_type()
        ))
        .with_source(error)
    })
}

fn shown(array: &ArrayRef, row: usize) -> String {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array, &options);
    formatter.map_or_else(
        |error| error.to_string(),
        |formatter| formatter.value(row).to_string(),
    )
}
