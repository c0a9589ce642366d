use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use tokio::runtime::Builder;

use super::super::format::named;
use super::*;
use crate::session::Database;
use crate::shell::run_script::NESTED;

/// Text that is written to while the shell has it.
#[derive(Clone, Default)]
pub(crate) struct Paper(Rc<RefCell<Vec<u8>>>);

impl Paper {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Submits lines to a shell one after the other; returns what came out, what was complained of, and whether the shell
/// is still there. Results are CSV until a line says otherwise.
pub(crate) fn session(lines: &[&str]) -> (String, String, bool) {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let database = Database::in_memory().unwrap();
    let (out, log) = (Paper::default(), Paper::default());
    let outputs = Outputs::of(out.clone(), log.clone());
    let settings = Settings {
        allow_commands: true,
        ..Settings::new(named("csv").unwrap())
    };
    let mut shell = Shell::new(database.connect(), &runtime, settings, outputs);
    let mut open = true;
    for line in lines {
        assert!(open, "the shell ended before {line}");
        open = shell.submit(line).unwrap();
    }
    drop(shell);
    (out.text(), log.text(), open)
}

/// Runs a script; returns its answer, what came out and what was complained of.
fn script(text: &str, bail: bool) -> (Result<bool, String>, String, String, usize) {
    checked_script(text, bail, false)
}

fn checked_script(
    text: &str,
    bail: bool,
    check_first: bool,
) -> (Result<bool, String>, String, String, usize) {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let database = Database::in_memory().unwrap();
    let (out, log) = (Paper::default(), Paper::default());
    let settings = Settings {
        bail,
        check_first,
        ..Settings::new(named("csv").unwrap())
    };
    let outputs = Outputs::of(out.clone(), log.clone());
    let mut shell = Shell::new(database.connect(), &runtime, settings, outputs);
    let answer = match shell.script(text, Some("a.sql")) {
        Ok(flow) => Ok(flow.is_continue()),
        Err(Failure::Statement(report)) => Err(report),
        Err(failure) => panic!("{failure:?}"),
    };
    let failures = shell.failures;
    drop(shell);
    (answer, out.text(), log.text(), failures)
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
    let expected = "error: there is no table `nowhere`\n  SELECT * FROM nowhere\n                ^^^^^^^\n  there are no tables yet\n";
    assert_eq!(log, expected);
    assert!(open);
}

#[test]
fn a_script_ends_at_what_fails() {
    let text = "SELECT 1 AS a;\n.mode jsonl\nSELECT 2 AS b;\nSELECT x;\nSELECT 3 AS c;";
    let (answer, out, log, _) = script(text, true);
    assert_eq!(out, "a\n1\n{\"b\":2}\n");
    let report = answer.unwrap_err();
    assert!(
        report.starts_with("error: there is no column `x` (a.sql, line 4)\n  SELECT x\n         ^"),
        "{report}"
    );
    assert_eq!(log, "");
}

#[test]
fn a_script_that_is_checked_first_and_has_a_mistake_does_nothing() {
    for (mistake, told) in [
        ("SELCT 2;", "SELCT"),
        (".tabels", "did you mean .tables?"),
        ("SELECT 'a", "Unterminated"),
    ] {
        let text = format!("SELECT 1 AS a;\n{mistake}\n");
        for (check_first, expected) in [(true, ""), (false, "a\n1\n")] {
            let (answer, out, _, _) = checked_script(&text, true, check_first);
            assert_eq!(out, expected, "{mistake}");
            let report = answer.unwrap_err();
            assert!(
                report.contains(told)
                    && report.contains("(a.sql, line 2)") != report.contains(".tabels"),
                "{report}"
            );
        }
    }
}

#[test]
fn without_bail_a_script_goes_on() {
    let text = "SELECT 1 AS a;\nSELCT 2;\n.tabels\nSELECT x;\nSELECT 3 AS c;\n.quit\nSELECT 4;";
    let (answer, out, log, failures) = script(text, false);
    assert_eq!(
        (answer, out.as_str(), failures),
        (Ok(false), "a\n1\nc\n3\n", 3)
    );
    let errors: Vec<_> = log
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    assert_eq!(errors.len(), 3, "{log}");
    assert!(
        errors[0].ends_with("(a.sql, line 2)") && errors[2].ends_with("(a.sql, line 4)"),
        "{log}"
    );
}

#[test]
fn an_output_that_is_closed_ends_the_shell_with_an_error() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let database = Database::in_memory().unwrap();
    let settings = Settings::new(named("csv").unwrap());
    let outputs = Outputs::of(Closed, io::sink());
    let mut shell = Shell::new(database.connect(), &runtime, settings, outputs);
    let error = shell.submit("SELECT 1;").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn people_are_told_what_a_statement_did() {
    let (out, _, _) = session(&[
        ".mode box",
        "CREATE TABLE t (a INT, PRIMARY KEY (a)); INSERT INTO t VALUES (1), (2);",
    ]);
    assert_eq!(out, "CREATE TABLE\nINSERT: 2 rows\n");
}

#[test]
fn the_timer_tells_what_was_read() {
    let (out, log, _) = session(&[
        "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a)); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);",
        "\\timing on",
        "SELECT b FROM t WHERE a >= 2;",
        "DELETE FROM t WHERE a = 1;",
        "SELECT 1 AS x;",
        ".timer off",
        "SELECT 2 AS x;",
    ]);
    // The cost is no result: programs read those alone.
    assert_eq!(out, "b\n2\n3\nx\n1\nx\n2\n");
    let told: Vec<_> = log
        .lines()
        .map(|line| line.rsplit_once(", ").unwrap().0)
        .collect();
    assert_eq!(told.len(), 3, "{log}");
    assert!(
        told[0].starts_with("2 rows, 2 keys read in 1 range ("),
        "{log}"
    );
    assert!(
        told[1].starts_with("1 row changed, 1 key read in 1 range ("),
        "{log}"
    );
    assert_eq!(told[2], "1 row");
    assert!(log.lines().all(|line| line.ends_with(" s")), "{log}");
}

#[test]
fn scripts_that_read_one_another_come_to_an_end() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("again.sql");
    std::fs::write(&file, format!("SELECT 1 AS a;\n.read {}\n", file.display())).unwrap();
    let (out, log, open) = session(&[&format!(".read {}", file.display())]);
    assert_eq!(out.matches("a\n1\n").count(), NESTED);
    assert!(log.contains("read one another"), "{log}");
    assert!(open);
}

