//! Choices between values beside the choice itself, for every value of a type; and patterns whose beginning is a key.

use datafusion::functions::core as functions_core;
use datafusion::logical_expr::{Expr, Operator, binary_expr, lit, when};
use datafusion::prelude::col;

use crate::datum::{Datum, SqlType};
use crate::key::KeyColumn;
use crate::predicate::{Predicate, lower};
use crate::session::Database;
use crate::session::testing::read;

/// A choice of a TINYINT `c`: in SQL, and as it is computed.
type Form = (Expr, fn(Option<i8>) -> Option<i8>);

fn forms() -> Vec<Form> {
    let c = || col("c");
    let searched = when(c().gt(lit(3_i8)), c())
        .when(c().is_null(), lit(9_i8))
        .when(c().eq(lit(0_i8)), lit(7_i8))
        .end();
    let simple = datafusion::logical_expr::case(c())
        .when(lit(5_i8), lit(-1_i8))
        .when(lit(6_i8), c())
        .otherwise(lit(2_i8));
    let coalesced = functions_core::coalesce().call(vec![c(), lit(5_i8)]);
    let nulled = functions_core::nullif().call(vec![c(), lit(5_i8)]);
    let both = functions_core::coalesce().call(vec![nulled.clone(), lit(-4_i8)]);
    vec![
        (searched.unwrap(), |c| match c {
            None => Some(9),
            Some(0) => Some(7),
            Some(c) => (c > 3).then_some(c),
        }),
        (simple.unwrap(), |c| match c {
            Some(5) => Some(-1),
            Some(6) => Some(6),
            _ => Some(2),
        }),
        (coalesced, |c| Some(c.unwrap_or(5))),
        (nulled, |c| c.filter(|c| *c != 5)),
        (both, |c| Some(c.filter(|c| *c != 5).unwrap_or(-4))),
    ]
}

fn holds(predicate: &Predicate, value: Option<&Datum>) -> bool {
    match predicate {
        Predicate::Constant(constant) => *constant,
        Predicate::Member(_, domain) => domain.contains(value),
        Predicate::All(terms) => terms.iter().all(|term| holds(term, value)),
        Predicate::Any(terms) => terms.iter().any(|term| holds(term, value)),
        Predicate::Opaque => panic!("not understood to its end"),
    }
}

#[test]
fn every_value_is_found_by_what_is_chosen_for_it() {
    let columns = [KeyColumn {
        name: "c".to_owned(),
        sql_type: SqlType::TinyInt,
        nullable: true,
    }];
    type Compare = fn(&i8, &i8) -> bool;
    let comparisons: [(Operator, Compare); 4] = [
        (Operator::Eq, i8::eq),
        (Operator::NotEq, i8::ne),
        (Operator::Lt, i8::lt),
        (Operator::GtEq, i8::ge),
    ];
    for (form, choose) in forms() {
        for bound in [-128_i8, -4, -1, 0, 2, 4, 5, 6, 7, 9, 127] {
            for (operator, compare) in comparisons {
                let condition = binary_expr(form.clone(), operator, lit(bound));
                let (whole, negated) = (
                    lower(&condition, &columns),
                    lower(&Expr::Not(Box::new(condition.clone())), &columns),
                );
                for c in (i8::MIN..=i8::MAX).map(Some).chain([None]) {
                    let datum = c.map(|c| Datum::Integer(c.into()));
                    let expected = choose(c).map(|chosen| compare(&chosen, &bound));
                    let answers = [&whole, &negated].map(|it| holds(it, datum.as_ref()));
                    let truths = [expected == Some(true), expected == Some(false)];
                    assert_eq!(answers, truths, "{condition} for {c:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn choices_and_patterns_of_a_column_of_the_key_are_ranges() {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE t (s TEXT, n INT NULL, v INT, PRIMARY KEY (s, n));
        INSERT INTO t SELECT chr(CAST(97 + value % 20 AS BIGINT)) || (value / 20 % 100), CASE WHEN value > 1999 THEN value % 7 END, value FROM generate_series(0, 3999);
        CREATE TABLE u (n INT NULL, code TEXT, PRIMARY KEY (n, code));
        INSERT INTO u SELECT CASE WHEN value % 10 > 0 THEN value % 10 END, (value % 100) || '/' || value FROM generate_series(0, 999)";
    connection.execute_script(script).await.unwrap();
    let plain = connection.database().connect();
    let off = "SET halite.pushdown = false";
    plain.execute(off, ()).await.unwrap();
    for (condition, most) in [
        ("t WHERE s ~ '^c'", 200),
        ("t WHERE s ~ '^c1[0-9]$'", 22),
        ("t WHERE s ~ '^c1?5$'", 4),
        ("t WHERE s ~ '^(c1|d2)$'", 4),
        ("t WHERE s ~ '^[cd]1' AND s !~ '^c1[0-5]'", 40),
        ("t WHERE s !~ '^[a-p]'", 820),
        ("t WHERE s ~* '^C15'", 2),
        ("t WHERE s ILIKE 'C1_'", 22),
        ("t WHERE s LIKE 'c1_' AND s ILIKE 'C%'", 22),
        ("u WHERE n = 3 AND code ILIKE '13/%'", 10),
        ("u WHERE n = 3 AND code ILIKE '13/_3%'", 10),
        (
            "t WHERE CASE WHEN s = 'c5' THEN true WHEN s = 'd7' THEN v > 2000 ELSE false END",
            4,
        ),
        (
            "t WHERE CASE s WHEN 'c5' THEN 1 WHEN 'd7' THEN 2 ELSE 3 END = 2",
            2,
        ),
        ("u WHERE coalesce(n, 5) = 5", 200),
        ("u WHERE nullif(n, 3) IN (3, 4)", 100),
        ("u WHERE coalesce(n, 0) < 2", 200),
        ("u WHERE n = ANY([3, 4])", 200),
        ("u WHERE n = ANY(ARRAY[3, NULL])", 100),
        ("u WHERE n BETWEEN SYMMETRIC 4 AND 3", 200),
    ] {
        let sql = format!("SELECT * FROM {condition}");
        let (rows, keys) = read(&connection, &sql).await;
        let (expected, _) = read(&plain, &sql).await;
        assert!(!rows.is_empty(), "{condition}");
        assert_eq!(rows, expected, "{condition}");
        assert!(keys <= most, "{condition} reads {keys} keys, not {most}");
    }
}
