//! What a cast means.

pub mod clocks;
pub mod kept_types;
pub(crate) mod lossy;
pub(crate) mod meant;
pub mod nearest;
pub(crate) mod session_zone;
