//! Who knows where a cluster is: ZooKeeper, or the masters themselves.

use std::sync::Arc;
use std::time::Duration;

use super::connection::Connection;
use super::failure::Failure;
use super::messages::{ActiveMaster, MetaLocations, Nothing, ServerName};
use super::zookeeper;
use crate::error::{Error, Result};

/// Who is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Registry {
    /// ZooKeeper's servers, and the path under which they know the cluster.
    ZooKeeper { quorum: Vec<String>, root: String },
    /// Masters; one of them is active.
    Masters(Vec<String>),
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    /// The active master.
    Master,
    /// The server of `hbase:meta`.
    Meta,
}

impl Registry {
    /// The servers that are asked, as host and port.
    pub(super) fn servers(&self) -> &[String] {
        match self {
            Self::ZooKeeper { quorum, .. } => quorum,
            Self::Masters(masters) => masters,
        }
    }

    /// Where it is, as host and port.
    ///
    /// # Errors
    /// `Unavailable` if nobody answers in time, or knows; `Corrupt` for another answer.
    pub(super) fn find(&self, sought: Sought, timeout: Duration) -> Result<String> {
        // One that is silent leaves time for the others.
        let count = u32::try_from(self.servers().len()).unwrap_or(u32::MAX);
        let timeout = timeout / count.max(1);
        let found = match self {
            Self::ZooKeeper { quorum, root } => {
                let name = match sought {
                    Sought::Master => "master",
                    Sought::Meta => "meta-region-server",
                };
                zookeeper::locate(quorum, &format!("{root}/{name}"), timeout)?
            }
            Self::Masters(masters) => ask_all(masters, sought, timeout)?,
        };
        Ok(format!(
            "{}:{}",
            found.host_name,
            found.port.unwrap_or(16_020)
        ))
    }
}

fn ask_all(masters: &[String], sought: Sought, timeout: Duration) -> Result<ServerName> {
    let mut failed = Error::unavailable("no master is named");
    for master in masters {
        match ask(master, sought, timeout) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => {
                failed = Error::unavailable(format!(
                    "the master {master} does not know yet where the cluster is: it may be starting"
                ));
            }
            Err(failure) => failed = failure.error.context(format_args!("the master {master}")),
        }
    }
    Err(failed)
}

fn ask(master: &str, sought: Sought, timeout: Duration) -> Result<Option<ServerName>, Failure> {
    let connection = Connection::open(master, "ClientMetaService", timeout, &Arc::default())?;
    Ok(match sought {
        Sought::Master => {
            let answer = connection.send("GetActiveMaster", &Nothing {}, timeout)?;
            let found: ActiveMaster = answer.wait()?.message()?;
            found.server_name
        }
        Sought::Meta => {
            let answer = connection.send("GetMetaRegionLocations", &Nothing {}, timeout)?;
            let found: MetaLocations = answer.wait()?.message()?;
            found
                .meta_locations
                .into_iter()
                .find_map(|location| location.server_name)
        }
    })
}
