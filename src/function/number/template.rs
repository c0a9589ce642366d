//! `to_char(n, '9,990.00')`: numbers by the template patterns of PostgreSQL.
//!
//! A number comes as its text, so that no digit of a DECIMAL is lost. `9` is a digit, or a space in front of the first one;
//! `0` is always a digit; `FM` leaves out spaces and, behind the point, zeros for which there is a `9`.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use datafusion::common::{Result, exec_err};

/// The numbers by their templates.
pub(in crate::function) fn written(numbers: &ArrayRef, templates: &ArrayRef) -> Result<ArrayRef> {
    let rows = numbers.as_string::<i32>().iter();
    let rows = rows.zip(templates.as_string::<i32>());
    let mut known: Option<(&str, Template)> = None;
    let texts = rows.map(|both| {
        let (Some(number), Some(text)) = both else {
            return Ok(None);
        };
        if known.as_ref().is_none_or(|(of, _)| *of != text) {
            known = Some((text, Template::of(text)?));
        }
        Ok(known.as_ref().map(|(_, template)| template.write(number)))
    });
    Ok(Arc::new(texts.collect::<Result<StringArray>>()?))
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// A digit, that is always there or not.
    Digit(bool),
    Group,
    Point,
    Literal(String),
}

/// How the sign is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// In front of the first digit, a space for those that are not negative.
    Leading,
    /// In front of the first digit, also a plus.
    LeadingAlways,
    /// Behind, also a plus.
    TrailingAlways,
    /// Behind, a space for those that are not negative.
    Trailing,
    /// In angle brackets.
    Brackets,
}

#[derive(Debug)]
struct Template {
    pieces: Vec<Piece>,
    sign: Sign,
    /// Nothing is filled up.
    is_bare: bool,
    /// The places in front of the point, and those behind it.
    whole: usize,
    behind: usize,
}

impl Template {
    fn of(text: &str) -> Result<Self> {
        let mut template = Self {
            pieces: Vec::new(),
            sign: Sign::Leading,
            is_bare: false,
            whole: 0,
            behind: 0,
        };
        let mut rest = text;
        let mut has_point = false;
        while let Some(letter) = rest.chars().next() {
            let word: String = rest.chars().take(2).collect::<String>().to_uppercase();
            let (taken, piece) = match (word.as_str(), letter.to_ascii_uppercase()) {
                ("FM", _) => {
                    template.is_bare = true;
                    (2, None)
                }
                ("MI", _) => {
                    template.sign = Sign::Trailing;
                    (2, None)
                }
                ("PR", _) => {
                    template.sign = Sign::Brackets;
                    (2, None)
                }
                (_, 'S') => {
                    let is_first = template.whole == 0 && template.behind == 0;
                    template.sign = if is_first {
                        Sign::LeadingAlways
                    } else {
                        Sign::TrailingAlways
                    };
                    (1, None)
                }
                (_, digit @ ('9' | '0')) => {
                    let places = if has_point {
                        &mut template.behind
                    } else {
                        &mut template.whole
                    };
                    *places += 1;
                    (1, Some(Piece::Digit(digit == '0')))
                }
                (_, ',' | 'G') => (1, Some(Piece::Group)),
                (_, '.' | 'D') if !has_point => {
                    has_point = true;
                    (1, Some(Piece::Point))
                }
                (_, '"') => {
                    let quoted: String = rest.chars().skip(1).take_while(|it| *it != '"').collect();
                    (quoted.chars().count() + 2, Some(Piece::Literal(quoted)))
                }
                (_, other) if other.is_ascii_alphabetic() || other == '.' => {
                    return exec_err!(
                        "'{text}' is no template of to_char for numbers at `{rest}`; 9, 0, comma, point, FM, S, MI and PR are patterns"
                    );
                }
                _ => (1, Some(Piece::Literal(letter.to_string()))),
            };
            template.pieces.extend(piece);
            let end = rest
                .char_indices()
                .nth(taken)
                .map_or(rest.len(), |(end, _)| end);
            rest = rest.get(end..).unwrap_or_default();
        }
        Ok(template)
    }

