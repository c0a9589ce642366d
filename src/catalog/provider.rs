//! DataFusion's view of a database's tables: one catalog with one schema.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{CatalogProvider, SchemaProvider, TableProvider};
use datafusion::common::Result;

use super::{Catalog, Guests, Temporary};
use crate::error::Error;
use crate::schema::View;

/// The name of the only catalog.
pub const CATALOG_NAME: &str = "halite";
/// The name of the only schema.
pub const SCHEMA_NAME: &str = "public";
/// The schema of what the database keeps alone, in which its views are planned; it is not listed.
pub const DATABASE_SCHEMA: &str = "database alone";

/// Plans views where they are used.
#[async_trait]
pub trait ViewPlanner: fmt::Debug + Send + Sync {
    /// The rows of a view as a table, which has its plan.
    ///
    /// # Errors
    /// What is wrong with the view by now.
    async fn plan(&self, view: &Arc<View>) -> Result<Arc<dyn TableProvider>>;
}

/// The catalog that sessions know as [`CATALOG_NAME`].
#[derive(Debug)]
pub struct HaliteCatalog {
    schema: Arc<HaliteSchema>,
    database: Arc<HaliteSchema>,
    /// What tells of the others.
    information: Arc<dyn SchemaProvider>,
}

/// The schema that tells of the others.
const INFORMATION_SCHEMA: &str = "information_schema";

impl HaliteCatalog {
    /// Over a database's tables and views, and others beside them; of one name a temporary one is meant, then the
    /// database's.
    pub fn new(
        catalog: Arc<Catalog>,
        temporary: Temporary,
        guests: Guests,
        planner: Arc<dyn ViewPlanner>,
        information: Arc<dyn SchemaProvider>,
    ) -> Self {
        let database = HaliteSchema {
            catalog: Arc::clone(&catalog),
            temporary: Temporary::default(),
            guests: Guests::default(),
            planner: Arc::clone(&planner),
        };
        Self {
            schema: Arc::new(HaliteSchema {
                catalog,
                temporary,
                guests,
                planner,
            }),
            database: Arc::new(database),
            information,
        }
    }
}

impl CatalogProvider for HaliteCatalog {
    fn schema_names(&self) -> Vec<String> {
        vec![SCHEMA_NAME.to_owned(), INFORMATION_SCHEMA.to_owned()]
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        match name {
            SCHEMA_NAME => Some(Arc::clone(&self.schema) as Arc<dyn SchemaProvider>),
            DATABASE_SCHEMA => Some(Arc::clone(&self.database) as Arc<dyn SchemaProvider>),
            INFORMATION_SCHEMA => Some(Arc::clone(&self.information)),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct HaliteSchema {
    catalog: Arc<Catalog>,
    temporary: Temporary,
    guests: Guests,
    planner: Arc<dyn ViewPlanner>,
}

#[async_trait]
impl SchemaProvider for HaliteSchema {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.catalog.names();
        names.extend(self.catalog.view_names());
        if let Some(temporary) = self.temporary.get() {
            names.extend(temporary.names());
            names.extend(temporary.view_names());
        }
        names.extend(self.guests.names());
        names.sort_unstable();
        names.dedup();
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let catalog = self.temporary.with(name).unwrap_or(&self.catalog);
        if let Some(table) = catalog.table(name) {
            return Ok(Some(table));
        }
        match catalog.view(name) {
            Some(view) => self.planner.plan(&view).await.map(Some),
            None => Ok(self.guests.get(name)),
        }
    }

    /// Tables are made by `CREATE TABLE` alone, which never comes here.
    fn register_table(
        &self,
        name: String,
        _: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        Err(Error::unsupported(format!(
            "`{name}` is neither a table with a PRIMARY KEY nor anything else that Halite keeps"
        ))
        .into())
    }

    fn table_exist(&self, name: &str) -> bool {
        let is_kept = || !self.catalog.is_free(name) || self.guests.get(name).is_some();
        self.temporary.with(name).is_some() || is_kept()
    }
}
