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

/// Holds the keys of a bulk load to their order, and an error to be the end of it.
#[derive(Debug, Default)]
pub(crate) struct Ascending {
    last: Option<Vec<u8>>,
    is_broken: bool,
}

impl Ascending {
    /// Lets a key pass that is greater than all before it.
    ///
    /// Errors: `Internal` for any other key, and after an error.
    pub(crate) fn admit(&mut self, key: &[u8]) -> Result<()> {
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
    pub(crate) fn check_unbroken(&self) -> Result<()> {
        match self.is_broken {
            false => Ok(()),
            true => Err(Error::internal("a bulk load goes on after an error")),
        }
    }
}
