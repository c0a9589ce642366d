//! The shell at a terminal: what is typed, and what the screen shows. `script` of util-linux makes the terminal; where
//! it is not installed, these tests say that they were not run ([`not_run`]).

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::not_run::not_run;

/// How long anything may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);
const CONTROL_C: &str = "\u{3}";
const CONTROL_D: &str = "\u{4}";
const CONTROL_R: &str = "\u{12}";

/// A shell at a terminal of 100 columns and 30 lines.
struct Terminal {
    child: Child,
    keys: Arc<Mutex<ChildStdin>>,
    screen: Arc<Mutex<String>>,
    /// How much of the screen has been looked at.
    seen: usize,
}

impl Terminal {
    /// Starts the shell with its home in a directory; `None` where there is no `script`.
    fn start(home: &Path, arguments: &str) -> Option<Self> {
        Self::start_with(home, arguments, &[])
    }

    /// As [`Terminal::start`], with these variables. The shell's process is in the file `pid` of its home.
    fn start_with(home: &Path, arguments: &str, variables: &[(&str, &str)]) -> Option<Self> {
        Self::start_after("", home, arguments, variables)
    }

    /// As [`Terminal::start_with`], in a process that has run these commands.
    fn start_after(
        before: &str,
        home: &Path,
        arguments: &str,
        variables: &[(&str, &str)],
    ) -> Option<Self> {
        if !has_script() {
            not_run("no terminal can be made", "script(1) of util-linux");
            return None;
        }
        let program = env!("CARGO_BIN_EXE_halite");
        let pid = home.join("pid");
        let pid = pid.display();
        let shell = format!(
            "stty cols 100 rows 30; echo $$ > '{pid}'; {before} exec '{program}' {arguments}"
        );
        let mut child = Command::new("script")
            .args(["-q", "-e", "-f", "-c", &shell, "/dev/null"])
            .env("HOME", home)
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .env_remove("XDG_DATA_HOME")
            .env_remove("NO_COLOR")
            .env("PAGER", "cat")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let keys = Arc::new(Mutex::new(child.stdin.take().unwrap()));
        let screen = Arc::new(Mutex::new(String::new()));
        let mut output = child.stdout.take().unwrap();
        let (answers, shown) = (Arc::clone(&keys), Arc::clone(&screen));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                // A terminal says where its cursor stands when it is asked.
                for _ in 0..text.matches("\u{1b}[6n").count() {
                    answers.lock().unwrap().write_all(b"\x1b[1;1R").ok();
                }
                shown.lock().unwrap().push_str(&text);
            }
        });
        Some(Self {
            child,
            keys,
            screen,
            seen: 0,
        })
    }

    fn press(&mut self, keys: &str) {
        let mut input = self.keys.lock().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Waits until the text is shown, behind what was waited for before.
    fn expect(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            let new = screen.get(self.seen..).unwrap_or("");
            if let Some(at) = new.find(text) {
                self.seen += at + text.len();
                return;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "no {text:?} in:\n{new}\n{new:?}"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// All that was shown so far.
    fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits for the end, and returns the exit status.
    fn end(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("the shell does not end:\n{}", self.screen());
    }
}

/// Whether a process runs: one that nobody has waited for yet does not.
#[cfg(target_os = "linux")]
fn runs(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

fn has_script() -> bool {
    let version = Command::new("script").arg("--version").output();
    version.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux"))
}

/// Whether a text has colours, and not only the moves of a cursor.
fn is_coloured(text: &str) -> bool {
    let sequences = text.split("\u{1b}[").skip(1);
    let mut colors = sequences.filter_map(|rest| {
        let (numbers, _) = rest.split_once('m')?;
        let are_numbers = |letter: char| letter.is_ascii_digit() || letter == ';';
        numbers.chars().all(are_numbers).then_some(numbers)
    });
    // These take colours back.
    colors.any(|numbers| !matches!(numbers, "" | "0" | "39" | "49"))
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn statements_are_edited_run_and_remembered() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(".haliterc"), ".timer on\n").unwrap();
    let Some(mut terminal) = Terminal::start(home.path(), "") else {
        return;
    };
    terminal.expect("Halite ");
    terminal.expect("halite");
    // A statement goes on until its semicolon; keywords are coloured.
    terminal.press("SELECT 1 AS one,\r");
    terminal.expect("\u{1b}[1;36mSELECT\u{1b}[0m");
    terminal.expect("...> ");
    terminal.press("2 AS two;\r");
    terminal.expect("│      1 │      2 │");
    // The start file was read.
    terminal.expect("1 row, ");
    // An open quote is told.
    terminal.press("SELECT 'a\r");
    terminal.expect("     '> ");
    terminal.press("b' AS text;\r");
    terminal.expect("1 row, ");
    terminal.press("SELCT;\r");
    terminal.expect("error:");
    terminal.expect("did you mean SELECT?");
    // Tab completes what is unambiguous.
    terminal.press(".tab\t\r");
    terminal.expect("row_key");
    terminal.expect("0 rows");
    terminal.press(CONTROL_R);
    terminal.press("AS two");
    terminal.expect("(search: AS two)");
    // The first takes the statement, the second runs it.
    terminal.press("\r");
    terminal.press("\r");
    terminal.expect("│      1 │      2 │");
    terminal.press(CONTROL_D);
    assert_eq!(terminal.end(), Some(0));
    let history = std::fs::read_to_string(home.path().join(".local/share/halite/history")).unwrap();
    assert!(
        history
            .contains("SELECT 1 AS one,<\\n>2 AS two;\nSELECT 'a<\\n>b' AS text;\nSELCT;\n.tables"),
        "{history}"
    );
}

#[test]
fn control_c_stops_the_statement_and_not_the_shell() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut terminal) = Terminal::start(home.path(), "--no-init") else {
        return;
    };
    terminal.expect("halite");
    terminal.press(CONTROL_C);
    terminal.expect("Ctrl-D or .quit leaves");
    // Joins that keep all threads of a small machine busy, and wait for nothing.
    let series = "FROM generate_series(1, 100000) a, generate_series(1, 1000000) b";
    let join = format!("SELECT count(*) {series} WHERE a.value < b.value");
    let all = ["SELECT * FROM j"; 8].join(" UNION ALL ");
    let joins = format!("WITH j AS ({join}) {all};\r");
    terminal.press(&joins);
    // After a second it shows that it is alive.
    terminal.expect("Ctrl-C stops it");
    let start = Instant::now();
    terminal.press(CONTROL_C);
    terminal.expect("interrupted");
    assert!(start.elapsed() < Duration::from_secs(10));
    terminal.press("SELECT 42 AS answer;\r");
    terminal.expect("│     42 │");
    // The next statement does not wait for the threads of the one that was stopped.
    assert!(start.elapsed() < Duration::from_secs(12));
    terminal.press("exit\r");
    assert_eq!(terminal.end(), Some(0));
}

