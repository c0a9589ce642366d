//! The editor that the user has chosen.

use std::env;

/// The words of the editor's command, which `VISUAL` or `EDITOR` says; `None` where neither does.
pub fn command() -> Option<Vec<String>> {
    let mut names = ["VISUAL", "EDITOR"].into_iter();
    let set = names.find_map(|name| env::var(name).ok())?;
    let words: Vec<String> = set.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}
