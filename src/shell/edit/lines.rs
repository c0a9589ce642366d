//! Lines from the terminal, as long as there is one.
//!
//! When the terminal is gone, the library that reads keys takes the end of its input for keys that have not come yet,
//! and asks for them again and again, without end. Where SIGHUP is ignored, as under `nohup`, nothing else ends the
//! program. So the editor has a thread of its own, and who waits for its line looks whether the terminal is still there.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use reedline::{EditCommand, Reedline, Signal};

use super::prompt::HalitePrompt;

/// How often it is looked whether the terminal is there.
const LOOK: Duration = Duration::from_millis(500);

/// The editor, on its thread.
pub(super) struct Lines {
    /// Asks for a line, which begins with this text.
    wanted: Sender<String>,
    read: Receiver<io::Result<Signal>>,
    thread: JoinHandle<()>,
}

impl Lines {
    /// Lines that the editor reads behind this prompt.
    ///
    /// # Errors
    /// Where the system has no thread left.
    pub(super) fn new(mut editor: Reedline, prompt: HalitePrompt) -> io::Result<Self> {
        let (wanted, asked) = channel::<String>();
        let (answers, read) = channel();
        let thread = std::thread::Builder::new()
            .name("editor".to_owned())
            .spawn(move || {
                while let Ok(begun) = asked.recv() {
                    if !begun.is_empty() {
                        editor.run_edit_commands(&[EditCommand::InsertString(begun)]);
                    }
                    let signal = editor.read_line(&prompt).map_err(io::Error::other);
                    // Kept at once: the window may be closed while the statement runs.
                    editor.sync_history().ok();
                    if answers.send(signal).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            wanted,
            read,
            thread,
        })
    }

    /// Waits for the next line, in which this stands already.
    ///
    /// # Errors
    /// Those of the terminal; `NotConnected` where it is gone, and then the editor's thread is left behind.
    pub(super) fn next(&self, begun: String) -> io::Result<Signal> {
        let gone = || io::Error::new(io::ErrorKind::NotConnected, "the terminal is gone");
        self.wanted.send(begun).map_err(|_| gone())?;
        loop {
            match self.read.recv_timeout(LOOK) {
                Ok(signal) => return signal,
                Err(RecvTimeoutError::Timeout) if io::stdin().is_terminal() => {}
                Err(_) => return Err(gone()),
            }
        }
    }

    /// Ends the editor, which gives the terminal back as it was.
    pub(super) fn end(self) {
        drop(self.wanted);
        self.thread.join().ok();
    }
}
