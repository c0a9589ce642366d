//! Rows in PostgreSQL's text format: a line each, of fields between tabs, as a dump has them behind `COPY … FROM stdin`.
//!
//! `\N` is NULL, `\t`, `\n` and the like are what they are in C, and a backslash in front of anything else is not there. `\.`
//! ends the rows.

use std::io::{self, BufRead, Read};

use ::csv::ByteRecord;

use super::lines::TooLong;

/// What ends the rows.
const END: &[u8] = b"\\.";

/// The rows of a file.
pub(super) struct TextRows {
    bytes: Box<dyn BufRead + Send>,
    delimiter: u8,
    null: Vec<u8>,
    /// The line that is read next, and that on which the row begins that was read last.
    next: u64,
    line: u64,
    most: usize,
    row: Vec<u8>,
    /// For each field of the row that was read last whether it is NULL.
    nulls: Vec<bool>,
}

impl TextRows {
    /// The rows of these bytes, of which none has more than `most`.
    pub(super) fn new(
        bytes: Box<dyn BufRead + Send>,
        delimiter: u8,
        null: &str,
        line: u64,
        most: usize,
    ) -> Self {
        Self {
            bytes,
            delimiter,
            null: null.as_bytes().to_vec(),
            next: line,
            line,
            most,
            row: Vec::new(),
            nulls: Vec::new(),
        }
    }

    /// Reads the fields of the next row; false behind the last.
    pub(super) fn read(&mut self, record: &mut ByteRecord) -> io::Result<bool> {
        record.clear();
        self.nulls.clear();
        self.row.clear();
        self.line = self.next;
        if !self.read_line()? || self.row == END {
            return Ok(false);
        }
        // A backslash at the end of a line goes on with the next.
        while self
            .row
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count()
            % 2
            == 1
        {
            self.row.pop();
            self.row.push(b'\n');
            if !self.read_line()? {
                break;
            }
        }
        for field in fields(&self.row, self.delimiter) {
            let is_null = field == self.null;
            self.nulls.push(is_null);
            if is_null {
                record.push_field(b"")
            } else {
                record.push_field(&unescaped(field))
            }
        }
        Ok(true)
    }

    /// The line on which the row begins that was read last.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether a field of the row that was read last is an empty text, and not NULL.
    pub(super) fn is_text(&self, place: usize) -> bool {
        self.nulls.get(place) == Some(&false)
    }

    /// Appends a line without its end; false where there is none.
    fn read_line(&mut self) -> io::Result<bool> {
        let most = self.most.saturating_sub(self.row.len()) as u64;
        let read = (&mut self.bytes)
            .take(most + 2)
            .read_until(b'\n', &mut self.row)?;
        self.next += 1;
        if self.row.last() == Some(&b'\n') {
            self.row.pop();
            if self.row.last() == Some(&b'\r') {
                self.row.pop();
            }
        }
        if self.row.len() > self.most {
            let error = TooLong::at(self.line, self.most);
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        Ok(read > 0)
    }
}

/// What stands between delimiters that have no backslash in front of them.
fn fields(row: &[u8], delimiter: u8) -> Vec<&[u8]> {
    let (mut fields, mut begin, mut is_escaped) = (Vec::new(), 0, false);
    for (at, byte) in row.iter().enumerate() {
        if *byte == delimiter && !is_escaped {
            fields.extend(row.get(begin..at));
            begin = at + 1;
        }
        is_escaped = *byte == b'\\' && !is_escaped;
    }
    fields.extend(row.get(begin..));
    fields
}

/// The bytes that a field stands for.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let (b'\\', Some((escaped, behind))) = (*first, behind.split_first()) else {
            bytes.push(*first);
            continue;
        };
        rest = behind;
        match escaped {
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'v' => bytes.push(11),
            b'x' => match number(rest, 16, 2) {
                Some((byte, behind)) => {
                    bytes.push(byte);
                    rest = behind;
                }
                None => bytes.push(b'x'),
            },
            b'0'..=b'7' => match number(field_from(field, rest), 8, 3) {
                Some((byte, behind)) => {
                    bytes.push(byte);
                    rest = behind;
                }
                None => bytes.push(*escaped),
            },
            other => bytes.push(*other),
        }
    }
    bytes
}

/// The field from one byte before its rest.
fn field_from<'f>(field: &'f [u8], rest: &[u8]) -> &'f [u8] {
    field
        .get(field.len() - rest.len() - 1..)
        .unwrap_or_default()
}

/// The byte of at most so many digits, and what stands behind them.
fn number(text: &[u8], base: u32, most: usize) -> Option<(u8, &[u8])> {
    let digits = text.iter().take(most);
    let count = digits
        .take_while(|byte| char::from(**byte).is_digit(base))
        .count();
    let (digits, behind) = text.split_at_checked(count)?;
    let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()?;
    // Three octal digits may be more than a byte has; PostgreSQL takes the lower bits.
    Some((u8::try_from(number & 0xff).ok()?, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &'static str) -> Vec<(u64, Vec<Option<String>>)> {
        let bytes = io::BufReader::with_capacity(3, text.as_bytes());
        let mut rows = TextRows::new(Box::new(bytes), b'\t', "\\N", 5, 100);
        let (mut record, mut found) = (ByteRecord::new(), Vec::new());
        while rows.read(&mut record).unwrap() {
            let fields = record.iter().enumerate().map(|(place, field)| {
                let text = String::from_utf8(field.to_vec()).unwrap();
                rows.is_text(place).then_some(text)
            });
            found.push((rows.line(), fields.collect()));
        }
        found
    }

    #[test]
    fn fields_are_what_postgresql_writes() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            rows("1\ta b\t\\N\n2\t\t\\\\N\r\n\\t\\n\\x41\\101\\q\t\\\t\tx\\\ny\n\\.\nSELECT 1;\n"),
            [
                (5, vec![some("1"), some("a b"), None]),
                (6, vec![some("2"), some(""), some("\\N")]),
                (7, vec![some("\t\nAAq"), some("\t"), some("x\ny")]),
            ]
        );
        assert_eq!(rows(""), []);
        assert_eq!(rows("\n"), [(5, vec![some("")])]);
    }
}
