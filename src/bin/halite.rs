//! The program `halite`: reads its arguments, opens the database, and runs what is asked for.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use halite::error::{self, Error};
use halite::session::Database;
use halite::shell::failure::Failure;
use halite::shell::format::{self, FORMATS};
use halite::shell::interrupt::Interrupts;
use halite::shell::output::{self, Outputs};
use halite::shell::sample::generator;
use halite::shell::script::Units;
use halite::shell::state::{Settings, Shell};
use halite::shell::threads;
use halite::shell::variables::Variables;
use halite::shell::{demo, maintenance, start, transfer};
use halite::store::{Place, StoreOptions};
use tokio::runtime::Runtime;

/// The status of a program that Ctrl-C has ended, as shells give it.
const INTERRUPTED: u8 = 130;

const EXAMPLES: &str = "\
Examples:
  halite metrics.halite                              the shell; .help lists its commands
  halite metrics.halite -c 'SELECT count(*) FROM cpu'
  halite metrics.halite -f load.sql --format csv > out.csv
  echo 'SELECT 1 AS one' | halite --format json
  halite demo                                        a tour of row keys on sample data
  halite 'hbase://zk1,zk2/hbase?namespace=shop'      a database on a cluster of HBase

Exit status: 0, or 1 if a statement failed, 2 if the arguments are wrong, 130 after Ctrl-C.";

const COPY_EXAMPLES: &str = "\
Examples:
  halite copy shop.halite 'hbase://zk1,zk2/hbase?namespace=shop'
  halite copy shop.halite 'hbase://zk1,zk2/hbase?namespace=shop' event orders
  halite copy 'hbase://zk1,zk2/hbase?namespace=shop' back.halite";

/// SQL over an ordered key-value store.
///
/// Without -c or -f: the shell on a terminal, else the script on standard input. A script consists of statements, which
/// end with semicolons, and of the shell's commands on lines of their own. Each statement runs when it is read;
/// --check-first reads and parses all of a script before its first statement runs.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Directory of the database, made where there is none, or its address on a cluster,
    /// hbase://ZOOKEEPER,…/hbase?namespace=NAME; without it all stays in memory
    database: Option<PathBuf>,
    /// Runs these statements; may be repeated and mixed with -f
    // A script may begin with a comment, which begins with a hyphen.
    #[arg(short, long, value_name = "SQL", allow_hyphen_values = true)]
    command: Vec<String>,
    /// Runs the statements of a file; - is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Sets a variable, which :NAME, :'NAME' and :"NAME" stand for in statements; may be repeated
    #[arg(short = 'v', long = "set", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
    /// How results look; box on a terminal, else csv
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    format: Option<String>,
    /// Refuses to change anything; COPY TO and .output write their files all the same
    #[arg(long, requires = "database")]
    readonly: bool,
    /// Shuts statements off from all but the tables: no files, no programs, no settings of the machine, for good
    #[arg(long)]
    safe: bool,
    /// Lets commands of scripts run programs, as .output |PROGRAM does; at a terminal they may
    #[arg(long, conflicts_with = "safe")]
    allow_commands: bool,
    /// Ends at the first statement that fails; this is the default
    #[arg(long, overrides_with = "no_bail")]
    bail: bool,
    /// Goes on after a statement that fails, also after one that is no SQL; the exit status is 1 all the same
    #[arg(long, overrides_with = "bail")]
    no_bail: bool,
    /// Parses all of a script before its first statement runs: one with a mistake changes nothing
    #[arg(long)]
    check_first: bool,
    /// What the shell runs first, instead of ~/.haliterc
    #[arg(long, value_name = "FILE", conflicts_with = "no_init")]
    init: Option<PathBuf>,
    /// Begins the shell without ~/.haliterc
    #[arg(long)]
    no_init: bool,
}

