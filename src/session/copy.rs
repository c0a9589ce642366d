//! `COPY`: what a parsed statement says to the loader of files and to the writer of files.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use datafusion::physical_plan::execute_stream;
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::{ObjectName, Statement as SqlStatement};

use super::catalogs::Catalogs;
use super::copy_statement::{CopyOption, CopySource, CopyStatement};
use super::outcome::Wanted;
use super::{Connection, Outcome, command, dialect, export, fit, rules};
use crate::catalog::{identifier, object_name};
use crate::datum;
use crate::error::{Error, Result};
use crate::schema::BoundTable;
use crate::settings::HaliteOptions;
use crate::table::HaliteTable;
use crate::write::copy::{
    Copied, CopyDirection, CopyOptions, FileCompression, FileFormat, InlineRows, OptionWords,
    Reads, STANDARD, copy_from, listed,
};

impl Connection {
    /// `COPY`, in either direction: all of it or nothing.
    pub(super) async fn copy(&self, statement: &CopyStatement, wanted: Wanted) -> Result<Outcome> {
        let access = self.database().access();
        if statement.rows.is_none() {
            access.check(&place_of(statement))?;
        }
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
                let (mut state, plan) =
                    self.planned(&query_of(statement, self.catalogs())?).await?;
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
    let (table, file) = (datum::identifier(table), file.replace('\'', "''"));
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

/// What a COPY TO writes, as a query. Of a table that are the columns that a COPY FROM takes: those that are generated it
/// computes.
fn query_of(statement: &CopyStatement, catalogs: &Catalogs) -> Result<DFStatement> {
    let query = match &statement.source {
        CopySource::Query(query) => SqlStatement::Query(query.clone()),
        CopySource::Table { name, columns } => {
            let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
            let columns = match columns.as_slice() {
                [] => given_columns(name, catalogs).unwrap_or_else(|| "*".to_owned()),
                columns => columns.join(", "),
            };
            let query = dialect::query(&format!("SELECT {columns} FROM {name}"));
            SqlStatement::Query(query.map_err(|error| Error::invalid(error.to_string()))?)
        }
    };
    Ok(DFStatement::Statement(Box::new(query)))
}

/// The columns of a table that are not generated, where some are.
fn given_columns(name: &ObjectName, catalogs: &Catalogs) -> Option<String> {
    let table = catalogs.expect_table(&object_name(name).ok()?).ok()?;
    let columns = table.bound().columns();
    let given = columns.iter().filter(|column| column.generated.is_none());
    let given: Vec<String> = given
        .map(|column| datum::identifier(&column.name).into_owned())
        .collect();
    (given.len() < columns.len()).then(|| given.join(", "))
}

/// An option of COPY, and of functions that read files: its names, who has it besides COPY, and what it sets.
struct OptionDeclaration {
    name: &'static str,
    aliases: &'static [&'static str],
    functions: &'static [Reads],
    set: fn(&mut CopyOptions, &Given<'_>) -> Result<()>,
}

/// An option as it was given, and to whom.
struct Given<'a> {
    option: &'a CopyOption,
    owner: &'a str,
}

/// Functions that have an option.
const NO_FUNCTION: &[Reads] = &[];
const CSV: &[Reads] = &[Reads::Csv];
const TEXTS: &[Reads] = &[Reads::Csv, Reads::Json];

/// Every option.
static OPTIONS: &[OptionDeclaration] = &[
    OptionDeclaration {
        name: "FORMAT",
        aliases: &[],
        functions: NO_FUNCTION,
        set: |options, given| {
            let name = value(given)?;
            options.is_text = name.eq_ignore_ascii_case("text");
            options.format = Some(match options.is_text {
                true => FileFormat::Csv,
                false => FileFormat::named(name)?,
            });
            Ok(())
        },
    },
    OptionDeclaration {
        name: "HEADER",
        aliases: &[],
        functions: CSV,
        set: |options, given| {
            options.header = Some(flag(given)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "DELIMITER",
        aliases: &["DELIM", "SEP"],
        functions: CSV,
        set: |options, given| {
            options.delimiter = Some(character(given)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "NULL",
        aliases: &["NULLSTR"],
        functions: CSV,
        set: |options, given| {
            options.null = Some(value(given)?.to_owned());
            Ok(())
        },
    },
    OptionDeclaration {
        name: "QUOTE",
        aliases: &["QUOTECHAR"],
        functions: CSV,
        set: |options, given| {
            options.quote = Some(character_or_none(given)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "ESCAPE",
        aliases: &[],
        functions: CSV,
        set: |options, given| {
            options.escape = Some(character_or_none(given)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "COMMENT",
        aliases: &[],
        functions: CSV,
        set: |options, given| {
            options.comment = Some(character_or_none(given)?);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "SKIP",
        aliases: &["SKIP_LINES"],
        functions: CSV,
        set: |options, given| {
            let text = value(given)?;
            options.skipped_lines = text.parse().map_err(|_| {
                let owner = given.owner;
                Error::invalid(format!("{owner} SKIP is a number of lines, not '{text}'"))
            })?;
            Ok(())
        },
    },
    OptionDeclaration {
        name: "COMPRESSION",
        aliases: &[],
        functions: TEXTS,
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
        functions: NO_FUNCTION,
        set: |options, given| {
            options.replace = flag(given)?;
            Ok(())
        },
    },
    OptionDeclaration {
        name: "ON_ERROR",
        aliases: &[],
        functions: NO_FUNCTION,
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
        functions: NO_FUNCTION,
        set: |options, given| {
            options.rejects = Some(value(given)?.to_owned());
            Ok(())
        },
    },
    OptionDeclaration {
        name: "DECIMAL",
        aliases: &["DECIMAL_SEPARATOR"],
        functions: TEXTS,
        set: |options, given| {
            let sign = character(given)?;
            if !matches!(sign, '.' | ',') {
                let message = format!("{} DECIMAL is '.' or ',', not '{sign}'", given.owner);
                return Err(Error::invalid(message));
            }
            options.spelling.decimal = Some(sign);
            Ok(())
        },
    },
    OptionDeclaration {
        name: "THOUSANDS",
        aliases: &["THOUSANDS_SEPARATOR"],
        functions: TEXTS,
        set: |options, given| {
            let sign = character(given)?;
            if !matches!(sign, '.' | ',' | '_' | ' ' | '\'' | '\u{a0}' | '\u{202f}') {
                let message = format!(
                    "{} THOUSANDS is a point, a comma, a space, '_' or an apostrophe, not '{sign}'",
                    given.owner
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
        functions: TEXTS,
        set: |options, given| {
            options.spelling.date = Some(value(given)?.to_owned());
            Ok(())
        },
    },
    OptionDeclaration {
        name: "TIMESTAMP_FORMAT",
        aliases: &["TIMESTAMPFORMAT"],
        functions: TEXTS,
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
    let mut options = options(&statement.options, OptionWords::Copy, &[])?;
    if let Some(rows) = &statement.rows {
        options.inline = Some(InlineRows {
            path: rows.file.to_path_buf(),
            shown: rows.script.clone(),
            line: rows.line,
        });
        // As PostgreSQL has it.
        options.is_text |= options.format.is_none();
        if options
            .format
            .is_some_and(|format| format != FileFormat::Csv)
        {
            return Err(Error::unsupported(
                "rows that stand in a script are text, as PostgreSQL writes it, or csv; of other formats COPY reads files",
            ));
        }
    }
    if let CopySource::Table { columns, .. } = &statement.source
        && statement.direction == CopyDirection::From
        && !columns.is_empty()
    {
        options.columns = Some(columns.iter().map(identifier).collect());
    }
    Ok(options)
}

/// What a list of options says. `besides` are names of options that whoever has them knows besides these.
///
/// # Errors
/// As [`options_of`].
pub(super) fn options(
    given: &[CopyOption],
    words: OptionWords,
    besides: &[&str],
) -> Result<CopyOptions> {
    let mut options = CopyOptions {
        words,
        ..CopyOptions::default()
    };
    let owner = match words {
        OptionWords::Copy => "COPY option".to_owned(),
        OptionWords::Call(_, function) => format!("{function}: option"),
    };
    let mut seen: Vec<&str> = Vec::new();
    for option in given {
        let name = option.name.as_str();
        let mut known = OPTIONS.iter().filter(|known| known.is_of(words));
        let is_it =
            |known: &&OptionDeclaration| known.name == name || known.aliases.contains(&name);
        let Some(declaration) = known.find(is_it) else {
            return Err(unknown_option(option, words, besides));
        };
        if seen.contains(&declaration.name) {
            return Err(Error::invalid(format!("{owner} {name} is given twice")));
        }
        seen.push(declaration.name);
        let owner = owner.as_str();
        (declaration.set)(&mut options, &Given { option, owner })?;
    }
    if options.rejects.is_some() && !options.skip {
        return Err(Error::invalid("COPY option REJECTS is for ON_ERROR skip"));
    }
    Ok(options)
}

impl OptionDeclaration {
    fn is_of(&self, words: OptionWords) -> bool {
        match words {
            OptionWords::Copy => true,
            OptionWords::Call(reads, _) => self.functions.contains(&reads),
        }
    }
}

fn unknown_option(option: &CopyOption, words: OptionWords, besides: &[&str]) -> Error {
    let known = OPTIONS.iter().filter(|known| known.is_of(words));
    let known = known.map(|option| option.name);
    let OptionWords::Call(_, function) = words else {
        return Error::unsupported(format!(
            "COPY option `{option}` is not implemented; {} are",
            listed(known)
        ));
    };
    let known = known.chain(besides.iter().copied());
    let known = known.map(|name| match name {
        "NULL" => "nullstr".to_owned(),
        name => name.to_lowercase(),
    });
    let known: Vec<String> = known.collect();
    let name = option.name.to_lowercase();
    Error::unsupported(match known.is_empty() {
        true => format!("{function} has no options, and `{name}` is given"),
        false => format!(
            "{function} has no option `{name}`; it has {}",
            listed(known.iter().map(String::as_str))
        ),
    })
}

fn value<'a>(given: &Given<'a>) -> Result<&'a str> {
    let (owner, name) = (given.owner, &given.option.name);
    let missing = || Error::invalid(format!("{owner} {name} needs a value"));
    given.option.value.as_deref().ok_or_else(missing)
}

fn flag(given: &Given<'_>) -> Result<bool> {
    let text = given.option.value.as_deref().unwrap_or("true");
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        _ => Err(Error::invalid(format!(
            "{} {} is true or false, not '{text}'",
            given.owner, given.option.name
        ))),
    }
}

fn character(given: &Given<'_>) -> Result<char> {
    let text = value(given)?;
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Ok(letter),
        _ if text == "\\t" => Ok('\t'),
        _ => Err(Error::invalid(format!(
            "{} {} is one character, not '{text}'",
            given.owner, given.option.name
        ))),
    }
}

/// A character, or `\0` for an empty text, which says that there is none.
fn character_or_none(given: &Given<'_>) -> Result<char> {
    match value(given)? {
        "" => Ok('\0'),
        _ => character(given),
    }
}
