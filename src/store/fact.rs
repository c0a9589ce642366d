//! What a store tells of itself, for people: `SHOW STORE`, and what `VACUUM` has done.

/// Something that is so of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub about: String,
    /// How it is.
    pub value: String,
}

impl Fact {
    /// About something.
    pub fn new(about: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            value: value.into(),
        }
    }
}
