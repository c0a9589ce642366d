//! Arithmetic with a constant, beside the arithmetic itself for every value of a type.

use datafusion::logical_expr::{BinaryExpr, Cast, Expr, Operator, lit};
use datafusion::prelude::col;

use crate::datum::{Datum, SqlType};
use crate::function::Arithmetic;
use crate::key::KeyColumn;
use crate::predicate::{Predicate, lower};
use crate::session::Database;
use crate::session::testing::read;

use arrow::datatypes::DataType;

/// What becomes of a TINYINT `c`: in SQL, as DataFusion is given it, and as it is computed.
type Form = (Expr, Box<dyn Fn(i64) -> i64>);

fn forms(k: i64) -> Vec<Form> {
    let c = || cast(col("c"));
    let of = |arithmetic: Arithmetic, operands| arithmetic.of(operands, DataType::Int64);
    let plain = |left: Expr, op, right| {
        Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))
    };
    vec![
        (
            of(Arithmetic::Plus, vec![c(), lit(k)]),
            Box::new(move |c| c + k),
        ),
        (
            of(Arithmetic::Plus, vec![lit(k), c()]),
            Box::new(move |c| k + c),
        ),
        (
            of(Arithmetic::Minus, vec![c(), lit(k)]),
            Box::new(move |c| c - k),
        ),
        (
            of(Arithmetic::Minus, vec![lit(k), c()]),
            Box::new(move |c| k - c),
        ),
        (of(Arithmetic::Negative, vec![c()]), Box::new(|c| -c)),
        (
            of(Arithmetic::Times, vec![c(), lit(-1_i64)]),
            Box::new(|c| -c),
        ),
        (
            of(Arithmetic::Times, vec![lit(1_i64), c()]),
            Box::new(|c| c),
        ),
        (plain(c(), Operator::Plus, lit(k)), Box::new(move |c| c + k)),
        (
            of(
                Arithmetic::Minus,
                vec![lit(3_i64), of(Arithmetic::Plus, vec![c(), lit(k)])],
            ),
            Box::new(move |c| 3 - (c + k)),
        ),
        (
            of(
                Arithmetic::Negative,
                vec![of(Arithmetic::Minus, vec![lit(k), c()])],
            ),
            Box::new(move |c| c - k),
        ),
    ]
}

fn cast(expr: Expr) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr), DataType::Int64))
}

fn columns() -> [KeyColumn; 1] {
    [KeyColumn {
        name: "c".to_owned(),
        sql_type: SqlType::TinyInt,
        nullable: true,
    }]
}

/// A comparison, in SQL and of two numbers.
type Comparison = (Operator, fn(&i64, &i64) -> bool);

const COMPARISONS: [Comparison; 6] = [
    (Operator::Eq, i64::eq),
    (Operator::NotEq, i64::ne),
    (Operator::Lt, i64::lt),
    (Operator::LtEq, i64::le),
    (Operator::Gt, i64::gt),
    (Operator::GtEq, i64::ge),
];

#[test]
fn every_value_is_found_by_what_is_computed_of_it() {
    let columns = columns();
    for k in [0, 1, -1, 7, 126, 127, -128, 1_000] {
        for (form, compute) in forms(k) {
            for bound in [
                -1_200_i64, -129, -128, -127, -1, 0, 1, 6, 7, 126, 127, 128, 255, 1_126,
            ] {
                for (operator, compare) in COMPARISONS {
                    let condition =
                        BinaryExpr::new(Box::new(form.clone()), operator, Box::new(lit(bound)));
                    let condition = Expr::BinaryExpr(condition);
                    let Predicate::Member(_, domain) = lower(&condition, &columns) else {
                        panic!("{condition} is not understood to its end");
                    };
                    for c in i64::from(i8::MIN)..=i64::from(i8::MAX) {
                        let is_inside = domain.contains(Some(&Datum::Integer(c)));
                        let expected = compare(&compute(c), &bound);
                        assert_eq!(is_inside, expected, "{condition} for {c}");
                    }
                    assert!(!domain.contains(None), "{condition}");
                }
            }
        }
    }
}

/// Of a sum that may be out of range rows are asked, so that whoever reads such a row is told.
#[test]
fn a_sum_that_may_overflow_stays_a_residual() {
    let of_bytes = |arithmetic: Arithmetic, operands: Vec<Expr>| {
        let sum = arithmetic.of(operands, DataType::Int8);
        lower(&sum.gt(lit(5_i8)), &columns())
    };
    for sum in [
        of_bytes(Arithmetic::Plus, vec![col("c"), lit(1_i8)]),
        of_bytes(Arithmetic::Negative, vec![col("c")]),
    ] {
        let Predicate::All(terms) = &sum else {
            panic!("{sum:?}");
        };
        assert!(
            matches!(terms.as_slice(), [Predicate::Member(..), Predicate::Opaque]),
            "{sum:?}"
        );
    }
    let exact = of_bytes(Arithmetic::Plus, vec![col("c"), lit(0_i8)]);
    assert!(matches!(exact, Predicate::Member(..)), "{exact:?}");
}

