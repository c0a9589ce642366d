//! Keys that values give directly.
//!
//! Conjuncts that say of every column that the key is computed from what it is equal to, or which of a few values it
//! has, are true for the rows under a few keys and for no others, whatever the values are; so are several such in an OR,
//! as `(a, b) IN (…)` is one for each tuple. For them no spans are planned each time: the keys are written from the
//! values. The columns are those that the key gives back exactly, so that the keys prove all conjuncts, and the residual
//! is empty.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::utils::{split_binary, split_conjunction};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::parameter::{fitted, number};
use crate::datum::{Datum, SqlType};
use crate::error::{ErrorKind, Result};
use crate::schema::{BoundTable, Column};

/// The most keys that are written so; of more, spans are planned.
const MOST_KEYS: usize = 10_000;

/// What rows may be, each alternative for each column that the key is computed from.
#[derive(Debug)]
pub(super) struct WholeKeys(Vec<Vec<Pinned>>);

/// A column and the values one of which it has.
#[derive(Debug)]
struct Pinned {
    column: usize,
    data_type: DataType,
    values: Vec<Value>,
}

#[derive(Debug)]
enum Value {
    Constant(Datum),
    /// A parameter, counted from 0.
    Parameter(usize),
}

impl WholeKeys {
    /// The keys of rows that satisfy all conjuncts; `None` if these do not say so, or something else as well.
    /// Placeholders are of the types of their columns.
    pub(super) fn of(table: &BoundTable, conjuncts: &[Expr]) -> Option<Self> {
        if table.row_key().goes_on() {
            return None;
        }
        let alternatives = match conjuncts {
            [only] => split_binary(only, Operator::Or)
                .into_iter()
                .map(|alternative| pinned(table, split_conjunction(alternative)))
                .collect::<Option<_>>()?,
            several => vec![pinned(table, several)?],
        };
        let keys = Self(alternatives);
        (keys.count()? <= MOST_KEYS).then_some(keys)
    }

    /// Whether it is one key whatever the values are.
    pub(super) fn is_one(&self) -> bool {
        self.count() == Some(1)
    }

    /// The keys for these parameters: fewer where rows of some values could not have been written. `None` where a value is
    /// not of its column's type.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(super) fn bind(
        &self,
        table: &BoundTable,
        parameters: &[ScalarValue],
    ) -> Result<Option<Vec<Vec<u8>>>> {
        let mut row: Vec<Option<Datum>> = Vec::new();
        row.resize_with(table.all_columns().len(), || None);
        let mut keys = Vec::with_capacity(self.count().unwrap_or_default());
        for pinned in &self.0 {
            if !write(table, pinned, parameters, &mut row, &mut keys)? {
                return Ok(None);
            }
        }
        Ok(Some(keys))
    }

    /// The number of keys, `None` for far too many.
    fn count(&self) -> Option<usize> {
        let product = |pinned: &Vec<Pinned>| {
            let mut lists = pinned.iter().map(|pinned| pinned.values.len());
            lists.try_fold(1_usize, usize::checked_mul)
        };
        let mut products = self.0.iter().map(product);
        products.try_fold(0_usize, |sum, product| sum.checked_add(product?))
    }
}

/// What conjuncts say of all columns that the key is computed from, each once; `None` if they do not, or say something
/// else as well.
fn pinned<'a>(
    table: &BoundTable,
    conjuncts: impl IntoIterator<Item = &'a Expr>,
) -> Option<Vec<Pinned>> {
    let mut pinned: Vec<Pinned> = Vec::new();
    for conjunct in conjuncts {
        let new = Pinned::of(table, conjunct)?;
        let is_new = pinned.iter().all(|other| other.column != new.column);
        is_new.then(|| pinned.push(new))?;
    }
    let is_pinned = |column: &usize| pinned.iter().any(|pinned| pinned.column == *column);
    table.key_sources().iter().all(is_pinned).then_some(())?;
    // What has few values is put into the row seldom.
    pinned.sort_by_key(|pinned| pinned.values.len());
    Some(pinned)
}

/// Appends the keys of rows that have in each column one of its values. Returns whether all values are of their columns'
/// types.
fn write(
    table: &BoundTable,
    pinned: &[Pinned],
    parameters: &[ScalarValue],
    row: &mut [Option<Datum>],
    keys: &mut Vec<Vec<u8>>,
) -> Result<bool> {
    let Some((first, others)) = pinned.split_first() else {
        keys.extend(key_of(table, row)?);
        return Ok(true);
    };
    for value in &first.values {
        let Some(datum) = value.bind(&first.data_type, parameters) else {
            return Ok(false);
        };
        if let Some(cell) = row.get_mut(first.column) {
            *cell = Some(datum);
        }
        if !write(table, others, parameters, row, keys)? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Pinned {
    /// A column that the key gives back, and constants or parameters one of which it is equal to.
    fn of(table: &BoundTable, conjunct: &Expr) -> Option<Self> {
        let (column, operands): (&Expr, &[Expr]) = match conjunct {
            Expr::BinaryExpr(BinaryExpr {
                left,
                op: Operator::Eq,
                right,
            }) => match left.as_ref() {
                Expr::Column(_) => (left, std::slice::from_ref(right)),
                _ => (right, std::slice::from_ref(left)),
            },
            Expr::InList(InList {
                expr,
                list,
                negated: false,
            }) => (expr, list),
            _ => return None,
        };
        let Expr::Column(column) = column else {
            return None;
        };
        let column = table.full_schema().index_of(column.name()).ok()?;
        let sql_type = &table.column(column).ok()?.sql_type;
        is_told(table, column).then_some(())?;
        let data_type = sql_type.arrow();
        let value = |operand: &Expr| match operand {
            Expr::Literal(value, _) => Some(Value::Constant(Datum::of_scalar(fitted(
                value, &data_type,
            )?)?)),
            Expr::Placeholder(placeholder) => {
                Some(Value::Parameter(number(placeholder)?.checked_sub(1)?))
            }
            _ => None,
        };
        let values = operands.iter().map(value).collect::<Option<_>>()?;
        Some(Self {
            column,
            data_type,
            values,
        })
    }
}

impl Value {
    /// `None` where it is not of this type.
    fn bind(&self, data_type: &DataType, parameters: &[ScalarValue]) -> Option<Datum> {
        match self {
            Self::Constant(datum) => Some(datum.clone()),
            Self::Parameter(at) => Datum::of_scalar(fitted(parameters.get(*at)?, data_type)?),
        }
    }
}

/// The key of a row; `None` where one of these values could not have been written.
///
/// # Errors
/// `Internal` alone.
pub(super) fn key_of(table: &BoundTable, row: &[Option<Datum>]) -> Result<Option<Vec<u8>>> {
    match table.row_key().encode(row) {
        Ok(key) => Ok(Some(key)),
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the key gives a column back, and tells each of its values from all others.
pub(super) fn is_told(table: &BoundTable, column: usize) -> bool {
    let is_compared = |column: &Column| is_compared_by_bytes(&column.sql_type);
    table.row_key().restoring_part(column).is_some() && table.column(column).is_ok_and(is_compared)
}

/// Whether two values of the type are equal exactly if their fields in a key are: not where one value has several forms,
/// as zeros and NaN of floating point have, or is padded.
pub(super) fn is_compared_by_bytes(sql_type: &SqlType) -> bool {
    !matches!(sql_type, SqlType::Real | SqlType::Double | SqlType::Char(_))
}
