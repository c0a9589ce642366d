//! The rules on plans: what they write, what they leave alone, and that once is enough.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use datafusion::datasource::MemTable;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::optimizer::OptimizerContext;
use datafusion::prelude::SessionContext;

use super::*;
use crate::plan::rule::install;

fn session() -> SessionContext {
    let session = SessionContext::new_with_state(
        install(SessionStateBuilder::new_with_default_features()).build(),
    );
    let zone = Some("+00:00".into());
    let fields = vec![
        Field::new("a", DataType::Int32, false),
        Field::new("b", DataType::Int64, true),
        Field::new("u", DataType::UInt64, true),
        Field::new("p", DataType::Decimal128(10, 2), true),
        Field::new("d", DataType::Float64, true),
        Field::new("n", DataType::Utf8, true),
        Field::new("f", DataType::Boolean, true),
        Field::new("day", DataType::Date32, true),
        Field::new("s0", DataType::Timestamp(TimeUnit::Second, None), true),
        Field::new("s3", DataType::Timestamp(TimeUnit::Millisecond, None), true),
        Field::new("z3", DataType::Timestamp(TimeUnit::Millisecond, zone), true),
    ];
    let schema = Arc::new(Schema::new(fields));
    let table = MemTable::try_new(schema, vec![vec![]]).expect("table");
    session
        .register_table("t", Arc::new(table))
        .expect("register");
    session
}

/// The analyzed plan of `sql`, and the same after the rule.
async fn before_and_after(sql: &str) -> (LogicalPlan, LogicalPlan) {
    let state = session().state();
    let plan = state.create_logical_plan(sql).await.expect("plan");
    let analyzer = state.analyzer();
    let analyzed = analyzer
        .execute_and_check(plan, state.config_options(), |_, _| {})
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    let applied = apply(analyzed.clone());
    (analyzed, applied.data)
}

fn apply(plan: LogicalPlan) -> Transformed<LogicalPlan> {
    let config = OptimizerContext::new();
    plan.transform_up_with_subqueries(|plan| CompareByValue.rewrite(plan, &config))
        .expect("rule")
}

async fn predicate(sql: &str) -> String {
    let (_, plan) = before_and_after(&format!("SELECT a FROM t WHERE {sql}")).await;
    let text = plan.display_indent().to_string();
    let filter = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Filter: "));
    filter.unwrap_or_else(|| panic!("{text}")).to_string()
}

#[tokio::test]
async fn comparisons_are_in_the_unit_of_the_column() {
    for (written, expected) in [
        ("b > 9007199254740993.0", "t.b > Int64(9007199254740993)"),
        ("b > 2.5", "t.b >= Int64(3)"),
        ("b <= 2.5", "t.b <= Int64(2)"),
        ("2.5 >= b", "t.b <= Int64(2)"),
        ("b = 2.5", "Boolean(false)"),
        ("b <> 2.5", "t.b IS NOT NULL"),
        ("a <> 2.5", "Boolean(true)"),
        ("a > 4294967296", "Boolean(false)"),
        ("a > 2147483647", "Boolean(false)"),
        ("a <= 2147483647", "Boolean(true)"),
        (
            "a >= -99999999999999999999999999999999999999999999",
            "Boolean(true)",
        ),
        ("u >= 0", "t.u IS NOT NULL"),
        ("u < -1", "Boolean(false)"),
        ("b IS DISTINCT FROM 2.5", "Boolean(true)"),
        (
            "b IS NOT DISTINCT FROM 2.0",
            "t.b IS NOT DISTINCT FROM Int64(2)",
        ),
        ("b IS DISTINCT FROM NULL", "t.b IS NOT NULL"),
        ("b = NULL", "Boolean(false)"),
        ("(b = NULL) IS NULL", "t.b = CAST(NULL AS Int64) IS NULL"),
        ("(b = 2.5) IS NULL", "t.b IS NULL AND Boolean(NULL) IS NULL"),
        ("NOT b = 2.5", "t.b IS NOT NULL"),
        (
            "NOT (b > 2.5 AND a = 1)",
            "t.b <= Int64(2) OR t.a != Int32(1)",
        ),
    ] {
        assert_eq!(predicate(written).await, expected, "{written}");
    }
}

#[tokio::test]
async fn comparisons_are_in_the_unit_of_decimals_and_times() {
    for (written, expected) in [
        ("p > 9.999", "t.p >= Decimal128(10.00,10,2)"),
        ("p >= 99999999.995", "Boolean(false)"),
        (
            "p BETWEEN 0.001 AND 1",
            "t.p >= Decimal128(0.01,10,2) AND t.p <= Decimal128(1.00,10,2)",
        ),
        (
            "p NOT BETWEEN 0.001 AND 1",
            "t.p <= Decimal128(0.00,10,2) OR t.p > Decimal128(1.00,10,2)",
        ),
        ("p IN (1, 1.00, 0.001, NULL)", "t.p = Decimal128(1.00,10,2)"),
        ("p NOT IN (1, 0.001)", "t.p != Decimal128(1.00,10,2)"),
        ("p NOT IN (1, NULL)", "Boolean(false)"),
        (
            "s0 >= '2024-01-01 00:00:00.5'",
            "t.s0 >= TimestampSecond(1704067201, None)",
        ),
        (
            "s0 = '0001-01-01'",
            "t.s0 = TimestampSecond(-62135596800, None)",
        ),
        (
            "z3 > '3001-01-01T00:00:00+01:00'",
            "t.z3 > TimestampMillisecond(32535212400000, Some(\"+00:00\"))",
        ),
        (
            "z3 > TIMESTAMP '2024-01-01'",
            "t.z3 > TimestampMillisecond(1704067200000, Some(\"+00:00\"))",
        ),
        (
            "z3 >= DATE '2024-01-01'",
            "t.z3 >= TimestampMillisecond(1704067200000, Some(\"+00:00\"))",
        ),
        (
            "day >= TIMESTAMP '2024-01-01 00:00:00.000000001'",
            "t.day >= Date32(\"2024-01-02\")",
        ),
        (
            "CAST(s3 AS TIMESTAMP) < TIMESTAMP '2024-01-01 00:00:00.0005'",
            "t.s3 <= TimestampMillisecond(1704067200000, None)",
        ),
        ("d = -0e0", "t.d = Float64(0)"),
        ("f = NULL", "Boolean(false)"),
    ] {
        assert_eq!(predicate(written).await, expected, "{written}");
    }
}

