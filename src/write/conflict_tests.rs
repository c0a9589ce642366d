//! Different rows under one key: what INSERT and REPLACE do with them, and what they call them.

use std::sync::Arc;

use super::super::Change;
use super::super::tests::{assert_stored, int, text, write, writer, writer_over};
use super::*;
use crate::datum::{Datum, Precision, SqlType};
use crate::error::ErrorKind;
use crate::key::{Argument, Expression, PartDefinition, SortOrder};
use crate::row::testing::{Declared, definition, of_expression, part};
use crate::store::MemoryStore;
use crate::store::wrap::Recording;

fn function(name: &str, arguments: Vec<Argument>) -> PartDefinition {
    of_expression(Expression::new(name, arguments), SortOrder::Ascending)
}

fn column(name: &str) -> Argument {
    Argument::Column(name.to_owned())
}

fn bound(columns: &[Declared], key: Vec<PartDefinition>) -> Arc<BoundTable> {
    BoundTable::new(definition(columns, key)).unwrap()
}

/// All hosts share the one bucket, as if their hashes collided.
fn collided() -> Arc<BoundTable> {
    let bucket = function("bucket", vec![Argument::Integer(1), column("host")]);
    bound(
        &[
            ("host", SqlType::Text),
            ("day", SqlType::Integer),
            ("usage", SqlType::Integer),
        ],
        vec![bucket, part("day")],
    )
}

fn row(host: &str, day: i64, usage: i64) -> Vec<Option<Datum>> {
    vec![text(host), int(day), int(usage)]
}

#[test]
fn a_collision_is_an_error_of_insert_and_of_replace() {
    let writer = writer(&collided());
    write(&writer, Change::Insert, &[row("a", 1, 10), row("a", 2, 20)]).unwrap();
    for change in [Change::Insert, Change::Replace] {
        let error = write(&writer, change, &[row("b", 3, 0), row("b", 2, 5)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert_eq!(
            error.to_string(),
            "row 2: table `t`: (host = 'b', day = 2) and a stored row with (host = 'a', day = 2) are different rows \
             under one row key, /0/2"
        );
        let error = write(
            &writer,
            change,
            &[row("b", 3, 0), row("c", 4, 0), row("d", 3, 5)],
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "row 3: table `t`: (host = 'd', day = 3) and row 1 with (host = 'b', day = 3) are different rows under \
             one row key, /0/3"
        );
        assert_stored(&writer, &[row("a", 1, 10), row("a", 2, 20)]);
    }
    // The same row again is no collision.
    let error = write(&writer, Change::Insert, &[row("a", 2, 5)])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("a row with (host = 'a', day = 2) is there already, under the row key /0/2"),
        "{error}"
    );
    assert_eq!(
        write(&writer, Change::Replace, &[row("a", 2, 5), row("a", 2, 6)]).unwrap(),
        2
    );
    assert_stored(&writer, &[row("a", 1, 10), row("a", 2, 6)]);
}

/// Among many rows that may be replaced, the first that may not is found, in the store and in the statement.
#[test]
fn one_collision_among_many_rows_is_found() {
    let writer = writer(&collided());
    let mut rows: Vec<_> = (0..3_000).map(|day| row("a", day, 0)).collect();
    write(&writer, Change::Insert, &rows).unwrap();
    rows[1_500] = row("b", 1_500, 0);
    rows[2_500] = row("b", 2_500, 0);
    let error = write(&writer, Change::Replace, &rows)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with(
            "row 1501: table `t`: (host = 'b', day = 1500) and a stored row with (host = 'a'"
        ),
        "{error}"
    );
    rows[1_200] = row("c", 1_100, 0);
    let error = write(&writer, Change::Replace, &rows)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with(
            "row 1201: table `t`: (host = 'c', day = 1100) and row 1101 with (host = 'a'"
        ),
        "{error}"
    );
}

/// Two stamps in an hour: INSERT names both, REPLACE acts, for the values of the parts are equal.
#[test]
fn rows_that_a_coarser_part_takes_for_one_are_replaced() {
    let stamp = SqlType::Timestamp {
        precision: Precision::Second,
        utc: false,
    };
    let hour = function(
        "date_trunc",
        vec![Argument::Text("hour".to_owned()), column("ts")],
    );
    let table = bound(
        &[("host", SqlType::Text), ("ts", stamp)],
        vec![hour, part("host")],
    );
    let row = |host: &str, ts: i64| vec![text(host), Some(Datum::Timestamp(ts))];
    let writer = writer(&table);
    write(&writer, Change::Insert, &[row("a", 60), row("b", 60)]).unwrap();
    let error = write(&writer, Change::Insert, &[row("a", 120)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 1: table `t`: (host = 'a', ts = 1970-01-01T00:02:00) and a stored row with (host = 'a', ts = \
         1970-01-01T00:01:00) are different rows under one row key, /1970-01-01T00:00:00/a"
    );
    assert_eq!(
        write(&writer, Change::Replace, &[row("a", 120)]).unwrap(),
        1
    );
    assert_stored(&writer, &[row("a", 120), row("b", 60)]);
}

/// What must be equal beside the key: the inputs of hashes that the key does not give back.
#[test]
fn a_hash_counts_as_its_inputs() {
    let columns = [
        ("a", SqlType::Text),
        ("b", SqlType::Integer),
        ("c", SqlType::Text),
    ];
    let n = || Argument::Integer(4);
    let cases: Vec<(Vec<PartDefinition>, &[usize])> = vec![
        (vec![part("a")], &[]),
        (vec![function("left", vec![column("a"), n()])], &[]),
        (vec![function("hash", vec![column("a")])], &[0]),
        (vec![function("md5", vec![column("c")]), part("b")], &[2]),
        (
            vec![function("hash", vec![column("c"), column("a")]), part("c")],
            &[0],
        ),
        (
            vec![function("bucket", vec![n(), column("a")]), part("b")],
            &[0],
        ),
        (
            vec![function("bucket", vec![n(), column("a")]), part("a")],
            &[],
        ),
        (vec![function("salt", vec![n()]), part("a"), part("b")], &[]),
        (
            vec![
                function("salt", vec![n()]),
                function("left", vec![column("a"), n()]),
                part("b"),
            ],
            &[0],
        ),
        (vec![function("%", vec![column("b"), n()])], &[]),
    ];
    for (key, expected) in cases {
        let table = bound(&columns, key);
        assert_eq!(
            Identity::new(&table).columns,
            expected,
            "{}",
            table.table().create_statement()
        );
    }
}

/// Stored rows are compared with so many at once as fit into memory, where they are long.
#[test]
fn long_rows_are_looked_up_in_small_numbers() {
    let bucket = function("bucket", vec![Argument::Integer(1), column("host")]);
    let columns = [
        ("host", SqlType::Text),
        ("day", SqlType::Integer),
        ("report", SqlType::Text),
    ];
    let table = bound(&columns, vec![bucket, part("day")]);
    let store = Recording::new(Arc::new(MemoryStore::new()));
    let log = store.log();
    let writer = writer_over(&table, Arc::new(store));
    let seeks = |length: usize| {
        let report = "x".repeat(length);
        let rows: Vec<_> = (0..150)
            .map(|day| vec![text("a"), int(day), text(&report)])
            .collect();
        for _ in 0..2 {
            log.take();
            write(&writer, Change::Replace, &rows).unwrap();
        }
        log.seeks(table.space()).len()
    };
    assert_eq!(seeks(10), 1);
    let seeks = seeks(100_000);
    assert!((3..8).contains(&seeks), "{seeks}");
}
