//! NULL that equals NULL in one key of a join, and not in another.

use datafusion::prelude::SessionContext;

use crate::session::testing::{mended, plain, plain_rows, rows};

async fn with_tables(session: SessionContext) -> SessionContext {
    for sql in [
        "CREATE TABLE l (id INT, a INT, b INT) AS VALUES (1, NULL, NULL), (2, NULL, 5), (3, 7, NULL), (4, 7, 5)",
        "CREATE TABLE r (id INT, a INT, b INT) AS VALUES (1, NULL, NULL), (2, NULL, 5), (3, 7, NULL), (4, 7, 5)",
        "CREATE TABLE m (id INT, b INT) AS VALUES (1, NULL), (2, 5)",
    ] {
        plain_rows(&session, sql).await.expect(sql);
    }
    session
}

const KEY: &str = "SELECT l.id, r.id FROM l JOIN r ON l.a IS NOT DISTINCT FROM r.a";

#[tokio::test]
async fn an_equality_beside_it_does_not_hold_for_null() {
    let session = with_tables(mended()).await;
    for (rest, expected) in [
        ("WHERE l.b = r.b", "2|2 4|4"),
        ("AND l.b = r.b", "2|2 4|4"),
        ("AND l.b IS NOT DISTINCT FROM r.b", "1|1 2|2 3|3 4|4"),
        ("CROSS JOIN m WHERE l.b = r.b AND m.b = l.b", "2|2 4|4"),
        (
            "JOIN m ON m.b IS NOT DISTINCT FROM r.b WHERE l.b = r.b",
            "2|2 4|4",
        ),
        (
            "JOIN m ON m.b = r.b WHERE l.b IS NOT DISTINCT FROM r.b",
            "2|2 4|4",
        ),
    ] {
        let sql = format!("{KEY} {rest}");
        assert_eq!(rows(&session, &sql).await.join(" "), expected, "{sql}");
    }
    let sql =
        "SELECT l.id, r.id FROM l LEFT JOIN r ON l.a IS NOT DISTINCT FROM r.a WHERE l.b = r.b";
    assert_eq!(rows(&session, sql).await, ["2|2", "4|4"]);
}

/// Fails as soon as DataFusion keeps the two apart: then the rule can go.
#[tokio::test]
async fn canary() {
    let session = with_tables(plain()).await;
    let sql = format!("{KEY} WHERE l.b = r.b");
    let seen = plain_rows(&session, &sql).await.expect("an answer");
    assert_eq!(seen, ["1|1", "2|2", "3|3", "4|4"]);
}
