//! HBase as the store: its protocol, spoken from here, under numbered statements.
//!
//! A `frame` is a request or an answer, made of `messages` and of `cellblock`s; a `connection` has many of them on
//! their way. `zookeeper`, or a master, knows where the cluster is (`registry`), `cluster` where its regions are. `multi` changes and reads
//! single rows, `scan` reads ranges, of which so much is `left`; `sizes` are estimates; `rows` makes the row service of these, on which
//! `versioned` keeps its promises. What goes wrong is known by its class (`failure`).
//!
//! Calls block, as those of every store. A connection has a thread that takes its answers in, so that any number of
//! requests can be on their way; a scan asks for its next answer before it hands out the one that has come.

mod address;
mod cellblock;
mod cluster;
#[cfg(test)]
pub(crate) mod cluster_tests;
mod connection;
mod failure;
mod frame;
#[cfg(test)]
mod golden_tests;
mod left;
mod messages;
mod multi;
mod registry;
mod rows;
mod scan;
mod sizes;
mod zookeeper;

use std::sync::Arc;
use std::time::Duration;

use self::address::Address;
use self::rows::HbaseRows;
use super::versioned::{Times, VersionedStore};
use super::{Store, StoreOptions};
use crate::error::Result;

/// How long a cluster may take to answer when a database is opened.
const REACHED_WITHIN: Duration = Duration::from_secs(8);

/// Opens the database in a namespace of a cluster, and makes it where it is not there:
/// `hbase://zk1:2181,zk2/hbase?namespace=shop`, or `hbase+rpc://master1:16000,master2?namespace=shop` where ZooKeeper is
/// not to be asked. Without a namespace it is `halite`; without a path `/hbase`.
///
/// # Errors
/// `InvalidInput` for what is no such address; `Unavailable` if the cluster cannot be reached; `Corrupt` if the database
/// was made by a newer version.
pub fn open(url: &str) -> Result<Arc<dyn Store>> {
    open_with(url, &StoreOptions::default())
}

/// As [`open`], for reading alone or only where there is a database, if the options say so. Of the other options, which are
/// about files and memory, none is about a cluster.
///
/// # Errors
/// As [`open`]; `InvalidInput` where there is no database and none is to be made.
pub fn open_with(url: &str, options: &StoreOptions) -> Result<Arc<dyn Store>> {
    let address = Address::read(url)?;
    let makes = options.create_if_missing && !options.read_only;
    let whole = address.to_string();
    let rows = HbaseRows::open(address, makes, REACHED_WITHIN)
        .map_err(|error| error.context(format_args!("{whole} cannot be opened")))?;
    let times = Times::default();
    Ok(if options.read_only {
        Arc::new(VersionedStore::open_read_only(rows, times)?)
    } else {
        Arc::new(VersionedStore::open(rows, times)?)
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Instant;

    use super::*;
    use crate::error::ErrorKind;

    /// Whoever does not answer, or is not there, is known in time.
    #[test]
    fn where_nothing_answers_nothing_is_opened() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent = silent.local_addr().unwrap().to_string();
        for url in [
            "hbase://127.0.0.1:1/hbase".to_owned(),
            "hbase+rpc://127.0.0.1:1".to_owned(),
            format!("hbase://{silent}"),
            format!("hbase://{silent},{silent}"),
            format!("hbase+rpc://{silent}"),
        ] {
            let began = Instant::now();
            let error = open(&url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
            let server = url.split(['/', ',']).nth(2).unwrap();
            assert!(error.message().contains(server), "{error}");
            let took = began.elapsed();
            assert!(took < Duration::from_secs(10), "{url}: {took:?}");
        }
    }
}
