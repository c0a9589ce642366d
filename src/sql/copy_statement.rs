//! `COPY` as Halite reads it: sqlparser knows no COMPRESSION, and DataFusion's parser no `COPY … FROM`.
//!
//! ```text
//! COPY table [(column, …)] FROM { 'file' | STDIN } [[WITH] (option [value], …)]
//! COPY { table [(column, …)] | (query) } TO { 'file' | STDOUT } [STORED AS format] [[WITH] (option [value], …)]
//! ```

use std::fmt;
use std::sync::Arc;

use sqlparser::ast::{Ident, ObjectName, Query};
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};
use tempfile::TempPath;

use super::limits::guard;
use crate::write::copy::{CopyDirection, STANDARD};

/// A parsed COPY.
#[derive(Debug, Clone)]
pub struct CopyStatement {
    /// What is copied, or where to.
    pub source: CopySource,
    /// Which way.
    pub direction: CopyDirection,
    /// The file; of `COPY … FROM` also a pattern.
    pub file: String,
    /// The options, as they were written.
    pub options: Vec<CopyOption>,
    /// `PARTITION_BY (column, …)`.
    pub partition_by: Vec<Ident>,
    /// The rows of `COPY … FROM STDIN` where they stand behind it in a script.
    pub rows: Option<ScriptRows>,
}

/// Rows that stand in a script, behind their COPY.
#[derive(Debug, Clone)]
pub struct ScriptRows {
    /// A file that has them alone.
    pub file: Arc<TempPath>,
    /// What errors call the script.
    pub script: String,
    /// The line of the script on which they begin, from 1.
    pub line: u64,
}

/// What stands before FROM or TO.
#[derive(Debug, Clone)]
pub enum CopySource {
    /// A table, or some of its columns.
    Table {
        /// Its name.
        name: ObjectName,
        /// The columns; all, if there are none.
        columns: Vec<Ident>,
    },
    /// The rows of a query.
    Query(Box<Query>),
}

/// An option: its name and its value, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyOption {
    /// The name, in upper case.
    pub name: String,
    /// The value as text, without quotes.
    pub value: Option<String>,
}

impl CopyStatement {
    /// Parses the tokens of a statement that starts with COPY.
    pub(crate) fn parse(
        dialect: &dyn Dialect,
        tokens: &[TokenWithSpan],
    ) -> Result<Self, ParserError> {
        let mut parser = Parser::new(dialect)
            .with_recursion_limit(guard::RECURSION_LIMIT)
            .with_tokens_with_locations(tokens.to_vec());
        parser.expect_keyword(Keyword::COPY)?;
        let source = parse_source(&mut parser)?;
        let direction = match parser.expect_one_of_keywords(&[Keyword::FROM, Keyword::TO])? {
            Keyword::FROM => CopyDirection::From,
            _ => CopyDirection::To,
        };
        let file = parse_file(&mut parser, direction)?;
        let (mut options, mut partitioned) = (Vec::new(), Vec::new());
        if parser.parse_keywords(&[Keyword::STORED, Keyword::AS]) {
            options.push(CopyOption {
                name: "FORMAT".to_owned(),
                value: Some(parser.parse_identifier()?.value),
            });
        }
        let with = parser.parse_keyword(Keyword::WITH);
        if with || parser.peek_token_ref().token == Token::LParen {
            parser.expect_token(&Token::LParen)?;
            let given = parser.parse_comma_separated(|parser| match partition_by(parser)? {
                Some(columns) => {
                    partitioned.extend(columns);
                    Ok(None)
                }
                None => parse_option(parser).map(Some),
            })?;
            options.extend(given.into_iter().flatten());
            parser.expect_token(&Token::RParen)?;
        }
        if parser.peek_token_ref().token != Token::EOF {
            let hint =
                "end of statement; options stand in parentheses, such as (FORMAT csv, HEADER)";
            return parser.expected_ref(hint, parser.peek_token_ref());
        }
        Ok(Self {
            source,
            direction,
            file,
            options,
            partition_by: partitioned,
            rows: None,
        })
    }
}

