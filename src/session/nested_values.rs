//! `VALUES` inside of the query of an INSERT.
//!
//! DataFusion gives every `VALUES` in the statement the types of the table's columns, also one whose values are computed
//! with before they get there: `INSERT INTO t SELECT 2 * x FROM (VALUES (1.5)) AS s (x)` into an INT would insert 2. Only
//! where the values are the rows themselves this is what is meant; everything else is refused.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::{Query, SetExpr, Visit, Visitor};

use super::insert_problem::insert_of;
use crate::error::{Error, Result};

/// Refuses an INSERT with `VALUES` in its query.
///
/// # Errors
/// `NotSupported` that says what to write.
pub(super) fn refuse(parsed: &DFStatement) -> Result<()> {
    let Some(query) = insert_of(parsed).and_then(|insert| insert.source.as_deref()) else {
        return Ok(());
    };
    let is_rows = matches!(query.body.as_ref(), SetExpr::Values(_));
    let found = query.visit(&mut Search { is_rows });
    match found.is_break() {
        true => Err(Error::unsupported(
            "VALUES inside of the query of an INSERT is not implemented: write SELECT … UNION ALL SELECT …, or unnest(make_array(…))",
        )),
        false => Ok(()),
    }
}

/// Looks for `VALUES`, but not at the body of the first query if it is the rows.
struct Search {
    is_rows: bool,
}

impl Visitor for Search {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        match std::mem::take(&mut self.is_rows) || !has_values(&query.body) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

fn has_values(body: &SetExpr) -> bool {
    match body {
        SetExpr::Values(_) => true,
        SetExpr::SetOperation { left, right, .. } => has_values(left) || has_values(right),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Database;

    #[tokio::test]
    async fn only_rows_are_values() {
        let connection = Database::in_memory().unwrap().connect();
        let create = "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a))";
        connection.execute(create, ()).await.unwrap();
        for refused in [
            "INSERT INTO t SELECT x * 2, 1 FROM (VALUES (1.5)) AS s (x)",
            "INSERT INTO t (a) SELECT x * 2 FROM (VALUES (1.5)) AS s (x)",
            "INSERT INTO t (a) WITH s (x) AS (VALUES (1.5)) SELECT x * 2 FROM s",
            "INSERT INTO t (a) SELECT 2 WHERE 1 IN (SELECT x * 2 FROM (VALUES (0.5)) AS s (x))",
            "INSERT INTO t (a) VALUES (1.5) UNION ALL VALUES (2.5)",
            "INSERT INTO t (a) VALUES ((SELECT max(x * 2) FROM (VALUES (1.5)) AS s (x)))",
        ] {
            let error = connection.execute(refused, ()).await.unwrap_err();
            assert!(
                error.message().starts_with("VALUES inside"),
                "{refused}: {error}"
            );
        }
        for taken in [
            "INSERT INTO t VALUES (1, 2), (3, 4)",
            "INSERT INTO t (a) SELECT 5 UNION ALL SELECT 6",
            "INSERT INTO t (a, b) SELECT x * 2, 1 FROM unnest(make_array(4.5)) AS s (x)",
        ] {
            connection.execute(taken, ()).await.expect(taken);
        }
        let rows = connection.rows("SELECT a FROM t ORDER BY a", ()).await;
        let rows: Vec<(i32,)> = rows.unwrap().to_vec().unwrap();
        assert_eq!(rows, [(1,), (3,), (5,), (6,), (9,)]);
    }
}
