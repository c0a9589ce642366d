use std::time::{Duration, Instant};

use arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};
use futures::StreamExt;

use crate::error::ErrorKind;
use crate::function::Stop;
use crate::session::{Connection, Database};

fn connection() -> Connection {
    Database::in_memory().unwrap().connect()
}

/// Takes a second and more to be planned where nothing is optimized.
fn long_to_plan() -> String {
    let sum = vec!["a"; 400].join(" - ");
    let columns: Vec<String> = (0..40).map(|n| format!("{sum} - {n} AS c{n}")).collect();
    format!("SELECT {} FROM (VALUES (1)) t (a)", columns.join(", "))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_takes_too_long_is_stopped_with_the_setting() {
    let connection = connection();
    connection
        .execute("SET halite.statement_timeout = '200ms'", ())
        .await
        .unwrap();
    for sql in [
        "SELECT count(*) FROM generate_series(1, 100000000000) WHERE value % 7 = 8".to_owned(),
        "SELECT value FROM generate_series(1, 100000000000) WHERE value % 7 = 8".to_owned(),
        long_to_plan(),
    ] {
        let start = Instant::now();
        let error = connection.query(&sql, ()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(
            error.message().contains("halite.statement_timeout"),
            "{error}"
        );
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?}",
            start.elapsed()
        );
    }
    // A short one is not.
    connection.query("SELECT 1", ()).await.unwrap();
    connection
        .execute("SET halite.statement_timeout = 0", ())
        .await
        .unwrap();
    let count = "SELECT count(*) FROM generate_series(1, 3000000)";
    connection.query(count, ()).await.unwrap();
}

/// All threads of the runtime compute for many seconds on each batch, of several partitions or of one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_is_ended_while_every_thread_computes() {
    let connection = connection();
    let timed = connection.with_timeout(Duration::from_millis(200));
    let long = "SELECT count(*) FROM generate_series(1, 40000) a (x), generate_series(1, 16384) b (y) WHERE x * y % 7 = 8";
    for partitions in [2, 1] {
        let set = format!("SET datafusion.execution.target_partitions = {partitions}");
        connection.execute(&set, ()).await.unwrap();
        let start = Instant::now();
        let error = timed.query(long, ()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        let waited = start.elapsed();
        assert!(waited < Duration::from_secs(2), "{partitions}: {waited:?}");
    }
    let handle = connection.interrupt_handle();
    let start = Instant::now();
    let interrupter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        handle.interrupt();
    });
    let error = connection.query(long, ()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    let waited = start.elapsed();
    assert!(waited < Duration::from_secs(2), "{waited:?}");
    interrupter.join().unwrap();
}

/// The thread of the runtime, of which there is one, is free while a statement is planned, and again when nobody waits
/// for the plan.
#[tokio::test]
async fn planning_is_left_behind_by_who_does_not_wait() {
    let connection = connection();
    let sql = long_to_plan();
    let start = Instant::now();
    let whole = connection.query(&sql, ()).await;
    whole.unwrap();
    let whole = start.elapsed();
    let start = Instant::now();
    let waited = tokio::time::timeout(whole / 4, connection.query(&sql, ())).await;
    assert!(waited.is_err(), "planned in a quarter of {whole:?}");
    let late = start.elapsed().saturating_sub(whole / 4);
    assert!(
        late < whole / 4 + Duration::from_millis(100),
        "{late:?} of {whole:?}"
    );
}

/// DataFusion counts from the last place that there is, and beyond.
#[tokio::test]
async fn a_panic_is_an_error_that_asks_for_a_report() {
    let connection = connection();
    let sql = "SELECT array_position(make_array(value), 0, -9223372036854775808) FROM generate_series(1, 2)";
    let error = connection.query(sql, ()).await.unwrap_err();
    if error.kind() == ErrorKind::Internal {
        assert!(error.message().contains("report"), "{error}");
    }
    connection.query("SELECT 1", ()).await.unwrap();
}

#[tokio::test]
async fn a_panic_of_a_statement_is_told() {
    let connection = connection();
    let within = || connection.within();
    let apart = within().apart(async { panic!("one and two are four") }, Stop::default());
    let here = within().here::<()>(async { panic!("one and two are four") });
    for error in [apart.await.unwrap_err(), here.await.unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Internal);
        for part in ["one and two are four", "report it"] {
            assert!(error.message().contains(part), "{error}");
        }
    }
}

/// A text that comes again, and a prepared statement, open their scan without a plan: what is long of them ends as anything.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_scan_that_needs_no_plan_is_stopped() {
    let connection = connection();
    let table = "CREATE TABLE t (k INT, c TEXT, PRIMARY KEY (k))";
    connection.execute(table, ()).await.unwrap();
    let rows = "INSERT INTO t SELECT value, repeat('x', 100) FROM generate_series(1, 100000)";
    connection.execute(rows, ()).await.unwrap();
    let sql = "SELECT c FROM t WHERE k > $1";
    let prepared = connection.prepare(sql).await.unwrap();
    for _ in 0..3 {
        assert_eq!(connection.rows(sql, (99_990,)).await.unwrap().len(), 10);
    }
    let handle = connection.interrupt_handle();
    for is_prepared in [false, true] {
        let stream = if is_prepared {
            prepared.stream((0,)).await
        } else {
            connection.stream(sql, (0,)).await
        };
        let mut stream = stream.unwrap();
        stream.next().await.unwrap().unwrap();
        handle.interrupt();
        let mut left = 0;
        let error = loop {
            match stream.next().await {
                Some(Ok(_)) => left += 1,
                Some(Err(error)) => break error,
                None => panic!("{left} batches, prepared: {is_prepared}"),
            }
        };
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    }
}

/// A function of the program may ask the database something, even while all of Halite's threads do.
#[tokio::test(flavor = "multi_thread")]
async fn functions_that_ask_do_not_wait_for_each_other() {
    let connection = connection();
    let table = "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k))";
    connection.execute(table, ()).await.unwrap();
    let rows = "INSERT INTO t SELECT value, value FROM generate_series(1, 1000)";
    connection.execute(rows, ()).await.unwrap();
    // More than a point, so that it is read on threads of Halite's own.
    let sums = connection.prepare("SELECT sum(v) FROM t WHERE k <= $1");
    let sums = std::sync::Arc::new(sums.await.unwrap());
    let asks = std::sync::Arc::new(move |_: &[ColumnarValue]| {
        let row = sums.query_row((4,)).map_err(DataFusionError::from)?;
        let sum: i64 = row.unwrap().get(0).map_err(DataFusionError::from)?;
        Ok(ColumnarValue::Scalar(ScalarValue::from(sum)))
    });
    let arguments = vec![DataType::Int64];
    let asks = create_udf(
        "asks",
        arguments,
        DataType::Int64,
        Volatility::Volatile,
        asks,
    );
    connection.register_udf(asks);
    let asked = (0..16).map(|n| {
        let connection = connection.clone();
        tokio::spawn(async move {
            let sql = format!("SELECT asks(value) FROM generate_series(1, {n} + 1) LIMIT 1");
            let timed = connection.with_timeout(Duration::from_secs(20));
            timed.query_scalar::<i64>(&sql, ()).await
        })
    });
    for asked in futures::future::join_all(asked).await {
        assert_eq!(asked.unwrap().unwrap(), Some(10));
    }
}
