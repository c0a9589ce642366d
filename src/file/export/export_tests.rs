//! What is written is read back as it was, and a file is whole or not there.

use std::fs;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use datafusion::dataframe::DataFrameWriteOptions;
use fastrand::Rng;
use tempfile::TempDir;

use super::*;
use crate::datum::{Datum, Precision, SqlType};
use crate::error::ErrorKind;
use crate::row::testing::{batch, part, types, value};
use crate::schema::{BoundTable, Column, Table};
use crate::seed::seed;
use crate::session::{Connection, Database};

async fn run(connection: &Connection, sql: &str) -> Result<u64> {
    connection.execute(sql, Vec::new()).await
}

async fn rows(connection: &Connection, query: &str) -> RecordBatch {
    let batches = connection.query(query, Vec::new()).await.unwrap();
    concat_batches(&batches[0].schema(), &batches).unwrap()
}

/// The last day, and the last second, that print as ISO 8601.
const LAST_DAY: i64 = 95_026_236;
const LAST_SECOND: i64 = 8_210_266_876_799;

/// A value of the type that has a text.
fn printable(rng: &mut Rng, sql_type: &SqlType) -> Datum {
    match value(rng, sql_type) {
        Datum::Date(days) => Datum::Date(days % i32::try_from(LAST_DAY).unwrap()),
        Datum::Timestamp(count) => {
            let SqlType::Timestamp { precision, .. } = sql_type else {
                unreachable!()
            };
            let second = 1_000_000_000 / precision.nanoseconds();
            Datum::Timestamp(match LAST_SECOND.checked_mul(second) {
                Some(last) => count % last,
                None => count,
            })
        }
        other => other,
    }
}

/// A table with a column of every type, and rows for it.
fn every_type(rng: &mut Rng) -> (Arc<BoundTable>, RecordBatch) {
    let typed = types().into_iter().zip(1_u32..);
    let id = ("id".to_owned(), SqlType::Integer, 0, false);
    let columns = typed.map(|(sql_type, id)| (format!("c{id}"), sql_type, id, true));
    let columns = std::iter::once(id).chain(columns);
    let columns: Vec<Column> = columns
        .map(|(name, sql_type, id, nullable)| Column {
            id,
            name,
            sql_type,
            nullable,
            default: None,
            missing: None,
            generated: None,
            identity: None,
            comment: None,
        })
        .collect();
    let rows: Vec<Vec<Option<Datum>>> = (0..300)
        .map(|row| {
            let values = columns.iter().skip(1).map(|column| match rng.u8(0..5) {
                0 => None,
                _ => Some(printable(rng, &column.sql_type)),
            });
            std::iter::once(Some(Datum::Integer(row)))
                .chain(values)
                .collect()
        })
        .collect();
    let table = Table {
        id: 1,
        name: "t".to_owned(),
        columns,
        key: vec![part("id")],
        keyspace: None,
        split: Vec::new(),
        families: Vec::new(),
        checks: Vec::new(),
        next_column: None,
        comment: None,
    };
    let table = BoundTable::new(table).unwrap();
    let rows = batch(&table, &rows);
    (table, rows)
}

async fn database_of(table: &BoundTable, rows: &RecordBatch) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let create = table.table().create_statement();
    run(&connection, &create).await.unwrap();
    run(&connection, &create.replacen(" t ", " t2 ", 1))
        .await
        .unwrap();
    let frame = connection.context().read_batch(rows.clone()).unwrap();
    frame
        .write_table("t", DataFrameWriteOptions::new())
        .await
        .unwrap();
    connection
}

