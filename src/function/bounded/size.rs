//! How large the arguments of a call are.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, IntervalMonthDayNanoType, IntervalUnit};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};

/// What a value takes in a list beside its bytes: its place.
const PLACE: u64 = 16;

/// The arguments of a call, over the rows of a batch; of constants alone, over one row.
pub(super) struct Arguments<'a> {
    values: &'a [ColumnarValue],
    rows: usize,
}

impl<'a> Arguments<'a> {
    pub(super) fn of(args: &'a ScalarFunctionArgs) -> Self {
        let mut arguments = Self {
            values: &args.args,
            rows: 1,
        };
        if !arguments.are_constant() {
            arguments.rows = args.number_rows;
        }
        arguments
    }

    /// Whether they are the same for each row.
    pub(super) fn are_constant(&self) -> bool {
        let mut values = self.values.iter();
        values.all(|value| matches!(value, ColumnarValue::Scalar(_)))
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows as u64
    }

    /// The bytes of an argument over all rows.
    pub(super) fn total(&self, place: usize) -> u64 {
        match self.values.get(place) {
            None => 0,
            Some(ColumnarValue::Array(array)) => array_bytes(array),
            Some(ColumnarValue::Scalar(scalar)) => scalar_bytes(scalar).saturating_mul(self.rows()),
        }
    }

    /// The bytes of all arguments over all rows.
    pub(super) fn all(&self) -> u64 {
        let totals = (0..self.count()).map(|place| self.total(place));
        totals.fold(0, u64::saturating_add)
    }

    /// The bytes of the greatest value of an argument.
    pub(super) fn greatest(&self, place: usize) -> u64 {
        self.lengths(place).max()
    }

    /// The bytes of an argument in each row.
    pub(super) fn lengths(&self, place: usize) -> PerRow {
        match self.values.get(place) {
            None => PerRow::Same(0),
            Some(ColumnarValue::Scalar(scalar)) => PerRow::Same(scalar_bytes(scalar)),
            Some(ColumnarValue::Array(array)) => PerRow::Each(lengths(array)),
        }
    }

    /// A whole number in each row, those below zero and NULL as zero; what is no number as the greatest.
    pub(super) fn numbers(&self, place: usize) -> PerRow {
        let counted = |number: i64| u64::try_from(number).unwrap_or(0);
        match self.integers(place) {
            None => PerRow::Same(if self.values.len() > place {
                u64::MAX
            } else {
                0
            }),
            Some(Integers::Same(number)) => PerRow::Same(counted(number)),
            Some(Integers::Each(numbers)) => {
                PerRow::Each(numbers.into_iter().map(counted).collect())
            }
        }
    }

    /// An argument as whole numbers, NULL as zero: days of dates, ticks of timestamps.
    pub(super) fn integers(&self, place: usize) -> Option<Integers> {
        let as_integers = |array: &ArrayRef| -> Option<Vec<i64>> {
            let array = match array.data_type() {
                DataType::Date32 => cast(array, &DataType::Int32).ok()?,
                _ => ArrayRef::clone(array),
            };
            let integers = cast(&array, &DataType::Int64).ok()?;
            let integers = integers.as_primitive::<Int64Type>();
            Some(integers.iter().map(Option::unwrap_or_default).collect())
        };
        match self.values.get(place)? {
            ColumnarValue::Array(array) => as_integers(array).map(Integers::Each),
            ColumnarValue::Scalar(scalar) => {
                let array = scalar.to_array().ok()?;
                as_integers(&array)?.first().copied().map(Integers::Same)
            }
        }
    }

    /// The text of a constant argument.
    pub(super) fn constant_text(&self, place: usize) -> Option<&str> {
        match self.values.get(place)? {
            ColumnarValue::Scalar(scalar) => scalar.try_as_str()?,
            ColumnarValue::Array(_) => None,
        }
    }

