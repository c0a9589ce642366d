//! `width_bucket(x, low, high, count)`, as in PostgreSQL.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err, plan_err};

use crate::function::declared::{Declaration, arguments};

pub(super) static WIDTH_BUCKET: Declaration = Declaration {
    name: "width_bucket",
    aliases: &[],
    coerce: |types| match types {
        [_, _, _, _] => Ok([vec![DataType::Float64; 3], vec![DataType::Int64]].concat()),
        others => plan_err!(
            "width_bucket takes a number, the lower and the upper bound and how many buckets there are, not {} values",
            others.len()
        ),
    },
    result: |_| Ok(DataType::Int64),
    compute: |given| {
        let [number, low, high, count] = arguments(given)?;
        let numbers = [number, low, high].map(|it| it.as_primitive::<Float64Type>());
        let counts = count.as_primitive::<Int64Type>();
        let buckets = (0..counts.len()).map(|row| {
            if counts.is_null(row) || numbers.iter().any(|it| it.is_null(row)) {
                return Ok(None);
            }
            bucket(numbers.map(|it| it.value(row)), counts.value(row)).map(Some)
        });
        Ok(Arc::new(buckets.collect::<Result<Int64Array>>()?) as ArrayRef)
    },
};

/// The bucket of a number, from 1; 0 in front of the first bound, and one more than there are behind the second.
fn bucket([number, low, high]: [f64; 3], count: i64) -> Result<i64> {
    if count <= 0 || count == i64::MAX {
        return exec_err!("width_bucket makes a number of buckets above 0, not {count}");
    }
    if low == high || !low.is_finite() || !high.is_finite() || number.is_nan() {
        return exec_err!(
            "width_bucket takes two different finite bounds and a number, not {low}, {high} and {number}"
        );
    }
    // Bounds may be given from above.
    let part = (number - low) / (high - low);
    if part < 0.0 {
        return Ok(0);
    }
    if part >= 1.0 {
        return Ok(count + 1);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "rounding stays below the number of buckets"
    )]
    let bucket = (part * count as f64) as i64;
    Ok(bucket.min(count - 1) + 1)
}

#[cfg(test)]
mod tests {
    use crate::function::tests::check;

    /// What PostgreSQL gives.
    #[tokio::test]
    async fn numbers_are_in_buckets() {
        check(&[
            ("width_bucket(5.35, 0.024, 10.06, 5)", "3"),
            ("width_bucket(0, 0, 10, 5)", "1"),
            ("width_bucket(-0.1, 0, 10, 5)", "0"),
            ("width_bucket(10, 0, 10, 5)", "6"),
            ("width_bucket(9.99, 0, 10, 5)", "5"),
            ("width_bucket(9, 10, 0, 5)", "1"),
            ("width_bucket(10, 10, 0, 5)", "1"),
            ("width_bucket(11, 10, 0, 5)", "0"),
            ("width_bucket(0, 10, 0, 5)", "6"),
            ("width_bucket(NULL, 0, 10, 5)", "NULL"),
            (
                "width_bucket(1, 3, 3, 5)",
                "error: two different finite bounds",
            ),
            ("width_bucket(1, 0, 3, 0)", "error: above 0"),
        ])
        .await;
    }
}