/// What the program does other than running statements.
#[derive(Subcommand)]
enum Action {
    /// Builds the sample database and runs the sample queries, each with what it scans and reads
    Demo {
        /// Directory of the sample database, new or empty, or its address on a cluster; without it a temporary
        /// directory, removed at the end
        #[arg(value_name = "DATABASE")]
        directory: Option<PathBuf>,
        /// Rows of each generated data set; a million events and 100,000 of the others without it
        #[arg(long)]
        rows: Option<usize>,
    },
    /// Reads everything in a database and reports what is damaged; changes nothing
    Check {
        /// Directory of the database, or its address on a cluster
        database: PathBuf,
    },
    /// Copies a database into a new directory, which is a database too
    Backup {
        /// Directory of the database; no other process may write to it
        database: PathBuf,
        /// Directory of the copy, made for it
        directory: PathBuf,
    },
    /// Makes a database from a backup
    Restore {
        /// Directory of the backup
        directory: PathBuf,
        /// Directory of the database, made for it
        database: PathBuf,
    },
    /// Copies tables, and the views and sequences beside them, from one database into another, and compares them
    ///
    /// Rows are copied as they are stored, in the order of their keys. What is stopped, by Ctrl-C, a lost connection or
    /// a power cut, goes on behind the last row copied when the same command runs again. At the end all rows are read on
    /// both sides, counted and summed; a table that differs is named with its first row that does, and the exit
    /// status is 1. Rows of the target are never written over: a table that it has with another definition, or with
    /// other rows, is refused before anything is written.
    #[command(after_help = COPY_EXAMPLES)]
    Copy(Copy),
    /// Writes generated data sets as Parquet files, in any size: the ones that catalog/ declares layouts for
    Generate(Generate),
}

/// What is copied, and where.
#[derive(clap::Args)]
struct Copy {
    /// Directory of the database that is copied, or its address on a cluster; it is read as it is at one moment, also
    /// while another process writes to it
    from: PathBuf,
    /// Directory of the database that is copied into, or its address on a cluster, made where there is none
    to: PathBuf,
    /// Tables, views and sequences; a table brings the sequences of its defaults. Without a name, all of them
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,
    /// Bytes of rows that are written by one statement
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_bytes: Option<usize>,
}

/// What is generated.
#[derive(clap::Args)]
struct Generate {
    /// Data sets; without a name, all of them
    #[arg(value_name = "NAME", value_parser = generator_names())]
    names: Vec<String>,
    /// Rows of each; a wide data set has as many values and fewer rows. Default: what the demo has
    #[arg(long)]
    rows: Option<usize>,
    /// Another seed gives other rows
    #[arg(long, default_value_t = generator::SEED)]
    seed: u64,
    /// Directory of the files, made where there is none
    #[arg(long, value_name = "DIR", default_value = "data")]
    into: PathBuf,
}

/// `NAME=VALUE`.
fn variable(argument: &str) -> Result<(String, String), String> {
    let (name, value) = argument.split_once('=').ok_or("say NAME=VALUE")?;
    Variables::check(name)?;
    Ok((name.to_owned(), value.to_owned()))
}

fn generator_names() -> PossibleValuesParser {
    let all = generator::GENERATORS.iter();
    let values = all.map(|it| PossibleValue::new(it.name()).help(it.about()));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
}

fn format_names() -> PossibleValuesParser {
    let names = FORMATS.iter();
    let values = names.map(|format| PossibleValue::new(format.name()).help(format.doc()));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
}

fn main() -> ExitCode {
    let matches = Arguments::command().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match run(&arguments, &matches) {
        Ok(code) => code,
        Err(failure) => {
            let (report, code) = match failure {
                closed if closed.is_closed_pipe() => (
                    "error: standard output was closed before all was done".to_owned(),
                    ExitCode::FAILURE,
                ),
                Failure::Statement(report) => (report, ExitCode::FAILURE),
                Failure::Output(error) => (
                    format!("error: cannot write the result: {error}"),
                    ExitCode::FAILURE,
                ),
                Failure::Interrupted => ("interrupted".to_owned(), ExitCode::from(INTERRUPTED)),
            };
            // Where standard error is closed there is nobody to tell; the status says it.
            writeln!(io::stderr(), "{report}").ok();
            code
        }
    }
}

