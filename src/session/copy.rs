//! `COPY`: from the parsed statement to the loader of files and to the writer of files.

use datafusion::physical_plan::execute_stream;
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::Statement as SqlStatement;

use super::copy_statement::{CopyOption, CopySource, CopyStatement};
use super::dialect;
use super::fit::fit;
use super::{Connection, Outcome, export};
use crate::catalog::object_name;
use crate::error::{Error, Result};
use crate::settings::HaliteOptions;
use crate::write::copy::{self, Compression, CopyOptions, Direction, FileFormat, listed};

/// Runs a COPY: all of it or nothing.
pub(super) async fn run(connection: &Connection, statement: &CopyStatement) -> Result<Outcome> {
    let access = connection.database().access();
    access.check(&format!("the file `{}`", statement.file))?;
    let options = copy_options(&statement.options)?;
    let rows = match statement.direction {
        Direction::From => copy_from(connection, statement, options).await?,
        Direction::To => copy_to(connection, statement, &options).await?,
    };
    Ok(Outcome::Affected { verb: "COPY", rows })
}

async fn copy_from(
    connection: &Connection,
    statement: &CopyStatement,
    options: CopyOptions,
) -> Result<u64> {
    let CopySource::Table { name, columns } = &statement.source else {
        return Err(Error::invalid("COPY FROM loads a table, not a query"));
    };
    if !columns.is_empty() {
        return Err(Error::unsupported(
            "COPY FROM with a list of columns is not implemented; name them in the file's header",
        ));
    }
    let table = connection
        .database()
        .catalog()
        .expect_table(&object_name(name)?)?;
    let settings =
        HaliteOptions::of(connection.statement_state()?.config_options()).write_settings();
    let (file, progress) = (statement.file.clone(), connection.progress().clone());
    copy::copy_from(table.writer(), file, options, settings, progress).await
}

async fn copy_to(
    connection: &Connection,
    statement: &CopyStatement,
    options: &CopyOptions,
) -> Result<u64> {
    // What is wrong with file and options is said before the query is run.
    let file = export::Target::new(&statement.file, options)?;
    let query = query_of(&statement.source)?;
    let (mut state, plan) = connection.planned(&query).await?;
    fit(&mut state, &plan)?;
    let (state, plan) = connection.physical(state, plan).await?;
    let rows = execute_stream(plan, state.task_ctx())?;
    export::write(file, rows).await
}

/// What is copied, as a query.
fn query_of(source: &CopySource) -> Result<DFStatement> {
    let query = match source {
        CopySource::Query(query) => SqlStatement::Query(query.clone()),
        CopySource::Table { name, columns } => {
            let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
            let columns = match columns.as_slice() {
                [] => "*".to_owned(),
                columns => columns.join(", "),
            };
            let query = dialect::query(&format!("SELECT {columns} FROM {name}"));
            SqlStatement::Query(query.map_err(|error| Error::invalid(error.to_string()))?)
        }
    };
    Ok(DFStatement::Statement(Box::new(query)))
}

/// An option of COPY: its names, and what it sets.
struct OptionDeclaration {
    name: &'static str,
    aliases: &'static [&'static str],
    set: fn(&mut CopyOptions, &CopyOption) -> Result<()>,
}

/// Every option.
static OPTIONS: &[OptionDeclaration] = &[
    OptionDeclaration {
        name: "FORMAT",
        aliases: &[],
        set: |options, given| {
            options.format = Some(FileFormat::named(value(given)?)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "HEADER",
        aliases: &[],
        set: |options, given| {
            options.header = Some(flag(given)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "DELIMITER",
        aliases: &["DELIM", "SEP"],
        set: |options, given| {
            options.delimiter = Some(character(given)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "NULL",
        aliases: &["NULLSTR"],
        set: |options, given| {
            options.null = Some(value(given)?.to_owned());
            Ok(())
        },
    },
    OptionDeclaration {
        name: "COMPRESSION",
        aliases: &[],
        set: |options, given| {
            let name = value(given)?;
            // As if it were not given: the file's name says it.
            if !name.eq_ignore_ascii_case("auto") {
                options.compression = Some(Compression::named(name)?);
            }
            Ok(())
        },
    },
];

fn copy_options(given: &[CopyOption]) -> Result<CopyOptions> {
    let mut options = CopyOptions::default();
    let mut seen: Vec<&str> = Vec::new();
    for option in given {
        let name = option.name.as_str();
        let mut known = OPTIONS.iter();
        let Some(declaration) =
            known.find(|known| known.name == name || known.aliases.contains(&name))
        else {
            return Err(Error::unsupported(format!(
                "COPY option `{option}` is not implemented; {} are",
                listed(OPTIONS.iter().map(|option| option.name))
            )));
        };
        if seen.contains(&declaration.name) {
            return Err(Error::invalid(format!("COPY option {name} is given twice")));
        }
        seen.push(declaration.name);
        (declaration.set)(&mut options, option)?;
    }
    Ok(options)
}

fn value(option: &CopyOption) -> Result<&str> {
    let missing = || Error::invalid(format!("COPY option {} needs a value", option.name));
    option.value.as_deref().ok_or_else(missing)
}

fn flag(option: &CopyOption) -> Result<bool> {
    let text = option.value.as_deref().unwrap_or("true");
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        _ => Err(Error::invalid(format!(
            "COPY option {} is true or false, not '{text}'",
            option.name
        ))),
    }
}

fn character(option: &CopyOption) -> Result<char> {
    let text = value(option)?;
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Ok(letter),
        _ if text == "\\t" => Ok('\t'),
        _ => Err(Error::invalid(format!(
            "COPY option {} is one character, not '{text}'",
            option.name
        ))),
    }
}
