//! What the clauses of a SELECT can name.

use sqlparser::ast::{BinaryOperator, Expr, Ident, JoinConstraint, JoinOperator, ObjectName};

use super::tables::{constraint, constraint_mut};
use super::{quoted, written};
use crate::error::{Error, Result};
use crate::sql::ident::IdentCase;
use crate::sql::rewrite::functions::expression;

/// What stands behind FROM.
#[derive(Debug, Default)]
pub(super) struct Scope {
    sources: Vec<Source>,
    merged: Vec<Merged>,
}

/// A table, or a query in place of one.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// What its columns are named with; empty where that cannot be.
    pub qualifier: Vec<Ident>,
    /// Its columns, marks included; `None` where they are not known.
    pub columns: Option<Vec<String>>,
    /// Columns that are one with that of a source before it.
    pub merged: Vec<String>,
}

/// One column of two, and the source that it is taken from.
#[derive(Debug)]
struct Merged {
    name: String,
    source: usize,
    /// What it is, where it is not the column of its source: that of the right side of a RIGHT JOIN, and of a FULL JOIN
    /// that of the side that a row has.
    expr: Option<Expr>,
}

/// A column that `*` stands for.
#[derive(Debug, Clone)]
pub(super) struct Starred {
    /// Its name, marks included.
    pub name: String,
    pub source: usize,
    pub expr: Expr,
    /// Whether REPLACE gives another expression.
    pub is_replaced: bool,
}

/// What a name stands for in a scope.
#[derive(Debug, PartialEq)]
pub(super) enum Meaning {
    /// Nothing in this scope.
    None,
    /// A column, or one of several that DataFusion knows to choose from or to refuse; or columns are not known.
    Column,
    /// The column that a join makes of two, with the name of its source.
    Merged(Box<Expr>),
    /// Two columns of one source.
    Twice(String),
}

impl Source {
    pub fn label(&self, folds: IdentCase) -> Option<String> {
        self.qualifier.last().map(|ident| folds.name(ident))
    }

    /// How often it has a column of that name.
    fn count(&self, name: &str) -> usize {
        let columns = self.columns.iter().flatten();
        columns.filter(|column| written(column) == name).count()
    }

    fn column(&self, name: &str) -> Expr {
        let name = quoted(name);
        match self.qualifier.as_slice() {
            [] => Expr::Identifier(name),
            qualifier => {
                let parts = qualifier.iter().cloned().chain([name]);
                Expr::CompoundIdentifier(parts.collect())
            }
        }
    }
}

impl Scope {
    pub fn of(source: Source) -> Self {
        Self {
            sources: vec![source],
            merged: Vec::new(),
        }
    }

    /// Rows of both.
    pub fn add(&mut self, other: Self) {
        let before = self.sources.len();
        let merged = other.merged.into_iter().map(|merged| Merged {
            source: merged.source + before,
            ..merged
        });
        self.merged.extend(merged);
        self.sources.extend(other.sources);
    }

    /// Rows of both, joined. Where a column that they share is not that of the left side, the condition is written out:
    /// DataFusion would take the left one.
    ///
    /// # Errors
    /// `NotSupported` where it is not known which columns these are.
    pub fn join(
        &mut self,
        right: Self,
        operator: &mut JoinOperator,
        folds: IdentCase,
    ) -> Result<()> {
        match operator {
            JoinOperator::LeftSemi(_) | JoinOperator::LeftAnti(_) => return Ok(()),
            JoinOperator::RightSemi(_) | JoinOperator::RightAnti(_) => {
                *self = right;
                return Ok(());
            }
            _ => {}
        }
        let names: Vec<String> = match constraint(operator) {
            Some(JoinConstraint::Using(names)) => {
                let names = names.iter().filter_map(single);
                names.map(|name| folds.name(name)).collect()
            }
            Some(JoinConstraint::Natural) => self.common(&right),
            _ => Vec::new(),
        };
        let is_written = |name: &String| {
            let mut merged = self.merged.iter();
            merged.any(|merged| merged.name == *name && merged.expr.is_some())
        };
        let side = Side::of(operator);
        let shared = if side != Side::Left || names.iter().any(is_written) {
            self.write_condition(&right, operator, &names, side)?
        } else {
            names.iter().map(|_| None).collect()
        };
        let before = self.sources.len();
        self.add(right);
        for (name, expr) in names.into_iter().zip(shared) {
            self.merge(name, before, expr);
        }
        Ok(())
    }

