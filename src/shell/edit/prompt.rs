//! What stands before the lines that the user types.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use reedline::{Color, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus};

use crate::shell::words::{Kind, tokens};

/// What there is to know of what was typed so far. Whoever colours it notes this after each key.
#[derive(Debug, Default)]
pub struct Typed {
    /// Whether it is anything.
    some: AtomicBool,
    /// The sign of what lacks its end: a quote, or `*` for a comment; 0 where nothing does.
    open: AtomicU8,
}

impl Typed {
    /// Notes what was typed.
    pub fn note(&self, text: &str) {
        let last = tokens(text).pop().filter(|token| token.open);
        let sign = last.and_then(|token| match token.kind {
            Kind::Comment => Some(b'*'),
            _ => token.of(text).bytes().next(),
        });
        self.some.store(!text.is_empty(), Ordering::Relaxed);
        self.open.store(sign.unwrap_or(0), Ordering::Relaxed);
    }

    /// Whether nothing was typed.
    pub fn is_empty(&self) -> bool {
        !self.some.load(Ordering::Relaxed)
    }
}

/// `halite> `, and as wide where a statement goes on; where a quote is open, with that, as in psql.
pub struct HalitePrompt(pub Arc<Typed>);

impl Prompt for HalitePrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        "halite".into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        "> ".into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        match self.0.open.load(Ordering::Relaxed) {
            0 => "   ...> ".into(),
            sign => format!("     {}> ", char::from(sign)).into(),
        }
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => ", nothing found",
        };
        format!("(search: {}{found}) ", search.term).into()
    }

    fn get_prompt_color(&self) -> Color {
        Color::Default
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_tells_what_is_open() {
        let prompt = HalitePrompt(Arc::default());
        for (typed, expected) in [
            ("SELECT 1,\n", "   ...> "),
            ("SELECT 'it''s\n", "     '> "),
            ("SELECT 'a' AS \"b\n", "     \"> "),
            ("SELECT /* '\n", "     *> "),
            ("SELECT $$ '\n", "     $> "),
            ("SELECT 'a' -- '\n", "   ...> "),
            ("", "   ...> "),
        ] {
            prompt.0.note(typed);
            assert_eq!(
                prompt.render_prompt_multiline_indicator(),
                expected,
                "{typed}"
            );
            assert_eq!(prompt.0.is_empty(), typed.is_empty());
        }
    }
}
