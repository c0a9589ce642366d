//! Parts of expressions, joins and sets that DataFusion answers wrongly, drops, or refuses with the tree of the parser:
//! each is refused with what to write instead.

use datafusion::execution::session_state::SessionState;
use sqlparser::ast::{
    DataType, Distinct, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, Join, JoinConstraint, JoinOperator, NullTreatment,
    PipeOperator, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, Set, SetExpr,
    SetOperator, SetQuantifier, TableFactor, Value,
};

use super::clauses::{Checked, missing};

/// A clause that is not there, and what is.
fn instead(clause: &str, what: &str) -> Checked {
    Err(format!("{}; {what}", missing(clause)))
}

/// A SET of another kind than `name = value`.
pub(super) fn check_set(set: &Set) -> Checked {
    match set {
        Set::SingleAssignment { .. } => Ok(()),
        Set::SetTimeZone { .. } => instead(
            "SET TIME ZONE",
            "write SET datafusion.execution.time_zone = '…'",
        ),
        other => instead(
            "this form of SET",
            &format!("write SET name = value, not `{other}`"),
        ),
    }
}

/// UNION, EXCEPT and INTERSECT, DEFAULT among VALUES, and FETCH.
pub(super) fn check_body(query: &Query) -> Checked {
    if query.fetch.is_some() {
        return instead("FETCH", "write LIMIT");
    }
    check_set_expr(&query.body)?;
    query.pipe_operators.iter().try_for_each(|pipe| match pipe {
        PipeOperator::Except { set_quantifier, .. } => {
            check_quantifier(SetOperator::Except, *set_quantifier)
        }
        PipeOperator::Intersect { set_quantifier, .. } => {
            check_quantifier(SetOperator::Intersect, *set_quantifier)
        }
        _ => Ok(()),
    })
}

