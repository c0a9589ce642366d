//! `format('%s has %s', name, n)` as in PostgreSQL, and `printf('%05d %.2f', n, x)` as in C and DuckDB.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, exec_datafusion_err, exec_err, plan_err};

use crate::function::declared::Declaration;

/// The widest that a place is filled up to, as the bound of these functions knows.
const WIDEST: usize = 1_000;

pub(super) static FORMAT: Declaration = Declaration {
    name: "format",
    aliases: &[],
    coerce: |types| match types {
        [] => plan_err!("format takes a text and values: format('%s has %s', name, n)"),
        types => Ok(vec![DataType::Utf8; types.len()]),
    },
    result: |_| Ok(DataType::Utf8),
    compute: |given| written(given, "format", format_piece),
};

pub(super) static PRINTF: Declaration = Declaration {
    name: "printf",
    aliases: &[],
    coerce: |types| match types {
        [] => plan_err!("printf takes a text and values: printf('%05d %s', n, name)"),
        [_, values @ ..] => {
            let values = values.iter().map(|value| match value {
                value if value.is_integer() => DataType::Int64,
                value if value.is_numeric() => DataType::Float64,
                _ => DataType::Utf8,
            });
            Ok(std::iter::once(DataType::Utf8).chain(values).collect())
        }
    },
    result: |_| Ok(DataType::Utf8),
    compute: |given| written(given, "printf", printf_piece),
};

/// A place of a template: `%-5.2f`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Piece {
    /// Which value it is, from 0, where that is said: `%2$s`.
    position: Option<usize>,
    flags: String,
    width: usize,
    precision: Option<usize>,
    letter: char,
}

/// A value of a row.
enum Value<'a> {
    Null,
    Whole(i64),
    Number(f64),
    Text(&'a str),
}

/// How a value is written in a place; `None` where the whole result is NULL.
type Writer = fn(&Piece, &Value<'_>) -> Result<Option<String>>;

/// The template of each row with its values.
fn written(given: &[ArrayRef], function: &str, write: Writer) -> Result<ArrayRef> {
    let Some((templates, values)) = given.split_first() else {
        return exec_err!("{function} is given no template");
    };
    let mut known: Option<(&str, Vec<Part>)> = None;
    let rows = templates.as_string::<i32>().iter().enumerate();
    let texts = rows.map(|(row, template)| {
        let Some(template) = template else {
            return Ok(None);
        };
        if known.as_ref().is_none_or(|(of, _)| *of != template) {
            known = Some((template, parts(template, function, values.len())?));
        }
        let parts = known.iter().flat_map(|(_, parts)| parts);
        filled(parts, values, row, function, write)
    });
    Ok(Arc::new(texts.collect::<Result<StringArray>>()?))
}

/// A part of a template.
enum Part {
    Literal(String),
    Place(Piece),
}

fn parts(template: &str, function: &str, values: usize) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('%') {
        literal.push_str(before);
        if let Some(behind) = behind.strip_prefix('%') {
            literal.push('%');
            rest = behind;
            continue;
        }
        let Some((piece, behind)) = piece(behind) else {
            return exec_err!(
                "'{template}' is no template of {function} at `%{behind}`; a percent sign is written %%"
            );
        };
        parts.push(Part::Literal(std::mem::take(&mut literal)));
        parts.push(Part::Place(piece));
        rest = behind;
    }
    if parts.is_empty() && values > 0 && template.contains('{') {
        return exec_err!(
            "'{template}' has no place for a value; {function} writes them as %s, and not as {{}}"
        );
    }
    literal.push_str(rest);
    parts.push(Part::Literal(literal));
    Ok(parts)
}

/// The place behind a percent sign, and what stands behind it.
fn piece(text: &str) -> Option<(Piece, &str)> {
    let mut piece = Piece::default();
    let (position, behind) = number(text);
    let mut rest = text;
    if let (Some(position), Some(behind)) = (position, behind.strip_prefix('$')) {
        piece.position = Some(position.checked_sub(1)?);
        rest = behind;
    }
    let behind = rest.trim_start_matches(['-', '+', ' ', '0', '#', ',']);
    piece.flags = rest.strip_suffix(behind)?.to_owned();
    let (width, behind) = number(behind);
    piece.width = width.unwrap_or_default();
    rest = behind;
    if let Some(behind) = rest.strip_prefix('.') {
        let (precision, behind) = number(behind);
        piece.precision = Some(precision.unwrap_or_default());
        rest = behind;
    }
    let is_narrow = piece.width <= WIDEST && piece.precision.unwrap_or_default() <= WIDEST;
    // What C says of the size of a number says nothing here.
    let rest = rest.trim_start_matches(['l', 'h']);
    let mut letters = rest.chars();
    piece.letter = letters.next().filter(|_| is_narrow)?;
    Some((piece, letters.as_str()))
}

