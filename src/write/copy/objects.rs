//! Cuts a JSON file into its objects, each with the line on which it starts.
//!
//! They stand one on each line, one behind the other, or in one array. What is inside of an object is looked at as far as
//! is needed to find its end: quotes, and braces outside of them.

use std::fmt;
use std::io::{self, BufRead};

use super::files::SourceFile;
use super::lines::TooLong;
use crate::error::Error;

/// The bytes that some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// The objects of a file.
pub(super) struct Objects<R> {
    bytes: R,
    line: u64,
    most: usize,
    place: Place,
}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing has come yet.
    Start,
    /// Objects, one behind the other.
    Rows,
    /// An object of an array.
    Array {
        behind_comma: bool,
        behind_object: bool,
    },
    /// Nothing but white space.
    End,
}

/// Why there is no next object.
#[derive(Debug)]
pub(super) enum Problem {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// Something else stands there.
    Wrong(u64, String),
}

impl Problem {
    pub(super) fn into_error(self, source: &SourceFile) -> Error {
        match self {
            Self::Unreadable(error) => source.unreadable(error),
            Self::Wrong(line, problem) => {
                Error::invalid(problem).at_row(format_args!("{source} line {line}"))
            }
        }
    }
}

impl<R: BufRead> Objects<R> {
    /// The objects of these bytes, none of which has more than `most`.
    pub(super) fn new(bytes: R, most: usize) -> Self {
        Self {
            bytes,
            line: 1,
            most,
            place: Place::Start,
        }
    }

    /// Appends the text of the next object, and says on which line it starts; `None` behind the last.
    pub(super) fn next(&mut self, text: &mut Vec<u8>) -> Result<Option<u64>, Problem> {
        loop {
            if self.place == Place::Start {
                self.skip_mark()?;
            }
            let Some(byte) = self.peek()? else {
                return self.at_end();
            };
            self.place = match (byte, self.place) {
                (b' ' | b'\t' | b'\r' | b'\n', place) => {
                    self.line += u64::from(byte == b'\n');
                    // White space does not tell what the file is.
                    place
                }
                (b'[', Place::Start) => Place::Array {
                    behind_comma: false,
                    behind_object: false,
                },
                (
                    b']',
                    Place::Array {
                        behind_comma: false,
                        ..
                    },
                ) => Place::End,
                (
                    b',',
                    Place::Array {
                        behind_comma: false,
                        behind_object: true,
                    },
                ) => Place::Array {
                    behind_comma: true,
                    behind_object: false,
                },
                (b'{', Place::Start | Place::Rows) => {
                    self.place = Place::Rows;
                    return self.object(text).map(Some);
                }
                (
                    b'{',
                    Place::Array {
                        behind_object: false,
                        ..
                    },
                ) => {
                    self.place = Place::Array {
                        behind_comma: false,
                        behind_object: true,
                    };
                    return self.object(text).map(Some);
                }
                (other, place) => return Err(self.unexpected(other, place)),
            };
            self.bytes.consume(1);
        }
    }

    fn peek(&mut self) -> Result<Option<u8>, Problem> {
        let bytes = self.bytes.fill_buf().map_err(Problem::Unreadable)?;
        Ok(bytes.first().copied())
    }

    fn skip_mark(&mut self) -> Result<(), Problem> {
        let bytes = self.bytes.fill_buf().map_err(Problem::Unreadable)?;
        if bytes.starts_with(BYTE_ORDER_MARK) {
            self.bytes.consume(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }

    fn at_end(&self) -> Result<Option<u64>, Problem> {
        match self.place {
            Place::Array { .. } => Err(Problem::Wrong(
                self.line,
                "the file ends within its array: a ] is missing".to_owned(),
            )),
            _ => Ok(None),
        }
    }

    fn unexpected(&self, byte: u8, place: Place) -> Problem {
        let found = char::from(byte).escape_debug();
        let wanted = match place {
            Place::Start | Place::Rows => "an object in braces",
            Place::Array {
                behind_object: true,
                ..
            } => "a comma or the end of the array",
            Place::Array { .. } => "an object in braces, in the array",
            Place::End => "nothing behind the array",
        };
        Problem::Wrong(
            self.line,
            format!("'{found}' stands where {wanted} is expected"),
        )
    }

    /// The object whose brace comes next.
    fn object(&mut self, text: &mut Vec<u8>) -> Result<u64, Problem> {
        let (start, begun) = (self.line, text.len());
        let mut inside = Inside::default();
        loop {
            let bytes = self.bytes.fill_buf().map_err(Problem::Unreadable)?;
            if bytes.is_empty() {
                let problem = "the file ends within an object".to_owned();
                return Err(Problem::Wrong(start, problem));
            }
            let end = bytes.iter().position(|byte| {
                self.line += u64::from(*byte == b'\n');
                inside.pass(*byte)
            });
            let count = end.map_or(bytes.len(), |end| end + 1);
            text.extend_from_slice(bytes.get(..count).unwrap_or_default());
            self.bytes.consume(count);
            if text.len() - begun > self.most {
                let error = TooLong::at(start, self.most);
                return Err(Problem::Unreadable(io::Error::new(
                    io::ErrorKind::InvalidData,
                    error,
                )));
            }
            if end.is_some() {
                return Ok(start);
            }
        }
    }
}

/// Where in an object one is.
#[derive(Debug, Default)]
struct Inside {
    depth: usize,
    is_quoted: bool,
    is_escaped: bool,
}

impl Inside {
    /// Passes a byte, and says whether it is the last.
    fn pass(&mut self, byte: u8) -> bool {
        if self.is_escaped {
            self.is_escaped = false;
            return false;
        }
        match byte {
            b'\\' if self.is_quoted => self.is_escaped = true,
            b'"' => self.is_quoted = !self.is_quoted,
            b'{' if !self.is_quoted => self.depth += 1,
            b'}' if !self.is_quoted => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        byte == b'}' && !self.is_quoted && self.depth == 0
    }
}

impl<R> fmt::Debug for Objects<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects")
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}
