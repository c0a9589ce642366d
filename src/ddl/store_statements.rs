//! Statements about the store under the tables: `SHOW STORE`, `VACUUM`.

use std::sync::Arc;

use sqlparser::ast::VacuumStatement;

use crate::catalog::{Catalog, object_name};
use crate::error::{Error, Result};
use crate::run::waiting::on_waiting_thread;
use crate::store::Fact;

/// What is said where the store panics.
const BROKEN_OFF: &str = "the thread that waits for the store has failed";

/// What the store promises, and how it stands.
pub(crate) async fn show_store(catalog: &Arc<Catalog>) -> Result<Vec<Fact>> {
    let store = Arc::clone(catalog.store());
    on_waiting_thread(BROKEN_OFF, move || store.describe()).await
}

/// Gives room back, of a table or of all; what was done.
pub(crate) async fn vacuum(
    catalog: &Arc<Catalog>,
    statement: &VacuumStatement,
) -> Result<Vec<Fact>> {
    let plain = VacuumStatement {
        full: false,
        sort_only: false,
        delete_only: false,
        reindex: false,
        recluster: false,
        table_name: statement.table_name.clone(),
        threshold: None,
        boost: false,
    };
    if *statement != plain {
        return Err(Error::unsupported(format!(
            "`{statement}` is not implemented; VACUUM and VACUUM name are"
        )));
    }
    let table = match &statement.table_name {
        Some(name) => Some(catalog.expect_table(&object_name(name)?)?),
        None => None,
    };
    let store = Arc::clone(catalog.store());
    let vacuum = move || match table {
        None => store.vacuum(None),
        Some(table) => {
            let spaces = table.bound().spaces().names();
            let facts: Result<Vec<_>> = spaces.map(|space| store.vacuum(Some(space))).collect();
            Ok(facts?.into_iter().flatten().collect())
        }
    };
    on_waiting_thread(BROKEN_OFF, vacuum).await
}
