//! Texts of up to 1 MiB that cost more than their length: each has its plan, or its error, within a second.
//!
//! They are in `texts.txt`. `HALITE_LIMITS=1` tries all of them in all sizes, and just within their limits, and prints a
//! table; without it all are tried in a small size, and some in a large one. What is measured is the time that the process has computed, which other
//! processes change little.

use std::time::Duration;

use super::{Program, is_whole};

const KINDS: &str = include_str!("texts.txt");

/// What a text is made of: name, beginning, part, what is between or in the middle, and end.
type Kind = [String; 5];

/// Makes a text of about so many bytes.
type Text = fn(&Kind, usize) -> String;

/// A prefix, as many times a part as fit in so many bytes, with a separator between, and a suffix. `{n}` in the part is
/// its number.
fn repeated([_, prefix, part, separator, suffix]: &Kind, bytes: usize) -> String {
    let mut text = prefix.clone();
    let mut number = 0;
    while text.len() + part.len() + suffix.len() < bytes || number == 0 {
        if number > 0 {
            text.push_str(separator);
        }
        text.push_str(&part.replace("{n}", &number.to_string()));
        number += 1;
    }
    text + suffix
}

/// A prefix, and as many levels as fit in so many bytes around what is in the middle.
fn nested([_, prefix, open, middle, close]: &Kind, bytes: usize) -> String {
    let levels = bytes / (open.len() + close.len());
    format!(
        "{prefix}{}{middle}{}",
        open.repeat(levels),
        close.repeat(levels)
    )
}

/// The kinds of texts, each with how it is made.
fn kinds() -> Vec<(Kind, Text)> {
    let mut text: Text = repeated;
    let mut kinds = Vec::new();
    for line in KINDS.lines() {
        if line.starts_with("# nested") {
            text = nested;
        }
        if line.starts_with('#') {
            continue;
        }
        // A space on either side belongs to the mark; the last field may be empty.
        let line = line.replace('␊', "\n") + " ";
        let fields = line.split(" ¦ ").map(str::to_owned);
        let mut kind: Kind = fields.collect::<Vec<_>>().try_into().expect(&line);
        kind[4].pop();
        kinds.push((kind, text));
    }
    kinds
}

const SMALL: usize = 10_000;
const SIZES: [usize; 3] = [SMALL, 100_000, 1 << 20];

/// Of so many kinds one is tried in the largest size, too.
const ONE_OF: usize = 10;

fn sizes(number: usize) -> &'static [usize] {
    match (is_whole(), number % ONE_OF) {
        (true, _) => &SIZES,
        (false, 0) => &[SMALL, 1 << 20],
        (false, _) => &[SMALL],
    }
}

/// How long a text may take. The tests are built without optimization, and machines differ: what is found here is what
/// grows with more than the length of the text, by hundreds of seconds.
fn allowed() -> Duration {
    let seconds = std::env::var("HALITE_TEXT_SECONDS").map_or(30.0, |it| it.parse().unwrap());
    Duration::from_secs_f64(seconds)
}

fn start() -> Program {
    let mut program = Program::start();
    for sql in [
        "SET halite.statement_timeout = '60s'",
        "CREATE TABLE t (a INT, b INT, s TEXT, PRIMARY KEY (a))",
    ] {
        assert_eq!(program.measure(sql).unwrap().refused, None);
    }
    program
}

/// How often what is between a text that is planned and one that is refused is halved, to find the worst that is planned.
const HALVINGS: usize = 5;

/// The texts that are tried, one after the other.
struct Trials {
    program: Program,
    wrong: Vec<String>,
}

impl Trials {
    /// Tries a text; whether it was planned.
    fn try_text(&mut self, name: &str, text: &str) -> bool {
        let bytes = text.len();
        let before = self.program.peak();
        let Some(measured) = self.program.measure(text) else {
            let wrong = format!("{name}, {bytes} bytes: the process has ended");
            self.wrong.push(wrong);
            self.program = start();
            return false;
        };
        let is_planned = measured.refused.is_none();
        let answer = if is_planned {
            "planned".to_owned()
        } else {
            measured.answer(90)
        };
        let (time, peak) = (measured.computed.as_secs_f64(), measured.peak >> 20);
        println!("{name:38} {bytes:8} {time:7.2} s {peak:5} MiB  {answer}");
        if measured.computed > allowed() || measured.is_broken() {
            let wrong = format!("{name}, {bytes} bytes: {time:.1} s, {answer}");
            self.wrong.push(wrong);
        }
        // So that what the next one takes is seen.
        if measured.peak > before + (64 << 20) {
            self.program = start();
        }
        is_planned
    }

    /// Tries texts of a kind; if all are to be tried, those just within its limits, too.
    fn try_kind(&mut self, kind: &Kind, text: Text, sizes: &[usize]) {
        let mut longest = None;
        for bytes in sizes {
            if self.try_text(&kind[0], &text(kind, *bytes)) {
                longest = Some(*bytes);
            } else if let Some(planned) = longest.take().filter(|_| is_whole()) {
                self.try_between(kind, text, planned, *bytes);
            }
        }
    }

    fn try_between(&mut self, kind: &Kind, text: Text, mut planned: usize, mut refused: usize) {
        for _ in 0..HALVINGS {
            let middle = planned.midpoint(refused);
            if self.try_text(&kind[0], &text(kind, middle)) {
                planned = middle
            } else {
                refused = middle
            }
        }
    }
}

#[test]
fn no_text_blocks_the_program() {
    let mut trials = Trials {
        program: start(),
        wrong: Vec::new(),
    };
    for (number, (kind, text)) in kinds().iter().enumerate() {
        trials.try_kind(kind, *text, sizes(number));
    }
    let wrong = trials.wrong;
    assert!(wrong.is_empty(), "{wrong:#?}");
}
