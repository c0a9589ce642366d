//! The algebra's laws over every transform there is.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::*;
use crate::key::domain::{Cut, Interval};
use crate::key::testing::{
    arguments, column_types, constant, domain, value, value_or_null, with_seed,
};

/// A transform over random columns, with the types of its sources.
fn bound(rng: &mut Rng, declaration: &dyn Declaration) -> (Arc<dyn Transform>, Vec<SqlType>) {
    let arguments = arguments(rng, declaration.name());
    let transform = declaration
        .bind(&arguments)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    (transform, column_types(&arguments))
}

/// `rounds` random instances of every transform of one source column.
fn each_of_one_column(rounds: usize, test: impl Fn(&mut Rng, &dyn Transform, &SqlType, &str)) {
    with_seed(|rng| {
        let mut tested = BTreeSet::new();
        for declaration in TRANSFORMS {
            for _ in 0..rounds {
                let (transform, types) = bound(rng, *declaration);
                if let [source] = types.as_slice() {
                    test(rng, transform.as_ref(), source, declaration.name());
                    tested.insert(declaration.name());
                }
            }
        }
        assert_eq!(
            tested.len(),
            TRANSFORMS.len() - 1,
            "all but literal: {tested:?}"
        );
    });
}

fn values(rng: &mut Rng, sql_type: &SqlType, count: usize) -> Vec<Datum> {
    (0..count).map(|_| value(rng, sql_type)).collect()
}

/// Sources whose part is of some interest: NULL, random values, and neighbours of them.
fn sources(values: &[Datum], sql_type: &SqlType) -> Vec<Option<Datum>> {
    let beside = values
        .iter()
        .flat_map(|value| [sql_type.predecessor(value), sql_type.successor(value)]);
    values
        .iter()
        .cloned()
        .map(Some)
        .chain(beside.flatten().map(Some))
        .chain([None])
        .collect()
}

/// Whether a row of this source and part can be stored.
fn storable(source: &Option<Datum>, part: &Option<Datum>, transform: &dyn Transform) -> bool {
    source.is_none() || part.is_some() || !transform.passes_null()
}

#[test]
fn names_and_documentation_are_complete() {
    let names: BTreeSet<&str> = TRANSFORMS
        .iter()
        .map(|declaration| declaration.name())
        .collect();
    assert_eq!(names.len(), TRANSFORMS.len());
    for declaration in TRANSFORMS {
        assert!(!declaration.syntax().is_empty());
        assert!(declaration.stores().len() > 15 && declaration.pushdown().len() > 10);
    }
}

#[test]
fn parts_are_of_their_type_and_can_be_stored() {
    with_seed(|rng| {
        for declaration in TRANSFORMS {
            for _ in 0..60 {
                let (transform, types) = bound(rng, *declaration);
                let row: Vec<Option<Datum>> =
                    types.iter().map(|t| value_or_null(rng, t, true)).collect();
                let Ok(part) = transform.apply(&row) else {
                    continue;
                };
                if !transform.passes_null() {
                    assert!(part.is_some());
                }
                if let Some(part) = part {
                    let mut field = Vec::new();
                    transform.encoding().encode(&part, &mut field).unwrap();
                    assert_eq!(
                        transform.encoding().decode(&field).unwrap(),
                        (part.clone(), field.len())
                    );
                    crate::datum::to_array(&[Some(part)], transform.value_type()).unwrap();
                }
            }
        }
    });
}

#[test]
fn null_passes_or_does_not() {
    each_of_one_column(20, |_, transform, _, name| {
        let part = transform.apply(&[None]).unwrap();
        assert_eq!(part.is_none(), transform.passes_null(), "{name}");
    });
}

