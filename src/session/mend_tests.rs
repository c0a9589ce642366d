//! The wrong answers of the layers below: each is shown wrong in a plain session, so that a version which mends it is
//! noticed, and right in Halite's.

use super::Database;
use super::testing::{mended, optimized, plain, plain_rows, rows, texts, try_rows};
use datafusion::prelude::SessionContext;

const TABLE: &str =
    "CREATE TABLE t (id INT, a INT, b INT, n TEXT, f BOOLEAN, big BIGINT, p DECIMAL(10,2),
    d DOUBLE, r REAL, day DATE, s0 TIMESTAMP(0), s3 TIMESTAMP(3), s9 TIMESTAMP)";

const ROWS: &str = "INSERT INTO t VALUES
    (1, 1, 2, 'a', true, 9007199254740992, 9.99, 0.1, 0.1, '2024-01-01', '2024-01-01', '2024-01-01', '2024-01-01'),
    (2, 1, NULL, NULL, false, 9007199254740993, 10, 1e300, 1.5, '2024-01-02', '2024-01-01 00:00:01',
     '2024-01-01 00:00:00.001', NULL),
    (3, NULL, 2, 'b', NULL, 9007199254740994, 10.01, 'NaN', 'NaN', '3002-01-02', '3002-01-01', '3002-01-01', NULL),
    (4, 3, 4, '', true, -9223372036854775808, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";

/// A mended and a plain session over the same MemTable.
pub(crate) async fn sessions() -> (SessionContext, SessionContext) {
    let (halite, plain) = (mended(), plain());
    for sql in [TABLE, ROWS] {
        rows(&halite, sql).await;
    }
    let table = halite.table_provider("t").await.expect("table");
    plain.register_table("t", table).expect("register");
    (halite, plain)
}

/// What the two sessions say of the ids that a predicate keeps: `right` by Halite, `wrong` (rows or an error that
/// holds the text) by DataFusion.
pub(crate) async fn shown(predicate: &str, right: &[&str], wrong: Result<&[&str], &str>) {
    let (halite, plain) = sessions().await;
    let sql = format!("SELECT id FROM t WHERE {predicate}");
    assert_eq!(rows(&halite, &sql).await, right, "Halite: {predicate}");
    match (plain_rows(&plain, &sql).await, wrong) {
        (Ok(rows), Ok(wrong)) => assert_eq!(rows, wrong, "DataFusion: {predicate}"),
        (Err(error), Err(wrong)) => {
            assert!(error.contains(wrong), "DataFusion: {predicate}: {error}")
        }
        (found, _) => panic!("DataFusion: {predicate}: {found:?}"),
    }
}

/// Rows that both sessions agree on.
pub(crate) async fn agreed(predicate: &str, right: &[&str]) {
    shown(predicate, right, Ok(right)).await;
}

#[tokio::test]
async fn w1_distinct_from_binds_like_a_comparison() {
    shown("a IS DISTINCT FROM 1 AND f", &["4"], Err("type_coercion")).await;
    shown("f IS DISTINCT FROM true AND a = 1", &["2"], Ok(&["2", "4"])).await;
    shown(
        "f IS NOT DISTINCT FROM true AND a = 1",
        &["1"],
        Ok(&["1", "3"]),
    )
    .await;
    agreed("a IS DISTINCT FROM 1", &["3", "4"]).await;
}

#[tokio::test]
async fn w2_a_typed_literal_on_the_left_is_not_lost() {
    let stamp = "TIMESTAMP '2024-01-01'";
    let predicate = format!("{stamp} = s9 AND s9 BETWEEN {stamp} AND {stamp}");
    shown(&predicate, &["1"], Ok(&[])).await;
    let predicate =
        "DATE '2024-01-01' = day AND day BETWEEN DATE '2024-01-01' AND DATE '2024-01-01'";
    shown(predicate, &["1"], Ok(&[])).await;
}

#[tokio::test]
async fn w3_lists_keep_null() {
    shown(
        "n NOT IN ('a') OR n NOT IN ('', 'b')",
        &["1", "3", "4"],
        Ok(&["1", "2", "3", "4"]),
    )
    .await;
    shown(
        "n NOT IN ('a', 'x') OR n NOT IN ('', 'b')",
        &["1", "3", "4"],
        Ok(&["1", "2", "3", "4"]),
    )
    .await;
    // The `OR` comes out of a `NOT`.
    let predicate = "NOT (n IN ('a', 'x') AND n IN ('', 'b'))";
    shown(predicate, &["1", "3", "4"], Ok(&["1", "2", "3", "4"])).await;
    // The lists meet only after the simplifier has taken out what is common.
    let predicate = "(n NOT IN ('a', 'x') AND id < 3) OR (n NOT IN ('', 'b') AND id < 3)";
    shown(predicate, &["1"], Ok(&["1", "2"])).await;
    // Written with NOT and OR, the simplifier makes lists of it.
    let predicate = "NOT (a = 1 OR a = 2) OR NOT (a = 3 OR a = 4)";
    shown(predicate, &["1", "2", "4"], Ok(&["1", "2", "3", "4"])).await;
    // A NULL among the values.
    let predicate = "a IN (1, 2, 3, 4) AND a NOT IN (2, 5, 6, NULL)";
    shown(predicate, &[], Ok(&["1", "2", "4"])).await;
    agreed("a NOT IN (3, NULL)", &[]).await;
    agreed("a IN (3, NULL)", &["4"]).await;
}

#[tokio::test]
async fn w3_lists_keep_null_where_the_truth_value_is_seen() {
    let (halite, plain) = sessions().await;
    for predicate in [
        "a IN (1, 2, 3, 4) AND a IN (5, 6, 7, 8)",
        "(a = 1 OR a = 2) AND (a = 3 OR a = 4)",
        "NOT (a NOT IN (1, 2, 3, 4) OR a NOT IN (5, 6, 7, 8))",
        "a IN (1, 2, 3, 4) AND a NOT IN (1, 2, 3, 4)",
    ] {
        let sql = format!("SELECT id, {predicate} FROM t WHERE id >= 3");
        assert_eq!(
            rows(&halite, &sql).await,
            ["3|NULL", "4|false"],
            "{predicate}"
        );
        let wrong = plain_rows(&plain, &sql).await;
        assert_eq!(
            wrong,
            Ok(vec!["3|false".to_string(), "4|false".to_string()]),
            "{predicate}"
        );
    }
    let sql = "SELECT id, n NOT IN ('a', 'x') OR n NOT IN ('', 'b') FROM t WHERE id <= 2";
    assert_eq!(rows(&halite, sql).await, ["1|true", "2|NULL"]);
    let wrong = plain_rows(&plain, sql).await;
    assert_eq!(wrong, Ok(vec!["1|true".to_string(), "2|true".to_string()]));
}

#[tokio::test]
async fn w4_wide_integers_are_exact() {
    shown("big <= -9223372036854775809", &[], Ok(&["4"])).await;
    shown(
        "big < 9223372036854775808 AND big > 0",
        &["1", "2", "3"],
        Ok(&["1", "2", "3"]),
    )
    .await;
    shown("big = 9007199254740993.0", &["2"], Ok(&["1", "2"])).await;
    let (halite, plain) = sessions().await;
    let sql = "SELECT 100000000000000000001";
    assert_eq!(rows(&halite, sql).await, ["100000000000000000001"]);
    assert_eq!(plain_rows(&plain, sql).await, Ok(vec!["1e20".to_string()]));
}

#[tokio::test]
async fn w5_a_number_with_an_exponent_is_a_double() {
    let (halite, _) = sessions().await;
    let decimals = SessionContext::new();
    let setting = "SET datafusion.sql_parser.parse_float_as_decimal = true";
    plain_rows(&decimals, setting).await.expect("setting");
    let sql = "SELECT arrow_typeof(1e10), arrow_typeof(-1.5e-3), arrow_typeof(1.5), 1e308";
    assert_eq!(
        rows(&halite, sql).await,
        ["Float64|Float64|Decimal128(2, 1)|1e308"]
    );
    let sql = "SELECT arrow_typeof(1e10)";
    assert_eq!(
        plain_rows(&decimals, sql).await,
        Ok(vec!["Decimal128(1, -10)".to_string()])
    );
    assert!(plain_rows(&decimals, "SELECT 1e308").await.is_err());
    let error = try_rows(&halite, "SELECT 1e400").await;
    assert!(error.is_err_and(|error| error.contains("1e400 is out of range for DOUBLE")));
}

#[tokio::test]
async fn w6_numbers_compare_by_value() {
    shown("p > '9.999'", &["2", "3"], Ok(&["3"])).await;
    agreed("p > 9.999", &["2", "3"]).await;
    agreed("big > 9007199254740993", &["3"]).await;
    agreed("a > 4294967296", &[]).await;
    agreed("a > -1.5", &["1", "2", "4"]).await;
    agreed("a IN (1, 2.5, 4294967296)", &["1", "2"]).await;
    agreed("a IS NOT DISTINCT FROM 2.5", &[]).await;
    // A list may mix exact values and DOUBLEs; only those are compared as DOUBLE.
    shown("big IN (9007199254740994, 1e0)", &["3"], Ok(&["3"])).await;
    shown("big IN (9007199254740993, 1e0)", &["2"], Ok(&["1", "2"])).await;
    agreed("big = 9007199254740993e0", &["1", "2"]).await;
}

#[tokio::test]
async fn w7_rows_compare_value_by_value() {
    shown("(a, b) < (1, 3)", &["1"], Ok(&["1", "2", "3"])).await;
    shown("(a, b) IN ((1, NULL), (3, 4))", &["4"], Ok(&["2", "4"])).await;
    shown("(a, b) NOT IN ((1, NULL), (3, 4))", &[], Ok(&["1", "3"])).await;
    shown("(a, b) NOT IN ((1, 2))", &["4"], Ok(&["2", "3", "4"])).await;
    shown("(a, b) <> (1, 2)", &["4"], Ok(&["2", "3", "4"])).await;
    shown("(a, b) = (1, NULL)", &[], Ok(&["2"])).await;
    shown(
        "ROW(a, b) BETWEEN ROW(1, 0) AND ROW(3, 4)",
        &["1", "4"],
        Ok(&["1", "4"]),
    )
    .await;
    shown(
        "(a, b) NOT BETWEEN (1, 3) AND (3, 4)",
        &["1"],
        Ok(&["1", "2", "3"]),
    )
    .await;
    shown("(1, b) >= (a, 2)", &["1"], Ok(&["1", "3"])).await;
    agreed("(a, b) IS NOT DISTINCT FROM (1, NULL)", &["2"]).await;
    let refused = Err("Only identifiers and literals are supported in tuples");
    shown("(-1, b) < (a, 3)", &["1", "2", "4"], refused).await;
    shown(
        "(s3, a) > (TIMESTAMP '2024-01-01', 0)",
        &["1", "2", "3"],
        refused,
    )
    .await;
}

#[tokio::test]
async fn w7_rows_of_expressions_compare_wherever_they_stand() {
    let (halite, _) = sessions().await;
    // DataFusion names a tuple that begins with an expression, and drops names only from a WHERE.
    for (sql, right) in [
        (
            "SELECT id FROM t GROUP BY id, a, b HAVING (a, b) >= (-1, 3)",
            vec!["1", "2", "4"],
        ),
        (
            "SELECT count(*) FROM t WHERE NOT ((p, s3) = (-1.00001, TIMESTAMP '1969-12-31'))",
            vec!["3"],
        ),
    ] {
        assert_eq!(rows(&halite, sql).await, right, "{sql}");
    }
    let sql = "SELECT id, (a, b) NOT IN ((-1, NULL), (3, 4)) FROM t";
    let plan = optimized(&halite, sql).await;
    assert!(!plan.contains("Struct("), "{plan}");
}

#[tokio::test]
async fn w7_rows_nest_and_take_parameters() {
    let (halite, _) = sessions().await;
    let sql = "SELECT id FROM t WHERE ((a, b), id) > ((1, 1), 9)";
    assert_eq!(rows(&halite, sql).await, ["1", "4"]);
    for statement in [
        "PREPARE above AS SELECT id FROM t WHERE (a, b) > ($1, $2)",
        "PREPARE one_of AS SELECT id FROM t WHERE (a, b) IN (($1, $2), (3, 4))",
        "PREPARE constant AS SELECT id FROM t WHERE (a, b) < (1, 3) AND id > $1",
    ] {
        rows(&halite, statement).await;
    }
    assert_eq!(rows(&halite, "EXECUTE above(1, 1)").await, ["1", "4"]);
    assert_eq!(rows(&halite, "EXECUTE one_of(1, NULL)").await, ["4"]);
    assert_eq!(rows(&halite, "EXECUTE constant(0)").await, ["1"]);
    let error = try_rows(&halite, "SELECT id FROM t WHERE (a, b) IN ((1, 2, 3))").await;
    assert!(error.is_err_and(|error| {
        error.contains("a row of 2 values cannot be compared with a row of 3")
    }));
    let error = try_rows(&halite, "SELECT id FROM t WHERE (random(), a) < (0.5e0, 1)").await;
    assert!(error.is_err_and(|error| error.contains("changes with every call")));
}

#[tokio::test]
async fn doubles_meet_decimals_as_doubles() {
    // DataFusion with the same setting for literals casts the column to DECIMAL(30,15) on every row.
    let (halite, _) = sessions().await;
    let decimals = SessionContext::new();
    let setting = "SET datafusion.sql_parser.parse_float_as_decimal = true";
    plain_rows(&decimals, setting).await.expect("setting");
    let table = halite.table_provider("t").await.expect("table");
    decimals.register_table("t", table).expect("register");
    for (predicate, right) in [
        ("d > 0.5", vec!["2", "3"]),
        ("d = 0.1", vec!["1"]),
        ("d IN (0.1, 7)", vec!["1"]),
        ("d BETWEEN 0.1 AND 1.5", vec!["1"]),
        ("0.5 < d", vec!["2", "3"]),
        ("d IS DISTINCT FROM 0.1", vec!["2", "3", "4"]),
        (
            "(d, id) IN ((0.1, 1), (1e300, 2), (NULL, 3))",
            vec!["1", "2"],
        ),
    ] {
        let sql = format!("SELECT id FROM t WHERE {predicate}");
        assert_eq!(rows(&halite, &sql).await, right, "{predicate}");
        let plain = plain_rows(&decimals, &sql).await;
        assert!(plain.is_err(), "{predicate}: {plain:?}");
    }
    assert_eq!(rows(&halite, "SELECT id FROM t WHERE r = 0.1").await, ["1"]);
    assert_eq!(
        rows(&halite, "SELECT id FROM t WHERE p = 10e0").await,
        ["2"]
    );
    // The digits that a DOUBLE is shown with are the DOUBLE.
    let sql =
        "SELECT count(*) FROM (VALUES (12345678.123456789e0)) v(x) WHERE x = 12345678.123456789";
    assert_eq!(rows(&halite, sql).await, ["1"]);
    let sql = "SELECT CAST(0.12345678901234568 AS DOUBLE)";
    assert_eq!(rows(&halite, sql).await, ["0.12345678901234568"]);
}

#[tokio::test]
async fn zeros_and_nans_are_one_constant() {
    let (halite, _) = sessions().await;
    let text = optimized(
        &halite,
        "SELECT id FROM t WHERE d = -0e0 AND d IN (-0e0, 1e0, 2e0, 3e0, 4e0)",
    )
    .await;
    assert!(!text.contains("-0"), "{text}");
    // Both are `d = 0`: the one simplifies to the other, and not to false.
    let text = optimized(&halite, "SELECT id FROM t WHERE d = -0e0 AND d = 0e0").await;
    assert!(text.contains("t.d = Float64(0)"), "{text}");
    let sql = "SELECT id FROM t WHERE d = -CAST('NaN' AS DOUBLE)";
    assert_eq!(rows(&halite, sql).await, ["3"]);
}

#[tokio::test]
async fn names_of_columns_stay() {
    let (halite, plain) = sessions().await;
    for sql in [
        "SELECT a > 4294967296, (a, b) < (1, 2), s3 = '2024-01-01' FROM t",
        "SELECT count(*) FROM t GROUP BY (a, b) < (1, 2)",
        "SELECT a > 4294967296, count(*) FROM t GROUP BY ROLLUP (a > 4294967296, n IN ('a', NULL))",
        "SELECT character_length(n) > 2, (a, b) < row(1, 2) FROM t",
    ] {
        let names = |session: &SessionContext| {
            let session = session.clone();
            async move {
                let frame = session.sql(sql).await.expect("plan");
                let names = frame.schema().field_names();
                frame.collect().await.expect("run");
                names
            }
        };
        assert_eq!(names(&halite).await, names(&plain).await);
    }
}

#[tokio::test]
async fn casts_that_change_the_value_stay_where_they_are() {
    // 9.99, 10 and 10.01 are rounded to 10.
    let all = ["1", "2", "3"];
    shown("CAST(p AS INT) = 10", &all, Ok(&["2"])).await;
    shown("10 = CAST(p AS INT)", &all, Ok(&["2"])).await;
    shown("CAST(p AS INT) <> 10", &[], Ok(&["1", "3"])).await;
    shown("NOT (CAST(p AS INT) = 10)", &[], Ok(&["1", "3"])).await;
    agreed("CAST(p AS INT) IN (9, 11)", &[]).await;
    shown("10 IN (CAST(p AS INT), 7)", &all, Ok(&["2", "3"])).await;
    agreed("CAST(p AS INT) NOT IN (9, 11)", &all).await;
    let between = "CAST(p AS INT) BETWEEN 10 AND 10";
    shown(between, &all, Ok(&["2"])).await;
    let wrong = ["1", "3", "4"];
    let distinct = "CAST(p AS INT) IS DISTINCT FROM 10";
    shown(distinct, &["4"], Ok(&wrong)).await;
    let rounded = "CAST(p AS DECIMAL(10,0)) = 10";
    shown(rounded, &all, Ok(&["2"])).await;
    let twice = "CAST(CAST(p AS INT) AS BIGINT) = 10";
    shown(twice, &all, Ok(&["2"])).await;
    // The constant, or the cast, comes to light in the simplifier.
    let late = "CAST(p AS INT) = CASE WHEN true THEN 10 ELSE id END";
    shown(late, &all, Ok(&["2"])).await;
    let late = "CASE WHEN true THEN CAST(p AS INT) ELSE id END = 10";
    shown(late, &all, Ok(&["2"])).await;
    // The simplifier takes this cast off too, and may: it keeps the value.
    agreed("CAST(a AS BIGINT) = 1", &["1", "2"]).await;
    let (halite, _) = sessions().await;
    let sql = "SELECT id FROM t WHERE CAST(a AS BIGINT) = 1";
    let plan = optimized(&halite, sql).await;
    assert!(plan.contains("t.a = Int32(1)"), "{plan}");
}

#[tokio::test]
async fn casts_that_give_null_stay_where_they_are() {
    shown("TRY_CAST(big AS INT) > 1", &[], Ok(&["1", "2", "3"])).await;
    let all = ["1", "2", "3", "4"];
    shown("TRY_CAST(big AS INT) <> 1", &[], Ok(&all)).await;
    shown("TRY_CAST(big AS INT) NOT IN (1, 2)", &[], Ok(&all)).await;
    let distinct = "TRY_CAST(big AS INT) IS NOT DISTINCT FROM 1";
    agreed(distinct, &[]).await;
    agreed("TRY_CAST(big AS INT) IS DISTINCT FROM 1", &all).await;
    let rounded = ["1", "2", "3"];
    shown("TRY_CAST(p AS SMALLINT) = 10", &rounded, Ok(&["2"])).await;
    agreed("TRY_CAST(a AS BIGINT) = 1", &["1", "2"]).await;
}

#[tokio::test]
async fn hidden_casts_are_filters_of_a_scan_and_decide_what_is_deleted() {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE e (id INT, d DECIMAL(10,2), ts TIMESTAMP(3), PRIMARY KEY (id))",
        "INSERT INTO e VALUES (1, 1.49, '2024-01-01'), (2, 0.50, '2024-01-02')",
    ] {
        connection.execute(sql, Vec::new()).await.unwrap();
    }
    for (predicate, residual) in [
        ("CAST(d AS INT) = 1", "CAST(d AS DECIMAL(38, 0)) = 1"),
        ("TRY_CAST(d AS SMALLINT) = 1", "TRY_CAST(d AS SMALLINT) = 1"),
        (
            "ts AT TIME ZONE 'Asia/Tokyo' < '2024-01-01 17:00:00+00'",
            "ts AT TIME ZONE 'Asia/Tokyo' < '2024-01-02T02:00:00+09:00'",
        ),
    ] {
        let sql = format!("SELECT id FROM e WHERE {predicate}");
        let found = texts(&connection.query(&sql, Vec::new()).await.unwrap());
        assert_eq!(found, ["1", "2"], "{predicate}");
        let keys = format!("EXPLAIN KEYS {sql}");
        let keys = texts(&connection.query(&keys, Vec::new()).await.unwrap()).join("\n");
        assert!(keys.contains(residual), "{keys}");
    }
    let delete =
        "DELETE FROM e WHERE ts AT TIME ZONE 'America/New_York' < '2024-01-01 03:00:00+00'";
    assert_eq!(connection.execute(delete, Vec::new()).await.unwrap(), 0);
    let delete = "DELETE FROM e WHERE CAST(d AS INT) = 1";
    assert_eq!(connection.execute(delete, Vec::new()).await.unwrap(), 2);
}

