//! `COPY t FROM 'file'`: from sqlparser's tree to the loader's options.

use std::path::PathBuf;

use sqlparser::ast::{CopyOption, CopySource, CopyTarget, Statement};

use super::{Connection, Outcome};
use crate::catalog::ddl::object_name;
use crate::error::{Error, Result};
use crate::scan::HaliteOptions;
use crate::write::copy::{self, CopyOptions, FileFormat};

/// Loads a file into a table, all of its rows or none.
pub(super) async fn copy_from(connection: &Connection, statement: &Statement) -> Result<Outcome> {
    let Statement::Copy {
        source,
        to: false,
        target: CopyTarget::File { filename },
        options,
        legacy_options,
        ..
    } = statement
    else {
        return Err(Error::unsupported(
            "COPY FROM reads a file: COPY table FROM 'file'",
        ));
    };
    let CopySource::Table {
        table_name,
        columns,
    } = source
    else {
        return Err(Error::invalid("COPY FROM loads a table, not a query"));
    };
    if !columns.is_empty() {
        return Err(Error::unsupported(
            "COPY FROM with a list of columns is not implemented; name them in the file's header",
        ));
    }
    if let Some(option) = legacy_options.first() {
        return Err(Error::unsupported(format!(
            "COPY option `{option}` is not implemented; write options in parentheses"
        )));
    }
    let table = connection
        .database()
        .catalog()
        .expect_table(&object_name(table_name)?)?;
    let options = copy_options(options)?;
    let settings =
        HaliteOptions::of(connection.context().copied_config().options()).write_settings();
    let rows = copy::copy_from(
        table.writer(),
        PathBuf::from(filename),
        options,
        settings,
        connection.progress().clone(),
    )
    .await?;
    Ok(Outcome::Affected { verb: "COPY", rows })
}

fn copy_options(declared: &[CopyOption]) -> Result<CopyOptions> {
    let mut options = CopyOptions::default();
    for option in declared {
        match option {
            CopyOption::Format(name) => options.format = Some(file_format(&name.value)?),
            CopyOption::Header(header) => options.header = Some(*header),
            CopyOption::Delimiter(delimiter) => options.delimiter = Some(*delimiter),
            CopyOption::Null(text) => options.null = Some(text.clone()),
            other => {
                return Err(Error::unsupported(format!(
                    "COPY option `{other}` is not implemented; FORMAT, HEADER, DELIMITER and NULL are"
                )));
            }
        }
    }
    Ok(options)
}

fn file_format(name: &str) -> Result<FileFormat> {
    match name.to_ascii_lowercase().as_str() {
        "csv" => Ok(FileFormat::Csv),
        "parquet" => Ok(FileFormat::Parquet),
        _ => Err(Error::unsupported(format!(
            "COPY format `{name}` is not implemented; csv and parquet are"
        ))),
    }
}
