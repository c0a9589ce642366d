//! Lowering as a table: condition, and the rows that it leaves of each column.

use datafusion::common::DFSchema;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

use crate::datum::{Datum, Precision, SqlType};
use crate::function::{scalar_functions, spellings};
use crate::key::testing::{key_of, with_seed};
use crate::key::{Cut, KeyColumn, TRANSFORMS};
use crate::predicate::*;

fn columns() -> Vec<KeyColumn> {
    let timestamp = |precision| SqlType::Timestamp {
        precision,
        utc: false,
    };
    let column = |name: &str, sql_type, nullable| KeyColumn {
        name: name.to_owned(),
        sql_type,
        nullable,
    };
    vec![
        column("i", SqlType::Integer, true),
        column("l", SqlType::BigInt, true),
        column(
            "d",
            SqlType::Decimal {
                precision: 10,
                scale: 2,
            },
            true,
        ),
        column("f", SqlType::Double, true),
        column("t", SqlType::Text, true),
        column("b", SqlType::Boolean, true),
        column("day", SqlType::Date, true),
        column("ms", timestamp(Precision::Millisecond), true),
        column("ns", timestamp(Precision::Nanosecond), true),
    ]
}

/// The predicate of a condition that DataFusion has coerced, and not simplified: each term is met as it was written.
fn predicate_of(condition: &str) -> Predicate {
    let mut config = SessionConfig::new();
    config.options_mut().sql_parser.parse_float_as_decimal = true;
    let context = SessionContext::new_with_config(config);
    scalar_functions().for_each(|function| context.register_udf(function));
    let columns = columns();
    let fields: Vec<_> = columns
        .iter()
        .map(|column| arrow::datatypes::Field::new(&column.name, column.sql_type.arrow(), true))
        .collect();
    let schema = DFSchema::try_from(arrow::datatypes::Schema::new(fields)).unwrap();
    let expression = context
        .state()
        .create_logical_expr(condition, &schema)
        .expect(condition);
    let simplify = SimplifyContext::builder().with_schema(Arc::new(schema.clone()));
    let coerced = ExprSimplifier::new(simplify.build())
        .coerce(expression, &schema)
        .expect(condition);
    lower(&coerced, &columns)
}

