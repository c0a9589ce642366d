//! Whole databases: backups, checks, copies from one to another.

pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod transfer;
