//! Files as tables by functions: what they are read as, and what one sees where they are wrong.

use std::fs;

use tempfile::TempDir;

use crate::session::testing::texts;
use crate::session::{Connection, Database};

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
        "error: @/de.csv line 3: column `price`: 'NA' is not a DECIMAL(5, 2); say read_csv(…, nullstr => '…') where a text stands for NULL",
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
        "error: read_csv has no option `replace`; it has header, delimiter, nullstr, quote, escape, comment, skip, compression, decimal, thousands, date_format, timestamp_format, types, columns, all_varchar, sample_size and filename",
    ),
    (
        "SELECT * FROM read_csv('@/one.csv', quirk => 1)",
        "error: read_csv has no option `quirk`; it has header",
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

/// Files, and what is found in them; `@` is the directory.
const FOUND: &[(&str, &str, &str, &str)] = &[
    // Codes are no numbers, quoted or not.
    (
        "fips.csv",
        "fips,q,phone,n\n01001,\"007\",+49170,0\n56045,\"8\",+1,-7\n",
        "SELECT fips, q, phone, n + 1 FROM '@/fips.csv'",
        "01001|007|+49170|1\n56045|8|+1|-6",
    ),
    // Nor are numbers that have more digits than their type.
    (
        "ids.csv",
        "id,mixed\n18446744073709551615,1.5\n1,9007199254740993\n",
        "SELECT id, mixed, arrow_typeof(id) FROM '@/ids.csv'",
        "18446744073709551615|1.5|Decimal128(38, 0)\n1|9007199254740993|Decimal128(38, 0)",
    ),
    // What comes later is held to what the first rows showed.
    (
        "late.csv",
        "n\n1\n2\n007\n",
        "SELECT sum(n) FROM read_csv('@/late.csv', sample_size => 2)",
        "error: @/late.csv line 4: column `n`: '007' begins with a zero, which a number would lose",
    ),
    (
        "late.csv",
        "n\n1\n2\n007\n",
        "SELECT sum(n) FROM read_csv('@/late.csv', types => {'n': 'INT'})",
        "10",
    ),
    // A first line that is a row is one.
    (
        "bare.csv",
        "1,x,2024-01-31\n2,y,2024-02-29\n",
        "SELECT column1, column2, column3 FROM '@/bare.csv'",
        "1|x|2024-01-31\n2|y|2024-02-29",
    ),
    ("one.csv", "1,x\n", "SELECT * FROM '@/one.csv'", "1|x"),
    (
        "names.csv",
        "a,b\n",
        "SELECT count(*) FROM '@/names.csv'",
        "0",
    ),
    (
        "words.csv",
        "a,b\nx,y\n",
        "SELECT a, b FROM '@/words.csv'",
        "x|y",
    ),
    (
        "wider.csv",
        "1.5,\n2,x\n",
        "SELECT column1 FROM '@/wider.csv'",
        "1.5\n2.0",
    ),
    (
        "years.csv",
        "2019,2020\n1,2\n",
        "SELECT \"2020\" FROM read_csv('@/years.csv', header => true)",
        "2",
    ),
    // Quotes.
    (
        "stray.csv",
        "a,b\n1,\"x\"\n2,\"a\"b\"\n",
        "SELECT * FROM '@/stray.csv'",
        "error: @/stray.csv line 3: 'b' stands behind the closing quote of a field",
    ),
    // A format of dates that does not fit.
    (
        "dates.csv",
        "d,t\n2024-01-31,2024-01-31 10:00\n",
        "SELECT d, arrow_typeof(d), arrow_typeof(t) FROM read_csv('@/dates.csv', date_format => '%d.%m.%Y')",
        "2024-01-31|Utf8|Timestamp(ns)",
    ),
    (
        "halves.csv",
        "t\n31.01.2024 10:00:00.5\n",
        "SELECT t FROM read_csv('@/halves.csv', timestamp_format => '%d.%m.%Y %H:%M:%S.%f')",
        "2024-01-31T10:00:00.500",
    ),
    // `""` of a column of numbers is NULL, in the first rows as in the others.
    (
        "quoted.csv",
        "\"n\",\"s\"\n\"1\",\"\"\n\"\",\"x\"\n",
        "SELECT n, s FROM '@/quoted.csv'",
        "1|\nNULL|x",
    ),
    // Options.
    (
        "other.txt",
        "made by hand\n\n# a comment\na;b\n'x;y';1\n#;2\n'it\\'s';3\n",
        "SELECT a, b FROM read_csv('@/other.txt', skip => 1, comment => '#', quote => '''', escape => '\\')",
        "x;y|1\nit's|3",
    ),
    (
        "bare_quotes.csv",
        "a,b\n\"x,1\n",
        "SELECT a, b FROM read_csv('@/bare_quotes.csv', quote => '')",
        "\"x|1",
    ),
    (
        "skipped.csv",
        "title\na\n1\nx\n",
        "SELECT a FROM read_csv('@/skipped.csv', skip => 1, types => {'a': 'INT'})",
        "error: @/skipped.csv line 4: column `a`: 'x' is not of type INT",
    ),
    (
        "given.csv",
        "1;01\n2;02\n",
        "SELECT i, c FROM read_csv('@/given.csv', columns => {'i': 'INT', 'c': 'TEXT'})",
        "1|01\n2|02",
    ),
    (
        "headed.csv",
        "Id;Code\n1;01\n",
        "SELECT i, c FROM read_csv('@/headed.csv', columns => {'i': 'INT', 'c': 'TEXT'}, header => true)",
        "1|01",
    ),
    (
        "headed.csv",
        "Id;Code\n1;01\n",
        "SELECT i, c FROM read_csv('@/headed.csv', columns => {'i': 'INT', 'c': 'TEXT'})",
        "error: @/headed.csv line 1: the line neither names the columns that are given nor has values of their types",
    ),
    (
        "headed.csv",
        "Id;Code\n1;01\n",
        "SELECT id, code FROM read_csv('@/headed.csv', columns => {'id': 'INT', 'code': 'TEXT'})",
        "1|01",
    ),
    (
        "named.csv",
        "a\n1\n",
        "SELECT a, replace(filename, '@/', '') FROM read_csv(['@/named.csv', '@/headed.csv'], columns => {'x': 'TEXT'}, header => false, delim => ',', filename => true) AS f (a, filename) ORDER BY 2, 1",
        "1;01|headed.csv\nId;Code|headed.csv\n1|named.csv\na|named.csv",
    ),
    (
        "named.csv",
        "a\n1\n",
        "SELECT filename LIKE '%named.csv' FROM read_csv('@/named.csv', filename => true) WHERE a = 1",
        "true",
    ),
    (
        "taken.csv",
        "filename\n1\n",
        "SELECT * FROM read_csv('@/taken.csv', filename => true)",
        "error: `@/taken.csv` has a column `filename` itself",
    ),
    (
        "named.csv",
        "a\n1\n",
        "SELECT * FROM read_csv('@/named.csv', header => 'maybe')",
        "error: read_csv: option HEADER is true or false, not 'maybe'",
    ),
    (
        "named.csv",
        "a\n1\n",
        "SELECT * FROM read_csv('@/named.csv', delim => ';', quote => ';')",
        "error: DELIMITER, QUOTE, ESCAPE and COMMENT must differ: two of them are ';'",
    ),
    // JSON: nothing is cut.
    (
        "cut.jsonl",
        "{\"c\":1}\n{\"c\":2}\n{\"c\":1.9}\n",
        "SELECT max(c) FROM read_json('@/cut.jsonl', sample_size => 2)",
        "error: @/cut.jsonl line 3: column `c`: '1.9' is not of type BIGINT",
    ),
    (
        "cut.jsonl",
        "{\"c\":1}\n{\"c\":2}\n{\"c\":1.9}\n",
        "SELECT max(c) FROM '@/cut.jsonl'",
        "2.0",
    ),
    (
        "code.jsonl",
        "{\"c\":1}\n{\"c\":\"007\"}\n",
        "SELECT c FROM '@/code.jsonl'",
        "1\n007",
    ),
    (
        "code.jsonl",
        "{\"c\":1}\n{\"c\":\"007\"}\n",
        "SELECT c FROM read_json('@/code.jsonl', sample_size => 1)",
        "error: @/code.jsonl line 2: column `c`: '007' is a text, and no BIGINT",
    ),
    (
        "code.jsonl",
        "{\"c\":1}\n{\"c\":\"007\"}\n",
        "SELECT c FROM read_json('@/code.jsonl', types => {'c': 'INT'})",
        "1\n7",
    ),
    (
        "new.jsonl",
        "{\"a\":1}\n{\"a\":2,\"b\":3}\n",
        "SELECT * FROM read_json('@/new.jsonl', sample_size => 1)",
        "error: @/new.jsonl line 2: the object names `b`, which none does that was looked at",
    ),
    (
        "new.jsonl",
        "{\"a\":1}\n{\"a\":2,\"b\":3}\n",
        "SELECT a, b FROM read_json('@/new.jsonl', sample_size => -1)",
        "1|NULL\n2|3",
    ),
    (
        "new.jsonl",
        "{\"a\":1}\n{\"a\":2,\"b\":3}\n",
        "SELECT a FROM read_json('@/new.jsonl', columns => {'a': 'INT'})",
        "1\n2",
    ),
    (
        "lists.jsonl",
        "{\"l\":[1,2]}\n{\"l\":[1.9]}\n",
        "SELECT l FROM read_json('@/lists.jsonl', sample_size => 1)",
        "error: @/lists.jsonl line 2: column `l`: '1.9' is not of type BIGINT",
    ),
    (
        "deep.json",
        "[{\"s\": {\"a\": [1, null], \"b\": \"x\"}}, {\"s\": null}, {\"s\": {\"c\": 1.5}}]",
        "SELECT s['a'][1], s['b'], s['c'] FROM '@/deep.json'",
        "1|x|NULL\nNULL|NULL|NULL\nNULL|NULL|1.5",
    ),
    // In whatever way the objects stand.
    (
        "spread.json",
        "\u{feff}{\n  \"a\": 1,\n  \"b\": \"x\"\n}\n{\n  \"a\": 2\n}{\"a\": 3}",
        "SELECT a, b FROM '@/spread.json'",
        "1|x\n2|NULL\n3|NULL",
    ),
    (
        "array.json",
        "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": x\n  }\n]\n",
        "SELECT a FROM '@/array.json'",
        "error: @/array.json line 6: 'x' is no JSON here",
    ),
    // What is one thing here and another there is text.
    (
        "mixed.jsonl",
        "{\"m\":1.50}\n{\"m\":\"x\"}\n{\"m\":[1, 2]}\n{\"m\":{\"a\":1}}\n{\"m\":true}\n{\"m\":null}\n",
        "SELECT m FROM '@/mixed.jsonl'",
        "1.50\nx\n[1, 2]\n{\"a\":1}\ntrue\nNULL",
    ),
    (
        "twice.jsonl",
        "{\"a\":1,\"a\":2}\n",
        "SELECT a FROM '@/twice.jsonl'",
        "error: @/twice.jsonl line 1: the object names `a` twice",
    ),
    (
        "floats.jsonl",
        "{\"x\":1}\n{\"x\":\"NaN\"}\n{\"x\":\"-Infinity\"}\n",
        "SELECT x FROM '@/floats.jsonl'",
        "1.0\nNaN\n-inf",
    ),
    (
        "half.jsonl",
        "{\"s\":\"\\ud83d\"}\n",
        "SELECT s FROM '@/half.jsonl'",
        "error: @/half.jsonl line 1: column `s`: '\\\"\\\\ud83d\\\"' names half of a letter",
    ),
    (
        "named.jsonl",
        "{\"a\":1}\n",
        "SELECT a, filename LIKE '%named.jsonl' FROM read_json(['@/named.jsonl'], filename => true)",
        "1|true",
    ),
    (
        "named.jsonl",
        "{\"a\":1}\n",
        "SELECT * FROM read_json('@/named.jsonl', delim => ';')",
        "error: read_json has no option `delim`; it has compression, decimal",
    ),
];

