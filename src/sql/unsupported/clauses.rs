//! The clauses that are planned; every other is refused.
//!
//! sqlparser reads the clauses of a dozen databases. DataFusion plans some, refuses others, and drops the rest without
//! a word: `DELETE FROM t TABLESAMPLE (1)` would delete every row of `t`. Every statement that is planned comes by here
//! first. `only!` lists what is planned of each part, refused by DataFusion, or means nothing; what else the part has is
//! refused by name, and a clause that a newer parser knows does not compile before somebody has looked at it.

use sqlparser::ast::{
    Cte, Delete, DescribeAlias, DuplicateTreatment, Expr, FromTable, Function, FunctionArg,
    FunctionArguments, GroupByExpr, Insert, Join, JoinOperator, NamedWindowExpr, ObjectName,
    PipeOperator, Query, Select, SetExpr, SetOperator, SetQuantifier, SqliteOnConflict, Statement,
    TableAlias, TableFactor, TableFunctionArgs, TableWithJoins, Update, UpdateTableFromKind, Visit,
    Visitor, WindowSpec, WindowType, With,
};

use super::checked::{Checked, FINE, Refusal, missing, refuse_if};
use super::{KnownFunctions, expressions};
use crate::error::Result;
use crate::sql::ident::IdentCase;

/// Refuses a statement with a clause that DataFusion would drop. It recurses as deep as the statement is nested.
///
/// # Errors
/// `NotSupported`, naming the clause.
pub(crate) fn check(statement: &Statement, functions: &dyn KnownFunctions) -> Result<()> {
    let found: Checked = statement.visit(&mut Clauses { functions });
    found.break_value().map_or(Ok(()), |it| Err(it.error()))
}

/// Whether a clause stands in the statement.
trait Clause {
    fn is_given(&self) -> bool;
}

impl Clause for bool {
    fn is_given(&self) -> bool {
        *self
    }
}

impl<T> Clause for Option<T> {
    fn is_given(&self) -> bool {
        self.is_some()
    }
}

impl<T> Clause for Vec<T> {
    fn is_given(&self) -> bool {
        !self.is_empty()
    }
}

/// Refuses what a part of a statement has beside the fields that are planned or looked at elsewhere.
macro_rules! only {
    ($part:expr, $kind:path: $($planned:ident)* $(, $other:ident = $clause:expr)* $(,)?) => {{
        #[allow(irrefutable_let_patterns)]
        let $kind { $($planned: _,)* $($other,)* } = $part else {
            return FINE;
        };
        $(refuse_if($other.is_given(), $clause)?;)*
    }};
}

/// Looks at every part of a statement, subqueries included.
struct Clauses<'a> {
    functions: &'a dyn KnownFunctions,
}

