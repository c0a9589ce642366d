//! On which line of a CSV file each record starts.
//!
//! A CSV reader says where it stood before it looked for a record: at the end of the line before, or at empty lines
//! that it skips. This one looks at the bytes as they pass and notes the true line, by the reader's own rules: records
//! end at `\n`, `\r` or both outside of quotes; empty lines are none; a quote opens a field only at its start. It also
//! notes which fields are `""`, which the reader gives as it gives an empty field without quotes, and where a field goes
//! on behind its closing quote: `"a"b"` is no field, and the reader takes it for `ab"`.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};

use super::dialect::CsvDialect;

/// Passes bytes on and notes where records start.
#[derive(Debug)]
pub(super) struct Lines<R> {
    inner: R,
    dialect: CsvDialect,
    state: State,
    line: u64,
    after_return: bool,
    starts: VecDeque<u64>,
    /// The line of the newest quote that opened a field.
    quote: u64,
    ended: bool,
    /// The place of the current field in its record.
    field: usize,
    /// Whether the quoted field that is open, or just closed, holds nothing.
    nothing: bool,
    /// The fields that are `""`: the record, counted from 1, and the place in it.
    quoted_empty: VecDeque<(u64, usize)>,
    /// What no field may have: the record, counted from 1, the line and the byte.
    strays: VecDeque<(u64, Stray)>,
    /// How many records have started.
    started: u64,
    /// How many records were asked for.
    asked: u64,
    /// The bytes of the record so far, and the most that it may have.
    record: usize,
    most: usize,
}

/// A byte that no field may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stray {
    /// The line on which it stands.
    pub(super) line: u64,
    byte: u8,
    /// Whether it stands behind an escape, and not behind a closing quote.
    is_escaped: bool,
}

impl fmt::Display for Stray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let byte = char::from(self.byte).escape_debug();
        let shown = if self.byte.is_ascii() {
            format!("'{byte}'")
        } else {
            "a letter".to_owned()
        };
        if self.is_escaped {
            write!(
                f,
                "{shown} stands behind the escape, where a quote or an escape belongs"
            )
        } else {
            write!(
                f,
                "{shown} stands behind the closing quote of a field; a quote within a field is written twice"
            )
        }
    }
}

/// A record is longer than it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong {
    /// The line on which it is noticed.
    pub(super) line: u64,
    most: usize,
}

impl TooLong {
    /// What is longer than `most`, noticed on this line.
    pub(super) fn at(line: u64, most: usize) -> Self {
        Self { line, most }
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.most;
        write!(
            f,
            "a row of more than {most} bytes, which is what halite.row_bytes allows"
        )
    }
}

impl std::error::Error for TooLong {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Record,
    Field,
    Bare,
    Quoted,
    /// After a quote in a quoted field: its end, or the first of two.
    Quote,
    /// After an escape in a quoted field.
    Escape,
    /// In a line that is a comment.
    Comment,
}

impl<R: Read> Lines<R> {
    /// Bytes from this line on, of which a record has no more than `most`.
    pub(super) fn new(inner: R, dialect: CsvDialect, line: u64, most: usize) -> Self {
        Self {
            inner,
            dialect,
            state: State::Record,
            line,
            after_return: false,
            starts: VecDeque::new(),
            quote: 0,
            ended: false,
            field: 0,
            nothing: false,
            quoted_empty: VecDeque::new(),
            strays: VecDeque::new(),
            started: 0,
            asked: 0,
            record: 0,
            most,
        }
    }

    /// The line on which the next record starts; asked once for each record that was read.
    pub(super) fn next_start(&mut self) -> u64 {
        self.asked += 1;
        self.starts.pop_front().unwrap_or(self.line)
    }

    /// The first byte of the record that was last asked for which no field may have.
    pub(super) fn stray(&mut self) -> Option<Stray> {
        let mut first = None;
        while let Some((record, stray)) = self.strays.front().copied() {
            if record > self.asked {
                break;
            }
            self.strays.pop_front();
            first = first.or((record == self.asked).then_some(stray));
        }
        first
    }

