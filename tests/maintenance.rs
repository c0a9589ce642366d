//! `halite check`, `halite backup` and `halite restore` from outside.

use std::fs;
use std::path::Path;
use std::process::Stdio;

#[cfg(target_os = "linux")]
use std::{
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, ChildStdout, Command},
    thread::{self, sleep},
    time::{Duration, Instant},
};
#[cfg(target_os = "linux")]
use tempfile::TempDir;

use super::program::halite;

/// Standard output and standard error, and whether all went well.
fn run(arguments: &[&str]) -> (bool, String, String) {
    let output = halite().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let succeeded = output.status.code() == Some(0);
    assert!(succeeded || output.status.code() == Some(1), "{output:?}");
    (succeeded, text(output.stdout), text(output.stderr))
}

fn filled(path: &Path) -> String {
    let path = path.to_str().unwrap().to_owned();
    let script = "CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(4), a)); CREATE TABLE u (a INT, PRIMARY KEY (a)); \
                  INSERT INTO t SELECT n, 'text ' || n FROM generate_series(1, 1234) AS s (n)";
    let (succeeded, _, log) = run(&[&path, "-c", script]);
    assert!(succeeded, "{log}");
    path
}

#[test]
fn a_database_goes_through_backup_restore_and_check() {
    let directory = tempfile::tempdir().unwrap();
    let database = filled(&directory.path().join("db"));
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (backup, restored) = (at("backup"), at("restored"));
    assert!(run(&["backup", &database, &backup]).0);
    assert!(run(&["restore", &backup, &restored]).0);
    for path in [&database, &backup, &restored] {
        let (succeeded, out, log) = run(&["check", path]);
        assert!(succeeded && log.is_empty(), "{out}\n{log}");
        assert!(out.starts_with("table `t`: 1,234 rows, "), "{out}");
        assert!(out.contains("\ntable `u`: 0 rows, 0 bytes\n"), "{out}");
        assert!(out.ends_with(" is sound\n"), "{out}");
    }
    let (_, out, _) = run(&[&restored, "-c", "SELECT count(*) AS n FROM t"]);
    assert_eq!(out, "n\n1234\n");
    for (arguments, expected) in [
        (["backup", &database, &backup], "is there already"),
        (["restore", &backup, &restored], "is there already"),
        (
            ["backup", &at("none"), &at("new")],
            "there is no Halite database",
        ),
        (
            ["restore", &at("none"), &at("new")],
            "there is no Halite database",
        ),
    ] {
        let (succeeded, out, log) = run(&arguments);
        assert!(
            !succeeded && out.is_empty() && log.contains(expected),
            "{out}\n{log}"
        );
    }
    let (succeeded, _, log) = run(&["check", &at("none")]);
    assert!(
        !succeeded && log.contains("there is no Halite database"),
        "{log}"
    );
}

#[test]
fn the_process_that_writes_makes_a_backup() {
    let directory = tempfile::tempdir().unwrap();
    let database = filled(&directory.path().join("db"));
    let backup = directory.path().join("a copy").display().to_string();
    let insert = |rows: &str| format!("INSERT INTO u VALUES {rows};");
    let script = format!(
        "{}\n.backup '{backup}'\n{}\n",
        insert("(1), (2)"),
        insert("(3)")
    );
    let (succeeded, out, log) = run(&[&database, "-c", &script]);
    assert!(succeeded && out.is_empty(), "{out}{log}");
    let count = "SELECT count(*) AS n FROM u";
    assert_eq!(run(&[&database, "-c", count]).1, "n\n3\n");
    assert_eq!(run(&[&backup, "-c", count]).1, "n\n2\n");
    assert!(run(&["check", &backup]).0);
    let again = format!(".backup {backup}");
    let (succeeded, _, log) = run(&[&database, "-c", &again]);
    assert!(!succeeded && log.contains("is there already"), "{log}");
    let elsewhere = directory.path().join("b").display().to_string();
    let people = format!(".mode box\n.backup {elsewhere}");
    let (_, out, _) = run(&[&database, "-c", &people]);
    assert_eq!(out, format!("{elsewhere} is a backup\n"));
}

