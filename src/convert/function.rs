//! Conversions as functions of SQL: each stands where DataFusion would cast, and does what SQL says.

use std::any::Any;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use crate::error::Error;

/// What values become. Two that are equal convert alike.
pub trait Conversion: Debug + PartialEq + Eq + Hash + Any + Send + Sync {
    /// What plans call it.
    fn name(&self) -> &str;

    /// The type of what values become.
    fn target(&self) -> DataType;

    /// Whether some are NULL, of values that are so or are never.
    fn gives_nulls(&self, _of_nulls: bool) -> bool {
        true
    }

    /// The call with this argument, as headings show it.
    fn shown(&self, argument: &str) -> String {
        format!("{}({argument})", self.name())
    }

    /// The values, each as one of the target's type.
    ///
    /// # Errors
    /// The first value that is none, in words for people.
    fn convert(&self, values: &ArrayRef) -> Result<ArrayRef>;

    /// The same of a constant.
    ///
    /// # Errors
    /// As [`Self::convert`].
    fn convert_constant(&self, value: &ScalarValue) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&self.convert(&value.to_array()?)?, 0)
    }
}

/// The conversion of an expression.
pub fn converted<C: Conversion>(conversion: C, value: Expr) -> Expr {
    let function = ScalarUDF::new_from_impl(ConversionFunction {
        conversion,
        signature: Signature::any(1, Volatility::Immutable),
    });
    function.call(vec![value])
}

/// The conversion of an expression, that of a constant at once: then key ranges are found for it.
///
/// # Errors
/// A constant that is none of the target's type.
pub fn converted_at_once<C: Conversion>(conversion: C, value: &Expr) -> Result<Expr> {
    match value {
        Expr::Literal(constant, _) => {
            let constant = conversion.convert_constant(constant)?;
            Ok(Expr::Literal(constant, None))
        }
        value => Ok(converted(conversion, value.clone())),
    }
}

/// What is converted so, and the conversion, where an expression is one of this kind.
pub fn conversion_of<C: Conversion>(expr: &Expr) -> Option<(&Expr, &C)> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expr else {
        return None;
    };
    args.first().zip(conversion_in(func))
}

/// The conversion that a function is, if it is one of this kind.
pub fn conversion_in<C: Conversion>(function: &ScalarUDF) -> Option<&C> {
    let function = function.inner().downcast_ref::<ConversionFunction<C>>()?;
    Some(&function.conversion)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ConversionFunction<C> {
    conversion: C,
    signature: Signature,
}

impl<C: Conversion> ScalarUDFImpl for ConversionFunction<C> {
    fn name(&self) -> &str {
        self.conversion.name()
    }

    fn display_name(&self, arguments: &[Expr]) -> Result<String> {
        let shown: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Ok(self.conversion.shown(&shown.join(",")))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(self.conversion.target())
    }

    fn return_field_from_args(&self, given: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let of_nulls = given.arg_fields.iter().any(|field| field.is_nullable());
        let gives_nulls = self.conversion.gives_nulls(of_nulls);
        let field = Field::new(self.name(), self.conversion.target(), gives_nulls);
        Ok(Arc::new(field))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.as_slice() {
            [ColumnarValue::Array(values)] => {
                self.conversion.convert(values).map(ColumnarValue::Array)
            }
            [ColumnarValue::Scalar(value)] => {
                let value = self.conversion.convert_constant(value)?;
                Ok(ColumnarValue::Scalar(value))
            }
            _ => Err(Error::internal("a conversion has one argument").into()),
        }
    }
}
