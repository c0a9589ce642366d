//! What an error message is about: the name that it complains of, and what may be meant instead.
//!
//! Halite's parser and DataFusion's planner give texts. The parser's end in a place; the planner's name a table, a
//! column, a function or a setting, which is then looked for in the statement.

use super::keywords::{BEGINNINGS, KEYWORDS};
use super::names::Names;
use super::suggest::{closest, closest_keywords, question};
use super::words::{Kind, Token, tokens};
use crate::error::{Error, Missing, Nameable};
use crate::key::TRANSFORMS;
use crate::sql::unsupported::statements;

/// What there is to say beyond the message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnosis {
    /// What is wrong in the statement, in bytes of its text.
    pub place: Option<(usize, usize)>,
    /// What may help.
    pub hint: Option<String>,
}

/// Diagnoses an error about a statement that the planner or the store refused; `message` has its causes, too.
pub fn of_error(error: &Error, message: &str, statement: &str, names: Option<&Names>) -> Diagnosis {
    let missing = error.missing().and_then(Complaint::of);
    let read = || COMPLAINTS.iter().find_map(|kind| kind.read(message));
    let Some(complaint) = missing.or_else(read) else {
        return Diagnosis {
            place: quoted_place(message, statement),
            hint: None,
        };
    };
    let name = complaint.name.as_str();
    let subject = complaint.subject;
    let place = find(name, statement, subject).or_else(|| match subject {
        // The planner says of which table it is, which the statement need not.
        Subject::Ungrouped => find(name.rsplit('.').next()?, statement, subject),
        _ => None,
    });
    Diagnosis {
        place,
        hint: hint(&complaint, message, statement, names),
    }
}

/// Diagnoses a syntax error at a place: the word there, or the one before it that was taken for a name, may be a
/// keyword with a slip.
pub fn of_syntax(statement: &str, at: usize) -> Diagnosis {
    let found = tokens(statement);
    let words: Vec<&Token> = found.iter().filter(|token| token.significant()).collect();
    let position = words
        .iter()
        .position(|token| token.end > at)
        .unwrap_or(words.len());
    let here = words.get(position).map(|token| (token.start, token.end));
    for back in [0, 1] {
        let Some(index) = position.checked_sub(back) else {
            break;
        };
        let Some(word) = words.get(index).filter(|token| token.kind == Kind::Word) else {
            continue;
        };
        let known = if index == 0 { BEGINNINGS } else { KEYWORDS };
        let meant = closest_keywords(word.of(statement), known);
        if let Some(hint) = question(&meant) {
            return Diagnosis {
                place: Some((word.start, word.end)),
                hint: Some(hint),
            };
        }
    }
    let is_copy = words.first().is_some_and(|word| word.is(statement, "COPY"));
    let is_option = words.get(position).is_some_and(|word| {
        let options = ["CSV", "HEADER", "DELIMITER", "NULL", "FORMAT"];
        options.iter().any(|option| word.is(statement, option))
    });
    let in_parentheses = "options stand in parentheses: (HEADER)";
    Diagnosis {
        place: here,
        hint: (is_copy && is_option).then(|| in_parentheses.to_owned()),
    }
}

/// What a message complains of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Table,
    TableFunction,
    Column,
    /// A column that stands neither in GROUP BY nor in an aggregate function.
    Ungrouped,
    Function,
    Setting,
    Transform,
    /// What the message itself lists, with ` are` at the end.
    Listed,
}

/// How a message says it: the texts before and after the name.
struct Wording {
    before: &'static str,
    after: &'static str,
    subject: Subject,
}

struct Complaint {
    subject: Subject,
    name: String,
    /// The names that there are, where the error has them.
    others: Vec<String>,
}

impl Complaint {
    /// That something is not there, of the kinds that something else may be meant of.
    fn of(missing: &Missing) -> Option<Self> {
        let subject = match missing.what {
            Nameable::Table | Nameable::Schema => Subject::Table,
            Nameable::TableFunction => Subject::TableFunction,
            Nameable::Column => Subject::Column,
            Nameable::Function => Subject::Function,
            _ => return None,
        };
        Some(Self {
            subject,
            name: missing.name.clone(),
            others: missing.others.clone(),
        })
    }
}

