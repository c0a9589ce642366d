//! `USING SAMPLE 10%`, `USING SAMPLE 20 ROWS`, `TABLESAMPLE BERNOULLI (10)`: some rows of a table by chance.
//!
//! A part of the rows is `WHERE random() < 0.1`, so many rows are the first in the order of a number that is drawn for
//! each, which takes the memory of those alone. sqlparser knows no USING SAMPLE; its words are handed over in the place
//! of a clause that no query of ours has, SORT BY.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Query, Select, SetExpr,
    TableAlias, TableFactor, TableSample, TableSampleKind, TableSampleMethod, TableSampleUnit,
    Value, VisitMut, VisitorMut,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::error::{Error, Result};
use crate::sql::dialect::{self, HaliteDialect};

/// The function that stands for USING SAMPLE between the tokenizer and [`write_out`]; nobody else calls one so.
const MARKER: &str = "using sample";

/// A word of each form that [`write_out`] looks for.
pub(crate) const WORDS: [&str; 3] = [MARKER, "sample", "tablesample"];

/// How much is drawn.
#[derive(Debug, Clone, PartialEq)]
enum Amount {
    Percent(String),
    Rows(String),
}

/// The tokens with every USING SAMPLE as sqlparser takes it; `None` where there is none.
///
/// # Errors
/// `InvalidInput` for one that is none.
pub(crate) fn marked(tokens: &[TokenWithSpan]) -> Result<Option<Vec<TokenWithSpan>>> {
    if !tokens.iter().any(|token| is_keyword(token, Keyword::USING)) {
        return Ok(None);
    }
    let mut marked = Vec::with_capacity(tokens.len());
    let mut is_marked = false;
    let mut rest = tokens;
    while let Some((first, behind)) = rest.split_first() {
        let sample = if is_keyword(first, Keyword::USING) {
            sample_at(behind)?
        } else {
            None
        };
        rest = match sample {
            Some((amount, behind)) => {
                is_marked = true;
                marked.extend(marker(&amount)?);
                behind
            }
            None => {
                marked.push(first.clone());
                behind
            }
        };
    }
    Ok(is_marked.then_some(marked))
}

fn is_keyword(token: &TokenWithSpan, keyword: Keyword) -> bool {
    matches!(&token.token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none())
}

fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word) if word.value.eq_ignore_ascii_case(text) && word.quote_style.is_none())
}

/// Tokens that are no white space, with what is left behind the last that was taken.
struct Words<'a>(&'a [TokenWithSpan]);

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a Token> {
        let mut tokens = self.0.iter().map(|token| &token.token);
        tokens.find(|token| !matches!(token, Token::Whitespace(_)))
    }

    fn next(&mut self) -> Option<&'a Token> {
        while let Some((token, behind)) = self.0.split_first() {
            self.0 = behind;
            if !matches!(token.token, Token::Whitespace(_)) {
                return Some(&token.token);
            }
        }
        None
    }

    fn take(&mut self, is_wanted: impl Fn(&Token) -> bool) -> bool {
        let is_there = self.peek().is_some_and(is_wanted);
        if is_there {
            self.next();
        }
        is_there
    }
}

/// What is drawn, and what stands behind it, where the tokens behind USING begin with SAMPLE.
fn sample_at(tokens: &[TokenWithSpan]) -> Result<Option<(Amount, &[TokenWithSpan])>> {
    let mut words = Words(tokens);
    // `USING (sample)` and `USING sample` of other statements have no amount.
    if !words.take(|token| is_word(token, "sample")) {
        return Ok(None);
    }
    let methods = ["reservoir", "bernoulli", "system"];
    let named = words.take(|token| methods.iter().any(|method| is_word(token, method)));
    let opened = words.take(|token| *token == Token::LParen);
    let Some(Token::Number(number, _)) = words.next() else {
        // A table of that name, in a MERGE.
        return Ok(None);
    };
    let is_percent = words.take(|token| *token == Token::Mod || is_word(token, "percent"));
    let _is_rows = !is_percent && words.take(|token| is_word(token, "rows"));
    if (opened && !words.take(|token| *token == Token::RParen)) || (named && !opened) {
        return Err(wrong());
    }
    if words
        .peek()
        .is_some_and(|token| is_word(token, "repeatable") || *token == Token::LParen)
    {
        return Err(Error::unsupported(
            "a sample that can be repeated is not implemented; write WHERE bucket(100, key) < 10",
        ));
    }
    let amount = if is_percent {
        Amount::Percent(number.clone())
    } else {
        Amount::Rows(number.clone())
    };
    Ok(Some((amount, words.0)))
}

fn wrong() -> Error {
    Error::invalid("USING SAMPLE says how much, as in USING SAMPLE 10% or USING SAMPLE 100 ROWS")
}

fn marker(amount: &Amount) -> Result<Vec<TokenWithSpan>> {
    let (number, unit) = match amount {
        Amount::Percent(number) => (number, "percent"),
        Amount::Rows(number) => (number, "rows"),
    };
    let text = format!(" SORT BY \"{MARKER}\"({number}, '{unit}') ");
    let tokens = Tokenizer::new(&HaliteDialect::new(0), &text).tokenize_with_location();
    tokens.map_err(|error| Error::internal("the words of a sample").with_source(error))
}

/// Draws the samples of a statement: those that were [marked], and those of TABLESAMPLE.
///
/// # Errors
/// `NotSupported` for a sample of several tables and for what is not drawn; `InvalidInput` for an amount that is none.
pub(crate) fn write_out(tree: &mut impl VisitMut) -> Result<()> {
    tree.visit(&mut Samples).break_value().map_or(Ok(()), Err)
}

