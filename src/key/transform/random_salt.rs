//! The bucket of a row of a table that is only appended to: dealt out when the row is inserted, and computed from nothing.
//!
//! It is the value of a hidden column, [`BUCKET_COLUMN`], which the key gives back: whoever reads a row to change it has
//! the bucket with it, and computes the key under which the row is stored.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::Int32Type;

use super::bucket::{MOST_BUCKETS, bucket_count};
use super::{BoundArgument, Computed, Declaration, Parameter, Transform, only, only_column};
use crate::datum::{Datum, Readable, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Domain;
use crate::key::encoding::{self, Encoding};
use crate::key::row_error::RowError;

/// The hidden column of the buckets that rows were dealt.
pub const BUCKET_COLUMN: &str = "_bucket";

/// `random_salt(n)`; bound with the hidden column behind `n`.
#[derive(Debug)]
pub struct RandomSalt;

impl Declaration for RandomSalt {
    fn name(&self) -> &'static str {
        "random_salt"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Integer(1, MOST_BUCKETS)]
    }

    fn computed(&self) -> Computed {
        Computed::ByNobody
    }

    fn is_dealt(&self) -> bool {
        true
    }

    fn stores(&self) -> &'static str {
        "one of n buckets, in turn, and the next one where the key is taken; for tables that are only appended to: in \
         one byte up to 256 buckets, else in two"
    }

    fn pushdown(&self) -> &'static str {
        "always all n, side by side"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        match arguments {
            [
                BoundArgument::Integer(buckets),
                BoundArgument::Column(_, SqlType::Integer),
            ] => {
                let count = bucket_count(*buckets)?;
                let encoding = encoding::BucketNumber::new(count);
                Ok(Arc::new(Dealt { count, encoding }))
            }
            _ => Err(Error::invalid(
                "random_salt takes the number of buckets, as in random_salt(16)",
            )),
        }
    }
}

/// The bucket that a row was dealt. Never NULL.
#[derive(Debug)]
struct Dealt {
    count: u32,
    encoding: encoding::BucketNumber,
}

impl Dealt {
    fn is_bucket(&self, value: i64) -> bool {
        (0..i64::from(self.count)).contains(&value)
    }

    fn no_bucket(&self, value: &Datum) -> Error {
        let last = self.count - 1;
        let value = Readable(value, &SqlType::Integer);
        Error::invalid(format!("{value} is no bucket; they are 0 to {last}"))
    }
}

impl Transform for Dealt {
    fn value_type(&self) -> &SqlType {
        &SqlType::Integer
    }

    fn encoding(&self) -> &dyn Encoding {
        &self.encoding
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        match only(sources)? {
            None => Ok(Some(Datum::Integer(0))),
            Some(Datum::Integer(bucket)) if self.is_bucket(*bucket) => {
                Ok(Some(Datum::Integer(*bucket)))
            }
            Some(other) => Err(self.no_bucket(other)),
        }
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        _rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let array = only_column(sources)?;
        let buckets = array.as_primitive_opt::<Int32Type>();
        let buckets = buckets.ok_or_else(|| Error::internal("buckets of another type"))?;
        if buckets.null_count() > 0 {
            return Err(Error::internal("a row without its bucket").into());
        }
        let mut values = buckets.values().iter();
        match values.position(|bucket| !self.is_bucket(i64::from(*bucket))) {
            None => Ok(Arc::clone(array)),
            Some(row) => {
                let value = Datum::Integer(i64::from(buckets.value(row)));
                Err(RowError::at(row, self.no_bucket(&value)))
            }
        }
    }

    fn restore_column(&self, parts: &ArrayRef, _sql_type: &SqlType) -> Result<ArrayRef, RowError> {
        Ok(Arc::clone(parts))
    }

    fn passes_null(&self) -> bool {
        false
    }

    fn preserves_order(&self) -> bool {
        true
    }

    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        let has_first = parts.contains(Some(&Datum::Integer(0)));
        Some(parts.clone().with_null(has_first))
    }

    fn inverse(&self, value: &Datum) -> Option<Datum> {
        Some(value.clone())
    }

    fn is_invertible(&self) -> bool {
        true
    }

    fn buckets(&self) -> Option<u32> {
        Some(self.count)
    }

    fn is_hash(&self) -> bool {
        false
    }
}
