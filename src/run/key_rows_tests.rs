use tempfile::tempdir;

use crate::session::testing::rows_of;
use crate::session::{Connection, Database};
use crate::store::simulated_calmly;

const EXPLAIN: &str = "EXPLAIN KEYS SELECT * FROM t";

async fn connection(database: Database) -> Connection {
    let connection = database.connect();
    let sql = "CREATE TABLE t (a INT, b INT, PRIMARY KEY (salt(8), a))";
    connection.execute(sql, ()).await.unwrap();
    connection
}

async fn regions(connection: &Connection, sql: &str) -> Vec<String> {
    let rows = rows_of(connection, sql).await;
    let last = rows.iter().map(|row| row.rsplit('|').next());
    last.map(|region| region.unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_has_the_regions_that_it_lies_in() {
    let database = Database::of_store(simulated_calmly()).unwrap();
    let connection = connection(database).await;
    let usual = rows_of(&connection, EXPLAIN).await;
    assert_eq!(usual.len(), 1);
    assert!(!usual.iter().any(|row| row.contains("server")), "{usual:?}");
    let set = "SET halite.explain_regions = true";
    connection.execute(set, ()).await.unwrap();
    let found = regions(&connection, EXPLAIN).await;
    assert_eq!(found.len(), 8);
    assert_eq!(found[0], "..01 on server1:16020");
    assert_eq!(found[3], "03..04 on server4:16020");
    assert_eq!(found[7], "07.. on server8:16020");
    let of_one = regions(&connection, "EXPLAIN KEYS SELECT * FROM t WHERE a = 1").await;
    assert_eq!(of_one.len(), 1);
    assert!(found.contains(&of_one[0]), "{of_one:?}");
    let nothing = "EXPLAIN KEYS SELECT * FROM t WHERE a = 1 AND a = 2";
    assert_eq!(regions(&connection, nothing).await, ["NULL"]);
    // All of a key space, or of the keys of a table, is in more than are named.
    let keys = regions(&connection, "EXPLAIN KEYS SELECT * FROM keys('t')").await;
    let all = keys.join(" ");
    assert!(all.contains("on server1:16020"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_in_one_place_has_no_regions() {
    let connection = connection(Database::in_memory().unwrap()).await;
    let set = "SET halite.explain_regions = true";
    connection.execute(set, ()).await.unwrap();
    let found = regions(&connection, EXPLAIN).await;
    assert_eq!(found, ["NULL"]);
}

/// For each row its table, its alias, its kind, its bucket and about how many keys it has.
async fn told(connection: &Connection, sql: &str) -> Vec<(String, Option<i64>)> {
    let rows = connection.rows(sql, ()).await.unwrap();
    let told = rows.iter().map(|row| {
        let text = |column: &str| {
            let text: Option<String> = row.get(column).unwrap();
            text.unwrap_or_else(|| "-".to_owned())
        };
        let columns = ["table", "alias", "kind", "bucket"].map(text);
        (columns.join(" "), row.get("estimated_keys").unwrap())
    });
    told.collect()
}

const ROWS: &str = "INSERT INTO t SELECT i, i % 7 FROM generate_series(1, 20000) AS g(i)";

async fn estimates_are_near(database: Database) {
    let connection = connection(database).await;
    connection.execute(ROWS, ()).await.unwrap();
    for (condition, kind, keys) in [
        ("true", "full 0–7", 20_000),
        ("a <= 5000", "range 0–7", 5_000),
        ("a BETWEEN 1001 AND 3000", "range 0–7", 2_000),
        ("b = 3 AND a > 10000", "range 0–7", 10_000),
        ("a > 20000", "range 0–7", 0),
    ] {
        let explain = format!("EXPLAIN KEYS SELECT * FROM t WHERE {condition}");
        let rows = told(&connection, &explain).await;
        let [(row, Some(estimated))] = rows.as_slice() else {
            panic!("{condition}: {rows:?}");
        };
        assert_eq!(*row, format!("t - {kind}"), "{condition}");
        // As near as the sizes of ranges are, which stores know to a factor of two or so; by blocks at their ends.
        let near = keys / 3 - 400..=keys * 3 + 400;
        assert!(
            near.contains(estimated),
            "{condition}: {estimated}, not {keys}"
        );
    }
    let each = told(
        &connection,
        "EXPLAIN KEYS VERBOSE SELECT * FROM t WHERE a <= 5000",
    )
    .await;
    let together = told(&connection, "EXPLAIN KEYS SELECT * FROM t WHERE a <= 5000").await;
    let sum: i64 = each.iter().filter_map(|(_, keys)| *keys).sum();
    assert_eq!(each.len(), 8);
    let rounded = sum..=sum + 8;
    assert!(
        rounded.contains(&together[0].1.unwrap()),
        "{each:?} {together:?}"
    );
    for (sql, expected) in [
        ("SELECT * FROM t WHERE a = 5", vec![Some(1)]),
        ("SELECT * FROM t WHERE a = 5 AND a = 6", vec![Some(0)]),
    ] {
        let rows = told(&connection, &format!("EXPLAIN KEYS {sql}")).await;
        let estimated: Vec<_> = rows.into_iter().map(|(_, keys)| keys).collect();
        assert_eq!(estimated, expected, "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_a_range_are_estimated_in_memory() {
    estimates_are_near(Database::in_memory().unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_a_range_are_estimated_on_disk() {
    let directory = tempdir().unwrap();
    estimates_are_near(Database::open(directory.path()).await.unwrap()).await;
}

/// A remote store may not know how large it is; that is no error.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_store_cannot_say_is_null() {
    let connection = connection(Database::of_store(simulated_calmly()).unwrap()).await;
    let rows = told(&connection, "EXPLAIN KEYS SELECT * FROM t WHERE a > 5").await;
    assert_eq!(rows.len(), 1, "{rows:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_read_twice_is_told_apart() {
    let connection = connection(Database::in_memory().unwrap()).await;
    let rows = told(
        &connection,
        "EXPLAIN KEYS SELECT * FROM t AS x JOIN t y ON x.b = y.a WHERE x.a = 1 AND y.b > 2",
    )
    .await;
    let rows: Vec<&str> = rows.iter().map(|(row, _)| row.as_str()).collect();
    let is = |wanted: &str| rows.iter().filter(|row| row.starts_with(wanted)).count() == 1;
    assert!(is("t x point"), "{rows:?}");
    assert!(is("t y full 0–7"), "{rows:?}");
    assert!(is("t y runtime"), "{rows:?}");
    assert_eq!(rows.len(), 3, "{rows:?}");
}

/// A row of several ranges has no bytes that one could read by.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_are_those_of_one_range() {
    let connection = connection(Database::in_memory().unwrap()).await;
    let ends = async |sql: &str| {
        let rows = connection.rows(sql, ()).await.unwrap();
        let ends = rows.iter().map(|row| {
            let end = |column: &str| row.get::<Option<String>>(column).unwrap();
            (end("start_hex"), end("stop_hex"))
        });
        ends.collect::<Vec<_>>()
    };
    let of = |start: &str, stop: &str| (Some(start.to_owned()), Some(stop.to_owned()));
    let together = ends("EXPLAIN KEYS SELECT * FROM t WHERE a >= 5").await;
    assert_eq!(together, [(None, None)]);
    let each = ends("EXPLAIN KEYS VERBOSE SELECT * FROM t WHERE a >= 5").await;
    assert_eq!(each.len(), 8);
    assert_eq!(each[1], of("0180000005", "02"));
    let bucket = ends("EXPLAIN KEYS SELECT * FROM t WHERE a >= 5 AND salt(8, a) = 7").await;
    assert_eq!(bucket, [of("0780000005", "08")]);
}
