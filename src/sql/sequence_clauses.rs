//! The clauses of CREATE SEQUENCE, which SQL takes in any order and the parser in one alone.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The tokens of a CREATE SEQUENCE with its clauses in the order of the parser; `None` for any other statement.
pub(crate) fn in_order(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let mut words = tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| !matches!(token.token, Token::Whitespace(_)));
    let mut next = || words.next().map(|(at, token)| (at, keyword(token)));
    if next()?.1 != Keyword::CREATE {
        return None;
    }
    let mut word = next()?;
    if matches!(word.1, Keyword::TEMP | Keyword::TEMPORARY) {
        word = next()?;
    }
    if word.1 != Keyword::SEQUENCE {
        return None;
    }
    let mut name = next()?;
    if name.1 == Keyword::IF {
        name = next().and_then(|_| next()).and_then(|_| next())?;
    }
    let (head, rest) = tokens.split_at_checked(name.0 + 1)?;
    let mut clauses: Vec<(u8, Vec<TokenWithSpan>)> = vec![(0, Vec::new())];
    let mut is_negated = false;
    for token in rest {
        let rank = rank(keyword(token)).filter(|_| !is_negated);
        if let Some(rank) = rank {
            clauses.push((rank, Vec::new()));
        }
        // NO is of the clause behind it.
        if is_negated
            && let (Some(own), Some(clause)) = (self::rank(keyword(token)), clauses.last_mut())
        {
            clause.0 = own;
        }
        if !matches!(token.token, Token::Whitespace(_)) {
            is_negated = keyword(token) == Keyword::NO;
        }
        if let Some((_, clause)) = clauses.last_mut() {
            clause.push(token.clone());
        }
    }
    clauses.sort_by_key(|(rank, _)| *rank);
    let clauses = clauses.into_iter().flat_map(|(_, clause)| {
        // White space between two clauses may have been in front of another one.
        let space = Token::Whitespace(sqlparser::tokenizer::Whitespace::Space);
        std::iter::once(TokenWithSpan::wrap(space)).chain(clause)
    });
    Some(head.iter().cloned().chain(clauses).collect())
}

fn keyword(token: &TokenWithSpan) -> Keyword {
    match &token.token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// The place of the clause that begins with a word.
fn rank(word: Keyword) -> Option<u8> {
    Some(match word {
        Keyword::INCREMENT => 1,
        Keyword::MINVALUE => 2,
        Keyword::MAXVALUE => 3,
        Keyword::START => 4,
        Keyword::CACHE => 5,
        Keyword::CYCLE => 6,
        Keyword::NO => 6,
        Keyword::OWNED => 7,
        _ => return None,
    })
}