#[tokio::test]
async fn what_is_found_in_a_file_is_what_stands_there() {
    let directory = TempDir::new().unwrap();
    let connection = Database::in_memory().unwrap().connect();
    for (name, text, sql, expected) in FOUND {
        fs::write(directory.path().join(name), text).unwrap();
        let found = answer(&directory, &connection, sql).await;
        match expected.strip_prefix("error: ") {
            Some(_) => assert!(found.starts_with(*expected), "{sql}: {found}"),
            None => assert_eq!(found, *expected, "{sql}"),
        }
        assert!(found.matches("@/").count() < 2, "told twice: {found}");
    }
}

/// A file whose name says that tabs stand in it is written and read so.
#[tokio::test]
async fn tabs_are_known_by_the_name() {
    let (directory, connection) = files();
    let root = directory.path().display().to_string();
    let create = "CREATE TABLE t (a INT PRIMARY KEY, b TEXT)";
    connection.execute(create, ()).await.unwrap();
    let copy = format!("COPY t FROM '{root}/tabs.tsv' (HEADER)");
    assert_eq!(connection.execute(&copy, ()).await.unwrap(), 1);
    for name in ["out.tsv", "out.tsv.gz"] {
        let copy = format!("COPY t TO '{root}/{name}' (HEADER)");
        connection.execute(&copy, ()).await.unwrap();
    }
    let text = fs::read_to_string(directory.path().join("out.tsv")).unwrap();
    assert_eq!(text, "a\tb\n1\t\"x\ty\"\n");
    let sql = "SELECT a, b FROM '@/out.tsv.gz'";
    assert_eq!(answer(&directory, &connection, sql).await, "1|x\ty");
}

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
