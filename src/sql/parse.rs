//! From the text of a script to its statements.
//!
//! The text is cut into tokens once, split at the semicolons between statements (one inside a string, a comment or a
//! dollar quote is no token), its long `chains` bracketed, held against the `guard`, and each statement parsed in
//! [Halite's dialect](super::dialect). Three statements are recognised before the parser sees them:
//! `EXPLAIN KEYS <select>` and `SUMMARIZE <table or select>`, which are Halite's own, and [`COPY`](super::copy_statement).
//! Samples are drawn and files named here, before anybody looks at what a statement reads (`sample`, `file_functions`).
//!
//! DataFusion plans a tuple only when its first value is a name or a plain literal. Others (`(-1, b)`,
//! `(TIMESTAMP '…', id)`) are handed over as `ROW(…)`, which means the same. Of `FROM t` alone it makes rows without
//! columns; it is handed over as `FROM t SELECT *`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Fetch, GroupByExpr, Ident, LimitClause, ObjectName, Query, Select, SelectFlavor,
    SelectItem, Set, SetExpr, Statement as SqlStatement, Value, VisitMut, VisitorMut,
    WildcardAdditionalOptions,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use super::copy_statement::{CopySource, CopyStatement};
use super::dialect::{self, HaliteDialect};
use super::limits::{chains, guard};
use super::placeholders::numbered;
use super::rewrite::functions::call;
use super::rewrite::{clauses, from_functions, pivot, sample, struct_types};
use super::stack::{Depth, on_stack_for};
use super::token::tokenize;
use super::unsupported::statements;
use super::written::Written;
use super::{sequence_clauses, split_clause};
use crate::error::{Error, Result};
use crate::sql::rewrite::rows_changed::rows_found;
use crate::sql::rewrite::{file_functions, mixed_values};

/// One statement of a script.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The statement as it was written, without the comments around it and its semicolon.
    pub text: String,
    /// The names of its parameters, if they have names, in the order of their numbers.
    pub names: Vec<String>,
    /// What it asks for.
    pub command: Command,
    /// How deep it is nested.
    pub depth: Depth,
}

/// What a statement asks for, by who plans it.
#[derive(Debug, Clone)]
pub enum Command {
    /// SQL that is planned, and Halite's own DDL.
    Sql(Box<Written>),
    /// `EXPLAIN KEYS [VERBOSE] <select>`: the scan of the query's tables, explained.
    ExplainKeys(Box<Query>, Buckets),
    /// `SUMMARIZE <table or select>`: what can be said of each column.
    Summarize(Box<Query>),
    /// `COPY … FROM` and `COPY … TO`.
    Copy(Box<CopyStatement>),
}

/// How `EXPLAIN KEYS` tells of the buckets of a salted table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buckets {
    /// Those together whose ranges differ in nothing else.
    Together,
    /// Each by itself, with VERBOSE.
    Each,
}

/// Parses a script: any number of statements separated by semicolons.
///
/// # Errors
///
/// `InvalidInput` for what is no SQL, with the place and the statement; `NotSupported` for a statement that the
/// `guard` refuses. Nothing is returned of a script that holds a wrong statement.
pub fn parse(sql: &str) -> Result<Vec<Parsed>> {
    guard::check_length(sql, guard::MAX_TEXT)?;
    parse_tokens(sql, &tokenize(sql)?)
}

/// Parses a script whose tokens are known.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_tokens(sql: &str, tokens: &[TokenWithSpan]) -> Result<Vec<Parsed>> {
    let mut texts = Texts::new(sql);
    let statements = tokens
        .split(|token| token.token == Token::SemiColon)
        .filter(|statement| significant(statement).next().is_some());
    statements
        .map(|statement| parse_statement(statement, texts.of(statement)))
        .collect()
}

