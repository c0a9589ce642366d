//! `COPY`: what a parsed statement says to the loader of files and to the writer of files.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use datafusion::physical_plan::execute_stream;
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::Statement as SqlStatement;

use super::catalogs::Catalogs;
use super::copy_statement::{CopyOption, CopySource, CopyStatement};
use super::outcome::Wanted;
use super::{Connection, Outcome, command, dialect, export, fit, rules};
use crate::catalog::{identifier, object_name};
use crate::error::{Error, Result};
use crate::key;
use crate::schema::BoundTable;
use crate::settings::HaliteOptions;
use crate::table::HaliteTable;
use crate::write::copy::{
    Copied, CopyDirection, CopyOptions, FileCompression, FileFormat, STANDARD, copy_from, listed,
};

impl Connection {
    /// `COPY`, in either direction: all of it or nothing.
    pub(super) async fn copy(&self, statement: &CopyStatement, wanted: Wanted) -> Result<Outcome> {
        let access = self.database().access();
        access.check(&place_of(statement))?;
        let options = options_of(statement)?;
        let partition_by: Vec<String> = statement.partition_by.iter().map(identifier).collect();
        if statement.direction == CopyDirection::From && !partition_by.is_empty() {
            return Err(Error::invalid("PARTITION_BY is an option of COPY TO"));
        }
        wanted.check(options.skip)?;
        let rows = match statement.direction {
            CopyDirection::From => {
                let table = loaded_table(statement, self.catalogs())?;
                refuse_loss(table.bound(), &options)?;
                let state = self.statement_state()?;
                let settings = HaliteOptions::of(state.config_options()).write_settings();
                let filled = match &options.columns {
                    Some(given) => rules::filled(&state, table.bound(), given)?,
                    None => Vec::new(),
                };
                let (file, progress) = (statement.file.clone(), self.progress().clone());
                let skips = options.skip;
                let copied =
                    copy_from(table.writer(), file, options, filled, settings, progress).await?;
                if skips {
                    return command::rows(told(&copied));
                }
                copied.rows
            }
            CopyDirection::To => {
                // What is wrong with file and options is said before the query is run.
                let file = export::Target::new(&statement.file, &options, partition_by)?;
                let (mut state, plan) = self.planned(&query_of(statement)?).await?;
                fit::fit(&mut state, &plan)?;
                let (state, plan) = self.runnable(state, plan).await?;
                export::write(file, execute_stream(plan, state.task_ctx())?).await?
            }
        };
        Ok(Outcome::Affected { verb: "COPY", rows })
    }
}

/// The table that a COPY FROM loads.
pub(super) fn loaded_table(
    statement: &CopyStatement,
    catalogs: &Catalogs,
) -> Result<Arc<HaliteTable>> {
    let CopySource::Table { name, .. } = &statement.source else {
        return Err(Error::invalid("COPY FROM loads a table, not a query"));
    };
    let name = object_name(name)?;
    let is_missing = catalogs.is_free(&name) && statement.file != STANDARD;
    let table = catalogs.expect_table(&name);
    table.map_err(|error| match is_missing {
        true => Error::new(
            error.kind(),
            made_of_file(error.message(), &name, &statement.file),
        ),
        false => error,
    })
}

/// The message with what makes a table of the file, in front of the tables that there are.
fn made_of_file(message: &str, table: &str, file: &str) -> String {
    let (table, file) = (key::identifier(table), file.replace('\'', "''"));
    let made = format!("CREATE TABLE {table} AS SELECT * FROM '{file}' makes one of the file");
    match message.split_once("; ") {
        Some((problem, others)) => format!("{problem}; {made}; {others}"),
        None => format!("{message}; {made}"),
    }
}

/// Refuses REPLACE with a list that leaves columns out: the rows of the file would take the places of whole rows.
fn refuse_loss(table: &BoundTable, options: &CopyOptions) -> Result<()> {
    let Some(given) = options.columns.as_ref().filter(|_| options.replace) else {
        return Ok(());
    };
    let mut columns = table.columns().iter();
    let lost = columns.find(|it| it.generated.is_none() && !given.contains(&it.name));
    match lost.filter(|_| table.row_id().is_none()) {
        None => Ok(()),
        Some(lost) => Err(Error::unsupported(format!(
            "table `{}`: COPY of some columns with REPLACE is not implemented, which would lose what stored rows have in `{}`; \
             INSERT OR REPLACE INTO … (…) SELECT … FROM the file keeps it",
            table.name(),
            lost.name
        ))),
    }
}

