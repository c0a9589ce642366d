//! Long chains of equalities, written as the lists that they are: `a = 1 AND b = 2 OR a = 3 AND b = 4 OR …` and
//! `(a, b) = (1, 2) OR (a, b) = (3, 4) OR …` are `(a, b) IN ((1, 2), (3, 4), …)`, `a = 1 OR a = 2 OR …` is `a IN (1, 2, …)`.
//!
//! A chain is taken whole, or not at all: from a WHERE, an ON, a HAVING or a parenthesis to what ends its level, all of its
//! terms about the same names. So it does not matter what binds closer.

use std::collections::HashMap;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use super::{ENDS, is_keyword};

/// A shorter chain stays one.
const LONG: usize = 500;

/// The statement with such chains as lists; `None` where it has none.
pub(crate) fn in_lists(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let is_or = |token: &&TokenWithSpan| is_keyword(token, &[Keyword::OR]);
    if tokens.iter().filter(is_or).count() < LONG {
        return None;
    }
    let significant = tokens.iter();
    let significant: Vec<&TokenWithSpan> = significant
        .filter(|token| !matches!(token.token, Token::Whitespace(_)))
        .collect();
    let mut written: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let (mut at, mut found) = (0, false);
    while let Some(token) = significant.get(at) {
        let chain = match at.checked_sub(1).and_then(|last| significant.get(last)) {
            Some(last) if may_begin_behind(last) => Chain::read(&significant, at),
            _ => None,
        };
        match chain {
            Some((chain, end)) => {
                chain.write(token, &mut written);
                (at, found) = (end, true);
            }
            None => {
                written.push((*token).clone());
                at += 1;
            }
        }
    }
    found.then_some(written)
}

fn may_begin_behind(token: &TokenWithSpan) -> bool {
    token.token == Token::LParen
        || is_keyword(token, &[Keyword::WHERE, Keyword::ON, Keyword::HAVING])
}

/// Whether a chain ends in front of a token.
fn may_end_before(token: Option<&&TokenWithSpan>) -> bool {
    match token {
        None => true,
        Some(token) => {
            matches!(token.token, Token::RParen | Token::SemiColon | Token::EOF)
                || is_keyword(token, ENDS)
        }
    }
}

/// The tokens of a name or of a constant.
type Tokens<'t> = &'t [&'t TokenWithSpan];

/// The terms of a chain.
struct Chain<'t> {
    names: Vec<Tokens<'t>>,
    /// The constants of each term, in the order of the names.
    rows: Vec<Vec<Tokens<'t>>>,
}

impl<'t> Chain<'t> {
    /// The chain that begins at a token, and where it ends.
    fn read(tokens: &'t [&'t TokenWithSpan], start: usize) -> Option<(Self, usize)> {
        let mut reader = Reader { tokens, at: start };
        let first = reader.term()?;
        let names: Vec<Tokens<'t>> = first.iter().map(|(name, _)| *name).collect();
        let places: HashMap<Vec<&Token>, usize> = names
            .iter()
            .enumerate()
            .map(|(place, name)| (spelled(name), place))
            .collect();
        if places.len() != names.len() {
            return None;
        }
        let mut rows = vec![first.into_iter().map(|(_, value)| value).collect()];
        while reader.keyword(Keyword::OR) {
            let term = reader.term()?;
            let mut row: Vec<Option<Tokens<'t>>> = vec![None; names.len()];
            if term.len() != names.len() {
                return None;
            }
            for (name, value) in term {
                let place = places.get(&spelled(name))?;
                *row.get_mut(*place)? = Some(value);
            }
            rows.push(row.into_iter().collect::<Option<Vec<_>>>()?);
        }
        let is_whole = rows.len() > LONG && may_end_before(tokens.get(reader.at));
        is_whole.then_some((Self { names, rows }, reader.at))
    }

    /// Writes it as a list; `place` is where it stood.
    fn write(&self, place: &TokenWithSpan, written: &mut Vec<TokenWithSpan>) {
        let add = |token: Token, written: &mut Vec<TokenWithSpan>| {
            written.push(TokenWithSpan::new(token, place.span));
        };
        let tuple = |members: &[Tokens<'t>], written: &mut Vec<TokenWithSpan>| {
            let is_row = members.len() > 1;
            if is_row {
                add(Token::LParen, written);
            }
            for (number, member) in members.iter().enumerate() {
                if number > 0 {
                    add(Token::Comma, written);
                }
                written.extend(member.iter().map(|token| (*token).clone()));
            }
            if is_row {
                add(Token::RParen, written);
            }
        };
        tuple(&self.names, written);
        add(Token::make_keyword("IN"), written);
        add(Token::LParen, written);
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                add(Token::Comma, written);
            }
            tuple(row, written);
        }
        add(Token::RParen, written);
    }
}

fn spelled<'t>(name: Tokens<'t>) -> Vec<&'t Token> {
    name.iter().map(|token| &token.token).collect()
}

/// Reads terms.
struct Reader<'t> {
    tokens: &'t [&'t TokenWithSpan],
    at: usize,
}

impl<'t> Reader<'t> {
    fn next_is(&self, token: &Token) -> bool {
        let next = self.tokens.get(self.at);
        next.is_some_and(|next| next.token == *token)
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.next_is(token);
        self.at += usize::from(found);
        found
    }

    fn keyword(&mut self, keyword: Keyword) -> bool {
        let next = self.tokens.get(self.at);
        let found = next.is_some_and(|next| is_keyword(next, &[keyword]));
        self.at += usize::from(found);
        found
    }

