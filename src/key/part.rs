//! One part of a row key: its value, its field, and the fields of a domain.

use std::sync::Arc;

use super::definition::{KeyColumn, NullOrder, PartDefinition, SortOrder};
use crate::datum::{Datum, Readable};
use crate::error::{Error, Result};
#[cfg(any(test, feature = "testing"))]
use crate::fault::{self, Fault};
use crate::key::domain::{Domain, Interval};
use crate::key::transform::{Expression, Transform};
use crate::keyrange::{KeyRange, KeyRangeSet, prefix_successor};

/// Marks a value in a part that can be NULL.
pub(super) const VALUE_MARKER: u8 = 0x01;

/// One part of a row key, bound to the table's columns.
#[derive(Debug, Clone)]
pub struct KeyPart {
    definition: PartDefinition,
    /// What is computed: its expression, a salt's with its columns.
    computed: Expression,
    transform: Arc<dyn Transform>,
    sources: Vec<usize>,
    /// What stands in the table at `sources`.
    columns: Vec<KeyColumn>,
    nullable: bool,
}

impl KeyPart {
    /// The part over a table's columns; `expression` is that of `definition`, a salt's with its columns.
    pub(super) fn bind(
        columns: &[KeyColumn],
        definition: &PartDefinition,
        expression: &Expression,
    ) -> Result<Self> {
        let (transform, sources) = expression.bind(columns)?;
        let columns: Vec<KeyColumn> = sources
            .iter()
            .filter_map(|source| columns.get(*source).cloned())
            .collect();
        Ok(Self {
            definition: definition.clone(),
            computed: expression.clone(),
            nullable: transform.passes_null() && columns.iter().any(|column| column.nullable),
            transform,
            sources,
            columns,
        })
    }

    /// The same field, of a column at a position that holds the part's own value, by a transform made of its own.
    pub(super) fn over(
        &self,
        position: usize,
        column: KeyColumn,
        transform: impl FnOnce(Arc<dyn Transform>) -> Arc<dyn Transform>,
    ) -> Self {
        Self {
            definition: PartDefinition {
                expression: Expression::column(&column.name),
                ..self.definition.clone()
            },
            computed: Expression::column(&column.name),
            transform: transform(Arc::clone(&self.transform)),
            sources: vec![position],
            columns: vec![column],
            nullable: self.nullable,
        }
    }

    /// Whether it stores what an expression computes: its own, or, of a salt, that with the columns named.
    pub fn computes(&self, expression: &Expression) -> bool {
        *expression == self.definition.expression || *expression == self.computed
    }

    /// As it was declared.
    pub fn definition(&self) -> &PartDefinition {
        &self.definition
    }

    /// What is stored.
    pub fn expression(&self) -> &Expression {
        &self.definition.expression
    }

    /// Its function.
    pub fn transform(&self) -> &dyn Transform {
        self.transform.as_ref()
    }

    /// The positions in the table of the columns that it is computed from.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// The columns that it is computed from.
    pub(super) fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// Every value that the part can have, NULL included where it can be NULL.
    pub fn universe(&self) -> Domain {
        self.transform.values().with_null(self.nullable)
    }

    /// Whether the part can be NULL and so has a marker.
    pub fn nullable(&self) -> bool {
        self.nullable
    }

    /// ASC or DESC.
    pub fn direction(&self) -> SortOrder {
        self.definition.direction
    }

    /// Where its NULLs stand.
    pub fn nulls(&self) -> NullOrder {
        self.definition.nulls
    }

    /// The table column that the part gives back, if it loses nothing.
    pub fn restores(&self) -> Option<usize> {
        match self.sources.as_slice() {
            [source] if self.transform.is_invertible() => Some(*source),
            _ => None,
        }
    }

    /// The part's value for a row given by its columns' values, in table order.
    ///
    /// # Errors
    /// `InvalidInput` where such a row cannot be stored, with the part and the values.
    pub fn value(&self, row: &[Option<Datum>]) -> Result<Option<Datum>> {
        let value_of = |index: &usize| row.get(*index).cloned().flatten();
        let sources: Vec<Option<Datum>> = self.sources.iter().map(value_of).collect();
        let value = self
            .transform
            .apply(&sources)
            .map_err(|error| self.context(error))?;
        if value.is_none() && sources.iter().all(Option::is_some) {
            return Err(self.no_value(&sources));
        }
        Ok(value)
    }

    /// Appends the part's field for a row given by its columns' values, in table order.
    ///
    /// # Errors
    /// As [`KeyPart::value`] and [`KeyPart::encode`].
    pub(super) fn encode_row(&self, row: &[Option<Datum>], into: &mut Vec<u8>) -> Result<()> {
        match (self.expression().as_column(), self.sources.as_slice()) {
            (Some(_), [source]) => self.encode(row.get(*source).and_then(Option::as_ref), into),
            _ => self.encode(self.value(row)?.as_ref(), into),
        }
    }

