//! `halite check`, `halite backup` and `halite restore` from outside.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn halite(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halite"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Standard output and standard error, and whether all went well.
fn run(arguments: &[&str]) -> (bool, String, String) {
    let output = halite(arguments);
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
    assert!(run(&["check", &database]).0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_database_that_is_open_elsewhere_is_checked_and_not_backed_up() {
    let directory = tempfile::tempdir().unwrap();
    let database = filled(&directory.path().join("db"));
    let mut shell = Command::new(env!("CARGO_BIN_EXE_halite"));
    // It waits for the rest of its script with the database open only once it runs one, so a pipe holds it there.
    let fifo = directory.path().join("never.csv");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let copy = format!("SELECT 1 AS one; COPY u FROM '{}'", fifo.display());
    let mut shell = shell
        .args([&database, "-c", &copy])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut answer = String::new();
    BufReader::new(shell.stdout.take().unwrap())
        .read_line(&mut answer)
        .unwrap();
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
    assert!(
        checked && out.contains("note: another process has the database open"),
        "{out}"
    );
    std::io::stdout().flush().unwrap();
}
