//! What Halite adds to SQL's functions: the transforms that SQL lacks, and `keys('t')`.

mod keys;
mod transform;

use std::sync::Arc;

use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;

use crate::error::Result;
use crate::table::HaliteTable;

pub use self::transform::{FUNCTIONS, TransformFunction};

/// Finds a table by its name; what the session gives `keys('t')` to look in.
pub type Lookup = Arc<dyn Fn(&str) -> Result<Arc<HaliteTable>> + Send + Sync>;

/// Makes the functions known to a session.
pub fn register(context: &SessionContext, lookup: Lookup) {
    for function in FUNCTIONS {
        context.register_udf(ScalarUDF::new_from_impl(TransformFunction::new(function)));
    }
    context.register_udtf("keys", Arc::new(keys::Keys::new(lookup)));
}