    fn write(&self, number: &str) -> String {
        let Some((is_negative, whole, behind)) = rounded(number, self.behind) else {
            return number.to_owned();
        };
        // A zero in front of the point is written where nothing else is.
        let whole = match whole.as_str() {
            "0" if self.behind > 0 => "",
            whole => whole,
        };
        let is_too_long = whole.len() > self.whole;
        let mut digits = Digits {
            whole,
            behind: &behind,
            missing: self.whole.saturating_sub(whole.len()),
            has_begun: false,
            is_too_long,
        };
        let (mut head, mut blanks, mut text) = (String::new(), 0, String::new());
        let (mut whole_place, mut behind_place) = (0, 0);
        let mut is_behind = false;
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal) if whole_place + behind_place == 0 && !is_behind => {
                    head.push_str(literal);
                }
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Point => {
                    is_behind = true;
                    text.push('.');
                }
                Piece::Group if digits.has_begun => text.push(','),
                Piece::Group => blanks += 1,
                Piece::Digit(is_there) if !is_behind => {
                    match digits.whole_at(whole_place, *is_there) {
                        Some(digit) => text.push(digit),
                        None => blanks += 1,
                    }
                    whole_place += 1;
                }
                Piece::Digit(_) => {
                    if self.has_digit_behind(&behind, behind_place) {
                        text.push(digits.behind_at(behind_place));
                    }
                    behind_place += 1;
                }
            }
        }
        head + &self.signed(is_negative, blanks, &text)
    }

    /// Whether there is a digit at a place behind the point: without being filled up only to the last that is not zero.
    fn has_digit_behind(&self, behind: &str, place: usize) -> bool {
        let mut places = self
            .pieces
            .iter()
            .skip_while(|piece| **piece != Piece::Point);
        let mut places = places.by_ref().filter_map(|piece| match piece {
            Piece::Digit(is_there) => Some(*is_there),
            _ => None,
        });
        let is_wanted = places.by_ref().skip(place).any(|is_there| is_there);
        let is_zero = behind
            .get(place..)
            .is_none_or(|rest| rest.bytes().all(|it| it == b'0'));
        !self.is_bare || is_wanted || !is_zero
    }

    fn signed(&self, is_negative: bool, blanks: usize, text: &str) -> String {
        let space = if self.is_bare { "" } else { " " };
        let blanks = if self.is_bare { 0 } else { blanks };
        let blanks = " ".repeat(blanks);
        match (self.sign, is_negative) {
            (Sign::Leading | Sign::LeadingAlways, true) => format!("{blanks}-{text}"),
            (Sign::Leading, false) => format!("{blanks}{space}{text}"),
            (Sign::LeadingAlways, false) => format!("{blanks}+{text}"),
            (Sign::TrailingAlways | Sign::Trailing, true) => format!("{blanks}{text}-"),
            (Sign::TrailingAlways, false) => format!("{blanks}{text}+"),
            (Sign::Trailing, false) => format!("{blanks}{text}{space}"),
            (Sign::Brackets, true) => format!("{blanks}<{text}>"),
            (Sign::Brackets, false) => format!("{blanks}{space}{text}{space}"),
        }
    }
}

/// The digits of a number, for the places of a template.
struct Digits<'a> {
    whole: &'a str,
    behind: &'a str,
    /// How many places in front have none.
    missing: usize,
    has_begun: bool,
    is_too_long: bool,
}

impl Digits<'_> {
    /// The digit of a place in front of the point; `None` for a space.
    fn whole_at(&mut self, place: usize, is_there: bool) -> Option<char> {
        if self.is_too_long {
            self.has_begun = true;
            return Some('#');
        }
        let digit = match place.checked_sub(self.missing) {
            Some(place) => self.whole.chars().nth(place),
            None => (is_there || self.has_begun).then_some('0'),
        };
        self.has_begun |= digit.is_some();
        digit
    }

    fn behind_at(&self, place: usize) -> char {
        if self.is_too_long {
            '#'
        } else {
            self.behind.chars().nth(place).unwrap_or('0')
        }
    }
}

