//! Forms of SQL that DataFusion lacks, in forms that it has.
//!
//! | written | planned as |
//! |---|---|
//! | `x SIMILAR TO 'a%'` | `x ~ '(?s)^(?:a.*)$'` |
//! | `CAST(x AS VARCHAR(3))` | `left(CAST(x AS TEXT), 3)` |
//! | `CAST(x AS UUID)`, `JSON '…'` | `parse_uuid(CAST(x AS TEXT))`, `json(CAST('…' AS TEXT))` |
//! | `x IN ()` | `false` |
//! | `(a, b) IN (q)` as a condition | `EXISTS (SELECT … FROM q WHERE …)` |
//! | `(a, b) NOT IN (q)` as a condition | `NOT EXISTS (…)` of the equal rows, and of those that may be for a NULL |
//! | `(a, b) IN (q)`, `(a, b) < ALL (q)` anywhere | `(SELECT CASE WHEN count(*) FILTER (…) > 0 THEN … END FROM q)` |
//! | `(a, b) = (q)` | `(SELECT (a, b) = (…, …) FROM q)` |
//! | `~x` | `-1 - x` |
//! | `ROLLUP (a, t.a)`, `CUBE (a, t.a)` | `GROUPING SETS ((a, t.a), (a), ())`, `GROUPING SETS (…)` |
//! | `x ^ y` | `power(CAST(x AS DOUBLE), CAST(y AS DOUBLE))` |
//! | `(s).a` | `(s)['a']` |
//! | `l[2:]`, `l[:2]` | `l[2:-1]`, `l[1:2]` |
//! | `INTERVAL (n) DAY` | `INTERVAL '1 DAY' * (n)` |
//!
//! It is done behind the [names](crate::plan::bind::names) of columns, which stay as they are written.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    AccessExpr, BinaryOperator, CastKind, CharLengthUnits, CharacterLength, DataType, Expr,
    Interval, Query, Select, SelectItem, SetExpr, Statement, Subscript, TableFactor, UnaryOperator,
    Value, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut,
};

use super::functions::expression;
use crate::catalog::plain_arguments;
use crate::sql::ident::IdentCase;

/// The statement without such forms.
pub(crate) fn write_out(statement: &mut Statement) {
    let _: ControlFlow<()> = VisitMut::visit(statement, &mut Forms);
}

struct Forms;

impl VisitorMut for Forms {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(other) = other_form(expr) {
            *expr = other;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for condition in [&mut select.selection, &mut select.having] {
            condition.iter_mut().for_each(compare_rows);
        }
        ControlFlow::Continue(())
    }
}

fn other_form(expr: &mut Expr) -> Option<Expr> {
    match expr {
        Expr::SimilarTo {
            negated,
            expr,
            pattern,
            escape_char,
        } => {
            let regex = similar_as_regex(pattern, escape_char.as_ref())?;
            let op = if *negated {
                BinaryOperator::PGRegexNotMatch
            } else {
                BinaryOperator::PGRegexMatch
            };
            Some(Expr::Nested(Box::new(Expr::BinaryOp {
                left: expr.clone(),
                op,
                right: Box::new(Expr::value(Value::SingleQuotedString(regex))),
            })))
        }
        Expr::Like { .. } | Expr::ILike { .. } => {
            escape_by_backslashes(expr);
            None
        }
        Expr::BinaryOp {
            left,
            op: BinaryOperator::PGExp,
            right,
        } => {
            let operands = [left.as_ref().clone(), right.as_ref().clone()];
            expression("power(CAST($1 AS DOUBLE), CAST($2 AS DOUBLE))", &operands)
        }
        Expr::UnaryOp { op, expr } => other_sign(*op, expr),
        Expr::InList { list, negated, .. } if list.is_empty() => {
            Some(Expr::value(Value::Boolean(*negated)))
        }
        Expr::CompoundFieldAccess { access_chain, .. } => {
            access_chain.iter_mut().for_each(write_out_access);
            None
        }
        Expr::Interval(interval) => computed_interval(interval),
        Expr::Cast {
            kind,
            data_type,
            expr,
            ..
        } => {
            if let Some(names) = parsers_of(data_type) {
                return parsed(names, kind, expr);
            }
            let length = length_of(data_type)?;
            let call = match kind {
                CastKind::Cast | CastKind::DoubleColon => "CAST",
                CastKind::TryCast => "TRY_CAST",
                CastKind::SafeCast => return None,
            };
            let text = format!("left({call}($1 AS TEXT), {length})");
            expression(&text, std::slice::from_ref(expr.as_ref()))
        }
        Expr::TypedString(typed) => {
            let names = parsers_of(&typed.data_type)?;
            parsed(names, &CastKind::Cast, &Expr::Value(typed.value.clone()))
        }
        other => as_sets(other).or_else(|| rows_compared(other)),
    }
}

