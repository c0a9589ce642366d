//! A Halite table in a session of DataFusion of your own, joined with what else it knows.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::prelude::SessionContext;
use halite::{Database, Result};

#[tokio::main]
async fn main() -> Result<()> {
    run().await
}

/// The example, to be run within any runtime.
pub async fn run() -> Result<()> {
    let db = Database::in_memory()?;
    let conn = db.connect();
    conn.execute(
        "CREATE TABLE cpu (host TEXT, minute INT, usage DOUBLE, PRIMARY KEY (host, minute))",
        (),
    )
    .await?;
    conn.execute(
        "INSERT INTO cpu VALUES ('web-1', 1, 0.5), ('web-1', 2, 0.7), ('web-2', 1, 0.1)",
        (),
    )
    .await?;

    let context = SessionContext::new();
    context.register_table("cpu", db.table_provider("cpu")?)?;
    let columns: [(&str, ArrayRef); 2] = [
        ("host", Arc::new(StringArray::from(vec!["web-1", "web-2"]))),
        ("place", Arc::new(StringArray::from(vec!["Linz", "Graz"]))),
    ];
    let rack =
        RecordBatch::try_from_iter(columns).map_err(datafusion::error::DataFusionError::from)?;
    context.register_batch("rack", rack)?;

    let sql = "SELECT place, max(usage) AS peak FROM cpu JOIN rack USING (host) WHERE cpu.host = 'web-1' GROUP BY place";
    let batches = context.sql(sql).await?.collect().await?;
    println!(
        "{}",
        arrow::util::pretty::pretty_format_batches(&batches)
            .map_err(datafusion::error::DataFusionError::from)?
    );
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);

    // The table is scanned by its key range there, too.
    let plan = context
        .sql(&format!("EXPLAIN {sql}"))
        .await?
        .collect()
        .await?;
    let plan = arrow::util::pretty::pretty_format_batches(&plan)
        .map_err(datafusion::error::DataFusionError::from)?;
    assert!(plan.to_string().contains("ScanExec"), "{plan}");
    Ok(())
}
