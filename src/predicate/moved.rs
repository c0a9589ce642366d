//! Coarser values of a time that is moved first: `date_trunc('day', ts + INTERVAL '9 hours')`,
//! `CAST(ts - INTERVAL '1 hour' AS DATE)`, `date_bin(INTERVAL '1 week', ts, TIMESTAMP '2024-01-01')`.
//!
//! Bins that begin at an origin are those that begin in 1970, of a time that is earlier by it, shown later by it. So all of
//! these are a key part of a moved column, shown in another way, and what is known of the part's column is moved back.

use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Cast, Expr};

use super::change::{Change, change_of};
use super::exact::Exact;
use super::literal::constant_of;
use crate::datum::SqlType;

/// A key part of a column that is moved.
#[derive(Debug)]
pub(super) struct Moved {
    /// The part as if the column were not moved.
    pub(super) part: Expr,
    /// By how many nanoseconds the column is later before the part is computed.
    pub(super) later: i128,
    /// By how many nanoseconds the part is shown later than it is.
    pub(super) shown_later: i128,
}

/// The key part of which an expression is one of a moved column; `None` where it is none, or nothing is moved.
pub(super) fn moved(expression: &Expr) -> Option<Moved> {
    match expression {
        Expr::Cast(cast) if *cast.field.data_type() == SqlType::Date.arrow() => {
            let (inner, later) = delayed(&cast.expr)?;
            let part = Cast::new(Box::new(inner.clone()), cast.field.data_type().clone());
            Some(Moved::by(later, Expr::Cast(part)))
        }
        Expr::ScalarFunction(function) => match function.args.as_slice() {
            [first, source] => {
                let (inner, later) = delayed(source)?;
                let part = called(function, first, inner);
                Some(Moved::by(later, part))
            }
            [stride, source, origin] if function.name() == "date_bin" => {
                let (inner, later) = delayed(source).unwrap_or((source, 0));
                let origin = match Exact::of(&constant_of(origin)?)? {
                    Exact::Time {
                        nanos,
                        zoned: false,
                    } => nanos,
                    _ => return None,
                };
                Some(Moved {
                    part: called(function, stride, inner),
                    later: later.checked_sub(origin)?,
                    shown_later: origin,
                })
            }
            _ => None,
        },
        _ => None,
    }
}

impl Moved {
    fn by(later: i128, part: Expr) -> Self {
        Self {
            part,
            later,
            shown_later: 0,
        }
    }
}

/// `ts` and how much later `ts + INTERVAL` is.
fn delayed(expression: &Expr) -> Option<(&Expr, i128)> {
    match expression {
        Expr::Alias(alias) => delayed(&alias.expr),
        changed => match change_of(changed)? {
            (inner, Change::Later(nanos)) => match delayed(inner) {
                Some((innermost, before)) => Some((innermost, nanos.checked_add(before)?)),
                None => Some((inner, nanos)),
            },
            _ => None,
        },
    }
}

fn called(function: &ScalarFunction, first: &Expr, source: &Expr) -> Expr {
    let arguments = vec![first.clone(), source.clone()];
    function.func.call(arguments)
}