/// The functions that check texts of a type which DataFusion does not know: one that fails, one that makes NULL of others.
fn parsers_of(data_type: &DataType) -> Option<[&'static str; 2]> {
    match data_type {
        DataType::Uuid => Some(["parse_uuid", "try_parse_uuid"]),
        DataType::JSON | DataType::JSONB => Some(["json", "try_parse_json"]),
        _ => None,
    }
}

/// Whether a text of the type is planned as a call of a function.
pub(crate) fn is_parsed(data_type: &DataType) -> bool {
    parsers_of(data_type).is_some()
}

fn parsed([strict, lenient]: [&str; 2], kind: &CastKind, value: &Expr) -> Option<Expr> {
    let function = match kind {
        CastKind::Cast | CastKind::DoubleColon => strict,
        CastKind::TryCast | CastKind::SafeCast => lenient,
    };
    let text = format!("{function}(CAST($1 AS TEXT))");
    expression(&text, std::slice::from_ref(value))
}

/// A ROLLUP or CUBE as the sets that it stands for, where two of its members may be the same.
fn as_sets(grouping: &Expr) -> Option<Expr> {
    match grouping {
        Expr::Rollup(members) if may_repeat(members) => {
            let firsts = (0..=members.len()).rev();
            let sets = firsts.map(|count| members.iter().take(count).flatten().cloned());
            Some(Expr::GroupingSets(sets.map(Iterator::collect).collect()))
        }
        Expr::Cube(members) if may_repeat(members) && members.len() <= MOST_OF_CUBE => {
            let sets = (0..1_usize << members.len()).rev().map(|chosen| {
                let all = members.iter().rev().enumerate();
                let of_set = all.filter(|(place, _)| chosen >> place & 1 == 1);
                let mut of_set: Vec<_> = of_set.map(|(_, member)| member).collect();
                of_set.reverse();
                of_set.into_iter().flatten().cloned().collect()
            });
            Some(Expr::GroupingSets(sets.collect()))
        }
        _ => None,
    }
}

/// The members of a CUBE that is written as sets, of which there are two to that power.
const MOST_OF_CUBE: usize = 8;

/// Whether two members of a ROLLUP or CUBE may be the same, which DataFusion does not take, other than in GROUPING SETS.
fn may_repeat(members: &[Vec<Expr>]) -> bool {
    let mut seen = HashSet::new();
    let mut all = members.iter().flatten();
    all.any(|member| {
        let name = match member {
            Expr::Identifier(name) => name.value.to_lowercase(),
            Expr::CompoundIdentifier(parts) => match parts.last() {
                Some(name) => name.value.to_lowercase(),
                None => String::new(),
            },
            other => other.to_string(),
        };
        !seen.insert(name)
    })
}

/// How many characters a text of the type has at most; `None` for every other type.
pub(crate) fn length_of(data_type: &DataType) -> Option<u64> {
    match data_type {
        DataType::CharacterVarying(length)
        | DataType::CharVarying(length)
        | DataType::Varchar(length)
        | DataType::Nvarchar(length) => match length {
            Some(CharacterLength::IntegerLength {
                length,
                unit: None | Some(CharLengthUnits::Characters),
            }) => Some(*length),
            _ => None,
        },
        _ => None,
    }
}

/// The regular expression of a pattern of SIMILAR TO; `None` where that is not a constant.
pub(crate) fn similar_as_regex(pattern: &Expr, escape: Option<&ValueWithSpan>) -> Option<String> {
    let Expr::Value(pattern) = pattern else {
        return None;
    };
    let escape = match escape {
        None => Some('\\'),
        Some(escape) => escape_of(escape)?,
    };
    Some(regex_of(text_of(pattern)?, escape))
}

fn escape_by_backslashes(expr: &mut Expr) {
    if let Expr::Like {
        pattern,
        escape_char,
        ..
    }
    | Expr::ILike {
        pattern,
        escape_char,
        ..
    } = expr
        && let Some(escaped) = escaped_by_backslashes(pattern, escape_char.as_ref())
    {
        **pattern = Expr::value(Value::SingleQuotedString(escaped));
        *escape_char = None;
    }
}

