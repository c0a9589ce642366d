//! Many changes of one space, written aside in key order and made visible at once.

use crate::error::{Error, Result};
use crate::keyrange::hex;

/// Takes many changes of one space, see [`super::Changes::bulk`]. Lives on one thread at a time.
///
/// Keys come in strictly ascending order. After an error the statement cannot be committed any more.
pub trait BulkWriter: Send {
    /// Keeps `value` under `key`, over what will be there.
    ///
    /// Errors: `Internal` where `key` is not greater than the one before; `Unavailable` if the store cannot write now.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Deletes the entry under `key`; nothing happens if there will be none.
    ///
    /// Errors: as [`BulkWriter::put`].
    fn delete(&mut self, key: &[u8]) -> Result<()>;
}

impl<W: BulkWriter + ?Sized> BulkWriter for &mut W {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        (**self).put(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        (**self).delete(key)
    }
}

/// Changes of one space that are written aside. Nothing is visible before [`Load::ingest`]; dropped without it, or after
/// an error, a load leaves nothing behind, on disk neither.
pub(super) trait Load: BulkWriter {
    /// Applies all changes at this moment: every later snapshot sees all of them, every earlier one none. When it
    /// returns they have reached the disk, as with [`super::Durability::Sync`].
    ///
    /// Errors: `Internal` if the space does not exist any more, or there was an error before; `Unavailable` if the
    /// store cannot write now. After an error nothing is visible.
    fn ingest(self: Box<Self>) -> Result<()>;
}

/// Holds the keys of a bulk load to their order, and an error to be the end of it.
#[derive(Debug, Default)]
pub(super) struct Ascending {
    last: Option<Vec<u8>>,
    is_broken: bool,
}

impl Ascending {
    /// Lets a key pass that is greater than all before it.
    ///
    /// Errors: `Internal` for any other key, and after an error.
    pub(super) fn admit(&mut self, key: &[u8]) -> Result<()> {
        self.check_unbroken()?;
        match &mut self.last {
            Some(last) if last.as_slice() >= key => {
                self.is_broken = true;
                let (last, key) = (hex(last), hex(key));
                Err(Error::internal(format!(
                    "a bulk load is given the key {key} after {last}, out of order"
                )))
            }
            Some(last) => {
                last.clear();
                last.extend_from_slice(key);
                Ok(())
            }
            None => {
                self.last = Some(key.to_vec());
                Ok(())
            }
        }
    }

    /// Notes that something went wrong.
    pub(super) fn set_broken(&mut self) {
        self.is_broken = true;
    }

    /// Errors: `Internal` where something went wrong before.
    pub(super) fn check_unbroken(&self) -> Result<()> {
        match self.is_broken {
            false => Ok(()),
            true => Err(Error::internal("a bulk load goes on after an error")),
        }
    }
}
