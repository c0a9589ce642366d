//! DataFusion's view of a database's tables: one catalog with one schema.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{CatalogProvider, SchemaProvider, TableProvider};
use datafusion::common::Result;

use super::{Catalog, Guests};
use crate::error::Error;

/// The name of the only catalog.
pub const CATALOG_NAME: &str = "halite";
/// The name of the only schema.
pub const SCHEMA_NAME: &str = "public";

/// The catalog that sessions know as [`CATALOG_NAME`].
#[derive(Debug)]
pub struct HaliteCatalog {
    schema: Arc<HaliteSchema>,
}

impl HaliteCatalog {
    /// Over a database's tables, and others beside them; of one name, the database's is meant.
    pub fn new(catalog: Arc<Catalog>, guests: Guests) -> Self {
        Self {
            schema: Arc::new(HaliteSchema { catalog, guests }),
        }
    }
}

impl CatalogProvider for HaliteCatalog {
    fn schema_names(&self) -> Vec<String> {
        vec![SCHEMA_NAME.to_owned()]
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        (name == SCHEMA_NAME).then(|| Arc::clone(&self.schema) as Arc<dyn SchemaProvider>)
    }
}

#[derive(Debug)]
struct HaliteSchema {
    catalog: Arc<Catalog>,
    guests: Guests,
}

#[async_trait]
impl SchemaProvider for HaliteSchema {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.catalog.names();
        names.extend(self.guests.names());
        names.sort_unstable();
        names.dedup();
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let own = self.catalog.table(name);
        let own = own.map(|table| table as Arc<dyn TableProvider>);
        Ok(own.or_else(|| self.guests.get(name)))
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
        self.catalog.table(name).is_some() || self.guests.get(name).is_some()
    }
}
