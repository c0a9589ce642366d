//! The law of what is rounded: whichever way a value comes to a column that is coarser, it is the nearest one there, or
//! refused where the row key is computed of it.
//!
//! What is nearest is worked out here once more, of counts of nanoseconds and of thousandths.

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::ScalarValue;
use fastrand::Rng;

use crate::error::ErrorKind;
use crate::seed::seed;
use crate::session::{Connection, Database};

/// Nanoseconds of 2000-01-01.
const MIDDLE: i128 = 946_684_800_000_000_000;
/// Seconds of 1690-01-01, and of 2250-01-01.
const YEARS: std::ops::Range<i64> = -8_835_955_200..8_835_955_200;
/// Nanoseconds of a second that a rule goes wrong on.
const HOSTILE: [i64; 14] = [
    0,
    1,
    499,
    500,
    501,
    499_999,
    500_000,
    500_001,
    1_500_000,
    499_999_999,
    500_000_000,
    500_000_001,
    999_999_500,
    999_999_999,
];

/// A column, what is assigned to it, and what becomes of that.
struct Case {
    /// The type of the column.
    column: String,
    /// The value as SQL, as a text, and as a parameter.
    sql: String,
    text: String,
    parameter: ScalarValue,
    /// What is stored: the count of the column's unit.
    stored: i64,
    is_exact: bool,
}

/// The nearest multiple; what lies in the middle goes away from `middle`.
fn nearest(value: i128, step: i128, middle: i128) -> i128 {
    let below = value.div_euclid(step);
    match (value.rem_euclid(step) * 2).cmp(&step) {
        std::cmp::Ordering::Less => below,
        std::cmp::Ordering::Greater => below + 1,
        std::cmp::Ordering::Equal => below + i128::from(value >= middle),
    }
}

fn stamp(rng: &mut Rng) -> Case {
    let digits = *rng.choice(&[0_u32, 3, 6]).unwrap();
    let seconds = match rng.u8(..4) {
        0 => rng.i64(-2..3),
        1 => (MIDDLE / 1_000_000_000) as i64 + rng.i64(-2..3),
        _ => rng.i64(YEARS),
    };
    let nanoseconds = if rng.bool() {
        *rng.choice(&HOSTILE).unwrap()
    } else {
        rng.i64(0..1_000_000) * 1_000
    };
    let count = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    let step = 10_i128.pow(9 - digits);
    let shown = chrono::DateTime::from_timestamp(seconds, nanoseconds as u32).unwrap();
    let text = shown.format("%Y-%m-%d %H:%M:%S%.9f").to_string();
    Case {
        column: format!("TIMESTAMP({digits})"),
        sql: if rng.bool() {
            format!("TIMESTAMP '{text}'")
        } else {
            format!("'{text}'")
        },
        text,
        parameter: ScalarValue::TimestampNanosecond(Some(count as i64), None),
        stored: nearest(count, step, MIDDLE) as i64,
        is_exact: count % step == 0,
    }
}

fn number(rng: &mut Rng) -> Case {
    let (column, step) = *rng
        .choice(&[("DECIMAL(8, 2)", 10), ("INT", 1_000)])
        .unwrap();
    let thousandths = rng.i64(-20_000..20_000) / *rng.choice(&[1, 5, 500]).unwrap();
    let sign = if thousandths < 0 { "-" } else { "" };
    let (whole, rest) = (thousandths.abs() / 1_000, thousandths.abs() % 1_000);
    let text = format!("{sign}{whole}.{rest:03}");
    let is_whole = column == "INT";
    Case {
        column: column.to_owned(),
        sql: text.clone(),
        // A text with a point is no INT.
        text: if is_whole {
            (thousandths / 1_000).to_string()
        } else {
            text
        },
        parameter: ScalarValue::Decimal128(Some(thousandths.into()), 20, 3),
        stored: nearest(thousandths.into(), step, 0) as i64,
        is_exact: i128::from(thousandths) % step == 0,
    }
}

/// Every way in which the value comes to the column `v` of the row 7. `$1` is the text or the parameter.
const WAYS: &[(&str, Given)] = &[
    ("INSERT INTO t (id, v) VALUES (7, #)", Given::Sql),
    ("INSERT OR REPLACE INTO t (v, id) SELECT #, 7", Given::Sql),
    ("INSERT INTO t (v, id) SELECT x, 7 FROM s", Given::Stored),
    (
        "INSERT INTO t (v, id) SELECT max(x), 7 FROM s GROUP BY x ORDER BY 1",
        Given::Stored,
    ),
    ("INSERT INTO t (id, v) VALUES (7, $1)", Given::Parameter),
    ("INSERT INTO t (id, v) VALUES (7, $1)", Given::Text),
    ("UPDATE t SET v = #, id = 7 WHERE id = 1", Given::Sql),
    (
        "UPDATE t SET v = x, id = 7 FROM s WHERE id = 1",
        Given::Stored,
    ),
    ("UPDATE t SET v = $1, id = 7 WHERE id = 1", Given::Parameter),
    ("UPDATE t SET v = $1, id = 7 WHERE id = 1", Given::Text),
    (
        "MERGE INTO t USING s ON t.id = 5 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (7, s.x)",
        Given::Stored,
    ),
    (
        "MERGE INTO t USING s ON t.id = 1 WHEN MATCHED THEN UPDATE SET v = s.x, id = 7",
        Given::Stored,
    ),
];

