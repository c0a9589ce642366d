//! BYTEA as text: `\x` and two hexadecimal digits for each byte.

use std::borrow::Cow;

const HEX: &str = "\\x";

/// The bytes of `\x00ff`; `None` for any other text.
pub fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .strip_prefix(HEX)?
        .chars()
        .map(|digit| digit.to_digit(16)?.try_into().ok())
        .collect::<Option<_>>()?;
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => Some(high << 4 | low),
        _ => None,
    });
    pairs.collect()
}

/// The bytes that a text stands for where SQL wants a BYTEA: those of `\x00ff`, as in Postgres; the text's own where it
/// does not begin with `\x`. `None` where it does and no hexadecimal digits follow, two for each byte.
pub fn bytes_of_text(text: &str) -> Option<Cow<'_, [u8]>> {
    if text.starts_with(HEX) {
        bytes_of_hex(text).map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_bytes() {
        for (text, bytes) in [
            ("", Some(&b""[..])),
            ("\\x", Some(b"")),
            ("\\x00fF", Some(b"\x00\xff")),
            ("\\x0", None),
            ("\\x0g", None),
            ("\\x 00", None),
            ("\\x\u{661}\u{661}", None),
            ("00ff", Some(b"00ff")),
            ("\\\\x00", Some(b"\\\\x00")),
            ("\\X00", Some(b"\\X00")),
            (" \\x00", Some(b" \\x00")),
        ] {
            assert_eq!(bytes_of_text(text).as_deref(), bytes, "{text}");
            let hex = bytes.filter(|_| text.starts_with("\\x"));
            assert_eq!(bytes_of_hex(text).as_deref(), hex, "{text}");
        }
    }
}
