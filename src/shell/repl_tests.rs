use std::io;
use std::ops::ControlFlow;

use tokio::runtime::Builder;

use super::super::command::COMMANDS;
use super::super::format::{Page, named};
use super::*;
use crate::session::Database;

/// Submits lines to a shell one after the other; returns what came out, what was complained of, and whether the shell
/// is still there.
fn session(lines: &[&str]) -> (String, String, bool) {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    let mut shell = Shell {
        runner: Runner {
            connection: &connection,
            format: named("csv").unwrap(),
            page: Page::default(),
        },
        runtime: &runtime,
    };
    let (mut out, mut log) = (Vec::new(), Vec::new());
    let mut open = true;
    for line in lines {
        assert!(open, "the shell ended before {line}");
        open = shell.submit(line, &mut out, &mut log).unwrap() == ControlFlow::Continue(());
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(out), text(log), open)
}

#[test]
fn enter_runs_what_is_complete() {
    let complete = [
        "",
        "  ",
        ".tables",
        "SELECT 1;",
        "SELECT 1; -- one\n",
        "SELECT ';' /* ; */ ;\n",
        "-- nothing",
        "SELECT 1; SELECT 2;",
    ];
    let open = [
        "SELECT 1",
        "SELECT 1 -- ;",
        "SELECT ';",
        "SELECT \"a;",
        "SELECT 1 /* ;",
        "SELECT 1; SELECT 2",
        "SELECT $$ ;",
    ];
    assert_eq!(complete.map(is_complete), [true; 8]);
    assert_eq!(open.map(is_complete), [false; 7]);
}

#[test]
fn a_failed_statement_does_not_end_the_shell() {
    let (out, log, open) = session(&[
        "SELECT 1 AS a;",
        "SELECT * FROM nowhere;",
        "",
        "SELECT 2 AS b;",
    ]);
    assert_eq!(out, "a\n1\nb\n2\n");
    assert!(
        log.starts_with("error: ") && log.contains("nowhere"),
        "{log}"
    );
    assert!(open);
}

#[test]
fn mode_changes_the_format_and_lists_formats() {
    let (out, log, _) = session(&["SELECT 1 AS a;", ".mode jsonl", "SELECT 1 AS a;", ".mode"]);
    assert!(out.starts_with("a\n1\n{\"a\":1}\n"), "{out}");
    assert!(
        out.contains("\n* jsonl ") && out.contains("\n  csv "),
        "{out}"
    );
    assert_eq!(log, "");
    let (_, log, open) = session(&[".mode xml"]);
    assert_eq!(log, "error: there is no format xml; .mode lists them\n");
    assert!(open);
}

#[test]
fn a_format_for_people_shows_the_time() {
    let (out, _, _) = session(&[".mode box", "SELECT 1 AS a;"]);
    assert!(out.ends_with(" s\n") && out.contains("1 row\n"), "{out}");
}

#[test]
fn help_names_every_command() {
    let (out, _, _) = session(&[".help"]);
    for command in COMMANDS {
        assert!(
            out.contains(command.name()) && out.contains(command.doc()),
            "{out}"
        );
    }
}

#[test]
fn commands_that_are_wrong_say_so() {
    let (out, log, open) = session(&[".nonsense", ".tables now"]);
    assert_eq!(out, "");
    let expected = "error: there is no command .nonsense; .help lists them\nerror: .tables takes no argument\n";
    assert_eq!(log, expected);
    assert!(open);
}

#[test]
fn quit_ends_the_shell() {
    assert!(!session(&[".quit"]).2);
    assert!(!session(&["  .quit;"]).2);
}

#[test]
fn tables_are_listed() {
    let (out, log, _) = session(&["CREATE TABLE gulls (a INT, PRIMARY KEY (a));", ".tables"]);
    assert!(out.contains("gulls"), "{out}\n{log}");
}

#[test]
fn an_output_that_is_closed_ends_the_shell_with_an_error() {
    struct Closed;
    impl io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    let mut shell = Shell {
        runner: Runner {
            connection: &connection,
            format: named("csv").unwrap(),
            page: Page::default(),
        },
        runtime: &runtime,
    };
    let error = shell
        .submit("SELECT 1;", &mut Closed, &mut io::sink())
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}