/// Every type, NULL and '' among the values, through every format that COPY FROM reads, packed in every way.
#[tokio::test]
async fn what_is_copied_out_is_copied_in() {
    let mut rng = Rng::with_seed(seed());
    let (table, batch) = every_type(&mut rng);
    let connection = database_of(&table, &batch).await;
    let expected = rows(&connection, "SELECT * FROM t ORDER BY id").await;
    assert_eq!(expected.num_rows(), 300);
    let directory = TempDir::new().unwrap();
    for (name, options) in [
        ("a.csv", ""),
        ("b.csv", "(HEADER, DELIMITER '|', NULL 'nothing')"),
        ("c.csv.gz", "(HEADER)"),
        ("d.csv.zst", "(NULL '-')"),
        ("e", "(FORMAT csv, COMPRESSION zstd, DELIMITER '\\t')"),
        ("a.parquet", ""),
        ("f", "(FORMAT parquet)"),
    ] {
        let path = directory.path().join(name);
        let copy_out = format!("COPY t TO '{}' {options}", path.display());
        let copy_in = format!("COPY t2 FROM '{}' {options}", path.display());
        assert_eq!(run(&connection, &copy_out).await.unwrap(), 300, "{name}");
        assert_eq!(run(&connection, &copy_in).await.unwrap(), 300, "{name}");
        let found = rows(&connection, "SELECT * FROM t2 ORDER BY id").await;
        for (column, declared) in table.columns().iter().enumerate() {
            assert_eq!(
                found.column(column),
                expected.column(column),
                "{name}: {}",
                declared.sql_type
            );
        }
        run(&connection, "TRUNCATE TABLE t2").await.unwrap();
    }
    for compression in ["zstd", "gzip", "lz4", "none"] {
        let path = directory.path().join("g.parquet");
        let copy_out = format!("COPY t TO '{}' (COMPRESSION {compression})", path.display());
        assert_eq!(run(&connection, &copy_out).await.unwrap(), 300);
        run(&connection, &format!("COPY t2 FROM '{}'", path.display()))
            .await
            .unwrap();
        assert_eq!(
            rows(&connection, "SELECT * FROM t2 ORDER BY id")
                .await
                .columns(),
            expected.columns()
        );
        run(&connection, "TRUNCATE TABLE t2").await.unwrap();
    }
}

/// JSON goes back by way of a query. BYTEA is text there, and DOUBLE has no number for NaN: those are left out.
#[tokio::test]
async fn json_lines_are_read_by_queries() {
    let mut rng = Rng::with_seed(seed());
    let (table, batch) = every_type(&mut rng);
    let connection = database_of(&table, &batch).await;
    let kept: Vec<String> = table
        .columns()
        .iter()
        .filter(|column| match &column.sql_type {
            SqlType::Bytea | SqlType::Real | SqlType::Double => false,
            // Read as DOUBLE, by DataFusion's inference of types.
            SqlType::Decimal { precision, .. } => *precision < 16,
            // Nanoseconds are what a cast from text goes through.
            SqlType::Timestamp { precision, .. } => *precision == Precision::Nanosecond,
            // Whole numbers beyond 64 bits with a sign are read as DOUBLE, too.
            SqlType::Date | SqlType::UnsignedBigInt => false,
            _ => true,
        })
        .map(|column| column.name.clone())
        .collect();
    let names = kept.join(", ");
    let directory = TempDir::new().unwrap();
    for name in ["a.jsonl", "b.jsonl.gz", "c.ndjson", "d.json"] {
        let path = directory.path().join(name);
        let path = path.display();
        assert_eq!(
            run(&connection, &format!("COPY t TO '{path}'"))
                .await
                .unwrap(),
            300
        );
        let insert = format!("INSERT INTO t2 ({names}) SELECT {names} FROM '{path}'");
        assert_eq!(run(&connection, &insert).await.unwrap(), 300, "{name}");
        let [found, expected] =
            ["t2", "t"].map(|table| format!("SELECT {names} FROM {table} ORDER BY id"));
        let (found, expected) = (
            rows(&connection, &found).await,
            rows(&connection, &expected).await,
        );
        for (column, name) in kept.iter().enumerate() {
            assert_eq!(found.column(column), expected.column(column), "{name}");
        }
        run(&connection, "TRUNCATE TABLE t2").await.unwrap();
    }
}

async fn three_rows() -> (Connection, TempDir) {
    let connection = Database::in_memory().unwrap().connect();
    let create = "CREATE TABLE t (id INT, name TEXT, size DOUBLE, PRIMARY KEY (id))";
    run(&connection, create).await.unwrap();
    let insert = "INSERT INTO t VALUES (1, '', 0.1), (2, NULL, NULL), (3, 'a,\"b\"', -1e300)";
    run(&connection, insert).await.unwrap();
    (connection, TempDir::new().unwrap())
}

