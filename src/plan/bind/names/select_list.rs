//! The columns of one SELECT: each gets a name that no other one has.

use std::collections::HashSet;

use sqlparser::ast::{
    ExceptSelectItem, ExcludeSelectItem, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, Ident, ObjectName, SelectItem, SelectItemQualifiedWildcardKind,
    WildcardAdditionalOptions,
};

use super::scope::{Scope, Starred, single};
use super::text::{heading, without_parentheses};
use super::{quoted, written};
use crate::sql::ident::IdentCase;
use crate::sql::marks::UNSEEN;

/// Where a SELECT stands, and so what tells its columns apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SelectContext {
    /// Nothing takes its columns by their names: `t.id, u.id` are two.
    Outermost,
    /// In place of a table, without an alias: its columns keep the tables that they are of.
    Free,
    /// In an expression: a single column needs no name.
    Value,
    /// Its columns are those of one table for whoever reads it: an arm of a UNION, a query with an alias.
    Named,
}

/// A column of a list.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// Its name, as it was written.
    pub name: String,
    /// The name that DataFusion knows it by, marks included.
    pub planned: String,
    /// The source it is of, where it is named by that.
    source: Option<usize>,
    value: Value,
}

impl Listed {
    /// The column of VALUES with this number, from 1.
    pub fn of_values(number: usize) -> Self {
        let name = format!("column{number}");
        Self {
            planned: name.clone(),
            value: Value::Column(name.clone(), None),
            source: None,
            name,
        }
    }

    /// Whether it is another value than the column of its name.
    pub fn is_alias(&self) -> bool {
        !matches!(&self.value, Value::Column(of, _) if *of == self.name)
    }
}

/// What tells whether two columns are the same.
#[derive(Debug, Clone)]
enum Value {
    /// A column, with its source if that is certain.
    Column(String, Option<usize>),
    Expr(Box<Expr>),
}

/// The columns of a list, as far as they are named.
#[derive(Debug)]
pub(super) struct List<'a> {
    pub columns: Vec<Listed>,
    /// Whether these are all columns; those of a `*` may not be known.
    pub is_complete: bool,
    scope: &'a Scope,
    folds: IdentCase,
    context: SelectContext,
    names_all: bool,
    /// Of the two columns that a join makes one of, DISTINCT keeps only the first by the alphabet, as `*` does.
    pub is_distinct: bool,
    /// Names of columns that an alias would be [taken for](super::alias_conflicts).
    hidden: HashSet<String>,
}

impl<'a> List<'a> {
    pub fn new(scope: &'a Scope, folds: IdentCase, context: SelectContext) -> Self {
        Self {
            columns: Vec::new(),
            is_complete: true,
            scope,
            folds,
            context,
            names_all: true,
            is_distinct: false,
            hidden: HashSet::new(),
        }
    }

