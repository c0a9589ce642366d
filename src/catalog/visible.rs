//! The tables and views that a connection sees: those of the database, and temporary ones of its own.
//!
//! Temporary ones are in a store in memory that belongs to the connection and its clones, and are gone with it. Of one name
//! the temporary one is meant. Both catalogs count their changes; what is planned is for one state of both.

use std::sync::Arc;

use super::{Catalog, Temporary};
use crate::error::{Error, Result};
use crate::scan::StoreMoment;
use crate::schema::View;
use crate::store::Store;
use crate::table::HaliteTable;
use crate::write::CompileRules;

/// The catalogs of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Catalogs {
    database: Arc<Catalog>,
    temporary: Temporary,
}

impl Catalogs {
    /// That of a database, and an empty one.
    pub(crate) fn new(database: Arc<Catalog>, compile: CompileRules) -> Self {
        Self {
            database,
            temporary: Temporary::with_rules(compile),
        }
    }

    /// What the database keeps.
    pub(crate) fn database(&self) -> &Arc<Catalog> {
        &self.database
    }

    /// What is gone with the connection.
    pub(crate) fn temporary(&self) -> &Temporary {
        &self.temporary
    }

    fn both(&self) -> impl Iterator<Item = &Arc<Catalog>> {
        std::iter::once(&self.database).chain(self.temporary.get())
    }

    /// Whether something temporary has the name.
    pub(crate) fn is_temporary(&self, name: &str) -> bool {
        self.temporary.with(name).is_some()
    }

    /// The catalog of what has the name.
    pub(crate) fn of(&self, name: &str) -> &Arc<Catalog> {
        self.temporary.with(name).unwrap_or(&self.database)
    }

    /// The catalog of what has these names.
    ///
    /// # Errors
    /// `NotSupported` where some are temporary and others are not.
    pub(crate) fn of_all(&self, names: &[String]) -> Result<&Arc<Catalog>> {
        let mut names = names.iter();
        let Some(first) = names.next() else {
            return Ok(&self.database);
        };
        let catalog = self.of(first);
        match names.find(|name| !Arc::ptr_eq(self.of(name), catalog)) {
            None => Ok(catalog),
            Some(other) => Err(Error::unsupported(format!(
                "of `{first}` and `{other}` one is temporary: say it in two statements"
            ))),
        }
    }

    /// The catalog in a store, if it is one of these.
    pub(crate) fn in_store(&self, store: &Arc<dyn Store>) -> Option<&Arc<Catalog>> {
        self.both()
            .find(|catalog| std::ptr::addr_eq(Arc::as_ptr(catalog.store()), Arc::as_ptr(store)))
    }

    /// Another one after each change of either.
    pub(crate) fn version(&self) -> u64 {
        // Neither becomes less.
        self.both().map(|catalog| catalog.version()).sum()
    }

    /// A moment of each store for a statement, as [`Catalog::snapshot`].
    ///
    /// # Errors
    /// Those of the database's store.
    pub(crate) fn snapshots(&self) -> Result<Vec<StoreMoment>> {
        let snapshot =
            |catalog: &Arc<Catalog>| Ok((Arc::clone(catalog.store()), catalog.snapshot()?));
        self.both().map(snapshot).collect()
    }

    /// Looks up what other processes have changed of the tables, for a statement without a moment of its own.
    ///
    /// # Errors
    /// As [`Catalogs::snapshots`].
    pub(crate) fn follow(&self) -> Result<()> {
        self.snapshots().map(drop)
    }

    /// The table that is meant by a name.
    ///
    /// # Errors
    /// As [`Catalog::expect_table`].
    pub(crate) fn expect_table(&self, name: &str) -> Result<Arc<HaliteTable>> {
        self.of(name).expect_table(name)
    }

    /// The view that is meant by a name.
    pub(crate) fn view(&self, name: &str) -> Option<Arc<View>> {
        self.of(name).view(name)
    }

    /// Whether nothing has the name.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        self.of(name).is_free(name)
    }

    /// Whether there is a view.
    pub(crate) fn has_views(&self) -> bool {
        self.both().any(|catalog| catalog.has_views())
    }

    /// All tables that are meant by their names, in the order of these.
    pub(crate) fn tables(&self) -> Vec<Arc<HaliteTable>> {
        let mut names: Vec<String> = self.both().flat_map(|catalog| catalog.names()).collect();
        names.sort_unstable();
        names.dedup();
        names
            .iter()
            .filter_map(|name| self.expect_table(name).ok())
            .collect()
    }

    /// The names of all tables and views, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self
            .both()
            .flat_map(|it| it.names().into_iter().chain(it.view_names()));
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// All views that are meant by their names, each behind those that it reads.
    pub(crate) fn views_in_order(&self) -> Vec<Arc<View>> {
        let kept = self.database.views_in_order().into_iter();
        let kept = kept.filter(|view| !self.is_temporary(&view.name));
        let temporary = self.temporary.get().into_iter();
        kept.chain(temporary.flat_map(|it| it.views_in_order()))
            .collect()
    }

    /// A statement that makes something, as it makes it where it is.
    pub(crate) fn statement(&self, name: &str, statement: String) -> String {
        if self.is_temporary(name) {
            statement.replacen("CREATE ", "CREATE TEMP ", 1)
        } else {
            statement
        }
    }

    /// A temporary view that reads what has a name.
    fn reader_among_temporary(&self, name: &str) -> Option<Arc<View>> {
        self.temporary.get()?.readers_of(name).into_iter().next()
    }

    /// Whether a temporary object may have a name: a view of the connection that reads what the database has under it
    /// would read another thing then.
    ///
    /// # Errors
    /// `Conflict`, naming the view.
    pub(crate) fn check_temporary(&self, name: &str) -> Result<()> {
        if self.is_temporary(name) {
            return Ok(());
        }
        match self.reader_among_temporary(name) {
            None => Ok(()),
            Some(view) => Err(Error::conflict(format!(
                "the temporary view `{}` reads `{name}` of the database, which a temporary one would hide: drop the \
                 view first",
                view.name
            ))),
        }
    }
}

#[cfg(test)]
#[path = "temporary_tests.rs"]
mod tests;
