//! The clauses that nobody would carry out.
//!
//! sqlparser reads the clauses of a dozen databases. DataFusion plans some, refuses others, and drops the rest without
//! a word: `DELETE FROM t TABLESAMPLE (1)` would delete every row of `t`. Every statement that is planned comes by here
//! first, and what would be dropped is refused.
//!
//! The parts of a statement are taken apart without `..`, so that a clause which a newer parser knows does not compile
//! before somebody has looked at it. A part that is `_` here is planned, refused by DataFusion, or means nothing.

use std::fmt::Display;
use std::ops::ControlFlow;

use datafusion::execution::session_state::SessionState;
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::{
    Cte, Delete, DescribeAlias, DuplicateTreatment, Expr, FromTable, Function, FunctionArg,
    FunctionArguments, GroupByExpr, Insert, Join, JoinOperator, NamedWindowDefinition,
    NamedWindowExpr, ObjectName, PipeOperator, Query, Select, SetExpr, SetOperator, SetQuantifier,
    SqliteOnConflict, Statement, TableAlias, TableFactor, TableFunctionArgs, TableWithJoins, Visit,
    Visitor, WindowSpec, WindowType, With,
};

use super::refused;
use crate::error::{Error, Result};

/// Refuses a statement with a clause that DataFusion would drop. It recurses as deep as the statement is nested.
///
/// # Errors
/// `NotSupported`, naming the clause.
pub(super) fn check(statement: &DFStatement, state: &SessionState) -> Result<()> {
    let mut clauses = Clauses { state };
    let found = match statement {
        DFStatement::Statement(statement) => statement.visit(&mut clauses),
        DFStatement::Explain(explain) => return check(&explain.statement, state),
        DFStatement::CopyTo(_) | DFStatement::CreateExternalTable(_) | DFStatement::Reset(_) => {
            ControlFlow::Continue(())
        }
    };
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(message) => Err(Error::unsupported(message)),
    }
}

/// What is wrong, or nothing.
pub(super) type Checked = std::result::Result<(), String>;

/// Refuses the first clause that is there.
fn refuse<const N: usize>(clauses: [(bool, &str); N]) -> Checked {
    let mut clauses = clauses.into_iter();
    let given = clauses.find(|(is_given, _)| *is_given);
    given.map_or(Ok(()), |(_, clause)| Err(missing(clause)))
}

pub(super) fn missing(clause: impl Display) -> String {
    format!("{clause} is not implemented")
}

fn flow(checked: Checked) -> ControlFlow<String> {
    match checked {
        Ok(()) => ControlFlow::Continue(()),
        Err(message) => ControlFlow::Break(message),
    }
}

/// Looks at every part of a statement, subqueries included.
struct Clauses<'a> {
    state: &'a SessionState,
}

impl Visitor for Clauses<'_> {
    type Break = String;

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<String> {
        flow(match statement {
            Statement::Insert(insert) => check_insert(insert),
            Statement::Delete(delete) => check_delete(delete),
            Statement::Explain { .. } => check_explain(statement),
            Statement::Set(set) => refused::check_set(set),
            Statement::Prepare { data_types, .. } => {
                data_types.iter().try_for_each(refused::check_length)
            }
            // What else is planned has no parts that are dropped.
            _ => Ok(()),
        })
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
        flow(check_query(query).and_then(|()| refused::check_body(query)))
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        flow(check_select(select).and_then(|()| refused::check_select(select)))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<String> {
        flow(check_table_factor(factor))
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        flow(match expr {
            Expr::Function(function) => self.check_function(function),
            Expr::Trim {
                trim_characters: Some(characters),
                ..
            } => refuse([(characters.len() > 1, "TRIM with more than two arguments")]),
            other => refused::check_expr(other),
        })
    }
}

