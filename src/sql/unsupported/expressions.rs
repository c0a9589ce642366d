//! Parts of expressions, joins and sets that DataFusion answers wrongly, drops, or refuses with the tree of the parser:
//! each is refused with what to write instead.

use sqlparser::ast::{
    DataType, Distinct, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, Join, JoinConstraint, JoinOperator, NullTreatment,
    PipeOperator, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, Set, SetExpr,
    SetOperator, SetQuantifier, TableFactor, Value,
};

use super::KnownFunctions;
use super::checked::{Checked, FINE, Refusal, missing, missing_constant, refuse_if};
use crate::sql::rewrite::expressions::{
    escape_of, escaped_by_backslashes, length_of, similar_as_regex,
};

/// A SET of another kind than `name = value`.
pub(crate) fn check_set(set: &Set) -> Checked {
    match set {
        Set::SingleAssignment { .. } => FINE,
        Set::SetTimeZone { .. } => missing("SET LOCAL TIME ZONE; write SET TIME ZONE '…'"),
        other => missing(format_args!(
            "this form of SET; write SET name = value, not `{other}`"
        )),
    }
}

/// UNION, EXCEPT and INTERSECT, DEFAULT among VALUES, and FETCH.
pub(crate) fn check_body(query: &Query) -> Checked {
    // Others are a LIMIT by now.
    refuse_if(
        query.fetch.is_some(),
        "FETCH WITH TIES, with PERCENT, and beside LIMIT; write LIMIT",
    )?;
    let mut tables = query.with.iter().flat_map(|with| &with.cte_tables);
    refuse_if(
        tables.any(|table| is_change(&table.query.body)),
        "a change inside of WITH; run it as a statement of its own, with RETURNING for its rows",
    )?;
    check_set_expr(&query.body)?;
    query.pipe_operators.iter().try_for_each(|pipe| match pipe {
        PipeOperator::Except { set_quantifier, .. } => {
            check_quantifier(SetOperator::Except, *set_quantifier)
        }
        PipeOperator::Intersect { set_quantifier, .. } => {
            check_quantifier(SetOperator::Intersect, *set_quantifier)
        }
        _ => FINE,
    })
}

fn is_change(body: &SetExpr) -> bool {
    matches!(
        body,
        SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
    )
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
            refuse_if(
                values.any(is_default),
                "DEFAULT among VALUES that are not those of an INSERT",
            )
        }
        _ => FINE,
    }
}

fn check_quantifier(op: SetOperator, quantifier: SetQuantifier) -> Checked {
    use SetQuantifier::{AllByName, ByName, DistinctByName};
    let is_by_name = matches!(quantifier, AllByName | ByName | DistinctByName);
    if is_by_name && op != SetOperator::Union {
        missing(format_args!(
            "{op} BY NAME; list the columns of both sides in the same order"
        ))
    } else {
        FINE
    }
}

/// What stands in the list of columns.
pub(crate) fn check_select(select: &Select) -> Checked {
    if let Some(Distinct::On(values)) = &select.distinct {
        refuse_if(
            values.iter().any(is_number),
            "DISTINCT ON with the position of a column; name the column",
        )?;
    }
    select.projection.iter().try_for_each(|item| {
        let options = match item {
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(value), _) => {
                return missing(format_args!("`{value}.*`"));
            }
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => options,
            _ => return FINE,
        };
        refuse_if(options.opt_ilike.is_some(), "* ILIKE; name the columns")?;
        let mut alias = options.opt_alias.iter();
        alias.try_for_each(|alias| missing(format_args!("`* AS {alias}`")))
    })
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::Number(..)))
}

/// A join by its condition.
pub(crate) fn check_join(join: &Join) -> Checked {
    use JoinOperator as J;
    let constraint = match &join.join_operator {
        J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint)
        | J::LeftSemi(constraint)
        | J::RightSemi(constraint)
        | J::LeftAnti(constraint)
        | J::RightAnti(constraint)
        | J::Right(constraint)
        | J::RightOuter(constraint)
        | J::FullOuter(constraint) => constraint,
        J::CrossJoin(JoinConstraint::None) => return FINE,
        J::CrossJoin(_) => return missing("a condition of CROSS JOIN; write JOIN"),
        J::CrossApply => return missing("CROSS APPLY; write CROSS JOIN LATERAL"),
        J::OuterApply => return missing("OUTER APPLY; write LEFT JOIN LATERAL … ON true"),
        J::StraightJoin(_) => return missing("STRAIGHT_JOIN; write JOIN"),
        J::ArrayJoin | J::LeftArrayJoin | J::InnerArrayJoin => {
            return missing("ARRAY JOIN; write unnest(…)");
        }
        J::Semi(_) | J::Anti(_) | J::AsOf { .. } => return FINE,
    };
    match constraint {
        JoinConstraint::None => missing(
            "JOIN without ON or USING; write CROSS JOIN where every row is to meet every row",
        ),
        _ => FINE,
    }
}

