//! The layout of a table's row key, and keys of single rows.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::datum::{Datum, Readable, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::{Cut, Domain, Interval};
use crate::key::identifier::identifier;
use crate::key::transform::{Argument, BoundArgument, Expression, Transform};
use crate::keyrange::{KeyRange, KeyRangeSet, hex, prefix_successor};

/// The longest row key, which is HBase's limit.
pub const ROW_KEY_BYTES: usize = 32_767;

/// Marks a value in a part that can be NULL.
const VALUE_MARKER: u8 = 0x01;

/// Whether keys run up or down with the part's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smaller values first.
    Ascending,
    /// Greater values first.
    Descending,
}

/// Where NULL stands among the keys of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NullOrder {
    /// Before every value.
    First,
    /// After every value.
    Last,
}

impl NullOrder {
    fn marker(self) -> u8 {
        match self {
            Self::First => 0x00,
            Self::Last => 0x02,
        }
    }
}

impl Direction {
    /// DataFusion's default: ASC NULLS LAST, DESC NULLS FIRST.
    pub fn default_nulls(self) -> NullOrder {
        match self {
            Self::Ascending => NullOrder::Last,
            Self::Descending => NullOrder::First,
        }
    }
}

/// A column of the table, as far as row keys need to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyColumn {
    /// Its name, folded as it is stored.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
    /// Whether it can be NULL.
    pub nullable: bool,
}

/// A part as it is declared and stored with the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartDefinition {
    /// What is stored.
    pub expression: Expression,
    /// ASC or DESC.
    pub direction: Direction,
    /// NULLS FIRST or LAST; without effect for a part that cannot be NULL.
    pub nulls: NullOrder,
}

/// One part of a row key, bound to the table's columns.
#[derive(Debug, Clone)]
pub struct KeyPart {
    definition: PartDefinition,
    transform: Arc<dyn Transform>,
    sources: Vec<usize>,
    nullable: bool,
}

impl KeyPart {
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

    /// Every value that the part can have, NULL included where it can be NULL.
    pub fn universe(&self) -> Domain {
        let sql_type = self.transform.value_type();
        let values = match self.transform.buckets() {
            Some(buckets) => Domain::between(
                sql_type,
                Cut::Below(Datum::Integer(0)),
                Cut::Below(Datum::Integer(buckets.into())),
            ),
            None => Domain::not_null(sql_type),
        };
        values.with_null(self.nullable)
    }

    /// Whether the part can be NULL and so has a marker.
    pub fn nullable(&self) -> bool {
        self.nullable
    }

