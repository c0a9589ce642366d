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
use crate::key::Transform;
use crate::key::transform::{Argument, BoundArgument, Bucket, Computed, Declaration, Parameter};
use crate::predicate;

/// The function of a salt.
const SALT: &str = "salt";

/// A transform that SQL lacks, as DataFusion calls it.
#[derive(Debug)]
pub struct TransformFunction {
    name: &'static str,
    declaration: &'static dyn Declaration,
    result: SqlType,
    signature: Signature,
}

impl TransformFunction {
    /// The function of a transform; `None` where SQL has it, or nobody can compute it.
    pub fn of(declaration: &'static dyn Declaration) -> Option<Self> {
        match declaration.computed() {
            Computed::ByHalite(result) => Some(Self {
                name: declaration.name(),
                declaration,
                result,
                signature: Signature::variadic_any(Volatility::Immutable),
            }),
            Computed::BySql | Computed::ByNobody => None,
        }
    }

    /// `salt(n, c, …)`: what a key's `salt(n)` stores for a row, whose columns a query must name, in the order in which the
    /// other parts of the key do. It is the bucket of these columns.
    pub fn salt() -> Self {
        Self {
            name: SALT,
            declaration: &Bucket,
            result: SqlType::Integer,
            signature: Signature::variadic_any(Volatility::Immutable),
        }
    }

    /// What stands at a position, as far as it is declared.
    fn parameter(&self, position: usize) -> Parameter {
        let parameters = self.declaration.parameters();
        let declared = parameters.get(position).or(parameters.last());
        declared.copied().unwrap_or(Parameter::Column)
    }

    /// The transform over arguments of these types.
    fn bind(&self, arguments: &[ColumnarValue]) -> Result<Arc<dyn Transform>> {
        let mut bound = Vec::with_capacity(arguments.len());
        for (position, argument) in arguments.iter().enumerate() {
            bound.push(if self.parameter(position).is_column() {
                BoundArgument::Column(
                    format!("argument {}", position + 1),
                    column_type(&argument.data_type())?,
                )
            } else {
                constant(argument, self.parameter(position))?
            });
        }
        let transform = self.declaration.bind(&bound);
        transform.map_err(|error| error.context(self.name()).into())
    }
}

impl PartialEq for TransformFunction {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for TransformFunction {}

impl Hash for TransformFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl ScalarUDFImpl for TransformFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let parameters = self.declaration.parameters();
        let constants = parameters.iter().filter(|one| !one.is_column()).count();
        if types.len() <= constants {
            let name = self.name;
            return match name {
                SALT => plan_err!(
                    "in a query salt needs the columns of the other key parts, as in salt(16, a, b)"
                ),
                _ => plan_err!("{name} needs a column"),
            };
        }
        for (position, data_type) in types.iter().enumerate() {
            if self.parameter(position).is_column() {
                column_type(data_type)?;
            }
        }
        Ok(self.result.arrow())
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let transform = self.bind(&arguments.args)?;
        let scalars = arguments
            .args
            .iter()
            .all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let rows = if scalars { 1 } else { arguments.number_rows };
        let mut columns = Vec::with_capacity(arguments.args.len());
        for (position, argument) in arguments.args.iter().enumerate() {
            if !self.parameter(position).is_column() {
                continue;
            }
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

fn constant(argument: &ColumnarValue, parameter: Parameter) -> Result<BoundArgument> {
    let ColumnarValue::Scalar(scalar) = argument else {
        return exec_err!("a column where a constant is needed");
    };
    let scalar = match parameter {
        Parameter::Integer(..) => scalar.cast_to(&DataType::Int64)?,
        _ => scalar.clone(),
    };
    match (parameter, predicate::argument(&scalar)) {
        (Parameter::Integer(..), Some(Argument::Integer(number))) => {
            Ok(BoundArgument::Integer(number))
        }
        (Parameter::Integer(..), _) => exec_err!("{scalar} where a whole number is needed"),
        (Parameter::Unit(_), Some(Argument::Text(unit))) => Ok(BoundArgument::Text(unit)),
        (Parameter::Interval, Some(Argument::Interval(length))) => {
            Ok(BoundArgument::Interval(length))
        }
        _ => exec_err!("{scalar} where {parameter} is needed"),
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
        DataType::Int8 => SqlType::TinyInt,
        DataType::Int16 => SqlType::SmallInt,
        DataType::Int32 => SqlType::Integer,
        DataType::Int64 => SqlType::BigInt,
        DataType::UInt8 => SqlType::UnsignedTinyInt,
        DataType::UInt16 => SqlType::UnsignedSmallInt,
        DataType::UInt32 => SqlType::UnsignedInteger,
        DataType::UInt64 => SqlType::UnsignedBigInt,
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
