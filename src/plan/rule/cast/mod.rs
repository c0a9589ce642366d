//! What a cast means.

pub mod bytes;
pub mod clocks;
pub mod kept_types;
pub(crate) mod lossy;
pub mod nearest;
pub mod nested;
pub mod rounded;
pub(crate) mod session_zone;
pub mod texts;
pub mod zones;