    /// Writes USING and NATURAL as ON; what each column is that both sides share.
    fn write_condition(
        &self,
        right: &Self,
        operator: &mut JoinOperator,
        names: &[String],
        side: Side,
    ) -> Result<Vec<Option<Expr>>> {
        let Some(constraint) = constraint_mut(operator) else {
            return Ok(Vec::new());
        };
        if *constraint == JoinConstraint::Natural {
            if !self.is_known() || !right.is_known() {
                return Err(Error::unsupported(
                    "NATURAL RIGHT or FULL JOIN is not implemented here, where it is not known which columns both sides \
                     have; write ON …",
                ));
            }
            if names.is_empty() {
                return Err(Error::unsupported(
                    "NATURAL RIGHT or FULL JOIN of tables that have no column in common is not implemented; write ON …",
                ));
            }
        }
        let mut shared = Vec::with_capacity(names.len());
        let mut condition: Option<Expr> = None;
        for name in names {
            let (Some(of_left), Some(of_right)) = (self.shared(name), right.shared(name)) else {
                if (self.is_known() && !self.has(name)) || (right.is_known() && !right.has(name)) {
                    return Err(Error::invalid(format!(
                        "USING (`{name}`): one side of the join has no column of that name"
                    )));
                }
                return Err(Error::unsupported(format!(
                    "RIGHT or FULL JOIN with USING is not implemented here, where it is not known which table has `{name}`; \
                     write ON …"
                )));
            };
            let equal = binary(of_left.clone(), BinaryOperator::Eq, of_right.clone());
            condition = Some(match condition {
                None => equal,
                Some(before) => binary(before, BinaryOperator::And, equal),
            });
            shared.push(match side {
                Side::Left => Some(of_left),
                Side::Right => Some(of_right),
                Side::Both => expression("coalesce($1, $2)", &[of_left, of_right]),
            });
        }
        if let Some(condition) = condition {
            *constraint = JoinConstraint::On(condition);
        }
        Ok(shared)
    }

    /// The one column of a name.
    fn shared(&self, name: &str) -> Option<Expr> {
        let merged = self.merged.iter().find(|merged| merged.name == name);
        if let Some(Merged {
            expr: Some(expr), ..
        }) = merged
        {
            return Some(expr.clone());
        }
        let mut sources = self
            .sources
            .iter()
            .enumerate()
            .filter(|(place, source)| match merged {
                Some(merged) => merged.source == *place,
                None => {
                    source.count(name) > 0 || (self.sources.len() == 1 && source.columns.is_none())
                }
            });
        let (_, source) = sources.next()?;
        let is_only = sources.next().is_none() && !source.qualifier.is_empty();
        is_only.then(|| source.column(name))
    }

    /// The names of columns that both have.
    fn common(&self, right: &Self) -> Vec<String> {
        let names = right
            .sources
            .iter()
            .flat_map(|source| &source.columns)
            .flatten();
        names.filter(|name| self.has(name)).cloned().collect()
    }

    fn has(&self, name: &str) -> bool {
        self.sources.iter().any(|source| source.count(name) > 0)
    }

    /// Makes one column of those of the sources before `right` and from there on.
    fn merge(&mut self, name: String, right: usize, expr: Option<Expr>) {
        let (before, after) = self.sources.split_at_mut(right);
        for source in after {
            source.merged.push(name.clone());
        }
        if let Some(merged) = self.merged.iter_mut().find(|merged| merged.name == name) {
            merged.expr = expr;
            return;
        }
        let mut sources = before.iter();
        let source = match before.len() {
            1 => Some(0),
            _ => sources.position(|source| source.count(&name) > 0),
        };
        if let Some(source) = source {
            self.merged.push(Merged { name, source, expr });
        }
    }

    pub fn has_merged(&self) -> bool {
        !self.merged.is_empty()
    }

    /// Whether a join makes one column of two with that name.
    pub fn is_merged(&self, name: &str) -> bool {
        self.merged.iter().any(|merged| merged.name == name)
    }

    /// Whether a name stands for an expression that a join makes of two columns.
    pub fn is_written_out(&self, name: &str) -> bool {
        let mut merged = self.merged.iter();
        merged.any(|merged| merged.name == name && merged.expr.is_some())
    }

    fn is_known(&self) -> bool {
        self.sources.iter().all(|source| source.columns.is_some())
    }