impl Visitor for Clauses<'_> {
    type Break = Refusal;

    fn pre_visit_statement(&mut self, statement: &Statement) -> Checked {
        match statement {
            Statement::Insert(insert) => check_insert(insert),
            Statement::Delete(delete) => check_delete(delete),
            Statement::Update(update) => check_update(update),
            Statement::Explain { .. } => check_explain(statement),
            Statement::Set(set) => expressions::check_set(set),
            Statement::Prepare { data_types, .. } => {
                data_types.iter().try_for_each(expressions::check_length)
            }
            // What else is planned has no parts that are dropped.
            _ => FINE,
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> Checked {
        check_query(query)?;
        expressions::check_body(query)
    }

    fn pre_visit_select(&mut self, select: &Select) -> Checked {
        check_select(select)?;
        expressions::check_select(select)
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Checked {
        check_table_factor(factor)
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Checked {
        match expr {
            Expr::Function(function) => self.check_function(function),
            Expr::Trim {
                trim_characters: Some(characters),
                ..
            } => refuse_if(characters.len() > 1, "TRIM with more than two arguments"),
            other => expressions::check_expr(other),
        }
    }
}

fn check_insert(insert: &Insert) -> Checked {
    let known = [SqliteOnConflict::Replace, SqliteOnConflict::Ignore];
    if let Some(or) = insert.or.filter(|or| !known.contains(or)) {
        return missing(format_args!("INSERT {or}"));
    }
    only!(insert, Insert:
        insert_token optimizer_hints or into table columns source has_table_keyword on replace_into
        returning table_alias,
        ignore = "INSERT IGNORE; write ON CONFLICT DO NOTHING",
        output = "INSERT … OUTPUT",
        overwrite = "INSERT OVERWRITE",
        assignments = "INSERT … SET",
        partitioned = "INSERT … PARTITION",
        after_columns = "INSERT … PARTITION",
        insert_alias = "an alias of the rows of an INSERT",
        priority = "the priority of an INSERT",
        settings = "SETTINGS",
        format_clause = "INSERT … FORMAT",
        multi_table_insert_type = "INSERT into several tables",
        multi_table_into_clauses = "INSERT into several tables",
        multi_table_when_clauses = "INSERT into several tables",
        multi_table_else_clause = "INSERT into several tables",
    );
    FINE
}

fn check_delete(delete: &Delete) -> Checked {
    only!(delete, Delete: delete_token optimizer_hints from selection limit using returning,
        tables = "DELETE with tables before FROM",
        output = "DELETE … OUTPUT",
        order_by = "DELETE … ORDER BY",
    );
    let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
    let has_several = tables.len() > 1 || tables.iter().any(|table| !table.joins.is_empty());
    refuse_if(
        has_several,
        "DELETE from several tables; write DELETE FROM … USING … WHERE …",
    )?;
    refuse_if(
        delete.using.is_some() && delete.limit.is_some(),
        "LIMIT of a DELETE with USING",
    )?;
    tables.iter().try_for_each(|table| {
        if let TableFactor::Table { args, .. } = &table.relation {
            refuse_if(args.is_some(), "DELETE from a function")?;
        }
        FINE
    })
}

fn check_update(update: &Update) -> Checked {
    only!(update, Update: update_token optimizer_hints table assignments from selection returning,
        output = "UPDATE … OUTPUT",
        or = "UPDATE OR …",
        order_by = "UPDATE … ORDER BY",
        limit = "UPDATE … LIMIT; write WHERE key IN (SELECT key … LIMIT …)",
    );
    let has_joins = !update.table.joins.is_empty();
    refuse_if(
        has_joins,
        "UPDATE of several tables; write UPDATE … SET … FROM …",
    )?;
    let before = matches!(update.from, Some(UpdateTableFromKind::BeforeSet(_)));
    refuse_if(before, "FROM before SET; write UPDATE … SET … FROM …")
}

/// `DESCRIBE <query>`, and an EXPLAIN inside of another statement.
fn check_explain(statement: &Statement) -> Checked {
    only!(statement, Statement::Explain: describe_alias analyze verbose statement format,
        query_plan = "EXPLAIN QUERY PLAN",
        estimate = "EXPLAIN ESTIMATE",
        options = "EXPLAIN with options inside of another statement",
    );
    let Statement::Explain {
        describe_alias,
        analyze,
        verbose,
        format,
        ..
    } = statement
    else {
        return FINE;
    };
    if *describe_alias == DescribeAlias::Explain {
        return FINE;
    }
    refuse_if(*analyze, "DESCRIBE ANALYZE")?;
    refuse_if(*verbose, "DESCRIBE VERBOSE")?;
    refuse_if(format.is_some(), "DESCRIBE FORMAT")
}

fn check_query(query: &Query) -> Checked {
    query.locks.iter().try_for_each(missing)?;
    query.for_clause.iter().try_for_each(missing)?;
    only!(query, Query: with body order_by limit_clause fetch locks for_clause pipe_operators,
        settings = "SETTINGS",
        format_clause = "FORMAT",
    );
    query.with.iter().try_for_each(check_with)?;
    check_named_windows(&query.order_by)?;
    check_named_windows(&query.pipe_operators)?;
    query.pipe_operators.iter().try_for_each(check_pipe)
}

fn check_with(with: &With) -> Checked {
    only!(with, With: with_token recursive cte_tables);
    with.cte_tables.iter().try_for_each(|table| {
        only!(table, Cte: alias query closing_paren_token,
            from = "FROM after a query of WITH",
            materialized = "MATERIALIZED; write CREATE TEMP TABLE q AS … for rows that are computed once",
        );
        check_alias(&table.alias)?;
        if with.recursive { check_recursive(&table.query) } else { FINE }
    })
}

/// Of a UNION in WITH RECURSIVE DataFusion takes the two sides alone.
fn check_recursive(query: &Query) -> Checked {
    use SetQuantifier::{AllByName, ByName, DistinctByName};
    let SetExpr::SetOperation {
        op: SetOperator::Union,
        set_quantifier,
        ..
    } = query.body.as_ref()
    else {
        return FINE;
    };
    let is_by_name = matches!(set_quantifier, ByName | AllByName | DistinctByName);
    refuse_if(is_by_name, "UNION BY NAME of WITH RECURSIVE")?;
    only!(query, Query: body locks for_clause settings format_clause,
        with = "WITH before a UNION of WITH RECURSIVE",
        order_by = "ORDER BY of a UNION of WITH RECURSIVE",
        limit_clause = "LIMIT of a UNION of WITH RECURSIVE",
        fetch = "FETCH of a UNION of WITH RECURSIVE",
        pipe_operators = "|> after a UNION of WITH RECURSIVE",
    );
    FINE
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
            refuse_if(is_ordered, "an order of the values of |> AGGREGATE")
        }
        PipeOperator::Join(join) => {
            check_join(join)?;
            expressions::check_piped_join(join)
        }
        _ => FINE,
    }
}

fn check_select(select: &Select) -> Checked {
    only!(select, Select:
        select_token optimizer_hints distinct select_modifiers top_before_distinct projection from
        lateral_views selection group_by having named_window qualify window_before_qualify flavor,
        prewhere = "PREWHERE",
        connect_by = "CONNECT BY",
        into = "SELECT … INTO",
        exclude = "EXCLUDE after other columns than *",
        value_table_mode = "SELECT AS STRUCT and AS VALUE",
        top = "SELECT TOP; write LIMIT",
        sort_by = "SORT BY or CLUSTER BY; write ORDER BY",
        cluster_by = "SORT BY or CLUSTER BY; write ORDER BY",
        distribute_by = "DISTRIBUTE BY",
    );
    let mut modifiers = select.select_modifiers.iter();
    refuse_if(
        modifiers.any(|given| given.is_any_set()),
        "a modifier of SELECT",
    )?;
    let (GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers)) = &select.group_by;
    let mut modifiers = modifiers.iter();
    modifiers.try_for_each(|modifier| missing(format_args!("GROUP BY … {modifier}")))?;
    select
        .named_window
        .iter()
        .try_for_each(|window| match &window.1 {
            NamedWindowExpr::WindowSpec(window) => check_window(window),
            NamedWindowExpr::NamedWindow(_) => FINE,
        })?;
    check_named_windows(&select.group_by)?;
    check_named_windows(&select.having)?;
    check_named_windows(&select.qualify)?;
    check_named_windows(&select.distinct)?;
    select.from.iter().try_for_each(check_joins)
}

