//! How definitions of what is no table are kept: `{"format":1,"view":{…}}`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// A kind of definition: its name in the text and in errors, and the newest format that this version reads; it writes the
/// oldest that can say what is to be said.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) format: u64,
}

impl Kind {
    /// The definition as it is stored.
    ///
    /// # Errors
    /// `Internal`, which would be a fault of the serialiser.
    pub(super) fn written<T: Serialize>(&self, definition: &T, format: u64) -> Result<String> {
        let text = serde_json::to_string(definition).map_err(|error| {
            Error::internal(format!("the definition of a {}", self.name)).with_source(error)
        })?;
        let name = self.name;
        Ok(format!("{{\"format\":{format},\"{name}\":{text}}}"))
    }

    /// A stored definition.
    ///
    /// # Errors
    /// `Corrupt` where the text is no definition of the kind or was written by a newer Halite.
    pub(super) fn read<T: DeserializeOwned>(&self, text: &str) -> Result<T> {
        let name = self.name;
        let unreadable = |error: serde_json::Error| {
            Error::corrupt(format!("a {name}'s definition cannot be read: {error}"))
                .with_source(error)
        };
        let mut stored: Map<String, Value> = serde_json::from_str(text).map_err(unreadable)?;
        let format = stored.remove("format");
        if format.is_none() {
            let message = format!("a {name}'s definition cannot be read: it has no format");
            return Err(Error::corrupt(message));
        }
        let known = format.as_ref().and_then(Value::as_u64);
        if !known.is_some_and(|known| (1..=self.format).contains(&known)) {
            return Err(Error::corrupt(format!(
                "a {name}'s definition has format {}, this Halite reads up to format {}: upgrade Halite",
                format.unwrap_or_default(),
                self.format
            )));
        }
        let definition = stored.remove(name).unwrap_or_default();
        match stored.keys().next() {
            None => serde_json::from_value(definition).map_err(unreadable),
            Some(other) => Err(Error::corrupt(format!(
                "a {name}'s definition has a field `{other}`, which this Halite does not know"
            ))),
        }
    }
}

/// The oldest format that can say what is said: a comment is of the second.
pub(super) fn format_of(comment: &Option<String>) -> u64 {
    match comment {
        None => 1,
        Some(_) => 2,
    }
}
