use std::cmp::Ordering;

use super::*;
use crate::key::Cut;
use crate::key::testing::{constant, domain, layout, row, storable_rows, with_seed};

/// A field lies in the ranges of a domain exactly where its value lies in the domain, whatever follows it.
#[test]
fn the_ranges_of_a_domain_hold_the_fields_of_its_values() {
    with_seed(|rng| {
        let mut inside = 0;
        for _ in 0..800 {
            let key = layout(rng);
            let rows = storable_rows(rng, &key, 12);
            for (position, part) in key.parts().iter().enumerate() {
                let values: Vec<Option<Datum>> = rows
                    .iter()
                    .map(|row| key.values(row).unwrap()[position].clone())
                    .collect();
                let sql_type = part.transform().value_type();
                let mut ends: Vec<Datum> = values.iter().flatten().cloned().collect();
                ends.extend((0..4).map(|_| constant(rng, sql_type)));
                let wanted = domain(rng, sql_type, &ends);
                let ranges = part.field_ranges(&wanted).unwrap();
                assert_eq!(
                    part.field_ranges(&part.storable(wanted.clone())).unwrap(),
                    ranges
                );
                for value in &values {
                    let mut field = Vec::new();
                    part.encode(value.as_ref(), &mut field).unwrap();
                    for behind in [&[][..], &[0x00], &[0xff, 0xff]] {
                        let bytes = [&field, behind].concat();
                        let expected = wanted.contains(value.as_ref());
                        inside += usize::from(expected);
                        assert_eq!(
                            ranges.contains(&bytes),
                            expected,
                            "{value:?} in {wanted:?}, {part:?}: {ranges:?}"
                        );
                    }
                }
            }
        }
        assert!(inside > 1_000, "{inside}");
    });
}

/// The range of one value is that of the keys that begin with its field.
#[test]
fn one_value_is_a_prefix() {
    with_seed(|rng| {
        for _ in 0..400 {
            let key = layout(rng);
            let row = row(rng, &key);
            let Ok(values) = key.values(&row) else {
                continue;
            };
            for (part, value) in key.parts().iter().zip(values) {
                let mut field = Vec::new();
                if part.encode(value.as_ref(), &mut field).is_err() {
                    continue;
                }
                assert_eq!(part.length(&field).unwrap(), field.len());
                assert_eq!(part.decode(&field).unwrap(), (value.clone(), field.len()));
                let points = Domain::points(part.transform().value_type(), value.clone());
                let ranges = part
                    .field_ranges(&points.with_null(value.is_none()))
                    .unwrap();
                assert_eq!(
                    ranges.ranges(),
                    [KeyRange::prefix(&field)],
                    "{value:?} in {part:?}"
                );
            }
        }
    });
}

/// Keys are ordered as the tuples of their parts are, by direction and order of NULLs.
#[test]
fn keys_are_ordered_as_their_parts() {
    with_seed(|rng| {
        for _ in 0..400 {
            let key = layout(rng);
            let keys: Vec<(Vec<u8>, Vec<Option<Datum>>)> = storable_rows(rng, &key, 12)
                .iter()
                .map(|row| (key.encode(row).unwrap(), key.values(row).unwrap()))
                .collect();
            for (left, a) in &keys {
                for (right, b) in &keys {
                    let by_part = key
                        .parts()
                        .iter()
                        .zip(a.iter().zip(b))
                        .map(|(part, (a, b))| compare(part, a, b));
                    let expected = by_part.fold(Ordering::Equal, Ordering::then);
                    assert_eq!(left.cmp(right), expected, "{a:?} and {b:?} in {key:?}");
                }
            }
        }
    });
}

fn compare(part: &KeyPart, left: &Option<Datum>, right: &Option<Datum>) -> Ordering {
    let null_first = part.nulls() == NullOrder::First;
    match (left, right) {
        (Some(left), Some(right)) if part.direction() == SortOrder::Ascending => left.cmp(right),
        (Some(left), Some(right)) => right.cmp(left),
        (None, None) => Ordering::Equal,
        (None, Some(_)) => {
            if null_first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (Some(_), None) => {
            if null_first {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
    }
}

/// Ranges that touch in values meet in bytes, where a carry runs through the field too.
#[test]
fn ranges_that_touch_meet() {
    let column = KeyColumn {
        name: "a".to_owned(),
        sql_type: crate::datum::SqlType::Integer,
        nullable: false,
    };
    for direction in [SortOrder::Ascending, SortOrder::Descending] {
        let definition = PartDefinition {
            expression: Expression::column("a"),
            direction,
            nulls: NullOrder::Last,
        };
        let part = KeyPart::bind(
            std::slice::from_ref(&column),
            &definition,
            &definition.expression,
        )
        .unwrap();
        for number in [
            0,
            1,
            254,
            255,
            256,
            65_535,
            65_536,
            -1,
            -256,
            i64::from(i32::MAX),
            i64::from(i32::MIN),
        ] {
            let value = Datum::Integer(number);
            let ranges = |start, end| {
                part.field_ranges(&Domain::between(&column.sql_type, start, end))
                    .unwrap()
            };
            let below = ranges(Cut::Start, Cut::Below(value.clone()));
            let above = ranges(Cut::Above(value.clone()), Cut::End);
            let here = ranges(Cut::Below(value.clone()), Cut::Above(value));
            let all = [&below, &here, &above].into_iter();
            let all = KeyRangeSet::from_ranges(all.flat_map(|set| set.ranges().iter().cloned()));
            assert!(all.ranges().len() <= 3, "{number}");
            let mut field = Vec::new();
            part.encode(Some(&Datum::Integer(number)), &mut field)
                .unwrap();
            assert_eq!(here.ranges(), [KeyRange::prefix(&field)]);
            // Every whole field starts a range where the range before it stops.
            for range in [&below, &above].into_iter().flat_map(|set| set.ranges()) {
                assert!(
                    range.start().is_empty() || range.start().len() == 4,
                    "{range}"
                );
                assert!(
                    range.stop().is_none_or(|stop| stop.last() != Some(&0)),
                    "{range}"
                );
            }
        }
    }
}

/// Each bucket lies in one group, the groups are as many as asked for, or as there are buckets, and about of one size.
#[test]
fn buckets_are_not_torn_apart() {
    with_seed(|rng| {
        let mut seen = 0;
        for _ in 0..5_000 {
            let key = layout(rng);
            let most = rng.u32(1..9);
            let starts = key.bucket_starts(most).unwrap();
            let first = &key.parts()[0];
            let Some(buckets) = first.transform().buckets() else {
                assert!(starts.is_empty());
                continue;
            };
            seen += 1;
            assert_eq!(starts.len() as u32, buckets.min(most) - 1);
            assert!(starts.is_sorted_by(|one, next| one < next));
            let mut sizes = vec![0_u32; starts.len() + 1];
            for bucket in 0..buckets {
                let mut field = Vec::new();
                first
                    .encode(Some(&Datum::Integer(bucket.into())), &mut field)
                    .unwrap();
                let group = |key: &[u8]| starts.partition_point(|start| start.as_slice() <= key);
                let last = [&field, &[0xff; 9][..]].concat();
                assert_eq!(group(&field), group(&last), "{field:?} {starts:?}");
                sizes[group(&field)] += 1;
            }
            let (least, greatest) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(greatest - least <= 1, "{sizes:?}");
        }
        assert!(seen > 100, "{seen}");
    });
}
