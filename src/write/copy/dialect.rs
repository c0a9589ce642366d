//! How a CSV file is written: what stands between fields, around them, and in front of a comment.

use std::path::Path;

use super::options::{CopyOptions, FileCompression};
use crate::error::{Error, Result};

/// The bytes that have a meaning in a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CsvDialect {
    /// Between fields.
    pub(super) delimiter: u8,
    /// Around a field, if anything is.
    pub(super) quote: Option<u8>,
    /// In front of a quote within a field, besides a second quote.
    pub(super) escape: Option<u8>,
    /// In front of a line that is a comment.
    pub(super) comment: Option<u8>,
}

impl Default for CsvDialect {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: Some(b'"'),
            escape: None,
            comment: None,
        }
    }
}

impl CsvDialect {
    /// That of a file, by the options, and where they do not say it by its name.
    ///
    /// # Errors
    /// `InvalidInput` for a character that cannot have this meaning, or has two.
    pub(super) fn of(options: &CopyOptions, path: &Path) -> Result<Self> {
        let by_name = if options.is_text || is_tabbed(path) {
            '\t'
        } else {
            ','
        };
        let quote = options.quote.unwrap_or('"');
        let delimiter = byte("DELIMITER", options.delimiter.unwrap_or(by_name))?;
        let quote = optional("QUOTE", Some(quote))?;
        let escape = optional("ESCAPE", options.escape)?.filter(|escape| Some(*escape) != quote);
        let comment = optional("COMMENT", options.comment)?;
        let all = [Some(delimiter), quote, escape, comment];
        let mut given = all.iter().flatten().enumerate();
        let twice = given.find(|(place, byte)| {
            let mut others = all.iter().flatten().skip(place + 1);
            others.any(|other| other == *byte)
        });
        if let Some((_, twice)) = twice {
            return Err(Error::invalid(format!(
                "DELIMITER, QUOTE, ESCAPE and COMMENT must differ: two of them are {:?}",
                char::from(*twice)
            )));
        }
        Ok(Self {
            delimiter,
            quote,
            escape,
            comment,
        })
    }
}

/// What stands between the fields of a file.
///
/// # Errors
/// `InvalidInput` where it is no ASCII character, a quote or an end of line.
pub fn delimiter_byte(options: &CopyOptions, path: &Path) -> Result<u8> {
    Ok(CsvDialect::of(options, path)?.delimiter)
}

/// Whether tabs stand between the fields of a file by its name: `x.tsv`, `x.tsv.gz`.
pub(super) fn is_tabbed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut extensions = name.rsplit('.');
    let last = extensions.next().unwrap_or_default();
    let extension = match FileCompression::of_extension(last) {
        Some(_) => extensions.next().unwrap_or_default(),
        None => last,
    };
    extension.eq_ignore_ascii_case("tsv")
}

/// The byte of a character; none of `\0`, which stands for no character.
fn optional(option: &str, character: Option<char>) -> Result<Option<u8>> {
    let given = character.filter(|character| *character != '\0');
    given.map(|character| byte(option, character)).transpose()
}

fn byte(option: &str, character: char) -> Result<u8> {
    let possible = character.is_ascii() && !matches!(character, '\n' | '\r' | '\0');
    match u8::try_from(character) {
        Ok(byte) if possible => Ok(byte),
        _ => Err(Error::invalid(format!(
            "{option} {character:?} is not possible: one ASCII character is, other than an end of line"
        ))),
    }
}
