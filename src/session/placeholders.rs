//! The parameters of a statement: `$1`, `$2`, … as DataFusion knows them, `?` as most programs write them, or `$host`,
//! with names.
//!
//! DataFusion puts values in for placeholders without a look at their number, and with one at their types only where
//! they meet a column. Here both are checked first, so that an error names the parameter.
//!
//! A value is not cast to the type of the column it is compared with: `a > $1` with 2.5 means for an INT what
//! `a > 2.5` means. One that is inserted is converted on its way to the column, as a constant is.

use std::borrow::Cow;
use std::collections::HashMap;

use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, LogicalPlan, Statement};
use sqlparser::ast::{self, Value};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::params::put_in_zone_of;
use crate::datum::with_seconds;
use crate::error::{Error, Result};

/// The number of a parameter in the text of a statement, from 1.
pub(super) fn number_of(expr: &ast::Expr) -> Option<usize> {
    match expr {
        ast::Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => name.strip_prefix('$')?.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The tokens of one statement, each `?` and each parameter with a name as `$n`, counted from 1; and these names, in the
/// order of their numbers.
///
/// # Errors
/// `InvalidInput` where parameters are written in several ways.
pub(super) fn numbered(
    tokens: &[TokenWithSpan],
) -> Result<(Cow<'_, [TokenWithSpan]>, Vec<String>)> {
    let written = |token: &TokenWithSpan| match &token.token {
        Token::Placeholder(written) => Some(Written::of(written)),
        _ => None,
    };
    let Some(first) = tokens.iter().find_map(written) else {
        return Ok((Cow::Borrowed(tokens), Vec::new()));
    };
    let is_number = |token| written(token).is_none_or(|written| written == Written::Number);
    if tokens.iter().all(is_number) {
        return Ok((Cow::Borrowed(tokens), Vec::new()));
    }
    let (mut numbered, mut names) = (tokens.to_vec(), Names::default());
    let (mut count, mut shown) = (0, "");
    for (token, original) in numbered.iter_mut().zip(tokens) {
        let (Token::Placeholder(parameter), Token::Placeholder(original)) =
            (&mut token.token, &original.token)
        else {
            continue;
        };
        if shown.is_empty() {
            shown = original;
        }
        if Written::of(original) != first {
            return Err(Error::invalid(format!(
                "the statement has both {shown} and {original}: write parameters in one way"
            )));
        }
        match first {
            Written::Number => {}
            Written::Open => {
                count += 1;
                *parameter = format!("${count}");
            }
            Written::Name => *parameter = format!("${}", names.number_of(original)),
        }
        if count.max(names.0.len()) > MAX_PARAMETERS {
            return Err(too_many());
        }
    }
    Ok((Cow::Owned(numbered), names.in_order()))
}

/// Most parameters of a statement, and the greatest number of one.
pub(super) const MAX_PARAMETERS: usize = 65_535;

fn too_many() -> Error {
    Error::unsupported(format!(
        "the statement has more than {MAX_PARAMETERS} parameters"
    ))
}

/// How a parameter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// `?`
    Open,
    /// `$1`
    Number,
    /// `$host`
    Name,
}

impl Written {
    fn of(parameter: &str) -> Self {
        let digits = parameter.strip_prefix('$');
        match parameter {
            "?" => Self::Open,
            _ if digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit())) => {
                Self::Number
            }
            _ => Self::Name,
        }
    }
}

/// Whether a parameter has a name, as `$host`.
pub(super) fn is_name(parameter: &str) -> bool {
    Written::of(parameter) == Written::Name
}

/// The names of parameters, with their numbers.
#[derive(Default)]
struct Names<'a>(HashMap<&'a str, usize>);

impl<'a> Names<'a> {
    /// The number of a parameter with a name, which is added where it is new.
    fn number_of(&mut self, parameter: &'a str) -> usize {
        let name = parameter.trim_start_matches(['$', ':', '@']);
        let next = self.0.len() + 1;
        *self.0.entry(name).or_insert(next)
    }

