//! Cases with answers stated by hand.

#[path = "oracle_computed_tests.rs"]
mod computed;
#[path = "oracle_row_tests.rs"]
mod rows;

use super::super::condition::{Function, Spelling, Truth};
use super::*;

fn column(name: &str, sql_type: SqlType) -> Column {
    Column {
        name: name.to_owned(),
        sql_type,
        nullable: true,
    }
}

/// The rows, by position, for which the condition is TRUE, FALSE and unknown.
#[track_caller]
fn expect(sql_type: SqlType, values: &[Option<Datum>], condition: Condition, expected: &str) {
    let rows: Vec<Vec<Option<Datum>>> = values.iter().map(|value| vec![value.clone()]).collect();
    expect_rows(vec![column("a", sql_type)], &rows, condition, expected);
}

/// `expected` has one letter for each row: `t`, `f`, `-` for unknown, `!` for an error.
#[track_caller]
fn expect_rows(
    columns: Vec<Column>,
    rows: &[Vec<Option<Datum>>],
    condition: Condition,
    expected: &str,
) {
    let outcomes = Oracle::new(&columns, rows)
        .evaluate(&condition)
        .expect("a condition that DataFusion understands");
    let letters: String = outcomes
        .iter()
        .map(|outcome| match outcome {
            Outcome::True => 't',
            Outcome::False => 'f',
            Outcome::Unknown => '-',
            Outcome::Error => '!',
        })
        .collect();
    assert_eq!(letters, expected, "{condition:?}");
}

fn compare(comparison: Comparison, constant: Constant) -> Condition {
    on(Function::Column, comparison, constant)
}

fn on(function: Function, comparison: Comparison, constant: Constant) -> Condition {
    Condition::Compare {
        term: Term::of(function, 0),
        comparison,
        constant,
        constant_first: false,
    }
}

fn in_list(list: Vec<Constant>, negated: bool) -> Condition {
    Condition::InList {
        term: Term::column(0),
        list,
        negated,
    }
}

fn integers(values: &[Option<i64>]) -> Vec<Option<Datum>> {
    values
        .iter()
        .map(|value| value.map(Datum::Integer))
        .collect()
}

fn whole(value: i128) -> Constant {
    Constant::Integer(value)
}

fn text(text: &str) -> Constant {
    Constant::Text(text.to_owned())
}

fn texts(values: &[&str]) -> Vec<Option<Datum>> {
    values
        .iter()
        .map(|text| Some(Datum::Text((*text).to_owned())))
        .collect()
}

fn stamps(values: &[i64]) -> Vec<Option<Datum>> {
    values
        .iter()
        .map(|count| Some(Datum::Timestamp(*count)))
        .collect()
}

const MILLISECONDS: SqlType = SqlType::Timestamp {
    precision: Precision::Millisecond,
    utc: false,
};

fn stamp(count: i64, precision: Precision) -> Constant {
    Constant::Timestamp {
        count,
        precision,
        utc: false,
    }
}

const ONE_TWO_NULL: [Option<i64>; 4] = [Some(0), Some(1), Some(2), None];

#[test]
fn comparisons_of_integers() {
    let expected = [
        (Comparison::Equal, "ftf-"),
        (Comparison::NotEqual, "tft-"),
        (Comparison::Less, "tff-"),
        (Comparison::LessOrEqual, "ttf-"),
        (Comparison::Greater, "fft-"),
        (Comparison::GreaterOrEqual, "ftt-"),
        (Comparison::Distinct, "tftt"),
        (Comparison::NotDistinct, "ftff"),
    ];
    for (comparison, expected) in expected {
        let values = integers(&ONE_TWO_NULL);
        expect(
            SqlType::Integer,
            &values,
            compare(comparison, whole(1)),
            expected,
        );
    }
}

#[test]
fn the_constant_may_come_first() {
    let condition = Condition::Compare {
        term: Term::column(0),
        comparison: Comparison::Less,
        constant: whole(1),
        constant_first: true,
    };
    expect(
        SqlType::Integer,
        &integers(&ONE_TWO_NULL),
        condition,
        "tff-",
    );
}

