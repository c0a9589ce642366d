//! What the address of a database on a cluster says.
//!
//! `hbase://zookeeper1:2181,zookeeper2/hbase?namespace=shop` names servers of ZooKeeper, and the path under which it knows
//! the cluster; `hbase+rpc://master1:16000,master2?namespace=shop` names masters. Without a port it is the usual one,
//! without a path `/hbase`, without a namespace `halite`.

use std::fmt;

use super::registry::Registry;
use crate::error::{Error, Result};

/// An address that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub registry: Registry,
    pub namespace: String,
}

const ZOOKEEPER: &str = "hbase://";
const MASTERS: &str = "hbase+rpc://";

/// What could be asked for and is not there: the beginning of a part, and what it is.
const ABSENT: [(&str, &str); 4] = [
    ("principal", "Kerberos is not implemented"),
    ("keytab", "Kerberos is not implemented"),
    ("tls", "TLS is not implemented"),
    ("ssl", "TLS is not implemented"),
];

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// `InvalidInput` for what is none; `NotSupported` for what is asked for and not there.
    pub(super) fn read(url: &str) -> Result<Self> {
        let wrong = |what: &str| {
            Error::invalid(format!(
                "`{url}` is no database on HBase: {what}; write hbase://zookeeper1,zookeeper2/hbase?namespace=name"
            ))
        };
        let of_zookeeper = url.strip_prefix(ZOOKEEPER);
        let rest = of_zookeeper.or_else(|| url.strip_prefix(MASTERS));
        let rest = rest
            .ok_or_else(|| wrong(&format!("it begins neither with {ZOOKEEPER} nor {MASTERS}")))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (servers, path) = place.split_once('/').unwrap_or((place, ""));
        if servers.contains('@') {
            return Err(Error::unsupported(format!(
                "`{url}`: a user in an address is not implemented; HBase is told the name in the variable USER"
            )));
        }
        let path = path.trim_end_matches('/');
        let registry = match of_zookeeper {
            Some(_) => Registry::ZooKeeper {
                quorum: with_ports(servers, 2181),
                root: match path {
                    "" => "/hbase".to_owned(),
                    path => format!("/{path}"),
                },
            },
            None if path.is_empty() => Registry::Masters(with_ports(servers, 16_000)),
            None => return Err(wrong("masters have no path")),
        };
        if registry.servers().is_empty() {
            return Err(wrong("no server is named"));
        }
        let namespace = namespace(query, url, &wrong)?;
        Ok(Self {
            registry,
            namespace,
        })
    }
}

fn with_ports(servers: &str, port: u16) -> Vec<String> {
    let servers = servers.split(',').filter(|server| !server.is_empty());
    let with_port = |server: &str| {
        if server.contains(':') {
            server.to_owned()
        } else {
            format!("{server}:{port}")
        }
    };
    servers.map(with_port).collect()
}

fn namespace(query: &str, url: &str, wrong: &dyn Fn(&str) -> Error) -> Result<String> {
    let mut namespace = "halite";
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if let Some((_, what)) = ABSENT.iter().find(|(absent, _)| *absent == name) {
            return Err(Error::unsupported(format!("`{url}`: {what}")));
        }
        match name {
            "namespace" => namespace = value,
            _ => return Err(wrong(&format!("`{part}` is not known"))),
        }
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match namespace {
        "" => Err(wrong("a namespace is letters, digits and _")),
        "default" | "hbase" => Err(wrong(&format!(
            "the namespace `{namespace}` is HBase's own"
        ))),
        plain if plain.bytes().all(is_plain) => Ok(plain.to_owned()),
        _ => Err(wrong("a namespace is letters, digits and _")),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.registry.servers().join(",");
        match &self.registry {
            Registry::ZooKeeper { root, .. } => write!(f, "{ZOOKEEPER}{servers}{root}")?,
            Registry::Masters(_) => write!(f, "{MASTERS}{servers}")?,
        }
        write!(f, "?namespace={}", self.namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn addresses_are_read_and_written() {
        for (url, whole) in [
            ("hbase://zk", "hbase://zk:2181/hbase?namespace=halite"),
            (
                "hbase://a:1,b/x/y/?namespace=shop",
                "hbase://a:1,b:2181/x/y?namespace=shop",
            ),
            (
                "hbase+rpc://m1,m2:7",
                "hbase+rpc://m1:16000,m2:7?namespace=halite",
            ),
            (
                "hbase+rpc://m/?namespace=n_1",
                "hbase+rpc://m:16000?namespace=n_1",
            ),
        ] {
            let address = Address::read(url).unwrap();
            assert_eq!(address.to_string(), whole);
            assert_eq!(Address::read(whole).unwrap(), address);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for url in [
            "hbase:/zk",
            "hbase://",
            "hbase:///hbase",
            "hbase://zk?namespace=",
            "hbase://zk?namespace=a:b",
            "hbase://zk?namespace=hbase",
            "hbase://zk?namespace=default",
            "hbase://zk?user=me",
            "hbase+rpc://m/path",
            "hbase+http://m",
        ] {
            let error = Address::read(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{url}");
            assert!(error.message().contains(url), "{error}");
        }
        for url in [
            "hbase://zk?principal=me",
            "hbase://zk?tls=true",
            "hbase://me@zk",
        ] {
            let error = Address::read(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotSupported, "{url}");
        }
    }
}
