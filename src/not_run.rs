//! What a machine cannot run: said where everyone sees it, and refused where everything has to run.
//!
//! A test that comes back early counts as passed, and the harness keeps to itself what such a test prints. A suite that
//! filled no disk would look like one that did. So the line below goes past the harness, to standard error itself; and
//! where `CI` is set, whose result others rely on without reading its log, or `HALITE_RUN_ALL`, the test fails. `0` and
//! nothing count as not set, and `HALITE_RUN_ALL=0` is stronger than `CI`.

use std::io::{self, Write};
use std::thread;

/// Says that the test which calls this does not run, why, and what it takes.
///
/// # Panics
/// Where every test has to run.
#[track_caller]
pub(crate) fn not_run(why: &str, takes: &str) {
    let line = line(why, takes);
    assert!(
        !must_run_all(|variable| std::env::var(variable).ok()),
        "{line}CI or HALITE_RUN_ALL is set, so it has to run; HALITE_RUN_ALL=0 lets it be left out."
    );
    say(&line);
}

/// Says so of a test that needs a service, which nobody has to start: it passes wherever it is left out.
pub(crate) fn left_out(why: &str, takes: &str) {
    say(&line(why, takes));
}

fn line(why: &str, takes: &str) -> String {
    let test = thread::current();
    let test = test.name().unwrap_or("a test");
    format!("NOT RUN: {test}: {why}. It takes {takes}.\n")
}

fn say(line: &str) {
    // One call, so that the lines of two tests do not mix. Not `eprintln`, which the harness catches.
    io::stderr().write_all(line.as_bytes()).ok();
}

fn must_run_all(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |value: String| !matches!(value.as_str(), "" | "0" | "false");
    let own = variable("HALITE_RUN_ALL").filter(|value| !value.is_empty());
    own.or_else(|| variable("CI")).is_some_and(is_set)
}

#[test]
fn everything_has_to_run_where_a_variable_says_so() {
    for (own, ci, expected) in [
        (None, None, false),
        (None, Some("true"), true),
        (None, Some("1"), true),
        (None, Some("false"), false),
        (None, Some(""), false),
        (Some("1"), None, true),
        (Some("0"), Some("true"), false),
        (Some("1"), Some("false"), true),
        (Some(""), Some("true"), true),
    ] {
        let variable = |name: &str| {
            let value = if name == "CI" { ci } else { own };
            value.map(str::to_owned)
        };
        assert_eq!(must_run_all(variable), expected, "{own:?} {ci:?}");
    }
}
