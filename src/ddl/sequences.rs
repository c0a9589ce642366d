//! `CREATE SEQUENCE`, `DROP SEQUENCE`, and the functions `nextval`, `currval`, `lastval` and `setval`.
//!
//! A number is drawn for each row, and once: the functions are volatile, so that nothing of them is computed while a
//! statement is planned, or twice for one row. A connection remembers the last number that it was given of each sequence.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result as PlanResult, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use parking_lot::Mutex;
use sqlparser::ast::{DataType as SqlDataType, Expr, SequenceOptions, UnaryOperator, Value};

use super::change::change;
use super::statement::SequenceStatement;
use crate::catalog::visible::Catalogs;
use crate::catalog::{Sequence, object_name, sequence_name};
use crate::error::{Error, Result};
use crate::run::outcome::{Outcome, done};
use crate::schema::{self, DEFAULT_CACHE};

/// The last numbers that a connection was given.
#[derive(Debug, Default)]
struct Given {
    /// By the ids of sequences, and whether they are temporary.
    last: HashMap<(bool, u64), i64>,
    lately: Option<i64>,
}

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Next,
    Current,
    Last,
    Set,
}

/// One of the functions.
struct SequenceFunction {
    kind: Kind,
    catalogs: Catalogs,
    given: Arc<Mutex<Given>>,
    signature: Signature,
}

/// The functions, for one connection.
pub(crate) fn functions(catalogs: &Catalogs) -> impl Iterator<Item = ScalarUDF> {
    let given: Arc<Mutex<Given>> = Arc::default();
    let catalogs = catalogs.clone();
    let kinds = [Kind::Next, Kind::Current, Kind::Last, Kind::Set];
    kinds.into_iter().map(move |kind| {
        let signature = match kind {
            Kind::Next | Kind::Current => TypeSignature::String(1),
            Kind::Last => TypeSignature::Nullary,
            Kind::Set => TypeSignature::OneOf(vec![TypeSignature::Any(2), TypeSignature::Any(3)]),
        };
        ScalarUDF::new_from_impl(SequenceFunction {
            kind,
            catalogs: catalogs.clone(),
            given: Arc::clone(&given),
            signature: Signature::new(signature, Volatility::Volatile),
        })
    })
}

impl fmt::Debug for SequenceFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for SequenceFunction {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && Arc::ptr_eq(&self.given, &other.given)
    }
}

impl Eq for SequenceFunction {}

impl Hash for SequenceFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

impl ScalarUDFImpl for SequenceFunction {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Next => "nextval",
            Kind::Current => "currval",
            Kind::Last => "lastval",
            Kind::Set => "setval",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> PlanResult<DataType> {
        match (self.kind, types) {
            (Kind::Set, [_, number, ..]) if !number.is_integer() => {
                plan_err!("setval takes a sequence and a whole number, as in setval('s', 100)")
            }
            _ => Ok(DataType::Int64),
        }
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> PlanResult<ColumnarValue> {
        let rows = arguments.number_rows;
        let numbers = match (self.kind, arguments.args.as_slice()) {
            (Kind::Last, _) => {
                let last = self.given.lock().lately;
                let last = last.ok_or_else(|| undefined("lastval is"))?;
                Int64Array::from(vec![last; rows])
            }
            (Kind::Set, [names, rest @ ..]) => self.set(names, rest, rows)?,
            (Kind::Next, [names]) => self.each(names, rows, |sequence, count| {
                let numbers = sequence.next(count)?;
                Ok(numbers)
            })?,
            (Kind::Current, [names]) => {
                let last = |sequence: &Found, count| {
                    let last = self.given.lock().last.get(&sequence.id()).copied();
                    let name = &sequence.definition().name;
                    let last = last.ok_or_else(|| undefined(&format!("currval of `{name}` is")))?;
                    Ok(vec![last; count])
                };
                self.each(names, rows, last)?
            }
            _ => return plan_err!("{} takes the name of a sequence", self.name()),
        };
        Ok(ColumnarValue::Array(Arc::new(numbers)))
    }
}

fn undefined(what: &str) -> Error {
    Error::invalid(format!(
        "{what} not defined yet on this connection: nextval gives the first"
    ))
}

/// A sequence, and whether it is temporary.
struct Found {
    sequence: Arc<Sequence>,
    is_temporary: bool,
}

impl std::ops::Deref for Found {
    type Target = Sequence;