/// Parses one statement, given as its tokens and its text.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_statement(statement: &[TokenWithSpan], text: String) -> Result<Parsed> {
    let listed = chains::rows::in_lists(statement);
    let statement = listed.as_deref().unwrap_or(statement);
    let bracketed = chains::bracketed(statement);
    let statement = bracketed.as_deref().unwrap_or(statement);
    let depth = guard::check(statement)?;
    let (statement, names) = numbered(statement)?;
    let sampled = sample::marked(&statement)?;
    let statement = sampled.as_deref().unwrap_or(&statement);
    let selected = clauses::with_select(statement);
    let statement = selected.as_deref().unwrap_or(statement);
    let typed = struct_types::in_angles(statement);
    let statement = typed.as_deref().unwrap_or(statement);
    let split = split_clause::as_option(statement);
    let statement = split.as_deref().unwrap_or(statement);
    let command = on_stack_for(depth, || {
        let mut command = parse_command(statement).map_err(|error| refused(error, &text))?;
        write_out(&mut command, &Words(statement))?;
        refuse_copy(&command)?;
        guard::expansion::check(&command)?;
        Ok::<_, Error>(command)
    })?;
    Ok(Parsed {
        text,
        names,
        command,
        depth,
    })
}

/// Writes out what short forms, functions in FROM and samples stand for.
fn write_out(command: &mut Command, words: &Words<'_>) -> Result<()> {
    match command {
        Command::Sql(statement) => write_out_in(statement.sql.as_mut(), words),
        Command::ExplainKeys(query, _) | Command::Summarize(query) => {
            write_out_in(query.as_mut(), words)
        }
        Command::Copy(copy) => match &mut copy.source {
            CopySource::Query(query) => write_out_in(query.as_mut(), words),
            CopySource::Table { .. } => Ok(()),
        },
    }
}

/// Each walk through the tree is made where a word is written that it looks for: lists may be long.
fn write_out_in(tree: &mut impl VisitMut, words: &Words<'_>) -> Result<()> {
    if words.has(clauses::WORDS) {
        clauses::write_out(tree);
    }
    if words.has(pivot::WORDS) {
        pivot::write_out(tree)?;
    }
    if words.has(from_functions::WORDS) {
        from_functions::write_out(tree);
    }
    if words.has(file_functions::file_functions()) {
        file_functions::write_out(tree)?;
    }
    if words.has(sample::WORDS) {
        sample::write_out(tree)?;
    }
    Ok(())
}

/// The words of a statement, quoted or not.
struct Words<'a>(&'a [TokenWithSpan]);

impl Words<'_> {
    /// Whether one of these is among them, in capitals or not.
    fn has<'w>(&self, wanted: impl IntoIterator<Item = &'w str> + Clone) -> bool {
        self.0.iter().any(|token| match &token.token {
            Token::Word(word) => {
                let mut wanted = wanted.clone().into_iter();
                wanted.any(|wanted| word.value.eq_ignore_ascii_case(wanted))
            }
            _ => false,
        })
    }
}

/// `EXPLAIN COPY`: any other COPY is a command.
fn refuse_copy(command: &Command) -> Result<()> {
    match command {
        Command::Sql(statement) if matches!(*statement.sql, SqlStatement::Copy { .. }) => {
            Err(Error::unsupported("EXPLAIN COPY is not implemented"))
        }
        _ => Ok(()),
    }
}

/// A statement of a script, not yet parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptStatement {
    /// Its text, without the comments around it and its semicolon.
    pub text: String,
    /// The line of the script that it begins on, from 1.
    pub line: usize,
}

/// Splits a script at the semicolons between statements, for those who run them one by one.
///
/// # Errors
/// `InvalidInput` where the text ends inside a string, a quoted name or a comment.
pub fn split(sql: &str) -> Result<Vec<ScriptStatement>> {
    Ok(statements(&tokenize(sql)?, &mut Texts::new(sql)))
}

fn statements(tokens: &[TokenWithSpan], texts: &mut Texts<'_>) -> Vec<ScriptStatement> {
    let statements = tokens.split(|token| token.token == Token::SemiColon);
    let found = statements.filter_map(|statement| {
        let first = significant(statement).next()?;
        Some(ScriptStatement {
            line: usize::try_from(first.span.start.line).unwrap_or(usize::MAX),
            text: texts.of(statement),
        })
    });
    found.collect()
}

/// The statements of the beginning of a script that have their semicolons, and where what follows the last of these
/// begins; `None` if the text ends inside of a word, or no statement has one.
pub fn split_closed(sql: &str) -> Option<(Vec<ScriptStatement>, usize)> {
    let tokens = tokenize(sql).ok()?;
    let last = tokens
        .iter()
        .rposition(|token| token.token == Token::SemiColon)?;
    let (closed, end) = (tokens.get(..last)?, tokens.get(last)?.span.end);
    let mut texts = Texts::new(sql);
    let statements = statements(closed, &mut texts);
    Some((statements, texts.offset(end)))
}