#[tokio::test]
async fn lists_are_hidden_from_each_other_where_null_would_be_lost() {
    for (written, expected) in [
        (
            "n NOT IN ('a', 'b')",
            "t.n NOT IN ([Utf8(\"a\"), Utf8(\"b\")])",
        ),
        (
            "n NOT IN ('a', 'b') OR n NOT IN ('c', 'd')",
            "(t.n NOT IN ([Utf8(\"a\"), Utf8(\"b\")])) OR (t.n NOT IN ([Utf8(\"c\"), Utf8(\"d\")]))",
        ),
        (
            "n NOT IN ('a', 'b') AND n NOT IN ('c', 'd')",
            "t.n NOT IN ([Utf8(\"a\"), Utf8(\"b\")]) AND t.n NOT IN ([Utf8(\"c\"), Utf8(\"d\")])",
        ),
        (
            "a NOT IN (1, 2) OR a NOT IN (3, 4)",
            "t.a NOT IN ([Int32(1), Int32(2)]) OR t.a NOT IN ([Int32(3), Int32(4)])",
        ),
        (
            "(n IN ('a', 'b', NULL)) IS NULL",
            "t.n IN ([Utf8(\"a\"), Utf8(\"b\")]) OR Boolean(NULL) IS NULL",
        ),
        (
            "b IN (1, b + 1, 2.5, 3)",
            "t.b IN ([Int64(1), Int64(3)]) OR CAST(t.b AS Decimal128(21, 1)) = CAST(t.b + Int64(1) AS Decimal128(21, 1))",
        ),
    ] {
        assert_eq!(predicate(written).await, expected, "{written}");
    }
}

#[tokio::test]
async fn what_needs_no_mending_is_left_alone() {
    for sql in [
        "SELECT a FROM t WHERE a <> b AND n LIKE 'x%' AND f OR n IS NULL",
        "SELECT a + 1 FROM t WHERE a < b AND n = 'x' AND d > d + 1",
        "SELECT a FROM t WHERE n IN ('a', 'b', 'c', 'd') AND n BETWEEN n AND n",
        "SELECT count(*), sum(b) FROM t GROUP BY day HAVING count(*) = count(b)",
        "SELECT t.a FROM t JOIN t AS u ON t.a = u.a AND t.b < u.b ORDER BY t.a LIMIT 1",
        "SELECT CASE WHEN f THEN 1 ELSE 2 END FROM t",
    ] {
        let (before, after) = before_and_after(sql).await;
        assert_eq!(before, after, "{sql}");
        assert!(!apply(before).transformed, "{sql}");
    }
}

#[tokio::test]
async fn the_rule_applied_again_does_nothing() {
    let long: Vec<_> = (0..200)
        .map(|i| format!("b = {i}.5 OR s3 < '2024-01-01' OR n = 'x{i}'"))
        .collect();
    let long = format!("SELECT a FROM t WHERE {}", long.join(" OR "));
    for sql in [
        "SELECT b = 2.5, n NOT IN ('a', 'b') OR n NOT IN ('c', 'd') FROM t WHERE 2.5 < b",
        "SELECT n IN ('a', 'b') AND n IN ('c', 'd'), b IN (1, 2, NULL) FROM t",
        "SELECT a FROM t WHERE (n NOT IN ('a', 'b') AND f) OR (n NOT IN ('c', 'd') AND NOT f) OR NOT (b NOT BETWEEN 1 AND 2.5)",
        "SELECT a FROM t WHERE b = 9007199254740993e0 OR b <> 9007199254740993e0 OR d IN (-0e0, 1e0)",
        "SELECT a FROM t WHERE a IN (SELECT a FROM t AS x WHERE x.b > 2.5 AND x.s3 < t.s3)",
        "SELECT t.a FROM t LEFT JOIN t AS u ON t.a = u.a AND u.p > 0.001",
        &long,
    ] {
        let (before, after) = before_and_after(sql).await;
        assert_ne!(before, after, "{sql}");
        let again = apply(after.clone());
        assert_eq!(again.data, after, "{sql}");
        assert!(!again.transformed, "{sql}");
    }
}

#[tokio::test]
async fn subqueries_joins_and_scans_are_reached() {
    let (_, plan) =
        before_and_after("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t AS x WHERE x.b > 2.5)")
            .await;
    let text = plan.display_indent().to_string();
    assert!(text.contains("x.b >= Int64(3)"), "{text}");
    let (_, plan) =
        before_and_after("SELECT t.a FROM t JOIN t AS u ON t.a = u.a AND u.b = 2.5").await;
    let text = plan.display_indent().to_string();
    assert!(
        text.contains("Filter: t.a = u.a AND Boolean(false)"),
        "{text}"
    );
}