fn run(arguments: &Arguments, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let Some(action) = &arguments.action else {
        return run_shell(arguments, matches);
    };
    refuse_arguments_of_statements(matches);
    match action {
        Action::Demo { directory, rows } => run_demo(directory.as_deref(), *rows)?,
        Action::Generate(what) => generate(what)?,
        Action::Copy(what) => copy(what)?,
        Action::Check { .. } | Action::Backup { .. } | Action::Restore { .. } => {
            run_maintenance(action)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The scripts that were asked for, or the shell.
fn run_shell(arguments: &Arguments, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    // Every file is opened before anything runs: a wrong name changes nothing.
    let scripts = scripts(arguments, matches)?;
    on_threads(|runtime| {
        let database = runtime.block_on(open(arguments))?;
        let mut shell = shell(arguments, &database, runtime);
        if scripts.is_empty() {
            interact(&mut shell, arguments)?;
            return Ok(ExitCode::SUCCESS);
        }
        if arguments.safe {
            database.shut_external_access();
        }
        run_scripts(&mut shell, scripts)
    })
}

/// Works on threads, of which none is waited for at the end that Ctrl-C has left behind.
fn on_threads<T>(work: impl FnOnce(&Runtime) -> Result<T, Failure>) -> Result<T, Failure> {
    let runtime = threads::runtime()?;
    let done = work(&runtime);
    threads::let_go(runtime);
    done
}

/// The shell at a terminal.
fn interact(shell: &mut Shell<'_>, arguments: &Arguments) -> Result<(), Failure> {
    shell.settings.interactive = true;
    shell.listen()?;
    start::greet(shell, arguments.database.as_deref())?;
    if !arguments.no_init {
        start::run_file(shell, arguments.init.as_deref())?;
    }
    if arguments.safe {
        shell.connection.database().shut_external_access();
    }
    Ok(shell.edit()?)
}

fn run_scripts(shell: &mut Shell<'_>, scripts: Vec<Script>) -> Result<ExitCode, Failure> {
    // Also between two statements, or two scripts.
    shell.listen()?;
    let mut scripts = scripts.into_iter();
    while let Some(script) = scripts.next() {
        let done = match script {
            Script::Text(text) => shell.script(&text, None),
            Script::File(script, file) => shell.read_script(script, file.as_deref()),
        };
        match done {
            Ok(flow) if flow.is_break() => break,
            Ok(_) => {}
            Err(closed) if closed.is_closed_pipe() && !shell.unfinished && scripts.len() == 0 => {
                // Its reader has seen enough, and nothing is left to do.
                break;
            }
            Err(failure) => return Err(failure),
        }
    }
    // A program that still has results to read ends now, and may say that it has failed.
    shell.outputs.redirect(None)?;
    Ok(ExitCode::from(u8::from(shell.failures > 0)))
}

fn shell<'r>(arguments: &Arguments, database: &Database, runtime: &'r Runtime) -> Shell<'r> {
    let format = arguments.format.as_deref().and_then(format::named);
    let format = format.unwrap_or_else(|| format::default_format(io::stdout().is_terminal()));
    let settings = Settings {
        bail: !arguments.no_bail,
        check_first: arguments.check_first,
        allow_commands: arguments.allow_commands,
        history: !arguments.readonly,
        ..Settings::new(format)
    };
    let mut shell = Shell::new(database.connect(), runtime, settings, Outputs::standard());
    for (name, value) in &arguments.variables {
        shell.variables.set(name, value);
    }
    shell
}

/// What says how statements are run means nothing to what runs none, and is not ignored.
fn refuse_arguments_of_statements(matches: &ArgMatches) {
    if matches.args_present() {
        let action = matches.subcommand_name().unwrap_or_default();
        let wrong = format!(
            "{action} takes no arguments of statements; halite {action} --help says what it takes"
        );
        Arguments::command()
            .error(ErrorKind::ArgumentConflict, wrong)
            .exit();
    }
}

/// The demo, ended in good order by control-C too: what is temporary is removed.
fn run_demo(directory: Option<&Path>, rows: Option<usize>) -> Result<(), Failure> {
    let page = output::page();
    let mut out = BufWriter::new(io::stdout().lock());
    let interrupts = Interrupts::listen()?;
    on_threads(|runtime| {
        runtime.block_on(async {
            tokio::select! {
                ended = demo::run(directory, rows, page, &mut out) => ended,
                () = interrupts.pressed() => Err(Failure::Interrupted),
            }
        })
    })
}

/// A copy, which Ctrl-C ends between two statements.
fn copy(what: &Copy) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let interrupts = Interrupts::listen()?;
    let wanted = transfer::Wanted {
        from: &what.from,
        to: &what.to,
        tables: &what.tables,
        chunk_bytes: what.chunk_bytes,
    };
    on_threads(|runtime| runtime.block_on(transfer::copy(&wanted, &interrupts, &mut out)))
}