fn number(text: &str) -> (Option<usize>, &str) {
    let behind = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = text.strip_suffix(behind).unwrap_or_default();
    (digits.parse().ok(), behind)
}

fn filled<'a>(
    parts: impl Iterator<Item = &'a Part>,
    values: &[ArrayRef],
    row: usize,
    function: &str,
    write: Writer,
) -> Result<Option<String>> {
    let mut text = String::new();
    let mut next = 0;
    for part in parts {
        let piece = match part {
            Part::Literal(literal) => {
                text.push_str(literal);
                continue;
            }
            Part::Place(piece) => piece,
        };
        let position = piece.position.unwrap_or(next);
        next = position + 1;
        let Some(values) = values.get(position) else {
            return exec_err!("{function} is given too few values: there is no value {next}");
        };
        match write(piece, &value(values, row))? {
            Some(written) => pad(&mut text, &written, piece),
            None => return Ok(None),
        }
    }
    Ok(Some(text))
}

fn value(values: &ArrayRef, row: usize) -> Value<'_> {
    if values.is_null(row) {
        return Value::Null;
    }
    match values.data_type() {
        DataType::Int64 => Value::Whole(values.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Number(values.as_primitive::<Float64Type>().value(row)),
        _ => Value::Text(values.as_string::<i32>().value(row)),
    }
}

fn pad(text: &mut String, written: &str, piece: &Piece) {
    let missing = piece.width.saturating_sub(written.chars().count());
    if piece.flags.contains('-') {
        text.push_str(written);
        text.extend(std::iter::repeat_n(' ', missing));
    } else {
        text.extend(std::iter::repeat_n(' ', missing));
        text.push_str(written);
    }
}

/// `%s`, `%I` a name and `%L` a literal of SQL, as in PostgreSQL; NULL is an empty text, and NULL in `%L`.
fn format_piece(piece: &Piece, value: &Value<'_>) -> Result<Option<String>> {
    let text = match value {
        Value::Text(text) => Some(*text),
        _ => None,
    };
    let written = match (piece.letter, text) {
        ('s', text) => text.unwrap_or_default().to_owned(),
        ('I', Some(name)) => identifier(name),
        ('I', None) => return exec_err!("format: NULL is no name for %I"),
        ('L', Some(text)) => format!("'{}'", text.replace('\'', "''")),
        ('L', None) => "NULL".to_owned(),
        (other, _) => {
            return exec_err!(
                "format: %{other} is unknown; %s, %I and %L are; printf knows %d and %f"
            );
        }
    };
    Ok(Some(written))
}

/// A name as SQL writes it, in quotes where it needs them.
fn identifier(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let begins_so = name.starts_with(is_plain);
    if begins_so && name.chars().all(|it| is_plain(it) || it.is_ascii_digit()) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// A value as C writes it; NULL makes the whole result NULL, as in DuckDB.
fn printf_piece(piece: &Piece, value: &Value<'_>) -> Result<Option<String>> {
    let wrong = |what: &str| exec_datafusion_err!("printf: %{} takes {what}", piece.letter);
    Ok(Some(match (piece.letter, value) {
        (_, Value::Null) => return Ok(None),
        ('s', value) => {
            let text = match value {
                Value::Whole(number) => number.to_string(),
                Value::Number(number) => number.to_string(),
                Value::Text(text) => (*text).to_owned(),
                Value::Null => String::new(),
            };
            text.chars()
                .take(piece.precision.unwrap_or(usize::MAX))
                .collect()
        }
        ('d' | 'i' | 'u', Value::Whole(number)) => {
            signed(piece, *number < 0, number.unsigned_abs().to_string())
        }
        ('x', Value::Whole(number)) => signed(piece, false, format!("{number:x}")),
        ('X', Value::Whole(number)) => signed(piece, false, format!("{number:X}")),
        ('o', Value::Whole(number)) => signed(piece, false, format!("{number:o}")),
        ('c', Value::Whole(code)) => {
            let letter = u32::try_from(*code).ok().and_then(char::from_u32);
            let letter = letter.ok_or_else(|| wrong("the number of a letter"))?;
            letter.to_string()
        }
        ('d' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c', _) => return Err(wrong("a whole number")),
        ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Value::Whole(number)) => float(piece, *number as f64),
        ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Value::Number(number)) => float(piece, *number),
        ('f' | 'F' | 'e' | 'E' | 'g' | 'G', _) => return Err(wrong("a number")),
        (other, _) => return exec_err!("printf: %{other} is unknown"),
    }))
}