#[tokio::test]
async fn a_key_of_an_order_may_be_named_twice() {
    let (halite, plain) = sessions().await;
    let partitions = "SET datafusion.execution.target_partitions = 4";
    rows(&halite, partitions).await;
    plain_rows(&plain, partitions).await.expect("setting");
    for (sql, right) in [
        (
            "SELECT DISTINCT ON (b) id FROM t ORDER BY b, b, id DESC",
            vec!["2", "3", "4"],
        ),
        (
            "SELECT DISTINCT ON (b, b) id FROM t ORDER BY b, b DESC, id",
            vec!["1", "2", "4"],
        ),
        ("SELECT first_value(id ORDER BY b, b, id) FROM t", vec!["1"]),
        (
            "SELECT last_value(id ORDER BY b, b DESC, id) FROM t WHERE b IS NOT NULL",
            vec!["4"],
        ),
        (
            "SELECT array_agg(id ORDER BY b DESC, b, id) FROM t WHERE b > 0",
            vec!["[4, 1, 3]"],
        ),
    ] {
        assert_eq!(rows(&halite, sql).await, right, "{sql}");
    }
    // DataFusion panics.
    let sql = "SELECT DISTINCT ON (b) id FROM t ORDER BY b, b, id DESC";
    let run = tokio::spawn(async move { plain_rows(&plain, sql).await });
    assert!(!matches!(run.await, Ok(Ok(_))));
    let names = "SELECT first_value(id ORDER BY b, b) FROM t";
    let frame = halite.sql(names).await.expect("plan");
    let name = frame.schema().field(0).name().clone();
    let plan = halite.state().optimize(frame.logical_plan()).expect("plan");
    assert_eq!(plan.schema().field(0).name(), &name);
}

