//! The guard: SQL too deep to be planned is refused before it can crash or hang the program.
//!
//! sqlparser, DataFusion's planner and the `Drop` of an expression recurse over the shape of a statement. The guard
//! bounds that shape on the tokens, before anything recurses, and on the syntax tree what the plan would make of it
//! (`expansion`):
//!
//! | what is counted in a statement | limit | what it bounds |
//! |---|---|---|
//! | nested `(`, `[`, `{` | [`MAX_NESTING`] | recursion of the parser and planner |
//! | terms of `AND` and `OR` around one place (the `AND` of a `BETWEEN` is none) | [`MAX_CHAIN`] | depth of a predicate; planning grows with its square |
//! | terms of `AND` and `OR` in all | [`MAX_TERMS`] | size of a predicate |
//! | operators of one expression (`1 + 1 + …`, `a || b || …`, `x::INT::INT…`) | [`MAX_OPERATORS`] | depth of an expression; planning grows with its square |
//! | nested `CASE … END` | [`MAX_CASES`] | recursion of the parser and planner |
//! | `NOT`s and signs in a row (`NOT NOT …`, `- - 1`) | [`MAX_PREFIXES`] | recursion of the parser and planner |
//! | nested subqueries in expressions (not those in `FROM`) | [`MAX_SUBQUERIES`] | DataFusion plans each level twice |
//! | subqueries in expressions | [`MAX_ALL_SUBQUERIES`] | each is a join or more; planning grows with the cube |
//! | `UNION`, `EXCEPT`, `INTERSECT` | [`MAX_SET_OPERATIONS`] | depth of a plan |
//! | pipes, `\|>` | [`MAX_PIPES`] | depth of a plan, of which each level may have a column more than the one below |
//! | joined tables; `EXCEPT`, `INTERSECT`; `UNION BY NAME` | [`MAX_JOINS`] each | depth of a plan |
//! | queries in `WITH` | [`MAX_NAMED`] | depth of a plan |
//! | tables that are read, those of a query in `WITH` once for each place that names it | [`MAX_TABLES`] | size of a plan |
//! | columns of a table, of VALUES, of all SELECTs | [`MAX_COLUMNS`] | planning grows with its square |
//! | columns of a SELECT with one name; functions of a HAVING; keys of ORDER BY, GROUP BY, DISTINCT ON, of an aggregate's order; values of a row | [`MAX_KEYS`] | planning grows with its square |
//! | arms of a MERGE, constraints of a table | [`MAX_ARMS`] | planning grows with the square |
//! | window functions, keys of a window | [`MAX_WINDOWS`] | depth of a plan, of which each level has the columns of all below |
//! | grouping sets, those of CUBE and ROLLUP written out | [`MAX_GROUPING_SETS`] | size of a plan, and of each row on its way |
//! | parts of a key, columns of USING, equal columns of a join, rows compared with one row each | [`MAX_KEYS`] | planning grows with its square |
//! | rows in lists: `(a, b) IN ((1, 2), …)` | [`MAX_ROWS_COMPARED`] | size of a predicate |
//! | values of lists that are no constants, regular expressions, operators of a CHECK, a DEFAULT or a generated column | [`MAX_ARGUMENTS`] | planning grows with its square, or each is compiled |
//! | calls with FILTER, which the columns of a PIVOT are | [`MAX_FILTERED`] | planning grows with its square |
//! | aggregates of a grouping, lambdas | [`MAX_AGGREGATES`] each | planning grows with its square |
//! | arguments of a function, values of a list, keys of a map, arms of a CASE | [`MAX_ARGUMENTS`] | planning grows with its square |
//! | parts of a name: `a.b.c` | [`MAX_NAME_PARTS`] | recursion of the planner, which wraps a field in each |
//! | bytes of a part of a name | [`MAX_NAME_BYTES`] | what is unknown is compared with all that is known |
//! | wildcards of a pattern behind LIKE | [`MAX_WILDCARDS`] | size of the automaton that it becomes |
//! | bytes of a text | [`MAX_TEXT`] | memory of the tokens and the syntax tree |
//! | `EXPLAIN`s | [`MAX_EXPLAINS`] | recursion of the parser |
//!
//! Long chains of `AND` and `OR` come in brackets (`super::chains`), so that no level of them holds many terms; where
//! they cannot be bracketed, as around a `CASE`, [`MAX_CHAIN`] holds. Lists of values are not counted: `IN (…)` and `VALUES (…), (…)` may be as long as they like.
//! All of them together, and whatever else nests, is bounded by the parser's own [`RECURSION_LIMIT`], and malformed text on which the parser backtracks by the budget of
//! [`HaliteDialect`](crate::sql::dialect::HaliteDialect). Within these limits a statement parses and plans on the stack of
//! [`crate::sql::stack`]; one that is far below all of them, on that of any thread.

