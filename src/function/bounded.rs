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

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::config::{ConfigExtension, ConfigOptions};
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ExpressionPlacement, ReturnFieldArgs, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature,
};

use self::declarations::DECLARATIONS;
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
        let bytes = match arguments.are_constant() {
            true => each.saturating_mul(args.number_rows.max(1) as u64),
            false => each,
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
        return MOST_WHILE_PLANNING;
    }
    let options = HaliteOptions::of(options);
    match options.function_bytes {
        ByteSize(0) => options.memory_limit.0 / 8,
        ByteSize(bytes) => bytes,
    }
}

impl ScalarUDFImpl for BoundedFunction {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arguments)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn is_strict(&self) -> bool {
        self.inner.is_strict()
    }

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

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner.simplify(args, info)
    }

    fn conditional_arguments<'a>(
        &self,
        args: &'a [Expr],
    ) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
        self.inner.conditional_arguments(args)
    }

    fn short_circuits(&self) -> bool {
        self.inner.short_circuits()
    }

    fn evaluate_bounds(&self, input: &[&Interval]) -> Result<Interval> {
        self.inner.evaluate_bounds(input)
    }

    fn propagate_constraints(
        &self,
        interval: &Interval,
        inputs: &[&Interval],
    ) -> Result<Option<Vec<Interval>>> {
        self.inner.propagate_constraints(interval, inputs)
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        self.inner.output_ordering(inputs)
    }

    fn preserves_lex_ordering(&self, inputs: &[ExprProperties]) -> Result<bool> {
        self.inner.preserves_lex_ordering(inputs)
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arg_types)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.inner.placement(args)
    }
}

#[cfg(test)]
#[path = "bounded_tests.rs"]
mod tests;
