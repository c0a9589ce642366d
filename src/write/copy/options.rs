//! The formats of files, how they are compressed, and the options of COPY: one declaration each.

use std::path::{Path, PathBuf};

use crate::convert::text::Spelling;
use crate::datum::TimeFormat;
use crate::error::{Error, Result};

/// The name of the standard input, and of the standard output.
pub const STANDARD: &str = "-";

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values in UTF-8, or separated by another character.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow: batches as they are in memory, its file format or its streams.
    Arrow,
    /// One JSON object per line.
    JsonLines,
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCompression {
    /// Not at all.
    None,
    /// gzip, of one member or several.
    Gzip,
    /// Zstandard, of one frame or several.
    Zstd,
    /// bzip2, of one stream or several; read and not written.
    Bzip2,
    /// xz, of one stream or several; read and not written.
    Xz,
    /// Snappy; within Parquet files.
    Snappy,
    /// LZ4; within Parquet files.
    Lz4,
}

/// What a COPY does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyDirection {
    /// `COPY … FROM`.
    From,
    /// `COPY … TO`.
    To,
}

/// A format: its name, the extensions that stand for it, how its files may be compressed as a whole.
#[derive(Debug)]
pub struct FormatDeclaration {
    /// The format.
    pub format: FileFormat,
    /// What FORMAT calls it.
    pub name: &'static str,
    /// Other names, and extensions of files besides the name.
    pub aliases: &'static [&'static str],
    /// Extensions of files that are no names.
    pub extensions: &'static [&'static str],
    /// The compressions that COPY … TO can be asked for, the default first.
    pub compressions: &'static [FileCompression],
    /// Those that COPY … FROM reads besides.
    pub read_besides: &'static [FileCompression],
    /// Whether COPY … FROM reads it.
    pub is_read: bool,
}

/// Every format.
pub static FORMATS: &[&FormatDeclaration] = &[&CSV, &PARQUET, &JSON_LINES, &ARROW];

static CSV: FormatDeclaration = FormatDeclaration {
    format: FileFormat::Csv,
    name: "csv",
    aliases: &[],
    extensions: &["tsv"],
    compressions: &[
        FileCompression::None,
        FileCompression::Gzip,
        FileCompression::Zstd,
    ],
    read_besides: &[FileCompression::Bzip2, FileCompression::Xz],
    is_read: true,
};

static PARQUET: FormatDeclaration = FormatDeclaration {
    format: FileFormat::Parquet,
    name: "parquet",
    aliases: &[],
    extensions: &[],
    compressions: &[
        FileCompression::Snappy,
        FileCompression::Zstd,
        FileCompression::Gzip,
        FileCompression::Lz4,
        FileCompression::None,
    ],
    read_besides: &[],
    is_read: true,
};

static ARROW: FormatDeclaration = FormatDeclaration {
    format: FileFormat::Arrow,
    name: "arrow",
    aliases: &["ipc", "feather"],
    extensions: &[],
    compressions: &[FileCompression::None],
    read_besides: &[],
    is_read: true,
};

static JSON_LINES: FormatDeclaration = FormatDeclaration {
    format: FileFormat::JsonLines,
    name: "jsonl",
    aliases: &["ndjson", "json"],
    extensions: &[],
    compressions: &[
        FileCompression::None,
        FileCompression::Gzip,
        FileCompression::Zstd,
    ],
    read_besides: &[FileCompression::Bzip2, FileCompression::Xz],
    is_read: true,
};

/// A compression: its names, the extensions of such files, what they start with.
struct CompressionDeclaration {
    compression: FileCompression,
    name: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
    begins: fn(&[u8]) -> bool,
}

static COMPRESSIONS: &[CompressionDeclaration] = &[
    CompressionDeclaration {
        compression: FileCompression::None,
        name: "none",
        aliases: &["uncompressed"],
        extensions: &[],
        begins: |_| false,
    },
    CompressionDeclaration {
        compression: FileCompression::Gzip,
        name: "gzip",
        aliases: &["gz"],
        extensions: &["gz", "gzip"],
        begins: |start| start.starts_with(&[0x1f, 0x8b]),
    },
    CompressionDeclaration {
        compression: FileCompression::Zstd,
        name: "zstd",
        aliases: &["zst"],
        extensions: &["zst", "zstd"],
        begins: |start| start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
    },
    CompressionDeclaration {
        compression: FileCompression::Bzip2,
        name: "bzip2",
        aliases: &["bz2"],
        extensions: &["bz2", "bzip2"],
        // The three letters alone may begin a text: behind them is a digit, and a block or the end.
        begins: |start| {
            let first = start.get(4..10);
            start.starts_with(b"BZh")
                && first.is_some_and(|it| it == b"1AY&SY" || it == b"\x17\x72\x45\x38\x50\x90")
        },
    },
    CompressionDeclaration {
        compression: FileCompression::Xz,
        name: "xz",
        aliases: &[],
        extensions: &["xz"],
        begins: |start| start.starts_with(b"\xfd7zXZ\0"),
    },
    CompressionDeclaration {
        compression: FileCompression::Snappy,
        name: "snappy",
        aliases: &[],
        extensions: &[],
        begins: |_| false,
    },
    CompressionDeclaration {
        compression: FileCompression::Lz4,
        name: "lz4",
        aliases: &[],
        extensions: &[],
        begins: |_| false,
    },
];

