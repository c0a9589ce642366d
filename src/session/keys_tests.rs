//! What `keys('t')` reads for conditions on its parts and on whole keys, and that it finds what reading all of it finds.

use arrow::datatypes::DataType;
use fastrand::Rng;

use super::testing::{read, texts};
use super::{Connection, Database};
use crate::keyrange::hex;
use crate::seed::seed;

const LAYOUTS: [&str; 5] = [
    "salt(4), host, ts DESC, n",
    "bucket(4, host), date_trunc('hour', ts), host NULLS FIRST, ts, n",
    "md5(host), reverse_digits(n), ts, host",
    "hash(host) DESC, left(host, 3), n % 10, n DESC, ts, host",
    "'k', CAST(ts AS DATE) DESC, reverse(host), n / 10, n, ts",
];

async fn connection(layout: &str) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let script = format!(
        "CREATE TABLE t (host TEXT, ts TIMESTAMP(3), n INT, note TEXT, PRIMARY KEY ({layout}));
         INSERT INTO t SELECT 'web-' || (value % 7), to_timestamp_seconds(1704067200 + value * 60), value, 'x'
         FROM generate_series(0, 999);"
    );
    connection.execute_script(&script).await.unwrap();
    connection
}

/// The columns of the keys.
async fn columns(connection: &Connection) -> Vec<String> {
    let none = connection
        .stream("SELECT * FROM keys('t') LIMIT 0", ())
        .await
        .unwrap();
    let schema = none.schema();
    schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect()
}

#[tokio::test]
async fn conditions_on_stored_parts_are_answered_as_by_reading_all() {
    for layout in LAYOUTS {
        let connection = connection(layout).await;
        for column in columns(&connection).await {
            let column = format!("\"{column}\"");
            let some =
                format!("SELECT {column} FROM keys('t') ORDER BY row_key LIMIT 1 OFFSET 500");
            let value = connection.query_row(&some, ()).await.unwrap().unwrap();
            let value = value.scalar(0).unwrap();
            for condition in [
                "= $1",
                "<> $1",
                "< $1",
                "<= $1",
                "> $1",
                ">= $1",
                "IN ($1, $1)",
                "IS NULL",
            ] {
                let sql = format!(
                    "SELECT row_key FROM keys('t') WHERE {column} {condition} ORDER BY row_key"
                );
                let params = match condition {
                    "IS NULL" => vec![],
                    _ => vec![value.clone()],
                };
                let found = connection.query(&sql, params.clone()).await.expect(&sql);
                connection
                    .execute("SET halite.pushdown = false", ())
                    .await
                    .unwrap();
                let expected = connection.query(&sql, params).await.expect(&sql);
                connection
                    .execute("SET halite.pushdown = true", ())
                    .await
                    .unwrap();
                assert_eq!(texts(&found), texts(&expected), "{layout}: {sql} {value}");
            }
        }
    }
}

/// A condition on parts, on whole keys, or on both, of values that are there.
fn condition(rng: &mut Rng, columns: &[String], rows: &[super::Row], depth: usize) -> String {
    if depth > 0 && rng.u8(..3) > 0 {
        let (one, other) = (
            condition(rng, columns, rows, depth - 1),
            condition(rng, columns, rows, depth - 1),
        );
        return match rng.u8(..5) {
            0 => format!("NOT ({one})"),
            1 => format!("({one} OR {other})"),
            _ => format!("({one} AND {other})"),
        };
    }
    let comparison = ["=", "<", "<=", ">", ">="][rng.usize(..5)];
    let row = &rows[rng.usize(..rows.len())];
    if rng.bool() {
        let mut bytes = hex(row.get::<&[u8]>("row_key").unwrap());
        // Whole, or what some begin with.
        bytes.truncate(2 * rng.usize(1..=bytes.len() / 2));
        return format!("row_key {comparison} x'{bytes}'");
    }
    let place = rng.usize(..columns.len() - 1);
    let value = row.scalar(place).unwrap();
    let value = if let Some(text) = value.try_as_str().flatten() {
        format!("'{text}'")
    } else if value.data_type().is_binary() {
        format!("x'{}'", hex(row.get::<&[u8]>(place).unwrap()))
    } else if value.data_type() == DataType::Date32 {
        format!("DATE '{value}'")
    } else if value.data_type().is_temporal() {
        format!("arrow_cast({value}, '{}')", value.data_type())
    } else {
        value.to_string()
    };
    format!("\"{}\" {comparison} {value}", columns[place])
}

