//! A statement as it was written, for those who plan it or answer it without a plan.

use sqlparser::ast::{
    Ident, ObjectName, Query, Reset, ResetStatement, Statement as SqlStatement, UtilityOption,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// A statement, and how its plan is to be shown where that is asked for.
#[derive(Debug, Clone)]
pub struct Written {
    /// What an EXPLAIN in front of it says.
    pub explain: Option<Explain>,
    /// The statement, without the EXPLAIN.
    pub sql: Box<SqlStatement>,
}

/// How a plan is shown, and whether it is run for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explain {
    /// `EXPLAIN [ANALYZE] [VERBOSE] [FORMAT <format>]`.
    Words {
        /// Whether it is run.
        analyze: bool,
        /// Whether all steps are shown.
        verbose: bool,
        /// The name of a format.
        format: Option<String>,
    },
    /// `EXPLAIN (<option> …, …)`.
    Options(Vec<UtilityOption>),
}

impl From<SqlStatement> for Written {
    fn from(sql: SqlStatement) -> Self {
        Self {
            explain: None,
            sql: Box::new(sql),
        }
    }
}

impl From<Box<Query>> for Written {
    fn from(query: Box<Query>) -> Self {
        SqlStatement::Query(query).into()
    }
}

impl Written {
    /// Parses a statement, all that the parser has left.
    ///
    /// # Errors
    /// What is no SQL.
    pub(super) fn parse(parser: &mut Parser<'_>) -> Result<Self, ParserError> {
        let explain = if parser.parse_keyword(Keyword::EXPLAIN) {
            Some(Explain::parse(parser)?)
        } else {
            None
        };
        let sql = if parser.parse_keyword(Keyword::RESET) {
            parse_reset(parser)?
        } else {
            parser.parse_statement()?
        };
        let sql = Box::new(sql);
        Ok(Self { explain, sql })
    }

    /// The statement, if its plan is not to be shown.
    pub(crate) fn unexplained(&self) -> Option<&SqlStatement> {
        self.explain.is_none().then_some(self.sql.as_ref())
    }

    /// The same, to be changed.
    pub(crate) fn unexplained_mut(&mut self) -> Option<&mut SqlStatement> {
        self.explain.is_none().then_some(self.sql.as_mut())
    }
}

impl Explain {
    /// What stands between EXPLAIN and the statement.
    fn parse(parser: &mut Parser<'_>) -> Result<Self, ParserError> {
        if parser.peek_token_ref().token == Token::LParen
            && !begins_query(&parser.peek_nth_token(1))
        {
            return parser.parse_utility_options().map(Self::Options);
        }
        let analyze = parser.parse_keyword(Keyword::ANALYZE);
        let verbose = parser.parse_keyword(Keyword::VERBOSE);
        let format = if parser.parse_keyword(Keyword::FORMAT) {
            Some(format(parser)?)
        } else {
            None
        };
        Ok(Self::Words {
            analyze,
            verbose,
            format,
        })
    }
}

fn format(parser: &mut Parser<'_>) -> Result<String, ParserError> {
    let next = parser.next_token();
    match next.token {
        Token::Word(word) => Ok(word.value),
        Token::SingleQuotedString(text) | Token::DoubleQuotedString(text) => Ok(text),
        _ => parser.expected("an explain format such as TREE", next),
    }
}

/// Whether a parenthesis in front of this is that of a query, and not of options.
fn begins_query(token: &TokenWithSpan) -> bool {
    match &token.token {
        Token::LParen => true,
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::SELECT
                | Keyword::WITH
                | Keyword::VALUES
                | Keyword::TABLE
                | Keyword::INSERT
                | Keyword::UPDATE
                | Keyword::DELETE
                | Keyword::MERGE
        ),
        _ => false,
    }
}

/// What stands behind RESET: the words of a setting, with points between them or without (`TIME ZONE`).
fn parse_reset(parser: &mut Parser<'_>) -> Result<SqlStatement, ParserError> {
    let mut parts = Vec::new();
    let mut is_complete = false;
    loop {
        let next = parser.peek_token();
        match next.token {
            Token::Word(word) => parts.push(Ident::new(word.value)),
            Token::SingleQuotedString(text)
            | Token::DoubleQuotedString(text)
            | Token::EscapedStringLiteral(text) => parts.push(Ident::new(text)),
            Token::Period if is_complete => {}
            Token::EOF if is_complete => break,
            _ => return parser.expected("configuration parameter", next),
        }
        is_complete = parser.next_token().token != Token::Period;
    }
    let reset = Reset::ConfigurationParameter(ObjectName::from(parts));
    Ok(SqlStatement::Reset(ResetStatement { reset }))
}