/// A signal that comes while the shell waits for a line is not meant for the line that then comes.
#[cfg(unix)]
#[test]
fn an_interrupt_at_the_prompt_stops_nothing() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut terminal) = Terminal::start(home.path(), "--no-init") else {
        return;
    };
    terminal.press("SELECT 41 AS answer;\r");
    terminal.expect("│     41 │");
    terminal.expect("halite");
    let pid = std::fs::read_to_string(home.path().join("pid")).unwrap();
    let sent = Command::new("kill").args(["-INT", pid.trim()]).status();
    assert!(sent.unwrap().success());
    thread::sleep(Duration::from_millis(500));
    terminal.press("SELECT 42 AS answer; SELECT 43 AS next;\r");
    terminal.expect("│     42 │");
    terminal.expect("│     43 │");
    assert!(!terminal.screen().contains("interrupted"));
    terminal.press("exit\r");
    assert_eq!(terminal.end(), Some(0));
}

/// Where the signal is ignored that comes when a terminal goes, the shell ends all the same.
#[cfg(target_os = "linux")]
#[test]
fn a_shell_ends_with_its_terminal() {
    let home = tempfile::tempdir().unwrap();
    let ignored = "trap '' HUP;";
    let Some(mut terminal) = Terminal::start_after(ignored, home.path(), "--no-init", &[]) else {
        return;
    };
    terminal.press("SELECT 42 AS answer;\r");
    terminal.expect("│     42 │");
    terminal.expect("halite");
    let pid = std::fs::read_to_string(home.path().join("pid")).unwrap();
    let pid = pid.trim();
    assert!(runs(pid));
    terminal.child.kill().unwrap();
    terminal.child.wait().unwrap();
    let start = Instant::now();
    while runs(pid) && start.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(20));
    }
    let ended = !runs(pid);
    Command::new("kill").args(["-KILL", pid]).output().unwrap();
    assert!(ended, "the shell goes on without a terminal");
}

