//! The layout of a table's row key, and keys of single rows.

use std::sync::Arc;

use super::definition::{KeyColumn, PartDefinition, SortOrder};
use super::dictionary::{Dictionary, Lookups};
use super::fields;
use super::part::KeyPart;
use super::transform::{Argument, BUCKET_COLUMN, Expression};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::keyrange::hex;

/// The longest row key, which is HBase's limit.
pub const ROW_KEY_BYTES: usize = 32_767;

/// What a key that is written alone has room for at first.
const USUAL_BYTES: usize = 32;

/// The layout of a table's row key.
#[derive(Debug, Clone)]
pub struct RowKey {
    columns: Vec<KeyColumn>,
    parts: Vec<KeyPart>,
    /// The dictionaries of parts that have one, by the positions of the parts.
    dictionaries: Vec<(usize, Arc<Dictionary>)>,
    /// Whether keys of other layouts stand among these, see [`RowKey::among_others`].
    is_among_others: bool,
    /// Whether it is what keys begin with, see [`RowKey::of_first_fields`].
    goes_on: bool,
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
            let expression = completed(&definition.expression, &definitions);
            let part = KeyPart::bind(&columns, definition, &expression)
                .map_err(|error| error.context(format!("key part `{}`", definition.expression)))?;
            parts.push(part);
        }
        if parts.is_empty() {
            return Err(Error::invalid("a row key needs at least one part"));
        }
        check_buckets(&parts)?;
        Ok(Self {
            columns,
            dictionaries: dictionaries(&parts),
            parts,
            is_among_others: false,
            goes_on: false,
        })
    }

    /// The same keys over columns with these names, which hold the values of the parts themselves.
    ///
    /// # Errors
    /// `Internal` where there is not a name for each part.
    pub fn of_fields(&self, names: &[String]) -> Result<Self> {
        if names.len() != self.parts.len() {
            return Err(Error::internal("a row key whose parts have other names"));
        }
        Ok(Self {
            is_among_others: self.is_among_others,
            goes_on: false,
            ..self.of_first_fields(names)
        })
    }

    /// The first of [`RowKey::of_fields`], as many as there are names: what keys of this layout, and of others that are
    /// encoded as it is up to there, begin with.
    #[must_use]
    pub fn of_first_fields(&self, names: &[String]) -> Self {
        let parts = self.parts.iter().zip(names).enumerate();
        let (columns, parts) = parts
            .map(|(position, (part, name))| fields::field(part, position, name))
            .unzip();
        Self {
            columns,
            parts,
            dictionaries: Vec::new(),
            is_among_others: true,
            goes_on: true,
        }
    }

    /// The same keys, of a table that has these columns besides.
    #[must_use]
    pub fn with_columns(mut self, columns: impl IntoIterator<Item = KeyColumn>) -> Self {
        self.columns.extend(columns);
        self
    }

    /// Whether keys go on behind its parts: it is what they begin with, and no value of them all is a whole key.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Whether keys of other layouts may stand among these.
    pub(super) fn is_among_others(&self) -> bool {
        self.is_among_others
    }

    pub(super) fn set_among_others(mut self, is_among_others: bool) -> Self {
        self.is_among_others = is_among_others;
        self
    }

    /// The table's columns.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// The parts in key order.
    pub fn parts(&self) -> &[KeyPart] {
        &self.parts
    }

    /// The dictionaries of parts that have one, by the positions of the parts.
    pub fn dictionaries(&self) -> &[(usize, Arc<Dictionary>)] {
        &self.dictionaries
    }

    /// Takes in what others have added to them until now.
    ///
    /// # Errors
    /// Those of [`Dictionary::follow`].
    pub fn follow_dictionaries(&self) -> Result<()> {
        let mut dictionaries = self.dictionaries.iter();
        dictionaries.try_for_each(|(_, dictionary)| dictionary.follow())
    }

    /// What was looked up in them so far.
    pub fn lookups(&self) -> Lookups {
        self.dictionaries.iter().map(|(_, it)| it.lookups()).sum()
    }

    /// Sees to it that the texts of a row have ids in the dictionaries.
    #[cfg(any(test, feature = "testing"))]
    #[allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "called by tests alone"
    )]
    pub fn learn_row(&self, row: &[Option<Datum>]) {
        for (position, dictionary) in &self.dictionaries {
            let source = self.parts[*position].sources()[0];
            let text = row[source].as_ref().and_then(Datum::as_text);
            dictionary.learn(text.into_iter()).unwrap();
        }
    }

    /// The part that holds the bucket of a salted table.
    pub fn bucket_part(&self) -> Option<usize> {
        self.parts
            .iter()
            .position(|part| part.transform().buckets().is_some())
    }

    /// In how many buckets rows are dealt out as they are inserted, of a key with `random_salt(n)`.
    pub fn dealt_buckets(&self) -> Option<u32> {
        let dealt = self.parts.iter().find(|part| part.expression().is_dealt());
        dealt.and_then(|part| part.transform().buckets())
    }

    /// Writes another bucket into a row key.
    ///
    /// # Errors
    /// `Corrupt` where the bytes are no key of this layout; `Internal` where it has no such bucket.
    pub fn set_bucket(&self, key: &mut [u8], bucket: u32) -> Result<()> {
        let mut start = 0;
        for part in &self.parts {
            if part.transform().buckets().is_none() {
                start += part.length(key.get(start..).unwrap_or_default())?;
                continue;
            }
            let mut field = Vec::with_capacity(2);
            part.encode(Some(&Datum::Integer(bucket.into())), &mut field)?;
            let place = key.get_mut(start..start + field.len());
            let place = place.ok_or_else(|| Error::corrupt("a row key without its bucket"))?;
            place.copy_from_slice(&field);
            return Ok(());
        }
        Err(Error::internal("a row key that has no buckets"))
    }

    /// Where the buckets begin of a key that begins with one, in at most so many groups: keys, ascending, without the
    /// first; none for other keys.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn bucket_starts(&self, most: u32) -> Result<Vec<Vec<u8>>> {
        let first = self.parts.first();
        let buckets = first.and_then(|part| Some((part, part.transform().buckets()?)));
        let Some((part, buckets)) = buckets else {
            return Ok(Vec::new());
        };
        let groups = buckets.min(most);
        let mut starts = Vec::new();
        for group in 1..groups {
            let before = i64::from(buckets) * i64::from(group) / i64::from(groups);
            let bucket = match part.direction() {
                SortOrder::Ascending => before,
                SortOrder::Descending => i64::from(buckets) - 1 - before,
            };
            let mut start = Vec::new();
            part.encode(Some(&Datum::Integer(bucket)), &mut start)?;
            starts.push(start);
        }
        starts.sort_unstable();
        Ok(starts)
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
        let mut key = Vec::with_capacity(USUAL_BYTES);
        for part in &self.parts {
            part.encode_row(row, &mut key)?;
        }
        debug_assert!(
            self.gives_back(&key, row),
            "{row:?} does not come back from {}",
            hex(&key)
        );
        match key.len() {
            ..=ROW_KEY_BYTES => Ok(key),
            length => Err(too_long(length)),
        }
    }

    fn gives_back(&self, key: &[u8], row: &[Option<Datum>]) -> bool {
        match (self.decode(key), self.values(row)) {
            (Ok(decoded), Ok(values)) => decoded == values,
            _ => false,
        }
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

    /// Whether the bytes may be a whole row key, told from the lengths of their fields. Where keys of other layouts stand
    /// among these, any bytes may.
    pub fn is_whole(&self, bytes: &[u8]) -> bool {
        if self.is_among_others {
            return true;
        }
        let mut rest = Some(bytes);
        for part in &self.parts {
            rest = rest.and_then(|rest| rest.get(part.length(rest).ok()?..));
        }
        rest.is_some_and(<[u8]>::is_empty)
    }

    /// A row key as `/part/part`.
    pub fn format(&self, key: &[u8]) -> Result<String> {
        let values = self.decode(key)?;
        let fields = self.parts.iter().zip(&values);
        Ok(fields
            .map(|(part, value)| format!("/{}", part.format(value.as_ref())))
            .collect())
    }

    /// A row key for people: as [`RowKey::format`], in hex digits where it cannot be read.
    pub fn readable(&self, key: &[u8]) -> String {
        self.format(key).unwrap_or_else(|_| hex(key))
    }
}

