//! `a / b` of DECIMALs: sixteen digits behind the point, the last of them rounded, as PostgreSQL gives at least.
//!
//! DataFusion keeps four digits more than the left operand has and cuts the rest off: `2.0 / 300000` is 0 there. Here the
//! quotient of a DECIMAL(p, s) and a DECIMAL(q, t) has max(16, s, t) digits behind the point, fewer where its
//! p − s + t digits in front of the point leave no room for them, but never fewer than max(6, s, t). A quotient that
//! has no room then is an error. An integer is a DECIMAL without digits behind the point.
//!
//! `session::operators` puts this function in the operator's place; it looks like the operator wherever it is shown.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array};
use arrow::compute::kernels::arity::try_binary;
use arrow::datatypes::{DataType, Decimal128Type, Decimal256Type, i256};
use arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    ColumnarValue, Expr, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use crate::error::Error;

/// The most digits of a DECIMAL.
pub(super) const DIGITS: i32 = 38;
/// Digits behind the point, where there is room for them.
const BEHIND: i32 = 16;
/// Digits behind the point, where there is no room for more.
const LEAST_BEHIND: i32 = 6;

/// `left / right`, of which one is a DECIMAL and the other one or an integer.
pub fn quotient(left: Expr, right: Expr) -> Expr {
    let signature = Signature::user_defined(Volatility::Immutable);
    ScalarUDF::new_from_impl(Quotient(signature)).call(vec![left, right])
}

/// Whether a function is the quotient of DECIMALs.
pub(super) fn is_quotient(function: &ScalarUDF) -> bool {
    function.inner().downcast_ref::<Quotient>().is_some()
}

/// Whether the quotient of two types is a DECIMAL.
pub fn is_of_decimals(left: &DataType, right: &DataType) -> bool {
    let is_decimal = |it: &DataType| matches!(it, DataType::Decimal128(..));
    (is_decimal(left) || is_decimal(right)) && digits(left).is_some() && digits(right).is_some()
}

/// How many digits a number of the type has, and how many of them stand behind the point.
pub(super) fn digits(data_type: &DataType) -> Option<(i32, i32)> {
    match data_type {
        DataType::Decimal128(precision, scale) if *scale >= 0 => {
            Some((i32::from(*precision), i32::from(*scale)))
        }
        DataType::Int8 | DataType::UInt8 => Some((3, 0)),
        DataType::Int16 | DataType::UInt16 => Some((5, 0)),
        DataType::Int32 | DataType::UInt32 => Some((10, 0)),
        DataType::Int64 | DataType::UInt64 => Some((20, 0)),
        _ => None,
    }
}

/// The type of a quotient with so many digits in front of the point, of numbers with so many behind it.
pub(in crate::function) fn type_of_quotient(in_front: i32, behind: i32) -> DataType {
    let least = LEAST_BEHIND.max(behind);
    let scale = (DIGITS - in_front).clamp(least, BEHIND.max(behind));
    let precision = (in_front + scale).clamp(1, DIGITS);
    decimal(precision, scale)
}