pub(crate) mod expansion;
mod width;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use crate::error::{Error, Result};
use crate::sql::stack::Depth;

/// Deepest nesting of parentheses, brackets and braces.
pub const MAX_NESTING: usize = 50;

/// Most terms of `AND` and `OR` that stand around one place of a statement, at its level of parentheses and outside.
pub const MAX_CHAIN: usize = 2_000;

/// Most terms of `AND` and `OR` in a statement.
pub const MAX_TERMS: usize = 4_000;

/// Most operators in one expression between its commas, `AND`s and `OR`s.
pub const MAX_OPERATORS: usize = 500;

/// Deepest nesting of `CASE`.
pub const MAX_CASES: usize = 50;

/// Most `NOT`s and signs in a row.
pub const MAX_PREFIXES: usize = 50;

/// Deepest nesting of subqueries in expressions.
pub const MAX_SUBQUERIES: usize = 10;

/// Most subqueries in the expressions of a statement.
pub const MAX_ALL_SUBQUERIES: usize = 50;

/// Most set operations (`UNION`, `EXCEPT`, `INTERSECT`) in a statement.
pub const MAX_SET_OPERATIONS: usize = 500;

/// Most pipes, `|>`, in a statement.
pub const MAX_PIPES: usize = 100;

/// Most tables joined in a statement.
pub const MAX_JOINS: usize = 100;

/// Most queries that a statement's `WITH`s give names to: each may read the one before.
pub const MAX_NAMED: usize = 200;

/// Most tables that a statement reads, each as often as it is planned: a query in `WITH` is planned anew for each place
/// that reads it.
pub const MAX_TABLES: u64 = 1_000;

/// Most `EXPLAIN`s in front of a statement. DataFusion plans one.
pub const MAX_EXPLAINS: usize = 10;

/// Most columns of a table, of a `VALUES`, and of all `SELECT`s of a statement.
pub const MAX_COLUMNS: usize = 2_000;

/// Most columns that a part of a plan may have, those of stars written out.
pub const MAX_PLANNED_COLUMNS: usize = 4_000;

/// Most keys of an `ORDER BY`, a `GROUP BY`, a `DISTINCT ON` or an aggregate's order, most values of a row, and most columns of a
/// `SELECT` that have one name.
pub const MAX_KEYS: usize = 500;

/// Most `WHEN`s of a `MERGE`, and most constraints of a table.
pub const MAX_ARMS: usize = 200;

/// Most window functions in a statement, and most keys of a window.
pub const MAX_WINDOWS: usize = 100;

/// Most grouping sets of a `GROUP BY`.
pub const MAX_GROUPING_SETS: usize = 1_024;

/// Most rows that a statement compares with lists; one that is longer by itself is joined.
pub const MAX_ROWS_COMPARED: usize = 5_000;

/// Most arguments of a function, values of a list in brackets, arms of a `CASE`.
pub const MAX_ARGUMENTS: usize = 2_000;

/// Most calls with a `FILTER`, which the columns of a `PIVOT` are.
pub const MAX_FILTERED: usize = 500;

/// Most aggregates of a grouping, and most lambdas of a statement.
pub const MAX_AGGREGATES: usize = 500;

/// Most parts of a name.
pub const MAX_NAME_PARTS: usize = 16;

/// Most bytes of a part of a name.
pub const MAX_NAME_BYTES: usize = 10_000;

/// Most wildcards in a pattern that is written behind `LIKE`.
pub const MAX_WILDCARDS: usize = 1_000;

/// Most bytes of a text of statements that is parsed at once.
pub const MAX_TEXT: usize = 64 << 20;

/// How deep the parser may recurse. A nested parenthesis takes up to four levels.
pub const RECURSION_LIMIT: usize = 400;

