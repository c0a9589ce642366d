//! Aggregates that put their rows in order themselves.
//!
//! DataFusion sorts the rows below an aggregation for `string_agg(a, ',' ORDER BY b)`, once, so that two aggregates of one
//! query that want different orders are refused, and `array_agg(DISTINCT a ORDER BY a DESC)` beside one that sorts upwards
//! is given its values the wrong way round. But these aggregates carry the keys of their rows with them and sort by them
//! anyway. Here they ask for no order: an order that is there is taken for none, too.
//!
//! `nth_value` does count on its rows coming in order. Here it is the n-th element of what `array_agg` gathers.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, plan_err};
use datafusion::functions_aggregate::approx_percentile_cont::approx_percentile_cont_udaf;
use datafusion::functions_aggregate::approx_percentile_cont_with_weight::approx_percentile_cont_with_weight_udaf;
use datafusion::functions_aggregate::array_agg::array_agg_udaf;
use datafusion::functions_aggregate::nth_value::nth_value_udaf;
use datafusion::functions_aggregate::percentile_cont::percentile_cont_udaf;
use datafusion::functions_aggregate::string_agg::string_agg_udaf;
use datafusion::logical_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, Signature,
};
use datafusion::physical_expr::expressions::Literal;

/// The aggregates, for the session to register in the place of those of the same names.
pub fn ordered_aggregates() -> impl Iterator<Item = AggregateUDF> {
    let sorting = [
        array_agg_udaf(),
        string_agg_udaf(),
        percentile_cont_udaf(),
        approx_percentile_cont_udaf(),
        approx_percentile_cont_with_weight_udaf(),
    ];
    let sorting = sorting.map(|function| (function, Order::Sorts));
    let all = sorting.into_iter().chain([(nth_value_udaf(), Order::Nth)]);
    all.map(|(function, order)| AggregateUDF::new_from_impl(SelfOrdered { function, order }))
}

/// How an aggregate comes to the order that it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Order {
    /// It sorts what it has gathered.
    Sorts,
    /// What it counts through is gathered and sorted for it.
    Nth,
}

/// An aggregate that may be given its rows in any order.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SelfOrdered {
    function: Arc<AggregateUDF>,
    order: Order,
}

impl SelfOrdered {
    fn inner(&self) -> &dyn AggregateUDFImpl {
        self.function.inner().as_ref()
    }

    /// Whether the rows are to be gathered before they are counted through.
    fn gathers(&self, is_distinct: bool, is_ordered: bool) -> bool {
        self.order == Order::Nth && (is_distinct || is_ordered)
    }
}

impl AggregateUDFImpl for SelfOrdered {
    fn name(&self) -> &str {
        self.inner().name()
    }

    fn aliases(&self) -> &[String] {
        self.inner().aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner().signature()
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.inner().return_type(arguments)
    }

    fn return_field(&self, arguments: &[FieldRef]) -> Result<FieldRef> {
        self.inner().return_field(arguments)
    }

    fn is_nullable(&self) -> bool {
        self.inner().is_nullable()
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        self.inner().coerce_types(arguments)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if self.gathers(args.is_distinct, !args.order_bys.is_empty()) {
            Ok(Box::new(Nth::new(args)?))
        } else {
            Ok(Box::new(Gathered::new(self.inner().accumulator(args)?)))
        }
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        if self.gathers(args.is_distinct, !args.ordering_fields.is_empty()) {
            array_agg_udaf().state_fields(args)
        } else {
            self.inner().state_fields(args)
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.inner().groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.inner().create_groups_accumulator(args)
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        self.inner().create_sliding_accumulator(args)
    }

    /// No order is asked for. That it could be reversed is not said: then the values of DISTINCT stand the wrong way round.
    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Beneficial
    }

    fn with_beneficial_ordering(
        self: Arc<Self>,
        _is_there: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        Ok(Some(self))
    }

    fn simplify(&self) -> Option<AggregateFunctionSimplification> {
        self.inner().simplify()
    }

    fn default_value(&self, data_type: &DataType) -> Result<ScalarValue> {
        self.inner().default_value(data_type)
    }

    fn supports_null_handling_clause(&self) -> bool {
        self.inner().supports_null_handling_clause()
    }

    fn supports_within_group_clause(&self) -> bool {
        self.inner().supports_within_group_clause()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner().documentation()
    }
}