fn names(directory: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn files_are_spelt_so() {
    let (connection, directory) = three_rows().await;
    for (name, source, options, expected) in [
        (
            "a.csv",
            "t",
            "",
            "1,\"\",0.1\n2,,\n3,\"a,\"\"b\"\"\",-1e300\n",
        ),
        (
            "a.csv",
            "t (size, id)",
            "(HEADER, DELIMITER ';', NULL 'NA')",
            "size;id\n0.1;1\nNA;2\n-1e300;3\n",
        ),
        (
            "a.jsonl",
            "(SELECT * FROM t WHERE (id, id) > (1, 1))",
            "",
            "{\"id\":2,\"name\":null,\"size\":null}\n{\"id\":3,\"name\":\"a,\\\"b\\\"\",\"size\":-1e300}\n",
        ),
        (
            "a.csv",
            "(SELECT 1.50 AS n, X'00ff' AS x, TIMESTAMP '2024-01-01 10:00:00' AS ts, true AS b, '\u{feff}x' AS m)",
            "",
            "1.50,\\x00ff,2024-01-01T10:00:00,true,\"\u{feff}x\"\n",
        ),
        (
            "a.csv",
            "(SELECT id FROM t WHERE id > 9)",
            "(HEADER)",
            "id\n",
        ),
        ("a.jsonl", "(SELECT id FROM t WHERE id > 9)", "", ""),
    ] {
        let path = directory.path().join(name);
        let copy = format!("COPY {source} TO '{}' {options}", path.display());
        run(&connection, &copy).await.unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{copy}");
    }
    assert_eq!(names(&directory), ["a.csv", "a.jsonl"]);
}

/// A query that fails after its first rows are written, and a value that cannot be.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn a_file_is_whole_or_as_it_was() {
    let (connection, directory) = three_rows().await;
    let old = directory.path().join("old.csv");
    fs::write(&old, "old").unwrap();
    let link = directory.path().join("link.csv");
    std::os::unix::fs::symlink("old.csv", &link).unwrap();
    let failing = "(SELECT 1 / (100000 - value) AS x FROM range(200000))";
    for (source, options, expected) in [
        (failing, "", "Divide by zero"),
        (
            "t",
            "(NULL '')",
            "row 1: column `name` holds '', which would be read as NULL: say NULL '…' with another text",
        ),
        (
            "(SELECT id, name FROM t)",
            "(NULL '3')",
            "row 3: column `id` holds '3', which would be read as NULL: say NULL '…' with another text",
        ),
        (
            "(SELECT name FROM t)",
            "",
            "row 2: column `name` is NULL, which alone on a line is no row: say NULL '…' with a text for it",
        ),
        (
            "(SELECT nothing FROM t)",
            "",
            "there is no column `nothing`",
        ),
        (
            "t",
            "(FORMAT json, HEADER)",
            "HEADER, DELIMITER and NULL are options of csv files, not of jsonl files",
        ),
        (
            "t",
            "(FORMAT xml)",
            "COPY format `xml` is not implemented; csv, parquet, jsonl and arrow are",
        ),
        (
            "t",
            "(COMPRESSION lz4)",
            "COMPRESSION lz4 is not possible for csv files; none, gzip and zstd are",
        ),
        (
            "t",
            "(DELIMITER 'ab')",
            "COPY option DELIMITER is one character, not 'ab'",
        ),
        ("t", "(HEADER, HEADER)", "COPY option HEADER is given twice"),
        (
            "t",
            "(QUOTE '|')",
            "QUOTE, ESCAPE, COMMENT and SKIP are options of COPY FROM",
        ),
        (
            "t",
            "(QUIRK '|')",
            "COPY option `QUIRK '|'` is not implemented; FORMAT, HEADER, DELIMITER, NULL, QUOTE, ESCAPE, COMMENT, SKIP, COMPRESSION, REPLACE, ON_ERROR, REJECTS, DECIMAL, THOUSANDS, DATE_FORMAT and TIMESTAMP_FORMAT are",
        ),
    ] {
        for name in ["old.csv", "link.csv", "new.csv"] {
            let path = directory.path().join(name);
            let copy = format!("COPY {source} TO '{}' {options}", path.display());
            let error = run(&connection, &copy).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{copy}: {error}");
            assert_eq!(fs::read_to_string(&old).unwrap(), "old", "{copy}");
            assert_eq!(names(&directory), ["link.csv", "old.csv"], "{copy}");
        }
    }
    // What was behind the link is replaced, and the link stays.
    run(&connection, &format!("COPY t (id) TO '{}'", link.display()))
        .await
        .unwrap();
    assert_eq!(fs::read_to_string(&old).unwrap(), "1\n2\n3\n");
    assert!(link.is_symlink());
    // A file can be read and written by one statement.
    let old = old.display();
    run(
        &connection,
        &format!("COPY (SELECT * FROM '{old}') TO '{old}'"),
    )
    .await
    .unwrap();
    assert_eq!(
        fs::read_to_string(directory.path().join("old.csv")).unwrap(),
        "1\n2\n3\n"
    );
}

