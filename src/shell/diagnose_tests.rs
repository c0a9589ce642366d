use super::*;
use crate::session::{Connection, Database};

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for name in ["flights", "weather"] {
        let create = format!(
            "CREATE TABLE {name} (carrier TEXT, flight INT, dep TIMESTAMP(3), PRIMARY KEY (carrier))"
        );
        connection.execute(&create, Vec::new()).await.unwrap();
    }
    connection
}

/// What stands at the place of the diagnosis, and the hint, for the error that a statement really gives.
async fn diagnosis(connection: &Connection, sql: &str) -> (String, String) {
    let error = match connection.script(sql) {
        Ok(statements) => match connection.run(&statements[0]).await {
            Ok(crate::run::outcome::Outcome::Rows(mut rows)) => {
                use futures::StreamExt;
                crate::error::Error::from(rows.next().await.unwrap().unwrap_err())
            }
            outcome => outcome.unwrap_err(),
        },
        Err(error) => error,
    };
    let message = error.to_string();
    let names = Names::new(connection.clone());
    let found = match message.rsplit_once(", Column: ") {
        Some((_, column)) => of_syntax(sql, column.trim().parse::<usize>().unwrap() - 1),
        None => of_error(&error, &message, sql, Some(&names)),
    };
    let place = found.place.and_then(|(start, end)| sql.get(start..end));
    (
        place.unwrap_or("").to_owned(),
        found.hint.unwrap_or_default(),
    )
}

/// A statement, what is wrong in it, and what is suggested.
///
/// These are the messages of the DataFusion that is built in: another version may say it in other words, and then the
/// test fails.
const WRONG: &[(&str, &str, &str)] = &[
    ("SELECT * FROM flihgts", "flihgts", "did you mean flights?"),
    (
        "SELECT * FROM planes",
        "planes",
        "the tables are flights, weather",
    ),
    ("DROP TABLE flihgts", "flihgts", "did you mean flights?"),
    ("DELETE FROM wether", "wether", "did you mean weather?"),
    ("SELECT * FROM 'nofile.csv'", "'nofile.csv'", ""),
    (
        "SELECT carier FROM flights",
        "carier",
        "did you mean carrier?",
    ),
    (
        "SELECT Carier FROM flights",
        "Carier",
        "did you mean carrier?",
    ),
    (
        "SELECT f.carier FROM flights f",
        "f.carier",
        "did you mean f.carrier?",
    ),
    (
        "SELECT x FROM flights",
        "x",
        "the columns are flights.carrier, flights.flight, flights.dep",
    ),
    (
        "SELECT carier FROM flights, weather",
        "carier",
        "did you mean flights.carrier or weather.carrier?",
    ),
    (
        "SELECT c FROM (SELECT carrier AS cc FROM flights)",
        "c",
        "the columns are cc",
    ),
    ("SELECT florr(1.5)", "florr", "did you mean floor?"),
    (
        "SELECT * FROM kyes('flights')",
        "kyes",
        "did you mean keys?",
    ),
    (
        "SET halite.pushdwon = false",
        "pushdwon",
        "did you mean halite.pushdown?",
    ),
    (
        "SET datafusion.execution.batchsize = 3",
        "batchsize",
        "did you mean datafusion.execution.batch_size?",
    ),
    (
        "CREATE TABLE t (a INT, PRIMARY KEY (slat(16), a))",
        "slat",
        "did you mean salt?",
    ),
    (
        "SELECT * FROM flights ORDER BY carier",
        "carier",
        "did you mean carrier?",
    ),
    ("SELECT flight FROM flights a, flights b", "flight", ""),
    (
        "SELECT flight, count(*) FROM flights GROUP BY dep",
        "flight",
        "",
    ),
    (
        "COPY flights FROM 'f.csv' (HEADR)",
        "HEADR",
        "did you mean HEADER?",
    ),
    (
        "COPY flights TO 'f.csv' (HEADER, DELIMITR ';')",
        "DELIMITR",
        "did you mean DELIMITER?",
    ),
    (
        "COPY flights FROM 'f.csv' (FORMAT cvs)",
        "cvs",
        "did you mean csv?",
    ),
    (
        "SELECT flight FROM flights WHERE carrier = \"AA\"",
        "\"AA\"",
        "the columns are flights.carrier, flights.flight, flights.dep; a text stands in single quotes",
    ),
    (
        "INSERT INTO flights (carier) VALUES ('AA')",
        "carier",
        "did you mean carrier?",
    ),
    (
        "INSERT INTO flights (carrier, x) VALUES ('AA', 1)",
        "x",
        "the columns are carrier, flight, dep",
    ),
    // The value, and not the column or the table.
    (
        "INSERT INTO flights (carrier, flight) VALUES ('AA', 3000000000)",
        "3000000000",
        "",
    ),
    ("INSERT INTO flights VALUES ('AA', 1)", "", ""),
    ("INSERT INTO flights VALUES (NULL, 1, NULL)", "", ""),
    (
        "UPDATE flights SET flite = 1",
        "flite",
        "the columns are carrier, flight, dep",
    ),
    ("SELECT * FROM flights FOR UPDATE", "", ""),
    (
        "COPY flights FROM 'f.csv' WITH CSV HEADER",
        "CSV",
        "options stand in parentheses: (HEADER)",
    ),
    // Keywords.
    ("SELCT 1", "SELCT", "did you mean SELECT?"),
    ("SELECT * FORM flights", "FORM", "did you mean FROM?"),
    (
        "SELECT * FROM flights WERE flight = 1",
        "WERE",
        "did you mean WHERE?",
    ),
    (
        "SELECT * FROM flights ODER BY flight",
        "ODER",
        "did you mean ORDER or OVER?",
    ),
    ("SELECT count(* FROM flights", "FROM", ""),
    ("SELECT 1 FROM flights WHERE", "", ""),
];

