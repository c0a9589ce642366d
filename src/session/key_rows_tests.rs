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
    assert_eq!(usual.len(), 8);
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
    assert_eq!(found, ["NULL"; 8]);
}
