//! A planned statement and its runs: sessions, snapshots, plans that are kept, memory, deadlines, interruptions.

pub(crate) mod batch_size;
pub(crate) mod deadline;
pub(crate) mod execute_named;
pub(crate) mod explain;
pub(crate) mod fast_change;
pub(crate) mod fast_query;
pub(crate) mod interrupt;
pub(crate) mod key_rows;
pub(crate) mod memory;
pub(crate) mod meter;
pub(crate) mod named;
pub(crate) mod outcome;
pub(crate) mod planned;
pub(crate) mod planning_thread;
pub(crate) mod retry_merged;
pub(crate) mod running;
pub(crate) mod sessions;
pub(crate) mod span;
pub(crate) mod statement_cache;
pub(crate) mod template;
pub(crate) mod temporary;
pub(crate) mod waiting;
