//! `a * b` of DECIMALs whose product may have more than 38 digits: it leaves room for those in front of the point.
//!
//! DataFusion keeps all digits behind the point, s + t of them, and has an error for what is then too great: of two
//! [averages](crate::function::ExactAverage), with 16 digits each, for every product beyond 999,999. Here the product of a DECIMAL(p, s)
//! and a DECIMAL(q, t) with p + q > 38 has max(20, s, t) digits behind the point, if it would have more, the last of them
//! rounded. What people declare, with up to ten digits behind the point, is multiplied exactly, or is an error.
//!
//! `session::operators` puts this function in the operator's place; it looks like the operator wherever it is shown.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Decimal128Array};
use arrow::compute::kernels::arity::try_binary;
use arrow::datatypes::{DataType, Decimal128Type, i256};
use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprSchemable, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};

use super::quotient::{
    DIGITS, Division, as_decimals, computed, decimal, digits, is_of_decimals, is_quotient, parts,
    refused, type_of_others, written,
};

/// Digits behind the point of a product that has no room for all, if neither operand has more.
const BEHIND: i32 = 20;

/// `left * right`, of which [`is_wide_product`] says yes.
pub fn product(left: Expr, right: Expr) -> Expr {
    let signature = Signature::user_defined(Volatility::Immutable);
    ScalarUDF::new_from_impl(Product(signature)).call(vec![left, right])
}

/// The operator in whose place a function stands, a product or a quotient, where its operands are not of types for it: types
/// may be others than those that they were planned for.
pub fn lost_operator(
    function: &ScalarUDF,
    left: &Expr,
    right: &Expr,
    schema: &DFSchema,
) -> Option<Operator> {
    let (operator, is_for): (_, fn(&DataType, &DataType) -> bool) = match () {
        () if is_quotient(function) => (Operator::Divide, is_of_decimals),
        () if function.inner().downcast_ref::<Product>().is_some() => {
            (Operator::Multiply, is_wide_product)
        }
        () => return None,
    };
    let types = (left.get_type(schema).ok()?, right.get_type(schema).ok()?);
    (!is_for(&types.0, &types.1)).then_some(operator)
}

/// Whether the product of two types is a DECIMAL that has no room for all digits.
pub fn is_wide_product(left: &DataType, right: &DataType) -> bool {
    let is_decimal = |it: &DataType| matches!(it, DataType::Decimal128(..));
    (is_decimal(left) || is_decimal(right)) && type_of_product(left, right).is_some()
}

/// The type of the product of two types; `None` where it has all the digits behind the point that they have together.
fn type_of_product(left: &DataType, right: &DataType) -> Option<DataType> {
    let ((precision, scale), (other_precision, other)) = (digits(left)?, digits(right)?);
    let (in_front, all) = (precision - scale + other_precision - other, scale + other);
    let behind = BEHIND.max(scale).max(other);
    (in_front + all > DIGITS && behind < all).then(|| decimal(DIGITS, behind))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Product(Signature);

impl ScalarUDFImpl for Product {
    fn name(&self) -> &str {
        "*"
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        Ok(written("*", args.iter()))
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        Ok(written("*", args.iter().map(Expr::schema_name)))
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        as_decimals("*", types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [left, right] if let Some(result) = type_of_product(left, right) => Ok(result),
            _ => type_of_others(Operator::Multiply, types),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        computed(args, products)
    }
}

/// The products of DECIMALs as those of a type, row by row; NULL where one of them is.
fn products(left: &ArrayRef, right: &ArrayRef, result: &DataType) -> Result<ArrayRef> {
    let (Some((precision, scale)), Some((_, behind)), Some((_, other))) = (
        parts(result),
        parts(left.data_type()),
        parts(right.data_type()),
    ) else {
        return plan_err!("`*` of DECIMALs, not of {left:?} and {right:?}");
    };
    let rest = i32::from(behind) + i32::from(other) - i32::from(scale);
    let cut = 10_i128.pow(u32::try_from(rest).unwrap_or_default());
    let division = Division::giving(0, precision);
    let (left, right) = (
        left.as_primitive::<Decimal128Type>(),
        right.as_primitive::<Decimal128Type>(),
    );
    let products: Decimal128Array = try_binary(left, right, |left, right| {
        // Of 76 digits at most, which it has room for.
        let product = i256::from_i128(left).wrapping_mul(i256::from_i128(right));
        division.of_wide(product, cut)
    })
    .map_err(|error| refused(error, "product", result))?;
    let products = products.with_precision_and_scale(precision, scale)?;
    Ok(Arc::new(products))
}
