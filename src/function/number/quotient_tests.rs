use arrow::datatypes::i256;

use super::{Division, type_of_quotient};
use crate::plan::law::random::Random;
use crate::session::Database;
use crate::session::testing::{rows_of, run, with};

/// As PostgreSQL gives them, but that there are sixteen digits behind the point.
#[tokio::test]
async fn quotients_have_sixteen_digits_behind_the_point() {
    let connection = Database::in_memory().unwrap().connect();
    for (expr, expected) in [
        ("2.0 / 300000", "0.0000066666666667"),
        ("22 / 7.0", "3.1428571428571429"),
        ("1 / 7.0 = 1.0 / 7", "true"),
        ("-2 / 3.0", "-0.6666666666666667"),
        ("2 / -3.0", "-0.6666666666666667"),
        ("-1.0 / -3", "0.3333333333333333"),
        ("0.3 / 0.1 = 3", "true"),
        ("1.0 / 2 = 0.5", "true"),
        ("NULL / 2.0", "NULL"),
        ("2.0 / NULL", "NULL"),
        ("7 / 2", "3"),
        ("1.0 / 4e0", "0.25"),
        ("2.0 // 300000", "0.00000"),
        ("1.00000000000000000001 / 3", "0.33333333333333333334"),
        ("round(22 / 7.0, 2)", "3.14"),
        ("12345678901234567890123456789012345678 / 0.5", "error"),
        (
            "CAST('12345678901234567890123456789012.5' AS DECIMAL(38, 1)) / 3",
            "4115226300411522630041152263004.166667",
        ),
        (
            "typeof(CAST(1 AS DECIMAL(12, 2)) / CAST(1 AS DECIMAL(12, 2)))",
            "DECIMAL(28,16)",
        ),
        (
            "typeof(CAST(1 AS BIGINT) / CAST(1 AS DECIMAL(9, 2)))",
            "DECIMAL(38,16)",
        ),
    ] {
        let answer = connection.query(&format!("SELECT {expr}"), ()).await;
        match (answer, expected) {
            (Err(error), "error") => {
                let error = error.to_string();
                assert!(error.contains("out of range for DECIMAL(38, 6)"), "{error}");
            }
            (answer, expected) => {
                answer.expect(expr);
                assert_eq!(
                    rows_of(&connection, &format!("SELECT {expr}")).await,
                    [expected],
                    "{expr}"
                );
            }
        }
    }
    let error = run(
        &connection,
        "SELECT 1 / (a - 1.0) FROM (VALUES (1)) AS t (a)",
    )
    .await;
    assert!(error.unwrap_err().contains("Divide by zero"));
}

#[tokio::test]
async fn averages_have_the_digits_of_quotients() {
    let create =
        "CREATE TABLE t (id INT, g INT, d DECIMAL(9, 2), w DECIMAL(38, 2), PRIMARY KEY (id))";
    let insert = "INSERT INTO t SELECT i, i % 3, i, 9999999999999999999999999999999.0 + i FROM range(1, 7) AS r (i)";
    let connection = with(&[create, insert, "INSERT INTO t VALUES (7, 3, NULL, NULL)"]).await;
    for (query, expected) in [
        (
            "SELECT avg(d), mean(d), typeof(avg(d)) FROM t",
            "3.5000000000000000|3.5000000000000000|DECIMAL(23,16)",
        ),
        (
            "SELECT avg(d) FROM t WHERE id IN (1, 2, 5)",
            "2.6666666666666667",
        ),
        (
            "SELECT avg(-d) FILTER (WHERE id IN (1, 2, 5)) FROM t",
            "-2.6666666666666667",
        ),
        ("SELECT avg(DISTINCT d // 3) FROM t", "1.0000000000000000"),
        ("SELECT avg(d) FROM t WHERE id > 6", "NULL"),
        (
            "SELECT avg(w) FROM t",
            "10000000000000000000000000000002.500000",
        ),
        ("SELECT avg(id), avg(id * 1e0) FROM t", "4.0|4.0"),
        (
            "SELECT avg(d) OVER (ORDER BY id ROWS 2 PRECEDING) AS a FROM t ORDER BY id DESC LIMIT 1",
            "5.5000000000000000",
        ),
    ] {
        assert_eq!(rows_of(&connection, query).await, [expected], "{query}");
    }
    let groups = "SELECT g, avg(d), avg(d + 0.01) FROM t GROUP BY g ORDER BY g";
    assert_eq!(
        rows_of(&connection, groups).await,
        [
            "0|4.5000000000000000|4.5100000000000000",
            "1|2.5000000000000000|2.5100000000000000",
            "2|3.5000000000000000|3.5100000000000000",
            "3|NULL|NULL",
        ]
    );
}

