//! Times on their way to a coarser unit: the nearest of it.
//!
//! What lies in the middle of two goes away from 2000-01-01, as PostgreSQL, which counts from there, rounds it: to the
//! later one from then on, to the earlier one before. Arrow's cast would cut digits off, towards 1970 if they are counted
//! and towards the past if they are read from a text.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, Int64Array, PrimitiveArray, StringArray,
};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};

use super::Precision;

/// 2000-01-01 00:00:00, in seconds.
const MIDDLE: i64 = 946_684_800;
/// Where the fraction of a second stands at the earliest: behind `2024-01-31 05:06:07`.
const SHORTEST: usize = "2024-01-31 05:06:07".len();

/// Stamps in a coarser unit, each the nearest; `None` where these are no stamps, or the unit is not coarser.
pub fn in_coarser_unit(values: &dyn Array, unit: TimeUnit) -> Option<ArrayRef> {
    let (counts, from) = counts_of(values)?;
    let step = step(from, unit).filter(|step| *step > 1)?;
    let middle = MIDDLE * (1_000_000_000 / Precision::from(from).nanoseconds());
    let nearest: Int64Array = counts.unary(|count| nearest(count, step, middle));
    let DataType::Timestamp(_, zone) = values.data_type() else {
        return None;
    };
    Some(stamps(nearest, unit, zone.as_ref()))
}

/// The first stamp that lies between two of a unit.
pub fn first_between(values: &dyn Array, unit: TimeUnit) -> Option<usize> {
    let (counts, from) = counts_of(values)?;
    let step = step(from, unit)?;
    let is_between = |count: Option<i64>| count.is_some_and(|count| count % step != 0);
    counts.iter().position(is_between)
}

/// How many of the finer unit are one of the other; `None` where that is the finer one.
fn step(finer: TimeUnit, unit: TimeUnit) -> Option<i64> {
    let (finer, unit) = (Precision::from(finer), Precision::from(unit));
    let step = unit.nanoseconds() / finer.nanoseconds();
    (step > 0).then_some(step)
}

fn nearest(count: i64, step: i64, middle: i64) -> i64 {
    let (below, rest) = (count.div_euclid(step), count.rem_euclid(step));
    below + i64::from(goes_up(rest.cmp(&(step / 2)), count >= middle))
}

/// Whether what lies so beside the middle of two goes to the later one.
fn goes_up(beside: Ordering, is_late: bool) -> bool {
    beside == Ordering::Greater || (beside == Ordering::Equal && is_late)
}

fn counts_of(values: &dyn Array) -> Option<(Int64Array, TimeUnit)> {
    let DataType::Timestamp(unit, _) = values.data_type() else {
        return None;
    };
    let counts = match unit {
        TimeUnit::Second => values
            .as_primitive::<TimestampSecondType>()
            .reinterpret_cast(),
        TimeUnit::Millisecond => values
            .as_primitive::<TimestampMillisecondType>()
            .reinterpret_cast(),
        TimeUnit::Microsecond => values
            .as_primitive::<TimestampMicrosecondType>()
            .reinterpret_cast(),
        TimeUnit::Nanosecond => values
            .as_primitive::<TimestampNanosecondType>()
            .reinterpret_cast(),
    };
    Some((counts, *unit))
}

fn stamps(counts: Int64Array, unit: TimeUnit, zone: Option<&Arc<str>>) -> ArrayRef {
    fn of<T: ArrowPrimitiveType<Native = i64>>(counts: &Int64Array, to: DataType) -> ArrayRef {
        let stamps: PrimitiveArray<T> = counts.reinterpret_cast();
        Arc::new(stamps.with_data_type(to))
    }
    let to = DataType::Timestamp(unit, zone.cloned());
    match unit {
        TimeUnit::Second => of::<TimestampSecondType>(&counts, to),
        TimeUnit::Millisecond => of::<TimestampMillisecondType>(&counts, to),
        TimeUnit::Microsecond => of::<TimestampMicrosecondType>(&counts, to),
        TimeUnit::Nanosecond => of::<TimestampNanosecondType>(&counts, to),
    }
}