fn check_insert(insert: &Insert) -> Checked {
    let Insert {
        insert_token: _,
        optimizer_hints: _,
        or,
        ignore,
        into: _,
        table: _,
        table_alias,
        columns: _,
        overwrite,
        source: _,
        assignments,
        partitioned,
        after_columns,
        has_table_keyword: _,
        on,
        returning,
        output,
        replace_into: _,
        priority,
        insert_alias,
        settings,
        format_clause,
        multi_table_insert_type,
        multi_table_into_clauses,
        multi_table_when_clauses,
        multi_table_else_clause,
    } = insert;
    let is_multi_table = multi_table_insert_type.is_some()
        || !multi_table_into_clauses.is_empty()
        || !multi_table_when_clauses.is_empty()
        || multi_table_else_clause.is_some();
    if on.is_some() {
        return Err("INSERT … ON CONFLICT is not implemented; INSERT OR REPLACE is".to_owned());
    }
    if let Some(or) = or.filter(|or| *or != SqliteOnConflict::Replace) {
        return Err(missing(format_args!("INSERT {or}")));
    }
    refuse([
        (*ignore, "INSERT IGNORE"),
        (returning.is_some(), "INSERT … RETURNING"),
        (output.is_some(), "INSERT … OUTPUT"),
        (*overwrite, "INSERT OVERWRITE"),
        (!assignments.is_empty(), "INSERT … SET"),
        (partitioned.is_some(), "INSERT … PARTITION"),
        (!after_columns.is_empty(), "INSERT … PARTITION"),
        (table_alias.is_some(), "an alias of the table of an INSERT"),
        (insert_alias.is_some(), "an alias of the rows of an INSERT"),
        (priority.is_some(), "the priority of an INSERT"),
        (settings.is_some(), "SETTINGS"),
        (format_clause.is_some(), "INSERT … FORMAT"),
        (is_multi_table, "INSERT into several tables"),
    ])
}

fn check_delete(delete: &Delete) -> Checked {
    let Delete {
        delete_token: _,
        optimizer_hints: _,
        tables,
        from,
        using,
        selection: _,
        returning,
        output,
        order_by,
        limit: _,
    } = delete;
    refuse([
        (!tables.is_empty(), "DELETE with tables before FROM"),
        (using.is_some(), "DELETE … USING"),
        (returning.is_some(), "DELETE … RETURNING"),
        (output.is_some(), "DELETE … OUTPUT"),
        (!order_by.is_empty(), "DELETE … ORDER BY"),
    ])?;
    let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = from;
    if tables.len() > 1 || tables.iter().any(|table| !table.joins.is_empty()) {
        let clause = missing("DELETE from several tables");
        return Err(format!("{clause}; write DELETE FROM … WHERE EXISTS (…)"));
    }
    tables.iter().try_for_each(|table| match &table.relation {
        TableFactor::Table { alias, args, .. } => refuse([
            (alias.is_some(), "an alias of the table of a DELETE"),
            (args.is_some(), "DELETE from a function"),
        ]),
        _ => Ok(()),
    })
}

/// `DESCRIBE <query>`, and an EXPLAIN inside of another statement.
fn check_explain(statement: &Statement) -> Checked {
    let Statement::Explain {
        describe_alias,
        analyze,
        verbose,
        query_plan,
        estimate,
        statement: _,
        format,
        options,
    } = statement
    else {
        return Ok(());
    };
    let describes = matches!(
        describe_alias,
        DescribeAlias::Describe | DescribeAlias::Desc
    );
    refuse([
        (*query_plan, "EXPLAIN QUERY PLAN"),
        (*estimate, "EXPLAIN ESTIMATE"),
        (
            options.is_some(),
            "EXPLAIN with options inside of another statement",
        ),
        (describes && *analyze, "DESCRIBE ANALYZE"),
        (describes && *verbose, "DESCRIBE VERBOSE"),
        (describes && format.is_some(), "DESCRIBE FORMAT"),
    ])
}

