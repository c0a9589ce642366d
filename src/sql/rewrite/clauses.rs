//! Short forms of DuckDB and PostgreSQL, spelled out where a statement is parsed.
//!
//! | written | spelled out |
//! |---|---|
//! | `FROM t WHERE …` | `SELECT * FROM t WHERE …` |
//! | `TABLE t` | `SELECT * FROM t` |
//! | `SEMI JOIN`, `ANTI JOIN` | `LEFT SEMI JOIN`, `LEFT ANTI JOIN` |
//! | `ORDER BY ALL` over expressions | `ORDER BY 1, 2, …` |

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, JoinOperator, OrderByExpr, OrderByKind, Query, Select, Value, VisitMut, VisitorMut,
};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::expressions::column_count;

/// The tokens with a SELECT in front of every query that begins with FROM and has none, and for every TABLE that a query
/// begins with; `None` where there is no such query.
pub(crate) fn with_select(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let mut places = places(tokens);
    if places.is_empty() {
        return None;
    }
    places.sort_unstable();
    let mut spelled = Vec::with_capacity(tokens.len() + 2 * places.len());
    for (at, token) in tokens.iter().enumerate() {
        let is_place = places.binary_search(&at).is_ok();
        if is_place {
            let words = [Token::make_keyword("SELECT"), Token::Mul];
            let words = words.map(|word| TokenWithSpan::new(word, token.span));
            spelled.extend(words);
        }
        let kept = if is_place && keyword_of(token) == Keyword::TABLE {
            TokenWithSpan::new(Token::make_keyword("FROM"), token.span)
        } else {
            token.clone()
        };
        spelled.push(kept);
    }
    Some(spelled)
}

/// What is in one pair of brackets, or in none.
#[derive(Default)]
struct Group {
    /// Something stands in it already.
    has_begun: bool,
    /// It begins with a list of WITH, which goes on.
    is_with: bool,
    /// It is no query: `trim(FROM x)`, `CREATE TABLE way (from INT, to INT)`.
    is_list: bool,
    /// Where its query begins with FROM or TABLE.
    short: Option<usize>,
    has_select: bool,
}

impl Group {
    fn place(&self) -> Option<usize> {
        self.short.filter(|_| !self.has_select)
    }
}

/// What a query in brackets may stand behind.
const OPENING: [Keyword; 21] = [
    Keyword::ALL,
    Keyword::AND,
    Keyword::ANY,
    Keyword::AS,
    Keyword::BY,
    Keyword::COPY,
    Keyword::ELSE,
    Keyword::EXCEPT,
    Keyword::EXISTS,
    Keyword::FROM,
    Keyword::IN,
    Keyword::INTERSECT,
    Keyword::JOIN,
    Keyword::LATERAL,
    Keyword::NOT,
    Keyword::OR,
    Keyword::SELECT,
    Keyword::SOME,
    Keyword::THEN,
    Keyword::UNION,
    Keyword::WHERE,
];

fn places(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut outer: Vec<Group> = Vec::new();
    let mut group = Group::default();
    let mut opens_query = true;
    for (at, token) in tokens.iter().enumerate() {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::LParen => {
                group.has_begun = true;
                let inner = Group {
                    is_list: !opens_query,
                    ..Group::default()
                };
                outer.push(std::mem::replace(&mut group, inner));
            }
            Token::RParen => {
                found.extend(group.place());
                group = outer.pop().unwrap_or_default();
                group.has_begun = true;
            }
            _ => see(&mut group, at, keyword_of(token)),
        }
        opens_query = match &token.token {
            Token::Word(_) => OPENING.contains(&keyword_of(token)),
            _ => true,
        };
    }
    found.extend(group.place());
    found.extend(outer.iter().filter_map(Group::place));
    found
}

