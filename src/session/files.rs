//! `SELECT … FROM 'file.parquet'`: files of this machine as tables, for queries alone.
//!
//! DataFusion makes a table of a name that no table has, if it is the name of a file or a pattern. Here it learns the
//! extensions of line-delimited JSON besides `json`, and to say what is wrong with a name that looks like a file's.

use std::collections::HashMap;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{DynamicFileCatalog, Session, TableProvider, UrlTableFactory};
use datafusion::common::{GetExt, Result};
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::datasource::file_format::json::JsonFormatFactory;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::prelude::SessionContext;

use super::access::Access;
use crate::error::Error;
use crate::store::check_outside;
use crate::write::copy::check_matches;

/// Endings of names that are taken for those of files.
const EXTENSIONS: &[&str] = &[
    "csv", "json", "jsonl", "ndjson", "parquet", "arrow", "gz", "zst", "bz2", "xz", "tsv", "txt",
];

/// The session with files as tables.
pub(super) fn enable(context: SessionContext, access: &Arc<Access>) -> SessionContext {
    let catalogs = Arc::clone(context.state_ref().read().catalog_list());
    let files = Arc::new(LocalFiles {
        inner: DynamicListTableFactory::default(),
        access: Arc::clone(access),
    });
    let factory = Arc::clone(&files) as Arc<dyn UrlTableFactory>;
    let id = context.session_id();
    let state = context
        .into_state_builder()
        .with_session_id(id)
        .with_catalog_list(Arc::new(DynamicFileCatalog::new(catalogs, factory)))
        .build();
    let context = SessionContext::from(state);
    for extension in ["jsonl", "ndjson"] {
        let format = Arc::new(JsonLines { extension });
        // Refused only where the extension is known already.
        let _ = context
            .state_ref()
            .write()
            .register_file_format(format, false);
    }
    let store = files.inner.session_store();
    store.with_state(context.state_weak_ref());
    context
}

/// Makes tables of files.
#[derive(Debug)]
struct LocalFiles {
    inner: DynamicListTableFactory,
    access: Arc<Access>,
}

#[async_trait]
impl UrlTableFactory for LocalFiles {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if !looks_like_a_file(name) {
            return Ok(None);
        }
        let local = name.strip_prefix("file://").unwrap_or(name);
        if local.contains("://") {
            return Err(Error::unsupported(format!(
                "`{name}` is not on this machine: queries read local files alone"
            ))
            .into());
        }
        self.access.check(&format!("the file `{local}`"))?;
        let is_pattern = local.contains(['*', '?', '[']);
        match is_pattern {
            true => check_matches(local)?,
            false => check_outside(Path::new(local))?,
        }
        if !is_pattern && !Path::new(local).exists() {
            return Err(Error::invalid(format!("there is no file `{local}`")).into());
        }
        match self.inner.try_new(name).await? {
            Some(table) => Ok(Some(table)),
            None if is_pattern => Err(Error::invalid(format!(
                "no file matches `{local}`, or none of a format that queries read: csv, json, jsonl and parquet"
            ))
            .into()),
            None => Err(Error::unsupported(format!(
                "`{local}` is of no format that queries read: csv, json, jsonl and parquet, by its name"
            ))
            .into()),
        }
    }
}

/// Whether a name is meant for a file; all others are those of tables.
fn looks_like_a_file(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    name.contains('/')
        || extension.is_some_and(|extension| {
            let mut known = EXTENSIONS.iter();
            known.any(|known| known.eq_ignore_ascii_case(extension))
        })
}

/// Line-delimited JSON under another extension.
#[derive(Debug)]
struct JsonLines {
    extension: &'static str,
}

impl FileFormatFactory for JsonLines {
    fn create(
        &self,
        state: &dyn Session,
        options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        JsonFormatFactory::new().create(state, options)
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        FileFormatFactory::default(&JsonFormatFactory::new())
    }
}

impl GetExt for JsonLines {
    fn get_ext(&self) -> String {
        self.extension.to_owned()
    }
}
