//! Text, bytes and digests.
