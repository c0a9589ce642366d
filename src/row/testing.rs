//! Tables and rows for the tests of this layer and of those above it.

use std::sync::Arc;

use arrow::array::RecordBatch;
use fastrand::Rng;

use crate::datum::{Datum, Precision, SqlType, to_array};
use crate::key::{Expression, PartDefinition, SortOrder};
use crate::schema::{BoundTable, Column, Table};
use crate::store::Chunk;

use super::RowWriter;

/// A column of a test's table: `("a", SqlType::Integer)` is NOT NULL, `("a?", …)` can be NULL.
pub(crate) type Declared = (&'static str, SqlType);

/// A table called `t` with ids from 0. Key parts are columns, `-` in front for DESC.
pub(crate) fn table(columns: &[Declared], key: &[&str]) -> Arc<BoundTable> {
    BoundTable::new(definition(
        columns,
        key.iter().map(|name| part(name)).collect(),
    ))
    .unwrap()
}

pub(crate) fn definition(columns: &[Declared], key: Vec<PartDefinition>) -> Table {
    let columns = columns
        .iter()
        .zip(0..)
        .map(|((name, sql_type), id)| Column {
            id,
            name: name.trim_end_matches('?').to_owned(),
            sql_type: sql_type.clone(),
            nullable: name.ends_with('?'),
            default: None,
            missing: None,
            generated: None,
            identity: None,
            comment: None,
        });
    Table {
        id: 1,
        name: "t".to_owned(),
        columns: columns.collect(),
        key,
        keyspace: None,
        split: Vec::new(),
        families: Vec::new(),
        checks: Vec::new(),
        next_column: None,
        comment: None,
    }
}

pub(crate) fn part(name: &str) -> PartDefinition {
    let direction = if name.starts_with('-') {
        SortOrder::Descending
    } else {
        SortOrder::Ascending
    };
    of_expression(Expression::column(name.trim_start_matches('-')), direction)
}

pub(crate) fn of_expression(expression: Expression, direction: SortOrder) -> PartDefinition {
    PartDefinition {
        expression,
        direction,
        nulls: direction.default_nulls(),
    }
}

/// Rows of a table as a batch.
pub(crate) fn batch(table: &BoundTable, rows: &[Vec<Option<Datum>>]) -> RecordBatch {
    let arrays = table
        .columns()
        .iter()
        .enumerate()
        .map(|(position, column)| {
            let values: Vec<_> = rows.iter().map(|row| row[position].clone()).collect();
            to_array(&values, &column.sql_type).unwrap()
        });
    let schema = arrow::datatypes::Schema::new(
        table
            .schema()
            .fields()
            .iter()
            .map(|field| field.as_ref().clone().with_nullable(true))
            .collect::<Vec<_>>(),
    );
    RecordBatch::try_new(Arc::new(schema), arrays.collect()).unwrap()
}

/// The entries of a batch as a scan would read them, in the order of the batch.
pub(crate) fn chunk(table: &Arc<BoundTable>, batch: &RecordBatch) -> Chunk {
    let entries = RowWriter::new(Arc::clone(table)).encode(batch).unwrap();
    let mut chunk = Chunk::new();
    entries
        .iter()
        .for_each(|entry| chunk.push(entry.key, entry.value));
    chunk
}

/// Every type, some with several parameters.
pub(crate) fn types() -> Vec<SqlType> {
    use SqlType::{Bytea, Char, Date, Decimal, Double, Real, Text, Timestamp, Varchar};
    let precisions = [
        Precision::Second,
        Precision::Millisecond,
        Precision::Microsecond,
        Precision::Nanosecond,
    ];
    let stamps = precisions.iter().flat_map(|precision| {
        [false, true].map(|utc| Timestamp {
            precision: *precision,
            utc,
        })
    });
    let decimals =
        [(5, 2), (18, 0), (19, 3), (38, 38)].map(|(precision, scale)| Decimal { precision, scale });
    let mut types = vec![
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::UnsignedTinyInt,
        SqlType::UnsignedSmallInt,
        SqlType::UnsignedInteger,
        SqlType::UnsignedBigInt,
        SqlType::Uuid,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        Real,
        Double,
        Text,
        Varchar(3),
        Char(4),
        Bytea,
        Date,
    ];
    types.extend(stamps);
    types.extend(decimals);
    types
}

/// A value that a column of this type can hold, extremes often.
pub(crate) fn value(rng: &mut Rng, sql_type: &SqlType) -> Datum {
    if let Some((least, greatest)) = sql_type.limits() {
        let (low, high) = (least.as_integer().unwrap(), greatest.as_integer().unwrap());
        let integer = match rng.u8(0..6) {
            0 => low,
            1 => high,
            2 => 0.clamp(low, high),
            3 => (-1).clamp(low, high),
            _ => rng.i128(low..=high),
        };
        return sql_type.datum_of_integer(integer).unwrap();
    }
    match sql_type {
        SqlType::Real => Datum::double(
            [
                0.0,
                -1.5,
                f32::MAX,
                f32::MIN_POSITIVE,
                f32::INFINITY,
                f32::NAN,
            ][rng.usize(0..6)]
            .into(),
        ),
        SqlType::Double => Datum::double(
            [
                0.0,
                -1.5,
                f64::MAX,
                f64::MIN_POSITIVE,
                f64::INFINITY,
                f64::NAN,
            ][rng.usize(0..6)],
        ),
        SqlType::Uuid => {
            let number = [0, u128::MAX, rng.u128(..)][rng.usize(0..3)];
            let bytes = number.to_be_bytes();
            Datum::Text(crate::datum::text_of_uuid(&bytes).unwrap())
        }
        SqlType::Text => Datum::Text(text(rng, &["a", "ü", "\0", "\u{10ffff}", "zz"], 300)),
        SqlType::Varchar(_) => Datum::Text(text(rng, &["a", "ü", "\0", "\u{10ffff}"], 3)),
        SqlType::Char(_) => Datum::Text(text(rng, &["a", " ", "\u{1}", "z"], 4)),
        _ => {
            let length =
                [0, 1, 5, 255, 256, 70_000][rng.usize(0..6)] * usize::from(rng.u8(0..4) > 0);
            Datum::Bytes(
                (0..length)
                    .map(|_| [0, 1, 0xff, b'x'][rng.usize(0..4)])
                    .collect(),
            )
        }
    }
}

fn text(rng: &mut Rng, letters: &[&str], most: usize) -> String {
    let length = rng.usize(0..=most);
    (0..length)
        .map(|_| letters[rng.usize(0..letters.len())])
        .collect()
}
