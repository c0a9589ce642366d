//! The bucket of named columns.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::digest::{Inputs, hash_columns};
use super::integers::array_of_integers;
use super::{BoundArgument, Computed, Declaration, Parameter, Transform};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::encoding::{self, Encoding};
use crate::key::row_error::RowError;

/// The greatest number of buckets.
pub const MOST_BUCKETS: i64 = 65_536;

/// `bucket(n, c, …)`
#[derive(Debug)]
pub struct Bucket;

impl Declaration for Bucket {
    fn name(&self) -> &'static str {
        "bucket"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Integer(1, MOST_BUCKETS), Parameter::Columns]
    }

    fn computed(&self) -> Computed {
        Computed::ByHalite(SqlType::Integer)
    }

    fn stores(&self) -> &'static str {
        "the hash of the named columns modulo n: in one byte up to 256 buckets, else in two"
    }

    fn pushdown(&self) -> &'static str {
        "= or IN on all of the columns: just their buckets; else all n, side by side"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        match arguments {
            [BoundArgument::Integer(buckets), columns @ ..] if !columns.is_empty() => {
                Ok(Arc::new(Buckets::new(*buckets, columns)?))
            }
            _ => Err(Error::invalid(
                "bucket takes the number of buckets and at least one column, as in bucket(16, c)",
            )),
        }
    }
}

/// A number of buckets that there can be.
///
/// # Errors
/// `InvalidInput` for another number.
pub(super) fn bucket_count(buckets: i64) -> Result<u32> {
    let count = u32::try_from(buckets).ok();
    let count = count.filter(|_| (1..=MOST_BUCKETS).contains(&buckets));
    count.ok_or_else(|| {
        Error::invalid(format!(
            "{buckets} buckets; there can be 1 to {MOST_BUCKETS}"
        ))
    })
}

/// The bucket of the values of some columns. Never NULL.
#[derive(Debug)]
pub(super) struct Buckets {
    inputs: Inputs,
    count: u32,
    encoding: encoding::BucketNumber,
}

impl Buckets {
    /// `buckets` buckets of these columns.
    pub(super) fn new(buckets: i64, columns: &[BoundArgument]) -> Result<Self> {
        let count = bucket_count(buckets)?;
        Ok(Self {
            inputs: Inputs::new(super::column_types(columns)?),
            count,
            encoding: encoding::BucketNumber::new(count),
        })
    }
}

impl Transform for Buckets {
    fn value_type(&self) -> &SqlType {
        &SqlType::Integer
    }

    fn encoding(&self) -> &dyn Encoding {
        &self.encoding
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        let bucket = self.inputs.hash(sources)? % u64::from(self.count);
        let bucket =
            i64::try_from(bucket).map_err(|_| Error::internal("a bucket beyond 65,536"))?;
        Ok(Some(Datum::Integer(bucket)))
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let hashes = hash_columns(sources, rows)?;
        let bucket = |hash: u64| i64::try_from(hash % u64::from(self.count)).unwrap_or_default();
        let buckets = hashes.into_iter().map(bucket).collect();
        Ok(array_of_integers(buckets, None, &SqlType::Integer)?)
    }

    fn passes_null(&self) -> bool {
        false
    }

    fn buckets(&self) -> Option<u32> {
        Some(self.count)
    }
}