/// A date that no calendar has.
const BEYOND: &str = "SELECT arrow_cast(2000000000, 'Date32') AS day;";

#[test]
fn a_value_without_text_is_a_statement_that_failed() {
    for format in ["csv", "tsv", "json", "jsonl"] {
        let mode = format!(".mode {format}");
        let (_, log, open) = session(&[&mode, BEYOND, ".mode csv", "SELECT 1 AS a;"]);
        assert!(open && log.starts_with("error: "), "{format}: {log}");
        assert!(log.contains("\n  SELECT arrow_cast"), "{format}: {log}");
        let text = format!("{mode}\n{BEYOND}\n.mode csv\nSELECT 1 AS a;");
        let (answer, out, log, failures) = script(&text, false);
        assert_eq!((answer, failures), (Ok(true), 1), "{format}: {log}");
        assert!(
            out.ends_with("a\n1\n") && log.contains("(a.sql, line 2)"),
            "{out}{log}"
        );
    }
}

#[test]
fn a_value_without_text_leaves_the_results_in_their_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("out").display().to_string();
    let output = format!(".output {file}");
    let (out, log, _) = session(&[&output, BEYOND, "SELECT 1 AS a;"]);
    assert_eq!(out, "");
    assert!(!log.contains("cannot write"), "{log}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "day\na\n1\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_statement_that_failed() {
    let full = "cannot write /dev/full: No space left on device";
    for output in [".once /dev/full", ".output /dev/full"] {
        for result in [
            "SELECT 1 AS a;",
            "SELECT value FROM generate_series(1, 100000);",
            ".tables",
        ] {
            let (out, log, open) = session(&[output, result, ".mode jsonl"]);
            assert!(open && out.is_empty(), "{output} {result}: {out}");
            assert!(
                log.starts_with("error: ") && log.contains(full),
                "{output} {result}: {log}"
            );
        }
    }
    let text = ".once /dev/full\nSELECT 1 AS a;\nSELECT 2 AS b;";
    let (answer, out, _, failures) = script(text, false);
    assert_eq!((answer, out.as_str(), failures), (Ok(true), "b\n2\n", 1));
    assert!(script(text, true).0.unwrap_err().contains(full));
}
