//! The program from outside: its arguments, what goes to which output, and its exit status.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub(crate) fn halite() -> Command {
    let another = std::env::var_os("HALITE_PROGRAM");
    let mut command = Command::new(another.unwrap_or(env!("CARGO_BIN_EXE_halite").into()));
    command.stdin(Stdio::null());
    command
}

/// Runs the program with these arguments and nothing on standard input.
pub(crate) fn run(arguments: &[&str]) -> Output {
    halite().args(arguments).output().unwrap()
}

pub(crate) fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = halite()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// The output of a run that must succeed and complain of nothing. That it made a database is no complaint.
pub(crate) fn results(output: &Output) -> String {
    let (out, log) = texts(output);
    let notes = |line: &&str| !line.starts_with("made a new database, ");
    let log: String = log.split_inclusive('\n').filter(notes).collect();
    assert!(output.status.success() && log.is_empty(), "{out}\n{log}");
    out
}

/// The output and the complaint of a run that must fail as a failed statement does.
pub(crate) fn failure(output: &Output) -> (String, String) {
    let (out, log) = texts(output);
    assert_eq!(output.status.code(), Some(1), "{out}\n{log}");
    (out, log)
}

#[test]
fn arguments_run_in_the_order_given() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("two.sql");
    std::fs::write(&file, "SELECT 2 AS two; SELECT 3 AS three").unwrap();
    let file = file.to_str().unwrap();
    let output = run(&[
        "-c",
        "SELECT 1 AS one",
        "-f",
        file,
        "-c",
        "SELECT 4 AS four",
    ]);
    assert_eq!(results(&output), "one\n1\ntwo\n2\nthree\n3\nfour\n4\n");
}

#[test]
fn standard_input_is_a_script() {
    let output = run_with_input(&["--format", "jsonl"], "SELECT 1 AS n;\nSELECT 2 AS n;\n");
    assert_eq!(results(&output), "{\"n\":1}\n{\"n\":2}\n");
    let output = run_with_input(&["-c", "SELECT 1 AS n", "-f", "-"], "SELECT 2 AS n");
    assert_eq!(results(&output), "n\n1\nn\n2\n");
    assert_eq!(results(&run(&[])), "");
}

#[test]
fn nothing_runs_after_a_statement_that_fails() {
    let script = "SELECT 1 AS one; SELECT * FROM nowhere; SELECT 3 AS three";
    let (out, log) = failure(&run(&["-c", script, "-c", "SELECT 4 AS four"]));
    assert_eq!(out, "one\n1\n");
    assert!(
        log.starts_with("error: ") && log.contains("nowhere"),
        "{log}"
    );
    let place = "\n  SELECT * FROM nowhere\n                ^^^^^^^\n";
    assert!(log.contains(place), "{log}");
}

#[test]
fn a_syntax_error_is_met_where_it_stands_or_before_anything_runs() {
    let script = "SELECT 1 AS one;\nSELECT 2 WHERE = 3;\nSELECT 3";
    let (out, met) = failure(&run(&["-c", script]));
    assert_eq!(out, "one\n1\n");
    let (out, log) = failure(&run(&["--check-first", "-c", script]));
    assert_eq!((out.as_str(), &met), ("", &log));
    let lines: Vec<_> = log.lines().collect();
    assert!(
        lines[0].starts_with("error: ") && lines[0].ends_with("(line 2)"),
        "{log}"
    );
    assert_eq!(lines[1], "  SELECT 2 WHERE = 3");
    assert_eq!(lines[2], "                 ^", "{log}");
}

/// The tokenizer ends at what is no text; the script does not.
#[test]
fn a_text_that_is_none_is_a_statement_that_fails() {
    let script =
        "select 1 as one;\nselect e'a\\x00b';\nselect 2 as two; select 3 as three;\nselect 'open";
    let (out, log) = failure(&run(&["--no-bail", "-c", script]));
    assert_eq!(out, "one\n1\ntwo\n2\nthree\n3\n");
    assert!(
        log.contains("(line 2)") && log.contains("(line 4)"),
        "{log}"
    );
    let (out, log) = failure(&run(&["-c", script]));
    assert_eq!(out, "one\n1\n");
    assert!(
        log.contains("select e'a\\x00b'") && !log.contains("open"),
        "{log}"
    );
    let lines = "select e'a\\x00b'; select 1 as one; select 2 as two;";
    assert_eq!(
        failure(&run(&["--no-bail", "-c", lines])).0,
        "one\n1\ntwo\n2\n"
    );
}

