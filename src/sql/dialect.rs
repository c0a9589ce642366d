//! Halite's SQL dialect: sqlparser's generic one, with some things mended.
//!
//! * `IS [NOT] DISTINCT FROM` takes its right side as comparisons do, so that `a IS DISTINCT FROM 1 AND b` is
//!   `(a IS DISTINCT FROM 1) AND b`. sqlparser reads everything up to the end of the expression as the right side.
//! * A number with an exponent is a DOUBLE, as in DuckDB: `1e10` reads as `CAST('1e10' AS DOUBLE)`. Every other
//!   number stays exact; DataFusion makes `1.5` a DECIMAL under `parse_float_as_decimal`.
//! * `||` binds as in PostgreSQL, looser than `+` and `%` and closer than comparisons: `'u' || 7 % 5` is `'u' || 2`; so do
//!   the arrows of JSON: `doc ->> 'a' = 'b'` is a comparison.
//! * `x BETWEEN SYMMETRIC 7 AND 3` is `x BETWEEN 7 AND 3 OR x BETWEEN 3 AND 7`, as PostgreSQL makes of it.
//! * `2 ^ 3` and `2 ** 3` are 8, as in PostgreSQL and DuckDB, and binds closer than `*`; DataFusion's exclusive or of bits is `6 # 3`.
//! * `INSERT INTO t AS x` gives the table another name, as in PostgreSQL.
//! * `1_000` is a number, and not a 1 that is called `_000`; `0x1F` is 31, and not the bytes `x'1F'`.
//! * The parser's work is bounded. Where it cannot tell two readings apart it tries both, and a hundred malformed
//!   bytes (`CAST(CASE (CAST(CASE (…`) keep sqlparser 0.62 busy for longer than anyone waits. Every expression
//!   begins in [`Dialect::parse_prefix`], so that is where steps are counted; over the budget the parser is told
//!   that its recursion limit is reached, the one error that it does not take for a wrong guess.

use std::any::TypeId;
use std::cell::Cell;

