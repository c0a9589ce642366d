//! Where the demo works: a directory for the files that are loaded, and one for the database.

use std::env;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::sample;
use crate::error::{Error, Result};
use crate::store::Place;

/// The directories. The temporary ones are removed when it is dropped.
pub struct DemoDirectories {
    scratch: PathBuf,
    database: PathBuf,
}

impl DemoDirectories {
    /// Writes the sample data to a temporary directory. The database is to be in `directory`, or, without one, there too.
    ///
    /// # Errors
    /// `InvalidInput` where `directory` holds something, `Unavailable` where files cannot be written. Of the address of a
    /// cluster nothing is asked here.
    pub fn new(directory: Option<&Path>) -> Result<Self> {
        if let Some(Place::Directory(directory)) = directory.map(Place::of) {
            refuse_used(directory)?;
        }
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let name = format!("halite-demo-{}-{}", process::id(), time.subsec_nanos());
        let scratch = env::temp_dir().join(name);
        private_directory(&scratch).map_err(|error| unwritten(&scratch, error))?;
        // From here on it is removed again.
        let directories = Self {
            database: directory.map_or_else(|| scratch.join("flights.halite"), Path::to_owned),
            scratch,
        };
        for file in sample::data() {
            let path = directories.scratch.join(file.path);
            let parent = path.parent().unwrap_or(&directories.scratch);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, file.bytes));
            written.map_err(|error| unwritten(&path, error))?;
        }
        Ok(directories)
    }

    /// The directory that the paths of the sample data are relative to.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// The directory of the database, or its address.
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// The file of a generated data set.
    pub fn data_file(&self, name: &str) -> PathBuf {
        self.scratch.join(format!("data/{name}.parquet"))
    }

    /// Removes the files that have been loaded.
    ///
    /// # Errors
    /// `Unavailable` where that is not possible.
    pub fn drop_data(&self) -> Result<()> {
        let path = self.scratch.join("data");
        fs::remove_dir_all(&path).map_err(|error| {
            Error::unavailable(format!("cannot remove {}", path.display())).with_source(error)
        })
    }
}

impl Drop for DemoDirectories {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever clears the place of temporary files.
        fs::remove_dir_all(&self.scratch).ok();
    }
}

/// A new directory that nobody else may write to; one that is there already is an error.
fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn unwritten(path: &Path, error: io::Error) -> Error {
    Error::unavailable(format!("cannot write {}", path.display())).with_source(error)
}

fn refuse_used(directory: &Path) -> Result<()> {
    match fs::read_dir(directory).map(|entries| entries.count()) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Error::invalid(format!(
            "{} is not empty: name a new directory for the sample database",
            directory.display()
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => {
            let path = directory.display();
            Err(Error::invalid(format!("cannot make a database in {path}")).with_source(error))
        }
    }
}
