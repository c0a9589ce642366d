//! What is not a statement of SQL, or writes elsewhere: the appender, prepared reads, files, backups.

use std::fs;
use std::ops::Range;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use halite::params;

use super::*;

/// An appender adds rows with these keys, four at a time, and writes them at once.
async fn append(connection: &Connection, keys: Range<i64>) -> Result<u64> {
    let mut appender = connection.appender("salted")?;
    for first in keys.step_by(4) {
        let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + 4));
        let values: ArrayRef = Arc::new(StringArray::from(vec!["appended"; 4]));
        let batch = RecordBatch::try_from_iter([("k", keys), ("v", values)]).unwrap();
        appender.append_batch(&batch)?;
    }
    appender.finish().await
}

#[test]
fn a_failing_call_of_an_appender() {
    sweep(
        Way::Batch,
        "the appender, a row at a time",
        async |connection| {
            let mut appender = connection.appender("salted")?;
            for key in 10_000..13_000_i64 {
                appender.append_row((key, "appended"))?;
            }
            appender.finish().await
        },
    );
    for way in [Way::Bulk, Way::BulkInRocks] {
        sweep(way, "the appender", async |connection| {
            append(connection, 10_000..10_012).await
        });
    }
}

#[test]
fn a_failing_call_of_a_prepared_query() {
    runtime().block_on(async {
        let subject = Subject::new(Way::Batch).await;
        for (sql, params) in [
            ("SELECT v FROM salted WHERE k = $1", params![17]),
            ("SELECT k, v FROM hashed WHERE k = $1", params![4]),
            (
                "SELECT b, v FROM walked WHERE a = $1 AND b > $2",
                params![3, 200],
            ),
            (
                "SELECT b FROM walked WHERE a = $1 AND v <> 'v13' ORDER BY b DESC LIMIT 3",
                params![3],
            ),
        ] {
            let prepared = subject.connection.prepare(sql).await.unwrap();
            assert!(prepared.is_direct(), "{sql}");
            let read = async || {
                let batches = prepared.query(params.clone()).await?.collect().await?;
                let mut rows = texts(&batches);
                rows.sort();
                Ok(rows)
            };
            sweep_read(&subject, sql, read).await;
            if sql.contains("k = $1") {
                // On the thread that asks.
                let read = async || {
                    let row = prepared.query_row(params.clone())?;
                    row.map(|row| row.get("v")).into_iter().collect()
                };
                sweep_read(&subject, sql, read).await;
            }
        }
    });
}

#[test]
fn a_failing_call_of_a_copy_to_a_file() {
    runtime().block_on(async {
        let subject = Subject::new(Way::Batch).await;
        let directory = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(directory.path()).unwrap().count();
        for (source, name) in [
            ("salted", "out.csv"),
            ("(SELECT * FROM walked WHERE b = 17)", "out.jsonl"),
            (
                "(SELECT s.v, h.v AS w FROM salted s JOIN hashed h ON s.k = h.k)",
                "out.parquet",
            ),
        ] {
            let file = directory.path().join(name);
            let copy = format!("COPY {source} TO '{}'", file.display());
            let read = async || {
                let rows = match execute(&subject.connection, &copy).await {
                    Ok(rows) => rows,
                    Err(error) => {
                        assert_eq!(names(), 0, "{copy}: left after {error}");
                        return Err(error);
                    }
                };
                let written = fs::read(&file).unwrap();
                fs::remove_file(&file).unwrap();
                assert!(rows > 0 && names() == 0);
                let mut lines: Vec<String> = String::from_utf8_lossy(&written)
                    .lines()
                    .map(str::to_owned)
                    .collect();
                lines.sort();
                // Rows are in a Parquet file in the order in which they came.
                let text = if name.ends_with("parquet") {
                    Vec::new()
                } else {
                    lines
                };
                Ok([vec![rows.to_string()], text].concat())
            };
            sweep_read(&subject, &copy, read).await;
        }
    });
}

#[test]
fn a_failing_call_of_a_backup() {
    runtime().block_on(async {
        let subject = Subject::new(Way::BulkInRocks).await;
        let expected = contents(&subject.connection).await.unwrap();
        let directory = tempfile::tempdir().unwrap();
        for (manner, fail) in &MANNERS[..2] {
            for call in 1.. {
                let path = directory.path().join(format!("{manner} {call}"));
                fail(&subject.faults, call);
                let outcome = subject.connection.database().backup(&path).await;
                let failed = subject.faults.failed();
                subject.faults.stop();
                match outcome {
                    Err(error) => {
                        check_error_of(&error, &failed);
                        assert!(!path.exists(), "{manner}: something is left");
                    }
                    Ok(()) => {
                        assert!(failed.is_empty(), "{manner}: nobody was told of {failed:?}");
                        let backup = Database::open(&path).await.unwrap();
                        let found = contents(&backup.connect()).await.unwrap();
                        assert_eq!(found, expected, "{manner}");
                        assert!(call > 1, "a backup makes no call");
                        break;
                    }
                }
            }
        }
    });
}
