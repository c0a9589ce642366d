//! `typeof(x)`: the type of a value.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::datum::upper_type_name;

/// `typeof(x)` and `pg_typeof(x)`.
pub(super) fn type_of() -> ScalarUDF {
    ScalarUDF::new_from_impl(TypeOf {
        aliases: vec!["pg_typeof".to_owned()],
        signature: Signature::any(1, Volatility::Immutable),
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct TypeOf {
    aliases: Vec<String>,
    signature: Signature,
}

impl ScalarUDFImpl for TypeOf {
    fn name(&self) -> &str {
        "typeof"
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [field] = args.arg_fields.as_slice() else {
            return plan_err!("typeof takes one value");
        };
        let name = upper_type_name(field.data_type());
        Ok(ColumnarValue::Scalar(ScalarValue::from(name)))
    }
}
