//! Rows whose columns are kept apart: an entry in each family's space.
//!
//! Above, a row has one value: a **bundle** of its values in the families, each as [`super`] describes it with the columns of
//! the family alone. [`Split`] makes the entries of bundles that are written, [`Joined`] bundles of the entries that are
//! read, of those families that are asked for. Families that nobody asks for are not read.
//!
//! A bundle, which is stored nowhere: the byte `46`, the number of families, the length of the value in each, 4 bytes
//! little-endian, `ff` throughout where the family was not read, and the values one after the other.

mod changes;
mod rows;

pub(super) use self::changes::Split;
pub(super) use self::rows::Joined;

use crate::error::{Error, Result};

/// The first byte of every bundle.
const BUNDLE: u8 = 0x46;

/// In the place of a length: the family was not read.
const UNREAD: u32 = u32::MAX;

/// Bytes of a length.
const LENGTH: usize = size_of::<u32>();

/// Appends the bundle of these values, which are there for each family.
///
/// # Errors
/// `NotSupported` for a value of 4 GiB and more.
pub(super) fn bundle<'a>(
    values: impl ExactSizeIterator<Item = Option<&'a [u8]>> + Clone,
    to: &mut Vec<u8>,
) -> Result<()> {
    let too_many = |_| Error::internal("more families than a bundle can have");
    to.extend([BUNDLE, u8::try_from(values.len()).map_err(too_many)?]);
    for value in values.clone() {
        let length = match value {
            None => UNREAD,
            Some(value) => u32::try_from(value.len())
                .ok()
                .filter(|length| *length != UNREAD)
                .ok_or_else(|| Error::unsupported("a row of 4 GiB and more cannot be stored"))?,
        };
        to.extend(length.to_le_bytes());
    }
    values.flatten().for_each(|value| to.extend(value));
    Ok(())
}

/// The value in a family; `None` where it was not read, or this is no bundle that has it.
pub(super) fn of_family(bundle: &[u8], family: usize) -> Option<&[u8]> {
    let [BUNDLE, count, ..] = bundle else {
        return None;
    };
    let (lengths, mut values) = bundle
        .get(2..)?
        .split_at_checked(usize::from(*count) * LENGTH)?;
    let (lengths, _) = lengths.as_chunks::<LENGTH>();
    for (number, length) in lengths.iter().enumerate() {
        let length = Some(u32::from_le_bytes(*length)).filter(|length| *length != UNREAD);
        let (value, rest) = values.split_at_checked(length.unwrap_or_default() as usize)?;
        if number == family {
            return length.map(|_| value);
        }
        values = rest;
    }
    None
}

#[cfg(test)]
#[path = "families_tests.rs"]
mod tests;
