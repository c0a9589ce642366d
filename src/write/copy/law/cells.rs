//! Values as files have them, and what a reader must make of them: written a second time, and sharing nothing with it.

use chrono::{NaiveDate, NaiveDateTime};

use crate::plan::law::random::Random;

/// A value in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    Null,
    /// What JSON writes without quotes: a number, true, false, a list.
    Bare(String),
    Text(String),
}

impl Cell {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Null => None,
            Self::Bare(text) | Self::Text(text) => Some(text),
        }
    }
}

/// What a column is drawn of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Code,
    Huge,
    Float,
    Word,
    Boolean,
    Date,
    Stamp,
}

pub(super) const KINDS: [Kind; 8] = [
    Kind::Integer,
    Kind::Code,
    Kind::Huge,
    Kind::Float,
    Kind::Word,
    Kind::Boolean,
    Kind::Date,
    Kind::Stamp,
];

impl Kind {
    fn texts(self) -> &'static [&'static str] {
        match self {
            Self::Integer => &[
                "0",
                "7",
                "-1",
                "42",
                "9223372036854775807",
                "-9223372036854775808",
            ],
            Self::Code => &["007", "00", "0123", "+49170", "-07", "00.5"],
            Self::Huge => &[
                "9223372036854775808",
                "-9223372036854775809",
                "9007199254740993",
                "123456789012345678901234567890",
                "1234567890123456789012345678901234567890",
                "100000000000000000000000000000000000000000",
            ],
            Self::Float => &[
                "1.5",
                "-0.25",
                "1e3",
                "0.1",
                "1.7976931348623157e308",
                "100.0",
                "NaN",
                "Infinity",
                "-Infinity",
            ],
            Self::Word => &[
                "",
                "a",
                "x,y;z",
                "say \"hi\"",
                "two\nlines",
                "NULL",
                "ü",
                " padded ",
                "1a",
                "#1",
                "\\",
                "\t|",
                "true?",
                "2024",
                "\"",
                "'",
            ],
            Self::Boolean => &["true", "false"],
            Self::Date => &["2024-01-31", "0001-01-01", "9999-12-31", "1969-12-31"],
            Self::Stamp => &[
                "2024-01-31 10:00:00",
                "2024-01-31T10:00:00.5",
                "2024-01-31 10:00",
                "1969-12-31 23:59:59.999999",
                "2500-01-01 00:00:00",
            ],
        }
    }

    /// A value of this kind, as JSON has it or as CSV has it.
    pub(super) fn draw(self, random: &mut Random, is_json: bool) -> Cell {
        if random.percent(15) {
            return Cell::Null;
        }
        let text = (*random.pick(self.texts())).to_owned();
        let is_number = matches!(self, Self::Integer | Self::Huge | Self::Float);
        let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
        if is_json && (is_number && has_digits || self == Self::Boolean) {
            Cell::Bare(text)
        } else {
            Cell::Text(text)
        }
    }
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    BigInt,
    Whole,
    Double,
    Boolean,
    Date,
    Nanoseconds,
    Microseconds,
    Text,
}

const TYPES: [Type; 7] = [
    Type::BigInt,
    Type::Whole,
    Type::Double,
    Type::Boolean,
    Type::Date,
    Type::Nanoseconds,
    Type::Microseconds,
];

impl Type {
    pub(super) fn sql(self) -> &'static str {
        match self {
            Self::BigInt => "BIGINT",
            Self::Whole => "DECIMAL(38,0)",
            Self::Double => "DOUBLE",
            Self::Boolean => "BOOLEAN",
            Self::Date => "DATE",
            Self::Nanoseconds => "TIMESTAMP",
            Self::Microseconds => "TIMESTAMP(6)",
            Self::Text => "TEXT",
        }
    }

    /// The type of a column of a CSV file with these values.
    pub(super) fn of_csv<'c>(cells: impl Iterator<Item = &'c Cell> + Clone) -> Self {
        // `""` is an empty TEXT, and NULL of any other type.
        let texts = cells.filter_map(Cell::text).filter(|text| !text.is_empty());
        let mut types = TYPES.iter();
        let fitting = types.find(|it| texts.clone().all(|text| it.has(text)));
        match texts.clone().next() {
            None => Self::Text,
            Some(_) => fitting.copied().unwrap_or(Self::Text),
        }
    }

    /// The type of a column of a JSON file with these values: a text in quotes is one, whatever it spells, but for what
    /// stands among numbers for one that is none.
    pub(super) fn of_json<'c>(cells: impl Iterator<Item = &'c Cell> + Clone) -> Self {
        let mut bare = cells.clone().filter(|cell| matches!(cell, Cell::Bare(_)));
        let mut texts = cells.clone().filter(|cell| matches!(cell, Cell::Text(_)));
        let are_no_numbers = texts.clone().all(is_no_number);
        match (bare.next().is_some(), texts.next().is_some()) {
            (true, false) => Self::of_csv(cells),
            (true, true) if are_no_numbers => match Self::of_csv(cells) {
                Self::Double => Self::Double,
                _ => Self::Text,
            },
            _ => Self::Text,
        }
    }

    /// Whether a value that comes later is one of this type.
    pub(super) fn takes(self, cell: &Cell, is_json: bool) -> bool {
        match (cell, self) {
            (Cell::Null, _) | (_, Self::Text) => true,
            (Cell::Text(text), _) if text.is_empty() && !is_json => true,
            (Cell::Text(_), _) if is_json && !is_no_number(cell) => false,
            (Cell::Text(text) | Cell::Bare(text), of) => of.has(text),
        }
    }

    /// Whether a text is a value of this type, and the value says all that the text does.
    fn has(self, text: &str) -> bool {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_whole = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
        let is_padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        match self {
            Self::BigInt => text
                .parse::<i64>()
                .is_ok_and(|value| value.to_string() == text),
            Self::Whole => is_whole && !is_padded && digits.len() <= 38,
            Self::Double if is_whole => {
                let double: f64 = digits.parse().unwrap();
                let exact = format!("{double:.0}") == digits || format!("{double}") == digits;
                !is_padded && (exact || digits.trim_end_matches('0').len() < 16)
            }
            Self::Double => text.parse::<f64>().is_ok() && !is_padded && !text.starts_with('+'),
            Self::Boolean => matches!(text, "true" | "false"),
            Self::Date => text.len() == 10 && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok(),
            Self::Nanoseconds => {
                let stamp = stamp(text);
                stamp.is_some_and(|stamp| stamp.and_utc().timestamp_nanos_opt().is_some())
            }
            Self::Microseconds => stamp(text).is_some(),
            Self::Text => true,
        }
    }

    /// Whether what is shown of a value is the value of the text.
    pub(super) fn is_shown(self, text: &str, shown: &str) -> bool {
        match self {
            Self::Double => {
                let (value, shown): (f64, f64) = (text.parse().unwrap(), shown.parse().unwrap());
                value == shown || value.is_nan() && shown.is_nan()
            }
            Self::Nanoseconds | Self::Microseconds => stamp(text) == stamp(shown),
            _ => text == shown,
        }
    }
}

fn is_no_number(cell: &Cell) -> bool {
    matches!(cell.text(), Some("NaN" | "Infinity" | "-Infinity"))
}

fn stamp(text: &str) -> Option<NaiveDateTime> {
    let text = text.replacen('T', " ", 1);
    if text.len() == 10 {
        let date = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok()?;
        return date.and_hms_opt(0, 0, 0);
    }
    let formats = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    let mut read = formats
        .iter()
        .map(|format| NaiveDateTime::parse_from_str(&text, format));
    read.find_map(Result::ok)
}