const fn wording(subject: Subject, before: &'static str, after: &'static str) -> Wording {
    Wording {
        before,
        after,
        subject,
    }
}

/// The more special before the more general.
static COMPLAINTS: &[Wording] = &[
    wording(Subject::Listed, "COPY option `", "` is not implemented; "),
    wording(Subject::Listed, "COPY format `", "` is not implemented; "),
    wording(Subject::Ungrouped, "column `", "` must stand in GROUP BY"),
    wording(Subject::Table, "Invalid qualifier ", ""),
    wording(
        Subject::Column,
        "Ambiguous reference to unqualified field ",
        "",
    ),
    wording(Subject::Setting, "Config value \"", "\" not found on"),
    wording(
        Subject::Setting,
        "'",
        "' is not a variable which can be viewed",
    ),
    wording(Subject::Transform, "`", "` cannot be a part of a row key"),
];

impl Wording {
    fn read(&self, message: &str) -> Option<Complaint> {
        let mut starts = message.match_indices(self.before);
        let name = starts.find_map(|(at, before)| self.name(message.get(at + before.len()..)?))?;
        let name = match self.subject {
            // An option may have a value.
            Subject::Listed => name.split_whitespace().next()?,
            _ => name,
        };
        Some(Complaint {
            subject: self.subject,
            name: name.to_owned(),
            others: Vec::new(),
        })
    }

    /// The name at the beginning of what stands behind [`Wording::before`].
    fn name<'m>(&self, rest: &'m str) -> Option<&'m str> {
        if self.after.is_empty() {
            // A name without a sign at its end goes on to the end of the sentence.
            let ends = [". ", ".\n", "\n"].into_iter();
            let end = ends.filter_map(|end| rest.find(end)).min();
            return rest.get(..end.unwrap_or_else(|| rest.trim_end_matches('.').len()));
        }
        // What another name begins before this one ends is no name.
        let quote = self.after.chars().next()?;
        let name = rest.get(..rest.find(self.after)?)?;
        (!name.contains(quote)).then_some(name)
    }
}

/// The names that may be meant.
fn hint(
    complaint: &Complaint,
    message: &str,
    statement: &str,
    names: Option<&Names>,
) -> Option<String> {
    let wrong = complaint.name.as_str();
    match complaint.subject {
        Subject::Table | Subject::TableFunction if statements::table(wrong).is_some() => {
            statements::table(wrong).map(str::to_owned)
        }
        Subject::Table => table_hint(wrong, names?),
        Subject::TableFunction => among(wrong, names?.table_functions()),
        Subject::Column => column_hint(wrong, &complaint.others),
        Subject::Ungrouped => None,
        Subject::Listed => among(wrong, listed(message)),
        Subject::Function if statements::function(wrong).is_some() => {
            statements::function(wrong).map(str::to_owned)
        }
        Subject::Function => among(
            wrong,
            names?.functions().into_iter().map(|found| found.name),
        ),
        Subject::Setting => setting_hint(wrong, statement, names?),
        Subject::Transform => among(
            wrong,
            TRANSFORMS
                .iter()
                .map(|transform| transform.name().to_owned()),
        ),
    }
}

fn among(wrong: &str, names: impl IntoIterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.into_iter().collect();
    question(&closest(wrong, names.iter().map(String::as_str)))
}

/// What there is: `…; FORMAT, HEADER and NULL are`.
fn listed(message: &str) -> Vec<String> {
    let (_, list) = message.rsplit_once("; ").unwrap_or_default();
    let list = list
        .trim_end()
        .trim_end_matches(" are")
        .replace(" and ", ", ");
    list.split(", ").map(str::to_owned).collect()
}

/// A table that may be meant; where none is close, those there are, if they are few.
fn table_hint(wrong: &str, names: &Names) -> Option<String> {
    let tables = names.tables();
    among(wrong, tables.iter().cloned()).or_else(|| match tables.len() {
        0 => Some("there are no tables yet".to_owned()),
        1..=8 => Some(format!("the tables are {}", tables.join(", "))),
        _ => Some(".tables lists the tables".to_owned()),
    })
}