    /// The names in the order of their numbers.
    fn in_order(self) -> Vec<String> {
        let mut names: Vec<(&str, usize)> = self.0.into_iter().collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        names.into_iter().map(|(name, _)| name.to_owned()).collect()
    }
}

/// What a statement wants for its parameters, in their order: the type, where the statement says it.
#[derive(Debug, Clone, Default)]
pub(super) struct Placeholders(Vec<Wanted>);

#[derive(Debug, Clone, Default, PartialEq)]
enum Wanted {
    #[default]
    Anything,
    /// A value to be compared with one of this type.
    Type(DataType),
    /// The parameter stands in several places that want different types.
    Several,
}

impl Placeholders {
    /// The parameters of a plan. `PREPARE` keeps those inside of it.
    ///
    /// # Errors
    /// `InvalidInput` for a parameter with a name.
    pub(super) fn of(plan: &LogicalPlan) -> Result<Self> {
        let mut found = Self::default();
        if matches!(plan, LogicalPlan::Statement(Statement::Prepare(_))) {
            return Ok(found);
        }
        plan.apply_with_subqueries(|node| {
            node.apply_expressions(|expression| {
                expression.apply(|expression| {
                    if let Expr::Placeholder(placeholder) = expression {
                        found.add(placeholder)?;
                    }
                    Ok(TreeNodeRecursion::Continue)
                })
            })
        })?;
        Ok(found)
    }

    /// These and as many more as a statement has in its text: not all that is written is planned.
    pub(super) fn at_least(mut self, parameters: usize) -> Self {
        let count = self.0.len().max(parameters);
        self.0.resize(count, Wanted::Anything);
        self
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The values, each cast to the type that is wanted for it: of a statement that declares them.
    ///
    /// # Errors
    /// `InvalidInput` that names the parameter.
    pub(super) fn cast(&self, mut values: Vec<ScalarValue>) -> Result<Vec<ScalarValue>> {
        let strict = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        for ((wanted, value), number) in self.0.iter().zip(&mut values).zip(1..) {
            if let Wanted::Type(wanted) = wanted {
                let cast = value.cast_to_with_options(wanted, &strict);
                *value = cast
                    .map_err(|error| Error::from(error).context(format!("parameter ${number}")))?;
            }
        }
        Ok(values)
    }

    /// The values where all of them are compared with columns: a text that says a time of the column's type exactly is
    /// that time.
    pub(super) fn as_times<'a>(&self, values: &'a [ScalarValue]) -> Cow<'a, [ScalarValue]> {
        let mut values = Cow::Borrowed(values);
        for (position, wanted) in self.0.iter().enumerate() {
            if let Wanted::Type(wanted) = wanted
                && let Some(ScalarValue::Utf8(Some(text))) = values.get(position)
                && let Some(time) = exact_time(text, wanted)
                && let Some(value) = values.to_mut().get_mut(position)
            {
                *value = time;
            }
        }
        values
    }

    fn add(&mut self, placeholder: &Placeholder) -> Result<()> {
        let digits = placeholder.id.get(1..).unwrap_or_default();
        let index = digits
            .parse::<u16>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        let Some(index) = index.map(usize::from) else {
            let is_great = digits.parse::<u128>().is_ok_and(|number| number > 0);
            let what = match is_great {
                true => format!("the greatest number of a parameter is {MAX_PARAMETERS}"),
                false => "parameters are numbered, $1, $2 and so on, or each is a ?".to_owned(),
            };
            return Err(Error::invalid(format!(
                "parameter {}: {what}",
                placeholder.id
            )));
        };
        if self.0.len() <= index {
            self.0.resize(index + 1, Wanted::Anything);
        }
        let field = placeholder.field.as_ref();
        let wanted = field.map(|field| Wanted::Type(field.data_type().clone()));
        if let (Some(place), Some(wanted)) = (self.0.get_mut(index), wanted) {
            *place = match std::mem::take(place) {
                Wanted::Anything => wanted,
                before if before == wanted => before,
                _ => Wanted::Several,
            };
        }
        Ok(())
    }

    /// The values as they are put into the plan: NULL with its type, time stamps with the zone that is asked for.
    ///
    /// # Errors
    /// `InvalidInput` that names the parameter, where there are too many or too few or one is of the wrong kind.
    pub(super) fn bind(&self, mut values: Vec<ScalarValue>) -> Result<Vec<ScalarValue>> {
        if self.0.len() != values.len() {
            return Err(Error::invalid(match self.0.len() {
                0 => format!(
                    "the statement has no parameters, and is given {}",
                    values.len()
                ),
                1 => format!(
                    "the statement has one parameter, and is given {}",
                    values.len()
                ),
                wanted => {
                    format!(
                        "the statement has {wanted} parameters, and is given {}",
                        values.len()
                    )
                }
            }));
        }
        for ((wanted, value), number) in self.0.iter().zip(&mut values).zip(1..) {
            if let Wanted::Type(wanted) = wanted {
                let bound = bind(value, wanted);
                bound.map_err(|error| error.context(format!("parameter ${number}")))?;
            }
        }
        Ok(values)
    }
}

