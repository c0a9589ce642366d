//! Statements that are answered without a plan: DDL, `SHOW …`, `DESCRIBE`, and COPY's options.

mod alter_table;
mod change;
mod comments;
pub(crate) mod copy;
mod create_table;
pub(crate) mod execute;
pub(crate) mod information;
pub(crate) mod sequences;
mod show;
pub(crate) mod statement;
mod store_statements;
mod summary;
mod view_statements;