    /// ASC or DESC.
    pub fn direction(&self) -> Direction {
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
    pub fn value(&self, row: &[Option<Datum>]) -> Result<Option<Datum>> {
        let sources: Vec<Option<Datum>> = self
            .sources
            .iter()
            .map(|index| row.get(*index).cloned().flatten())
            .collect();
        let value = self.transform.apply(&sources)?;
        if value.is_none() && sources.iter().all(Option::is_some) {
            let readable: Vec<String> = sources
                .iter()
                .flatten()
                .map(|datum| format!("{datum:?}"))
                .collect();
            return Err(Error::invalid(format!(
                "key part `{}` has no value for {}",
                self.expression(),
                readable.join(", ")
            )));
        }
        Ok(value)
    }

    /// Appends the part's field.
    pub fn encode(&self, value: Option<&Datum>, into: &mut Vec<u8>) -> Result<()> {
        let Some(value) = value else {
            if !self.nullable {
                return Err(Error::invalid(format!(
                    "key part `{}` must not be NULL",
                    self.expression()
                )));
            }
            into.push(self.nulls().marker());
            return Ok(());
        };
        if self.nullable {
            into.push(VALUE_MARKER);
        }
        let start = into.len();
        self.transform.encoding().encode(value, into)?;
        if self.direction() == Direction::Descending {
            into.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
        }
        Ok(())
    }

    /// Reads the part's field from the front of `bytes`: its value and length.
    pub fn decode(&self, bytes: &[u8]) -> Result<(Option<Datum>, usize)> {
        let Some((body, marker)) = self.body(bytes)? else {
            return Ok((None, 1));
        };
        let encoding = self.transform.encoding();
        let (value, length) = match self.direction() {
            Direction::Ascending => encoding.decode(body)?,
            Direction::Descending => encoding.decode(&complement(body))?,
        };
        Ok((Some(value), marker + length))
    }

    /// The length of the part's field at the front of `bytes`, marker included.
    pub fn length(&self, bytes: &[u8]) -> Result<usize> {
        let Some((body, marker)) = self.body(bytes)? else {
            return Ok(1);
        };
        let encoding = self.transform.encoding();
        let length = match (encoding.width(), self.direction()) {
            (Some(_), _) | (None, Direction::Ascending) => encoding.length(body)?,
            (None, Direction::Descending) => encoding.length(&complement(body))?,
        };
        Ok(marker + length)
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
            ranges.push(KeyRange::prefix(&[self.nulls().marker()]));
        }
        Ok(KeyRangeSet::from_ranges(ranges))
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
        match self.direction() {
            Direction::Ascending => KeyRange::new(start, stop),
            Direction::Descending => {
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
}

fn complement(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| !byte).collect()
}

/// The layout of a table's row key.
#[derive(Debug, Clone)]
pub struct RowKey {
    columns: Vec<KeyColumn>,
    parts: Vec<KeyPart>,
}

impl RowKey {
    /// The layout with these parts over a table's columns.
    ///
    /// # Errors
    /// `InvalidInput` or `NotSupported` that names the part, the column and the reason.
    pub fn new(columns: Vec<KeyColumn>, definitions: Vec<PartDefinition>) -> Result<Self> {
        let mut parts = Vec::with_capacity(definitions.len());
        let definitions: Vec<PartDefinition> = definitions
            .into_iter()
            .map(|definition| PartDefinition {
                expression: definition.expression.canonical(),
                ..definition
            })
            .collect();
        for definition in &definitions {
            let expression = salted(&definition.expression, &definitions);
            let part = bind(&columns, definition, &expression)
                .map_err(|error| error.context(format!("key part `{}`", definition.expression)))?;
            parts.push(part);
        }
        if parts.is_empty() {
            return Err(Error::invalid("a row key needs at least one part"));
        }
        if parts
            .iter()
            .filter(|part| part.transform.buckets().is_some())
            .count()
            > 1
        {
            return Err(Error::invalid(
                "a row key has at most one of salt(n), bucket(n, …) and random_salt(n)",
            ));
        }
        Ok(Self { columns, parts })
    }

    /// The table's columns.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// The parts in key order.
    pub fn parts(&self) -> &[KeyPart] {
        &self.parts
    }

    /// The part that holds the bucket of a salted table.
    pub fn bucket_part(&self) -> Option<usize> {
        self.parts
            .iter()
            .position(|part| part.transform.buckets().is_some())
    }

    /// The part that gives back the table's column at `column`.
    pub fn restoring_part(&self, column: usize) -> Option<usize> {
        self.parts
            .iter()
            .position(|part| part.restores() == Some(column))
    }

    /// The part values of a row given by its columns' values, in table order.
    pub fn values(&self, row: &[Option<Datum>]) -> Result<Vec<Option<Datum>>> {
        self.parts.iter().map(|part| part.value(row)).collect()
    }

    /// The row key of a row given by its columns' values, in table order.
    ///
    /// # Errors
    /// `InvalidInput` where a part has no value for the row, or the key is too long.
    pub fn encode(&self, row: &[Option<Datum>]) -> Result<Vec<u8>> {
        self.encode_values(&self.values(row)?)
    }

    /// The row key of these part values.
    pub fn encode_values(&self, values: &[Option<Datum>]) -> Result<Vec<u8>> {
        let mut key = Vec::new();
        for (part, value) in self.parts.iter().zip(values) {
            part.encode(value.as_ref(), &mut key)?;
        }
        if key.len() > ROW_KEY_BYTES {
            return Err(Error::invalid(format!(
                "a row key of {} bytes; at most {ROW_KEY_BYTES} are possible",
                key.len()
            )));
        }
        debug_assert!(
            self.decode(&key)
                .is_ok_and(|decoded| decoded.as_slice() == values),
            "{values:?} does not come back from {}",
            hex(&key)
        );
        Ok(key)
    }

    /// The part values in a row key.
    ///
    /// # Errors
    /// `Corrupt` where the bytes are no key of this layout.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<Option<Datum>>> {
        let mut rest = key;
        let mut values = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (value, length) = part.decode(rest)?;
            values.push(value);
            rest = rest
                .get(length..)
                .ok_or_else(|| Error::corrupt(format!("row key {} ends early", hex(key))))?;
        }
        if rest.is_empty() {
            Ok(values)
        } else {
            Err(Error::corrupt(format!(
                "row key {} has {} bytes too many",
                hex(key),
                rest.len()
            )))
        }
    }

