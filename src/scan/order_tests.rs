//! The order of spans as SQL sees it, for layouts of every kind.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::row::{RowConverter, SortField};
use datafusion::common::DFSchema;
use datafusion::execution::SessionState;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::prelude::SessionContext;
use fastrand::Rng;
use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::*;
use crate::catalog::ddl::define_table;
use crate::datum::to_array;
use crate::function::spellings;
use crate::key::testing::{layout as any_layout, storable_rows, with_seed};

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
    let order = KeyOrder::new(&key, &constants, false).unwrap();
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
        ("a, a / 2, b", "a, b"),
        ("a, hash(a), b", "a, b"),
        ("a, hash(a, b), b", "a"),
        ("reverse(host), host, b", ""),
    ] {
        assert_eq!(forward(key, &[]), expected, "{key}");
    }
}

/// The parts of the order, those that are implied in brackets.
fn sort_parts(key: &str) -> String {
    let key = layout(key);
    let order = KeyOrder::new(&key, &vec![None; key.parts().len()], false).unwrap();
    let shown = order.parts.iter().map(|sorted| {
        let part = key.parts()[sorted.position].expression();
        if sorted.is_implied {
            format!("[{part}]")
        } else {
            part.to_string()
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_part_is_implied_by_what_says_more() {
    for (key, expected) in [
        ("reverse(host), b", "reverse(host), b"),
        (
            "date_trunc('hour', ts), host, ts",
            "date_trunc('hour', ts), host, ts",
        ),
        (
            "date_trunc('hour', ts), ts, host",
            "[date_trunc('hour', ts)], ts, host",
        ),
        (
            "date_trunc('hour', ts), ts DESC",
            "date_trunc('hour', ts), ts",
        ),
        ("reverse(host), host, a", "reverse(host), [host], a"),
        ("a, a / 2, a % 3, b", "a, [a / 2], [a % 3], b"),
        ("a / 2, b, a % 2", "a / 2, b, a % 2"),
        ("salt(4), left(host, 2), host", "[left(host, 2)], host"),
        ("a, bucket(4, b), b", "a, bucket(4, b), b"),
        ("b, a, bucket(4, b)", "b, a, [bucket(4, b)]"),
    ] {
        assert_eq!(sort_parts(key), expected, "{key}");
    }
    let counted = |key: &str| {
        let key = layout(key);
        let order = KeyOrder::new(&key, &vec![None; key.parts().len()], false).unwrap();
        let sequences = order.sequences();
        sequences.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(counted("a, b"), [2]);
    assert_eq!(counted("a, a / 2, a / 3, b"), [2, 3, 3, 4]);
    assert_eq!(counted("a, a / 2, a / 3, a / 4, a / 5, b"), [2, 6]);
}

/// The values of an expression row by row; `None` where DataFusion raises an error.
fn evaluated(expression: &Arc<dyn PhysicalExpr>, batch: &RecordBatch) -> Vec<Option<ArrayRef>> {
    let value = |row| {
        let value = expression.evaluate(&batch.slice(row, 1)).ok()?;
        value.to_array(1).ok()
    };
    (0..batch.num_rows()).map(value).collect()
}

/// What SQL computes for a part; `None` where it has no expression.
fn in_sql(
    state: &SessionState,
    key: &RowKey,
    schema: &DFSchema,
    sorted: &SortPart,
) -> Option<Arc<dyn PhysicalExpr>> {
    if let Some(column) = sorted.column {
        let name = &key.columns()[column].name;
        return Some(Arc::new(Column::new(name, column)));
    }
    let part = &key.parts()[sorted.position];
    let spelling = spellings(part).pop()?;
    Some(state.create_physical_expr(spelling, schema).unwrap())
}

/// Whether rows that follow each other in key order do so in the order of these parts, too. Returns how many of them
/// were compared.
fn is_ordered(
    state: &SessionState,
    key: &RowKey,
    batch: &RecordBatch,
    sorted: &[&SortPart],
) -> usize {
    let schema = DFSchema::try_from(batch.schema().as_ref().clone()).unwrap();
    let mut columns = Vec::new();
    for part in sorted {
        match in_sql(state, key, &schema, part) {
            Some(expression) => columns.push((expression, part.options(store::Direction::Forward))),
            None if part.is_implied => {}
            None => break,
        }
    }
    let values: Vec<Vec<Option<ArrayRef>>> = columns
        .iter()
        .map(|(expression, _)| evaluated(expression, batch))
        .collect();
    let fields = columns.iter().map(|(expression, options)| {
        let data_type = expression.data_type(&batch.schema()).unwrap();
        SortField::new_with_options(data_type, *options)
    });
    let converter = RowConverter::new(fields.collect()).unwrap();
    let mut before: Option<(usize, Vec<u8>)> = None;
    for row in 0..batch.num_rows() {
        let row_values: Option<Vec<ArrayRef>> =
            values.iter().map(|column| column[row].clone()).collect();
        let Some(row_values) = row_values.filter(|values| !values.is_empty()) else {
            continue;
        };
        let converted = converter.convert_columns(&row_values).unwrap();
        let converted = converted.row(0).as_ref().to_vec();
        if let Some((earlier, smaller)) = &before {
            assert!(
                *smaller <= converted,
                "{:?} before {:?}\nof {key:?}\nby {columns:?}",
                batch.slice(*earlier, 1),
                batch.slice(row, 1)
            );
        }
        before = Some((row, converted));
    }
    columns.len()
}

/// Rows of a layout in the order of their keys, those of one run.
fn in_key_order(rng: &mut Rng, key: &RowKey, order: &KeyOrder) -> RecordBatch {
    let cut = |mut key: Vec<u8>| {
        if let Some((start, length)) = order.cut {
            key.drain(start..start + length);
        }
        key
    };
    let mut rows = storable_rows(rng, key, 40);
    rows.sort_by_cached_key(|row| cut(key.encode(row).unwrap()));
    let arrays = key.columns().iter().enumerate().map(|(position, column)| {
        let values: Vec<_> = rows.iter().map(|row| row[position].clone()).collect();
        let array = to_array(&values, &column.sql_type).unwrap();
        (column.name.as_str(), array, true)
    });
    RecordBatch::try_from_iter_with_nullable(arrays).unwrap()
}

/// The law of this module: what is declared of the rows' order is so as SQL computes and compares it, for layouts of
/// all kinds.
#[test]
fn keys_are_in_the_order_that_sql_gives_the_parts() {
    let context = SessionContext::new();
    let state = context.state();
    with_seed(|rng| {
        let mut expressions = 0;
        for _ in 0..400 {
            let key = any_layout(rng);
            if key.columns().is_empty() {
                continue;
            }
            let order = KeyOrder::new(&key, &vec![None; key.parts().len()], rng.bool()).unwrap();
            let batch = in_key_order(rng, &key, &order);
            for sorted in order.sequences() {
                let compared = is_ordered(&state, &key, &batch, &sorted);
                let told = sorted.iter().take(compared);
                expressions += told.filter(|sorted| sorted.column.is_none()).count();
            }
        }
        assert!(expressions > 300, "{expressions} expressions compared");
    });
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
    let order = KeyOrder::new(&key, &[one(), Some(None), text, None], false).unwrap();
    let host = Some(Datum::Text("cba".into()));
    assert_eq!(
        order.constants,
        [(0, Some(Datum::Integer(1))), (2, None), (3, host)]
    );
    assert_eq!(shown(&key, &order, store::Direction::Backward), "ts DESC");
}

#[test]
fn a_bucket_is_cut_out_where_it_leads_the_key() {
    let order = |key: &str, pinned: &[Option<Option<Datum>>]| {
        let key = layout(key);
        let mut constants = vec![None; key.parts().len()];
        constants[..pinned.len()].clone_from_slice(pinned);
        let order = KeyOrder::new(&key, &constants, false).unwrap();
        (order.cut, shown(&key, &order, store::Direction::Forward))
    };
    let is = |cut, columns: &str| (cut, columns.to_owned());
    assert_eq!(order("salt(16), a, b", &[]), is(Some((0, 1)), "a, b"));
    assert_eq!(order("salt(1000), a, b", &[]), is(Some((0, 2)), "a, b"));
    let literal = Some(Some(Datum::Text("O".into())));
    assert_eq!(
        order("'O', salt(4), b", std::slice::from_ref(&literal)),
        is(Some((3, 1)), "b")
    );
    // One run holds several buckets, whose rows lie one behind the other.
    let one = Some(Some(Datum::Integer(1)));
    let host = Some(Some(Datum::Text("h".into())));
    assert_eq!(order("a, bucket(4, b), b", &[]), is(None, "a"));
    assert_eq!(order("a, bucket(4, b), b", &[one]), is(None, ""));
    assert_eq!(order("host, bucket(4, b), b", &[]), is(None, "host"));
    assert_eq!(order("host, bucket(4, b), b", &[host]), is(None, ""));
    assert_eq!(order("n, bucket(4, b), b", &[]), is(None, "n"));
    let bucket = Some(Some(Datum::Integer(2)));
    assert_eq!(
        order("a, bucket(4, b), b", &[None, bucket]),
        is(None, "a, b")
    );
    assert_eq!(order("a, b", &[]), is(None, "a, b"));
}

#[test]
fn reading_backward_turns_columns_and_nulls_round() {
    let key = layout("a, n DESC, b");
    let order = KeyOrder::new(&key, &[None, None, None], false).unwrap();
    assert_eq!(
        shown(&key, &order, store::Direction::Forward),
        "a, n DESC, b"
    );
    assert_eq!(
        shown(&key, &order, store::Direction::Backward),
        "a DESC, n, b DESC"
    );
}