    /// `a = 1 AND b = 2`, `(a, b) = (1, 2)`, or one of these in parentheses: names with constants.
    fn term(&mut self) -> Option<Vec<(Tokens<'t>, Tokens<'t>)>> {
        let start = self.at;
        if let Some(row) = self.row() {
            return Some(row);
        }
        self.at = start;
        if self.take(&Token::LParen) {
            let inner = self.term()?;
            return self.take(&Token::RParen).then_some(inner);
        }
        let mut equalities = vec![self.equality()?];
        while self.keyword(Keyword::AND) {
            equalities.push(self.equality()?);
        }
        Some(equalities)
    }

    fn row(&mut self) -> Option<Vec<(Tokens<'t>, Tokens<'t>)>> {
        let names = self.members(Self::name)?;
        if !self.take(&Token::Eq) {
            return None;
        }
        let values = self.members(Self::constant)?;
        let is_row = names.len() > 1 && names.len() == values.len();
        is_row.then(|| names.into_iter().zip(values).collect())
    }

    fn members(&mut self, member: fn(&mut Self) -> Option<Tokens<'t>>) -> Option<Vec<Tokens<'t>>> {
        if !self.take(&Token::LParen) {
            return None;
        }
        let mut members = vec![member(self)?];
        while self.take(&Token::Comma) {
            members.push(member(self)?);
        }
        self.take(&Token::RParen).then_some(members)
    }

    fn equality(&mut self) -> Option<(Tokens<'t>, Tokens<'t>)> {
        let start = self.at;
        if let Some(name) = self.name()
            && self.take(&Token::Eq)
            && let Some(value) = self.constant()
        {
            return Some((name, value));
        }
        self.at = start;
        let value = self.constant()?;
        let is_equality = self.take(&Token::Eq);
        let name = self.name()?;
        is_equality.then_some((name, value))
    }

    /// `a`, `t.a`
    fn name(&mut self) -> Option<Tokens<'t>> {
        let start = self.at;
        loop {
            let Token::Word(word) = &self.tokens.get(self.at)?.token else {
                return None;
            };
            if is_constant(word) {
                return None;
            }
            self.at += 1;
            if !self.take(&Token::Period) {
                return self.tokens.get(start..self.at);
            }
        }
    }

    /// A number with its sign, a text, `DATE '…'`, TRUE or FALSE.
    fn constant(&mut self) -> Option<Tokens<'t>> {
        let start = self.at;
        let is_negative = self.take(&Token::Minus);
        match &self.tokens.get(self.at)?.token {
            Token::Number(..) => self.at += 1,
            Token::SingleQuotedString(_) if !is_negative => self.at += 1,
            Token::Word(word) if !is_negative && is_constant(word) => {
                self.at += 1;
                if !is_truth(word) {
                    let text = &self.tokens.get(self.at)?.token;
                    matches!(text, Token::SingleQuotedString(_)).then_some(())?;
                    self.at += 1;
                }
            }
            _ => return None,
        }
        self.tokens.get(start..self.at)
    }
}

fn is_truth(word: &Word) -> bool {
    matches!(word.keyword, Keyword::TRUE | Keyword::FALSE)
}

/// Whether a word is a constant, or begins one.
fn is_constant(word: &Word) -> bool {
    is_truth(word) || matches!(word.keyword, Keyword::DATE | Keyword::TIMESTAMP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::token::tokenize;

    /// A statement with a chain of this term, in which `#` is a number, between what stands around it.
    fn of(before: &str, term: &str, behind: &str) -> String {
        let terms = (0..=LONG).map(|number| term.replace('#', &number.to_string()));
        format!("{before}{}{behind}", terms.collect::<Vec<_>>().join(" OR "))
    }

    fn written(sql: &str) -> Option<String> {
        let tokens = in_lists(&tokenize(sql).unwrap())?;
        Some(tokens.iter().map(|token| token.token.to_string()).collect())
    }

    #[test]
    fn chains_of_equalities_are_lists() {
        let rows = |row: &str| {
            let rows = (0..=LONG).map(|number| row.replace('#', &number.to_string()));
            rows.collect::<Vec<_>>().join(",")
        };
        for (term, names, row) in [
            ("a = # AND b = 'x'", "(a,b)", "(#,'x')"),
            ("(a = # AND t.b = -1)", "(a,t.b)", "(#,-1)"),
            ("(b = 2 AND # = a)", "(b,a)", "(2,#)"),
            (
                "((a, b) = (#, DATE '2024-01-01'))",
                "(a,b)",
                "(#,DATE'2024-01-01')",
            ),
            ("a = #", "a", "#"),
        ] {
            let list = format!("{names}IN({})", rows(row));
            let around = [
                ("DELETE FROM t WHERE ", ""),
                ("SELECT 1 FROM t WHERE (", ") AND c ORDER BY a"),
            ];
            for (before, behind) in around {
                let sql = of(before, term, behind);
                let plain = |text: &str| text.replace(' ', "");
                let expected = format!("{}{list}{}", plain(before), plain(behind));
                assert_eq!(written(&sql), Some(expected), "{term}");
            }
        }
    }

    #[test]
    fn other_chains_stay() {
        let select = "SELECT 1 FROM t WHERE ";
        for sql in [
            of(&format!("{select}c AND "), "a = #", ""),
            of(&format!("{select}a = 1 OR "), "a > #", ""),
            of(select, "a = #", " AND c"),
            of(select, "a = # AND a = 2", ""),
            of(select, "a = # + 1", ""),
            of(select, "a = NULL", ""),
            of(select, "NOT a = #", ""),
            of(select, "f(#) = 1", ""),
            of(select, "a = #", " OR b = 1"),
            of(select, "a = # AND b = 1", " OR a = 1"),
            format!("{select}a = 1 OR a = 2"),
        ] {
            assert_eq!(written(&sql), None, "{sql:.80}");
        }
    }
}