/// A statement is shallow if it has no more than this of anything that is counted.
const SHALLOW: usize = 8;

/// Refuses a script that holds a statement too deep to be planned.
#[cfg(test)]
fn guard(sql: &str) -> Result<()> {
    let tokens = crate::sql::token::tokenize(sql)?;
    let mut statements = tokens.split(|token| token.token == Token::SemiColon);
    statements.try_for_each(|statement| {
        let bracketed = super::chains::bracketed(statement);
        check(bracketed.as_deref().unwrap_or(statement)).map(drop)
    })
}

/// Refuses a text of more than `most` bytes, before anything is made of it.
pub(crate) fn check_length(sql: &str, most: usize) -> Result<()> {
    if sql.len() <= most {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "the text is too long to be parsed at once: {} bytes, more than {most} (a 64th of halite.memory_limit, and 64 MiB at \
         most); rows of a file are read by COPY",
        sql.len()
    )))
}

/// Refuses one statement, given as tokens, when it is too deep to be planned; says how deep it is.
pub(crate) fn check(tokens: &[TokenWithSpan]) -> Result<Depth> {
    let mut shape = Shape::default();
    for token in tokens {
        shape.take(&token.token)?;
    }
    Ok(if shape.most <= SHALLOW {
        Depth::Shallow
    } else {
        Depth::Deep
    })
}

/// What has been counted so far.
#[derive(Default)]
struct Shape {
    /// The most of anything.
    most: usize,
    /// The expression being read at each level of parentheses around the current one.
    outer: Vec<Level>,
    level: Level,
    /// Terms of the levels around the current one.
    around: usize,
    terms: usize,
    /// For each `CASE` that is open, the operators of the expression that it stands in.
    cases: Vec<usize>,
    prefixes: usize,
    subqueries: usize,
    set_operations: usize,
    differences: usize,
    unions_by_name: usize,
    after_union: bool,
    joins: usize,
    pipes: usize,
    named: usize,
    explains: usize,
    /// Parts of the name that is being read.
    name_parts: usize,
    after_period: bool,
    /// Whether a pattern may follow: after `LIKE`.
    before_pattern: bool,
    /// Whether a query that `WITH` names may begin: after `AS`.
    after_as: bool,
    after_is: bool,
    /// Whether a parenthesis that opens now holds a source of rows, not an expression.
    before_source: bool,
    /// Whether the last token opened a parenthesis.
    opened: bool,
}

/// One level of parentheses.
#[derive(Default)]
struct Level {
    operators: usize,
    /// Terms of `AND` and `OR`.
    terms: usize,
    /// `BETWEEN`s that wait for their `AND`.
    betweens: usize,
    /// After `FROM`, where a comma joins.
    from: bool,
    /// Whether it holds a source of rows: what stands in `FROM`, or an operand of `UNION`.
    source: bool,
    /// Whether it holds a subquery of an expression.
    subquery: bool,
}

impl Level {
    /// A new clause begins.
    fn clause(&mut self, from: bool) {
        self.expression();
        self.from = from;
    }

    /// A new expression begins.
    fn expression(&mut self) {
        self.operators = 0;
        self.betweens = 0;
        self.terms = 0;
    }
}

impl Shape {
    fn take(&mut self, token: &Token) -> Result<()> {
        match token {
            Token::Whitespace(_) => return Ok(()),
            Token::LParen | Token::LBracket | Token::LBrace => self.open(token)?,
            Token::RParen | Token::RBracket | Token::RBrace => {
                self.subqueries -= usize::from(self.level.subquery);
                self.level = self.outer.pop().unwrap_or_default();
                self.around -= self.level.terms.min(self.around);
            }
            Token::Comma => self.comma()?,
            Token::Word(word) => self.word(word)?,
            Token::VerticalBarRightAngleBracket => {
                self.level.clause(false);
                self.pipes += 1;
                self.limit(self.pipes, MAX_PIPES, "pipes")?;
            }
            token if is_operand(token) => {}
            _ => self.operator()?,
        }
        self.prefix(token)?;
        self.name(token)?;
        self.pattern(token)?;
        let distinct_from = self.after_is;
        self.after_is = matches!(token, Token::Word(word) if follows_is(word, distinct_from));
        self.after_as = matches!(token, Token::Word(word) if word.keyword == Keyword::AS);
        self.after_union = match token {
            Token::Word(word) => match word.keyword {
                Keyword::UNION => true,
                Keyword::ALL | Keyword::DISTINCT | Keyword::BY => self.after_union,
                _ => false,
            },
            _ => false,
        };
        self.opened = *token == Token::LParen;
        self.before_source = match token {
            Token::LParen => self.level.source,
            Token::Comma => self.level.from,
            Token::Word(word) => !distinct_from && before_source(word),
            _ => false,
        };
        Ok(())
    }

