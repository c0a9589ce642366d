//! Colours while typing: keywords, functions, texts, numbers, comments, and what cannot be right.

use std::sync::Arc;

use nu_ansi_term::Style;
use reedline::{Highlighter, StyledText};

use super::prompt::Typed;
use crate::shell::command;
use crate::shell::script::is_command;
use crate::shell::style::Role;
use crate::shell::words::{Kind, Token, tokens};

/// Colours what is typed, and notes it.
pub struct SqlHighlighter {
    typed: Arc<Typed>,
}

impl SqlHighlighter {
    /// `typed` is told after each key what there is.
    pub fn new(typed: Arc<Typed>) -> Self {
        Self { typed }
    }
}

impl Highlighter for SqlHighlighter {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        self.typed.note(line);
        let mut styled = StyledText::new();
        for (text, role) in colored(line) {
            let style = role.map_or_else(Style::default, Role::style);
            styled.push((style, text.to_owned()));
        }
        styled
    }
}

/// The text in parts, each with its role if it has one.
fn colored(text: &str) -> Vec<(&str, Option<Role>)> {
    let trimmed = text.trim_start();
    if !trimmed.contains('\n') && (is_command(trimmed) || trimmed.starts_with('\\')) {
        let (space, line) = text.split_at(text.len() - trimmed.len());
        let end = line.find(|c: char| c.is_whitespace() || c == ';');
        let (name, rest) = line.split_at(end.unwrap_or(line.len()));
        let known = command::named(name).is_some();
        // A name that is still being typed is not wrong yet.
        let begun = rest.is_empty()
            && command::COMMANDS
                .iter()
                .any(|command| command::names(*command).any(|known| known.starts_with(name)));
        let role = if known || begun {
            Role::Keyword
        } else {
            Role::Error
        };
        return vec![(space, None), (name, Some(role)), (rest, None)];
    }
    let found = tokens(text);
    let mut depth = 0_usize;
    let mut parts = Vec::with_capacity(found.len());
    for (index, token) in found.iter().enumerate() {
        let role = match (token.kind, token.of(text)) {
            (Kind::Symbol, "(") => {
                depth += 1;
                None
            }
            (Kind::Symbol, ")") if depth == 0 => Some(Role::Error),
            (Kind::Symbol, ")") => {
                depth -= 1;
                None
            }
            (Kind::Symbol, ";") => {
                depth = 0;
                None
            }
            _ => role(text, token, found.get(index + 1)),
        };
        parts.push((token.of(text), role));
    }
    parts
}

fn role(text: &str, token: &Token, next: Option<&Token>) -> Option<Role> {
    let called = next.is_some_and(|next| next.is(text, "("));
    match token.kind {
        Kind::Comment => Some(Role::Comment),
        Kind::Word if called => Some(Role::Function),
        Kind::Keyword
            if called
                && matches!(
                    token.of(text).to_ascii_uppercase().as_str(),
                    "LEFT" | "RIGHT" | "REPLACE"
                ) =>
        {
            Some(Role::Function)
        }
        Kind::Keyword => Some(Role::Keyword),
        Kind::Text => Some(Role::Text),
        Kind::Number => Some(Role::Number),
        Kind::Space | Kind::Word | Kind::Quoted | Kind::Symbol => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(text: &str) -> Vec<(&str, Role)> {
        let parts = colored(text);
        let joined: String = parts.iter().map(|(part, _)| *part).collect();
        assert_eq!(joined, text, "nothing is lost");
        parts
            .into_iter()
            .filter_map(|(part, role)| Some((part, role?)))
            .collect()
    }

    #[test]
    fn a_statement_has_its_colours() {
        let text =
            "select count(*), left(a, 2) FROM \"from\" WHERE b = 'it''s' -- why\n AND c > 1.5);";
        let expected = [
            ("select", Role::Keyword),
            ("count", Role::Function),
            ("left", Role::Function),
            ("2", Role::Number),
            ("FROM", Role::Keyword),
            ("WHERE", Role::Keyword),
            ("'it''s'", Role::Text),
            ("-- why", Role::Comment),
            ("AND", Role::Keyword),
            ("1.5", Role::Number),
            (")", Role::Error),
        ];
        assert_eq!(roles(text), expected);
        assert_eq!(roles("'open"), [("'open", Role::Text)]);
    }

    #[test]
    fn a_command_is_known_or_not() {
        assert_eq!(roles("  .tables f*"), [(".tables", Role::Keyword)]);
        assert_eq!(roles("\\dt;"), [("\\dt", Role::Keyword)]);
        assert_eq!(roles(".tab"), [(".tab", Role::Keyword)]);
        assert_eq!(roles(".tab x"), [(".tab", Role::Error)]);
        assert_eq!(roles(".tabels"), [(".tabels", Role::Error)]);
        assert_eq!(
            roles("SELECT 1\n.tabels"),
            [("SELECT", Role::Keyword), ("1", Role::Number)]
        );
    }

    #[test]
    fn an_empty_line_is_noted() {
        let typed = Arc::new(Typed::default());
        let highlighter = SqlHighlighter::new(Arc::clone(&typed));
        highlighter.highlight("x", 1);
        assert!(!typed.is_empty());
        highlighter.highlight("", 0);
        assert!(typed.is_empty());
    }
}
