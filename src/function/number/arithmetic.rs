//! `+`, `-` and `*` of integers that are right or an error.
//!
//! DataFusion wraps: `9223372036854775807 + 1` is the least BIGINT there, and is stored as such. `plan::rule::compare::overflow`
//! puts this function in the operator's place; it looks like the operator wherever it is shown.

use std::sync::Arc;

use arrow::compute::kernels::numeric::{add, mul, neg, sub};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::Error;

/// The operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `a + b`
    Plus,
    /// `a - b`
    Minus,
    /// `a * b`
    Times,
    /// `-a`
    Negative,
}

impl Arithmetic {
    /// The operator over its operands, all of this type of integer.
    pub fn of(self, operands: Vec<Expr>, result: DataType) -> Expr {
        let function = Checked {
            arithmetic: self,
            result,
            signature: Signature::variadic_any(Volatility::Immutable),
        };
        ScalarUDF::new_from_impl(function).call(operands)
    }

    /// The type of an expression that is such an operator: DataFusion would ask all that it is computed from.
    pub fn type_of(expr: &Expr) -> Option<&DataType> {
        match expr {
            Expr::ScalarFunction(call) => {
                let checked = call.func.inner().downcast_ref::<Checked>()?;
                Some(&checked.result)
            }
            _ => None,
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus | Self::Negative => "-",
            Self::Times => "*",
        }
    }
}

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    arithmetic: Arithmetic,
    /// The type of the operands, and of what comes out.
    result: DataType,
    signature: Signature,
}

impl Checked {
    /// An operand of the type that comes out. The parameter of a `PREPARE` has the type of what it meets there, and may be
    /// given a value of another one.
    fn operand(&self, value: &ColumnarValue) -> Result<ColumnarValue> {
        let given = value.data_type();
        if given == self.result {
            return Ok(value.clone());
        }
        if !given.is_integer() && given != DataType::Null {
            return Err(Error::invalid(format!(
                "`{}` of {} and a parameter that is given a value of type {given}: declare its type, as in PREPARE name \
                 (DOUBLE) AS …",
                self.arithmetic.symbol(),
                name_of(&self.result)
            ))
            .into());
        }
        let cast = value.cast_to(&self.result, None);
        cast.map_err(|_| {
            let shown = match value {
                ColumnarValue::Scalar(scalar) => scalar.to_string(),
                ColumnarValue::Array(_) => "a value".to_owned(),
            };
            let name = name_of(&self.result);
            Error::invalid(format!("{shown} is out of range for {name}")).into()
        })
    }

    fn written<T: ToString>(&self, operands: impl Iterator<Item = T>) -> String {
        let symbol = self.arithmetic.symbol();
        let operands: Vec<String> = operands.map(|operand| operand.to_string()).collect();
        match self.arithmetic {
            Arithmetic::Negative => format!("(- {})", operands.concat()),
            _ => operands.join(&format!(" {symbol} ")),
        }
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        self.arithmetic.symbol()
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        Ok(self.written(args.iter()))
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        Ok(self.written(args.iter().map(Expr::schema_name)))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(self.result.clone())
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_scalar = |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(_));
        let rows = if args.args.iter().all(is_scalar) {
            1
        } else {
            args.number_rows
        };
        let operands = args.args.iter().map(|operand| self.operand(operand));
        let operands = operands.collect::<Result<Vec<_>>>()?;
        let computed = match (self.arithmetic, operands.as_slice()) {
            (Arithmetic::Negative, [operand]) => neg(&operand.to_array(rows)?),
            (Arithmetic::Plus, [left, right]) => binary(add, left, right, rows)?,
            (Arithmetic::Minus, [left, right]) => binary(sub, left, right, rows)?,
            (Arithmetic::Times, [left, right]) => binary(mul, left, right, rows)?,
            (_, operands) => return exec_err!("`{}` of {}", self.name(), operands.len()),
        };
        let computed =
            computed.map_err(|error| out_of_range(&error, args.return_field.data_type()))?;
        if args.args.iter().all(is_scalar) {
            Ok(ColumnarValue::Scalar(
                datafusion::common::ScalarValue::try_from_array(&computed, 0)?,
            ))
        } else {
            Ok(ColumnarValue::Array(computed))
        }
    }
}

type Kernel = fn(
    &dyn arrow::array::Datum,
    &dyn arrow::array::Datum,
) -> std::result::Result<arrow::array::ArrayRef, ArrowError>;

/// The kernel over both, a constant as one value.
fn binary(
    kernel: Kernel,
    left: &ColumnarValue,
    right: &ColumnarValue,
    rows: usize,
) -> Result<std::result::Result<arrow::array::ArrayRef, ArrowError>> {
    let operand = |value: &ColumnarValue| -> Result<Arc<dyn arrow::array::Datum>> {
        Ok(match value {
            ColumnarValue::Scalar(scalar) if rows != 1 => Arc::new(scalar.to_scalar()?),
            value => Arc::new(value.to_array(rows)?),
        })
    };
    Ok(kernel(operand(left)?.as_ref(), operand(right)?.as_ref()))
}

fn out_of_range(error: &ArrowError, data_type: &DataType) -> DataFusionError {
    let told = match error {
        ArrowError::ArithmeticOverflow(told) => told.strip_prefix("Overflow happened on: "),
        _ => None,
    };
    let sum = told.map_or_else(|| error.to_string(), str::to_owned);
    let name = name_of(data_type);
    Error::invalid(format!("{sum} is out of range for {name}")).into()
}

fn name_of(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INTEGER",
        DataType::Int64 => "BIGINT",
        DataType::UInt8 => "TINYINT UNSIGNED",
        DataType::UInt16 => "SMALLINT UNSIGNED",
        DataType::UInt32 => "INT UNSIGNED",
        DataType::UInt64 => "BIGINT UNSIGNED",
        _ => "its type",
    }
}
