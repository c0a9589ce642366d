//! Forms of SQL that DataFusion lacks, in forms that it has.
//!
//! | written | planned as |
//! |---|---|
//! | `x SIMILAR TO 'a%'` | `x ~ '(?s)^(?:a.*)$'` |
//! | `CAST(x AS VARCHAR(3))` | `left(CAST(x AS TEXT), 3)` |
//! | `x IN ()` | `false` |
//! | `(a, b) IN (q)` in a condition | `EXISTS (SELECT … FROM q WHERE …)` |
//! | `EXISTS (q)` in a list of SELECT | `(SELECT count(*) …) > 0` |
//! | `q EXCEPT ALL r`, `INTERSECT ALL` | EXCEPT and INTERSECT of the rows, equal ones numbered |
//!
//! It is done behind the [names](super::names) of columns, which stay as they are written.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::{
    BinaryOperator, CastKind, CharLengthUnits, CharacterLength, DataType, Expr, GroupByExpr, Ident,
    Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, TableFactor, Value,
    ValueWithSpan, VisitMut, VisitorMut,
};

use super::dialect;
use super::written::expression;

/// The statement without such forms.
pub(super) fn write_out(statement: &mut DFStatement) {
    match statement {
        DFStatement::Statement(statement) => {
            let _: ControlFlow<()> = statement.visit(&mut Forms);
        }
        DFStatement::Explain(explain) => write_out(&mut explain.statement),
        _ => {}
    }
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

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            let _: ControlFlow<()> = item.visit(&mut Existing { depth: 0 });
        }
        for condition in [&mut select.selection, &mut select.having] {
            condition.iter_mut().for_each(compare_rows);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        number_equal_rows(&mut query.body);
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
            let op = match negated {
                false => BinaryOperator::PGRegexMatch,
                true => BinaryOperator::PGRegexNotMatch,
            };
            Some(Expr::Nested(Box::new(Expr::BinaryOp {
                left: expr.clone(),
                op,
                right: Box::new(Expr::value(Value::SingleQuotedString(regex))),
            })))
        }
        Expr::InList { list, negated, .. } if list.is_empty() => {
            Some(Expr::value(Value::Boolean(*negated)))
        }
        Expr::Cast {
            kind,
            data_type,
            expr,
            ..
        } => {
            let length = length_of(data_type)?;
            let call = match kind {
                CastKind::Cast | CastKind::DoubleColon => "CAST",
                CastKind::TryCast => "TRY_CAST",
                CastKind::SafeCast => return None,
            };
            let text = format!("left({call}($1 AS TEXT), {length})");
            expression(&text, std::slice::from_ref(expr.as_ref()))
        }
        _ => None,
    }
}

/// How many characters a text of the type has at most; `None` for every other type.
pub(super) fn length_of(data_type: &DataType) -> Option<u64> {
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
pub(super) fn similar_as_regex(pattern: &Expr, escape: Option<&ValueWithSpan>) -> Option<String> {
    let Expr::Value(pattern) = pattern else {
        return None;
    };
    let text = |value: &ValueWithSpan| match &value.value {
        Value::SingleQuotedString(text) => Some(text.clone()),
        _ => None,
    };
    let escape = match escape {
        None => Some('\\'),
        Some(escape) => {
            let escape = text(escape)?;
            let mut letters = escape.chars();
            let first = letters.next();
            if letters.next().is_some() {
                return None;
            }
            first
        }
    };
    Some(regex_of(&text(pattern)?, escape))
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

/// The names of the columns of a query; `None` where a star stands for some of them.
pub(super) fn column_names(body: &SetExpr) -> Option<Vec<String>> {
    match body {
        SetExpr::Select(select) => {
            let items = select.projection.iter().zip(1..);
            let names = items.map(|(item, number)| match item {
                SelectItem::ExprWithAlias { alias, .. } => Some(folded(alias)),
                SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(folded(name)),
                SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
                    parts.last().map(folded)
                }
                SelectItem::UnnamedExpr(_) => Some(format!("column{number}")),
                _ => None,
            });
            names
                .collect::<Option<Vec<_>>>()
                .filter(|names| !names.is_empty())
        }
        SetExpr::Query(query) => column_names(&query.body),
        SetExpr::SetOperation { left, .. } => column_names(left),
        SetExpr::Values(values) => {
            let first = values.rows.first()?;
            let numbers = 1..=first.content.len();
            Some(numbers.map(|number| format!("column{number}")).collect())
        }
        _ => None,
    }
}

fn folded(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_ascii_lowercase(),
    }
}

