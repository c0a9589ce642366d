//! Walks through a statement from the inside out: of each query the names of its columns are known before they are read.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, Ident, ObjectName, OrderBy, PipeOperator, Query, Select, SetExpr,
    Statement as SqlStatement, TableAlias, TableFactor, TableFunctionArgs, TableWithJoins, Values,
    VisitMut, With,
};

use super::references::{Clause, Names, References, ambiguous, order_by_columns, refuse_names};
use super::scope::{Meaning, Scope, Source};
use super::select_list::{List, Listed, SelectContext, are_same};
use super::tables::Tables;
use super::{alias_conflicts, casts, quoted};
use crate::error::{Error, Result};
use crate::sql::ident::IdentCase;

/// The columns that a query gives; `None` where they are not known.
type Outputs = Option<Vec<Listed>>;

pub(super) struct Resolver<'a> {
    tables: &'a Tables,
    pub folds: IdentCase,
    /// The common table expressions that are visible, and their columns, marks included.
    ctes: Vec<(String, Option<Vec<String>>)>,
    /// What is visible in the queries around the current place, the innermost last.
    scopes: Vec<Scope>,
}

impl<'a> Resolver<'a> {
    pub fn new(tables: &'a Tables, folds: IdentCase) -> Self {
        Self {
            tables,
            folds,
            ctes: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// # Errors
    /// `InvalidInput` for a name that may mean two columns.
    pub fn statement(&mut self, statement: &mut SqlStatement) -> Result<()> {
        match statement {
            SqlStatement::Query(query) => self.query(query, SelectContext::Outermost).map(drop),
            SqlStatement::Insert(insert) => match &mut insert.source {
                Some(query) => self.query(query, SelectContext::Outermost).map(drop),
                None => Ok(()),
            },
            SqlStatement::Prepare { statement, .. } | SqlStatement::Explain { statement, .. } => {
                self.statement(statement)
            }
            other => self.within(other, &Outputs::None, Clause::Rows),
        }
    }

    pub fn query(&mut self, query: &mut Query, context: SelectContext) -> Result<Outputs> {
        let visible = self.ctes.len();
        let outputs = self.query_with_its_tables(query, context);
        self.ctes.truncate(visible);
        outputs
    }

    fn query_with_its_tables(
        &mut self,
        query: &mut Query,
        context: SelectContext,
    ) -> Result<Outputs> {
        if let Some(with) = &mut query.with {
            self.with(with)?;
        }
        // What stands behind `|>` reads the columns of what is in front.
        let pipes = std::mem::take(&mut query.pipe_operators);
        let context = match context {
            _ if pipes.is_empty() => context,
            SelectContext::Named => SelectContext::Named,
            _ => SelectContext::Free,
        };
        let mut outputs = match query.body.as_mut() {
            SetExpr::Select(select) => self.select(select, context, query.order_by.as_mut())?,
            body => {
                let outputs = self.body(body, context)?;
                if let Some(order) = &mut query.order_by {
                    order_by_columns(order, outputs.as_deref().unwrap_or_default(), self.folds)?;
                    self.within(order, &outputs, Clause::Order)?;
                    alias_conflicts::keep_below(body, order);
                }
                outputs
            }
        };
        if let Some(columns) = &mut outputs {
            alias_conflicts::give_back(query, context, columns);
        }
        if pipes.is_empty() {
            return Ok(outputs);
        }
        query.pipe_operators = pipes;
        alias_conflicts::keep_in_front(&mut query.pipe_operators);
        for pipe in &mut query.pipe_operators {
            self.pipe(pipe)?;
        }
        Ok(None)
    }

    /// What stands behind `|>`: the columns that it reads are not known here.
    fn pipe(&mut self, pipe: &mut PipeOperator) -> Result<()> {
        if let PipeOperator::Select { exprs } = pipe {
            let scope = Scope::of(Source::default());
            let mut list = List::new(&scope, self.folds, SelectContext::Free);
            *exprs = list.named(std::mem::take(exprs), false);
        }
        self.within(pipe, &None, Clause::Rows)
    }

    fn with(&mut self, with: &mut With) -> Result<()> {
        for table in &mut with.cte_tables {
            let name = self.folds.name(&table.alias.name);
            let begun = self.ctes.len();
            if with.recursive {
                let columns = renamed(None, Some(&table.alias), self.folds);
                self.ctes.push((name.clone(), columns));
            }
            let outputs = self.query(&mut table.query, SelectContext::Named)?;
            self.ctes.truncate(begun);
            let columns = renamed(planned(outputs), Some(&table.alias), self.folds);
            self.ctes.push((name, columns));
        }
        Ok(())
    }

    fn body(&mut self, body: &mut SetExpr, context: SelectContext) -> Result<Outputs> {
        match body {
            SetExpr::Select(select) => self.select(select, context, None),
            SetExpr::Query(query) => self.query(query, context),
            SetExpr::SetOperation { left, right, .. } => {
                let outputs = self.arm(left)?;
                self.arm(right)?;
                Ok(outputs)
            }
            SetExpr::Values(values) => self.values(values, context),
            _ => Ok(None),
        }
    }

    fn arm(&mut self, arm: &mut SetExpr) -> Result<Outputs> {
        let mut outputs = self.body(arm, SelectContext::Named)?;
        if let Some(columns) = &mut outputs {
            alias_conflicts::give_back_in_arm(arm, columns);
        }
        Ok(outputs)
    }

    fn values(&mut self, values: &mut Values, context: SelectContext) -> Result<Outputs> {
        self.within(values, &None, Clause::Rows)?;
        // Nobody reads those of an INSERT, which may be as many as it has values.
        let read = values
            .rows
            .first()
            .filter(|_| context != SelectContext::Outermost);
        Ok(read.map(|row| (1..=row.content.len()).map(Listed::of_values).collect()))
    }

    fn select(
        &mut self,
        select: &mut Select,
        context: SelectContext,
        mut order: Option<&mut OrderBy>,
    ) -> Result<Outputs> {
        let scope = self.from(&mut select.from)?;
        let mut list = List::new(&scope, self.folds, context);
        let can_mark = !alias_conflicts::is_read(context) || list.knows(&select.projection);
        let order_by = order.as_deref();
        list.hide(alias_conflicts::columns(
            select, order_by, &scope, self.folds, can_mark,
        )?);
        list.is_distinct = matches!(select.distinct, Some(Distinct::Distinct));
        let outputs = self.list(select, list, order.as_deref_mut(), &scope)?;
        casts::tell_apart(select, order.as_deref_mut())?;
        self.scopes.push(scope);
        let checked = self.clauses(select, order, &outputs);
        self.scopes.pop();
        checked.map(|()| outputs)
    }

    /// Names the columns, and writes the names where they are used.
    fn list(
        &self,
        select: &mut Select,
        mut list: List<'_>,
        order: Option<&mut OrderBy>,
        scope: &Scope,
    ) -> Result<Outputs> {
        let items = std::mem::take(&mut select.projection);
        select.projection = list.named(items, order.is_some());
        let repeated = |name: &str| {
            let marked = list.marked(name).filter(|columns| columns.len() > 1)?;
            (!are_same(&marked) && !scope.has_for_certain(name)).then(|| ambiguous(name))
        };
        refuse_names(&mut select.group_by, self.folds, repeated)?;
        refuse_names(&mut select.having, self.folds, repeated)?;
        refuse_names(&mut select.qualify, self.folds, repeated)?;
        if let Some(Distinct::On(values)) = &mut select.distinct {
            refuse_names(values, self.folds, repeated)?;
        }
        if let Some(order) = order {
            order_by_columns(order, &list.columns, self.folds)?;
        }
        Ok(list.is_complete.then_some(list.columns))
    }

    /// What the clauses name, and the queries in them.
    fn clauses(
        &mut self,
        select: &mut Select,
        order: Option<&mut OrderBy>,
        outputs: &Outputs,
    ) -> Result<()> {
        self.within(&mut select.from, outputs, Clause::Rows)?;
        self.within(&mut select.projection, outputs, Clause::Rows)?;
        self.within(&mut select.selection, outputs, Clause::Rows)?;
        self.within(&mut select.named_window, outputs, Clause::Rows)?;
        self.within(&mut select.group_by, outputs, Clause::Groups)?;
        self.within(&mut select.having, outputs, Clause::Groups)?;
        self.within(&mut select.qualify, outputs, Clause::Groups)?;
        self.within(&mut select.distinct, outputs, Clause::Order)?;
        match order {
            Some(order) => self.within(order, outputs, Clause::Order),
            None => Ok(()),
        }
    }

    fn from(&mut self, tables: &mut [TableWithJoins]) -> Result<Scope> {
        let mut scope = Scope::default();
        for table in tables {
            scope.add(self.joined(table)?);
        }
        Ok(scope)
    }

    fn joined(&mut self, table: &mut TableWithJoins) -> Result<Scope> {
        let mut scope = self.factor(&mut table.relation)?;
        for join in &mut table.joins {
            let right = self.factor(&mut join.relation)?;
            scope.join(right, &mut join.join_operator, self.folds)?;
        }
        Ok(scope)
    }

    fn factor(&mut self, factor: &mut TableFactor) -> Result<Scope> {
        let source = match factor {
            TableFactor::Table {
                name, alias, args, ..
            } => {
                let columns = self.table(name, args.as_ref());
                let parts = name.0.iter().map(|part| part.as_ident().cloned());
                let path: Option<Vec<Ident>> = match (args, parts.clone().next_back().flatten()) {
                    // As DataFusion calls the rows of a table function.
                    (Some(_), Some(name)) => {
                        let name = format!("{}()", self.folds.name(&name));
                        Some(vec![quoted(name)])
                    }
                    _ => parts.collect(),
                };
                self.source(columns, path.unwrap_or_default(), alias.as_ref())
            }
            TableFactor::Derived {
                subquery, alias, ..
            } => {
                let context = match alias {
                    Some(_) => SelectContext::Named,
                    None => SelectContext::Free,
                };
                let columns = planned(self.query(subquery, context)?);
                self.source(
                    columns.filter(|it| are_distinct(it)),
                    Vec::new(),
                    alias.as_ref(),
                )
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                let scope = self.joined(table_with_joins)?;
                match alias {
                    None => return Ok(scope),
                    Some(_) => self.source(None, Vec::new(), alias.as_ref()),
                }
            }
            TableFactor::Function { alias, .. } | TableFactor::UNNEST { alias, .. } => {
                self.source(None, Vec::new(), alias.as_ref())
            }
            _ => Source::default(),
        };
        Ok(Scope::of(source))
    }

    fn source(
        &self,
        columns: Option<Vec<String>>,
        path: Vec<Ident>,
        alias: Option<&TableAlias>,
    ) -> Source {
        Source {
            qualifier: alias.map_or(path, |alias| vec![alias.name.clone()]),
            columns: renamed(columns, alias, self.folds),
            ..Source::default()
        }
    }

    fn table(&self, name: &ObjectName, args: Option<&TableFunctionArgs>) -> Option<Vec<String>> {
        if let ([part], None) = (name.0.as_slice(), args)
            && let Some(ident) = part.as_ident()
        {
            let name = self.folds.name(ident);
            let mut visible = self.ctes.iter().rev();
            if let Some((_, columns)) = visible.find(|(cte, _)| *cte == name) {
                return columns.clone();
            }
        }
        self.tables.columns(name, args)
    }

    /// What a part of a query names, and the queries in it.
    fn within(
        &mut self,
        part: &mut impl VisitMut,
        outputs: &Outputs,
        clause: Clause,
    ) -> Result<()> {
        let columns = outputs.iter().flatten();
        let own = match clause {
            Clause::Rows => HashSet::new(),
            Clause::Groups | Clause::Order => columns.map(|it| it.name.clone()).collect(),
        };
        let mut references = References {
            names: self,
            own,
            clause,
            depth: 0,
        };
        match part.visit(&mut references) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }
}

impl Names for Resolver<'_> {
    fn folds(&self) -> IdentCase {
        self.folds
    }

    fn resolve(&self, name: &str, is_own: bool) -> Result<Option<Expr>> {
        for scope in self.scopes.iter().rev() {
            match scope.meaning(name, self.folds) {
                Meaning::None if is_own => return Ok(None),
                Meaning::None => {}
                Meaning::Column => return Ok(None),
                Meaning::Merged(column) => return Ok(Some(*column)),
                Meaning::Twice(source) => return Err(twice(name, &source)),
            }
        }
        Ok(None)
    }

    fn check(&self, qualifier: &Ident, name: &str) -> Result<()> {
        let mut scopes = self.scopes.iter().rev();
        let found = scopes.find_map(|scope| scope.is_twice(qualifier, name, self.folds));
        match found {
            Some(true) => Err(twice(name, &self.folds.name(qualifier))),
            _ => Ok(()),
        }
    }

    fn subquery(&mut self, query: &mut Query) -> Result<()> {
        self.query(query, SelectContext::Value).map(|_| ())
    }
}

fn planned(outputs: Outputs) -> Option<Vec<String>> {
    let columns = outputs?.into_iter();
    Some(columns.map(|column| column.planned).collect())
}

fn are_distinct(columns: &[String]) -> bool {
    let mut seen = HashSet::new();
    columns.iter().all(|column| seen.insert(column))
}

/// The columns under the names that an alias gives them.
fn renamed(
    columns: Option<Vec<String>>,
    alias: Option<&TableAlias>,
    folds: IdentCase,
) -> Option<Vec<String>> {
    let given = alias.map_or(&[][..], |alias| &alias.columns);
    let given = given.iter().map(|column| folds.name(&column.name));
    match columns {
        Some(columns) => {
            let rest = columns.into_iter().skip(given.len());
            Some(given.chain(rest).collect())
        }
        None if given.len() > 0 => Some(given.collect()),
        None => None,
    }
}

fn twice(name: &str, source: &str) -> Error {
    match source {
        "" => ambiguous_in(name, "a query without a name"),
        source => ambiguous_in(name, &format!("`{source}`")),
    }
}

fn ambiguous_in(name: &str, source: &str) -> Error {
    Error::invalid(format!(
        "column `{name}` is ambiguous: {source} has several of that name; give them names with AS"
    ))
}
