//! Regular expressions, as far as ranges can say what they match.
//!
//! DataFusion matches with the crate `regex`, so its parser is asked: whether every match begins where the text begins, and
//! with which literals. `^(FRA|MUC)$` is two texts, `^ab?` what begins with `a`, `^x[0-9]+` what begins with `x`, and more
//! is asked there. The expression says no more than that where `^` and `$` stand outside of all else and nothing else
//! looks around; then whoever does not match is known, too.

use regex_syntax::Parser;
use regex_syntax::hir::literal::{Extractor, Literal};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::pattern::Pattern;

/// The most literals of an expression, which cut themselves short to be fewer: each is a range.
const MOST: usize = 128;

/// The most characters of a class that is taken apart.
const MOST_OF_CLASS: usize = 16;

/// What is asked behind a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// That the text ends.
    End,
    Nothing,
    Something,
}

/// Patterns of which one fits each text that the expression matches; a text that one of them fits, and none that
/// [asks more](Pattern::Other), is matched. `None` where nothing is known, as of an expression that is not anchored.
pub(super) fn parse(expression: &str) -> Option<Vec<Pattern>> {
    let expression = Parser::new().parse(expression).ok()?;
    let before_all = expression.properties().look_set_prefix();
    if !before_all.contains(Look::Start) {
        return None;
    }
    let behind = behind(&expression);
    let mut extractor = Extractor::new();
    extractor.limit_class(MOST_OF_CLASS).limit_total(MOST);
    let literals = extractor.extract(&expression);
    let patterns = literals.literals()?.iter();
    let patterns: Vec<Pattern> = patterns.map(|it| pattern(it, behind)).collect();
    #[cfg(any(test, feature = "testing"))]
    let patterns = if crate::fault::active(crate::fault::Fault::AlternativeForgotten) {
        patterns.into_iter().take(1).collect()
    } else {
        patterns
    };
    let wanted: Vec<Pattern> = patterns
        .iter()
        .filter(|it| !is_in_prefix(it, &patterns))
        .cloned()
        .collect();
    let says_nothing = |it: &Pattern| matches!(it, Pattern::Other(text) if text.is_empty());
    (!wanted.is_empty() && !wanted.iter().any(says_nothing)).then_some(wanted)
}

/// Patterns of which one fits each text that begins with `beginning` in whatever cases; `None` where that is any text.
pub(super) fn caseless(beginning: &str) -> Option<Vec<Pattern>> {
    if beginning.is_empty() {
        return None;
    }
    let patterns = parse(&format!("(?i)^{}", regex_syntax::escape(beginning)))?;
    let more_is_asked = |pattern| match pattern {
        Pattern::Exact(text) | Pattern::Prefix(text) => Pattern::Other(text),
        other => other,
    };
    Some(patterns.into_iter().map(more_is_asked).collect())
}

/// Whether a pattern asks more of texts than a prefix that is another alternative: `^ab*` is `^ab.*` or `^a`.
fn is_in_prefix(pattern: &Pattern, patterns: &[Pattern]) -> bool {
    let Pattern::Other(text) = pattern else {
        return false;
    };
    let is_wider = |it: &Pattern| matches!(it, Pattern::Prefix(prefix) if text.starts_with(prefix));
    patterns.iter().any(is_wider)
}

/// What is asked behind the literals of an expression, where these are all of what it asks.
fn behind(expression: &Hir) -> Behind {
    let parts = match expression.kind() {
        HirKind::Concat(parts) => parts.as_slice(),
        _ => std::slice::from_ref(expression),
    };
    let is = |part: &Hir, look| *part.kind() == HirKind::Look(look);
    let (inner, behind) = match parts {
        [first, inner @ .., last] if is(first, Look::Start) && is(last, Look::End) => {
            (inner, Behind::End)
        }
        [first, inner @ ..] if is(first, Look::Start) => (inner, Behind::Nothing),
        _ => return Behind::Something,
    };
    let looks = |part: &Hir| !part.properties().look_set().is_empty();
    if inner.iter().any(looks) {
        Behind::Something
    } else {
        behind
    }
}

