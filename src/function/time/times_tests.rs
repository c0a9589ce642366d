//! Functions of times over the years 1 to 9999, beside what Python's datetime makes of the same stamps (`golden/times.txt`,
//! which `golden/times.py` writes), of columns, of constants and as conditions under row keys; and beside what the
//! documentation of PostgreSQL says.

use crate::session::Connection;
use crate::session::testing::{rows_of, run, with};

/// A stamp, and the values of the expressions of it.
type Line<'a> = (&'a str, Vec<&'a str>);

/// The expressions, and what they are of each stamp.
fn golden() -> (Vec<&'static str>, Vec<Line<'static>>) {
    let mut lines = include_str!("golden/times.txt").lines();
    let expressions = lines.next().expect("the expressions").split('\t');
    let stamps = lines.map(|line| {
        let mut values = line.split('\t');
        (values.next().expect("a stamp"), values.collect())
    });
    (expressions.skip(1).collect(), stamps.collect())
}

/// A connection to a database with a table of the stamps under each of these row keys.
async fn tables(keys: &[&str]) -> Connection {
    let (_, lines) = golden();
    let connection = with(&[]).await;
    for (number, key) in keys.iter().enumerate() {
        let create = format!(
            "CREATE TABLE s{number} (id INT, d DATE, t TIMESTAMP(6), x TEXT, PRIMARY KEY ({key}))"
        );
        run(&connection, &create).await.expect(key);
        let rows = lines.iter().enumerate().map(|(id, (stamp, _))| {
            let day = stamp.split('T').next().unwrap_or_default();
            format!("({id}, '{day}', '{stamp}', '{stamp}')")
        });
        let rows = rows.collect::<Vec<_>>().join(", ");
        run(&connection, &format!("INSERT INTO s{number} VALUES {rows}"))
            .await
            .expect(key);
    }
    connection
}

fn is_known(value: &str) -> bool {
    value != "-"
}