/// Whatever is asked of parts and whole keys, in any order and with any limit, is answered as by reading all.
#[tokio::test]
async fn conditions_on_parts_and_whole_keys_are_answered_as_by_reading_all() {
    let mut rng = Rng::with_seed(seed());
    for layout in LAYOUTS {
        let connection = connection(layout).await;
        let columns = columns(&connection).await;
        let rows = connection.rows("SELECT * FROM keys('t')", ()).await;
        let rows: Vec<_> = rows.unwrap().iter().collect();
        let mut narrowed = 0;
        for _ in 0..60 {
            let condition = condition(&mut rng, &columns, &rows, 3);
            let sql = format!("SELECT row_key FROM keys('t') WHERE {condition} ORDER BY row_key");
            let (found, keys_read) = read(&connection, &sql).await;
            let off = connection.database().connect();
            off.execute("SET halite.pushdown = false", ())
                .await
                .unwrap();
            let (expected, _) = read(&off, &sql).await;
            assert_eq!(found.len(), expected.len(), "{layout}: {sql}");
            assert!(found == expected, "{layout}: {sql}");
            let few = format!("{sql} LIMIT 3");
            let (first, _) = read(&connection, &few).await;
            assert_eq!(first, expected[..expected.len().min(3)], "{layout}: {few}");
            narrowed += usize::from(keys_read < rows.len());
        }
        assert!(
            narrowed > 20,
            "{layout}: {narrowed} of 60 read less than all"
        );
    }
}

#[tokio::test]
async fn what_is_asked_of_keys_is_what_is_read() {
    let connection = connection(LAYOUTS[0]).await;
    let all = read(&connection, "SELECT row_key FROM keys('t')").await;
    assert_eq!((all.0.len(), all.1), (1000, 1000));
    let key = connection
        .query_row(
            "SELECT row_key, \"salt(4)\" FROM keys('t') WHERE n = 400",
            (),
        )
        .await
        .unwrap()
        .unwrap();
    let bytes = hex(key.get::<&[u8]>(0).unwrap());
    let bucket = key.get::<i32>(1).unwrap();
    let of_bucket = format!("SELECT count(*) FROM t WHERE salt(4, host, ts, n) = {bucket}");
    let (count, _) = read(&connection, &of_bucket).await;
    let in_bucket: usize = count[0].parse().unwrap();
    assert!((150..350).contains(&in_bucket), "{in_bucket}");
    for (condition, rows, keys_read) in [
        (format!("row_key = x'{bytes}'"), 1, 1),
        (format!("row_key IN (x'{bytes}', x'00')"), 1, 1),
        (
            format!("row_key = x'{bytes}' AND \"salt(4)\" <> {bucket}"),
            0,
            0,
        ),
        (format!("\"salt(4)\" = {bucket}"), in_bucket, in_bucket),
        ("\"salt(4)\" > 3".to_owned(), 0, 0),
        ("row_key >= x'04'".to_owned(), 0, 0),
        (
            format!("\"salt(4)\" = {bucket} AND host = 'web-1' AND n = 400"),
            1,
            0,
        ),
    ] {
        let sql = format!("SELECT n FROM keys('t') WHERE {condition}");
        let (found, read) = read(&connection, &sql).await;
        assert_eq!(found.len(), rows, "{sql}");
        match keys_read {
            0 if rows > 0 => assert!(read < in_bucket, "{sql}: {read}"),
            expected => assert_eq!(read, expected, "{sql}"),
        }
    }
    // Counted, and not decoded: that reads every key all the same.
    let counted = read(&connection, "SELECT count(*) FROM keys('t')").await;
    assert_eq!(counted, (vec!["1000".to_owned()], 1000));
    let few = read(&connection, "SELECT n FROM keys('t') LIMIT 3").await;
    assert_eq!((few.0.len(), few.1), (3, 3));
}

#[tokio::test]
async fn a_salt_that_a_query_names_finds_its_bucket() {
    let connection = connection(LAYOUTS[0]).await;
    let sql = "SELECT count(*) FROM t WHERE salt(4, host, ts, n) = 2";
    let (count, keys_read) = read(&connection, sql).await;
    assert_eq!(count, [keys_read.to_string()]);
    let differing = "SELECT count(*) FROM t JOIN keys('t') AS k USING (host, ts, n) WHERE salt(4, host, ts, n) <> k.\"salt(4)\"";
    assert_eq!(read(&connection, differing).await.0, ["0"]);
    // Other columns, or in another order: another hash.
    let other = "SELECT count(*) FROM t WHERE salt(4, ts, host, n) = salt(4, host, ts, n)";
    assert_ne!(read(&connection, other).await.0, ["1000"]);
    let error = connection
        .query("SELECT salt(4) FROM t", ())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("salt(16, a, b)"), "{error}");
}

#[tokio::test]
async fn keys_are_decoded() {
    let connection = connection(LAYOUTS[1]).await;
    let sql = "SELECT count(*) FROM keys('t') WHERE decode_key('t', row_key) LIKE '/_/2024-01-01%/web-_/2024%/' || n";
    assert_eq!(read(&connection, sql).await.0, ["1000"]);
    let begun = connection
        .query_row("SELECT decode_key('t', x'03') AS k", ())
        .await;
    assert_eq!(begun.unwrap().unwrap().get::<&str>("k").unwrap(), "/3/*");
    for (sql, expected) in [
        ("SELECT decode_key('nosuch', x'03')", "nosuch"),
        (
            "SELECT decode_key('t', x'0301')",
            "x'0301' is no key of table `t`",
        ),
        ("SELECT decode_key('t', 7)", "decode_key takes"),
    ] {
        let error = connection.query(sql, ()).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{sql}: {error}");
    }
}