/// The only domain of a predicate about one column, as text: `[…)` intervals in cuts.
fn shown(condition: &str) -> String {
    fn cut(cut: &Cut) -> String {
        match cut {
            Cut::Start => "-".to_owned(),
            Cut::End => "+".to_owned(),
            Cut::Below(value) => format!("<{}", plain(value)),
            Cut::Above(value) => format!(">{}", plain(value)),
        }
    }
    fn plain(value: &Datum) -> String {
        match value {
            Datum::Double(value) => format!("{value:?}"),
            Datum::Text(text) => format!("{text:?}"),
            Datum::Boolean(value) => value.to_string(),
            other => other.as_integer().unwrap().to_string(),
        }
    }
    match predicate_of(condition) {
        Predicate::Member(expression, domain) => {
            let mut parts: Vec<String> = domain
                .intervals()
                .iter()
                .map(|interval| format!("{}..{}", cut(&interval.start), cut(&interval.end)))
                .collect();
            if domain.has_null() {
                parts.push("NULL".to_owned());
            }
            format!("{expression}: {}", parts.join(" "))
        }
        Predicate::Constant(value) => value.to_string(),
        Predicate::Opaque => "opaque".to_owned(),
        other => format!("{other:?}"),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (condition, expected) in cases {
        assert_eq!(shown(condition), *expected, "{condition}");
    }
}

#[test]
fn three_valued_logic_ends_at_the_leaves() {
    check(&[
        ("NOT (i = 5)", "i: -..<5 <6..+"),
        ("i IS DISTINCT FROM 5", "i: -..<5 <6..+ NULL"),
        ("i IS NOT DISTINCT FROM 5", "i: <5..<6"),
        ("i IS NOT DISTINCT FROM NULL", "i: NULL"),
        ("i = NULL", "false"),
        ("NOT (i = NULL)", "false"),
        ("(i = 5) IS NOT TRUE", "i: -..<5 <6..+ NULL"),
        ("i NOT IN (1, NULL)", "false"),
        ("i IN (1, NULL)", "i: <1..<2"),
        ("i NOT IN (1, 3)", "i: -..<1 <2..<3 <4..+"),
        ("i + NULL > 3", "false"),
        ("i + 1 = 5", "i: <4..<5"),
        ("i + 1 IS NULL", "i: NULL"),
        ("NOT 3 - i > 5", "i: <-2..+"),
        ("i * 2 = 5", "opaque"),
        ("i + 1.5 = 5", "opaque"),
        ("ms + INTERVAL '1 month' > TIMESTAMP '2024-01-01'", "opaque"),
        ("i = l", "opaque"),
        ("b", "b: <true..+"),
        ("NOT b", "b: -..<true"),
        ("b IS NOT FALSE", "b: <true..+ NULL"),
        ("CASE WHEN i = 5 THEN true END", "i: <5..<6"),
        ("CASE WHEN i = 5 THEN true ELSE NULL END", "i: <5..<6"),
        ("NOT CASE WHEN i = 5 THEN true END", "false"),
        ("CASE WHEN i = 5 THEN false END", "false"),
        ("NOT CASE WHEN i = 5 THEN false END", "i: <5..<6"),
        ("CASE i = 5 WHEN true THEN true END", "i: <5..<6"),
        ("CASE i = 5 WHEN false THEN true END", "i: -..<5 <6..+"),
        ("CASE WHEN i = 5 THEN true ELSE false END", "i: <5..<6"),
        ("CASE i WHEN 5 THEN true END", "i: <5..<6"),
    ]);
    assert_eq!(
        predicate_of("(i = 5) IS NULL"),
        Predicate::all([
            Predicate::Member(
                crate::key::Expression::column("i"),
                crate::key::Domain::points(&SqlType::Integer, [Datum::Integer(5)]).complement()
            ),
            Predicate::Member(
                crate::key::Expression::column("i"),
                crate::key::Domain::points(&SqlType::Integer, [Datum::Integer(5)]).with_null(true)
            ),
        ])
    );
}

#[test]
fn constants_compare_by_value() {
    check(&[
        ("i > 4294967296", "i: "),
        ("i > -1.5", "i: <-1..+"),
        ("i = 1.5", "i: "),
        ("i <> 1.5", "i: -..+"),
        ("l > 9007199254740993.0", "l: <9007199254740994..+"),
        ("d > 9.999", "d: <1000..+"),
        ("d = 9.999", "d: "),
        ("f > CAST(1 AS DOUBLE)", "f: >1.0..+"),
        ("f = CAST('-0.0' AS DOUBLE)", "f: <0.0..>0.0"),
        ("ms = TIMESTAMP '1970-01-01 00:00:00.0005'", "ms: "),
        ("ms > TIMESTAMP '1970-01-01 00:00:00.0005'", "ms: <1..+"),
        ("ms >= DATE '1970-01-02'", "ms: <86400000..+"),
        ("day > TIMESTAMP '1970-01-02 12:00:00'", "day: <2..+"),
        ("day = TIMESTAMP '1970-01-02 12:00:00'", "day: "),
    ]);
}

#[test]
fn a_big_integer_cast_to_double_is_compared_as_the_cast_rounds() {
    // 2^53 + 1 becomes 2^53 when it is cast, so it is equal to 2^53 for DataFusion.
    check(&[
        (
            "l = CAST(9007199254740992 AS DOUBLE)",
            "l: <9007199254740992..<9007199254740994",
        ),
        ("l > CAST(1 AS DOUBLE)", "l: <2..+"),
        ("l > CAST('1e300' AS DOUBLE)", "l: "),
        ("i > CAST(1.5 AS DOUBLE)", "i: <2..+"),
    ]);
}

#[test]
fn patterns_become_prefixes_where_they_are() {
    check(&[
        ("t LIKE 'ab%'", "t: <\"ab\"..<\"ac\""),
        ("t LIKE 'a\\%b%'", "t: <\"a%b\"..<\"a%c\""),
        ("t LIKE 'ab'", "t: <\"ab\"..>\"ab\""),
        ("t NOT LIKE 'ab%'", "t: -..<\"ab\" <\"ac\"..+"),
        ("t LIKE '%'", "t: -..+"),
        (
            "t LIKE '_b'",
            "All([Member(Expression { function: \"column\", arguments: [Column(\"t\")] }, Domain { sql_type: Text, intervals: [Interval { start: Start, end: End }], null: false }), Opaque])",
        ),
        ("t NOT LIKE 'a_c'", "opaque"),
        (
            "t ILIKE 'ab%'",
            "All([Member(Expression { function: \"column\", arguments: [Column(\"t\")] }, Domain { sql_type: Text, intervals: [Interval { start: Below(Text(\"AB\")), end: Below(Text(\"AC\")) }, Interval { start: Below(Text(\"Ab\")), end: Below(Text(\"Ac\")) }, Interval { start: Below(Text(\"aB\")), end: Below(Text(\"aC\")) }, Interval { start: Below(Text(\"ab\")), end: Below(Text(\"ac\")) }], null: false }), Opaque])",
        ),
        ("t NOT ILIKE 'ab%'", "opaque"),
        ("t ~ '^(ab|cd)$'", "t: <\"ab\"..>\"ab\" <\"cd\"..>\"cd\""),
        ("t ~ '^a[0-9]'", "t: <\"a0\"..<\"a:\""),
        (
            "t !~ '^ab|^cd'",
            "t: -..<\"ab\" <\"ac\"..<\"cd\" <\"ce\"..+",
        ),
        ("t !~ '^ab+'", "opaque"),
        ("t !~* '^1'", "t: -..<\"1\" <\"2\"..+"),
        ("t ~* '1$'", "opaque"),
        ("t ILIKE '12%'", "t: <\"12\"..<\"13\""),
        ("t NOT ILIKE '12%'", "t: -..<\"12\" <\"13\"..+"),
        ("starts_with(t, 'ab')", "t: <\"ab\"..<\"ac\""),
        ("starts_with(t, NULL)", "false"),
    ]);
}

#[test]
fn the_year_of_a_date_is_a_range() {
    check(&[
        ("date_part('year', day) = 1971", "day: <365..<730"),
        ("extract(year FROM day) < 1971", "day: <-96465292..<365"),
        ("date_part('month', day) = 1", "opaque"),
        ("date_part('year', ns) = 3000", "ns: "),
    ]);
}

#[test]
fn every_part_is_read_as_it_is_written() {
    with_seed(|rng| {
        let mut read = 0;
        for name in TRANSFORMS.iter().map(|declaration| declaration.name()) {
            for _ in 0..100 {
                let Some(key) = key_of(rng, name) else {
                    continue;
                };
                let part = &key.parts()[0];
                for written in spellings(part) {
                    let found = crate::predicate::part(&written, key.columns());
                    let value_type = part.transform().value_type().clone();
                    let expected = Some((part.expression().clone(), value_type));
                    assert_eq!(found, expected, "{written} of {:?}", key.columns());
                    read += 1;
                }
            }
        }
        assert!(read > 1_000, "{read}");
    });
}

#[test]
fn casts_around_the_column_of_a_part_are_taken_off_where_they_do_not_count() {
    check(&[
        ("CAST(i AS BIGINT) % 4 = 1", "i % 4: <1..<2"),
        (
            "CAST(CAST(ms AS TIMESTAMP) AS DATE) = DATE '1970-01-02'",
            "ms: <86400000..<172800000",
        ),
        ("hash(CAST(i AS BIGINT)) = X'00'", "opaque"),
        ("substr(t, 1, 2) = 'ab'", "t: <\"ab\"..<\"ac\""),
        ("substr(t, 2, 2) = 'ab'", "opaque"),
        // Of stamps in nanoseconds, bins begin between two milliseconds.
        (
            "date_bin(INTERVAL '1500 microseconds', ms) = TIMESTAMP '1970-01-01 00:00:00.001'",
            "ms: <2..<3",
        ),
        (
            "date_bin(INTERVAL '1500 microseconds', CAST(ms AS TIMESTAMP)) = TIMESTAMP '1970-01-01 00:00:00.0015'",
            "opaque",
        ),
        (
            "date_bin(INTERVAL '2 milliseconds', CAST(ms AS TIMESTAMP)) = TIMESTAMP '1970-01-01 00:00:00.002'",
            "ms: <2..<4",
        ),
    ]);
}

#[test]
fn the_successor_of_a_text_is_a_text() {
    use crate::key::domain::text_successor;
    assert_eq!(text_successor("ab").as_deref(), Some("ac"));
    assert_eq!(text_successor("a\u{10ffff}").as_deref(), Some("b"));
    assert_eq!(text_successor("\u{d7ff}").as_deref(), Some("\u{e000}"));
    assert_eq!(text_successor(""), None);
}
