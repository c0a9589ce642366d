//! How often the tree of a statement is walked: who visits it, file by file.
//!
//! A walk is made where a word is written that it looks for, or of a part of the tree; none of them is made for every
//! statement unless it must. A question that another walk could answer on its way needs none of its own: the list says
//! how many there are, and may only get shorter.

use super::source::code_of;
use super::{assert_none, is_test_file, sources};

/// What walks look like.
const WALKS: [&str; 4] = [
    " Visitor for ",
    " VisitorMut for ",
    "visit_expressions(",
    "visit_relations(",
];

/// Files that walk statements, and how many walks stand there.
const KNOWN: &[(&str, usize)] = &[
    ("catalog/checks.rs", 2),
    ("catalog/guest_functions.rs", 1),
    ("catalog/sequences.rs", 1),
    ("ddl/alter_table.rs", 1),
    ("plan/bind/column_rules.rs", 1),
    ("plan/bind/lateral.rs", 8),
    ("plan/bind/names/alias_conflicts.rs", 1),
    ("plan/bind/names/casts.rs", 1),
    ("plan/bind/names/exprs.rs", 1),
    ("plan/bind/names/references.rs", 1),
    ("plan/bind/names/tables.rs", 2),
    ("plan/bind/names/text.rs", 1),
    ("plan/bind/natural.rs", 1),
    ("plan/bind/parameters/constants.rs", 4),
    ("plan/bind/recursion.rs", 2),
    ("plan/bind/views.rs", 1),
    ("plan/change/insert.rs", 2),
    ("run/planning_thread.rs", 2),
    ("session/rewrite.rs", 1),
    ("sql/limits/guard/expansion.rs", 1),
    ("sql/limits/guard/width.rs", 2),
    ("sql/limits/long_lists.rs", 3),
    ("sql/parse.rs", 1),
    ("sql/rewrite/calls.rs", 1),
    ("sql/rewrite/clauses.rs", 1),
    ("sql/rewrite/expressions.rs", 3),
    ("sql/rewrite/file_functions.rs", 1),
    ("sql/rewrite/from_functions.rs", 4),
    ("sql/rewrite/functions.rs", 3),
    ("sql/rewrite/pivot.rs", 2),
    ("sql/rewrite/sample.rs", 1),
    ("sql/unsupported/clauses.rs", 2),
];

fn walks_in(text: &str) -> usize {
    let code = code_of(text);
    let counts = WALKS.iter().map(|walk| code.matches(walk).count());
    counts.sum()
}

#[test]
fn statements_are_walked_no_more_often() {
    let files = sources(&["src"]);
    let files = files.iter().filter(|(file, _)| !is_test_file(file));
    let found = files.map(|(file, text)| (file.strip_prefix("src/").unwrap(), walks_in(text)));
    let found: Vec<_> = found.filter(|(_, walks)| *walks > 0).collect();
    let wrong = found.iter().filter(|found| !KNOWN.contains(found));
    let wrong = wrong.map(|(file, walks)| format!("src/{file} has {walks} walks"));
    let gone = KNOWN.iter().filter(|known| !found.contains(known));
    let gone = gone.map(|(file, walks)| format!("src/{file} has no longer {walks} walks"));
    assert_none(wrong.chain(gone).collect());
}

#[test]
fn walks_are_found() {
    let text = "impl<F: Fn()> VisitorMut for Outside<F> {}\nimpl Visitor for A {}\nlet a = visit_expressions(x, f);";
    assert_eq!(walks_in(text), 3);
    assert_eq!(
        walks_in("// impl Visitor for A {}\n#[cfg(test)]\nimpl Visitor for A {}"),
        0
    );
}
