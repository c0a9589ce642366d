use crate::error::{Error, ErrorKind};
use crate::session::{Connection, Database};

async fn filled() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE t (a INT, b TEXT, n INT, PRIMARY KEY (a, b));
        INSERT INTO t VALUES (1, 'x', 10), (1, 'y', 20), (2, 'x', NULL), (3, 'z', 40)";
    connection.execute_script(script).await.unwrap();
    connection
}

async fn all(connection: &Connection, sql: &str) -> Vec<String> {
    let rows = connection.rows(sql, ()).await.expect(sql);
    let texts = rows.iter().map(|row| {
        let values = (0..row.len()).map(|at| row.scalar(at).unwrap().to_string());
        values.collect::<Vec<_>>().join("|")
    });
    texts.collect()
}

async fn refused(connection: &Connection, sql: &str) -> Error {
    connection.execute(sql, ()).await.expect_err(sql)
}

/// What a view gives is what its query gives in parentheses, whatever stands around it.
#[tokio::test]
async fn a_view_is_its_query() {
    let connection = filled().await;
    let query = "SELECT a AS k, n, n + 1 AS more FROM t AS t WHERE b <> 'z'";
    let create = format!("CREATE VIEW v AS {query}");
    connection.execute(&create, ()).await.unwrap();
    for around in [
        "SELECT * FROM v ORDER BY 1, 2",
        "SELECT v.k, count(*) FROM v GROUP BY v.k ORDER BY 1",
        "SELECT *, 1 AS one FROM v WHERE k = 1 ORDER BY n DESC",
        "SELECT x.k, y.more FROM v AS x JOIN v AS y ON x.k = y.k AND x.n < y.n",
        "SELECT * FROM v NATURAL JOIN (SELECT 1 AS k) AS one ORDER BY n",
        "SELECT k FROM v WHERE k NOT IN (SELECT k FROM v WHERE n IS NULL) OR k = 7 ORDER BY 1",
        "WITH t AS (SELECT 5 AS a) SELECT count(*) FROM v, t WHERE v.k < t.a",
        "SELECT (SELECT max(n) FROM v WHERE k = t.a) FROM t ORDER BY a, b",
        "SELECT k, b FROM v JOIN t ON k = a AND v.n = t.n ORDER BY 1, 2",
        "SELECT DISTINCT more IS NULL FROM v ORDER BY 1",
    ] {
        let written = around.replace("FROM v", &format!("FROM ({query}) AS v"));
        let written = written.replace("JOIN v ", &format!("JOIN ({query}) "));
        let written = written.replace(") AS v AS ", ") AS ");
        let written = if around.contains("WITH t") {
            // The view's own t is the table.
            written.replace("FROM t AS t", "FROM public.t AS t")
        } else {
            written
        };
        assert_eq!(
            all(&connection, around).await,
            all(&connection, &written).await,
            "{written}"
        );
    }
}

#[tokio::test]
async fn texts_and_prepared_statements_follow_a_view_that_is_replaced() {
    let connection = filled().await;
    let make = |value: i64| format!("CREATE OR REPLACE VIEW v AS SELECT a, {value} AS c FROM t");
    connection.execute(&make(1), ()).await.unwrap();
    let prepared = connection
        .prepare("SELECT c FROM v WHERE a = $1")
        .await
        .unwrap();
    let other = connection.database().connect();
    for value in 2..6 {
        other.execute(&make(value), ()).await.unwrap();
        for _ in 0..3 {
            let text = "SELECT c FROM v WHERE a = 2";
            let row = connection.query_row(text, ()).await.unwrap().unwrap();
            assert_eq!(row.get::<i64>(0).unwrap(), value);
            let row = prepared.query_row((2_i32,)).unwrap().unwrap();
            assert_eq!(row.get::<i64>(0).unwrap(), value);
        }
    }
}