#[test]
fn comparisons_with_null() {
    let values = integers(&ONE_TWO_NULL);
    let with_null = |comparison| compare(comparison, Constant::Null);
    expect(
        SqlType::Integer,
        &values,
        with_null(Comparison::Equal),
        "----",
    );
    expect(
        SqlType::Integer,
        &values,
        with_null(Comparison::GreaterOrEqual),
        "----",
    );
    expect(
        SqlType::Integer,
        &values,
        with_null(Comparison::Distinct),
        "tttf",
    );
    expect(
        SqlType::Integer,
        &values,
        with_null(Comparison::NotDistinct),
        "ffft",
    );
}

#[test]
fn lists_with_and_without_null() {
    let values = integers(&ONE_TWO_NULL);
    let one = || vec![whole(1), whole(7)];
    let with_null = || vec![whole(1), Constant::Null];
    expect(SqlType::Integer, &values, in_list(one(), false), "ftf-");
    expect(SqlType::Integer, &values, in_list(one(), true), "tft-");
    expect(
        SqlType::Integer,
        &values,
        in_list(with_null(), false),
        "-t--",
    );
    expect(
        SqlType::Integer,
        &values,
        in_list(with_null(), true),
        "-f--",
    );
}

#[test]
fn between_and_its_negation() {
    let between = |low, high, negated| Condition::Between {
        term: Term::column(0),
        low,
        high,
        negated,
    };
    let values = integers(&ONE_TWO_NULL);
    let integer = SqlType::Integer;
    expect(
        integer.clone(),
        &values,
        between(whole(1), whole(2), false),
        "ftt-",
    );
    expect(
        integer.clone(),
        &values,
        between(whole(2), whole(1), false),
        "fff-",
    );
    // a >= 1 AND NULL: certainly false below 1.
    expect(
        integer.clone(),
        &values,
        between(whole(1), Constant::Null, false),
        "f---",
    );
    expect(
        integer,
        &values,
        between(whole(1), Constant::Null, true),
        "t---",
    );
}

#[test]
fn null_tests() {
    let values = integers(&ONE_TWO_NULL);
    let is_null = |negated| Condition::IsNull {
        term: Term::column(0),
        negated,
    };
    expect(SqlType::Integer, &values, is_null(false), "ffft");
    expect(SqlType::Integer, &values, is_null(true), "tttf");
}

#[test]
fn three_valued_and_or_not() {
    let values = integers(&ONE_TWO_NULL);
    let one = || compare(Comparison::Equal, whole(1));
    let unknown = || Condition::Constant(None);
    let and = Condition::And(vec![one(), unknown()]);
    let or = Condition::Or(vec![one(), unknown()]);
    let not = Condition::Not(Box::new(one()));
    expect(SqlType::Integer, &values, and, "f-f-");
    expect(SqlType::Integer, &values, or, "-t--");
    expect(SqlType::Integer, &values, not, "tft-");
}

#[test]
fn truth_tests() {
    let values = integers(&ONE_TWO_NULL);
    let expected = [
        (Truth::True, false, "ftff"),
        (Truth::True, true, "tftt"),
        (Truth::False, false, "tftf"),
        (Truth::False, true, "ftft"),
        (Truth::Unknown, false, "ffft"),
        (Truth::Unknown, true, "tttf"),
    ];
    for (truth, negated, expected) in expected {
        let condition = Condition::Test {
            condition: Box::new(compare(Comparison::Equal, whole(1))),
            truth,
            negated,
        };
        expect(SqlType::Integer, &values, condition, expected);
    }
}

#[test]
fn boolean_columns() {
    let values = [
        Some(Datum::Boolean(true)),
        Some(Datum::Boolean(false)),
        None,
    ];
    let boolean = SqlType::Boolean;
    expect(boolean.clone(), &values, Condition::Boolean(0), "tf-");
    let negated = Condition::Not(Box::new(Condition::Boolean(0)));
    expect(boolean.clone(), &values, negated, "ft-");
    let less = compare(Comparison::Less, Constant::Boolean(true));
    expect(boolean, &values, less, "ft-");
}

