//! Directories whose names are columns: of the files of `sales/year=2024/`, `year` is 2024.
//!
//! Such a column is BIGINT or DATE where all its names are, else TEXT. The name that others write for NULL is NULL.

use std::path::{Path, PathBuf};

use arrow::datatypes::DataType;
use chrono::NaiveDate;
use datafusion::common::{Column, Result as PlanResult};
use datafusion::functions::core::nullif;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit};

use crate::error::{Error, Result};

/// What Hive, Spark and DuckDB call the directory of the rows in which the column is NULL.
pub(crate) const OF_NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The columns that the directories between a root and its files name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Partitions {
    columns: Vec<Partition>,
}

#[derive(Debug, PartialEq, Eq)]
struct Partition {
    name: String,
    data_type: DataType,
    has_null: bool,
}

impl Partitions {
    /// Those of these files, which lie below `root`.
    ///
    /// # Errors
    /// `InvalidInput` where one file lies in other partitions than the first.
    pub(crate) fn of(root: &Path, files: &[PathBuf]) -> Result<Self> {
        let mut names: Option<Vec<String>> = None;
        let mut values: Vec<Vec<String>> = Vec::new();
        for file in files {
            let found = pairs(root, file)?;
            let own: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
            let known = names.get_or_insert_with(|| own.clone());
            if *known != own {
                let shown = |names: &[String]| {
                    if names.is_empty() {
                        "no partition".to_owned()
                    } else {
                        format!("partitions by {}", names.join(", "))
                    }
                };
                return Err(Error::invalid(format!(
                    "`{}` lies in {}, the files before it in {}",
                    file.display(),
                    shown(&own),
                    shown(known)
                )));
            }
            values.resize_with(own.len(), Vec::new);
            let columns = values.iter_mut().zip(found);
            columns.for_each(|(values, (_, value))| values.push(value));
        }
        let names = names.unwrap_or_default().into_iter();
        let columns = names.zip(&values).map(|(name, values)| Partition {
            name,
            data_type: type_of(values),
            has_null: values.iter().any(|value| value == OF_NULL),
        });
        Ok(Self {
            columns: columns.collect(),
        })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The columns as they are read, all of them as text where one may be NULL.
    pub(crate) fn columns_read(&self) -> Vec<(String, DataType)> {
        let columns = self.columns.iter().map(|column| {
            let data_type = if self.has_null() {
                DataType::Utf8
            } else {
                column.data_type.clone()
            };
            (column.name.clone(), data_type)
        });
        columns.collect()
    }

    /// Whether one of them is NULL somewhere.
    pub(crate) fn has_null(&self) -> bool {
        self.columns.iter().any(|column| column.has_null)
    }

    /// What was read, with NULL in its places and the types of the columns.
    pub(crate) fn with_nulls(&self, read: LogicalPlan) -> PlanResult<LogicalPlan> {
        let columns = read.schema().iter().map(|(qualifier, field)| {
            let column = Expr::Column(Column::from((qualifier, field)));
            let mut partitions = self.columns.iter();
            match partitions.find(|partition| partition.name == *field.name()) {
                None => column,
                Some(partition) => {
                    let value = nullif().call(vec![column, lit(OF_NULL)]);
                    cast(value, partition.data_type.clone()).alias(field.name())
                }
            }
        });
        let columns: Vec<Expr> = columns.collect();
        LogicalPlanBuilder::from(read).project(columns)?.build()
    }
}

/// What the directories of a file say below the root: names and values, without what stands for other characters; nothing
/// where none of them says any.
fn pairs(root: &Path, file: &Path) -> Result<Vec<(String, String)>> {
    let below = file.strip_prefix(root).unwrap_or(file);
    let directories = below.parent().unwrap_or(Path::new("")).components();
    let pair = |directory: std::path::Component<'_>| {
        let text = directory.as_os_str().to_str()?;
        let (name, value) = text.split_once('=')?;
        Some((name.to_owned(), decoded(value)))
    };
    let found: Vec<Option<(String, String)>> = directories.map(pair).collect();
    if found.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let all = found.into_iter().collect::<Option<Vec<_>>>();
    all.ok_or_else(|| {
        Error::invalid(format!(
            "`{}` lies in directories that name columns, as `year=2024`, and in others",
            file.display()
        ))
    })
}

/// A value in the name of a directory, in which `%2F` stands for a character that cannot be in one.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| value.to_owned())
}

fn type_of(values: &[String]) -> DataType {
    let mut values = values.iter().filter(|value| *value != OF_NULL).peekable();
    if values.peek().is_none() {
        return DataType::Utf8;
    }
    // `007` would come out as 7.
    let is_number = |value: &String| {
        value
            .parse::<i64>()
            .is_ok_and(|it| it.to_string() == **value)
    };
    let is_day = |value: &String| value.len() == 10 && value.parse::<NaiveDate>().is_ok();
    match (values.clone().all(is_number), values.all(is_day)) {
        (true, _) => DataType::Int64,
        (_, true) => DataType::Date32,
        _ => DataType::Utf8,
    }
}

/// The directory that a pattern begins with: all in front of the first part that is one.
pub(crate) fn root_of(pattern: &str) -> PathBuf {
    let parts = Path::new(pattern).components();
    let is_plain = |part: &std::path::Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        !text.contains(['*', '?', '['])
    };
    parts.take_while(is_plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Result<Vec<(String, DataType, bool)>> {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let partitions = Partitions::of(Path::new("s"), &files)?;
        let columns = partitions.columns.into_iter();
        Ok(columns
            .map(|it| (it.name, it.data_type, it.has_null))
            .collect())
    }

    #[test]
    fn names_of_directories_are_columns() {
        for (files, expected) in [
            (["s/a.parquet", "s/x/b.parquet"], vec![]),
            (
                ["s/y=1/d=2024-01-01/a", "s/y=-2/d=2024-02-29/a"],
                vec![
                    ("y", DataType::Int64, false),
                    ("d", DataType::Date32, false),
                ],
            ),
            (
                ["s/y=01/d=2024-1-1/a", "s/y=2/d=2024-02-30/a"],
                vec![("y", DataType::Utf8, false), ("d", DataType::Utf8, false)],
            ),
            (
                ["s/y=__HIVE_DEFAULT_PARTITION__/a", "s/y=2/a"],
                vec![("y", DataType::Int64, true)],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(name, data_type, has_null)| (name.to_owned(), data_type, has_null))
                .collect();
            assert_eq!(found(&files).unwrap(), expected, "{files:?}");
        }
        let error = found(&["s/y=1/a", "s/y=1/m=2/b"]).unwrap_err().to_string();
        let expected =
            "`s/y=1/m=2/b` lies in partitions by y, m, the files before it in partitions by y";
        assert_eq!(error, expected);
    }

    #[test]
    fn a_directory_among_others_names_a_column() {
        let error = found(&["s/x/y=1/a"]).unwrap_err().to_string();
        assert!(error.contains("and in others"), "{error}");
    }

    #[test]
    fn characters_that_no_name_holds_are_written_otherwise() {
        assert_eq!(decoded("a%2Fb%3d%C3%A4"), "a/b=ä");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%f"), "%zz%f");
        assert_eq!(decoded("%ff"), "%ff");
    }

    #[test]
    fn a_pattern_begins_with_a_directory() {
        assert_eq!(root_of("/a/b/*/c.parquet"), Path::new("/a/b"));
        assert_eq!(root_of("*.parquet"), Path::new(""));
    }
}
