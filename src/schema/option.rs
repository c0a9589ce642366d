//! What `CREATE TABLE … WITH (…)` may say of a table: each option is declared here once, with what it takes, how it is read,
//! and what SHOW CREATE TABLE prints.

use super::{Family, KeySpace, Table, quoted};
use crate::datum::identifier;
use crate::error::{Error, Result};

/// An option of `WITH (…)`. All take a text.
pub trait TableOption: Sync {
    /// Its name: `keyspace`.
    fn name(&self) -> &'static str;

    /// A value that it can have, without quotes, for errors.
    fn example(&self) -> &'static str;

    /// Gives a table, whose id and columns are known, what the option says.
    ///
    /// # Errors
    /// `InvalidInput` for a value that it cannot have.
    fn read(&self, value: &str, table: &mut Table) -> Result<()>;

    /// What [`TableOption::read`] makes the same of; `None` where the table is as without it.
    fn shown(&self, table: &Table) -> Option<String>;
}

/// All of them, in the order in which they are shown.
const TABLE_OPTIONS: [&dyn TableOption; 2] = [&InKeySpace, &InFamilies];

/// The option of this name.
pub fn table_option(name: &str) -> Option<&'static dyn TableOption> {
    TABLE_OPTIONS
        .into_iter()
        .find(|option| option.name() == name)
}

impl Table {
    /// The options that it has, with their values.
    pub(super) fn options(&self) -> impl Iterator<Item = (&'static str, String)> {
        TABLE_OPTIONS
            .iter()
            .filter_map(|option| Some((option.name(), option.shown(self)?)))
    }

    /// ` WITH (keyspace = 'shop')`; empty of a table without options.
    pub(super) fn with_clause(&self) -> String {
        let options: Vec<String> = self
            .options()
            .map(|(name, value)| format!("{name} = {}", quoted(&value)))
            .collect();
        if options.is_empty() {
            return String::new();
        }
        format!(" WITH ({})", options.join(", "))
    }
}

/// `keyspace = 'shop'`: the rows lie among those of other tables.
struct InKeySpace;

impl TableOption for InKeySpace {
    fn name(&self) -> &'static str {
        "keyspace"
    }

    fn example(&self) -> &'static str {
        "shop"
    }

    /// As of the first table of a key space: which one there is already, the catalog knows.
    fn read(&self, value: &str, table: &mut Table) -> Result<()> {
        let (name, id) = (value.to_owned(), table.id);
        table.keyspace = Some(KeySpace { name, id });
        Ok(())
    }

    fn shown(&self, table: &Table) -> Option<String> {
        Some(table.keyspace.as_ref()?.name.clone())
    }
}

/// `families = 'm(cpu, mem) raw(payload)'`: columns are kept apart from the others.
struct InFamilies;

impl TableOption for InFamilies {
    fn name(&self) -> &'static str {
        "families"
    }

    fn example(&self) -> &'static str {
        "m(cpu, mem) raw(payload)"
    }

    fn read(&self, value: &str, table: &mut Table) -> Result<()> {
        let declared = Letters(value).families().ok_or_else(|| {
            Error::invalid(format!(
                "families = '{value}': each is a name and its columns, as in '{}'",
                self.example()
            ))
        })?;
        let families = declared.into_iter().map(|(name, columns)| {
            let columns = columns.iter().map(|column| {
                let found = table.columns.iter().find(|it| it.name == *column);
                found.map(|column| column.id).ok_or_else(|| {
                    Error::invalid(format!("family `{name}`: there is no column `{column}`"))
                })
            });
            let columns = columns.collect::<Result<_>>()?;
            Ok(Family { name, columns })
        });
        table.families = families.collect::<Result<_>>()?;
        Ok(())
    }

    fn shown(&self, table: &Table) -> Option<String> {
        if table.families.is_empty() {
            return None;
        }
        let families = table.families.iter().map(|family| {
            let columns = table.columns.iter();
            let columns = columns.filter(|column| family.columns.contains(&column.id));
            let columns: Vec<_> = columns.map(|column| identifier(&column.name)).collect();
            format!("{}({})", identifier(&family.name), columns.join(", "))
        });
        Some(families.collect::<Vec<_>>().join(" "))
    }
}

/// What is not read yet of a text that declares families.
struct Letters<'a>(&'a str);

impl Letters<'_> {
    /// Each name with those of its columns; a comma between two is as good as none. `None` where it says something else.
    fn families(mut self) -> Option<Vec<(String, Vec<String>)>> {
        let mut families = Vec::new();
        while !self.0.trim_start().is_empty() {
            families.push((self.name()?, self.columns()?));
            self.take(',');
        }
        Some(families)
    }

    /// `(cpu, mem)`
    fn columns(&mut self) -> Option<Vec<String>> {
        let mut columns = Vec::new();
        if !self.take('(') {
            return None;
        }
        if self.take(')') {
            return Some(columns);
        }
        loop {
            columns.push(self.name()?);
            if self.take(')') {
                return Some(columns);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    /// A name as SQL writes it: folded, or in quotes.
    fn name(&mut self) -> Option<String> {
        if self.take('"') {
            return self.quoted();
        }
        let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = self.0.find(|letter| !is_of_name(letter));
        let (name, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        if name.is_empty() || name.starts_with(|first: char| first.is_numeric()) {
            return None;
        }
        self.0 = rest;
        Some(name.to_lowercase())
    }

    /// The rest of a name in quotes, of which two stand for one.
    fn quoted(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            let (part, rest) = self.0.split_once('"')?;
            name.push_str(part);
            self.0 = rest;
            match self.0.strip_prefix('"') {
                Some(rest) => self.0 = rest,
                None => return Some(name),
            }
            name.push('"');
        }
    }

    /// Whether this stands next; behind it one goes on.
    fn take(&mut self, wanted: char) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(wanted);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_families_and_columns_are_those_of_sql() {
        let family = |name: &str, columns: &[&str]| {
            let columns = columns.iter().map(|column| (*column).to_owned());
            (name.to_owned(), columns.collect::<Vec<_>>())
        };
        for (text, families) in [
            ("", vec![]),
            ("m()", vec![family("m", &[])]),
            (
                " M ( Cpu,mem ),raw(payload)",
                vec![family("m", &["cpu", "mem"]), family("raw", &["payload"])],
            ),
            (
                r#""the ""m"""("A, (b)" , Ä_1)"#,
                vec![family(r#"the "m""#, &["A, (b)", "ä_1"])],
            ),
        ] {
            assert_eq!(Letters(text).families(), Some(families), "{text}");
        }
        for text in [
            "f", "f b", "f(b", "f(b c)", "f(,b)", "f(b,)", "1(b)", "\"f(b)", "(b)", "f(b))",
        ] {
            assert_eq!(Letters(text).families(), None, "{text}");
        }
    }
}