fn pattern(literal: &Literal, behind: Behind) -> Pattern {
    // What was cut short may end within a character.
    let text = literal.as_bytes().utf8_chunks().next();
    let text = text.map_or("", |chunk| chunk.valid()).to_owned();
    let is_whole = literal.is_exact() && text.len() == literal.len();
    #[cfg(any(test, feature = "testing"))]
    let is_whole = is_whole || crate::fault::active(crate::fault::Fault::LiteralTakenForAll);
    match behind {
        Behind::End if is_whole => Pattern::Exact(text),
        Behind::Nothing if is_whole => Pattern::Prefix(text),
        _ => Pattern::Other(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Pattern {
        Pattern::Exact(text.to_owned())
    }

    fn prefix(text: &str) -> Pattern {
        Pattern::Prefix(text.to_owned())
    }

    fn other(text: &str) -> Pattern {
        Pattern::Other(text.to_owned())
    }

    #[test]
    fn what_an_anchored_expression_matches_is_known() {
        for (expression, patterns) in [
            ("^ab", vec![prefix("ab")]),
            ("^ab$", vec![exact("ab")]),
            ("^$", vec![exact("")]),
            ("^", vec![prefix("")]),
            ("^(a|b)c$", vec![exact("ac"), exact("bc")]),
            ("^ab?$", vec![exact("ab"), exact("a")]),
            ("^ab?", vec![prefix("ab"), prefix("a")]),
            ("^ab*", vec![prefix("a")]),
            ("^ab+", vec![other("ab")]),
            ("^ab*c", vec![other("ab"), prefix("ac")]),
            ("^ab{0,1}c", vec![prefix("abc"), prefix("ac")]),
            ("^ab[a-z]+$", vec![other("ab")]),
            ("^ab[89]+$", vec![other("ab8"), other("ab9")]),
            ("^ab?c", vec![prefix("abc"), prefix("ac")]),
            ("^ab{0,3}", vec![prefix("a")]),
            (r"^a\<b", vec![other("ab")]),
            ("^a[bc]", vec![prefix("ab"), prefix("ac")]),
            (r"^a\.b.", vec![other("a.b")]),
            (r"^a\d", vec![other("a")]),
            (r"^a\b", vec![other("a")]),
            ("^a$b", vec![other("ab")]),
            ("^a|^bc", vec![prefix("a"), prefix("bc")]),
            ("^a$|^b", vec![other("a"), other("b")]),
            ("(^a)", vec![other("a")]),
            ("^a b#", vec![prefix("a b#")]),
            ("^é", vec![prefix("é")]),
            ("^(?i)ab", ["AB", "Ab", "aB", "ab"].map(prefix).to_vec()),
            ("(?i)^é", ["É", "é"].map(prefix).to_vec()),
        ] {
            assert_eq!(parse(expression), Some(patterns), "{expression}");
        }
    }

    #[test]
    fn of_others_nothing_is_known() {
        for expression in [
            "ab", "^a|b", "^ab|cd", "^.a", "(?m)^a", "^*a", r"\Ba", "^[a-z]", r"^\d", "a(", r"^\x",
            "^a^{",
        ] {
            assert_eq!(parse(expression), None, "{expression}");
        }
    }

    /// The Kelvin sign is a `k`.
    #[test]
    fn whatever_the_case_more_is_asked() {
        assert_eq!(
            caseless("1k."),
            Some(["1K.", "1k.", "1\u{212a}."].map(other).to_vec())
        );
        let patterns = caseless("abcdefghijklmnopqrst").unwrap();
        assert!((64..=MOST).contains(&patterns.len()), "{}", patterns.len());
        assert_eq!(caseless(""), None);
    }
}