impl FileFormat {
    /// The format's declaration.
    pub fn declaration(self) -> &'static FormatDeclaration {
        match self {
            Self::Csv => &CSV,
            Self::Parquet => &PARQUET,
            Self::Arrow => &ARROW,
            Self::JsonLines => &JSON_LINES,
        }
    }

    /// The format of that name.
    ///
    /// # Errors
    /// `NotSupported` with the formats that there are.
    pub fn named(name: &str) -> Result<Self> {
        let found = FORMATS
            .iter()
            .find(|declaration| declaration.is_called(name));
        found.map(|declaration| declaration.format).ok_or_else(|| {
            Error::unsupported(format!(
                "COPY format `{name}` is not implemented; {} are",
                listed(FORMATS.iter().map(|declaration| declaration.name))
            ))
        })
    }
}

impl FormatDeclaration {
    /// The format of a file with this extension.
    fn of_extension(extension: &str) -> Option<FileFormat> {
        let is_known = |known: &&str| known.eq_ignore_ascii_case(extension);
        let found = FORMATS.iter().find(|declaration| {
            declaration.is_called(extension) || declaration.extensions.iter().any(is_known)
        });
        found.map(|declaration| declaration.format)
    }

    fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
            || self
                .aliases
                .iter()
                .any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

impl FileCompression {
    /// The compression of that name.
    ///
    /// # Errors
    /// `NotSupported` with the compressions that there are.
    pub fn named(name: &str) -> Result<Self> {
        let found = COMPRESSIONS.iter().find(|declaration| {
            declaration.name.eq_ignore_ascii_case(name)
                || declaration
                    .aliases
                    .iter()
                    .any(|alias| alias.eq_ignore_ascii_case(name))
        });
        found
            .map(|declaration| declaration.compression)
            .ok_or_else(|| {
                Error::unsupported(format!(
                    "COMPRESSION {name} is not implemented; {} are",
                    listed(COMPRESSIONS.iter().map(|declaration| declaration.name))
                ))
            })
    }

    /// What COMPRESSION calls it.
    pub fn name(self) -> &'static str {
        let mut all = COMPRESSIONS.iter();
        let found = all.find(|declaration| declaration.compression == self);
        found.map_or("none", |declaration| declaration.name)
    }

    pub(super) fn of_extension(extension: &str) -> Option<Self> {
        let mut all = COMPRESSIONS.iter();
        all.find(|declaration| {
            let mut extensions = declaration.extensions.iter();
            extensions.any(|known| known.eq_ignore_ascii_case(extension))
        })
        .map(|declaration| declaration.compression)
    }

    /// How a file that starts with these bytes is compressed.
    pub(super) fn of_magic(start: &[u8]) -> Self {
        let mut all = COMPRESSIONS.iter();
        all.find(|declaration| (declaration.begins)(start))
            .map_or(Self::None, |declaration| declaration.compression)
    }
}