    fn open(&mut self, token: &Token) -> Result<()> {
        if *token == Token::LBracket {
            self.operator()?;
        }
        let inner = Level {
            source: self.before_source,
            ..Level::default()
        };
        self.around += self.level.terms;
        self.outer.push(std::mem::replace(&mut self.level, inner));
        if *token == Token::LParen && self.after_as {
            self.named += 1;
            self.limit(self.named, MAX_NAMED, "queries with a name")?;
        }
        self.limit(self.outer.len(), MAX_NESTING, "nested parentheses")
    }

    fn comma(&mut self) -> Result<()> {
        self.level.expression();
        if self.level.from { self.join() } else { Ok(()) }
    }

    fn word(&mut self, word: &Word) -> Result<()> {
        match word.keyword {
            Keyword::AND if self.level.betweens > 0 => self.level.betweens -= 1,
            Keyword::AND | Keyword::OR => {
                self.level.operators = 0;
                self.term()?;
            }
            Keyword::BETWEEN => {
                self.level.betweens += 1;
                self.operator()?;
            }
            Keyword::IS
            | Keyword::IN
            | Keyword::LIKE
            | Keyword::ILIKE
            | Keyword::SIMILAR
            | Keyword::RLIKE
            | Keyword::REGEXP
            | Keyword::MATCH
            | Keyword::MEMBER
            | Keyword::OVERLAPS
            | Keyword::OPERATOR
            | Keyword::XOR
            | Keyword::DIV
            | Keyword::AT
            | Keyword::COLLATE => self.operator()?,
            Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::MINUS => {
                self.level.clause(false);
                self.set_operations += 1;
                self.limit(self.set_operations, MAX_SET_OPERATIONS, "set operations")?;
                // Those are joins, and count the rows of both sides.
                self.differences += usize::from(word.keyword != Keyword::UNION);
                self.limit(self.differences, MAX_JOINS, "EXCEPTs and INTERSECTs")?;
            }
            Keyword::JOIN => self.join()?,
            Keyword::EXPLAIN => {
                self.explains += 1;
                self.limit(self.explains, MAX_EXPLAINS, "EXPLAINs")?;
            }
            // `IS DISTINCT FROM` is an operator, not a clause.
            Keyword::FROM if !self.after_is => self.level.clause(true),
            Keyword::SELECT | Keyword::VALUES | Keyword::WITH => {
                self.level.clause(false);
                if self.opened && !self.level.source {
                    self.level.subquery = true;
                    self.subqueries += 1;
                    self.limit(self.subqueries, MAX_SUBQUERIES, "nested subqueries")?;
                }
            }
            Keyword::WHERE
            | Keyword::GROUP
            | Keyword::ORDER
            | Keyword::HAVING
            | Keyword::LIMIT
            | Keyword::SET => self.level.clause(false),
            Keyword::CASE | Keyword::END => self.case(word.keyword)?,
            Keyword::NAME if self.after_union => {
                self.unions_by_name += 1;
                self.limit(self.unions_by_name, MAX_JOINS, "UNIONs BY NAME")?;
            }
            Keyword::WHEN | Keyword::THEN | Keyword::ELSE | Keyword::ON => self.level.operators = 0,
            _ => {}
        }
        Ok(())
    }

    /// A CASE begins, or ends: the expression around it goes on behind it.
    fn case(&mut self, keyword: Keyword) -> Result<()> {
        if keyword == Keyword::CASE {
            self.cases.push(std::mem::take(&mut self.level.operators));
        } else if let Some(outside) = self.cases.pop() {
            self.level.operators = outside;
        }
        self.limit(self.cases.len(), MAX_CASES, "nested CASEs")
    }