#[tokio::test]
async fn computed_zeros_and_nans_compare_as_the_stored_do() {
    shown("-d > 1e300", &["3"], Ok(&[])).await;
    shown("-d < 0", &["1", "2"], Ok(&["1", "2", "3"])).await;
    shown("-(d - d) IN (0, 1)", &["1", "2"], Ok(&[])).await;
    shown("-(d - d) IN (0, 1, 2, 3, 4)", &["1", "2"], Ok(&[])).await;
    shown("d * 0 / 0 > 1e300", &["1", "2", "3"], Ok(&["3"])).await;
    shown("d - d = -(d - d)", &["1", "2", "3"], Ok(&["1", "2"])).await;
    // What turns out to be a column is compared as one.
    let (halite, _) = sessions().await;
    let plan = optimized(&halite, "SELECT id FROM t WHERE coalesce(d) > 1").await;
    assert!(plan.contains("t.d > Float64(1)"), "{plan}");
}

/// Backwards in key order over several partitions, where DataFusion puts a buffer over each: of 1 GiB, left alone.
#[tokio::test]
async fn scans_in_order_run_ahead_by_a_batch() {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE e (id INT, v TEXT, PRIMARY KEY (salt(4), id))",
        "SET datafusion.execution.target_partitions = 4",
        "INSERT INTO e SELECT value, 'x' FROM range(1000)",
    ] {
        connection.execute(sql, Vec::new()).await.unwrap();
    }
    let explain = "EXPLAIN SELECT * FROM e ORDER BY id DESC";
    let plan = texts(&connection.query(explain, Vec::new()).await.unwrap()).join("\n");
    assert!(!plan.contains("BufferExec"), "{plan}");
    let ids = texts(
        &connection
            .query("SELECT id FROM e ORDER BY id DESC", Vec::new())
            .await
            .unwrap(),
    );
    assert_eq!(
        ids,
        (0..1000).rev().map(|id| id.to_string()).collect::<Vec<_>>()
    );
}