    /// The same error, of this part.
    pub(super) fn context(&self, error: Error) -> Error {
        error.context(format!("key part `{}`", self.expression()))
    }

    /// The error for a row whose part comes out as NULL from values that are not.
    pub(super) fn no_value(&self, sources: &[Option<Datum>]) -> Error {
        let readable = |(column, value): (&KeyColumn, &Option<Datum>)| match value {
            Some(value) => format!("{} = {}", column.name, Readable(value, &column.sql_type)),
            None => format!("{} = NULL", column.name),
        };
        let sources: Vec<String> = self.columns.iter().zip(sources).map(readable).collect();
        let expression = self.expression();
        Error::invalid(format!(
            "key part `{expression}` has no value for {}",
            sources.join(", ")
        ))
    }

    /// The error for a part that is NULL and must not be.
    pub(super) fn must_not_be_null(&self) -> Error {
        Error::invalid(format!("key part `{}` must not be NULL", self.expression()))
    }

    /// Appends the part's field.
    pub fn encode(&self, value: Option<&Datum>, into: &mut Vec<u8>) -> Result<()> {
        let Some(value) = value else {
            if !self.nullable {
                return Err(self.must_not_be_null());
            }
            into.push(self.nulls().marker());
            return Ok(());
        };
        if self.nullable {
            into.push(VALUE_MARKER);
        }
        let start = into.len();
        let encoded = self.transform.encoding().encode(value, into);
        encoded.map_err(|error| self.context(error))?;
        if self.direction() == SortOrder::Descending {
            into.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
        }
        Ok(())
    }

    /// Reads the part's field from the front of `bytes`: its value and length.
    ///
    /// # Errors
    /// `Corrupt` where no field stands there, with the part.
    pub fn decode(&self, bytes: &[u8]) -> Result<(Option<Datum>, usize)> {
        let Some((body, marker)) = self.body(bytes)? else {
            return Ok((None, 1));
        };
        let (value, length) = self
            .decode_body(body)
            .map_err(|error| self.context(error))?;
        Ok((Some(value), marker + length))
    }

    fn decode_body(&self, body: &[u8]) -> Result<(Datum, usize)> {
        let encoding = self.transform.encoding();
        match self.direction() {
            SortOrder::Ascending => encoding.decode(body),
            SortOrder::Descending => {
                let length = encoding.descending_length(body)?;
                encoding.decode(&complement(body.get(..length).unwrap_or(body)))
            }
        }
    }

    /// The length of the part's field at the front of `bytes`, marker included.
    ///
    /// # Errors
    /// `Corrupt` where no field stands there, with the part.
    pub fn length(&self, bytes: &[u8]) -> Result<usize> {
        let Some((body, marker)) = self.body(bytes)? else {
            return Ok(1);
        };
        let encoding = self.transform.encoding();
        let length = match self.direction() {
            SortOrder::Ascending => encoding.length(body),
            SortOrder::Descending => encoding.descending_length(body),
        };
        Ok(marker + length.map_err(|error| self.context(error))?)
    }