/// The statement before it is not run; the command is, and what comes then.
#[test]
fn a_script_goes_on_behind_a_semicolon_that_is_missing() {
    let script = "SELECT 1 AS one;\nSELECT 2 AS two\n.print told\nSELECT 3 AS three;\n";
    let (out, log) = failure(&run_with_input(&["--no-bail"], script));
    assert_eq!(out, "one\n1\n", "{log}");
    let end = "SELECT 1 AS one;\nSELECT 2 AS two\n.print told\n";
    let (out, log) = failure(&run_with_input(&["--no-bail"], end));
    assert_eq!(out, "one\n1\ntold\n", "{log}");
    assert!(log.contains("has no semicolon at its end"), "{log}");
}

#[test]
fn a_statement_that_fails_at_once_has_no_heading() {
    for format in ["csv", "json", "box", "markdown"] {
        let (out, log) = failure(&run(&["--format", format, "-c", "SELECT 1/0 AS x"]));
        assert_eq!(out, "", "{format}");
        assert!(log.to_lowercase().contains("divide by zero"), "{log}");
    }
    assert_eq!(results(&run(&["-c", "SELECT 1 AS x WHERE false"])), "x\n");
}

#[test]
fn a_database_is_made_where_its_directory_can_be_meant() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("shop");
    let made = run(&[
        path.to_str().unwrap(),
        "-c",
        "CREATE TABLE t (a INT PRIMARY KEY)",
    ]);
    let (out, log) = texts(&made);
    assert_eq!(
        log,
        format!("made a new database, {}\n", path.display()),
        "{out}"
    );
    let (_, log) = texts(&run(&[path.to_str().unwrap(), "-c", "SELECT * FROM t"]));
    assert_eq!(log, "");
    let lost = directory.path().join("mistyped/shop");
    let (_, log) = failure(&run(&[lost.to_str().unwrap(), "-c", "SELECT 1"]));
    assert!(
        log.contains("there is no directory") && log.contains("mistyped"),
        "{log}"
    );
    assert!(!lost.parent().unwrap().exists());
}

#[test]
fn a_file_that_is_missing_stops_everything() {
    let (out, log) = failure(&run(&["-c", "SELECT 1", "-f", "/no/such/file.sql"]));
    assert_eq!(out, "");
    assert!(
        log.starts_with("error: cannot read /no/such/file.sql"),
        "{log}"
    );
}

#[test]
fn wrong_arguments_are_told_with_what_is_right() {
    let output = run(&["--format", "xml"]);
    let (out, log) = texts(&output);
    assert_eq!((output.status.code(), out.as_str()), (Some(2), ""));
    for format in halite::shell::format::FORMATS {
        let name = format.name();
        assert!(log.contains(name), "{name}: {log}");
    }
    assert_eq!(
        run(&["--readonly", "-c", "SELECT 1"]).status.code(),
        Some(2)
    );
}

/// More rows than a pipe holds.
const MANY: &str = "SELECT * FROM generate_series(1, 1000000)";

/// The output of a run whose reader reads a little and then goes.
fn read_a_little(arguments: &[&str]) -> Output {
    let mut child = halite()
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 64];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    for arguments in [&["-c", MANY][..], &["-c", "SELECT 1; SELECT 2", "-c", MANY]] {
        assert_eq!(results(&read_a_little(arguments)), "");
    }
}

#[test]
fn a_reader_that_goes_before_all_was_done_is_told_by_the_status() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("many.sql");
    std::fs::write(&file, MANY).unwrap();
    let read = format!(".read {}\nSELECT 1 AS one", file.display());
    let two = format!("{MANY}; SELECT 1 AS one");
    for arguments in [
        &["-c", MANY, "-c", "SELECT 1 AS one"][..],
        &["-c", &two],
        &["--no-bail", "-c", &two],
        &["-c", &read],
    ] {
        let (_, log) = failure(&read_a_little(arguments));
        let told = "error: standard output was closed before all was done\n";
        assert_eq!(log, told, "{arguments:?}");
    }
    let (_, log) = failure(&read_a_little(&["--no-bail", "-c", "SELECT x", "-c", MANY]));
    assert!(log.contains("there is no column `x`"), "{log}");
}