/// What gathers its rows. It counts as twice as large as it is: what it has gathered is copied when it is handed on, and
/// nobody counts the copy.
///
/// A list or a struct that it has gathered is a part of the array that came with it, and DataFusion counts that array
/// whole for each of its values. It holds no more than it was given.
#[derive(Debug)]
struct Gathered {
    values: Box<dyn Accumulator>,
    /// How many bytes it was given, if lists or structs are among them.
    given: Option<usize>,
}

/// What a value takes beside its bytes, where it is a list or a struct.
const OVERHEAD: usize = 1024;

impl Gathered {
    fn new(values: Box<dyn Accumulator>) -> Self {
        let given = None;
        Self { values, given }
    }

    fn count(&mut self, arrays: &[ArrayRef]) {
        // A state is a list of values, so what is in it is nested if its values are.
        let is_nested = |array: &ArrayRef| match array.data_type() {
            DataType::List(values) => values.data_type().is_nested(),
            other => other.is_nested(),
        };
        if self.given.is_none() && !arrays.iter().any(is_nested) {
            return;
        }
        let given = arrays.iter().map(size_of_values);
        *self.given.get_or_insert_default() += given.sum::<usize>();
    }
}

/// What the values of an array take by themselves. Arrow counts of a part of a list array all values of the whole.
fn size_of_values(array: &ArrayRef) -> usize {
    let parts = match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let (first, last) = match lists.value_offsets() {
                [first, .., last] => (*first as usize, *last as usize),
                _ => (0, 0),
            };
            vec![lists.values().slice(first, last - first)]
        }
        DataType::Struct(_) => array.as_struct().columns().to_vec(),
        _ => {
            let bytes = array.to_data().get_slice_memory_size();
            return bytes.unwrap_or_else(|_| array.get_array_memory_size());
        }
    };
    parts.iter().map(size_of_values).sum::<usize>() + array.len() * OVERHEAD
}

impl Accumulator for Gathered {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.count(values);
        self.values.update_batch(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.count(states);
        self.values.merge_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.values.state()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.values.evaluate()
    }

    fn size(&self) -> usize {
        let counted = self.values.size();
        size_of_val(self) + 2 * self.given.map_or(counted, |given| counted.min(given))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.values.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.values.supports_retract_batch()
    }
}

/// The n-th of the values that `array_agg` gathers.
#[derive(Debug)]
struct Nth {
    values: Gathered,
    /// From 1 on, from the end where it is negative.
    place: i64,
    data_type: DataType,
}

/// Which of the arguments, and of the columns in front of the keys of the order, says the place.
const PLACE: usize = 1;

impl Nth {
    fn new(args: AccumulatorArgs<'_>) -> Result<Self> {
        let place = args.exprs.get(PLACE);
        let place = place.and_then(|place| place.downcast_ref::<Literal>());
        let place = match place.map(Literal::value) {
            Some(ScalarValue::Int64(Some(place))) if *place != 0 => *place,
            _ => {
                return plan_err!(
                    "nth_value takes a constant place, from 1 on or from the end where it is negative"
                );
            }
        };
        let data_type = args.return_field.data_type().clone();
        let values = array_agg_udaf().accumulator(AccumulatorArgs {
            exprs: args.exprs.get(..PLACE).unwrap_or_default(),
            expr_fields: args.expr_fields.get(..PLACE).unwrap_or_default(),
            ..args
        })?;
        Ok(Self {
            values: Gathered::new(values),
            place,
            data_type,
        })
    }

    /// Where the place is among so many values.
    fn index(&self, count: usize) -> Option<usize> {
        let distance = usize::try_from(self.place.unsigned_abs()).ok()?;
        if self.place > 0 {
            Some(distance - 1).filter(|index| *index < count)
        } else {
            count.checked_sub(distance)
        }
    }
}

impl Accumulator for Nth {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut values = values.to_vec();
        if values.len() > PLACE {
            values.remove(PLACE);
        }
        self.values.update_batch(&values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.values.merge_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.values.state()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let list = self.values.evaluate()?.to_array()?;
        let list = list
            .as_list_opt::<i32>()
            .ok_or_else(|| exec_datafusion_err!("values are gathered in a list"))?;
        if list.is_null(0) {
            return ScalarValue::try_from(&self.data_type);
        }
        let values = list.value(0);
        match self.index(values.len()) {
            Some(index) => ScalarValue::try_from_array(&values, index),
            None => ScalarValue::try_from(&self.data_type),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.size()
    }
}

#[cfg(test)]
#[path = "ordered_tests.rs"]
mod tests;