/// Whether a number is negative, and its digits in front of the point and so many behind it; `None` of NaN and infinity.
fn rounded(number: &str, behind: usize) -> Option<(bool, String, String)> {
    let plain = if number.contains(['e', 'E']) {
        format!("{:.20}", number.parse::<f64>().ok()?)
    } else {
        number.to_owned()
    };
    let (is_negative, size) = match plain.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, plain.as_str()),
    };
    let (whole, fraction) = size.split_once('.').unwrap_or((size, ""));
    let all_digits = whole
        .bytes()
        .chain(fraction.bytes())
        .all(|it| it.is_ascii_digit());
    if !all_digits || whole.is_empty() {
        return None;
    }
    let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    digits.resize(digits.len().max(whole.len() + behind + 1), b'0');
    let kept = whole.len() + behind;
    let goes_up = digits.get(kept).is_some_and(|digit| *digit >= b'5');
    digits.truncate(kept);
    if goes_up {
        add_one(&mut digits);
    }
    let split = digits.len() - behind;
    let text = |digits: &[u8]| {
        digits
            .iter()
            .map(|digit| char::from(*digit))
            .collect::<String>()
    };
    let (whole, fraction) = digits.split_at_checked(split)?;
    let whole = text(whole);
    let whole = match whole.trim_start_matches('0') {
        "" => "0".to_owned(),
        whole => whole.to_owned(),
    };
    let is_zero = digits.iter().all(|digit| *digit == b'0');
    Some((is_negative && !is_zero, whole, text(fraction)))
}

/// The next number, of as many digits or of one more.
fn add_one(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use crate::function::tests::check;

    /// The table of PostgreSQL's documentation, and what PostgreSQL 16 gives.
    #[tokio::test]
    async fn numbers_are_written_by_templates() {
        check(&[
            ("to_char(-0.1, '99.99')", "  -.10"),
            ("to_char(-0.1, 'FM9.99')", "-.1"),
            ("to_char(-0.1, 'FM90.99')", "-0.1"),
            ("to_char(0.1, '0.9')", " 0.1"),
            ("to_char(12, '9990999.9')", "    0012.0"),
            ("to_char(12, 'FM9990999.9')", "0012."),
            ("to_char(485, '999')", " 485"),
            ("to_char(-485, '999')", "-485"),
            ("to_char(485, '9 9 9')", " 4 8 5"),
            ("to_char(1485, '9,999')", " 1,485"),
            ("to_char(148.5, '999.999')", " 148.500"),
            ("to_char(148.5, 'FM999.999')", "148.5"),
            ("to_char(148.5, 'FM999.990')", "148.500"),
            ("to_char(3148.5, '9G999D999')", " 3,148.500"),
            ("to_char(-485, '999S')", "485-"),
            ("to_char(485, 'S999')", "+485"),
            ("to_char(-485, '999MI')", "485-"),
            ("to_char(485, '999MI')", "485 "),
            ("to_char(485, 'FM999MI')", "485"),
            ("to_char(-485, '999PR')", "<485>"),
            ("to_char(485, '\"Good number:\"999')", "Good number: 485"),
            ("to_char(0, '999')", "   0"),
            ("to_char(0, '9.99')", "  .00"),
            ("to_char(12345, '999')", " ###"),
            ("to_char(1234567.891, 'FM9,999,999.00')", "1,234,567.89"),
            ("to_char(12, '9,999')", "    12"),
            ("to_char(9.995, '99.99')", " 10.00"),
            ("to_char(1e3, 'FM9990')", "1000"),
            ("to_char(CAST('NaN' AS DOUBLE), '99')", "NaN"),
            ("to_char(NULL::INT, '99')", "NULL"),
            (
                "to_char(12, '99th')",
                "error: is no template of to_char for numbers at `th`",
            ),
        ])
        .await;
    }
}
