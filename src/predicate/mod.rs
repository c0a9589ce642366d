//! The predicate as Halite sees it: which rows make an SQL condition TRUE.
//!
//! A *condition* is a boolean expression of DataFusion's, with SQL's three values; a *predicate* is what it is lowered to;
//! *terms* are what an AND or an OR joins in either. What AND joins at the top of a query's filters are its *conjuncts*:
//! each is lowered by itself, and what the spans do not prove of them is the *residual*.
//!
//! A [`Predicate`] is two-valued. SQL's third value is gone once it is made: the lowering asks of every term for the
//! rows where it is TRUE, or, under NOT, where it is FALSE, and a row where a term is NULL is in neither. So `NOT (a = 5)`
//! is `a` in everything but 5 and NULL.
//!
//! Its leaves say that the value of an [`Expression`] (a column, or a transform of columns) lies in a [`Domain`].
//! What the lowering does not understand is [`Predicate::Opaque`]: nothing is known of it, and spans treat it as if it
//! could be true. Constants compare by value: `a > 1.5` on an integer column is `a >= 2`. What
//! that means for numbers and times is said once, in `fixed_point`, for this module and for `optimize`.

mod change;
mod choice;
mod constant;
mod exact;
mod fixed_point;
mod literal;
mod logical;
mod moved;
mod operand;
mod part;
mod pattern;
mod regular_expression;
mod text;

use crate::key::{Domain, Expression};

pub use self::exact::Exact;
pub use self::fixed_point::{Place, View, always_fits, keeps_number};
pub use self::literal::argument;
pub use self::logical::lower;
#[cfg(any(test, feature = "testing"))]
pub use self::logical::lower_all;
#[cfg(any(test, feature = "testing"))]
pub use self::part::part;
pub use self::text::{AT_TIME_ZONE, readable};

/// The rows for which a condition is TRUE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// All rows, or none.
    Constant(bool),
    /// Rows for which the value of the expression lies in the domain.
    Member(Expression, Domain),
    /// Rows in all of these.
    All(Vec<Predicate>),
    /// Rows in at least one of these.
    Any(Vec<Predicate>),
    /// Rows about which nothing is known.
    Opaque,
}

impl Predicate {
    /// Rows in all of `terms`.
    pub fn all(terms: impl IntoIterator<Item = Predicate>) -> Self {
        let mut kept = Vec::new();
        for term in terms {
            match term {
                Self::Constant(true) => {}
                Self::Constant(false) => return Self::Constant(false),
                // A chain that leans to the left is taken over, not copied at every level.
                Self::All(inner) if kept.is_empty() => kept = inner,
                Self::All(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::Constant(true),
            1 => kept.swap_remove(0),
            _ => Self::All(kept),
        }
    }

    /// Rows in at least one of `terms`.
    pub fn any(terms: impl IntoIterator<Item = Predicate>) -> Self {
        let mut kept = Vec::new();
        for term in terms {
            match term {
                Self::Constant(false) => {}
                Self::Constant(true) => return Self::Constant(true),
                // A chain that leans to the left is taken over, not copied at every level.
                Self::Any(inner) if kept.is_empty() => kept = inner,
                Self::Any(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::Constant(false),
            1 => kept.swap_remove(0),
            _ => Self::Any(kept),
        }
    }

    /// Every other row.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Member(expression, domain) => Self::Member(expression, domain.complement()),
            Self::All(terms) => Self::any(terms.into_iter().map(Self::negate)),
            Self::Any(terms) => Self::all(terms.into_iter().map(Self::negate)),
            Self::Opaque => Self::Opaque,
        }
    }

    /// Whether a part of it is not understood.
    pub fn is_opaque(&self) -> bool {
        match self {
            Self::Opaque => true,
            Self::Constant(_) | Self::Member(..) => false,
            Self::All(terms) | Self::Any(terms) => terms.iter().any(Self::is_opaque),
        }
    }

    /// Calls `visit` for every leaf that restricts an expression.
    pub fn for_each_member<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression, &'a Domain)) {
        match self {
            Self::Constant(_) | Self::Opaque => {}
            Self::Member(expression, domain) => visit(expression, domain),
            Self::All(terms) | Self::Any(terms) => {
                terms.iter().for_each(|term| term.for_each_member(visit))
            }
        }
    }
}
