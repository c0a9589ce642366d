//! What INSERT says of values that do not fit, whichever way they come.

use arrow::util::display::array_value_to_string;
use datafusion::common::ScalarValue;

use crate::error::ErrorKind;
use crate::session::{Connection, Database};

const TABLES: &str = "
    CREATE TABLE t (a SMALLINT, d DATE NULL, n DECIMAL(5,2), v VARCHAR(3), c CHAR(2), ts TIMESTAMP(3), b BOOLEAN,
                    x BYTEA, r DOUBLE, PRIMARY KEY (a));
    CREATE TABLE s (id INT, big BIGINT, txt TEXT, yes BOOLEAN, PRIMARY KEY (id));
    INSERT INTO s VALUES (1, 5, '2024-01-01', true), (2, 99999, 'zzz', false)";

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    run(&connection, TABLES).await.unwrap();
    connection
}

async fn run(connection: &Connection, script: &str) -> crate::error::Result<()> {
    for statement in connection.script(script)? {
        connection.run(&statement).await?;
    }
    Ok(())
}

async fn values(connection: &Connection, query: &str) -> Vec<String> {
    let batches = connection.query(query, Vec::new()).await.unwrap();
    let mut values = Vec::new();
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let cells = batch
                .columns()
                .iter()
                .map(|column| array_value_to_string(column, row).unwrap());
            values.push(cells.collect::<Vec<_>>().join("|"));
        }
    }
    values
}