/// A column that may be meant, of those that there are; where none is close, all of them, cut where they are many.
fn column_hint(wrong: &str, others: &[String]) -> Option<String> {
    const SHOWN: usize = 12;
    // ORDER BY knows those of the result and those of the tables, which may be the same.
    let mut valid: Vec<&str> = Vec::new();
    for name in others {
        if !valid.contains(&name.as_str()) {
            valid.push(name);
        }
    }
    if valid.is_empty() {
        return None;
    }
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).replace('"', "");
    let (wanted, lasts) = (
        last(wrong),
        valid.iter().map(|name| last(name)).collect::<Vec<_>>(),
    );
    let mut meant: Vec<&str> = Vec::new();
    for best in closest(&wanted, lasts.iter().map(String::as_str)) {
        let with_name = valid.iter().zip(&lasts).filter(|(_, last)| *last == best);
        meant.extend(with_name.map(|(name, _)| *name));
    }
    // A name that only stands under another table is asked for as it must be written.
    let bare = meant.len() == 1 && !wrong.contains('.');
    let meant: Vec<String> = meant
        .into_iter()
        .take(3)
        .map(|name| if bare { last(name) } else { name.to_owned() })
        .collect();
    let meant: Vec<&str> = meant.iter().map(String::as_str).collect();
    question(&meant).or_else(|| {
        let more = if valid.len() > SHOWN { ", …" } else { "" };
        let some: Vec<&str> = valid.iter().copied().take(SHOWN).collect();
        let quotes = if wrong.starts_with('"') {
            "; a text stands in single quotes"
        } else {
            ""
        };
        Some(format!("the columns are {}{more}{quotes}", some.join(", ")))
    })
}

/// A setting that may be meant. A message may name its last word alone; the statement has all of it.
fn setting_hint(wrong: &str, statement: &str, names: &Names) -> Option<String> {
    let (start, end) = find(wrong, statement, Subject::Setting)?;
    let before = statement.get(..start)?;
    let qualifier = before
        .rfind(|c: char| c.is_whitespace())
        .map_or(0, |at| at + 1);
    let whole = statement.get(qualifier..end)?.trim_matches('\'');
    among(
        whole,
        names.settings().into_iter().map(|setting| setting.name),
    )
}

/// Where a name stands in a statement: as one word, or as several with dots between. Of several places one is chosen in
/// which such a thing is used, and not given as a name to something else.
fn find(name: &str, statement: &str, subject: Subject) -> Option<(usize, usize)> {
    let found = tokens(statement);
    let spelt = |token: &Token| match token.kind {
        Kind::Text => Some(token.of(statement).trim_matches('\'').to_owned()),
        _ => token.name(statement),
    };
    let words: Vec<&Token> = found.iter().filter(|token| token.significant()).collect();
    let named = |at: &usize| words.get(*at).and_then(|token| spelt(token)).as_deref() == Some(name);
    let all: Vec<usize> = (0..words.len()).filter(named).collect();
    let around = |at: &usize| Around {
        before: at
            .checked_sub(1)
            .and_then(|before| words.get(before).copied()),
        behind: words.get(at + 1).copied(),
        statement,
    };
    let mut used = all.iter().filter(|at| around(at).suits(subject));
    let chosen = used.next().or(all.first());
    if let Some(token) = chosen.and_then(|at| words.get(*at)) {
        return Some((token.start, token.end));
    }
    let at = statement.to_lowercase().find(&name.to_lowercase())?;
    let begins = found.iter().any(|token| token.start == at);
    let ends = found.iter().any(|token| token.end == at + name.len());
    (begins && ends).then_some((at, at + name.len()))
}

/// What stands around a word of a statement.
struct Around<'a> {
    before: Option<&'a Token>,
    behind: Option<&'a Token>,
    statement: &'a str,
}