#[test]
fn a_database_is_kept_and_can_be_read_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kept.halite");
    let database = path.to_str().unwrap();
    let table = "CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a))";
    results(&run(&[
        database,
        "-c",
        table,
        "-c",
        "INSERT INTO t VALUES (2, 'b'), (1, 'a')",
    ]));
    let select = ["-c", "SELECT * FROM t ORDER BY a"];
    let rows = "a,b\n1,a\n2,b\n";
    assert_eq!(results(&run(&[&[database], &select[..]].concat())), rows);
    let readonly = [database, "--readonly", "-c"];
    assert_eq!(results(&run(&[&readonly[..], &select[1..]].concat())), rows);
    failure(&run(
        &[&readonly[..], &["INSERT INTO t VALUES (3, 'c')"]].concat()
    ));
    assert_eq!(results(&run(&[&[database], &select[..]].concat())), rows);
}

#[test]
fn a_read_only_database_is_not_made() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("none.halite");
    failure(&run(&[
        path.to_str().unwrap(),
        "--readonly",
        "-c",
        "SELECT 1",
    ]));
    assert!(!Path::new(&path).exists());
}

#[test]
fn people_are_told_what_a_statement_did() {
    let table = "CREATE TABLE t (a INT, PRIMARY KEY (a)); INSERT INTO t VALUES (1), (2)";
    let told = results(&run(&["--format", "box", "-c", table]));
    assert!(told.contains("INSERT: 2 rows\n"), "{told}");
    assert!(told.contains("CREATE TABLE\n"), "{told}");
}

#[test]
fn the_demo_runs_every_sample_query_as_its_file_says() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("flights.halite");
    let database = path.to_str().unwrap();
    let out = results(&run(&["demo", database, "--rows", "10000"]));
    assert!(!out.contains('✗'), "{out}");
    let expected = [
        "flights_by_tailnum  PRIMARY KEY (bucket(8, tailnum), tailnum, scheduled DESC, origin, carrier, flight)\n",
        " 336,776 rows in ",
        "\n  point: /JFK/2013-01-09T09:00:00/HA/51\n",
        "\n  range, bucket 6: /6/N14228/2013-10-24T08:33:59/* to /6/N14228/*\n",
        "\n  walk: /JFK/2013-07-10T00:00:00..2013-07-10T23:59:59/DL/*\n",
        "\n  then asked of each row: dep_delay > 120 ",
        "│  335220 │",
        "mailbox_by_user  PRIMARY KEY (user_id, day, message_id)\n",
        "\n  range: /ben.keller/* to /ben.keller/2024-02-02/83020\n",
        "\nFROM series_wide\n",
    ];
    for part in expected {
        assert!(out.contains(part), "{part}\n\n{out}");
    }
    // Every run is in the table at the end: those of the files' heads, and their numbers of keys.
    let table = out.split("\nquery  ").nth(1).unwrap();
    let runs: Vec<&str> = table
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        // A line of one word is the name of a data set.
        .filter(|line| line.contains(' '))
        .collect();
    let queries = halite::shell::sample::queries().unwrap();
    let named = queries.iter().flat_map(|query| &query.expectations);
    assert_eq!(runs.len(), named.count(), "{table}");
    assert!(
        runs.iter().any(|run| run.contains(" One flight  ")),
        "{table}"
    );
    // The database stays, and is not built over.
    let count = ["-c", "SELECT count(*) AS n FROM weather"];
    assert_eq!(
        results(&run(&[&[database], &count[..]].concat())),
        "n\n26115\n"
    );
    let (out, log) = failure(&run(&["demo", database]));
    assert!(out.is_empty() && log.contains("is not empty"), "{log}");
}

#[test]
fn the_demo_takes_no_arguments_of_statements() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [
        &["--format", "csv", "demo"][..],
        &["x.halite", "demo"],
        &["-c", "SELECT 1", "demo"],
    ] {
        let output = halite()
            .current_dir(&directory)
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
}