    fn term(&mut self) -> Result<()> {
        self.level.terms += 1;
        self.terms += 1;
        let around = self.around + self.level.terms;
        self.limit(around + 1, MAX_CHAIN, "terms of AND and OR in one chain")?;
        self.limit(self.terms + 1, MAX_TERMS, "terms of AND and OR")
    }

    /// Counts what may stand before an operand, as long as none comes.
    fn prefix(&mut self, token: &Token) -> Result<()> {
        let is_prefix = match token {
            Token::Minus | Token::Plus | Token::Tilde => true,
            // `INTERVAL INTERVAL '1 day'`: the parser recurses, and does not count it.
            Token::Word(word) => matches!(
                word.keyword,
                Keyword::NOT | Keyword::INTERVAL | Keyword::PRIOR | Keyword::CONNECT_BY_ROOT
            ),
            _ => false,
        };
        self.prefixes = if is_prefix { self.prefixes + 1 } else { 0 };
        self.limit(self.prefixes, MAX_PREFIXES, "signs and NOTs in a row")
    }

    /// Counts the parts of a name.
    fn name(&mut self, token: &Token) -> Result<()> {
        match token {
            Token::Period => self.name_parts += 1,
            // The part behind a period; else a name begins, if it is one.
            _ if self.after_period => {}
            _ => self.name_parts = 1,
        }
        self.after_period = *token == Token::Period;
        let bytes = match token {
            Token::Word(word) => word.value.len(),
            _ => 0,
        };
        // However deep, a name is none.
        limit(bytes, MAX_NAME_BYTES, "bytes of a name")?;
        self.limit(self.name_parts, MAX_NAME_PARTS, "parts of a name")
    }

    /// Counts the wildcards of a pattern.
    fn pattern(&mut self, token: &Token) -> Result<()> {
        let pattern = match token {
            Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => text.as_str(),
            _ => "",
        };
        if self.before_pattern {
            let wildcards = pattern.bytes().filter(|it| matches!(it, b'%' | b'_'));
            self.limit(wildcards.count(), MAX_WILDCARDS, "wildcards in a pattern")?;
        }
        self.before_pattern = match token {
            Token::Word(word) => {
                let operators = [Keyword::LIKE, Keyword::ILIKE, Keyword::TO];
                operators.contains(&word.keyword)
            }
            _ => false,
        };
        Ok(())
    }

    fn operator(&mut self) -> Result<()> {
        self.level.operators += 1;
        self.limit(
            self.level.operators,
            MAX_OPERATORS,
            "operators in one expression",
        )
    }

    /// Counts what bounds how deep the statement is.
    fn limit(&mut self, count: usize, most: usize, what: &str) -> Result<()> {
        self.most = self.most.max(count);
        limit(count, most, what)
    }

    fn join(&mut self) -> Result<()> {
        self.level.operators = 0;
        self.joins += 1;
        self.limit(self.joins + 1, MAX_JOINS, "joined tables")
    }
}

/// Tokens that an expression is made of beside its operators.
fn is_operand(token: &Token) -> bool {
    matches!(
        token,
        Token::EOF
            | Token::Period
            | Token::SemiColon
            | Token::Number(..)
            | Token::Placeholder(_)
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::TripleSingleQuotedString(_)
            | Token::TripleDoubleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::NationalStringLiteral(_)
            | Token::EscapedStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::HexStringLiteral(_)
    )
}

/// Whether the word continues `IS [NOT] DISTINCT` up to its `FROM`.
fn follows_is(word: &Word, after_is: bool) -> bool {
    match word.keyword {
        Keyword::IS => true,
        Keyword::NOT | Keyword::DISTINCT => after_is,
        _ => false,
    }
}

/// Whether a parenthesis after the word holds a source of rows.
fn before_source(word: &Word) -> bool {
    matches!(
        word.keyword,
        Keyword::FROM
            | Keyword::JOIN
            | Keyword::LATERAL
            | Keyword::AS
            | Keyword::UNION
            | Keyword::EXCEPT
            | Keyword::INTERSECT
    )
}

fn limit(count: usize, most: usize, what: &str) -> Result<()> {
    if count <= most {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "the statement is too deep to be planned: more than {most} {what}"
    )))
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
