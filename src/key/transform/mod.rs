//! Key parts: each a function over columns, with what it lets a predicate say about the key.
//!
//! A [`Declaration`] says everything about one kind of key part: its name, its SQL form, its arguments, its
//! documentation. Bound to its arguments it becomes a [`Transform`]. [`TRANSFORMS`] is the one list: DDL,
//! `SHOW TRANSFORMS`, SQL functions, the conditions and orders of queries, completion and the tests walk it.
//!
//! # The algebra
//!
//! With `T` the transform and `D` a set of source values, NULL included:
//!
//! * `project(D)`: if a row's source lies in `D`, its part lies in `project(D)`. It may be too large, never too small.
//! * `preimage(P)`: exactly the sources whose part lies in `P`, where the transform can tell. The strict projection of
//!   `D` is then the parts whose preimage lies in `D`: if the part lies there, the row's source lies in `D`.
//! * `inverse(v)`: the one source of `v`, for transforms that lose nothing.
//!
//! Stored transforms are code of ours: what is written today must be found after every upgrade. That they agree with
//! the SQL function of the same name is tested.

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};

use crate::datum::{Datum, Readable, SqlType, datum_at, to_array};
use crate::error::{Error, Result};
use crate::key::dictionary::Dictionary;
use crate::key::domain::{Cut, Domain};
use crate::key::encoding::Encoding;
use crate::key::row_error::RowError;

pub use self::bucket::Bucket;
pub use self::date_trunc::truncation;
pub use self::expression::{Argument, BoundArgument, Expression};
pub use self::form::{Computed, Form, Parameter};
pub use self::random_salt::BUCKET_COLUMN;

mod bucket;
mod cast_date;
mod coarse;
mod column;
mod date_bin;
mod date_trunc;
mod dict;
pub mod digest;
mod divide;
mod expression;
mod form;
mod hash;
mod integers;
mod left;
mod literal;
mod md5;
mod random_salt;
mod remainder;
mod reverse;
mod reverse_digits;
mod salt;
mod texts;

/// Every key part there is, in the order in which they are listed to users.
pub static TRANSFORMS: &[&dyn Declaration] = &[
    &column::Column,
    &salt::Salt,
    &bucket::Bucket,
    &random_salt::RandomSalt,
    &hash::Hash,
    &md5::Md5,
    &reverse::Reverse,
    &reverse_digits::ReverseDigits,
    &dict::Dict,
    &left::Left,
    &divide::Divide,
    &date_trunc::DateTrunc,
    &date_bin::DateBin,
    &cast_date::CastDate,
    &remainder::Remainder,
    &literal::Literal,
];

/// At most so many combinations of listed source values are followed through a transform of several columns.
pub const COMBINATIONS: usize = 10_000;

/// One kind of key part, not yet bound to columns.
pub trait Declaration: Debug + Send + Sync {
    /// The name by which [`Expression::function`] refers to it, as it is stored: `left`, `%`, `column`.
    fn name(&self) -> &'static str;

    /// How SQL writes it, in a key as in a query.
    fn form(&self) -> Form<'static> {
        Form::Call(self.name())
    }

    /// Its arguments, in the order in which SQL writes them.
    fn parameters(&self) -> &'static [Parameter];

    /// What is stored, in one sentence.
    fn stores(&self) -> &'static str;

    /// What a predicate becomes, in one sentence.
    fn pushdown(&self) -> &'static str;

    /// Who computes it in a query.
    fn computed(&self) -> Computed {
        Computed::BySql
    }

    /// Whether the columns of all other parts are further arguments, each once, in the order of first mention.
    fn takes_whole_key(&self) -> bool {
        false
    }

    /// Whether its value is dealt out when a row is inserted: it is that of the hidden column [`BUCKET_COLUMN`], which is
    /// a further argument.
    fn is_dealt(&self) -> bool {
        false
    }

    /// Whether its value is an id in a dictionary, which is kept with the table.
    fn has_dictionary(&self) -> bool {
        false
    }

    /// The same arguments as they are stored: two ways to write one thing become one.
    fn canonical(&self, arguments: &[Argument]) -> Vec<Argument> {
        arguments.to_vec()
    }

    /// The arguments with which it is what a query computes by `function(arguments)`, another function of SQL; a key is
    /// not declared so.
    fn synonym(&self, function: &str, arguments: &[Argument]) -> Option<Vec<Argument>> {
        let _ = (function, arguments);
        None
    }

    /// The transform over these arguments.
    ///
    /// # Errors
    /// `InvalidInput` that names the argument and what is wrong with it.
    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>>;

    /// How it is written in a `PRIMARY KEY`: `left(c, n)`.
    fn syntax(&self) -> String {
        let mut syntax = String::new();
        // Writing to a string does not fail.
        let _ = self.form().write(self.parameters(), &mut syntax);
        syntax
    }
}

