//! Functions of one's own for lists: `list_transform(l, x -> x + 1)`, `list_filter(l, lambda x : x > 1)`.
//!
//! `x -> …` is a function where it is an argument of those that take one, and the arrow of JSON everywhere else.

use sqlparser::ast::{
    Expr, LambdaFunction, LambdaFunctionParameter, LambdaSyntax, OneOrManyWithParens,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};

/// The functions that take one.
const TAKING: [&str; 9] = [
    "any_match",
    "array_any_match",
    "array_apply",
    "array_filter",
    "array_transform",
    "list_any_match",
    "list_apply",
    "list_filter",
    "list_transform",
];

/// How far back the call is looked for in which a function is an argument.
const FARTHEST: usize = 1_000;

/// The function that begins here, if one does.
pub(crate) fn parse(parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
    let peeked = |nth: usize| &parser.peek_nth_token_ref(nth).token;
    let (count, syntax) = match (peeked(0), peeked(1), peeked(2)) {
        (Token::Word(_), Token::Arrow, _) => (1, LambdaSyntax::Arrow),
        (Token::LParen, Token::Word(_), Token::Comma) => {
            let is_pair = matches!(peeked(3), Token::Word(_))
                && matches!(peeked(4), Token::RParen)
                && matches!(peeked(5), Token::Arrow);
            is_pair.then_some((2, LambdaSyntax::Arrow))?
        }
        (Token::Word(word), Token::Word(_), behind) if word.keyword == Keyword::LAMBDA => {
            let is_pair = *behind == Token::Comma;
            let count = if is_pair { 2 } else { 1 };
            let is_whole = matches!(peeked(2 * count), Token::Colon);
            is_whole.then_some((count, LambdaSyntax::LambdaKeyword))?
        }
        _ => return None,
    };
    if syntax == LambdaSyntax::Arrow && !is_argument(parser) {
        return None;
    }
    Some(function(parser, count, syntax))
}

fn function(parser: &mut Parser, count: usize, syntax: LambdaSyntax) -> Result<Expr, ParserError> {
    let is_bracketed = parser.consume_token(&Token::LParen);
    if syntax == LambdaSyntax::LambdaKeyword {
        parser.advance_token();
    }
    let mut parameters = Vec::with_capacity(count);
    loop {
        parameters.push(LambdaFunctionParameter {
            name: parser.parse_identifier()?,
            data_type: None,
        });
        if !parser.consume_token(&Token::Comma) {
            break;
        }
    }
    if is_bracketed {
        parser.expect_token(&Token::RParen)?;
    }
    match syntax {
        LambdaSyntax::Arrow => parser.expect_token(&Token::Arrow)?,
        LambdaSyntax::LambdaKeyword => parser.expect_token(&Token::Colon)?,
    };
    Ok(Expr::Lambda(LambdaFunction {
        params: OneOrManyWithParens::Many(parameters),
        body: Box::new(parser.parse_expr()?),
        syntax,
    }))
}

/// Whether what comes next is an argument, not the first, of a function that takes functions.
fn is_argument(parser: &Parser) -> bool {
    let current = parser.get_current_index();
    let mut depth = 0_usize;
    let (mut is_first, mut is_called) = (true, false);
    for index in (current.saturating_sub(FARTHEST)..=current).rev() {
        match &parser.token_at(index).token {
            Token::Whitespace(_) => continue,
            Token::Word(word) if is_called => return is_taking(word),
            _ if is_called => return false,
            Token::RParen => depth += 1,
            Token::LParen if depth > 0 => depth -= 1,
            Token::LParen if is_first => return false,
            Token::LParen => is_called = true,
            _ => {}
        }
        is_first = false;
    }
    false
}

fn is_taking(word: &Word) -> bool {
    TAKING.contains(&word.value.to_lowercase().as_str())
}
