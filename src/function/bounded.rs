//! Functions that build texts and lists, bounded: how many bytes would come out is known before any is made.
//!
//! `repeat('x', 1000000000)` takes a gigabyte in DataFusion, whatever the limit of its memory is. Each function here is
//! DataFusion's own behind a look at its arguments: a [`Declaration`] says how many bytes at most, and the function is
//! called only if these are allowed. How many are, [`HaliteOptions::function_bytes`] says; of constants, which are
//! computed once and then stand in the place of each row, all rows of the batch count.

mod declarations;
mod size;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::common::DataFusionError;
use datafusion::config::{ConfigExtension, ConfigOptions};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl};

use self::declarations::DECLARATIONS;
use super::delegated::{as_inner, signatures::*};
use super::planning::is_planning;
use crate::settings::{ByteSize, HaliteOptions};

/// What is known of a function.
#[derive(Debug)]
struct Declaration {
    /// Its name.
    name: &'static str,
    /// How many bytes it makes of arguments at most; of constants alone, those of one row.
    bytes: fn(&size::Arguments<'_>) -> u64,
}

/// One of the functions.
#[derive(Debug)]
pub struct BoundedFunction {
    inner: Arc<ScalarUDF>,
    declaration: &'static Declaration,
}

impl PartialEq for BoundedFunction {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for BoundedFunction {}

impl Hash for BoundedFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

/// Whether a function is to be bounded, and is not.
pub fn needs_bound(function: &ScalarUDF) -> bool {
    declaration(function.name()).is_some() && !function.inner().is::<BoundedFunction>()
}

/// The function, bounded; as it is where there is no bound to it.
pub fn bounded(function: &Arc<ScalarUDF>) -> Arc<ScalarUDF> {
    match declaration(function.name()) {
        Some(declaration) if needs_bound(function) => {
            Arc::new(ScalarUDF::new_from_impl(BoundedFunction {
                inner: Arc::clone(function),
                declaration,
            }))
        }
        _ => Arc::clone(function),
    }
}

fn declaration(name: &str) -> Option<&'static Declaration> {
    DECLARATIONS.iter().find(|known| known.name == name)
}

/// Whether an expression is a call of a bounded function.
pub fn is_bounded(expr: &Expr) -> bool {
    match expr {
        Expr::ScalarFunction(call) => declaration(call.name()).is_some(),
        _ => false,
    }
}

impl BoundedFunction {
    fn check(&self, args: &ScalarFunctionArgs) -> Result<()> {
        let arguments = size::Arguments::of(args);
        let each = (self.declaration.bytes)(&arguments);
        let bytes = if arguments.are_constant() {
            each.saturating_mul(args.number_rows.max(1) as u64)
        } else {
            each
        };
        let most = most(&args.config_options);
        if bytes <= most {
            return Ok(());
        }
        let rows = match args.number_rows {
            0 | 1 => "a row".to_owned(),
            rows => format!("{rows} rows at once"),
        };
        Err(DataFusionError::ResourcesExhausted(format!(
            "{} would take up to {bytes} bytes for {rows}, and may take {most} ({prefix}.function_bytes, by default a part of \
             {prefix}.memory_limit). Ask for less, or for fewer rows at once: SET datafusion.execution.batch_size",
            self.name(),
            prefix = HaliteOptions::PREFIX,
        )))
    }
}

/// What a constant may take that is computed while a statement is planned: plans are copied.
const MOST_WHILE_PLANNING: u64 = 64 << 10;

/// How many bytes a call may make in a session with these settings.
fn most(options: &ConfigOptions) -> u64 {
    if is_planning() {
        MOST_WHILE_PLANNING
    } else {
        most_bytes(options)
    }
}

/// How many bytes a call may make of one batch.
pub fn most_bytes(options: &ConfigOptions) -> u64 {
    let options = HaliteOptions::of(options);
    match options.function_bytes {
        ByteSize(0) => options.memory_limit.0 / 8,
        ByteSize(bytes) => bytes,
    }
}

impl ScalarUDFImpl for BoundedFunction {
    as_inner!();

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.check(&args)?;
        self.inner.invoke_with_args(args)
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let inner = self.inner.inner().with_updated_config(config)?;
        Some(ScalarUDF::new_from_impl(Self {
            inner: Arc::new(inner),
            declaration: self.declaration,
        }))
    }
}

#[cfg(test)]
#[path = "bounded_tests.rs"]
mod tests;