/// The statement and what it must say; nothing may be written.
const REFUSED: &[(&str, &str)] = &[
    (
        "INSERT INTO t (a) VALUES (99999)",
        "row 1: table `t`: column `a` of type SMALLINT cannot hold 99999: it is out of range",
    ),
    (
        "INSERT INTO t (a, d) VALUES (1, '2024-01-01'), (2, '2024-13-01')",
        "row 2: table `t`: column `d` of type DATE cannot hold '2024-13-01': it is no date such as 2024-01-31",
    ),
    (
        "INSERT INTO t (d, a) VALUES ('2024-01-01', 1), ('', 2)",
        "row 2: table `t`: column `d` of type DATE cannot hold '': it is no date such as 2024-01-31",
    ),
    (
        "INSERT INTO t (a, r) VALUES (1, 'inf'), (2, '1e400')",
        "row 2: table `t`: column `r` of type DOUBLE cannot hold '1e400': it is out of range",
    ),
    (
        "INSERT INTO t (a, d) VALUES (1, 19000)",
        "row 1: table `t`: column `d` of type DATE cannot hold 19000: it is not the same kind of value",
    ),
    (
        "INSERT INTO t (a, ts) SELECT id, id + 1 FROM s",
        "table `t`: column `ts` of type TIMESTAMP(3) cannot hold values of type Int64: it is not the same kind of value",
    ),
    (
        "INSERT INTO t (a, n) VALUES (1, 999.99), (2, 1000)",
        "row 2: table `t`: column `n` of type DECIMAL(5, 2) cannot hold 1000: it is out of range",
    ),
    (
        "INSERT INTO t (a, n) VALUES (1, 'abc')",
        "row 1: table `t`: column `n` of type DECIMAL(5, 2) cannot hold 'abc': it is no number",
    ),
    (
        "INSERT INTO t (a, v) VALUES (1, 'abcd')",
        "row 1: table `t`: column `v` of type VARCHAR(3) cannot hold 'abcd': it has more than 3 characters",
    ),
    (
        "INSERT INTO t (a, c) VALUES (1, 'abc')",
        "row 1: table `t`: column `c` of type CHAR(2) cannot hold 'abc': at most 2 bytes of UTF-8 are possible, none \
         of them 00",
    ),
    (
        "INSERT INTO t (a) VALUES (1), (NULL)",
        "row 2: table `t`: column `a` is NOT NULL and is given NULL",
    ),
    (
        "INSERT INTO t (v) VALUES ('abc')",
        "row 1: table `t`: column `a` is NOT NULL and is given NULL",
    ),
    (
        "INSERT INTO t (a) VALUES ('1.5')",
        "row 1: table `t`: column `a` of type SMALLINT cannot hold '1.5': it is no whole number",
    ),
    (
        "INSERT INTO t (a) VALUES (1 + 99999)",
        "row 1: table `t`: column `a` of type SMALLINT cannot hold 100000: it is out of range",
    ),
    (
        "INSERT INTO t (a, ts) VALUES (1, 'yesterday')",
        "row 1: table `t`: column `ts` of type TIMESTAMP(3) cannot hold 'yesterday': it is no timestamp such as \
         2024-01-31 05:06:07, or out of range",
    ),
    (
        "INSERT INTO t (a, b) VALUES (1, 'maybe')",
        "row 1: table `t`: column `b` of type BOOLEAN cannot hold 'maybe': it is neither true nor false",
    ),
    (
        "INSERT INTO t (a, r) VALUES (1, 'one')",
        "row 1: table `t`: column `r` of type DOUBLE cannot hold 'one': it is no number",
    ),
    (
        "INSERT INTO t (a, x) VALUES (1, 5)",
        "row 1: table `t`: column `x` of type BYTEA cannot hold 5: it is not the same kind of value",
    ),
    (
        "INSERT INTO t (a, d) VALUES (1, NULL), (2, true)",
        "row 2: table `t`: column `d` of type DATE cannot hold true: it is not the same kind of value",
    ),
    (
        "INSERT INTO t (a) SELECT big FROM s",
        "table `t`: column `a` of type SMALLINT cannot hold 99999: it is out of range",
    ),
    (
        "INSERT INTO t (a, d) SELECT id, txt FROM s WHERE id = 2",
        "table `t`: column `d` of type DATE cannot hold 'zzz': it is no date such as 2024-01-31",
    ),
    (
        "INSERT INTO t (a) SELECT max(l.big) FROM s AS l JOIN s AS r ON l.txt = r.txt GROUP BY l.id ORDER BY l.id",
        "table `t`: column `a` of type SMALLINT cannot hold 99999: it is out of range",
    ),
    (
        "INSERT INTO t (a, x) SELECT id, big FROM s",
        "table `t`: column `x` of type BYTEA cannot hold values of type Int64: it is not the same kind of value",
    ),
    (
        "INSERT INTO t (a, d) SELECT id, yes FROM s",
        "table `t`: column `d` of type DATE cannot hold `yes` of type Boolean: it is not the same kind of value",
    ),
    (
        "REPLACE INTO t (a) VALUES (70000)",
        "row 1: table `t`: column `a` of type SMALLINT cannot hold 70000: it is out of range",
    ),
    (
        "PREPARE p AS INSERT INTO t (a, d) VALUES ($1, $2); EXECUTE p(99999, '2024-01-01')",
        "row 1: table `t`: column `a` of type SMALLINT cannot hold 99999: it is out of range",
    ),
    (
        "PREPARE p AS INSERT INTO t (a, d) VALUES ($1, $2); EXECUTE p(9, '2024-01-01', 4)",
        "the prepared statement `p` has 2 parameters, 3 are given",
    ),
    (
        "PREPARE p(INT) AS INSERT INTO t (a) VALUES ($1); EXECUTE p(99999)",
        "row 1: table `t`: column `a` of type SMALLINT cannot hold 99999: it is out of range",
    ),
    (
        "INSERT INTO t VALUES (1, NULL)",
        "row 1: table `t`: 2 values are given for 9 columns",
    ),
    (
        "INSERT INTO t (a) VALUES (1), (2, 3)",
        "row 2: table `t`: 2 values are given for 1 column",
    ),
    (
        "INSERT INTO t (a) SELECT id, big FROM s",
        "table `t`: the query gives 2 columns for 1 column",
    ),
    (
        "INSERT INTO t (a, zz) VALUES (1, 2)",
        "table `t` has no column `zz`; its columns are `a`, `d`, `n`, `v`, `c`, `ts`, `b`, `x`, `r`",
    ),
    (
        "INSERT INTO t (a, a) VALUES (1, 2)",
        "table `t`: column `a` is named twice",
    ),
];

#[tokio::test]
async fn what_a_column_cannot_hold_is_named_and_not_written() {
    for (sql, expected) in REFUSED {
        let connection = connection().await;
        let error = run(&connection, sql).await.expect_err(sql);
        assert_eq!(error.to_string(), *expected, "{sql}");
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{sql}");
        assert_eq!(
            values(&connection, "SELECT count(*) FROM t").await,
            ["0"],
            "{sql}"
        );
    }
}