/// A key part's function, bound to the types of its source columns.
pub trait Transform: Debug + Send + Sync {
    /// The type of the part's value.
    fn value_type(&self) -> &SqlType;

    /// Every value that the part can have, NULL left out.
    fn values(&self) -> Domain {
        match self.buckets() {
            Some(buckets) => Domain::between(
                self.value_type(),
                Cut::Below(Datum::Integer(0)),
                Cut::Below(Datum::Integer(buckets.into())),
            ),
            None => Domain::not_null(self.value_type()),
        }
    }

    /// How the value is written.
    fn encoding(&self) -> &dyn Encoding;

    /// The dictionary that its values are ids in, if they are.
    fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        None
    }

    /// The part's value for its source columns' values, in the order in which the expression names them.
    ///
    /// # Errors
    /// `InvalidInput` where a row of these values cannot be stored, with the value and the reason.
    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>>;

    /// The parts of `rows` rows, given by the arrays and types of the source columns; what [`Transform::apply`] says
    /// of each row.
    ///
    /// # Errors
    /// `InvalidInput` with the row that cannot be stored.
    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let mut parts = Vec::with_capacity(rows);
        for row in 0..rows {
            let datum = |(array, sql_type): &(ArrayRef, SqlType)| datum_at(array, row, sql_type);
            let values: Result<Vec<Option<Datum>>> = sources.iter().map(datum).collect();
            let part = values.and_then(|values| self.apply(&values));
            parts.push(part.map_err(|error| RowError::at(row, error))?);
        }
        Ok(to_array(&parts, self.value_type())?)
    }

    /// The only source column, of `sql_type`, for a column of parts of a transform that loses nothing.
    ///
    /// # Errors
    /// `Corrupt` with the row whose part comes from no source.
    fn restore_column(&self, parts: &ArrayRef, sql_type: &SqlType) -> Result<ArrayRef, RowError> {
        convert_column(parts, self.value_type(), sql_type, |part| {
            match self.inverse(part) {
                Some(source) => Ok(Some(source)),
                None => Err(Error::corrupt(format!(
                    "{} is no part of a row key",
                    Readable(part, self.value_type())
                ))),
            }
        })
    }

    /// Whether a NULL source makes the part NULL; else the part is never NULL.
    fn passes_null(&self) -> bool {
        true
    }

    /// Whether every source that is not NULL has a part that is not NULL; else a row whose source has none is refused.
    fn is_total(&self) -> bool {
        true
    }

    /// Whether a query that computes it gets the very value that is stored, and not a finer one.
    fn agrees_with_query(&self) -> bool {
        true
    }

    /// Whether that is so, too, where the column is cast to a wider or finer type of its kind, as INT to BIGINT.
    fn ignores_widening(&self) -> bool {
        false
    }

    /// Whether a greater source never has a smaller part, so that key order is also order by the source.
    fn preserves_order(&self) -> bool {
        false
    }

    /// The parts that sources in these domains can have: a superset.
    ///
    /// Without a better idea: the images of all combinations of listed values, else everything.
    fn project(&self, sources: &[&Domain]) -> Domain {
        project_listed(self, sources).unwrap_or_else(|| self.unrestricted(sources))
    }

    /// Every part that can be, NULL only where it passes from a source whose domain holds it.
    fn unrestricted(&self, sources: &[&Domain]) -> Domain {
        let null = self.passes_null() && sources.iter().any(|domain| domain.has_null());
        Domain::not_null(self.value_type()).with_null(null)
    }

    /// Exactly the values of the only source column whose part lies in `parts`, if the transform can tell.
    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        let _ = parts;
        None
    }

    /// What `domain`, allowed for another `expression` over the same columns, leaves of this part: a superset, and
    /// whether it says exactly the same. `None`: nothing. [`Expression`]s equal to the part's own are not asked about.
    fn project_related(&self, expression: &Expression, domain: &Domain) -> Option<(Domain, bool)> {
        let _ = (expression, domain);
        None
    }

    /// The value of the only source column, for a transform that gives it back; `None` for all others.
    fn inverse(&self, value: &Datum) -> Option<Datum> {
        let _ = value;
        None
    }

    /// Whether [`Transform::inverse`] gives the source back.
    fn is_invertible(&self) -> bool {
        false
    }

    /// The number of values, for a transform whose part is a bucket of a salted table.
    fn buckets(&self) -> Option<u32> {
        None
    }

    /// Whether different sources may have equal values by chance, so that equal values do not make two rows the same.
    fn is_hash(&self) -> bool {
        self.buckets().is_some()
    }
}

