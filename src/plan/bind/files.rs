//! `SELECT … FROM 'file.parquet'`: files of this machine as tables, for queries alone.
//!
//! DataFusion makes a table of a name that no table has, if it is the name of a file or a pattern. CSV, JSON and Arrow are read
//! here, by the rules of COPY; Parquet is DataFusion's. What is wrong with a name that looks like a file's is said here, too.

use std::collections::HashMap;
use std::fmt::Debug;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use datafusion::catalog::view::ViewTable;
use datafusion::catalog::{DynamicFileCatalog, TableProvider, UrlTableFactory};
use datafusion::common::Result;
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::datasource::file_format::FileFormat as ListedFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::provider_as_source;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlanBuilder;
use datafusion::prelude::SessionContext;
use futures::FutureExt;
use parking_lot::Mutex;

use crate::error::{Error, Nameable};
use crate::file::access::Restrictions;
use crate::file::file_table;
use crate::file::parquet::{ParquetFiles, ParquetFilesFactory, ParquetTable};
use crate::file::partitions::{Partitions, root_of};
use crate::settings::HaliteOptions;
use crate::sql::rewrite::file_functions::Call;
use crate::store::check_outside;
use crate::write::copy::{
    ArrowRows, ColumnTypes, CopyOptions, CsvRows, FileFormat, FileRows, JsonRows, NamedRows,
    OptionWords, Reads, STANDARD, check_matches, checksum, files_matching, files_within,
};

/// Endings of names that are taken for those of files.
const EXTENSIONS: &[&str] = &[
    "csv", "json", "jsonl", "ndjson", "parquet", "arrow", "ipc", "feather", "gz", "zst", "bz2",
    "xz", "tsv", "txt",
];

/// The session with files as tables.
pub(crate) fn enable(context: SessionContext, access: &Arc<Restrictions>) -> SessionContext {
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
    let parquet = Arc::new(ParquetFilesFactory);
    let _ = context
        .state_ref()
        .write()
        .register_file_format(parquet, true);
    let store = files.inner.session_store();
    store.with_state(context.state_weak_ref());
    context
}

/// Makes tables of files.
#[derive(Debug)]
struct LocalFiles {
    inner: DynamicListTableFactory,
    access: Arc<Restrictions>,
    /// Parquet files that were compared with their checksums, with their length and when they were changed last: not
    /// again, as long as these are the same.
    checked: Mutex<HashMap<PathBuf, (u64, SystemTime)>>,
}

impl LocalFiles {
    /// Refuses files that are damaged.
    fn check_files(&self, local: &str, is_pattern: bool) -> Result<(), Error> {
        if is_pattern {
            files_matching(local).try_for_each(|file| self.check_file(&file))
        } else {
            self.check_file(Path::new(local))
        }
    }

    /// The table of a call of `read_csv` and the like.
    async fn called(&self, call: Call) -> Result<Arc<dyn TableProvider>> {
        for file in &call.files {
            self.check_name(file)?;
        }
        let Call {
            files,
            reads,
            mut options,
            types,
            has_names,
        } = call;
        options.row_bytes = Some(self.row_bytes());
        match reads {
            Reads::Csv => named(CsvRows::open(&files, options, &types)?, has_names),
            Reads::Json => named(JsonRows::open(&files, options, &types)?, has_names),
            Reads::Parquet => match files.as_slice() {
                [file] => self.parquet(file).await,
                _ => Err(Error::unsupported(
                    "read_parquet takes one file or a pattern, read_parquet('data/*.parquet'); join others by UNION ALL",
                )
                .into()),
            },
        }
    }

    /// Refuses a file, or a pattern of files, that queries must not read.
    fn check_name(&self, file: &str) -> Result<(), Error> {
        self.access.check(&format!("the file `{file}`"))?;
        if file == STANDARD {
            return Err(Error::unsupported(
                "STDIN is read once, and a file of a query twice; COPY t FROM STDIN reads it",
            ));
        }
        if is_pattern(file) {
            check_matches(file)
        } else {
            check_outside(Path::new(file))
        }
    }

    /// The table of `read_parquet`.
    async fn parquet(&self, file: &str) -> Result<Arc<dyn TableProvider>> {
        if !is_pattern(file) && !Path::new(file).exists() {
            return Err(no_file(file).into());
        }
        let mut files = files_matching(file).filter(|file| file.is_file());
        files.try_for_each(|file| self.check_sums(&file))?;
        let options = ListingOptions::new(self.parquet_format()?);
        self.listed(file, options.with_file_extension("")).await
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
            let error = Error::invalid(format!("there is no file in `{directory}`"));
            return Err(error.of_missing(Nameable::File, directory, []).into());
        }
        for file in &files {
            check_outside(file)?;
            self.check_file(file)?;
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
            self.check_file(file)?;
            urls.push(ListingTableUrl::parse(file.to_string_lossy())?);
        }
        let options = ListingOptions::new(self.parquet_format()?).with_file_extension(".parquet");
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
        let options = ListingOptions::new(self.parquet_format()?)
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

