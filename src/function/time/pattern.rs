//! `to_char(ts, 'DD.MM.YYYY')`, with the template patterns of PostgreSQL.
//!
//! DataFusion's function knows the formats of `strftime` alone and gives a template back as it is. A format that holds a
//! `%` is still its own. In a template what stands in double quotes is text, and so is what is no pattern.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field};
use chrono::{Datelike, Timelike};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::functions::datetime;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};

use super::format::{
    Piece, ahead, coerced, day_name, formatted, fraction, hour12, month_name, short,
};
use super::moment::Moment;
use crate::function::declared::{Declaration, arguments};
use crate::function::number::template;

pub(super) static TO_CHAR: Declaration = Declaration {
    name: "to_char",
    aliases: &["date_format"],
    coerce: |types| match types {
        [given, _] if given.is_numeric() => Ok(vec![DataType::Utf8; 2]),
        [time, _] if is_of_theirs(time) => Ok(vec![time.clone(), DataType::Utf8]),
        others => coerced("to_char", others),
    },
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        let [times, formats] = arguments(given)?;
        if *times.data_type() == DataType::Utf8 {
            return template::written(times, formats);
        }
        let mut given = formats.as_string::<i32>().iter().flatten();
        let is_theirs = |format: &str| format.contains('%');
        match given.next().map(is_theirs) {
            _ if is_of_theirs(times.data_type()) => theirs(times, formats),
            Some(first) if given.any(|format| is_theirs(format) != first) => {
                exec_err!(
                    "to_char is given formats with % and templates without; write it twice, under CASE"
                )
            }
            Some(true) => theirs(times, formats),
            _ => formatted(times, formats, patterns),
        }
    },
};

/// Times of day and lengths of time, which have formats of their own.
fn is_of_theirs(data_type: &DataType) -> bool {
    use DataType::{Duration, Time32, Time64};
    matches!(data_type, Time32(_) | Time64(_) | Duration(_))
}

/// What DataFusion's function gives.
fn theirs(times: &ArrayRef, formats: &ArrayRef) -> Result<ArrayRef> {
    let texts = formats.as_string::<i32>();
    let first = (!formats.is_empty())
        .then(|| ScalarValue::try_from_array(formats, 0))
        .transpose()?;
    let is_same =
        formats.null_count() == 0 && texts.iter().all(|it| it == texts.iter().next().flatten());
    let format = match first {
        Some(first) if is_same => ColumnarValue::Scalar(first),
        _ => ColumnarValue::Array(Arc::clone(formats)),
    };
    let field =
        |name: &str, data_type: &DataType| Arc::new(Field::new(name, data_type.clone(), true));
    let written = datetime::to_char().invoke_with_args(ScalarFunctionArgs {
        args: vec![ColumnarValue::Array(Arc::clone(times)), format],
        arg_fields: vec![
            field("time", times.data_type()),
            field("format", &DataType::Utf8),
        ],
        number_rows: times.len(),
        return_field: field("to_char", &DataType::Utf8),
        config_options: Arc::new(ConfigOptions::default()),
    })?;
    written.into_array(times.len())
}

/// A number of a moment.
type Number = fn(&Moment) -> i64;