/// Fails as soon as DataFusion brings such references up to date: then `numbers::ReferToCoerced` can go.
#[tokio::test]
async fn a_subquery_knows_the_type_of_the_union_that_it_names() {
    let (halite, plain) = (mended(), plain());
    for session in [&halite, &plain] {
        let create = "CREATE TABLE n (i INT, b BIGINT) AS VALUES (4, 4), (7, 3000000000)";
        rows(session, create).await;
    }
    let both = "(SELECT i AS x FROM n UNION ALL SELECT b FROM n) q";
    for (condition, right) in [
        ("r.i < q.x", vec!["3000000000", "7"]),
        ("r.i = q.x", vec!["4", "4", "7"]),
        (
            "r.i = q.x AND r.i IN (SELECT q.b FROM n q WHERE q.i = r.i)",
            vec!["4", "4"],
        ),
    ] {
        let sql =
            format!("SELECT x FROM {both} WHERE EXISTS (SELECT 1 FROM n r WHERE {condition})");
        assert_eq!(rows(&halite, &sql).await, right, "{sql}");
    }
    let sql = format!("SELECT x FROM {both} WHERE EXISTS (SELECT 1 FROM n r WHERE r.i < q.x)");
    let refused = plain_rows(&plain, &sql).await.unwrap_err();
    assert!(
        refused.contains("Invalid comparison operation"),
        "{refused}"
    );
}