    /// Whether a field of the record that was last asked for is `""`; asked for its fields from left to right.
    pub(super) fn is_quoted_empty(&mut self, field: usize) -> bool {
        #[cfg(test)]
        if crate::fault::active(crate::fault::Fault::EmptyTextTakenForNull) {
            return false;
        }
        let asked = (self.asked, field);
        while self
            .quoted_empty
            .front()
            .is_some_and(|found| *found < asked)
        {
            self.quoted_empty.pop_front();
        }
        self.quoted_empty.front() == Some(&asked)
    }

    /// The line of a quote that is open at the end of the file, once all its records are asked for.
    pub(super) fn open_quote(&self) -> Option<u64> {
        let is_open = matches!(self.state, State::Quoted | State::Escape);
        let open = self.ended && is_open && self.starts.is_empty();
        open.then_some(self.quote)
    }

    fn pass(&mut self, byte: u8) {
        if byte == b'\n' && self.after_return {
            // The second half of one end of line; a comment ends with it.
            self.after_return = false;
            if self.state == State::Comment {
                self.state = State::Record;
            }
            return;
        }
        self.after_return = byte == b'\r';
        self.record = match self.state {
            State::Record => 1,
            _ => self.record + 1,
        };
        let end_of_line = matches!(byte, b'\n' | b'\r');
        let (is_quote, is_escape) = (
            self.dialect.quote == Some(byte),
            self.dialect.escape == Some(byte),
        );
        self.state = match self.state {
            State::Record if end_of_line => State::Record,
            State::Record if self.dialect.comment == Some(byte) => State::Comment,
            State::Record => {
                self.starts.push_back(self.line);
                self.started += 1;
                self.field = 0;
                self.in_field(byte)
            }
            State::Comment if byte == b'\n' => State::Record,
            State::Comment => State::Comment,
            State::Field => self.in_field(byte),
            State::Quoted if is_quote => State::Quote,
            State::Quoted if is_escape => self.go_on(State::Escape),
            State::Quoted => self.go_on(State::Quoted),
            State::Escape => {
                if !is_quote && !is_escape {
                    self.note_stray(byte, true);
                }
                State::Quoted
            }
            State::Quote if is_quote => self.go_on(State::Quoted),
            State::Bare | State::Quote if end_of_line => self.end_field(State::Record),
            State::Bare | State::Quote if byte == self.dialect.delimiter => {
                self.end_field(State::Field)
            }
            State::Quote => {
                self.note_stray(byte, false);
                self.go_on(State::Bare)
            }
            State::Bare => self.go_on(State::Bare),
        };
        self.line += u64::from(end_of_line);
    }

    fn note_stray(&mut self, byte: u8, is_escaped: bool) {
        let line = self.line;
        let stray = Stray {
            line,
            byte,
            is_escaped,
        };
        // One is enough to say what is wrong with a record.
        if self
            .strays
            .back()
            .is_none_or(|(record, _)| *record != self.started)
        {
            self.strays.push_back((self.started, stray));
        }
    }

    /// The state after the first byte of a field.
    fn in_field(&mut self, byte: u8) -> State {
        match byte {
            byte if self.dialect.quote == Some(byte) => {
                self.quote = self.line;
                self.nothing = true;
                State::Quoted
            }
            b'\n' | b'\r' => State::Record,
            byte if byte == self.dialect.delimiter => self.end_field(State::Field),
            _ => State::Bare,
        }
    }

    /// The field holds something.
    fn go_on(&mut self, next: State) -> State {
        self.nothing = false;
        next
    }

    /// The field ends before this byte.
    fn end_field(&mut self, next: State) -> State {
        if self.state == State::Quote && self.nothing {
            self.quoted_empty.push_back((self.started, self.field));
        }
        self.field += 1;
        next
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.ended = count == 0 && !buffer.is_empty();
        if self.ended && self.state == State::Quote {
            self.state = self.end_field(State::Record);
        }
        for byte in buffer.iter().take(count) {
            self.pass(*byte);
            if self.record > self.most {
                let (line, most) = (self.line, self.most);
                let error = TooLong { line, most };
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
        }
        Ok(count)
    }
}