/// How a pattern is written.
#[derive(Clone, Copy)]
enum Pattern {
    /// A number, filled up with zeros to so many digits.
    Digits(usize, Number),
    /// A name in the case of the pattern, filled up with spaces to so many letters.
    Name(usize, fn(&Moment) -> &'static str),
    /// A text that has no other form.
    Text(fn(&Moment, &str, &mut String)),
}

use Pattern::{Digits, Name, Text};

/// Every pattern, numbers in upper case; of those that begin alike the longest counts.
const PATTERNS: &[(&str, Pattern)] = &[
    ("HH24", Digits(2, |at| at.shown.hour().into())),
    ("HH12", Digits(2, |at| hour12(at).into())),
    ("HH", Digits(2, |at| hour12(at).into())),
    ("MI", Digits(2, |at| at.shown.minute().into())),
    (
        "SSSSS",
        Digits(1, |at| at.shown.num_seconds_from_midnight().into()),
    ),
    (
        "SSSS",
        Digits(1, |at| at.shown.num_seconds_from_midnight().into()),
    ),
    ("SS", Digits(2, |at| at.shown.second().into())),
    ("MS", Digits(3, |at| (fraction(at) / 1_000_000).into())),
    ("US", Digits(6, |at| (fraction(at) / 1_000).into())),
    ("FF1", Digits(1, |at| (fraction(at) / 100_000_000).into())),
    ("FF2", Digits(2, |at| (fraction(at) / 10_000_000).into())),
    ("FF3", Digits(3, |at| (fraction(at) / 1_000_000).into())),
    ("FF4", Digits(4, |at| (fraction(at) / 100_000).into())),
    ("FF5", Digits(5, |at| (fraction(at) / 10_000).into())),
    ("FF6", Digits(6, |at| (fraction(at) / 1_000).into())),
    ("YYYY", Digits(4, year)),
    ("YYY", Digits(3, |at| year(at) % 1_000)),
    ("YY", Digits(2, |at| year(at) % 100)),
    ("Y", Digits(1, |at| year(at) % 10)),
    (
        "Y,YYY",
        Text(|at, _, text| {
            put(
                text,
                format_args!("{},{:03}", year(at) / 1_000, year(at) % 1_000),
            )
        }),
    ),
    ("IYYY", Digits(4, iso_year)),
    ("IYY", Digits(3, |at| iso_year(at) % 1_000)),
    ("IY", Digits(2, |at| iso_year(at) % 100)),
    ("MM", Digits(2, |at| at.shown.month().into())),
    ("DDD", Digits(3, |at| at.shown.ordinal().into())),
    ("DD", Digits(2, |at| at.shown.day().into())),
    (
        "D",
        Digits(1, |at| at.shown.weekday().number_from_sunday().into()),
    ),
    ("IDDD", Digits(3, iso_day)),
    (
        "ID",
        Digits(1, |at| at.shown.weekday().number_from_monday().into()),
    ),
    ("WW", Digits(2, |at| i64::from(at.shown.ordinal0()) / 7 + 1)),
    ("IW", Digits(2, |at| at.shown.iso_week().week().into())),
    ("W", Digits(1, |at| i64::from(at.shown.day0()) / 7 + 1)),
    ("CC", Digits(2, |at| (year(at) + 99) / 100)),
    (
        "J",
        Digits(1, |at| i64::from(at.shown.num_days_from_ce()) + 1_721_425),
    ),
    ("Q", Digits(1, |at| i64::from(at.shown.month0()) / 3 + 1)),
    (
        "TZH",
        Text(|at, _, text| put(text, format_args!("{}{:02}", ahead(at).0, ahead(at).1))),
    ),
    ("TZM", Digits(2, |at| ahead(at).2.into())),
    ("OF", Text(offset)),
    ("TZ", Text(|_, zone, text| text.push_str(zone))),
    ("MONTH", Name(9, month_name)),
    ("MON", Name(0, |at| short(month_name(at)))),
    ("DAY", Name(9, day_name)),
    ("DY", Name(0, |at| short(day_name(at)))),
    ("AM", Name(0, half)),
    ("PM", Name(0, half)),
    ("A.M.", Name(0, dotted_half)),
    ("P.M.", Name(0, dotted_half)),
    ("AD", Name(0, era)),
    ("BC", Name(0, era)),
    (
        "RM",
        Name(4, |at| {
            ROMAN
                .get(at.shown.month0() as usize)
                .copied()
                .unwrap_or_default()
        }),
    ),
];

const ROMAN: [&str; 12] = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
];

/// There is no year 0: before the year 1 was the year 1 BC.
fn year(at: &Moment) -> i64 {
    match i64::from(at.shown.year()) {
        year if year > 0 => year,
        year => 1 - year,
    }
}

fn iso_year(at: &Moment) -> i64 {
    i64::from(at.shown.iso_week().year()).abs()
}

fn iso_day(at: &Moment) -> i64 {
    let week = i64::from(at.shown.iso_week().week());
    (week - 1) * 7 + i64::from(at.shown.weekday().number_from_monday())
}

fn half(at: &Moment) -> &'static str {
    if at.shown.hour() < 12 { "AM" } else { "PM" }
}

fn dotted_half(at: &Moment) -> &'static str {
    if at.shown.hour() < 12 { "A.M." } else { "P.M." }
}

fn era(at: &Moment) -> &'static str {
    if at.shown.year() > 0 { "AD" } else { "BC" }
}