/// The pattern of a LIKE with another ESCAPE, as DataFusion takes it: after backslashes what follows stands for itself. With
/// `ESCAPE ''` nothing does so. `None` where it is the backslash, and where the pattern is no constant or ends with the character.
pub(crate) fn escaped_by_backslashes(
    pattern: &Expr,
    escape: Option<&ValueWithSpan>,
) -> Option<String> {
    let escape = escape_of(escape?).filter(|escape| *escape != Some('\\'))?;
    let Expr::Value(pattern) = pattern else {
        return None;
    };
    let mut escaped = String::new();
    let mut letters = text_of(pattern)?.chars();
    while let Some(letter) = letters.next() {
        let (letter, is_itself) = if escape == Some(letter) {
            (letters.next()?, true)
        } else {
            (letter, letter == '\\')
        };
        if is_itself && matches!(letter, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    Some(escaped)
}

/// The character of an ESCAPE, `Some(None)` of none; `None` of what is no ESCAPE.
pub(crate) fn escape_of(escape: &ValueWithSpan) -> Option<Option<char>> {
    let mut letters = text_of(escape)?.chars();
    let first = letters.next();
    letters.next().is_none().then_some(first)
}

fn text_of(value: &ValueWithSpan) -> Option<&str> {
    match &value.value {
        Value::SingleQuotedString(text) => Some(text),
        _ => None,
    }
}

fn regex_of(pattern: &str, escape: Option<char>) -> String {
    let mut regex = String::from("(?s)^(?:");
    let mut is_in_class = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            letter if escape == Some(letter) => {
                letters
                    .next()
                    .into_iter()
                    .for_each(|next| push_literal(&mut regex, next));
            }
            ']' => {
                is_in_class = false;
                regex.push(']');
            }
            '\\' => regex.push_str("\\\\"),
            letter if is_in_class => regex.push(letter),
            '[' => {
                is_in_class = true;
                regex.push('[');
            }
            '%' => regex.push_str(".*"),
            '_' => regex.push('.'),
            '(' => regex.push_str("(?:"),
            '|' | '*' | '+' | '?' | '{' | '}' | ')' => regex.push(letter),
            literal => push_literal(&mut regex, literal),
        }
    }
    regex.push_str(")$");
    regex
}

fn push_literal(regex: &mut String, letter: char) {
    if letter.is_ascii_punctuation() {
        regex.push('\\');
    }
    regex.push(letter);
}

/// Writes `(a, b) IN (q)` with EXISTS where it is a condition by itself, or under AND and OR: there NULL is as good as
/// false.
fn compare_rows(condition: &mut Expr) {
    match condition {
        Expr::Nested(inner) => compare_rows(inner),
        Expr::BinaryOp {
            left,
            op: BinaryOperator::And | BinaryOperator::Or,
            right,
        } => {
            compare_rows(left);
            compare_rows(right);
        }
        Expr::InSubquery {
            expr,
            subquery,
            negated,
        } => {
            if let Some(values) = row_values(expr)
                && let Some(exists) = row_exists(&values, subquery, *negated)
            {
                *condition = exists;
            }
        }
        _ => {}
    }
}

/// The values of a row, be it written as a tuple or as a call of ROW.
fn row_values(expr: &Expr) -> Option<Vec<Expr>> {
    match expr {
        Expr::Nested(inner) => row_values(inner),
        Expr::Tuple(values) => Some(values.clone()),
        Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case("row") => {
            plain_arguments(function)
        }
        _ => None,
    }
}

