//! `percentile_disc(p) WITHIN GROUP (ORDER BY x)` and `quantile_disc(x, p)`: the first value that at least so large a part
//! of all values does not come behind. It is one of the values, and so it is there for every type that has an order.
//!
//! The values are kept until all have come. NULLs are not counted.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, new_empty_array};
use arrow::compute::{SortOptions, concat, sort};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};

/// The aggregates, for the session to register.
pub(super) fn aggregates() -> impl Iterator<Item = AggregateUDF> {
    std::iter::once(AggregateUDF::new_from_impl(Quantile {
        aliases: vec!["quantile".to_owned()],
        signature: Signature::user_defined(Volatility::Immutable),
    }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Quantile {
    aliases: Vec<String>,
    signature: Signature,
}

impl AggregateUDFImpl for Quantile {
    fn name(&self) -> &str {
        "quantile_disc"
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [values, part] if part.is_numeric() => Ok(vec![values.clone(), DataType::Float64]),
            _ => plan_err!("quantile_disc takes values and a part of 1: quantile_disc(x, 0.5)"),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [values, _] => Ok(values.clone()),
            others => plan_err!("quantile_disc takes two arguments, not {}", others.len()),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let [values, _] = args.expr_fields else {
            return exec_err!("quantile_disc takes two arguments");
        };
        Ok(Box::new(Values {
            of: values.data_type().clone(),
            is_distinct: args.is_distinct,
            part: None,
            values: Vec::new(),
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let [values, _] = args.input_fields else {
            return exec_err!("quantile_disc takes two arguments");
        };
        let item = Arc::new(Field::new_list_field(values.data_type().clone(), true));
        Ok(vec![
            Arc::new(Field::new("values", DataType::List(item), true)),
            Arc::new(Field::new("part", DataType::Float64, true)),
        ])
    }
}

/// All values.
#[derive(Debug)]
struct Values {
    of: DataType,
    is_distinct: bool,
    part: Option<f64>,
    values: Vec<ArrayRef>,
}

impl Values {
    fn set_part(&mut self, parts: &ArrayRef) -> Result<()> {
        for part in parts.as_primitive::<Float64Type>().iter().flatten() {
            if !(0.0..=1.0).contains(&part) {
                return exec_err!("quantile_disc: {part} is no part of 1, from 0 to 1");
            }
            if self
                .part
                .is_some_and(|known| known.total_cmp(&part).is_ne())
            {
                return exec_err!("quantile_disc takes the same part for all rows");
            }
            self.part = Some(part);
        }
        Ok(())
    }

    fn all(&self) -> Result<ArrayRef> {
        let arrays: Vec<&dyn Array> = self.values.iter().map(AsRef::as_ref).collect();
        if arrays.is_empty() {
            Ok(new_empty_array(&self.of))
        } else {
            Ok(concat(&arrays)?)
        }
    }
}

impl Accumulator for Values {
    fn update_batch(&mut self, arguments: &[ArrayRef]) -> Result<()> {
        let [values, parts] = arguments else {
            return exec_err!("an aggregate of two arguments is given {}", arguments.len());
        };
        self.set_part(parts)?;
        let nulls = arrow::compute::is_not_null(values)?;
        let values = arrow::compute::filter(values, &nulls)?;
        if !values.is_empty() {
            self.values.push(values);
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let options = SortOptions::default();
        let mut sorted = sort(&self.all()?, Some(options))?;
        if self.is_distinct {
            let mut kept: Vec<ScalarValue> = Vec::new();
            for row in 0..sorted.len() {
                let value = ScalarValue::try_from_array(&sorted, row)?;
                if kept.last() != Some(&value) {
                    kept.push(value);
                }
            }
            if !kept.is_empty() {
                sorted = ScalarValue::iter_to_array(kept)?;
            }
        }
        let (Some(part), false) = (self.part, sorted.is_empty()) else {
            return ScalarValue::try_from(&self.of);
        };
        ScalarValue::try_from_array(&sorted, place(part, sorted.len()))
    }

    fn size(&self) -> usize {
        let arrays = self.values.iter();
        let bytes: usize = arrays.map(|array| array.get_array_memory_size()).sum();
        size_of_val(self) + bytes + self.values.capacity() * size_of::<ArrayRef>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values = self.all()?;
        let list = datafusion::common::utils::SingleRowListArrayBuilder::new(values)
            .with_nullable(true)
            .build_list_scalar();
        Ok(vec![list, ScalarValue::Float64(self.part)])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [lists, parts] = states else {
            return exec_err!("a state of a list and a number has {}", states.len());
        };
        self.set_part(parts)?;
        let lists = lists.as_list::<i32>().iter().flatten();
        self.values
            .extend(lists.filter(|values| !values.is_empty()));
        Ok(())
    }
}

/// The place of the first value that is not before `part` of all: of four, 0.5 is the second.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn place(part: f64, count: usize) -> usize {
    let wanted = (part * count as f64).ceil() as usize;
    wanted.clamp(1, count) - 1
}
