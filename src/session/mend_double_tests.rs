//! DOUBLE beside DECIMAL, as `mend_tests` shows the other wrong answers of the layers below.

use super::Database;
use super::testing::{mended, plain, plain_rows, rows, texts};
use datafusion::prelude::SessionContext;

/// A session with Halite's rules, and a plain one that reads `0.1` as a DECIMAL as well, over one table.
async fn sessions_of_doubles() -> (SessionContext, SessionContext) {
    let (halite, decimals) = (mended(), plain());
    rows(
        &halite,
        "CREATE TABLE n (id INT, f DOUBLE, d DECIMAL(10,2))",
    )
    .await;
    let values = "(1, 1e-20, 0), (2, 0.1234567890123456789e0, 0.1)";
    rows(&halite, &format!("INSERT INTO n VALUES {values}")).await;
    let setting = "SET datafusion.sql_parser.parse_float_as_decimal = true";
    plain_rows(&decimals, setting).await.expect("setting");
    let table = halite.table_provider("n").await.expect("table");
    decimals.register_table("n", table).expect("register");
    (halite, decimals)
}

#[tokio::test]
async fn a_double_and_a_decimal_become_a_double() {
    let (halite, decimals) = sessions_of_doubles().await;
    let (right, wrong) = (
        ["0.12345678901234568", "1e-20"],
        ["0.000000000000000", "0.123456789012346"],
    );
    for value in [
        "coalesce(f, 0.0)",
        "coalesce(f, d)",
        "CASE WHEN id > 0 THEN f ELSE 0.0 END",
        "CASE id WHEN 1 THEN f WHEN 2 THEN f ELSE d END",
        "greatest(f, 0.0)",
        "least(1.5, f)",
        "nullif(f, 0.5)",
        "nvl2(f, f, 0.0)",
        "make_array(f, 0.5)[1]",
        "[f, d][1]",
    ] {
        let sql = format!("SELECT {value} FROM n");
        assert_eq!(rows(&halite, &sql).await, right, "{value}");
        let plain = plain_rows(&decimals, &sql).await.expect("plain");
        assert_eq!(plain, wrong, "DataFusion: {value}");
    }
    let nvl = "SELECT nvl(nullif(d, d), f) FROM n";
    assert_eq!(rows(&halite, nvl).await, right);
    let plain = plain_rows(&decimals, nvl).await.expect("plain");
    assert_eq!(plain, right);
    for (sql, right) in [
        (
            "SELECT coalesce(f, 0.0), count(*) FROM n GROUP BY coalesce(f, 0.0) ORDER BY coalesce(f, 0.0)",
            ["0.12345678901234568|1", "1e-20|1"],
        ),
        (
            "SELECT sum(coalesce(f, d)) OVER (PARTITION BY coalesce(f, d)) FROM n",
            right,
        ),
        (
            "WITH c AS (SELECT coalesce(f, d) x FROM n) SELECT a.x FROM c a, c b WHERE a.x = b.x",
            right,
        ),
    ] {
        assert_eq!(rows(&halite, sql).await, right, "{sql}");
    }
    let sql = "SELECT id, CASE f WHEN 0.0 THEN 'zero' ELSE 'more' END FROM n";
    assert_eq!(rows(&halite, sql).await, ["1|more", "2|more"]);
    let plain = plain_rows(&decimals, sql).await.expect("plain");
    assert_eq!(plain, ["1|zero", "2|more"]);
    let sql = "SELECT f FROM n UNION ALL SELECT d FROM n WHERE id = 2";
    let all = ["0.1", "0.12345678901234568", "1e-20"];
    assert_eq!(rows(&halite, sql).await, all);
    let plain = plain_rows(&decimals, sql).await.expect("plain");
    assert_eq!(plain[0], "0.000000000000000");
    // What the arms are when their own numbers have met.
    let sql = "SELECT coalesce(f, 0.0) FROM n UNION ALL SELECT f FROM n WHERE id = 2";
    let twice = ["0.12345678901234568", "0.12345678901234568", "1e-20"];
    assert_eq!(rows(&halite, sql).await, twice);
    let sql = "SELECT coalesce(f, 0.0) FROM (VALUES (1e300), (CAST('NaN' AS DOUBLE))) v(f)";
    assert_eq!(rows(&halite, sql).await, ["1e300", "NaN"]);
    let sql = "SELECT coalesce(f, 0.0) FROM (SELECT CAST('NaN' AS DOUBLE) f)";
    assert!(plain_rows(&decimals, sql).await.is_err());
}

