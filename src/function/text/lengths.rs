//! `length(x)` and `len(x)`: how many letters a text has, how many bytes a BYTEA, and how many values a list, as in
//! DuckDB. DataFusion counts the letters of the text that a list is shown as.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, StringArray};
use arrow::compute::cast;
use arrow::compute::kernels::length;
use arrow::datatypes::DataType;
use datafusion::common::plan_err;

use crate::function::declared::{Declaration, arguments};

pub(super) static LENGTH: Declaration = Declaration {
    name: "length",
    aliases: &["len"],
    coerce: |types| match types {
        [DataType::List(_) | DataType::LargeList(_)] => Ok(types.to_vec()),
        [
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_),
        ] => Ok(vec![DataType::Binary]),
        [DataType::FixedSizeList(item, _)] => Ok(vec![DataType::List(Arc::clone(item))]),
        [_] => Ok(vec![DataType::Utf8]),
        others => plan_err!("length takes a text or a list, not {} values", others.len()),
    },
    result: |_| Ok(DataType::Int64),
    compute: |given| {
        let [values] = arguments(given)?;
        match values.data_type() {
            DataType::Utf8 => Ok(letters(values.as_string())),
            _ => Ok(cast(&length::length(values)?, &DataType::Int64)?),
        }
    },
};

fn letters(texts: &StringArray) -> ArrayRef {
    let count = |text: &str| {
        let letters = if text.is_ascii() {
            text.len()
        } else {
            text.chars().count()
        };
        // No text has 2^63 letters.
        i64::try_from(letters).unwrap_or(i64::MAX)
    };
    let counts = texts.iter().map(|text| text.map(count));
    Arc::new(counts.collect::<Int64Array>())
}

#[cfg(test)]
mod tests {
    use crate::function::tests::check;

    #[tokio::test]
    async fn letters_and_values_are_counted() {
        check(&[
            ("length('Straße')", "6"),
            ("len('')", "0"),
            ("len(NULL)", "NULL"),
            ("length(123)", "3"),
            ("length(CAST('\\x00ff80' AS BYTEA))", "3"),
            ("len([1, 2, NULL])", "3"),
            ("length(['a', 'bc'])", "2"),
            ("len([[1, 2], [3]])", "2"),
            ("len(CAST([] AS INT[]))", "0"),
            ("len(CAST(NULL AS INT[]))", "NULL"),
            ("len(range(5))", "5"),
            ("len(1, 2)", "error: not 2 values"),
        ])
        .await;
    }
}