/// What a COPY reads or writes, for errors.
pub(super) fn place_of(statement: &CopyStatement) -> String {
    match (statement.file.as_str(), statement.direction) {
        (STANDARD, CopyDirection::From) => "STDIN".to_owned(),
        (STANDARD, CopyDirection::To) => "STDOUT".to_owned(),
        (file, _) => format!("the file `{file}`"),
    }
}

/// What a COPY that leaves rows out says: how many were written and left out, and where these are.
pub(super) fn told(copied: &Copied) -> Vec<(&'static str, ArrayRef)> {
    let refused = copied.refused.as_ref();
    let file = refused.map(|refused| refused.file.display().to_string());
    let refused = refused.map_or(0, |refused| refused.rows);
    let count = |rows: u64| Int64Array::from(vec![i64::try_from(rows).unwrap_or(i64::MAX)]);
    vec![
        ("rows", Arc::new(count(copied.rows))),
        ("refused", Arc::new(count(refused))),
        ("refused_in", Arc::new(StringArray::from(vec![file]))),
    ]
}

/// What a COPY TO writes, as a query.
pub(super) fn query_of(statement: &CopyStatement) -> Result<DFStatement> {
    let query = match &statement.source {
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
                options.compression = Some(FileCompression::named(name)?);
            }
            Ok(())
        },
    },
    OptionDeclaration {
        name: "REPLACE",
        aliases: &[],
        set: |options, given| {
            options.replace = flag(given)?;
            Ok(())
        },
    },
    OptionDeclaration {
        name: "ON_ERROR",
        aliases: &[],
        set: |options, given| {
            options.skip = match value(given)?.to_ascii_lowercase().as_str() {
                "skip" | "ignore" => true,
                "stop" => false,
                other => {
                    let message = format!("COPY option ON_ERROR is stop or skip, not '{other}'");
                    return Err(Error::invalid(message));
                }
            };
            Ok(())
        },
    },
    OptionDeclaration {
        name: "REJECTS",
        aliases: &[],
        set: |options, given| {
            options.rejects = Some(value(given)?.to_owned());
            Ok(())
        },
    },
    OptionDeclaration {
        name: "DECIMAL",
        aliases: &["DECIMAL_SEPARATOR"],
        set: |options, given| {
            let sign = character(given)?;
            if !matches!(sign, '.' | ',') {
                let message = format!("COPY option DECIMAL is '.' or ',', not '{sign}'");
                return Err(Error::invalid(message));
            }
            options.spelling.decimal = Some(sign);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "THOUSANDS",
        aliases: &["THOUSANDS_SEPARATOR"],
        set: |options, given| {
            let sign = character(given)?;
            if !matches!(sign, '.' | ',' | '_' | ' ' | '\'' | '\u{a0}' | '\u{202f}') {
                let message = format!(
                    "COPY option THOUSANDS is a point, a comma, a space, '_' or an apostrophe, not '{sign}'"
                );
                return Err(Error::invalid(message));
            }
            options.spelling.thousands = Some(sign);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "DATE_FORMAT",
        aliases: &["DATEFORMAT"],
        set: |options, given| {
            options.spelling.date = Some(value(given)?.to_owned());
            Ok(())
        },
    },
    OptionDeclaration {
        name: "TIMESTAMP_FORMAT",
        aliases: &["TIMESTAMPFORMAT"],
        set: |options, given| {
            options.spelling.timestamp = Some(value(given)?.to_owned());
            Ok(())
        },
    },
];

/// The options of a COPY.
///
/// # Errors
/// `NotSupported` or `InvalidInput` that names the option and the reason.
pub(super) fn options_of(statement: &CopyStatement) -> Result<CopyOptions> {
    let mut options = options(&statement.options)?;
    if let CopySource::Table { columns, .. } = &statement.source
        && statement.direction == CopyDirection::From
        && !columns.is_empty()
    {
        options.columns = Some(columns.iter().map(identifier).collect());
    }
    Ok(options)
}

/// What a list of options says.
///
/// # Errors
/// As [`options_of`].
pub(super) fn options(given: &[CopyOption]) -> Result<CopyOptions> {
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
    if options.rejects.is_some() && !options.skip {
        return Err(Error::invalid("COPY option REJECTS is for ON_ERROR skip"));
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