    /// The table of what DataFusion does not know as a file, or reads by other rules: directories, CSV, JSON, Arrow.
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
        let options = CopyOptions {
            row_bytes: Some(self.row_bytes()),
            words: OptionWords::Call(Reads::Csv, "read_csv"),
            ..CopyOptions::default()
        };
        let (files, types) = ([local.to_owned()], ColumnTypes::default());
        match read_by(local) {
            Some(FileFormat::Csv) => {
                named(CsvRows::open(&files, options, &types)?, false).map(Some)
            }
            Some(FileFormat::JsonLines) => {
                let words = OptionWords::Call(Reads::Json, "read_json");
                let options = CopyOptions { words, ..options };
                named(JsonRows::open(&files, options, &types)?, false).map(Some)
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
        let config = config.infer_schema(&self.state()?).await;
        let config = config.map_err(|error| Error::from(error).context(format!("`{name}`")))?;
        Ok(as_table(ListingTable::try_new(config)?))
    }

    /// The format of Parquet files, whatever they are called.
    fn parquet_format(&self) -> Result<Arc<dyn ListedFormat>> {
        Ok(Arc::new(ParquetFiles::new(&self.state()?)))
    }

    fn state(&self) -> Result<SessionState> {
        let session = self.inner.session_store().get_session().upgrade();
        let state = session.and_then(|session| {
            let session = session.read();
            session.as_any().downcast_ref::<SessionState>().cloned()
        });
        state.ok_or_else(|| Error::internal("a file is read without a session").into())
    }

    /// How many bytes a row may have.
    fn row_bytes(&self) -> usize {
        let session = self.inner.session_store().get_session().upgrade();
        let options = session.map(|session| HaliteOptions::of(session.read().config_options()));
        options.unwrap_or_default().row_bytes.in_memory()
    }

    fn check_file(&self, file: &Path) -> Result<(), Error> {
        if file.is_file() && is_parquet(file) {
            self.check_sums(file)
        } else {
            Ok(())
        }
    }

    /// Compares a Parquet file with its checksums, unless that was done.
    fn check_sums(&self, file: &Path) -> Result<(), Error> {
        let version = file
            .metadata()
            .and_then(|it| Ok((it.len(), it.modified()?)))
            .ok();
        if version.is_some() && self.checked.lock().get(file).copied() == version {
            return Ok(());
        }
        checksum::check(file)?;
        if let Some(version) = version {
            self.checked.lock().insert(file.to_owned(), version);
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
        let is_pattern = is_pattern(local);
        if is_pattern {
            check_matches(local)?
        } else {
            check_outside(Path::new(local))?
        }
        if !is_pattern && !Path::new(local).exists() {
            return Err(no_file(local).into());
        }
        if let Some(table) = self.own_table(local, is_pattern).await? {
            return Ok(Some(table));
        }
        self.check_files(local, is_pattern)?;
        let found = AssertUnwindSafe(self.inner.try_new(name)).catch_unwind();
        let found = found.await.unwrap_or_else(|_| {
            let message = format!("`{local}` cannot be read: it is damaged");
            Err(Error::invalid(message).into())
        });
        let found = found.map_err(|error| Error::from(error).context(format!("`{local}`")))?;
        match found {
            Some(table) => match table.downcast_ref::<ListingTable>() {
                Some(listing) => Ok(Some(as_table(listing.clone()))),
                None => Ok(Some(table)),
            },
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

/// The table of these rows, with a column of the files' names where that is wanted.
fn named(rows: impl FileRows + 'static, has_names: bool) -> Result<Arc<dyn TableProvider>> {
    if has_names {
        Ok(file_table::table(NamedRows::new(rows)?))
    } else {
        Ok(file_table::table(rows))
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Listed files as the table that they are.
fn as_table(files: ListingTable) -> Arc<dyn TableProvider> {
    if files.options().format.is::<ParquetFiles>() {
        Arc::new(ParquetTable::new(files))
    } else {
        Arc::new(files)
    }
}

/// The format of a file that is read here and not by DataFusion, by its name, or by that of the first that a pattern
/// matches.
fn read_by(local: &str) -> Option<FileFormat> {
    let by_name = format_of(Path::new(local));
    if is_pattern(local) {
        by_name.or_else(|| format_of(&files_matching(local).find(|it| it.is_file())?))
    } else {
        by_name
    }
}

fn format_of(path: &Path) -> Option<FileFormat> {
    let extension = |path: &Path| path.extension()?.to_str().map(str::to_ascii_lowercase);
    let mut path = path;
    let mut last = extension(path)?;
    let packed = ["gz", "gzip", "zst", "zstd", "bz2", "bzip2", "xz"];
    let is_packed = packed.contains(&last.as_str());
    if is_packed {
        path = Path::new(path.file_stem()?);
        last = extension(path)?;
    }
    match last.as_str() {
        "csv" | "tsv" | "txt" => Some(FileFormat::Csv),
        "json" | "jsonl" | "ndjson" => Some(FileFormat::JsonLines),
        "arrow" | "ipc" | "feather" if !is_packed => Some(FileFormat::Arrow),
        _ => None,
    }
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

fn no_file(file: &str) -> Error {
    Error::invalid(format!("there is no file `{file}`")).of_missing(Nameable::File, file, [])
}
