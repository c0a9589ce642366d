//! `avg` of DECIMALs: their sum divided by their number, with the digits that a [quotient](crate::function::quotient())
//! has; and of intervals, which DataFusion does not average.
//!
//! DataFusion keeps four digits more than the values have, and cuts the rest off. Sums and numbers are its own
//! accumulators'. Everything else is averaged as DataFusion does.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::compute::{cast, is_null, nullif};
use arrow::datatypes::{DataType, Field, FieldRef, IntervalUnit};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::functions_aggregate::average::Avg;
use datafusion::functions_aggregate::count::Count;
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, EmitTo, GroupsAccumulator, ReversedUDAF,
    Signature, TypeSignature,
};

use super::sum::widen;
use crate::function::number::{quotients, type_of_quotient};
use crate::function::time::divided_intervals;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ExactAverage {
    theirs: Avg,
    sum: Sum,
    count: Count,
    signature: Signature,
}

impl Default for ExactAverage {
    fn default() -> Self {
        let theirs = Avg::default();
        let mut signature = theirs.signature().clone();
        if let TypeSignature::OneOf(forms) = &mut signature.type_signature {
            forms.push(TypeSignature::Exact(vec![INTERVAL]));
        }
        Self {
            theirs,
            sum: Sum::default(),
            count: Count::default(),
            signature,
        }
    }
}

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// Of a type with fewer digits 10^10 values are summed up in 38.
const NARROW: u8 = 28;

/// In what values of the type are summed up; `None` where they are averaged as DataFusion does.
fn type_of_sum(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Decimal128(precision, scale) if *precision <= NARROW => {
            Some(DataType::Decimal128(38, *scale))
        }
        DataType::Decimal128(_, scale) => Some(DataType::Decimal256(76, *scale)),
        &INTERVAL => Some(INTERVAL),
        _ => None,
    }
}

fn type_of_values(args: &AccumulatorArgs<'_>) -> Option<DataType> {
    args.expr_fields
        .first()
        .and_then(|it| type_of_sum(it.data_type()))
}

fn returning(args: &AccumulatorArgs<'_>, data_type: DataType) -> FieldRef {
    let field = args.return_field.as_ref().clone();
    Arc::new(field.with_data_type(data_type))
}

/// The arguments of the sum, and those of the number.
fn of_parts<'a>(args: &AccumulatorArgs<'a>, sum: &DataType) -> [AccumulatorArgs<'a>; 2] {
    [sum.clone(), DataType::Int64].map(|part| AccumulatorArgs {
        return_field: returning(args, part),
        schema: args.schema,
        ignore_nulls: args.ignore_nulls,
        order_bys: args.order_bys,
        is_reversed: args.is_reversed,
        name: args.name,
        is_distinct: args.is_distinct,
        exprs: args.exprs,
        expr_fields: args.expr_fields,
    })
}

impl AggregateUDFImpl for ExactAverage {
    fn name(&self) -> &str {
        self.theirs.name()
    }

