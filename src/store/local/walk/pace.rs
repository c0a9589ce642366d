//! Whether a walk seeks the next candidate, reads on to it, or gives up and reads everything: a heuristic.
//!
//! A seek costs as much as reading some thirty entries, and a store does not say how many entries it has passed over. So
//! every now and then a walk reads on to a few candidates. What it passes over on the way says which is dearer: to seek
//! candidates that far apart and to ask about each, or to read all entries. Where seeking is cheaper the next trial comes
//! after twice as many questions; where reading is, a stretch of entries is read, and then it is tried again.

/// How many entries are read in the time of a seek.
pub const ENTRIES_PER_SEEK: usize = 32;

/// How many cost as much as to ask about one by itself, and to read on behind it.
const QUESTION: usize = 4;

/// How many bytes cost as much as an entry has cost without them.
const BYTES: usize = 512;

/// After how many questions the first trial begins.
pub(in super::super) const FIRST_TRIAL: usize = 8;

/// After how many at most.
const LAST_TRIAL: usize = 1024;

/// A trial is over after so many questions.
const QUESTIONS: usize = 8;

/// How many entries are read before it is tried again whether candidates are far.
const FIRST_STRETCH: usize = 1024;

/// How many at most.
const LAST_STRETCH: usize = 64 * 1024;

/// What a walk does next.
pub(super) struct Pace {
    /// Questions until the next trial.
    questions_left: usize,
    trial_after: usize,
    trial: Option<Trial>,
    stretch: usize,
}

/// What was seen in a trial.
#[derive(Default)]
struct Trial {
    questions: usize,
    /// How many candidates were set out for, none of them by a seek.
    candidates: usize,
    /// What was passed over on the way to them, in entries.
    outside: usize,
    inside: usize,
}

impl Trial {
    /// Whether what was passed over costs less than to seek the candidates and to ask about them. Of all entries that are
    /// read on the way each must be looked at, too, which is a fifth of what it costs to read it.
    fn is_dear(&self) -> bool {
        let walked = self.candidates * ENTRIES_PER_SEEK + self.questions * QUESTION;
        walked > self.outside + (self.outside + self.inside) / 5
    }
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            questions_left: FIRST_TRIAL,
            trial_after: FIRST_TRIAL,
            trial: None,
            stretch: FIRST_STRETCH,
        }
    }

    /// A question is asked.
    pub(super) fn asks(&mut self) {
        if let Some(trial) = &mut self.trial {
            trial.questions += 1;
            return;
        }
        self.questions_left = self.questions_left.saturating_sub(1);
        if self.questions_left == 0 {
            self.begin_trial();
        }
    }

    pub(super) fn begin_trial(&mut self) {
        self.trial = Some(Trial::default());
    }

    /// Whether to read on to the next candidate, not to seek it.
    pub(super) fn reads_on(&mut self) -> bool {
        if let Some(trial) = &mut self.trial {
            trial.candidates += 1;
        }
        self.trial.is_some()
    }

    /// An entry on the way to a candidate was passed over. Returns whether to read on.
    pub(super) fn passes(&mut self, bytes: usize) -> bool {
        let Some(trial) = &mut self.trial else {
            return false;
        };
        trial.outside += 1 + bytes / BYTES;
        let is_near = trial.outside < trial.candidates * ENTRIES_PER_SEEK;
        if !is_near {
            self.was_far();
        }
        is_near
    }

    /// So many entries inside were read.
    pub(super) fn has_read(&mut self, inside: usize) {
        if let Some(trial) = &mut self.trial {
            trial.inside += inside;
        }
    }

    /// Whether a trial has shown that it is cheaper to read everything, for a walk that may. Another one goes on to read
    /// up to its candidates, until they are far.
    pub(super) fn is_given_up(&mut self, may_give_up: bool) -> bool {
        let Some(trial) = self.trial.as_ref().filter(|it| it.questions >= QUESTIONS) else {
            return false;
        };
        match (trial.is_dear(), may_give_up) {
            (true, true) => return true,
            (true, false) => self.begin_trial(),
            (false, _) => self.was_far(),
        }
        false
    }

    /// How many entries to read, of a walk that has given up.
    pub(super) fn stretch(&mut self) -> usize {
        self.trial = None;
        let stretch = self.stretch;
        self.stretch = (stretch * 2).min(LAST_STRETCH);
        stretch
    }

    fn was_far(&mut self) {
        self.trial = None;
        self.questions_left = self.trial_after;
        self.trial_after = (self.trial_after * 2).min(LAST_TRIAL);
        self.stretch = FIRST_STRETCH;
    }
}