#[test]
fn generated_files_load_into_their_layouts() {
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut program = halite();
        program
            .current_dir(&directory)
            .args(arguments)
            .output()
            .unwrap()
    };
    let told = results(&run(&[
        "generate",
        "--rows",
        "500",
        "mailbox",
        "series_wide",
    ]));
    assert!(
        told.contains("data/mailbox.parquet: 500 rows, the mail of"),
        "{told}"
    );
    assert!(
        told.contains("data/series_wide.parquet: 50 rows, "),
        "{told}"
    );
    assert_eq!(told.lines().count(), 2);
    let layout = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/catalog/mailbox/mailbox_by_user.sql"
    );
    let count = "SELECT count(*) AS n FROM mailbox_by_user";
    assert_eq!(results(&run(&["-f", layout, "-c", count])), "n\n500\n");
    // Another seed, another file; a wrong name is told which there are.
    results(&run(&[
        "generate", "--rows", "500", "--seed", "2", "--into", "two", "mailbox",
    ]));
    let read = |path: &str| std::fs::read(directory.path().join(path)).unwrap();
    assert_ne!(read("data/mailbox.parquet"), read("two/mailbox.parquet"));
    let output = run(&["generate", "mail"]);
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        log.contains("mailbox") && log.contains("server_log"),
        "{log}"
    );
}

#[test]
fn bail_is_the_default_and_can_be_turned_off() {
    let script = "SELECT 1 AS one; SELECT * FROM nowhere; SELCT; SELECT 3 AS three";
    assert_eq!(failure(&run(&["-c", script])).0, "one\n1\n");
    assert_eq!(
        failure(&run(&["--no-bail", "--bail", "-c", script])).0,
        "one\n1\n"
    );
    let (out, log) = failure(&run(&["--no-bail", "-c", script, "-c", "SELECT 4 AS four"]));
    assert_eq!(out, "one\n1\nthree\n3\nfour\n4\n");
    let errors = log.lines().filter(|line| line.starts_with("error: "));
    assert_eq!(errors.count(), 2, "{log}");
    let (out, _) = failure(&run_with_input(&["--no-bail"], script));
    assert_eq!(out, "one\n1\nthree\n3\n");
}

#[test]
fn a_script_may_hold_commands_and_leave() {
    let script =
        ".mode jsonl\nSELECT 1 AS one;\n.timer on\nSELECT 2 AS two;\n.quit\nSELECT 3 AS three;\n";
    let output = run_with_input(&[], script);
    let (out, log) = texts(&output);
    assert!(output.status.success(), "{log}");
    assert_eq!(out, "{\"one\":1}\n{\"two\":2}\n");
    assert!(log.starts_with("1 row, ") && log.ends_with(" s\n"), "{log}");
    assert_eq!(
        results(&run(&["-c", ".tables", "-c", "\\dt"])),
        "table,row_key\n".repeat(2)
    );
}

#[test]
fn an_error_names_the_file_and_the_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("two.sql");
    std::fs::write(&file, "SELECT 1 AS one;\nSELECT\n  nosuch;\n").unwrap();
    let file = file.to_str().unwrap();
    let (out, log) = failure(&run(&["-f", file]));
    assert_eq!(out, "one\n1\n");
    let expected =
        format!("error: there is no column `nosuch` ({file}, line 3)\n    nosuch\n    ^^^^^^\n");
    assert_eq!(log, expected);
}

#[test]
fn nothing_is_coloured_where_nobody_looks() {
    let mut command = halite();
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
    let output = command
        .args(["--format", "box", "-c", "SELECT NULL AS n; SELECT x"])
        .output()
        .unwrap();
    let (out, log) = failure(&output);
    assert!(
        !out.contains('\u{1b}') && !log.contains('\u{1b}'),
        "{out}\n{log}"
    );
}

#[test]
fn the_program_says_what_it_is() {
    let version = results(&run(&["--version"]));
    assert_eq!(version, concat!("halite ", env!("CARGO_PKG_VERSION"), "\n"));
    let help = results(&run(&["--help"]));
    for text in [
        "--readonly",
        "--no-bail",
        "--no-init",
        "Exit status",
        "halite demo",
    ] {
        assert!(help.contains(text), "{text}: {help}");
    }
}

