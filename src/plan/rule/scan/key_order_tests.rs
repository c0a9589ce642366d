//! Which sorts go away, what becomes of the merges above them, and what is left alone.

use std::sync::Arc;

use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext, col};

use crate::plan::rule::install;
use crate::session::Database;
use crate::session::testing::texts;
use crate::settings::HaliteOptions;

/// A database with a table of a few thousand rows, of which a plan cuts scans in four.
async fn database() -> Database {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    for sql in [
        "CREATE TABLE t (a INT, b INT, v INT, s TEXT, PRIMARY KEY (a, b))",
        "CREATE TABLE salted (a INT, b INT, v INT, PRIMARY KEY (salt(4), a, b))",
        "CREATE TABLE parts (c TEXT, n INT, v INT, PRIMARY KEY (salt(4), reverse(c), n / 10, n))",
        "INSERT INTO parts SELECT 'row ' || (value % 70), value, value * 7 % 100 FROM generate_series(0, 299)",
        "INSERT INTO t SELECT value / 10, value % 10, value * 7 % 100, 'row' FROM generate_series(0, 2999)",
        "INSERT INTO salted SELECT value / 10, value % 10, value * 7 % 100 FROM generate_series(0, 2999)",
    ] {
        connection.execute(sql, Vec::new()).await.unwrap();
    }
    database
}

/// The plan of a query, with this rule in its place or without it.
async fn plan(database: &Database, sql: &str, with_rule: bool) -> String {
    let options = HaliteOptions {
        piece_bytes: 1000,
        ..HaliteOptions::default()
    };
    let config = SessionConfig::new()
        .with_target_partitions(4)
        .with_option_extension(options);
    let builder = SessionStateBuilder::new_with_default_features().with_config(config);
    let mut builder = install(builder);
    if !with_rule {
        let physical = builder.physical_optimizers().as_mut().unwrap();
        physical.rules.retain(|rule| rule.name() != "GiveKeyOrder");
    }
    let session = SessionContext::new_with_state(builder.build());
    for name in ["t", "salted", "parts"] {
        let provider = database.table_provider(name).unwrap();
        session.register_table(name, provider).unwrap();
    }
    let frame = session.sql(sql).await.expect(sql);
    let plan = frame.create_physical_plan().await.expect(sql);
    displayable(plan.as_ref()).indent(false).to_string()
}

#[tokio::test]
async fn ordered_rows_of_a_cut_scan_need_no_merge() {
    let database = database().await;
    for sql in [
        "SELECT * FROM t ORDER BY a, b",
        "SELECT * FROM t ORDER BY a DESC, b DESC",
        "SELECT s, b FROM t WHERE v > 50 ORDER BY a",
        "SELECT a + 1 FROM t ORDER BY a, b",
        "SELECT * FROM t ORDER BY a DESC, b DESC LIMIT 5",
        "SELECT * FROM t WHERE v = 3 ORDER BY a, b LIMIT 5",
    ] {
        let shown = plan(&database, sql, true).await;
        for gone in ["pieces=", "Sort", "BufferExec", "Limit"] {
            assert!(
                !shown.contains(gone),
                "{gone} in the plan of {sql}\n{shown}"
            );
        }
    }
}

#[tokio::test]
async fn rows_in_any_order_are_read_side_by_side() {
    let database = database().await;
    for sql in [
        "SELECT * FROM t",
        "SELECT * FROM t WHERE v = 3",
        "SELECT * FROM t WHERE v = 3 LIMIT 5",
        "SELECT sum(v) FROM t",
        "SELECT * FROM t ORDER BY v, a, b LIMIT 5",
        "SELECT v, count(*) FROM t GROUP BY v",
    ] {
        let shown = plan(&database, sql, true).await;
        assert!(shown.contains("pieces=4"), "{sql}\n{shown}");
    }
    let few = plan(&database, "SELECT * FROM t LIMIT 5", true).await;
    assert!(!few.contains("pieces="), "{few}");
}

#[tokio::test]
async fn runs_of_buckets_are_still_merged_without_a_buffer() {
    let database = database().await;
    let sql = "SELECT * FROM salted ORDER BY a DESC, b DESC";
    let shown = plan(&database, sql, true).await;
    assert!(shown.contains("SortPreservingMergeExec"), "{shown}");
    assert!(!shown.contains("BufferExec"), "{shown}");
    let buffered = plan(&database, sql, false).await;
    assert!(buffered.contains("BufferExec"), "{buffered}");
}

