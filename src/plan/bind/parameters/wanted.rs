//! The parameters of a statement: `$1`, `$2`, … as DataFusion knows them, `?` as most programs write them, or `$host`,
//! with names.
//!
//! DataFusion puts values in for placeholders without a look at their number, and with one at their types only where
//! they meet a column. Here both are checked first, so that an error names the parameter.
//!
//! A value is not cast to the type of the column it is compared with: `a > $1` with 2.5 means for an INT what
//! `a > 2.5` means. One that is inserted is converted on its way to the column, as a constant is.

use std::borrow::Cow;

use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, LogicalPlan, Statement};

use crate::datum::with_seconds;
use crate::error::{Error, Result};
use crate::sql::placeholders::MAX_PARAMETERS;

/// What a statement wants for its parameters, in their order: the type, where the statement says it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placeholders(Vec<Wanted>);

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
    pub(crate) fn of(plan: &LogicalPlan) -> Result<Self> {
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
    pub(crate) fn at_least(mut self, parameters: usize) -> Self {
        let count = self.0.len().max(parameters);
        self.0.resize(count, Wanted::Anything);
        self
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The type that is wanted for each; `None` where any is good, or where that is not known before the values are.
    pub(crate) fn types(&self) -> impl Iterator<Item = Option<&DataType>> {
        self.0.iter().map(|wanted| match wanted {
            Wanted::Type(wanted) => Some(wanted),
            Wanted::Anything | Wanted::Several => None,
        })
    }

    /// NULL for each, of the type that is wanted for it.
    ///
    /// # Errors
    /// `Internal` for a type of which there is no NULL.
    pub(crate) fn nulls(&self) -> Result<Vec<ScalarValue>> {
        let nulls = self.types().map(|wanted| match wanted {
            Some(wanted) => Ok(ScalarValue::try_from(wanted)?),
            None => Ok(ScalarValue::Null),
        });
        nulls.collect()
    }

    /// The values, each cast to the type that is wanted for it: of a statement that declares them.
    ///
    /// # Errors
    /// `InvalidInput` that names the parameter.
    pub(crate) fn cast(&self, mut values: Vec<ScalarValue>) -> Result<Vec<ScalarValue>> {
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
    pub(crate) fn as_times<'a>(&self, values: &'a [ScalarValue]) -> Cow<'a, [ScalarValue]> {
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
            let what = if is_great {
                format!("the greatest number of a parameter is {MAX_PARAMETERS}")
            } else {
                "parameters are numbered, $1, $2 and so on, or each is a ?".to_owned()
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
    pub(crate) fn bind(&self, mut values: Vec<ScalarValue>) -> Result<Vec<ScalarValue>> {
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

/// Gives a time stamp the zone of `wanted`: an instant becomes its clock in UTC, a clock the instant of it in UTC. Any other
/// value stays as it is.
pub(crate) fn put_in_zone_of(value: &mut ScalarValue, wanted: &DataType) {
    if let (
        ScalarValue::TimestampSecond(_, zone)
        | ScalarValue::TimestampMillisecond(_, zone)
        | ScalarValue::TimestampMicrosecond(_, zone)
        | ScalarValue::TimestampNanosecond(_, zone),
        DataType::Timestamp(_, wanted),
    ) = (value, wanted)
    {
        zone.clone_from(wanted);
    }
}

#[cfg(test)]
#[path = "wanted_tests.rs"]
mod tests;