    /// What follows the marker, and the marker's length; `None` for NULL.
    fn body<'a>(&self, bytes: &'a [u8]) -> Result<Option<(&'a [u8], usize)>> {
        if !self.nullable {
            return Ok(Some((bytes, 0)));
        }
        match bytes.split_first() {
            Some((&VALUE_MARKER, body)) => Ok(Some((body, 1))),
            Some((marker, _)) if *marker == self.nulls().marker() => Ok(None),
            _ => Err(Error::corrupt(format!(
                "no NULL marker before key part `{}`",
                self.expression()
            ))),
        }
    }

    /// The same domain without single values that no key can hold, such as a text that is longer than its CHAR.
    #[must_use]
    pub fn storable(&self, domain: Domain) -> Domain {
        let encoding = self.transform.encoding();
        let absent = |interval: &&Interval| {
            let point = domain.point_of(interval);
            point.is_some_and(|value| encoding.encode(&value, &mut Vec::new()).is_err())
        };
        if !domain.intervals().iter().any(|interval| absent(&interval)) {
            return domain;
        }
        let kept = domain
            .intervals()
            .iter()
            .filter(|interval| !absent(interval));
        Domain::from_intervals(domain.sql_type(), kept.cloned()).with_null(domain.has_null())
    }

    /// The bytes of the fields whose value lies in `domain`: ranges over what stands at this part's place in a key,
    /// the parts behind it included. Where a range holds one field, it is the range of the keys that begin with it.
    pub fn field_ranges(&self, domain: &Domain) -> Result<KeyRangeSet> {
        let mut ranges = Vec::with_capacity(domain.intervals().len() + 1);
        for interval in domain.intervals() {
            ranges.extend(self.interval_range(domain, interval)?);
        }
        if domain.has_null() && self.nullable {
            ranges.push(KeyRange::prefix(&[self.searched_nulls().marker()]));
        }
        Ok(KeyRangeSet::from_ranges(ranges))
    }

    /// Where keys are searched for NULL.
    fn searched_nulls(&self) -> NullOrder {
        #[cfg(any(test, feature = "testing"))]
        if fault::active(Fault::NullMarkerSwapped) {
            return match self.nulls() {
                NullOrder::First => NullOrder::Last,
                NullOrder::Last => NullOrder::First,
            };
        }
        self.nulls()
    }

    fn interval_range(&self, domain: &Domain, interval: &Interval) -> Result<Option<KeyRange>> {
        let encoding = self.transform.encoding();
        if let Some(value) = domain.point_of(interval) {
            let mut field = Vec::new();
            // A value that has no field equals none.
            let found = self.encode(Some(&value), &mut field).is_ok();
            return Ok(found.then(|| KeyRange::prefix(&field)));
        }
        let Some(start) = encoding.position(&interval.start)? else {
            return Ok(None);
        };
        #[cfg(any(test, feature = "testing"))]
        let start = if fault::active(Fault::BoundOffByOne) {
            prefix_successor(&start).unwrap_or(start)
        } else {
            start
        };
        let stop = encoding.position(&interval.end)?;
        let range = self
            .directed(start, stop)
            .and_then(|range| self.tidy(range));
        Ok(range.and_then(|range| self.marked(&range)))
    }

    /// The same range of fields with a whole field for its start, where fields are equally long, and a stop such as
    /// the range of a prefix has. So ranges that touch also meet in bytes.
    fn tidy(&self, range: KeyRange) -> Option<KeyRange> {
        let Some(width) = self.transform.encoding().width() else {
            return Some(range);
        };
        let mut start = range.start().to_vec();
        if !start.is_empty() {
            start.resize(width.max(start.len()), 0);
        }
        let stop = range.stop().map(|stop| {
            let end = stop
                .iter()
                .rposition(|byte| *byte != 0)
                .map_or(0, |last| last + 1);
            stop.get(..end).unwrap_or(stop).to_vec()
        });
        KeyRange::new(start, stop)
    }

    /// The range of ascending fields as a range of fields of this part's direction.
    ///
    /// A field is at or after `p` if and only if its complement is before the successor of `p`'s complement.
    fn directed(&self, start: Vec<u8>, stop: Option<Vec<u8>>) -> Option<KeyRange> {
        #[cfg(any(test, feature = "testing"))]
        if fault::active(Fault::DirectionIgnored) {
            return KeyRange::new(start, stop);
        }
        match self.direction() {
            SortOrder::Ascending => KeyRange::new(start, stop),
            SortOrder::Descending => {
                // An empty range must stay one: the complements of two positions may coincide.
                KeyRange::new(start.clone(), stop.clone())?;
                let first = match stop {
                    None => Vec::new(),
                    Some(stop) => prefix_successor(&complement(&stop))?,
                };
                KeyRange::new(first, prefix_successor(&complement(&start)))
            }
        }
    }

    /// The range behind the marker of values. It is opened to that end of the field's place where no NULL stands, so
    /// that it meets its neighbour.
    fn marked(&self, range: &KeyRange) -> Option<KeyRange> {
        if !self.nullable {
            return Some(range.clone());
        }
        let start = match range.start() {
            [] if self.nulls() == NullOrder::Last => Vec::new(),
            start => [&[VALUE_MARKER], start].concat(),
        };
        let stop = match range.stop() {
            Some(stop) => Some([&[VALUE_MARKER], stop].concat()),
            None => (self.nulls() == NullOrder::Last).then(|| vec![VALUE_MARKER + 1]),
        };
        KeyRange::new(start, stop)
    }

    /// A value of this part for people: `NULL`, and text in quotes where it could be taken for something else. An id of a
    /// dictionary is its text.
    pub fn format(&self, value: Option<&Datum>) -> String {
        let Some(value) = value else {
            return "NULL".to_owned();
        };
        let has_dictionary = self.transform.dictionary().is_some();
        let text = has_dictionary
            .then(|| self.transform.inverse(value))
            .flatten();
        let value = text.as_ref().unwrap_or(value);
        let text = Readable(value, self.transform.value_type()).to_string();
        let plain = !text.is_empty()
            && text != "NULL"
            && !text
                .chars()
                .any(|c| c.is_control() || "/*()[],'\"".contains(c));
        match value {
            Datum::Text(_) if !plain => format!("'{}'", text.escape_debug()),
            _ => text,
        }
    }
}

fn complement(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| !byte).collect()
}

#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