/// Whether the text ends a statement: its last token is a semicolon, or it is wrong beyond completion.
///
/// The shell reads lines until this is so.
pub fn complete(sql: &str) -> bool {
    match Tokenizer::new(&HaliteDialect::new(0), sql).tokenize() {
        Ok(tokens) => {
            let last = tokens
                .iter()
                .rfind(|token| !matches!(token, Token::Whitespace(_)));
            last == Some(&Token::SemiColon)
        }
        Err(error) => !["Unterminated", "before EOF", "Unexpected EOF"]
            .iter()
            .any(|open| error.message.contains(open)),
    }
}

/// The tokens that are no white space.
fn significant(tokens: &[TokenWithSpan]) -> impl Iterator<Item = &TokenWithSpan> {
    tokens
        .iter()
        .filter(|token| !matches!(token.token, Token::Whitespace(_)))
}

fn parse_command(tokens: &[TokenWithSpan]) -> Result<Command, ParserError> {
    let dialect = HaliteDialect::of(tokens);
    let command = match Form::of(tokens) {
        Form::ExplainKeys(rest) => parse_explained(&dialect, rest),
        Form::Summarize(rest) => parse_summarized(&dialect, rest),
        Form::Copy => parse_copy(&dialect, tokens),
        Form::Sql => parse_sql(&dialect, tokens),
    };
    // Broken off, the parser may report whatever it tried last.
    if dialect.exhausted() {
        Err(ParserError::RecursionLimitExceeded)
    } else {
        command
    }
}

/// Which parser a statement is for.
enum Form<'a> {
    ExplainKeys(&'a [TokenWithSpan]),
    Summarize(&'a [TokenWithSpan]),
    Copy,
    Sql,
}

impl<'a> Form<'a> {
    fn of(tokens: &'a [TokenWithSpan]) -> Self {
        let mut words = tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| !matches!(token.token, Token::Whitespace(_)));
        let first = words.next();
        if let Some((at, first)) = first
            && is_word(first, "summarize")
            && words.clone().next().is_some()
        {
            return Self::Summarize(tokens.get(at + 1..).unwrap_or_default());
        }
        match first.map(|(_, first)| keyword(first)) {
            Some(Keyword::EXPLAIN) => match words.next() {
                Some((at, second)) if is_word(second, "keys") && words.next().is_some() => {
                    Self::ExplainKeys(tokens.get(at + 1..).unwrap_or_default())
                }
                _ => Self::Sql,
            },
            Some(Keyword::COPY) => Self::Copy,
            _ => Self::Sql,
        }
    }
}

fn keyword(token: &TokenWithSpan) -> Keyword {
    match &token.token {
        Token::Word(word) => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

fn is_word(token: &TokenWithSpan, text: &str) -> bool {
    matches!(&token.token, Token::Word(word)
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text))
}

/// What stands behind EXPLAIN KEYS.
fn parse_explained(
    dialect: &HaliteDialect,
    tokens: &[TokenWithSpan],
) -> Result<Command, ParserError> {
    let first = tokens
        .iter()
        .position(|token| !matches!(token.token, Token::Whitespace(_)));
    let first = first.and_then(|at| Some((at, tokens.get(at)?)));
    match first.filter(|(_, first)| is_word(first, "verbose")) {
        Some((at, _)) => {
            let rest = tokens.get(at + 1..).unwrap_or_default();
            parse_query(dialect, rest, Buckets::Each)
        }
        None => parse_query(dialect, tokens, Buckets::Together),
    }
}

fn parse_query(
    dialect: &HaliteDialect,
    tokens: &[TokenWithSpan],
    buckets: Buckets,
) -> Result<Command, ParserError> {
    let mut parser = parser(dialect, tokens);
    let mut query = match significant(tokens).next().map(keyword) {
        Some(Keyword::UPDATE | Keyword::DELETE) => rows_changed_by(&parser.parse_statement()?)?,
        _ => parser.parse_query()?,
    };
    expect_end(&mut parser)?;
    if !matches!(
        *query.body,
        SetExpr::Select(_)
            | SetExpr::Query(_)
            | SetExpr::SetOperation { .. }
            | SetExpr::Values(_)
            | SetExpr::Table(_)
    ) {
        let message = "EXPLAIN KEYS explains the scans of a SELECT, UPDATE or DELETE".to_string();
        return Err(ParserError::ParserError(message));
    }
    mend(&mut *query);
    Ok(Command::ExplainKeys(query, buckets))
}

/// The query of the rows that an UPDATE or a DELETE looks for.
fn rows_changed_by(statement: &SqlStatement) -> Result<Box<Query>, ParserError> {
    let found = rows_found(statement);
    found.map_err(|error| ParserError::ParserError(error.message().to_owned()))
}

/// A table, or a query.
fn parse_summarized(
    dialect: &HaliteDialect,
    tokens: &[TokenWithSpan],
) -> Result<Command, ParserError> {
    let mut parser = parser(dialect, tokens);
    let is_query = match &parser.peek_token_ref().token {
        Token::LParen => true,
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::SELECT | Keyword::WITH | Keyword::VALUES | Keyword::FROM
        ),
        _ => false,
    };
    let mut query = if is_query {
        parser.parse_query()?
    } else {
        let name = parser.parse_object_name(false)?;
        dialect::query(&format!("SELECT * FROM {name}"))?
    };
    expect_end(&mut parser)?;
    mend(&mut *query);
    Ok(Command::Summarize(query))
}

