//! Where a database is: in a directory, or on a cluster.

use std::path::Path;
use std::sync::Arc;

use super::{RocksStore, Store, StoreOptions};
use crate::error::{Error, Result};

/// Where a database is. What begins with `hbase:` or `hbase+` and has a colon is the address of a cluster; a directory of
/// such a name is written `./hbase:…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// A directory.
    Directory(&'a Path),
    /// A cluster of HBase, `hbase://zookeeper1,zookeeper2/hbase?namespace=name`.
    Cluster(&'a str),
}

impl<'a> Place<'a> {
    /// The place that a user has named.
    pub fn of(path: &'a Path) -> Self {
        let scheme = path.to_str().and_then(|text| text.split_once(':'));
        match (scheme, path.to_str()) {
            (Some((scheme, _)), Some(address))
                if scheme == "hbase" || scheme.starts_with("hbase+") =>
            {
                Self::Cluster(address)
            }
            _ => Self::Directory(path),
        }
    }

    /// Opens the database there, and makes it if there is none and the options say so.
    ///
    /// # Errors
    /// `InvalidInput` for what is no such place; `Unavailable` where it cannot be reached, or another process holds it;
    /// `Corrupt` where it is damaged, or a newer version has made it.
    pub fn open(self, options: &StoreOptions) -> Result<Arc<dyn Store>> {
        match self {
            Self::Directory(path) => Ok(Arc::new(RocksStore::open(path, options)?)),
            Self::Cluster(address) => open_cluster(address, options),
        }
    }

    /// The directory; `what` takes one.
    ///
    /// # Errors
    /// `NotSupported` for a cluster.
    pub fn directory(self, what: &str) -> Result<&'a Path> {
        match self {
            Self::Directory(path) => Ok(path),
            Self::Cluster(address) => Err(Error::unsupported(format!(
                "{what} takes a directory, and {address} is on HBase, which keeps the files: its own snapshot and \
                 ExportSnapshot copy a table as it is there, halite copy takes tables into another database"
            ))),
        }
    }
}

#[cfg(feature = "hbase")]
fn open_cluster(address: &str, options: &StoreOptions) -> Result<Arc<dyn Store>> {
    super::hbase::open_with(address, options)
}

#[cfg(not(feature = "hbase"))]
fn open_cluster(address: &str, _options: &StoreOptions) -> Result<Arc<dyn Store>> {
    Err(Error::unsupported(format!(
        "{address} cannot be opened: this program was built without the feature `hbase`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_no_directory() {
        for path in [
            "hbase://zk1,zk2/hbase?namespace=n",
            "hbase:zk",
            "hbase+rpc://master",
        ] {
            assert_eq!(Place::of(Path::new(path)), Place::Cluster(path));
            let error = Place::of(Path::new(path))
                .directory("halite backup")
                .unwrap_err();
            assert!(error.message().contains(path), "{error}");
        }
        for path in [
            "",
            "hbase",
            "./hbase://zk",
            "hbase/x:y",
            "a.halite",
            "c:\\a",
            "hbases:",
        ] {
            let path = Path::new(path);
            assert_eq!(Place::of(path), Place::Directory(path));
            assert_eq!(Place::of(path).directory("halite backup").unwrap(), path);
        }
    }
}
