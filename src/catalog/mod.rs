//! The tables of a database: DDL to definitions, definitions to the store, and DataFusion's view of them.

pub mod ddl;
mod part;
