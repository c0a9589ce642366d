//! A way to a region server on which some answers are lost, and the connection with them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use fastrand::Rng;

/// No call has this number.
const NONE: u64 = u64::MAX;

/// Counts what is lost on a way.
#[derive(Debug, Clone, Default)]
pub struct Lost(Arc<AtomicUsize>);

impl Lost {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Leads connections on, for as long as the process lives. Of the changes of the clock row that Halite asks for, as the
/// beginning and the end of a statement are, one in so many is carried out and its answer lost.
pub fn lead(from: SocketAddr, to: SocketAddr, one_in: usize, seed: u64) -> io::Result<Lost> {
    let listener = TcpListener::bind(from)?;
    let lost = Lost::default();
    let counted = lost.clone();
    thread::spawn(move || {
        let mut random = Rng::with_seed(seed);
        for client in listener.incoming().map_while(Result::ok) {
            let (lost, random) = (counted.clone(), random.fork());
            thread::spawn(move || {
                if let Ok(server) = TcpStream::connect(to) {
                    // A side that has gone is no failure of the way.
                    let _ = between(client, server, one_in, random, &lost);
                }
            });
        }
    });
    Ok(lost)
}

fn between(
    mut client: TcpStream,
    mut server: TcpStream,
    one_in: usize,
    mut random: Rng,
    lost: &Lost,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let mut answers = (server.try_clone()?, client.try_clone()?);
    let mut first = [0; 6];
    client.read_exact(&mut first)?;
    server.write_all(&first)?;
    let header = frame(&mut client)?;
    server.write_all(&header)?;
    if !has(&header, b"halite") {
        thread::spawn(move || io::copy(&mut answers.0, &mut answers.1));
        return io::copy(&mut client, &mut server).map(drop);
    }
    let doomed = Arc::new(AtomicU64::new(NONE));
    let (is_doomed, counted) = (Arc::clone(&doomed), lost.clone());
    thread::spawn(move || {
        while let Ok(answer) = frame(&mut answers.0) {
            if call_of(&answer) == is_doomed.load(Ordering::SeqCst) {
                counted.0.fetch_add(1, Ordering::Relaxed);
                break;
            }
            if answers.1.write_all(&answer).is_err() {
                break;
            }
        }
        let _ = (
            answers.0.shutdown(Shutdown::Both),
            answers.1.shutdown(Shutdown::Both),
        );
    });
    loop {
        let request = frame(&mut client)?;
        let changes_clock = has(&request, b"BinaryComparator") && has(&request, b"clock");
        if changes_clock && random.usize(0..one_in) == 0 {
            doomed.store(call_of(&request), Ordering::SeqCst);
        }
        server.write_all(&request)?;
    }
}

/// The next message, with its length in front.
fn frame(from: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    from.read_exact(&mut bytes)?;
    let length = u32::from_be_bytes(bytes[..].try_into().unwrap()) as usize;
    bytes.resize(4 + length, 0);
    from.read_exact(&mut bytes[4..])?;
    Ok(bytes)
}

/// The number of a request or an answer: the first field of its header, which its length stands before.
fn call_of(frame: &[u8]) -> u64 {
    let mut rest = &frame[4..];
    number(&mut rest);
    match rest.split_first() {
        Some((8, after)) => {
            rest = after;
            number(&mut rest)
        }
        _ => NONE,
    }
}

/// A number of protobuf's.
fn number(bytes: &mut &[u8]) -> u64 {
    let mut found = 0;
    for shift in (0..64).step_by(7) {
        let Some((byte, rest)) = bytes.split_first() else {
            break;
        };
        *bytes = rest;
        found |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    found
}

fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
