//! How results look and where they go.

use std::sync::Arc;

use super::arguments::{file, first_word, switch, table};
use super::{Command, GO_ON, Offer, failed, tell};
use crate::shell::format::{self, FORMATS, Format};
use crate::shell::output::Limit;
use crate::shell::redirect::{Redirection, Target};
use crate::shell::state::{Answer, Settings, Shell};
use crate::shell::suggest::{closest, question};

const SWITCH: &[Offer] = &[Offer::Words(&["on", "off"])];
const LIMIT: &[Offer] = &[Offer::Words(&["auto", "all"])];

/// Sets a switch to what the argument says, or to the other position, and tells.
fn turn(
    shell: &mut Shell<'_>,
    name: &str,
    argument: &str,
    of: fn(&mut Settings) -> &mut bool,
) -> Answer {
    let now = *of(&mut shell.settings);
    let wanted = if argument.is_empty() {
        Some(!now)
    } else {
        switch(argument)
    };
    let Some(wanted) = wanted else {
        return failed(shell, &format!("say {name} on or {name} off"));
    };
    *of(&mut shell.settings) = wanted;
    announce(
        shell,
        &format!("{name} {}", if wanted { "on" } else { "off" }),
    )
}

/// Tells how a setting is now, to people.
fn announce(shell: &mut Shell<'_>, text: &str) -> Answer {
    if shell.settings.interactive {
        tell(shell, text)
    } else {
        GO_ON
    }
}

/// Sets a limit, or tells it.
fn limit(
    shell: &mut Shell<'_>,
    name: &str,
    argument: &str,
    of: fn(&mut Settings) -> &mut Limit,
) -> Answer {
    let wanted = match argument.to_ascii_lowercase().as_str() {
        "" => {
            let now = match *of(&mut shell.settings) {
                Limit::Fit => "auto".to_owned(),
                Limit::All => "all".to_owned(),
                Limit::Most(most) => most.to_string(),
            };
            return tell(shell, &format!("{name} {now}"));
        }
        "auto" => Some(Limit::Fit),
        "all" | "0" => Some(Limit::All),
        number => number.parse().ok().map(Limit::Most),
    };
    let Some(wanted) = wanted else {
        return failed(
            shell,
            &format!("say {name} auto, {name} all or {name} and a number"),
        );
    };
    *of(&mut shell.settings) = wanted;
    GO_ON
}

pub(super) struct Mode;

impl Command for Mode {
    fn name(&self) -> &'static str {
        ".mode"
    }

    fn usage(&self) -> &'static str {
        "[FORMAT [TABLE]]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Formats, Offer::Tables]
    }

    fn doc(&self) -> &'static str {
        "shows results in this format; .mode alone lists the formats"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        if argument.is_empty() {
            let current = shell.settings.format.name();
            let mut text = String::new();
            for format in FORMATS {
                let sign = if format.name() == current { '*' } else { ' ' };
                text.push_str(&format!("{sign} {:<10}{}\n", format.name(), format.doc()));
            }
            return shell.print(&text);
        }
        let Some((format, table)) = format_and_table(argument) else {
            let names = FORMATS.iter().map(|format| format.name());
            let hint = if argument.contains('>') {
                Some(".once FILE sends the next result to a file".to_owned())
            } else {
                question(&closest(argument, names))
            };
            let hint = hint.unwrap_or(".mode lists them".to_owned());
            return failed(shell, &format!("there is no format {argument}; {hint}"));
        };
        shell.settings.format = format;
        shell.settings.table = table;
        GO_ON
    }
}

/// A format by its name, and, for the one that writes statements, the table that they are about.
fn format_and_table(argument: &str) -> Option<(&'static dyn Format, Option<Arc<str>>)> {
    if let Some(format) = format::named(argument) {
        return Some((format, None));
    }
    let (name, rest) = first_word(argument);
    let format = format::named(&name).filter(|format| format.names_a_table())?;
    match table(rest) {
        Some((table, "")) => Some((format, Some(table.into()))),
        _ => None,
    }
}

pub(super) struct Expanded;

impl Command for Expanded {
    fn name(&self) -> &'static str {
        ".expanded"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\x"]
    }

    fn usage(&self) -> &'static str {
        "[on|off|auto]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Words(&["on", "off", "auto"])]
    }

    fn doc(&self) -> &'static str {
        "a line for each value; auto: where a row does not fit the screen"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let of_switch = |on| if on { "line" } else { "box" };
        let wanted = match argument.to_ascii_lowercase().as_str() {
            "" => Some(of_switch(shell.settings.format.name() != "line")),
            "auto" => Some("auto"),
            other => switch(other).map(of_switch),
        };
        let Some(format) = wanted.and_then(format::named) else {
            return failed(shell, "say .expanded on, .expanded off or .expanded auto");
        };
        shell.settings.format = format;
        announce(shell, &format!(".mode {}", format.name()))
    }
}

