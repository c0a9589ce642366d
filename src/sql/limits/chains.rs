//! Long chains of `AND` and `OR` are put in brackets before they are parsed.
//!
//! The parser nests a chain to the left, one level per term, and everything that recurses over the statement goes as deep.
//! Both operators are associative in three-valued logic, too: so of `a OR b OR c OR … OR z` the terms between the first and
//! the last are bracketed in groups, and the groups in groups, until no level holds more than [`GROUP`] of them.
//!
//! Nothing needs to be known of a term but that it ends where the next operator of its chain begins: a chain is broken
//! off at every word that may begin or end an expression, and at every comma. The first and the last term of a chain stay
//! outside of the brackets, for it is not known where they begin and end.

pub(crate) mod rows;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// How many terms stand on one level.
const GROUP: usize = 32;

/// The statement with its long chains in brackets; `None` where it has none.
pub(crate) fn bracketed(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let operators = |token: &&TokenWithSpan| is_keyword(token, &[Keyword::AND, Keyword::OR]);
    if tokens.iter().filter(operators).count() <= GROUP {
        return None;
    }
    let mut brackets = Brackets::new(tokens.len());
    let mut open = vec![Chains::default()];
    let mut last = None;
    for (place, token) in tokens.iter().enumerate() {
        if matches!(token.token, Token::Whitespace(_)) {
            continue;
        }
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => open.push(Chains::default()),
            Token::RParen | Token::RBracket | Token::RBrace => {
                if let Some(mut inner) = open.pop() {
                    inner.end(&mut brackets);
                }
                if open.is_empty() {
                    open.push(Chains::default());
                }
            }
            _ => {
                if let Some(chains) = open.last_mut() {
                    chains.take(token, place, last, &mut brackets);
                }
            }
        }
        last = Some(token);
    }
    open.iter_mut().for_each(|chains| chains.end(&mut brackets));
    brackets.written(tokens)
}

/// The chains that are being read at one level of parentheses, by the places of their operators.
#[derive(Default)]
struct Chains {
    or: Vec<usize>,
    and: Vec<usize>,
    /// `BETWEEN`s that wait for their `AND`.
    betweens: usize,
}

impl Chains {
    fn take(
        &mut self,
        token: &TokenWithSpan,
        place: usize,
        last: Option<&TokenWithSpan>,
        brackets: &mut Brackets,
    ) {
        let Token::Word(word) = &token.token else {
            if matches!(token.token, Token::Comma | Token::SemiColon) {
                self.end(brackets);
            }
            return;
        };
        match word.keyword {
            Keyword::BETWEEN => self.betweens += 1,
            Keyword::AND if self.betweens > 0 => self.betweens -= 1,
            Keyword::AND => self.and.push(place),
            Keyword::OR => {
                brackets.group(&std::mem::take(&mut self.and));
                self.or.push(place);
            }
            // `IS DISTINCT FROM` is an operator.
            Keyword::FROM if last.is_some_and(|last| is_keyword(last, &[Keyword::DISTINCT])) => {}
            keyword if ENDS.contains(&keyword) => self.end(brackets),
            _ => {}
        }
    }

    fn end(&mut self, brackets: &mut Brackets) {
        let chains = std::mem::take(self);
        brackets.group(&chains.and);
        brackets.group(&chains.or);
    }
}

/// Words that may begin or end an expression, or bind less than `AND`.
const ENDS: &[Keyword] = &[
    Keyword::AS,
    Keyword::CASE,
    Keyword::CROSS,
    Keyword::ELSE,
    Keyword::END,
    Keyword::EXCEPT,
    Keyword::FETCH,
    Keyword::FROM,
    Keyword::FULL,
    Keyword::GROUP,
    Keyword::HAVING,
    Keyword::INNER,
    Keyword::INTERSECT,
    Keyword::INTO,
    Keyword::JOIN,
    Keyword::LIMIT,
    Keyword::MINUS,
    Keyword::NATURAL,
    Keyword::OFFSET,
    Keyword::ON,
    Keyword::ORDER,
    Keyword::QUALIFY,
    Keyword::RETURNING,
    Keyword::SELECT,
    Keyword::SET,
    Keyword::THEN,
    Keyword::UNION,
    Keyword::USING,
    Keyword::VALUES,
    Keyword::WHEN,
    Keyword::WHERE,
    Keyword::WINDOW,
    Keyword::WITH,
    Keyword::XOR,
];

fn is_keyword(token: &TokenWithSpan, keywords: &[Keyword]) -> bool {
    matches!(&token.token, Token::Word(word) if keywords.contains(&word.keyword))
}

/// How many brackets open behind each token, and close in front of it.
struct Brackets {
    open: Vec<u32>,
    close: Vec<u32>,
}

impl Brackets {
    fn new(tokens: usize) -> Self {
        Self {
            open: vec![0; tokens],
            close: vec![0; tokens],
        }
    }

    /// Groups the terms between the operators of a chain.
    fn group(&mut self, operators: &[usize]) {
        let terms = operators.len().saturating_sub(1);
        let mut size = GROUP;
        while size < terms {
            for first in (0..terms).step_by(size) {
                let end = terms.min(first + size);
                if end - first > 1 {
                    self.around(operators, first, end);
                }
            }
            size *= GROUP;
        }
    }

    /// Brackets around the terms behind the operators from `first` on and in front of that at `end`.
    fn around(&mut self, operators: &[usize], first: usize, end: usize) {
        let places = operators.get(first).zip(operators.get(end));
        if let Some((before, behind)) = places {
            self.open
                .iter_mut()
                .skip(*before)
                .take(1)
                .for_each(|open| *open += 1);
            self.close
                .iter_mut()
                .skip(*behind)
                .take(1)
                .for_each(|close| *close += 1);
        }
    }

    fn written(&self, tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
        let count: u32 = self.open.iter().sum();
        if count == 0 {
            return None;
        }
        let mut written = Vec::with_capacity(tokens.len() + 2 * count as usize);
        let brackets = self.open.iter().zip(&self.close);
        for (token, (open, close)) in tokens.iter().zip(brackets) {
            let bracket = |bracket| TokenWithSpan::new(bracket, token.span);
            (0..*close).for_each(|_| written.push(bracket(Token::RParen)));
            written.push(token.clone());
            (0..*open).for_each(|_| written.push(bracket(Token::LParen)));
        }
        Some(written)
    }
}

#[cfg(test)]
#[path = "chains_tests.rs"]
mod tests;
