//! The options of COPY, and of functions that read files: one declaration each.

use super::copy_statement::{CopyOption, CopySource, CopyStatement};
use crate::catalog::identifier;
use crate::error::{Error, Result};
use crate::write::copy::{
    CopyDirection, CopyOptions, FileCompression, FileFormat, InlineRows, OptionWords, Reads, listed,
};

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
            options.format = Some(if options.is_text {
                FileFormat::Csv
            } else {
                FileFormat::named(name)?
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
pub(crate) fn options_of(statement: &CopyStatement) -> Result<CopyOptions> {
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
pub(crate) fn options(
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
    Error::unsupported(if known.is_empty() {
        format!("{function} has no options, and `{name}` is given")
    } else {
        format!(
            "{function} has no option `{name}`; it has {}",
            listed(known.iter().map(String::as_str))
        )
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
