//! DELETE: the query of the rows that are deleted, over the table and the tables of USING.

use std::sync::Arc;

use datafusion::common::Result as PlanResult;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use sqlparser::ast::{Delete as SqlDelete, Expr as SqlExpr, FromTable, Ident, SelectItem, Value};

use super::Parts;
use super::rows::{Rows, columns_of, in_place_of_list, old_columns, showing_hidden};
use super::update::target;
use crate::catalog::visible::Catalogs;
use crate::error::{Error, Result};
use crate::sql::marks::unseen;
use crate::sql::rewrite::rows_changed::{query, rows_deleted, tables_of};
use crate::table::HaliteTable;
use crate::write::{Action, Change, Edit, Layout};

/// What a DELETE finds its rows by.
pub(super) struct Delete {
    /// Whether a row may be found several times.
    is_joined: bool,
    /// Whether all columns are wanted, for RETURNING.
    keeps_columns: bool,
}

impl Delete {
    /// The table of a DELETE, and the query of its rows.
    ///
    /// # Errors
    /// A table that is not there.
    pub fn take(
        catalogs: &Catalogs,
        delete: &SqlDelete,
    ) -> Result<(Arc<HaliteTable>, Self, Parts)> {
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
        let [first] = tables.as_slice() else {
            return Err(Error::unsupported(
                "DELETE from several tables is not implemented",
            ));
        };
        let table = target(catalogs, &first.relation)?;
        let from = tables_of(delete);
        let a_row = SelectItem::ExprWithAlias {
            expr: SqlExpr::value(Value::Boolean(true)),
            alias: Ident::with_quote('"', unseen("a", "row")),
        };
        let rows = rows_deleted(a_row, delete)?;
        let returning = delete.returning.clone();
        let returning = returning.map(|list| query(list, from, None)).transpose()?;
        let delete = Self {
            is_joined: delete.using.is_some(),
            keeps_columns: returning.is_some(),
        };
        let query = rows;
        Ok((table, delete, Parts { query, returning }))
    }

    /// The rows of the change, of which `query` is the plan of the query.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn rows(&self, table: &HaliteTable, query: LogicalPlan) -> PlanResult<Rows> {
        let query = showing_hidden(query, table)?;
        let plan = in_place_of_list(query, "DELETE", &mut |_, input| {
            let mut list = old_columns(table, &columns_of(&input, table)?)?;
            if self.keeps_columns {
                list.extend(input.schema().columns().into_iter().map(Expr::Column));
            }
            Ok(LogicalPlan::Projection(Projection::try_new(list, input)?))
        })?;
        let layout = Layout {
            action: Some(Action::Delete),
            old: true,
            new: false,
            returned: 0,
        };
        Ok(Rows {
            verb: "DELETE",
            change: if self.is_joined {
                Change::Edit(Edit::Delete)
            } else {
                Change::Delete
            },
            layout,
            new: Vec::new(),
            plan,
        })
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Int64Type;

    use crate::session::Database;

    #[tokio::test]
    async fn the_rows_of_every_partition_are_deleted() {
        for partitions in [1, 2, 3, 8] {
            for key in ["k", "bucket(3, k), k", "salt(16), k", "k % 4, k"] {
                let connection = Database::in_memory().unwrap().connect();
                let run = |sql: String| {
                    let connection = connection.clone();
                    async move { connection.execute(&sql, vec![]).await.unwrap() }
                };
                let set = format!("SET datafusion.execution.target_partitions = {partitions}");
                run(set).await;
                run(format!("CREATE TABLE t (k BIGINT, PRIMARY KEY ({key}))")).await;
                let rows = "INSERT INTO t SELECT value FROM generate_series(0, 599)";
                run(rows.to_owned()).await;
                let deleted = run("DELETE FROM t WHERE k % 6 = 0".to_owned()).await;
                assert_eq!(deleted, 100, "{key}, {partitions} partitions");
                let count = connection.query("SELECT count(*) FROM t", vec![]).await;
                let count = count.unwrap();
                let left = count[0].column(0).as_primitive::<Int64Type>().value(0);
                assert_eq!(left, 500, "{key}, {partitions} partitions");
            }
        }
    }
}