#[tokio::test]
async fn its_columns_are_those_of_its_time() {
    let connection = filled().await;
    connection
        .execute("CREATE VIEW w (x, y) AS SELECT b, a FROM t", ())
        .await
        .unwrap();
    connection
        .execute("CREATE VIEW v AS SELECT * FROM w", ())
        .await
        .unwrap();
    let rows = all(&connection, "SELECT * FROM v WHERE y = 3").await;
    assert_eq!(rows, ["z|3"]);
    // More columns below are not seen above, and others may stand between.
    connection
        .execute(
            "CREATE OR REPLACE VIEW w AS SELECT n, a AS y, b AS x FROM t",
            (),
        )
        .await
        .unwrap();
    assert_eq!(all(&connection, "SELECT * FROM v WHERE y = 3").await, rows);
    let lost = refused(
        &connection,
        "CREATE OR REPLACE VIEW w AS SELECT a AS y FROM t",
    )
    .await;
    assert_eq!(lost.kind(), ErrorKind::Conflict);
    assert!(lost.message().contains("cannot lose its column"), "{lost}");
}

#[tokio::test]
async fn what_cannot_be_a_view_is_said() {
    let connection = filled().await;
    for (sql, wrong) in [
        ("CREATE VIEW v AS SELECT a, a FROM t", "twice"),
        (
            "CREATE VIEW v (x, y, z) AS SELECT a, b FROM t",
            "3 names are given for 2 columns",
        ),
        (
            "CREATE VIEW v AS SELECT a FROM t WHERE a = $1",
            "no parameters",
        ),
        ("CREATE VIEW v AS SELECT a FROM missing", "missing"),
        ("CREATE VIEW t AS SELECT 1 AS a", "it is a table"),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT 1 AS a",
            "CREATE TABLE",
        ),
        ("CREATE VIEW v (x INT) AS SELECT 1", "syntax error"),
    ] {
        let error = refused(&connection, sql).await;
        assert!(error.message().contains(wrong), "{sql}: {error}");
    }
    assert!(!connection.database().catalog().has_views());
}

/// A chain of views each of which reads the one below twice is no larger than a statement may be.
#[tokio::test]
async fn views_that_double_are_refused_before_they_are_planned() {
    let connection = filled().await;
    connection
        .execute("CREATE VIEW v0 AS SELECT a FROM t", ())
        .await
        .unwrap();
    let mut depth = 1;
    let error = loop {
        let below = depth - 1;
        let sql = format!(
            "CREATE VIEW v{depth} AS SELECT x.a FROM v{below} AS x JOIN v{below} AS y ON x.a = y.a"
        );
        match connection.execute(&sql, ()).await {
            Ok(_) => depth += 1,
            Err(error) => break error,
        }
        assert!(depth < 15, "nothing limits them");
    };
    assert_eq!(error.kind(), ErrorKind::NotSupported);
    assert!(error.message().contains("too large"), "{error}");
}

#[tokio::test]
async fn recursive_queries_in_views_keep_their_casts() {
    let connection = filled().await;
    let numbers = "CREATE VIEW numbers AS WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL \
        SELECT CAST(n + 1.0 AS BIGINT) FROM r WHERE n < 5) SELECT n FROM r";
    connection.execute(numbers, ()).await.unwrap();
    assert_eq!(all(&connection, "SELECT sum(n) FROM numbers").await, ["15"]);
    connection
        .execute("CREATE VIEW more AS SELECT n * 2 AS n FROM numbers", ())
        .await
        .unwrap();
    assert_eq!(all(&connection, "SELECT sum(n) FROM more").await, ["30"]);
}

#[tokio::test]
async fn changes_of_a_view_are_refused_with_what_it_reads() {
    let connection = filled().await;
    connection
        .execute("CREATE VIEW v AS SELECT a, b, n FROM t", ())
        .await
        .unwrap();
    for sql in [
        "INSERT INTO v VALUES (1, 'a', 1)",
        "REPLACE INTO v VALUES (1, 'a', 1)",
        "DELETE FROM v WHERE a = 1",
        "TRUNCATE TABLE v",
        "DROP TABLE v",
        "DROP TABLE IF EXISTS v",
        "COPY v FROM 'x.csv'",
    ] {
        let error = refused(&connection, sql).await;
        assert!(error.message().contains("`v` is a view"), "{sql}: {error}");
        assert!(error.message().contains("`t`"), "{sql}: {error}");
    }
    let error = refused(&connection, "CREATE TABLE v (a INT, PRIMARY KEY (a))").await;
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(all(&connection, "SELECT count(*) FROM t").await, ["4"]);
}
