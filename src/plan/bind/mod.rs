//! What the names of a statement stand for: columns, views, parameters, the rules of columns.

pub(crate) mod column_rules;
pub(crate) mod files;
pub(crate) mod lateral;
pub(crate) mod names;
pub(crate) mod natural;
pub(crate) mod operators;
pub(crate) mod parameters;
pub(crate) mod recursion;
pub(crate) mod scanned;
pub(crate) mod statement;
pub(crate) mod type_names;
pub(crate) mod views;
