//! The hash of named columns.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray};

use super::digest::{Inputs, hash_columns};
use super::{BoundArgument, Computed, Declaration, Parameter, Transform};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::encoding::{Encoding, Raw};
use crate::key::row_error::RowError;

/// `hash(c, …)`
#[derive(Debug)]
pub struct Hash;

impl Declaration for Hash {
    fn name(&self) -> &'static str {
        "hash"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Columns]
    }

    fn computed(&self) -> Computed {
        Computed::ByHalite(SqlType::Bytea)
    }

    fn stores(&self) -> &'static str {
        "xxh3-64 of the named columns: 8 bytes"
    }

    fn pushdown(&self) -> &'static str {
        "= or IN on all of the columns, or on the hash: points"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        if arguments.is_empty() {
            return Err(Error::invalid(
                "hash takes at least one column, as in hash(c)",
            ));
        }
        Ok(Arc::new(Hashed {
            inputs: Inputs::new(super::column_types(arguments)?),
            encoding: Raw::new(8),
        }))
    }
}

/// Never NULL.
#[derive(Debug)]
struct Hashed {
    inputs: Inputs,
    encoding: Raw,
}

impl Transform for Hashed {
    fn value_type(&self) -> &SqlType {
        &SqlType::Bytea
    }

    fn is_hash(&self) -> bool {
        true
    }

    fn encoding(&self) -> &dyn Encoding {
        &self.encoding
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        let hash = self.inputs.hash(sources)?;
        Ok(Some(Datum::Bytes(hash.to_be_bytes().to_vec())))
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let hashes = hash_columns(sources, rows)?;
        Ok(Arc::new(BinaryArray::from_iter_values(
            hashes.into_iter().map(u64::to_be_bytes),
        )))
    }

    fn passes_null(&self) -> bool {
        false
    }
}
