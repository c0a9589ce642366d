//! Values in the places of placeholders.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::Placeholder;

use crate::predicate::View;

/// The number of `$1`, from 1.
pub fn number(placeholder: &Placeholder) -> Option<usize> {
    let number = placeholder.id.strip_prefix('$')?.parse().ok()?;
    (number > 0).then_some(number)
}

/// The value as one of this type, if it is one by itself: NULL and everything that must be converted is left to
/// planning, which knows how.
pub(super) fn fitted(value: &ScalarValue, data_type: &DataType) -> Option<ScalarValue> {
    if value.is_null() {
        return None;
    }
    if value.data_type() == *data_type {
        return Some(value.clone());
    }
    match (value, data_type) {
        (ScalarValue::Utf8View(text) | ScalarValue::LargeUtf8(text), DataType::Utf8) => {
            Some(ScalarValue::Utf8(text.clone()))
        }
        _ if value.data_type().is_integer() && data_type.is_integer() => {
            View::of(data_type)?.value(value)
        }
        _ => None,
    }
}
