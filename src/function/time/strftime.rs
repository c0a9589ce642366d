//! `strftime(ts, '%Y-%m-%d')`, with the formats of DuckDB and those of C that it lacks.

use std::fmt::Write;

use arrow::datatypes::DataType;
use chrono::{Datelike, Timelike};
use datafusion::common::{Result, exec_err};

use super::format::{
    Piece, ahead, coerced, day_name, formatted, fraction, hour12, month_name, short, week_of_year,
};
use super::moment::Moment;
use crate::function::declared::{Declaration, arguments};

pub(super) static STRFTIME: Declaration = Declaration {
    name: "strftime",
    aliases: &[],
    coerce: |types| coerced("strftime", types),
    result: |_| Ok(DataType::Utf8),
    compute: |given| {
        let [times, formats] = arguments(given)?;
        formatted(times, formats, pieces)
    },
};

/// What stands behind a `%`: how it is written at a moment.
type Written = fn(&Moment, &str, &mut String);

/// A number that is filled up with zeros to so many digits, or not where a `-` stands behind the `%`.
type Number = fn(&Moment) -> i64;

enum Specifier {
    Text(Written),
    Number(usize, Number),
    /// Other specifiers.
    As(&'static str),
}

use Specifier::{As, Number as Digits, Text};

/// Every specifier.
const SPECIFIERS: &[(char, Specifier)] = &[
    ('a', Text(|at, _, text| text.push_str(short(day_name(at))))),
    ('A', Text(|at, _, text| text.push_str(day_name(at)))),
    (
        'b',
        Text(|at, _, text| text.push_str(short(month_name(at)))),
    ),
    ('B', Text(|at, _, text| text.push_str(month_name(at)))),
    ('c', As("%Y-%m-%d %H:%M:%S")),
    ('d', Digits(2, |at| at.shown.day().into())),
    ('D', As("%m/%d/%y")),
    (
        'e',
        Text(|at, _, text| put(text, format_args!("{:2}", at.shown.day()))),
    ),
    ('f', Digits(6, |at| (fraction(at) / 1_000).into())),
    ('F', As("%Y-%m-%d")),
    ('g', Digits(3, |at| (fraction(at) / 1_000_000).into())),
    ('G', Digits(4, |at| at.shown.iso_week().year().into())),
    ('h', As("%b")),
    ('H', Digits(2, |at| at.shown.hour().into())),
    ('I', Digits(2, |at| hour12(at).into())),
    ('j', Digits(3, |at| at.shown.ordinal().into())),
    ('m', Digits(2, |at| at.shown.month().into())),
    ('M', Digits(2, |at| at.shown.minute().into())),
    ('n', Digits(9, |at| fraction(at).into())),
    (
        'p',
        Text(|at, _, text| text.push_str(if at.shown.hour() < 12 { "AM" } else { "PM" })),
    ),
    ('R', As("%H:%M")),
    ('s', Digits(1, seconds)),
    ('S', Digits(2, |at| at.shown.second().into())),
    ('T', As("%H:%M:%S")),
    (
        'u',
        Digits(1, |at| at.shown.weekday().number_from_monday().into()),
    ),
    ('U', Digits(2, |at| week_of_year(at, 0).into())),
    ('V', Digits(2, |at| at.shown.iso_week().week().into())),
    (
        'w',
        Digits(1, |at| at.shown.weekday().num_days_from_sunday().into()),
    ),
    ('W', Digits(2, |at| week_of_year(at, 1).into())),
    ('x', As("%Y-%m-%d")),
    ('X', As("%H:%M:%S")),
    ('y', Digits(2, |at| at.shown.year().rem_euclid(100).into())),
    ('Y', Digits(4, |at| at.shown.year().into())),
    ('z', Text(|at, _, text| zone(at, text))),
    ('Z', Text(|_, zone, text| text.push_str(zone))),
    ('%', Text(|_, _, text| text.push('%'))),
];

/// Seconds since 1970-01-01 00:00:00 UTC.
fn seconds(at: &Moment) -> i64 {
    let ahead = at.ahead.map_or(0, |ahead| ahead.local_minus_utc());
    at.shown.and_utc().timestamp() - i64::from(ahead)
}

fn zone(at: &Moment, text: &mut String) {
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

/// A piece of a format.
pub(super) enum Part {
    Literal(String),
    Text(Written),
    Number(usize, Number),
}

impl Piece for Part {
    fn write(&self, moment: &Moment, zone: &str, text: &mut String) {
        match self {
            Self::Literal(literal) => text.push_str(literal),
            Self::Text(write) => write(moment, zone, text),
            Self::Number(width, number) => {
                let (number, width) = (number(moment), *width);
                if number < 0 {
                    put(text, format_args!("-{:0width$}", number.unsigned_abs()))
                } else {
                    put(text, format_args!("{number:0width$}"))
                }
            }
        }
    }
}

/// The pieces of a format.
///
/// # Errors
/// For a specifier that is none.
fn pieces(format: &str) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            literal(&mut parts, letter);
            continue;
        }
        let mut specifier = letters.next();
        let is_bare = specifier == Some('-');
        if is_bare {
            specifier = letters.next();
        }
        let known = SPECIFIERS
            .iter()
            .find(|(known, _)| specifier == Some(*known));
        match known {
            Some((_, Text(write))) if !is_bare => parts.push(Part::Text(*write)),
            Some((_, Digits(_, number))) if is_bare => parts.push(Part::Number(1, *number)),
            Some((_, Digits(width, number))) => parts.push(Part::Number(*width, *number)),
            Some((_, As(others))) if !is_bare => parts.extend(pieces(others)?),
            _ => {
                let bare = if is_bare { "-" } else { "" };
                let unknown: String = specifier.into_iter().collect();
                return exec_err!(
                    "'{format}' is no format of strftime: %{bare}{unknown} stands for nothing"
                );
            }
        }
    }
    Ok(parts)
}

fn literal(parts: &mut Vec<Part>, letter: char) {
    match parts.last_mut() {
        Some(Part::Literal(text)) => text.push(letter),
        _ => parts.push(Part::Literal(letter.to_string())),
    }
}