/// Digits with their sign, and zeros up to the width where they are wanted.
fn signed(piece: &Piece, is_negative: bool, digits: String) -> String {
    let sign = match is_negative {
        true => "-",
        false if piece.flags.contains('+') => "+",
        false if piece.flags.contains(' ') => " ",
        false => "",
    };
    let digits = if piece.flags.contains(',') {
        grouped(&digits)
    } else {
        digits
    };
    let is_filled = piece.flags.contains('0') && !piece.flags.contains('-');
    let width = if is_filled { piece.width } else { 0 };
    let missing = width.saturating_sub(sign.len() + digits.len());
    format!("{sign}{}{digits}", "0".repeat(missing))
}

/// Digits with a comma in front of every three.
fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

fn float(piece: &Piece, number: f64) -> String {
    let size = number.abs();
    let digits = piece.precision.unwrap_or(6);
    if !number.is_finite() {
        return number.to_string().to_lowercase();
    }
    let mut text = match piece.letter.to_ascii_lowercase() {
        'e' => exponent(size, digits),
        'g' => general(size, digits.max(1)),
        _ => format!("{size:.digits$}"),
    };
    if piece.letter.is_ascii_uppercase() {
        text = text.to_uppercase();
    }
    signed(piece, number.is_sign_negative(), text)
}

/// `1.5e+02`.
fn exponent(size: f64, digits: usize) -> String {
    let text = format!("{size:.digits$e}");
    let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', power),
    };
    format!("{number}e{sign}{power:0>2}")
}

/// The shorter of both forms, with so many digits in all and no zeros behind.
fn general(size: f64, digits: usize) -> String {
    let scientific = exponent(size, digits - 1);
    let (number, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i64 = power.parse().unwrap_or_default();
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    let most = i64::try_from(digits).unwrap_or(i64::MAX);
    match usize::try_from(most - 1 - power) {
        Ok(behind) if power >= -4 => trimmed(&format!("{size:.behind$}")),
        _ => {
            let power = scientific.get(number.len()..).unwrap_or_default();
            format!("{}{power}", trimmed(number))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::function::tests::check;

    /// What PostgreSQL 16 gives.
    #[tokio::test]
    async fn format_writes_texts_names_and_literals() {
        check(&[
            ("format('%s has %s', 'Bob', 5000.00)", "Bob has 5000.00"),
            ("format('%2$s-%1$s-%s', 'a', 'b')", "b-a-b"),
            ("format('%-5s|%5s|', 'ab', 'cd')", "ab   |   cd|"),
            (
                "format('100%% %I %L', 'My col', 'it''s')",
                "100% \"My col\" 'it''s'",
            ),
            ("format('[%s] %L', NULL, NULL)", "[] NULL"),
            ("format(NULL, 1)", "NULL"),
            ("format('plain')", "plain"),
            ("format('%s')", "error: there is no value 1"),
            ("format('%d', 1)", "error: %d is unknown"),
            ("format('{} b', 1)", "error: writes them as %s"),
            ("format('50%')", "error: no template of format at `%`"),
            (
                "format('%s!', x) FROM (VALUES ('a'), ('b')) AS t (x)",
                "a!\nb!",
            ),
        ])
        .await;
    }

    /// What C gives.
    #[tokio::test]
    async fn printf_writes_numbers() {
        check(&[
            (
                "printf('%d|%5d|%-5d|%05d|%+d', 42, 42, 42, -42, 42)",
                "42|   42|42   |-0042|+42",
            ),
            ("printf('%x %X %o %c', 255, 255, 8, 65)", "ff FF 10 A"),
            (
                "printf('%f %.2f %8.1f|', 1.5, 2.345, 3.14)",
                "1.500000 2.35      3.1|",
            ),
            ("printf('%.2f', 1000)", "1000.00"),
            ("printf('%,d', 1234567)", "1,234,567"),
            ("printf('%e %.1E', 1234.5, 0.00012)", "1.234500e+03 1.2E-04"),
            (
                "printf('%g %g %g', 0.0001, 1e10, 100.0)",
                "0.0001 1e+10 100",
            ),
            ("printf('%s %.2s', 1.5, 'abc')", "1.5 ab"),
            ("printf('%d', NULL)", "NULL"),
            ("printf('%d', 'x')", "error: %d takes a whole number"),
            ("printf('%d', 1.5)", "error: %d takes a whole number"),
            ("printf('%q', 1)", "error: %q is unknown"),
            ("printf('%99999d', 1)", "error: is no template of printf"),
        ])
        .await;
    }
}
