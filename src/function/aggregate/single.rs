//! The value of a subquery, which has one row.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::{DataType, FieldRef, Int64Type};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use crate::error::Error;

/// A function of the value of a subquery's first row and the number of its rows: the value, or an error where there are
/// more than one.
pub fn single_value() -> ScalarUDF {
    ScalarUDF::new_from_impl(SingleValue(Signature::any(2, Volatility::Immutable)))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SingleValue(Signature);

impl ScalarUDFImpl for SingleValue {
    fn name(&self) -> &str {
        "halite_single_value"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [value, _] => Ok(value.clone()),
            _ => internal_err!("{} takes a value and a number", self.name()),
        }
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        match args.arg_fields {
            [value, _] => Ok(Arc::new(
                value
                    .as_ref()
                    .clone()
                    .with_name(self.name())
                    .with_nullable(true),
            )),
            _ => internal_err!("{} takes a value and a number", self.name()),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value, number] = args.args.as_slice() else {
            return internal_err!("{} takes a value and a number", self.name());
        };
        let number = number.to_array(args.number_rows)?;
        let number = number.as_primitive::<Int64Type>();
        let most = number.iter().flatten().max().unwrap_or_default();
        if most > 1 {
            return Err(Error::invalid(format!(
                "a subquery that stands for one value gives {most} rows; write LIMIT 1, or an aggregate such as max(…)"
            ))
            .into());
        }
        Ok(value.clone())
    }
}