/// Kinds of types: values of one kind compare with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Boolean,
    Text,
    Bytes,
    Time,
    Other,
}

impl Kind {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Boolean => Self::Boolean,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Self::Bytes,
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, _) => Self::Time,
            numeric if numeric.is_numeric() => Self::Number,
            _ => Self::Other,
        }
    }
}

fn bind(value: &mut ScalarValue, wanted: &DataType) -> Result<()> {
    if value.is_null() {
        *value = ScalarValue::try_from(wanted)?;
        return Ok(());
    }
    match (Kind::of(&value.data_type()), Kind::of(wanted)) {
        (Kind::Text, Kind::Time) => check_time(value, wanted),
        (given, expected)
            if given == expected || expected == Kind::Other || given == Kind::Other =>
        {
            put_in_zone_of(value, wanted);
            Ok(())
        }
        _ => Err(Error::invalid(format!(
            "{wanted} is wanted, and {} is given, {value}",
            value.data_type()
        ))),
    }
}

/// What a time is written like that means the same to everybody; its seconds may have a fraction.
const TIME: &str = "0000-00-00 00:00:00";

/// The day or the clock of this type that a text says, if it is written in full, without a zone, and no finer than the
/// type.
fn exact_time(text: &str, wanted: &DataType) -> Option<ScalarValue> {
    let (shape, finest) = match wanted {
        DataType::Date32 => (TIME.get(..10)?, DataType::Date32),
        DataType::Timestamp(_, None) => (TIME, DataType::Timestamp(TimeUnit::Nanosecond, None)),
        _ => return None,
    };
    let (begin, fraction) = text.split_at_checked(shape.len())?;
    let is_like = |(found, wanted): (u8, u8)| match wanted {
        b'0' => found.is_ascii_digit(),
        b' ' => matches!(found, b' ' | b'T'),
        wanted => found == wanted,
    };
    let is_fraction = match fraction.strip_prefix('.') {
        None => fraction.is_empty(),
        Some(digits) => {
            shape == TIME
                && (1..=9).contains(&digits.len())
                && digits.bytes().all(|digit| digit.is_ascii_digit())
        }
    };
    if !is_fraction || !begin.bytes().zip(shape.bytes()).all(is_like) {
        return None;
    }
    let time = ScalarValue::from(text).cast_to(&finest).ok()?;
    let of_type = time.cast_to(wanted).ok()?;
    (!time.is_null() && of_type.cast_to(&finest).ok()? == time).then_some(of_type)
}

/// Text is good for a time if it is one.
fn check_time(value: &ScalarValue, wanted: &DataType) -> Result<()> {
    let strict = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    let completed = value.try_as_str().flatten().and_then(with_seconds);
    let completed = completed.map_or_else(|| value.clone(), ScalarValue::from);
    let parsed = cast_with_options(&completed.to_array()?, wanted, &strict);
    parsed.map(drop).map_err(|error| {
        Error::invalid(format!("'{value}' cannot be read as {wanted}")).with_source(error)
    })
}

#[cfg(test)]
#[path = "placeholders_tests.rs"]
mod tests;
