//! `a || b` as a function, so that it is bounded as the others are that build texts and lists.
//!
//! It is DataFusion's operator in all it does; a constant on either side, which adds no more than itself to each row, is
//! left to the operator.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr as PhysicalBinary, Column};

use crate::function::bounded::bounded;

/// Whether this is the operator, and both sides may be long.
pub fn may_be_long(expr: &BinaryExpr) -> bool {
    let is_constant = |side: &Expr| matches!(side, Expr::Literal(..));
    expr.op == Operator::StringConcat && !is_constant(&expr.left) && !is_constant(&expr.right)
}

/// The operator as a bounded function.
pub fn concatenated(expr: BinaryExpr) -> Expr {
    let function = Arc::new(ScalarUDF::new_from_impl(Concatenation {
        signature: Signature::any(2, Volatility::Immutable),
    }));
    bounded(&function).call(vec![*expr.left, *expr.right])
}

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Concatenation {
    signature: Signature,
}

fn written<T: ToString>(operands: impl Iterator<Item = T>) -> String {
    let operands: Vec<String> = operands.map(|operand| operand.to_string()).collect();
    operands.join(" || ")
}

impl ScalarUDFImpl for Concatenation {
    fn name(&self) -> &str {
        "||"
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        Ok(written(args.iter()))
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        Ok(written(args.iter().map(Expr::schema_name)))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [left, right] => {
                BinaryTypeCoercer::new(left, &Operator::StringConcat, right).get_result_type()
            }
            others => exec_err!("`||` of {}", others.len()),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(_));
        let are_constant = args.args.iter().all(is_constant);
        let rows = if are_constant { 1 } else { args.number_rows };
        let arrays = ColumnarValue::values_to_arrays(&args.args);
        let arrays = if are_constant {
            arrays?
        } else {
            args.args
                .iter()
                .map(|value| value.to_array(rows))
                .collect::<Result<_>>()?
        };
        let fields = arrays.iter().zip(["left", "right"]);
        let fields = fields.map(|(array, name)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let operator = PhysicalBinary::new(
            Arc::new(Column::new("left", 0)),
            Operator::StringConcat,
            Arc::new(Column::new("right", 1)),
        );
        let joined = operator.evaluate(&RecordBatch::try_new(schema, arrays)?)?;
        if are_constant {
            let joined = joined.into_array(1)?;
            Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(
                &joined, 0,
            )?))
        } else {
            Ok(joined)
        }
    }
}