/// Of the columns that both sides are dealt out by, two are equal below the outer join and not above it.
#[tokio::test]
async fn sides_are_dealt_out_by_keys_that_are_equal_below() {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "SET datafusion.execution.target_partitions = 2",
        "SET datafusion.optimizer.hash_join_single_partition_threshold = 0",
        "SET datafusion.optimizer.hash_join_single_partition_threshold_rows = 0",
        "CREATE TABLE s (id INT, a SMALLINT, PRIMARY KEY (id))",
        "CREATE TABLE u (id INT, a SMALLINT, PRIMARY KEY (id))",
        "CREATE TABLE v (id INT, a SMALLINT, PRIMARY KEY (id))",
        "INSERT INTO s SELECT value, value FROM generate_series(1, 9)",
        "INSERT INTO u SELECT value, value + 1 FROM generate_series(1, 7)",
        "INSERT INTO v SELECT value, value - value % 2 FROM generate_series(1, 9)",
    ] {
        connection.execute(sql, Vec::new()).await.expect(sql);
    }
    let sql = "SELECT v.id FROM v JOIN s USING (id)
        WHERE s.id NOT IN (SELECT u.a FROM u WHERE u.a = v.id) AND s.a = v.id ORDER BY 1";
    let batches = connection.query(sql, Vec::new()).await.unwrap();
    assert_eq!(texts(&batches), ["1", "9"]);
}