/// The options of a COPY; `None` where one is not given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyOptions {
    /// `FORMAT`; else the file's extension says it.
    pub format: Option<FileFormat>,
    /// Whether rows are in PostgreSQL's text format, and not in CSV.
    pub is_text: bool,
    /// The rows, where they stand in a script and in no file of the name that is given.
    pub inline: Option<InlineRows>,
    /// `HEADER`: whether the first line names the columns; else it does not.
    pub header: Option<bool>,
    /// `DELIMITER`: one ASCII character; else a comma, or a tab where the file's name says so.
    pub delimiter: Option<char>,
    /// `QUOTE`: what stands around a field that holds delimiters; else `"`, and `\0` where nothing does.
    pub quote: Option<char>,
    /// `ESCAPE`: what stands in front of a quote in such a field, besides a second quote; `\0` is none.
    pub escape: Option<char>,
    /// `COMMENT`: what a line begins with that is no row; `\0` is none.
    pub comment: Option<char>,
    /// `SKIP`: how many lines at the beginning of a file are no rows, and no header.
    pub skipped_lines: u64,
    /// `NULL`: a field is NULL exactly when it is this text. Else an empty field is NULL; of a text column one without
    /// quotes, as an empty one in quotes is an empty text.
    pub null: Option<String>,
    /// `COMPRESSION`; else the file's extension says it.
    pub compression: Option<FileCompression>,
    /// The columns of a list behind the table's name; else the files give all.
    pub columns: Option<Vec<String>>,
    /// `REPLACE`: rows take the places of those of the same key.
    pub replace: bool,
    /// `ON_ERROR skip`: rows that cannot be read are left out.
    pub skip: bool,
    /// `REJECTS`: the file that takes these rows; else it stands beside the first of the files.
    pub rejects: Option<String>,
    /// `DECIMAL`, `DATE_FORMAT`, `TIMESTAMP_FORMAT`: how numbers and times are written.
    pub spelling: Spelling,
    /// How many bytes a row of text may have; else [`ROW_BYTES`](crate::write::ROW_BYTES).
    pub row_bytes: Option<usize>,
    /// Who says all this.
    pub words: OptionWords,
}

/// Rows that stand in a script, behind their COPY.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineRows {
    /// The file that has them alone.
    pub path: PathBuf,
    /// What errors call the script.
    pub shown: String,
    /// The line of the script on which they begin.
    pub line: u64,
}

/// Where options are said, for errors that name one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OptionWords {
    /// In COPY.
    #[default]
    Copy,
    /// In a call of a function, `read_csv('x', nullstr => 'NA')`.
    Call(Reads, &'static str),
}

/// What a function reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// CSV files.
    Csv,
    /// JSON files.
    Json,
    /// Parquet files.
    Parquet,
}

impl OptionWords {
    /// How an option is said: `NULL 'NA'`.
    pub(super) fn option(self, name: &str, value: &str) -> String {
        match self {
            Self::Copy => format!("{name} {value}"),
            Self::Call(_, function) => {
                let name = match name {
                    "NULL" => "nullstr".to_owned(),
                    other => other.to_lowercase(),
                };
                let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
                let value = if is_word {
                    format!("'{value}'")
                } else {
                    value.to_owned()
                };
                format!("{function}(…, {name} => {value})")
            }
        }
    }
}

/// What options and name say of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKind {
    /// Its format.
    pub format: FileFormat,
    /// How it is compressed; of a Parquet file, how its pages are.
    pub compression: FileCompression,
}

