//! Files as tables by functions: what they are read as, and what one sees where they are wrong.

use std::fs;

use tempfile::TempDir;

use super::super::testing::texts;
use super::super::{Connection, Database};

const GERMAN: &str =
    "id;name;price;day;flag\n1;a;1,5;31.01.2024;true\n2;\"\";NA;1.2.2024;false\n3;;2;;true\n";

/// A directory of files, and a connection.
fn files() -> (TempDir, Connection) {
    let directory = TempDir::new().unwrap();
    for (name, text) in [
        ("de.csv", GERMAN),
        (
            "plain.csv",
            "a,b,c,d\n1,x,2024-01-01,2024-01-01 10:00:00\n,\"\",2024-01-02,2024-01-02\n",
        ),
        ("tabs.tsv", "a\tb\n1\t\"x\ty\"\n"),
        ("one.csv", "n,s\n1,x\n"),
        ("turned.csv", "s,n\ny,2.5\n"),
        ("other.csv", "n,t\n3,z\n"),
        ("two.csv", "n,s\n2,y\n"),
        ("twice.csv", "a,a,\n1,2,3\n"),
        ("bare.csv", "1,x\n2,y\n"),
        ("empty.csv", ""),
        ("array.json", " [{\"a\": 1},\n {\"a\": 2}]"),
        ("lines.json", "{\"a\": 3}\n{\"a\": 4}\n"),
        (
            "order.json",
            " [{\"z\": 1, \"a\": \"x\", \"m\": 2},\n {\"b\": 4, \"a\": \"y\", \"z\": 3}]",
        ),
        (
            "order.jsonl",
            "{\"z\": 1, \"a\": \"}\"}\n{\"b\": 2, \"a\": \"3\"}\n",
        ),
        ("order_2.jsonl", "{\"c\": 1, \"a\": \"x\"}\n"),
    ] {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let long: String = (1..=20_005).map(|n| format!("{n}\n")).collect();
    let long = format!("n\n{long}wrong\n");
    fs::write(directory.path().join("long.csv"), long).unwrap();
    (directory, Database::in_memory().unwrap().connect())
}

/// What a query gives, `@` being the directory; an error by its words, with `@` for the directory.
async fn answer(directory: &TempDir, connection: &Connection, sql: &str) -> String {
    let root = directory.path().display().to_string();
    let answered = connection.query(&sql.replace('@', &root), ()).await;
    match answered {
        Ok(batches) => texts(&batches).join("\n"),
        Err(error) => format!("error: {error}").replace(&root, "@"),
    }
}

/// Queries, and what they answer; `@` is the directory.
const QUERIES: &[(&str, &str)] = &[
    (
        "SELECT a, b IS NULL, b, c, d FROM read_csv('@/plain.csv')",
        "1|false|x|2024-01-01|2024-01-01T10:00:00\nNULL|false||2024-01-02|2024-01-02T00:00:00",
    ),
    ("SELECT b FROM read_csv('@/tabs.tsv')", "x\ty"),
    (
        "SELECT name IS NULL, price, day, flag FROM read_csv('@/de.csv', nullstr => 'NA', decimal => ',') WHERE id = 1",
        "false|1.5|31.01.2024|true",
    ),
    (
        "SELECT id, price, day FROM read_csv('@/de.csv', decimal => ',', dateformat => '%d.%m.%Y', types => {'price': 'DECIMAL(5,2)', 'id': 'TEXT'}) WHERE id = '1'",
        "error: @/de.csv line 3: column `price`: 'NA' is not a DECIMAL(5, 2); say NULL '…' where a text stands for NULL",
    ),
    (
        "SELECT id, day FROM read_csv('@/de.csv', dateformat => '%d.%m.%Y', types => {'id': 'TEXT'}) ORDER BY id LIMIT 2",
        "1|2024-01-31\n2|2024-02-01",
    ),
    (
        "SELECT * FROM read_csv('@/bare.csv', header => false) ORDER BY 1",
        "1|x\n2|y",
    ),
    (
        "SELECT column2 FROM read_csv('@/bare.csv', header => false) AS f WHERE f.column1 = 2",
        "y",
    ),
    (
        "SELECT a, a_2, column3 FROM read_csv('@/twice.csv')",
        "1|2|3",
    ),
    ("SELECT n + 1, s FROM read_csv('@/o*e.csv')", "2|x"),
    (
        "SELECT sum(n), string_agg(s, '' ORDER BY n) FROM read_csv('@/[ot][nw][eo].csv')",
        "3|xy",
    ),
    ("SELECT read_csv.n FROM read_csv('@/one.csv')", "1"),
    // Columns of several files are found by their names, and have types for all of them.
    (
        "SELECT n, s FROM read_csv('@/[ot][nu][er]*.csv') ORDER BY n",
        "1.0|x\n2.5|y",
    ),
    (
        "SELECT n FROM read_csv('@/o*.csv')",
        "error: `@/other.csv` has a column `t`; those of the first file are `n`, `s`",
    ),
    // The name of a file alone is read by the same rules.
    (
        "SELECT a, b IS NULL, b, c, d FROM '@/plain.csv'",
        "1|false|x|2024-01-01|2024-01-01T10:00:00\nNULL|false||2024-01-02|2024-01-02T00:00:00",
    ),
    ("SELECT b FROM '@/tabs.tsv'", "x\ty"),
    ("SELECT price FROM '@/de.csv' WHERE id = 1", "1,5"),
    ("SELECT s, n FROM '@/o*e.csv'", "x|1"),
    ("SELECT count(*) FROM '@/one.csv'", "1"),
    (
        "SELECT count(n) FROM '@/long.csv'",
        "error: @/long.csv line 20007: column `n`: 'wrong' is not of type BIGINT",
    ),
    ("DESCRIBE '@/one.csv'", "n|BIGINT|true\ns|TEXT|true"),
    (
        "SELECT count(*) FROM read_csv('@/long.csv', all_varchar => true)",
        "20006",
    ),
    (
        "SELECT max(n) FROM (SELECT n FROM read_csv('@/long.csv') LIMIT 5)",
        "5",
    ),
    (
        "SELECT count(n) FROM read_csv('@/long.csv')",
        "error: @/long.csv line 20007: column `n`: 'wrong' is not of type BIGINT",
    ),
    (
        "SELECT * FROM read_csv('@/empty.csv')",
        "error: `@/empty.csv` is empty, a header was expected",
    ),
    (
        "SELECT * FROM read_csv('@/none.csv')",
        "error: `@/none.csv` cannot be opened",
    ),
    (
        "SELECT * FROM read_csv('@/one.csv', types => {'q': 'INT'})",
        "error: `@/one.csv` has no column `q`; its columns are `n`, `s`",
    ),
    (
        "SELECT * FROM read_csv('@/one.csv', replace => true)",
        "error: read_csv has no such option",
    ),
    (
        "SELECT * FROM read_csv('@/one.csv', quirk => 1)",
        "error: COPY option `QUIRK '1'` is not implemented",
    ),
    (
        "SELECT * FROM read_csv()",
        "error: read_csv takes the name of a file",
    ),
    (
        "SELECT a FROM read_json('@/array.json') UNION ALL SELECT a FROM read_json('@/lines.json') ORDER BY a",
        "1\n2\n3\n4",
    ),
    ("SELECT a FROM '@/array.json' ORDER BY a", "1\n2"),
    ("SELECT a FROM '@/lines.json' ORDER BY a", "3\n4"),
    ("DESCRIBE '@/array.json'", "a|BIGINT|true"),
    // Columns stand as in the first object, and those that are not in it behind them.
    (
        "SELECT * FROM '@/order.json' ORDER BY z",
        "1|x|2|NULL\n3|y|NULL|4",
    ),
    (
        "DESCRIBE '@/order.json'",
        "z|BIGINT|true\na|TEXT|true\nm|BIGINT|true\nb|BIGINT|true",
    ),
    ("SELECT * FROM '@/order.jsonl' WHERE z = 1", "1|}|NULL"),
    (
        "SELECT * FROM '@/order*.jsonl' ORDER BY z, c",
        "1|}|NULL|NULL\nNULL|x|NULL|1\nNULL|3|2|NULL",
    ),
    ("SELECT b, z FROM '@/order.json' WHERE a = 'y'", "4|3"),
];

#[tokio::test]
async fn csv_files_are_read_by_what_is_in_them_and_what_is_said() {
    let (directory, connection) = files();
    for (sql, expected) in QUERIES {
        let found = answer(&directory, &connection, sql).await;
        match expected.strip_prefix("error: ") {
            Some(_) => assert!(found.starts_with(*expected), "{sql}: {found}"),
            None => assert_eq!(found, *expected, "{sql}"),
        }
    }
}

#[tokio::test]
async fn parquet_files_are_read_whatever_they_are_called() {
    let (directory, connection) = files();
    let path = directory.path().join("rows.bin").display().to_string();
    let copy = format!("COPY (SELECT 7 AS a) TO '{path}' (FORMAT parquet)");
    connection.execute(&copy, ()).await.unwrap();
    let sql = "SELECT a FROM read_parquet('@/rows.bin')";
    assert_eq!(answer(&directory, &connection, sql).await, "7");
    fs::write(&path, "nothing").unwrap();
    let found = answer(&directory, &connection, sql).await;
    assert!(
        found.starts_with("error: ") && found.contains("rows.bin"),
        "{found}"
    );
}

/// What PARTITION_BY writes, the name of the directory reads, with types and NULL.
#[tokio::test]
async fn directories_that_name_columns_are_tables() {
    let (directory, connection) = files();
    let root = directory.path().display().to_string();
    let rows = "VALUES (2024, 'a/b', 1.5), (2024, NULL, 2.5), (2025, '', 3.5), (2025, 'ä=%', NULL)";
    let copy = |name: &str, by: &str| {
        format!(
            "COPY (SELECT * FROM ({rows}) AS t (year, name, x)) TO '{root}/{name}' (PARTITION_BY ({by}))"
        )
    };
    let written = connection.execute(&copy("s", "year, name"), ()).await;
    assert_eq!(written.unwrap(), 4);
    for (sql, expected) in [
        (
            "SELECT x, year, name FROM '@/s/' ORDER BY x",
            "1.5|2024|a/b\n2.5|2024|NULL\n3.5|2025|\nNULL|2025|ä=%",
        ),
        ("SELECT sum(year) FROM '@/s/' WHERE year > 2024", "4050"),
        ("SELECT x FROM '@/s/' WHERE name IS NULL", "2.5"),
        (
            "SELECT x FROM '@/s/' WHERE name = 'a/b' AND year = 2024",
            "1.5",
        ),
        (
            "SELECT count(*) FROM '@/s/*/*/rows.parquet' WHERE year = 2025",
            "error: `@/s/*/*/rows.parquet` names files in directories that name columns, as `year`: read the directory, '@/s/', with a condition on its columns",
        ),
        (
            "DESCRIBE '@/s/'",
            "x|DECIMAL(2,1)|true\nyear|BIGINT|true\nname|TEXT|true",
        ),
    ] {
        assert_eq!(
            answer(&directory, &connection, sql).await,
            expected,
            "{sql}"
        );
    }
    connection.execute(&copy("y", "year"), ()).await.unwrap();
    let sql = "SELECT year, count(*) FROM '@/y/' GROUP BY year ORDER BY year";
    assert_eq!(answer(&directory, &connection, sql).await, "2024|2\n2025|2");
    for (sql, expected) in [
        (copy("s", "year"), "is there already"),
        (copy("z", "nothing"), "there is no column `nothing`"),
        (copy("z", "x"), "are no names of directories"),
        (copy("z", "year, year"), "named twice"),
        (copy("z", "year, name, x"), "of type"),
        (copy("one.csv", "year"), "is there already"),
        (format!("SELECT * FROM '{root}/'"), "it has others"),
    ] {
        let error = connection.query(&sql, ()).await.err();
        let error = match error {
            Some(error) if !sql.starts_with("COPY") => error,
            _ => connection.execute(&sql, ()).await.unwrap_err(),
        };
        assert!(error.to_string().contains(expected), "{sql}: {error}");
        assert!(!directory.path().join("z").exists());
    }
    // Directories that name nothing are read by a pattern.
    for name in ["p/a", "p/b"] {
        fs::create_dir_all(directory.path().join(name)).unwrap();
        let copy = format!("COPY (SELECT 1 AS n) TO '{root}/{name}/n.parquet'");
        connection.execute(&copy, ()).await.unwrap();
    }
    let sql = "SELECT sum(n) FROM '@/p/*/*.parquet'";
    assert_eq!(answer(&directory, &connection, sql).await, "2");
    let found = answer(&directory, &connection, "SELECT sum(n) FROM '@/p/'").await;
    assert!(found.contains("'@/p/*/*.parquet'"), "{found}");
    // A file that is not where its neighbours are is told, and not left out.
    fs::copy(
        directory.path().join("y/year=2024/rows.parquet"),
        directory.path().join("y/x.parquet"),
    )
    .unwrap();
    let found = answer(&directory, &connection, "SELECT * FROM '@/y/'").await;
    assert!(found.contains("in no partition"), "{found}");
}

/// The functions reach no further than names of files do.
#[tokio::test]
async fn files_are_out_of_reach_where_they_are_shut() {
    let (directory, connection) = files();
    connection
        .execute("SET halite.external_access = false", ())
        .await
        .unwrap();
    for call in [
        "read_csv('@/one.csv')",
        "read_json('@/array.json')",
        "read_parquet('@/x')",
    ] {
        let found = answer(&directory, &connection, &format!("SELECT * FROM {call}")).await;
        assert!(found.contains("is out of reach"), "{call}: {found}");
    }
    let root = directory.path().join("db.halite");
    let database = Database::open(&root).await.unwrap();
    drop(database);
    let connection = Database::in_memory().unwrap().connect();
    for call in [
        "read_csv('@/db.halite/CURRENT')",
        "read_json('@/db.halite/*')",
    ] {
        let found = answer(&directory, &connection, &format!("SELECT * FROM {call}")).await;
        assert!(
            found.starts_with("error: ") && found.contains("database"),
            "{call}: {found}"
        );
    }
}