#[tokio::test]
async fn what_a_projection_computes_is_asked_of_the_scan() {
    let database = database().await;
    for sql in [
        "SELECT reverse(c) AS r, v FROM parts ORDER BY r DESC",
        "SELECT reverse(c) AS r, v FROM parts ORDER BY r DESC LIMIT 7",
        "SELECT r, v FROM (SELECT reverse(c) AS r, n / 10 AS tens, v + 1 AS v FROM parts) x ORDER BY r DESC, tens DESC LIMIT 7",
        "SELECT reverse(c), v FROM parts WHERE v > 3 ORDER BY 1 DESC, n / 10 DESC, n DESC",
    ] {
        let shown = plan(&database, sql, true).await;
        assert!(!shown.contains("SortExec"), "{sql}\n{shown}");
        assert!(shown.contains("order=backward"), "{sql}\n{shown}");
        let limit = sql.contains("LIMIT");
        assert_eq!(shown.contains("limit=7"), limit, "{sql}\n{shown}");
        let shown = plan(&database, sql, false).await;
        assert!(shown.contains("SortExec"), "{sql}\n{shown}");
    }
}

#[tokio::test]
async fn an_order_that_no_key_gives_is_sorted_where_it_was() {
    let database = database().await;
    for sql in [
        "SELECT v + 1 AS w, reverse(c) AS r FROM parts ORDER BY w, r LIMIT 7",
        "SELECT upper(c) AS u FROM parts ORDER BY u",
        "SELECT reverse(c) AS r, random() AS x FROM parts ORDER BY r DESC, x",
        "SELECT r FROM (SELECT reverse(c) AS r FROM parts LIMIT 5) x ORDER BY r DESC",
    ] {
        let (with, without) = (
            plan(&database, sql, true).await,
            plan(&database, sql, false).await,
        );
        assert_eq!(with, without, "{sql}");
        assert!(with.contains("SortExec"), "{sql}\n{with}");
    }
}

/// A table of DataFusion's own that declares the order of its rows, which they have.
async fn declare(session: &SessionContext, name: &str, order: &[&str], rows: &str) {
    let frame = session.sql(rows).await.unwrap();
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let batches = frame.collect().await.unwrap();
    let order = order.iter().map(|column| col(*column).sort(true, false));
    let table = MemTable::try_new(schema, vec![batches]).unwrap();
    let table = table.with_sort_order(vec![order.collect()]);
    session.register_table(name, Arc::new(table)).unwrap();
}

/// What DataFusion makes of a declared order; the right answers are in `tests/scripts/whole_queries.sql`. Where one of
/// these is right after an upgrade, see whether a scan may declare its order again.
#[tokio::test]
async fn canary() {
    for (sql, wrong) in [
        // The order of the second side, which the ties of the first undo: 9|3.
        (
            "SELECT ae.a, u.id FROM ae JOIN u ON ae.id = u.id ORDER BY ae.a, u.id LIMIT 1",
            "9|6",
        ),
        // DESC is dropped: b,abc,a.
        (
            "SELECT string_agg(DISTINCT u, ',' ORDER BY u DESC) AS x FROM texts",
            "a,abc,b",
        ),
        // Grouping sets keep no order: the total is last.
        (
            "SELECT a, b, count(*) AS n FROM ab GROUP BY ROLLUP (a, b) ORDER BY a, b LIMIT 1",
            "NULL|NULL|3",
        ),
    ] {
        let config = SessionConfig::new().with_target_partitions(1);
        let session = SessionContext::new_with_config(config);
        for (name, order, rows) in [
            (
                "ae",
                &["a", "e"][..],
                "SELECT * FROM (VALUES (9, 1, 6), (9, 2, 3), (11, 1, 7)) v (a, e, id)",
            ),
            ("u", &["id"], "SELECT * FROM (VALUES (3), (6), (7)) v (id)"),
            (
                "texts",
                &["u"],
                "SELECT * FROM (VALUES (1, 'a'), (2, 'abc'), (3, 'b')) v (id, u)",
            ),
            (
                "ab",
                &["a", "b"],
                "SELECT * FROM (VALUES (1, 1), (1, 2), (2, 1)) v (a, b)",
            ),
        ] {
            declare(&session, name, order, rows).await;
        }
        let found = session.sql(sql).await.unwrap().collect().await.unwrap();
        assert_eq!(texts(&found), [wrong], "{sql}");
    }
}