    fn deref(&self) -> &Sequence {
        &self.sequence
    }
}

impl Found {
    fn id(&self) -> (bool, u64) {
        (self.is_temporary, self.definition().id)
    }
}

impl SequenceFunction {
    fn find(&self, name: &str) -> Result<Found> {
        let name = sequence_name(name);
        Ok(Found {
            sequence: self.catalogs.of(&name).expect_sequence(&name)?,
            is_temporary: self.catalogs.is_temporary(&name),
        })
    }

    /// A number for each row, of the sequence that it names.
    fn each(
        &self,
        names: &ColumnarValue,
        rows: usize,
        numbers: impl Fn(&Found, usize) -> Result<Vec<i64>>,
    ) -> Result<Int64Array> {
        if let ColumnarValue::Scalar(name) = names {
            let Some(Some(name)) = name.try_as_str() else {
                return Ok(Int64Array::new_null(rows));
            };
            let sequence = self.find(name)?;
            let numbers = numbers(&sequence, rows)?;
            self.remember(&sequence, numbers.last().copied());
            return Ok(Int64Array::from(numbers));
        }
        let names = texts(names, rows)?;
        let names = names.as_string::<i32>();
        let each = names.iter().map(|name| {
            let Some(name) = name else {
                return Ok(None);
            };
            let sequence = self.find(name)?;
            let number = numbers(&sequence, 1)?.first().copied();
            self.remember(&sequence, number);
            Ok(number)
        });
        each.collect()
    }

    fn remember(&self, sequence: &Found, number: Option<i64>) {
        if let (Kind::Next | Kind::Set, Some(number)) = (self.kind, number) {
            let mut given = self.given.lock();
            given.last.insert(sequence.id(), number);
            if self.kind == Kind::Next {
                given.lately = Some(number);
            }
        }
    }