#[tokio::test]
async fn a_cancelled_statement_leaves_no_file() {
    let (connection, directory) = three_rows().await;
    let path = directory.path().join("a.csv");
    let copy = format!(
        "COPY (SELECT * FROM range(1000000000)) TO '{}'",
        path.display()
    );
    let cancelled = tokio::time::timeout(
        std::time::Duration::from_millis(200),
        run(&connection, &copy),
    )
    .await;
    assert!(cancelled.is_err());
    for _ in 0..500 {
        if names(&directory).is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{:?} are left", names(&directory));
}

#[tokio::test]
async fn where_no_file_can_be() {
    let (connection, directory) = three_rows().await;
    let root = directory.path().display().to_string();
    for (name, options, expected) in [
        (
            "no/a.csv",
            "",
            "`ROOT/no/a.csv` cannot be written: No such file or directory (os error 2)",
        ),
        (
            "",
            "(FORMAT csv)",
            "`ROOT/` cannot be written: it is a directory",
        ),
        (
            "a.txt",
            "",
            "the format of `ROOT/a.txt` is not known: say (FORMAT csv) or (FORMAT parquet) or (FORMAT jsonl) or (FORMAT arrow)",
        ),
        (
            "a.parquet.gz",
            "",
            "a parquet file is compressed within: leave out the extension and say COMPRESSION gzip",
        ),
    ] {
        let copy = format!("COPY t TO '{root}/{name}' {options}");
        let error = run(&connection, &copy).await.unwrap_err();
        assert_eq!(error.to_string().replace(&root, "ROOT"), expected);
        assert_ne!(error.kind(), ErrorKind::Internal);
    }
    // A device is written to, and stays what it is.
    assert_eq!(
        run(&connection, "COPY t TO '/dev/null' (FORMAT csv)")
            .await
            .unwrap(),
        3
    );
    assert!(!Path::new("/dev/null").is_file());
}

#[tokio::test]
async fn files_are_tables_of_queries() {
    let (connection, directory) = three_rows().await;
    let root = directory.path().display().to_string();
    for name in [
        "a.csv",
        "b.csv.gz",
        "c.parquet",
        "d.jsonl",
        "e.json.gz",
        "f.ndjson",
        "g1.parquet",
        "g2.parquet",
        "h1.arrow",
        "h2.arrow",
    ] {
        let options = if name.contains("csv") { "(HEADER)" } else { "" };
        run(&connection, &format!("COPY t TO '{root}/{name}' {options}"))
            .await
            .unwrap();
    }
    let count = |name: &str| format!("SELECT count(*), sum(id) FROM '{root}/{name}'");
    for (name, expected) in [
        ("a.csv", (3, 6)),
        ("b.csv.gz", (3, 6)),
        ("c.parquet", (3, 6)),
        ("d.jsonl", (3, 6)),
        ("e.json.gz", (3, 6)),
        ("f.ndjson", (3, 6)),
        ("g*.parquet", (6, 12)),
        ("h1.arrow", (3, 6)),
        ("h*.arrow", (6, 12)),
    ] {
        let found = rows(&connection, &count(name)).await;
        let value = |column: usize| {
            arrow::util::display::array_value_to_string(found.column(column), 0).unwrap()
        };
        assert_eq!(
            (value(0), value(1)),
            (expected.0.to_string(), expected.1.to_string()),
            "{name}"
        );
    }
    for (name, expected) in [
        ("no.csv", "there is no file `ROOT/no.csv`"),
        ("x*.csv", "no file matches `ROOT/x*.csv`"),
        (
            "h.bin",
            "`ROOT/h.bin` is of no format that queries read: csv, json, jsonl, parquet and arrow, by its name",
        ),
    ] {
        fs::write(directory.path().join("h.bin"), "x").unwrap();
        let error = connection
            .query(&count(name), Vec::new())
            .await
            .unwrap_err();
        assert_eq!(error.to_string().replace(&root, "ROOT"), expected);
    }
    let remote = connection
        .query("SELECT * FROM 'https://example.com/a.csv'", Vec::new())
        .await;
    assert_eq!(
        remote.unwrap_err().to_string(),
        "`https://example.com/a.csv` is not on this machine: queries read local files alone"
    );
}

/// Values that hold others are JSON in files of text, and what they are in the others.
#[tokio::test]
async fn nested_values_are_copied_out_and_in() {
    let connection = Database::in_memory().unwrap().connect();
    let columns = "id INT PRIMARY KEY, a INT[], b TEXT[][], c STRUCT<x DOUBLE, y TIMESTAMP(3), z UUID>, \
        d MAP(TEXT, DECIMAL(5, 2)), e TIME, g JSON, h UUID";
    for table in ["t", "t2"] {
        let create = format!("CREATE TABLE {table} ({columns})");
        run(&connection, &create).await.unwrap();
    }
    let insert = r#"INSERT INTO t VALUES
        (1, [1, NULL], [['a, "b"', ''], [], NULL], {'x': 'NaN', 'y': '2024-01-31T10:00:00.125', 'z': 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'},
         MAP {'k': 1.25, 'ü': NULL}, '01:02:03.5', '{"a": [1]}',
         'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'),
        (2, [], [], NULL, MAP {}, '23:59:59.999999999', '"x"', NULL),
        (3, NULL, NULL, '{"x": null, "y": null, "z": null}', NULL, NULL, NULL, NULL)"#;
    assert_eq!(run(&connection, insert).await.unwrap(), 3);
    let expected = rows(&connection, "SELECT * FROM t").await;
    let directory = TempDir::new().unwrap();
    for name in ["a.csv", "a.jsonl", "a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        let path = path.display();
        for copy in [
            format!("COPY t TO '{path}'"),
            format!("COPY t2 FROM '{path}'"),
        ] {
            let copied = run(&connection, &copy).await;
            assert_eq!(
                copied.unwrap_or_else(|error| panic!("{copy}: {error}")),
                3,
                "{copy}"
            );
        }
        let found = rows(&connection, "SELECT * FROM t2").await;
        assert_eq!(found, expected, "{name}");
        run(&connection, "TRUNCATE TABLE t2").await.unwrap();
    }
}

/// Parquet has no place for intervals as they are.
#[tokio::test]
async fn intervals_are_copied_out_and_in_as_texts() {
    let connection = Database::in_memory().unwrap().connect();
    for table in ["t", "t2"] {
        let create = format!("CREATE TABLE {table} (id INT PRIMARY KEY, i INTERVAL)");
        run(&connection, &create).await.unwrap();
    }
    let insert = "INSERT INTO t VALUES (1, INTERVAL '1 month -2 days 3.25 seconds'), (2, '-90 minutes'), \
        (3, INTERVAL '14 months 0.000000001 seconds'), (4, NULL), (5, INTERVAL '0 days')";
    assert_eq!(run(&connection, insert).await.unwrap(), 5);
    let expected = rows(&connection, "SELECT * FROM t").await;
    let directory = TempDir::new().unwrap();
    for name in ["a.csv", "a.jsonl", "a.arrow", "a.parquet"] {
        let path = directory.path().join(name);
        let path = path.display();
        for copy in [
            format!("COPY t TO '{path}'"),
            format!("COPY t2 FROM '{path}'"),
        ] {
            let copied = run(&connection, &copy).await;
            assert_eq!(
                copied.unwrap_or_else(|error| panic!("{copy}: {error}")),
                5,
                "{copy}"
            );
        }
        assert_eq!(
            rows(&connection, "SELECT * FROM t2").await,
            expected,
            "{name}"
        );
        run(&connection, "TRUNCATE TABLE t2").await.unwrap();
    }
    let path = directory.path().join("nested.parquet");
    let path = path.display();
    let copy = format!(
        "COPY (SELECT 1 AS id, [INTERVAL '1 day'] AS l, {{'a': INTERVAL '2 days', 'b': 3}} AS s) TO '{path}'"
    );
    assert_eq!(run(&connection, &copy).await.unwrap(), 1);
    let read = rows(
        &connection,
        &format!("SELECT l[1], s['a'], s['b'] FROM '{path}'"),
    )
    .await;
    assert_eq!(crate::session::testing::texts(&[read]), ["1 days|2 days|3"]);
    let copy = format!("COPY (SELECT 7 AS id, 'soon' AS i) TO '{path}'");
    run(&connection, &copy).await.unwrap();
    let error = run(&connection, &format!("COPY t2 FROM '{path}'"))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("row 1") && error.to_string().contains("'soon'"),
        "{error}"
    );
}
