//! `SELECT … FROM 'file.parquet'`: files of this machine as tables, for queries alone.
//!
//! DataFusion makes a table of a name that no table has, if it is the name of a file or a pattern. Here it learns the
//! extensions of line-delimited JSON besides `json`, and to say what is wrong with a name that looks like a file's.

use std::collections::HashMap;
use std::fmt::Debug;
use std::fs::File;
use std::io::{BufReader, Read};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arrow::datatypes::{FieldRef, Schema};
use async_trait::async_trait;
use datafusion::catalog::view::ViewTable;
use datafusion::catalog::{DynamicFileCatalog, Session, TableProvider, UrlTableFactory};
use datafusion::common::{GetExt, Result};
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::datasource::file_format::json::{JsonFormat, JsonFormatFactory};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::file_format::{FileFormat as ListedFormat, FileFormatFactory};
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::provider_as_source;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlanBuilder;
use datafusion::prelude::SessionContext;
use futures::FutureExt;
use parking_lot::Mutex;

use super::access::Restrictions;
use super::file_functions::{Call, Reads};
use super::file_table;
use super::partitions::{Partitions, root_of};
use crate::error::Error;
use crate::settings::HaliteOptions;
use crate::store::check_outside;
use crate::write::copy::{
    ArrowRows, ColumnTypes, CopyOptions, CsvRows, FileFormat, STANDARD, check_matches, check_rows,
    checksum, files_matching, files_within, first_names,
};

/// Endings of names that are taken for those of files.
const EXTENSIONS: &[&str] = &[
    "csv", "json", "jsonl", "ndjson", "parquet", "arrow", "ipc", "feather", "gz", "zst", "bz2",
    "xz", "tsv", "txt",
];