impl Around<'_> {
    /// Whether it may be a use of such a thing.
    fn suits(&self, subject: Subject) -> bool {
        let is_called = self
            .behind
            .is_some_and(|token| token.is(self.statement, "("));
        match subject {
            Subject::Table => self.names_a_table() && !is_called,
            Subject::Function | Subject::TableFunction => is_called,
            Subject::Column | Subject::Ungrouped => {
                !is_called && !self.is_alias() && !self.names_a_table()
            }
            Subject::Setting | Subject::Transform | Subject::Listed => true,
        }
    }

    fn follows(&self, words: &[&str]) -> bool {
        let before = self.before;
        before.is_some_and(|token| words.iter().any(|word| token.is(self.statement, word)))
    }

    fn names_a_table(&self) -> bool {
        self.follows(&[
            "FROM", "JOIN", "INTO", "TABLE", "UPDATE", "DESCRIBE", "COPY",
        ])
    }

    /// Whether it is the name that something gets, with AS or without.
    fn is_alias(&self) -> bool {
        let ends = |token: &Token| {
            matches!(
                token.kind,
                Kind::Word | Kind::Quoted | Kind::Text | Kind::Number
            )
        };
        self.follows(&["AS", ")", "]", "END"]) || self.before.is_some_and(ends)
    }
}

/// The place of what a message quotes, if that stands in the statement once: rather of another thing than of the table,
/// which most messages name.
fn quoted_place(message: &str, statement: &str) -> Option<(usize, usize)> {
    let found = tokens(statement);
    let message = without_table_of_a_row(message);
    let held = message.split_once(" cannot hold ");
    if let Some((value, _)) = held.and_then(|(_, rest)| rest.split_once(": ")) {
        let mut numbers = found.iter().filter(|token| token.kind == Kind::Number);
        if let Some(number) = numbers.find(|token| token.of(statement) == value) {
            return Some((number.start, number.end));
        }
    }
    let mut of_table = None;
    for quote in ['\'', '`', '"'] {
        let pieces: Vec<&str> = message.split(quote).collect();
        for piece in pieces.windows(2).step_by(2) {
            let [before, quoted] = piece else { continue };
            match only_place(quoted, statement, &found) {
                Some(place) if before.ends_with("table ") => of_table = of_table.or(Some(place)),
                Some(place) => return Some(place),
                None => {}
            }
        }
    }
    of_table
}

/// Where a word, or an expression such as `salt(0)`, stands in a statement, if it stands there once.
fn only_place(quoted: &str, statement: &str, found: &[Token]) -> Option<(usize, usize)> {
    let wanted = tokens(quoted);
    let wanted: Vec<&Token> = wanted.iter().filter(|token| token.significant()).collect();
    let words: Vec<&Token> = found.iter().filter(|token| token.significant()).collect();
    let is_word = |token: &Token| match token.kind {
        Kind::Text => token.of(statement).trim_matches('\'') == quoted,
        Kind::Number => token.of(statement) == quoted,
        _ => token.name(statement).as_deref() == Some(quoted),
    };
    let is_expression = |window: &[&Token]| {
        let mut pairs = window.iter().zip(&wanted);
        let is_same = |(here, there): (&&Token, &&Token)| {
            here.of(statement).eq_ignore_ascii_case(there.of(quoted))
        };
        wanted.len() > 1 && pairs.all(is_same)
    };
    let whole = words.iter().filter(|token| is_word(token));
    let whole = whole.map(|token| (token.start, token.end));
    let parts = words
        .windows(wanted.len().max(1))
        .filter(|window| is_expression(window));
    let parts = parts.filter_map(|window| Some((window.first()?.start, window.last()?.end)));
    let mut places = whole.chain(parts);
    match (places.next(), places.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// `row 2: table `t`: …`, `a.csv line 7: table `t` …`: what is wrong with a row is not wrong with the table's name.
fn without_table_of_a_row(message: &str) -> &str {
    let Some((place, rest)) = message.split_once(": table `") else {
        return message;
    };
    let mut words = place.rsplit(' ');
    let is_number = words.next().is_some_and(|word| word.parse::<u64>().is_ok());
    if is_number && matches!(words.next(), Some("row" | "line")) {
        rest.split_once('`').map_or(rest, |(_, rest)| rest)
    } else {
        message
    }
}

#[cfg(test)]
#[path = "diagnose_tests.rs"]
mod tests;