/// `PARTITION_BY (a, b)`, `PARTITION_BY a`.
fn partition_by(parser: &mut Parser) -> Result<Option<Vec<Ident>>, ParserError> {
    let is_named = matches!(&parser.peek_token_ref().token, Token::Word(word)
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("partition_by"));
    if !is_named {
        return Ok(None);
    }
    parser.advance_token();
    if !parser.consume_token(&Token::LParen) {
        return Ok(Some(vec![parser.parse_identifier()?]));
    }
    let columns = parser.parse_comma_separated(Parser::parse_identifier)?;
    parser.expect_token(&Token::RParen)?;
    Ok(Some(columns))
}

fn parse_source(parser: &mut Parser) -> Result<CopySource, ParserError> {
    if parser.consume_token(&Token::LParen) {
        let query = parser.parse_query()?;
        parser.expect_token(&Token::RParen)?;
        return Ok(CopySource::Query(query));
    }
    let name = parser.parse_object_name(false)?;
    let mut columns = Vec::new();
    if parser.consume_token(&Token::LParen) {
        columns = parser.parse_comma_separated(Parser::parse_identifier)?;
        parser.expect_token(&Token::RParen)?;
    }
    Ok(CopySource::Table { name, columns })
}

fn parse_file(parser: &mut Parser, direction: CopyDirection) -> Result<String, ParserError> {
    let standard = match direction {
        CopyDirection::From => "stdin",
        CopyDirection::To => "stdout",
    };
    match &parser.peek_token_ref().token {
        Token::SingleQuotedString(file) | Token::EscapedStringLiteral(file) => {
            let file = file.clone();
            parser.advance_token();
            Ok(file)
        }
        Token::Word(word)
            if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(standard) =>
        {
            parser.advance_token();
            Ok(STANDARD.to_owned())
        }
        _ => parser.expected_ref("the name of a file in quotes", parser.peek_token_ref()),
    }
}

fn parse_option(parser: &mut Parser) -> Result<CopyOption, ParserError> {
    let token = parser.next_token();
    let Token::Word(word) = &token.token else {
        return parser.expected("the name of an option", token);
    };
    let name = word.value.to_uppercase();
    let _ = parser.consume_token(&Token::Eq);
    let value = match &parser.peek_token_ref().token {
        Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => Some(text.clone()),
        Token::Number(text, _) => Some(text.clone()),
        Token::Word(word) => Some(word.value.clone()),
        _ => None,
    };
    if value.is_some() {
        parser.advance_token();
    }
    Ok(CopyOption { name, value })
}

impl fmt::Display for CopyStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = match self.direction {
            CopyDirection::From => "FROM",
            CopyDirection::To => "TO",
        };
        let file = self.file.replace('\'', "''");
        write!(f, "COPY {} {direction} '{file}'", self.source)?;
        let mut options: Vec<String> = self.options.iter().map(ToString::to_string).collect();
        if !self.partition_by.is_empty() {
            let columns: Vec<String> = self.partition_by.iter().map(Ident::to_string).collect();
            options.push(format!("PARTITION_BY ({})", columns.join(", ")));
        }
        if options.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", options.join(", "))
        }
    }
}

impl fmt::Display for CopySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(query) => write!(f, "({query})"),
            Self::Table { name, columns } => {
                write!(f, "{name}")?;
                let columns: Vec<String> = columns.iter().map(Ident::to_string).collect();
                match columns.as_slice() {
                    [] => Ok(()),
                    columns => write!(f, " ({})", columns.join(", ")),
                }
            }
        }
    }
}

impl fmt::Display for CopyOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.value {
            Some(value) => write!(f, " '{}'", value.replace('\'', "''")),
            None => Ok(()),
        }
    }
}
