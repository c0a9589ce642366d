//! Names as they are looked up.

use sqlparser::ast::Ident;

/// What becomes of the letters of names that are not in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentCase {
    /// They are lower case.
    Folded,
    /// They are as they are written.
    Kept,
}

impl IdentCase {
    /// As DataFusion folds the names of functions, whatever the settings.
    pub(crate) const ALWAYS: Self = Self::Folded;

    /// The name as it is looked up.
    pub(crate) fn name(self, ident: &Ident) -> String {
        match ident.quote_style {
            None if self == Self::Folded => ident.value.to_ascii_lowercase(),
            _ => ident.value.clone(),
        }
    }
}
