//! Places of constants, as tables: a type, the casts around its value, a constant, and where it stands.

use arrow::datatypes::DataType::{Date32, Float32, Float64, Int16, Int32, Int64};

use super::*;

fn stamp(unit: TimeUnit, zone: &str) -> DataType {
    let zone = (!zone.is_empty()).then(|| zone.into());
    DataType::Timestamp(unit, zone)
}

fn milliseconds(zone: &str) -> DataType {
    stamp(TimeUnit::Millisecond, zone)
}

fn nanoseconds(zone: &str) -> DataType {
    stamp(TimeUnit::Nanosecond, zone)
}

/// A time of `milliseconds`, an instant if there is a zone.
fn at(milliseconds: i64, zone: &str) -> ScalarValue {
    let zone = (!zone.is_empty()).then(|| zone.into());
    ScalarValue::TimestampMillisecond(Some(milliseconds), zone)
}

fn number(unscaled: i128, scale: i8) -> ScalarValue {
    ScalarValue::Decimal128(Some(unscaled), 38, scale)
}

fn decimal(precision: u8, scale: i8) -> DataType {
    DataType::Decimal128(precision, scale)
}

fn view(casts: &[DataType]) -> Option<View> {
    let (own, casts) = casts.split_first()?;
    let mut view = View::of(own)?;
    for cast in casts {
        view = view.through(cast)?;
    }
    Some(view)
}

/// The first value that is not below the constant, and the first above it.
fn place(casts: &[DataType], constant: &ScalarValue) -> Option<(i128, i128)> {
    let place = view(casts)?.place(&Exact::of(constant)?)?;
    Some((place.not_below.to_i128()?, place.above.to_i128()?))
}

#[test]
fn a_constant_stands_on_a_value_or_between_two_or_beyond() {
    let (least, greatest) = (i128::from(i32::MIN), i128::from(i32::MAX));
    for (own, constant, expected) in [
        (Int32, number(20, 1), (2, 3)),
        (Int32, number(15, 1), (2, 2)),
        (Int32, number(-15, 1), (-1, -1)),
        (Int32, number(1 << 40, 0), (greatest + 1, greatest + 1)),
        (Int32, number(-(1 << 40), 0), (least, least)),
        (Int32, number(greatest, 0), (greatest, greatest + 1)),
        (decimal(10, 2), number(9_999, 3), (1_000, 1_000)),
        (decimal(10, 2), number(5, -1), (5_000, 5_001)),
        (Date32, at(86_400_000, ""), (1, 2)),
        (Date32, at(86_400_001, ""), (2, 2)),
        (Date32, at(-1, ""), (0, 0)),
        (stamp(TimeUnit::Second, ""), at(-1, ""), (0, 0)),
    ] {
        let own = [own];
        assert_eq!(place(&own, &constant), Some(expected), "{own:?} {constant}");
    }
}

#[test]
fn casts_are_seen_through_where_they_keep_the_value() {
    let noon = milliseconds("Europe/Berlin");
    for (casts, is_kept) in [
        (vec![Int64, Int32, decimal(20, 3), Int64], true),
        (vec![decimal(10, 2), decimal(12, 4), decimal(11, 3)], true),
        (vec![decimal(10, 2), decimal(12, 1)], false),
        (vec![decimal(10, 2), Int64], false),
        (vec![Int16, Float32, Float64], true),
        (vec![Int32, Float32], false),
        (vec![Int64, Float64, Int64], false),
        (
            vec![milliseconds(""), nanoseconds(""), milliseconds("")],
            true,
        ),
        (vec![milliseconds(""), stamp(TimeUnit::Second, "")], false),
        (vec![milliseconds(""), Date32], false),
        (vec![milliseconds(""), Int64], false),
        (vec![milliseconds(""), noon.clone()], false),
        (
            vec![milliseconds("UTC"), noon.clone(), nanoseconds("")],
            true,
        ),
        (vec![Date32, nanoseconds("UTC"), Date32], true),
        (vec![Date32, nanoseconds("+02:00"), Date32], false),
        (vec![Date32, nanoseconds("UTC"), noon, Date32], false),
    ] {
        assert_eq!(view(&casts).is_some(), is_kept, "{casts:?}");
    }
}

#[test]
fn a_time_is_shown_later_by_the_offset_of_its_zone() {
    let hours = |hours: i64| hours * 3_600_000;
    for (casts, constant, expected) in [
        // What a clock that is two hours ahead shows as 02:00 is midnight of UTC.
        (
            vec![milliseconds(""), nanoseconds("+02:00")],
            at(0, "+00:00"),
            Some((7_200_000, 7_200_001)),
        ),
        (
            vec![milliseconds(""), nanoseconds("Etc/UTC")],
            at(5, "+00:00"),
            Some((5, 6)),
        ),
        (
            vec![Date32, nanoseconds("+02:00")],
            at(hours(-2), "+00:00"),
            Some((0, 1)),
        ),
        (
            vec![Date32, nanoseconds("+02:00")],
            at(0, "+00:00"),
            Some((1, 1)),
        ),
        (
            vec![milliseconds("+00:00"), nanoseconds("Europe/Berlin")],
            at(5, "Europe/Berlin"),
            Some((5, 6)),
        ),
        (vec![milliseconds("")], at(5, "+00:00"), None),
        (vec![milliseconds("+00:00")], at(5, ""), None),
    ] {
        assert_eq!(place(&casts, &constant), expected, "{casts:?} {constant}");
    }
}

#[test]
fn what_a_cast_rounds_is_compared_as_it_is_rounded() {
    let double = |value: f64| ScalarValue::Float64(Some(value));
    let even = 1_i128 << 53;
    let end = i128::from(i64::MAX) + 1;
    for (casts, constant, expected) in [
        (
            vec![Int64, Float64],
            double(9_007_199_254_740_992.0),
            Some((even, even + 2)),
        ),
        (vec![Int64, Float64], double(1.5), Some((2, 2))),
        (vec![Int64, Float64], double(f64::NAN), Some((end, end))),
        (vec![decimal(3, 1), Float64], double(0.3), Some((3, 4))),
        (
            vec![Int16, Float32],
            ScalarValue::Float32(Some(-0.0)),
            Some((0, 1)),
        ),
        // Of two types, which the planner brings to one.
        (vec![Int64, Float64], number(1, 0), None),
        (vec![decimal(3, 1)], double(1.0), None),
        (vec![Int64], double(1.0), Some((1, 2))),
    ] {
        assert_eq!(place(&casts, &constant), expected, "{casts:?} {constant}");
    }
}