    /// Whether a column of that name is there for certain.
    pub fn has_for_certain(&self, name: &str) -> bool {
        self.is_known() && self.has(name)
    }

    /// Whether a source whose columns are not named with a table has one of that name.
    pub fn has_without_table(&self, name: &str) -> bool {
        let mut sources = self.sources.iter();
        sources.any(|source| source.qualifier.is_empty() && source.count(name) > 0)
    }

    /// The columns that `*` stands for, or those of one source; `None` where they are not known.
    pub fn star(&self, of: Option<&ObjectName>, folds: IdentCase) -> Option<Vec<Starred>> {
        let mut columns = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            if of.is_some_and(|name| !source.is_named(name, folds)) {
                continue;
            }
            for name in source.columns.as_ref()? {
                if of.is_none() && source.merged.iter().any(|merged| merged == name) {
                    continue;
                }
                let mut merged = self.merged.iter();
                let merged = merged.find(|it| it.name == *name && it.source == index);
                let expr = merged.and_then(|merged| merged.expr.clone());
                let expr = expr.filter(|_| of.is_none());
                columns.push(Starred {
                    name: name.clone(),
                    source: index,
                    is_replaced: expr.is_some(),
                    expr: expr.unwrap_or_else(|| source.column(name)),
                });
            }
        }
        (!columns.is_empty()).then_some(columns)
    }

    /// The place of the source that a name is of, if that is certain; `qualifier` is what stands before it.
    pub fn source_of(
        &self,
        qualifier: Option<&Ident>,
        name: &str,
        folds: IdentCase,
    ) -> Option<usize> {
        if let Some(qualifier) = qualifier {
            let label = Some(folds.name(qualifier));
            let mut sources = self.sources.iter();
            return sources.position(|source| source.label(folds) == label);
        }
        if let Some(merged) = self.merged.iter().find(|merged| merged.name == name) {
            return merged.expr.is_none().then_some(merged.source);
        }
        let mut sources = self.sources.iter();
        match self.sources.len() {
            1 => Some(0),
            _ if !self.is_known() => None,
            _ => sources.position(|source| source.count(name) > 0),
        }
    }

    /// What a name without a qualifier stands for.
    pub fn meaning(&self, name: &str, folds: IdentCase) -> Meaning {
        let twice = self.sources.iter().find(|source| source.count(name) > 1);
        if let Some(source) = twice {
            return Meaning::Twice(source.label(folds).unwrap_or_default());
        }
        let others = self.sources.iter().filter(|source| {
            source.count(name) > 0 && !source.merged.iter().any(|merged| merged == name)
        });
        let merged = self.merged.iter().find(|merged| merged.name == name);
        if let Some(Merged {
            expr: Some(expr), ..
        }) = merged
        {
            return Meaning::Merged(Box::new(expr.clone()));
        }
        match (others.count(), merged) {
            (0 | 1, Some(merged)) if self.is_known() || self.sources.len() == 2 => {
                match self.sources.get(merged.source) {
                    Some(source) => Meaning::Merged(Box::new(source.column(name))),
                    None => Meaning::Column,
                }
            }
            (0, None) if self.is_known() => Meaning::None,
            _ => Meaning::Column,
        }
    }

    /// The label of a source with two columns of the name; `None` where no source here has the qualifier.
    pub fn is_twice(&self, qualifier: &Ident, name: &str, folds: IdentCase) -> Option<bool> {
        let label = Some(folds.name(qualifier));
        let mut sources = self.sources.iter();
        let source = sources.find(|source| source.label(folds) == label)?;
        Some(source.count(name) > 1)
    }
}

impl Source {
    fn is_named(&self, name: &ObjectName, folds: IdentCase) -> bool {
        let last = name.0.last().and_then(|part| part.as_ident());
        last.is_some_and(|ident| self.label(folds) == Some(folds.name(ident)))
    }
}

/// The side that a column is taken from which both sides of a join share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
}

impl Side {
    fn of(operator: &JoinOperator) -> Self {
        match operator {
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => Self::Right,
            JoinOperator::FullOuter(_) => Self::Both,
            _ => Self::Left,
        }
    }
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp {
        left: Box::new(left),
        op,
        right: Box::new(right),
    }
}

/// A name of one word.
pub(super) fn single(name: &ObjectName) -> Option<&Ident> {
    match name.0.as_slice() {
        [part] => part.as_ident(),
        _ => None,
    }
}
