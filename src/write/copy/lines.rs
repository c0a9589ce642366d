//! On which line of a CSV file each record starts.
//!
//! A CSV reader says where it stood before it looked for a record: at the end of the line before, or at empty lines
//! that it skips. This one looks at the bytes as they pass and notes the true line, by the reader's own rules: records
//! end at `\n`, `\r` or both outside of quotes; empty lines are none; a quote opens a field only at its start. It also
//! notes which fields are `""`, which the reader gives as it gives an empty field without quotes.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};

/// Passes bytes on and notes where records start.
#[derive(Debug)]
pub(super) struct Lines<R> {
    inner: R,
    delimiter: u8,
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
    /// How many records have started.
    started: u64,
    /// How many records were asked for.
    asked: u64,
    /// The bytes of the record so far, and the most that it may have.
    record: usize,
    most: usize,
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
}

impl<R: Read> Lines<R> {
    /// Bytes with fields between `delimiter`s, of which a record has no more than `most`.
    pub(super) fn new(inner: R, delimiter: u8, most: usize) -> Self {
        Self {
            inner,
            delimiter,
            state: State::Record,
            line: 1,
            after_return: false,
            starts: VecDeque::new(),
            quote: 0,
            ended: false,
            field: 0,
            nothing: false,
            quoted_empty: VecDeque::new(),
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

    /// Where records start is of no interest.
    pub(super) fn forget_starts(&mut self) {
        self.starts.clear();
        self.quoted_empty.clear();
    }

    /// Whether a field of the record that was last asked for is `""`; asked for its fields from left to right.
    pub(super) fn is_quoted_empty(&mut self, field: usize) -> bool {
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
        let open = self.ended && self.state == State::Quoted && self.starts.is_empty();
        open.then_some(self.quote)
    }

    fn pass(&mut self, byte: u8) {
        if byte == b'\n' && self.after_return {
            // The second half of one end of line.
            self.after_return = false;
            return;
        }
        self.after_return = byte == b'\r';
        self.record = match self.state {
            State::Record => 1,
            _ => self.record + 1,
        };
        let end_of_line = matches!(byte, b'\n' | b'\r');
        self.state = match self.state {
            State::Record if end_of_line => State::Record,
            State::Record => {
                self.starts.push_back(self.line);
                self.started += 1;
                self.field = 0;
                self.in_field(byte)
            }
            State::Field => self.in_field(byte),
            State::Quoted if byte == b'"' => State::Quote,
            State::Quoted => self.go_on(State::Quoted),
            State::Quote if byte == b'"' => self.go_on(State::Quoted),
            State::Bare | State::Quote if end_of_line => self.end_field(State::Record),
            State::Bare | State::Quote if byte == self.delimiter => self.end_field(State::Field),
            State::Bare | State::Quote => self.go_on(State::Bare),
        };
        self.line += u64::from(end_of_line);
    }

    /// The state after the first byte of a field.
    fn in_field(&mut self, byte: u8) -> State {
        match byte {
            b'"' => {
                self.quote = self.line;
                self.nothing = true;
                State::Quoted
            }
            b'\n' | b'\r' => State::Record,
            byte if byte == self.delimiter => self.end_field(State::Field),
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
