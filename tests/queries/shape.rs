//! What a query's conjuncts leave of a key, told from its text: ranges, or a walk.
//!
//! A conjunct is one or several alternatives, each a list of terms over one column. A term *lists* its column's values
//! (`=`, `IN`, `IS NULL`) or leaves it *open* (a range, a prefix). Where every column in front of the last restricted one
//! is listed, each combination of the listed values is one range. Where one of them is open, or not restricted, what
//! comes behind it must be looked for behind each of its values, and nobody but the table knows these: a walk.

use std::collections::BTreeMap;

use sqlparser::ast::{BinaryOperator, Expr};

/// What a term says of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Term {
    /// So many values.
    Listed(usize),
    /// So many intervals.
    Open(usize),
}

/// A way to satisfy a condition: what it says of each column that it speaks of.
#[derive(Debug, Clone, Default)]
pub struct Alternative(BTreeMap<String, Term>);

impl Alternative {
    fn of(column: String, term: Term) -> Self {
        Self(BTreeMap::from([(column, term)]))
    }

    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (column, term) in &other.0 {
            let own = both.0.entry(column.clone()).or_insert(*term);
            *own = match (*own, *term) {
                (Term::Listed(a), Term::Listed(b)) => Term::Listed(a.min(b)),
                (listed @ Term::Listed(_), _) | (_, listed @ Term::Listed(_)) => listed,
                (Term::Open(a), Term::Open(b)) => Term::Open(a + b - 1),
            };
        }
        both
    }

    /// Whether the column has one of a few values that are named.
    pub fn lists(&self, column: &str) -> bool {
        matches!(self.0.get(column), Some(Term::Listed(_)))
    }

    /// In how many ranges of a bucket the rows of a key of these columns stand; `None`: that is for a walk to find out.
    pub fn ranges(&self, columns: &[String]) -> Option<usize> {
        let is_restricted = |column: &String| self.0.contains_key(column);
        let Some(last) = columns.iter().rposition(is_restricted) else {
            return Some(1);
        };
        let (before, at) = columns.split_at(last);
        let mut ranges = match self.0.get(&at[0]) {
            Some(Term::Listed(count) | Term::Open(count)) => *count,
            None => 1,
        };
        for column in before {
            match self.0.get(column) {
                Some(Term::Listed(count)) => ranges *= count,
                _ => return None,
            }
        }
        Some(ranges)
    }
}

/// The ways to satisfy all of these conditions.
pub fn alternatives<'a>(conditions: impl Iterator<Item = &'a Expr>) -> Vec<Alternative> {
    conditions.fold(vec![Alternative::default()], |all, condition| {
        product(&all, &of(condition))
    })
}

fn product(left: &[Alternative], right: &[Alternative]) -> Vec<Alternative> {
    let pairs = left
        .iter()
        .flat_map(|left| right.iter().map(|right| left.and(right)));
    pairs.collect()
}

fn of(condition: &Expr) -> Vec<Alternative> {
    match condition {
        Expr::Nested(inner) => of(inner),
        Expr::BinaryOp { left, op, right } => match (left.as_ref(), op, right.as_ref()) {
            (_, BinaryOperator::And, _) => product(&of(left), &of(right)),
            (_, BinaryOperator::Or, _) => [of(left), of(right)].concat(),
            (Expr::Tuple(columns), _, Expr::Tuple(_)) => in_order(columns),
            (_, BinaryOperator::Eq, _) if name(left).is_some() => term(left, Term::Listed(1)),
            (_, BinaryOperator::NotEq, _) => term(left, Term::Open(2)),
            _ => term(left, Term::Open(1)),
        },
        Expr::IsNull(column) => term(column, Term::Listed(1)),
        Expr::InList {
            expr,
            list,
            negated: false,
        } => term(expr, Term::Listed(list.len())),
        Expr::InList { expr, list, .. } => term(expr, Term::Open(list.len() + 1)),
        Expr::Between { expr, .. } | Expr::Like { expr, .. } => term(expr, Term::Open(1)),
        other => panic!("no bound for `{other}`"),
    }
}

/// `(a, b) < (x, y)`: `a` decides, or `a` is `x` and `b` decides.
fn in_order(columns: &[Expr]) -> Vec<Alternative> {
    let alternative = |decides: usize| {
        let terms = columns.iter().take(decides + 1).enumerate();
        let terms = terms.map(|(position, column)| {
            let term = match position == decides {
                true => Term::Open(1),
                false => Term::Listed(1),
            };
            (name(column).expect("a row of columns"), term)
        });
        Alternative(terms.collect())
    };
    (0..columns.len()).map(alternative).collect()
}

fn term(tested: &Expr, term: Term) -> Vec<Alternative> {
    if let Some(column) = name(tested) {
        return vec![Alternative::of(column, term)];
    }
    // `c % 10000 = 1234`, `date_trunc('hour', c) = …`: many values of the column, which nobody has named.
    let column = super::bound::only_column(tested);
    let column = column.unwrap_or_else(|| panic!("no bound for `{tested}`"));
    vec![Alternative::of(column, Term::Open(1))]
}

fn name(column: &Expr) -> Option<String> {
    match column {
        Expr::Identifier(column) => Some(column.value.clone()),
        Expr::CompoundIdentifier(path) => path.last().map(|column| column.value.clone()),
        _ => None,
    }
}
