//! Golden SQL scripts, `tests/scripts/*.sql`: what a user sees, statement by statement.
//!
//! A script is blocks between blank lines: statements, a line `---`, and what they print. Each script runs in a database
//! of its own, in memory. `EXPLAIN KEYS` prints one line for each range. `DIRECTORY` is one of its own, for files.
//! `HALITE_REWRITE=1` writes the scripts anew.
//!
//! Of an error a script pins the kind and what it is about, of what is not implemented its name; the words may get better.
//! The first of each kind in a script shows them, and no error may speak of what is below.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use arrow::util::pretty::pretty_format_batches;
use halite::error::{Error, ErrorKind, Result};
use halite::session::{Connection, Database, Outcome, RowStream};
use tokio::runtime::Runtime;

use super::answers::{KeyRow, texts};
use super::golden::assert_golden;

async fn print(outcome: Outcome) -> Result<String> {
    Ok(match outcome {
        Outcome::Affected { verb, rows } => format!("{verb} {rows}\n"),
        Outcome::Done { verb } => format!("{verb}\n"),
        Outcome::Rows(stream) => {
            let rows = RowStream::from(stream).rows().await?;
            if KeyRow::are(&rows) {
                let lines = KeyRow::all(&rows);
                lines.iter().map(|row| format!("{row}\n")).collect()
            } else {
                format!("{}\n", pretty_format_batches(&rows.into_batches()).unwrap())
            }
        }
    })
}

/// How a script tells of errors.
#[derive(Default)]
struct Told {
    /// The kinds of which one has been shown with its words.
    kinds: HashSet<ErrorKind>,
}

impl Told {
    fn line(&mut self, error: &Error) -> String {
        let words = error.to_string();
        assert!(!speaks_of_below(&words), "{words}");
        let mut line = format!("error: {:?}", error.kind());
        let names = [
            ("table", error.table()),
            ("column", error.column()),
            ("constraint", error.constraint()),
        ];
        for (what, name) in names {
            if let Some(name) = name {
                write!(line, ", {what} `{name}`").unwrap();
            }
        }
        // What is refused has a name; what to write instead are words.
        let refused = words.split_once(" is not implemented");
        match refused {
            _ if self.kinds.insert(error.kind()) => write!(line, ": {words}").unwrap(),
            Some((what, _)) => write!(line, ": {what}").unwrap(),
            None => {}
        }
        line
    }
}

/// What the statements of a block print.
pub async fn run_block(
    connection: &Connection,
    input: &str,
    told: &mut impl FnMut(&Error) -> String,
) -> String {
    let mut output = String::new();
    let statements = match connection.script(input) {
        Ok(statements) => statements,
        Err(error) => return format!("{}\n", told(&error)),
    };
    for statement in statements {
        let printed = match connection.run(&statement).await {
            Ok(outcome) => print(outcome).await,
            Err(error) => Err(error),
        };
        for warning in connection.warnings().take() {
            output.push_str(&format!("warning: {warning}\n"));
        }
        output.push_str(&printed.unwrap_or_else(|error| format!("{}\n", told(&error))));
    }
    output
}

async fn run_script(script: &str) -> String {
    let connection = Database::in_memory().unwrap().connect();
    let (mut output, mut told) = (String::new(), Told::default());
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().to_str().unwrap();
    for block in script
        .split("\n\n")
        .filter(|block| !block.trim().is_empty())
    {
        let input = block.split("\n---").next().unwrap_or_default().trim();
        let input_there = input.replace("DIRECTORY", directory);
        let printed = run_block(&connection, &input_there, &mut |error| told.line(error)).await;
        let printed = printed.replace(directory, "DIRECTORY");
        writeln!(output, "{input}\n---\n{printed}").unwrap();
    }
    output
}

/// What a statement gives is told before it is run: the columns are those of its rows.
#[test]
fn statements_are_described_as_they_are_run() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let (mut described, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            let script = std::fs::read_to_string(&path).unwrap();
            let run = describe_script(&script, &mut wrong);
            described += Runtime::new().unwrap().block_on(run);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(described > 900, "{described}");
}

