//! Joins of tables whose columns have the same names, beside DataFusion's answers by other ways.

use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;

use super::WithDistinctNames;
use crate::plan::rule::install;
use crate::session::{Connection, Database, testing};

async fn connection(script: &str) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for statement in connection.script(script).unwrap() {
        connection.run(&statement).await.unwrap();
    }
    connection
}

async fn rows(connection: &Connection, sql: &str) -> Vec<(Option<i32>, Option<i32>)> {
    let rows = connection.rows(sql, ()).await.unwrap();
    rows.to_vec().unwrap()
}

#[tokio::test]
async fn filters_made_while_joins_run_reach_the_right_table() {
    let connection = connection(
        "CREATE TABLE t (id INT, c INT, PRIMARY KEY (id)); CREATE TABLE u (id INT, c INT, PRIMARY KEY (id));
         CREATE TABLE w (id INT, PRIMARY KEY (id)); CREATE TABLE v (id INT, PRIMARY KEY (id));
         INSERT INTO t VALUES (1, 100), (2, 101), (3, 102), (4, 103);
         INSERT INTO u VALUES (1, 1), (2, 2), (3, 3), (4, 4);
         INSERT INTO w VALUES (1), (2), (3); INSERT INTO v VALUES (1)",
    )
    .await;
    let sql =
        "SELECT t.c, u.c FROM t JOIN u ON t.id = u.id JOIN w ON u.id = w.id JOIN v ON u.c = v.id";
    assert_eq!(rows(&connection, sql).await, [(Some(100), Some(1))]);
}

#[tokio::test]
async fn filters_of_the_side_that_may_be_missing_stay_above_the_join() {
    let connection = connection(
        "CREATE TABLE t (id INT, c INT, PRIMARY KEY (id)); CREATE TABLE u (id INT, c INT, PRIMARY KEY (id));
         INSERT INTO t SELECT value, value % 3 FROM generate_series(1, 10); INSERT INTO u VALUES (1, 1), (3, 7)",
    )
    .await;
    let missing = "SELECT u.id, t.id FROM t RIGHT JOIN u ON t.c = u.c WHERE t.c IS NULL";
    assert_eq!(rows(&connection, missing).await, [(Some(3), None)]);
    let delete = "DELETE FROM u WHERE id NOT IN (SELECT u.id FROM t RIGHT JOIN u ON t.c = u.c WHERE t.c IS NULL)";
    assert_eq!(connection.execute(delete, ()).await.unwrap(), 1);
    assert_eq!(
        rows(&connection, "SELECT id, c FROM u").await,
        [(Some(3), Some(7))]
    );
}

#[tokio::test]
async fn filters_are_pushed_where_names_are_distinct() {
    let connection = connection(
        "CREATE TABLE t (id INT, c INT, PRIMARY KEY (id)); CREATE TABLE u (k INT, d INT, PRIMARY KEY (k));
         INSERT INTO t SELECT value, value % 3 FROM generate_series(1, 10); INSERT INTO u VALUES (1, 1), (3, 7)",
    )
    .await;
    let sql = "EXPLAIN SELECT t.id FROM t JOIN u ON t.c = u.d";
    let plan = connection.rows(sql, ()).await.unwrap();
    let plan: Vec<(String, String)> = plan.to_vec().unwrap();
    assert!(
        plan.iter().any(|(_, text)| text.contains("DynamicFilter")),
        "{plan:?}"
    );
}

/// A name that comes twice somewhere switches off nothing elsewhere: the joined tables both have an `id`, and what the
/// join looks for is asked of the larger one all the same.
#[tokio::test]
async fn a_repeated_name_stops_filters_where_it_stands_alone() {
    let connection = connection(
        "CREATE TABLE t (id INT, c INT, PRIMARY KEY (id)); CREATE TABLE u (id INT, c INT, PRIMARY KEY (id));
         INSERT INTO t SELECT value, value % 3 FROM generate_series(1, 10); INSERT INTO u VALUES (1, 1), (3, 7)",
    )
    .await;
    let sql = "EXPLAIN SELECT t.id, u.id FROM t JOIN u ON t.c = u.c WHERE t.id < 9";
    let plan = connection.rows(sql, ()).await.unwrap();
    let plan: Vec<(String, String)> = plan.to_vec().unwrap();
    let text = format!("{plan:?}");
    assert!(
        text.contains("DynamicFilter") && !text.contains("Fence"),
        "{text}"
    );
}

/// What the joins above look for is asked of `u.a`, and not of `w.a`, which has the same name.
#[tokio::test]
async fn filters_of_the_key_of_a_semi_join_reach_the_key_alone() {
    let script = "CREATE TABLE u (a INT, c INT, PRIMARY KEY (a)); CREATE TABLE v (k INT, PRIMARY KEY (k));
         CREATE TABLE w (id INT, a INT, b INT, PRIMARY KEY (id));
         INSERT INTO u SELECT value, 100 * value FROM generate_series(1, 10); INSERT INTO v VALUES (2), (3);
         INSERT INTO w VALUES (1, 1000, 2), (2, 2000, 3), (3, 2, 1)";
    let connection = connection(script).await;
    let chosen =
        "(SELECT * FROM u WHERE EXISTS (SELECT 1 FROM w WHERE w.b = u.a AND w.a > u.c)) AS u";
    for sql in [
        format!("SELECT u.a, u.c FROM v JOIN {chosen} ON v.k = u.a"),
        format!("SELECT u.a, u.c FROM {chosen} WHERE u.a IN (SELECT k FROM v)"),
    ] {
        let mut found = rows(&connection, &sql).await;
        found.sort();
        assert_eq!(found, [(Some(2), Some(200)), (Some(3), Some(300))], "{sql}");
    }
}

/// Fails as soon as DataFusion tells the columns apart: then the fences can go.
#[tokio::test]
async fn canary() {
    let database = Database::in_memory().unwrap();
    let filled = database.connect();
    for sql in [
        "CREATE TABLE t (id INT, c INT, PRIMARY KEY (id))",
        "CREATE TABLE u (id INT, c INT, PRIMARY KEY (id))",
        "INSERT INTO t SELECT value, value % 3 FROM generate_series(1, 10)",
        "INSERT INTO u VALUES (1, 1), (3, 7)",
    ] {
        filled.execute(sql, ()).await.unwrap();
    }
    let mut builder = install(SessionStateBuilder::new_with_default_features());
    let rules = &mut builder.physical_optimizers().as_mut().unwrap().rules;
    for rule in rules {
        let wrapped = (rule.as_ref() as &dyn std::any::Any).downcast_ref::<WithDistinctNames>();
        if let Some(inner) = wrapped.map(|wrapped| std::sync::Arc::clone(&wrapped.0)) {
            *rule = inner;
        }
    }
    let session = SessionContext::new_with_state(builder.build());
    for table in ["t", "u"] {
        let provider = database.table_provider(table).unwrap();
        session.register_table(table, provider).unwrap();
    }
    let missing = "SELECT u.id, t.id FROM t RIGHT JOIN u ON t.c = u.c WHERE t.c IS NULL";
    assert!(testing::rows(&session, missing).await.is_empty());
}
