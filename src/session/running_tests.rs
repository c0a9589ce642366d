use std::time::{Duration, Instant};

use crate::error::ErrorKind;
use crate::session::interrupt::Interruptions;
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
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
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
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
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
    let broken = super::within(None, Interruptions::default().next(), async {
        panic!("one and two are four")
    });
    let error = broken.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    for part in ["one and two are four", "report it"] {
        assert!(error.message().contains(part), "{error}");
    }
}
