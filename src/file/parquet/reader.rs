//! Readers of Parquet files that hand on of the metadata what is believed.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetFileReaderFactory;
use datafusion::datasource::physical_plan::parquet::CachedParquetFileReaderFactory;
use datafusion::object_store::path::Path;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::Result as ParquetResult;
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::believed::believed;

/// DataFusion's readers, over files of which less is believed.
#[derive(Debug)]
pub(super) struct Readers {
    theirs: CachedParquetFileReaderFactory,
    seen: Arc<Seen>,
}

/// Metadata as it is in files, and what is believed of it: a file is read in several pieces.
#[derive(Debug)]
struct Seen {
    /// The columns of which nothing but numbers is wanted.
    numbers: BTreeSet<String>,
    files: Mutex<HashMap<Path, [Arc<ParquetMetaData>; 2]>>,
}

impl Readers {
    /// For a query that wants nothing but numbers of the columns called `numbers`.
    pub(super) fn new(theirs: CachedParquetFileReaderFactory, numbers: BTreeSet<String>) -> Self {
        let files = Mutex::default();
        Self {
            theirs,
            seen: Arc::new(Seen { numbers, files }),
        }
    }
}

impl ParquetFileReaderFactory for Readers {
    fn create_reader(
        &self,
        partition: usize,
        file: PartitionedFile,
        size_hint: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let location = file.object_meta.location.clone();
        let theirs = self
            .theirs
            .create_reader(partition, file, size_hint, metrics)?;
        Ok(Box::new(Reader {
            theirs,
            location,
            seen: Arc::clone(&self.seen),
        }))
    }
}

impl Seen {
    fn believed(
        &self,
        location: &Path,
        stated: Arc<ParquetMetaData>,
    ) -> ParquetResult<Arc<ParquetMetaData>> {
        let mut seen = self.files.lock();
        if let Some([of, left]) = seen.get(location)
            && Arc::ptr_eq(of, &stated)
        {
            return Ok(Arc::clone(left));
        }
        let left = believed(&stated, &self.numbers)?;
        seen.insert(location.clone(), [stated, Arc::clone(&left)]);
        Ok(left)
    }
}

struct Reader {
    theirs: Box<dyn AsyncFileReader + Send>,
    location: Path,
    seen: Arc<Seen>,
}

impl AsyncFileReader for Reader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        self.theirs.get_bytes(range)
    }

    fn get_byte_ranges(
        &mut self,
        ranges: Vec<Range<u64>>,
    ) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        self.theirs.get_byte_ranges(ranges)
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        async move {
            let stated = self.theirs.get_metadata(options).await?;
            self.seen.believed(&self.location, stated)
        }
        .boxed()
    }
}
