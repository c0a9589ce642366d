//! What is easily got wrong in the layout of a row key: said when a table is created.

use std::collections::BTreeSet;
use std::fmt;

use super::layout::RowKey;
use super::part::KeyPart;
use super::transform::Expression;
use crate::datum::SqlType;

/// Fields of fixed width together beyond which a key is said to be wide.
const WIDE: usize = 16;

/// A layout that is allowed, but rarely meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What is wrong, in two or three words.
    pub warning: String,
    /// The key part that it is about.
    pub part: String,
    /// Why it matters, and what to do.
    pub reason: String,
}

/// `useless part `salt(16)`: its value follows …`.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            warning,
            part,
            reason,
        } = self;
        write!(f, "{warning} `{part}`: {reason}")
    }
}

impl Warning {
    fn new(warning: &str, part: &KeyPart, reason: String) -> Self {
        Self {
            warning: warning.to_owned(),
            part: part.expression().to_string(),
            reason,
        }
    }
}

impl RowKey {
    /// The classic mistakes that this layout makes.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        warnings.extend(self.wide());
        warnings.extend(self.leading_timestamp());
        warnings.extend(self.following());
        warnings.extend(self.shared());
        warnings
    }

    /// Fixed widths of more than 16 bytes together, a bucket's aside; the widest part is named.
    fn wide(&self) -> Option<Warning> {
        let width = |part: &&KeyPart| match part.transform().buckets() {
            Some(_) => 0,
            None => part.transform().encoding().width().unwrap_or(0),
        };
        let total: usize = self
            .parts()
            .iter()
            .map(|part| width(&part))
            .fold(0, usize::saturating_add);
        let widest = self.parts().iter().rev().max_by_key(width)?;
        (total > WIDE).then(|| {
            Warning::new(
                "wide key",
                widest,
                format!(
                    "parts of fixed width take {total} bytes of every row's key; above {WIDE}, narrower types or \
                     fewer parts make tables smaller and scans faster"
                ),
            )
        })
    }

    /// Time first, and no salt in front of it: all new rows go to one place.
    fn leading_timestamp(&self) -> Option<Warning> {
        let first = self
            .parts()
            .iter()
            .find(|part| !part.sources().is_empty())?;
        let [source] = first.sources() else {
            return None;
        };
        let sql_type = &self.columns().get(*source)?.sql_type;
        let time = matches!(sql_type, SqlType::Timestamp { .. } | SqlType::Date);
        (time && first.transform().preserves_order()).then(|| {
            Warning::new(
                "leading timestamp",
                first,
                "rows that arrive in the order of time are all written at one end of the table; salt(n) or \
                 bucket(n, …) in front spreads them"
                    .to_owned(),
            )
        })
    }

    /// Parts that are computed from columns which stand in front of them: all keys that begin with these have the same.
    fn following(&self) -> Vec<Warning> {
        let mut known = BTreeSet::new();
        let mut warnings = Vec::new();
        for part in self.parts() {
            let sources = part.sources();
            if !sources.is_empty() && sources.iter().all(|source| known.contains(source)) {
                let reason = "its value follows from the parts in front of it: there it spreads no rows and narrows no \
                              scan, and takes room in every key; put it in front of them, or leave it out";
                warnings.push(Warning::new("useless part", part, reason.to_owned()));
            }
            known.extend(part.restores());
        }
        warnings
    }

    /// Parts of which nothing in the key tells the rows apart.
    fn shared(&self) -> Vec<Warning> {
        let told = self.told_columns();
        if told.is_empty() {
            let is_sourced =
                |part: &&KeyPart| !part.sources().is_empty() && !part.expression().is_dealt();
            let sourced = self.parts().iter().find(is_sourced);
            let most = self.most_of_one_key();
            let reason = format!(
                "no part separates rows: rows with the same values of all parts have one key, and only {most} of them \
                 can be stored; add the columns that tell rows apart"
            );
            let first = sourced.or(self.parts().first());
            let warning = |part| Warning::new("rows share a key", part, reason.clone());
            return first.map(warning).into_iter().collect();
        }
        let lost = |part: &&KeyPart| {
            let untold = part.sources().iter().any(|source| !told.contains(source));
            part.transform().buckets().is_none() && untold
        };
        let warning = |part: &KeyPart| {
            let names: Vec<&str> = part.expression().columns().collect();
            let most = self.most_of_one_key();
            let are = match self.dealt_buckets() {
                None => "row is",
                Some(_) => "rows are",
            };
            Warning::new(
                "rows share a key",
                part,
                format!(
                    "nothing in the key separates rows that differ in {} alone: {most} {are} possible for each value of the \
                     part; add the column as the last part if there can be more",
                    names.join(", ")
                ),
            )
        };
        self.parts().iter().filter(lost).map(warning).collect()
    }

    /// How many rows can be stored whose parts have the same values, but for a bucket that they are dealt.
    fn most_of_one_key(&self) -> String {
        let most = self.dealt_buckets();
        most.map_or_else(|| "one".to_owned(), |buckets| buckets.to_string())
    }

    /// The columns of which different values have different keys, but for collisions of hashes.
    fn told_columns(&self) -> BTreeSet<usize> {
        let mut told = BTreeSet::new();
        let parts = self.parts().iter();
        for part in parts.filter(|part| part.transform().buckets().is_none()) {
            let hashed = part.transform().is_hash();
            let alone = part.restores().is_some() || hashed;
            if alone
                || self
                    .parts()
                    .iter()
                    .any(|other| completes(part.expression(), other.expression()))
            {
                told.extend(part.sources());
            }
        }
        told
    }
}

/// `c / n` and `c % n` together give `c` back.
fn completes(quotient: &Expression, remainder: &Expression) -> bool {
    quotient.function == "/"
        && remainder.function == "%"
        && quotient.arguments == remainder.arguments
}