fn check_query(query: &Query) -> Checked {
    let Query {
        with,
        body: _,
        order_by,
        limit_clause: _,
        fetch: _,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    if let Some(lock) = locks.first() {
        return Err(missing(lock));
    }
    if let Some(clause) = for_clause {
        return Err(missing(clause));
    }
    refuse([
        (settings.is_some(), "SETTINGS"),
        (format_clause.is_some(), "FORMAT"),
    ])?;
    with.iter().try_for_each(check_with)?;
    check_named_windows(order_by)?;
    check_named_windows(pipe_operators)?;
    pipe_operators.iter().try_for_each(check_pipe)
}

fn check_with(with: &With) -> Checked {
    let With {
        with_token: _,
        recursive,
        cte_tables,
    } = with;
    for table in cte_tables {
        let Cte {
            alias,
            query,
            from,
            materialized,
            closing_paren_token: _,
        } = table;
        refuse([
            (from.is_some(), "FROM after a query of WITH"),
            (materialized.is_some(), "MATERIALIZED"),
        ])?;
        check_alias(alias)?;
        if *recursive {
            check_recursive(query)?;
        }
    }
    Ok(())
}

/// Of a UNION in WITH RECURSIVE DataFusion takes the two sides alone.
fn check_recursive(query: &Query) -> Checked {
    let SetExpr::SetOperation {
        op: SetOperator::Union,
        set_quantifier,
        ..
    } = query.body.as_ref()
    else {
        return Ok(());
    };
    let is_by_name = matches!(
        set_quantifier,
        SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName
    );
    refuse([
        (
            query.with.is_some(),
            "WITH before a UNION of WITH RECURSIVE",
        ),
        (
            query.order_by.is_some(),
            "ORDER BY of a UNION of WITH RECURSIVE",
        ),
        (
            query.limit_clause.is_some(),
            "LIMIT of a UNION of WITH RECURSIVE",
        ),
        (query.fetch.is_some(), "FETCH of a UNION of WITH RECURSIVE"),
        (
            !query.pipe_operators.is_empty(),
            "|> after a UNION of WITH RECURSIVE",
        ),
        (is_by_name, "UNION BY NAME of WITH RECURSIVE"),
    ])
}

fn check_pipe(operator: &PipeOperator) -> Checked {
    match operator {
        PipeOperator::Aggregate {
            full_table_exprs,
            group_by_expr,
        } => {
            let mut values = full_table_exprs.iter().chain(group_by_expr);
            let is_ordered = values
                .any(|value| value.order_by.asc.is_some() || value.order_by.nulls_first.is_some());
            refuse([(is_ordered, "an order of the values of |> AGGREGATE")])
        }
        PipeOperator::Join(join) => check_join(join),
        _ => Ok(()),
    }
}

fn check_select(select: &Select) -> Checked {
    let Select {
        select_token: _,
        optimizer_hints: _,
        distinct,
        select_modifiers,
        top: _,
        top_before_distinct: _,
        projection: _,
        exclude,
        into,
        from,
        lateral_views: _,
        prewhere,
        selection: _,
        connect_by,
        group_by,
        cluster_by: _,
        distribute_by: _,
        sort_by: _,
        having,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor: _,
    } = select;
    refuse([
        (prewhere.is_some(), "PREWHERE"),
        (!connect_by.is_empty(), "CONNECT BY"),
        (into.is_some(), "SELECT … INTO"),
        (exclude.is_some(), "EXCLUDE after other columns than *"),
        (value_table_mode.is_some(), "SELECT AS STRUCT and AS VALUE"),
        (
            select_modifiers
                .as_ref()
                .is_some_and(|given| given.is_any_set()),
            "a modifier of SELECT",
        ),
    ])?;
    let (GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers)) = group_by;
    if let Some(modifier) = modifiers.first() {
        return Err(missing(format_args!("GROUP BY … {modifier}")));
    }
    for NamedWindowDefinition(_, window) in named_window {
        if let NamedWindowExpr::WindowSpec(window) = window {
            check_window(window)?;
        }
    }
    check_named_windows(group_by)?;
    check_named_windows(having)?;
    check_named_windows(qualify)?;
    check_named_windows(distinct)?;
    from.iter().try_for_each(check_joins)
}

fn check_joins(table: &TableWithJoins) -> Checked {
    table.joins.iter().try_for_each(check_join)
}

fn check_join(join: &Join) -> Checked {
    let Join {
        relation: _,
        global,
        join_operator,
    } = join;
    // DataFusion refuses these, too, with the whole tree of their condition.
    let unknown = match join_operator {
        JoinOperator::Semi(_) => Some("SEMI JOIN without LEFT or RIGHT"),
        JoinOperator::Anti(_) => Some("ANTI JOIN without LEFT or RIGHT"),
        JoinOperator::AsOf { .. } => Some("ASOF JOIN"),
        _ => None,
    };
    refuse([
        (*global, "GLOBAL JOIN"),
        (unknown.is_some(), unknown.unwrap_or_default()),
    ])?;
    refused::check_join(join)
}

fn check_table_factor(factor: &TableFactor) -> Checked {
    match factor {
        TableFactor::Table {
            name,
            alias,
            args,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } => {
            refuse([
                (sample.is_some(), "TABLESAMPLE"),
                (!partitions.is_empty(), "PARTITION after a table"),
                (version.is_some(), "an older version of a table"),
                (!with_hints.is_empty(), "WITH (…) after a table"),
                (!index_hints.is_empty(), "an index hint"),
                (*with_ordinality, "WITH ORDINALITY"),
                (json_path.is_some(), "a path after a table"),
            ])?;
            args.iter()
                .try_for_each(|args| check_table_function(name, args))?;
            alias.iter().try_for_each(check_alias)
        }
        TableFactor::Derived {
            lateral: _,
            subquery: _,
            alias,
            sample,
        } => {
            refuse([(sample.is_some(), "TABLESAMPLE")])?;
            alias.iter().try_for_each(check_alias)
        }
        TableFactor::Function {
            lateral: _,
            name: _,
            args,
            with_ordinality,
            alias,
        } => {
            let mut args = args.iter();
            let is_named = args.any(|argument| !matches!(argument, FunctionArg::Unnamed(_)));
            refuse([
                (*with_ordinality, "WITH ORDINALITY"),
                (is_named, "LATERAL with named arguments"),
            ])?;
            alias.iter().try_for_each(check_alias)
        }
        TableFactor::NestedJoin {
            table_with_joins,
            alias,
        } => {
            check_joins(table_with_joins)?;
            alias.iter().try_for_each(check_alias)
        }
        TableFactor::UNNEST { alias, .. } => alias.iter().try_for_each(check_alias),
        other => refused::check_table_factor(other),
    }
}

