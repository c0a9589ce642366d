use chrono::{NaiveDate, TimeZone, Utc};

use super::MAX_PARAMETERS;
use crate::error::{ErrorKind, Result};
use crate::session::testing::{plain, texts};
use crate::session::{Connection, Database, NamedParameters, ScalarValue};
use crate::sql::parse::parse;
use crate::{named_params, params};

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let create = "CREATE TABLE t (a INT, b TEXT NULL, ts TIMESTAMP(3) NULL, d DOUBLE NULL, f BOOLEAN NULL, x BYTEA NULL, \
                  PRIMARY KEY (a))";
    connection.execute(create, ()).await.unwrap();
    connection
}

fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    error.to_string()
}

#[tokio::test]
async fn values_of_every_type_go_in_and_come_out() {
    let connection = connection().await;
    let ts = NaiveDate::from_ymd_opt(2024, 1, 31)
        .unwrap()
        .and_hms_milli_opt(1, 2, 3, 4)
        .unwrap();
    let insert = "INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6)";
    let all = params![1, "ä", ts, 0.5, true, b"\x00\xff"];
    assert_eq!(connection.execute(insert, all).await.unwrap(), 1);
    let nulls = params![
        2_u8,
        None::<&str>,
        None::<i64>,
        None::<f64>,
        None::<bool>,
        None::<Vec<u8>>
    ];
    let prepared = connection.prepare(insert).await.unwrap();
    assert_eq!(prepared.execute(nulls).await.unwrap(), 1);
    let others = params![
        3_i64,
        "",
        Utc.from_utc_datetime(&ts),
        2_f32,
        false,
        vec![1_u8]
    ];
    assert_eq!(prepared.execute(others).await.unwrap(), 1);
    for condition in [
        "b = ? AND ts = ? AND d = ? AND f = ? AND x = ?",
        "b = $1 AND ts = $2 AND d = $3 AND f = $4 AND x = $5",
    ] {
        let select = format!("SELECT a FROM t WHERE {condition}");
        let found = connection
            .query_row(&select, params!["ä", ts, 0.5, true, b"\x00\xff"])
            .await;
        assert_eq!(
            found.unwrap().unwrap().get::<i64>("a").unwrap(),
            1,
            "{condition}"
        );
    }
    let sql = "SELECT count(*) FROM t WHERE ts = $1";
    for value in [
        params![ts],
        params![Utc.from_utc_datetime(&ts)],
        params!["2024-01-31T01:02:03.004"],
    ] {
        let row = connection.query_row(sql, value).await.unwrap().unwrap();
        assert_eq!(row.get::<i64>(0).unwrap(), 2);
    }
    let row = connection
        .query_row("SELECT count(*) FROM t WHERE b = $1", params![None::<&str>])
        .await;
    assert_eq!(row.unwrap().unwrap().get::<i64>(0).unwrap(), 0);
}

#[tokio::test]
async fn a_value_means_what_a_constant_means() {
    let connection = connection().await;
    connection
        .execute("INSERT INTO t (a) VALUES (2), (3)", ())
        .await
        .unwrap();
    let count = async |sql: &str, params: Vec<ScalarValue>| {
        let row = connection.query_row(sql, params).await.unwrap().unwrap();
        row.get::<i64>(0).unwrap()
    };
    let more = "SELECT count(*) FROM t WHERE a > $1";
    assert_eq!(count(more, params![2.5]).await, 1);
    assert_eq!(count(more, params![-1_i64]).await, 2);
    assert_eq!(count(more, params![1_u64 << 40]).await, 0);
    assert_eq!(
        count(
            "SELECT count(*) FROM t WHERE a IN ($1, $2, $1)",
            params![2, 7]
        )
        .await,
        1
    );
    assert_eq!(
        count("SELECT $1 + $2 + count(*) FROM t", params![10_i64, 20_i64]).await,
        32
    );
    let limited = connection
        .rows(
            "SELECT a FROM t ORDER BY a LIMIT $1 OFFSET $2",
            params![1, 1],
        )
        .await;
    assert_eq!(limited.unwrap().to_vec::<(i64,)>().unwrap(), [(3,)]);
    let sub = "SELECT count(*) FROM t WHERE a IN (SELECT a FROM t WHERE a < $1) OR a = $2";
    assert_eq!(count(sub, params![3, 3]).await, 2);
}

#[tokio::test]
async fn the_number_of_values_is_checked() {
    let connection = connection().await;
    let sql = "SELECT a FROM t WHERE a = $1 AND b = $2";
    for values in [params![], params![1], params![1, "b", 3]] {
        let expected = format!(
            "the statement has 2 parameters, and is given {}",
            values.len()
        );
        assert_eq!(
            message(connection.query(sql, values.clone()).await),
            expected
        );
        let prepared = connection.prepare(sql).await.unwrap();
        assert_eq!(message(prepared.query(values.clone()).await), expected);
        assert_eq!(message(prepared.query_row(values).map(drop)), expected);
    }
    let none = connection.execute("DELETE FROM t", params![1]).await;
    assert_eq!(
        message(none),
        "the statement has no parameters, and is given 1"
    );
    let own = connection.execute("TRUNCATE t", params![1]).await;
    assert_eq!(message(own), "this statement takes no parameters");
    let gap = connection
        .query("SELECT a FROM t WHERE a = $2", params![1])
        .await;
    assert!(message(gap).contains("has 2 parameters"));
}

