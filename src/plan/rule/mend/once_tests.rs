use crate::params;
use crate::session::testing::{plain, plain_rows, rows_of};
use crate::session::{Connection, Database};

const TWICE: &str = "WITH x AS (SELECT random() AS r) SELECT a.r = b.r FROM x AS a, x AS b";

fn connection() -> Connection {
    Database::in_memory().unwrap().connect()
}

/// Whatever stands between, all readers of a query see what it gave once.
#[tokio::test]
async fn a_volatile_query_is_computed_once() {
    let connection = connection();
    connection.execute("CREATE SEQUENCE s", ()).await.unwrap();
    for (sql, expected) in [
        (TWICE, "true"),
        (
            "WITH x AS (SELECT random() AS r) SELECT count(DISTINCT r) FROM (SELECT r FROM x UNION ALL SELECT r FROM x)",
            "1",
        ),
        (
            "WITH x AS (SELECT i, random() AS r FROM generate_series(1, 3000) AS g(i)) \
             SELECT count(*) FROM x AS a JOIN x AS b ON a.i = b.i WHERE a.r = b.r AND a.i > 1000",
            "2000",
        ),
        (
            "WITH x AS (SELECT uuid() AS u), y AS (SELECT u FROM x) \
             SELECT count(*) FROM x, y, y AS z WHERE x.u = y.u AND y.u = z.u",
            "1",
        ),
        (
            "WITH x AS (SELECT random() AS r) SELECT (SELECT max(r) FROM x) = (SELECT min(r) FROM x)",
            "true",
        ),
        (
            "WITH x AS (SELECT i, random() AS r FROM generate_series(1, 9) AS g(i)) \
             SELECT count(*) FROM x WHERE r = (SELECT max(r) FROM x) AND i IN (SELECT i FROM x)",
            "1",
        ),
        (
            "WITH x AS (SELECT nextval('s') AS n) SELECT a.n + b.n FROM x AS a, x AS b",
            "2",
        ),
        ("SELECT nextval('s')", "2"),
        // Two queries of FROM are two, whatever they are called.
        (
            "SELECT a.r = b.r FROM (SELECT random() AS r) AS a, (SELECT random() AS r) AS b",
            "false",
        ),
    ] {
        assert_eq!(rows_of(&connection, sql).await, [expected], "{sql}");
    }
}

/// What a run gave is not there for the next one.
#[tokio::test]
async fn each_run_computes_it_anew() {
    let connection = connection();
    connection.execute("CREATE SEQUENCE s", ()).await.unwrap();
    let sql = "WITH x AS (SELECT nextval('s') AS n) SELECT a.n + b.n + $1 FROM x AS a, x AS b";
    let prepared = connection.prepare(sql).await.unwrap();
    for expected in [12_i64, 14, 16] {
        let rows = prepared.rows(params![10_i64]).await.unwrap();
        let row = rows.get(0).unwrap();
        assert_eq!(row.get::<i64>(0).unwrap(), expected);
    }
}

/// Of two queries of one name a plan does not tell which is read.
#[tokio::test]
async fn names_of_several_queries_are_refused() {
    let connection = connection();
    let sql = "SELECT * FROM (WITH x AS (SELECT random() AS r) SELECT a.r FROM x AS a, x AS b) AS p, \
               (WITH x AS (SELECT 1 AS r) SELECT r FROM x) AS q";
    let error = connection.rows(sql, ()).await.unwrap_err();
    assert!(
        error
            .message()
            .contains("several queries of WITH are called `x`"),
        "{error}"
    );
    let lone = sql.replace("random()", "1.5");
    assert_eq!(rows_of(&connection, &lone).await, ["1.5|1"]);
}

/// Fails as soon as DataFusion computes it once: then the mend can go.
#[tokio::test]
async fn canary() {
    assert_eq!(plain_rows(&plain(), TWICE).await.unwrap(), ["false"]);
}
