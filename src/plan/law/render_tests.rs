//! The law feeds what SQL planning would give: the same expressions, for the texts that failures print.

use datafusion::common::DFSchema;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::super::condition::{Spelling, Truth};
use super::super::predicate_text::sql;
use super::*;
use crate::datum::SqlType;

fn columns() -> Vec<Column> {
    let types = [
        SqlType::Integer,
        SqlType::Text,
        SqlType::Timestamp {
            precision: Precision::Nanosecond,
            utc: false,
        },
        SqlType::Boolean,
        SqlType::Double,
    ];
    let named = ["a", "b", "c", "d", "e"].into_iter().zip(types);
    named
        .map(|(name, sql_type)| Column {
            name: name.to_owned(),
            sql_type,
            nullable: true,
        })
        .collect()
}

/// What DataFusion makes of the condition's text is what the law renders.
#[track_caller]
fn expect(condition: &Condition) {
    let columns = columns();
    let fields = columns
        .iter()
        .map(|column| arrow::datatypes::Field::new(&column.name, column.sql_type.arrow(), true));
    let schema = arrow::datatypes::Schema::new(fields.collect::<Vec<_>>());
    let schema = DFSchema::try_from(schema).expect("a schema");
    let config = SessionConfig::new()
        .set_bool("datafusion.sql_parser.parse_float_as_decimal", true)
        .set_str("datafusion.sql_parser.dialect", "PostgreSQL");
    let context = SessionContext::new_with_config(config);
    for function in [
        functions::hash(),
        functions::bucket(),
        functions::reverse_digits(),
    ] {
        context.register_udf(function.as_ref().clone());
    }
    context.register_udf(ScalarUDF::new_from_impl(DatePart::default()));
    context.register_udf(date_bin());
    let text = sql(condition, &columns);
    let planned = context
        .parse_sql_expr(&text, &schema)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(planned, render(condition, &planned_as(&columns)), "{text}");
}

fn planned_as(columns: &[Column]) -> Planned<'_> {
    Planned {
        columns,
        unmended: false,
    }
}

fn compare(function: Function, column: usize, constant: Constant) -> Condition {
    Condition::Compare {
        term: Term::of(function, column),
        comparison: Comparison::LessOrEqual,
        constant,
        constant_first: false,
    }
}

fn text(text: &str) -> Constant {
    Constant::Text(text.to_owned())
}

#[test]
fn comparisons_are_planned_so() {
    expect(&compare(Function::Column, 0, Constant::Integer(7)));
    expect(&compare(
        Function::Column,
        0,
        Constant::Integer(4_294_967_296),
    ));
    expect(&compare(
        Function::Column,
        0,
        Constant::Integer(9_223_372_036_854_775_808),
    ));
    expect(&compare(
        Function::Column,
        0,
        Constant::Decimal {
            unscaled: 90_071_992_547_409_930,
            scale: 1,
        },
    ));
    expect(&compare(Function::Column, 1, text("it's")));
    expect(&compare(Function::Column, 0, Constant::Null));
    expect(&Condition::Compare {
        term: Term::column(0),
        comparison: Comparison::Greater,
        constant: Constant::Integer(7),
        constant_first: true,
    });
}

#[test]
fn functions_are_planned_so() {
    let one = || Constant::Integer(1);
    expect(&compare(Function::Remainder(4), 0, one()));
    expect(&compare(Function::Quotient(4), 0, one()));
    expect(&compare(Function::Plus(4), 0, one()));
    expect(&compare(Function::Left(2), 1, text("ab")));
    expect(&compare(Function::Prefix(2), 1, text("ab")));
    expect(&compare(Function::Reverse, 1, text("ab")));
    expect(&compare(Function::Md5, 1, text("ab")));
    expect(&compare(Function::Length, 1, one()));
    expect(&compare(Function::ReverseDigits, 0, text("12")));
    expect(&compare(Function::Bucket(16), 0, one()));
    expect(&compare(Function::Year, 2, one()));
    expect(&compare(Function::Hash, 1, Constant::Bytes(vec![0, 255])));
    expect(&Condition::IsNull {
        term: Term::of(Function::DateTrunc("hour"), 2),
        negated: false,
    });
    expect(&Condition::IsNull {
        term: Term::of(Function::Date, 2),
        negated: true,
    });
    expect(&Condition::IsNull {
        term: Term::of(Function::DateBin(900_000_000_000), 2),
        negated: true,
    });
}

