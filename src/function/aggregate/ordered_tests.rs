//! Aggregates that want different orders, beside what DataFusion makes of them.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::logical_expr::Accumulator;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr::expressions::{col, lit};

use super::ordered_aggregates;
use crate::session::testing::{mended, plain, plain_rows, rows};

const ROWS: &str =
    "(VALUES (1, 30, 'b', 1), (2, 10, 'a', 1), (3, NULL, 'b', 1), (4, 20, 'c', 2)) t (id, f, s, g)";

#[tokio::test]
async fn each_has_its_own_order() {
    let session = mended();
    for partitions in [1, 4] {
        rows(
            &session,
            &format!("SET datafusion.execution.target_partitions = {partitions}"),
        )
        .await;
        for (aggregates, expected) in [
            (
                "string_agg(CAST(id AS TEXT), ',' ORDER BY id) AS a, string_agg(CAST(id AS TEXT), ',' ORDER BY f) AS b",
                "1,2,3,4|2,4,1,3",
            ),
            (
                "array_agg(id ORDER BY id DESC) AS a, array_agg(id ORDER BY f DESC NULLS LAST) AS b, count(*) AS c, sum(f) AS d",
                "[4, 3, 2, 1]|[1, 4, 2, 3]|4|60",
            ),
            (
                "string_agg(DISTINCT s, ',' ORDER BY s DESC) AS a, string_agg(DISTINCT s, ',' ORDER BY s) AS b, array_agg(s ORDER BY s) AS c",
                "c,b,a|a,b,c|[a, b, b, c]",
            ),
            (
                "array_agg(s ORDER BY s) AS c, array_agg(DISTINCT s ORDER BY s DESC) AS a",
                "[a, b, b, c]|[c, b, a]",
            ),
            (
                "string_agg(s, '' ORDER BY id) FILTER (WHERE g = 1) AS a, string_agg(s, '' ORDER BY f) FILTER (WHERE f > 0) AS b",
                "bab|acb",
            ),
            (
                "first_value(s ORDER BY f) AS a, last_value(id ORDER BY s, id) AS b, array_agg(f ORDER BY id) AS c",
                "a|4|[30, 10, NULL, 20]",
            ),
            (
                "nth_value(id, 2 ORDER BY f) AS a, nth_value(id, 1 ORDER BY id DESC) AS b, nth_value(id, -1 ORDER BY f) AS c, nth_value(id, 9 ORDER BY id) AS d",
                "4|4|3|NULL",
            ),
            (
                "nth_value(DISTINCT s, 2 ORDER BY s) AS a, array_agg(id ORDER BY f)[2] AS b",
                "b|4",
            ),
            (
                "avg(f ORDER BY id) AS a, avg(f ORDER BY s) AS b, count(f ORDER BY g) AS c",
                "20.0|20.0|3",
            ),
            (
                "percentile_cont(0.0) WITHIN GROUP (ORDER BY f) AS a, percentile_cont(0.0) WITHIN GROUP (ORDER BY id DESC) AS b, median(f) AS c",
                "10.0|4.0|20.0",
            ),
        ] {
            let sql = format!("SELECT {aggregates} FROM {ROWS}");
            assert_eq!(rows(&session, &sql).await, [expected], "{sql}");
        }
    }
}

#[tokio::test]
async fn in_groups_too() {
    let session = mended();
    let sql = format!(
        "SELECT g, string_agg(s, '' ORDER BY f) AS a, array_agg(id ORDER BY g, id DESC) AS b, max(f) AS c, nth_value(id, 2 ORDER BY s, id) AS d
         FROM {ROWS} GROUP BY g"
    );
    let expected = ["1|abb|[3, 2, 1]|30|1", "2|c|[4]|20|NULL"];
    assert_eq!(rows(&session, &sql).await, expected);
    let sql = format!("{sql} HAVING string_agg(s, '' ORDER BY id) = 'bab'");
    assert_eq!(rows(&session, &sql).await, expected[..1]);
}

