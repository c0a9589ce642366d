//! Text on a terminal: how wide it is, cut and padded to a width, and safe to print.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns of a terminal that `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `limit` columns; what is cut off leaves an ellipsis.
pub fn cut(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used >= limit {
            break;
        }
        kept.push(letter);
    }
    kept.push('…');
    kept
}

/// `text` cut or filled with spaces to exactly `size` columns, on the right or on the left.
pub fn fit(text: &str, size: usize, right: bool) -> String {
    let text = cut(text, size);
    let space = " ".repeat(size.saturating_sub(width(&text)));
    if right { space + &text } else { text + &space }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `2,000 rows`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// `512 B`, `44.1 kB`, `1.2 GB`: units of a thousand.
pub fn size(bytes: u64) -> String {
    let mut unit = 1_u64;
    for name in ["B", "kB", "MB", "GB"] {
        let next = unit * 1000;
        if bytes < next || name == "GB" {
            return if unit == 1 {
                format!("{bytes} B")
            } else {
                let tenths = bytes / (unit / 10);
                format!("{}.{} {name}", grouped(tenths / 10), tenths % 10)
            };
        }
        unit = next;
    }
    format!("{bytes} B")
}

/// `text` without characters that a terminal would obey: they are spelt out. Line breaks stay.
pub fn printable(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() && letter != '\n' {
            safe.extend(letter.escape_default());
        } else {
            safe.push(letter);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_and_filled_by_terminal_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        // A wide character never sticks out.
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(fit("日本語", 4, false), "日… ");
        assert_eq!(fit("7", 3, true), "  7");
        for limit in 1..8 {
            assert!(width(&cut("日a本b語c", limit)) <= limit);
        }
    }

    #[test]
    fn numbers_are_grouped() {
        let texts = [0, 999, 1_000, 336_776, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "336,776", "1,234,567"]);
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(0, "row"), "0 rows");
        let sizes = [0, 999, 1_000, 44_199, 999_999, 1_000_000, 1_234_567_890_123];
        let expected = [
            "0 B",
            "999 B",
            "1.0 kB",
            "44.1 kB",
            "999.9 kB",
            "1.0 MB",
            "1,234.5 GB",
        ];
        assert_eq!(sizes.map(size), expected);
    }

    #[test]
    fn control_characters_are_spelt_out() {
        assert_eq!(printable("a\u{1b}[31m\tb\nc"), "a\\u{1b}[31m\\tb\nc");
    }
}
