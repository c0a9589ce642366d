//! Texts that are cast to lists, structs and maps: what is in them, and what they refuse.

use crate::session::testing::{texts, with};

const SAID: &[&str] = &[
    "CREATE TABLE said (id INT PRIMARY KEY, t TEXT NULL)",
    "INSERT INTO said VALUES (1, '[1, 2, null]'), (2, NULL), (3, '[]'), (4, '{\"a\": 7}'), (5, '[1,')",
    "CREATE TABLE made (id INT PRIMARY KEY, l INT[] DEFAULT '[1]'::INT[] CHECK (cardinality(l) < 3), s STRUCT<a INT> NULL)",
    "INSERT INTO made (id) VALUES (1)",
    "INSERT INTO made VALUES (2, '[1, 2]'::INT[], '{\"a\": 5}'::STRUCT<a INT>)",
];

/// Queries, and their rows.
const ANSWERS: &[(&str, &[&str])] = &[
    (
        "SELECT '[1, 2, null]'::INT[], '{\"a\": 1, \"b\": null}'::MAP(TEXT, INT), '{\"a\":1,\"b\":\"x\"}'::STRUCT<a INT, b TEXT>",
        &["[1, 2, NULL]|{a: 1, b: NULL}|{a: 1, b: x}"],
    ),
    (
        "SELECT s[1]['a'][2], s[2] IS NULL FROM (SELECT CAST('[{\"a\": [1, 8]}, null]' AS STRUCT(a INT[])[]) AS s) AS q",
        &["8|true"],
    ),
    (
        "SELECT id, (t::INT[])[2], cardinality(t::INT[]) FROM said WHERE id < 4 ORDER BY id",
        &["1|2|3", "2|NULL|NULL", "3|NULL|0"],
    ),
    (
        "SELECT id, (TRY_CAST(t AS INT[]))[1], (TRY_CAST(t AS STRUCT(a INT, b TEXT)))['a'] FROM said ORDER BY id",
        &[
            "1|1|NULL",
            "2|NULL|NULL",
            "3|NULL|NULL",
            "4|NULL|7",
            "5|NULL|NULL",
        ],
    ),
    (
        "SELECT unnest('[\"2024-01-31\", \"2024-02-29\"]'::DATE[])",
        &["2024-01-31", "2024-02-29"],
    ),
    (
        "SELECT NULL::INT[] IS NULL, ([1, 2]::BIGINT[])[2], ({'a': 1}::STRUCT<a DOUBLE>)['a']",
        &["true|2|1.0"],
    ),
    (
        "SELECT ('[\"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6\"]'::UUID[])[1], (['ab']::VARCHAR(2)[])[1], ('{\"a\": \"{}\"}'::STRUCT<a JSON>)['a']",
        &["f81d4fae-7dec-11d0-a765-00a0c91e6bf6|ab|{}"],
    ),
    (
        "SELECT TRY_CAST(['abc'] AS VARCHAR(2)[]) IS NULL, (TRY_CAST('[\"ab\"]' AS VARCHAR(2)[]))[1]",
        &["true|ab"],
    ),
    (
        "SELECT id, l[1], s['a'] FROM made ORDER BY id",
        &["1|1|NULL", "2|1|5"],
    ),
    ("SELECT id FROM made WHERE l = '[1, 2]'::INT[]", &["2"]),
];

/// Statements that are refused, and a part of what they say.
const REFUSED: &[(&str, &str)] = &[
    (
        "SELECT t::INT[] FROM said",
        "'{\"a\": 7}' cannot be read as INT[]: it is no JSON of such values, as [1, 2] or {\"a\": 1}",
    ),
    ("SELECT '{1,2}'::INT[]", "'{1,2}' cannot be read as INT[]"),
    ("SELECT '5'::INT[]", "'5' cannot be read as INT[]"),
    (
        "SELECT '{\"a\": 1, \"c\": 2}'::STRUCT<a INT, b TEXT>",
        "cannot be read as STRUCT<a INT, b TEXT>",
    ),
    (
        "SELECT '{\"a\": \"x\"}'::MAP(TEXT, INT)",
        "cannot be read as MAP(TEXT, INT)",
    ),
    (
        "SELECT '[\"x\"]'::UUID[]",
        "'[\"x\"]' cannot be read as UUID[]: it is no JSON of such values",
    ),
    (
        "SELECT ['abc']::VARCHAR(2)[]",
        "cannot be read as VARCHAR(2)[]: inside, it has more than 2 characters",
    ),
    (
        "INSERT INTO made VALUES (3, '[1, 2, 3]'::INT[], NULL)",
        "does not hold",
    ),
];

#[tokio::test]
async fn texts_are_read_as_json() {
    let connection = with(SAID).await;
    for (sql, expected) in ANSWERS {
        let batches = connection.query(sql, ()).await;
        let batches = batches.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(texts(&batches), *expected, "{sql}");
    }
}

#[tokio::test]
async fn what_is_none_of_the_type_is_refused() {
    let connection = with(SAID).await;
    for (sql, expected) in REFUSED {
        let refused = connection.execute(sql, ()).await;
        let error = refused.expect_err(sql).to_string();
        assert!(error.contains(expected), "{sql}: {error}");
    }
}

/// What a cast gives is what a column gives back that the text was assigned to.
#[tokio::test]
async fn a_cast_means_what_an_insert_means() {
    let connection = with(&[]).await;
    for (sql_type, text) in [
        ("INT[]", "[1, null, -3]"),
        ("DOUBLE[]", "[-0.0, 1e300]"),
        ("DECIMAL(5,2)[]", "[1.25, 7]"),
        ("TIMESTAMP(3)[]", "[\"2024-01-31T10:00:00\"]"),
        ("TIME[]", "[\"10:30:00\"]"),
        ("UUID[]", "[\"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6\"]"),
        ("MAP(TEXT, INT[])", "{\"a\": [1], \"b\": null}"),
        (
            "STRUCT<a INT, b STRUCT<c TEXT, d BOOLEAN>>",
            "{\"b\": {\"d\": true}}",
        ),
        ("INT[]", "[1.5]"),
        ("INT[]", "{}"),
        ("STRUCT<a INT>", "[1]"),
        ("DECIMAL(3,1)[]", "[123.4]"),
        ("VARCHAR(2)[]", "[\"abc\"]"),
    ] {
        for statement in [
            "DROP TABLE IF EXISTS held".to_owned(),
            format!("CREATE TABLE held (id INT PRIMARY KEY, v {sql_type})"),
        ] {
            connection.execute(&statement, ()).await.unwrap();
        }
        let insert = format!("INSERT INTO held VALUES (1, '{text}')");
        let cast = format!("SELECT '{text}'::{sql_type} AS v");
        let cast = connection.query(&cast, ()).await;
        match connection.execute(&insert, ()).await {
            Ok(_) => {
                let held = connection.query("SELECT v FROM held", ()).await.unwrap();
                let cast = cast.unwrap_or_else(|error| panic!("{sql_type} {text}: {error}"));
                assert_eq!(texts(&cast), texts(&held), "{sql_type} {text}");
            }
            Err(_) => assert!(cast.is_err(), "{sql_type} {text}"),
        }
    }
}