/// A key that is named twice, once in other words.
#[tokio::test]
async fn a_key_that_turns_out_to_be_another() {
    let session = mended();
    for (aggregate, expected) in [
        ("string_agg(s, ',' ORDER BY id, id + 0)", "b,a,b,c"),
        (
            "array_agg(s ORDER BY f, CASE WHEN true THEN f END)",
            "[a, c, b, b]",
        ),
        (
            "array_agg(id ORDER BY g = 1, NOT (g <> 1), id)",
            "[4, 1, 2, 3]",
        ),
        (
            "array_agg(id ORDER BY coalesce(s, s), s, f)",
            "[2, 1, 3, 4]",
        ),
        ("first_value(id ORDER BY s, CAST(s AS TEXT), id DESC)", "2"),
    ] {
        let sql = format!("SELECT {aggregate} AS x FROM {ROWS}");
        assert_eq!(rows(&session, &sql).await, [expected], "{sql}");
    }
}

/// The aggregate of a column, ordered by it.
fn accumulator(name: &str, place: Option<i64>) -> Box<dyn Accumulator> {
    let function = ordered_aggregates().find(|it| it.name() == name).unwrap();
    let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]));
    let value = col("a", &schema).unwrap();
    let arguments = std::iter::once(Arc::clone(&value)).chain(place.map(lit));
    AggregateExprBuilder::new(Arc::new(function), arguments.collect())
        .schema(schema)
        .alias(name)
        .order_by(vec![PhysicalSortExpr::new_default(value)])
        .build()
        .and_then(|aggregate| aggregate.create_accumulator())
        .unwrap()
}

/// What `nth_value` gathers is copied when it is handed on, as that of `array_agg` is, and counts as much.
#[test]
fn the_copy_of_what_is_gathered_counts() {
    let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let places: ArrayRef = Arc::new(Int64Array::from_value(1, 1000));
    let mut all = accumulator("array_agg", None);
    all.update_batch(&[Arc::clone(&values), Arc::clone(&values)])
        .unwrap();
    let mut nth = accumulator("nth_value", Some(1));
    nth.update_batch(&[Arc::clone(&values), places, values])
        .unwrap();
    assert!(nth.size() >= all.size(), "{} {}", nth.size(), all.size());
}

/// Fails as soon as DataFusion gives each its order: then the aggregates can go.
#[tokio::test]
async fn canary() {
    let session = plain();
    let sql = format!(
        "SELECT string_agg(s, ',' ORDER BY id) AS a, string_agg(s, ',' ORDER BY f) AS b FROM {ROWS}"
    );
    let refused = plain_rows(&session, &sql).await.expect_err("refused");
    assert!(
        refused.contains("Conflicting ordering requirements"),
        "{refused}"
    );
    let sql = format!(
        "SELECT array_agg(s ORDER BY s) AS a, array_agg(DISTINCT s ORDER BY s DESC) AS b FROM {ROWS}"
    );
    let wrong = plain_rows(&session, &sql).await.expect("rows");
    assert_eq!(wrong, ["[a, b, b, c]|[a, b, c]"]);
}

/// DataFusion counts the whole array for each of its lists: 951 MiB for these.
#[tokio::test]
async fn lists_of_structs_count_for_what_they_are() {
    use crate::session::Database;
    use crate::session::testing::rows_of;
    let connection = Database::in_memory().unwrap().connect();
    connection
        .execute("SET halite.memory_limit = '600MB'", ())
        .await
        .unwrap();
    let query = "SELECT count(*), max(cardinality(lists)) FROM (
        SELECT g, array_agg({'n': n, 'values': l} ORDER BY n) AS lists
        FROM (SELECT g, n, array_agg({'i': i, 't': 'text ' || i} ORDER BY i) AS l
              FROM range(500) AS a (g), range(5) AS b (n), range(4) AS c (i) GROUP BY g, n) AS s
        GROUP BY g) AS t";
    assert_eq!(rows_of(&connection, query).await, ["500|5"]);
}
