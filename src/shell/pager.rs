//! The pager: what does not fit the screen is read in another program, `PAGER` or `less -SR`.

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What is read with, where `PAGER` says nothing.
const DEFAULT: &str = "less -SR";

/// The pager's command line, if there is such a program. `PAGER` set to nothing or to `cat` is no pager.
pub fn command() -> Option<String> {
    let command = match env::var("PAGER") {
        Ok(set) => set.trim().to_owned(),
        Err(_) => DEFAULT.to_owned(),
    };
    let program = command.split_whitespace().next()?;
    let found = if program.contains('/') {
        Path::new(program).is_file()
    } else {
        let path = env::var_os("PATH")?;
        env::split_paths(&path).any(|directory| directory.join(program).is_file())
    };
    (found && program != "cat").then_some(command)
}

/// A screen, in columns and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns of a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
}

/// Holds text back as long as it fits the screen; at the first line that does not, or is wider than the screen, starts the
/// pager with all of it.
pub struct Paged<'a> {
    command: String,
    screen: Screen,
    plain: &'a mut dyn Write,
    held: Vec<u8>,
    lines: usize,
    column: usize,
    is_wide: bool,
    escaped: bool,
    child: Option<Child>,
}

impl<'a> Paged<'a> {
    /// Text for a screen: to `plain` where it fits, else to the pager's command.
    pub fn new(command: String, screen: Screen, plain: &'a mut dyn Write) -> Self {
        Self {
            command,
            screen,
            plain,
            held: Vec::new(),
            lines: 0,
            column: 0,
            is_wide: false,
            escaped: false,
            child: None,
        }
    }

    /// Writes what was held back, or waits until the user leaves the pager.
    ///
    /// # Errors
    /// Those of the output; leaving the pager early is none.
    pub fn finish(self) -> io::Result<()> {
        if self.child.is_some() {
            return Ok(()); // Dropping it waits.
        }
        self.plain.write_all(&self.held)?;
        self.plain.flush()
    }

    /// Counts the lines of the screen that more text takes; the line after this one is for the prompt.
    fn count(&mut self, text: &[u8]) {
        for letter in String::from_utf8_lossy(text).chars() {
            match letter {
                '\n' => {
                    self.lines += 1;
                    self.column = 0;
                }
                '\u{1b}' => self.escaped = true,
                _ if self.escaped => self.escaped = !letter.is_ascii_alphabetic(),
                _ => {
                    self.column += 1;
                    self.is_wide |= self.column > self.screen.width;
                }
            }
        }
    }

    fn start(&mut self) -> io::Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.command]).stdin(Stdio::piped());
        if env::var_os("LESSCHARSET").is_none() {
            command.env("LESSCHARSET", "utf-8");
        }
        self.plain.flush()?;
        self.child = Some(command.spawn()?);
        let held = std::mem::take(&mut self.held);
        self.send(&held)
    }

    fn send(&mut self, text: &[u8]) -> io::Result<()> {
        let input = self.child.as_mut().and_then(|child| child.stdin.as_mut());
        input.map_or(Ok(()), |input| input.write_all(text))
    }
}

impl Write for Paged<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.child.is_some() {
            self.send(text)?;
            return Ok(text.len());
        }
        self.held.extend_from_slice(text);
        self.count(text);
        if self.lines >= self.screen.height || self.is_wide {
            self.start()?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Paged<'_> {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.stdin.take());
            child.wait().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Screen = Screen {
        width: 10,
        height: 4,
    };

    /// What comes out beside the pager, and what the pager is given.
    fn paged(text: &str) -> (String, Option<String>) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("paged");
        let mut plain = Vec::new();
        let mut pager = Paged::new(format!("cat > {}", file.display()), SCREEN, &mut plain);
        for part in text.as_bytes().chunks(3) {
            pager.write_all(part).unwrap();
        }
        pager.finish().unwrap();
        let given = std::fs::read_to_string(file).ok();
        (String::from_utf8(plain).unwrap(), given)
    }

    #[test]
    fn what_fits_is_not_paged() {
        for text in [
            "",
            "1\n2\n3\n",
            "1234567890\n2\n3\nä",
            "\u{1b}[1m1234567890\u{1b}[0m\n2\n3\n",
        ] {
            assert_eq!(paged(text), (text.to_owned(), None));
        }
    }

    #[test]
    fn what_does_not_fit_is_paged_whole() {
        for text in [
            "1\n2\n3\n4\n5\n6\n",
            "12345678901\n2\n3\n",
            "1\n12345678901",
        ] {
            assert_eq!(paged(text), (String::new(), Some(text.to_owned())));
        }
    }

    #[test]
    fn who_leaves_the_pager_early_has_seen_enough() {
        let mut plain = Vec::new();
        let mut pager = Paged::new("head -c 10 > /dev/null".to_owned(), SCREEN, &mut plain);
        let line = [b'x'; 4096];
        let error = (0..1000).find_map(|_| {
            pager
                .write_all(&line)
                .and_then(|()| pager.write_all(b"\n"))
                .err()
        });
        assert_eq!(error.unwrap().kind(), io::ErrorKind::BrokenPipe);
        drop(pager);
        assert!(plain.is_empty());
    }
}
