//! Values as they are kept. An empty value is a tombstone, so a value that is empty, or begins with `00`, has one `00` in
//! front of it. The values of rows begin with the version of their format, which is not 0: they are kept as they are.

use bytes::Bytes;

/// The value as it is kept.
pub(super) fn kept(value: &[u8]) -> Vec<u8> {
    match value.first() {
        None | Some(0) => [&[0], value].concat(),
        Some(_) => value.to_vec(),
    }
}

/// The value that is kept so; `None` for a tombstone.
pub(super) fn read(kept: Bytes) -> Option<Bytes> {
    match *kept.first()? {
        0 => Some(kept.slice(1..)),
        _ => Some(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back() {
        for value in [&b""[..], b"\0", b"\0\0", b"\0a", b"a", b"\x01\0", b"\xff"] {
            assert_eq!(read(kept(value).into()).as_deref(), Some(value));
        }
        assert_eq!(kept(b"\x01\0"), b"\x01\0");
        assert_eq!(read(Bytes::new()), None);
    }
}