/// An operator of DataFusion gives some other integer there.
#[test]
fn a_sum_that_wraps_is_not_understood() {
    let of_bytes = |left: Expr, op, right| {
        let sum = Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)));
        lower(&sum.lt(lit(5_i8)), &columns())
    };
    assert_eq!(
        of_bytes(col("c"), Operator::Plus, lit(1_i8)),
        Predicate::Opaque
    );
    assert_eq!(
        lower(
            &Expr::Negative(Box::new(col("c"))).gt(lit(5_i8)),
            &columns()
        ),
        Predicate::Opaque
    );
    let exact = of_bytes(col("c"), Operator::Plus, lit(0_i8));
    assert!(matches!(exact, Predicate::Member(..)), "{exact:?}");
}

/// A multiple, a quotient and a product of two columns are none of it.
#[test]
fn other_arithmetic_is_not_understood() {
    let c = || cast(col("c"));
    for other in [
        Arithmetic::Times.of(vec![c(), lit(2_i64)], DataType::Int64),
        Arithmetic::Plus.of(vec![c(), c()], DataType::Int64),
        Expr::Cast(Cast::new(
            Box::new(Arithmetic::Plus.of(vec![c(), lit(1_i64)], DataType::Int64)),
            DataType::Float64,
        )),
    ] {
        let condition = other.eq(lit(4_i64));
        assert_eq!(
            lower(&condition, &columns()),
            Predicate::Opaque,
            "{condition}"
        );
    }
}

#[tokio::test]
async fn arithmetic_on_a_column_of_the_key_is_a_range() {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE t (c INT, d DATE, ts TIMESTAMP(3), PRIMARY KEY (c, d, ts));
        INSERT INTO t SELECT value % 100, DATE '2024-01-01' + CAST(value / 100 % 10 AS INT), to_timestamp_seconds(1704067200 + value * 60)
        FROM generate_series(0, 3999)";
    connection.execute_script(script).await.unwrap();
    let plain = connection.database().connect();
    plain
        .execute("SET halite.pushdown = false", ())
        .await
        .unwrap();
    for (condition, most) in [
        ("c + 1 = 5", 40),
        ("10 - c > 8", 80),
        ("c * -1 = -7", 40),
        ("-c IN (-3, -4, 5)", 80),
        (
            "c - 5 BETWEEN 1 AND 2 AND d + INTERVAL '1 day' = '2024-01-05'",
            8,
        ),
        (
            "c = 3 AND d = '2024-01-01' AND ts + INTERVAL '12 hours' >= '2024-01-01 12:00' AND ts - INTERVAL '1 hour' < '2024-01-01 00:00'",
            1,
        ),
        ("c = 3 AND d - INTERVAL '1 day' > '2024-01-07'", 8),
        ("NOT (c + 1 < 100)", 40),
        (
            "c = 3 AND d = '2024-01-01' AND date_trunc('hour', ts + INTERVAL '90 minutes') = '2024-01-01 01:00'",
            1,
        ),
        (
            "c = 3 AND d = '2024-01-02' AND date_trunc('day', ts - INTERVAL '9 hours') >= '2024-01-02'",
            4,
        ),
        (
            "c = 3 AND d = '2024-01-02' AND CAST(ts + INTERVAL '14 hours' AS DATE) = '2024-01-03'",
            4,
        ),
        (
            "c = 3 AND date_bin(INTERVAL '7 days', ts, TIMESTAMP '2024-01-03') = '2023-12-27' AND d = '2024-01-01'",
            3,
        ),
        (
            "c = 3 AND d = '2024-01-03' AND date_bin(INTERVAL '1 hour', ts + INTERVAL '1 hour', TIMESTAMP '2001-01-01 00:30') > '2024-01-01'",
            4,
        ),
    ] {
        let sql = format!("SELECT * FROM t WHERE {condition}");
        let (rows, keys) = read(&connection, &sql).await;
        let (expected, _) = read(&plain, &sql).await;
        assert!(!rows.is_empty(), "{condition}");
        assert_eq!(rows, expected, "{condition}");
        assert!(keys <= most, "{condition} reads {keys} keys, not {most}");
    }
}
