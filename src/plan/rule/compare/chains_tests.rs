use datafusion::logical_expr::col;

use super::*;
use crate::session::testing::{mended, rows};

fn chain(op: Operator, terms: usize, term: impl Fn(usize) -> Expr) -> Expr {
    left_deep((0..terms).map(term).collect(), op)
}

#[test]
fn equalities_of_one_column_are_a_list() {
    let number = |n: usize| lit(i64::try_from(n).unwrap());
    for (op, equality, negated) in [
        (Operator::Or, Operator::Eq, false),
        (Operator::And, Operator::NotEq, true),
    ] {
        let long = chain(op, 100, |n| match n % 2 {
            0 => binary(col("a"), equality, number(n)),
            _ => binary(number(n), equality, col("a")),
        });
        let listed = balance(long).unwrap();
        assert!(listed.transformed);
        let list = InList::new(Box::new(col("a")), (0..100).map(number).collect(), negated);
        assert_eq!(listed.data, Expr::InList(list));
        let short = chain(op, LONG_CHAIN, |n| binary(col("a"), equality, number(n)));
        assert!(!balance(short).unwrap().transformed);
        // The other operator asks something else.
        let other = chain(op, 100, |n| {
            binary(col("a"), equality.negate().unwrap(), number(n))
        });
        assert!(!format!("{}", balance(other).unwrap().data).contains("IN"));
    }
}

#[test]
fn what_is_no_list_stays_and_in_its_place() {
    let long = chain(Operator::Or, 120, |n| match n % 3 {
        0 => binary(col("a"), Operator::Eq, lit(n as i64)),
        1 => binary(col("a"), Operator::Eq, lit(n.to_string())),
        _ => binary(col("a"), Operator::Lt, col("b")),
    });
    let mut terms = flattened(balance(long).unwrap().data, Operator::Or);
    assert_eq!(terms.len(), 42);
    let lists = terms
        .drain(..2)
        .filter(|term| matches!(term, Expr::InList(list) if list.list.len() == 40));
    assert_eq!(lists.count(), 2);
}

#[tokio::test]
async fn long_conditions_are_answered() {
    let session = mended();
    rows(&session, "CREATE TABLE t (a BIGINT, b BIGINT)").await;
    let fill = "INSERT INTO t SELECT value AS a, value % 10 AS b FROM generate_series(1, 100)";
    rows(&session, fill).await;
    rows(&session, "INSERT INTO t VALUES (NULL, NULL)").await;
    let join = |op: &str, terms: usize, term: fn(usize) -> String| {
        let terms: Vec<String> = (0..terms).map(term).collect();
        terms.join(&format!(" {op} "))
    };
    for (condition, count) in [
        (join("OR", 2_001, |n| format!("a = {n}")), "100"),
        (join("OR", 3_999, |n| format!("a = {}", n + 50)), "51"),
        (join("AND", 3_999, |n| format!("a <> {}", n + 50)), "49"),
        (
            format!("NOT ({})", join("OR", 3_000, |n| format!("a = {}", n + 50))),
            "49",
        ),
        (
            join("OR", 3_000, |n| format!("{} = {n}", ["a", "b"][n % 2])),
            "100",
        ),
        (join("OR", 2_000, |n| format!("a = {n} AND b = 3")), "10"),
    ] {
        let sql = format!("SELECT count(*) FROM t WHERE {condition}");
        assert_eq!(rows(&session, &sql).await, [count], "{}", &condition[..40]);
    }
    // As many as a program may build of expressions.
    let number = |n: usize| lit(i64::try_from(n).unwrap());
    let more = |n: usize| binary(col("a"), Operator::Gt, number(n));
    let error = balance(chain(Operator::Or, MOST_TERMS + 1, more)).unwrap_err();
    assert!(error.to_string().contains("more than 10000"), "{error}");
}
