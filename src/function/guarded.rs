//! Functions of the program, whose panics are told as theirs.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use datafusion::config::ConfigOptions;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl};

use super::delegated::{as_inner, signatures::*};
use crate::error::{Error, words_of_panic};

/// A function that the program has registered.
#[derive(Debug)]
struct Guarded {
    inner: Arc<ScalarUDF>,
}

/// The function, whose panics are errors with its name.
pub fn guarded(function: ScalarUDF) -> ScalarUDF {
    let inner = Arc::new(function);
    ScalarUDF::new_from_impl(Guarded { inner })
}

impl PartialEq for Guarded {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Guarded {}

impl Hash for Guarded {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl ScalarUDFImpl for Guarded {
    as_inner!();

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let called = AssertUnwindSafe(|| self.inner.invoke_with_args(args));
        catch_unwind(called).unwrap_or_else(|panic| {
            let (name, words) = (self.name(), words_of_panic(panic.as_ref()));
            let error = Error::invalid(format!(
                "the function `{name}`, which the program has registered, has panicked: {words}"
            ));
            Err(error.into())
        })
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let inner = self.inner.inner().with_updated_config(config)?;
        Some(guarded(inner))
    }
}
