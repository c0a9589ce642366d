//! The first characters of a text.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::texts::map_texts;
use super::{Argument, BoundArgument, Declaration, Parameter, Transform};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::{Cut, Domain, Interval, text_successor};
use crate::key::encoding::{Encoding, Escaped};
use crate::key::row_error::RowError;

/// `left(c, n)`
#[derive(Debug)]
pub struct Left;

impl Declaration for Left {
    fn name(&self) -> &'static str {
        "left"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column, Parameter::Integer(1, i64::MAX)]
    }

    /// `substr(c, 1, n)`
    fn synonym(&self, function: &str, arguments: &[Argument]) -> Option<Vec<Argument>> {
        match (function, arguments) {
            ("substr" | "substring", [column, Argument::Integer(1), count]) => {
                Some(vec![column.clone(), count.clone()])
            }
            _ => None,
        }
    }

    fn stores(&self) -> &'static str {
        "the first n characters of a text column"
    }

    fn pushdown(&self) -> &'static str {
        "=, IN, ranges and prefix LIKE on the column or on left(c, n): ranges"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        match arguments {
            [
                BoundArgument::Column(name, sql_type),
                BoundArgument::Integer(_),
            ] if !sql_type.is_text() => Err(Error::invalid(format!(
                "left takes a text column; `{name}` is {sql_type}"
            ))),
            [
                BoundArgument::Column(_, sql_type),
                BoundArgument::Integer(count),
            ] => {
                let count = usize::try_from(*count)
                    .ok()
                    .filter(|count| *count >= 1)
                    .ok_or_else(|| {
                        Error::invalid(format!(
                            "left of {count} characters; a key part needs at least one"
                        ))
                    })?;
                Ok(Arc::new(First {
                    source_type: sql_type.clone(),
                    count,
                    encoding: Escaped::text(),
                }))
            }
            _ => Err(Error::invalid(
                "left takes a column and a number of characters, as in left(c, 3)",
            )),
        }
    }
}

#[derive(Debug)]
struct First {
    source_type: SqlType,
    count: usize,
    encoding: Escaped,
}

impl First {
    /// The first characters of a text, and whether it has as many as are stored.
    fn head<'a>(&self, text: &'a str) -> (&'a str, bool) {
        match text.char_indices().nth(self.count - 1) {
            Some((last, character)) => {
                let end = last + character.len_utf8();
                (text.get(..end).unwrap_or(text), true)
            }
            None => (text, false),
        }
    }

    /// The images of an interval of texts.
    fn image(&self, interval: &Interval) -> Interval {
        let start = match &interval.start {
            Cut::Below(Datum::Text(text)) => Cut::Below(head_of(self.head(text))),
            Cut::Above(Datum::Text(text)) => match self.head(text) {
                // Longer texts follow that have the same image.
                (head, true) => Cut::Below(text_datum(head)),
                (head, false) => Cut::Above(text_datum(head)),
            },
            _ => Cut::Start,
        };
        let end = match &interval.end {
            Cut::Above(Datum::Text(text)) => Cut::Above(head_of(self.head(text))),
            Cut::Below(Datum::Text(text)) => match self.head(text) {
                // The head itself comes before the text that it is cut from.
                (head, _) if head.len() < text.len() => Cut::Above(text_datum(head)),
                (head, _) => Cut::Below(text_datum(head)),
            },
            _ => Cut::End,
        };
        Interval { start, end }
    }

    /// The cut between the texts whose image lies before `cut` and those whose image lies behind it.
    fn source_cut(&self, cut: &Cut) -> Cut {
        let (text, above) = match cut {
            Cut::Below(Datum::Text(text)) => (text, false),
            Cut::Above(Datum::Text(text)) => (text, true),
            other => return other.clone(),
        };
        let (head, full) = self.head(text);
        if full && (above || head.len() < text.len()) {
            return text_successor(head).map_or(Cut::End, |next| Cut::Below(Datum::Text(next)));
        }
        cut.clone()
    }
}

fn text_datum(text: &str) -> Datum {
    Datum::Text(text.to_owned())
}

fn head_of((head, _): (&str, bool)) -> Datum {
    text_datum(head)
}

impl Transform for First {
    fn value_type(&self) -> &SqlType {
        &SqlType::Text
    }

    fn encoding(&self) -> &dyn Encoding {
        &self.encoding
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        match super::only(sources)? {
            None => Ok(None),
            Some(Datum::Text(text)) => Ok(Some(head_of(self.head(text)))),
            Some(other) => Err(Error::internal(format!("left of {other:?}"))),
        }
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        _rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let heads = map_texts(super::only_column(sources)?, |text, into| {
            into.push_str(self.head(text).0)
        });
        Ok(heads?)
    }

    fn preserves_order(&self) -> bool {
        true
    }

    fn project(&self, sources: &[&Domain]) -> Domain {
        let Some(source) = sources.first() else {
            return self.unrestricted(sources);
        };
        let images = source
            .intervals()
            .iter()
            .map(|interval| self.image(interval));
        Domain::from_intervals(&SqlType::Text, images).with_null(source.has_null())
    }

    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        let sources = parts.intervals().iter().map(|interval| Interval {
            start: self.source_cut(&interval.start),
            end: self.source_cut(&interval.end),
        });
        Some(Domain::from_intervals(&self.source_type, sources).with_null(parts.has_null()))
    }
}
