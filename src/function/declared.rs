//! A function that SQL has elsewhere and DataFusion lacks, or answers wrongly: one declaration.
//!
//! It is computed from arrays to an array, on constants as on columns. Each room of functions lists those that it declares,
//! and [`super::scalar_functions`] is what sessions and completion walk. What can be said in SQL is no function here: the
//! session writes it out.

use std::hash::{Hash, Hasher};

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// A function.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    /// The types that arguments of these types are cast to.
    pub(super) coerce: fn(&[DataType]) -> Result<Vec<DataType>>,
    /// The type of the result, of arguments that were cast.
    pub(super) result: fn(&[DataType]) -> Result<DataType>,
    /// The results: one for each place of the arrays, which are of one length; at least one where there are none.
    pub(super) compute: fn(&[ArrayRef]) -> Result<ArrayRef>,
}

/// A call of it.
pub(super) fn call(declaration: &'static Declaration, arguments: Vec<Expr>) -> Expr {
    ScalarUDF::new_from_impl(Declared::new(declaration)).call(arguments)
}

/// Whether a function is the declared one.
pub(super) fn is(function: &ScalarUDF, declaration: &Declaration) -> bool {
    let declared = function.inner().downcast_ref::<Declared>();
    declared.is_some_and(|declared| declared.declaration.name == declaration.name)
}

/// A declared function as DataFusion calls it.
#[derive(Debug)]
pub(super) struct Declared {
    declaration: &'static Declaration,
    aliases: Vec<String>,
    signature: Signature,
}

impl Declared {
    pub(super) fn new(declaration: &'static Declaration) -> Self {
        let aliases = declaration.aliases.iter();
        Self {
            declaration,
            aliases: aliases.map(|alias| (*alias).to_owned()).collect(),
            signature: Signature::user_defined(Volatility::Immutable),
        }
    }
}

impl PartialEq for Declared {
    fn eq(&self, other: &Self) -> bool {
        self.declaration.name == other.declaration.name
    }
}

impl Eq for Declared {}

impl Hash for Declared {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.declaration.name.hash(state);
    }
}

impl ScalarUDFImpl for Declared {
    fn name(&self) -> &str {
        self.declaration.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        (self.declaration.coerce)(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        (self.declaration.result)(types)
    }

    /// All values of its type: DataFusion's own answer has no type, and nothing that is computed from it is known to be
    /// sorted then.
    fn evaluate_bounds(&self, arguments: &[&Interval]) -> Result<Interval> {
        let types: Vec<DataType> = arguments.iter().map(|it| it.data_type()).collect();
        let result = (self.declaration.result)(&types);
        Interval::make_unbounded(&result.unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(_));
        let are_constant = args.args.iter().all(is_constant);
        let rows = if are_constant { 1 } else { args.number_rows };
        let arrays = args.args.iter().map(|value| value.to_array(rows));
        let computed = (self.declaration.compute)(&arrays.collect::<Result<Vec<_>>>()?)?;
        Ok(if are_constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&computed, 0)?)
        } else {
            ColumnarValue::Array(computed)
        })
    }
}

/// The first `N` arguments, of which there are so many.
pub(super) fn arguments<const N: usize>(arguments: &[ArrayRef]) -> Result<[&ArrayRef; N]> {
    let all: Vec<&ArrayRef> = arguments.iter().collect();
    match all.try_into() {
        Ok(arguments) => Ok(arguments),
        Err(others) => plan_err!("{} arguments where there are {N}", others.len()),
    }
}