/// What is written to `/dev/stdout` goes where standard output goes, behind what is there, and replaces no file.
#[cfg(target_os = "linux")]
#[test]
fn rows_go_to_what_is_open_already() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let link = directory.path().join("link.csv");
    std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
    let link = link.to_str().unwrap();
    let redirected = |script: &str, more: &str| {
        let mut open = std::fs::File::create(&out).unwrap();
        open.write_all(b"before\n").unwrap();
        if !more.is_empty() {
            open = std::fs::OpenOptions::new().append(true).open(&out).unwrap();
        }
        let more = more.replace("OUT", out.to_str().unwrap());
        // The shell has the third descriptor opened.
        let run = format!("exec \"$0\" -c \"$1\" {more}");
        let mut command = Command::new("sh");
        command.args(["-c", &run, env!("CARGO_BIN_EXE_halite"), script]);
        let output = command.stdout(open).output().unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
        let left = std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, 2, "{script}");
        std::fs::read_to_string(&out).unwrap()
    };
    let copy = |to: &str| {
        format!(
            "SELECT 0 AS z; COPY (SELECT 1 AS a) TO '{to}' (FORMAT csv, HEADER true); SELECT 2 AS b"
        )
    };
    for to in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", link] {
        assert_eq!(
            redirected(&copy(to), ""),
            "before\nz\n0\na\n1\nb\n2\n",
            "{to}"
        );
        let output = format!("SELECT 0 AS z;\n.once {to}\nSELECT 1 AS a;\nSELECT 2 AS b");
        let there = redirected(&output, "");
        assert_eq!(there, "before\nz\n0\na\n1\nb\n2\n", "{to}");
    }
    assert_eq!(
        redirected(&copy("/dev/stderr"), "2>> OUT"),
        "before\nz\n0\na\n1\nb\n2\n"
    );
    assert_eq!(
        redirected(&copy("/dev/fd/3"), "3>> OUT"),
        "before\nz\n0\na\n1\nb\n2\n"
    );
    let output = run(&["-c", &copy("/dev/stdout")]);
    assert_eq!(results(&output), "z\n0\na\n1\nb\n2\n");
    assert_eq!(results(&run(&["-c", &copy("/dev/null")])), "z\n0\nb\n2\n");
}

/// A pipe that has a name is written to, and stays one.
#[cfg(target_os = "linux")]
#[test]
fn rows_go_through_a_pipe() {
    use std::os::unix::fs::FileTypeExt;

    let directory = tempfile::tempdir().unwrap();
    let fifo = super::maintenance::fifo(&directory);
    for write in [
        "COPY (SELECT 1 AS a) TO 'FIFO' (FORMAT csv, HEADER true)",
        ".once FIFO\nSELECT 1 AS a",
    ] {
        let from = fifo.clone();
        let read = std::thread::spawn(move || std::fs::read_to_string(from).unwrap());
        let output = run(&["-c", &write.replace("FIFO", fifo.to_str().unwrap())]);
        assert_eq!(results(&output), "");
        assert_eq!(read.join().unwrap(), "a\n1\n");
        assert!(std::fs::metadata(&fifo).unwrap().file_type().is_fifo());
    }
}

#[test]
fn a_script_runs_no_programs_unless_it_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("made");
    let script = format!(".output |cat > '{}'\nSELECT 1 AS one;", file.display());
    for output in [run(&["-c", &script]), run_with_input(&[], &script)] {
        let (out, log) = failure(&output);
        assert!(
            log.contains("--allow-commands") && out.is_empty(),
            "{out}{log}"
        );
    }
    assert!(!file.exists());
    assert_eq!(results(&run(&["--allow-commands", "-c", &script])), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n1\n");
}

