//! JSON as it stands in a text: where a value begins and ends, and what it is.
//!
//! Nothing is copied and no number is read, so that what is taken out of a document is written as it was there. The grammar
//! is that of RFC 8259; of two members of one name the last counts, as in PostgreSQL.

use std::borrow::Cow;

/// How deep values may be nested.
const MOST_LEVELS: usize = 200;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A text in quotes.
    Text,
    /// Values in square brackets.
    List,
    /// Names with values, in braces.
    Object,
}

/// A value, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<'a> {
    /// What it is.
    pub kind: JsonKind,
    /// Its text, from the first byte to the last.
    pub text: &'a str,
}

/// A member of an object: its name, and its value.
pub type JsonMember<'a> = (Cow<'a, str>, Json<'a>);

/// The place of the first byte that does not belong there.
#[derive(Debug, PartialEq, Eq)]
pub struct MalformedJson(pub usize);

impl<'a> Json<'a> {
    /// The one value of a text.
    ///
    /// # Errors
    /// The place of what is no JSON.
    pub fn of(text: &'a str) -> Result<Self, MalformedJson> {
        let mut scanner = Scanner {
            text,
            at: 0,
            levels: 0,
        };
        let value = scanner.value()?;
        scanner.skip_space();
        if scanner.at == text.len() {
            Ok(value)
        } else {
            Err(MalformedJson(scanner.at))
        }
    }

    /// The values of a list; `None` of what is none.
    pub fn items(self) -> Option<Vec<Self>> {
        if self.kind != JsonKind::List {
            return None;
        }
        let mut items = Vec::new();
        let mut scanner = Scanner::inside(self.text);
        scanner.list(&mut |item| items.push(item)).ok()?;
        Some(items)
    }

    /// The names and values of the one object that a text is; `None` of a text that is another value.
    ///
    /// # Errors
    /// The place of what is no JSON.
    pub fn members_of(text: &'a str) -> Result<Option<Vec<JsonMember<'a>>>, MalformedJson> {
        if !text.starts_with('{') {
            return Self::of(text).map(|_| None);
        }
        let mut members = Vec::new();
        let mut scanner = Scanner::inside(text);
        scanner.object(&mut |name, value| members.push((unescaped(name), value)))?;
        scanner.skip_space();
        if scanner.at == text.len() {
            Ok(Some(members))
        } else {
            Err(MalformedJson(scanner.at))
        }
    }

    /// The names and values of an object; `None` of what is none.
    pub fn members(self) -> Option<Vec<JsonMember<'a>>> {
        if self.kind != JsonKind::Object {
            return None;
        }
        let mut members = Vec::new();
        let mut scanner = Scanner::inside(self.text);
        let object = scanner.object(&mut |name, value| members.push((unescaped(name), value)));
        object.ok()?;
        Some(members)
    }

    /// What a text says, and any other value as it is written; `None` for null.
    pub fn as_text(self) -> Option<Cow<'a, str>> {
        match self.kind {
            JsonKind::Null => None,
            JsonKind::Text => Some(unescaped(self.text)),
            _ => Some(Cow::Borrowed(self.text)),
        }
    }

    /// Whether a text names half of a letter, `\ud83d` without the other half, for which no text has a letter.
    pub fn has_half_a_letter(self) -> bool {
        let is_possible = self.kind == JsonKind::Text && self.text.contains("\\u");
        is_possible && unescape(self.text).1
    }
}

/// What a text in its quotes says.
fn unescaped(quoted: &str) -> Cow<'_, str> {
    unescape(quoted).0
}

/// What a text in its quotes says, and whether it names half of a letter.
fn unescape(quoted: &str) -> (Cow<'_, str>, bool) {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return (Cow::Borrowed(inner), false);
    }
    let mut has_half = false;
    let mut text = String::with_capacity(inner.len());
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let letter = code_point(&mut letters);
                has_half |= letter.is_none();
                text.push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => text.push(other),
            None => {}
        }
    }
    (Cow::Owned(text), has_half)
}

/// The letter of four digits, or of eight that are a pair; `None` for half a pair.
fn code_point(letters: &mut std::str::Chars<'_>) -> Option<char> {
    let unit = |letters: &mut std::str::Chars<'_>| {
        let digits = letters.as_str().get(..4)?;
        let unit = u32::from_str_radix(digits, 16).ok()?;
        *letters = letters.as_str().get(4..)?.chars();
        Some(unit)
    };
    let first = unit(letters)?;
    if !(0xD800..0xDC00).contains(&first) {
        return char::from_u32(first);
    }
    let mut ahead = letters.clone();
    let is_pair = ahead.next() == Some('\\') && ahead.next() == Some('u');
    let second = is_pair.then(|| unit(&mut ahead)).flatten();
    match second {
        Some(second @ 0xDC00..0xE000) => {
            *letters = ahead;
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            char::from_u32(code)
        }
        _ => None,
    }
}

/// Goes through a text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    levels: usize,
}

impl<'a> Scanner<'a> {
    /// Behind the bracket that a value begins with.
    fn inside(text: &'a str) -> Self {
        Self {
            text,
            at: 1,
            levels: 1,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Result<(), MalformedJson> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(MalformedJson(self.at))
        }
    }

