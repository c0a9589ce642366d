//! `read_csv('de.csv', delim => ';', nullstr => 'NA')`, `read_json('r.json')`, `read_parquet('x')`: files as tables, with
//! options.
//!
//! A file is a table by its name. So a call becomes a name: that of the file, and behind it what was said of it, told apart
//! by a character that no file's name holds. Whoever makes tables of files takes it apart again ([`Call::of`]).

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, TableAlias, TableFactor, UnaryOperator,
    Value, VisitMut, VisitorMut,
};
use sqlparser::parser::Parser;

use crate::catalog::sql_type;
use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::sql::copy_options;
use crate::sql::copy_statement::CopyOption;
use crate::sql::dialect::HaliteDialect;
use crate::sql::marks::{BETWEEN, WITHIN};
use crate::write::copy::{ColumnTypes, CopyOptions, OptionWords, Reads};

/// The functions.
const FUNCTIONS: &[(&str, Reads)] = &[
    ("read_csv", Reads::Csv),
    ("read_csv_auto", Reads::Csv),
    ("read_json", Reads::Json),
    ("read_json_auto", Reads::Json),
    ("read_parquet", Reads::Parquet),
    ("parquet_scan", Reads::Parquet),
];

/// The names of the functions.
pub fn file_functions() -> impl Iterator<Item = &'static str> + Clone {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// The names of files in the place of calls.
///
/// # Errors
/// `InvalidInput` for arguments that are none.
pub(crate) fn write_out(tree: &mut impl VisitMut) -> Result<()> {
    tree.visit(&mut Calls).break_value().map_or(Ok(()), Err)
}

struct Calls;

impl VisitorMut for Calls {
    type Break = Error;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        match named(factor) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

fn named(factor: &mut TableFactor) -> Result<()> {
    let TableFactor::Table {
        name, alias, args, ..
    } = factor
    else {
        return Ok(());
    };
    let (Some(given), [part]) = (args.as_ref(), name.0.as_slice()) else {
        return Ok(());
    };
    let called = part
        .as_ident()
        .map(|ident| ident.value.to_ascii_lowercase());
    let mut functions = FUNCTIONS.iter();
    let Some((function, _)) = functions.find(|(known, _)| called.as_deref() == Some(*known)) else {
        return Ok(());
    };
    let mut arguments = given.args.iter();
    let files = match arguments.next() {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(files))) => file_names(files),
        _ => None,
    };
    let is_name = |name: &String| !name.contains([BETWEEN, WITHIN]);
    let Some(files) = files.filter(|files| !files.is_empty() && files.iter().all(is_name)) else {
        return Err(Error::invalid(format!(
            "{function} takes the name of a file or a list of names, and options behind it: \
             {function}('file.csv', delim => ';')"
        )));
    };
    let mut parts = vec![files.join(&WITHIN.to_string()), (*function).to_owned()];
    for argument in arguments {
        let (option, value) = match argument {
            FunctionArg::Named {
                name,
                arg: FunctionArgExpr::Expr(value),
                ..
            } => (name.value.clone(), value),
            FunctionArg::ExprNamed {
                name: Expr::Identifier(name),
                arg: FunctionArgExpr::Expr(value),
                ..
            } => (name.value.clone(), value),
            other => {
                return Err(Error::invalid(format!(
                    "{function}: `{other}` is no option, such as delim => ';'"
                )));
            }
        };
        let Some(value) = option_value(value) else {
            return Err(Error::invalid(format!(
                "{function}: {option} is given a value that is no constant: `{value}`"
            )));
        };
        parts.push(option);
        parts.push(value);
    }
    alias.get_or_insert_with(|| TableAlias {
        explicit: true,
        name: Ident::new(*function),
        columns: Vec::new(),
        at: None,
    });
    let file = parts.join(&BETWEEN.to_string());
    *name = ObjectName::from(vec![Ident::with_quote('"', file)]);
    *args = None;
    Ok(())
}

/// The name of a file, or those of a list.
fn file_names(files: &Expr) -> Option<Vec<String>> {
    match files {
        Expr::Array(list) => list.elem.iter().map(text).collect(),
        file => Some(vec![text(file)?]),
    }
}

fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => {
                Some(text.clone())
            }
            _ => None,
        },
        _ => None,
    }
}

