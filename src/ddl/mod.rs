//! Statements that are answered without a plan: DDL, `SHOW …`, `DESCRIBE`, and COPY's options.

pub(crate) mod alter_table;
pub(crate) mod command;
pub(crate) mod comments;
pub(crate) mod copy;
pub(crate) mod create_table;
pub(crate) mod execute_own;
pub(crate) mod information;
pub(crate) mod sequences;
pub(crate) mod store_statements;
pub(crate) mod summary;
pub(crate) mod view_statements;