/// A comparison of a row with the rows of a query, which may be NULL.
fn rows_compared(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::InSubquery {
            expr,
            subquery,
            negated,
        } => {
            let (op, is_all) = if *negated { ("<>", true) } else { ("=", false) };
            row_truth(&row_values(expr)?, subquery, op, is_all)
        }
        Expr::AnyOp {
            left,
            compare_op,
            right,
            ..
        } => {
            let query = queried(right)?;
            row_truth(&row_values(left)?, query, &compare_op.to_string(), false)
        }
        Expr::AllOp {
            left,
            compare_op,
            right,
        } => {
            let query = queried(right)?;
            row_truth(&row_values(left)?, query, &compare_op.to_string(), true)
        }
        Expr::BinaryOp { left, op, right } if is_comparison(op) => {
            let (values, query) = (row_values(left)?, queried(right)?);
            fits(&values, query)?;
            let compared = compared(&values, &op.to_string());
            let text = format!("(SELECT {compared} AS \"a row\" FROM {})", placed(&values));
            with_query(&text, &values, query)
        }
        _ => None,
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

fn queried(expr: &Expr) -> Option<&Query> {
    match expr {
        Expr::Subquery(query) => Some(query),
        Expr::Nested(inner) => queried(inner),
        _ => None,
    }
}

/// `ROW(a, b) op ROW(…, …)` for values `$1`, `$2` and the columns of a query.
fn compared(values: &[Expr], op: &str) -> String {
    let numbers = 1..=values.len();
    let (left, right): (Vec<String>, Vec<String>) = numbers
        .map(|number| (format!("${number}"), format!("\"{number}\"")))
        .unzip();
    format!("ROW({}) {op} ROW({})", left.join(", "), right.join(", "))
}

/// The place of a query that has as many columns.
fn placed(values: &[Expr]) -> String {
    let columns: Vec<String> = (1..=values.len())
        .map(|number| format!("\"{number}\""))
        .collect();
    format!("(SELECT 1) AS \"left side\" ({})", columns.join(", "))
}

/// Whether a comparison holds for one row of a query, or for all.
fn row_truth(values: &[Expr], query: &Query, op: &str, is_all: bool) -> Option<Expr> {
    fits(values, query)?;
    let compared = compared(values, op);
    let (sought, found, none) = if is_all {
        (format!("NOT ({compared})"), "false", "true")
    } else {
        (compared, "true", "false")
    };
    let text = format!(
        "(SELECT CASE WHEN count(*) FILTER (WHERE {sought}) > 0 THEN {found} \
         WHEN count(*) FILTER (WHERE ({sought}) IS NULL) > 0 THEN NULL ELSE {none} END AS \"a row\" FROM {})",
        placed(values)
    );
    with_query(&text, values, query)
}

/// Whether a query has as many columns as there are values, as far as that is known.
fn fits(values: &[Expr], query: &Query) -> Option<()> {
    let columns = column_count(&query.body);
    columns
        .is_none_or(|columns| columns == values.len())
        .then_some(())
}

/// That a row is among those of a query, or certainly not.
fn row_exists(values: &[Expr], query: &Query, negated: bool) -> Option<Expr> {
    fits(values, query)?;
    let equal = (1..=values.len()).map(|number| format!("\"{number}\" = ${number}"));
    let equal = equal.collect::<Vec<_>>().join(" AND ");
    if negated && values.iter().all(is_plain) && is_repeatable(query) {
        return row_absent(values, query, &equal);
    }
    let rows = format!("SELECT 1 AS \"a row\" FROM {}", placed(values));
    let text = if negated {
        format!("NOT EXISTS ({rows} WHERE ({equal}) IS NOT FALSE)")
    } else {
        format!("EXISTS ({rows} WHERE {equal})")
    };
    with_query(&text, values, query)
}

/// That a row is certainly not among those of a query, asked three times, each of which is a join that hashes or is of few
/// rows: none is equal; of those with a NULL none may be; and if the row has one itself, none at all may be.
fn row_absent(values: &[Expr], query: &Query, equal: &str) -> Option<Expr> {
    let any_null = |mark: fn(usize) -> String| {
        let nulls = (1..=values.len()).map(|number| format!("{} IS NULL", mark(number)));
        nulls.collect::<Vec<_>>().join(" OR ")
    };
    let (place, is_left_null) = (placed(values), any_null(|number| format!("${number}")));
    let is_right_null = any_null(|number| format!("\"{number}\""));
    let asked = [
        format!("{place} WHERE {equal}"),
        format!("{place} WHERE ({is_right_null}) AND ({equal}) IS NOT FALSE"),
        // Equal to a column, and so a key of the join, for the rows alone that have a NULL.
        format!(
            "(SELECT *, 1 AS \"a mark\" FROM {place}) AS \"marked rows\" \
             WHERE \"a mark\" = CASE WHEN {is_left_null} THEN 1 END AND ({equal}) IS NOT FALSE"
        ),
    ];
    let asked = asked.map(|rows| {
        let text = format!("NOT EXISTS (SELECT 1 AS \"a row\" FROM {rows})");
        with_query(&text, values, query)
    });
    expression(
        "$1 AND $2 AND $3",
        &asked.into_iter().collect::<Option<Vec<_>>>()?,
    )
}

/// Whether an expression costs nothing to be asked again.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_plain(inner),
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => true,
        _ => false,
    }
}

/// Whether a query has the same rows when it is asked again: none of them is drawn, and none is cut.
fn is_repeatable(query: &Query) -> bool {
    Visit::visit(query, &mut Drawn).is_continue()
}

/// Finds what makes the rows of a query others each time.
struct Drawn;