fn check_joins(table: &TableWithJoins) -> Checked {
    table.joins.iter().try_for_each(check_join)
}

fn check_join(join: &Join) -> Checked {
    only!(join, Join: relation join_operator, global = "GLOBAL JOIN");
    // DataFusion refuses these, too, with the whole tree of their condition.
    match join.join_operator {
        JoinOperator::Semi(_) => missing("SEMI JOIN without LEFT or RIGHT"),
        JoinOperator::Anti(_) => missing("ANTI JOIN without LEFT or RIGHT"),
        JoinOperator::AsOf { .. } => missing("ASOF JOIN"),
        _ => expressions::check_join(join),
    }
}

fn check_table_factor(factor: &TableFactor) -> Checked {
    match factor {
        TableFactor::Table {
            name, alias, args, ..
        } => {
            only!(factor, TableFactor::Table: name alias args,
                sample = "TABLESAMPLE",
                partitions = "PARTITION after a table",
                version = "an older version of a table",
                with_hints = "WITH (…) after a table",
                index_hints = "an index hint",
                with_ordinality = "WITH ORDINALITY",
                json_path = "a path after a table",
            );
            let mut args = args.iter();
            args.try_for_each(|args| check_table_function(name, args))?;
            alias.iter().try_for_each(check_alias)
        }
        TableFactor::Derived { alias, .. } => {
            only!(factor, TableFactor::Derived: lateral subquery alias, sample = "TABLESAMPLE");
            alias.iter().try_for_each(check_alias)
        }
        TableFactor::Function { args, alias, .. } => {
            only!(factor, TableFactor::Function: lateral name args alias,
                with_ordinality = "WITH ORDINALITY",
            );
            let is_named = |argument| !matches!(argument, &FunctionArg::Unnamed(_));
            refuse_if(args.iter().any(is_named), "LATERAL with named arguments")?;
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
        other => expressions::check_table_factor(other),
    }
}

fn check_table_function(name: &ObjectName, args: &TableFunctionArgs) -> Checked {
    only!(args, TableFunctionArgs: args, settings = "SETTINGS");
    refuse_if(name.0.len() > 1, "a table function of a schema")
}

fn check_alias(alias: &TableAlias) -> Checked {
    only!(alias, TableAlias: explicit name columns, at = "AT after an alias");
    let is_typed = alias
        .columns
        .iter()
        .any(|column| column.data_type.is_some());
    refuse_if(is_typed, "a type in the columns of an alias")
}

fn check_window(window: &WindowSpec) -> Checked {
    only!(window, WindowSpec: partition_by order_by window_frame,
        window_name = "a window that adds to a named one",
    );
    FINE
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
            return missing(format_args!("a second list of arguments of `{name}`"));
        }
        if let Some(WindowType::WindowSpec(window)) = over {
            check_window(window)?;
        }
        let (is_distinct, has_clauses) = match args {
            FunctionArguments::None => (false, false),
            FunctionArguments::Subquery(_) => {
                let instead = match folded(name).as_deref() {
                    Some("array") => "; write (SELECT array_agg(x ORDER BY y) FROM t)",
                    _ => "",
                };
                return missing(format_args!(
                    "a query as the arguments of `{name}`{instead}"
                ));
            }
            FunctionArguments::List(list) => (
                list.duplicate_treatment == Some(DuplicateTreatment::Distinct),
                !list.clauses.is_empty(),
            ),
        };
        let Some(name) = folded(name) else {
            return FINE;
        };
        if !self.functions.is_scalar(&name) {
            return expressions::check_function(function, &name, self.functions);
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
            None => FINE,
            Some((_, clause)) => Checked::Break(Refusal::of(format!(
                "`{name}` is no aggregate, and takes no {clause}"
            ))),
        }
    }
}

/// The name of a function that is in no schema, as DataFusion looks for it.
fn folded(name: &ObjectName) -> Option<String> {
    let [part] = name.0.as_slice() else {
        return None;
    };
    part.as_ident().map(|ident| IdentCase::ALWAYS.name(ident))
}

/// DataFusion resolves the names of windows in the list of columns; elsewhere it drops the OVER.
fn check_named_windows(part: &impl Visit) -> Checked {
    part.visit(&mut NamedWindows { depth: 0 })
}

/// Finds the name of a window outside of subqueries, which are looked at by themselves.
struct NamedWindows {
    depth: usize,
}

impl Visitor for NamedWindows {
    type Break = Refusal;

    fn pre_visit_query(&mut self, _: &Query) -> Checked {
        self.depth += 1;
        FINE
    }

    fn post_visit_query(&mut self, _: &Query) -> Checked {
        self.depth -= 1;
        FINE
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Checked {
        match expr {
            Expr::Function(Function {
                over: Some(WindowType::NamedWindow(name)),
                ..
            }) if self.depth == 0 => {
                missing(format_args!("OVER {name} outside of the list of columns"))
            }
            _ => FINE,
        }
    }
}
