//! `version()`, which many a program asks first.

use std::sync::Arc;

use arrow::array::StringArray;
use arrow::datatypes::DataType;
use datafusion::common::plan_err;

use super::declared::Declaration;

/// The one.
pub(super) static DECLARATIONS: &[&Declaration] = &[&VERSION];

static VERSION: Declaration = Declaration {
    name: "version",
    aliases: &[],
    coerce: |types| match types {
        [] => Ok(Vec::new()),
        _ => plan_err!("version() takes no arguments"),
    },
    result: |_| Ok(DataType::Utf8),
    compute: |_| {
        let version = format!(
            "Halite {} on {}, {}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH
        );
        Ok(Arc::new(StringArray::from(vec![version])))
    },
};
