//! Of a row that a filter rejects nothing but the columns of the filters is decoded.

use arrow::array::{Int32Array, StringArray};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{binary, col, lit};

use super::super::ResidualConjunct;
use super::*;
use crate::datum::{Datum, SqlType};
use crate::row::testing::{batch, chunk, table};
use crate::schema::BoundTable;
use crate::span::Spans;

/// Ten rows, with the texts of two of them damaged.
fn damaged() -> (Arc<BoundTable>, Chunk) {
    let table = table(
        &[
            ("a", SqlType::Integer),
            ("c", SqlType::Integer),
            ("b", SqlType::Text),
        ],
        &["a"],
    );
    let row = |number: i64| {
        let text = Datum::Text(format!("text {number}"));
        vec![
            Some(Datum::Integer(number)),
            Some(Datum::Integer(number)),
            Some(text),
        ]
    };
    let rows: Vec<_> = (0..10).map(row).collect();
    let mut damaged = Chunk::new();
    for (number, (key, value)) in chunk(&table, &batch(&table, &rows)).iter().enumerate() {
        let mut value = value.to_vec();
        if let (3 | 7, Some(last)) = (number, value.last_mut()) {
            // Of UTF-8 no byte is this one.
            *last = 0xff;
        }
        damaged.push(key, &value);
    }
    (table, damaged)
}

/// What is read of the chunk where `c` is none of these.
fn decode(rejected: &[i32]) -> Result<Option<RecordBatch>> {
    let (table, chunk) = damaged();
    let mut request = ScanRequest::new(
        Arc::clone(&table),
        Spans::full(table.row_key()).unwrap(),
        (0..table.columns().len()).collect(),
    );
    let schema = table.schema();
    for number in rejected {
        let expression = binary(col("c", schema)?, Operator::NotEq, lit(*number), schema)?;
        request.residual.push(ResidualConjunct {
            expression,
            written: None,
            reason: "a test's".to_owned(),
        });
    }
    let decoder = Decoder::new(&request, request.schema()?)?;
    decoder.decode(decoder.open(&chunk).as_mut(), None)
}

#[test]
fn the_other_columns_of_rejected_rows_are_not_decoded() {
    let rows = decode(&[3, 7]).unwrap().unwrap();
    let kept = [0, 1, 2, 4, 5, 6, 8, 9];
    let texts = rows.column(2).as_any().downcast_ref::<StringArray>();
    let expected = kept.iter().map(|number| Some(format!("text {number}")));
    assert_eq!(texts, Some(&expected.collect()));
    for column in [0, 1] {
        let numbers = rows.column(column).as_any().downcast_ref::<Int32Array>();
        assert_eq!(numbers, Some(&Int32Array::from_iter_values(kept)));
    }
}

#[test]
fn those_of_all_other_rows_are() {
    for rejected in [&[][..], &[3], &[7], &[0, 1, 2]] {
        let error = decode(rejected).unwrap_err().to_string();
        assert!(error.contains("column `b`"), "{rejected:?}: {error}");
    }
}
