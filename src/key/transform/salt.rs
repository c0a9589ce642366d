//! The salt of a table: its rows dealt out over buckets by all that the rest of the key is computed from.

use std::sync::Arc;

use super::bucket::{Buckets, MOST_BUCKETS};
use super::{BoundArgument, Computed, Declaration, Parameter, Transform};
use crate::error::{Error, Result};

/// `salt(n)`; bound with the source columns of all other parts behind `n`.
#[derive(Debug)]
pub struct Salt;

impl Declaration for Salt {
    fn name(&self) -> &'static str {
        "salt"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Integer(1, MOST_BUCKETS)]
    }

    fn computed(&self) -> Computed {
        Computed::ByNobody
    }

    fn takes_whole_key(&self) -> bool {
        true
    }

    fn stores(&self) -> &'static str {
        "the hash of the source columns of all other parts modulo n: in one byte up to 256 buckets, else in two"
    }

    fn pushdown(&self) -> &'static str {
        "all those columns pinned: one bucket; else all n, side by side"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        match arguments {
            [BoundArgument::Integer(_)] => Err(Error::invalid(
                "salt(n) needs another key part over a column, whose hash it stores",
            )),
            [BoundArgument::Integer(buckets), columns @ ..] => {
                Ok(Arc::new(Buckets::new(*buckets, columns)?))
            }
            _ => Err(Error::invalid(
                "salt takes the number of buckets, as in salt(16)",
            )),
        }
    }
}