#[test]
fn integers_beyond_their_type() {
    let values = integers(&[Some(-32_768), Some(0), Some(32_767), None]);
    let small = SqlType::SmallInt;
    expect(
        small.clone(),
        &values,
        compare(Comparison::Less, whole(4_294_967_296)),
        "ttt-",
    );
    expect(
        small.clone(),
        &values,
        compare(Comparison::Equal, whole(40_000)),
        "fff-",
    );
    let below_all = whole(-9_223_372_036_854_775_809);
    expect(
        small,
        &values,
        compare(Comparison::LessOrEqual, below_all),
        "fff-",
    );
    let extremes = integers(&[Some(i64::MIN), Some(i64::MAX)]);
    let beyond = whole(9_223_372_036_854_775_808);
    expect(
        SqlType::BigInt,
        &extremes,
        compare(Comparison::Less, beyond),
        "tt",
    );
}

#[test]
fn integers_and_fractions() {
    let values = integers(&[Some(-2), Some(-1), Some(1), Some(2)]);
    let fraction = |unscaled| Constant::Decimal { unscaled, scale: 1 };
    let integer = SqlType::Integer;
    expect(
        integer.clone(),
        &values,
        compare(Comparison::Greater, fraction(-15)),
        "fttt",
    );
    expect(
        integer.clone(),
        &values,
        compare(Comparison::Equal, fraction(15)),
        "ffff",
    );
    expect(
        integer,
        &values,
        compare(Comparison::Equal, fraction(20)),
        "ffft",
    );
}

#[test]
fn whole_decimals_beyond_the_precision_of_double() {
    let values = integers(&[
        Some(9_007_199_254_740_992),
        Some(9_007_199_254_740_993),
        Some(9_007_199_254_740_994),
    ]);
    let constant = Constant::Decimal {
        unscaled: 90_071_992_547_409_930,
        scale: 1,
    };
    expect(
        SqlType::BigInt,
        &values,
        compare(Comparison::Greater, constant.clone()),
        "fft",
    );
    expect(
        SqlType::BigInt,
        &values,
        compare(Comparison::Equal, constant),
        "ftf",
    );
    // As DOUBLE the middle one is the first: so DataFusion compares with a number that has an exponent.
    let double = Constant::Double(9_007_199_254_740_992.0);
    expect(
        SqlType::BigInt,
        &values,
        compare(Comparison::Equal, double),
        "ttf",
    );
}

#[test]
fn decimals_by_value() {
    let values = [999, 1_000, 1_001].map(|unscaled| Some(Datum::Decimal(unscaled)));
    let sql_type = SqlType::Decimal {
        precision: 10,
        scale: 2,
    };
    let finer = |unscaled| Constant::Decimal { unscaled, scale: 3 };
    expect(
        sql_type.clone(),
        &values,
        compare(Comparison::Greater, finer(9_999)),
        "ftt",
    );
    expect(
        sql_type.clone(),
        &values,
        compare(Comparison::Equal, finer(9_999)),
        "fff",
    );
    expect(
        sql_type.clone(),
        &values,
        compare(Comparison::Equal, finer(10_000)),
        "ftf",
    );
    expect(
        sql_type.clone(),
        &values,
        compare(Comparison::LessOrEqual, whole(10)),
        "ttf",
    );
    let far = Constant::Decimal {
        unscaled: 10_i128.pow(37),
        scale: 0,
    };
    expect(sql_type, &values, compare(Comparison::Less, far), "ttt");
}

#[test]
fn doubles_are_canonical() {
    let values = [f64::NEG_INFINITY, -1.5, 0.0, f64::INFINITY, f64::NAN]
        .map(|value| Some(Datum::double(value)));
    let double = SqlType::Double;
    let zero = compare(Comparison::Equal, Constant::Double(-0.0));
    expect(double.clone(), &values, zero, "fftff");
    let below_zero = compare(Comparison::Less, Constant::Double(-0.0));
    expect(double.clone(), &values, below_zero, "ttfff");
    let nan = compare(Comparison::Equal, Constant::Double(-f64::NAN));
    expect(double.clone(), &values, nan, "fffft");
    let below_nan = compare(Comparison::Less, Constant::Double(f64::NAN));
    expect(double.clone(), &values, below_nan, "ttttf");
    let list = vec![
        Constant::Double(-0.0),
        Constant::Double(1.0),
        Constant::Double(2.0),
        Constant::Double(-f64::NAN),
    ];
    expect(double, &values, in_list(list, false), "fftft");
}