/// A token that is no bracket, by its keyword.
fn see(group: &mut Group, at: usize, keyword: Keyword) {
    let begins = (!group.has_begun && !group.is_list) || group.is_with;
    match keyword {
        Keyword::FROM | Keyword::TABLE if begins => {
            group.short = Some(at);
            group.is_with = false;
        }
        Keyword::WITH if !group.has_begun => group.is_with = true,
        Keyword::SELECT => {
            group.has_select = true;
            group.is_with = false;
        }
        Keyword::INSERT | Keyword::UPDATE | Keyword::DELETE | Keyword::MERGE | Keyword::VALUES => {
            group.is_with = false;
        }
        _ => {}
    }
    group.has_begun = true;
}

fn keyword_of(token: &TokenWithSpan) -> Keyword {
    match &token.token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// A word of each form that [`write_out`] spells out.
pub(crate) const WORDS: [&str; 3] = ["all", "semi", "anti"];

/// Spells out what is parsed.
pub(crate) fn write_out(tree: &mut impl VisitMut) {
    let _: ControlFlow<()> = tree.visit(&mut Short);
}

struct Short;

impl VisitorMut for Short {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let Some(order) = &mut query.order_by else {
            return ControlFlow::Continue(());
        };
        if let (OrderByKind::All(options), Some(columns)) = (&order.kind, column_count(&query.body))
        {
            let position = |position: usize| OrderByExpr {
                expr: Expr::value(Value::Number(position.to_string(), false)),
                options: *options,
                with_fill: None,
            };
            order.kind = OrderByKind::Expressions((1..=columns).map(position).collect());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let joins = select.from.iter_mut().flat_map(|table| &mut table.joins);
        for join in joins {
            match &mut join.join_operator {
                JoinOperator::Semi(on) => join.join_operator = JoinOperator::LeftSemi(on.clone()),
                JoinOperator::Anti(on) => join.join_operator = JoinOperator::LeftAnti(on.clone()),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use sqlparser::tokenizer::Tokenizer;

    use super::*;
    use crate::sql::dialect::HaliteDialect;

    fn spelled(sql: &str) -> String {
        let dialect = HaliteDialect::new(0);
        let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location();
        let tokens = tokens.unwrap();
        let spelled = with_select(&tokens).unwrap_or(tokens);
        let words = spelled
            .iter()
            .filter(|it| !matches!(it.token, Token::Whitespace(_)));
        words
            .map(|it| it.token.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn queries_that_begin_with_from_have_a_select() {
        for (sql, expected) in [
            ("FROM t WHERE a", "SELECT * FROM t WHERE a"),
            ("TABLE t", "SELECT * FROM t"),
            ("FROM t SELECT a", "FROM t SELECT a"),
            (
                "FROM (FROM t) LIMIT 1",
                "SELECT * FROM ( SELECT * FROM t ) LIMIT 1",
            ),
            (
                "WITH x AS (FROM t) FROM x",
                "WITH x AS ( SELECT * FROM t ) SELECT * FROM x",
            ),
            (
                "SELECT trim(FROM a) FROM t",
                "SELECT trim ( FROM a ) FROM t",
            ),
            (
                "SELECT extract(DAY FROM a) FROM t",
                "SELECT extract ( DAY FROM a ) FROM t",
            ),
            ("DELETE FROM t", "DELETE FROM t"),
            (
                "WITH x AS (SELECT 1) DELETE FROM t",
                "WITH x AS ( SELECT 1 ) DELETE FROM t",
            ),
            ("CREATE TABLE t (a INT)", "CREATE TABLE t ( a INT )"),
            (
                "CREATE TABLE t (from INT, to INT)",
                "CREATE TABLE t ( from INT , to INT )",
            ),
            (
                "INSERT INTO t (table, a) VALUES (1, 2)",
                "INSERT INTO t ( table , a ) VALUES ( 1 , 2 )",
            ),
            ("SELECT max(from) FROM t", "SELECT max ( from ) FROM t"),
            (
                "SELECT a IN (FROM t) FROM u",
                "SELECT a IN ( SELECT * FROM t ) FROM u",
            ),
            ("COPY (TABLE t) TO 'f'", "COPY ( SELECT * FROM t ) TO 'f'"),
            ("SELECT \"from\" FROM t", "SELECT \"from\" FROM t"),
            (") FROM t", ") FROM t"),
        ] {
            assert_eq!(spelled(sql), expected, "{sql}");
        }
    }
}
