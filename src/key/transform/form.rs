//! How SQL writes a key part, in words that neither a parser nor a planner has: a form, and the arguments that
//! complete it.
//!
//! Each transform declares its form once. DDL, `SHOW CREATE TABLE`, the conditions of queries and the expressions that
//! a planner compares an ORDER BY with are all translated to it or from it; none of them knows a transform by its name.

use std::fmt;

use super::{Declaration, TRANSFORMS};
use crate::datum::SqlType;

/// The SQL form of a key part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form<'a> {
    /// A column, and nothing around it.
    Column,
    /// A constant, and nothing around it.
    Constant,
    /// A call of the function of this name: `left(c, n)`.
    Call(&'a str),
    /// This operator between its two arguments: `c / n`.
    Operator(&'a str),
    /// A cast of its argument to this type: `CAST(c AS DATE)`.
    Cast(SqlType),
}

impl Form<'_> {
    /// The transform that is written so, in a key as in a query.
    pub fn declaration(&self) -> Option<&'static dyn Declaration> {
        let mut all = TRANSFORMS.iter().copied();
        all.find(|declaration| declaration.form() == *self)
    }

    /// SQL of this form over arguments.
    pub(super) fn write(
        &self,
        arguments: &[impl fmt::Display],
        f: &mut impl fmt::Write,
    ) -> fmt::Result {
        match self {
            Self::Column | Self::Constant => write_list(arguments, ", ", f),
            Self::Operator(operator) => write_list(arguments, &format!(" {operator} "), f),
            Self::Call(function) => {
                write!(f, "{function}(")?;
                write_list(arguments, ", ", f)?;
                f.write_str(")")
            }
            Self::Cast(sql_type) => {
                f.write_str("CAST(")?;
                write_list(arguments, ", ", f)?;
                write!(f, " AS {sql_type})")
            }
        }
    }
}

fn write_list(
    arguments: &[impl fmt::Display],
    between: &str,
    f: &mut impl fmt::Write,
) -> fmt::Result {
    for (position, argument) in arguments.iter().enumerate() {
        if position > 0 {
            f.write_str(between)?;
        }
        write!(f, "{argument}")?;
    }
    Ok(())
}

/// What an argument of a transform can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// A column.
    Column,
    /// Columns, at least one; the last parameter.
    Columns,
    /// A whole number of these, both ends included.
    Integer(i64, i64),
    /// The name of one of these units.
    Unit(&'static [&'static str]),
    /// An interval of fixed length.
    Interval,
    /// A text or a whole number.
    Constant,
}

impl Parameter {
    /// Whether columns stand here.
    pub fn is_column(self) -> bool {
        matches!(self, Self::Column | Self::Columns)
    }
}

impl fmt::Display for Parameter {
    /// As the documentation names it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Column => "c",
            Self::Columns => "c, …",
            Self::Integer(..) => "n",
            Self::Unit(_) => "unit",
            Self::Interval => "interval",
            Self::Constant => "'text' or number",
        })
    }
}

/// Who computes a key part in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Computed {
    /// SQL, which has what its form says.
    BySql,
    /// Halite: SQL lacks the function, so it is added, with values of this type.
    ByHalite(SqlType),
    /// Nobody: it takes more than a query names.
    ByNobody,
}
