//! How the shell begins: a greeting, and the user's start file.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::names::Names;
use super::script::Units;
use super::state::Shell;
use super::text::counted;

/// The start file, in the home directory.
const START_FILE: &str = ".haliterc";

/// Greets the user, and says what is open.
///
/// # Errors
/// Those of the output.
pub fn greet(shell: &mut Shell<'_>, database: Option<&Path>) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let open = match database {
        Some(path) => {
            let tables = Names::new(shell.connection.clone()).tables().len() as u64;
            format!("{} has {}", path.display(), counted(tables, "table"))
        }
        None => "All stays in memory and is gone at the end".to_owned(),
    };
    shell
        .outputs
        .tell(&format!("Halite {version}. {open}. .help helps."))
}

/// Runs a start file: the one given, which must be there, or `~/.haliterc` if it is. What goes wrong in it is told and
/// does not keep the shell from beginning.
///
/// # Errors
/// A given file that cannot be read; those of the outputs.
pub fn run_file(shell: &mut Shell<'_>, given: Option<&Path>) -> Result<(), Failure> {
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(START_FILE));
    let Some(path) = given.map(Path::to_owned).or_else(home) else {
        return Ok(());
    };
    let from = path.clone();
    let script = match shell.unless_interrupted(move || Units::of_file(&from))? {
        Ok(script) => script,
        Err(error) if given.is_none() && error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            let note = format!("cannot read {}: {error}", path.display());
            return Err(shell.complaint(&note));
        }
    };
    // Its settings are not news to the user.
    shell.settings.interactive = false;
    let answer = shell.read_script(script, Some(&path.to_string_lossy()));
    shell.settings.interactive = true;
    match answer {
        Ok(_) => Ok(()),
        Err(Failure::Statement(report)) => Ok(shell.outputs.log(&report)?),
        Err(failure) => Err(failure),
    }
}
