use super::*;

const INT: SqlType = SqlType::Integer;

fn int(value: i64) -> Datum {
    Datum::Integer(value)
}

fn text(value: &str) -> Datum {
    Datum::Text(value.to_owned())
}

fn above(sql_type: &SqlType, value: Datum) -> Domain {
    Domain::between(sql_type, Cut::Above(value), Cut::End)
}

#[test]
fn strict_and_inclusive_bounds_of_a_discrete_type_are_one() {
    assert_eq!(
        above(&INT, int(5)),
        Domain::between(&INT, Cut::Below(int(6)), Cut::End)
    );
    let between = Domain::between(&INT, Cut::Above(int(1)), Cut::Below(int(2)));
    assert!(between.is_empty());
    assert!(above(&INT, int(i32::MAX.into())).is_empty());
    assert!(Domain::between(&INT, Cut::Above(int(i64::MIN)), Cut::End).has_every_value());
}

#[test]
fn adjacent_points_become_an_interval_and_can_be_listed() {
    let domain = Domain::points(&INT, [int(2), int(1), int(4)]);
    assert_eq!(domain.intervals().len(), 2);
    assert_eq!(
        domain.enumerate(3),
        Some(vec![Some(int(1)), Some(int(2)), Some(int(4))])
    );
    assert_eq!(domain.enumerate(2), None);
    assert_eq!(Domain::not_null(&INT).enumerate(1_000), None);
    assert_eq!(
        Domain::points(&SqlType::Text, [text("a")]).single(),
        Some(text("a"))
    );
    assert_eq!(Domain::only_null(&INT).single(), None);
}

#[test]
fn the_ends_of_dense_types_are_written_one_way() {
    let from_empty = Domain::between(&SqlType::Text, Cut::Below(text("")), Cut::End);
    assert!(from_empty.has_every_value());
    let nan = Datum::double(f64::NAN);
    assert!(Domain::between(&SqlType::Double, Cut::Start, Cut::Above(nan)).has_every_value());
}

#[test]
fn the_ends_of_a_type_are_points_too() {
    let ends = [
        (SqlType::Text, text("")),
        (SqlType::Bytea, Datum::Bytes(Vec::new())),
        (SqlType::Double, Datum::double(f64::NEG_INFINITY)),
        (SqlType::Double, Datum::double(f64::NAN)),
        (INT, int(i32::MIN.into())),
        (INT, int(i32::MAX.into())),
        (SqlType::Boolean, Datum::Boolean(false)),
    ];
    for (sql_type, end) in ends {
        let domain = Domain::points(&sql_type, [end.clone()]);
        assert_eq!(domain.single(), Some(end));
        assert_eq!(Domain::not_null(&sql_type).single(), None);
    }
}

/// All domains over −1 … 2 of a BOOLEAN-like small set: every operation against membership.
#[test]
fn operations_agree_with_membership() {
    let values: Vec<Datum> = ["", "a", "a\0", "b"].into_iter().map(text).collect();
    let domains: Vec<Domain> = (0..32u32)
        .map(|bits| {
            let inside = (0..4usize)
                .filter(|bit| bits >> bit & 1 == 1)
                .map(|bit| values[bit].clone());
            Domain::points(&SqlType::Text, inside).with_null(bits >> 4 & 1 == 1)
        })
        .collect();
    let probes: Vec<Option<&Datum>> = values.iter().map(Some).chain([None]).collect();
    for left in &domains {
        let outside = left.complement();
        for right in &domains {
            let (union, both, minus) =
                (left.union(right), left.intersect(right), left.minus(right));
            for probe in &probes {
                let (a, b) = (left.contains(*probe), right.contains(*probe));
                assert_eq!(outside.contains(*probe), !a);
                assert_eq!(union.contains(*probe), a || b);
                assert_eq!(both.contains(*probe), a && b);
                assert_eq!(minus.contains(*probe), a && !b);
            }
            assert_eq!(left.is_subset_of(right), both == *left);
        }
    }
}
