//! `CREATE TABLE t (…) SPLIT ('a', 'm')`, a clause that sqlparser does not know: it is handed over as an option,
//! `WITH (split = ('a', 'm'))`.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The word that begins the clause, and names the option.
const SPLIT: &str = "split";

/// The tokens of a CREATE TABLE with its SPLIT as sqlparser takes it; `None` of any other statement.
pub(crate) fn as_option(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    // Texts may be long, and few are declarations.
    let first = tokens.iter().find(|token| is_significant(token))?;
    if !is(Some(&first.token), Keyword::CREATE) {
        return None;
    }
    let significant: Vec<usize> = (0..tokens.len())
        .filter(|at| tokens.get(*at).is_some_and(is_significant))
        .collect();
    let word = |at: usize| Some(&tokens.get(*significant.get(at)?)?.token);
    let name = behind_table(&word)?;
    let clauses = outermost(&word, name + 1, significant.len());
    let opens = |at: &usize| word(at + 1) == Some(&Token::LParen);
    let split = clauses
        .iter()
        .copied()
        .find(|at| is_split(word(*at)) && !is(word(at - 1), Keyword::LIKE) && opens(at))?;
    let end = closing(&word, split + 1, significant.len())?;
    let place = |at: usize| significant.get(at).copied();
    let points = tokens.get(place(split + 1)?..=place(end)?)?;
    let with = clauses
        .into_iter()
        .find(|at| is(word(*at), Keyword::WITH) && opens(at));
    let option = [made(SPLIT), TokenWithSpan::wrap(Token::Eq)];
    let option = option.iter().chain(points).cloned();
    let (before, behind) = (tokens.get(..place(split)?)?, tokens.get(place(end)? + 1..)?);
    let Some(with) = with else {
        let open = [made("WITH"), TokenWithSpan::wrap(Token::LParen)];
        let close = TokenWithSpan::wrap(Token::RParen);
        let clause = open.into_iter().chain(option).chain([close]);
        return Some(
            before
                .iter()
                .cloned()
                .chain(clause)
                .chain(behind.iter().cloned())
                .collect(),
        );
    };
    // Behind the bracket of the WITH, wherever it stands.
    let open = place(with + 1)?;
    let mut written = Vec::with_capacity(tokens.len() + 4);
    for (at, token) in tokens.iter().enumerate() {
        if at < place(split)? || at > place(end)? {
            written.push(token.clone());
        }
        if at == open {
            written.extend(option.clone());
            written.push(TokenWithSpan::wrap(Token::Comma));
        }
    }
    Some(written)
}

/// The place of the last word of the name of a table that is created, counted in significant tokens, CREATE being the
/// first.
fn behind_table<'a>(word: &impl Fn(usize) -> Option<&'a Token>) -> Option<usize> {
    let mut at = 0;
    while !is(word(at), Keyword::TABLE) {
        at += 1;
        let is_before = [
            Keyword::OR,
            Keyword::REPLACE,
            Keyword::TEMP,
            Keyword::TEMPORARY,
            Keyword::TABLE,
        ];
        if !is_before.into_iter().any(|keyword| is(word(at), keyword)) {
            return None;
        }
    }
    at += 1;
    if is(word(at), Keyword::IF) {
        at += 3;
    }
    while word(at + 1) == Some(&Token::Period) {
        at += 2;
    }
    Some(at)
}

/// The words outside of brackets, up to the query behind AS.
fn outermost<'a>(word: &impl Fn(usize) -> Option<&'a Token>, from: usize, to: usize) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for at in from..to {
        match word(at) {
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => depth = depth.saturating_sub(1),
            token if depth == 0 && is(token, Keyword::AS) => break,
            Some(Token::Word(_)) if depth == 0 => found.push(at),
            _ => {}
        }
    }
    found
}

/// The bracket that closes the one at `open`.
fn closing<'a>(
    word: &impl Fn(usize) -> Option<&'a Token>,
    open: usize,
    to: usize,
) -> Option<usize> {
    let mut depth = 0_usize;
    (open..to).find(|at| {
        match word(*at) {
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

fn is_significant(token: &TokenWithSpan) -> bool {
    !matches!(token.token, Token::Whitespace(_))
}

fn is(token: Option<&Token>, keyword: Keyword) -> bool {
    matches!(token, Some(Token::Word(word)) if word.keyword == keyword && word.quote_style.is_none())
}

fn is_split(token: Option<&Token>) -> bool {
    matches!(token, Some(Token::Word(word))
        if word.value.eq_ignore_ascii_case(SPLIT) && word.quote_style.is_none())
}

fn made(word: &str) -> TokenWithSpan {
    TokenWithSpan::wrap(Token::make_word(word, None))
}

#[cfg(test)]
mod tests {
    use crate::sql::parse::parse;

    /// What is parsed, as the parser writes it.
    fn parsed(sql: &str) -> String {
        let statements = parse(sql).unwrap();
        match &statements[0].command {
            crate::sql::parse::Command::Sql(statement) => statement.sql.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_clause_stands_before_or_behind_others() {
        for clauses in [
            "SPLIT ('a', 'm')",
            "split('a', 'm')",
            "WITH (split = ('a', 'm'))",
        ] {
            let text = parsed(&format!(
                "CREATE TABLE t (a TEXT, PRIMARY KEY (a)) {clauses}"
            ));
            assert!(text.ends_with("WITH (split = ('a', 'm'))"), "{text}");
        }
        for clauses in [
            "SPLIT (('a', 1)) WITH (families = 'f(b)')",
            "WITH (families = 'f(b)') SPLIT (('a', 1))",
        ] {
            let text = parsed(&format!(
                "CREATE OR REPLACE TABLE IF NOT EXISTS x.t (a TEXT) {clauses}"
            ));
            assert!(
                text.ends_with("WITH (split = (('a', 1)), families = 'f(b)')"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_called_split_stays_so() {
        for sql in [
            "CREATE TABLE split (split INT, PRIMARY KEY (split))",
            "CREATE TABLE t (a INT) SPLIT (1) AS SELECT split (2) AS split",
            "SELECT split (1) FROM t",
        ] {
            let text = parsed(sql);
            let options = text.matches("WITH (split = (1))").count();
            assert_eq!(options, usize::from(sql.contains("SPLIT (1)")), "{text}");
            assert!(text.to_lowercase().contains("split"), "{text}");
        }
        for sql in [
            "CREATE TABLE t (a INT) SPLIT",
            "CREATE TABLE t (a INT) SPLIT (1",
        ] {
            assert!(parse(sql).is_err(), "{sql}");
        }
    }
}