/// Takes the terminal for itself as a pager does: keys come at once and are not shown, until one is pressed.
const PAGER: &str = "#!/bin/sh
sleep 0.5
exec 3< /dev/tty
stty -a <&3 | grep -q ' icanon' && modes=lines || modes=keys
saved=$(stty -g <&3)
stty -icanon -echo min 1 <&3
cat > /dev/null
echo \"The terminal gives $modes.\"
key=$(dd bs=1 count=1 <&3 2> /dev/null)
stty \"$saved\" <&3
echo \"The key is $key.\"
";

#[cfg(target_os = "linux")]
#[test]
fn a_program_for_one_result_has_the_terminal_for_itself() {
    let home = tempfile::tempdir().unwrap();
    let pager = home.path().join("pager");
    std::fs::write(&pager, PAGER).unwrap();
    let Some(mut terminal) = Terminal::start(home.path(), "--no-init") else {
        return;
    };
    terminal.expect("halite");
    terminal.press(&format!(".once |sh {}\r", pager.display()));
    // Whoever is started now finds the terminal as the editor has it.
    thread::sleep(Duration::from_secs(1));
    terminal.press("SELECT 1 AS one;\r");
    terminal.expect("The terminal gives lines.");
    terminal.press("k");
    terminal.expect("The key is k.");
    terminal.press("SELECT 42 AS answer;\r");
    terminal.expect("│     42 │");
    terminal.press("exit\r");
    assert_eq!(terminal.end(), Some(0));
}

/// Writes two rows into a pipe that is read as a file, and keeps it open until `ended` is dropped.
#[cfg(target_os = "linux")]
fn feed(fifo: &Path) -> std::sync::mpsc::Sender<()> {
    let (ended, wait) = std::sync::mpsc::channel::<()>();
    let fifo = fifo.to_owned();
    thread::spawn(move || {
        let mut rows = std::fs::OpenOptions::new().write(true).open(fifo).unwrap();
        rows.write_all(b"1\n2\n").unwrap();
        wait.recv().ok();
    });
    ended
}

#[cfg(target_os = "linux")]
#[test]
fn a_script_shows_its_progress_to_who_sees_it() {
    let home = tempfile::tempdir().unwrap();
    let fifo = super::maintenance::fifo(&home);
    let load = format!(
        "CREATE TABLE u (a INT, PRIMARY KEY (a)); COPY u FROM '{}'; SELECT count(*) AS n FROM u",
        fifo.display()
    );
    // Where nobody sees it, nothing is shown, however long it takes.
    let mut command = super::program::halite();
    let program = command.args(["-c", &load]).stdout(Stdio::piped());
    let program = program.stderr(Stdio::piped()).spawn().unwrap();
    let ended = feed(&fifo);
    thread::sleep(Duration::from_millis(2500));
    drop(ended);
    let output = program.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("n\n2\n".to_owned(), String::new())
    );
    // At a terminal it is, and what is sent elsewhere is the result alone.
    let result = home.path().join("result.csv");
    let arguments = format!("-c \"{load}\" > '{}'", result.display());
    let Some(mut terminal) = Terminal::start(home.path(), &arguments) else {
        return;
    };
    let ended = feed(&fifo);
    terminal.expect("Ctrl-C stops it");
    drop(ended);
    assert_eq!(terminal.end(), Some(0));
    assert_eq!(std::fs::read_to_string(result).unwrap(), "n\n2\n");
}