#[test]
fn a_safe_program_reaches_nothing_but_its_tables() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    std::fs::write(path("in.csv"), "a\n1\n").unwrap();
    std::fs::write(path("in.sql"), "SELECT 1;").unwrap();
    let database = path("d");
    let tables =
        "CREATE TABLE t (a INT, PRIMARY KEY (a)); INSERT INTO t VALUES (1); SELECT a FROM t";
    assert!(results(&run(&[&database, "--safe", "-c", tables])).ends_with("a\n1\n"));
    for command in [
        format!("COPY t FROM '{}'", path("in.csv")),
        format!("COPY t TO '{}'", path("out.csv")),
        format!("SELECT * FROM '{}'", path("in.csv")),
        format!(".output {}", path("out.csv")),
        format!(".once {}", path("out.csv")),
        format!(".read {}", path("in.sql")),
        format!(".import {} t", path("in.csv")),
        format!(".backup {}", path("backup")),
        ".output |cat".to_owned(),
        "SET datafusion.runtime.memory_limit = '1G'".to_owned(),
        "SET halite.external_access = true".to_owned(),
    ] {
        let (_, log) = failure(&run(&[&database, "--safe", "-c", &command]));
        assert!(
            log.contains("halite.external_access is false"),
            "{command}: {log}"
        );
    }
    assert!(!Path::new(&path("out.csv")).exists() && !Path::new(&path("backup")).exists());
}

#[test]
fn the_files_of_a_database_are_left_alone_also_where_it_is_read_only() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("d");
    let current = database.join("CURRENT").display().to_string();
    let database = database.to_str().unwrap();
    results(&run(&[
        database,
        "-c",
        "CREATE TABLE t (a INT, PRIMARY KEY (a))",
    ]));
    let before = std::fs::read(&current).unwrap();
    for command in [
        format!("COPY (SELECT 1 AS a) TO '{current}' (FORMAT csv)"),
        format!(".output {current}"),
        format!(".once {current}"),
        format!(".read {current}"),
    ] {
        let (_, log) = failure(&run(&[database, "--readonly", "-c", &command]));
        assert!(log.contains("inside the database"), "{command}: {log}");
    }
    assert_eq!(std::fs::read(&current).unwrap(), before);
}

#[test]
fn a_command_may_begin_with_a_comment_and_have_several_lines() {
    let script = "-- note\n\nSELECT 1 AS one; /* and */\nSELECT 2\n  AS two -- done";
    assert_eq!(results(&run(&["-c", script])), "one\n1\ntwo\n2\n");
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/catalog/flights/weather.sql");
    let catalog = std::fs::read_to_string(catalog).unwrap();
    let output = run(&["-c", &catalog, "-c", "SHOW TABLES"]);
    let (out, _) = texts(&output);
    assert!(output.status.success() && out.contains("weather"), "{out}");
}

#[test]
fn warnings_go_to_standard_error_and_name_the_table() {
    let create = "CREATE TABLE gulls (a INT, PRIMARY KEY (a, salt(16)))";
    for format in ["csv", "json", "box"] {
        let output = run(&["--format", format, "-c", create, "-c", "SELECT 1 AS one"]);
        let (out, log) = texts(&output);
        assert!(output.status.success(), "{log}");
        assert!(
            log.starts_with("warning: table `gulls`: useless part `salt(16)`: "),
            "{log}"
        );
        assert!(!out.contains("salt"), "{out}");
    }
}

#[test]
fn variables_are_given_and_keep_their_places() {
    let query = "SELECT :'who' AS who, :n AS n";
    let output = run(&["-v", "who=O'Hara", "--set", "n=1 + 1", "-c", query]);
    assert_eq!(results(&output), "who,n\nO'Hara,2\n");
    // What they stand for is not known before the script runs.
    let script = "\\set n 3\nSELECT :n AS n;\n";
    let output = run_with_input(&["--check-first"], script);
    assert_eq!(results(&output), "n\n3\n");
    let wrong = run(&["-v", "1a=2", "-c", query]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn programs_run_from_a_script_only_where_they_may() {
    let script = "SELECT 1 AS one;\n\\! echo said\nSELECT 2 AS two;\n";
    let output = run_with_input(&["--allow-commands"], script);
    assert_eq!(results(&output), "one\n1\nsaid\ntwo\n2\n");
    for arguments in [&[][..], &["--safe"]] {
        for command in ["\\! echo said", "\\e"] {
            let (out, log) = failure(&run_with_input(arguments, &format!("{command}\n")));
            assert!(
                out.is_empty() && log.starts_with("error: "),
                "{command}: {log}"
            );
        }
    }
}