fn dictionaries(parts: &[KeyPart]) -> Vec<(usize, Arc<Dictionary>)> {
    let dictionaries = parts.iter().enumerate();
    let dictionaries = dictionaries.filter_map(|(position, part)| {
        Some((position, Arc::clone(part.transform().dictionary()?)))
    });
    dictionaries.collect()
}

/// At most one part is a bucket, and rows that are dealt out have something else that their keys are of.
fn check_buckets(parts: &[KeyPart]) -> Result<()> {
    let is_bucket = |part: &&KeyPart| part.transform().buckets().is_some();
    if parts.iter().filter(is_bucket).count() > 1 {
        return Err(Error::invalid(
            "a row key has at most one of salt(n), bucket(n, …) and random_salt(n)",
        ));
    }
    let is_dealt = parts.iter().any(|part| part.expression().is_dealt());
    let mut others = parts.iter().filter(|part| !is_bucket(part));
    if is_dealt && others.all(|part| part.sources().is_empty()) {
        Err(Error::invalid(
            "random_salt(n) needs another key part over a column, by which rows are found in each bucket",
        ))
    } else {
        Ok(())
    }
}

/// The expression as it is bound: with the columns of the whole key behind its arguments, if its function takes them, or
/// the hidden column of buckets.
fn completed(expression: &Expression, definitions: &[PartDefinition]) -> Expression {
    let mut completed = expression.clone();
    if expression.is_dealt() {
        let bucket = Argument::Column(BUCKET_COLUMN.to_owned());
        completed.arguments.push(bucket);
        return completed;
    }
    if !expression
        .declaration()
        .is_ok_and(|declaration| declaration.takes_whole_key())
    {
        return completed;
    }
    for column in definitions
        .iter()
        .flat_map(|definition| definition.expression.columns())
    {
        let column = Argument::Column(column.to_owned());
        if !completed.arguments.contains(&column) {
            completed.arguments.push(column);
        }
    }
    completed
}

/// The error for a key of `length` bytes.
pub(super) fn too_long(length: usize) -> Error {
    Error::invalid(format!(
        "a row key of {length} bytes; at most {ROW_KEY_BYTES} are possible"
    ))
}