#[test]
fn no_color_is_respected() {
    let home = tempfile::tempdir().unwrap();
    let run = |variables: &[(&str, &str)]| {
        let statements = "--format box -c 'SELECT NULL AS n; SELECT x'";
        let mut terminal = Terminal::start_with(home.path(), statements, variables)?;
        terminal.expect("there is no column `x`");
        assert_eq!(terminal.end(), Some(1));
        Some(is_coloured(&terminal.screen()))
    };
    for (variables, coloured) in [
        (&[][..], true),
        (&[("NO_COLOR", "")], true),
        (&[("NO_COLOR", "1")], false),
        (&[("TERM", "dumb")], false),
    ] {
        let shown = run(variables);
        assert!(shown.is_none_or(|shown| shown == coloured), "{variables:?}");
    }
    // Nor is what is typed coloured.
    let variables = [("NO_COLOR", "1")];
    let Some(mut terminal) = Terminal::start_with(home.path(), "--no-init", &variables) else {
        return;
    };
    terminal.expect("halite");
    terminal.press("SELECT NULL AS none;\r");
    terminal.expect("│ NULL │");
    terminal.press("SELECT x;\r");
    terminal.expect("there is no column `x`");
    assert!(!is_coloured(&terminal.screen()));
}

#[test]
fn what_does_not_fit_is_read_whole_in_the_pager() {
    let home = tempfile::tempdir().unwrap();
    let shown = home.path().join("shown");
    let pager = format!("tee '{}' > /dev/null", shown.display());
    let variables = [("PAGER", pager.as_str())];
    let Some(mut terminal) = Terminal::start_with(home.path(), "--no-init", &variables) else {
        return;
    };
    terminal.expect("halite");
    // Of what fits, nothing; a long result and a wide one are there to their ends.
    terminal.press("SELECT 41 AS fits;\r");
    terminal.expect("│     41 │");
    assert!(!shown.exists());
    let marked = |terminal: &mut Terminal, statement: &str, number: u64| {
        terminal.press(&format!("{statement};\r"));
        terminal.press(&format!("SELECT {number} AS mark;\r"));
        terminal.expect(&format!("│ {number:>6} │"));
        std::fs::read_to_string(&shown).unwrap()
    };
    let long = marked(&mut terminal, "SELECT * FROM generate_series(1, 500)", 42);
    assert!(
        long.contains("│    250 │") && long.ends_with("500 rows\n"),
        "{long}"
    );
    let wide = marked(&mut terminal, "SELECT repeat('x', 300) AS wide", 43);
    assert!(wide.contains(&"x".repeat(300)), "{wide}");
    // Without it, what is shown is cut to the screen.
    std::fs::remove_file(&shown).unwrap();
    terminal.press(".pager off\r");
    terminal.press("SELECT * FROM generate_series(1, 500);\r");
    terminal.expect("500 rows (20 shown)");
    assert!(!shown.exists());
    terminal.press(CONTROL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[cfg(unix)]
#[test]
fn the_last_statement_is_edited_and_runs() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let editor = home.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\nsed -i s/old/new/ \"$1\"\n").unwrap();
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o700)).unwrap();
    let editor = editor.display().to_string();
    let variables = [("EDITOR", editor.as_str())];
    let Some(mut terminal) = Terminal::start_with(home.path(), "--no-init", &variables) else {
        return;
    };
    terminal.expect("halite");
    terminal.press("SELECT 'old' AS text;\r");
    terminal.expect("│ old  │");
    terminal.press("\\e\r");
    terminal.expect("│ new  │");
    // The editor finds nothing to change.
    terminal.press("\\e\r");
    terminal.expect("nothing was changed, and nothing runs");
    terminal.press("\\! echo $((40 + 2)) is said\r");
    terminal.expect("42 is said");
    terminal.press("\\watch 0.1\r");
    terminal.expect("(every 0.1 s)");
    terminal.expect("│ new  │");
    terminal.expect("(every 0.1 s)");
    terminal.press(CONTROL_C);
    terminal.expect("interrupted");
    terminal.press(CONTROL_D);
    assert_eq!(terminal.end(), Some(0));
}
