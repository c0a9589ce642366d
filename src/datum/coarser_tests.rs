use arrow::array::{TimestampMillisecondArray, TimestampNanosecondArray};

use super::*;

/// Nanoseconds from 2000-01-01 on, and the nearest millisecond from there.
const COUNTS: &[(i64, i64)] = &[
    (0, 0),
    (499_999, 0),
    (500_000, 1),
    (500_001, 1),
    (1_499_999, 1),
    (1_500_000, 2),
    (-1, 0),
    (-499_999, 0),
    (-500_000, -1),
    (-500_001, -1),
    (-1_500_000, -2),
];

#[test]
fn counts_go_to_the_nearest_and_halves_away_from_the_middle() {
    let nanoseconds = MIDDLE * 1_000_000_000;
    for (fine, coarse) in COUNTS {
        let zone = Some("UTC");
        let stamp = TimestampNanosecondArray::from(vec![Some(nanoseconds + fine), None]);
        let stamp = stamp.with_timezone_opt(zone);
        let rounded = in_coarser_unit(&stamp, TimeUnit::Millisecond).unwrap();
        let expected = vec![Some(MIDDLE * 1_000 + coarse), None];
        let expected = TimestampMillisecondArray::from(expected).with_timezone_opt(zone);
        assert_eq!(rounded.as_primitive(), &expected, "{fine}");
        let is_between = fine % 1_000_000 != 0;
        assert_eq!(
            first_between(&stamp, TimeUnit::Millisecond),
            is_between.then_some(0)
        );
    }
    let stamp = TimestampMillisecondArray::from(vec![7]);
    for unit in [TimeUnit::Millisecond, TimeUnit::Nanosecond] {
        assert!(in_coarser_unit(&stamp, unit).is_none());
        assert_eq!(first_between(&stamp, unit), None);
    }
}

#[test]
fn ends_of_the_range() {
    for (end, expected) in [(i64::MAX, 9_223_372_037), (i64::MIN, -9_223_372_037)] {
        let stamp = TimestampNanosecondArray::from(vec![end]);
        let rounded = in_coarser_unit(&stamp, TimeUnit::Second).unwrap();
        assert_eq!(
            rounded.as_primitive::<TimestampSecondType>().value(0),
            expected
        );
    }
}

#[test]
fn texts_are_cut_behind_their_unit() {
    use Ordering::{Equal, Greater, Less};
    let cases = [
        (
            "2024-01-01 00:00:00.0006",
            "2024-01-01 00:00:00.000",
            Some(Greater),
        ),
        (
            "2024-01-01T00:00:00.0005Z",
            "2024-01-01T00:00:00.000Z",
            Some(Equal),
        ),
        (
            "2024-01-01 00:00:00.00050+02:00",
            "2024-01-01 00:00:00.000+02:00",
            Some(Equal),
        ),
        (
            "2024-01-01 00:00:00.1235000000000001",
            "2024-01-01 00:00:00.123",
            Some(Greater),
        ),
        (
            "2024-01-01 00:00:00.1234999999999999",
            "2024-01-01 00:00:00.123",
            Some(Less),
        ),
        (
            "2024-01-01 00:00:00.1230001",
            "2024-01-01 00:00:00.123",
            Some(Less),
        ),
        (
            "2024-01-01 00:00:00.1230000",
            "2024-01-01 00:00:00.123",
            None,
        ),
        (
            "+12024-01-01 00:00:00.1239 Europe/Berlin",
            "+12024-01-01 00:00:00.123 Europe/Berlin",
            Some(Greater),
        ),
    ];
    for (text, kept, rest) in cases {
        let expected = Some((kept.to_owned(), rest));
        assert_eq!(cut(text, Precision::Millisecond), expected, "{text}");
    }
    let second = cut("2024-01-01 00:00:00.5 UTC", Precision::Second);
    assert_eq!(
        second,
        Some(("2024-01-01 00:00:00 UTC".to_owned(), Some(Equal)))
    );
    for whole in [
        "",
        "2024-01-01",
        "2024-01-01 00:00:00",
        "2024-01-01 00:00:00.123",
    ] {
        assert_eq!(cut(whole, Precision::Millisecond), None, "{whole}");
    }
}
