//! `sum` of integers that is right or an error.
//!
//! DataFusion adds integers up in 64 bits and wraps. Here they are added up in 128, those of a batch at once, and then as
//! DECIMAL(38, 0) by DataFusion's own accumulators, so that it does not matter what the sum is on its way; the result is a
//! BIGINT again, as the type of `sum` says, or out of range. So are DECIMALs whose sum may have more than 38 digits, in 76. Everything else is summed as
//! DataFusion does.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, Decimal128Array, PrimitiveArray,
};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type, UInt64Type};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, EmitTo, GroupsAccumulator, ReversedUDAF,
    SetMonotonicity, Signature,
};

use crate::error::Error;

/// In what sums of this type are added up, which no number of rows fills; `None` where that is the type itself.
fn wide(result: &DataType) -> Option<DataType> {
    match result {
        DataType::Int64 | DataType::UInt64 => Some(DataType::Decimal128(38, 0)),
        // Of fewer digits 10^10 values have room.
        DataType::Decimal128(38, scale) => Some(DataType::Decimal256(76, *scale)),
        _ => None,
    }
}

/// The function.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct ExactSum(Sum);

/// The arguments of the sum of the same values in the wide type.
fn widened<'a>(args: AccumulatorArgs<'a>, wide: &DataType) -> AccumulatorArgs<'a> {
    let field = args.return_field.as_ref().clone();
    AccumulatorArgs {
        return_field: Arc::new(field.with_data_type(wide.clone())),
        ..args
    }
}

impl AggregateUDFImpl for ExactSum {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.0.return_type(arguments)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let result = args.return_type().clone();
        let Some(wide) = wide(&result) else {
            return self.0.accumulator(args);
        };
        let adds_up = !args.is_distinct;
        let sum = self.0.accumulator(widened(args, &wide))?;
        Ok(Box::new(Narrowed {
            adds_up,
            sum,
            wide,
            result,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let Some(wide) = wide(args.return_type()) else {
            return self.0.state_fields(args);
        };
        let return_field: FieldRef = Arc::new(Field::new(args.return_field.name(), wide, true));
        self.0.state_fields(StateFieldsArgs {
            return_field,
            ..args
        })
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.0.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let result = args.return_type().clone();
        let Some(wide) = wide(&result) else {
            return self.0.create_groups_accumulator(args);
        };
        let sum = self.0.create_groups_accumulator(widened(args, &wide))?;
        Ok(Box::new(Narrowed {
            adds_up: false,
            sum,
            wide,
            result,
        }))
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let result = args.return_type().clone();
        // DataFusion slides over distinct values of BIGINT alone.
        let wide = match wide(&result) {
            Some(wide) if !args.is_distinct => wide,
            _ => return self.0.create_sliding_accumulator(args),
        };
        let sum = self.0.create_sliding_accumulator(widened(args, &wide))?;
        Ok(Box::new(Narrowed {
            adds_up: false,
            sum,
            wide,
            result,
        }))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.0.reverse_expr()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.0.order_sensitivity()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.0.set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }
}

/// An accumulator of the wide type that takes values of the narrow one and gives them.
struct Narrowed<T: ?Sized> {
    /// Whether the values of a batch may be added up before it takes them.
    adds_up: bool,
    wide: DataType,
    result: DataType,
    sum: Box<T>,
}

impl<T: ?Sized> std::fmt::Debug for Narrowed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Narrowed")
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

impl<T: ?Sized> Narrowed<T> {
    fn narrow(&self, sums: &ArrayRef) -> Result<ArrayRef> {
        let options = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        cast_with_options(sums, &self.result, &options).map_err(|_| {
            let (name, wider) = match self.result {
                DataType::UInt64 => ("BIGINT UNSIGNED", "DECIMAL(38, 0)"),
                DataType::Int64 => ("BIGINT", "DECIMAL(38, 0)"),
                _ => ("a DECIMAL of 38 digits", "DOUBLE"),
            };
            DataFusionError::from(Error::invalid(format!(
                "sum: the result is out of range for {name}; sum(CAST(… AS {wider})) has room for it"
            )))
        })
    }
}

/// Values in the type in which they are summed up.
pub(super) fn widen(values: &[ArrayRef], wide: &DataType) -> Result<Vec<ArrayRef>> {
    values.iter().map(|values| as_wide(values, wide)).collect()
}

/// An integer has room in a DECIMAL(38, 0) as it stands; a cast would look whether it has.
fn as_wide(values: &ArrayRef, wide: &DataType) -> Result<ArrayRef> {
    if *wide != DataType::Decimal128(38, 0) {
        return Ok(cast(values, wide)?);
    }
    let decimals: Decimal128Array = match values.data_type() {
        DataType::Int64 => values.as_primitive::<Int64Type>().unary(i128::from),
        DataType::UInt64 => values.as_primitive::<UInt64Type>().unary(i128::from),
        _ => return Ok(cast(values, wide)?),
    };
    Ok(Arc::new(decimals.with_precision_and_scale(38, 0)?))
}

/// The sum of integers as a DECIMAL(38, 0), as one value; `None` of others.
fn added_up(values: &ArrayRef) -> Result<Option<ArrayRef>> {
    let sum = match values.data_type() {
        DataType::Int64 => sum_of(values.as_primitive::<Int64Type>()),
        DataType::UInt64 => sum_of(values.as_primitive::<UInt64Type>()),
        _ => return Ok(None),
    };
    let sum = Decimal128Array::from(vec![sum]).with_precision_and_scale(38, 0)?;
    Ok(Some(Arc::new(sum)))
}

/// The sum of the values that are there, if any are: 64 bits, and no more of them than memory has.
fn sum_of<T: ArrowPrimitiveType>(values: &PrimitiveArray<T>) -> Option<i128>
where
    i128: From<T::Native>,
{
    if values.null_count() == values.len() {
        return None;
    }
    let wide = |value| i128::from(value);
    Some(if values.null_count() == 0 {
        values.values().iter().copied().map(wide).sum()
    } else {
        values.iter().flatten().map(wide).sum()
    })
}

impl Accumulator for Narrowed<dyn Accumulator> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if let ([values], true) = (values, self.adds_up)
            && let Some(sum) = added_up(values)?
        {
            return self.sum.update_batch(&[sum]);
        }
        self.sum.update_batch(&widen(values, &self.wide)?)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = self.sum.evaluate()?.to_array()?;
        ScalarValue::try_from_array(&self.narrow(&sum)?, 0)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.sum.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.sum.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.sum.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.sum.retract_batch(&widen(values, &self.wide)?)
    }

    fn supports_retract_batch(&self) -> bool {
        self.sum.supports_retract_batch()
    }
}

impl GroupsAccumulator for Narrowed<dyn GroupsAccumulator> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        groups: usize,
    ) -> Result<()> {
        let values = widen(values, &self.wide)?;
        self.sum
            .update_batch(&values, group_indices, filter, groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let sums = self.sum.evaluate(emit_to)?;
        self.narrow(&sums)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.sum.state(emit_to)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        groups: usize,
    ) -> Result<()> {
        self.sum.merge_batch(values, group_indices, groups)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        self.sum
            .convert_to_state(&widen(values, &self.wide)?, filter)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.sum.size()
    }
}