/// Texts that say more digits of a second than a unit has.
#[derive(Debug)]
pub struct CutTexts {
    texts: ArrayRef,
    /// What is cut off of each, beside a half of the unit; `None`: nothing, or zeros.
    rest: Vec<Option<Ordering>>,
}

impl CutTexts {
    /// Of `values`; `None` where these are no texts, or none says so many digits.
    pub fn of(values: &ArrayRef, precision: Precision) -> Option<Self> {
        if !matches!(
            values.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        ) {
            return None;
        }
        let texts = cast(values, &DataType::Utf8).ok()?;
        let texts = texts.as_string::<i32>();
        let cuts: Vec<_> = texts.iter().map(|text| cut(text?, precision)).collect();
        cuts.iter().any(Option::is_some).then_some(())?;
        let kept = texts.iter().zip(&cuts);
        let kept = kept.map(|(text, cut)| match cut {
            Some((kept, _)) => Some(kept.clone()),
            None => text.map(str::to_owned),
        });
        let texts = Arc::new(kept.collect::<StringArray>());
        let rest = cuts.into_iter().map(|cut| cut.and_then(|(_, rest)| rest));
        Some(Self {
            texts,
            rest: rest.collect(),
        })
    }

    /// The texts with the digits alone that the unit has.
    pub fn texts(&self) -> &ArrayRef {
        &self.texts
    }

    /// The first text that lies between two of the unit.
    pub fn first_between(&self) -> Option<usize> {
        self.rest.iter().position(Option::is_some)
    }

    /// What [`Self::texts`] say, as stamps of the unit, rounded as the whole texts are.
    ///
    /// # Errors
    /// The row of one that is out of range.
    pub fn rounded(&self, stamps_of_texts: &ArrayRef) -> Result<ArrayRef, Option<usize>> {
        let (counts, unit) = counts_of(stamps_of_texts).ok_or(None)?;
        let DataType::Timestamp(_, zone) = stamps_of_texts.data_type() else {
            return Err(None);
        };
        let middle = MIDDLE * (1_000_000_000 / Precision::from(unit).nanoseconds());
        let rows = counts.iter().zip(&self.rest).enumerate();
        let rounded = rows.map(|(row, (count, rest))| match (count, rest) {
            (Some(count), Some(rest)) if goes_up(*rest, count >= middle) => {
                count.checked_add(1).map(Some).ok_or(Some(row))
            }
            (count, _) => Ok(count),
        });
        let rounded: Int64Array = rounded.collect::<Result<_, _>>()?;
        Ok(stamps(rounded, unit, zone.as_ref()))
    }
}

/// A text without the digits of a second that are too many, and what these are beside a half, if they are not zeros;
/// `None` where there are none.
fn cut(text: &str, precision: Precision) -> Option<(String, Option<Ordering>)> {
    let point = SHORTEST + text.get(SHORTEST..)?.find('.')?;
    let (front, fraction) = (text.get(..point)?, text.get(point + 1..)?);
    let end = fraction.find(|digit: char| !digit.is_ascii_digit());
    let (digits, zone) = fraction.split_at(end.unwrap_or(fraction.len()));
    let (kept, rest) = digits.split_at_checked(usize::try_from(precision.digits()).ok()?)?;
    let first = rest.chars().next()?;
    let more = rest.chars().skip(1).any(|digit| digit != '0');
    let beside = match (first.cmp(&'5'), more) {
        (Ordering::Equal, true) => Some(Ordering::Greater),
        (Ordering::Less, false) if first == '0' => None,
        (beside, _) => Some(beside),
    };
    let kept = match kept {
        "" => format!("{front}{zone}"),
        kept => format!("{front}.{kept}{zone}"),
    };
    Some((kept, beside))
}

#[cfg(test)]
#[path = "coarser_tests.rs"]
mod tests;
