//! Which sorts are put below a projection, and which are left where they are.

use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionConfig;

use crate::optimize::install;
use crate::session::Database;

/// The plan of a query, with this rule in its place or without it.
async fn plan(sql: &str, with_rule: bool) -> String {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    for statement in [
        "CREATE TABLE t (c TEXT, n INT, v INT, PRIMARY KEY (salt(4), reverse(c), n / 10, n))",
        "INSERT INTO t SELECT 'row ' || (value % 70), value, value * 7 % 100 FROM generate_series(0, 299)",
    ] {
        connection.execute(statement, Vec::new()).await.unwrap();
    }
    let config = SessionConfig::new().with_target_partitions(2);
    let builder = SessionStateBuilder::new_with_default_features().with_config(config);
    let mut builder = install(builder);
    if !with_rule {
        let physical = builder.physical_optimizers().as_mut().unwrap();
        physical
            .rules
            .retain(|rule| rule.name() != "SortBelowProjection");
    }
    let session = datafusion::prelude::SessionContext::new_with_state(builder.build());
    let provider = database.table_provider("t").unwrap();
    session.register_table("t", provider).unwrap();
    let frame = session.sql(sql).await.expect(sql);
    let plan = frame.create_physical_plan().await.expect(sql);
    displayable(plan.as_ref()).indent(false).to_string()
}

#[tokio::test]
async fn what_a_projection_computes_is_asked_of_the_scan() {
    for sql in [
        "SELECT reverse(c) AS r, v FROM t ORDER BY r DESC",
        "SELECT reverse(c) AS r, v FROM t ORDER BY r DESC LIMIT 7",
        "SELECT r, v FROM (SELECT reverse(c) AS r, n / 10 AS tens, v + 1 AS v FROM t) x ORDER BY r DESC, tens DESC LIMIT 7",
        "SELECT reverse(c), v FROM t WHERE v > 3 ORDER BY 1 DESC, n / 10 DESC, n DESC",
    ] {
        let shown = plan(sql, true).await;
        assert!(!shown.contains("SortExec"), "{sql}\n{shown}");
        assert!(shown.contains("order=backward"), "{sql}\n{shown}");
        let limit = sql.contains("LIMIT");
        assert_eq!(shown.contains("limit=7"), limit, "{sql}\n{shown}");
        let shown = plan(sql, false).await;
        assert!(shown.contains("SortExec"), "{sql}\n{shown}");
    }
}

#[tokio::test]
async fn an_order_that_no_key_gives_is_sorted_where_it_was() {
    for sql in [
        "SELECT v + 1 AS w, reverse(c) AS r FROM t ORDER BY w, r LIMIT 7",
        "SELECT upper(c) AS u FROM t ORDER BY u",
        "SELECT reverse(c) AS r, random() AS x FROM t ORDER BY r DESC, x",
        "SELECT r FROM (SELECT reverse(c) AS r FROM t LIMIT 5) x ORDER BY r DESC",
    ] {
        let (with, without) = (plan(sql, true).await, plan(sql, false).await);
        assert_eq!(with, without, "{sql}");
        assert!(with.contains("SortExec"), "{sql}\n{with}");
    }
}