use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, ExactNumberInfo, Expr, Query, UnaryOperator, Value,
};
use sqlparser::dialect::{Dialect, GenericDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::rewrite::lambdas;

/// Steps that any statement may take, whatever its length.
const STEPS: usize = 10_000;

/// Steps per token on top of [`STEPS`]. What is not malformed takes less than one.
const STEPS_PER_TOKEN: usize = 10;

/// The dialect, with the budget of one statement.
#[derive(Debug)]
pub struct HaliteDialect {
    steps_left: Cell<usize>,
    /// Whether the table of an INSERT may be given another name.
    names_inserted: bool,
}

impl HaliteDialect {
    /// A dialect to parse one statement of `tokens` tokens with.
    pub fn new(tokens: usize) -> Self {
        let budget = tokens.saturating_mul(STEPS_PER_TOKEN).saturating_add(STEPS);
        Self {
            steps_left: Cell::new(budget),
            names_inserted: false,
        }
    }

    /// A dialect to parse the statement of these tokens with.
    pub fn of(tokens: &[TokenWithSpan]) -> Self {
        Self {
            names_inserted: names_inserted(tokens),
            ..Self::new(tokens.len())
        }
    }

    /// Whether parsing was broken off because the budget ran out.
    pub fn exhausted(&self) -> bool {
        self.steps_left.get() == 0
    }

    /// Counts one step; false when none is left.
    fn step(&self) -> bool {
        let left = self.steps_left.get().saturating_sub(1);
        self.steps_left.set(left);
        left > 0
    }
}

/// Whether a statement says `INTO t AS x`. The parser, which could be told so, would take any word behind the table for its
/// name: the `FROM` of `INSERT INTO t FROM u`, too.
fn names_inserted(tokens: &[TokenWithSpan]) -> bool {
    let tokens = tokens.iter().map(|token| &token.token);
    let mut tokens = tokens.filter(|token| !matches!(token, Token::Whitespace(_)));
    let is = |token: Option<&Token>, wanted| matches!(token, Some(Token::Word(word)) if word.keyword == wanted);
    while let Some(token) = tokens.next() {
        if !is(Some(token), Keyword::INTO) {
            continue;
        }
        let mut behind = tokens.clone();
        loop {
            behind.next();
            match behind.next() {
                Some(Token::Period) => {}
                next if is(next, Keyword::AS) => return true,
                _ => break,
            }
        }
    }
    false
}

/// A query that is written by the program.
pub(crate) fn query(text: &str) -> Result<Box<Query>, ParserError> {
    let dialect = HaliteDialect::new(text.len());
    Parser::new(&dialect).try_with_sql(text)?.parse_query()
}

/// Answers the named questions as the generic dialect does.
macro_rules! as_generic {
    ($($question:ident)*) => {
        $(fn $question(&self) -> bool {
            GenericDialect.$question()
        })*
    };
}

impl Dialect for HaliteDialect {
    /// Where sqlparser asks which dialect it is, it is the generic one.
    fn dialect(&self) -> TypeId {
        TypeId::of::<GenericDialect>()
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        GenericDialect.is_delimited_identifier_start(ch)
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        GenericDialect.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        GenericDialect.is_identifier_part(ch)
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        if !self.step() {
            return Some(Err(ParserError::RecursionLimitExceeded));
        }
        let next = parser.peek_token_ref();
        let text = match &next.token {
            Token::Number(text, false) => text,
            // sqlparser would read INTERVAL (1) as the type of a column of certain digits.
            Token::Word(word)
                if word.keyword == Keyword::INTERVAL
                    && word.quote_style.is_none()
                    && parser.peek_nth_token_ref(1).token == Token::LParen =>
            {
                parser.advance_token();
                return Some(parser.parse_interval());
            }
            Token::HexStringLiteral(digits) if is_prefixed(digits, next.span) => {
                let number = u64::from_str_radix(digits, 16).ok()?;
                parser.advance_token();
                return Some(Ok(Expr::value(Value::Number(number.to_string(), false))));
            }
            _ => return lambdas::parse(parser),
        };
        let number = match text.contains(['e', 'E']) {
            true => double(text),
            false if text.contains('_') => {
                Ok(Expr::value(Value::Number(text.replace('_', ""), false)))
            }
            // sqlparser would first look for a type that a text stands behind.
            false => Ok(Expr::Value(
                Value::Number(text.clone(), false).with_span(next.span),
            )),
        };
        parser.advance_token();
        Some(number)
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        match parser.peek_token_ref().token {
            Token::StringConcat
            | Token::Arrow
            | Token::LongArrow
            | Token::HashArrow
            | Token::HashLongArrow => Some(Ok(self.prec_value(Precedence::Pipe))),
            Token::Caret => Some(Ok(self.prec_value(Precedence::MulDivModOp) + 1)),
            Token::Mul if parser.peek_nth_token_ref(1).token == Token::Mul => {
                Some(Ok(self.prec_value(Precedence::MulDivModOp) + 1))
            }
            Token::Sharp => Some(Ok(self.prec_value(Precedence::Caret))),
            _ => None,
        }
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        left: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        let op = match parser.peek_token_ref().token {
            Token::Caret => Some(BinaryOperator::PGExp),
            Token::Mul if parser.peek_nth_token_ref(1).token == Token::Mul => {
                parser.advance_token();
                Some(BinaryOperator::PGExp)
            }
            Token::Sharp => Some(BinaryOperator::PGBitwiseXor),
            _ => None,
        };
        if let Some(op) = op {
            parser.advance_token();
            let left = Box::new(left.clone());
            return Some(
                parser
                    .parse_subexpr(precedence)
                    .map(|right| Expr::BinaryOp {
                        left,
                        op,
                        right: Box::new(right),
                    }),
            );
        }
        if let Some(between) = between(parser, left, precedence) {
            return Some(between);
        }
        let distinct = parser.parse_keywords(&[Keyword::IS, Keyword::DISTINCT, Keyword::FROM]);
        let same = !distinct
            && parser.parse_keywords(&[
                Keyword::IS,
                Keyword::NOT,
                Keyword::DISTINCT,
                Keyword::FROM,
            ]);
        if !distinct && !same {
            return None;
        }
        let left = Box::new(left.clone());
        Some(parser.parse_subexpr(precedence).map(|right| {
            if distinct {
                Expr::IsDistinctFrom(left, Box::new(right))
            } else {
                Expr::IsNotDistinctFrom(left, Box::new(right))
            }
        }))
    }

    /// `x IN ()` is false, and what a program writes that has no values.
    fn supports_in_empty_list(&self) -> bool {
        true
    }

    /// `INSERT INTO t AS x … ON CONFLICT DO UPDATE SET n = x.n + 1`.
    fn supports_insert_table_alias(&self) -> bool {
        self.names_inserted
    }

    fn supports_numeric_literal_underscores(&self) -> bool {
        true
    }

    fn supports_order_by_all(&self) -> bool {
        true
    }

    /// `CREATE TABLE t (LIKE other)`, as PostgreSQL writes it.
    fn supports_create_table_like_parenthesized(&self) -> bool {
        true
    }

    as_generic! {
        allow_extract_custom allow_extract_single_quotes support_map_literal_syntax
        supports_array_join_syntax supports_array_typedef_with_brackets
        supports_asc_desc_in_column_definition supports_bitwise_shift_operators
        supports_comma_separated_set_assignments supports_comma_separated_trim supports_comment_on
        supports_connect_by supports_constraint_keyword_without_name
        supports_create_index_with_clause supports_create_view_comment_syntax supports_cte_without_as
        supports_data_type_signed_suffix supports_detach supports_dictionary_syntax
        supports_empty_projections supports_explain_with_utility_options
        supports_extract_comma_syntax supports_filter_during_aggregation supports_from_first_select
        supports_group_by_expr supports_group_by_with_modifier supports_install supports_interpolate
        supports_interval_options supports_key_column_option
        supports_left_associative_joins_without_parens supports_limit_by supports_limit_comma
        supports_load_extension supports_match_against supports_match_recognize
        supports_multiline_comment_hints supports_named_fn_args_with_assignment_operator
        supports_nested_comments supports_optimize_table supports_parens_around_table_factor
        supports_parenthesized_set_variables supports_partition_by_after_order_by
        supports_pipe_operator supports_prewhere supports_projection_trailing_commas
        supports_quote_delimited_string supports_select_format
        supports_select_item_multi_column_alias supports_select_wildcard_except
        supports_select_wildcard_exclude supports_select_wildcard_ilike
        supports_select_wildcard_rename supports_select_wildcard_replace supports_set_names
        supports_settings supports_start_transaction_modifier supports_string_escape_constant
        supports_struct_literal supports_try_convert supports_unicode_string_literal
        supports_update_order_by supports_user_host_grantee supports_values_as_table_factor
        supports_window_clause_named_window_reference supports_window_function_null_treatment_arg
        supports_with_fill supports_xml_expressions
    }
}

/// The longest operand of BETWEEN SYMMETRIC, which is written twice: one in the other doubles each time.
const LONGEST_TWICE: usize = 10_000;

/// `[NOT] BETWEEN SYMMETRIC` and `ASYMMETRIC`, if that comes next.
fn between(parser: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
    let keyword = |nth: usize| match &parser.peek_nth_token_ref(nth).token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    };
    let is_negated = keyword(0) == Keyword::NOT;
    let at = usize::from(is_negated);
    let is_symmetric = match (keyword(at), keyword(at + 1)) {
        (Keyword::BETWEEN, Keyword::SYMMETRIC) => true,
        (Keyword::BETWEEN, Keyword::ASYMMETRIC) => false,
        _ => return None,
    };
    // A column has the name.
    if keyword(at + 2) == Keyword::AND {
        return None;
    }
    (0..at + 2).for_each(|_| parser.advance_token());
    Some(bounded(
        parser,
        left,
        precedence,
        (is_negated, is_symmetric),
    ))
}

