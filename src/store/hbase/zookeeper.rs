//! Where the cluster is, as ZooKeeper knows it: one connection, one question.
//!
//! Each message is a `u32` length and that many bytes. A session is asked for (version, last id, time out, session,
//! password), then `getData` (id, 4, path, no watch); the answer is id, zxid, error, and the data with its length. In the end
//! the session is closed.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use prost::Message;

use super::messages::{Located, ServerName};
use crate::error::{Error, Result};

/// The longest message that is taken.
const LONGEST: usize = 1 << 20;

/// `OpCode.closeSession`.
const CLOSE: i32 = -11;

/// Where a server is that ZooKeeper knows under this path.
///
/// # Errors
/// `Unavailable` if none of the servers of the quorum answers, or there is no such path; `Corrupt` for other data.
pub(super) fn locate(quorum: &[String], path: &str, timeout: Duration) -> Result<ServerName> {
    let mut failed = Error::unavailable("no server of ZooKeeper is named");
    for server in quorum {
        match ask(server, path, timeout) {
            Ok(data) => return server_name(&data),
            Err(error) => failed = error.context(format_args!("ZooKeeper at {server}")),
        }
    }
    Err(failed)
}

fn ask(server: &str, path: &str, timeout: Duration) -> Result<Vec<u8>> {
    let io = |error: std::io::Error| Error::unavailable(error.to_string()).with_source(error);
    let mut stream = connect(server, timeout)?;
    let session = [
        &0_u32.to_be_bytes()[..],
        &0_u64.to_be_bytes(),
        &10_000_u32.to_be_bytes(),
        &0_u64.to_be_bytes(),
        &16_u32.to_be_bytes(),
        &[0; 16],
    ];
    send(&mut stream, &session.concat()).map_err(io)?;
    receive(&mut stream)?;
    let get = [
        &1_u32.to_be_bytes()[..],
        &4_u32.to_be_bytes(),
        &(path.len() as u32).to_be_bytes(),
        path.as_bytes(),
        &[0],
    ];
    send(&mut stream, &get.concat()).map_err(io)?;
    let answer = receive(&mut stream)?;
    // Otherwise ZooKeeper keeps the session until its time is over.
    let close = [&2_u32.to_be_bytes()[..], &CLOSE.to_be_bytes()];
    let _ = send(&mut stream, &close.concat());
    data_of(&answer, path)
}

/// Connects, and gives up when it takes too long; so does every later read and write.
pub(super) fn connect(server: &str, timeout: Duration) -> Result<TcpStream> {
    let unreachable = |error: std::io::Error| {
        Error::unavailable(format!("{server} cannot be reached: {error}")).with_source(error)
    };
    let mut addresses = server.to_socket_addrs().map_err(unreachable)?;
    let mut connected = Err(Error::unavailable(format!("{server} has no address")));
    for address in &mut addresses {
        connected = TcpStream::connect_timeout(&address, timeout).map_err(unreachable);
        if connected.is_ok() {
            break;
        }
    }
    let stream = connected?;
    let set = stream.set_nodelay(true);
    let set = set.and_then(|()| stream.set_read_timeout(Some(timeout)));
    set.and_then(|()| stream.set_write_timeout(Some(timeout)))
        .map_err(unreachable)?;
    Ok(stream)
}

fn send(stream: &mut TcpStream, message: &[u8]) -> std::io::Result<()> {
    let length = (message.len() as u32).to_be_bytes();
    stream.write_all(&[&length[..], message].concat())
}

fn receive(stream: &mut TcpStream) -> Result<Vec<u8>> {
    let io = |error: std::io::Error| {
        Error::unavailable(format!("no answer: {error}")).with_source(error)
    };
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(io)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > LONGEST {
        return Err(Error::corrupt(format!(
            "an answer of {length} bytes: is that ZooKeeper?"
        )));
    }
    let mut message = vec![0; length];
    stream.read_exact(&mut message).map_err(io)?;
    Ok(message)
}

fn data_of(answer: &[u8], path: &str) -> Result<Vec<u8>> {
    let unreadable = || Error::corrupt(format!("what ZooKeeper says of {path} cannot be read"));
    let (header, rest) = answer.split_first_chunk::<16>().ok_or_else(unreadable)?;
    let [.., a, b, c, d] = *header;
    if [a, b, c, d] != [0; 4] {
        let code = i32::from_be_bytes([a, b, c, d]);
        return Err(Error::unavailable(format!(
            "there is no {path} (code {code}): is HBase running, and is this its root?"
        )));
    }
    let (length, data) = rest.split_first_chunk().ok_or_else(unreadable)?;
    let length = u32::from_be_bytes(*length) as usize;
    data.get(..length)
        .map(<[u8]>::to_vec)
        .ok_or_else(unreadable)
}

/// `FF`, a length, who wrote it, `PBUF`, and a message that begins with the server.
fn server_name(data: &[u8]) -> Result<ServerName> {
    let message = || {
        let data = data.strip_prefix(&[0xff])?;
        let (length, rest) = data.split_first_chunk()?;
        let message = rest.get(u32::from_be_bytes(*length) as usize..)?;
        Located::decode(message.strip_prefix(b"PBUF")?).ok()
    };
    let located = message();
    located
        .map(|located| located.server)
        .ok_or_else(|| Error::corrupt("where HBase is cannot be read from ZooKeeper"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Vec<u8> {
        let server = ServerName {
            host_name: "rs1".to_owned(),
            port: Some(16020),
        };
        let located = Located { server }.encode_to_vec();
        [&b"\xff\0\0\0\x03abcPBUF"[..], &located].concat()
    }

    #[test]
    fn a_server_is_read() {
        let data = data();
        let answer = [&[0; 16][..], &(data.len() as u32).to_be_bytes(), &data].concat();
        let found = data_of(&answer, "/hbase/master").unwrap();
        let server = server_name(&found).unwrap();
        assert_eq!(
            (server.host_name.as_str(), server.port),
            ("rs1", Some(16020))
        );
        for length in 0..answer.len() {
            let cut = data_of(&answer[..length], "/hbase/master");
            cut.and_then(|data| server_name(&data)).unwrap_err();
        }
        let mut missing = answer;
        missing[12..16].copy_from_slice(&(-101_i32).to_be_bytes());
        let error = data_of(&missing, "/hbase/master").unwrap_err();
        assert!(error.message().contains("/hbase/master"), "{error}");
    }

    #[test]
    fn hostile_data_is_refused() {
        let mut random = fastrand::Rng::with_seed(crate::seed::seed());
        for _ in 0..20_000 {
            let mut damaged = data();
            for _ in 0..random.usize(1..5) {
                let at = random.usize(..damaged.len());
                damaged[at] = random.u8(..);
            }
            drop(server_name(&damaged));
        }
    }
}
