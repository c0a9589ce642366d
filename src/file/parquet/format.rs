//! Parquet as a format of listed files: DataFusion's, told what is believed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{GetExt, Result, Statistics, internal_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::parquet::CachedParquetFileReaderFactory;
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::physical_plan::{
    FileScanConfig, FileScanConfigBuilder, FileSource, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::object_store::{ObjectMeta, ObjectStore};
use datafusion::physical_plan::ExecutionPlan;

use super::columns;
use super::counted::counted;
use super::reader::Readers;

/// Makes the format of files that are called `.parquet`.
#[derive(Debug)]
pub(crate) struct ParquetFilesFactory;

/// The format.
#[derive(Debug)]
pub(crate) struct ParquetFiles {
    theirs: ParquetFormat,
}

impl ParquetFiles {
    /// With the options of a session.
    pub(crate) fn new(session: &dyn Session) -> Self {
        let mut options = session.default_table_options().parquet;
        // A filter is asked of rows as a table keeps them, above the reader, which has them as they are in the file.
        options.global.pushdown_filters = false;
        Self {
            theirs: ParquetFormat::default().with_options(options),
        }
    }
}

impl FileFormatFactory for ParquetFilesFactory {
    fn create(
        &self,
        session: &dyn Session,
        _options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        Ok(Arc::new(ParquetFiles::new(session)))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(ParquetFiles {
            theirs: ParquetFormat::default(),
        })
    }
}

impl GetExt for ParquetFilesFactory {
    fn get_ext(&self) -> String {
        "parquet".to_owned()
    }
}

#[async_trait]
impl FileFormat for ParquetFiles {
    fn get_ext(&self) -> String {
        self.theirs.get_ext()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        self.theirs.get_ext_with_compression(compression)
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        self.theirs.compression_type()
    }

    async fn infer_schema(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        if objects.len() <= 1 {
            let own = self.theirs.infer_schema(state, store, objects).await?;
            return Ok(columns::with_plain_bytes(&own));
        }
        let mut objects: Vec<&ObjectMeta> = objects.iter().collect();
        objects.sort_by(|left, right| left.location.cmp(&right.location));
        let mut files = Vec::with_capacity(objects.len());
        for object in objects {
            let own = self
                .theirs
                .infer_schema(state, store, std::slice::from_ref(object));
            let own = columns::with_plain_bytes(&own.await?);
            files.push((format!("/{}", object.location), own));
        }
        Ok(columns::of_all(&files)?)
    }

    async fn infer_stats(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
        let file = DFParquetMetadata::new(store, object)
            .with_metadata_size_hint(self.theirs.metadata_size_hint())
            .with_file_metadata_cache(Some(cache))
            .fetch_metadata()
            .await?;
        counted(&file, &table_schema)
    }

    async fn create_physical_plan(
        &self,
        state: &dyn Session,
        config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let scan: Arc<dyn ExecutionPlan> = DataSourceExec::from_data_source(config);
        match read_for(&scan, state, BTreeSet::new())? {
            Some(scan) => Ok(scan),
            None => internal_err!("Parquet files are read by another source"),
        }
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        self.theirs.file_source(table_schema)
    }
}

/// A scan of Parquet files that believes what it may where nothing but numbers is wanted of the columns called `numbers`;
/// `None` if it is no such scan.
///
/// # Errors
/// Those of a place of files that the session does not know.
pub(super) fn read_for(
    scan: &Arc<dyn ExecutionPlan>,
    state: &dyn Session,
    numbers: BTreeSet<String>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let scan = scan.downcast_ref::<DataSourceExec>();
    let Some((config, source)) =
        scan.and_then(|scan| scan.downcast_to_file_source::<ParquetSource>())
    else {
        return Ok(None);
    };
    let runtime = state.runtime_env();
    let cache = runtime.cache_manager.get_file_metadata_cache();
    let store = runtime.object_store(config.object_store_url.clone())?;
    let readers = Readers::new(CachedParquetFileReaderFactory::new(store, cache), numbers);
    let source = source
        .clone()
        .with_parquet_file_reader_factory(Arc::new(readers));
    let config = FileScanConfigBuilder::from(config.clone()).with_source(Arc::new(source));
    Ok(Some(DataSourceExec::from_data_source(config.build())))
}
