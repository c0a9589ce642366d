//! Memory that operators do not ask for, and statements that can be ended.

pub mod account;
pub(crate) mod account_exec;
pub mod bounds;
pub(crate) mod key_groups;
pub mod merge_joins;
pub(crate) mod pieces;
pub(crate) mod stoppable;
