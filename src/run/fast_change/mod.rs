//! Prepared changes of the row under one key, run without planning.

pub(crate) mod compile;
pub(crate) mod compiled;
pub(crate) mod direct;
pub(crate) mod runs;
