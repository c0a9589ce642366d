//! The sample data in DataFusion's own tables, read by DataFusion's own readers: what the answers are measured by.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use datafusion::datasource::MemTable;
use datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionContext};
use halite::function::scalar_functions;
use halite::shell::sample::generator;
use sqlparser::ast::{BinaryOperator, Expr, visit_expressions_mut};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::SIZE;
use crate::answers::texts;

/// All data sets in memory.
pub struct Oracle {
    /// Where they are registered, by the names of the data sets, and the functions that order keys.
    pub context: SessionContext,
}

impl Oracle {
    /// Reads the files of `data`, and generates the rest.
    pub async fn load() -> Self {
        let context = SessionContext::new();
        for function in scalar_functions() {
            context.register_udf(function);
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = |name: &str| root.join("data").join(name).to_str().unwrap().to_owned();
        let parquet = ParquetReadOptions::default();
        context
            .register_parquet("file", file("flights.parquet"), parquet)
            .await
            .unwrap();
        let flights = "SELECT arrow_cast(scheduled, 'Timestamp(Second, None)') AS scheduled, * EXCEPT (scheduled) FROM file";
        let flights = context.sql(flights).await.unwrap().collect().await.unwrap();
        let schema = weather_schema();
        // The reader's own way to name the NULL text does not reach fields of numbers; an empty field does.
        let text = std::fs::read_to_string(file("weather.csv")).unwrap();
        let field = |field| if field == "NA" { "" } else { field };
        let lines = text
            .lines()
            .map(|line| line.split(',').map(field).collect::<Vec<_>>().join(","));
        let copy = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
        std::fs::write(copy.path(), lines.collect::<Vec<_>>().join("\n")).unwrap();
        let csv = CsvReadOptions::new().schema(&schema);
        let weather = context
            .read_csv(copy.path().to_str().unwrap(), csv)
            .await
            .unwrap()
            .collect()
            .await
            .unwrap();
        let files = [("flights", flights), ("weather", weather)];
        let generated = generator::GENERATORS.iter().map(|set| {
            let batches = generator::batches(*set, SIZE, generator::SEED);
            (set.name(), batches.map(Result::unwrap).collect())
        });
        for (name, batches) in files.into_iter().chain(generated) {
            let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
            context.register_table(name, Arc::new(table)).unwrap();
        }
        Self { context }
    }

    /// The rows of a query, as text.
    pub async fn rows(&self, sql: &str) -> Vec<String> {
        let frame = self
            .context
            .sql(sql)
            .await
            .unwrap_or_else(|error| panic!("{sql}\n{error}"));
        texts(&frame.collect().await.unwrap())
    }

    /// The one number that a query returns.
    pub async fn number(&self, sql: &str) -> usize {
        self.rows(sql).await[0].parse().unwrap()
    }
}

/// A query in which `(a, b) < (x, y)` is written out as `a < x OR (a = x AND b < y)`: DataFusion's parser takes no row
/// that starts with a date, and compares rows by rules of its own.
pub fn without_rows(sql: &str) -> String {
    let mut statements = Parser::parse_sql(&GenericDialect {}, sql).unwrap();
    let mut changed = false;
    let _ = visit_expressions_mut(&mut statements, |expr| {
        if let Expr::BinaryOp {
            left,
            op: BinaryOperator::Lt,
            right,
        } = expr
            && let (Expr::Tuple(left), Expr::Tuple(right)) = (left.as_ref(), right.as_ref())
            && let ([a, b], [x, y]) = (left.as_slice(), right.as_slice())
        {
            let terms = format!("({a} < {x} OR ({a} = {x} AND {b} < {y}))");
            let mut parser = Parser::new(&GenericDialect {})
                .try_with_sql(&terms)
                .unwrap();
            *expr = parser.parse_expr().unwrap();
            changed = true;
        }
        ControlFlow::<()>::Continue(())
    });
    if changed {
        statements[0].to_string()
    } else {
        sql.to_owned()
    }
}

fn weather_schema() -> Schema {
    let columns = [
        ("origin", DataType::Utf8),
        ("year", DataType::Int16),
        ("month", DataType::Int16),
        ("day", DataType::Int16),
        ("hour", DataType::Int16),
        ("temp", DataType::Float64),
        ("dewp", DataType::Float64),
        ("humid", DataType::Float64),
        ("wind_dir", DataType::Int16),
        ("wind_speed", DataType::Float64),
        ("wind_gust", DataType::Float64),
        ("precip", DataType::Float64),
        ("pressure", DataType::Float64),
        ("visib", DataType::Float64),
        (
            "time_hour",
            DataType::Timestamp(TimeUnit::Second, Some("+00:00".into())),
        ),
    ];
    Schema::new(
        columns
            .map(|(name, data_type)| Field::new(name, data_type, true))
            .to_vec(),
    )
}
