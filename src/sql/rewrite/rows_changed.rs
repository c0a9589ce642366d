//! The query of the rows that an UPDATE or a DELETE looks for.

use sqlparser::ast::{
    Delete as SqlDelete, Expr as SqlExpr, FromTable, LimitClause, Query, SelectItem, SetExpr,
    Statement as SqlStatement, TableWithJoins, Update as SqlUpdate, UpdateTableFromKind,
};

use crate::error::{Error, Result};
use crate::sql::dialect;

/// The query of the rows that an UPDATE or a DELETE looks for, with all their columns.
///
/// # Errors
/// `NotSupported` for other statements.
pub(crate) fn rows_found(statement: &SqlStatement) -> Result<Box<Query>> {
    match statement {
        SqlStatement::Update(update) => found_by_update(update),
        SqlStatement::Delete(delete) => found_by_delete(delete),
        other => Err(Error::unsupported(format!(
            "the keys of `{other}` are not explained"
        ))),
    }
}

/// The table, and those of USING.
pub(crate) fn tables_of(delete: &SqlDelete) -> Vec<TableWithJoins> {
    let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
    let tables = tables.iter().chain(delete.using.iter().flatten());
    tables.cloned().collect()
}

/// The query of the rows, with this list.
pub(crate) fn rows_deleted(item: SelectItem, delete: &SqlDelete) -> Result<Box<Query>> {
    let mut rows = query(vec![item], tables_of(delete), delete.selection.clone())?;
    rows.limit_clause = delete.limit.clone().map(|limit| LimitClause::LimitOffset {
        limit: Some(limit),
        offset: None,
        limit_by: Vec::new(),
    });
    Ok(rows)
}

fn found_by_delete(delete: &SqlDelete) -> Result<Box<Query>> {
    rows_deleted(SelectItem::Wildcard(Default::default()), delete)
}

/// The table, and those of FROM.
pub(crate) fn tables(update: &SqlUpdate) -> Vec<TableWithJoins> {
    let others = match &update.from {
        Some(UpdateTableFromKind::AfterSet(from) | UpdateTableFromKind::BeforeSet(from)) => {
            from.as_slice()
        }
        None => &[],
    };
    let tables = std::iter::once(&update.table).chain(others);
    tables.cloned().collect()
}

fn found_by_update(update: &SqlUpdate) -> Result<Box<Query>> {
    let all = SelectItem::Wildcard(Default::default());
    query(vec![all], tables(update), update.selection.clone())
}

/// A query with this list over these tables.
pub(crate) fn query(
    list: Vec<SelectItem>,
    from: Vec<TableWithJoins>,
    selection: Option<SqlExpr>,
) -> Result<Box<Query>> {
    let mut query = dialect::query("SELECT 1")
        .map_err(|error| Error::internal("a query of constants").with_source(error))?;
    let SetExpr::Select(select) = query.body.as_mut() else {
        return Err(Error::internal("a query that is no SELECT"));
    };
    select.projection = list;
    select.from = from;
    select.selection = selection;
    Ok(query)
}
