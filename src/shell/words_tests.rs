use sqlparser::tokenizer::{Token as SqlToken, Tokenizer};

use super::*;
use crate::sql::dialect::HaliteDialect;

/// The significant tokens with a letter for their kind; `!` marks one without its end.
fn spelt(text: &str) -> Vec<String> {
    let found = tokens(text);
    let joined: String = found.iter().map(|token| token.of(text)).collect();
    assert_eq!(joined, text, "the tokens are the text");
    let letter = |kind| match kind {
        Kind::Space => '_',
        Kind::Comment => 'c',
        Kind::Keyword => 'k',
        Kind::Word => 'w',
        Kind::Quoted => 'q',
        Kind::Text => 't',
        Kind::Number => 'n',
        Kind::Symbol => 's',
    };
    let spelt = |token: &Token| {
        let open = if token.open { "!" } else { "" };
        format!("{}{open} {}", letter(token.kind), token.of(text))
    };
    let shown = found.iter().filter(|token| token.kind != Kind::Space);
    shown.map(spelt).collect()
}

#[test]
fn a_statement_falls_into_its_words() {
    let text = "select f.\"Käse\", 'it''s', 1.5e-3, $1 -- all;\nFROM flights/* a /* b */ */;";
    let expected = [
        "k select",
        "w f",
        "s .",
        "q \"Käse\"",
        "s ,",
        "t 'it''s'",
        "s ,",
        "n 1.5e-3",
        "s ,",
        "n $1",
        "c -- all;",
        "k FROM",
        "w flights",
        "c /* a /* b */ */",
        "s ;",
    ];
    assert_eq!(spelt(text), expected);
    assert_eq!(
        spelt("$$a;b$$ .5 $x $ y"),
        ["t $$a;b$$", "n .5", "n $x", "s $", "w y"]
    );
    assert_eq!(spelt("1e 2.x"), ["n 1", "w e", "n 2.", "w x"]);
}

#[test]
fn what_lacks_its_end_is_marked() {
    for (text, last) in [
        ("SELECT 'a ; ", "t! 'a ; "),
        ("SELECT \"a", "q! \"a"),
        ("SELECT /* a /* b */", "c! /* a /* b */"),
        ("SELECT $t$ a $$", "t! $t$ a $$"),
        ("'it''", "t! 'it''"),
    ] {
        assert_eq!(spelt(text).last().map(String::as_str), Some(last), "{text}");
    }
}

#[test]
fn names_are_folded_unless_quoted() {
    let text = "Flights \"Flights\" \"a\"\"b\" \"open";
    let names: Vec<_> = tokens(text)
        .iter()
        .filter_map(|token| token.name(text))
        .collect();
    assert_eq!(names, ["flights", "Flights", "a\"b", "open"]);
}

/// Where the parser's tokenizer reads a text to its end, both see the same texts, names and comments.
#[test]
fn the_parser_sees_the_same_texts() {
    for text in [
        "SELECT 'a''b', \"x\"\"y\" FROM t WHERE a = '-- no' -- ; yes '\n AND b /* 'c' */ = $$'$$;",
        "SELECT 'ä;ö' || `n``m` || $tag$ $$ $tag$ /* /* ' */ */",
        "INSERT INTO t VALUES (1, 'x'), (2.5, ''), (1e3, '''')",
    ] {
        let parsed = Tokenizer::new(&HaliteDialect::new(0), text)
            .tokenize()
            .expect("tokens");
        let theirs = parsed.iter().filter(|token| {
            matches!(
                token,
                SqlToken::SingleQuotedString(_) | SqlToken::DollarQuotedString(_)
            )
        });
        let found = tokens(text);
        let ours = found.iter().filter(|token| token.kind == Kind::Text);
        assert_eq!(ours.count(), theirs.count(), "{text}");
        assert!(found.iter().all(|token| !token.open), "{text}");
        let semicolons = |token: &&Token| token.kind == Kind::Symbol && token.of(text) == ";";
        let theirs = parsed.iter().filter(|token| **token == SqlToken::SemiColon);
        assert_eq!(
            found.iter().filter(semicolons).count(),
            theirs.count(),
            "{text}"
        );
    }
}
