//! Where the rows of a table are kept apart: the points of `SPLIT ('a', 'm')`.
//!
//! A point is a beginning of row keys, as the table's layout writes it: a value for each of the first parts of the key, from
//! which [`split_key`] makes bytes. In a table whose key begins with a bucket it is one in each of the buckets. Its values
//! are kept as they were written, to be shown; its bytes say where it is.

use serde::{Deserialize, Serialize};

use super::{StoredField, Table};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::key::{KeyPart, ROW_KEY_BYTES, RowKey};

/// The most parts that a table is made in.
pub const MOST_PARTS: usize = 4096;

/// A key at which a part of a table begins, in each bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitPoint {
    /// Its values as SQL, of the first parts of the key.
    pub values: Vec<String>,
    /// The fields of these parts, without that of the bucket.
    pub key: StoredField,
}

impl SplitPoint {
    /// As `SPLIT` declares it: `'a'`, or `('a', 1)`.
    pub fn clause(&self) -> String {
        match self.values.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(", ")),
        }
    }
}

/// The part of a row key that the value of SPLIT is for before which `number` others stand. It is computed from one column.
///
/// # Errors
/// `InvalidInput` or `NotSupported` where there is none, with the reason and what to do.
pub fn split_part(key: &RowKey, number: usize) -> Result<&KeyPart> {
    let mut parts = behind_bucket(key).iter();
    let part = parts.clone().filter(|part| !part.is_constant()).nth(number);
    let Some(part) = part else {
        let count = parts.filter(|part| !part.is_constant()).count();
        return Err(Error::invalid(format!(
            "{} values, and the row key has {count} parts that take one",
            number + 1
        )));
    };
    let mut before = parts
        .by_ref()
        .take_while(|other| !std::ptr::eq(*other, part));
    let bucket = before.find(|other| other.transform().buckets().is_some());
    if let Some(bucket) = bucket.or(Some(part).filter(|it| it.transform().buckets().is_some())) {
        return Err(Error::unsupported(format!(
            "key part {} is behind or in the place of {}, which has rows of any value in each bucket: give values of the \
             parts before it, or put it first",
            part.expression(),
            bucket.expression()
        )));
    }
    refuse_spread(part)?;
    Ok(part)
}

/// Parts whose values are no values of a column, in their order.
fn refuse_spread(part: &KeyPart) -> Result<()> {
    let expression = part.expression();
    if part.transform().dictionary().is_some() {
        return Err(Error::unsupported(format!(
            "key part {expression} has numbers that are given to texts as they come: leave SPLIT out, or let another part \
             come first"
        )));
    }
    if part.transform().is_hash() || part.sources().len() != 1 {
        Err(Error::unsupported(format!(
            "key part {expression} is a hash, and no value of a column says where it divides the rows: leave SPLIT out, and \
             let bucket(n, …) be the first part, each bucket of which is a part of its own"
        )))
    } else {
        Ok(())
    }
}

/// The fields of the first parts of a key, but for a bucket that begins it, with these values of their columns; constants
/// between them are written, too.
///
/// # Errors
/// As [`split_part`]; `InvalidInput` for a value that no row can have.
pub fn split_key(key: &RowKey, values: &[Datum]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut parts = behind_bucket(key).iter();
    for (number, value) in values.iter().enumerate() {
        let wanted = split_part(key, number)?;
        for part in parts.by_ref() {
            let mut row = vec![None; key.columns().len()];
            let source = part
                .sources()
                .first()
                .and_then(|source| row.get_mut(*source));
            if let Some(source) = source {
                *source = Some(value.clone());
            }
            part.encode(part.value(&row)?.as_ref(), &mut bytes)?;
            if std::ptr::eq(part, wanted) {
                break;
            }
        }
    }
    if bytes.len() <= ROW_KEY_BYTES {
        Ok(bytes)
    } else {
        Err(Error::invalid(format!(
            "a key of {} bytes, {ROW_KEY_BYTES} are possible",
            bytes.len()
        )))
    }
}

fn begins_with_bucket(key: &RowKey) -> Option<(&KeyPart, u32)> {
    let first = key.parts().first()?;
    Some((first, first.transform().buckets()?))
}

fn behind_bucket(key: &RowKey) -> &[KeyPart] {
    let skipped = usize::from(begins_with_bucket(key).is_some());
    key.parts().get(skipped..).unwrap_or_default()
}

impl Table {
    /// That each point is another one, and that there are not too many.
    pub(super) fn check_split(&self, key: &RowKey) -> Result<()> {
        let wrong = |what: String| {
            Err(Error::invalid(format!(
                "table `{}`: SPLIT: {what}",
                self.name
            )))
        };
        if self.split.is_empty() {
            return Ok(());
        }
        if self.has_row_id() {
            return wrong(format!(
                "its row key is hidden: declare PRIMARY KEY (…), of which {} is a value",
                self.split_list()
            ));
        }
        if self.keyspace.is_some() {
            return wrong(
                "in a key space, whose tables share one run of keys; leave it out".to_owned(),
            );
        }
        let buckets = begins_with_bucket(key).map_or(1, |(_, buckets)| buckets as usize);
        let parts = buckets.saturating_mul(self.split.len() + 1);
        if parts > MOST_PARTS {
            return wrong(format!(
                "{parts} parts, {MOST_PARTS} are possible: {buckets} times {} values and one more",
                self.split.len()
            ));
        }
        for (place, point) in self.split.iter().enumerate() {
            let mut before = self.split.iter().take(place);
            if let Some(other) = before.find(|other| other.key == point.key) {
                return wrong(format!(
                    "{} and {} are one place in the row key ({}): leave one of them out",
                    other.clause(),
                    point.clause(),
                    self.key_clause()
                ));
            }
            if point.values.is_empty() || point.key.0.is_empty() {
                return wrong("a point without a value".to_owned());
            }
        }
        Ok(())
    }

    /// The keys at which its parts begin but for the first, ascending: the points, in each bucket, and the buckets. None
    /// of a table without SPLIT.
    pub(super) fn borders(&self, key: &RowKey) -> Result<Vec<Vec<u8>>> {
        if self.split.is_empty() {
            return Ok(Vec::new());
        }
        let mut beginnings = vec![Vec::new()];
        if let Some((part, buckets)) = begins_with_bucket(key) {
            let field = |bucket: u32| {
                let mut field = Vec::new();
                part.encode(Some(&Datum::Integer(bucket.into())), &mut field)?;
                Ok(field)
            };
            beginnings = (0..buckets).map(field).collect::<Result<_>>()?;
        }
        let mut borders: Vec<Vec<u8>> = Vec::new();
        for beginning in beginnings {
            let points = self.split.iter();
            borders.extend(points.map(|point| [beginning.as_slice(), &point.key.0].concat()));
            borders.push(beginning);
        }
        borders.sort_unstable();
        // Before the first bucket, as before the first key, nothing lies.
        borders.remove(0);
        Ok(borders)
    }

    /// `'a', 'm'`
    pub(super) fn split_list(&self) -> String {
        let points: Vec<String> = self.split.iter().map(SplitPoint::clause).collect();
        points.join(", ")
    }
}
