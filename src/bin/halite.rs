//! The program `halite`: reads its arguments, opens the database, and runs what is asked for.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use halite::error::Error;
use halite::session::Database;
use halite::shell::demo;
use halite::shell::format::{self, FORMATS, Page};
use halite::shell::maintenance;
use halite::shell::repl::{Shell, terminal_page};
use halite::shell::report;
use halite::shell::runner::{Failure, Runner};
use halite::shell::sample::generator;
use tokio::runtime::Builder;

/// SQL over an ordered key-value store.
///
/// Without -c or -f: the shell on a terminal, else the script on standard input.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Directory of the database, made where there is none; without it all stays in memory
    database: Option<PathBuf>,
    /// Runs these statements; may be repeated and mixed with -f
    #[arg(short, long, value_name = "SQL")]
    command: Vec<String>,
    /// Runs the statements of a file; - is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// How results look; box on a terminal, else csv
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    format: Option<String>,
    /// Refuses to change anything
    #[arg(long, requires = "database")]
    readonly: bool,
}

/// What the program does other than running statements.
#[derive(Subcommand)]
enum Action {
    /// Builds the sample database and runs the sample queries, each with what it scans and reads
    Demo {
        /// Directory of the sample database, new or empty; without it a temporary one, removed at the end
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
        /// Rows of each generated data set; a million events and 100,000 of the others without it
        #[arg(long)]
        rows: Option<usize>,
    },
    /// Reads everything in a database and reports what is damaged; changes nothing
    Check {
        /// Directory of the database
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
    /// Writes generated data sets as Parquet files, in any size: the ones that catalog/ declares layouts for
    Generate(Generate),
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
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has seen enough.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let report = match failure {
                Failure::Statement(report) => report,
                Failure::Output(error) => format!("error: cannot write the result: {error}"),
            };
            // Where standard error is closed there is nobody to tell; the status says it.
            writeln!(io::stderr(), "{report}").ok();
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments, matches: &ArgMatches) -> Result<(), Failure> {
    if let Some(action) = &arguments.action {
        refuse_arguments_of_statements(matches);
        return match action {
            Action::Demo { directory, rows } => run_demo(directory.as_deref(), *rows),
            Action::Generate(what) => generate(what),
            Action::Check { .. } | Action::Backup { .. } | Action::Restore { .. } => {
                run_maintenance(action)
            }
        };
    }
    // Every file is read before anything runs: a wrong name changes nothing.
    let scripts = scripts(arguments, matches)?;
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let database = runtime.block_on(open(arguments)).map_err(told)?;
    let connection = database.connect();
    let terminal = io::stdout().is_terminal();
    let format = arguments.format.as_deref().and_then(format::named);
    let runner = Runner {
        connection: &connection,
        format: format.unwrap_or_else(|| format::default_format(terminal)),
        page: page(terminal),
    };
    if scripts.is_empty() {
        let mut shell = Shell {
            runner,
            runtime: &runtime,
        };
        return Ok(shell.edit()?);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for script in &scripts {
        runtime.block_on(runner.script(script, &mut out))?;
    }
    Ok(out.flush()?)
}

/// What says how statements are run means nothing to what runs none, and is not ignored.
fn refuse_arguments_of_statements(matches: &ArgMatches) {
    if matches.args_present() {
        let wrong = match matches.subcommand_name() {
            Some("demo") => "demo runs statements of its own: halite demo [DIR] [--rows N]",
            _ => "generate runs no statements: halite generate [NAME]… [OPTIONS]",
        };
        Arguments::command()
            .error(ErrorKind::ArgumentConflict, wrong)
            .exit();
    }
}

/// The demo, ended in good order by control-C too: what is temporary is removed.
fn run_demo(directory: Option<&Path>, rows: Option<usize>) -> Result<(), Failure> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let page = page(io::stdout().is_terminal());
    let mut out = BufWriter::new(io::stdout().lock());
    runtime.block_on(async {
        tokio::select! {
            ended = demo::run(directory, rows, page, &mut out) => ended,
            _ = tokio::signal::ctrl_c() => Err(Failure::Statement("interrupted".to_owned())),
        }
    })
}

/// What is done with a whole database.
fn run_maintenance(action: &Action) -> Result<(), Failure> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let mut out = io::stdout().lock();
    runtime.block_on(async {
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
            Action::Demo { .. } | Action::Generate(_) => Ok(()),
        }
    })
}

/// Writes data sets, and says what was written.
fn generate(what: &Generate) -> Result<(), Failure> {
    let named = |name: &str| what.names.is_empty() || what.names.iter().any(|it| it == name);
    let unmade = |error| {
        let message = format!("cannot make {}", what.into.display());
        told(Error::unavailable(message).with_source(error))
    };
    fs::create_dir_all(&what.into).map_err(unmade)?;
    let mut out = io::stdout().lock();
    for set in generator::GENERATORS.iter().filter(|it| named(it.name())) {
        let size = what.rows.unwrap_or_else(|| set.default_size());
        let path = what.into.join(format!("{}.parquet", set.name()));
        let rows = generator::write_parquet(*set, size, what.seed, &path).map_err(told)?;
        writeln!(out, "{}: {rows} rows, {}", path.display(), set.about())?;
    }
    Ok(())
}

fn page(terminal: bool) -> Page {
    if terminal {
        terminal_page()
    } else {
        Page::default()
    }
}

fn told(error: Error) -> Failure {
    Failure::Statement(report::message(&error))
}

async fn open(arguments: &Arguments) -> Result<Database, Error> {
    match &arguments.database {
        Some(path) if arguments.readonly => Database::open_read_only(path).await,
        Some(path) => Database::open(path).await,
        None => Database::in_memory(),
    }
}

/// The scripts to run, in the order of the arguments; none asks for the shell.
fn scripts(arguments: &Arguments, matches: &ArgMatches) -> Result<Vec<String>, Failure> {
    let mut sources = Vec::new();
    let places = matches.indices_of("command").into_iter().flatten();
    for (place, command) in places.zip(&arguments.command) {
        sources.push((place, command.clone()));
    }
    let places = matches.indices_of("file").into_iter().flatten();
    for (place, file) in places.zip(&arguments.file) {
        sources.push((place, read_script(file)?));
    }
    if sources.is_empty() && !io::stdin().is_terminal() {
        sources.push((0, read_script(Path::new("-"))?));
    }
    sources.sort_by_key(|(place, _)| *place);
    Ok(sources.into_iter().map(|(_, script)| script).collect())
}

fn read_script(file: &Path) -> Result<String, Failure> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(file)
    };
    text.map_err(|error| {
        Failure::Statement(format!("error: cannot read {}: {error}", file.display()))
    })
}