/// Above the groups there is a condition whose subquery names what they are of.
#[tokio::test]
async fn sets_are_told_apart_beside_a_subquery_of_having() {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE s (id INT, a INT, c INT, PRIMARY KEY (id))",
        "INSERT INTO s VALUES (1, 1, 5), (2, 1, 6), (3, 2, 5)",
    ] {
        connection.execute(sql, Vec::new()).await.expect(sql);
    }
    for (sql, right) in [
        (
            "SELECT a, c, grouping(c) FROM s GROUP BY ROLLUP (a, c)
             HAVING c NOT IN (SELECT x.id + 3 FROM s x WHERE x.a = s.a) ORDER BY a, c",
            vec!["1|6|0", "2|5|0", "NULL|NULL|1"],
        ),
        (
            "SELECT a, sum(grouping(c)) OVER (ORDER BY (SELECT max(x.id) FROM s x WHERE x.a = s.a), c) AS n
             FROM s GROUP BY ROLLUP (a, c) HAVING a IS NOT NULL ORDER BY a, n",
            vec!["1|0", "1|0", "1|1", "2|1", "2|2"],
        ),
    ] {
        let batches = connection.query(sql, Vec::new()).await.expect(sql);
        assert_eq!(texts(&batches), right, "{sql}");
    }
}
