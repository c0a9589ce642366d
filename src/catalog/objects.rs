//! What has a name in a database beside tables, and what becomes of names that meet.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;

use super::numbers::Sequence;
use crate::schema::View;

/// Views by their names.
pub(super) type Views = RwLock<BTreeMap<String, Arc<View>>>;

/// What becomes of the views that read what is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependents {
    /// Nothing is dropped while there are some.
    Refuse,
    /// They are dropped, too, and those that read them.
    Drop,
}

/// What becomes of an object that has the name of one that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is made, which is an error.
    Refuse,
    /// It stays, and nothing is made.
    Keep,
    /// The new one takes its place.
    Replace,
}

/// Sequences by their names.
pub(super) type Sequences = RwLock<BTreeMap<String, Arc<Sequence>>>;
