//! Forms of SQL that are planned as others.

pub(crate) mod calls;
pub(crate) mod clauses;
pub(crate) mod expressions;
pub(crate) mod file_functions;
pub(crate) mod from_functions;
pub(crate) mod functions;
pub(crate) mod lambdas;
pub(crate) mod mixed_values;
pub(crate) mod pivot;
pub(crate) mod rows_changed;
pub(crate) mod sample;
pub(crate) mod struct_types;
