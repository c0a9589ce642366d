//! What a look at a part of a statement finds: nothing wrong, or what is refused.

use std::fmt::Display;
use std::ops::ControlFlow;

/// What is wrong, or nothing.
pub(crate) type Checked = ControlFlow<String>;

/// Nothing is wrong.
pub(crate) const FINE: Checked = Checked::Continue(());

/// Refuses a clause; behind a semicolon stands what there is instead.
pub(crate) fn missing(clause: impl Display) -> Checked {
    let clause = clause.to_string();
    Checked::Break(match clause.split_once("; ") {
        Some((clause, instead)) => format!("{clause} is not implemented; {instead}"),
        None => format!("{clause} is not implemented"),
    })
}

pub(crate) fn refuse_if(is_given: bool, clause: &str) -> Checked {
    if is_given { missing(clause) } else { FINE }
}
