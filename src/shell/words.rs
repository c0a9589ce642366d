//! The words of a statement that is still being written.
//!
//! The parser's tokenizer gives up at a text without an end; highlighting and completion cannot. Here every text falls
//! into tokens that join to the text again, and a token that lacks its end is marked.

use super::keywords::is_keyword;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// White space.
    Space,
    /// `-- …` or `/* … */`.
    Comment,
    /// A word that is one of [`super::keywords::KEYWORDS`].
    Keyword,
    /// Another word.
    Word,
    /// A name in double quotes or backticks.
    Quoted,
    /// A text in single quotes or between dollar signs.
    Text,
    /// A number, or a parameter such as `$1`.
    Number,
    /// Any other character.
    Symbol,
}

/// A token: a stretch of a text, white space and comments included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// Whether it still lacks its end: a text, a quoted name or a comment.
    pub open: bool,
}

impl Token {
    /// Its part of the text that it was cut from.
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// Whether it is neither space nor comment.
    pub fn significant(&self) -> bool {
        !matches!(self.kind, Kind::Space | Kind::Comment)
    }

    /// Whether it is this word without quotes, in whatever case, or this symbol.
    pub fn is(&self, text: &str, word: &str) -> bool {
        matches!(self.kind, Kind::Keyword | Kind::Word | Kind::Symbol)
            && self.of(text).eq_ignore_ascii_case(word)
    }

    /// The name that the token is: folded, or as it stands between quotes.
    pub fn name(&self, text: &str) -> Option<String> {
        let written = self.of(text);
        match self.kind {
            Kind::Word | Kind::Keyword => Some(written.to_lowercase()),
            Kind::Quoted => {
                let quote = written.chars().next()?;
                let inner = written.strip_prefix(quote)?;
                let inner = inner.strip_suffix(quote).unwrap_or(inner);
                let twice: String = [quote, quote].iter().collect();
                Some(inner.replace(&twice, &quote.to_string()))
            }
            _ => None,
        }
    }
}

/// Cuts a text into tokens.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let (kind, length, open) = first_token(rest);
        let mut token = Token {
            kind,
            start,
            end: start + length,
            open,
        };
        if kind == Kind::Word && is_keyword(token.of(text)) {
            token.kind = Kind::Keyword;
        }
        start = token.end;
        found.push(token);
    }
    found
}

/// The kind and the length of the first token of a text that is not empty, and whether it lacks its end.
fn first_token(text: &str) -> (Kind, usize, bool) {
    let mut letters = text.chars();
    let first = letters.next().unwrap_or(' ');
    let second = letters.next();
    let whole = |kind, length| (kind, length, false);
    match (first, second) {
        ('-', Some('-')) => whole(Kind::Comment, text.find('\n').unwrap_or(text.len())),
        ('/', Some('*')) => {
            let (length, open) = block_comment(text);
            (Kind::Comment, length, open)
        }
        ('\'', _) => closed_by(Kind::Text, '\'', text),
        ('e' | 'E', Some('\'')) => escaped(text),
        ('"' | '`', _) => closed_by(Kind::Quoted, first, text),
        ('$', Some(digit)) if digit.is_ascii_digit() => whole(
            Kind::Number,
            1 + run(text.get(1..).unwrap_or(""), |c| c.is_ascii_digit()),
        ),
        ('$', _) => dollar_quote(text),
        (digit, _) if digit.is_ascii_digit() => whole(Kind::Number, number(text)),
        ('.', Some(digit)) if digit.is_ascii_digit() => whole(Kind::Number, number(text)),
        (space, _) if space.is_whitespace() => whole(Kind::Space, run(text, char::is_whitespace)),
        (letter, _) if letter.is_alphabetic() || letter == '_' => whole(
            Kind::Word,
            run(text, |c| c.is_alphanumeric() || c == '_' || c == '$'),
        ),
        _ => whole(Kind::Symbol, first.len_utf8()),
    }
}

/// The bytes of the characters at the front that satisfy `belongs`.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}

/// `E'…'`, in which a backslash takes the quote behind it into the text.
fn escaped(text: &str) -> (Kind, usize, bool) {
    let mut letters = text.char_indices().skip(2).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '\'' if letters.next_if(|(_, next)| *next == '\'').is_none() => {
                return (Kind::Text, at + 1, false);
            }
            _ => {}
        }
    }
    (Kind::Text, text.len(), true)
}

/// A token that ends at its second quote; a quote written twice stands for itself.
fn closed_by(kind: Kind, quote: char, text: &str) -> (Kind, usize, bool) {
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != quote {
            continue;
        }
        if letters.next_if(|(_, next)| *next == quote).is_none() {
            return (kind, at + quote.len_utf8(), false);
        }
    }
    (kind, text.len(), true)
}

/// The length of a comment, which may hold others, and whether it lacks its end.
fn block_comment(text: &str) -> (usize, bool) {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return (at, false);
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    (text.len(), true)
}

/// `$tag$ … $tag$`, a parameter `$name`, or a dollar sign alone.
fn dollar_quote(text: &str) -> (Kind, usize, bool) {
    let after = text.get(1..).unwrap_or("");
    let tag = run(after, |c| c.is_alphanumeric() || c == '_');
    let Some(mark) = text.get(..tag + 2).filter(|mark| mark.ends_with('$')) else {
        let kind = if tag == 0 { Kind::Symbol } else { Kind::Number };
        return (kind, 1 + tag, false);
    };
    let body = text.get(mark.len()..).unwrap_or("");
    match body.find(mark) {
        Some(length) => (Kind::Text, length + 2 * mark.len(), false),
        None => (Kind::Text, text.len(), true),
    }
}

/// The length of a number: digits, a point, an exponent.
fn number(text: &str) -> usize {
    let digits = |at: usize| {
        at + run(text.get(at..).unwrap_or(""), |c| {
            c.is_ascii_digit() || c == '_'
        })
    };
    let mut end = digits(0);
    if text.get(end..).is_some_and(|rest| rest.starts_with('.')) {
        end = digits(end + 1);
    }
    let exponent = text.get(end..).unwrap_or("");
    if exponent.starts_with(['e', 'E']) {
        let sign = usize::from(
            exponent
                .get(1..)
                .is_some_and(|rest| rest.starts_with(['+', '-'])),
        );
        let power = digits(end + 1 + sign);
        if power > end + 1 + sign {
            end = power;
        }
    }
    end
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