/// Runs the program with an output that nobody reads; its exit status and its complaint.
fn unread(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = halite();
    let program = command.args(arguments).stdout(Stdio::piped());
    let mut program = program.stderr(Stdio::piped()).spawn().unwrap();
    drop(program.stdout.take());
    let output = program.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn damage_ends_with_status_1() {
    let directory = tempfile::tempdir().unwrap();
    let database = filled(&directory.path().join("db"));
    let backup = directory.path().join("backup");
    // The rows of a backup are in files.
    assert!(run(&["backup", &database, backup.to_str().unwrap()]).0);
    let files = fs::read_dir(&backup)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "sst"));
    let largest = files
        .max_by_key(|file| fs::metadata(file).unwrap().len())
        .unwrap();
    let mut bytes = fs::read(&largest).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    // A backup on one disk shares its files with the database: not this one any more.
    fs::remove_file(&largest).unwrap();
    fs::write(&largest, bytes).unwrap();
    let (succeeded, out, log) = run(&["check", backup.to_str().unwrap()]);
    assert!(!succeeded && out.contains("damage: "), "{out}");
    let name = largest.file_name().unwrap().to_str().unwrap();
    assert!(out.contains(name.trim_start_matches('0')), "{name}: {out}");
    assert!(log.ends_with("backup is damaged\n"), "{log}");
    // The verdict is the same for a reader who has gone: who else would learn of it?
    let check = ["check", backup.to_str().unwrap()];
    assert_eq!(unread(&check), (Some(1), log));
    assert_eq!(unread(&["check", &database]), (Some(0), String::new()));
    assert!(run(&["check", &database]).0);
}

/// A pipe without a writer, which holds whoever opens it.
#[cfg(target_os = "linux")]
pub(crate) fn fifo(directory: &TempDir) -> PathBuf {
    let fifo = directory.path().join("never.csv");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    fifo
}

/// Starts the program; what it answers.
#[cfg(target_os = "linux")]
fn begin(arguments: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut command = halite();
    let program = command.args(arguments).stdout(Stdio::piped());
    let mut program = program.stderr(Stdio::null()).spawn().unwrap();
    let answers = BufReader::new(program.stdout.take().unwrap());
    (program, answers)
}

#[cfg(target_os = "linux")]
#[test]
fn a_database_that_is_open_elsewhere_is_checked_and_not_backed_up() {
    let directory = tempfile::tempdir().unwrap();
    let database = filled(&directory.path().join("db"));
    let fifo = fifo(&directory);
    let copy = format!("SELECT 1 AS one; COPY u FROM '{}'", fifo.display());
    let (mut shell, mut answers) = begin(&[&database, "-c", &copy]);
    answers.read_line(&mut String::new()).unwrap();
    let backup = directory.path().join("backup");
    let (succeeded, _, log) = run(&["backup", &database, backup.to_str().unwrap()]);
    let (checked, out, _) = run(&["check", &database]);
    shell.kill().unwrap();
    shell.wait().unwrap();
    let holder = format!("is open in process {}", shell.id());
    assert!(
        !succeeded && log.contains(&holder) && log.contains("close it there"),
        "{log}"
    );
    // It is told what that process can do.
    let command = format!("have it run .backup {}, ", backup.display());
    assert!(log.contains(&command), "{log}");
    assert!(
        checked && out.contains("note: another process has the database open"),
        "{out}"
    );
}

/// Presses Ctrl-C on a program, and gives its exit status and the time it took; it is killed if it does not end.
#[cfg(target_os = "linux")]
fn interrupt(mut program: Child) -> (Option<i32>, Duration) {
    let id = program.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(30) {
        if let Some(status) = program.try_wait().unwrap() {
            return (status.code(), start.elapsed());
        }
        sleep(Duration::from_millis(20));
    }
    program.kill().unwrap();
    program.wait().unwrap();
    panic!("the program does not end");
}