/// A join behind `|>`, where the columns in front are not known: one that both sides share would be the left one, which is
/// NULL for the rows of the right side alone.
pub(crate) fn check_piped_join(join: &Join) -> Checked {
    use JoinOperator as J;
    match &join.join_operator {
        J::Right(JoinConstraint::Using(_) | JoinConstraint::Natural)
        | J::RightOuter(JoinConstraint::Using(_) | JoinConstraint::Natural)
        | J::FullOuter(JoinConstraint::Using(_) | JoinConstraint::Natural) => {
            missing("RIGHT or FULL JOIN with USING or NATURAL behind |>; write ON …")
        }
        _ => FINE,
    }
}

/// What FROM reads, where DataFusion refuses it.
pub(crate) fn check_table_factor(factor: &TableFactor) -> Checked {
    missing(match factor {
        TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => "PIVOT or UNPIVOT in this place",
        TableFactor::MatchRecognize { .. } => "MATCH_RECOGNIZE",
        TableFactor::JsonTable { .. } | TableFactor::OpenJsonTable { .. } => {
            "JSON_TABLE or OPENJSON"
        }
        TableFactor::XmlTable { .. } => "XMLTABLE",
        TableFactor::SemanticView { .. } => "SEMANTIC_VIEW",
        TableFactor::TableFunction { .. } => "TABLE(…); write the function alone",
        _ => return FINE,
    })
}

/// Operators and casts.
pub(crate) fn check_expr(expr: &Expr) -> Checked {
    missing(match expr {
        Expr::SimilarTo {
            pattern,
            escape_char,
            ..
        } => match similar_as_regex(pattern, escape_char.as_ref()) {
            Some(_) => return FINE,
            None => {
                return missing_constant(
                    "SIMILAR TO a pattern that is no constant; write LIKE, or ~ with a regular expression",
                );
            }
        },
        Expr::Like {
            pattern,
            escape_char: Some(escape),
            ..
        }
        | Expr::ILike {
            pattern,
            escape_char: Some(escape),
            ..
        } if escape_of(escape) != Some(Some('\\'))
            && escaped_by_backslashes(pattern, Some(escape)).is_none() =>
        {
            return missing_constant(
                "LIKE with an ESCAPE that is not one character, or a pattern that is no constant or ends with that \
                 character; escape with backslashes",
            );
        }
        Expr::RLike { regexp: true, .. } => "REGEXP; write ~ or !~",
        Expr::RLike { .. } => "RLIKE; write ~ or !~",
        Expr::Collate { .. } => "COLLATE; text is compared by its bytes",
        Expr::IsNormalized { .. } => "IS NORMALIZED",
        Expr::Cast { data_type, .. } if length_of(data_type).is_some() => return FINE,
        Expr::Cast { data_type, .. } => return check_length(data_type),
        Expr::TypedString(text) => return check_length(&text.data_type),
        _ => return FINE,
    })
}

/// DataFusion drops the length, and with it what a cast to it does.
pub(crate) fn check_length(data_type: &DataType) -> Checked {
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
    if has_length {
        missing(format_args!(
            "a cast to {data_type}; write left(x, 3) for its first 3 characters, or cast to TEXT"
        ))
    } else {
        FINE
    }
}

/// Window functions that know what IGNORE NULLS means.
const SKIPPING: [&str; 5] = ["lag", "lead", "first_value", "last_value", "nth_value"];

/// Aggregates of several arguments that know what DISTINCT means.
const DISTINCT_PAIRS: [&str; 6] = [
    "count",
    "string_agg",
    "percentile_cont",
    "quantile_cont",
    "quantile",
    "quantile_disc",
];

/// The DISTINCT and IGNORE NULLS of an aggregate or a window function called `name`, in lower case.
pub(crate) fn check_function(
    function: &Function,
    name: &str,
    functions: &dyn KnownFunctions,
) -> Checked {
    let FunctionArguments::List(list) = &function.args else {
        return FINE;
    };
    let is_window = function.over.is_some() && functions.is_window(name);
    let ignoring = FunctionArgumentClause::IgnoreOrRespectNulls(NullTreatment::IgnoreNulls);
    let ignores_nulls = function.null_treatment == Some(NullTreatment::IgnoreNulls)
        || list.clauses.contains(&ignoring);
    if is_window && ignores_nulls && !SKIPPING.contains(&name) {
        return Checked::Break(Refusal::of(format!("`{name}` takes no IGNORE NULLS")));
    }
    if list.duplicate_treatment != Some(DuplicateTreatment::Distinct) {
        return FINE;
    }
    if list.args.iter().any(is_wildcard) {
        return missing(format_args!(
            "{name}(DISTINCT *); write SELECT count(*) FROM (SELECT DISTINCT * FROM …)"
        ));
    }
    if is_window {
        return Checked::Break(Refusal::of(format!("`{name}` takes no DISTINCT")));
    }
    if list.args.len() > 1 && !DISTINCT_PAIRS.contains(&name) {
        missing(format_args!(
            "DISTINCT among the arguments of `{name}`; select the DISTINCT values in a subquery of FROM"
        ))
    } else {
        FINE
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