/// What is stored of VALUES is exact.
#[tokio::test]
async fn a_double_and_a_decimal_in_values_are_doubles() {
    let (halite, decimals) = sessions_of_doubles().await;
    let sql = "VALUES (1e-20, 1), (-0.5, 0.1), (7, 0.25)";
    assert_eq!(
        rows(&halite, sql).await,
        ["-0.5|0.10", "1e-20|1.00", "7.0|0.25"]
    );
    let sql = "VALUES (1e-20), (0.5)";
    let plain = plain_rows(&decimals, "VALUES (CAST(1 AS DOUBLE) / 3), (0.5)").await;
    assert_eq!(plain.expect("plain")[0], "0.333333333333333");
    assert_eq!(rows(&halite, sql).await, ["0.5", "1e-20"]);
    rows(&halite, "CREATE TABLE wide (x DECIMAL(30,20))").await;
    rows(
        &halite,
        "INSERT INTO wide VALUES (1e0), (0.12345678901234567891)",
    )
    .await;
    let exact = ["0.12345678901234567891", "1.00000000000000000000"];
    assert_eq!(rows(&halite, "SELECT x FROM wide").await, exact);
}

#[tokio::test]
async fn a_double_is_compared_with_a_decimal_as_double() {
    let (halite, decimals) = sessions_of_doubles().await;
    let both = vec!["1", "2"];
    for (sql, right, wrong) in [
        ("SELECT id FROM n WHERE f > d", both.clone(), vec!["2"]),
        ("SELECT id FROM n WHERE d < f", both.clone(), vec!["2"]),
        (
            "SELECT id FROM n WHERE f > id * 0.0",
            both.clone(),
            vec!["2"],
        ),
        ("SELECT id FROM n WHERE f = d", vec![], vec!["1"]),
        ("SELECT id FROM n WHERE f IN (d, 5)", vec![], vec!["1"]),
        ("SELECT id FROM n WHERE d IN (f, 5)", vec![], vec!["1"]),
        (
            "SELECT id FROM n WHERE f NOT BETWEEN d AND d",
            both.clone(),
            vec!["2"],
        ),
        (
            "SELECT id FROM n WHERE f IN (SELECT d FROM n)",
            vec![],
            vec!["1"],
        ),
        (
            "SELECT id FROM n WHERE d IN (SELECT f FROM n)",
            vec![],
            vec!["1"],
        ),
        (
            "SELECT a.id FROM n a JOIN n b ON a.f = b.d",
            vec![],
            vec!["1"],
        ),
        (
            "SELECT count(*) FROM (SELECT f x FROM n) a JOIN (SELECT d x FROM n) b USING (x)",
            vec!["0"],
            vec!["1"],
        ),
        (
            "SELECT id FROM (SELECT id, coalesce(f, 0.0) c FROM n) x
             WHERE EXISTS (SELECT 1 FROM n s WHERE s.d = x.c)",
            vec![],
            vec!["1"],
        ),
        (
            "SELECT id FROM (SELECT id, coalesce(f, 0.0) c FROM n) x
             WHERE EXISTS (SELECT 1 FROM n s WHERE s.f = x.c)",
            both.clone(),
            both.clone(),
        ),
    ] {
        assert_eq!(rows(&halite, sql).await, right, "{sql}");
        let plain = plain_rows(&decimals, sql).await.expect("plain");
        assert_eq!(plain, wrong, "DataFusion: {sql}");
    }
}

#[tokio::test]
async fn what_is_stored_of_a_double_and_a_decimal_is_the_double() {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE e (id INT, f DOUBLE NULL, d DECIMAL(10,2), PRIMARY KEY (id))",
        "INSERT INTO e VALUES (1, 1e-20, 0), (2, 0.1234567890123456789e0, 0.1), (3, NULL, 7)",
        "INSERT OR REPLACE INTO e SELECT id, coalesce(f, 0.0), d FROM e",
    ] {
        connection.execute(sql, Vec::new()).await.unwrap();
    }
    let stored = connection
        .query("SELECT f FROM e", Vec::new())
        .await
        .unwrap();
    assert_eq!(texts(&stored), ["1e-20", "0.12345678901234568", "0.0"]);
}