#[tokio::test]
async fn columns_have_the_values_of_python() {
    let (expressions, lines) = golden();
    let connection = tables(&["id"]).await;
    let mut wrong = Vec::new();
    for (place, expression) in expressions.iter().enumerate() {
        let known = lines
            .iter()
            .enumerate()
            .filter(|(_, (_, values))| is_known(values[place]));
        let known: Vec<_> = known.collect();
        let ids: Vec<String> = known.iter().map(|(id, _)| id.to_string()).collect();
        let sql = format!(
            "SELECT {expression} FROM s0 WHERE id IN ({}) ORDER BY id",
            ids.join(", ")
        );
        let found = match connection.query(&sql, ()).await {
            Ok(batches) => crate::session::testing::texts(&batches),
            Err(error) => {
                wrong.push(format!("{expression}: {error}"));
                continue;
            }
        };
        let pairs = known.iter().zip(&found);
        let differing = pairs.filter(|((_, (_, values)), found)| values[place] != found.as_str());
        wrong.extend(differing.take(3).map(|((_, (stamp, values)), found)| {
            format!(
                "{expression} of {stamp}: {found}, and not {}",
                values[place]
            )
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The stamp as constants in the place of the columns.
fn of_constants(expression: &str, stamp: &str) -> String {
    let day = stamp.split('T').next().unwrap_or_default();
    let mut written = String::new();
    let mut word = String::new();
    // A text is left as it is.
    let mut is_text = false;
    for letter in expression.chars().chain([' ']) {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        match word.as_str() {
            "d" if !is_text => written.push_str(&format!("DATE '{day}'")),
            "t" if !is_text => written.push_str(&format!("TIMESTAMP(6) '{stamp}'")),
            "x" if !is_text => written.push_str(&format!("'{stamp}'")),
            word => written.push_str(word),
        }
        word.clear();
        is_text ^= letter == '\'';
        written.push(letter);
    }
    written
}

#[tokio::test]
async fn constants_have_the_values_of_python() {
    let (expressions, lines) = golden();
    let connection = with(&[]).await;
    let mut wrong = Vec::new();
    for (stamp, values) in lines.iter().take(60) {
        let all = expressions.iter().copied().zip(values.iter().copied());
        let known = all.filter(|(_, value)| is_known(value));
        let (expressions, values): (Vec<&str>, Vec<&str>) = known.unzip();
        let written = expressions
            .iter()
            .map(|expression| of_constants(expression, stamp));
        let sql = format!("SELECT {}", written.collect::<Vec<_>>().join(", "));
        let found = match connection.query(&sql, ()).await {
            Ok(batches) => crate::session::testing::texts(&batches).concat(),
            Err(error) => {
                wrong.push(format!("{stamp}: {error}"));
                continue;
            }
        };
        let all = expressions.iter().zip(&values).zip(found.split('|'));
        let differing = all.filter(|((_, value), found)| *value != found);
        wrong.extend(differing.map(|((expression, value), found)| {
            format!("{expression} of {stamp}: {found}, and not {value}")
        }));
    }
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Row keys whose ranges conditions of times become.
const KEYS: &[&str] = &[
    "id",
    "d, id",
    "d DESC, id",
    "t, id",
    "salt(3), t DESC, id",
    "CAST(t AS DATE), t, id",
    "date_trunc('month', t), t, id",
    "date_trunc('week', t) DESC, id",
    "date_bin(INTERVAL '15 minutes', t), id",
    "date_bin(INTERVAL '36 hours', t), d, id",
];

/// Expressions whose values are times or numbers, which can be said as constants.
fn constant(expression: &str, value: &str) -> Option<String> {
    let is_day = |text: &str| text.len() == 10 && text.as_bytes()[4] == b'-';
    let is_stamp = |text: &str| text.len() > 10 && text.as_bytes()[10] == b'T';
    if expression.contains("AS TEXT") || expression.starts_with("strftime") {
        return Some(format!("'{value}'"));
    }
    Some(match value {
        "-" => return None,
        value if is_day(value) => format!("DATE '{value}'"),
        value if is_stamp(value) => format!("TIMESTAMP '{value}'"),
        value => value.to_owned(),
    })
}

/// The ids of the rows for which a condition holds.
async fn ids(connection: &Connection, table: usize, condition: &str) -> String {
    let sql = format!("SELECT id FROM s{table} WHERE {condition} ORDER BY id");
    rows_of(connection, &sql).await.join(",")
}

/// Of each expression the rows that are equal to the value of one of them, and those before it: where Python knows of all
/// rows those that it says, else those that are found without a key.
#[tokio::test]
async fn conditions_find_their_rows_under_every_key() {
    let (expressions, lines) = golden();
    let connection = tables(KEYS).await;
    let mut random = fastrand::Rng::with_seed(5);
    let mut wrong = Vec::new();
    for (place, expression) in expressions.iter().enumerate() {
        for _ in 0..3 {
            let (_, values) = &lines[random.usize(0..lines.len())];
            let Some(value) = constant(expression, values[place]) else {
                continue;
            };
            for operator in ["=", "<"] {
                let condition = format!("{expression} {operator} {value}");
                let mut right = ids(&connection, 0, &condition).await;
                if operator == "=" && lines.iter().all(|(_, all)| is_known(all[place])) {
                    let rows = lines.iter().enumerate();
                    let rows = rows.filter(|(_, (_, all))| all[place] == values[place]);
                    let rows: Vec<String> = rows.map(|(id, _)| id.to_string()).collect();
                    right = rows.join(",");
                }
                for (table, key) in KEYS.iter().enumerate() {
                    let found = ids(&connection, table, &condition).await;
                    if found != right {
                        wrong.push(format!(
                            "{condition} under ({key}): {found}, and not {right}"
                        ));
                    }
                }
            }
        }
    }
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Sections 9.9 and 8.5 of PostgreSQL's documentation.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn postgresql_says_the_same() {
    let connection = with(&[]).await;
    for (expression, expected) in [
        ("date '2001-09-28' + 7", "2001-10-05"),
        (
            "date '2001-09-28' + interval '1 hour'",
            "2001-09-28T01:00:00",
        ),
        ("date '2001-10-01' - 7", "2001-09-24"),
        ("date '2001-10-01' - date '2001-09-28'", "3"),
        (
            "date '2001-09-28' - interval '1 hour'",
            "2001-09-27T23:00:00",
        ),
        (
            "timestamp '2001-09-28 01:00' + interval '23 hours'",
            "2001-09-29T00:00:00",
        ),
        (
            "timestamp '2001-09-28 23:00' - interval '23 hours'",
            "2001-09-28T00:00:00",
        ),
        (
            "timestamp '2001-09-29 03:00' - timestamp '2001-07-27 12:00' = interval '63 days 15:00:00'",
            "true",
        ),
        (
            "age(timestamp '2001-04-10', timestamp '1957-06-13') = interval '43 years 9 mons 27 days'",
            "true",
        ),
        (
            "date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01')",
            "2020-02-11T15:30:00",
        ),
        (
            "date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01 00:02:30')",
            "2020-02-11T15:32:30",
        ),
        (
            "date_trunc('hour', timestamp '2001-02-16 20:38:40')",
            "2001-02-16T20:00:00",
        ),
        (
            "date_trunc('year', timestamp '2001-02-16 20:38:40')",
            "2001-01-01T00:00:00",
        ),
        ("extract(day from timestamp '2001-02-16 20:38:40')", "16"),
        ("extract(dow from timestamp '2001-02-16 20:38:40')", "5"),
        ("extract(doy from timestamp '2001-02-16 20:38:40')", "47"),
        ("extract(isodow from timestamp '2001-02-18 20:38:40')", "7"),
        ("extract(isoyear from date '2006-01-01')", "2005"),
        ("extract(isoyear from date '2006-01-02')", "2006"),
        ("extract(quarter from timestamp '2001-02-16 20:38:40')", "1"),
        ("extract(week from timestamp '2001-02-16 20:38:40')", "7"),
        ("make_date(2013, 7, 15)", "2013-07-15"),
        (
            "make_timestamp(2013, 7, 15, 8, 15, 23.5)",
            "2013-07-15T08:15:23.500",
        ),
        ("to_date('05 Dec 2000', 'DD Mon YYYY')", "2000-12-05"),
        (
            "timestamp '2001-02-16 20:38:40' at time zone 'America/Denver' = timestamptz '2001-02-17 03:38:40Z'",
            "true",
        ),
        (
            "(timestamptz '2001-02-16 20:38:40-05' at time zone 'America/Denver')::timestamp",
            "2001-02-16T18:38:40",
        ),
        // 9999-12-31 is what people write for "for ever".
        (
            "date '9999-12-31' + interval '23:59:59'",
            "9999-12-31T23:59:59",
        ),
        (
            "timestamp '9999-12-31 23:59:59.999999'",
            "9999-12-31T23:59:59.999999",
        ),
        ("'0001-01-01'::timestamp", "0001-01-01T00:00:00"),
    ] {
        let found = rows_of(&connection, &format!("SELECT {expression} AS x")).await;
        assert_eq!(found, [expected], "{expression}");
    }
}