#[test]
fn text_is_ordered_by_its_bytes() {
    let values = texts(&["", "\0", "a", "a\0", "ab", "\u{ff}", "\u{10ffff}"]);
    let greater = compare(Comparison::Greater, text("a"));
    expect(SqlType::Text, &values, greater, "ffftttt");
    let less = compare(Comparison::Less, text("\u{ff}"));
    expect(SqlType::Text, &values, less, "tttttff");
    // A constant too long for the column has its place all the same.
    let between = compare(Comparison::Less, text("aaaaaaaa"));
    expect(SqlType::Char(4), &texts(&["a", "aa", "ab"]), between, "ttf");
    let padded = compare(Comparison::Equal, text("a\0"));
    expect(SqlType::Char(4), &texts(&["a"]), padded, "f");
}

#[test]
fn bytes_are_ordered_as_they_are() {
    let values: [&[u8]; 4] = [b"", b"a", b"a\xff", b"\xff"];
    let values = values.map(|bytes| Some(Datum::Bytes(bytes.to_vec())));
    let greater = compare(Comparison::Greater, Constant::Bytes(b"a\xfe".to_vec()));
    expect(SqlType::Bytea, &values, greater, "fftt");
}

#[test]
fn patterns() {
    let values = texts(&["ab", "a%b", "a_b", "abc", "xab", "a\\", ""]);
    let like = |pattern: &str, negated| Condition::Like {
        column: 0,
        pattern: pattern.to_owned(),
        negated,
    };
    expect(SqlType::Text, &values, like("ab%", false), "tfftfff");
    expect(SqlType::Text, &values, like("%ab", false), "tffftff");
    expect(SqlType::Text, &values, like("a\\%b", false), "ftfffff");
    expect(SqlType::Text, &values, like("a_b", false), "fttffff");
    expect(SqlType::Text, &values, like("a\\_%", false), "fftffff");
    expect(SqlType::Text, &values, like("a\\\\", false), "ffffftf");
    expect(SqlType::Text, &values, like("%", true), "fffffff");
    let starts_with = Condition::StartsWith {
        column: 0,
        prefix: "a%".to_owned(),
    };
    expect(SqlType::Text, &values, starts_with, "ftfffff");
}

#[test]
fn functions_of_text() {
    let values = texts(&["ab", "abc", "éa", "a", ""]);
    let equal = |function, constant| on(function, Comparison::Equal, text(constant));
    expect(
        SqlType::Text,
        &values,
        equal(Function::Left(2), "ab"),
        "ttfff",
    );
    expect(
        SqlType::Text,
        &values,
        equal(Function::Prefix(1), "é"),
        "fftff",
    );
    expect(
        SqlType::Text,
        &values,
        equal(Function::Reverse, "aé"),
        "fftff",
    );
    let digest = "0cc175b9c0f1b6a831c399e269772661";
    expect(
        SqlType::Text,
        &values,
        equal(Function::Md5, digest),
        "ffftf",
    );
    let upper = digest.to_uppercase();
    expect(
        SqlType::Text,
        &values,
        equal(Function::Md5, &upper),
        "fffff",
    );
    let length = on(Function::Length, Comparison::Equal, whole(2));
    expect(SqlType::Text, &values, length, "tftff");
}

#[test]
fn remainders_and_quotients_truncate() {
    let values = integers(&[Some(-7), Some(-4), Some(7), None]);
    let integer = SqlType::Integer;
    let equal = |function, constant| on(function, Comparison::Equal, whole(constant));
    expect(
        integer.clone(),
        &values,
        equal(Function::Remainder(4), -3),
        "tff-",
    );
    expect(
        integer.clone(),
        &values,
        equal(Function::Remainder(4), 1),
        "fff-",
    );
    expect(
        integer.clone(),
        &values,
        equal(Function::Quotient(4), -1),
        "ttf-",
    );
    let reversed = on(
        Function::ReverseDigits,
        Comparison::Equal,
        text("7000000000"),
    );
    expect(integer, &values, reversed, "!!t-");
}

