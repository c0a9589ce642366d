use crate::session::testing::{rows_of, run, with};

/// What an expression is over the texts of a column `x`, and over the same as constants.
async fn read(zone: &str, call: &str, texts: &[&str]) -> Vec<String> {
    let connection = with(&["CREATE TABLE t (id INT PRIMARY KEY, x TEXT)"]).await;
    run(&connection, &format!("SET TIME ZONE '{zone}'"))
        .await
        .unwrap();
    let mut constants = Vec::new();
    for (id, text) in texts.iter().enumerate() {
        let sql = format!("INSERT INTO t VALUES ({id}, '{text}')");
        run(&connection, &sql).await.unwrap();
        let call = call.replace("(x", &format!("('{text}'"));
        constants.extend(rows_of(&connection, &format!("SELECT {call} AS y")).await);
    }
    let columns = rows_of(
        &connection,
        &format!("SELECT {call} AS y FROM t ORDER BY id"),
    )
    .await;
    assert_eq!(columns, constants, "{call}");
    columns
}

#[tokio::test]
async fn texts_of_columns_are_read_as_constants_are() {
    let texts = [
        "2024-07-01 12:00:00.987654321",
        "2024-01-01 12:00",
        "2024-01-01T12:00:00Z",
    ];
    for (call, first) in [
        ("to_timestamp(x)", "2024-07-01T10:00:00.987654321"),
        ("to_timestamp_seconds(x)", "2024-07-01T10:00:00"),
        ("to_timestamp_millis(x)", "2024-07-01T10:00:00.987"),
        ("to_timestamp_micros(x)", "2024-07-01T10:00:00.987654"),
        ("to_timestamp_nanos(x)", "2024-07-01T10:00:00.987654321"),
    ] {
        let call = format!("CAST({call} AT TIME ZONE 'UTC' AS TIMESTAMP(9))");
        let found = read("Europe/Berlin", &call, &texts).await;
        assert_eq!(
            found,
            [first, "2024-01-01T11:00:00", "2024-01-01T12:00:00"],
            "{call}"
        );
    }
}

#[tokio::test]
async fn a_fraction_is_what_stands_behind_the_point() {
    let texts = [
        "2024-01-01 10:00:00.5",
        "9999-12-31 23:59:59.999999",
        "0001-01-01 00:00:00.000001",
    ];
    let call = "strptime(x, '%Y-%m-%d %H:%M:%S.%f')";
    let right = [
        "2024-01-01T10:00:00.500Z",
        "9999-12-31T23:59:59.999999Z",
        "0001-01-01T00:00:00.000001Z",
    ];
    assert_eq!(read("UTC", call, &texts).await, right);
    for (call, text, right) in [
        (
            "to_timestamp(x, '%Y-%m-%d %H:%M:%S.%f')",
            "2024-01-01 10:00:00.25",
            "2024-01-01T10:00:00.250Z",
        ),
        (
            "strptime(x, '%d.%m.%Y')",
            "31.12.9999",
            "9999-12-31T00:00:00Z",
        ),
        (
            "strptime(x, '%Y-%m-%d %H:%M:%S.%n')",
            "2024-01-01 10:00:00.123456789",
            "2024-01-01T10:00:00.123456789Z",
        ),
        (
            "strptime(x, '%Y-%m-%d %H:%M:%S %z')",
            "2024-07-01 12:00:00 +0200",
            "2024-07-01T10:00:00Z",
        ),
        (
            "strptime(x, '%Y-%m-%d %H:%M:%S %Z')",
            "2024-07-01 12:00:00 Europe/Berlin",
            "2024-07-01T10:00:00Z",
        ),
        (
            "to_timestamp(x, '%d.%m.%Y', '%Y-%m-%d')",
            "2024-07-01",
            "2024-07-01T00:00:00Z",
        ),
    ] {
        assert_eq!(read("UTC", call, &[text]).await, [right], "{call}");
    }
}

#[tokio::test]
async fn what_is_not_written_so_is_told() {
    let connection = with(&[
        "CREATE TABLE t (id INT PRIMARY KEY, x TEXT)",
        "INSERT INTO t VALUES (1, '2024-01-01 10:00:00.123456789'), (2, NULL), (3, '9999-12-31')",
    ])
    .await;
    for (call, row, words) in [
        (
            "strptime(x, '%Y-%m-%d')",
            1,
            "'2024-01-01 10:00:00.123456789' is not written as '%Y-%m-%d'",
        ),
        ("strptime(x, '%Y-%m-%d %H:%M:%S.%f')", 1, "write %n"),
        ("strptime(x, 'Y-m-d')", 1, "'Y-m-d' is no format"),
        ("to_timestamp(x)", 3, "to_timestamp_micros"),
        ("strptime(x)", 1, "2 arguments"),
        ("strptime(id, '%Y')", 1, "takes a text"),
    ] {
        let sql = format!("SELECT {call} FROM t WHERE id = {row}");
        let error = run(&connection, &sql).await.expect_err(call);
        assert!(error.contains(words), "{call}: {error}");
    }
    let nulls =
        "SELECT strptime(x, '%Y'), to_timestamp(x), strptime('2024', NULL) FROM t WHERE id = 2";
    assert_eq!(rows_of(&connection, nulls).await, ["NULL|NULL|NULL"]);
}
