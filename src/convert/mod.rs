//! What a value becomes in another type.

pub mod meet;