/// The images of every combination of values, if the sources are lists and their combinations not too many.
fn project_listed<T: Transform + ?Sized>(transform: &T, sources: &[&Domain]) -> Option<Domain> {
    let limit = if sources.len() == 1 {
        usize::MAX
    } else {
        COMBINATIONS
    };
    let mut rows: Vec<Vec<Option<Datum>>> = vec![Vec::new()];
    for source in sources {
        let values = source.list(limit / rows.len().max(1))?;
        rows = rows
            .into_iter()
            .flat_map(|row| {
                values
                    .iter()
                    .map(move |value| [row.as_slice(), std::slice::from_ref(value)].concat())
            })
            .collect();
    }
    // A combination that cannot be stored has no row and so no part.
    let images: Vec<Option<Datum>> = rows
        .iter()
        .filter_map(|row| transform.apply(row).ok())
        .collect();
    let null = images.iter().any(Option::is_none);
    Some(Domain::points(transform.value_type(), images.into_iter().flatten()).with_null(null))
}

/// The value of the only source column.
fn only(sources: &[Option<Datum>]) -> Result<Option<&Datum>> {
    match sources {
        [value] => Ok(value.as_ref()),
        _ => Err(Error::internal(format!(
            "{} values for a transform of one column",
            sources.len()
        ))),
    }
}

/// The array of the only source column.
fn only_column(sources: &[(ArrayRef, SqlType)]) -> Result<&ArrayRef> {
    match sources {
        [(array, _)] => Ok(array),
        _ => Err(Error::internal(format!(
            "{} columns for a transform of one",
            sources.len()
        ))),
    }
}

/// Each value of a column through `convert`; NULL stays NULL.
fn convert_column(
    values: &ArrayRef,
    from: &SqlType,
    to: &SqlType,
    convert: impl Fn(&Datum) -> Result<Option<Datum>>,
) -> Result<ArrayRef, RowError> {
    let mut converted = Vec::with_capacity(values.len());
    for row in 0..values.len() {
        let value = datum_at(values, row, from)?;
        let result = value.as_ref().map_or(Ok(None), &convert);
        converted.push(result.map_err(|error| RowError::at(row, error))?);
    }
    Ok(to_array(&converted, to)?)
}

/// The types of columns; nothing else may stand among them.
fn column_types(arguments: &[BoundArgument]) -> Result<Vec<SqlType>> {
    let types = arguments.iter().map(|argument| match argument {
        BoundArgument::Column(_, sql_type) => Ok(sql_type.clone()),
        other => Err(Error::invalid(format!(
            "{other:?} where a column is expected"
        ))),
    });
    types.collect()
}

#[cfg(test)]
#[path = "transform_tests.rs"]
mod transform_tests;