    fn aliases(&self) -> &[String] {
        self.theirs.aliases()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [DataType::Decimal128(precision, scale)] => {
                let (precision, scale) = (i32::from(*precision), i32::from(*scale));
                Ok(type_of_quotient(precision - scale, scale))
            }
            [INTERVAL] => Ok(INTERVAL),
            _ => self.theirs.return_type(arguments),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let Some(wide) = type_of_values(&args) else {
            return self.theirs.accumulator(args);
        };
        let [sum, count] = of_parts(&args, &wide);
        Ok(Box::new(Average {
            result: args.return_type().clone(),
            sum: self.sum.accumulator(sum)?,
            count: self.count.accumulator(count)?,
            wide,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let values = args.input_fields.first();
        let Some(wide) = values.and_then(|it| type_of_sum(it.data_type())) else {
            return self.theirs.state_fields(args);
        };
        let part = |data_type: &DataType| StateFieldsArgs {
            name: args.name,
            input_fields: args.input_fields,
            return_field: Arc::new(Field::new(args.name, data_type.clone(), true)),
            ordering_fields: args.ordering_fields,
            is_distinct: args.is_distinct,
        };
        let sum = self.sum.state_fields(part(&wide))?;
        let count = self.count.state_fields(part(&DataType::Int64))?;
        Ok([sum, count].concat())
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        match type_of_values(&args) {
            Some(_) => !args.is_distinct,
            None => self.theirs.groups_accumulator_supported(args),
        }
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let Some(wide) = type_of_values(&args) else {
            return self.theirs.create_groups_accumulator(args);
        };
        let [sum, count] = of_parts(&args, &wide);
        Ok(Box::new(Average {
            result: args.return_type().clone(),
            sum: self.sum.create_groups_accumulator(sum)?,
            count: self.count.create_groups_accumulator(count)?,
            wide,
        }))
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let Some(wide) = type_of_values(&args) else {
            return self.theirs.create_sliding_accumulator(args);
        };
        let [sum, count] = of_parts(&args, &wide);
        Ok(Box::new(Average {
            result: args.return_type().clone(),
            sum: self.sum.create_sliding_accumulator(sum)?,
            count: self.count.create_sliding_accumulator(count)?,
            wide,
        }))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.theirs.reverse_expr()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.theirs.documentation()
    }
}

/// The accumulators of a sum and of a number. The state of each is one column.
struct Average<T: ?Sized> {
    /// In what values are summed up.
    wide: DataType,
    result: DataType,
    sum: Box<T>,
    count: Box<T>,
}

impl<T: ?Sized> std::fmt::Debug for Average<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Average")
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

impl<T: ?Sized> Average<T> {
    /// NULL where no value is, for the sum is.
    fn averages(&self, sums: &ArrayRef, counts: &ArrayRef) -> Result<ArrayRef> {
        if self.wide == INTERVAL {
            let counts = nullif(counts, &is_null(sums)?)?;
            return divided_intervals(&[Arc::clone(sums), counts]);
        }
        let counts = cast(counts, &DataType::Decimal128(19, 0))?;
        let counts = nullif(&counts, &is_null(sums)?)?;
        quotients(sums, &counts, &self.result)
    }
}

/// The states of the sums, and those of the numbers.
fn parts(states: &[ArrayRef]) -> Result<(&[ArrayRef], &[ArrayRef])> {
    match states.split_at_checked(1) {
        Some(parts) => Ok(parts),
        None => internal_err!("avg has the states of a sum and a number"),
    }
}

impl Accumulator for Average<dyn Accumulator> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.sum.update_batch(&widen(values, &self.wide)?)?;
        self.count.update_batch(values)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let (sum, count) = (self.sum.evaluate()?, self.count.evaluate()?);
        let average = self.averages(&sum.to_array()?, &count.to_array()?)?;
        ScalarValue::try_from_array(&average, 0)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.sum.size() + self.count.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok([self.sum.state()?, self.count.state()?].concat())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let (sums, counts) = parts(states)?;
        self.sum.merge_batch(sums)?;
        self.count.merge_batch(counts)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.sum.retract_batch(&widen(values, &self.wide)?)?;
        self.count.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.sum.supports_retract_batch() && self.count.supports_retract_batch()
    }
}

impl GroupsAccumulator for Average<dyn GroupsAccumulator> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        groups: usize,
    ) -> Result<()> {
        let widened = widen(values, &self.wide)?;
        self.sum
            .update_batch(&widened, group_indices, filter, groups)?;
        self.count
            .update_batch(values, group_indices, filter, groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (sums, counts) = (self.sum.evaluate(emit_to)?, self.count.evaluate(emit_to)?);
        self.averages(&sums, &counts)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok([self.sum.state(emit_to)?, self.count.state(emit_to)?].concat())
    }

    fn merge_batch(
        &mut self,
        states: &[ArrayRef],
        group_indices: &[usize],
        groups: usize,
    ) -> Result<()> {
        let (sums, counts) = parts(states)?;
        self.sum.merge_batch(sums, group_indices, groups)?;
        self.count.merge_batch(counts, group_indices, groups)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let sums = self
            .sum
            .convert_to_state(&widen(values, &self.wide)?, filter)?;
        let counts = self.count.convert_to_state(values, filter)?;
        Ok([sums, counts].concat())
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.sum.size() + self.count.size()
    }
}
