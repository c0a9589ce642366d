//! A connection to a service of a server: any number of requests on their way, answers in any order.
//!
//! A thread of its own takes the answers in. When the connection breaks, nobody knows what became of the requests that
//! were not answered.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use prost::Message;

use super::failure::{Failure, Reaction};
use super::frame::{LONGEST, Response, preamble, request};
use super::zookeeper::connect;
use crate::error::{Error, Result};

/// What is taken in at once.
const BUFFER: usize = 64 << 10;

/// A connection. Dropped, it is closed.
#[derive(Debug)]
pub(super) struct Connection {
    server: String,
    stream: Mutex<TcpStream>,
    waiting: Arc<Mutex<Waiting>>,
    calls: AtomicU32,
    /// Requests of all connections.
    sent: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Waiting {
    calls: HashMap<u32, Sender<Response>>,
    /// Why there will be no more answers.
    broken: Option<String>,
}

impl Connection {
    /// Connects to a service; `sent` counts what is sent.
    pub(super) fn open(
        server: &str,
        service: &str,
        timeout: Duration,
        sent: &Arc<AtomicU64>,
    ) -> Result<Self> {
        let io = |error: std::io::Error| {
            Error::unavailable(format!("HBase at {server}: {error}")).with_source(error)
        };
        let mut stream = connect(server, timeout)?;
        let user = std::env::var("USER").unwrap_or_else(|_| "halite".to_owned());
        stream.write_all(&preamble(&user, service)).map_err(io)?;
        // An answer may take as long as its request lets it.
        stream.set_read_timeout(None).map_err(io)?;
        let reading = stream.try_clone().map_err(io)?;
        let waiting = Arc::<Mutex<Waiting>>::default();
        let connection = Self {
            server: server.to_owned(),
            stream: Mutex::new(stream),
            waiting: Arc::clone(&waiting),
            calls: AtomicU32::new(0),
            sent: Arc::clone(sent),
        };
        let thread = thread::Builder::new().name("halite-hbase".to_owned());
        thread
            .spawn(move || take_in(reading, &waiting))
            .map_err(io)?;
        Ok(connection)
    }

    pub(super) fn is_broken(&self) -> bool {
        self.waiting.lock().broken.is_some()
    }

    /// Sends a request, and does not wait.
    ///
    /// # Errors
    /// `LookAgain` if the connection was broken before, `Unknown` if it breaks now.
    pub(super) fn send(
        &self,
        method: &str,
        message: &impl Message,
        timeout: Duration,
    ) -> Result<Pending, Failure> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.sent.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = channel();
        {
            let mut waiting = self.waiting.lock();
            if let Some(broken) = &waiting.broken {
                return Err(Failure::new(Reaction::LookAgain, self.broken(broken)));
            }
            waiting.calls.insert(call, sender);
        }
        let millis = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
        let request = request(call, method, millis, message);
        let written = self.stream.lock().write_all(&request);
        if let Err(error) = written {
            self.waiting.lock().calls.remove(&call);
            self.close();
            let error = self.broken(&error.to_string());
            return Err(Failure::new(Reaction::Unknown, error));
        }
        Ok(Pending {
            server: self.server.clone(),
            receiver,
            timeout,
        })
    }

    fn broken(&self, why: &str) -> Error {
        Error::unavailable(format!(
            "the connection to HBase at {} broke: {why}",
            self.server
        ))
    }

    fn close(&self) {
        // It may be closed already.
        let _ = self.stream.lock().shutdown(Shutdown::Both);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}

/// Hands answers to those who wait, until the connection breaks.
fn take_in(stream: TcpStream, waiting: &Mutex<Waiting>) {
    // A short answer is one call of the system.
    let mut stream = BufReader::with_capacity(BUFFER, stream);
    let error = loop {
        match receive(&mut stream) {
            Ok(response) => {
                let call = response.header.call_id.unwrap_or_default();
                let sender = waiting.lock().calls.remove(&call);
                // Who has waited too long is gone.
                let _ = sender.map(|sender| sender.send(response));
            }
            Err(error) => break error,
        }
    };
    let mut waiting = waiting.lock();
    waiting.broken = Some(error.message().to_owned());
    // Their receivers notice.
    waiting.calls.clear();
    let _ = stream.get_ref().shutdown(Shutdown::Both);
}

fn receive(stream: &mut impl Read) -> Result<Response> {
    let io = |error: std::io::Error| Error::unavailable(error.to_string());
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(io)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > LONGEST {
        return Err(Error::corrupt(format!("an answer of {length} bytes")));
    }
    // More is allocated as it comes.
    let mut body = Vec::with_capacity(length.min(BUFFER));
    let read = stream.take(length as u64).read_to_end(&mut body);
    if read.map_err(io)? < length {
        return Err(Error::unavailable("it was closed within an answer"));
    }
    Response::read(body)
}

/// A request that is on its way.
#[derive(Debug)]
pub(super) struct Pending {
    server: String,
    receiver: Receiver<Response>,
    timeout: Duration,
}

impl Pending {
    /// Waits for the answer.
    pub(super) fn wait(self) -> Result<Response, Failure> {
        let response = self.receiver.recv_timeout(self.timeout).map_err(|error| {
            let message = format!("HBase at {} has not answered: {error}", self.server);
            Failure::new(Reaction::Unknown, Error::unavailable(message))
        })?;
        match &response.header.exception {
            None => Ok(response),
            Some(exception) => Err(Failure::of_exception(exception)),
        }
    }
}