#[tokio::test]
async fn parameters_are_converted_to_the_types_of_columns() {
    let connection = connection().await;
    let statement =
        "INSERT INTO t (a, d, n, ts) VALUES ($1, $2, $3, $4), (2, '2024-02-29', 2.5, NULL)";
    let params = |a: i64, d: &str| {
        vec![
            ScalarValue::from(a),
            ScalarValue::from(d),
            ScalarValue::from(1.25),
            ScalarValue::from("3001-01-01T00:00:00.5"),
        ]
    };
    let refused = [
        (
            params(40_000, "2024-01-01"),
            "row 1: table `t`: column `a` of type SMALLINT cannot hold 40000: it is out of range",
        ),
        (
            params(1, "2024-02-30"),
            "row 1: table `t`: column `d` of type DATE cannot hold '2024-02-30': it is no date such as 2024-01-31",
        ),
    ];
    let prepared = connection.prepare(statement).await.unwrap();
    for (params, expected) in refused {
        let error = connection
            .execute(statement, params.clone())
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
        let error = prepared.execute(params).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(
        connection
            .execute(statement, params(1, "2024-01-01"))
            .await
            .unwrap(),
        2
    );
    let rows = "SELECT a, d, n, ts FROM t ORDER BY a";
    let expected = [
        "1|2024-01-01|1.25|3001-01-01T00:00:00.500",
        "2|2024-02-29|2.50|",
    ];
    assert_eq!(values(&connection, rows).await, expected);
    run(&connection, "DELETE FROM t").await.unwrap();
    assert_eq!(prepared.execute(params(1, "2024-01-01")).await.unwrap(), 2);
    assert_eq!(values(&connection, rows).await, expected);
}

/// A parameter of another type beside exact values leaves these exact.
#[tokio::test]
async fn parameters_do_not_round_their_neighbours() {
    let connection = connection().await;
    let sql = "INSERT INTO s (id, big) VALUES (10, $1), (11, 9007199254740993), (12, $2)";
    let params = vec![
        ScalarValue::from(1.0),
        ScalarValue::from("9007199254740995"),
    ];
    assert_eq!(connection.execute(sql, params).await.unwrap(), 3);
    let stored = values(&connection, "SELECT big FROM s WHERE id >= 10 ORDER BY id").await;
    assert_eq!(stored, ["1", "9007199254740993", "9007199254740995"]);
}

/// The type of a branch or of a UNION is known only when all of them have been made alike.
#[tokio::test]
async fn what_a_query_gives_is_converted_whatever_it_is_made_of() {
    let connection = connection().await;
    for insert in [
        "INSERT INTO s (id, big) SELECT id + 10, CASE WHEN id > 1 THEN id ELSE 0 END FROM s",
        "INSERT INTO t (a, r) SELECT id, CASE WHEN id > 1 THEN id * 1e0 ELSE 0.5 END FROM s WHERE id < 10",
        "INSERT OR REPLACE INTO t (a, ts) SELECT id, coalesce(CAST(NULL AS TIMESTAMP(3)), DATE '2024-01-01') FROM s WHERE id = 2",
        "INSERT INTO t (a, r) SELECT id + 20, 7 FROM s WHERE id = 1 UNION ALL SELECT 22, 2.5",
    ] {
        run(&connection, insert).await.expect(insert);
    }
    let stored = values(
        &connection,
        "SELECT id, big FROM s WHERE id > 10 ORDER BY id",
    )
    .await;
    assert_eq!(stored, ["11|0", "12|2"]);
    let stored = values(&connection, "SELECT a, r, ts FROM t ORDER BY a").await;
    assert_eq!(
        stored,
        ["1|0.5|", "2|2.0|2024-01-01T00:00:00", "21|7.0|", "22|2.5|"]
    );
}

/// As in Postgres and DuckDB. A cast would cut the digits off.
#[tokio::test]
async fn numbers_are_rounded_on_their_way_into_whole_ones() {
    let connection = connection().await;
    let create = "CREATE TABLE w (v TEXT PRIMARY KEY, a SMALLINT)";
    run(&connection, create).await.unwrap();
    let insert = "INSERT INTO w (a, v) VALUES (1.5, 'a'), (-2.5, 'b'), (4.49, 'c'), (32766.5, 'd')";
    run(&connection, insert).await.unwrap();
    let insert = "INSERT INTO w (a, v) SELECT x * 1e0, 'e' || CAST(x AS TEXT) FROM unnest(make_array(6.5, -7.5, 9.51)) AS s (x)";
    run(&connection, insert).await.unwrap();
    let stored = values(&connection, "SELECT a, left(v, 1) FROM w ORDER BY a").await;
    let expected = ["-8|e", "-3|b", "2|a", "4|c", "6|e", "10|e", "32767|d"];
    assert_eq!(stored, expected);
    let beyond = run(&connection, "INSERT INTO w (a, v) VALUES (32767.5, 'f')").await;
    let refused =
        "row 1: table `w`: column `a` of type SMALLINT cannot hold 32767.5: it is out of range";
    assert_eq!(beyond.unwrap_err().message(), refused);
}

/// What a cast makes of a value is what is stored.
#[tokio::test]
async fn values_that_fit_are_cast() {
    let connection = connection().await;
    let sql = "INSERT INTO t (n, a, r, b, x, v) VALUES (1.239, 2.0, 1, 'true', 'ab', 7), \
               ('2', -1e3, '1e-3', 0, X'00', 'é')";
    run(&connection, sql).await.unwrap();
    run(
        &connection,
        "INSERT INTO t (a, n, v) SELECT big, id, left(txt, 2) FROM s WHERE id = 1",
    )
    .await
    .unwrap();
    run(
        &connection,
        "PREPARE p AS INSERT INTO t (a, v) VALUES ($1, $2); EXECUTE p(8, 8); DEALLOCATE p; \
         PREPARE p AS SELECT $1; EXECUTE p(1)",
    )
    .await
    .unwrap();
    let expected = [
        "-1000|2.00|0.001|false|00|é",
        "2|1.24|1.0|true|6162|7",
        "5|1.00||||20",
        "8|||||8",
    ];
    assert_eq!(
        values(&connection, "SELECT a, n, r, b, x, v FROM t ORDER BY a").await,
        expected
    );
}

/// A text that begins with `\x` is read as bytes wherever a BYTEA is wanted, as files are read and results are shown.
#[tokio::test]
async fn hexadecimal_digits_are_bytes_everywhere() {
    let connection = connection().await;
    let script = "CREATE TABLE h (k BYTEA, v BYTEA NULL, txt TEXT NULL, PRIMARY KEY (k));
        INSERT INTO h VALUES ('\\x00ff', '\\x', '\\x00fF'), ('abc', CAST('\\x6162' AS BYTEA), 'abc'), (X'01', NULL, NULL);
        INSERT INTO h (k, v) SELECT '\\x02' || '', CAST('\\x' || '03' AS BYTEA);
        PREPARE p AS INSERT INTO h (k, v) VALUES ($1, $2);
        EXECUTE p('\\x04', '\\x05');
        PREPARE q AS SELECT count(*) FROM h WHERE v = CAST('\\x05' AS BYTEA) AND k = $1";
    run(&connection, script).await.unwrap();
    let all = values(&connection, "SELECT k, v, txt FROM h ORDER BY k").await;
    let expected = [
        "00ff||\\x00fF",
        "01||",
        "02|03|",
        "04|05|",
        "616263|6162|abc",
    ];
    assert_eq!(all, expected);
    let count = async |condition: &str| {
        let query = format!("SELECT count(*) FROM h WHERE {condition}");
        let counted = values(&connection, &query).await;
        run(&connection, "SET halite.pushdown = false")
            .await
            .unwrap();
        assert_eq!(values(&connection, &query).await, counted, "{condition}");
        run(&connection, "SET halite.pushdown = true")
            .await
            .unwrap();
        counted[0].parse::<u32>().unwrap()
    };
    for (condition, rows) in [
        ("k = '\\x00ff'", 1),
        ("'\\x00FF' = k", 1),
        ("k = '\\x' || '00ff'", 1),
        ("k = 'abc'", 1),
        ("k IN ('\\x00ff', '\\x01', 'abc', '\\x04', '\\x99')", 4),
        ("k NOT IN ('\\x00ff')", 4),
        ("k BETWEEN '\\x00ff' AND '\\x02'", 3),
        ("k > '\\x00ff'", 4),
        ("v = '\\x'", 1),
        ("v <> '\\x'", 3),
        ("k = txt", 2),
        ("k = CAST(txt AS BYTEA)", 2),
        ("k = TRY_CAST('\\x0' AS BYTEA)", 0),
        ("TRY_CAST('\\x0' AS BYTEA) IS NULL", 5),
        ("(k, v) = ('\\x04', '\\x05')", 1),
        ("CASE WHEN v IS NULL THEN '\\x07' ELSE v END = '\\x07'", 1),
        ("k IN (SELECT '\\x04')", 1),
    ] {
        assert_eq!(count(condition).await, rows, "{condition}");
    }
    assert_eq!(values(&connection, "EXECUTE q('\\x04')").await, ["1"]);
    let keys = "EXPLAIN KEYS SELECT v FROM h WHERE k = '\\x00ff'";
    assert!(values(&connection, keys).await[0].contains("point"));
    let given = connection.execute("DELETE FROM h WHERE k = '\\x00ff'", ());
    assert_eq!(given.await.unwrap(), 1);
}

#[tokio::test]
async fn a_text_that_is_no_bytea_is_refused() {
    let connection = connection().await;
    run(&connection, "INSERT INTO s VALUES (7, 7, '\\xq', true)")
        .await
        .unwrap();
    let why = "\\x is followed by two hexadecimal digits for each byte";
    for (sql, named) in [
        (
            "INSERT INTO t (a, x) VALUES (1, '\\x0')",
            "row 1: table `t`: column `x` of type BYTEA cannot hold '\\\\x0'",
        ),
        (
            "INSERT INTO t (a, x) SELECT id, txt FROM s",
            "table `t`: column `x` of type BYTEA cannot hold '\\\\xq'",
        ),
        (
            "SELECT * FROM t WHERE x = '\\x0g'",
            "'\\x0g' cannot be read as BYTEA",
        ),
        (
            "SELECT CAST(txt AS BYTEA) FROM s",
            "'\\xq' cannot be read as BYTEA",
        ),
    ] {
        let error = connection.query(sql, ()).await.map(|_| ()).unwrap_err();
        let error = if sql.starts_with("INSERT") {
            connection.execute(sql, ()).await.unwrap_err()
        } else {
            error
        };
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{sql}: {error}");
        assert_eq!(error.message(), format!("{named}: {why}"), "{sql}");
    }
}

/// What results show of a time can be inserted, also beyond the year 9999 and before the year 0.
#[tokio::test]
async fn times_beyond_four_digits_of_a_year_are_read_as_they_are_shown() {
    let connection = connection().await;
    let script = "CREATE TABLE times (k INT, d DATE, s TIMESTAMP(0), m TIMESTAMP(3), u TIMESTAMP(6), z TIMESTAMP(6) WITH TIME ZONE, PRIMARY KEY (k));
        CREATE TABLE texts (k INT, d TEXT, PRIMARY KEY (k));
        INSERT INTO times VALUES
        (1, '10000-01-01', '10000-01-01', '10000-01-01 00:00:00.5', '+10000-01-01T00:00:00.000001', '10000-01-01T00:00:00Z'),
        (2, '-0001-12-31', '-0001-12-31', '-0001-12-31T00:00:00.5', '-0001-12-31 00:00:00.000001', '-0001-12-31T00:00:00Z'),
        (3, '2024-01-31', '2024-01-31', '2024-01-31T05:06:07.5', '2024-01-31 05:06:07.000001', '2024-01-31T00:00:00+01:00');
        INSERT INTO texts VALUES (1, '2024-01-31'), (2, '+262142-12-31'), (3, '99999-12-31')";
    run(&connection, script).await.unwrap();
    let shown = values(&connection, "SELECT * FROM times ORDER BY k").await;
    assert_eq!(
        shown,
        [
            "1|+10000-01-01|+10000-01-01T00:00:00|+10000-01-01T00:00:00.500|+10000-01-01T00:00:00.000001|+10000-01-01T00:00:00Z",
            "2|-0001-12-31|-0001-12-31T00:00:00|-0001-12-31T00:00:00.500|-0001-12-31T00:00:00.000001|-0001-12-31T00:00:00Z",
            "3|2024-01-31|2024-01-31T00:00:00|2024-01-31T05:06:07.500|2024-01-31T05:06:07.000001|2024-01-30T23:00:00Z",
        ]
    );
    run(&connection, "DELETE FROM times").await.unwrap();
    for row in &shown {
        let cells: Vec<String> = row.split('|').map(|cell| format!("'{cell}'")).collect();
        let insert = format!("INSERT INTO times VALUES ({})", cells.join(", "));
        run(&connection, &insert).await.unwrap();
    }
    assert_eq!(
        values(&connection, "SELECT * FROM times ORDER BY k").await,
        shown
    );
    let copied = "INSERT INTO times SELECT k + 10, d, d AS s, d AS m, d AS u, d AS z FROM texts";
    run(&connection, copied).await.unwrap();
    let copied = values(&connection, "SELECT u FROM times WHERE k > 10 ORDER BY k").await;
    assert_eq!(
        copied,
        [
            "2024-01-31T00:00:00",
            "+262142-12-31T00:00:00",
            "+99999-12-31T00:00:00"
        ]
    );
    for wrong in ["10000-13-01", "+1000000-01-01", "10000-01-01 25:00"] {
        let insert = format!(
            "INSERT INTO times (k, d, s, m, u, z) VALUES (9, '2024-01-31', '2024-01-31', '2024-01-31', '{wrong}', '2024-01-31')"
        );
        let error = connection.execute(&insert, ()).await.unwrap_err();
        let told =
            format!("row 1: table `times`: column `u` of type TIMESTAMP(6) cannot hold '{wrong}'");
        assert!(error.message().starts_with(&told), "{error}");
    }
}
