//! On which line of a CSV file each record starts.
//!
//! A CSV reader says where it stood before it looked for a record: at the end of the line before, or at empty lines
//! that it skips. This one looks at the bytes as they pass and notes the true line, by the reader's own rules: records
//! end at `\n`, `\r` or both outside of quotes; empty lines are none; a quote opens a field only at its start.

use std::collections::VecDeque;
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
}

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
    pub(super) fn new(inner: R, delimiter: u8) -> Self {
        Self {
            inner,
            delimiter,
            state: State::Record,
            line: 1,
            after_return: false,
            starts: VecDeque::new(),
            quote: 0,
            ended: false,
        }
    }

    /// The line on which the next record starts; asked once for each record that was read.
    pub(super) fn next_start(&mut self) -> u64 {
        self.starts.pop_front().unwrap_or(self.line)
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
        let end_of_line = matches!(byte, b'\n' | b'\r');
        self.state = match self.state {
            State::Record if end_of_line => State::Record,
            State::Record => {
                self.starts.push_back(self.line);
                self.in_field(byte)
            }
            State::Field => self.in_field(byte),
            State::Quoted if byte == b'"' => State::Quote,
            State::Quoted => State::Quoted,
            State::Quote if byte == b'"' => State::Quoted,
            State::Bare | State::Quote if end_of_line => State::Record,
            State::Bare | State::Quote if byte == self.delimiter => State::Field,
            State::Bare | State::Quote => State::Bare,
        };
        self.line += u64::from(end_of_line);
    }

    /// The state after the first byte of a field.
    fn in_field(&mut self, byte: u8) -> State {
        match byte {
            b'"' => {
                self.quote = self.line;
                State::Quoted
            }
            b'\n' | b'\r' => State::Record,
            byte if byte == self.delimiter => State::Field,
            _ => State::Bare,
        }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.ended = count == 0 && !buffer.is_empty();
        buffer.iter().take(count).for_each(|byte| self.pass(*byte));
        Ok(count)
    }
}