impl Visitor for Drawn {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if query.limit_clause.is_some() || query.fetch.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        const DRAWING: [&str; 5] = ["random", "rand", "uuid", "gen_random_uuid", "nextval"];
        match expr {
            Expr::Function(function) => {
                let name = function.name.to_string().to_lowercase();
                if DRAWING.contains(&name.trim_matches('"')) || function.over.is_some() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// An expression of values, with a query in its place.
fn with_query(text: &str, values: &[Expr], query: &Query) -> Option<Expr> {
    let mut written = expression(text, values)?;
    let mut place = Place(Some(Box::new(query.clone())));
    let _: ControlFlow<()> = VisitMut::visit(&mut written, &mut place);
    Some(written)
}

/// A field by its name, and a slice with both its bounds.
fn write_out_access(access: &mut AccessExpr) {
    let number = |number: &str| Expr::value(Value::Number(number.to_owned(), false));
    match access {
        AccessExpr::Dot(Expr::Identifier(name)) => {
            let index = Expr::value(Value::SingleQuotedString(IdentCase::ALWAYS.name(name)));
            *access = AccessExpr::Subscript(Subscript::Index { index });
        }
        AccessExpr::Subscript(Subscript::Slice {
            lower_bound,
            upper_bound,
            ..
        }) => {
            lower_bound.get_or_insert_with(|| number("1"));
            upper_bound.get_or_insert_with(|| number("-1"));
        }
        _ => {}
    }
}

/// `~1`, and `-INTERVAL '1 month 2 days'`, of which DataFusion would put the sign before the first number alone.
fn other_sign(op: UnaryOperator, operand: &Expr) -> Option<Expr> {
    let form = match (op, operand) {
        (UnaryOperator::BitwiseNot, _) => "-1 - $1",
        (UnaryOperator::Minus, Expr::Interval(_)) => "-($1)",
        _ => return None,
    };
    expression(form, std::slice::from_ref(operand))
}

/// An interval of so many units as a multiple of one; `None` where it is a constant.
fn computed_interval(interval: &Interval) -> Option<Expr> {
    let Interval {
        value,
        leading_field: Some(unit),
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    } = interval
    else {
        return None;
    };
    let constant = |value: &Expr| match value {
        Expr::Value(value) => !matches!(value.value, Value::Placeholder(_) | Value::Null),
        Expr::UnaryOp { expr, .. } => matches!(expr.as_ref(), Expr::Value(_)),
        _ => false,
    };
    match value.as_ref() {
        value if constant(value) => None,
        Expr::Nested(inner) if constant(inner) => Some(Expr::Interval(Interval {
            value: inner.clone(),
            ..interval.clone()
        })),
        value => expression(
            &format!("INTERVAL '1 {unit}' * $1"),
            std::slice::from_ref(value),
        ),
    }
}

/// How many columns a query has; `None` where a star stands for some of them.
pub(crate) fn column_count(body: &SetExpr) -> Option<usize> {
    match body {
        SetExpr::Select(select) => {
            let is_one = |item: &SelectItem| {
                matches!(
                    item,
                    SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }
                )
            };
            let all = select.projection.iter().all(is_one);
            all.then_some(select.projection.len())
        }
        SetExpr::Query(query) => column_count(&query.body),
        SetExpr::SetOperation { left, .. } => column_count(left),
        SetExpr::Values(values) => Some(values.rows.first()?.content.len()),
        _ => None,
    }
}

/// Puts a query in its place.
struct Place(Option<Box<Query>>);

impl VisitorMut for Place {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived {
            subquery,
            alias: Some(alias),
            ..
        } = factor
            && alias.name.value == "left side"
            && let Some(query) = self.0.take()
        {
            *subquery = query;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_similar_to_are_regular_expressions() {
        for (pattern, expected) in [
            ("abc", "(?s)^(?:abc)$"),
            ("a%_", "(?s)^(?:a.*.)$"),
            ("(a|b)*c{2}", "(?s)^(?:(?:a|b)*c{2})$"),
            ("a.b^c$", "(?s)^(?:a\\.b\\^c\\$)$"),
            ("[a-z%_]+", "(?s)^(?:[a-z%_]+)$"),
            ("10\\%", "(?s)^(?:10\\%)$"),
            ("\\\\", "(?s)^(?:\\\\)$"),
        ] {
            assert_eq!(regex_of(pattern, Some('\\')), expected, "{pattern}");
        }
        assert_eq!(regex_of("a!%b", Some('!')), "(?s)^(?:a\\%b)$");
        assert_eq!(regex_of("a\\b", None), "(?s)^(?:a\\\\b)$");
    }
}