#[tokio::test]
async fn a_value_of_another_kind_is_refused_by_name() {
    let connection = connection().await;
    let cases = [
        (
            "SELECT a FROM t WHERE a = $1",
            params!["1"],
            "parameter $1: Int32 is wanted, and Utf8 is given, 1",
        ),
        (
            "SELECT a FROM t WHERE b = $1",
            params![1],
            "parameter $1: Utf8 is wanted, and Int32 is given, 1",
        ),
        (
            "SELECT a FROM t WHERE a = 1 AND ts < $1",
            params![1],
            "parameter $1: ",
        ),
        (
            "SELECT a FROM t WHERE ts < $1",
            params!["noon"],
            "parameter $1: 'noon' cannot be read as Timestamp",
        ),
        (
            "SELECT a FROM t WHERE x = $1",
            params!["00"],
            "parameter $1: Binary is wanted",
        ),
        (
            "SELECT a FROM t WHERE a = $name",
            params![1],
            "the parameters of the statement have names, as $name",
        ),
    ];
    for (sql, values, expected) in cases {
        let error = message(connection.execute(sql, values).await);
        assert!(error.contains(expected), "{sql}: {error}");
    }
    let mixed = connection
        .query("SELECT a FROM t WHERE a = ? AND b = $2", params![1, ""])
        .await;
    assert!(message(mixed).contains("both ? and $2"));
    let text = connection
        .query_row("SELECT '?' AS q, ? AS p -- ?", params![1])
        .await;
    assert_eq!(
        text.unwrap().unwrap().to::<(String, i64)>().unwrap(),
        ("?".to_owned(), 1)
    );
}

#[tokio::test]
async fn parameters_have_names() {
    let connection = connection().await;
    let sql = "SELECT $b AS b, $a AS a, $b AS c";
    let row = connection
        .query_row(sql, named_params! { "a" => 1_i64, "$b" => "y" })
        .await
        .unwrap();
    let row: (String, i64, String) = row.unwrap().to().unwrap();
    assert_eq!(row, ("y".to_owned(), 1, "y".to_owned()));
    let prepared = connection
        .prepare("SELECT CAST($a AS BIGINT) + CAST($c AS BIGINT) AS sum")
        .await
        .unwrap();
    for n in [1_i64, 2] {
        let row = prepared.query_row(named_params! { "c" => n, "a" => 10_i64 });
        assert_eq!(row.unwrap().unwrap().get::<i64>("sum").unwrap(), 10 + n);
    }
    let error =
        async |sql: &str, params: NamedParameters| message(connection.query(sql, params).await);
    for (sql, params, expected) in [
        ("SELECT $a", named_params! {}, "parameter $a has no value"),
        (
            "SELECT $a",
            named_params! { "a" => 1, "b" => 2 },
            "there is no parameter $b in the statement; it has $a",
        ),
        (
            "SELECT $a",
            named_params! { "a" => 1, "a" => 2 },
            "parameter $a is given twice",
        ),
        (
            "SELECT ?",
            named_params! { "a" => 1 },
            "the parameters of the statement have no names",
        ),
        ("SELECT $a, $1", named_params! {}, "both $a and $1"),
        ("SELECT ?, $a", named_params! {}, "both ? and $a"),
    ] {
        let told = error(sql, params).await;
        assert!(told.contains(expected), "{sql}: {told}");
    }
}

/// Fails as soon as DataFusion counts the values: then only their types are left to be checked.
#[tokio::test]
async fn canary() {
    let sql = "SELECT a FROM (VALUES (1), (2)) t (a) WHERE a = $1";
    let session = plain();
    let bound = async |values: Vec<ScalarValue>| {
        let frame = session.sql(sql).await.unwrap();
        frame.with_param_values(values)
    };
    let too_many = bound(params![2, 3]).await.unwrap().collect().await;
    assert_eq!(texts(&too_many.unwrap()), ["2"]);
    let none = session.sql(sql).await.unwrap().collect().await;
    let late = none.unwrap_err().strip_backtrace();
    assert!(late.contains("Placeholder '$1' was not provided"), "{late}");
}

/// A look at all names for each would take a minute.
#[test]
fn names_of_many_parameters_are_numbered_at_once() {
    let list = |written: fn(usize) -> String, count: usize| {
        let parameters: Vec<String> = (0..count).map(written).collect();
        parse(&format!(
            "SELECT a FROM t WHERE a IN ({})",
            parameters.join(", ")
        ))
    };
    let named = |n: usize| format!("$p{n}");
    let start = std::time::Instant::now();
    let parsed = list(named, MAX_PARAMETERS).unwrap();
    assert!(start.elapsed().as_secs() < 15, "{:?}", start.elapsed());
    let names = &parsed[0].names;
    assert_eq!(names.len(), MAX_PARAMETERS);
    assert!(
        names
            .iter()
            .enumerate()
            .all(|(n, name)| *name == format!("p{n}"))
    );
    for written in [named, |_| "?".to_owned()] {
        let error = list(written, MAX_PARAMETERS + 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotSupported);
        assert!(
            error.message().ends_with("more than 65535 parameters"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_number_of_a_parameter_has_a_bound() {
    let connection = connection().await;
    let greatest = connection.prepare("SELECT $65535").await.unwrap();
    let given = message(greatest.query(params![1]).await);
    assert!(
        given.contains("65535 parameters, and is given 1"),
        "{given}"
    );
    let beyond = message(connection.prepare("SELECT $65536").await.map(drop));
    assert!(
        beyond.contains("parameter $65536: the greatest number of a parameter is 65535"),
        "{beyond}"
    );
    let zero = connection.prepare("SELECT $0").await.map(drop).unwrap_err();
    assert!(
        zero.message().contains("zero is not a valid index"),
        "{zero}"
    );
}