/// What is done with a whole database.
fn run_maintenance(action: &Action) -> Result<(), Failure> {
    let runtime = threads::runtime()?;
    let mut out = io::stdout().lock();
    let done = runtime.block_on(async {
        match action {
            Action::Check { database } => maintenance::check(database, &mut out).await,
            Action::Backup {
                database,
                directory,
            } => maintenance::backup(database, directory, &mut out).await,
            Action::Restore {
                directory,
                database,
            } => maintenance::restore(directory, database, &mut out).await,
            Action::Demo { .. } | Action::Copy(_) | Action::Generate(_) => Ok(()),
        }
    });
    match done {
        // All is done that was to be done, and nobody wants to read of it.
        Err(closed) if closed.is_closed_pipe() => Ok(()),
        done => done,
    }
}

/// Writes data sets, and says what was written.
fn generate(what: &Generate) -> Result<(), Failure> {
    let named = |name: &str| what.names.is_empty() || what.names.iter().any(|it| it == name);
    let unmade = |error| {
        let message = format!("cannot make {}", what.into.display());
        Error::unavailable(message).with_source(error)
    };
    fs::create_dir_all(&what.into).map_err(unmade)?;
    let mut out = io::stdout().lock();
    for set in generator::GENERATORS.iter().filter(|it| named(it.name())) {
        let size = what.rows.unwrap_or_else(|| set.default_size());
        let path = what.into.join(format!("{}.parquet", set.name()));
        let rows = generator::write_parquet(*set, size, what.seed, &path)?;
        writeln!(out, "{}: {rows} rows, {}", path.display(), set.about())?;
    }
    Ok(())
}

async fn open(arguments: &Arguments) -> Result<Database, Error> {
    match &arguments.database {
        Some(path) if arguments.readonly => Database::open_read_only(path).await,
        Some(path) => open_or_make(path).await,
        None => Database::in_memory(),
    }
}

/// The database in a directory or on a cluster. Of a directory it is told that it is a new one: its name may be mistyped.
async fn open_or_make(path: &Path) -> Result<Database, Error> {
    let Place::Directory(directory) = Place::of(path) else {
        return Database::open(path).await;
    };
    let existing = StoreOptions {
        create_if_missing: false,
        ..StoreOptions::default()
    };
    match Database::open_with(path, existing).await {
        Err(missing) if missing.kind() == error::ErrorKind::InvalidInput => {}
        opened => return opened,
    }
    let made = Database::open(path).await?;
    let note = format!("made a new database, {}", directory.display());
    writeln!(io::stderr(), "{note}").ok();
    Ok(made)
}

/// A script.
enum Script {
    Text(String),
    /// A file, by its name, or standard input.
    File(Units, Option<String>),
}

/// The scripts to run, in the order of the arguments; none asks for the shell.
fn scripts(arguments: &Arguments, matches: &ArgMatches) -> Result<Vec<Script>, Failure> {
    let mut sources = Vec::new();
    let places = matches.indices_of("command").into_iter().flatten();
    for (place, command) in places.zip(&arguments.command) {
        let text = command.clone();
        sources.push((place, Script::Text(text)));
    }
    let places = matches.indices_of("file").into_iter().flatten();
    for (place, file) in places.zip(&arguments.file) {
        let name = Some(file.display().to_string()).filter(|name| name != "-");
        sources.push((place, Script::File(open_script(file)?, name)));
    }
    if sources.is_empty() && !io::stdin().is_terminal() {
        sources.push((0, Script::File(open_script(Path::new("-"))?, None)));
    }
    sources.sort_by_key(|(place, _)| *place);
    Ok(sources.into_iter().map(|(_, script)| script).collect())
}

fn open_script(file: &Path) -> Result<Units, Failure> {
    let script = if file == Path::new("-") {
        Units::of_standard_input()
    } else {
        Units::of_file(file)
    };
    script.map_err(|error| {
        Failure::Statement(format!("error: cannot read {}: {error}", file.display()))
    })
}
