//! Bulk loads: many changes of one space, given in key order, written aside, and made visible by the commit.

use crate::error::{Error, Result};
use crate::keyrange::hex;

/// Takes the changes of a bulk load, see [`super::Changes::bulk`]. Lives on one thread at a time.
///
/// Keys must ascend strictly. After an error the statement cannot be committed any more.
pub trait BulkWriter: Send {
    /// Stores `value` under `key`, in place of what is there at the commit.
    ///
    /// Errors: `Internal` where `key` is not greater than the one before; `Unavailable` if the store cannot write now.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Deletes the entry under `key`, if there is one at the commit.
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

/// Checks that the keys of a bulk load ascend strictly, and refuses all that comes after an error.
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
        if self.is_broken {
            Err(Error::internal("a bulk load goes on after an error"))
        } else {
            Ok(())
        }
    }
}
