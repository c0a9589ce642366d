//! The bytes of one value, as rows hold them.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::keyrange::hex;

/// The field of a value that is not NULL, in the format of `halite::row`, or fields of a row key: in definitions as hex
/// digits.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredField(pub Vec<u8>);

impl fmt::Debug for StoredField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for StoredField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for StoredField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        match bytes {
            Some(bytes) if rest.is_empty() => Ok(Self(bytes)),
            _ => Err(D::Error::custom("a field that is not in hex digits")),
        }
    }
}