fn check_set_expr(body: &SetExpr) -> Checked {
    match body {
        SetExpr::SetOperation {
            op,
            set_quantifier,
            left,
            right,
        } => {
            check_quantifier(*op, *set_quantifier)?;
            check_set_expr(left)?;
            check_set_expr(right)
        }
        SetExpr::Values(values) => {
            let mut values = values.rows.iter().flat_map(|row| row.content.iter());
            let is_default = |value: &Expr| matches!(value, Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default"));
            match values.any(is_default) {
                true => instead(
                    "DEFAULT among VALUES",
                    "leave the column out of the list behind the table's name",
                ),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// DataFusion makes a join of them, which knows whether there is an equal row and not how many.
fn check_quantifier(op: SetOperator, quantifier: SetQuantifier) -> Checked {
    let is_all = matches!(quantifier, SetQuantifier::All | SetQuantifier::AllByName);
    let is_counted = matches!(
        op,
        SetOperator::Except | SetOperator::Intersect | SetOperator::Minus
    );
    match is_all && is_counted {
        true => instead(
            &format!("{op} ALL"),
            &format!("number equal rows with row_number() OVER (PARTITION BY …) and use {op}"),
        ),
        false => Ok(()),
    }
}

/// What stands around the list of columns.
pub(super) fn check_select(select: &Select) -> Checked {
    if select.top.is_some() {
        return instead("SELECT TOP", "write LIMIT");
    }
    if !select.sort_by.is_empty() || !select.cluster_by.is_empty() {
        return instead("SORT BY or CLUSTER BY", "write ORDER BY");
    }
    if !select.distribute_by.is_empty() {
        return Err(missing("DISTRIBUTE BY"));
    }
    if let Some(Distinct::On(values)) = &select.distinct
        && values.iter().any(is_number)
    {
        return instead(
            "DISTINCT ON with the position of a column",
            "name the column",
        );
    }
    select.projection.iter().try_for_each(|item| {
        let options = match item {
            SelectItem::Wildcard(options) => options,
            SelectItem::QualifiedWildcard(kind, options) => {
                if let SelectItemQualifiedWildcardKind::Expr(value) = kind {
                    return Err(missing(format_args!("`{value}.*`")));
                }
                options
            }
            _ => return Ok(()),
        };
        if options.opt_ilike.is_some() {
            return instead("* ILIKE", "name the columns");
        }
        match &options.opt_alias {
            Some(alias) => Err(missing(format_args!("`* AS {alias}`"))),
            None => Ok(()),
        }
    })
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::Number(..)))
}

/// A join by its condition.
pub(super) fn check_join(join: &Join) -> Checked {
    let (constraint, is_right) = match &join.join_operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::RightSemi(constraint)
        | JoinOperator::LeftAnti(constraint)
        | JoinOperator::RightAnti(constraint) => (constraint, false),
        JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => (constraint, true),
        JoinOperator::CrossJoin(JoinConstraint::None) => return Ok(()),
        JoinOperator::CrossJoin(_) => return instead("a condition of CROSS JOIN", "write JOIN"),
        JoinOperator::CrossApply => return instead("CROSS APPLY", "write CROSS JOIN LATERAL"),
        JoinOperator::OuterApply => {
            return instead("OUTER APPLY", "write LEFT JOIN LATERAL … ON true");
        }
        JoinOperator::StraightJoin(_) => return instead("STRAIGHT_JOIN", "write JOIN"),
        JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin | JoinOperator::InnerArrayJoin => {
            return instead("ARRAY JOIN", "write unnest(…)");
        }
        JoinOperator::Semi(_) | JoinOperator::Anti(_) | JoinOperator::AsOf { .. } => return Ok(()),
    };
    match constraint {
        JoinConstraint::None => instead(
            "JOIN without ON or USING",
            "write CROSS JOIN where every row is to meet every row",
        ),
        // The column that they share would be the left one, which is NULL for the rows of the right side alone.
        JoinConstraint::Using(_) if is_right => {
            instead("RIGHT or FULL JOIN with USING", "write ON …")
        }
        JoinConstraint::Natural if is_right => instead("NATURAL RIGHT or FULL JOIN", "write ON …"),
        _ => Ok(()),
    }
}

/// What FROM reads, where DataFusion refuses it.
pub(super) fn check_table_factor(factor: &TableFactor) -> Checked {
    match factor {
        TableFactor::Pivot { .. } => instead("PIVOT", "write sum(…) FILTER (WHERE …)"),
        TableFactor::Unpivot { .. } => instead("UNPIVOT", "write UNION ALL"),
        TableFactor::MatchRecognize { .. } => Err(missing("MATCH_RECOGNIZE")),
        TableFactor::JsonTable { .. } | TableFactor::OpenJsonTable { .. } => {
            Err(missing("JSON_TABLE or OPENJSON"))
        }
        TableFactor::XmlTable { .. } => Err(missing("XMLTABLE")),
        TableFactor::SemanticView { .. } => Err(missing("SEMANTIC_VIEW")),
        TableFactor::TableFunction { .. } => instead("TABLE(…)", "write the function alone"),
        _ => Ok(()),
    }
}

/// Operators and casts.
pub(super) fn check_expr(expr: &Expr) -> Checked {
    match expr {
        Expr::SimilarTo { .. } => instead(
            "SIMILAR TO",
            "write LIKE, or ~ with a regular expression between ^( and )$",
        ),
        Expr::RLike { regexp, .. } => {
            let name = if *regexp { "REGEXP" } else { "RLIKE" };
            instead(name, "write ~ or !~")
        }
        Expr::Collate { .. } => instead("COLLATE", "text is compared by its bytes"),
        Expr::IsNormalized { .. } => Err(missing("IS NORMALIZED")),
        Expr::Cast { data_type, .. } => check_length(data_type),
        Expr::TypedString(text) => check_length(&text.data_type),
        _ => Ok(()),
    }
}

/// DataFusion drops the length, and with it what a cast to it does.
pub(super) fn check_length(data_type: &DataType) -> Checked {
    let has_length = match data_type {
        DataType::Character(length)
        | DataType::Char(length)
        | DataType::CharacterVarying(length)
        | DataType::CharVarying(length)
        | DataType::Varchar(length)
        | DataType::Nvarchar(length) => length.is_some(),
        DataType::String(length) => length.is_some(),
        _ => false,
    };
    match has_length {
        true => instead(
            &format!("a cast to {data_type}"),
            "write left(x, 3) for its first 3 characters, or cast to TEXT",
        ),
        false => Ok(()),
    }
}

/// Window functions that know what IGNORE NULLS means.
const SKIPPING: [&str; 5] = ["lag", "lead", "first_value", "last_value", "nth_value"];

/// Aggregates of several arguments that know what DISTINCT means.
const DISTINCT_PAIRS: [&str; 4] = ["count", "string_agg", "percentile_cont", "quantile_cont"];

/// The DISTINCT and IGNORE NULLS of an aggregate or a window function called `name`, in lower case.
pub(super) fn check_function(function: &Function, name: &str, state: &SessionState) -> Checked {
    let FunctionArguments::List(list) = &function.args else {
        return Ok(());
    };
    let is_window = function.over.is_some() && state.window_functions().contains_key(name);
    let mut clauses = list.clauses.iter();
    let ignores_nulls = function.null_treatment == Some(NullTreatment::IgnoreNulls)
        || clauses.any(|clause| {
            *clause == FunctionArgumentClause::IgnoreOrRespectNulls(NullTreatment::IgnoreNulls)
        });
    if is_window && ignores_nulls && !SKIPPING.contains(&name) {
        return Err(format!("`{name}` takes no IGNORE NULLS"));
    }
    if list.duplicate_treatment != Some(DuplicateTreatment::Distinct) {
        return Ok(());
    }
    if list.args.iter().any(is_wildcard) {
        return instead(
            &format!("{name}(DISTINCT *)"),
            "write SELECT count(*) FROM (SELECT DISTINCT * FROM …)",
        );
    }
    if is_window {
        return Err(format!("`{name}` takes no DISTINCT"));
    }
    match list.args.len() > 1 && !DISTINCT_PAIRS.contains(&name) {
        true => instead(
            &format!("DISTINCT among the arguments of `{name}`"),
            "select the DISTINCT values in a subquery of FROM",
        ),
        false => Ok(()),
    }
}

fn is_wildcard(argument: &FunctionArg) -> bool {
    matches!(
        argument,
        FunctionArg::Unnamed(
            FunctionArgExpr::Wildcard
                | FunctionArgExpr::WildcardWithOptions(_)
                | FunctionArgExpr::QualifiedWildcard(_)
        )
    )
}