fn check_table_function(name: &ObjectName, args: &TableFunctionArgs) -> Checked {
    let TableFunctionArgs { args: _, settings } = args;
    refuse([
        (settings.is_some(), "SETTINGS"),
        (name.0.len() > 1, "a table function of a schema"),
    ])
}

fn check_alias(alias: &TableAlias) -> Checked {
    let TableAlias {
        explicit: _,
        name: _,
        columns,
        at,
    } = alias;
    let is_typed = columns.iter().any(|column| column.data_type.is_some());
    refuse([
        (is_typed, "a type in the columns of an alias"),
        (at.is_some(), "AT after an alias"),
    ])
}

fn check_window(window: &WindowSpec) -> Checked {
    let WindowSpec {
        window_name,
        partition_by: _,
        order_by: _,
        window_frame: _,
    } = window;
    refuse([(window_name.is_some(), "a window that adds to a named one")])
}

impl Clauses<'_> {
    fn check_function(&self, function: &Function) -> Checked {
        let Function {
            name,
            uses_odbc_syntax: _,
            parameters,
            args,
            filter,
            null_treatment,
            over,
            within_group,
        } = function;
        if *parameters != FunctionArguments::None {
            let clause = format!("a second list of arguments of `{name}`");
            return Err(missing(clause));
        }
        if let Some(WindowType::WindowSpec(window)) = over {
            check_window(window)?;
        }
        let (is_distinct, has_clauses) = match args {
            FunctionArguments::None => (false, false),
            FunctionArguments::Subquery(_) => {
                return Err(missing(format_args!(
                    "a query as the arguments of `{name}`"
                )));
            }
            FunctionArguments::List(list) => (
                list.duplicate_treatment == Some(DuplicateTreatment::Distinct),
                !list.clauses.is_empty(),
            ),
        };
        let Some(name) = folded(name) else {
            return Ok(());
        };
        if !self.is_scalar(&name) {
            return refused::check_function(function, &name, self.state);
        }
        let mut clauses = [
            (is_distinct, "DISTINCT"),
            (has_clauses, "clause among its arguments"),
            (filter.is_some(), "FILTER"),
            (over.is_some(), "OVER"),
            (null_treatment.is_some(), "IGNORE NULLS or RESPECT NULLS"),
            (!within_group.is_empty(), "WITHIN GROUP"),
        ]
        .into_iter();
        match clauses.find(|(is_given, _)| *is_given) {
            None => Ok(()),
            Some((_, clause)) => Err(format!("`{name}` is no aggregate, and takes no {clause}")),
        }
    }

    /// Whether a function gives a value for each row, of which DataFusion plans the arguments alone.
    fn is_scalar(&self, name: &str) -> bool {
        self.state.scalar_functions().contains_key(name)
            || self.state.higher_order_functions().contains_key(name)
            || matches!(name, "unnest" | "unnest_outer")
    }
}

/// The name of a function that is in no schema, as DataFusion looks for it.
fn folded(name: &ObjectName) -> Option<String> {
    let [part] = name.0.as_slice() else {
        return None;
    };
    let ident = part.as_ident()?;
    Some(match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_ascii_lowercase(),
    })
}

/// DataFusion resolves the names of windows in the list of columns; elsewhere it drops the OVER.
fn check_named_windows(part: &impl Visit) -> Checked {
    match part.visit(&mut NamedWindows { depth: 0 }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(name) => Err(missing(format_args!(
            "OVER {name} outside of the list of columns"
        ))),
    }
}

/// Finds the name of a window outside of subqueries, which are looked at by themselves.
struct NamedWindows {
    depth: usize,
}

impl Visitor for NamedWindows {
    type Break = String;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        match expr {
            Expr::Function(Function {
                over: Some(WindowType::NamedWindow(name)),
                ..
            }) if self.depth == 0 => ControlFlow::Break(name.to_string()),
            _ => ControlFlow::Continue(()),
        }
    }
}