/// Describes and runs the statements of a script; gives how many were described.
async fn describe_script(script: &str, wrong: &mut Vec<String>) -> usize {
    let connection = Database::in_memory().unwrap().connect();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().to_str().unwrap();
    let mut described = 0;
    for block in script.split("\n\n") {
        let input = block.split("\n---").next().unwrap_or_default().trim();
        let input = input.replace("DIRECTORY", directory);
        for statement in connection.script(&input).unwrap_or_default() {
            let description = connection.describe(statement.text()).await;
            let given = match connection.run(&statement).await {
                Ok(Outcome::Rows(stream)) => {
                    let schema = stream.schema();
                    RowStream::from(stream).rows().await.ok();
                    Some(schema)
                }
                Ok(_) => None,
                Err(_) => continue,
            };
            match description {
                Ok(description) if description.columns() != given.as_ref() => {
                    let told = description.columns();
                    wrong.push(format!("{}\n  {told:?}\n  {given:?}", statement.text()));
                }
                Ok(_) => described += 1,
                // It is known by its name alone what it gives.
                Err(_) if statement.text().starts_with("EXPLAIN EXECUTE") => {}
                Err(error) if error.message().contains("be prepared") => {}
                Err(error) => wrong.push(format!("{}\n  {error}", statement.text())),
            }
        }
    }
    described
}

/// The newest row stands first behind its user: nothing else is read.
#[test]
fn the_newest_row_of_a_user_costs_one_key() {
    let setup = "CREATE TABLE newest (user_id TEXT, ts TIMESTAMP(3), PRIMARY KEY (user_id, ts DESC));
        INSERT INTO newest VALUES ('t', '2024-01-01'), ('u', '2024-01-01'), ('u', '2024-01-02'), ('u', '2024-01-03'),
            ('v', '2024-01-04');";
    let query = "SELECT ts FROM newest WHERE user_id = 'u' ORDER BY ts DESC LIMIT 1";
    Runtime::new().unwrap().block_on(async {
        let connection = Database::in_memory().unwrap().connect();
        run_block(&connection, setup, &mut |error| panic!("{error}")).await;
        let statements = connection.script(query).unwrap();
        let profile = connection.profile(&statements[0]).await.unwrap();
        assert_eq!(texts(&profile.batches), ["2024-01-03T00:00:00"]);
        let totals = profile.totals;
        assert_eq!((totals.ranges, totals.seeks, totals.keys_read), (1, 1, 1));
    });
}

/// What the layers below say of their own inside, and names that nobody has written.
const BELOW: &[&str] = &[
    "sqltorel",
    "ast node",
    "create_relation",
    "single expression required",
    "was not provided a value",
    "issue tracker",
    "a bug in DataFusion",
    "LogicalPlan",
    "Ident {",
    "ObjectName(",
    "quote_style",
    "ValueWithSpan",
    "Expr::",
    "ScalarValue",
    "ColumnarValue",
    "ArrayRef",
    "PrimitiveArray",
    "downcast",
    "__halite",
    "__common_expr",
    "__correlated_sq",
    "database alone",
    "\u{2060}",
];

fn speaks_of_below(words: &str) -> bool {
    BELOW.iter().any(|below| words.contains(below))
}

/// The lines of golden files and documents that are errors and warnings.
fn errors_of(directory: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            errors_of(&path, found);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let is_told =
                |line: &&str| line.starts_with("error: ") || line.starts_with("warning: ");
            found.extend(text.lines().filter(is_told).map(str::to_owned));
        }
    }
}

/// Those of scripts are looked at as they come: not all are shown.
#[test]
fn errors_do_not_speak_of_what_is_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for directory in [
        "tests/scripts",
        "tests/golden",
        "src/span/golden",
        "src/key/golden",
        "docs",
    ] {
        errors_of(&root.join(directory), &mut found);
    }
    assert!(found.len() > 400, "{} lines", found.len());
    let wrong: Vec<&String> = found.iter().filter(|it| speaks_of_below(it)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(speaks_of_below("Unsupported ast node in sqltorel"));
}

/// A test for each script, by its name.
macro_rules! scripts {
    ($($name:ident)+) => {
        mod golden_scripts {
            $(
                #[test]
                fn $name() {
                    super::check(stringify!($name));
                }
            )+
        }

        const SCRIPTS: &[&str] = &[$(stringify!($name)),+];
    };
}

scripts! {
    altering
    beyond_memory
    clauses
    create_table
    declaring
    describe
    dictionaries
    expected_sql
    explain_keys
    families
    generated
    habits
    information_schema
    key_spaces
    keys
    merge
    names
    operators
    ordinary
    other_databases
    parameters
    random_salt
    refused
    regexes
    required_spans
    rules
    split
    subqueries
    temporary
    types
    update
    upsert
    values
    views
    whole_errors
    whole_queries
}

fn check(name: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let file = directory.join(name).with_extension("sql");
    let script = std::fs::read_to_string(&file).unwrap();
    let output = Runtime::new().unwrap().block_on(run_script(&script));
    assert_golden(&file, &output);
}

#[test]
fn each_script_has_its_test() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let entries = std::fs::read_dir(directory).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let scripts = files.filter(|path| path.extension().is_some_and(|end| end == "sql"));
    let mut names: Vec<String> = scripts
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, SCRIPTS);
}
