//! Functions and operators of numbers.

mod arithmetic;
mod product;
mod quotient;
pub(super) mod template;
mod width_bucket;

use super::declared::Declaration;

pub use self::arithmetic::Arithmetic;
pub use self::product::{is_wide_product, lost_operator, product};
pub use self::quotient::{is_of_decimals, quotient};
pub(super) use self::quotient::{quotients, type_of_quotient};

/// Those that are declared.
pub(super) static DECLARATIONS: &[&Declaration] = &[&width_bucket::WIDTH_BUCKET];
