//! Halite is SQL over an ordered key-value store.