    /// Intervals as months, days and nanoseconds; one alone for a constant.
    pub(super) fn intervals(&self, place: usize) -> Vec<(i32, i32, i64)> {
        let array = match self.values.get(place) {
            Some(ColumnarValue::Array(array)) => Some(ArrayRef::clone(array)),
            Some(ColumnarValue::Scalar(scalar)) => scalar.to_array().ok(),
            None => None,
        };
        let of_one_unit = |array: ArrayRef| {
            let unit = DataType::Interval(IntervalUnit::MonthDayNano);
            cast(&array, &unit).ok()
        };
        let intervals = array.and_then(of_one_unit);
        let intervals = intervals.iter().flat_map(|array| {
            let values = array.as_primitive::<IntervalMonthDayNanoType>().values();
            values.iter().map(|it| (it.months, it.days, it.nanoseconds))
        });
        intervals.collect()
    }

    /// Whether an argument is of a type.
    pub(super) fn is_of(&self, place: usize, of: impl Fn(&DataType) -> bool) -> bool {
        self.values.get(place).is_some_and(|it| of(&it.data_type()))
    }

    /// What `bytes` gives for the rows, from two things of each, summed up.
    pub(super) fn sum(&self, one: &PerRow, two: &PerRow, bytes: impl Fn(u64, u64) -> u64) -> u64 {
        if let (PerRow::Same(one), PerRow::Same(two)) = (one, two) {
            return bytes(*one, *two).saturating_mul(self.rows());
        }
        let rows = (0..self.rows).map(|row| bytes(one.at(row), two.at(row)));
        rows.fold(0, u64::saturating_add)
    }
}

/// A number for each row.
pub(super) enum PerRow {
    Same(u64),
    Each(Vec<u64>),
}

impl PerRow {
    pub(super) fn at(&self, row: usize) -> u64 {
        match self {
            Self::Same(number) => *number,
            Self::Each(numbers) => numbers.get(row).copied().unwrap_or_default(),
        }
    }

    fn max(&self) -> u64 {
        match self {
            Self::Same(number) => *number,
            Self::Each(numbers) => numbers.iter().copied().max().unwrap_or_default(),
        }
    }
}

/// A number with a sign for each row.
pub(super) enum Integers {
    Same(i64),
    Each(Vec<i64>),
}

impl Integers {
    pub(super) fn at(&self, row: usize) -> i64 {
        match self {
            Self::Same(number) => *number,
            Self::Each(numbers) => numbers.get(row).copied().unwrap_or_default(),
        }
    }

    pub(super) fn is_same(&self) -> bool {
        matches!(self, Self::Same(_))
    }
}

fn array_bytes(array: &ArrayRef) -> u64 {
    match array.data_type() {
        // The slice may share its buffers with others.
        DataType::Utf8View | DataType::BinaryView => lengths(array).into_iter().sum(),
        _ => array
            .to_data()
            .get_slice_memory_size()
            .map_or(u64::MAX, |bytes| bytes as u64),
    }
}

fn scalar_bytes(scalar: &ScalarValue) -> u64 {
    match scalar.try_as_str() {
        Some(text) => text.map_or(0, str::len) as u64,
        None => scalar.size() as u64,
    }
}

fn lengths(array: &ArrayRef) -> Vec<u64> {
    let of_texts = |lengths: &mut dyn Iterator<Item = usize>| -> Vec<u64> {
        lengths.map(|length| length as u64).collect()
    };
    match array.data_type() {
        DataType::Utf8 => of_texts(&mut array.as_string::<i32>().offsets().lengths()),
        DataType::LargeUtf8 => of_texts(&mut array.as_string::<i64>().offsets().lengths()),
        DataType::Binary => of_texts(&mut array.as_binary::<i32>().offsets().lengths()),
        DataType::LargeBinary => of_texts(&mut array.as_binary::<i64>().offsets().lengths()),
        DataType::Utf8View => of_texts(&mut array.as_string_view().lengths().map(|it| it as usize)),
        DataType::BinaryView => {
            of_texts(&mut array.as_binary_view().lengths().map(|it| it as usize))
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let all = array_bytes(list.values());
            let each = all / (list.values().len() as u64).max(1) + PLACE;
            of_texts(&mut list.offsets().lengths())
                .into_iter()
                .map(|length| length * each)
                .collect()
        }
        _ => {
            let each = array_bytes(array) / (array.len() as u64).max(1) + 1;
            vec![each; array.len()]
        }
    }
}
