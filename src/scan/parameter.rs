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
        _ if are_alike(&value.data_type(), data_type) => View::of(data_type)?.value(value),
        _ => None,
    }
}

/// Whether types differ in how much or how fine their values can be, so that a value of one may be one of the other.
fn are_alike(left: &DataType, right: &DataType) -> bool {
    left.is_integer() && right.is_integer()
        || matches!(
            (left, right),
            (DataType::Timestamp(..), DataType::Timestamp(..))
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::TimeUnit;

    #[test]
    fn a_value_is_of_another_type_where_it_is_one_by_itself() {
        let millis = DataType::Timestamp(TimeUnit::Millisecond, None);
        let nanos = |count| ScalarValue::TimestampNanosecond(Some(count), None);
        let expected = ScalarValue::TimestampMillisecond(Some(-1_500), None);
        assert_eq!(fitted(&nanos(-1_500_000_000), &millis), Some(expected));
        assert_eq!(fitted(&nanos(-1_500_000_001), &millis), None);
        let zoned = ScalarValue::TimestampNanosecond(Some(0), Some("+00:00".into()));
        assert_eq!(fitted(&zoned, &millis), None);
        let short = ScalarValue::Int16(Some(-7));
        assert_eq!(
            fitted(&ScalarValue::Int64(Some(-7)), &DataType::Int16),
            Some(short)
        );
        assert_eq!(
            fitted(&ScalarValue::Int64(Some(1 << 15)), &DataType::Int16),
            None
        );
        assert_eq!(
            fitted(&ScalarValue::Int64(Some(7)), &DataType::Float64),
            None
        );
    }
}