    fn set(
        &self,
        names: &ColumnarValue,
        rest: &[ColumnarValue],
        rows: usize,
    ) -> Result<Int64Array> {
        let names = texts(names, rows)?;
        let of_type = |value: Option<&ColumnarValue>, to: &DataType| {
            let value = value.map(|value| value.to_array(rows)).transpose()?;
            value
                .map(|value| cast(&value, to))
                .transpose()
                .map_err(wrong_values)
        };
        let numbers = of_type(rest.first(), &DataType::Int64)?;
        let called = of_type(rest.get(1), &DataType::Boolean)?;
        let Some(numbers) = numbers else {
            return Err(Error::invalid("setval takes a sequence and a number"));
        };
        let numbers = numbers.as_primitive::<Int64Type>().iter();
        let called: Vec<bool> = match &called {
            None => vec![true; rows],
            Some(called) => called
                .as_boolean()
                .iter()
                .map(|it| it == Some(true))
                .collect(),
        };
        let each = names.as_string::<i32>().iter().zip(numbers).zip(called);
        let each = each.map(|((name, number), is_called)| match (name, number) {
            (Some(name), Some(number)) => {
                let sequence = self.find(name)?;
                sequence.set(number, is_called)?;
                self.remember(&sequence, is_called.then_some(number));
                Ok(Some(number))
            }
            _ => Ok(None),
        });
        each.collect()
    }
}

fn wrong_values(error: arrow::error::ArrowError) -> Error {
    Error::invalid(format!("setval: {error}")).with_source(error)
}

fn texts(names: &ColumnarValue, rows: usize) -> Result<arrow::array::ArrayRef> {
    let names = names.to_array(rows)?;
    cast(&names, &DataType::Utf8)
        .map_err(|error| Error::invalid("a sequence is named by a text").with_source(error))
}

/// Does what a statement about sequences says.
///
/// # Errors
/// What the statement did wrong; then it changed nothing.
pub(crate) async fn answer(
    statement: SequenceStatement<'_>,
    catalogs: &Catalogs,
) -> Result<Outcome> {
    match statement {
        SequenceStatement::Create {
            name,
            if_not_exists,
            is_temporary,
            data_type,
            options,
            owner,
        } => {
            if let Some(owner) = owner {
                let message = format!("OWNED BY {owner} is not implemented");
                return Err(Error::unsupported(message));
            }
            let defined = defined(object_name(name)?, data_type, options)?;
            let catalog = if is_temporary {
                Arc::clone(catalogs.temporary().begun()?)
            } else {
                Arc::clone(catalogs.database())
            };
            let define = move |id| Ok(schema::Sequence { id, ..defined });
            change(move || catalog.create_sequence(define, if_not_exists)).await?;
            Ok(done("CREATE SEQUENCE"))
        }
        SequenceStatement::Drop { names, if_exists } => {
            let names = names.iter().map(object_name);
            let names = names.collect::<Result<Vec<String>>>()?;
            let catalog = Arc::clone(catalogs.of_all(&names)?);
            change(move || catalog.drop_sequences(&names, if_exists)).await?;
            Ok(done("DROP SEQUENCE"))
        }
    }
}

/// The definition that the clauses say, without an id.
fn defined(
    name: String,
    data_type: Option<&SqlDataType>,
    options: &[SequenceOptions],
) -> Result<schema::Sequence> {
    let of_sequence = |error: Error| error.context(format!("sequence `{name}`"));
    let limits = limits(data_type).map_err(of_sequence)?;
    let (mut start, mut increment, mut cache) = (None, 1, DEFAULT_CACHE);
    let (mut minimum, mut maximum) = (None, None);
    for option in options {
        match option {
            SequenceOptions::StartWith(value, _) => {
                start = Some(number(value).map_err(of_sequence)?)
            }
            SequenceOptions::IncrementBy(value, _) => {
                increment = number(value).map_err(of_sequence)?;
            }
            SequenceOptions::MinValue(value) => {
                minimum = value
                    .as_ref()
                    .map(number)
                    .transpose()
                    .map_err(of_sequence)?;
            }
            SequenceOptions::MaxValue(value) => {
                maximum = value
                    .as_ref()
                    .map(number)
                    .transpose()
                    .map_err(of_sequence)?;
            }
            SequenceOptions::Cache(value) => {
                cache = u64::try_from(number(value).map_err(of_sequence)?).unwrap_or_default();
            }
            // The parser says true for NO CYCLE.
            SequenceOptions::Cycle(true) => {}
            SequenceOptions::Cycle(false) => {
                let message = "CYCLE would hand out numbers twice, and is not implemented";
                return Err(of_sequence(Error::unsupported(message)));
            }
        }
    }
    let (least, greatest) = schema::Sequence::default_bounds(increment);
    let minimum = minimum.unwrap_or(least.max(limits.0));
    let maximum = maximum.unwrap_or(greatest.min(limits.1));
    let begin = if increment < 0 { maximum } else { minimum };
    let sequence = schema::Sequence {
        id: 0,
        name: name.clone(),
        start: start.unwrap_or(begin),
        increment,
        minimum,
        maximum,
        cache,
        comment: None,
    };
    sequence.validate()?;
    Ok(sequence)
}

/// The least and the greatest number of a type.
fn limits(data_type: Option<&SqlDataType>) -> Result<(i64, i64)> {
    Ok(match data_type {
        None | Some(SqlDataType::BigInt(None) | SqlDataType::Int8(None)) => (i64::MIN, i64::MAX),
        Some(SqlDataType::SmallInt(None) | SqlDataType::Int2(None)) => {
            (i64::from(i16::MIN), i64::from(i16::MAX))
        }
        Some(SqlDataType::Int(None) | SqlDataType::Integer(None) | SqlDataType::Int4(None)) => {
            (i64::from(i32::MIN), i64::from(i32::MAX))
        }
        Some(other) => {
            let message = format!("its type is SMALLINT, INTEGER or BIGINT, not {other}");
            return Err(Error::invalid(message));
        }
    })
}

/// A whole number with its sign.
fn number(value: &Expr) -> Result<i64> {
    let wrong = || Error::invalid(format!("{value} is no whole number of 64 bits"));
    let digits = |value: &Expr| match value {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => Some(digits.clone()),
            _ => None,
        },
        _ => None,
    };
    let text = match value {
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => digits(expr).map(|digits| format!("-{digits}")),
        Expr::UnaryOp {
            op: UnaryOperator::Plus,
            expr,
        } => digits(expr),
        other => digits(other),
    };
    text.and_then(|text| text.parse().ok()).ok_or_else(wrong)
}

#[cfg(test)]
#[path = "sequences_tests.rs"]
mod tests;