/// The session with files as tables.
pub(super) fn enable(context: SessionContext, access: &Arc<Restrictions>) -> SessionContext {
    let catalogs = Arc::clone(context.state_ref().read().catalog_list());
    let files = Arc::new(LocalFiles {
        inner: DynamicListTableFactory::default(),
        access: Arc::clone(access),
        checked: Mutex::default(),
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
    access: Arc<Restrictions>,
    /// Files that were read as a whole before they were queried: not again, as long as they are the same.
    checked: Mutex<HashMap<PathBuf, Checked>>,
}

/// A file that was found to be without fault.
#[derive(Debug)]
struct Checked {
    /// Its length, and when it was changed last.
    version: (u64, SystemTime),
    /// No row of it has more bytes; 0 for a Parquet file, which was compared with its checksums.
    most: usize,
}

impl LocalFiles {
    /// Refuses files with rows that are longer than the session allows.
    fn check_rows(&self, local: &str, is_pattern: bool) -> Result<(), Error> {
        let most = self.row_bytes();
        match is_pattern {
            true => files_matching(local).try_for_each(|file| self.check_file(&file, most)),
            false => self.check_file(Path::new(local), most),
        }
    }

    /// The table of a call of `read_csv` and the like.
    async fn called(&self, call: Call) -> Result<Arc<dyn TableProvider>> {
        let Call {
            file,
            reads,
            mut options,
            types,
        } = call;
        self.access.check(&format!("the file `{file}`"))?;
        if file == STANDARD {
            return Err(Error::unsupported(
                "STDIN is read once, and a file of a query twice; COPY t FROM STDIN reads it",
            )
            .into());
        }
        let is_pattern = file.contains(['*', '?', '[']);
        match is_pattern {
            true => check_matches(&file)?,
            false => check_outside(Path::new(&file))?,
        }
        if reads == Reads::Csv {
            options.row_bytes = Some(self.row_bytes());
            return Ok(file_table::table(CsvRows::open(&file, options, &types)?));
        }
        if !is_pattern && !Path::new(&file).exists() {
            return Err(Error::invalid(format!("there is no file `{file}`")).into());
        }
        let format: Arc<dyn ListedFormat> = match reads {
            Reads::Parquet => {
                let files = files_matching(&file);
                files
                    .filter(|file| file.is_file())
                    .try_for_each(|file| checksum::check(&file))?;
                Arc::new(ParquetFormat::default())
            }
            _ => {
                self.check_rows(&file, is_pattern)?;
                Arc::new(JsonFormat::default().with_newline_delimited(!begins_as_array(&file)))
            }
        };
        let options = ListingOptions::new(format).with_file_extension("");
        let table = self.listed(&file, options).await?;
        match reads {
            Reads::Json => self.in_file_order(table, &file),
            _ => Ok(table),
        }
    }

    /// The table of JSON files with its columns as they stand in the first object; those that are not in it come behind, by name.
    fn in_file_order(
        &self,
        table: Arc<dyn TableProvider>,
        local: &str,
    ) -> Result<Arc<dyn TableProvider>> {
        let Some(listing) = table.downcast_ref::<ListingTable>() else {
            return Ok(table);
        };
        let names = first_file(local).map(|file| first_names(&file, self.row_bytes()));
        let names = names.unwrap_or_default();
        let places: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let schema = listing.schema();
        let mut fields: Vec<FieldRef> = schema.fields().iter().cloned().collect();
        let place = |field: &FieldRef| places.get(field.name().as_str()).copied();
        let behind = names.len();
        let key = |field: &FieldRef| (place(field).unwrap_or(behind), field.name().clone());
        fields.sort_by_cached_key(key);
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        let config = ListingTableConfig::new_with_multi_paths(listing.table_paths().clone())
            .with_listing_options(listing.options().clone())
            .with_schema(Arc::new(schema));
        Ok(Arc::new(ListingTable::try_new(config)?))
    }

    /// The Parquet files in a directory, and in the directories in it, whose names may be columns.
    async fn directory(&self, directory: &str) -> Result<Arc<dyn TableProvider>> {
        let files = files_within(Path::new(directory))?;
        let is_read = |file: &&PathBuf| file.extension() == Some("parquet".as_ref());
        if let Some(other) = files.iter().find(|file| !is_read(file)) {
            return Err(Error::unsupported(format!(
                "`{}`: of a directory queries read Parquet files, as `x.parquet`, and it has others; name files of one \
                 format by a pattern, as '{directory}*.csv'",
                other.display()
            ))
            .into());
        }
        if files.is_empty() {
            return Err(Error::invalid(format!("there is no file in `{directory}`")).into());
        }
        for file in &files {
            check_outside(file)?;
            self.check_file(file, self.row_bytes())?;
        }
        let partitions = Partitions::of(Path::new(directory), &files)?;
        let in_it = |file: &&PathBuf| file.parent() == Some(Path::new(directory));
        if partitions.names().next().is_none()
            && let Some(deeper) = files.iter().find(|file| !in_it(file))
        {
            return Err(Error::unsupported(format!(
                "`{}` lies in a directory that names no column, as `year=2024/` does; name such files by a pattern, as \
                 '{directory}*/*.parquet'",
                deeper.display()
            ))
            .into());
        }
        let name = format!("{}/", directory.trim_end_matches('/'));
        self.partitioned(&name, partitions).await
    }

    /// Parquet files in several directories, which a pattern names.
    async fn in_directories(
        &self,
        pattern: &str,
        root: &Path,
        files: &[PathBuf],
    ) -> Result<Arc<dyn TableProvider>> {
        let partitions = Partitions::of(root, files)?;
        if let Some(column) = partitions.names().next() {
            return Err(Error::unsupported(format!(
                "`{pattern}` names files in directories that name columns, as `{column}`: read the directory, '{}/', \
                 with a condition on its columns",
                root.display()
            ))
            .into());
        }
        let mut urls = Vec::with_capacity(files.len());
        for file in files {
            self.check_file(file, self.row_bytes())?;
            urls.push(ListingTableUrl::parse(file.to_string_lossy())?);
        }
        let options = ListingOptions::new(Arc::new(ParquetFormat::default()));
        let options = options.with_file_extension(".parquet");
        let config = ListingTableConfig::new_with_multi_paths(urls);
        self.inferred(pattern, config.with_listing_options(options))
            .await
    }

    /// Parquet files with columns that are not in them.
    async fn partitioned(
        &self,
        name: &str,
        partitions: Partitions,
    ) -> Result<Arc<dyn TableProvider>> {
        let options = ListingOptions::new(Arc::new(ParquetFormat::default()))
            .with_file_extension(".parquet")
            .with_table_partition_cols(partitions.columns_read());
        let table = self.listed(name, options).await?;
        let columns = table.schema();
        let count = |name: &str| {
            columns
                .fields()
                .iter()
                .filter(|it| it.name() == name)
                .count()
        };
        if let Some(twice) = partitions.names().find(|name| count(name) > 1) {
            return Err(Error::invalid(format!(
                "`{name}`: `{twice}` is a column of the files and in the names of their directories"
            ))
            .into());
        }
        if !partitions.has_null() {
            return Ok(table);
        }
        let scan = LogicalPlanBuilder::scan("files", provider_as_source(table), None)?.build()?;
        let view = ViewTable::new(partitions.with_nulls(scan)?, None);
        Ok(Arc::new(view))
    }

    /// The table of what DataFusion does not know as a file, or reads by other rules: directories, CSV, Arrow.
    async fn own_table(
        &self,
        local: &str,
        is_pattern: bool,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        if !is_pattern && Path::new(local).is_dir() {
            return self.directory(local).await.map(Some);
        }
        if is_pattern && Path::new(local).extension() == Some("parquet".as_ref()) {
            let found = files_matching(local).filter(|file| file.is_file());
            let found: Vec<PathBuf> = found.collect();
            let parent = Path::new(local).parent().unwrap_or(Path::new(""));
            if !found.is_empty() && parent.to_string_lossy().contains(['*', '?', '[']) {
                let root = root_of(local);
                return self.in_directories(local, &root, &found).await.map(Some);
            }
        }
        match read_by(local) {
            Some(FileFormat::Csv) => {
                let options = CopyOptions {
                    row_bytes: Some(self.row_bytes()),
                    ..CopyOptions::default()
                };
                let rows = CsvRows::open(local, options, &ColumnTypes::default())?;
                Ok(Some(file_table::table(rows)))
            }
            Some(FileFormat::Arrow) => Ok(Some(file_table::table(ArrowRows::open(local)?))),
            _ => Ok(None),
        }
    }

    /// Files of a format, whatever they are called.
    async fn listed(&self, name: &str, options: ListingOptions) -> Result<Arc<dyn TableProvider>> {
        let config = ListingTableConfig::new(ListingTableUrl::parse(name)?);
        self.inferred(name, config.with_listing_options(options))
            .await
    }

    /// The table of files, with the columns that they have.
    async fn inferred(
        &self,
        name: &str,
        config: ListingTableConfig,
    ) -> Result<Arc<dyn TableProvider>> {
        let session = self.inner.session_store().get_session().upgrade();
        let state = session.and_then(|session| {
            let session = session.read();
            session.as_any().downcast_ref::<SessionState>().cloned()
        });
        let Some(state) = state else {
            return Err(Error::internal("a file is read without a session").into());
        };
        let config = config.infer_schema(&state).await;
        let config = config.map_err(|error| Error::from(error).context(format!("`{name}`")))?;
        Ok(Arc::new(ListingTable::try_new(config)?))
    }

    /// How many bytes a row may have.
    fn row_bytes(&self) -> usize {
        let session = self.inner.session_store().get_session().upgrade();
        let options = session.map(|session| HaliteOptions::of(session.read().config_options()));
        options.unwrap_or_default().row_bytes.in_memory()
    }

    fn check_file(&self, file: &Path, most: usize) -> Result<(), Error> {
        if !file.is_file() {
            return check_rows(file, most);
        }
        let version = file
            .metadata()
            .and_then(|it| Ok((it.len(), it.modified()?)))
            .ok();
        let is_checked = |known: &Checked| Some(known.version) == version && known.most <= most;
        if self.checked.lock().get(file).is_some_and(is_checked) {
            return Ok(());
        }
        let most = match is_parquet(file) {
            true => checksum::check(file).map(|()| 0)?,
            false => check_rows(file, most).map(|()| most)?,
        };
        if let Some(version) = version {
            let checked = Checked { version, most };
            self.checked.lock().insert(file.to_owned(), checked);
        }
        Ok(())
    }
}

#[async_trait]
impl UrlTableFactory for LocalFiles {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Some(call) = Call::of(name)? {
            return self.called(call).await.map(Some);
        }
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
        if let Some(table) = self.own_table(local, is_pattern).await? {
            return Ok(Some(table));
        }
        self.check_rows(local, is_pattern)?;
        if is_json_array(local) {
            let format = JsonFormat::default().with_newline_delimited(false);
            let options = ListingOptions::new(Arc::new(format)).with_file_extension("");
            let table = self.listed(name, options).await?;
            return self.in_file_order(table, local).map(Some);
        }
        let found = AssertUnwindSafe(self.inner.try_new(name)).catch_unwind();
        let found = found.await.unwrap_or_else(|_| {
            let message = format!("`{local}` cannot be read: it is damaged");
            Err(Error::invalid(message).into())
        });
        let found = found.map_err(|error| Error::from(error).context(format!("`{local}`")))?;
        match found {
            Some(table) if is_json(local) => self.in_file_order(table, local).map(Some),
            Some(table) => Ok(Some(table)),
            None if is_pattern => Err(Error::invalid(format!(
                "no file matches `{local}`, or none of a format that queries read: csv, json, jsonl, parquet and arrow"
            ))
            .into()),
            None => Err(Error::unsupported(format!(
                "`{local}` is of no format that queries read: csv, json, jsonl, parquet and arrow, by its name"
            ))
            .into()),
        }
    }
}

/// The format of a file that is read here and not by DataFusion, by its name: one that [`CsvRows`] or [`ArrowRows`] read.
fn read_by(local: &str) -> Option<FileFormat> {
    let extension = |path: &Path| path.extension()?.to_str().map(str::to_ascii_lowercase);
    let mut path = Path::new(local);
    let mut last = extension(path)?;
    let is_packed = matches!(last.as_str(), "gz" | "gzip" | "zst" | "zstd");
    if is_packed {
        path = Path::new(path.file_stem()?);
        last = extension(path)?;
    }
    match last.as_str() {
        "csv" | "tsv" | "txt" => Some(FileFormat::Csv),
        "arrow" | "ipc" | "feather" if !is_packed => Some(FileFormat::Arrow),
        _ => None,
    }
}

/// Whether a file is JSON by its name and begins as an array does.
fn is_json_array(local: &str) -> bool {
    let extension = Path::new(local).extension();
    extension.is_some_and(|it| it.eq_ignore_ascii_case("json")) && begins_as_array(local)
}

/// Whether files are JSON by their name, whatever compresses them.
fn is_json(local: &str) -> bool {
    let name = Path::new(local).file_name().unwrap_or_default();
    let name = name.to_string_lossy().to_ascii_lowercase();
    let mut extensions = name.rsplit('.').take(2);
    extensions.any(|extension| matches!(extension, "json" | "jsonl" | "ndjson"))
}

/// A file; of a pattern the first that matches.
fn first_file(local: &str) -> Option<PathBuf> {
    match local.contains(['*', '?', '[']) {
        true => files_matching(local).next(),
        false => Some(PathBuf::from(local)),
    }
}

/// Whether a file begins as an array of JSON does; of a pattern the first that matches.
fn begins_as_array(local: &str) -> bool {
    let opened = first_file(local).and_then(|file| File::open(file).ok());
    let mut bytes = opened
        .into_iter()
        .flat_map(|file| BufReader::new(file).bytes());
    let first = bytes.find(|byte| byte.as_ref().is_ok_and(|byte| !byte.is_ascii_whitespace()));
    matches!(first, Some(Ok(b'[')))
}

fn is_parquet(file: &Path) -> bool {
    let extension = file.extension();
    extension.is_some_and(|it| it.eq_ignore_ascii_case("parquet"))
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
    ) -> Result<Arc<dyn ListedFormat>> {
        JsonFormatFactory::new().create(state, options)
    }

    fn default(&self) -> Arc<dyn ListedFormat> {
        FileFormatFactory::default(&JsonFormatFactory::new())
    }
}

impl GetExt for JsonLines {
    fn get_ext(&self) -> String {
        self.extension.to_owned()
    }
}
