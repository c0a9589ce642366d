//! HBase as the store: its protocol, spoken from here, under numbered statements.
//!
//! A `frame` is a request or an answer, made of `messages` and of `cellblock`s; a `connection` has many of them on
//! their way. `zookeeper` knows where the cluster is, `cluster` where its regions are. `multi` changes and reads
//! single rows, `scan` reads ranges; `rows` makes the row service of both, on which
//! `versioned` keeps its promises. What goes wrong is known by its class (`failure`).
//!
//! Calls block, as those of every store. A connection has a thread that takes its answers in, so that any number of
//! requests can be on their way; a scan asks for its next answer before it hands out the one that has come.

mod cellblock;
mod cluster;
#[cfg(test)]
mod cluster_tests;
mod connection;
mod failure;
mod frame;
#[cfg(test)]
mod golden_tests;
mod messages;
mod multi;
mod rows;
mod scan;
mod zookeeper;

use std::sync::Arc;
use std::time::Duration;

use self::cluster::Cluster;
use self::rows::HbaseRows;
use super::Store;
use super::versioned::{Times, VersionedStore};
use crate::error::{Error, Result};

pub use super::versioned::Cleared;

/// Opens the database in a namespace of a cluster, and makes it where it is not there:
/// `hbase://zk1:2181,zk2/hbase?namespace=shop`. Without a namespace it is `halite`; without a path `/hbase`.
///
/// # Errors
/// `InvalidInput` for what is no such address; `Unavailable` if the cluster cannot be reached; `Corrupt` if the database
/// was made by a newer version.
pub fn open(url: &str) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(connect(url)?))
}

/// Removes, of the database at an address, what nobody can read any more: versions that were overwritten or deleted more
/// than an hour ago, tables that were dropped, and what statements have left that broke off.
///
/// # Errors
/// As [`open`]; `Unavailable` where the cluster fails. What was removed until then was right.
pub fn vacuum(url: &str) -> Result<Cleared> {
    connect(url)?.vacuum()
}

fn connect(url: &str) -> Result<VersionedStore<HbaseRows>> {
    let address = Address::read(url)?;
    // At once, and not after many tries, where there is nothing.
    let master = format!("{}/master", address.root);
    zookeeper::locate(&address.quorum, &master, Duration::from_secs(4))?;
    let cluster = Cluster::new(address.quorum, address.root);
    let rows = HbaseRows::open(cluster, &address.namespace)?;
    VersionedStore::open(rows, Times::default())
}

/// What an address says.
#[derive(Debug, PartialEq, Eq)]
struct Address {
    quorum: Vec<String>,
    root: String,
    namespace: String,
}

impl Address {
    fn read(url: &str) -> Result<Self> {
        let wrong = |what: &str| {
            Error::invalid(format!(
                "`{url}` is no database on HBase: {what}; write hbase://zookeeper1,zookeeper2/hbase?namespace=name"
            ))
        };
        let rest = url.strip_prefix("hbase://");
        let rest = rest.ok_or_else(|| wrong("it does not begin with hbase://"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (servers, root) = place.split_once('/').unwrap_or((place, ""));
        let with_port = |server: &str| match server.contains(':') {
            true => server.to_owned(),
            false => format!("{server}:2181"),
        };
        let servers = servers.split(',').filter(|server| !server.is_empty());
        let quorum: Vec<String> = servers.map(with_port).collect();
        if quorum.is_empty() {
            return Err(wrong("no server of ZooKeeper is named"));
        }
        let root = match root.trim_end_matches('/') {
            "" => "/hbase".to_owned(),
            root => format!("/{root}"),
        };
        let mut namespace = "halite";
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("namespace", name)) => namespace = name,
                _ => return Err(wrong(&format!("`{part}` is not known"))),
            }
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if namespace.is_empty() || !namespace.bytes().all(is_plain) {
            return Err(wrong("a namespace is letters, digits and _"));
        }
        let namespace = namespace.to_owned();
        Ok(Self {
            quorum,
            root,
            namespace,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let address = |quorum: &[&str], root: &str, namespace: &str| Address {
            quorum: quorum.iter().map(|server| (*server).to_owned()).collect(),
            root: root.to_owned(),
            namespace: namespace.to_owned(),
        };
        for (url, expected) in [
            ("hbase://zk", address(&["zk:2181"], "/hbase", "halite")),
            (
                "hbase://a:1,b/x/y/?namespace=shop",
                address(&["a:1", "b:2181"], "/x/y", "shop"),
            ),
        ] {
            assert_eq!(Address::read(url).unwrap(), expected);
        }
        for url in [
            "hbase:/zk",
            "hbase://",
            "hbase:///hbase",
            "hbase://zk?namespace=",
            "hbase://zk?namespace=a:b",
            "hbase://zk?user=me",
        ] {
            Address::read(url).unwrap_err();
        }
    }

    #[test]
    fn where_nothing_is_nothing_is_opened() {
        let error = open("hbase://127.0.0.1:1/hbase").unwrap_err();
        assert!(error.message().contains("127.0.0.1:1"), "{error}");
    }
}
