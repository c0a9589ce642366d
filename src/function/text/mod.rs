//! Functions of texts, and of what is as long as it is.

mod concatenation;
mod lengths;
mod parsed;
mod printf;
mod regexp;

use super::declared::Declaration;

pub use self::concatenation::{concatenated, may_be_long};

/// Those that are declared.
pub(super) static DECLARATIONS: &[&Declaration] = &[
    &lengths::LENGTH,
    &printf::FORMAT,
    &printf::PRINTF,
    &regexp::REGEXP_EXTRACT,
    &regexp::REGEXP_EXTRACT_ALL,
    &regexp::REGEXP_SPLIT,
    &parsed::PARSE_UUID,
    &parsed::TRY_PARSE_UUID,
    &parsed::TRY_PARSE_JSON,
];
