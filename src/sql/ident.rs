//! Names as they are looked up.

use datafusion::execution::session_state::SessionState;
use sqlparser::ast::Ident;

/// Whether names that are not in quotes are folded to lower case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folds(bool);

impl Folds {
    /// As DataFusion folds the names of functions, whatever the settings.
    pub(crate) const ALWAYS: Self = Self(true);

    /// As the settings of a session say.
    pub(crate) fn of(state: &SessionState) -> Self {
        Self(state.config_options().sql_parser.enable_ident_normalization)
    }

    /// Whether it is done.
    pub(crate) fn are_on(self) -> bool {
        self.0
    }

    /// The name as it is looked up.
    pub(crate) fn name(self, ident: &Ident) -> String {
        match ident.quote_style {
            None if self.0 => ident.value.to_ascii_lowercase(),
            _ => ident.value.clone(),
        }
    }
}
