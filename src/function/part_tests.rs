//! How key parts are written, by whatever way a query may write them. That each is read again, and computes what is
//! stored, is tested of every transform there is, beside what reads and what stores.

use super::*;
use crate::datum::{Precision, SqlType};
use crate::key::{Expression, KeyColumn, PartDefinition, RowKey, SortOrder};

fn columns() -> Vec<KeyColumn> {
    let column = |name: &str, sql_type| KeyColumn {
        name: name.to_owned(),
        sql_type,
        nullable: false,
    };
    let seconds = |utc| SqlType::Timestamp {
        precision: Precision::Second,
        utc,
    };
    vec![
        column("c", SqlType::Text),
        column("n", SqlType::Integer),
        column("ts", seconds(false)),
        column("Instant", seconds(true)),
    ]
}

fn shown(function: &str, arguments: &[Argument]) -> Vec<String> {
    let part = |expression| PartDefinition {
        expression,
        direction: SortOrder::Ascending,
        nulls: SortOrder::Ascending.default_nulls(),
    };
    // A salt needs another part.
    let own = part(Expression::new(function, arguments.to_vec()));
    let key = RowKey::new(columns(), vec![own, part(Expression::column("c"))]).unwrap();
    let spellings = spellings(&key.parts()[0]);
    spellings.iter().map(ToString::to_string).collect()
}

#[test]
fn parts_are_written_as_in_a_query() {
    let column = |name: &str| Argument::Column(name.to_owned());
    let (c, n, ts) = (column("c"), column("n"), column("ts"));
    let number = Argument::Integer(4);
    for (function, arguments, expected) in [
        ("/", vec![n.clone(), number.clone()], &["n / Int64(4)"][..]),
        ("%", vec![n.clone(), number.clone()], &["n % Int64(4)"]),
        (
            "left",
            vec![c.clone(), number.clone()],
            &["left(c, Int64(4))"],
        ),
        ("reverse", vec![c.clone()], &["reverse(c)"]),
        ("md5", vec![c.clone()], &["md5(c)"]),
        ("reverse_digits", vec![n.clone()], &["reverse_digits(n)"]),
        ("hash", vec![c.clone(), ts.clone()], &["hash(c, ts)"]),
        (
            "bucket",
            vec![number.clone(), c.clone()],
            &["bucket(Int64(4), c)"],
        ),
        ("cast_date", vec![ts.clone()], &["CAST(ts AS Date32)"]),
        (
            "date_trunc",
            vec![Argument::Text("hour".to_owned()), ts.clone()],
            &[
                "date_trunc(Utf8(\"hour\"), ts)",
                "date_trunc(Utf8(\"HOUR\"), ts)",
                "date_trunc(Utf8(\"hour\"), ts)",
                "date_trunc(Utf8(\"HOUR\"), ts)",
            ],
        ),
        ("column", vec![c.clone()], &[]),
        ("salt", vec![number.clone()], &[]),
        ("literal", vec![number.clone()], &[]),
    ] {
        assert_eq!(shown(function, &arguments), expected, "{function}");
    }
}

#[test]
fn an_interval_is_written_in_days_and_without() {
    const SECOND: i128 = 1_000_000_000;
    let bin = |stride, column: &str| {
        let column = Argument::Column(column.to_owned());
        shown("date_bin", &[Argument::Interval(stride), column]).len()
    };
    assert_eq!(bin(900 * SECOND, "ts"), 1);
    assert_eq!(bin(86_400 * SECOND, "ts"), 2);
    assert_eq!(bin(129_600 * SECOND, "Instant"), 2);
    // Bins that begin between two values of the column: SQL cuts them to its unit, but for instants.
    assert_eq!(bin(3 * SECOND / 2, "ts"), 1);
    assert_eq!(bin(3 * SECOND / 2, "Instant"), 0);
}