struct Samples;

impl VisitorMut for Samples {
    type Break = Error;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        match sampled(select) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        let TableFactor::Table { sample, .. } = factor else {
            return ControlFlow::Continue(());
        };
        let Some(
            TableSampleKind::AfterTableAlias(sample) | TableSampleKind::BeforeTableAlias(sample),
        ) = sample.take()
        else {
            return ControlFlow::Continue(());
        };
        match amount_of(&sample).and_then(|amount| draw(factor, &amount)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

/// Takes the mark of a SELECT, and draws from its table.
fn sampled(select: &mut Select) -> Result<()> {
    let [sort] = select.sort_by.as_slice() else {
        return Ok(());
    };
    let Some(amount) = amount_marked(&sort.expr) else {
        return Ok(());
    };
    select.sort_by.clear();
    match select.from.as_mut_slice() {
        [table] if table.joins.is_empty() => draw(&mut table.relation, &amount),
        _ => Err(Error::unsupported(
            "USING SAMPLE of several tables is not implemented; write FROM (SELECT … FROM …) AS t USING SAMPLE …",
        )),
    }
}

fn amount_marked(expr: &Expr) -> Option<Amount> {
    let Expr::Function(Function { name, args, .. }) = expr else {
        return None;
    };
    let name = name.0.first().and_then(|part| part.as_ident());
    let FunctionArguments::List(list) = args else {
        return None;
    };
    let [number, unit] = list.args.as_slice() else {
        return None;
    };
    let value = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => {
            Some(value.value.clone())
        }
        _ => None,
    };
    match (value(number)?, value(unit)?) {
        _ if name.is_none_or(|name| name.value != MARKER) => None,
        (Value::Number(number, _), Value::SingleQuotedString(unit)) if unit == "percent" => {
            Some(Amount::Percent(number))
        }
        (Value::Number(number, _), _) => Some(Amount::Rows(number)),
        _ => None,
    }
}

fn amount_of(sample: &TableSample) -> Result<Amount> {
    let by_blocks = matches!(
        sample.name,
        Some(TableSampleMethod::Row | TableSampleMethod::Block)
    );
    let is_plain = sample.seed.is_none() && sample.bucket.is_none() && sample.offset.is_none();
    let quantity = sample.quantity.as_ref().filter(|_| is_plain && !by_blocks);
    let number = quantity.and_then(|quantity| match &quantity.value {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => Some((number.clone(), quantity.unit)),
            _ => None,
        },
        _ => None,
    });
    match (number, sample.name.is_some()) {
        (Some((number, Some(TableSampleUnit::Rows))), _) => Ok(Amount::Rows(number)),
        (Some((number, Some(TableSampleUnit::Percent))), _) | (Some((number, None)), true) => {
            Ok(Amount::Percent(number))
        }
        _ => Err(Error::unsupported(
            "this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are",
        )),
    }
}

/// Puts a query that draws from the table in its place, under its name.
fn draw(factor: &mut TableFactor, amount: &Amount) -> Result<()> {
    let text = match amount {
        Amount::Percent(number) => {
            let part = number
                .parse::<f64>()
                .ok()
                .filter(|it| (0.0..=100.0).contains(it));
            let part = part.ok_or_else(|| {
                Error::invalid(format!("a sample of {number}% is none: from 0 to 100 are"))
            })?;
            format!("SELECT * FROM t WHERE random() < {:?}", part / 100.0)
        }
        Amount::Rows(number) => {
            let rows = number.parse::<u64>();
            let rows =
                rows.map_err(|_| Error::invalid(format!("a sample of {number} rows is none")))?;
            // Not by `random()` itself: rows that are counted alone have no column to be kept beside.
            format!(
                "SELECT * EXCLUDE (\"sample order\") \
                 FROM (SELECT *, random() AS \"sample order\" FROM t) AS s \
                 ORDER BY s.\"sample order\" LIMIT {rows}"
            )
        }
    };
    let failed = |error: ParserError| Error::internal("the query of a sample").with_source(error);
    let mut query = dialect::query(&text).map_err(failed)?;
    let alias = alias_of(factor);
    if let Some(place) = only_table(&mut query) {
        *place = factor.clone();
        *factor = TableFactor::Derived {
            lateral: false,
            subquery: query,
            alias,
            sample: None,
        };
    }
    Ok(())
}

/// The table of the innermost query.
pub(crate) fn only_table(query: &mut Query) -> Option<&mut TableFactor> {
    let SetExpr::Select(select) = query.body.as_mut() else {
        return None;
    };
    match select.from.first_mut().map(|table| &mut table.relation) {
        Some(TableFactor::Derived { subquery, .. }) => only_table(subquery),
        table => table,
    }
}

/// What the rows of the table are called by the query around it.
fn alias_of(factor: &mut TableFactor) -> Option<TableAlias> {
    let plain = |name: Ident| TableAlias {
        explicit: true,
        name,
        columns: Vec::new(),
        at: None,
    };
    match factor {
        TableFactor::Table {
            alias: Some(alias), ..
        }
        | TableFactor::Derived {
            alias: Some(alias), ..
        } => Some(plain(alias.name.clone())),
        TableFactor::Table { name, .. } => {
            let last = name.0.last().and_then(|part| part.as_ident().cloned());
            last.map(plain)
        }
        _ => None,
    }
}
