//! What is written is read back as it was, whatever the type.

use crate::shell::state::tests::session;

/// A table with a column of each type.
fn table(name: &str) -> String {
    format!(
        "CREATE TABLE {name} (id INT, flag BOOLEAN, small SMALLINT, big BIGINT, r REAL, d DOUBLE, price DECIMAL(38,10), \
         whole DECIMAL(38,0), x TEXT, v VARCHAR(9), c CHAR(4), bytes BYTEA, day DATE, t0 TIMESTAMP(0), t3 TIMESTAMP(3), \
         t6 TIMESTAMP(6), t9 TIMESTAMP, tz TIMESTAMP(3) WITH TIME ZONE, \"Odd name\" INT, PRIMARY KEY (id));"
    )
}

/// A column and a value for it.
const VALUES: &[(&str, &str)] = &[
    ("flag", "true"),
    ("flag", "false"),
    ("small", "-32768"),
    ("big", "-9223372036854775808"),
    ("big", "9223372036854775807"),
    ("r", "0.1"),
    ("r", "'NaN'"),
    ("r", "3.4028234663852886e38"),
    ("r", "1.401298464324817e-45"),
    ("r", "16777216"),
    ("d", "0.1"),
    ("d", "0.30000000000000004e0"),
    ("d", "1.7976931348623157e308"),
    ("d", "-5e-324"),
    ("d", "100"),
    ("d", "'NaN'"),
    ("d", "'Infinity'"),
    ("d", "'-Infinity'"),
    ("price", "1234567890123456789012345678.0123456789"),
    ("price", "-0.0000000001"),
    ("whole", "99999999999999999999999999999999999999"),
    ("whole", "-99999999999999999999999999999999999999"),
    ("x", "''"),
    ("x", "'NULL'"),
    ("x", "'it''s \"so\" \\n; -- no\n.tables\n;\r\n\tü'"),
    ("v", "'a''b'"),
    ("c", "'ab'"),
    ("bytes", "X''"),
    ("bytes", "X'00ff5c27'"),
    ("day", "'9999-12-31'"),
    ("day", "'-0044-03-15'"),
    ("t0", "'3002-01-01T00:00:00'"),
    ("t3", "'3002-01-01T00:00:00.123'"),
    ("t6", "'0001-01-01T00:00:00.123456'"),
    ("t9", "'2262-04-11T23:47:16.854775807'"),
    ("t9", "'1677-09-21T00:12:43.145224193'"),
    ("tz", "'3002-01-01T00:00:00.123Z'"),
    ("\"Odd name\"", "7"),
];

#[test]
fn what_it_writes_is_read_back_as_it_was() {
    let mut rows = String::new();
    for (id, (column, value)) in VALUES.iter().enumerate() {
        rows += &format!("INSERT INTO one (id, {column}) VALUES ({id}, {value});\n");
    }
    let (written, log, _) = session(&[
        &table("one"),
        &rows,
        ".mode insert Two",
        "SELECT * FROM one;",
    ]);
    assert_eq!(log, "");
    assert!(
        written.starts_with("INSERT INTO two (id, flag, small, "),
        "{written}"
    );
    let compared = [
        "SELECT count(*) AS n FROM two;",
        "SELECT count(*) AS n FROM (SELECT * FROM one EXCEPT SELECT * FROM two);",
        "SELECT count(*) AS n FROM (SELECT * FROM two EXCEPT SELECT * FROM one);",
        ".mode insert",
        "SELECT * FROM two;",
    ];
    let tables = table("one") + &table("two");
    let both = [&[&*tables, &rows, &written], &compared[..]].concat();
    let (out, log, _) = session(&both);
    assert_eq!(log, "");
    let numbers = format!("n\n{}\nn\n0\nn\n0\n", VALUES.len());
    let again = written.replace("INSERT INTO two ", "INSERT INTO \"table\" ");
    assert_eq!(out, numbers + &again);
}

#[test]
fn values_are_spelt_as_sql_spells_them() {
    let (out, log, _) = session(&[
        ".mode insert",
        "SELECT 1 AS a, 1.50 AS b, CAST(1.5 AS DOUBLE) AS \"C\", 'x' AS \"order\", NULL AS n, true AS t, X'0f' AS y;",
        "SELECT 1 AS a WHERE false;",
        "SELECT arrow_cast('a', 'Dictionary(Int32, Utf8)') AS a, DATE '2024-01-31' AS d, CAST('inf' AS REAL) AS r;",
        ".mode insert \"My table\"",
        "SELECT 1 AS a; SELECT 2 AS b;",
    ]);
    assert_eq!(log, "");
    let expected = "\
INSERT INTO \"table\" (a, b, \"C\", \"order\", n, t, y) VALUES (1, 1.50, 1.5e0, 'x', NULL, true, X'0f');
INSERT INTO \"table\" (a, d, r) VALUES ('a', '2024-01-31', 'inf');
INSERT INTO \"My table\" (a) VALUES (1);
INSERT INTO \"My table\" (b) VALUES (2);
";
    assert_eq!(out, expected);
}