pub(super) fn decimal(precision: i32, scale: i32) -> DataType {
    // At most 38, both.
    let narrow = |digits: i32| i8::try_from(digits).unwrap_or(i8::MAX);
    DataType::Decimal128(narrow(precision).unsigned_abs(), narrow(scale))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Quotient(Signature);

impl ScalarUDFImpl for Quotient {
    fn name(&self) -> &str {
        "/"
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        Ok(written("/", args.iter()))
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        Ok(written("/", args.iter().map(Expr::schema_name)))
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        as_decimals("/", types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let operands = types.iter().map(digits).collect::<Option<Vec<_>>>();
        match operands.as_deref() {
            Some([(precision, scale), (_, other)]) => Ok(type_of_quotient(
                precision - scale + other,
                *scale.max(other),
            )),
            _ => type_of_others(Operator::Divide, types),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        computed(args, quotients)
    }
}

/// The operator as it is shown.
pub(super) fn written<T: ToString>(operator: &str, operands: impl Iterator<Item = T>) -> String {
    let operands: Vec<String> = operands.map(|operand| operand.to_string()).collect();
    operands.join(&format!(" {operator} "))
}

/// The type of an operator over operands that are no DECIMALs, as those of parameters may be when they have values, until
/// the operator is put back into its place.
pub(super) fn type_of_others(operator: Operator, types: &[DataType]) -> Result<DataType> {
    match types {
        [left, right] => BinaryTypeCoercer::new(left, &operator, right).get_result_type(),
        _ => plan_err!("`{operator}` takes two numbers"),
    }
}

/// The DECIMALs as which an operator takes two numbers.
pub(super) fn as_decimals(operator: &str, types: &[DataType]) -> Result<Vec<DataType>> {
    let coerced = types.iter().map(|it| {
        let (precision, scale) = digits(it)?;
        Some(decimal(precision, scale))
    });
    match coerced.collect::<Option<Vec<_>>>() {
        Some(coerced) if coerced.len() == 2 => Ok(coerced),
        // See `type_of_others`.
        None if types.len() == 2 => Ok(types.to_vec()),
        _ => plan_err!("`{operator}` of DECIMALs takes two of them"),
    }
}

/// What an operator gives row by row; for two constants, a constant.
pub(super) fn computed(
    args: ScalarFunctionArgs,
    of: impl Fn(&ArrayRef, &ArrayRef, &DataType) -> Result<ArrayRef>,
) -> Result<ColumnarValue> {
    let mut values = args.args.iter();
    let are_constant = values.all(|it| matches!(it, ColumnarValue::Scalar(_)));
    let arrays = ColumnarValue::values_to_arrays(&args.args)?;
    let [left, right] = arrays.as_slice() else {
        return plan_err!("an operator takes two numbers");
    };
    let results = of(left, right, args.return_field.data_type())?;
    Ok(if are_constant {
        ColumnarValue::Scalar(ScalarValue::try_from_array(&results, 0)?)
    } else {
        ColumnarValue::Array(results)
    })
}

/// The quotients of DECIMALs as those of a type, row by row; NULL where one of them is.
///
/// # Errors
/// A division by zero; `InvalidInput` for a quotient that has no room.
pub(in crate::function) fn quotients(
    left: &ArrayRef,
    right: &ArrayRef,
    result: &DataType,
) -> Result<ArrayRef> {
    let (Some((precision, scale)), Some(behind), Some(behind_divisor)) = (
        parts(result),
        parts(left.data_type()),
        parts(right.data_type()),
    ) else {
        return plan_err!("`/` of DECIMALs, not of {left:?} and {right:?}");
    };
    let power = i32::from(scale) - i32::from(behind.1) + i32::from(behind_divisor.1);
    let division = Division::giving(u32::try_from(power).unwrap_or_default(), precision);
    let divisors = right.as_primitive::<Decimal128Type>();
    let quotients: Decimal128Array = match left.data_type() {
        DataType::Decimal256(..) => {
            let sums = left.as_primitive::<Decimal256Type>();
            try_binary(sums, divisors, |sum, divisor| {
                division.of_wide(sum, divisor)
            })
        }
        _ => {
            let numerators = left.as_primitive::<Decimal128Type>();
            try_binary(numerators, divisors, |it, divisor| division.of(it, divisor))
        }
    }
    .map_err(|error| refused(error, "quotient", result))?;
    Ok(Arc::new(
        quotients.with_precision_and_scale(precision, scale)?,
    ))
}

/// Precision and scale.
pub(super) fn parts(data_type: &DataType) -> Option<(u8, i8)> {
    match data_type {
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
            Some((*precision, *scale))
        }
        _ => None,
    }
}

/// The error of an operator whose results are called so.
pub(super) fn refused(error: ArrowError, called: &str, result: &DataType) -> DataFusionError {
    match (error, parts(result)) {
        (ArrowError::ArithmeticOverflow(_), Some((precision, scale))) => Error::invalid(format!(
            "a {called} is out of range for DECIMAL({precision}, {scale}); CAST one of the numbers to DOUBLE"
        ))
        .into(),
        (error, _) => error.into(),
    }
}

/// A division of numbers without their points.
pub(super) struct Division {
    /// The numerator is multiplied with 10 to the power of this.
    power: u32,
    /// The least number that has no room.
    beyond: i128,
}

impl Division {
    /// The one that multiplies numerators with such a power of ten, and gives quotients of so many digits.
    pub(super) fn giving(power: u32, precision: u8) -> Self {
        Self {
            power,
            beyond: 10_i128.pow(u32::from(precision.min(38))),
        }
    }

    fn of(&self, numerator: i128, divisor: i128) -> std::result::Result<i128, ArrowError> {
        let factor = 10_i128.checked_pow(self.power);
        let scaled = factor.and_then(|factor| numerator.checked_mul(factor));
        let Some(scaled) = scaled.filter(|_| divisor != 0) else {
            return self.of_wide(i256::from_i128(numerator), divisor);
        };
        let (quotient, rest) = (scaled / divisor, (scaled % divisor).unsigned_abs());
        let is_up = rest >= divisor.unsigned_abs() - rest;
        self.checked(match (is_up, (scaled < 0) == (divisor < 0)) {
            (false, _) => quotient,
            (true, true) => quotient + 1,
            (true, false) => quotient - 1,
        })
    }

    /// As [`Division::of`], for numerators of more digits. One that has no room in 76 digits when it is multiplied has no
    /// quotient of 38.
    pub(super) fn of_wide(
        &self,
        numerator: i256,
        divisor: i128,
    ) -> std::result::Result<i128, ArrowError> {
        if divisor == 0 {
            return Err(ArrowError::DivideByZero);
        }
        let (divisor, two) = (i256::from_i128(divisor), i256::from_i128(2));
        let factor = i256::from_i128(10).checked_pow(self.power);
        let scaled = factor.and_then(|factor| numerator.checked_mul(factor));
        let scaled = scaled.ok_or_else(too_great)?;
        let (quotient, rest) = (scaled.wrapping_div(divisor), scaled.wrapping_rem(divisor));
        let is_up = rest.wrapping_abs().wrapping_mul(two) >= divisor.wrapping_abs();
        let is_negative = scaled.is_negative() != divisor.is_negative();
        let step = match (is_up, is_negative) {
            (false, _) => i256::ZERO,
            (true, false) => i256::ONE,
            (true, true) => i256::MINUS_ONE,
        };
        let rounded = quotient.wrapping_add(step).to_i128();
        self.checked(rounded.ok_or_else(too_great)?)
    }

    fn checked(&self, quotient: i128) -> std::result::Result<i128, ArrowError> {
        if quotient.unsigned_abs() < self.beyond.unsigned_abs() {
            Ok(quotient)
        } else {
            Err(too_great())
        }
    }
}

fn too_great() -> ArrowError {
    ArrowError::ArithmeticOverflow(String::new())
}

#[cfg(test)]
#[path = "quotient_tests.rs"]
mod tests;