#[test]
fn lists_patterns_and_truth_tests_are_planned_so() {
    let list = vec![Constant::Integer(1), Constant::Null];
    expect(&Condition::InList {
        term: Term::column(0),
        list,
        negated: true,
    });
    expect(&Condition::Between {
        term: Term::column(0),
        low: Constant::Integer(1),
        high: Constant::Integer(2),
        negated: true,
    });
    expect(&Condition::Like {
        column: 1,
        pattern: "a\\%%".to_owned(),
        negated: true,
    });
    expect(&Condition::StartsWith {
        column: 1,
        prefix: "a".to_owned(),
    });
    for truth in [Truth::True, Truth::False, Truth::Unknown] {
        for negated in [false, true] {
            expect(&Condition::Test {
                condition: Box::new(Condition::Boolean(3)),
                truth,
                negated,
            });
        }
    }
    expect(&Condition::Columns {
        left: 0,
        comparison: Comparison::Less,
        right: 4,
    });
}

#[test]
fn what_is_computed_of_columns_is_planned_so() {
    let steps = [
        vec![Step::Plus(4)],
        vec![Step::Negative, Step::PlusTo(1)],
        vec![Step::MinusFrom(3), Step::Times(-1), Step::Minus(2)],
    ];
    for steps in steps {
        let checked = false;
        expect(&compare(
            Function::Computed { steps, checked },
            0,
            Constant::Integer(1),
        ));
    }
    const HOUR: i64 = 3_600_000_000_000;
    let origin = Some(1_500_000_000);
    for (nanoseconds, made) in [
        (HOUR, Made::Itself),
        (-HOUR, Made::DateTrunc("day")),
        (1, Made::Date),
        (
            HOUR,
            Made::DateBin {
                width: HOUR,
                origin: None,
            },
        ),
    ] {
        expect(&Condition::IsNull {
            term: Term::of(Function::Moved { nanoseconds, made }, 2),
            negated: true,
        });
    }
    // The origin of bins is a text with a cast there.
    let made = Made::DateBin {
        width: HOUR,
        origin,
    };
    let bins = Term::of(
        Function::Moved {
            nanoseconds: 0,
            made,
        },
        2,
    );
    let text = super::super::predicate_text::term_sql(&bins, &columns());
    assert_eq!(
        text,
        "date_bin(INTERVAL '3600000 milliseconds', c, TIMESTAMP(9) '1970-01-01T00:00:01.500000000')"
    );
}

#[test]
fn choices_and_patterns_are_planned_so() {
    let datum = Datum::Integer;
    expect(&compare(
        Function::NullIf(datum(1)),
        0,
        Constant::Integer(1),
    ));
    expect(&Condition::IsNull {
        term: Term {
            function: Function::Coalesce(Some(datum(1))),
            columns: vec![0, 0],
        },
        negated: false,
    });
    for searched in [false, true] {
        for otherwise in [
            Otherwise::Column,
            Otherwise::Constant(None),
            Otherwise::Constant(Some(datum(7))),
        ] {
            let choice = Choice {
                searched,
                branches: vec![(datum(1), Some(datum(2))), (datum(2), None)],
                otherwise,
            };
            expect(&compare(Function::Case(choice), 0, Constant::Integer(1)));
        }
    }
    expect(&Condition::Case {
        branches: vec![(Condition::Boolean(3), Condition::Constant(Some(false)))],
        otherwise: Some(Box::new(Condition::Boolean(3))),
    });
    for matching in [
        Matching::Regex,
        Matching::CaselessRegex,
        Matching::CaselessLike,
    ] {
        for negated in [false, true] {
            expect(&Condition::Matches {
                column: 1,
                matching,
                pattern: "^ab".to_owned(),
                negated,
            });
        }
    }
}

#[test]
fn connectives_and_keysets_are_planned_so() {
    let leaf = |value| compare(Function::Column, 0, Constant::Integer(value));
    expect(&Condition::And(vec![
        leaf(1),
        leaf(2),
        Condition::Boolean(3),
    ]));
    expect(&Condition::Or(vec![
        leaf(1),
        Condition::And(vec![leaf(2), Condition::Not(Box::new(leaf(3)))]),
    ]));
    for spelling in [Spelling::Alternatives, Spelling::Nested] {
        expect(&Condition::Tuple {
            columns: vec![0, 1],
            descending: vec![false, true],
            comparison: Comparison::Less,
            constants: vec![Constant::Integer(1), text("a")],
            spelling,
        });
    }
}
