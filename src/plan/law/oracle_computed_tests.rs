//! Conditions on what is computed of a column: sums, moved times, choices, patterns that LIKE does not know.

use super::*;
use crate::plan::law::condition::{Choice, Matching, Otherwise};

const HOUR: i64 = 3_600_000_000_000;

fn sum(checked: bool, steps: &[Step]) -> Function {
    Function::Computed {
        steps: steps.to_vec(),
        checked,
    }
}

#[test]
fn a_sum_is_right_or_an_error_or_wraps() {
    let ends = integers(&[Some(i64::MAX), Some(4), Some(-4), Some(i64::MIN), None]);
    let big = |function, comparison, expected| {
        let condition = on(function, comparison, whole(4));
        expect(SqlType::BigInt, &ends, condition, expected);
    };
    let (more, less) = (Comparison::Greater, Comparison::Less);
    big(sum(true, &[Step::Plus(1)]), more, "!tff-");
    big(sum(false, &[Step::Plus(1)]), more, "ftff-");
    big(Function::Plus(1), more, "!tff-");
    big(sum(true, &[Step::Minus(1)]), less, "ftt!-");
    big(sum(true, &[Step::MinusFrom(-1)]), less, "tttf-");
    big(sum(true, &[Step::MinusFrom(0)]), less, "ttf!-");
    big(sum(true, &[Step::Times(-1)]), less, "ttf!-");
    big(sum(true, &[Step::Times(2)]), less, "!ft!-");
    big(sum(true, &[Step::Negative]), less, "ttf!-");
}

#[test]
fn the_opposite_of_a_narrow_number_is_as_narrow() {
    let values = integers(&[Some(-32_768), Some(5)]);
    for (steps, expected) in [
        (vec![Step::Negative], "!t"),
        (vec![Step::Negative, Step::Plus(1)], "!t"),
        (vec![Step::PlusTo(0), Step::Negative], "ft"),
        (vec![Step::MinusFrom(3)], "ft"),
    ] {
        let condition = on(sum(true, &steps), Comparison::Less, whole(0));
        expect(SqlType::SmallInt, &values, condition, expected);
    }
}

#[test]
fn times_are_moved_before_anything_is_made_of_them() {
    // 1970, an hour before it, an hour before the day after, and what no calendar reaches.
    let values = stamps(&[0, -3_600_000, 82_800_000, i64::MAX]);
    let equal = |nanoseconds, made, constant, expected| {
        let function = Function::Moved { nanoseconds, made };
        let condition = on(function, Comparison::Equal, constant);
        expect(MILLISECONDS, &values, condition, expected);
    };
    let at = |seconds| stamp(seconds, Precision::Second);
    equal(HOUR, Made::Itself, at(3_600), "tff!");
    equal(-HOUR, Made::Itself, at(-3_600), "tff!");
    equal(HOUR, Made::DateTrunc("day"), at(0), "ttf!");
    equal(2 * HOUR, Made::Date, Constant::Date(1), "fft!");
    let bins = Made::DateBin {
        width: 2 * HOUR,
        origin: Some(HOUR),
    };
    equal(0, bins, at(-3_600), "ttff");
    equal(HOUR, bins, at(3_600), "tff!");
}

#[test]
fn a_choice_is_one_between_what_is_compared() {
    let values = integers(&ONE_TWO_NULL);
    let datum = Datum::Integer;
    let int = |condition, expected| expect(SqlType::Integer, &values, condition, expected);
    let equal = |function, number| on(function, Comparison::Equal, whole(number));
    int(equal(Function::Coalesce(Some(datum(7))), 7), "ffft");
    let smaller = Constant::Decimal {
        unscaled: 15,
        scale: 1,
    };
    let null_if = Function::NullIf(datum(1));
    int(on(null_if, Comparison::Less, smaller), "t-f-");
    int(
        Condition::IsNull {
            term: Term::of(Function::NullIf(datum(1)), 0),
            negated: false,
        },
        "ftft",
    );
    for searched in [false, true] {
        let choice = Choice {
            searched,
            branches: vec![(datum(1), Some(datum(5))), (datum(2), None)],
            otherwise: Otherwise::Column,
        };
        int(equal(Function::Case(choice), 5), "ft--");
    }
    let choice = Condition::Case {
        branches: vec![(
            compare(Comparison::Equal, whole(1)),
            Condition::Constant(None),
        )],
        otherwise: Some(Box::new(compare(Comparison::Less, whole(2)))),
    };
    int(choice, "t-f-");
}

#[test]
fn coalesce_takes_the_first_column_that_is_not_null() {
    let columns = vec![column("a", SqlType::Integer), column("b", SqlType::Integer)];
    let rows = [(Some(1), Some(2)), (None, Some(1)), (None, None)];
    let rows = rows.map(|(a, b)| integers(&[a, b])).to_vec();
    let condition = Condition::Compare {
        term: Term {
            function: Function::Coalesce(None),
            columns: vec![0, 1],
        },
        comparison: Comparison::Equal,
        constant: whole(1),
        constant_first: false,
    };
    expect_rows(columns, &rows, condition, "tt-");
}

#[test]
fn expressions_match_texts() {
    let values = texts(&["abc", "ab", "xAB", ""]);
    let matches = |matching, pattern: &str, negated, expected| {
        let condition = Condition::Matches {
            column: 0,
            matching,
            pattern: pattern.to_owned(),
            negated,
        };
        expect(SqlType::Text, &values, condition, expected);
    };
    matches(Matching::Regex, "^ab", false, "ttff");
    matches(Matching::Regex, "^abc?$", true, "fftt");
    matches(Matching::CaselessRegex, "ab", false, "tttf");
    matches(Matching::CaselessLike, "AB%", false, "ttff");
    matches(Matching::CaselessLike, "%ab", true, "tfft");
}