pub(super) struct MaxRows;

impl Command for MaxRows {
    fn name(&self) -> &'static str {
        ".maxrows"
    }

    fn usage(&self) -> &'static str {
        "[N|auto|all]"
    }

    fn arguments(&self) -> &'static [Offer] {
        LIMIT
    }

    fn doc(&self) -> &'static str {
        "how many rows are shown; auto: as fit the screen, or the pager"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        limit(shell, self.name(), argument, |settings| &mut settings.rows)
    }
}

pub(super) struct MaxWidth;

impl Command for MaxWidth {
    fn name(&self) -> &'static str {
        ".maxwidth"
    }

    fn usage(&self) -> &'static str {
        "[N|auto|all]"
    }

    fn arguments(&self) -> &'static [Offer] {
        LIMIT
    }

    fn doc(&self) -> &'static str {
        "how wide a box may be; auto: as the screen, or the pager"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        limit(shell, self.name(), argument, |settings| &mut settings.width)
    }
}

pub(super) struct NullValue;

impl Command for NullValue {
    fn name(&self) -> &'static str {
        ".nullvalue"
    }

    fn usage(&self) -> &'static str {
        "[TEXT]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Words(&["NULL", "''", "'-'"])]
    }

    fn doc(&self) -> &'static str {
        "what is shown for NULL; alone: each format's own sign again"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let (text, rest) = first_word(argument);
        if !rest.is_empty() {
            return failed(
                shell,
                "a text with spaces stands in quotes: .nullvalue 'not known'",
            );
        }
        shell.settings.null = (!argument.is_empty()).then(|| Arc::from(text));
        GO_ON
    }
}

/// `.hex`
pub(super) struct Bytes;

impl Command for Bytes {
    fn name(&self) -> &'static str {
        ".hex"
    }

    fn usage(&self) -> &'static str {
        "[on|off]"
    }

    fn arguments(&self) -> &'static [Offer] {
        SWITCH
    }

    fn doc(&self) -> &'static str {
        "whether a box of key ranges shows their bounds as bytes, too"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        turn(shell, self.name(), argument, |settings| {
            &mut settings.shows_bytes
        })
    }
}

pub(super) struct Timer;

impl Command for Timer {
    fn name(&self) -> &'static str {
        ".timer"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\timing"]
    }

    fn usage(&self) -> &'static str {
        "[on|off]"
    }

    fn arguments(&self) -> &'static [Offer] {
        SWITCH
    }

    fn doc(&self) -> &'static str {
        "tells of each statement the rows, keys read, ranges and time"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        turn(shell, self.name(), argument, |settings| &mut settings.timer)
    }
}

pub(super) struct Pager;

impl Command for Pager {
    fn name(&self) -> &'static str {
        ".pager"
    }

    fn usage(&self) -> &'static str {
        "[on|off]"
    }

    fn arguments(&self) -> &'static [Offer] {
        SWITCH
    }

    fn doc(&self) -> &'static str {
        "whether $PAGER, or less, shows what does not fit the screen"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        turn(shell, self.name(), argument, |settings| &mut settings.pager)
    }
}

/// `.output`, and `.once` for one result alone.
pub(super) struct Output {
    pub(super) once: bool,
}

impl Command for Output {
    fn name(&self) -> &'static str {
        if self.once { ".once" } else { ".output" }
    }

    fn aliases(&self) -> &'static [&'static str] {
        if self.once { &[] } else { &["\\o"] }
    }

    fn usage(&self) -> &'static str {
        if self.once {
            "FILE or |COMMAND"
        } else {
            "[FILE or |COMMAND]"
        }
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Files]
    }

    fn doc(&self) -> &'static str {
        if self.once {
            "sends the next result to a file or a program, which may be a pager"
        } else {
            "sends results to a file or a program; alone: to the screen again"
        }
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let target = match argument.strip_prefix('|').map(str::trim) {
            Some("") => return failed(shell, &format!("say {} |COMMAND", self.name())),
            Some(command) => Some(Target::Program(command.to_owned())),
            None if argument.is_empty() => None,
            None => Some(Target::File(file(argument))),
        };
        if let Some(Err(error)) = target.as_ref().map(|target| shell.check_target(target)) {
            return failed(shell, error.message());
        }
        // What was sent elsewhere before is there before anything is made anew.
        let mut redirected = shell.outputs.redirect(None);
        if let (Ok(()), Some(target)) = (&redirected, target) {
            let once = self.once;
            let made = shell.unless_interrupted(move || Redirection::new(target, once))?;
            redirected = made.and_then(|made| shell.outputs.redirect(Some(made)));
        }
        match redirected {
            Ok(()) => GO_ON,
            Err(error) => failed(shell, error.message()),
        }
    }
}
