//! What a look at a part of a statement finds: nothing wrong, or what is refused.

use std::fmt::Display;
use std::ops::ControlFlow;

use crate::error::Error;

/// What is wrong, or nothing.
pub(crate) type Checked = ControlFlow<Refusal>;

/// Why a statement is refused.
pub(crate) struct Refusal {
    message: String,
    /// Whether what is wrong is that a parameter stands where a constant has to.
    wants_constant: bool,
}

impl Refusal {
    pub(crate) fn of(message: String) -> Self {
        let wants_constant = false;
        Self {
            message,
            wants_constant,
        }
    }

    pub(crate) fn error(self) -> Error {
        Error::unsupported(self.message).hanging_on_values(self.wants_constant)
    }
}

/// Nothing is wrong.
pub(crate) const FINE: Checked = Checked::Continue(());

/// Refuses a clause; behind a semicolon stands what there is instead.
pub(crate) fn missing(clause: impl Display) -> Checked {
    let clause = clause.to_string();
    Checked::Break(Refusal::of(match clause.split_once("; ") {
        Some((clause, instead)) => format!("{clause} is not implemented; {instead}"),
        None => format!("{clause} is not implemented"),
    }))
}

/// Refuses a clause that wants a constant, which a parameter is when it has a value.
pub(crate) fn missing_constant(clause: impl Display) -> Checked {
    missing(clause).map_break(|refusal| Refusal {
        wants_constant: true,
        ..refusal
    })
}

pub(crate) fn refuse_if(is_given: bool, clause: &str) -> Checked {
    if is_given { missing(clause) } else { FINE }
}
