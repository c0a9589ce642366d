//! Values whose type DataFusion changes, beside what comes of that.

use crate::session::testing::{mended, plain, plain_rows, rows};
use datafusion::prelude::SessionContext;

const SETUP: [&str; 2] = [
    "CREATE TABLE t (id INT NOT NULL, f DECIMAL(10,2), g DECIMAL(10,2) NOT NULL)",
    "INSERT INTO t VALUES (1, 1.5, 1.5), (2, NULL, 2.25), (3, 0, 3)",
];

async fn sessions() -> (SessionContext, SessionContext) {
    let (halite, plain) = (mended(), plain());
    for sql in SETUP {
        rows(&halite, sql).await;
    }
    let table = halite.table_provider("t").await.expect("table");
    plain.register_table("t", table).expect("register");
    (halite, plain)
}

#[tokio::test]
async fn products_and_remainders() {
    let (halite, _) = sessions().await;
    for (expression, expected) in [
        ("g % 1", ["1|0.50", "2|0.25", "3|0.00"]),
        ("g % 1.0", ["1|0.50", "2|0.25", "3|0.00"]),
        ("id % 1", ["1|0", "2|0", "3|0"]),
        ("nullif(0.00 * id, f)", ["1|0.00", "2|0.00", "3|NULL"]),
        ("0.00 * id = f", ["1|false", "2|NULL", "3|true"]),
        ("g * 0 < f", ["1|true", "2|NULL", "3|false"]),
        ("g * 0.0 * 3", ["1|0.000", "2|0.000", "3|0.000"]),
        ("f * 0", ["1|0.00", "2|NULL", "3|0.00"]),
    ] {
        let sql = format!("SELECT id, {expression} AS x FROM t");
        assert_eq!(rows(&halite, &sql).await, expected, "{expression}");
    }
    assert_eq!(
        rows(&halite, "SELECT id FROM t WHERE g % 1 = 0.5").await,
        ["1"]
    );
}

#[tokio::test]
async fn sums_beside_sums_of_distinct_values() {
    let (halite, _) = sessions().await;
    let sql = "SELECT id FROM t GROUP BY id HAVING sum(f) = sum(DISTINCT f)";
    assert_eq!(rows(&halite, sql).await, ["1", "3"]);
    let sql = "SELECT sum(g), sum(DISTINCT g), count(DISTINCT g) FROM (SELECT g FROM t UNION ALL SELECT g FROM t) x";
    assert_eq!(rows(&halite, sql).await, ["13.50|6.75|3"]);
    let sql = "SELECT id, count(f), count(DISTINCT f) FROM t GROUP BY id";
    assert_eq!(rows(&halite, sql).await, ["1|1|1", "2|0|0", "3|1|1"]);
}

/// Fails as soon as DataFusion keeps types: then the rules can go.
#[tokio::test]
async fn canary() {
    let (_, plain) = sessions().await;
    let wrong = plain_rows(&plain, "SELECT id, g % 1 AS x FROM t").await;
    assert_eq!(
        wrong,
        Ok(["1|0.00", "2|0.00", "3|0.00"].map(String::from).to_vec())
    );
    let sql = "SELECT id FROM t GROUP BY id HAVING sum(f) = sum(DISTINCT f)";
    let run = async { plain.sql(sql).await?.collect().await };
    let refused = run.await.expect_err(sql).to_string();
    assert!(
        refused.contains("Invalid comparison operation"),
        "{refused}"
    );
}