#[test]
fn stamps_finer_than_the_column() {
    let values = stamps(&[0, 1]);
    let finer = || stamp(500, Precision::Microsecond);
    let ms = || MILLISECONDS;
    expect(ms(), &values, compare(Comparison::Equal, finer()), "ff");
    expect(ms(), &values, compare(Comparison::Greater, finer()), "ft");
    expect(
        ms(),
        &values,
        compare(Comparison::LessOrEqual, finer()),
        "tf",
    );
    let same = stamp(1_000_000, Precision::Nanosecond);
    expect(ms(), &values, compare(Comparison::Equal, same), "ft");
}

#[test]
fn stamps_beyond_2262() {
    let year_3001 = 32_535_216_000;
    let values = stamps(&[0, year_3001 * 1_000, i64::MAX]);
    let constant = || stamp(year_3001, Precision::Second);
    expect(
        MILLISECONDS,
        &values,
        compare(Comparison::Greater, constant()),
        "fft",
    );
    expect(
        MILLISECONDS,
        &values,
        compare(Comparison::Equal, constant()),
        "ftf",
    );
    let nanoseconds = SqlType::Timestamp {
        precision: Precision::Nanosecond,
        utc: false,
    };
    let values = stamps(&[i64::MIN, i64::MAX]);
    expect(
        nanoseconds,
        &values,
        compare(Comparison::Less, constant()),
        "tt",
    );
}

#[test]
fn dates_and_stamps() {
    let values = [-1, 0, 1, i32::MAX].map(|days| Some(Datum::Date(days)));
    let noon = || stamp(43_200, Precision::Second);
    expect(
        SqlType::Date,
        &values,
        compare(Comparison::Less, noon()),
        "ttff",
    );
    let midnight = || stamp(86_400, Precision::Second);
    expect(
        SqlType::Date,
        &values,
        compare(Comparison::Equal, midnight()),
        "fftf",
    );
    let values = stamps(&[-1, 0, 86_399_999, 86_400_000]);
    let day = || Constant::Date(0);
    expect(
        MILLISECONDS,
        &values,
        compare(Comparison::Equal, day()),
        "ftff",
    );
    let as_date = on(Function::Date, Comparison::Equal, day());
    expect(MILLISECONDS, &values, as_date, "fttf");
}

#[test]
fn functions_of_stamps() {
    // 1969-12-31 23:59:59.999, the epoch, 00:59:59.999, 01:00, 2024-02-29.
    let values = stamps(&[-1, 0, 3_599_999, 3_600_000, 1_709_164_800_000]);
    let equal = |function, constant| on(function, Comparison::Equal, constant);
    let epoch = || stamp(0, Precision::Second);
    let ms = || MILLISECONDS;
    expect(
        ms(),
        &values,
        equal(Function::DateTrunc("hour"), epoch()),
        "fttff",
    );
    let half = on(
        Function::DateTrunc("hour"),
        Comparison::Greater,
        stamp(1, Precision::Microsecond),
    );
    expect(ms(), &values, half, "ffftt");
    let quarter = Function::DateBin(900_000_000_000);
    expect(ms(), &values, equal(quarter, epoch()), "ftfff");
    expect(ms(), &values, equal(Function::Year, whole(1970)), "ftttf");
    let february = stamp(1_706_745_600, Precision::Second);
    expect(
        ms(),
        &values,
        equal(Function::DateTrunc("month"), february),
        "fffft",
    );
}

#[test]
fn a_row_with_an_error_spoils_no_other() {
    let columns = vec![column("a", SqlType::SmallInt)];
    let rows: Vec<_> = [-1, 7].map(|value| integers(&[Some(value)])).to_vec();
    let error = || on(Function::ReverseDigits, Comparison::Equal, text("70000"));
    expect_rows(columns.clone(), &rows, error(), "!t");
    let guarded = Condition::And(vec![compare(Comparison::Greater, whole(0)), error()]);
    // The batch fails as a whole; row by row AND does not look at its right side.
    expect_rows(columns, &rows, guarded, "ft");
}

#[test]
fn a_truncation_past_the_first_instant_has_no_answer() {
    let values = stamps(&[i64::MIN, -1]);
    for unit in ["second", "minute", "hour", "day"] {
        let past = on(
            Function::DateTrunc(unit),
            Comparison::Less,
            stamp(0, Precision::Second),
        );
        expect(MILLISECONDS, &values, past, "!t");
    }
}
