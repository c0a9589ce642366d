//! What each rule of Halite's does to a plan: the files under `golden`, one for each list of rules. Above `---` of each
//! section stands the name of a rule and a query; below it the plan that the rule changed, `-` before and `+` behind it,
//! as EXPLAIN VERBOSE shows them. `HALITE_REWRITE=1` writes the files anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use arrow::array::AsArray;

use super::pipeline::tests::names_of_ours;
use crate::golden::assert_golden;
use crate::session::testing::with;
use crate::session::{Connection, Database};

const TABLES: &[&str] = &[
    "CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c TEXT, d DECIMAL(10, 2), g BOOLEAN, ts TIMESTAMPTZ, at TIMESTAMP,
         i INTERVAL, raw BYTEA, PRIMARY KEY (a, id))",
    "CREATE TABLE u (id BIGINT, a INT, b DOUBLE, PRIMARY KEY (id))",
    "CREATE TABLE v (id BIGINT PRIMARY KEY, s TEXT)",
    "CREATE TABLE w (id BIGINT PRIMARY KEY, x INT, s TEXT)",
    "INSERT INTO t (id, a, b) SELECT value, value % 7, value FROM generate_series(1, 10000)",
    "INSERT INTO u SELECT value, value % 7, value FROM generate_series(1, 10000)",
    "INSERT INTO v VALUES (1, 'u'), (2, 'v')",
    "INSERT INTO w VALUES (1, 5, 'u'), (2, 3, 'v'), (3, 5, 'u')",
];

/// The rules that change nothing that a plan shows, and why.
const NOT_SEEN: &[(&str, &str)] = &[
    (
        "halite_meet_as_doubles",
        "values have met before, but for those of parameters",
    ),
    (
        "halite_put_operators_back",
        "an average has the name that it had",
    ),
    (
        "halite_go_by_value",
        "min and max have the names that they had",
    ),
    (
        "halite_refer_to_coerced",
        "references to a column have other types",
    ),
    ("bounds", "functions have the names that they had"),
    ("stoppable", "its nodes are shown as those inside of them"),
    (
        "FilterPushdown",
        "of what scans do not take already, `distinct_names` has its plans",
    ),
    (
        "halite_wait_for_nobody",
        "a join that tells nothing is shown as one that does",
    ),
    (
        "halite_restore_inputs",
        "it is for tables in memory, `lost_order` has its plans",
    ),
    ("halite_join_long_lists", "lists of thousands of rows"),
    ("make_rows_of_values", "hundreds of values"),
];

/// A rule's part of a file.
struct Section<'a> {
    rule: &'a str,
    /// What is set before, one statement a line, and the query.
    statements: &'a str,
}

impl<'a> Section<'a> {
    fn all(file: &'a str) -> Vec<Self> {
        let sections = file.split("\n== ").skip(1);
        let parts = sections.map(|section| {
            let (rule, rest) = section.split_once('\n').unwrap();
            let (statements, _) = rest.split_once("---\n").unwrap();
            Self { rule, statements }
        });
        parts.collect()
    }

    /// The section, with what the rule does now.
    async fn shown(&self, database: &Database) -> String {
        let connection = database.connect();
        let mut statements: Vec<&str> = self.statements.trim_end().split(";\n").collect();
        let query = statements.pop().unwrap();
        for statement in statements {
            connection.execute(statement, ()).await.unwrap();
        }
        let changed = change_by(self.rule, &connection, query).await;
        format!("\n== {}\n{}---\n{changed}", self.rule, self.statements)
    }
}

/// The lines of the plan that the rule changes, which it must.
async fn change_by(rule: &str, connection: &Connection, query: &str) -> String {
    let explain = format!("EXPLAIN VERBOSE {query}");
    let batches = connection.query(&explain, ()).await.expect(query);
    let mut before = String::new();
    for batch in batches {
        let column = |index: usize| batch.column(index).as_string::<i32>().iter().flatten();
        for (step, plan) in column(0).zip(column(1)) {
            if plan == "SAME TEXT AS ABOVE" {
                continue;
            }
            if step.ends_with(&format!(" after {rule}")) {
                return difference(&before, plan);
            }
            if !step.contains("_plan_with_") {
                before = plan.to_owned();
            }
        }
    }
    panic!("{rule} does not change the plan of {query}");
}

/// What is the same in front and at the end, and what is not between them.
fn difference(before: &str, after: &str) -> String {
    let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let both = before.iter().zip(&after);
    let front = both.take_while(|(one, other)| one == other).count();
    let (before_end, after_end) = (&before[front..], &after[front..]);
    let both = before_end.iter().rev().zip(after_end.iter().rev());
    let end = both.take_while(|(one, other)| one == other).count();
    let mut text = String::new();
    let mut put = |mark: char, lines: &[&str]| {
        for line in lines {
            writeln!(text, "{mark} {line}").unwrap();
        }
    };
    put(' ', &before[..front]);
    put('-', &before_end[..before_end.len() - end]);
    put('+', &after_end[..after_end.len() - end]);
    put(' ', &before_end[before_end.len() - end..]);
    text
}

#[tokio::test]
async fn each_rule_is_shown_by_a_plan_that_it_changes() {
    let connection = with(TABLES).await;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plan/rule/golden");
    let mut shown: BTreeSet<String> = NOT_SEEN.iter().map(|(rule, _)| rule.to_string()).collect();
    for (list, rules) in names_of_ours() {
        let file = directory.join(list);
        let text = std::fs::read_to_string(&file).unwrap();
        let (head, _) = text.split_once("\n== ").unwrap();
        let mut output = head.to_owned();
        for section in Section::all(&text) {
            output += &section.shown(connection.database()).await;
            assert!(
                rules.contains(section.rule),
                "{list} has no {}",
                section.rule
            );
            shown.insert(section.rule.to_owned());
        }
        let missing: Vec<_> = rules.difference(&shown).collect();
        assert!(missing.is_empty(), "{list}: no plan shows {missing:?}");
        assert_golden(&file, &output);
    }
}
