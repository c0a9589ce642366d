//! The rules of a table, worked out when the first row is written.

use std::sync::{Arc, OnceLock};

use crate::error::{Error, ErrorKind, Result};
use crate::row::RowRules;
use crate::schema::BoundTable;

/// Makes rules of the expressions that a definition has as text. Where these are understood is far above.
pub type CompileRules = fn(&BoundTable) -> Result<Arc<dyn RowRules>>;

/// The rules, or why there are none.
type Compiled = Result<Arc<dyn RowRules>, (ErrorKind, String)>;

/// The rules of one table. A clone has the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    compile: Option<CompileRules>,
    compiled: Arc<OnceLock<Compiled>>,
}

impl Rules {
    pub(super) fn compiled_by(compile: CompileRules) -> Self {
        Self {
            compile: Some(compile),
            compiled: Arc::default(),
        }
    }

    /// The rules of `table`, if it has some.
    ///
    /// # Errors
    /// Why they cannot be computed: no row is written without them.
    pub(super) fn of(&self, table: &BoundTable) -> Result<Option<Arc<dyn RowRules>>> {
        if !table.has_rules() {
            return Ok(None);
        }
        let compiled = self.compiled.get_or_init(|| {
            let compiled = match self.compile {
                Some(compile) => compile(table),
                None => Err(Error::internal("its rules are not understood here")),
            };
            compiled.map_err(|error| (error.kind(), error.to_string()))
        });
        match compiled {
            Ok(rules) => Ok(Some(Arc::clone(rules))),
            Err((kind, message)) => {
                let message = format!("table `{}`: {message}", table.name());
                Err(Error::new(*kind, message))
            }
        }
    }
}
