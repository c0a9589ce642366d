//! Transforms of row keys as SQL functions, so that a query computes what a key part stores.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use crate::datum::{Precision, SqlType};
use crate::key::transform::BoundArgument;
use crate::key::{Expression, Transform};

/// A transform that is an SQL function of the same name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct FunctionDeclaration {
    /// The name of both.
    pub name: &'static str,
    /// What the function gives.
    pub result: SqlType,
    /// How many constant arguments stand before the columns.
    pub constants: usize,
}

/// The transforms that SQL lacks. `salt` is computed from a whole row, so it has no function.
pub static FUNCTIONS: &[FunctionDeclaration] = &[
    FunctionDeclaration {
        name: "bucket",
        result: SqlType::Integer,
        constants: 1,
    },
    FunctionDeclaration {
        name: "hash",
        result: SqlType::Bytea,
        constants: 0,
    },
    FunctionDeclaration {
        name: "reverse_digits",
        result: SqlType::Text,
        constants: 0,
    },
];

/// A transform as DataFusion calls it.
#[derive(Debug)]
pub struct TransformFunction {
    declaration: &'static FunctionDeclaration,
    signature: Signature,
}

impl TransformFunction {
    /// The function of a declaration.
    pub fn new(declaration: &'static FunctionDeclaration) -> Self {
        Self {
            declaration,
            signature: Signature::variadic_any(Volatility::Immutable),
        }
    }

    /// The transform over arguments of these types.
    fn bind(&self, arguments: &[ColumnarValue]) -> Result<Arc<dyn Transform>> {
        let mut bound = Vec::with_capacity(arguments.len());
        for (position, argument) in arguments.iter().enumerate() {
            bound.push(if position < self.declaration.constants {
                constant(argument)?
            } else {
                BoundArgument::Column(
                    format!("argument {}", position + 1),
                    column_type(&argument.data_type())?,
                )
            });
        }
        let expression = Expression::new(self.declaration.name, Vec::new());
        let transform = expression
            .declaration()
            .and_then(|declaration| declaration.bind(&bound));
        transform.map_err(|error| error.context(self.declaration.name).into())
    }
}

impl PartialEq for TransformFunction {
    fn eq(&self, other: &Self) -> bool {
        self.declaration == other.declaration
    }
}

impl Eq for TransformFunction {}

impl Hash for TransformFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.declaration.hash(state);
    }
}

impl ScalarUDFImpl for TransformFunction {
    fn name(&self) -> &str {
        self.declaration.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        if types.len() <= self.declaration.constants {
            return plan_err!("{} needs a column", self.declaration.name);
        }
        types
            .iter()
            .skip(self.declaration.constants)
            .try_for_each(|data_type| column_type(data_type).map(|_| ()))?;
        Ok(self.declaration.result.arrow())
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let transform = self.bind(&arguments.args)?;
        let scalars = arguments
            .args
            .iter()
            .all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let rows = if scalars { 1 } else { arguments.number_rows };
        let mut columns = Vec::with_capacity(arguments.args.len());
        for argument in arguments.args.iter().skip(self.declaration.constants) {
            let sql_type = column_type(&argument.data_type())?;
            let array = cast(&argument.to_array(rows)?, &sql_type.arrow())?;
            columns.push((array, sql_type));
        }
        // Rows of a query have no numbers that its author knows.
        let result = transform.apply_columns(&columns, rows);
        let result = result.map_err(|problem| problem.error)?;
        if scalars {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(
                &result, 0,
            )?));
        }
        Ok(ColumnarValue::Array(result))
    }
}

fn constant(argument: &ColumnarValue) -> Result<BoundArgument> {
    match argument {
        ColumnarValue::Scalar(scalar) => match scalar.cast_to(&DataType::Int64)? {
            ScalarValue::Int64(Some(value)) => Ok(BoundArgument::Integer(value)),
            _ => exec_err!("{scalar} where a whole number is needed"),
        },
        ColumnarValue::Array(_) => exec_err!("a column where a constant is needed"),
    }
}

/// The type of column that an Arrow type is hashed as.
fn column_type(data_type: &DataType) -> Result<SqlType> {
    let timestamp = |unit: &TimeUnit, utc| SqlType::Timestamp {
        precision: Precision::from(*unit),
        utc,
    };
    Ok(match data_type {
        DataType::Boolean => SqlType::Boolean,
        DataType::Int8 | DataType::Int16 | DataType::UInt8 => SqlType::SmallInt,
        DataType::Int32 | DataType::UInt16 => SqlType::Integer,
        DataType::Int64 | DataType::UInt32 => SqlType::BigInt,
        DataType::Float32 => SqlType::Real,
        DataType::Float64 => SqlType::Double,
        DataType::Decimal128(precision, scale) if *scale >= 0 => SqlType::Decimal {
            precision: *precision,
            scale: *scale,
        },
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => SqlType::Text,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => SqlType::Bytea,
        DataType::Date32 => SqlType::Date,
        DataType::Timestamp(unit, zone) => timestamp(unit, zone.is_some()),
        other => return plan_err!("a value of type {other} cannot be hashed"),
    })
}