    /// A row key as `/part/part`.
    pub fn format(&self, key: &[u8]) -> Result<String> {
        let values = self.decode(key)?;
        let fields = self.parts.iter().zip(&values);
        Ok(fields
            .map(|(part, value)| format!("/{}", part.format(value.as_ref())))
            .collect())
    }
}

impl KeyPart {
    /// A value of this part for people: `NULL`, and text in quotes where it could be taken for something else.
    pub fn format(&self, value: Option<&Datum>) -> String {
        let Some(value) = value else {
            return "NULL".to_owned();
        };
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

/// `salt(n)` is computed from the source columns of all other parts, each once, in the order of first mention.
fn salted(expression: &Expression, definitions: &[PartDefinition]) -> Expression {
    if expression.function != "salt" {
        return expression.clone();
    }
    let mut salted = expression.clone();
    for column in definitions
        .iter()
        .flat_map(|definition| definition.expression.columns())
    {
        let column = Argument::Column(column.to_owned());
        if !salted.arguments.contains(&column) {
            salted.arguments.push(column);
        }
    }
    salted
}

fn bind(
    columns: &[KeyColumn],
    definition: &PartDefinition,
    expression: &Expression,
) -> Result<KeyPart> {
    let (transform, sources) = expression.bind(columns)?;
    let nullable = transform.passes_null()
        && sources
            .iter()
            .any(|source| columns.get(*source).is_some_and(|column| column.nullable));
    Ok(KeyPart {
        definition: definition.clone(),
        transform,
        sources,
        nullable,
    })
}

impl Expression {
    /// The function over a table's columns, and the positions of those that it names.
    ///
    /// # Errors
    /// `InvalidInput` or `NotSupported` that names the column or argument and the reason.
    pub fn bind(&self, columns: &[KeyColumn]) -> Result<(Arc<dyn Transform>, Vec<usize>)> {
        let mut sources = Vec::new();
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(match argument {
                Argument::Column(name) => {
                    let (position, column) = columns
                        .iter()
                        .enumerate()
                        .find(|(_, column)| column.name == *name)
                        .ok_or_else(|| Error::invalid(format!("there is no column `{name}`")))?;
                    sources.push(position);
                    BoundArgument::Column(name.clone(), column.sql_type.clone())
                }
                Argument::Integer(value) => BoundArgument::Integer(*value),
                Argument::Text(value) => BoundArgument::Text(value.clone()),
                Argument::Interval(value) => BoundArgument::Interval(*value),
            });
        }
        Ok((self.declaration()?.bind(&arguments)?, sources))
    }
}

impl fmt::Display for Expression {
    /// The expression as SQL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(ToString::to_string).collect();
        match (self.function.as_str(), arguments.as_slice()) {
            ("column" | "literal", [only]) => f.write_str(only),
            ("%" | "/", [left, right]) => write!(f, "{left} {} {right}", self.function),
            ("cast_date", [only]) => write!(f, "CAST({only} AS DATE)"),
            _ => write!(f, "{}({})", self.function, arguments.join(", ")),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) => f.write_str(&identifier(name)),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "'{}'", value.replace('\'', "''")),
            Self::Interval(nanoseconds) => {
                match (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000) {
                    (seconds, 0) => write!(f, "INTERVAL '{seconds} seconds'"),
                    _ => write!(f, "INTERVAL '{nanoseconds} nanoseconds'"),
                }
            }
        }
    }
}
