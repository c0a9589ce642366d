//! What the clauses of a SELECT can name.

use sqlparser::ast::{Expr, Ident, JoinConstraint, JoinOperator, ObjectName};

use super::tables::constraint;
use super::{Folds, quoted, written};

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
    pub fn label(&self, folds: Folds) -> Option<String> {
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

    /// Rows of both, joined.
    pub fn join(&mut self, right: Self, operator: &JoinOperator, folds: Folds) {
        match operator {
            JoinOperator::LeftSemi(_) | JoinOperator::LeftAnti(_) => return,
            JoinOperator::RightSemi(_) | JoinOperator::RightAnti(_) => return *self = right,
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
        let before = self.sources.len();
        self.add(right);
        for name in names {
            self.merge(name, before);
        }
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
    fn merge(&mut self, name: String, right: usize) {
        let (before, after) = self.sources.split_at_mut(right);
        for source in after {
            source.merged.push(name.clone());
        }
        let known = self.merged.iter().any(|merged| merged.name == name);
        let mut sources = before.iter();
        let source = match before.len() {
            1 => Some(0),
            _ => sources.position(|source| source.count(&name) > 0),
        };
        if let Some(source) = source
            && !known
        {
            self.merged.push(Merged { name, source });
        }
    }

    pub fn has_merged(&self) -> bool {
        !self.merged.is_empty()
    }

    /// Whether a join makes one column of two with that name.
    pub fn is_merged(&self, name: &str) -> bool {
        self.merged.iter().any(|merged| merged.name == name)
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
    pub fn star(&self, of: Option<&ObjectName>, folds: Folds) -> Option<Vec<Starred>> {
        let mut columns = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            if of.is_some_and(|name| !source.is_named(name, folds)) {
                continue;
            }
            for name in source.columns.as_ref()? {
                if of.is_none() && source.merged.iter().any(|merged| merged == name) {
                    continue;
                }
                columns.push(Starred {
                    name: name.clone(),
                    source: index,
                    expr: source.column(name),
                    is_replaced: false,
                });
            }
        }
        (!columns.is_empty()).then_some(columns)
    }

    /// The place of the source that a name is of, if that is certain; `qualifier` is what stands before it.
    pub fn source_of(&self, qualifier: Option<&Ident>, name: &str, folds: Folds) -> Option<usize> {
        if let Some(qualifier) = qualifier {
            let label = Some(folds.name(qualifier));
            let mut sources = self.sources.iter();
            return sources.position(|source| source.label(folds) == label);
        }
        if let Some(merged) = self.merged.iter().find(|merged| merged.name == name) {
            return Some(merged.source);
        }
        let mut sources = self.sources.iter();
        match self.sources.len() {
            1 => Some(0),
            _ if !self.is_known() => None,
            _ => sources.position(|source| source.count(name) > 0),
        }
    }

    /// What a name without a qualifier stands for.
    pub fn meaning(&self, name: &str, folds: Folds) -> Meaning {
        let twice = self.sources.iter().find(|source| source.count(name) > 1);
        if let Some(source) = twice {
            return Meaning::Twice(source.label(folds).unwrap_or_default());
        }
        let others = self.sources.iter().filter(|source| {
            source.count(name) > 0 && !source.merged.iter().any(|merged| merged == name)
        });
        let merged = self.merged.iter().find(|merged| merged.name == name);
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
    pub fn is_twice(&self, qualifier: &Ident, name: &str, folds: Folds) -> Option<bool> {
        let label = Some(folds.name(qualifier));
        let mut sources = self.sources.iter();
        let source = sources.find(|source| source.label(folds) == label)?;
        Some(source.count(name) > 1)
    }
}

impl Source {
    fn is_named(&self, name: &ObjectName, folds: Folds) -> bool {
        let last = name.0.last().and_then(|part| part.as_ident());
        last.is_some_and(|ident| self.label(folds) == Some(folds.name(ident)))
    }
}

/// A name of one word.
pub(super) fn single(name: &ObjectName) -> Option<&Ident> {
    match name.0.as_slice() {
        [part] => part.as_ident(),
        _ => None,
    }
}
