use arrow::array::{Float64Array, Int64Array, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use chrono::{NaiveDate, TimeZone, Utc};

use super::super::{Connection, Database};
use super::*;
use crate::params;

async fn database(columns: &str) -> (Database, Connection) {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    let create = format!("CREATE TABLE t ({columns})");
    connection.execute(&create, ()).await.unwrap();
    (database, connection)
}

async fn count(connection: &Connection) -> i64 {
    let row = connection.query_row("SELECT count(*) FROM t", ()).await;
    row.unwrap().unwrap().get(0).unwrap()
}

#[tokio::test]
async fn rows_are_seen_at_the_end_and_not_before() {
    let (_database, connection) = database("a BIGINT, b TEXT NULL, PRIMARY KEY (a)").await;
    let mut appender = connection.appender("t").unwrap();
    for a in 0..5_000_i64 {
        appender
            .append_row((a, (a % 2 == 0).then_some("even")))
            .unwrap();
    }
    assert_eq!((appender.pending(), count(&connection).await), (5_000, 0));
    assert_eq!(appender.finish().await.unwrap(), 5_000);
    let sql = "SELECT sum(a), count(b), max(b) FROM t";
    let row = connection.query_row(sql, ()).await.unwrap().unwrap();
    let expected = (12_497_500, 2_500, "even".to_owned());
    assert_eq!(row.to::<(i64, i64, String)>().unwrap(), expected);
    let mut appender = connection.appender("t").unwrap();
    appender.append_row((5_000_i64, "dropped")).unwrap();
    drop(appender);
    assert_eq!(count(&connection).await, 5_000);
}

#[tokio::test]
async fn a_flush_writes_what_there_is_and_goes_on() {
    let (_database, connection) = database("a INT, PRIMARY KEY (a)").await;
    let mut appender = connection.appender("t").unwrap();
    assert_eq!(appender.flush().await.unwrap(), 0);
    appender.append_row((1,)).unwrap();
    appender.append_row((2,)).unwrap();
    assert_eq!(appender.flush().await.unwrap(), 2);
    assert_eq!((appender.pending(), count(&connection).await), (0, 2));
    appender.append_row((3,)).unwrap();
    appender.append_row((2,)).unwrap();
    // Row 4 of the appender, though the second since the flush.
    let error = appender.flush().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(
        error.to_string().starts_with("row 4: table `t`: "),
        "{error}"
    );
    assert_eq!(count(&connection).await, 2);
    let later = appender.append_row((5,)).unwrap_err();
    assert_eq!(later.kind(), ErrorKind::Conflict);
    assert!(later.to_string().contains("has failed before"), "{later}");
    assert!(appender.finish().await.is_err());
}

#[tokio::test]
async fn a_key_that_comes_twice_is_an_error_or_replaced() {
    let (_database, connection) = database("a INT, b INT, PRIMARY KEY (a)").await;
    let mut appender = connection.appender("t").unwrap();
    for row in [(1, 1), (2, 1), (1, 2)] {
        appender.append_row(row).unwrap();
    }
    let error = appender.finish().await.unwrap_err().to_string();
    assert!(
        error.starts_with("row 3: ") && error.contains("row 1"),
        "{error}"
    );
    assert_eq!(count(&connection).await, 0);
    let replace = AppenderOptions::new()
        .replace(true)
        .durability(Durability::Buffered);
    let mut appender = connection.appender_with("t", replace).unwrap();
    for row in [(1, 1), (2, 1), (1, 2)] {
        appender.append_row(row).unwrap();
    }
    appender.finish().await.unwrap();
    let rows = connection
        .rows("SELECT a, b FROM t ORDER BY a", ())
        .await
        .unwrap();
    assert_eq!(rows.to_vec::<(i32, i32)>().unwrap(), [(1, 2), (2, 1)]);
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn values_become_those_of_their_columns_or_are_refused() {
    let columns = "a SMALLINT, ts TIMESTAMP(3), day DATE NULL, d DECIMAL(10, 2) NULL, x BYTEA NULL, \
                   v VARCHAR(3) NULL, PRIMARY KEY (a)";
    let (_database, connection) = database(columns).await;
    let mut appender = connection.appender("t").unwrap();
    let day = NaiveDate::from_ymd_opt(2024, 1, 31).unwrap();
    let clock = day.and_hms_milli_opt(1, 2, 3, 4).unwrap();
    let instant = Utc.from_utc_datetime(&clock);
    appender
        .append_row(params![1_u64, clock, day, 12, b"\x00", "abc"])
        .unwrap();
    appender
        .append_row(params![
            2_i64,
            instant,
            "2024-01-31",
            None::<i64>,
            None::<&[u8]>,
            "ä"
        ])
        .unwrap();
    appender
        .append_row(params![
            3.0,
            "3000-01-01T00:00:00.5",
            None::<NaiveDate>,
            7_u8,
            b"",
            None::<&str>
        ])
        .unwrap();
    let fine = day.and_hms_nano_opt(0, 0, 0, 1).unwrap();
    let refused = [
        (
            params![40_000, clock, day, 1, b"", ""],
            "row 4: table `t`: column `a` of type SMALLINT cannot hold 40000 exactly",
        ),
        (
            params![4, fine, day, 1, b"", ""],
            "row 4: table `t`: column `ts`",
        ),
        (
            params![4, "noon", day, 1, b"", ""],
            "column `ts` of type TIMESTAMP(3) cannot hold 'noon'",
        ),
        (
            params![4, true, day, 1, b"", ""],
            "column `ts` is TIMESTAMP(3), and is given Boolean",
        ),
        (
            params![4, clock, day, 1],
            "row 4: table `t`: 4 values are given for 6 columns",
        ),
    ];
    for (row, expected) in refused {
        let error = appender.append_row(row).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(appender.finish().await.unwrap(), 3);
    let sql = "SELECT a, CAST(ts AS TEXT), CAST(day AS TEXT), CAST(d AS TEXT), v FROM t ORDER BY a";
    let rows = connection.rows(sql, ()).await.unwrap();
    type Texts = (i16, String, Option<String>, Option<String>, Option<String>);
    let texts: Vec<Texts> = rows.to_vec().unwrap();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        texts[0],
        (
            1,
            "2024-01-31T01:02:03.004".into(),
            some("2024-01-31"),
            some("12.00"),
            some("abc")
        )
    );
    assert_eq!(
        texts[1],
        (
            2,
            "2024-01-31T01:02:03.004".into(),
            some("2024-01-31"),
            None,
            some("ä")
        )
    );
    assert_eq!(
        texts[2],
        (
            3,
            "3000-01-01T00:00:00.500".into(),
            None,
            some("7.00"),
            None
        )
    );
}

#[tokio::test]
async fn a_row_that_the_table_does_not_take_is_told_at_once_and_left_out() {
    let columns = "a INT, v VARCHAR(3), n INT NOT NULL CHECK (n > 0), PRIMARY KEY (a)";
    let (_database, connection) = database(columns).await;
    let mut appender = connection.appender("t").unwrap();
    appender.append_row((1, "abc", 1)).unwrap();
    for (row, column, constraint) in [
        (params![2, "abcd", 1], Some("v"), None),
        (params![None::<i32>, "abc", 1], Some("a"), Some("NOT NULL")),
        (params![2, "abc", None::<i32>], Some("n"), Some("NOT NULL")),
        (params![2, "abc", 0], None, Some("t_n_check")),
    ] {
        let error = appender.append_row(row).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert_eq!(
            (error.row(), error.table()),
            (Some(2), Some("t")),
            "{error}"
        );
        assert_eq!(error.constraint(), constraint, "{error}");
        if column.is_some() {
            assert_eq!(error.column(), column, "{error}");
        }
    }
    appender.append_row((2, None::<&str>, 2)).unwrap();
    assert_eq!(appender.pending(), 2);
    assert_eq!(appender.finish().await.unwrap(), 2);
    assert_eq!(count(&connection).await, 2);
}

#[tokio::test]
async fn a_row_that_cannot_be_encoded_does_not_take_others_with_it() {
    let (_database, connection) = database("n INT, c TEXT, PRIMARY KEY (reverse_digits(n))").await;
    let mut appender = connection.appender("t").unwrap();
    let long = "x".repeat(70 << 20);
    for (n, text, is_taken) in [
        (1, "a", true),
        (-1, "a", false),
        (2, &long, false),
        (-2, "b", false),
        (2, "b", true),
    ] {
        let appended = appender.append_row((n, text));
        assert_eq!(appended.is_ok(), is_taken, "{n}: {appended:?}");
        let row = appended.err().and_then(|error| error.row());
        assert_eq!(row, (!is_taken).then_some(2), "{n}");
    }
    assert_eq!(appender.finish().await.unwrap(), 2);
    assert_eq!(count(&connection).await, 2);
}

#[tokio::test]
async fn a_key_that_is_too_long_is_told_at_once() {
    let (_database, connection) = database("c TEXT, PRIMARY KEY (c)").await;
    let mut appender = connection.appender("t").unwrap();
    appender.append_row(("a",)).unwrap();
    let long = "x".repeat(40_000);
    let error = appender.append_row((long.as_str(),)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    appender.append_row(("b",)).unwrap();
    assert_eq!(appender.finish().await.unwrap(), 2);
}

#[tokio::test]
async fn a_batch_has_the_defaults_of_columns_that_it_lacks() {
    let columns =
        "a INT, b TEXT NOT NULL DEFAULT 'new', c INT DEFAULT 40 + 2, d INT, PRIMARY KEY (a)";
    let (_database, connection) = database(columns).await;
    let mut appender = connection.appender("t").unwrap();
    let numbers = Arc::new(Int64Array::from(vec![1, 2])) as arrow::array::ArrayRef;
    let given = batch(&[("a", DataType::Int64)], vec![numbers]);
    appender.append_batch(&given).unwrap();
    assert_eq!(appender.finish().await.unwrap(), 2);
    let rows = connection.rows("SELECT b, c, d FROM t", ()).await.unwrap();
    let rows: Vec<(String, i32, Option<i32>)> = rows.to_vec().unwrap();
    assert_eq!(rows, vec![("new".to_owned(), 42, None); 2]);
}

fn batch(columns: &[(&str, DataType)], arrays: Vec<arrow::array::ArrayRef>) -> RecordBatch {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, data_type)| Field::new(*name, data_type.clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

#[tokio::test]
async fn batches_are_matched_by_name() {
    let (_database, connection) =
        database("a INT, b TEXT NULL, c DOUBLE NOT NULL, PRIMARY KEY (a)").await;
    let numbers = || Arc::new(Int64Array::from(vec![1, 2])) as arrow::array::ArrayRef;
    let floats = || Arc::new(Float64Array::from(vec![0.5, 1.5])) as arrow::array::ArrayRef;
    let texts = || Arc::new(StringArray::from(vec!["x", "y"])) as arrow::array::ArrayRef;
    let mut appender = connection.appender("t").unwrap();
    appender.append_row((0, "first", 0.0)).unwrap();
    let given = batch(
        &[("c", DataType::Float64), ("a", DataType::Int64)],
        vec![floats(), numbers()],
    );
    appender.append_batch(&given).unwrap();
    assert_eq!(appender.finish().await.unwrap(), 3);
    let rows = connection
        .rows("SELECT a, b, c FROM t ORDER BY a", ())
        .await
        .unwrap();
    let rows: Vec<(i32, Option<String>, f64)> = rows.to_vec().unwrap();
    assert_eq!(
        rows,
        [
            (0, Some("first".into()), 0.0),
            (1, None, 0.5),
            (2, None, 1.5)
        ]
    );

    let wide = Arc::new(Int64Array::from(vec![5, i64::MAX])) as arrow::array::ArrayRef;
    let wrong = [
        (
            batch(&[("a", DataType::Int64)], vec![numbers()]),
            "lacks column `c`",
        ),
        (
            batch(
                &[
                    ("a", DataType::Int64),
                    ("c", DataType::Float64),
                    ("d", DataType::Utf8),
                ],
                vec![numbers(), floats(), texts()],
            ),
            "no column `d`",
        ),
        (
            batch(
                &[("a", DataType::Utf8), ("c", DataType::Float64)],
                vec![texts(), floats()],
            ),
            "column `a` is INT, and is given Utf8",
        ),
        (
            batch(
                &[("a", DataType::Int64), ("c", DataType::Float64)],
                vec![wide, floats()],
            ),
            "row 2: table `t`: column `a` of type INT cannot hold 9223372036854775807",
        ),
    ];
    for (batch, expected) in wrong {
        let mut appender = connection.appender("t").unwrap();
        let error = appender.append_batch(&batch).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        // It is left out, and the appender goes on.
        appender.append_row((7, "x", 0.5)).unwrap();
        assert_eq!(appender.pending(), 1);
    }
}

#[tokio::test]
async fn a_table_that_has_gone_is_not_written() {
    let (_database, connection) = database("a INT, PRIMARY KEY (a)").await;
    for change in ["TRUNCATE t", "DROP TABLE t"] {
        let mut appender = connection.appender("t").unwrap();
        appender.append_row((1,)).unwrap();
        connection.execute(change, ()).await.unwrap();
        let error = appender.finish().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    }
    let error = connection.appender("t").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[tokio::test]
async fn settings_of_the_connection_count() {
    let (_database, connection) = database("a INT, b TEXT, PRIMARY KEY (a)").await;
    let little = AppenderOptions::new().memory(10_000);
    let mut appender = connection.appender_with("t", little).unwrap();
    assert_eq!(appender.settings.durability, Durability::Sync);
    assert_eq!(appender.settings.memory, 10_000);
    appender.append_row((1, "a")).unwrap();
    assert_eq!(appender.finish().await.unwrap(), 1);
    connection
        .execute("SET halite.durability = 'buffered'", ())
        .await
        .unwrap();
    let appender = connection.appender("t").unwrap();
    assert_eq!(appender.settings.durability, Durability::Buffered);
    let sync = AppenderOptions::new().durability(Durability::Sync);
    let appender = connection.appender_with("t", sync).unwrap();
    assert_eq!(appender.settings.durability, Durability::Sync);
}

#[tokio::test]
async fn a_flush_that_waits_for_another_writer_can_be_given_up() {
    let (_database, connection) = database("a INT, PRIMARY KEY (a)").await;
    let mut appender = connection.appender("t").unwrap();
    appender.append_row((1,)).unwrap();
    let other = appender.table.writer().lock().acquire().await;
    tokio::select! {
        biased;
        written = appender.flush() => panic!("written: {written:?}"),
        () = std::future::ready(()) => {}
    }
    drop(other);
    assert_eq!((appender.pending(), count(&connection).await), (1, 0));
    appender.append_row((2,)).unwrap();
    assert_eq!(appender.finish().await.unwrap(), 2);
    assert_eq!(count(&connection).await, 2);
}

#[tokio::test]
async fn after_a_flush_that_was_given_up_nobody_is_told_that_its_rows_are_written() {
    let (_database, connection) = database("a INT, PRIMARY KEY (a)").await;
    let mut appender = connection.appender("t").unwrap();
    for a in 0..20_000 {
        appender.append_row((a,)).unwrap();
    }
    tokio::select! {
        biased;
        written = appender.flush() => panic!("written before it could be given up: {written:?}"),
        () = std::future::ready(()) => {}
    }
    for error in [
        appender.append_row((20_000,)).unwrap_err(),
        appender.flush().await.unwrap_err(),
        appender.finish().await.unwrap_err(),
    ] {
        assert!(error.message().contains("a flush was given up"), "{error}");
    }
    let rows = count(&connection).await;
    assert!(rows == 0 || rows == 20_000, "{rows}");
}