/// Those of columns that are not in the key.
const WAYS_BESIDE_KEY: &[(&str, Given)] = &[
    (
        "INSERT INTO t (id, v) VALUES (8, NULL), (7, $1)",
        Given::Text,
    ),
    (
        "INSERT INTO t (id, v) VALUES (7, NULL) ON CONFLICT DO NOTHING; \
         INSERT INTO t (id, v) VALUES (7, NULL) ON CONFLICT (id) DO UPDATE SET v = #",
        Given::Sql,
    ),
    (
        "INSERT INTO t (id, v) VALUES (1, NULL), (7, NULL) ON CONFLICT (id) DO UPDATE SET v = NULL; \
         UPDATE t SET v = # WHERE id = 7",
        Given::Sql,
    ),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Sql,
    Stored,
    Text,
    Parameter,
}

async fn tables(case: &Case, is_key: bool) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let Case {
        column,
        sql,
        stored,
        ..
    } = case;
    let source = if column.starts_with("TIMESTAMP") {
        "TIMESTAMP(9)"
    } else {
        "DECIMAL(20, 3)"
    };
    // One that is there, of another value than the one to come.
    let there = match column.as_str() {
        "TIMESTAMP(0)" | "TIMESTAMP(3)" | "TIMESTAMP(6)" => "'1984-02-29'".to_owned(),
        _ => (stored % 100 + 500).to_string(),
    };
    let key = if is_key { "v, id" } else { "id" };
    let null = if is_key { "" } else { "NULL" };
    let script = format!(
        "CREATE TABLE t (id INT, v {column} {null}, PRIMARY KEY ({key})); INSERT INTO t VALUES (1, {there});
         CREATE TABLE s (x {source}); INSERT INTO s VALUES ({sql})"
    );
    connection.execute_script(&script).await.expect(&script);
    connection
}

/// Runs a way, in which the value comes to the column; prepared ones twice, as what is prepared goes a way of its own.
async fn run(
    connection: &Connection,
    case: &Case,
    way: (&str, Given),
    is_prepared: bool,
) -> crate::error::Result<()> {
    let (sql, given) = (way.0.replace('#', &case.sql), way.1);
    let parameters = match given {
        Given::Text => vec![ScalarValue::from(case.text.as_str())],
        Given::Parameter => vec![case.parameter.clone()],
        Given::Sql | Given::Stored => return connection.execute_script(&sql).await,
    };
    if is_prepared {
        connection.prepare(&sql).await?.execute(parameters).await?
    } else {
        connection.execute(sql.as_str(), parameters).await?
    };
    Ok(())
}

async fn stored(connection: &Connection) -> Vec<Option<i64>> {
    let batches = connection
        .query("SELECT v FROM t WHERE id = 7", ())
        .await
        .unwrap();
    let mut found = Vec::new();
    for batch in &batches {
        let values = match batch.column(0).data_type() {
            // Its digits alone.
            DataType::Decimal128(..) => {
                let unscaled = batch
                    .column(0)
                    .as_primitive::<arrow::datatypes::Decimal128Type>();
                found.extend(
                    unscaled
                        .iter()
                        .map(|it| it.map(|it| i64::try_from(it).unwrap())),
                );
                continue;
            }
            _ => cast(batch.column(0), &DataType::Int64).unwrap(),
        };
        found.extend(values.as_primitive::<Int64Type>().iter());
    }
    found
}

async fn holds(case: &Case, way: (&str, Given), is_key: bool, is_prepared: bool) {
    let connection = tables(case, is_key).await;
    let done = run(&connection, case, way, is_prepared).await;
    let told = format!("{} of {}, {way:?}, key: {is_key}", case.sql, case.column);
    // As text an INT is whole.
    let is_whole_text = way.1 == Given::Text && case.column == "INT";
    if is_key && !case.is_exact && !is_whole_text {
        let error = done.expect_err(&told);
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{told}: {error}");
        assert_eq!(
            (error.table(), error.column()),
            (Some("t"), Some("v")),
            "{told}"
        );
        let said = error.message();
        let words = [
            "table `t`: column `v` of type ",
            "exactly: it is part of the row key",
        ];
        assert!(
            words.iter().all(|words| said.contains(words)),
            "{told}: {said}"
        );
        assert!(stored(&connection).await.is_empty(), "{told}");
        return;
    }
    done.expect(&told);
    let expected = if is_whole_text {
        case.text.parse().unwrap()
    } else {
        case.stored
    };
    assert_eq!(stored(&connection).await, [Some(expected)], "{told}");
}

