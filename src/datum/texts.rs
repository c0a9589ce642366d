//! Texts that mean something: UUIDs, and JSON.

use serde::de::IgnoredAny;
use uuid::Uuid;

/// The bytes of a UUID.
pub const UUID_BYTES: usize = 16;

/// A UUID in any of its forms, in upper case, in braces or without hyphens, in its canonical one:
/// `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`. `None` for a text that is no UUID.
pub fn canonical_uuid(text: &str) -> Option<String> {
    bytes_of_uuid(text).map(|bytes| Uuid::from_bytes(bytes).hyphenated().to_string())
}

/// The bytes of a UUID, in the order in which they are written.
pub fn bytes_of_uuid(text: &str) -> Option<[u8; UUID_BYTES]> {
    Uuid::try_parse(text).ok().map(Uuid::into_bytes)
}

/// The canonical form of a UUID of these bytes; `None` where they are not sixteen.
pub fn text_of_uuid(bytes: &[u8]) -> Option<String> {
    let uuid = Uuid::from_slice(bytes).ok()?;
    Some(uuid.hyphenated().to_string())
}

/// What is wrong with a text that is no JSON.
pub fn json_fault(text: &str) -> Option<String> {
    let read = serde_json::from_str::<IgnoredAny>(text);
    read.err().map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_one_canonical_form() {
        let canonical = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
        for form in [
            canonical,
            "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
            "f81d4fae7dec11d0a76500a0c91e6bf6",
            "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
            "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        ] {
            assert_eq!(canonical_uuid(form).as_deref(), Some(canonical), "{form}");
        }
        for wrong in [
            "",
            "f81d4fae",
            "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf67",
        ] {
            assert_eq!(canonical_uuid(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_json_is_told() {
        for right in ["null", "1e400", "{\"a\": [1, 2.50, \"x\"]}", " [] "] {
            assert_eq!(json_fault(right), None, "{right}");
        }
        for wrong in ["", "{a: 1}", "[1,]", "{} {}", "NaN", "'x'"] {
            assert!(json_fault(wrong).is_some(), "{wrong}");
        }
    }
}
