//! `typeof(x)`: the type of a value.

use std::hash::{Hash, Hasher};

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// `typeof(x)` and `pg_typeof(x)`, for the session to register, which knows what types are called.
pub fn type_of(name: fn(&DataType) -> String) -> ScalarUDF {
    ScalarUDF::new_from_impl(TypeOf {
        name,
        aliases: vec!["pg_typeof".to_owned()],
        signature: Signature::any(1, Volatility::Immutable),
    })
}

#[derive(Debug)]
struct TypeOf {
    name: fn(&DataType) -> String,
    aliases: Vec<String>,
    signature: Signature,
}

impl PartialEq for TypeOf {
    fn eq(&self, other: &Self) -> bool {
        self.signature == other.signature
    }
}

impl Eq for TypeOf {}

impl Hash for TypeOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.signature.hash(state);
    }
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
        let name = (self.name)(field.data_type());
        Ok(ColumnarValue::Scalar(ScalarValue::from(name)))
    }
}