/// A constant as text; columns with their types as a list of both.
fn option_value(value: &Expr) -> Option<String> {
    match value {
        Expr::Value(constant) => match &constant.value {
            Value::Boolean(flag) => Some(flag.to_string()),
            Value::Number(number, _) => Some(number.clone()),
            _ => text(value),
        },
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => Some(format!("-{}", option_value(expr)?)),
        Expr::Identifier(word) => Some(word.value.clone()),
        Expr::Dictionary(fields) => {
            let fields = fields.iter().map(|field| {
                let of = text(&field.value)?;
                Some(format!("{}{WITHIN}{of}", field.key.value))
            });
            let fields = fields.collect::<Option<Vec<String>>>()?;
            Some(fields.join(&WITHIN.to_string()))
        }
        _ => None,
    }
}

/// A call, taken apart again.
#[derive(Debug)]
pub(crate) struct Call {
    /// Names of files, or patterns; one at least.
    pub(crate) files: Vec<String>,
    pub(crate) reads: Reads,
    pub(crate) options: CopyOptions,
    pub(crate) types: ColumnTypes,
    /// Whether there is a column of the files' names.
    pub(crate) has_names: bool,
}

/// What functions that read texts have besides the options of COPY.
const OF_TEXTS: [&str; 5] = ["TYPES", "COLUMNS", "ALL_VARCHAR", "SAMPLE_SIZE", "FILENAME"];

impl Call {
    /// The call that a name stands for; `None` for any other name.
    ///
    /// # Errors
    /// `NotSupported` and `InvalidInput` for options that are none.
    pub(crate) fn of(name: &str) -> Result<Option<Self>> {
        let mut parts = name.split(BETWEEN);
        let (Some(files), Some(function)) = (parts.next(), parts.next()) else {
            return Ok(None);
        };
        let mut functions = FUNCTIONS.iter();
        let Some((function, reads)) = functions.find(|(known, _)| *known == function) else {
            return Ok(None);
        };
        let mut call = Self {
            files: files.split(WITHIN).map(str::to_owned).collect(),
            reads: *reads,
            options: CopyOptions::default(),
            types: ColumnTypes::default(),
            has_names: false,
        };
        let mut options = Vec::new();
        while let (Some(option), Some(value)) = (parts.next(), parts.next()) {
            let name = option.to_ascii_uppercase();
            if !call.set(function, &name, value)? {
                let value = Some(value.to_owned());
                options.push(CopyOption { name, value });
            }
        }
        let besides: &[&str] = match reads {
            Reads::Parquet => &[],
            _ => &OF_TEXTS,
        };
        call.options =
            copy_options::options(&options, OptionWords::Call(*reads, function), besides)?;
        if call.types.columns.is_some() && !call.types.given.is_empty() {
            return Err(Error::invalid(format!(
                "{function}: columns are all of them with their types: leave out types"
            )));
        }
        Ok(Some(call))
    }

    /// Sets an option of functions that read texts; false of any other.
    fn set(&mut self, function: &str, name: &str, value: &str) -> Result<bool> {
        if self.reads == Reads::Parquet {
            return Ok(false);
        }
        match name {
            "TYPES" | "DTYPES" | "COLUMN_TYPES" => self.types.given = types_of(value)?,
            "COLUMNS" => self.types.columns = Some(types_of(value)?),
            "ALL_VARCHAR" => self.types.all_text = flag(function, name, value)?,
            "FILENAME" => self.has_names = flag(function, name, value)?,
            "SAMPLE_SIZE" => self.types.looked_at = rows(function, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn flag(function: &str, name: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Error::invalid(format!(
            "{function}: option {name} is true or false, not '{value}'"
        ))),
    }
}

/// How many rows are looked at; all for -1.
fn rows(function: &str, value: &str) -> Result<usize> {
    match value.parse() {
        _ if value == "-1" => Ok(usize::MAX),
        Ok(rows) if rows > 0 => Ok(rows),
        _ => Err(Error::invalid(format!(
            "{function}: option SAMPLE_SIZE is a number of rows from 1 on, or -1 for all, not '{value}'"
        ))),
    }
}

/// Columns with their types.
fn types_of(list: &str) -> Result<Vec<(String, SqlType)>> {
    let mut parts = list.split(WITHIN);
    let mut types = Vec::new();
    while let (Some(column), Some(of)) = (parts.next(), parts.next()) {
        let dialect = HaliteDialect::new(of.len());
        let parser = Parser::new(&dialect).try_with_sql(of);
        let parsed = parser.and_then(|mut parser| parser.parse_data_type());
        let parsed = parsed.map_err(|error| {
            Error::invalid(format!("'{of}' is no type: {error}")).with_source(error)
        })?;
        types.push((column.to_owned(), sql_type(&parsed)?));
    }
    if types.is_empty() {
        Err(Error::invalid(
            "types are given as {'column': 'INT', 'other': 'DATE'}",
        ))
    } else {
        Ok(types)
    }
}
