//! The temporary files of DataFusion's operators, sorts, aggregates and joins, in the database's [`SpillDirectory`].
//!
//! DataFusion asks for a file, writes to its end, and reads it from its start, several times if need be and while it
//! is still written. It writes what only the process itself reads: the files have no version.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder};
use datafusion::execution::spill_file::{SpillFile, SpillWriter, TempFileFactory};
use futures::{Stream, stream};
use parking_lot::Mutex;

use super::spill::SpillDirectory;
use crate::error::Error;

/// How many bytes are read at once.
const READ_BYTES: u64 = 128 << 10;

impl SpillDirectory {
    /// DataFusion's manager of temporary files, whose files are in this directory.
    ///
    /// # Errors
    /// None that is known: nothing is made before it is needed.
    pub fn disk_manager(&self) -> crate::error::Result<Arc<DiskManager>> {
        let room = Arc::new(Room::default());
        let files = Arc::new(OperatorFiles {
            directory: self.clone(),
            room: Arc::clone(&room),
        });
        let manager = DiskManagerBuilder::default().with_temp_file_factory(files);
        let manager = Arc::new(manager.build()?);
        // It is set once, here.
        let _ = room.manager.set(Arc::downgrade(&manager));
        Ok(manager)
    }
}

/// How much of the disk the files take together, and may take.
#[derive(Default)]
struct Room {
    used: AtomicU64,
    /// Who knows `datafusion.runtime.max_temp_directory_size`.
    manager: OnceLock<Weak<DiskManager>>,
}

impl Room {
    /// # Errors
    /// Where the files would take more than is allowed.
    fn take(&self, bytes: u64) -> io::Result<()> {
        let manager = self.manager.get().and_then(Weak::upgrade);
        let most = manager.map_or(u64::MAX, |manager| manager.max_temp_directory_size());
        let used = self.used.fetch_add(bytes, Ordering::Relaxed);
        if used.saturating_add(bytes) <= most {
            return Ok(());
        }
        self.give_back(bytes);
        Err(io::Error::other(Error::unavailable(format!(
            "the temporary files of statements would take more than {most} bytes: set \
             datafusion.runtime.max_temp_directory_size higher, or ask for less at once"
        ))))
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Makes the files.
struct OperatorFiles {
    directory: SpillDirectory,
    room: Arc<Room>,
}

impl TempFileFactory for OperatorFiles {
    fn create_temp_file(&self, _what_for: &str) -> Result<Arc<dyn SpillFile>> {
        let file = self.directory.file()?;
        Ok(Arc::new(OperatorSpill(Arc::new(Shared {
            state: Mutex::new(State { file, length: 0 }),
            directory: self.directory.clone(),
            room: Arc::clone(&self.room),
        }))))
    }
}

/// A file, which is gone when the last of its readers and writers is dropped.
struct OperatorSpill(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    directory: SpillDirectory,
    room: Arc<Room>,
}

struct State {
    file: File,
    /// Where the next bytes are written.
    length: u64,
}

impl Shared {
    /// # Errors
    /// `Unavailable` with the directory, where the disk is full or fails.
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.room.take(bytes.len() as u64)?;
        let mut state = self.state.lock();
        // It stands where it was read last.
        let written = seek(&state.file, state.length).and_then(|()| state.file.write_all(bytes));
        match written {
            Ok(()) => {
                state.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.room.give_back(bytes.len() as u64);
                Err(self.failed("written", error))
            }
        }
    }

    /// What stands there, or nothing at the end.
    fn read_at(&self, position: u64) -> io::Result<Vec<u8>> {
        let state = self.state.lock();
        let count = READ_BYTES.min(state.length.saturating_sub(position));
        let mut bytes = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
        let read = seek(&state.file, position)
            .and_then(|()| (&state.file).take(count).read_to_end(&mut bytes));
        match read {
            Ok(read) if read as u64 == count => Ok(bytes),
            Ok(_) => Err(self.failed("read", io::Error::other("it has been cut short"))),
            Err(error) => Err(self.failed("read", error)),
        }
    }

    fn failed(&self, what: &str, error: io::Error) -> io::Error {
        let directory = self.directory.path().display();
        let remedy = match error.kind() {
            io::ErrorKind::StorageFull => "; the disk is full: make room, or ask for less at once",
            _ => "",
        };
        let message = format!("a temporary file in {directory} cannot be {what}: {error}{remedy}");
        io::Error::new(error.kind(), Error::unavailable(message).with_source(error))
    }
}

fn seek(mut file: &File, position: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(position)).map(|_| ())
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.room.give_back(self.state.lock().length);
    }
}

impl SpillFile for OperatorSpill {
    fn size(&self) -> Option<u64> {
        Some(self.0.state.lock().length)
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        let from_start = (Arc::clone(&self.0), 0);
        Ok(Box::pin(stream::try_unfold(from_start, next_bytes)))
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(Appending(Arc::clone(&self.0))))
    }
}

/// The bytes at a position, and the position behind them.
async fn next_bytes(
    (file, position): (Arc<Shared>, u64),
) -> Result<Option<(Bytes, (Arc<Shared>, u64))>> {
    let reading = tokio::task::spawn_blocking(move || {
        let bytes = file.read_at(position);
        (file, bytes)
    });
    let (file, bytes) = reading
        .await
        .map_err(|error| DataFusionError::External(Box::new(error)))?;
    let bytes = bytes?;
    let position = position + bytes.len() as u64;
    Ok((!bytes.is_empty()).then(|| (Bytes::from(bytes), (file, position))))
}

/// Writes to the end of a file.
struct Appending(Arc<Shared>);

impl Write for Appending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SpillWriter for Appending {
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;

    use super::*;
    use crate::error::ErrorKind;

    fn read(file: &Arc<dyn SpillFile>) -> Vec<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let chunks = runtime
            .unwrap()
            .block_on(file.read_stream().unwrap().try_collect::<Vec<_>>());
        chunks.unwrap().concat()
    }

    #[test]
    fn a_file_is_read_from_its_start_while_it_is_written() {
        let database = tempfile::tempdir().unwrap();
        let spills = SpillDirectory::of_database(database.path());
        let file = spills.disk_manager().unwrap().create_tmp_file("a test");
        let file = file.unwrap();
        let mut writer = file.open_writer().unwrap();
        let mut written = Vec::new();
        for round in 0..5_u8 {
            let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8 ^ round).collect();
            writer.write_all(&bytes).unwrap();
            written.extend(bytes);
            assert!(read(&file) == written, "round {round}");
        }
        assert_eq!(file.size(), Some(500_000));
        let left = std::fs::read_dir(spills.path()).unwrap();
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn files_take_no_more_together_than_they_may() {
        let database = tempfile::tempdir().unwrap();
        let spills = SpillDirectory::of_database(database.path());
        let manager = spills.disk_manager().unwrap();
        manager.set_max_temp_directory_size(1000).unwrap();
        let one = manager.create_tmp_file("a test").unwrap();
        let two = manager.create_tmp_file("a test").unwrap();
        one.open_writer().unwrap().write_all(&[0; 600]).unwrap();
        let mut writer = two.open_writer().unwrap();
        let error = DataFusionError::from(writer.write_all(&[0; 600]).unwrap_err());
        let error = Error::from(error);
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.message().contains("more than 1000 bytes"), "{error}");
        drop(one);
        writer.write_all(&[0; 600]).unwrap();
        manager.set_max_temp_directory_size(2000).unwrap();
        writer.write_all(&[0; 1400]).unwrap();
    }
}
