//! A function of one argument that no rule of DataFusion knows: what stands inside of it is left as it is.
//!
//! It gives back its argument, or the argument with its zeros and NaNs made canonical (`super::compare::floats`), or a DECIMAL as
//! the nearest number of floating point. It has no name: in a plan it is a pair of brackets.

use std::sync::{Arc, LazyLock};

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use crate::datum::{canonical_array, canonical_scalar, nearest};

/// What becomes of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Nothing.
    AsIs,
    /// Nothing, and that it is never NULL is not known of it.
    MaybeNull,
    /// A REAL or DOUBLE is made canonical.
    Canonical,
    /// A DECIMAL becomes the nearest REAL.
    NearestReal,
    /// A DECIMAL becomes the nearest DOUBLE.
    NearestDouble,
}

/// The expression in brackets.
pub(crate) fn around(expr: Expr, kind: Kind) -> Expr {
    let func = match kind {
        Kind::AsIs => &AS_IS,
        Kind::MaybeNull => &MAYBE_NULL,
        Kind::Canonical => &CANONICAL,
        Kind::NearestReal => &NEAREST_REAL,
        Kind::NearestDouble => &NEAREST_DOUBLE,
    };
    Expr::ScalarFunction(ScalarFunction {
        func: Arc::clone(func),
        args: vec![expr],
    })
}

/// What stands in brackets of that kind, if they are what the expression is.
pub(crate) fn inside(expr: &Expr, kind: Kind) -> Option<&Expr> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expr else {
        return None;
    };
    let brackets = func.inner().downcast_ref::<Brackets>()?;
    args.first().filter(|_| brackets.kind == kind)
}

static AS_IS: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Brackets::function(Kind::AsIs));

static MAYBE_NULL: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Brackets::function(Kind::MaybeNull));

static CANONICAL: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Brackets::function(Kind::Canonical));

static NEAREST_REAL: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Brackets::function(Kind::NearestReal));

static NEAREST_DOUBLE: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Brackets::function(Kind::NearestDouble));

impl Kind {
    /// The type of what a value of this type becomes.
    fn result(self, argument: &DataType) -> DataType {
        match self {
            Self::AsIs | Self::MaybeNull | Self::Canonical => argument.clone(),
            Self::NearestReal => DataType::Float32,
            Self::NearestDouble => DataType::Float64,
        }
    }
}

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Brackets {
    kind: Kind,
    signature: Signature,
}

impl Brackets {
    fn function(kind: Kind) -> Arc<ScalarUDF> {
        let signature = Signature::any(1, Volatility::Immutable);
        Arc::new(ScalarUDF::new_from_impl(Self { kind, signature }))
    }
}

impl ScalarUDFImpl for Brackets {
    fn name(&self) -> &str {
        ""
    }

    /// A column keeps the name that it has without the brackets. What is another value may stand beside it, as the key of a
    /// join does, and needs its own.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        let names: String = args
            .iter()
            .map(|arg| arg.schema_name().to_string())
            .collect();
        Ok(match self.kind {
            Kind::AsIs | Kind::MaybeNull => names,
            Kind::Canonical => format!("({names})"),
            Kind::NearestReal => format!("CAST({names} AS REAL)"),
            Kind::NearestDouble => format!("CAST({names} AS DOUBLE)"),
        })
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        only(arguments).map(|argument| self.kind.result(argument))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let field = only(args.arg_fields)?;
        let result = self.kind.result(field.data_type());
        if self.kind == Kind::MaybeNull {
            let field = field.as_ref().clone().with_nullable(true);
            return Ok(Arc::new(field));
        }
        Ok(if *field.data_type() == result {
            Arc::clone(field)
        } else {
            Arc::new(field.as_ref().clone().with_data_type(result))
        })
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let value = only(&args.args)?.clone();
        match self.kind {
            Kind::AsIs | Kind::MaybeNull => return Ok(value),
            Kind::Canonical => {}
            Kind::NearestReal | Kind::NearestDouble => return self.nearest(&value),
        }
        Ok(match value {
            ColumnarValue::Array(array) => ColumnarValue::Array(canonical_array(&array)),
            ColumnarValue::Scalar(value) => ColumnarValue::Scalar(canonical_scalar(value)),
        })
    }
}

impl Brackets {
    fn nearest(&self, value: &ColumnarValue) -> Result<ColumnarValue> {
        let target = self.kind.result(&value.data_type());
        let nearest_of = |values: &ArrayRef| match nearest(values, &target) {
            Some(nearest) => Ok(nearest),
            None => exec_err!("{} is no DECIMAL", values.data_type()),
        };
        Ok(match value {
            ColumnarValue::Array(values) => ColumnarValue::Array(nearest_of(values)?),
            ColumnarValue::Scalar(scalar) => {
                let nearest = nearest_of(&scalar.to_array()?)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&nearest, 0)?)
            }
        })
    }
}

fn only<T>(values: &[T]) -> Result<&T> {
    match values {
        [value] => Ok(value),
        values => exec_err!("brackets are around one value, not {}", values.len()),
    }
}
