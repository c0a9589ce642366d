//! Formats of dates and times, as `strftime` writes them and files have them: `%d.%m.%Y %H:%M:%S.%f`.
//!
//! Reads are strict: what is read stands in the text, and nothing of the text is left over or dropped. What strftime writes in a
//! format is read by it as the same value:
//!
//! | | |
//! |---|---|
//! | `%f` | one to nine digits behind a point that stands in the text: `5` is half a second |
//! | `%g`, `%n` | the same, of three digits and of nine |
//! | `%c`, `%x` | `%Y-%m-%d %H:%M:%S`, `%Y-%m-%d` |
//! | `%z` | `+01`, `+0100`, `+01:00` or `Z` |
//!
//! All else is as the chrono crate has it, which counts nanoseconds by `%f`: `%.f` is a point with digits or nothing.

use chrono::format::{Item, Parsed, StrftimeItems, parse_and_remainder};
use chrono::{NaiveDateTime, NaiveTime};

/// A format.
#[derive(Debug, Clone)]
pub struct TimeFormat {
    pieces: Vec<Piece>,
}

/// A piece of a format.
#[derive(Debug, Clone)]
enum Piece {
    /// What chrono reads.
    Items(Vec<Item<'static>>),
    /// Digits of a fraction, so many at most.
    Fraction(usize),
    /// A point and such digits, or nothing.
    PointAndFraction,
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenTime {
    /// The day and the time of day; midnight where there was no time.
    pub local: NaiveDateTime,
    /// Whether there was a time of day.
    pub has_time: bool,
    /// How many seconds it is ahead of UTC, where that was said.
    pub offset: Option<i32>,
}

/// The most digits of a fraction: nanoseconds.
const DIGITS: usize = 9;

impl TimeFormat {
    /// The format that a text is; `None` of one that is none.
    pub fn new(text: &str) -> Option<Self> {
        if !text.contains('%') {
            return None;
        }
        let (mut pieces, mut plain) = (Vec::new(), String::new());
        let mut rest = text;
        while let Some((before, specifier)) = rest.split_once('%') {
            plain.push_str(before);
            let letter = specifier.chars().next()?;
            let mut behind = specifier.get(letter.len_utf8()..)?;
            let fraction = match letter {
                'f' | 'n' => Piece::Fraction(DIGITS),
                'g' => Piece::Fraction(3),
                '.' if behind.starts_with('f') => {
                    behind = behind.get(1..)?;
                    Piece::PointAndFraction
                }
                _ => {
                    behind = written_out(letter, behind, &mut plain)?;
                    rest = behind;
                    continue;
                }
            };
            push_items(&mut pieces, &mut plain)?;
            pieces.push(fraction);
            rest = behind;
        }
        plain.push_str(rest);
        push_items(&mut pieces, &mut plain)?;
        Some(Self { pieces })
    }

    /// The time that a text is in this format; `None` of a text that is none.
    pub fn read(&self, text: &str) -> Option<WrittenTime> {
        let mut parsed = Parsed::new();
        let mut rest = text;
        for piece in &self.pieces {
            rest = match (piece, rest.strip_prefix('.')) {
                (Piece::Items(items), _) => {
                    parse_and_remainder(&mut parsed, rest, items.iter()).ok()?
                }
                (Piece::Fraction(most), _) => fraction(&mut parsed, rest, *most)?,
                (Piece::PointAndFraction, Some(digits)) => fraction(&mut parsed, digits, DIGITS)?,
                (Piece::PointAndFraction, None) => rest,
            };
        }
        rest.is_empty().then(|| moment(parsed)).flatten()
    }
}

/// Appends a specifier as chrono has it, and says what stands behind it.
fn written_out<'t>(letter: char, behind: &'t str, plain: &mut String) -> Option<&'t str> {
    match letter {
        'c' => plain.push_str("%Y-%m-%d %H:%M:%S"),
        'x' => plain.push_str("%Y-%m-%d"),
        'z' => plain.push_str("%#z"),
        // Digits of a fraction have no padding to be left out or changed.
        '-' | '_' | '0' if behind.starts_with(['f', 'g', 'n']) => return None,
        '-' | '_' | '0' => {
            let second = behind.chars().next()?;
            plain.extend(['%', letter, second]);
            return behind.get(second.len_utf8()..);
        }
        other => plain.extend(['%', other]),
    }
    Some(behind)
}

fn push_items(pieces: &mut Vec<Piece>, plain: &mut String) -> Option<()> {
    if plain.is_empty() {
        return Some(());
    }
    let items = StrftimeItems::new(plain).parse_to_owned().ok()?;
    pieces.push(Piece::Items(items));
    plain.clear();
    Some(())
}

/// Takes the digits behind a point, and says what stands behind them. Those that no nanosecond has must be zeros.
fn fraction<'t>(parsed: &mut Parsed, text: &'t str, most: usize) -> Option<&'t str> {
    let all = text.bytes().take_while(u8::is_ascii_digit).count();
    let count = match most {
        DIGITS => all,
        most => all.min(most),
    };
    let (digits, rest) = text.split_at_checked(count)?;
    let (kept, finer) = digits.split_at(count.min(DIGITS));
    if kept.is_empty() || finer.bytes().any(|digit| digit != b'0') {
        return None;
    }
    let nanoseconds = format!("{kept:0<9}").parse().ok()?;
    parsed.set_nanosecond(nanoseconds).ok()?;
    Some(rest)
}

/// The time of what was read.
fn moment(mut parsed: Parsed) -> Option<WrittenTime> {
    let offset = parsed.offset();
    if parsed.timestamp().is_some() {
        let local = parsed.to_naive_datetime_with_offset(offset.unwrap_or(0));
        return Some(WrittenTime {
            local: local.ok()?,
            has_time: true,
            offset,
        });
    }
    let date = parsed.to_naive_date().ok()?;
    let has_hour = parsed.hour_div_12().is_some() || parsed.hour_mod_12().is_some();
    let finer = [parsed.minute(), parsed.second(), parsed.nanosecond()];
    let has_time = has_hour || finer.iter().any(Option::is_some);
    let time = if has_time {
        // `%H` alone is an hour, and not none.
        if parsed.minute().is_none() {
            parsed.set_minute(0).ok()?;
        }
        parsed.to_naive_time().ok()?
    } else {
        NaiveTime::MIN
    };
    Some(WrittenTime {
        local: date.and_time(time),
        has_time,
        offset,
    })
}

#[cfg(test)]
#[path = "time_format_tests.rs"]
mod tests;
