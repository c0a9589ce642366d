//! The statements that Halite answers itself, without a plan: DDL, `SHOW …`, `DESCRIBE`, `VACUUM`.

use std::sync::Arc;

use datafusion::config::ConfigExtension;
use sqlparser::ast::{
    AlterTable, CommentObject, CreateTable, CreateView, DataType, Ident, ObjectName, ObjectType,
    SequenceOptions, ShowCreateObject, ShowStatementIn, ShowStatementOptions, Statement, Truncate,
    VacuumStatement,
};

use crate::catalog::visible::Catalogs;
use crate::catalog::{Catalog, Dependents, object_name};
use crate::error::{Error, Result};
use crate::settings::HaliteOptions;
use crate::sql::unsupported::statements;
use crate::sql::written::Written;

/// A statement that Halite answers itself.
pub(crate) enum DdlStatement<'a> {
    CreateTable(&'a CreateTable),
    AlterTable(&'a AlterTable),
    DropTables {
        names: &'a [ObjectName],
        if_exists: bool,
        dependents: Dependents,
    },
    View(ViewStatement<'a>),
    Sequence(SequenceStatement<'a>),
    Comment(CommentStatement<'a>),
    Truncate(&'a Truncate),
    ShowTables,
    ShowCreateTable(&'a ObjectName),
    Describe(&'a ObjectName),
    ShowTransforms,
    ShowStore,
    Vacuum(&'a VacuumStatement),
    /// A setting, without its prefix.
    ShowSetting(String),
}

/// A statement about views.
pub(crate) enum ViewStatement<'a> {
    Create(&'a CreateView),
    Drop {
        names: &'a [ObjectName],
        if_exists: bool,
        dependents: Dependents,
    },
    ShowCreate(&'a ObjectName),
}

/// A statement about sequences.
pub(crate) enum SequenceStatement<'a> {
    Create {
        name: &'a ObjectName,
        if_not_exists: bool,
        is_temporary: bool,
        data_type: Option<&'a DataType>,
        options: &'a [SequenceOptions],
        owner: Option<&'a ObjectName>,
    },
    Drop {
        names: &'a [ObjectName],
        if_exists: bool,
    },
}

/// A COMMENT ON.
pub(crate) struct CommentStatement<'a> {
    pub(crate) kind: CommentObject,
    pub(crate) name: &'a ObjectName,
    /// `None` takes back what was said.
    pub(crate) text: Option<&'a str>,
    pub(crate) if_exists: bool,
}

impl<'a> DdlStatement<'a> {
    /// Recognises the statement; `None` for one that is planned.
    ///
    /// # Errors
    /// `NotSupported` for those that nobody answers yet.
    pub(crate) fn of(parsed: &'a Written) -> Result<Option<Self>> {
        let Some(statement) = parsed.unexplained() else {
            return Ok(None);
        };
        Ok(Some(match statement {
            Statement::CreateTable(create) if !create.external => Self::CreateTable(create),
            Statement::AlterTable(alter) => Self::AlterTable(alter),
            Statement::Truncate(truncate) => Self::Truncate(truncate),
            Statement::Vacuum(vacuum) => Self::Vacuum(vacuum),
            Statement::ShowTables { .. } if statement.to_string() == "SHOW TABLES" => {
                Self::ShowTables
            }
            Statement::ShowCreate {
                obj_type: ShowCreateObject::Table,
                obj_name,
            } => Self::ShowCreateTable(obj_name),
            Statement::ExplainTable {
                hive_format: Some(format),
                ..
            } => {
                return Err(Error::unsupported(format!(
                    "DESCRIBE {format} is not implemented; DESCRIBE is"
                )));
            }
            Statement::ExplainTable { table_name, .. } => Self::Describe(table_name),
            Statement::ShowColumns {
                extended: false,
                full: false,
                show_options:
                    ShowStatementOptions {
                        show_in:
                            Some(ShowStatementIn {
                                parent_name: Some(table_name),
                                ..
                            }),
                        starts_with: None,
                        limit: None,
                        limit_from: None,
                        filter_position: None,
                    },
            } => Self::Describe(table_name),
            Statement::ShowVariable { variable } if Self::variable(variable).is_some() => {
                return Ok(Self::variable(variable));
            }
            other => {
                if let Some(made) = Self::made_or_dropped(other) {
                    return Ok(Some(made));
                }
                return statements::statement(other).map_or(Ok(None), Err);
            }
        }))
    }

    /// What makes or drops something that may not be a table.
    fn made_or_dropped(statement: &'a Statement) -> Option<Self> {
        Some(match statement {
            Statement::CreateView(create) => Self::View(ViewStatement::Create(create)),
            Statement::CreateSequence {
                temporary,
                if_not_exists,
                name,
                data_type,
                sequence_options,
                owned_by,
            } => Self::Sequence(SequenceStatement::Create {
                name,
                if_not_exists: *if_not_exists,
                is_temporary: *temporary,
                data_type: data_type.as_ref(),
                options: sequence_options,
                owner: owned_by.as_ref(),
            }),
            Statement::Comment {
                object_type,
                object_name,
                comment,
                if_exists,
            } => Self::Comment(CommentStatement {
                kind: *object_type,
                name: object_name,
                text: comment.as_deref(),
                if_exists: *if_exists,
            }),
            // CASCADE drops no more: a DEFAULT that takes its numbers from one is in the way, and is named.
            Statement::Drop {
                object_type: ObjectType::Sequence,
                if_exists,
                names,
                temporary: false,
                ..
            } => Self::Sequence(SequenceStatement::Drop {
                names,
                if_exists: *if_exists,
            }),
            Statement::Drop {
                object_type: object_type @ (ObjectType::Table | ObjectType::View),
                if_exists,
                names,
                cascade,
                purge: false,
                temporary: false,
                ..
            } => Self::drop(object_type, names, *if_exists, *cascade),
            Statement::ShowCreate {
                obj_type: ShowCreateObject::View,
                obj_name,
            } => Self::View(ViewStatement::ShowCreate(obj_name)),
            _ => return None,
        })
    }

    fn drop(of: &ObjectType, names: &'a [ObjectName], if_exists: bool, cascade: bool) -> Self {
        let dependents = if cascade {
            Dependents::Drop
        } else {
            Dependents::Refuse
        };
        match of {
            ObjectType::View => Self::View(ViewStatement::Drop {
                names,
                if_exists,
                dependents,
            }),
            _ => Self::DropTables {
                names,
                if_exists,
                dependents,
            },
        }
    }

    /// The catalog that it is about.
    ///
    /// # Errors
    /// `NotSupported` where it is about temporary tables and others; `Conflict` where a temporary one cannot be made.
    pub(crate) fn catalog<'c>(&self, catalogs: &'c Catalogs) -> Result<&'c Arc<Catalog>> {
        match self {
            Self::CreateTable(create) if create.temporary => {
                catalogs.check_temporary(&object_name(&create.name)?)?;
                catalogs.temporary().begun()
            }
            Self::AlterTable(alter) => Ok(catalogs.of(&object_name(&alter.name)?)),
            Self::DropTables { names, .. } => {
                let names = names.iter().map(object_name);
                catalogs.of_all(&names.collect::<Result<Vec<_>>>()?)
            }
            Self::Truncate(truncate) => match truncate.table_names.as_slice() {
                [target] => Ok(catalogs.of(&object_name(&target.name)?)),
                _ => Ok(catalogs.database()),
            },
            Self::ShowCreateTable(name) | Self::Describe(name) => {
                Ok(catalogs.of(&object_name(name)?))
            }
            Self::Vacuum(VacuumStatement {
                table_name: Some(name),
                ..
            }) => Ok(catalogs.of(&object_name(name)?)),
            _ => Ok(catalogs.database()),
        }
    }

    fn variable(name: &[Ident]) -> Option<Self> {
        match name {
            [only] if only.value.eq_ignore_ascii_case("transforms") => Some(Self::ShowTransforms),
            [only] if only.value.eq_ignore_ascii_case("store") => Some(Self::ShowStore),
            [prefix, name] if prefix.value.eq_ignore_ascii_case(HaliteOptions::PREFIX) => {
                Some(Self::ShowSetting(name.value.to_lowercase()))
            }
            _ => None,
        }
    }

    /// Whether it asks for something.
    pub(crate) fn gives_rows(&self) -> bool {
        !matches!(
            self,
            Self::CreateTable(_)
                | Self::AlterTable(_)
                | Self::DropTables { .. }
                | Self::Truncate(_)
                | Self::Sequence(_)
                | Self::View(ViewStatement::Create(_) | ViewStatement::Drop { .. })
        )
    }

    /// Whether its answer depends on which tables there are.
    pub(crate) fn is_about_tables(&self) -> bool {
        !matches!(self, Self::ShowTransforms | Self::ShowSetting(_))
    }
}
