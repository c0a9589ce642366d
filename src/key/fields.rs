//! A row key as a table of its own, whose columns are the values that its parts store.
//!
//! The keys are the same bytes. What a query asks of `salt(16)` or `date_trunc('hour', ts)` as a column becomes key
//! ranges as it does for any column.

use std::sync::Arc;

use super::definition::KeyColumn;
use super::domain::{Cut, Domain};
use super::encoding::Encoding;
use super::part::KeyPart;
use super::transform::Transform;
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;

/// The column of a part's values, and the part as a part over it, whose position among the columns this is.
pub(super) fn field(part: &KeyPart, position: usize, name: &str) -> (KeyColumn, KeyPart) {
    let column = KeyColumn {
        name: name.to_owned(),
        sql_type: part.transform().value_type().clone(),
        nullable: part.nullable(),
    };
    let values = part.universe();
    let over_field = |stored| Arc::new(Field { stored, values }) as Arc<dyn Transform>;
    let part = part.over(position, column.clone(), over_field);
    (column, part)
}

/// The value of a part as its own source, written as the part writes it.
#[derive(Debug)]
struct Field {
    stored: Arc<dyn Transform>,
    values: Domain,
}

impl Transform for Field {
    fn value_type(&self) -> &SqlType {
        self.stored.value_type()
    }

    fn values(&self) -> Domain {
        self.values.clone().with_null(false)
    }

    fn encoding(&self) -> &dyn Encoding {
        self.stored.encoding()
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        let value = sources.first().cloned();
        value.ok_or_else(|| Error::internal("a field without a value"))
    }

    fn preserves_order(&self) -> bool {
        true
    }

    fn project(&self, sources: &[&Domain]) -> Domain {
        match sources {
            [values] => values.intersect(&self.values),
            _ => self.values.clone(),
        }
    }

    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        Some(parts.clone())
    }

    fn inverse(&self, value: &Datum) -> Option<Datum> {
        Some(value.clone())
    }

    fn is_invertible(&self) -> bool {
        true
    }
}

impl Domain {
    /// The keys that a domain of BYTEA allows as ranges.
    pub fn byte_ranges(&self) -> impl Iterator<Item = KeyRange> {
        let intervals = self.intervals().iter();
        intervals
            .filter_map(|interval| KeyRange::new(place(&interval.start)?, place(&interval.end)))
    }
}

/// The first key behind a cut; `None` past all keys.
fn place(cut: &Cut) -> Option<Vec<u8>> {
    match cut {
        Cut::Start => Some(Vec::new()),
        Cut::Below(Datum::Bytes(bytes)) => Some(bytes.to_vec()),
        Cut::Above(Datum::Bytes(bytes)) => Some([&bytes[..], &[0]].concat()),
        Cut::Below(_) | Cut::Above(_) | Cut::End => None,
    }
}
