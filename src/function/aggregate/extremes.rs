//! `arg_max(x, y)`, the x of the row with the greatest y, and `arg_min(x, y)`; `max_by` and `min_by` are the same.
//!
//! Rows in which either is NULL do not count, as in DuckDB. Of rows with the same y the smallest x is taken, so that the
//! answer does not hang on the order of rows.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, make_comparator};
use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};

/// The aggregates, for the session to register.
pub(super) fn aggregates() -> impl Iterator<Item = AggregateUDF> {
    let wanted = [
        ("arg_max", "max_by", Ordering::Greater),
        ("arg_min", "min_by", Ordering::Less),
    ];
    wanted.into_iter().map(|(name, alias, better)| {
        AggregateUDF::new_from_impl(Extreme {
            name,
            aliases: vec![alias.to_owned()],
            better,
            signature: Signature::any(2, Volatility::Immutable),
        })
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Extreme {
    name: &'static str,
    aliases: Vec<String>,
    /// How a better y compares with the one that is held.
    better: Ordering,
    signature: Signature,
}

impl AggregateUDFImpl for Extreme {
    fn name(&self) -> &str {
        self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [value, _] => Ok(value.clone()),
            others => plan_err!("{} takes two arguments, not {}", self.name, others.len()),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let [value, by] = args.expr_fields else {
            return exec_err!("{} takes two arguments", self.name);
        };
        Ok(Box::new(Best {
            better: self.better,
            value: ScalarValue::try_from(value.data_type())?,
            by: ScalarValue::try_from(by.data_type())?,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let names = ["value", "by"].into_iter().zip(args.input_fields);
        let fields = names.map(|(name, field)| {
            Arc::new(Field::new(name, field.data_type().clone(), true)) as FieldRef
        });
        Ok(fields.collect())
    }
}

/// The best row so far; NULLs where there is none.
#[derive(Debug)]
struct Best {
    better: Ordering,
    value: ScalarValue,
    by: ScalarValue,
}

impl Best {
    /// The best of rows, unless both arguments of none of them are there.
    fn place(&self, values: &ArrayRef, by: &ArrayRef) -> Result<Option<usize>> {
        let options = SortOptions::default();
        let compare_by = make_comparator(by, by, options)?;
        let compare_values = make_comparator(values, values, options)?;
        let is_there = |row: &usize| values.is_valid(*row) && by.is_valid(*row);
        Ok((0..by.len())
            .filter(is_there)
            .reduce(|best, row| match compare_by(row, best) {
                Ordering::Equal if compare_values(row, best).is_lt() => row,
                found if found == self.better => row,
                _ => best,
            }))
    }
}

impl Accumulator for Best {
    fn update_batch(&mut self, arguments: &[ArrayRef]) -> Result<()> {
        let [values, by] = arguments else {
            return exec_err!("an aggregate of two arguments is given {}", arguments.len());
        };
        let Some(row) = self.place(values, by)? else {
            return Ok(());
        };
        if !self.by.is_null() {
            // What is held goes in front of the best row.
            let held = |scalar: &ScalarValue, rows: &ArrayRef| -> Result<ArrayRef> {
                let row = ScalarValue::try_from_array(rows, row)?;
                ScalarValue::iter_to_array([scalar.clone(), row])
            };
            let (values, by) = (held(&self.value, values)?, held(&self.by, by)?);
            if self.place(&values, &by)? == Some(0) {
                return Ok(());
            }
        }
        self.value = ScalarValue::try_from_array(values, row)?.compacted();
        self.by = ScalarValue::try_from_array(by, row)?.compacted();
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(self.value.clone())
    }

    fn size(&self) -> usize {
        size_of_val(self) - 2 * size_of::<ScalarValue>() + self.value.size() + self.by.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.value.clone(), self.by.clone()])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }
}
