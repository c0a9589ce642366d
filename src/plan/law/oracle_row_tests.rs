//! Conditions over two columns: tuples, keysets, and columns with one another.

use super::*;

fn pairs() -> (Vec<Column>, Vec<Vec<Option<Datum>>>) {
    let columns = vec![column("a", SqlType::Integer), column("b", SqlType::Integer)];
    let rows = [
        (Some(0), Some(9)),
        (Some(1), Some(1)),
        (Some(1), Some(2)),
        (Some(1), Some(3)),
        (Some(1), None),
        (Some(2), None),
        (None, Some(2)),
    ];
    let rows = rows.map(|(a, b)| integers(&[a, b])).to_vec();
    (columns, rows)
}

fn tuple(comparison: Comparison, descending: [bool; 2], spelling: Spelling) -> Condition {
    Condition::Tuple {
        columns: vec![0, 1],
        descending: descending.to_vec(),
        comparison,
        constants: vec![whole(1), whole(2)],
        spelling,
    }
}

#[test]
fn tuples_are_sqls() {
    let expected = [
        (Comparison::Equal, "fftf-f-"),
        (Comparison::NotEqual, "ttft-t-"),
        (Comparison::Less, "ttff-f-"),
        (Comparison::LessOrEqual, "tttf-f-"),
        (Comparison::Greater, "ffft-t-"),
        (Comparison::GreaterOrEqual, "fftt-t-"),
    ];
    for (comparison, expected) in expected {
        for spelling in [Spelling::Alternatives, Spelling::Nested] {
            let (columns, rows) = pairs();
            let condition = tuple(comparison, [false, false], spelling);
            expect_rows(columns, &rows, condition, expected);
        }
    }
}

#[test]
fn keysets_of_mixed_direction() {
    for spelling in [Spelling::Alternatives, Spelling::Nested] {
        let (columns, rows) = pairs();
        let condition = tuple(Comparison::Greater, [false, true], spelling);
        expect_rows(columns, &rows, condition, "ftff-t-");
    }
}

#[test]
fn tuples_in_lists() {
    let listed = |rows, negated| Condition::TupleIn {
        columns: vec![0, 1],
        rows,
        negated,
    };
    let points = || vec![vec![whole(1), whole(2)], vec![whole(0), whole(9)]];
    let (columns, rows) = pairs();
    expect_rows(columns, &rows, listed(points(), false), "tftf-f-");
    let (columns, rows) = pairs();
    expect_rows(columns, &rows, listed(points(), true), "ftft-t-");
    let with_null = vec![vec![whole(1), Constant::Null]];
    let (columns, rows) = pairs();
    expect_rows(columns, &rows, listed(with_null, false), "f----f-");
}

#[test]
fn columns_by_value() {
    let columns = vec![
        column("a", MILLISECONDS),
        column(
            "b",
            SqlType::Timestamp {
                precision: Precision::Second,
                utc: false,
            },
        ),
    ];
    let rows = [(0, 0), (1, 0), (1_000, 1), (0, i64::MAX)];
    let rows = rows.map(|(a, b)| stamps(&[a, b])).to_vec();
    let condition = Condition::Columns {
        left: 0,
        comparison: Comparison::Equal,
        right: 1,
    };
    expect_rows(columns, &rows, condition, "tftf");
}