#[test]
fn a_source_inside_has_its_part_inside_the_projection() {
    each_of_one_column(60, |rng, transform, source, name| {
        let values = values(rng, source, 12);
        for _ in 0..12 {
            let allowed = domain(rng, source, &values);
            let projected = transform.project(&[&allowed]);
            for value in sources(&values, source) {
                let Ok(part) = transform.apply(std::slice::from_ref(&value)) else {
                    continue;
                };
                if allowed.contains(value.as_ref()) && storable(&value, &part, transform) {
                    assert!(
                        projected.contains(part.as_ref()),
                        "{name}: {value:?} in {allowed:?} gives {part:?}, not in {projected:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn one_source_projects_to_its_part_alone() {
    each_of_one_column(60, |rng, transform, source, name| {
        let value = value(rng, source);
        let Ok(Some(part)) = transform.apply(&[Some(value.clone())]) else {
            return;
        };
        let projected = transform.project(&[&Domain::points(source, [value.clone()])]);
        assert_eq!(
            projected,
            Domain::points(transform.value_type(), [part]),
            "{name} of {value:?}"
        );
    });
}

#[test]
fn the_preimage_holds_exactly_the_sources_whose_part_lies_inside() {
    let told = std::sync::Mutex::new(BTreeSet::new());
    each_of_one_column(60, |rng, transform, source, name| {
        let values = values(rng, source, 12);
        let sources = sources(&values, source);
        let mut parts: Vec<Datum> = sources
            .iter()
            .filter_map(|value| transform.apply(std::slice::from_ref(value)).ok()?)
            .collect();
        parts.extend((0..4).map(|_| constant(rng, transform.value_type())));
        for _ in 0..12 {
            let wanted = domain(rng, transform.value_type(), &parts);
            let Some(preimage) = transform.preimage(&wanted) else {
                continue;
            };
            told.lock().unwrap().insert(name.to_owned());
            for value in &sources {
                let Ok(part) = transform.apply(std::slice::from_ref(value)) else {
                    continue;
                };
                assert_eq!(
                    preimage.contains(value.as_ref()),
                    wanted.contains(part.as_ref()),
                    "{name}: {value:?} gives {part:?}; {wanted:?} has preimage {preimage:?}"
                );
            }
        }
    });
    let told = told.into_inner().unwrap();
    for name in [
        "column",
        "reverse",
        "reverse_digits",
        "left",
        "/",
        "date_trunc",
        "date_bin",
        "cast_date",
    ] {
        assert!(told.contains(name), "{name} tells no preimage");
    }
}

#[test]
fn the_inverse_gives_the_source_back() {
    each_of_one_column(60, |rng, transform, source, name| {
        let value = value(rng, source);
        let Ok(Some(part)) = transform.apply(&[Some(value.clone())]) else {
            return;
        };
        let inverse = transform.inverse(&part);
        assert_eq!(inverse.is_some(), transform.is_invertible(), "{name}");
        assert!(
            inverse.is_none_or(|inverse| inverse == value),
            "{name} of {value:?}"
        );
    });
}

#[test]
fn order_is_kept_where_it_is_said_to_be() {
    each_of_one_column(60, |rng, transform, source, name| {
        if !transform.preserves_order() {
            return;
        }
        let mut values: Vec<Datum> = sources(&values(rng, source, 12), source)
            .into_iter()
            .flatten()
            .collect();
        values.sort();
        let parts: Vec<Datum> = values
            .iter()
            .filter_map(|value| transform.apply(&[Some(value.clone())]).ok()?)
            .collect();
        assert!(parts.is_sorted(), "{name} of {values:?}");
    });
}

#[test]
fn coarse_projections_end_at_images_and_remainders_are_exact() {
    each_of_one_column(60, |rng, transform, source, name| {
        if !source.is_discrete()
            || !["/", "%", "date_trunc", "date_bin", "cast_date"].contains(&name)
        {
            return;
        }
        let first = value(rng, source);
        let values: Vec<Datum> =
            std::iter::successors(Some(first.clone()), |value| source.successor(value))
                .take(rng.usize(1..40))
                .collect();
        let parts: Option<Vec<Datum>> = values
            .iter()
            .map(|value| transform.apply(&[Some(value.clone())]).ok()?)
            .collect();
        let Some(parts) = parts else { return };
        let last = values.last().unwrap().clone();
        let projected = transform.project(&[&Domain::between(
            source,
            Cut::Below(first),
            Cut::Above(last),
        )]);
        let expected = if name == "%" {
            Domain::points(transform.value_type(), parts)
        } else {
            let ends = (parts[0].clone(), parts[parts.len() - 1].clone());
            Domain::between(
                transform.value_type(),
                Cut::Below(ends.0),
                Cut::Above(ends.1),
            )
        };
        assert_eq!(projected, expected, "{name} of {values:?}");
    });
}

#[test]
fn left_projects_bounds_with_the_right_strictness() {
    let column = BoundArgument::Column("c".to_owned(), SqlType::Text);
    let expression = Expression::new("left", Vec::new());
    let transform = expression
        .declaration()
        .unwrap()
        .bind(&[column, BoundArgument::Integer(2)])
        .unwrap();
    let text = |text: &str| Datum::Text(text.to_owned());
    let (below, above) = (|t| Cut::Below(text(t)), |t| Cut::Above(text(t)));
    // An interval of the column, and its image.
    let projections = [
        (below("ab"), Cut::End, below("ab"), Cut::End),
        (above("ab"), Cut::End, below("ab"), Cut::End),
        (above("a"), Cut::End, above("a"), Cut::End),
        (below("abc"), Cut::End, below("ab"), Cut::End),
        (Cut::Start, below("ab"), Cut::Start, below("ab")),
        (Cut::Start, above("ab"), Cut::Start, above("ab")),
        (Cut::Start, below("abc"), Cut::Start, above("ab")),
        (Cut::Start, below("a"), Cut::Start, below("a")),
        (below("abx"), below("aby"), below("ab"), above("ab")),
    ];
    for (start, end, first, last) in projections {
        let projected = transform.project(&[&Domain::between(&SqlType::Text, start, end)]);
        assert_eq!(projected, Domain::between(&SqlType::Text, first, last));
    }
    // An interval of left(c, 2), and its preimage.
    let preimages = [
        (below("ab"), above("ab"), below("ab"), below("ac")),
        (below("a"), above("a"), below("a"), above("a")),
        (below("abc"), Cut::End, below("ac"), Cut::End),
        (Cut::Start, above("abc"), Cut::Start, below("ac")),
        (below("abc"), above("abc"), Cut::Start, Cut::Start),
        (
            below("\u{10ffff}\u{10ffff}"),
            above("\u{10ffff}\u{10ffff}"),
            below("\u{10ffff}\u{10ffff}"),
            Cut::End,
        ),
    ];
    for (start, end, first, last) in preimages {
        let preimage = transform.preimage(&Domain::between(&SqlType::Text, start, end));
        assert_eq!(preimage, Some(Domain::between(&SqlType::Text, first, last)));
    }
}

/// What `c % divisor` in a domain says about other transforms of `c`.
#[test]
fn remainders_say_what_they_can_about_related_parts() {
    let exactly = std::cell::Cell::new(0);
    with_seed(|rng| {
        for name in ["%", "reverse_digits"].repeat(300) {
            let declaration = Expression::new(name, Vec::new()).declaration().unwrap();
            let (transform, types) = bound(rng, declaration);
            let source = &types[0];
            let divisors = [1, 2, 4, 6, 10, 16, 20, 100, 1_000, 10_000, 100_000];
            let divisor = divisors[rng.usize(..divisors.len())];
            let expression = Expression::new(
                "%",
                vec![
                    Argument::Column("c0".to_owned()),
                    Argument::Integer(divisor),
                ],
            );
            let values = values(rng, source, 12);
            let remainder = |value: &Datum| match value {
                Datum::Integer(number) => Datum::Integer(number % divisor),
                _ => unreachable!(),
            };
            let remainders: Vec<Datum> = values.iter().map(remainder).collect();
            let allowed = domain(rng, source, &remainders);
            let Some((parts, exact)) = transform.project_related(&expression, &allowed) else {
                continue;
            };
            exactly.set(exactly.get() + usize::from(exact));
            for value in sources(&values, source) {
                let Ok(part) = transform.apply(std::slice::from_ref(&value)) else {
                    continue;
                };
                let inside = allowed.contains(value.as_ref().map(remainder).as_ref());
                let found = parts.contains(part.as_ref());
                assert!(
                    if exact {
                        inside == found
                    } else {
                        found || !inside
                    },
                    "{value:?} {name} {divisor} {allowed:?}"
                );
            }
        }
    });
    assert!(exactly.get() > 50, "{}", exactly.get());
}

#[test]
fn the_end_of_a_number_is_the_beginning_of_its_digits() {
    let column = BoundArgument::Column("n".to_owned(), SqlType::Integer);
    let declaration = Expression::new("reverse_digits", Vec::new())
        .declaration()
        .unwrap();
    let transform = declaration.bind(&[column]).unwrap();
    let related = |divisor, remainder| {
        let arguments = vec![Argument::Column("n".to_owned()), Argument::Integer(divisor)];
        let domain = Domain::points(&SqlType::Integer, [Datum::Integer(remainder)]);
        transform.project_related(&Expression::new("%", arguments), &domain)
    };
    let text = |text: &str| Cut::Below(Datum::Text(text.to_owned()));
    let range = |start, end| {
        Some((
            Domain::between(&SqlType::Text, text(start), text(end)),
            true,
        ))
    };
    assert_eq!(related(10_000, 1_234), range("4321", "4322"));
    assert_eq!(related(100, 7), range("70", "71"));
    assert_eq!(related(10, 9), range("9", ":"));
    assert_eq!(
        related(1, 0),
        Some((Domain::not_null(&SqlType::Text), true))
    );
    assert_eq!(
        related(100, -7),
        Some((Domain::empty(&SqlType::Text), true))
    );
    assert_eq!(
        related(100, 100),
        Some((Domain::empty(&SqlType::Text), true))
    );
    assert_eq!(related(16, 3), None);
    assert_eq!(related(100_000_000_000, 3), None);
}

#[test]
fn several_columns_project_to_the_images_of_their_lists() {
    with_seed(|rng| {
        for name in ["bucket", "hash", "salt"].repeat(60) {
            let declaration = Expression::new(name, Vec::new()).declaration().unwrap();
            let (transform, types) = bound(rng, declaration);
            let lists: Vec<Vec<Option<Datum>>> = types
                .iter()
                .map(|sql_type| (0..3).map(|_| value_or_null(rng, sql_type, true)).collect())
                .collect();
            let domains: Vec<Domain> = types
                .iter()
                .zip(&lists)
                .map(|(sql_type, list)| {
                    let values = list.iter().flatten().cloned();
                    Domain::points(sql_type, values).with_null(list.contains(&None))
                })
                .collect();
            let projected = transform.project(&domains.iter().collect::<Vec<_>>());
            assert!(projected.intervals().len() <= 27);
            for _ in 0..9 {
                let row: Vec<Option<Datum>> = lists
                    .iter()
                    .map(|list| list[rng.usize(..list.len())].clone())
                    .collect();
                let Ok(part) = transform.apply(&row) else {
                    continue;
                };
                assert!(projected.contains(part.as_ref()), "{name} of {row:?}");
            }
            let open: Vec<Domain> = types.iter().map(Domain::all).collect();
            let unrestricted = transform.project(&open.iter().collect::<Vec<_>>());
            // Truth values and the shortest numbers are few enough to be listed.
            let are_few = |sql_type: &SqlType| {
                use SqlType::{Boolean, TinyInt, UnsignedTinyInt};
                matches!(sql_type, Boolean | TinyInt | UnsignedTinyInt)
            };
            if !types.iter().all(are_few) {
                assert_eq!(unrestricted, Domain::not_null(transform.value_type()));
            }
        }
    });
}

/// A column named `c`.
fn column(sql_type: SqlType) -> BoundArgument {
    BoundArgument::Column("c".to_owned(), sql_type)
}

fn text_argument(text: &str) -> BoundArgument {
    BoundArgument::Text(text.to_owned())
}

fn assert_refused(cases: &[(&str, &[BoundArgument], &str)]) {
    for (name, arguments, expected) in cases {
        let declaration = Expression::new(name, Vec::new()).declaration().unwrap();
        let error = declaration.bind(arguments).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::InvalidInput);
        assert!(error.message().contains(expected), "{name}: {error}");
    }
}

#[test]
fn wrong_arguments_of_hashes_are_refused_with_their_name() {
    let integer = BoundArgument::Integer;
    let text = column(SqlType::Text);
    assert_refused(&[
        ("column", &[column(SqlType::Json)], "`c` of type JSON"),
        ("salt", &[integer(16)], "another key part"),
        (
            "salt",
            &[integer(0), text.clone()],
            "0 buckets; there can be 1 to 65536",
        ),
        ("salt", &[text_argument("x")], "salt(16)"),
        ("bucket", &[integer(65_537), text.clone()], "65537 buckets"),
        ("bucket", &[integer(-1), text], "-1 buckets"),
        ("bucket", &[integer(16)], "at least one column"),
        (
            "bucket",
            &[integer(16), integer(2)],
            "where a column is expected",
        ),
        ("hash", &[], "at least one column"),
        ("hash", &[text_argument("x")], "where a column is expected"),
        ("md5", &[column(SqlType::Integer)], "`c` is INT"),
        (
            "literal",
            &[column(SqlType::Text)],
            "one text or whole number",
        ),
    ]);
    let error = Expression::new("soundex", Vec::new())
        .declaration()
        .unwrap_err();
    assert!(error.message().contains("date_bin(interval, c)"), "{error}");
}

#[test]
fn wrong_arguments_of_coarser_views_are_refused_with_their_name() {
    let integer = BoundArgument::Integer;
    let (int, date, text) = (
        column(SqlType::Integer),
        column(SqlType::Date),
        column(SqlType::Text),
    );
    let stamp = column(crate::key::testing::timestamps()[0].clone());
    let fortnight = [text_argument("fortnight"), stamp.clone()];
    let nothing = [BoundArgument::Interval(0), stamp.clone()];
    let too_long = [BoundArgument::Interval(1 << 63), stamp];
    assert_refused(&[
        ("reverse", &[column(SqlType::Bytea)], "`c` is BYTEA"),
        ("reverse_digits", std::slice::from_ref(&text), "`c` is TEXT"),
        ("left", &[text.clone(), integer(0)], "left of 0 characters"),
        ("left", &[date.clone(), integer(2)], "`c` is DATE"),
        ("left", &[integer(2), text.clone()], "left(c, 3)"),
        ("/", &[int.clone(), integer(0)], "by 0"),
        ("/", &[column(SqlType::Double), integer(2)], "`c` is DOUBLE"),
        ("%", &[int.clone(), integer(-3)], "by -3"),
        (
            "date_trunc",
            &fortnight,
            "no unit 'fortnight'; it knows microsecond",
        ),
        ("date_trunc", &[text_argument("day"), date], "`c` is DATE"),
        ("date_bin", &nothing, "positive interval"),
        ("date_bin", &too_long, "less than 293 years"),
        ("date_bin", &[BoundArgument::Interval(1), int], "`c` is INT"),
        ("cast_date", std::slice::from_ref(&text), "`c` is TEXT"),
    ]);
}

#[test]
fn rows_that_cannot_be_stored_are_refused() {
    let integer = BoundArgument::Column("c".to_owned(), SqlType::Integer);
    let seconds =
        BoundArgument::Column("c".to_owned(), crate::key::testing::timestamps()[0].clone());
    let bind = |name: &str, arguments: &[BoundArgument]| {
        Expression::new(name, Vec::new())
            .declaration()
            .unwrap()
            .bind(arguments)
            .unwrap()
    };
    let digits = bind("reverse_digits", &[integer]);
    assert!(
        digits
            .apply(&[Some(Datum::Integer(-5))])
            .unwrap_err()
            .message()
            .contains("-5")
    );
    let day = bind("cast_date", std::slice::from_ref(&seconds));
    let far = Some(Datum::Timestamp(i64::MAX));
    assert!(
        day.apply(std::slice::from_ref(&far))
            .unwrap_err()
            .message()
            .contains("too far from 1970")
    );
    let hash = bind("hash", std::slice::from_ref(&seconds));
    assert!(
        hash.apply(std::slice::from_ref(&far))
            .unwrap_err()
            .message()
            .contains("microseconds")
    );
    let year = bind(
        "date_trunc",
        &[BoundArgument::Text("year".to_owned()), seconds.clone()],
    );
    assert!(year.apply(&[Some(Datum::Timestamp(i64::MIN))]).is_err());
    assert!(year.apply(std::slice::from_ref(&far)).is_ok());
    let bin = bind("date_bin", &[BoundArgument::Interval(1), seconds]);
    assert_eq!(bin.apply(std::slice::from_ref(&far)).unwrap(), far);
}

/// Intervals that reach to the ends of a type and of what `date_bin` can compute.
#[test]
fn null_of_a_value_is_in_the_preimage_of_null() {
    let milli = crate::key::testing::timestamps()[2].clone();
    let column = BoundArgument::Column("c".to_owned(), milli.clone());
    let declaration = Expression::new("date_bin", Vec::new())
        .declaration()
        .unwrap();
    let hour = declaration
        .bind(&[BoundArgument::Interval(3_600_000_000_000), column])
        .unwrap();
    let outside = hour.preimage(&Domain::only_null(&milli)).unwrap();
    let stamp = |count| Cut::Below(Datum::Timestamp(count));
    // The first hour begins 13 minutes behind the first stamp.
    let before = Interval {
        start: Cut::Start,
        end: stamp(-9_223_372_036_854_000_000),
    };
    assert_eq!(outside.intervals(), [before]);
    assert!(outside.has_null());
}