fn parse_copy(dialect: &HaliteDialect, tokens: &[TokenWithSpan]) -> Result<Command, ParserError> {
    let mut statement = CopyStatement::parse(dialect, tokens)?;
    if let CopySource::Query(query) = &mut statement.source {
        mend(query.as_mut());
    }
    Ok(Command::Copy(Box::new(statement)))
}

fn parse_sql(dialect: &HaliteDialect, tokens: &[TokenWithSpan]) -> Result<Command, ParserError> {
    let tokens = sequence_clauses::in_order(tokens).unwrap_or_else(|| tokens.to_vec());
    let mut parser = parser(dialect, &tokens);
    let mut statement = Written::parse(&mut parser)?;
    expect_end(&mut parser)?;
    mend(statement.sql.as_mut());
    Ok(Command::Sql(Box::new(statement)))
}

fn parser<'a>(dialect: &'a HaliteDialect, tokens: &[TokenWithSpan]) -> Parser<'a> {
    Parser::new(dialect)
        .with_recursion_limit(guard::RECURSION_LIMIT)
        .with_tokens_with_locations(tokens.to_vec())
}

fn expect_end(parser: &mut Parser) -> Result<(), ParserError> {
    if parser.peek_token_ref().token == Token::EOF {
        return Ok(());
    }
    parser.expected_ref("end of statement", parser.peek_token_ref())
}

/// What stands before the place of a syntax error.
const PLACE: &str = " at Line: ";

fn refused(error: ParserError, text: &str) -> Error {
    match &error {
        ParserError::RecursionLimitExceeded => Error::unsupported(format!(
            "the statement is too deep to be planned: {}",
            excerpt(text)
        )),
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => {
            if let Some(error) = statements::unknown(text) {
                return error;
            }
            let Some(instead) = statements::instead_of(text, message) else {
                return Error::invalid(format!("syntax error: {message}"));
            };
            // The place stands last.
            Error::invalid(match message.rsplit_once(PLACE) {
                Some((what, place)) => format!("syntax error: {what}; {instead}{PLACE}{place}"),
                None => format!("syntax error: {message}; {instead}"),
            })
        }
    }
}

