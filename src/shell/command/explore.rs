//! What is in the database.

use super::arguments::table;
use super::{Command, Offer, failed, show_texts};
use crate::datum::identifier;
use crate::schema::quoted;
use crate::shell::names::Names;
use crate::shell::state::{Answer, Shell};
use crate::shell::suggest::{closest, question};
use crate::table::HaliteTable;

/// The table that an argument names; the error is what to tell the user.
pub(super) fn find_table<T>(
    shell: &Shell<'_>,
    name: &str,
    read: impl FnOnce(&HaliteTable) -> T,
) -> Result<T, String> {
    let provider = shell.connection.table_provider(name);
    let provider = provider.map_err(|_| {
        let tables = Names::new(shell.connection.clone()).tables();
        let hint = question(&closest(name, tables.iter().map(String::as_str)));
        let hint = hint.unwrap_or(".tables lists the tables".to_owned());
        format!("there is no table `{name}`; {hint}")
    })?;
    let table = provider.downcast_ref::<HaliteTable>();
    table
        .map(read)
        .ok_or_else(|| format!("{name} is no table of Halite"))
}

/// `.tables`, and `.tables+` for how large they are, too.
pub(super) struct Tables {
    pub(super) more: bool,
}

impl Command for Tables {
    fn name(&self) -> &'static str {
        if self.more { ".tables+" } else { ".tables" }
    }

    fn aliases(&self) -> &'static [&'static str] {
        if self.more { &["\\dt+"] } else { &["\\dt"] }
    }

    fn usage(&self) -> &'static str {
        "[PATTERN]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Tables]
    }

    fn doc(&self) -> &'static str {
        if self.more {
            "the same with about how many rows and bytes they have"
        } else {
            "lists tables with their row keys, and views; * stands for anything"
        }
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let pattern = Pattern::of(argument);
        let names = Names::new(shell.connection.clone());
        let mut tables = names.tables();
        tables.retain(|name| pattern.matches(name));
        if self.more {
            return sizes(shell, &tables);
        }
        let key = |name: &String| {
            if names.is_view(name) {
                "(a view)".to_owned()
            } else {
                names
                    .definition(name)
                    .map_or_else(String::new, |table| table.key_clause())
            }
        };
        let keys = tables.iter().map(key);
        let keys = keys.collect();
        show_texts(shell, &[("table", tables), ("row_key", keys)])
    }
}

/// `.views`
pub(super) struct Views;

impl Command for Views {
    fn name(&self) -> &'static str {
        ".views"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\dv"]
    }

    fn usage(&self) -> &'static str {
        "[PATTERN]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Tables]
    }

    fn doc(&self) -> &'static str {
        "lists views with their queries; * stands for anything"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let pattern = Pattern::of(argument);
        let names = Names::new(shell.connection.clone()).tables();
        let views = names.iter().filter(|name| pattern.matches(name));
        let views = views.filter_map(|name| shell.connection.view_definition(name));
        let (names, queries) = views
            .map(|view| (view.name.clone(), view.query.clone()))
            .unzip();
        show_texts(shell, &[("view", names), ("query", queries)])
    }
}

/// `.functions`
pub(super) struct Functions;

impl Command for Functions {
    fn name(&self) -> &'static str {
        ".functions"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\df"]
    }

    fn usage(&self) -> &'static str {
        "[PATTERN]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Sql]
    }

    fn doc(&self) -> &'static str {
        "lists functions, those of FROM at the end; * stands for anything"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let pattern = Pattern::of(argument);
        let names = Names::new(shell.connection.clone());
        let functions = names.functions().into_iter();
        let functions = functions.map(|function| (function.name, function.note));
        let of_tables = names.table_functions().into_iter();
        let of_tables = of_tables.map(|name| (name, "table function".to_owned()));
        let found = functions.chain(of_tables);
        let (names, kinds) = found.filter(|(name, _)| pattern.matches(name)).unzip();
        show_texts(shell, &[("function", names), ("kind", kinds)])
    }
}

/// Shows how large some tables are.
fn sizes(shell: &mut Shell<'_>, tables: &[String]) -> Answer {
    let names: Vec<String> = tables.iter().map(|name| quoted(name)).collect();
    let chosen = if names.is_empty() {
        "false".to_owned()
    } else {
        format!("\"table\" IN ({})", names.join(", "))
    };
    let select = format!(
        "SELECT \"table\", row_key, columns, rows AS estimated_rows, bytes AS estimated_bytes FROM halite_tables() \
         WHERE {chosen}"
    );
    shell.statement_of_command(&select)
}

/// Shows what a table declares besides its columns.
fn declared(shell: &mut Shell<'_>, name: &str) -> Answer {
    match find_table(shell, name, |table| table.bound().table().declared()) {
        Ok(declared) => {
            let (about, how) = declared.into_iter().unzip();
            show_texts(shell, &[("about", about), ("value", how)])
        }
        Err(wrong) => failed(shell, &wrong),
    }
}