    /// Whether it is known what columns the items are.
    pub fn knows(&self, items: &[SelectItem]) -> bool {
        items.iter().all(|item| match item {
            SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. } => true,
            SelectItem::Wildcard(options) => self.star(None, options).is_some(),
            SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(name),
                options,
            ) => self.star(Some(name), options).is_some(),
            _ => false,
        })
    }

    /// Marks aliases of these names. Whoever reads the columns then does so by their names alone.
    pub fn hide(&mut self, names: HashSet<String>) {
        if !names.is_empty() && self.context == SelectContext::Free {
            self.context = SelectContext::Named;
        }
        self.hidden = names;
    }

    /// The same columns, with names that differ.
    pub fn named(&mut self, items: Vec<SelectItem>, is_ordered: bool) -> Vec<SelectItem> {
        self.names_all = self.context != SelectContext::Value || items.len() > 1 || is_ordered;
        let mut named = Vec::with_capacity(items.len());
        for item in items {
            self.push(item, &mut named);
        }
        named
    }

    fn push(&mut self, item: SelectItem, named: &mut Vec<SelectItem>) {
        match item {
            SelectItem::UnnamedExpr(expr) => named.push(self.unnamed(expr)),
            SelectItem::ExprWithAlias { expr, alias } => named.push(self.aliased(expr, alias)),
            SelectItem::ExprWithAliases { .. } => {
                self.is_complete = false;
                named.push(item);
            }
            SelectItem::Wildcard(ref options) => {
                let columns = self.star(None, options);
                self.starred(item, columns, named);
            }
            SelectItem::QualifiedWildcard(ref kind, ref options) => {
                let columns = match kind {
                    SelectItemQualifiedWildcardKind::ObjectName(name) => {
                        self.star(Some(name), options)
                    }
                    SelectItemQualifiedWildcardKind::Expr(_) => None,
                };
                self.starred(item, columns, named);
            }
        }
    }

    fn star(
        &self,
        of: Option<&ObjectName>,
        options: &WildcardAdditionalOptions,
    ) -> Option<Vec<Starred>> {
        let WildcardAdditionalOptions {
            wildcard_token: _,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        let is_plain = opt_ilike.is_none() && opt_rename.is_none() && opt_alias.is_none();
        let mut columns = self.scope.star(of, self.folds).filter(|_| is_plain)?;
        for name in left_out(opt_exclude.as_ref(), opt_except.as_ref()) {
            let name = self.folds.name(name?);
            let all = columns.len();
            columns.retain(|column| written(&column.name) != name);
            // DataFusion says what is wrong with others.
            (columns.len() + 1 == all).then_some(())?;
        }
        for element in opt_replace.iter().flat_map(|replace| &replace.items) {
            let name = self.folds.name(&element.column_name);
            let of_name = columns.iter_mut().filter(|it| written(&it.name) == name);
            let replaced = of_name.map(|column| {
                column.expr = element.expr.clone();
                column.is_replaced = true;
            });
            (replaced.count() > 0).then_some(())?;
        }
        Some(columns)
    }

    /// A `*`, written out where it gives a name that is there already, or one column of two: DataFusion takes that from
    /// the table whose name is the first by the alphabet.
    fn starred(
        &mut self,
        item: SelectItem,
        columns: Option<Vec<Starred>>,
        named: &mut Vec<SelectItem>,
    ) {
        let Some(columns) = columns else {
            self.is_complete = false;
            named.push(item);
            return;
        };
        let listed = self.columns.len();
        let mut repeats = self.scope.has_merged();
        for column in &columns {
            let source = Some(column.source);
            repeats |= column.is_replaced || self.clashes(&column.name, source);
            self.columns.push(Listed {
                name: written(&column.name).to_owned(),
                planned: column.name.clone(),
                source,
                value: Value::Column(column.name.clone(), source),
            });
        }
        if !repeats {
            named.push(item);
            return;
        }
        self.columns.truncate(listed);
        for column in columns {
            named.push(if column.is_replaced {
                self.aliased(column.expr, quoted(written(&column.name)))
            } else {
                let source = Some(column.source);
                let value = Value::Column(column.name.clone(), source);
                self.add(column.name, source, value, None, column.expr)
            });
        }
    }

    fn unnamed(&mut self, expr: Expr) -> SelectItem {
        if let Some((qualifier, name)) = column(&expr, self.folds) {
            let source = self.scope.source_of(qualifier, &name, self.folds);
            let is_written_out = qualifier.is_none() && self.scope.is_written_out(&name);
            let alias = is_written_out.then(|| quoted(name.clone()));
            let value = if is_written_out {
                Value::Expr(Box::new(expr.clone()))
            } else {
                Value::Column(name.clone(), source)
            };
            return self.add(name, source, value, alias, expr);
        }
        let name = heading(&expr);
        let value = Value::Expr(Box::new(expr.clone()));
        // DataFusion calls it so, too.
        let alias = (self.names_all && !is_count_of_all(&expr)).then(|| quoted(name.clone()));
        self.add(name, None, value, alias, expr)
    }

    fn aliased(&mut self, expr: Expr, alias: Ident) -> SelectItem {
        let name = self.folds.name(&alias);
        let (source, value) = match column(&expr, self.folds) {
            Some((None, of)) if self.scope.is_written_out(&of) => {
                (None, Value::Expr(Box::new(expr.clone())))
            }
            Some((qualifier, of)) => {
                let source = self.scope.source_of(qualifier, &of, self.folds);
                let named_so = source.filter(|_| of == name);
                (named_so, Value::Column(of, source))
            }
            None => (None, Value::Expr(Box::new(expr.clone()))),
        };
        self.add(name, source, value, Some(alias), expr)
    }

    fn add(
        &mut self,
        name: String,
        source: Option<usize>,
        value: Value,
        alias: Option<Ident>,
        expr: Expr,
    ) -> SelectItem {
        let hides = alias.is_some()
            && self.hidden.contains(&name)
            && !matches!(&value, Value::Column(of, _) if *of == name);
        let mut planned = name.clone();
        if hides {
            planned.push(UNSEEN);
        }
        let mut source = source;
        while self.clashes(&planned, source) {
            planned.push(UNSEEN);
            source = None;
        }
        let alias = if planned == name {
            alias
        } else {
            source = None;
            Some(quoted(planned.clone()))
        };
        self.columns.push(Listed {
            name: written(&name).to_owned(),
            planned,
            source,
            value,
        });
        match alias {
            Some(alias) => SelectItem::ExprWithAlias { expr, alias },
            None => SelectItem::UnnamedExpr(expr),
        }
    }

    /// Whether DataFusion would take a column for one that is listed.
    fn clashes(&self, planned: &str, source: Option<usize>) -> bool {
        self.columns.iter().any(|column| {
            let are_apart = self.context != SelectContext::Named
                && column.source.is_some()
                && source.is_some()
                && !(self.is_distinct && self.scope.is_merged(planned));
            column.planned == planned && !(are_apart && column.source != source)
        })
    }

    /// The columns of a name, where DataFusion knows one of them by another.
    pub fn marked(&self, name: &str) -> Option<Vec<&Listed>> {
        marked(&self.columns, name)
    }
}

