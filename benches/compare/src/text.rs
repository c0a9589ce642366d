//! Figures for people.

use crate::spread::Spread;

/// A number with a comma after each three digits.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The unit that a time is told in, and its seconds.
fn unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        seconds if seconds < 0.999_5e-6 => ("ns", 1e-9),
        seconds if seconds < 0.999_5e-3 => ("µs", 1e-6),
        seconds if seconds < 0.999_5 => ("ms", 1e-3),
        _ => ("s", 1.0),
    }
}

/// Three digits, or all before the point.
pub fn digits(number: f64) -> String {
    match number {
        number if number < 9.995 => format!("{number:.2}"),
        number if number < 99.95 => format!("{number:.1}"),
        number => grouped(number.round() as usize),
    }
}

/// A time.
pub fn seconds(seconds: f64) -> String {
    let (unit, size) = unit(seconds);
    let text = digits(seconds / size);
    let short = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{short} {unit}")
}

/// A median with its quartiles.
pub fn spread(spread: Spread) -> String {
    let (unit, size) = unit(spread.median);
    let [low, median, high] = [spread.low, spread.median, spread.high].map(|at| digits(at / size));
    format!("{median} {unit} ({low}–{high})")
}

/// How many times as long something takes.
pub fn times(ratio: f64) -> String {
    format!("{} times as long", digits(ratio).trim_end_matches(".0"))
}

/// Bytes in millions.
pub fn bytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [] => "none".to_owned(),
        [word] => word.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_fitting_unit() {
        let cases = [
            (1.234_5e-6, "1.23 µs"),
            (1e-5, "10 µs"),
            (12.34e-3, "12.3 ms"),
            (0.999_6e-3, "1 ms"),
            (0.123_4, "123 ms"),
            (1.5, "1.5 s"),
            (100.0, "100 s"),
        ];
        for (time, text) in cases {
            assert_eq!(seconds(time), text);
        }
        let of = Spread {
            low: 0.9e-3,
            median: 1.0e-3,
            high: 1.25e-3,
        };
        assert_eq!(spread(of), "1.00 ms (0.90–1.25)");
        assert_eq!(digits(3_953.9), "3,954");
        assert_eq!(
            (grouped(1_234_567), grouped(12)),
            ("1,234,567".to_owned(), "12".to_owned())
        );
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            (listed(&words), listed(&words[..1])),
            ("a, b and c".to_owned(), "a".to_owned())
        );
    }
}