/// The statement on one line, cut where it becomes long.
fn excerpt(text: &str) -> String {
    const LONG: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONG) {
        Some((end, _)) => format!("{} …", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Finds the text of statements from the places of their tokens, in one walk over the script.
struct Texts<'a> {
    sql: &'a str,
    rest: std::str::CharIndices<'a>,
    place: Location,
}

impl<'a> Texts<'a> {
    fn new(sql: &'a str) -> Self {
        Self {
            sql,
            rest: sql.char_indices(),
            place: Location { line: 1, column: 1 },
        }
    }

    /// The text from the first token to the last; statements must be asked for in order.
    fn of(&mut self, tokens: &[TokenWithSpan]) -> String {
        let mut tokens = significant(tokens);
        let Some(first) = tokens.next() else {
            return String::new();
        };
        let last = tokens.last().unwrap_or(first);
        let start = self.offset(first.span.start);
        let end = self.offset(last.span.end);
        self.sql.get(start..end).unwrap_or_default().to_string()
    }

    fn offset(&mut self, place: Location) -> usize {
        while self.place < place {
            match self.rest.next() {
                Some((_, '\n')) => {
                    self.place.line += 1;
                    self.place.column = 1;
                }
                Some(_) => self.place.column += 1,
                None => break,
            }
        }
        self.rest.offset()
    }
}

fn mend(tree: &mut impl VisitMut) {
    let _: ControlFlow<()> = tree.visit(&mut Mends::default());
}

/// Writes out what DataFusion does not plan: `FROM t` as `FROM t SELECT *`, the tuples that it refuses as calls of
/// `ROW`. And what it reads wrongly: numbers of two kinds in one column of `VALUES`.
#[derive(Default)]
struct Mends {
    /// What an INSERT stores; compared, never read.
    inserted: Option<*const Query>,
}

impl VisitorMut for Mends {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &mut SqlStatement) -> ControlFlow<()> {
        describe_file(statement);
        if let SqlStatement::Set(set) = statement {
            set_time_zone(set);
        }
        if let SqlStatement::Insert(insert) = statement {
            self.inserted = insert.source.as_deref().map(std::ptr::from_ref);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        fetch_as_limit(query);
        let inserted = self.inserted == Some(std::ptr::from_ref(query));
        if let SetExpr::Values(values) = query.body.as_mut()
            && !inserted
        {
            mixed_values::doubles(values);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        group_all(select);
        if select.flavor == SelectFlavor::FromFirstNoSelect {
            select.flavor = SelectFlavor::FromFirst;
            select.projection = vec![SelectItem::Wildcard(WildcardAdditionalOptions::default())];
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Tuple(values) = expr
            && !matches!(
                values.first(),
                None | Some(Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_))
            )
        {
            *expr = call("row", std::mem::take(values));
        }
        ControlFlow::Continue(())
    }
}

/// `FETCH FIRST 3 ROWS ONLY` is `LIMIT 3`.
fn fetch_as_limit(query: &mut Query) {
    let Some(Fetch {
        with_ties: false,
        percent: false,
        quantity,
    }) = &query.fetch
    else {
        return;
    };
    let rows = quantity.clone();
    let rows = rows.unwrap_or_else(|| Expr::value(Value::Number("1".to_owned(), false)));
    match &mut query.limit_clause {
        None => {
            query.limit_clause = Some(LimitClause::LimitOffset {
                limit: Some(rows),
                offset: None,
                limit_by: Vec::new(),
            });
        }
        Some(LimitClause::LimitOffset { limit, .. }) if limit.is_none() => *limit = Some(rows),
        Some(_) => return,
    }
    query.fetch = None;
}

/// `GROUP BY ()` makes one group of all rows.
fn group_all(select: &mut Select) {
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by
        && let [key] = keys.as_mut_slice()
        && matches!(key, Expr::Tuple(values) if values.is_empty())
    {
        *key = Expr::GroupingSets(vec![Vec::new()]);
    }
}

/// `DESCRIBE 'file.csv'` describes a query of it.
fn describe_file(statement: &mut SqlStatement) {
    let SqlStatement::ExplainTable {
        describe_alias,
        hive_format: None,
        table_name,
        ..
    } = statement
    else {
        return;
    };
    let [part] = table_name.0.as_slice() else {
        return;
    };
    if part
        .as_ident()
        .is_some_and(|name| name.quote_style == Some('\''))
        && let Ok(query) = dialect::query(&format!("SELECT * FROM {table_name}"))
    {
        *statement = SqlStatement::Explain {
            describe_alias: *describe_alias,
            analyze: false,
            verbose: false,
            query_plan: false,
            estimate: false,
            statement: Box::new(SqlStatement::Query(query)),
            format: None,
            options: None,
        };
    }
}

/// `SET TIME ZONE 'Europe/Berlin'` sets a variable.
fn set_time_zone(set: &mut Set) {
    if let Set::SetTimeZone {
        local: false,
        value,
    } = set
    {
        *set = Set::SingleAssignment {
            scope: None,
            hivevar: false,
            variable: ObjectName::from(vec![Ident::new("timezone")]),
            values: vec![value.clone()],
        };
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