#[tokio::test]
async fn the_law() {
    let mut rng = Rng::with_seed(seed());
    let mut refused = 0;
    for round in 0..400 {
        let case = match round % 2 {
            0 => stamp(&mut rng),
            _ => number(&mut rng),
        };
        let is_key = rng.bool();
        refused += usize::from(is_key && !case.is_exact);
        let ways = WAYS.len() + usize::from(!is_key) * WAYS_BESIDE_KEY.len();
        let way = rng.usize(..ways);
        let way = WAYS
            .get(way)
            .or_else(|| WAYS_BESIDE_KEY.get(way - WAYS.len()));
        holds(&case, *way.unwrap(), is_key, rng.bool()).await;
    }
    assert!(refused > 20, "{refused} of 400 are to be refused");
}

/// What is computed of the clock has digits that nobody chose.
#[tokio::test]
async fn the_clock_is_rounded_in_a_key_as_well() {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE t (at TIMESTAMP(3) DEFAULT now(), id INT, PRIMARY KEY (at, id));
        INSERT INTO t (id) VALUES (1);
        INSERT INTO t VALUES (now(), 2), (now() - INTERVAL '1 hour', 3);
        INSERT INTO t SELECT current_timestamp, i FROM generate_series(4, 5) AS g(i) ORDER BY i;
        UPDATE t SET at = now() + INTERVAL '1 day' WHERE id = 1;
        MERGE INTO t USING (SELECT 6 AS id) AS s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (now(), s.id)";
    connection.execute_script(script).await.unwrap();
    let error = connection
        .execute(
            "INSERT INTO t SELECT CAST(at AS TIMESTAMP(6)) + INTERVAL '1 microsecond', 9 FROM t WHERE id = 1",
            (),
        )
        .await
        .unwrap_err();
    assert!(error.message().contains("exactly"), "{error}");
}

/// What a column of the key is given besides stamps and DECIMALs.
#[tokio::test]
async fn keys_of_other_types() {
    let connection = Database::in_memory().unwrap().connect();
    for (sql_type, taken, refused) in [
        (
            "DATE",
            vec![
                "'2024-01-31'",
                "TIMESTAMP '2024-01-30'",
                "'2024-01-29 00:00:00'",
            ],
            vec!["TIMESTAMP '2024-01-31 00:00:01'", "'2024-01-31 12:00:00'"],
        ),
        (
            "INT",
            vec!["1.0", "2e0", "'3'"],
            vec!["1.5", "1.5e0", "0.1 + 0.2"],
        ),
        (
            "DECIMAL(5, 2)",
            vec!["1.100", "'2.10'", "3.1e0", "'0.000'"],
            vec!["1.005", "'1.005'", "1.005e0"],
        ),
        (
            "DOUBLE",
            vec!["0.1", "'0.2'", "3", "9007199254740992"],
            vec!["9007199254740993"],
        ),
        (
            "REAL",
            vec!["0.1", "'0.2'", "0.25e0"],
            vec!["16777217", "CAST('0.1' AS DOUBLE)"],
        ),
    ] {
        let create = format!("CREATE OR REPLACE TABLE t (v {sql_type}, PRIMARY KEY (v))");
        connection.execute(create.as_str(), ()).await.unwrap();
        for value in &taken {
            let insert = format!("INSERT INTO t VALUES ({value})");
            connection
                .execute(insert.as_str(), ())
                .await
                .expect(&insert);
        }
        for value in refused {
            let insert = format!("INSERT INTO t SELECT {value}");
            let error = connection
                .execute(insert.as_str(), ())
                .await
                .expect_err(&insert);
            assert!(
                error
                    .message()
                    .contains("exactly: it is part of the row key"),
                "{insert}: {error}"
            );
        }
        let count = connection
            .query_row("SELECT count(*) FROM t", ())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            count.get::<i64>(0).unwrap(),
            taken.len() as i64,
            "{sql_type}"
        );
    }
}

/// What lists, structs and maps hold becomes what it would be by itself.
#[tokio::test]
async fn values_inside_of_others_are_rounded() {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE t (id INT PRIMARY KEY, n INT[], s STRUCT(at TIMESTAMP(3), n INT), m MAP(TEXT, INT));
        INSERT INTO t VALUES (1, [1.5, NULL, -2.5], {'at': TIMESTAMP '2024-01-01 00:00:00.0006', 'n': 1.5},
            MAP {'k': 2.5})";
    connection.execute_script(script).await.unwrap();
    let shown = crate::session::testing::rows_of(
        &connection,
        "SELECT n[1], n[2], n[3], s['at'], s['n'], map_extract(m, 'k')[1] FROM t",
    )
    .await;
    assert_eq!(shown, ["2|NULL|-3|2024-01-01T00:00:00.001|2|3"]);
}