#[tokio::test]
async fn what_is_wrong_is_found_and_what_is_meant_is_suggested() {
    let connection = connection().await;
    for (sql, place, hint) in WRONG {
        let (found, suggested) = diagnosis(&connection, sql).await;
        assert_eq!(
            (found.as_str(), suggested.as_str()),
            (*place, *hint),
            "{sql}"
        );
    }
}

#[test]
fn what_a_message_quotes_is_found_if_it_is_there_once() {
    let place = |message: &str, sql: &str| {
        let error = Error::invalid(message);
        of_error(&error, message, sql, None).place
    };
    let cast = "Cast error: Cannot cast string 'abc' to value of Int32 type";
    assert_eq!(place(cast, "SELECT 'abc'"), Some((7, 12)));
    assert_eq!(place(cast, "SELECT 'abc', 'abc'"), None);
    assert_eq!(place(cast, "SELECT 1"), None);
    assert_eq!(
        place("column `a`: type INTT", "CREATE TABLE t (a INTT)"),
        Some((16, 17))
    );
}

/// Of several places the one is meant where the name is used, and not the one where something gets it.
#[tokio::test]
async fn a_name_is_found_where_it_is_used() {
    let connection = connection().await;
    for (sql, before) in [
        (
            "SELECT random() c FROM flights WHERE c = 1",
            "SELECT random() c FROM flights WHERE ",
        ),
        (
            "SELECT random() AS c FROM flights WHERE c = 1",
            "SELECT random() AS c FROM flights WHERE ",
        ),
        ("SELECT planes FROM planes", "SELECT planes FROM "),
        (
            "SELECT carrier AS nosuch, nosuch(1) FROM flights",
            "SELECT carrier AS nosuch, ",
        ),
        (
            "CREATE TABLE t (a INT, PRIMARY KEY (salt(0), a))",
            "CREATE TABLE t (a INT, PRIMARY KEY (",
        ),
    ] {
        let statements = connection.script(sql).unwrap();
        let error = connection
            .run(&statements[0])
            .await
            .map(|_| ())
            .unwrap_err();
        let found = of_error(
            &error,
            &error.to_string(),
            sql,
            Some(&Names::new(connection.clone())),
        );
        let place = found.place.map(|(start, _)| &sql[..start]);
        assert_eq!(place, Some(before), "{sql}: {error}");
    }
}
