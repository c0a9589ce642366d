use super::*;

/// Two queries over a few rows of the sample's tables: what is told of a run, and what is wrong with one.
async fn tiny() -> Database {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    let table = "CREATE TABLE t_by_a (a INT, b INT, c INT NOT NULL, PRIMARY KEY (a, b));
                 CREATE TABLE t_by_b (a INT, b INT, c INT NOT NULL, PRIMARY KEY (bucket(2, b), b, a));
                 INSERT INTO t_by_a SELECT v / 10, v % 10, v FROM generate_series(0, 99) AS s(v);
                 INSERT INTO t_by_b SELECT * FROM t_by_a";
    for statement in connection.script(table).unwrap() {
        connection.run(&statement).await.unwrap();
    }
    database
}

fn query(layouts: &[(&'static str, usize, usize)], sql: &'static str) -> Query {
    let expectation = |&(layout, ranges, keys_read): &(&'static str, usize, usize)| Expectation {
        layout,
        // No ranges stand for a walk, whose keys are bounded.
        ranges: (ranges > 0).then_some(ranges),
        keys_read: vec![sample::Count {
            size: None,
            bound: match ranges {
                0 => sample::Bound::AtMost(keys_read),
                _ => sample::Bound::Exactly(keys_read),
            },
        }],
    };
    Query {
        title: "Tiny",
        table: "t",
        expectations: layouts.iter().map(expectation).collect(),
        worst: Some("by_b"),
        sql,
    }
}

async fn told(query: &Query) -> (Vec<QueryLine>, String) {
    let (mut out, mut lines) = (Vec::new(), Vec::new());
    let database = tiny().await;
    let mut demo = Demo::new(&database, Page::default(), &mut out)
        .await
        .unwrap();
    demo.query(1, 2, query, &mut lines).await.unwrap();
    (lines, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn a_query_is_told_with_what_it_scans_and_reads() {
    let sql = "-- a note\nSELECT a, t.b FROM t WHERE a = 3 AND c > 35 ORDER BY a, b";
    let (lines, out) = told(&query(&[("by_a", 1, 10), ("by_b", 0, 100)], sql)).await;
    assert!(lines.iter().all(QueryLine::is_good), "{out}");
    let expected = [
        "── 1 of 2: Tiny ──",
        "\nSELECT a, t.b FROM t WHERE a = 3 AND c > 35 ORDER BY a, b\n",
        "\nt_by_a  PRIMARY KEY (a, b)\n  range: /3/*\n",
        "c > 35",
        "read               1 range        10 keys       4 rows",
        "without pushdown   1 range       100 keys       4 rows",
        "\nThe layout that serves it worst:\nt_by_b  PRIMARY KEY (bucket(2, b), b, a)\n",
        "4 rows\n",
    ];
    for part in expected {
        assert!(out.contains(part), "{part}\n\n{out}");
    }
    assert!(!out.contains('✗') && !out.contains("a note"), "{out}");
    let table = summary(&lines);
    let columns: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(columns[2], ["t"], "{table}");
    assert_eq!(
        columns[3][..6],
        ["1", "Tiny", "by_a", "1", "10", "4"],
        "{table}"
    );
    assert_eq!(
        (columns[3][7], columns[4].last()),
        ("100", Some(&"worst")),
        "{table}"
    );
}

#[tokio::test]
async fn what_is_not_as_expected_is_marked() {
    let sql = "SELECT a FROM t WHERE a = 3 AND b = 4";
    for wrong in [("by_a", 2, 1), ("by_a", 1, 2)] {
        let (lines, out) = told(&query(&[wrong], sql)).await;
        assert!(!lines[0].is_met && lines[0].is_same, "{out}");
        assert!(out.contains("  ✗ expected: ranges"), "{out}");
        assert!(summary(&lines).contains(" ✗\n"));
    }
    // The rows of the two layouts stand in another order.
    let (lines, out) = told(&query(
        &[("by_a", 1, 100), ("by_b", 2, 100)],
        "SELECT a, b FROM t",
    ))
    .await;
    assert!(lines[0].is_same && !lines[1].is_same, "{out}");
    assert!(out.contains("  ✗ the rows are not the same"), "{out}");
}

#[test]
fn a_directory_in_use_is_refused_and_temporary_files_go() {
    let directory = tempfile::tempdir().unwrap();
    let new = directory.path().join("new");
    let directories = DemoDirectories::new(Some(&new)).unwrap();
    assert_eq!(directories.database(), new);
    let scratch = directories.scratch().to_owned();
    let file = scratch.join("data/flights.parquet");
    assert!(file.is_file());
    directories.drop_data().unwrap();
    assert!(!file.exists());
    drop(directories);
    assert!(!scratch.exists() && !new.exists());
    std::fs::write(directory.path().join("file"), "").unwrap();
    let error = DemoDirectories::new(Some(directory.path()))
        .map(|_| ())
        .unwrap_err();
    assert!(error.message().contains("is not empty"), "{error}");
    let error = DemoDirectories::new(Some(&directory.path().join("file")))
        .map(|_| ())
        .unwrap_err();
    assert!(
        error.message().contains("cannot make a database"),
        "{error}"
    );
}
