//! What has no counterpart elsewhere: rows to bytes and back, and spans.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use ::halite::row::{RowReader, RowWriter};
use ::halite::schema::BoundTable;
use ::halite::store::Chunk;
use ::halite::{predicate, span};
use anyhow::{Result, anyhow};
use arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use datafusion::prelude::{col, lit};

use crate::data::{self, HOSTS};
use crate::measure::{self, Work};
use crate::side::halite::{Halite, bound};
use crate::spread::Spread;

/// Measures all of it.
pub fn measure(halite: &Halite, part: &Path, rounds: usize) -> Result<Vec<(&'static str, Spread)>> {
    let cpu = bound(halite.database(), "cpu")?;
    let by_time = bound(halite.database(), "by_time")?;
    let rows = data::read(part)?.slice(0, 8_192);
    let mut work = rows_and_bytes(&by_time, &rows)?;
    work.extend(spans(&cpu, &by_time));
    measure::alone(rounds, work)
}

fn encode(writer: &RowWriter, rows: &RecordBatch) -> Result<Chunk> {
    let entries = writer.encode(rows).map_err(|error| anyhow!("{error:?}"))?;
    let mut chunk = Chunk::new();
    entries
        .iter()
        .for_each(|entry| chunk.push(entry.key, entry.value));
    Ok(chunk)
}

fn rows_and_bytes(table: &Arc<BoundTable>, rows: &RecordBatch) -> Result<Vec<Work>> {
    let writer = RowWriter::new(Arc::clone(table));
    let chunk = Arc::new(encode(&writer, rows)?);
    let rows = rows.clone();
    let decode = |columns: &'static [usize]| -> Box<dyn FnMut() -> Result<()>> {
        let (reader, chunk) = (RowReader::new(Arc::clone(table)), Arc::clone(&chunk));
        Box::new(move || {
            black_box(reader.read(&chunk, columns, None)?);
            Ok(())
        })
    };
    Ok(vec![
        (
            "rows to entries, 8,192, salted",
            Box::new(move || {
                black_box(encode(&writer, &rows)?);
                Ok(())
            }),
        ),
        ("entries to rows, 8,192, keys alone", decode(&[0, 1])),
        (
            "entries to rows, 8,192, all columns",
            decode(&[0, 1, 2, 3, 4, 5]),
        ),
    ])
}

fn spans(cpu: &Arc<BoundTable>, by_time: &Arc<BoundTable>) -> Vec<Work> {
    let stamp = |step| {
        lit(ScalarValue::TimestampMillisecond(
            Some(data::stamp(step)),
            None,
        ))
    };
    let point = vec![
        col("host").eq(lit(data::host(7 % HOSTS))),
        col("ts").eq(stamp(100)),
    ];
    let range = vec![col("ts").gt_eq(stamp(100)).and(col("ts").lt(stamp(110)))];
    vec![
        ("spans of a point", plan(cpu, point)),
        ("spans of a range in 16 buckets", plan(by_time, range)),
    ]
}

fn plan(table: &Arc<BoundTable>, filters: Vec<Expr>) -> Box<dyn FnMut() -> Result<()>> {
    let table = Arc::clone(table);
    Box::new(move || {
        let key = table.row_key();
        let lowered = |filter| (filter, predicate::lower(filter, key.columns()));
        black_box(span::plan(key, filters.iter().map(lowered), span::BUDGET)?);
        Ok(())
    })
}