/// The columns of a name, if DataFusion knows one of them by another.
pub(super) fn marked<'l>(columns: &'l [Listed], name: &str) -> Option<Vec<&'l Listed>> {
    let columns: Vec<&Listed> = columns
        .iter()
        .filter(|column| column.name == name)
        .collect();
    let mut all = columns.iter();
    all.any(|column| column.planned != name).then_some(columns)
}

/// Whether all columns are one and the same.
pub(super) fn are_same(columns: &[&Listed]) -> bool {
    columns.windows(2).all(|pair| match pair {
        [one, other] => one.value.is(&other.value),
        _ => true,
    })
}

impl Value {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Column(one, source), Self::Column(other, other_source)) => {
                one == other && source.is_some() && source == other_source
            }
            (Self::Expr(one), Self::Expr(other)) => one == other,
            _ => false,
        }
    }
}

/// The names behind EXCLUDE or EXCEPT; `None` for one that is no single word.
fn left_out<'e>(
    exclude: Option<&'e ExcludeSelectItem>,
    except: Option<&'e ExceptSelectItem>,
) -> Vec<Option<&'e Ident>> {
    let mut names = Vec::new();
    match exclude {
        Some(ExcludeSelectItem::Single(name)) => names.push(single(name)),
        Some(ExcludeSelectItem::Multiple(several)) => names.extend(several.iter().map(single)),
        None => {}
    }
    if let Some(except) = except {
        names.push(Some(&except.first_element));
        names.extend(except.additional_elements.iter().map(Some));
    }
    names
}

/// The qualifier and the name of an expression that is a column.
pub(super) fn column(expr: &Expr, folds: IdentCase) -> Option<(Option<&Ident>, String)> {
    match without_parentheses(expr) {
        Expr::Identifier(name) => Some((None, folds.name(name))),
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [.., qualifier, name] => Some((Some(qualifier), folds.name(name))),
            _ => None,
        },
        _ => None,
    }
}

/// `count(*)` and no more.
fn is_count_of_all(expr: &Expr) -> bool {
    let Expr::Function(Function {
        name,
        args: FunctionArguments::List(list),
        filter: None,
        over: None,
        ..
    }) = expr
    else {
        return false;
    };
    let is_all = matches!(
        list.args.as_slice(),
        [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)]
    );
    is_all && list.duplicate_treatment.is_none() && name.to_string().eq_ignore_ascii_case("count")
}
