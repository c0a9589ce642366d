//! Coarser views of a column whose values count something: transforms that never fall.
//!
//! The function itself knows no limits: it maps whole numbers to whole numbers. Here it gets those of its types. A
//! value whose image lies beyond the type of the part cannot be stored; in domains it counts as what it is, so a
//! predicate on the transform gives the exact answer for it.

use arrow::array::ArrayRef;

use super::Transform;
use super::integers::map_integers;
use crate::datum::{Datum, Readable, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::{Cut, Domain, Interval};
use crate::key::encoding::{self, Encoding};
use crate::key::row_error::RowError;

/// A function over whole numbers that never falls.
pub(super) trait Coarsening: std::fmt::Debug + Send + Sync {
    /// The image of a source.
    fn image(&self, source: i128) -> i128;

    /// The least source whose image is not less than `part`.
    fn first(&self, part: i128) -> i128;

    /// [`Coarsening::image`] where all is within 64 bits; `None`: ask in full width.
    fn image_of_64(&self, source: i64) -> Option<i64> {
        i64::try_from(self.image(source.into())).ok()
    }

    /// The first and the last source that has an image; `None`: all have. The others come out as NULL.
    fn defined(&self) -> Option<(i128, i128)> {
        None
    }

    /// Whether an image is never finer for sources that count in a finer unit.
    fn ends_at_units(&self) -> bool {
        true
    }
}

/// A [`Coarsening`] between two types.
#[derive(Debug)]
pub(super) struct Coarse<F> {
    function: F,
    source_type: SqlType,
    value_type: SqlType,
    encoding: Box<dyn Encoding>,
}

impl<F: Coarsening> Coarse<F> {
    /// `function` from a column of `source_type` to values of `value_type`.
    pub(super) fn new(function: F, source_type: &SqlType, value_type: &SqlType) -> Result<Self> {
        let encoding = encoding::of_type(value_type)
            .filter(|_| source_type.is_discrete() && value_type.is_discrete());
        Ok(Self {
            function,
            source_type: source_type.clone(),
            value_type: value_type.clone(),
            encoding: encoding.ok_or_else(|| {
                Error::internal(format!("a coarser view of {source_type} as {value_type}"))
            })?,
        })
    }

    fn is_defined(&self, source: i128) -> bool {
        let within = |(first, last): (i128, i128)| (first..=last).contains(&source);
        self.function.defined().is_none_or(within)
    }

    /// The sources that have an image.
    fn defined(&self) -> Domain {
        match self.function.defined() {
            None => Domain::not_null(&self.source_type),
            Some((first, last)) => Domain::between(
                &self.source_type,
                below(first, &self.source_type),
                below(last + 1, &self.source_type),
            ),
        }
    }

    /// The images of an interval of sources that all have one.
    fn image(&self, sources: &Domain, interval: &Interval) -> Option<Interval> {
        let (first, last) = sources.ends_of(interval)?;
        Some(Interval {
            start: below(self.function.image(first.as_integer()?), &self.value_type),
            end: below(
                self.function.image(last.as_integer()?) + 1,
                &self.value_type,
            ),
        })
    }

    /// The cut between the sources whose image lies before `cut` and those whose image lies behind it.
    fn source_cut(&self, cut: &Cut) -> Cut {
        match cut {
            Cut::Below(value) => value.as_integer().map_or(Cut::Start, |value| {
                below(self.function.first(value), &self.source_type)
            }),
            other => other.clone(),
        }
    }
}

/// The cut before a number, which may lie beyond the type.
fn below(number: i128, sql_type: &SqlType) -> Cut {
    let least = sql_type.limits().and_then(|(least, _)| least.as_integer());
    match sql_type.datum_of_integer(number) {
        Some(datum) => Cut::Below(datum),
        None if least.is_some_and(|least| number < least) => Cut::Start,
        None => Cut::End,
    }
}

impl<F: Coarsening> Transform for Coarse<F> {
    fn value_type(&self) -> &SqlType {
        &self.value_type
    }

    fn encoding(&self) -> &dyn Encoding {
        self.encoding.as_ref()
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        let Some(source) = super::only(sources)? else {
            return Ok(None);
        };
        let number = source.as_integer().ok_or_else(|| {
            Error::internal(format!("{source:?} where {} is expected", self.source_type))
        })?;
        if !self.is_defined(number) {
            return Ok(None);
        }
        let image = self.function.image(number);
        let value = self.value_type.datum_of_integer(image).ok_or_else(|| {
            Error::invalid(format!(
                "{} is too far from 1970: its value would not fit {}",
                Readable(source, &self.source_type),
                self.value_type
            ))
        })?;
        Ok(Some(value))
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        _rows: usize,
    ) -> Result<ArrayRef, RowError> {
        // What is defined lies within 64 bits, as all sources do.
        let narrow = |limit: i128| i64::try_from(limit).ok();
        let defined = self.function.defined();
        let defined = defined.and_then(|(first, last)| Some((narrow(first)?, narrow(last)?)));
        map_integers(
            super::only_column(sources)?,
            &self.value_type,
            |row, source| {
                if defined.is_some_and(|(first, last)| source < first || source > last) {
                    return Ok(None);
                }
                match self.function.image_of_64(source) {
                    Some(image) => Ok(Some(image)),
                    None => {
                        let datum = self.source_type.datum_of_integer(source.into());
                        let applied = self
                            .apply(&[datum])
                            .map_err(|error| RowError::at(row, error))?;
                        Ok(applied.and_then(|value| i64::try_from(value.as_integer()?).ok()))
                    }
                }
            },
        )
    }

    fn is_total(&self) -> bool {
        self.function.defined().is_none()
    }

    /// A query counts instants in nanoseconds, whatever the column does.
    fn agrees_with_query(&self) -> bool {
        let is_instant = matches!(self.source_type, SqlType::Timestamp { utc: true, .. });
        !is_instant || self.function.ends_at_units()
    }

    fn ignores_widening(&self) -> bool {
        self.function.ends_at_units()
    }

    fn preserves_order(&self) -> bool {
        true
    }

    /// Sources without an image have no row.
    fn project(&self, sources: &[&Domain]) -> Domain {
        let Some(source) = sources.first() else {
            return self.unrestricted(sources);
        };
        let defined = source.intersect(&self.defined());
        let images = defined
            .intervals()
            .iter()
            .filter_map(|interval| self.image(&defined, interval));
        Domain::from_intervals(&self.value_type, images).with_null(source.has_null())
    }

    /// NULL comes from NULL and from the sources without an image.
    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        let defined = self.defined();
        let sources = parts.intervals().iter().map(|interval| Interval {
            start: self.source_cut(&interval.start),
            end: self.source_cut(&interval.end),
        });
        let sources = Domain::from_intervals(&self.source_type, sources).intersect(&defined);
        if parts.has_null() {
            return Some(sources.union(&defined.complement()).with_null(true));
        }
        Some(sources)
    }
}

/// The greatest multiple of `step` that is not greater than `number`.
pub(super) fn floor(number: i128, step: i128) -> i128 {
    number - number.rem_euclid(step)
}

/// The least multiple of `step` that is not less than `number`.
pub(super) fn ceiling(number: i128, step: i128) -> i128 {
    number + (-number).rem_euclid(step)
}

/// `part / n` rounded towards zero never falls; the least number that gives `quotient`.
pub(super) fn first_of_quotient(quotient: i128, divisor: i128) -> i128 {
    if quotient > 0 {
        quotient * divisor
    } else {
        quotient * divisor - (divisor - 1)
    }
}