fn bounded(
    parser: &mut Parser,
    left: &Expr,
    precedence: u8,
    (is_negated, is_symmetric): (bool, bool),
) -> Result<Expr, ParserError> {
    let first = parser.parse_subexpr(precedence)?;
    parser.expect_keyword_is(Keyword::AND)?;
    let second = parser.parse_subexpr(precedence)?;
    let between = |low: &Expr, high: &Expr, negated| Expr::Between {
        expr: Box::new(left.clone()),
        negated,
        low: Box::new(low.clone()),
        high: Box::new(high.clone()),
    };
    if !is_symmetric {
        return Ok(between(&first, &second, is_negated));
    }
    if [left, &first, &second]
        .iter()
        .any(|it| it.to_string().len() > LONGEST_TWICE)
    {
        return Err(ParserError::RecursionLimitExceeded);
    }
    let either = Expr::Nested(Box::new(Expr::BinaryOp {
        left: Box::new(between(&first, &second, false)),
        op: BinaryOperator::Or,
        right: Box::new(between(&second, &first, false)),
    }));
    Ok(if is_negated {
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr: Box::new(either),
        }
    } else {
        either
    })
}

/// Whether digits were written as `0x1F`, and not as `x'1F'`, which the tokenizer takes for the same.
fn is_prefixed(digits: &str, span: Span) -> bool {
    let length = span.end.column.saturating_sub(span.start.column);
    length == digits.len() as u64 + 2
}

/// A number with an exponent, as DOUBLE.
fn double(text: &str) -> Result<Expr, ParserError> {
    let digits = text.replace('_', "");
    if !digits.parse::<f64>().is_ok_and(f64::is_finite) {
        return Err(ParserError::ParserError(format!(
            "{text} is out of range for DOUBLE"
        )));
    }
    Ok(Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::Value(Value::SingleQuotedString(digits).into())),
        data_type: DataType::Double(ExactNumberInfo::None),
        array: false,
        format: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps that it takes to find text wrong that is nested so deep.
    fn steps(depth: usize) -> usize {
        let text = format!("SELECT {}", "CAST(CASE (".repeat(depth));
        let dialect = HaliteDialect::new(100_000);
        let budget = dialect.steps_left.get();
        let mut parser = Parser::new(&dialect).try_with_sql(&text).unwrap();
        parser.parse_statement().unwrap_err();
        assert!(!dialect.exhausted());
        budget - dialect.steps_left.get()
    }

    /// Fails as soon as a level more does not double sqlparser's work: then it needs no budget.
    #[test]
    fn canary() {
        let steps = [2, 3, 4, 5].map(steps);
        assert!(steps.windows(2).all(|it| it[1] >= 2 * it[0]), "{steps:?}");
    }
}
