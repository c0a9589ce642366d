//! `min` and `max` of REAL and DOUBLE, by value, and of intervals, by their lengths.
//!
//! DataFusion's keep whatever they meet last beside NaN, group by group, so that the answer depends on the order of the
//! rows. Here NaN is greater than every number, as in ORDER BY: `max` is NaN where one is there, `min` where nothing else
//! is. Values go to DataFusion's own accumulators as integers of the same order.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{
    DataType, FieldRef, Float32Type, Float64Type, Int32Type, Int64Type, IntervalUnit,
};
use datafusion::common::{Result, ScalarValue};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, EmitTo, GroupsAccumulator,
    ReversedUDAF, SetMonotonicity, Signature,
};

use crate::datum::canonical_array;
use crate::error::Error;
use crate::function::time::{RANKS_OF_INTERVALS, intervals_of_ranks, ranks_of_intervals};

/// The function, by DataFusion's of the name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Extreme(Arc<AggregateUDF>);

impl Extreme {
    /// What is to be used for `function` over REAL and DOUBLE; `None` for all but DataFusion's `min` and `max`.
    pub fn of(function: &Arc<AggregateUDF>) -> Option<Self> {
        is_extreme(function).then(|| Self(Arc::clone(function)))
    }

    fn inner(&self) -> &dyn AggregateUDFImpl {
        self.0.inner().as_ref()
    }
}

/// Whether it is DataFusion's `min` or `max`.
pub fn is_extreme(function: &AggregateUDF) -> bool {
    let inner = function.inner();
    inner.downcast_ref::<Min>().is_some() || inner.downcast_ref::<Max>().is_some()
}

/// The integers that stand for the values of a type; `None` where DataFusion's own order is right.
fn integers(values: &DataType) -> Option<DataType> {
    match values {
        DataType::Float32 => Some(DataType::Int32),
        DataType::Float64 => Some(DataType::Int64),
        DataType::Interval(IntervalUnit::MonthDayNano) => Some(RANKS_OF_INTERVALS),
        _ => None,
    }
}

/// The field of the same values as integers.
fn as_integers(field: &FieldRef) -> FieldRef {
    match integers(field.data_type()) {
        Some(integers) => Arc::new(field.as_ref().clone().with_data_type(integers)),
        None => Arc::clone(field),
    }
}

/// The bits of a number such that they are ordered as integers; and back.
fn turned(bits: i64) -> i64 {
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

fn turned_short(bits: i32) -> i32 {
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}

/// Numbers as integers of the same order.
fn ranked(values: &ArrayRef) -> ArrayRef {
    let values = canonical_array(values);
    match values.data_type() {
        DataType::Float32 => Arc::new(
            values
                .as_primitive::<Float32Type>()
                .unary::<_, Int32Type>(|value| turned_short(value.to_bits() as i32)),
        ),
        DataType::Float64 => Arc::new(
            values
                .as_primitive::<Float64Type>()
                .unary::<_, Int64Type>(|value| turned(value.to_bits() as i64)),
        ),
        DataType::Interval(IntervalUnit::MonthDayNano) => ranks_of_intervals(&values),
        _ => values,
    }
}

fn all_ranked(values: &[ArrayRef]) -> Vec<ArrayRef> {
    values.iter().map(ranked).collect()
}

/// The numbers that [`ranked`] made these integers of.
fn numbers(ranks: &ArrayRef) -> Result<ArrayRef> {
    match ranks.data_type() {
        DataType::Int32 => Ok(Arc::new(
            ranks
                .as_primitive::<Int32Type>()
                .unary::<_, Float32Type>(|rank| f32::from_bits(turned_short(rank) as u32)),
        )),
        DataType::Int64 => Ok(Arc::new(
            ranks
                .as_primitive::<Int64Type>()
                .unary::<_, Float64Type>(|rank| f64::from_bits(turned(rank) as u64)),
        )),
        DataType::Decimal256(..) => Ok(intervals_of_ranks(ranks)),
        other => Err(Error::internal(format!("{other} stands for no number")).into()),
    }
}

impl AggregateUDFImpl for Extreme {
    fn name(&self) -> &str {
        self.inner().name()
    }

    fn signature(&self) -> &Signature {
        self.inner().signature()
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.inner().return_type(arguments)
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        self.inner().coerce_types(arguments)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let is_ranked = integers(args.return_type()).is_some();
        let extreme = self.inner().accumulator(over_integers(args))?;
        Ok(if is_ranked {
            Box::new(Ranked(extreme))
        } else {
            extreme
        })
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let return_field: FieldRef = as_integers(&args.return_field);
        self.inner().state_fields(StateFieldsArgs {
            return_field,
            ..args
        })
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.inner().groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let is_ranked = integers(args.return_type()).is_some();
        let extreme = self
            .inner()
            .create_groups_accumulator(over_integers(args))?;
        Ok(if is_ranked {
            Box::new(Ranked(extreme))
        } else {
            extreme
        })
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let is_ranked = integers(args.return_type()).is_some();
        let extreme = self
            .inner()
            .create_sliding_accumulator(over_integers(args))?;
        Ok(if is_ranked {
            Box::new(Ranked(extreme))
        } else {
            extreme
        })
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.inner().reverse_expr()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.inner().order_sensitivity()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.inner().set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner().documentation()
    }
}

/// The arguments of the aggregate over the integers.
fn over_integers(args: AccumulatorArgs<'_>) -> AccumulatorArgs<'_> {
    AccumulatorArgs {
        return_field: as_integers(&args.return_field),
        ..args
    }
}

/// An accumulator of integers that takes numbers and gives them.
struct Ranked<T: ?Sized>(Box<T>);

impl<T: ?Sized> std::fmt::Debug for Ranked<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ranked")
    }
}

impl Accumulator for Ranked<dyn Accumulator> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.update_batch(&all_ranked(values))
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let rank = self.0.evaluate()?.to_array()?;
        ScalarValue::try_from_array(&numbers(&rank)?, 0)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.0.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.0.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.retract_batch(&all_ranked(values))
    }

    fn supports_retract_batch(&self) -> bool {
        self.0.supports_retract_batch()
    }
}

impl GroupsAccumulator for Ranked<dyn GroupsAccumulator> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        groups: usize,
    ) -> Result<()> {
        let ranks = all_ranked(values);
        self.0.update_batch(&ranks, group_indices, filter, groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        numbers(&self.0.evaluate(emit_to)?)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.0.state(emit_to)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        groups: usize,
    ) -> Result<()> {
        self.0.merge_batch(values, group_indices, groups)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        self.0.convert_to_state(&all_ranked(values), filter)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.0.size()
    }
}

#[cfg(test)]
#[path = "by_value_tests.rs"]
mod tests;