/// Writes EXCEPT ALL and INTERSECT ALL so that the first of equal rows meets the first, the second the second.
fn number_equal_rows(body: &mut SetExpr) {
    let SetExpr::SetOperation {
        op,
        set_quantifier,
        left,
        right,
    } = body
    else {
        return;
    };
    number_equal_rows(left);
    number_equal_rows(right);
    let op = match op {
        SetOperator::Except | SetOperator::Minus => "EXCEPT",
        SetOperator::Intersect => "INTERSECT",
        SetOperator::Union => return,
    };
    let names = column_names(left).filter(|_| *set_quantifier == SetQuantifier::All);
    let Some(names) = names else {
        return;
    };
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let columns: Vec<String> = (1..=names.len())
        .map(|number| format!("\"{number}\""))
        .collect();
    let columns = columns.join(", ");
    let side = |name: &str| {
        format!(
            "SELECT {columns}, row_number() OVER (PARTITION BY {columns}) AS n FROM (SELECT 1) AS \"{name}\" ({columns})"
        )
    };
    let given = names.iter().zip(1..);
    let given = given.map(|(name, number)| format!("\"{number}\" AS {}", quoted(name)));
    let given = given.collect::<Vec<_>>().join(", ");
    let text = format!(
        "SELECT {given} FROM ({} {op} {}) AS numbered",
        side("left side"),
        side("right side")
    );
    let Ok(mut query) = dialect::query(&text) else {
        return;
    };
    let mut sides = Sides {
        left: Some(left.as_ref().clone()),
        right: Some(right.as_ref().clone()),
    };
    let _: ControlFlow<()> = query.visit(&mut sides);
    *body = *query.body;
}

/// Writes `EXISTS (q)` of a list of SELECT as a count, outside of subqueries.
struct Existing {
    depth: usize,
}

impl VisitorMut for Existing {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Exists { subquery, negated } = expr
            && self.depth == 0
            && let Some(counted) = counted(subquery)
        {
            let text = match negated {
                false => "$1 > 0",
                true => "$1 = 0",
            };
            if let Some(other) = expression(text, &[Expr::Subquery(counted)]) {
                *expr = other;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The query that counts the rows of another; `None` where that has other rows than its FROM and WHERE say.
fn counted(query: &Query) -> Option<Box<Query>> {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return None;
    };
    let is_plain = |item: &SelectItem| match item {
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => true,
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => matches!(
            expr,
            Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_)
        ),
        _ => false,
    };
    let is_grouped = match &select.group_by {
        GroupByExpr::Expressions(keys, _) => !keys.is_empty(),
        GroupByExpr::All(_) => true,
    };
    let is_cut = query.limit_clause.is_some() || query.fetch.is_some();
    let is_changed = is_grouped
        || is_cut
        || select.having.is_some()
        || select.qualify.is_some()
        || select.from.is_empty()
        || !query.pipe_operators.is_empty();
    if is_changed || !select.projection.iter().all(is_plain) {
        return None;
    }
    let mut counting = dialect::query("SELECT count(*) AS \"counted rows\" FROM t").ok()?;
    let SetExpr::Select(count) = counting.body.as_mut() else {
        return None;
    };
    count.from.clone_from(&select.from);
    count.selection.clone_from(&select.selection);
    counting.with.clone_from(&query.with);
    Some(counting)
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
            if let Expr::Tuple(values) = expr.as_ref()
                && let Some(exists) = row_exists(values, subquery, *negated)
            {
                *condition = exists;
            }
        }
        _ => {}
    }
}

/// That a row is among those of a query, or certainly not.
fn row_exists(values: &[Expr], query: &Query, negated: bool) -> Option<Expr> {
    let names = column_names(&query.body)?;
    if names.len() != values.len() {
        return None;
    }
    let numbers = 1..=values.len();
    let columns: Vec<String> = numbers
        .clone()
        .map(|number| format!("\"{number}\""))
        .collect();
    let equal: Vec<String> = numbers
        .map(|number| format!("\"{number}\" = ${number}"))
        .collect();
    let (columns, equal) = (columns.join(", "), equal.join(" AND "));
    let rows = format!("SELECT 1 AS \"a row\" FROM (SELECT 1) AS \"left side\" ({columns})");
    let text = match negated {
        false => format!("EXISTS ({rows} WHERE {equal})"),
        true => format!("NOT EXISTS ({rows} WHERE ({equal}) IS NOT FALSE)"),
    };
    let mut exists = expression(&text, values)?;
    let mut sides = Sides {
        left: Some(SetExpr::Query(Box::new(query.clone()))),
        right: None,
    };
    let _: ControlFlow<()> = exists.visit(&mut sides);
    Some(exists)
}

/// Puts the two sides in their places.
struct Sides {
    left: Option<SetExpr>,
    right: Option<SetExpr>,
}

impl VisitorMut for Sides {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived {
            subquery,
            alias: Some(alias),
            ..
        } = factor
        {
            let side = match alias.name.value.as_str() {
                "left side" => self.left.take(),
                "right side" => self.right.take(),
                _ => None,
            };
            match side {
                Some(SetExpr::Query(query)) => *subquery = query,
                Some(side) => *subquery.body = side,
                None => {}
            }
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