/// Shows what is said of a table or a view and its columns, if there is something.
fn comments(shell: &mut Shell<'_>, name: &str) -> Answer {
    let of_table = find_table(shell, name, |table| {
        table.bound().table().comment_statements().len()
    });
    let view = shell.connection.view_definition(name);
    let is_said = view.is_some_and(|view| view.comment.is_some());
    if of_table.unwrap_or_default() == 0 && !is_said {
        return Ok(std::ops::ControlFlow::Continue(()));
    }
    let name = quoted(name);
    shell.statement_of_command(&format!(
        "SELECT \"column\", \"comment\" FROM (\
         SELECT NULL AS \"column\", table_comment AS \"comment\", 0 AS place FROM information_schema.tables \
         WHERE table_name = {name} AND table_comment IS NOT NULL \
         UNION ALL SELECT column_name, column_comment, ordinal_position FROM information_schema.columns \
         WHERE table_name = {name} AND column_comment IS NOT NULL) c ORDER BY place"
    ))
}

/// What an argument says of names; nothing stands for every one.
struct Pattern(String);

impl Pattern {
    fn of(argument: &str) -> Self {
        Self(argument.to_lowercase().replace('%', "*"))
    }

    fn matches(&self, name: &str) -> bool {
        self.0.is_empty() || matches(&self.0, &name.to_lowercase())
    }
}

/// Whether a name is what the pattern says, in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(rest) = name.strip_prefix(before) else {
        return false;
    };
    let mut ends = (0..=rest.len()).filter_map(|at| rest.get(at..));
    ends.any(|end| matches(after, end))
}

/// `.describe`, and `.describe+` for how large the table is, too.
pub(super) struct Describe {
    pub(super) more: bool,
}

impl Command for Describe {
    fn name(&self) -> &'static str {
        if self.more { ".describe+" } else { ".describe" }
    }

    fn aliases(&self) -> &'static [&'static str] {
        if self.more { &["\\d+"] } else { &["\\d"] }
    }

    fn usage(&self) -> &'static str {
        "[TABLE]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Tables]
    }

    fn doc(&self) -> &'static str {
        if self.more {
            "the same with about how many rows and bytes it has"
        } else {
            "shows a table's columns, its row key, checks and options"
        }
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        if argument.is_empty() {
            return Tables { more: self.more }.run(shell, "");
        }
        let Some((name, "")) = table(argument) else {
            return failed(shell, &format!("{argument} is no name of a table"));
        };
        let is_view = Names::new(shell.connection.clone()).is_view(&name);
        if !is_view && let Err(wrong) = find_table(shell, &name, |_| ()) {
            return failed(shell, &wrong);
        }
        let described = shell.statement_of_command(&format!("DESCRIBE {}", identifier(&name)))?;
        if described.is_break() {
            return Ok(described);
        }
        let described = if is_view {
            described
        } else {
            declared(shell, &name)?
        };
        if !self.more || described.is_break() {
            return Ok(described);
        }
        let described = comments(shell, &name)?;
        if is_view || described.is_break() {
            Ok(described)
        } else {
            sizes(shell, &[name])
        }
    }
}

pub(super) struct Schema;

impl Command for Schema {
    fn name(&self) -> &'static str {
        ".schema"
    }

    fn usage(&self) -> &'static str {
        "[TABLE]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Tables]
    }

    fn doc(&self) -> &'static str {
        "prints the statements that make everything, or one table or view"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let known = Names::new(shell.connection.clone());
        let (names, views) = if argument.is_empty() {
            let mut others = known.sequence_statements();
            others.extend(known.view_statements(None));
            (known.tables(), others)
        } else {
            match table(argument) {
                Some((name, "")) => {
                    let views = known.view_statements(Some(&name));
                    (vec![name], views)
                }
                _ => return failed(shell, &format!("{argument} is no name of a table")),
            }
        };
        let mut text = String::new();
        for name in names.into_iter().filter(|name| !known.is_view(name)) {
            let made = find_table(shell, &name, |table| {
                let table = table.bound().table();
                (table.create_statement(), table.comment_statements())
            });
            let made =
                made.map(|(made, comments)| (shell.connection.statement_of(&name, made), comments));
            match made {
                Ok((statement, comments)) => {
                    for statement in std::iter::once(statement).chain(comments) {
                        text.push_str(&format!("{statement};\n"));
                    }
                }
                Err(wrong) => return failed(shell, &wrong),
            }
        }
        for statement in views {
            text.push_str(&format!("{statement};\n"));
        }
        shell.print(&text)
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name, expected) in [
            ("flights", "flights", true),
            ("flights", "flights_by_time", false),
            ("flights*", "flights_by_time", true),
            ("*by*", "flights_by_time", true),
            ("*time", "flights_by_time", true),
            ("*x*", "flights_by_time", false),
            ("*", "", true),
            ("w*er", "wether", true),
            ("ä*", "äö", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