fn offset(at: &Moment, _zone: &str, text: &mut String) {
    let (sign, hours, minutes) = ahead(at);
    put(text, format_args!("{sign}{hours:02}"));
    if minutes != 0 {
        put(text, format_args!(":{minutes:02}"));
    }
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // A text takes everything.
    let _ = text.write_fmt(arguments);
}

/// A piece of a template.
enum Part {
    Literal(String),
    Pattern {
        pattern: Pattern,
        case: Case,
        /// Whether it is filled up, as it is unless FM stands in front.
        is_filled: bool,
        /// `st`, `nd`, `rd` or `th` behind a number.
        ordinal: Option<Case>,
    },
}

/// In which case a name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Capital,
    Lower,
}

impl Case {
    /// That of the pattern.
    fn of(written: &str) -> Self {
        let mut letters = written.chars().filter(|letter| letter.is_alphabetic());
        match (letters.next(), letters.next()) {
            (Some(first), _) if first.is_lowercase() => Self::Lower,
            (_, Some(second)) if second.is_lowercase() => Self::Capital,
            _ => Self::Upper,
        }
    }

    fn write(self, name: &str) -> String {
        let lower = || name.to_lowercase();
        match self {
            Self::Upper => name.to_uppercase(),
            Self::Lower => lower(),
            Self::Capital => {
                let rest = lower().chars().skip(1).collect::<String>();
                name.chars().take(1).chain(rest.chars()).collect()
            }
        }
    }
}

impl Piece for Part {
    fn write(&self, moment: &Moment, zone: &str, text: &mut String) {
        let Self::Pattern {
            pattern,
            case,
            is_filled,
            ordinal,
        } = self
        else {
            if let Self::Literal(literal) = self {
                text.push_str(literal);
            }
            return;
        };
        match pattern {
            Digits(width, number) => {
                let (number, width) = (number(moment), if *is_filled { *width } else { 1 });
                put(text, format_args!("{number:0width$}"));
                if let Some(case) = ordinal {
                    text.push_str(&case.write(ordinal_of(number)));
                }
            }
            Name(width, name) => {
                let (name, width) = (
                    case.write(name(moment)),
                    if *is_filled { *width } else { 0 },
                );
                put(text, format_args!("{name:width$}"));
            }
            Text(write) => write(moment, zone, text),
        }
    }
}

/// What stands behind a number that counts something.
fn ordinal_of(number: i64) -> &'static str {
    match (number % 10, number % 100) {
        (_, 11..=13) => "TH",
        (1, _) => "ST",
        (2, _) => "ND",
        (3, _) => "RD",
        _ => "TH",
    }
}

/// The pieces of a template.
///
/// # Errors
/// For a text in quotes that does not end, and for modifiers that are not known.
fn patterns(template: &str) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = template;
    let mut is_filled = true;
    while let Some(letter) = rest.chars().next() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some((text, behind)) = quoted.split_once('"') else {
                return exec_err!(
                    "'{template}' is no template of to_char: a quote is opened and never closed"
                );
            };
            parts.push(Part::Literal(text.to_owned()));
            rest = behind;
            continue;
        }
        if let Some(behind) = without(rest, "FM") {
            (is_filled, rest) = (false, behind);
            continue;
        }
        if without(rest, "TM").or(without(rest, "FX")).is_some() {
            return exec_err!(
                "'{template}' is no template of to_char: TM and FX are not implemented"
            );
        }
        let fitting = PATTERNS
            .iter()
            .filter(|(name, _)| without(rest, name).is_some());
        let Some((name, pattern)) = fitting.max_by_key(|(name, _)| name.len()) else {
            parts.push(Part::Literal(letter.to_string()));
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            continue;
        };
        let (written, behind) = rest.split_at(name.len());
        let ordinal = match (pattern, behind.get(..2)) {
            (Digits(..), Some("TH")) => Some(Case::Upper),
            (Digits(..), Some("th")) => Some(Case::Lower),
            _ => None,
        };
        rest = behind.get(ordinal.map_or(0, |_| 2)..).unwrap_or_default();
        parts.push(Part::Pattern {
            pattern: *pattern,
            case: Case::of(written),
            is_filled,
            ordinal,
        });
        is_filled = true;
    }
    Ok(parts)
}

/// What stands behind a word, which the text begins with in any case.
fn without<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (begin, behind) = text.split_at_checked(word.len())?;
    begin.eq_ignore_ascii_case(word).then_some(behind)
}