    fn value(&mut self) -> Result<Json<'a>, MalformedJson> {
        self.skip_space();
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => {
                self.nested(|scanner| scanner.object(&mut |_, _| {}), JsonKind::Object)?
            }
            Some(b'[') => self.nested(|scanner| scanner.list(&mut |_| {}), JsonKind::List)?,
            Some(b'"') => {
                self.string()?;
                JsonKind::Text
            }
            Some(b't') => self.word("true", JsonKind::Boolean)?,
            Some(b'f') => self.word("false", JsonKind::Boolean)?,
            Some(b'n') => self.word("null", JsonKind::Null)?,
            _ => self.number()?,
        };
        let text = self.text.get(start..self.at).ok_or(MalformedJson(start))?;
        Ok(Json { kind, text })
    }

    fn nested(
        &mut self,
        contents: impl FnOnce(&mut Self) -> Result<(), MalformedJson>,
        kind: JsonKind,
    ) -> Result<JsonKind, MalformedJson> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return Err(MalformedJson(self.at));
        }
        self.at += 1;
        contents(self)?;
        self.levels -= 1;
        Ok(kind)
    }

    /// The values of a list, behind its bracket.
    fn list(&mut self, found: &mut dyn FnMut(Json<'a>)) -> Result<(), MalformedJson> {
        self.skip_space();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            found(self.value()?);
            self.skip_space();
            if !self.take(b',') {
                return self.expect(b']');
            }
        }
    }

    /// The members of an object, behind its brace: the names in their quotes.
    fn object(&mut self, found: &mut dyn FnMut(&'a str, Json<'a>)) -> Result<(), MalformedJson> {
        self.skip_space();
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            found(name, self.value()?);
            self.skip_space();
            if !self.take(b',') {
                return self.expect(b'}');
            }
        }
    }

    /// A text in its quotes.
    fn string(&mut self) -> Result<&'a str, MalformedJson> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                Some(byte) if byte >= b' ' => self.at += 1,
                _ => return Err(MalformedJson(self.at)),
            }
        }
        self.at += 1;
        self.text.get(start..self.at).ok_or(MalformedJson(start))
    }

    fn escape(&mut self) -> Result<(), MalformedJson> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    match self.peek() {
                        Some(byte) if byte.is_ascii_hexdigit() => self.at += 1,
                        _ => return Err(MalformedJson(self.at)),
                    }
                }
                Ok(())
            }
            _ => Err(MalformedJson(self.at)),
        }
    }

    fn word(&mut self, word: &str, kind: JsonKind) -> Result<JsonKind, MalformedJson> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(MalformedJson(self.at));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn number(&mut self) -> Result<JsonKind, MalformedJson> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(JsonKind::Number)
    }

    fn digits(&mut self) -> Result<(), MalformedJson> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start {
            Ok(())
        } else {
            Err(MalformedJson(self.at))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_json_says() {
        for (text, kind) in [
            ("null", JsonKind::Null),
            (" true ", JsonKind::Boolean),
            ("-0.5e+10", JsonKind::Number),
            ("0", JsonKind::Number),
            (r#""a\"b\u00e9""#, JsonKind::Text),
            ("[1, [2], {}]", JsonKind::List),
            ("{ \"a\" : {\"b\":[]} }", JsonKind::Object),
        ] {
            let json = Json::of(text).unwrap();
            assert_eq!((json.kind, json.text), (kind, text.trim()), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_by_its_place() {
        for (text, place) in [
            ("", 0),
            ("nul", 0),
            ("01", 1),
            ("1.", 2),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("{a: 1}", 1),
            ("\"a", 2),
            ("\"\\x\"", 2),
            ("\"\t\"", 1),
            ("1 2", 2),
            ("'a'", 0),
        ] {
            assert_eq!(Json::of(text), Err(MalformedJson(place)), "{text}");
        }
        let deep = "[".repeat(MOST_LEVELS + 1) + &"]".repeat(MOST_LEVELS + 1);
        assert!(Json::of(&deep).is_err());
        assert!(Json::of(&deep[1..deep.len() - 1]).is_ok());
    }

    #[test]
    fn members_and_items_are_taken_as_they_are_written() {
        let json = Json::of(r#"{"a": 1.10, "\u0062": [ 2 , "x" ]}"#).unwrap();
        let members = json.members().unwrap();
        let shown: Vec<(&str, &str)> = members.iter().map(|(n, v)| (&**n, v.text)).collect();
        assert_eq!(shown, [("a", "1.10"), ("b", "[ 2 , \"x\" ]")]);
        let items = members[1].1.items().unwrap();
        let shown: Vec<_> = items.iter().map(|item| item.as_text().unwrap()).collect();
        assert_eq!(shown, ["2", "x"]);
        assert_eq!(json.items(), None);
    }

    #[test]
    fn escapes_are_the_letters_that_they_stand_for() {
        for (text, said) in [
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#""\u00e4\u65e5""#, "ä日"),
            (r#""\ud83d\ude00!""#, "😀!"),
            (r#""\ud83dx""#, "\u{FFFD}x"),
            (r#""\ude00""#, "\u{FFFD}"),
        ] {
            assert_eq!(unescaped(text), said, "{text}");
        }
    }
}
