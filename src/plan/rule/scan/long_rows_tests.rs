use super::*;
use crate::session::testing::rows_of;
use crate::session::{Connection, Database};

async fn filled() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE t (a INT, b TEXT, n DECIMAL(8, 2), ts TIMESTAMP(3), d DATE NULL, x DOUBLE, PRIMARY KEY (a, b));
        INSERT INTO t SELECT i % 100, 'b' || CAST(i AS TEXT), i / 100.0, TIMESTAMP '2024-01-01' + INTERVAL '1 second' * i,
            CASE WHEN i % 7 > 0 THEN DATE '2024-01-01' + CAST(i % 50 AS INT) END, 0.5 * i
        FROM generate_series(1, 3000) AS g(i)";
    connection.execute_script(script).await.unwrap();
    connection
}

/// A list of more rows than are written out, of which the last ones are these.
fn list(begin: &str, rows: &[&str]) -> String {
    let many =
        (0..MAX_ROWS_COMPARED).map(|number| begin.replace('#', &(number + 10_000).to_string()));
    let all: Vec<String> = many
        .chain(rows.iter().map(|row| (*row).to_owned()))
        .collect();
    format!("({})", all.join(", "))
}

/// What a long list finds is what its last rows alone find: no other is there.
#[tokio::test]
async fn a_long_list_means_what_a_short_one_means() {
    let connection = filled().await;
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "(a, b)",
            "(#, 'none')",
            &["(1, 'b1')", "(2, 'b102')", "(3, 'b4')", "(1, NULL)"],
        ),
        (
            "(b, a)",
            "('none', #)",
            &["('b1', 1)", "('b7', 7.0)", "('b8', 8.5)"],
        ),
        (
            "(a, n)",
            "(#, 1)",
            &["(1, 0.01)", "(1, 1.010)", "(1, 1.011)", "(2, -1)"],
        ),
        (
            "(ts, a)",
            "('2025-01-01', #)",
            &[
                "('2024-01-01 00:00:01', 1)",
                "('2024-01-01 00:00:02.0000', 2)",
                "('2024-01-01 00:00:03.0001', 3)",
                "(TIMESTAMP '2024-01-01 00:00:04', 4)",
            ],
        ),
        (
            "(d, a)",
            "(DATE '2024-01-02', #)",
            &["(DATE '2024-01-02', 1)", "('2024-01-03', 2)", "(NULL, 7)"],
        ),
    ];
    for (names, begin, rows) in cases {
        let of = |list: &str| {
            format!("SELECT a, b FROM t WHERE a < 50 AND {names} IN {list} ORDER BY a, b")
        };
        let short = rows_of(&connection, &of(&format!("({})", rows.join(", ")))).await;
        assert!(!short.is_empty(), "{names}");
        assert_eq!(
            rows_of(&connection, &of(&list(begin, rows))).await,
            short,
            "{names}"
        );
    }
}

/// What cannot be joined is refused, and says what would be.
#[tokio::test]
async fn other_long_lists_are_refused() {
    let connection = filled().await;
    for condition in [
        format!("(a, b) NOT IN {}", list("(#, 'none')", &["(1, 'b1')"])),
        format!("a = 1 OR (a, b) IN {}", list("(#, 'none')", &["(1, 'b1')"])),
        format!("(a, x) IN {}", list("(#, 1)", &["(1, 0.5)"])),
        format!("(a, b) IN {}", list("(#, b)", &["(1, 'b1')"])),
    ] {
        let sql = format!("SELECT a FROM t WHERE {condition}");
        let error = connection.rows(&sql, ()).await.unwrap_err();
        assert!(
            error.message().contains("more than 5000 rows in a list"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn changes_take_long_lists() {
    let connection = filled().await;
    let condition = format!(
        "(a, b) IN {}",
        list("(#, 'none')", &["(1, 'b1')", "(2, 'b2')"])
    );
    let deleted = connection
        .execute(format!("DELETE FROM t WHERE {condition}").as_str(), ())
        .await;
    assert_eq!(deleted.unwrap(), 2);
    assert_eq!(
        rows_of(&connection, "SELECT count(*) FROM t").await,
        ["2998"]
    );
}