#[cfg(target_os = "linux")]
#[test]
fn control_c_ends_the_program_while_a_thread_waits_for_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = fifo(&directory);
    let copy = format!(
        "CREATE TABLE u (a INT, PRIMARY KEY (a)); SELECT 1 AS one; COPY u FROM '{}'",
        fifo.display()
    );
    let (mut program, mut answers) = begin(&["-c", &copy]);
    let mut answer = String::new();
    while answer != "one\n1\n" {
        assert!(answers.read_line(&mut answer).unwrap() > 0, "{answer}");
    }
    // Whatever the file is opened by has had the time to wait for its other end.
    sleep(Duration::from_millis(500));
    assert!(program.try_wait().unwrap().is_none());
    assert_eq!(interrupt(program).0, Some(130));
}

/// Commands of the shell open files, too.
#[cfg(target_os = "linux")]
#[test]
fn control_c_ends_a_command_that_waits_for_the_other_end_of_a_pipe() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = fifo(&directory);
    for command in [".read", ".output", ".once", ".import"] {
        let table = if command == ".import" { " u" } else { "" };
        let lines = format!(
            "CREATE TABLE u (a INT, PRIMARY KEY (a));\nSELECT 1 AS one;\n{command} {}{table}\nSELECT 2 AS two;\n",
            fifo.display()
        );
        let script = directory.path().join("script.sql");
        fs::write(&script, lines).unwrap();
        let (mut program, mut answers) = begin(&["-f", script.to_str().unwrap()]);
        let mut answer = String::new();
        while answer != "one\n1\n" {
            assert!(answers.read_line(&mut answer).unwrap() > 0, "{answer}");
        }
        sleep(Duration::from_millis(500));
        assert!(program.try_wait().unwrap().is_none(), "{command}");
        let (status, time) = interrupt(program);
        assert_eq!(status, Some(130), "{command}");
        assert!(time < Duration::from_secs(10), "{command}: {time:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn control_c_ends_the_demo_while_it_makes_its_data() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = halite();
    // A minute and more of work, even on a fast machine.
    let demo = command.args(["demo", "--rows", "300000000"]);
    let program = demo.env("TMPDIR", directory.path());
    let program = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let is_made = || fs::read_dir(directory.path()).unwrap().next().is_some();
    let start = Instant::now();
    while !is_made() && start.elapsed() < Duration::from_secs(30) {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_secs(1));
    let (status, time) = interrupt(program.unwrap());
    assert_eq!(status, Some(130));
    assert!(time < Duration::from_secs(10), "{time:?}");
    // What is temporary is removed.
    assert!(!is_made());
}

/// Between two statements nobody waits for the signal, and it counts all the same.
#[cfg(target_os = "linux")]
#[test]
fn control_c_between_two_statements_ends_the_script() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = fifo(&directory);
    let script = directory.path().join("script.sql");
    // The second command waits for the program that has the second result, and that for its file.
    let lines = format!(
        "SELECT 1 AS one;\n.output |cat {} > /dev/null\nSELECT 0;\n.output\nSELECT 2 AS two;\n",
        fifo.display()
    );
    fs::write(&script, lines).unwrap();
    for more in [&[][..], &["--no-bail"], &["-c", "SELECT 3 AS three"]] {
        let script = ["--allow-commands", "-f", script.to_str().unwrap()];
        let arguments = [&script[..], more].concat();
        let (mut program, mut answers) = begin(&arguments);
        // Opened when it is opened at the other end.
        let end = fs::OpenOptions::new().write(true).open(&fifo).unwrap();
        sleep(Duration::from_millis(500));
        assert!(program.try_wait().unwrap().is_none());
        let waiting = thread::spawn(move || interrupt(program));
        sleep(Duration::from_millis(500));
        drop(end);
        assert_eq!(waiting.join().unwrap().0, Some(130), "{arguments:?}");
        let mut out = String::new();
        answers.read_to_string(&mut out).unwrap();
        assert_eq!(out, "one\n1\n", "{arguments:?}");
    }
}