impl CopyOptions {
    /// The kind of a file, by the options or, where they do not say it, by its name: `flights.csv.gz`.
    ///
    /// # Errors
    /// `InvalidInput` where neither says the format, or an option belongs to another; `NotSupported` for what COPY does
    /// not do in this direction.
    pub fn kind_of(&self, path: &Path, direction: CopyDirection) -> Result<FileKind> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut extensions = name.rsplit('.');
        let last = extensions.next().unwrap_or_default();
        let by_name = FileCompression::of_extension(last);
        let extension = if by_name.is_some() {
            extensions.next().unwrap_or_default()
        } else {
            last
        };
        let format = match (self.format, FormatDeclaration::of_extension(extension)) {
            (Some(format), _) | (None, Some(format)) => format,
            (None, None) if is_standard(path) => FileFormat::Csv,
            (None, None) => {
                return Err(Error::invalid(format!(
                    "the format of `{}` is not known: say (FORMAT {})",
                    path.display(),
                    possible_formats(direction).join(") or (FORMAT ")
                )));
            }
        };
        self.check_of_csv(format)?;
        self.check_spelling(format, direction)?;
        match direction {
            CopyDirection::From => self.readable(path, format, by_name),
            CopyDirection::To => self.writable(format, by_name),
        }
    }

    fn check_spelling(&self, format: FileFormat, direction: CopyDirection) -> Result<()> {
        let is_spelt = self.spelling != Spelling::default();
        if direction == CopyDirection::To && (self.replace || self.skip || is_spelt) {
            return Err(Error::unsupported(
                "REPLACE, ON_ERROR, DECIMAL, THOUSANDS, DATE_FORMAT and TIMESTAMP_FORMAT are options of COPY FROM; \
                 in COPY (SELECT …) TO write replace(x::TEXT, '.', ',') and strftime(d, '%d.%m.%Y')",
            ));
        }
        if direction == CopyDirection::To && self.is_text {
            return Err(Error::unsupported(
                "FORMAT text is read and not written; (DELIMITER '\\t', NULL '\\N') writes what is nearly that",
            ));
        }
        if direction == CopyDirection::To && self.is_of_other_csv() {
            return Err(Error::unsupported(
                "QUOTE, ESCAPE, COMMENT and SKIP are options of COPY FROM; COPY TO writes quotes as every CSV reader has them",
            ));
        }
        let point = self.spelling.decimal.unwrap_or('.');
        if self.spelling.thousands == Some(point) {
            return Err(Error::invalid(format!(
                "'{point}' cannot stand both between thousands and in front of fractions; say DECIMAL and THOUSANDS"
            )));
        }
        if is_spelt && matches!(format, FileFormat::Parquet | FileFormat::Arrow) {
            return Err(Error::invalid(format!(
                "DECIMAL, THOUSANDS, DATE_FORMAT and TIMESTAMP_FORMAT are options of csv and jsonl files, not of {} files",
                format.declaration().name
            )));
        }
        let formats = [&self.spelling.date, &self.spelling.timestamp];
        let mut formats = formats.into_iter().flatten();
        match formats.find(|format| TimeFormat::new(format).is_none()) {
            None => Ok(()),
            Some(format) => Err(Error::invalid(format!(
                "'{format}' is no format of dates and times, as '%d.%m.%Y' is one"
            ))),
        }
    }

    fn is_of_other_csv(&self) -> bool {
        let characters = [self.quote, self.escape, self.comment];
        characters.iter().any(Option::is_some) || self.skipped_lines > 0
    }

    fn check_of_csv(&self, format: FileFormat) -> Result<()> {
        let of_csv = self.header.is_some() || self.delimiter.is_some() || self.null.is_some();
        if format == FileFormat::Csv || !(of_csv || self.is_of_other_csv()) {
            return Ok(());
        }
        let options = if self.is_of_other_csv() {
            "HEADER, DELIMITER, NULL, QUOTE, ESCAPE, COMMENT and SKIP"
        } else {
            "HEADER, DELIMITER and NULL"
        };
        Err(Error::invalid(format!(
            "{options} are options of csv files, not of {} files",
            format.declaration().name
        )))
    }

    fn readable(
        &self,
        path: &Path,
        format: FileFormat,
        by_name: Option<FileCompression>,
    ) -> Result<FileKind> {
        let declaration = format.declaration();
        if !declaration.is_read {
            return Err(Error::unsupported(format!(
                "COPY FROM does not read {}; INSERT INTO … SELECT … FROM '{}' does",
                declaration.name,
                path.display()
            )));
        }
        let compression = self
            .compression
            .or(by_name)
            .unwrap_or(FileCompression::None);
        if format == FileFormat::Parquet && compression != FileCompression::None {
            return Err(Error::unsupported(format!(
                "`{}`: a parquet file is compressed within and says so itself; one that {} has packed is not read",
                path.display(),
                compression.name()
            )));
        }
        check_compression(declaration, compression, CopyDirection::From)?;
        Ok(FileKind {
            format,
            compression,
        })
    }

    fn writable(&self, format: FileFormat, by_name: Option<FileCompression>) -> Result<FileKind> {
        let declaration = format.declaration();
        if let (FileFormat::Parquet, Some(compression)) = (format, by_name) {
            return Err(Error::unsupported(format!(
                "a parquet file is compressed within: leave out the extension and say COMPRESSION {}",
                compression.name()
            )));
        }
        let default = declaration.compressions.first().copied();
        let chosen = self.compression.or(by_name).or(default);
        let compression = chosen.unwrap_or(FileCompression::None);
        check_compression(declaration, compression, CopyDirection::To)?;
        Ok(FileKind {
            format,
            compression,
        })
    }
}

fn check_compression(
    declaration: &FormatDeclaration,
    compression: FileCompression,
    direction: CopyDirection,
) -> Result<()> {
    let besides = match direction {
        CopyDirection::From => declaration.read_besides,
        CopyDirection::To => &[],
    };
    let possible = || declaration.compressions.iter().chain(besides);
    if possible().any(|possible| *possible == compression) {
        return Ok(());
    }
    let what = match direction {
        CopyDirection::From => "",
        CopyDirection::To if declaration.read_besides.contains(&compression) => "to write ",
        CopyDirection::To => "",
    };
    Err(Error::unsupported(format!(
        "COMPRESSION {} is not possible {what}for {} files; {} are",
        compression.name(),
        declaration.name,
        listed(possible().map(|possible| possible.name()))
    )))
}

/// Whether a path is that of the standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// `a, b and c`.
pub fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn possible_formats(direction: CopyDirection) -> Vec<&'static str> {
    let formats = FORMATS.iter();
    formats
        .filter(|format| format.is_read || direction == CopyDirection::To)
        .map(|format| format.name)
        .collect()
}