/// DataFusion's sum wraps, or has a digit more than its type.
#[tokio::test]
async fn a_sum_beyond_38_digits_is_an_error() {
    let connection = Database::in_memory().unwrap().connect();
    let of = |values: &str, sum: &str| format!("SELECT {sum} FROM (VALUES {values}) AS v (e, g)");
    let (great, half) = ("9".repeat(38), "4".repeat(38));
    let fits = format!("({great}, 1), ({half}, 1), (-{half}, 1)");
    for sum in ["sum(e)", "sum(e) FILTER (WHERE g = 1)", "sum(DISTINCT e)"] {
        assert_eq!(
            rows_of(&connection, &of(&fits, sum)).await,
            [great.as_str()],
            "{sum}"
        );
    }
    let beyond = format!("({great}, 1), (1, 1)");
    for sum in [
        "sum(e)",
        "g, sum(e)",
        "sum(e) OVER (ORDER BY g)",
        "sum(DISTINCT e)",
    ] {
        let mut query = of(&beyond, sum);
        if sum.starts_with('g') {
            query += " GROUP BY g";
        }
        let error = connection.query(&query, ()).await.expect_err(sum);
        assert!(
            error.to_string().contains("out of range for a DECIMAL"),
            "{sum}: {error}"
        );
    }
}

#[tokio::test]
async fn a_parameter_is_divided_by_its_value() {
    let connection = Database::in_memory().unwrap().connect();
    for (query, expected) in [
        ("SELECT 1.0 / $1", "0.3333333333333333"),
        ("SELECT $1 / 7.0", "0.4285714285714286"),
    ] {
        let answer = connection.query(query, (3,)).await.expect(query);
        assert_eq!(
            crate::session::testing::texts(&answer),
            [expected],
            "{query}"
        );
    }
}

/// Both ways to divide give the same, the nearest quotient; the wide one is the model.
#[test]
fn quotients_are_the_nearest() {
    let mut random = Random::new(0x9_0713);
    for _ in 0..10_000 {
        let mut number = || {
            let most = 10_i64.pow(u32::try_from(random.between(0, 18)).unwrap());
            i128::from(random.integer(-most, most))
        };
        let (numerator, divisor) = (number(), number());
        let power = u32::try_from(random.between(0, 20)).unwrap();
        if divisor == 0 {
            continue;
        }
        let division = Division {
            power,
            beyond: i128::MAX,
        };
        let quotient = division.of(numerator, divisor).unwrap();
        assert_eq!(
            quotient,
            division
                .of_wide(i256::from_i128(numerator), divisor)
                .unwrap()
        );
        let scaled = i256::from_i128(numerator) * i256::from_i128(10_i128.pow(power));
        let rest = scaled - i256::from_i128(quotient) * i256::from_i128(divisor);
        let twice = (rest * i256::from_i128(2)).wrapping_abs();
        assert!(
            twice <= i256::from_i128(divisor).wrapping_abs(),
            "{numerator} * 10^{power} / {divisor} is not {quotient}"
        );
    }
}

#[test]
fn types_have_room() {
    for (in_front, behind, expected) in [
        (12, 2, (28, 16)),
        (22, 2, (38, 16)),
        (30, 2, (38, 8)),
        (38, 2, (38, 6)),
        (38, 10, (38, 10)),
        (0, 38, (38, 38)),
        (1, 20, (21, 20)),
        (-3, 4, (13, 16)),
    ] {
        let (precision, scale) = expected;
        let expected = arrow::datatypes::DataType::Decimal128(precision, scale);
        assert_eq!(
            type_of_quotient(in_front, behind),
            expected,
            "{in_front} {behind}"
        );
    }
}
