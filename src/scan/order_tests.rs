//! The order of spans as SQL sees it, for layouts of every kind.

use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::*;
use crate::catalog::ddl::define_table;

fn layout(key: &str) -> RowKey {
    let ddl = format!(
        "CREATE TABLE t (a INT, b INT, n INT NULL, host TEXT, ts TIMESTAMP(3), PRIMARY KEY ({key}))"
    );
    match Parser::parse_sql(&GenericDialect {}, &ddl)
        .expect(&ddl)
        .pop()
    {
        Some(Statement::CreateTable(statement)) => {
            define_table(&statement, 1).expect(&ddl).row_key().unwrap()
        }
        _ => panic!("not a CREATE TABLE: {ddl}"),
    }
}

/// `a ASC, n DESC NULLS LAST`; the NULLS are written where they are not the default.
fn shown(key: &RowKey, order: &KeyOrder, direction: store::Direction) -> String {
    let column = |(column, options): (usize, SortOptions)| {
        let name = &key.columns()[column].name;
        let nulls = match (options.descending, options.nulls_first) {
            (false, true) => " NULLS FIRST",
            (true, false) => " NULLS LAST",
            _ => "",
        };
        format!(
            "{name}{}{nulls}",
            if options.descending { " DESC" } else { "" }
        )
    };
    order
        .columns(direction)
        .map(column)
        .collect::<Vec<_>>()
        .join(", ")
}

fn forward(key: &str, pinned: &[Option<Option<Datum>>]) -> String {
    let key = layout(key);
    let mut constants = vec![None; key.parts().len()];
    constants[..pinned.len()].clone_from_slice(pinned);
    let order = KeyOrder::new(&key, &constants).unwrap();
    shown(&key, &order, store::Direction::Forward)
}

#[test]
fn columns_are_in_order_up_to_the_first_part_that_is_none() {
    for (key, expected) in [
        ("a, b", "a, b"),
        ("a DESC, b", "a DESC, b"),
        ("a, n", "a, n"),
        ("a, n DESC NULLS LAST", "a, n DESC NULLS LAST"),
        ("n NULLS FIRST, a", "n NULLS FIRST, a"),
        ("a, reverse(host), b", "a"),
        ("hash(a), a", ""),
        ("a, date_trunc('hour', ts), b", "a"),
        ("a, date_trunc('hour', ts), b, ts", "a"),
        ("date_trunc('hour', ts), ts, a", "ts, a"),
        ("date_trunc('hour', ts), ts DESC, a", ""),
        ("date_trunc('hour', ts) DESC, ts DESC, a", "ts DESC, a"),
        ("CAST(ts AS DATE), date_trunc('hour', ts), ts", "ts"),
        ("n / 10, n, a", "n, a"),
        ("n / 10 NULLS FIRST, n, a", ""),
        ("a % 4, a", ""),
        ("left(host, 2), host, b", "host, b"),
        ("a, a / 2, b", "a"),
    ] {
        assert_eq!(forward(key, &[]), expected, "{key}");
    }
}

#[test]
fn a_part_with_one_value_says_nothing() {
    let one = || Some(Some(Datum::Integer(1)));
    assert_eq!(forward("a, b", &[one()]), "b");
    assert_eq!(
        forward(
            "hash(a), a, b",
            &[Some(Some(Datum::Bytes(vec![1; 8]))), one()]
        ),
        "b"
    );
    assert_eq!(forward("a % 4, a, b", &[one()]), "a, b");
    assert_eq!(
        forward(
            "date_trunc('hour', ts), host, ts",
            &[None, Some(Some(Datum::Text("h".into())))]
        ),
        "ts"
    );
    assert_eq!(forward("n, a", &[Some(None)]), "a");

    let key = layout("a, n, reverse(host), ts");
    let text = Some(Some(Datum::Text("abc".into())));
    let order = KeyOrder::new(&key, &[one(), Some(None), text, None]).unwrap();
    let host = Some(Datum::Text("cba".into()));
    assert_eq!(
        order.constants,
        [(0, Some(Datum::Integer(1))), (2, None), (3, host)]
    );
    assert_eq!(shown(&key, &order, store::Direction::Backward), "ts DESC");
}

#[test]
fn a_bucket_is_cut_out_where_its_place_is_known() {
    let order = |key: &str, pinned: &[Option<Option<Datum>>]| {
        let key = layout(key);
        let mut constants = vec![None; key.parts().len()];
        constants[..pinned.len()].clone_from_slice(pinned);
        let order = KeyOrder::new(&key, &constants).unwrap();
        (order.cut, shown(&key, &order, store::Direction::Forward))
    };
    let is = |cut, columns: &str| (cut, columns.to_owned());
    assert_eq!(order("salt(16), a, b", &[]), is(Some((0, 1)), "a, b"));
    assert_eq!(order("salt(1000), a, b", &[]), is(Some((0, 2)), "a, b"));
    // Behind a column a range goes on from bucket to bucket, whether the column is pinned or not.
    assert_eq!(order("a, bucket(4, b), b", &[]), is(None, "a"));
    assert_eq!(order("host, bucket(4, b), b", &[]), is(None, "host"));
    let host = Some(Some(Datum::Text("h".into())));
    assert_eq!(order("host, bucket(4, b), b", &[host]), is(None, ""));
    assert_eq!(order("n, bucket(4, b), b", &[]), is(None, "n"));
    assert_eq!(order("a, b", &[]), is(None, "a, b"));
}

#[test]
fn reading_backward_turns_columns_and_nulls_round() {
    let key = layout("a, n DESC, b");
    let order = KeyOrder::new(&key, &[None, None, None]).unwrap();
    assert_eq!(
        shown(&key, &order, store::Direction::Forward),
        "a, n DESC, b"
    );
    assert_eq!(
        shown(&key, &order, store::Direction::Backward),
        "a DESC, n, b DESC"
    );
}
