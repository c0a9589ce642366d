//! `COMMENT ON TABLE | COLUMN | VIEW | SEQUENCE … IS`: what is said of something is kept with its definition.

use std::sync::Arc;

use sqlparser::ast::{CommentObject, ObjectName};

use super::change::change;
use super::statement::CommentStatement;
use crate::catalog::visible::Catalogs;
use crate::catalog::{Altered, Catalog, column_name, object_name};
use crate::error::{Error, Nameable, Result};
use crate::run::outcome::{Outcome, done};
use crate::schema::Table;

/// Does what the statement says.
///
/// # Errors
/// `InvalidInput` where there is nothing of that name; `NotSupported` for what has no comments.
pub(crate) async fn answer(
    statement: CommentStatement<'_>,
    catalogs: &Catalogs,
) -> Result<Outcome> {
    if statement.if_exists {
        return Err(Error::unsupported("COMMENT IF EXISTS is not implemented"));
    }
    let text = statement.text.filter(|text| !text.is_empty());
    let text = text.map(str::to_owned);
    let (of, column) = match statement.kind {
        CommentObject::Column => {
            let (of, column) = column_of(statement.name)?;
            (of, Some(column))
        }
        _ => (object_name(statement.name)?, None),
    };
    let catalog = Arc::clone(catalogs.of(&of));
    let kind = statement.kind;
    let commented = move || match kind {
        CommentObject::Table | CommentObject::Column => {
            comment_on_table(&catalog, &of, column.as_deref(), text)
        }
        CommentObject::View => catalog.comment_on_view(&of, text),
        CommentObject::Sequence => catalog.comment_on_sequence(&of, text),
        other => Err(Error::unsupported(format!(
            "COMMENT ON {other} is not implemented; on TABLE, COLUMN, VIEW and SEQUENCE it is"
        ))),
    };
    change(commented).await?;
    Ok(done("COMMENT"))
}

/// The table and the column of `table.column`.
fn column_of(name: &ObjectName) -> Result<(String, String)> {
    match name.0.split_last() {
        Some((column, table)) if !table.is_empty() => {
            let column = column_name(&ObjectName(vec![column.clone()]))?;
            Ok((object_name(&ObjectName(table.to_vec()))?, column))
        }
        _ => Err(Error::invalid(format!(
            "COMMENT ON COLUMN {name}: a column is named with its table, as in t.c"
        ))),
    }
}

fn comment_on_table(
    catalog: &Catalog,
    name: &str,
    column: Option<&str>,
    text: Option<String>,
) -> Result<()> {
    catalog.alter_table(name, |table| {
        let mut table: Table = table.clone();
        match column {
            None => table.comment = text,
            Some(column) => {
                let mut columns = table.columns.iter_mut();
                let found = columns.find(|it| it.name == column);
                let found =
                    found.ok_or_else(|| {
                        Error::invalid(format!("table `{name}` has no column `{column}`"))
                            .of_missing(Nameable::Column, column, [])
                    })?;
                found.comment = text;
            }
        }
        Ok(Altered {
            table,
            asks_rows: false,
        })
    })
}
