//! A table, rows, parameters, results: the library from the first line to the last.

use chrono::NaiveDate;
use futures::StreamExt;
use halite::{Database, ErrorKind, Result, params};

#[tokio::main]
async fn main() -> Result<()> {
    run().await
}

/// The example, to be run within any runtime.
#[expect(clippy::too_many_lines, reason = "a tour is read from top to bottom")]
pub async fn run() -> Result<()> {
    // Database::open("metrics.halite") keeps it in a directory.
    let db = Database::in_memory()?;
    let conn = db.connect();

    // The row key: 4 buckets by host, then host, then newest first.
    let create = "CREATE TABLE cpu (
        host TEXT, ts TIMESTAMP(3), usage DOUBLE NULL, note TEXT NULL,
        PRIMARY KEY (bucket(4, host), host, ts DESC)
    )";
    conn.execute(create, ()).await?;

    // Parameters are a tuple, an array or params![]; chrono's times do, and None is NULL.
    let noon = NaiveDate::from_ymd_opt(2024, 1, 31).and_then(|day| day.and_hms_opt(12, 0, 0));
    let insert = conn
        .prepare("INSERT INTO cpu VALUES ($1, $2, $3, $4)")
        .await?;
    insert.execute(("web-1", noon, 0.5, "busy")).await?;
    insert
        .execute(params!["web-1", "2024-01-31T12:01:00", 0.25, None::<&str>])
        .await?;
    insert
        .execute(params!["web-2", noon, None::<f64>, None::<&str>])
        .await?;

    // All rows, value by value. A column that may be NULL is read as an Option.
    let rows = conn
        .rows("SELECT host, ts, usage FROM cpu ORDER BY host, ts", ())
        .await?;
    for row in &rows {
        let (host, usage) = (row.get::<&str>("host")?, row.get::<Option<f64>>("usage")?);
        println!(
            "{host} {} {usage:?}",
            row.get::<chrono::NaiveDateTime>("ts")?
        );
    }
    assert_eq!(rows.len(), 3);

    // As tuples.
    let sums: Vec<(String, Option<f64>)> = conn
        .rows(
            "SELECT host, sum(usage) FROM cpu GROUP BY host ORDER BY host",
            (),
        )
        .await?
        .to_vec()?;
    assert_eq!(
        sums,
        [("web-1".to_owned(), Some(0.75)), ("web-2".to_owned(), None)]
    );

    // Planned once, run many times; query_row waits for its row on this thread, as a point read may.
    let point = conn
        .prepare("SELECT usage, note FROM cpu WHERE host = $1 AND ts = $2")
        .await?;
    let row = point.query_row(("web-1", noon))?;
    let note = row.map(|row| row.get::<String>("note")).transpose()?;
    assert_eq!(note.as_deref(), Some("busy"));
    assert!(point.query_row(("web-9", noon))?.is_none());

    // Batch by batch, as they are read; dropping the stream ends the reading.
    let mut stream = conn
        .stream("SELECT * FROM cpu WHERE usage > ?", (0.3,))
        .await?;
    let mut found = 0;
    while let Some(batch) = stream.next().await {
        found += batch?.num_rows();
    }
    assert_eq!(found, 1);

    // What a query scans.
    let keys = conn
        .rows("EXPLAIN KEYS SELECT * FROM cpu WHERE host = 'web-1'", ())
        .await?;
    for range in &keys {
        println!(
            "{} {} .. {}",
            range.get::<&str>("kind")?,
            range.get::<&str>("start")?,
            range.get::<&str>("stop")?
        );
    }

    // Errors say what to do, and name what is wrong.
    let again = insert.execute(("web-1", noon, 0.5, "again")).await;
    assert_eq!(
        again.as_ref().map_err(halite::Error::kind),
        Err(ErrorKind::Conflict)
    );
    println!("{again:?}");
    Ok(())
}
