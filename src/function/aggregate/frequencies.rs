//! `mode(x)`, the value that comes most often, and `histogram(x)`, how often each comes.
//!
//! Of values that come equally often the smallest is the mode, so that the answer does not hang on the order of rows.
//! NULLs are not counted.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, MapArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};

/// The aggregates, for the session to register.
pub(super) fn aggregates() -> impl Iterator<Item = AggregateUDF> {
    [Wanted::Mode, Wanted::Histogram].into_iter().map(|wanted| {
        AggregateUDF::new_from_impl(Frequencies {
            wanted,
            signature: Signature::any(1, Volatility::Immutable),
        })
    })
}

/// What is asked of the frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Wanted {
    Mode,
    Histogram,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Frequencies {
    wanted: Wanted,
    signature: Signature,
}

/// The fields of an entry of a histogram.
fn entry_fields(value: &DataType) -> Fields {
    Fields::from(vec![
        Field::new("key", value.clone(), false),
        Field::new("value", DataType::Int64, true),
    ])
}

fn map_field(value: &DataType) -> FieldRef {
    Arc::new(Field::new(
        "entries",
        DataType::Struct(entry_fields(value)),
        false,
    ))
}

impl AggregateUDFImpl for Frequencies {
    fn name(&self) -> &str {
        match self.wanted {
            Wanted::Mode => "mode",
            Wanted::Histogram => "histogram",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match (self.wanted, arguments) {
            (Wanted::Mode, [value]) => Ok(value.clone()),
            (Wanted::Histogram, [value]) => Ok(DataType::Map(map_field(value), false)),
            (_, others) => plan_err!("{} takes one argument, not {}", self.name(), others.len()),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let [value] = args.expr_fields else {
            return exec_err!("{} takes one argument", self.name());
        };
        Ok(Box::new(Counted {
            wanted: self.wanted,
            is_distinct: args.is_distinct,
            value: value.data_type().clone(),
            counts: HashMap::new(),
            bytes: 0,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let [value] = args.input_fields else {
            return exec_err!("{} takes one argument", self.name());
        };
        let list = |name: &str, of: &DataType| {
            let item = Arc::new(Field::new_list_field(of.clone(), true));
            Arc::new(Field::new(name, DataType::List(item), true))
        };
        Ok(vec![
            list("values", value.data_type()),
            list("counts", &DataType::Int64),
        ])
    }
}

/// How often each value has come.
#[derive(Debug)]
struct Counted {
    wanted: Wanted,
    /// Each value counts once.
    is_distinct: bool,
    value: DataType,
    counts: HashMap<ScalarValue, i64>,
    /// What the values take.
    bytes: usize,
}

impl Counted {
    fn add(&mut self, value: ScalarValue, count: i64) {
        if let Some(known) = self.counts.get_mut(&value) {
            *known += count;
            return;
        }
        self.bytes += value.size() + size_of::<i64>();
        self.counts.insert(value, count);
    }

    fn count(&self, count: i64) -> i64 {
        if self.is_distinct { 1 } else { count }
    }

    /// The values in order, with their counts.
    fn sorted(&self) -> Vec<(&ScalarValue, i64)> {
        let counts = self.counts.iter();
        let mut all: Vec<_> = counts
            .map(|(value, count)| (value, self.count(*count)))
            .collect();
        all.sort_by(|(one, _), (other, _)| {
            one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)
        });
        all
    }

    fn mode(&self) -> Result<ScalarValue> {
        let mut mode: Option<(&ScalarValue, i64)> = None;
        for (value, count) in self.sorted() {
            if mode.is_none_or(|(_, most)| count > most) {
                mode = Some((value, count));
            }
        }
        match mode {
            Some((value, _)) => Ok(value.clone()),
            None => ScalarValue::try_from(&self.value),
        }
    }

    fn histogram(&self) -> Result<ScalarValue> {
        let field = map_field(&self.value);
        if self.counts.is_empty() {
            return ScalarValue::try_from(&DataType::Map(field, false));
        }
        let sorted = self.sorted();
        let values = sorted.iter().map(|(value, _)| (*value).clone());
        let values = ScalarValue::iter_to_array(values)?;
        let counts = Int64Array::from_iter_values(sorted.iter().map(|(_, count)| *count));
        let entries = StructArray::try_new(
            entry_fields(&self.value),
            vec![values, Arc::new(counts)],
            None,
        )?;
        let ends = OffsetBuffer::from_lengths([sorted.len()]);
        let map = MapArray::try_new(field, ends, entries, None, false)?;
        Ok(ScalarValue::Map(Arc::new(map)))
    }
}

impl Accumulator for Counted {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [values] = values else {
            return exec_err!("an aggregate of one argument is given {}", values.len());
        };
        for row in (0..values.len()).filter(|row| values.is_valid(*row)) {
            self.add(ScalarValue::try_from_array(values, row)?.compacted(), 1);
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        match self.wanted {
            Wanted::Mode => self.mode(),
            Wanted::Histogram => self.histogram(),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.bytes + self.counts.capacity() * size_of::<(ScalarValue, i64)>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let (values, counts): (Vec<ScalarValue>, Vec<ScalarValue>) = self
            .counts
            .iter()
            .map(|(value, count)| (value.clone(), ScalarValue::Int64(Some(*count))))
            .unzip();
        let list = |values: &[ScalarValue], of: &DataType| {
            ScalarValue::List(ScalarValue::new_list_nullable(values, of))
        };
        Ok(vec![
            list(&values, &self.value),
            list(&counts, &DataType::Int64),
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [values, counts] = states else {
            return exec_err!("a state of two lists has {}", states.len());
        };
        let lists = values
            .as_list::<i32>()
            .iter()
            .zip(counts.as_list::<i32>().iter());
        for (values, counts) in lists.filter_map(|(values, counts)| values.zip(counts)) {
            let counts = counts.as_primitive::<Int64Type>();
            for (row, count) in counts.iter().enumerate() {
                let value = ScalarValue::try_from_array(&values, row)?.compacted();
                self.add(value, count.unwrap_or_default());
            }
        }
        Ok(())
    }
}
