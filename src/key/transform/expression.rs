//! A key part as it is declared and stored: the name of a transform, and its arguments.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Declaration, Form, TRANSFORMS};
use crate::datum::{SqlType, identifier};
use crate::error::{Error, Result};

/// An argument as it is declared and stored with the table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// A column of the table.
    Column(String),
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(String),
    /// An interval of fixed length, in nanoseconds.
    Interval(i128),
}

/// An argument with what is known of the table's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundArgument {
    /// A source column: its name and type.
    Column(String, SqlType),
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(String),
    /// An interval of fixed length, in nanoseconds.
    Interval(i128),
}

/// A function of [`TRANSFORMS`] with its arguments: what a table's definition stores of a key part, and how a predicate
/// names what it restricts. Two are equal if they mean the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expression {
    /// [`Declaration::name`].
    pub function: String,
    /// In the order of [`Declaration::parameters`].
    pub arguments: Vec<Argument>,
}

impl Expression {
    /// The column itself.
    pub fn column(name: impl Into<String>) -> Self {
        Self {
            function: "column".to_owned(),
            arguments: vec![Argument::Column(name.into())],
        }
    }

    /// A function of [`TRANSFORMS`] over arguments.
    pub fn new(function: &str, arguments: Vec<Argument>) -> Self {
        Self {
            function: function.to_owned(),
            arguments,
        }
    }

    /// What a query computes that is written in this form over these arguments, as a key part: the transform of that
    /// form, or one of which it is another way to write it.
    pub fn written(form: &Form<'_>, arguments: &[Argument]) -> Option<Self> {
        if let Some(declaration) = form.declaration() {
            let arguments = declaration.canonical(arguments);
            return Some(Self::new(declaration.name(), arguments));
        }
        let Form::Call(function) = form else {
            return None;
        };
        TRANSFORMS.iter().find_map(|declaration| {
            let arguments = declaration.synonym(function, arguments)?;
            Some(Self::new(declaration.name(), arguments))
        })
    }

    /// The column, if the expression is nothing more.
    pub fn as_column(&self) -> Option<&str> {
        match (self.function.as_str(), self.arguments.as_slice()) {
            ("column", [Argument::Column(name)]) => Some(name),
            _ => None,
        }
    }

    /// The columns it names, in order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Column(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether its value is dealt out when a row is inserted, as that of `random_salt(n)`.
    pub fn is_dealt(&self) -> bool {
        self.declaration()
            .is_ok_and(|declaration| declaration.is_dealt())
    }

    /// Whether its value is an id in a dictionary, as that of `dict(c)`.
    pub fn has_dictionary(&self) -> bool {
        self.declaration()
            .is_ok_and(|declaration| declaration.has_dictionary())
    }

    /// The same expression as it is stored, so that those that mean the same are equal.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let declaration = self.declaration();
        declaration.map_or_else(
            |_| self.clone(),
            |declaration| Self {
                function: self.function.clone(),
                arguments: declaration.canonical(&self.arguments),
            },
        )
    }

    /// The declaration of its function.
    ///
    /// # Errors
    /// `NotSupported` where there is none, with a list of those there are.
    pub fn declaration(&self) -> Result<&'static dyn Declaration> {
        TRANSFORMS
            .iter()
            .find(|declaration| declaration.name() == self.function)
            .copied()
            .ok_or_else(|| {
                let known: Vec<String> = TRANSFORMS
                    .iter()
                    .map(|declaration| declaration.syntax())
                    .collect();
                Error::unsupported(format!(
                    "`{}` cannot be a part of a row key; these can: {}",
                    self.function,
                    known.join(", ")
                ))
            })
    }
}

impl fmt::Display for Expression {
    /// The expression as SQL; of a function that is none of [`TRANSFORMS`], as a call.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.declaration() {
            Ok(declaration) => declaration.form(),
            Err(_) => Form::Call(&self.function),
        };
        form.write(&self.arguments, f)
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) => f.write_str(&identifier(name)),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "'{}'", value.replace('\'', "''")),
            Self::Interval(nanoseconds) => {
                match (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000) {
                    (seconds, 0) => write!(f, "INTERVAL '{seconds} seconds'"),
                    _ => write!(f, "INTERVAL '{nanoseconds} nanoseconds'"),
                }
            }
        }
    }
}
